//! Associative arrays, listed in the order in which bash lists them.
//!
//! Scripts print `${!map[@]}` without sorting, and models compare with what bash printed; so this
//! is bash's own kind of table: FNV-1 over the key, 1,024 buckets to start with, the newest first
//! in a bucket, four times as many buckets when there are two elements for each.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::Text;

/// Buckets of a new table.
const BUCKETS: usize = 1024;
/// No element.
const NONE: u32 = u32::MAX;

/// An associative array.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assoc {
    /// The first element of each bucket; empty until there is an element.
    heads: Vec<u32>,
    elements: Vec<Element>,
    /// A chain of places in `elements` that are free.
    free: Option<u32>,
    length: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Element {
    key: Text,
    value: Text,
    hash: u32,
    /// The next one in the bucket.
    next: u32,
}

impl Assoc {
    /// An element.
    pub fn get(&self, key: &[u8]) -> Option<&Text> {
        self.find(key, hash(key)).map(|at| &self.elements[at].value)
    }

    /// An element to be changed in place.
    pub fn get_mut(&mut self, key: &[u8]) -> Option<&mut Text> {
        self.find(key, hash(key))
            .map(|at| &mut self.elements[at].value)
    }

    /// Sets an element.
    pub fn set(&mut self, key: Text, value: Text) {
        let hash = hash(&key);
        if let Some(at) = self.find(&key, hash) {
            self.elements[at].value = value;
            return;
        }
        if self.heads.is_empty() {
            self.heads = vec![NONE; BUCKETS];
        } else if self.length >= self.heads.len() * 2 {
            self.grow();
        }
        let bucket = hash as usize & (self.heads.len() - 1);
        let element = Element {
            key,
            value,
            hash,
            next: self.heads[bucket],
        };
        let at = match self.free {
            Some(at) => {
                let next = std::mem::replace(&mut self.elements[at as usize], element).next;
                self.free = (next != NONE).then_some(next);
                at
            }
            None => {
                self.elements.push(element);
                (self.elements.len() - 1) as u32
            }
        };
        self.heads[bucket] = at;
        self.length += 1;
    }

    /// Removes an element.
    pub fn remove(&mut self, key: &[u8]) {
        let Some(found) = self.find(key, hash(key)) else {
            return;
        };
        let bucket = self.elements[found].hash as usize & (self.heads.len() - 1);
        let next = self.elements[found].next;
        let mut at = self.heads[bucket];
        if at as usize == found {
            self.heads[bucket] = next;
        } else {
            while self.elements[at as usize].next as usize != found {
                at = self.elements[at as usize].next;
            }
            self.elements[at as usize].next = next;
        }
        self.elements[found] = Element {
            key: Text::EMPTY,
            value: Text::EMPTY,
            hash: 0,
            next: self.free.unwrap_or(NONE),
        };
        self.free = Some(found as u32);
        self.length -= 1;
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The elements in bash's order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        self.heads.iter().flat_map(move |head| {
            let mut at = *head;
            std::iter::from_fn(move || {
                let element = self.elements.get(at as usize)?;
                at = element.next;
                Some((&element.key, &element.value))
            })
        })
    }

    fn find(&self, key: &[u8], hash: u32) -> Option<usize> {
        let mut at = *self
            .heads
            .get(hash as usize & self.heads.len().wrapping_sub(1))?;
        while let Some(element) = self.elements.get(at as usize) {
            if element.hash == hash && *element.key == *key {
                return Some(at as usize);
            }
            at = element.next;
        }
        None
    }

    /// Four times as many buckets. Each bucket's elements are taken from its start and put at the
    /// start of their new one.
    fn grow(&mut self) {
        let mut heads = vec![NONE; self.heads.len() * 4];
        for head in &self.heads {
            let mut at = *head;
            while let Some(element) = self.elements.get_mut(at as usize) {
                let bucket = element.hash as usize & (heads.len() - 1);
                let next = std::mem::replace(&mut element.next, heads[bucket]);
                heads[bucket] = at;
                at = next;
            }
        }
        self.heads = heads;
    }
}

/// bash's `hash_string`, which decides the order of all its tables; bytes are signed there.
pub fn hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |hash: u32, byte| {
        hash.wrapping_mul(16_777_619) ^ i32::from(byte.cast_signed()).cast_unsigned()
    })
}

/// As the number of buckets and the elements from the last to the first: put in again in that order
/// they lie as they lay.
impl Serialize for Assoc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all: Vec<(&Text, &Text)> = self.iter().collect();
        all.reverse();
        (self.heads.len() as u32, all).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Assoc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Assoc, D::Error> {
        let (buckets, all) = <(u32, Vec<(Text, Text)>)>::deserialize(deserializer)?;
        let buckets = buckets as usize;
        // More buckets than bash would have made of elements that were there once are not believed.
        let mut array = Assoc::default();
        if buckets.is_power_of_two() && (BUCKETS..=1 << 24).contains(&buckets) {
            array.heads = vec![NONE; buckets];
        }
        for (key, value) in all {
            array.set(key, value);
        }
        Ok(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(array: &Assoc) -> Vec<Text> {
        array.iter().map(|(key, _)| key.clone()).collect()
    }

    #[test]
    fn elements_come_in_the_order_of_bash() {
        // declare -A m=([z]=1 [y]=2 [x]=3 [w]=4 [é]=5 [a]=6 [foo]=7); echo "${!m[@]}"
        let mut array = Assoc::default();
        for key in ["z", "y", "x", "w", "é", "a", "foo"] {
            array.set(Text::from(key), Text::EMPTY);
        }
        let wanted: Vec<Text> = ["z", "y", "x", "w", "a", "foo", "é"].map(Text::from).into();
        assert_eq!(keys(&array), wanted);
    }

    #[test]
    fn what_was_removed_can_be_set_again() {
        let mut array = Assoc::default();
        for number in 0..5000 {
            array.set(Text::number(number), Text::number(number));
        }
        for number in (0..5000).step_by(2) {
            array.remove(&Text::number(number));
        }
        assert_eq!(array.len(), 2500);
        assert_eq!(array.get(b"4"), None);
        assert_eq!(array.get(b"4999"), Some(&Text::from("4999")));
        array.set(Text::from("4"), Text::from("new"));
        assert_eq!(array.get(b"4"), Some(&Text::from("new")));
        assert_eq!(array.iter().count(), 2501);
    }

    #[test]
    fn the_order_survives_a_journey() {
        let mut array = Assoc::default();
        for number in 0..3000 {
            array.set(Text::number(number), Text::EMPTY);
        }
        for number in 0..2990 {
            array.remove(&Text::number(number));
        }
        let bytes = postcard::to_allocvec(&array).expect("it can be written");
        let back: Assoc = postcard::from_bytes(&bytes).expect("it can be read");
        assert_eq!(keys(&array), keys(&back));
    }
}
