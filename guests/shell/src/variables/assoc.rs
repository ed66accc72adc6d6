//! Associative arrays, listed in the order in which bash lists them.
//!
//! Scripts print `${!map[@]}` without sorting, and models compare with what bash printed; so the order of bash's own hash
//! table (FNV-1 over the key, 1,024 buckets, the newest first in a bucket) is kept.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::text::Text;

const BUCKETS: u32 = 1024;

/// An associative array.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Assoc {
    elements: HashMap<Text, Element>,
    inserted: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Element {
    value: Text,
    /// The how-manieth insertion it was.
    number: u32,
}

impl Assoc {
    /// An element.
    pub fn get(&self, key: &[u8]) -> Option<&Text> {
        self.elements.get(key).map(|element| &element.value)
    }

    /// An element to be changed in place.
    pub fn get_mut(&mut self, key: &[u8]) -> Option<&mut Text> {
        self.elements.get_mut(key).map(|element| &mut element.value)
    }

    /// Sets an element.
    pub fn set(&mut self, key: Text, value: Text) {
        if let Some(element) = self.elements.get_mut(&key) {
            element.value = value;
            return;
        }
        self.inserted += 1;
        let number = self.inserted;
        self.elements.insert(key, Element { value, number });
    }

    /// Removes an element.
    pub fn remove(&mut self, key: &[u8]) {
        self.elements.remove(key);
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The elements in bash's order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        let mut all: Vec<_> = self.elements.iter().collect();
        all.sort_unstable_by_key(|(key, element)| (hash(key) % BUCKETS, Reverse(element.number)));
        all.into_iter().map(|(key, element)| (key, &element.value))
    }
}

/// bash's `hash_string`.
pub fn hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |hash: u32, byte| {
        hash.wrapping_mul(16_777_619) ^ u32::from(*byte)
    })
}
