//! The platforms that codepod is published for, and what each registry calls them.

use crate::failure::{Failure, Outcome};

/// A platform.
pub(crate) struct Platform {
    /// Its name in npm packages and archives.
    pub(crate) name: &'static str,
    /// What Rust calls it.
    pub(crate) target: &'static str,
    /// What names of wheels call it.
    pub(crate) wheel: &'static str,
}

pub(crate) const PLATFORMS: &[Platform] = &[Platform {
    name: "linux-x64",
    target: "x86_64-unknown-linux-gnu",
    wheel: "linux_x86_64",
}];

/// The platform of this machine.
pub(crate) fn host() -> Outcome<&'static Platform> {
    let os = match std::env::consts::OS {
        "macos" => "apple-darwin",
        "windows" => "pc-windows",
        os => os,
    };
    let here = |target: &str| target.starts_with(std::env::consts::ARCH) && target.contains(os);
    PLATFORMS
        .iter()
        .find(|platform| here(platform.target))
        .ok_or_else(|| {
            Failure::new("codepod is not published for this machine's platform")
                .hint("xtask/src/dist/platform.rs has the list")
        })
}
