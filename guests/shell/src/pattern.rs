//! Patterns: `* ? […]` and the extended forms.

/// A pattern, compiled.
#[derive(Debug, Clone)]
pub struct Pattern;
