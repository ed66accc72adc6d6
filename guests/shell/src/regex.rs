//! POSIX extended regular expressions for `[[ =~ ]]`: leftmost, longest.

/// A compiled expression.
#[derive(Debug)]
pub struct Regex;

/// Start and end of each group that took part.
pub type Spans = Vec<Option<(usize, usize)>>;

impl Regex {
    /// Compiles, or takes what was compiled last, and does something with it.
    pub fn cached<T>(pattern: &[u8], icase: bool, then: impl FnOnce(&Regex) -> T) -> Result<T, ()> {
        let _ = (pattern, icase);
        Ok(then(&Regex))
    }

    /// The first match.
    pub fn captures(&self, text: &[u8]) -> Option<Spans> {
        let _ = text;
        None
    }
}
