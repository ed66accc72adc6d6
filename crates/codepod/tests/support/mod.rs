//! What the tests of the whole stack share.

#![allow(
    clippy::allow_attributes,
    dead_code,
    reason = "each test uses its own part"
)]

use codepod::{Options, Sandbox};

/// Options with the test programs in `/usr/bin`.
pub(crate) fn test_options() -> Options {
    let mut options = Options::default();
    options.guest_groups = vec![codepod_guests::TEST_PROGRAMS.into()];
    options
}

/// A sandbox with the test programs.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox::create(test_options()).unwrap()
}
