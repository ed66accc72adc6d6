//! Variables: names, values, attributes, in a table that is cheap to clone.
//!
//! A subshell is a clone of the shell's state that is thrown away. The table lies in blocks that
//! are shared until one side writes, so that clone costs a few counters however many variables
//! there are.

mod assoc;
mod attributes;
mod indexed;
mod nameref;
mod scope;

use std::rc::Rc;

use codepod_shell_syntax::Name;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use assoc::{Assoc, hash};
pub use attributes::Attributes;
pub use indexed::Indexed;
pub use nameref::{Target, resolve};
pub use scope::{Scope, Scopes};

use crate::text::Text;

/// Variables in a block.
const BLOCK: usize = 32;

/// A variable.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Variable {
    /// Its value.
    pub value: Value,
    /// Its attributes.
    pub attributes: Attributes,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Value {
    /// None: not set, or only declared.
    #[default]
    Unset,
    /// A string.
    Text(Text),
    /// `a=(…)`
    Indexed(Rc<Indexed>),
    /// `declare -A`
    Assoc(Rc<Assoc>),
    /// Computed when read (`RANDOM`, `SECONDS`, …); the name says which. `crate::special` does it.
    Dynamic,
}

impl Variable {
    /// Not there at all: neither value nor attributes.
    pub const NONE: Variable = Variable {
        value: Value::Unset,
        attributes: Attributes::NONE,
    };

    /// A string without attributes.
    pub fn text(text: impl Into<Text>) -> Variable {
        Variable {
            value: Value::Text(text.into()),
            attributes: Attributes::NONE,
        }
    }

    /// Whether a string can simply be put into it: nothing but a string or unset, and no attribute
    /// that matters.
    #[inline]
    pub fn is_plain(&self) -> bool {
        !self.attributes.any(Attributes::MATTER)
            && matches!(self.value, Value::Text(_) | Value::Unset)
    }

    /// Its value as an indexed array, made from what it was: a string becomes element 0.
    pub fn make_indexed(&mut self) -> &mut Rc<Indexed> {
        if !matches!(self.value, Value::Indexed(_)) {
            let mut array = Indexed::default();
            if let Value::Text(text) = std::mem::take(&mut self.value) {
                array.set(0, text);
            }
            self.value = Value::Indexed(Rc::new(array));
        }
        match &mut self.value {
            Value::Indexed(array) => array,
            _ => unreachable!("it was just made one"),
        }
    }

    /// Its value as an associative array, made from what it was: a string becomes element `0`.
    pub fn make_assoc(&mut self) -> &mut Rc<Assoc> {
        if !matches!(self.value, Value::Assoc(_)) {
            let mut array = Assoc::default();
            if let Value::Text(text) = std::mem::take(&mut self.value) {
                array.set(Text::from("0"), text);
            }
            self.value = Value::Assoc(Rc::new(array));
        }
        match &mut self.value {
            Value::Assoc(array) => array,
            _ => unreachable!("it was just made one"),
        }
    }

    /// Whether it was declared or set.
    pub fn exists(&self) -> bool {
        !matches!(self.value, Value::Unset) || self.attributes != Attributes::NONE
    }

    /// Its value as a scalar: the string, or element 0.
    pub fn scalar(&self) -> Option<&Text> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Indexed(array) => array.get(0),
            Value::Assoc(array) => array.get(b"0"),
            Value::Unset | Value::Dynamic => None,
        }
    }
}

/// All variables of a shell.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    blocks: Vec<Rc<Block>>,
    /// What programs get, until an exported variable changes: `NAME=value`, each with a NUL behind
    /// it.
    environment: Option<Rc<Vec<u8>>>,
}

type Block = [Variable; BLOCK];

impl Variables {
    /// A variable; [`Variable::NONE`] when there is none.
    #[inline]
    pub fn get(&self, name: Name) -> &Variable {
        const NONE: &Variable = &Variable::NONE;
        match self.blocks.get(name.index() / BLOCK) {
            Some(block) => &block[name.index() % BLOCK],
            None => NONE,
        }
    }

    /// A variable to be changed. Nothing is checked: [`crate::assign`] does that.
    #[inline]
    pub fn get_mut(&mut self, name: Name) -> &mut Variable {
        let block = name.index() / BLOCK;
        while self.blocks.len() <= block {
            self.blocks
                .push(Rc::new(std::array::from_fn(|_| Variable::NONE)));
        }
        let variable = &mut Rc::make_mut(&mut self.blocks[block])[name.index() % BLOCK];
        if variable.attributes.has(Attributes::EXPORT) {
            self.environment = None;
        }
        variable
    }

    /// Adds attributes and takes others away. Nothing is checked.
    pub fn change_attributes(&mut self, name: Name, add: Attributes, remove: Attributes) {
        if add.has(Attributes::EXPORT) {
            self.environment = None;
        }
        let variable = self.get_mut(name);
        variable.attributes = variable.attributes.without(remove).with(add);
    }

    /// Replaces a variable with all its attributes and returns the old one.
    pub fn replace(&mut self, name: Name, variable: Variable) -> Variable {
        if variable.attributes.has(Attributes::EXPORT) {
            self.environment = None;
        }
        std::mem::replace(self.get_mut(name), variable)
    }

    /// What programs get as their environment, without functions: `NAME=value`, each with a NUL
    /// behind it. Made once, until an exported variable changes; who puts the attribute on
    /// without [`Variables::change_attributes`] or [`Variables::replace`] calls
    /// [`Variables::forget_environment`].
    pub fn environment(&mut self) -> Rc<Vec<u8>> {
        if let Some(environment) = &self.environment {
            return Rc::clone(environment);
        }
        let mut all = Vec::new();
        for (name, variable) in self.iter() {
            if let (true, Value::Text(text)) =
                (variable.attributes.has(Attributes::EXPORT), &variable.value)
            {
                all.extend_from_slice(&name.bytes());
                all.push(b'=');
                all.extend(text.iter().filter(|byte| **byte != 0));
                all.push(0);
            }
        }
        let all = Rc::new(all);
        self.environment = Some(Rc::clone(&all));
        all
    }

    /// Has [`Variables::environment`] made anew.
    pub fn forget_environment(&mut self) {
        self.environment = None;
    }

    /// Whether nothing was written since one was cloned from the other.
    pub fn is_same(&self, other: &Variables) -> bool {
        self.blocks.len() == other.blocks.len()
            && self
                .blocks
                .iter()
                .zip(&other.blocks)
                .all(|(one, other)| Rc::ptr_eq(one, other))
    }

    /// Every variable that exists, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &Variable)> {
        self.blocks
            .iter()
            .enumerate()
            .flat_map(|(block, variables)| {
                variables
                    .iter()
                    .enumerate()
                    .filter(|(_, variable)| variable.exists())
                    .map(move |(index, variable)| (Name::at(block * BLOCK + index), variable))
            })
    }

    /// The names of the variables that exist, sorted by their bytes.
    pub fn names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.iter().map(|(name, _)| name).collect();
        crate::sort::by_key(&mut names, |name| name.bytes());
        names
    }
}

/// As a list of the variables that exist: numbers of names mean nothing elsewhere.
impl Serialize for Variables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all: Vec<(Name, &Variable)> = self.iter().collect();
        all.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Variables, D::Error> {
        let all = Vec::<(Name, Variable)>::deserialize(deserializer)?;
        let mut variables = Variables::default();
        for (name, variable) in all {
            *variables.get_mut(name) = variable;
        }
        Ok(variables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_does_not_see_later_changes() {
        let name = Name::new(b"x");
        let mut variables = Variables::default();
        *variables.get_mut(name) = Variable::text("1");
        let clone = variables.clone();
        *variables.get_mut(name) = Variable::text("2");
        assert_eq!(clone.get(name).scalar(), Some(&Text::from("1")));
        assert_eq!(variables.get(name).scalar(), Some(&Text::from("2")));
    }

    #[test]
    fn names_are_sorted() {
        let mut variables = Variables::default();
        for name in ["b", "a", "c"] {
            *variables.get_mut(Name::new(name.as_bytes())) = Variable::text("");
        }
        let names: Vec<_> = variables
            .names()
            .iter()
            .map(|name| name.bytes().to_vec())
            .collect();
        assert_eq!(names, [b"a", b"b", b"c"]);
    }
}
