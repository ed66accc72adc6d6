//! Names of variables, interned: a name is a number, so that looking up a variable is indexing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a variable. Two equal names are the same number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

#[derive(Default)]
struct Names {
    numbers: HashMap<Rc<[u8]>, u32>,
    bytes: Vec<Rc<[u8]>>,
}

thread_local! {
    static NAMES: RefCell<Names> = RefCell::default();
}

impl Name {
    /// The name with these bytes.
    pub fn new(bytes: &[u8]) -> Name {
        NAMES.with_borrow_mut(|names| {
            if let Some(&number) = names.numbers.get(bytes) {
                return Name(number);
            }
            let number = names.bytes.len() as u32;
            let bytes: Rc<[u8]> = bytes.into();
            names.bytes.push(Rc::clone(&bytes));
            names.numbers.insert(bytes, number);
            Name(number)
        })
    }

    /// The name with these bytes, if anything has used it.
    pub fn known(bytes: &[u8]) -> Option<Name> {
        NAMES.with_borrow(|names| names.numbers.get(bytes).copied().map(Name))
    }

    /// Its bytes.
    pub fn bytes(self) -> Rc<[u8]> {
        NAMES.with_borrow(|names| Rc::clone(&names.bytes[self.0 as usize]))
    }

    /// Its number; names are numbered from 0 in the order of their first use.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The name with this number, which must have come from [`Name::index`].
    pub fn at(index: usize) -> Name {
        Name(index as u32)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", String::from_utf8_lossy(&self.bytes()))
    }
}

/// Numbers differ from process to process: a name travels as its bytes.
impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.bytes())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        let bytes = <&'de [u8]>::deserialize(deserializer)?;
        Ok(Name::new(bytes))
    }
}
