//! Values, and the rules by which they are numbers, strings or both.

use std::cell::RefCell;
use std::rc::Rc;

use crate::array::Array;
use crate::number;
use crate::regex::Re;
use crate::text::Str;

/// An array that several names may lead to.
pub type Shared = Rc<RefCell<Array>>;

/// A value.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Nothing was assigned yet: zero and the empty string.
    #[default]
    Unset,
    /// A number.
    Num(f64),
    /// A string.
    Str(Str),
    /// A string from outside, which is a number when it looks like one.
    Input(Str),
    /// `@/re/`
    Regex(Rc<Re>),
    /// An array.
    Array(Shared),
}

impl Value {
    /// One or zero.
    pub fn truth(value: bool) -> Value {
        Value::Num(if value { 1.0 } else { 0.0 })
    }

    /// As a number.
    #[inline]
    pub fn num(&self) -> f64 {
        match self {
            Value::Num(number) => *number,
            Value::Str(text) => number::leading(text.as_bytes()),
            Value::Input(text) => number::leading(text.as_bytes()),
            Value::Regex(regex) => number::leading(regex.source()),
            Value::Unset | Value::Array(_) => 0.0,
        }
    }

    /// Whether it is true: numbers that are not zero, strings that are not empty.
    pub fn is_true(&self) -> bool {
        match self {
            Value::Num(number) => *number != 0.0,
            Value::Str(text) => !text.as_bytes().is_empty(),
            Value::Input(text) => match number::whole(text.as_bytes()) {
                Some(number) => number != 0.0,
                None => !text.as_bytes().is_empty(),
            },
            Value::Regex(regex) => !regex.source().is_empty(),
            Value::Unset | Value::Array(_) => false,
        }
    }

    /// As a number if it is to be compared as one.
    #[inline]
    pub fn numeric(&self) -> Option<f64> {
        match self {
            Value::Num(number) => Some(*number),
            Value::Input(text) => number::whole(text.as_bytes()),
            Value::Unset => Some(0.0),
            _ => None,
        }
    }

    /// Appends it as a string; numbers that are no integers by `format`.
    #[inline]
    pub fn append(&self, format: &[u8], out: &mut Vec<u8>) {
        match self {
            Value::Num(number) => number::append(*number, format, out),
            Value::Str(text) | Value::Input(text) => out.extend_from_slice(text.as_bytes()),
            Value::Regex(regex) => out.extend_from_slice(regex.source()),
            Value::Unset | Value::Array(_) => {}
        }
    }

    /// As a string.
    pub fn str(&self, format: &[u8]) -> Str {
        match self {
            Value::Str(text) | Value::Input(text) => text.clone(),
            Value::Unset | Value::Array(_) => Str::EMPTY,
            _ => {
                let mut out = Vec::new();
                self.append(format, &mut out);
                Str::from(out)
            }
        }
    }
}
