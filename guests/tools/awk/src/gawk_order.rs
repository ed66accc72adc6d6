//! The order in which elements come where none is asked for.

use crate::array::Array;
use crate::text::Str;

/// The keys of an array.
pub fn keys(array: &Array) -> Vec<Str> {
    array.iter().map(|(key, _)| key.clone()).collect()
}
