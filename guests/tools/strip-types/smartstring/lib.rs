//! What swc's parser calls of the crate `smartstring`, on `String`.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// How the crate that this stands in for would keep a text.
#[derive(Debug)]
pub struct LazyCompact;

/// A text that grows.
#[derive(Debug)]
pub struct SmartString<Mode>(String, PhantomData<Mode>);

impl<Mode> Default for SmartString<Mode> {
    fn default() -> Self {
        Self(String::new(), PhantomData)
    }
}

impl<Mode> SmartString<Mode> {
    /// Adds a character.
    pub fn push(&mut self, character: char) {
        self.0.push(character);
    }
}

impl<Mode> Deref for SmartString<Mode> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<Mode> fmt::Display for SmartString<Mode> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
