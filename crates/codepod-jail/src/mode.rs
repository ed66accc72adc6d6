//! What the environment says about the wall.

use std::io;

/// The variable that says it.
pub const VARIABLE: &str = "CODEPOD_JAIL";

/// How far the wall goes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As far as the host can: the usual.
    On,
    /// With a filter, or not at all.
    Require,
    /// Nothing is refused; the kernel logs what would have been.
    Log,
    /// Not at all.
    Off,
}

impl Mode {
    /// What the environment asks for.
    pub(crate) fn of_environment() -> io::Result<Mode> {
        let asked = std::env::var_os(VARIABLE).unwrap_or_default();
        Mode::by_name(&asked.to_string_lossy()).ok_or_else(|| {
            let why = format!("`{VARIABLE}` is `on`, `require`, `log` or `off`");
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })
    }

    fn by_name(name: &str) -> Option<Mode> {
        Some(match name {
            "" | "on" => Mode::On,
            "require" => Mode::Require,
            "log" => Mode::Log,
            "off" => Mode::Off,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said_is_on_and_a_wrong_word_is_no_mode() {
        assert_eq!(Mode::by_name(""), Some(Mode::On));
        assert_eq!(Mode::by_name("off"), Some(Mode::Off));
        assert_eq!(Mode::by_name("no"), None);
    }
}
