//! Indexed arrays: sparse, with the common case of elements from 0 on in one vector.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text::Text;

/// A gap up to this size is kept inside the vector.
const GAP: usize = 64;

/// An indexed array.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Indexed {
    /// Elements from 0 on; the last one is set.
    low: Vec<Option<Text>>,
    /// Elements beyond the vector.
    high: BTreeMap<u64, Text>,
    /// How many elements of `low` are set.
    set: usize,
}

impl Indexed {
    /// An element.
    #[inline]
    pub fn get(&self, index: u64) -> Option<&Text> {
        match self.low.get(index as usize) {
            Some(element) if index < self.low.len() as u64 => element.as_ref(),
            _ => self.high.get(&index),
        }
    }

    /// Sets an element.
    pub fn set(&mut self, index: u64, text: Text) {
        if index < self.low.len() as u64 {
            let element = &mut self.low[index as usize];
            self.set += usize::from(element.is_none());
            *element = Some(text);
        } else if index <= (self.low.len() + GAP) as u64 {
            let old = self.low.len() as u64;
            self.low.resize(index as usize, None);
            self.low.push(Some(text));
            self.set += 1;
            if !self.high.is_empty() {
                self.high.remove(&index);
                for gap in old..index {
                    if let Some(text) = self.high.remove(&gap) {
                        self.low[gap as usize] = Some(text);
                        self.set += 1;
                    }
                }
            }
        } else {
            self.high.insert(index, text);
        }
    }

    /// An element to be changed in place.
    pub fn get_mut(&mut self, index: u64) -> Option<&mut Text> {
        if index < self.low.len() as u64 {
            self.low[index as usize].as_mut()
        } else {
            self.high.get_mut(&index)
        }
    }

    /// Removes an element.
    pub fn remove(&mut self, index: u64) {
        if index < self.low.len() as u64 {
            let element = &mut self.low[index as usize];
            self.set -= usize::from(element.is_some());
            *element = None;
            while self.low.last().is_some_and(Option::is_none) {
                self.low.pop();
            }
        } else {
            self.high.remove(&index);
        }
    }

    /// How many elements are set.
    pub fn len(&self) -> usize {
        self.set + self.high.len()
    }

    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the highest index; 0 when empty.
    pub fn end(&self) -> u64 {
        match self.high.last_key_value() {
            Some((index, _)) => index + 1,
            None => self.low.len() as u64,
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Text)> {
        let low = self
            .low
            .iter()
            .enumerate()
            .filter_map(|(index, element)| Some((index as u64, element.as_ref()?)));
        low.chain(self.high.iter().map(|(index, text)| (*index, text)))
    }
}

impl<T: Into<Text>> FromIterator<T> for Indexed {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Indexed {
        let low: Vec<_> = elements.into_iter().map(|text| Some(text.into())).collect();
        Indexed {
            set: low.len(),
            low,
            high: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_far_away_and_near_are_one_array() {
        let mut array = Indexed::default();
        for index in [70u64, 5, 0, 1_000_000_000, 64, 69, 71] {
            array.set(index, Text::number(index as i64));
        }
        let indices: Vec<u64> = array.iter().map(|(index, _)| index).collect();
        assert_eq!(indices, [0, 5, 64, 69, 70, 71, 1_000_000_000]);
        assert_eq!(array.len(), 7);
        assert_eq!(array.end(), 1_000_000_001);
        for index in indices {
            assert_eq!(array.get(index), Some(&Text::number(index as i64)));
            array.remove(index);
        }
        assert!(array.is_empty());
    }
}
