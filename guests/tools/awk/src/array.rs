//! Arrays: tables from strings to values that remember the order of insertion.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::text::Str;
use crate::value::Value;

#[derive(Debug)]
struct Entry {
    hash: u64,
    key: Str,
    value: Value,
}

/// An array.
#[derive(Debug, Default)]
pub struct Array {
    /// Places in `entries`.
    table: HashTable<u32>,
    /// In the order of insertion; none where one was deleted.
    entries: Vec<Option<Entry>>,
    hasher: DefaultHashBuilder,
}

impl Array {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    fn find(&self, key: &[u8], hash: u64) -> Option<usize> {
        let same = |at: &u32| {
            self.entries[*at as usize]
                .as_ref()
                .is_some_and(|entry| entry.key.as_bytes() == key)
        };
        self.table.find(hash, same).map(|at| *at as usize)
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&Value> {
        let at = self.find(key, self.hasher.hash_one(key))?;
        self.entries[at].as_ref().map(|entry| &entry.value)
    }

    /// The value of a key, made if there is none.
    pub fn get_or_make(&mut self, key: &[u8]) -> &mut Value {
        let hash = self.hasher.hash_one(key);
        let at = match self.find(key, hash) {
            Some(at) => at,
            None => {
                self.make_room();
                let at = self.entries.len();
                self.entries.push(Some(Entry {
                    hash,
                    key: Str::new(key),
                    value: Value::Unset,
                }));
                let entries = &self.entries;
                self.table.insert_unique(hash, at as u32, |at| {
                    entries[*at as usize].as_ref().map_or(0, |entry| entry.hash)
                });
                at
            }
        };
        match &mut self.entries[at] {
            Some(entry) => &mut entry.value,
            None => unreachable!("the table leads to entries only"),
        }
    }

    /// Sets the value of a key.
    pub fn set(&mut self, key: &[u8], value: Value) {
        *self.get_or_make(key) = value;
    }

    /// Takes a key away.
    pub fn remove(&mut self, key: &[u8]) -> Option<Value> {
        let hash = self.hasher.hash_one(key);
        let entries = &self.entries;
        let same = |at: &u32| {
            entries[*at as usize]
                .as_ref()
                .is_some_and(|entry| entry.key.as_bytes() == key)
        };
        let found = self.table.find_entry(hash, same).ok()?;
        let (at, _) = found.remove();
        self.entries[at as usize].take().map(|entry| entry.value)
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        self.table.clear();
        self.entries.clear();
    }

    /// Drops the places of deleted elements when they are most of all.
    fn make_room(&mut self) {
        if self.entries.len() < 32 || self.entries.len() < self.table.len() * 2 {
            return;
        }
        self.entries.retain(Option::is_some);
        self.table.clear();
        let entries = &self.entries;
        let hash = |at: &u32| entries[*at as usize].as_ref().map_or(0, |entry| entry.hash);
        for at in 0..entries.len() as u32 {
            self.table.insert_unique(hash(&at), at, hash);
        }
    }

    /// Keys and values in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.entries
            .iter()
            .flatten()
            .map(|entry| (&entry.key, &entry.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_and_go() {
        let mut array = Array::default();
        for number in 0..1000u32 {
            array.set(number.to_string().as_bytes(), Value::Num(f64::from(number)));
        }
        for number in 0..990u32 {
            assert!(array.remove(number.to_string().as_bytes()).is_some());
        }
        array.set(b"x", Value::Unset);
        assert_eq!(array.len(), 11);
        assert_eq!(array.get(b"995").unwrap().num(), 995.0);
        assert!(array.get(b"5").is_none());
        let keys: Vec<&[u8]> = array.iter().map(|(key, _)| key.as_bytes()).collect();
        assert_eq!(keys[0], b"990");
        assert_eq!(keys[10], b"x");
    }
}
