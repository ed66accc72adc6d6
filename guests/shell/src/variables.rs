//! Variables: names, values, attributes, in a table that is cheap to clone.
//!
//! A subshell is a clone of the shell's state that is thrown away. The table lies in blocks that are shared until one
//! side writes, so that clone costs a few counters however many variables there are.

mod assoc;
mod attributes;
mod indexed;
mod scope;

use std::rc::Rc;

use codepod_shell_syntax::Name;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use assoc::Assoc;
pub use attributes::Attributes;
pub use indexed::Indexed;
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
        &mut Rc::make_mut(&mut self.blocks[block])[name.index() % BLOCK]
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
        names.sort_by_key(|name| name.bytes());
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
