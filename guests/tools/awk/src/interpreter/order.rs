//! The order of `for (x in a)`, and `asort` and `asorti`.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{Awk, Eval, fatal};
use crate::array::Array;
use crate::number;
use crate::text::Str;
use crate::tree::{ArrayRef, Expr, Special};
use crate::value::{Shared, Value};

/// What elements are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    IndexText,
    IndexNumber,
    ValueText,
    ValueNumber,
    ValueType,
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Order {
    Unsorted,
    Sorted(By, bool),
    /// By a function of the program.
    Function(usize),
}

type Pair = (Str, Value);

impl Awk {
    /// The keys of an array in the order that PROCINFO asks for.
    pub(super) fn ordered_keys(&mut self, array: &Shared) -> Eval<Vec<Str>> {
        let procinfo = self.global_array(Special::PROCINFO);
        let wanted = procinfo
            .borrow()
            .get(b"sorted_in")
            .map(|value| value.str(&self.convfmt));
        let order = match wanted {
            Some(name) => self.order(name.as_bytes(), false)?,
            None => Order::Unsorted,
        };
        if order == Order::Unsorted {
            return Ok(crate::gawk_order::keys(&array.borrow()));
        }
        let mut pairs: Vec<Pair> = array
            .borrow()
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        self.sort(&mut pairs, &order)?;
        Ok(pairs.into_iter().map(|(key, _)| key).collect())
    }

    fn order(&mut self, name: &[u8], for_sort: bool) -> Eval<Order> {
        Ok(match name {
            b"@unsorted" | b"" => Order::Unsorted,
            b"@ind_str_asc" => Order::Sorted(By::IndexText, true),
            b"@ind_str_desc" => Order::Sorted(By::IndexText, false),
            b"@ind_num_asc" => Order::Sorted(By::IndexNumber, true),
            b"@ind_num_desc" => Order::Sorted(By::IndexNumber, false),
            b"@val_str_asc" => Order::Sorted(By::ValueText, true),
            b"@val_str_desc" => Order::Sorted(By::ValueText, false),
            b"@val_num_asc" => Order::Sorted(By::ValueNumber, true),
            b"@val_num_desc" => Order::Sorted(By::ValueNumber, false),
            b"@val_type_asc" => Order::Sorted(By::ValueType, true),
            b"@val_type_desc" => Order::Sorted(By::ValueType, false),
            name => {
                let found = self
                    .program
                    .functions
                    .iter()
                    .position(|function| function.name == name);
                match found {
                    Some(index) => Order::Function(index),
                    None if for_sort || name.first() != Some(&b'@') => {
                        let name = String::from_utf8_lossy(name).into_owned();
                        return fatal(format!("sort comparison function `{name}' is not defined"));
                    }
                    None => Order::Unsorted,
                }
            }
        })
    }

    fn sort(&mut self, pairs: &mut Vec<Pair>, order: &Order) -> Eval<()> {
        match order {
            Order::Unsorted => {}
            Order::Sorted(by, ascending) => {
                let awk = &*self;
                pairs.sort_by(|left, right| {
                    let order = awk.compare_pairs(*by, left, right);
                    if *ascending { order } else { order.reverse() }
                });
            }
            Order::Function(index) => {
                let sorted = self.merge_sort(std::mem::take(pairs), *index)?;
                *pairs = sorted;
            }
        }
        Ok(())
    }

    fn compare_pairs(&self, by: By, left: &Pair, right: &Pair) -> Ordering {
        let by_text = |left: &Pair, right: &Pair| left.0.as_bytes().cmp(right.0.as_bytes());
        match by {
            By::IndexText => match self.icase {
                true => super::evaluate::fold(left.0.as_bytes())
                    .cmp(&super::evaluate::fold(right.0.as_bytes())),
                false => by_text(left, right),
            },
            By::IndexNumber => {
                let (a, b) = (
                    number::leading(left.0.as_bytes()),
                    number::leading(right.0.as_bytes()),
                );
                a.total_cmp(&b).then_with(|| by_text(left, right))
            }
            By::ValueText => rank_array(&left.1)
                .cmp(&rank_array(&right.1))
                .then_with(|| self.compare_text(&left.1, &right.1))
                .then_with(|| by_text(left, right)),
            By::ValueNumber => rank_array(&left.1)
                .cmp(&rank_array(&right.1))
                .then_with(|| left.1.num().total_cmp(&right.1.num()))
                .then_with(|| self.compare_text(&left.1, &right.1))
                .then_with(|| by_text(left, right)),
            By::ValueType => self
                .by_type(&left.1, &right.1)
                .then_with(|| by_text(left, right)),
        }
    }

    /// Numbers before strings before arrays.
    fn by_type(&self, left: &Value, right: &Value) -> Ordering {
        let rank = |value: &Value| match value {
            Value::Array(_) => 2,
            value if value.numeric().is_some() => 0,
            _ => 1,
        };
        rank(left)
            .cmp(&rank(right))
            .then_with(|| match (left.numeric(), right.numeric()) {
                (Some(left), Some(right)) => left.total_cmp(&right),
                _ => self.compare_text(left, right),
            })
    }

    /// Sorts by a function of the program, which may do anything.
    fn merge_sort(&mut self, pairs: Vec<Pair>, function: usize) -> Eval<Vec<Pair>> {
        if pairs.len() < 2 {
            return Ok(pairs);
        }
        let mut left = pairs;
        let right = left.split_off(left.len() / 2);
        let left = self.merge_sort(left, function)?;
        let right = self.merge_sort(right, function)?;
        let mut out = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
            let count = self.program.functions[function].parameters.len();
            let mut values = vec![
                Value::Input(first.0.clone()),
                first.1.clone(),
                Value::Input(second.0.clone()),
                second.1.clone(),
            ];
            values.resize(count.max(4), Value::Unset);
            if self.enter(function, values)?.num() <= 0.0 {
                out.extend(left.next());
            } else {
                out.extend(right.next());
            }
        }
        out.extend(left);
        out.extend(right);
        Ok(out)
    }

    /// `asort` and `asorti`: how many elements there are.
    pub(super) fn asort(&mut self, by_index: bool, arguments: &[Expr]) -> Eval<f64> {
        let name = if by_index { "asorti" } else { "asort" };
        let source = self.array_argument(&arguments[0], name)?;
        let target = match arguments.get(1) {
            Some(target) => self.array_argument(target, name)?,
            None => Rc::clone(&source),
        };
        let order = match arguments.get(2) {
            Some(how) => {
                let how = self.text(how)?;
                self.order(how.as_bytes(), true)?
            }
            None if by_index => Order::Sorted(By::IndexText, true),
            None => Order::Sorted(By::ValueType, true),
        };
        let mut pairs: Vec<Pair> = source
            .borrow()
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        self.sort(&mut pairs, &order)?;
        let mut sorted = Array::default();
        for (number, (key, value)) in pairs.into_iter().enumerate() {
            let value = if by_index { Value::Str(key) } else { value };
            sorted.set((number + 1).to_string().as_bytes(), value);
        }
        let count = sorted.len();
        *target.borrow_mut() = sorted;
        Ok(count as f64)
    }

    /// An argument that has to be an array.
    pub(super) fn array_argument(&mut self, argument: &Expr, function: &str) -> Eval<Shared> {
        match argument {
            Expr::Var(var) => self.array(&ArrayRef::Var(*var)),
            Expr::Element(array, keys) => {
                self.array(&ArrayRef::Element(Box::new(array.clone()), keys.clone()))
            }
            _ => fatal(format!("{function}: argument is not an array")),
        }
    }
}

fn rank_array(value: &Value) -> u8 {
    u8::from(matches!(value, Value::Array(_)))
}
