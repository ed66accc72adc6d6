//! Aliases, as the parser asks for them.

/// Who knows the aliases.
pub trait Aliases {
    /// The text that replaces a command word.
    fn get(&self, name: &[u8]) -> Option<Vec<u8>>;
}

/// No aliases.
impl Aliases for () {
    fn get(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }
}
