//! Comparison of text for one locale, the one that a sandbox has: C, in which text compares by its
//! bytes.
//!
//! uutils asks for the real crate when the environment names another locale. A sandbox has no
//! other, as a container without locales has none, and our `sort` knows none: two tools that
//! disagree about the order of lines (`sort | join`) would be worse than none that knows the
//! alphabet.

use std::cmp::Ordering;
use std::convert::Infallible;

use icu_locale::Locale;

/// What a comparison may take into account; nothing of it here.
pub mod options {
    /// How punctuation counts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum AlternateHandling {
        /// As other characters do.
        NonIgnorable,
        /// Less.
        Shifted,
    }

    /// Whether case counts on a level of its own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum CaseLevel {
        /// It does not.
        Off,
        /// It does.
        On,
    }

    /// What counts as punctuation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum MaxVariable {
        /// Space.
        Space,
        /// Space and punctuation.
        Punctuation,
        /// And symbols.
        Symbol,
        /// And currency signs.
        Currency,
    }

    /// How small a difference counts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Strength {
        /// Letters.
        Primary,
        /// And accents.
        Secondary,
        /// And case.
        Tertiary,
        /// And punctuation.
        Quaternary,
        /// Everything.
        Identical,
    }

    /// All of it.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct CollatorOptions {
        /// How small a difference counts.
        pub strength: Option<Strength>,
        /// How punctuation counts.
        pub alternate_handling: Option<AlternateHandling>,
        /// Whether case counts on a level of its own.
        pub case_level: Option<CaseLevel>,
        /// What counts as punctuation.
        pub max_variable: Option<MaxVariable>,
    }
}

/// The language that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct CollatorPreferences;

impl From<Locale> for CollatorPreferences {
    fn from(_: Locale) -> Self {
        CollatorPreferences
    }
}

/// Compares text.
#[derive(Debug, Clone, Copy)]
pub struct CollatorBorrowed;

impl CollatorBorrowed {
    /// The one comparison there is. It never fails.
    pub fn try_new(
        _preferences: CollatorPreferences,
        _options: options::CollatorOptions,
    ) -> Result<Self, Infallible> {
        Ok(CollatorBorrowed)
    }

    /// Compares bytes.
    pub fn compare_utf8(&self, left: &[u8], right: &[u8]) -> Ordering {
        left.cmp(right)
    }

    /// Adds bytes that compare as the text does: its own.
    pub fn write_sort_key_utf8_to(&self, text: &[u8], key: &mut Vec<u8>) -> Result<(), Infallible> {
        key.extend_from_slice(text);
        Ok(())
    }
}
