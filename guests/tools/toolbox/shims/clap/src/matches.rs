//! What was found, as tools ask for it.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::marker::PhantomData;
use std::slice;

use crate::arg::{ArgAction, Id};
use crate::value_parser::AnyValue;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ValueSource {
    /// The argument was not there.
    DefaultValue,
    /// The environment.
    EnvVariable,
    /// The argument was there.
    CommandLine,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatchesError {
    /// The values have another type.
    Downcast,
    /// There is no argument of that name.
    UnknownArgument,
}

impl fmt::Display for MatchesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MatchesError::Downcast => "the argument's values have another type",
            MatchesError::UnknownArgument => "there is no argument of that name",
        })
    }
}

impl std::error::Error for MatchesError {}

/// What was found of one argument.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) id: Id,
    pub(crate) action: ArgAction,
    pub(crate) value_type: TypeId,
    /// `None`: it was not there and has no default.
    pub(crate) source: Option<ValueSource>,
    /// How often it was there.
    pub(crate) count: u32,
    pub(crate) values: Vec<AnyValue>,
    /// For each value, or each time a flag was there: its place among the words.
    pub(crate) indices: Vec<usize>,
    /// Where in `values` each occurrence starts.
    pub(crate) occurrences: Vec<usize>,
}

impl Slot {
    pub(crate) fn new(id: Id, action: ArgAction, value_type: TypeId) -> Slot {
        Slot {
            id,
            action,
            value_type,
            source: None,
            count: 0,
            values: Vec::new(),
            indices: Vec::new(),
            occurrences: Vec::new(),
        }
    }

    /// Takes back what was found.
    pub(crate) fn clear(&mut self) {
        self.source = None;
        self.count = 0;
        self.values.clear();
        self.indices.clear();
        self.occurrences.clear();
    }

    fn flag(&self) -> Option<&'static bool> {
        let set = self.source == Some(ValueSource::CommandLine);
        match self.action {
            ArgAction::SetTrue => Some(if set { &true } else { &false }),
            ArgAction::SetFalse => Some(if set { &false } else { &true }),
            _ => None,
        }
    }

    fn is_flag(&self) -> bool {
        matches!(
            self.action,
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count
        )
    }
}

/// What was found of all arguments.
#[derive(Debug)]
pub struct ArgMatches {
    pub(crate) slots: Vec<Slot>,
    /// Groups, and the places of their members in `slots`.
    pub(crate) groups: Vec<(Id, Vec<usize>)>,
}

impl ArgMatches {
    fn slot(&self, id: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.id.as_str() == id)
    }

    fn known(&self, id: &str) -> &Slot {
        match self.slot(id) {
            Some(slot) => slot,
            None => panic!("there is no argument `{id}`"),
        }
    }

    /// Whether a flag was there.
    pub fn get_flag(&self, id: &str) -> bool {
        match self.known(id).flag() {
            Some(flag) => *flag,
            None => panic!("the argument `{id}` is not a flag"),
        }
    }

    /// How often a flag was there.
    pub fn get_count(&self, id: &str) -> u8 {
        u8::try_from(self.known(id).count).unwrap_or(u8::MAX)
    }

    /// The value of an argument, its first if it has many.
    pub fn get_one<T: Any + Clone + Send + Sync>(&self, id: &str) -> Option<&T> {
        match self.try_get_one(id) {
            Ok(value) => value,
            Err(error) => panic!("`{id}` as {}: {error}", type_name::<T>()),
        }
    }

    /// Takes the value out.
    pub fn remove_one<T: Any + Clone + Send + Sync>(&mut self, id: &str) -> Option<T> {
        let value = self.get_one(id).cloned();
        let slot = self.slots.iter_mut().find(|slot| slot.id.as_str() == id)?;
        slot.clear();
        value
    }

    /// An option's value; fails where `get_one` panics.
    pub fn try_get_one<T: Any + Clone + Send + Sync>(
        &self,
        id: &str,
    ) -> Result<Option<&T>, MatchesError> {
        let slot = self.slot(id).ok_or(MatchesError::UnknownArgument)?;
        if slot.value_type != TypeId::of::<T>() {
            return Err(MatchesError::Downcast);
        }
        if let Some(flag) = slot.flag() {
            return Ok((flag as &dyn Any).downcast_ref());
        }
        Ok(slot.values.first().and_then(|value| value.downcast_ref()))
    }

    /// The values of an argument. `None` when there are none.
    pub fn get_many<T: Any + Clone + Send + Sync>(&self, id: &str) -> Option<ValuesRef<'_, T>> {
        let slot = self.known(id);
        assert!(
            slot.value_type == TypeId::of::<T>(),
            "`{id}` as {}: {}",
            type_name::<T>(),
            MatchesError::Downcast
        );
        slot.source.map(|_| ValuesRef::of(&slot.values))
    }

    /// The values of each time that an argument was there.
    pub fn get_occurrences<T: Any + Clone + Send + Sync>(
        &self,
        id: &str,
    ) -> Option<Occurrences<'_, T>> {
        let slot = self.known(id);
        slot.source.map(|_| Occurrences {
            values: &slot.values,
            starts: &slot.occurrences,
            of: PhantomData,
        })
    }

    /// Whether an argument has a value, be it the default.
    pub fn contains_id(&self, id: &str) -> bool {
        match self.slot(id) {
            Some(slot) => slot.source.is_some() || slot.is_flag(),
            None => {
                let Some((_, members)) = self.groups.iter().find(|(group, _)| group.0 == id) else {
                    panic!("there is no argument `{id}`");
                };
                members
                    .iter()
                    .any(|at| self.slots[*at].source == Some(ValueSource::CommandLine))
            }
        }
    }

    /// Where an argument's value comes from.
    pub fn value_source(&self, id: &str) -> Option<ValueSource> {
        let slot = self.known(id);
        match slot.source {
            None if slot.is_flag() => Some(ValueSource::DefaultValue),
            source => source,
        }
    }

    /// The place of an argument's first value among the words.
    pub fn index_of(&self, id: &str) -> Option<usize> {
        self.known(id).indices.first().copied()
    }

    /// The places of all its values.
    pub fn indices_of(&self, id: &str) -> Option<Indices<'_>> {
        let slot = self.known(id);
        (!slot.indices.is_empty()).then(|| Indices(slot.indices.iter()))
    }

    /// Whether any argument was there.
    pub fn args_present(&self) -> bool {
        self.slots
            .iter()
            .any(|slot| slot.source == Some(ValueSource::CommandLine))
    }
}

/// Values of one type.
#[derive(Debug)]
pub struct ValuesRef<'a, T> {
    values: slice::Iter<'a, AnyValue>,
    of: PhantomData<&'a T>,
}

impl<'a, T: 'static> ValuesRef<'a, T> {
    fn of(values: &'a [AnyValue]) -> Self {
        ValuesRef {
            values: values.iter(),
            of: PhantomData,
        }
    }

    fn typed(value: &'a AnyValue) -> &'a T {
        value
            .downcast_ref()
            .expect("values of a slot have the slot's type")
    }
}

impl<T> Clone for ValuesRef<'_, T> {
    fn clone(&self) -> Self {
        ValuesRef {
            values: self.values.clone(),
            of: PhantomData,
        }
    }
}

impl<T> Default for ValuesRef<'_, T> {
    fn default() -> Self {
        ValuesRef {
            values: [].iter(),
            of: PhantomData,
        }
    }
}

impl<'a, T: 'static> Iterator for ValuesRef<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.values.next().map(Self::typed)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl<'a, T: 'static> DoubleEndedIterator for ValuesRef<'a, T> {
    fn next_back(&mut self) -> Option<&'a T> {
        self.values.next_back().map(Self::typed)
    }
}

impl<T: 'static> ExactSizeIterator for ValuesRef<'_, T> {}

/// The values of each occurrence.
#[derive(Debug)]
pub struct Occurrences<'a, T> {
    values: &'a [AnyValue],
    starts: &'a [usize],
    of: PhantomData<&'a T>,
}

impl<'a, T: 'static> Iterator for Occurrences<'a, T> {
    type Item = ValuesRef<'a, T>;

    fn next(&mut self) -> Option<ValuesRef<'a, T>> {
        let (&start, rest) = self.starts.split_first()?;
        let end = rest.first().copied().unwrap_or(self.values.len());
        self.starts = rest;
        Some(ValuesRef::of(&self.values[start..end]))
    }
}

/// Places among the words.
#[derive(Debug, Clone)]
pub struct Indices<'a>(slice::Iter<'a, usize>);

impl Iterator for Indices<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.0.next().copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Indices<'_> {
    fn next_back(&mut self) -> Option<usize> {
        self.0.next_back().copied()
    }
}

impl ExactSizeIterator for Indices<'_> {}
