//! Arenas: values found by a small number that is used again once it is free.

/// Values by number.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    items: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena {
            items: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Arena<T> {
    /// Keeps a value and returns its number.
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.items[number as usize] = Some(value);
                number
            }
            None => {
                self.items.push(Some(value));
                (self.items.len() - 1) as u32
            }
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.items.get(number as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.items.get_mut(number as usize)?.as_mut()
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let value = self.items.get_mut(number as usize)?.take()?;
        if self.free.len() + 1 == self.items.len() {
            // The last one left: an idle sandbox keeps no memory for what it once had.
            *self = Arena::default();
        } else {
            self.free.push(number);
        }
        Some(value)
    }

    /// The values with their numbers, in the order of these.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let numbered = (0..).zip(&self.items);
        numbered.filter_map(|(number, item)| Some((number, item.as_ref()?)))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().flatten()
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_used_again() {
        let mut arena = Arena::default();
        let a = arena.insert('a');
        let b = arena.insert('b');
        assert_eq!(arena.remove(a), Some('a'));
        assert_eq!(arena.remove(a), None);
        assert_eq!(arena.insert('c'), a);
        assert_eq!(
            (arena.get(a), arena.get(b), arena.len()),
            (Some(&'c'), Some(&'b'), 2)
        );
        arena.remove(a);
        arena.remove(b);
        assert_eq!((arena.len(), arena.items.capacity()), (0, 0));
    }
}
