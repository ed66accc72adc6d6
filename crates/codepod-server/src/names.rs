//! Names that clients give to what they have.

use codepod_api::{ApiError, Kind};

/// The longest name that a client gives something.
const LONGEST_NAME: usize = 128;

/// Fails for a name that is too long to keep.
pub(crate) fn check_name(name: &str) -> Result<(), ApiError> {
    if name.len() > LONGEST_NAME || name.contains(|c: char| c.is_control()) {
        let message = format!("a name has at most {LONGEST_NAME} bytes and no control characters");
        return Err(ApiError::new(Kind::InvalidParams, message));
    }
    Ok(())
}
