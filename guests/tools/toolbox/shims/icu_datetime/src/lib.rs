//! Names of months and days in the language of a locale. A sandbox has the locale C only, so there
//! are none, and uutils falls back to the English ones.

use std::fmt;

use icu_locale::Locale;

/// What is to be named.
pub mod fieldsets {
    macro_rules! fieldsets {
        ($($(#[doc = $doc:literal])* $name:ident),*) => {$(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl $name {
                /// In full.
                pub fn long() -> Self {
                    $name
                }

                /// Cut short.
                pub fn medium() -> Self {
                    $name
                }

                /// As short as can be.
                pub fn short() -> Self {
                    $name
                }
            }
        )*};
    }

    fieldsets!(
        /// A month.
        M,
        /// A day of the week.
        E
    );
}

/// The language that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct DateTimeFormatterPreferences;

impl From<Locale> for DateTimeFormatterPreferences {
    fn from(_: Locale) -> Self {
        DateTimeFormatterPreferences
    }
}

/// There are no names in that language.
#[derive(Debug, Clone, Copy)]
pub struct DateTimeFormatterLoadError;

/// Names months and days. There is none of it.
#[derive(Debug, Clone, Copy)]
pub enum DateTimeFormatter<F> {
    #[doc(hidden)]
    Never(std::convert::Infallible, std::marker::PhantomData<F>),
}

impl<F> DateTimeFormatter<F> {
    /// Always fails.
    pub fn try_new(
        _preferences: DateTimeFormatterPreferences,
        _fields: F,
    ) -> Result<Self, DateTimeFormatterLoadError> {
        Err(DateTimeFormatterLoadError)
    }

    /// The name of a date's month or day.
    pub fn format<D>(&self, _date: &D) -> impl fmt::Display + use<F, D> {
        match *self {
            DateTimeFormatter::Never(never, _) => match never {},
        }
        #[expect(unreachable_code, reason = "gives the opaque type a name")]
        ""
    }
}
