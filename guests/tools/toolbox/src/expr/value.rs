//! Values of `expr`: texts, and whole numbers of any size.

use std::cmp::Ordering;

use codepod_tool::Stop;
use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive as _, Zero as _};

/// A value.
pub(super) enum Value {
    Text(Vec<u8>),
    Number(BigInt),
}

/// How two values are compared.
#[derive(Clone, Copy)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    Unequal,
    GreaterOrEqual,
    Greater,
}

/// What two numbers become.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Value {
    pub(super) fn text(text: &[u8]) -> Value {
        Value::Text(text.to_vec())
    }

    pub(super) fn number(number: usize) -> Value {
        Value::Number(number.into())
    }

    /// As it is printed.
    pub(super) fn to_text(&self) -> Vec<u8> {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string().into_bytes(),
        }
    }

    /// Whether it counts as false: nothing, or zero.
    pub(super) fn is_null(&self) -> bool {
        match self {
            Value::Number(number) => number.is_zero(),
            Value::Text(text) => {
                let digits = text.strip_prefix(b"-").unwrap_or(text);
                let is_zero = !digits.is_empty() && digits.iter().all(|digit| *digit == b'0');
                text.is_empty() || is_zero
            }
        }
    }

    /// The number that it is, if it is one.
    fn to_number(&self) -> Option<BigInt> {
        match self {
            Value::Number(number) => Some(number.clone()),
            Value::Text(text) => {
                let digits = text.strip_prefix(b"-").unwrap_or(text);
                if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                BigInt::parse_bytes(text, 10)
            }
        }
    }

    /// A position or a length: 0 where it is no number or below zero, the largest where it is too
    /// large.
    pub(super) fn to_size(&self) -> usize {
        match self.to_number() {
            Some(number) if number.sign() != Sign::Minus => number.to_usize().unwrap_or(usize::MAX),
            _ => 0,
        }
    }

    /// Compares numbers by their value, and all else byte by byte.
    pub(super) fn compare(&self, how: Comparison, other: &Value) -> bool {
        let order = match (self.to_number(), other.to_number()) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => self.to_text().cmp(&other.to_text()),
        };
        match how {
            Comparison::Less => order == Ordering::Less,
            Comparison::LessOrEqual => order != Ordering::Greater,
            Comparison::Equal => order == Ordering::Equal,
            Comparison::Unequal => order != Ordering::Equal,
            Comparison::GreaterOrEqual => order != Ordering::Less,
            Comparison::Greater => order == Ordering::Greater,
        }
    }

    /// Fails where one of both is no number, or with a division by zero.
    pub(super) fn calculate(&self, how: Operation, other: Value) -> Result<Value, Stop> {
        let (Some(left), Some(right)) = (self.to_number(), other.to_number()) else {
            return Err(Stop::failed("non-integer argument"));
        };
        let divides = matches!(how, Operation::Divide | Operation::Remainder);
        if divides && right.is_zero() {
            return Err(Stop::failed("division by zero"));
        }
        Ok(Value::Number(match how {
            Operation::Add => left + right,
            Operation::Subtract => left - right,
            Operation::Multiply => left * right,
            Operation::Divide => left / right,
            Operation::Remainder => left % right,
        }))
    }
}
