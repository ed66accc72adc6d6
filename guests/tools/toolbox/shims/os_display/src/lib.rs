//! Stands in for the crate `os_display`: uutils quotes names in messages with it. The real one
//! writes `$'new\nline'` where GNU's tools write `'new'$'\n''line'`.

#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

/// A name that is shown in quotes.
#[derive(Debug, Copy, Clone)]
pub struct Quoted<'a> {
    name: &'a [u8],
    always: bool,
}

impl Quoted<'_> {
    /// Means something only on other systems.
    #[must_use]
    pub fn external(self, _external: bool) -> Self {
        self
    }
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = if self.always {
            codepod_tool::quoted(self.name)
        } else {
            codepod_tool::quoted_if_needed(self.name)
        };
        // What is no UTF-8 was escaped.
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// What can be shown in quotes.
pub trait Quotable {
    /// In quotes.
    fn quote(&self) -> Quoted<'_>;

    /// In quotes if it needs them.
    fn maybe_quote(&self) -> Quoted<'_> {
        Quoted {
            always: false,
            ..self.quote()
        }
    }
}

impl Quotable for str {
    fn quote(&self) -> Quoted<'_> {
        OsStr::new(self).quote()
    }
}

impl Quotable for OsStr {
    fn quote(&self) -> Quoted<'_> {
        Quoted {
            name: self.as_encoded_bytes(),
            always: true,
        }
    }
}

impl Quotable for Path {
    fn quote(&self) -> Quoted<'_> {
        self.as_os_str().quote()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_gnu_does() {
        assert_eq!("a b".quote().to_string(), "'a b'");
        assert_eq!("a".maybe_quote().to_string(), "a");
        assert_eq!("a\nb".maybe_quote().to_string(), "'a'$'\\n''b'");
    }
}
