//! Tab stops as `expand` and `unexpand` read and find them.

use codepod_tool::{Stop, quoted_text};

/// Where tabs are unless something else is asked for.
const EVERY: u64 = 8;

/// Tab stops as they are read.
#[derive(Default)]
pub(crate) struct Given {
    list: Vec<u64>,
    /// `/N`: behind the list there is a stop at each multiple.
    multiples: u64,
    /// `+N`: behind the list there is a stop every so many columns from its last.
    steps: u64,
}

/// What the numbers of a list are.
#[derive(Clone, Copy)]
enum Kind {
    Column,
    Multiple,
    Step,
}

impl Given {
    /// Reads a list like `2,4,/8`.
    pub(crate) fn read(&mut self, list: &[u8]) -> Result<(), Stop> {
        let wrong = |what: &str, text: &[u8]| {
            let message = [what.as_bytes(), b" ", &quoted_text(text)];
            Err(Stop::Failed(message.concat()))
        };
        let mut kind = Kind::Column;
        let mut number = None;
        let mut rest = list;
        while let Some(&byte) = rest.first() {
            let mut length = 1;
            match byte {
                b',' | b' ' | b'\t' => self.add(kind, number.take())?,
                b'/' if number.is_some() => {
                    return wrong("'/' specifier not at start of number:", rest);
                }
                b'+' if number.is_some() => {
                    return wrong("'+' specifier not at start of number:", rest);
                }
                b'/' => kind = Kind::Multiple,
                b'+' => kind = Kind::Step,
                b'0'..=b'9' => {
                    length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                    number = decimal(&rest[..length]);
                    if number.is_none() {
                        return wrong("tab stop is too large", &rest[..length]);
                    }
                }
                _ => return wrong("tab size contains invalid character(s):", rest),
            }
            rest = &rest[length..];
        }
        self.add(kind, number)
    }

    fn add(&mut self, kind: Kind, number: Option<u64>) -> Result<(), Stop> {
        let Some(number) = number else {
            return Ok(());
        };
        let (place, mark) = match kind {
            Kind::Column => {
                self.list.push(number);
                return Ok(());
            }
            Kind::Multiple => (&mut self.multiples, '/'),
            Kind::Step => (&mut self.steps, '+'),
        };
        if *place != 0 {
            return Err(Stop::failed(format!(
                "'{mark}' specifier only allowed with the last value"
            )));
        }
        *place = number;
        Ok(())
    }

    /// Adds a column.
    pub(crate) fn push(&mut self, column: u64) {
        self.list.push(column);
    }

    /// Checks that the stops are in order and fit together.
    pub(crate) fn stops(self) -> Result<Stops, Stop> {
        let mut last = 0;
        for column in &self.list {
            if *column == 0 {
                return Err(Stop::failed("tab size cannot be 0"));
            }
            if *column <= last {
                return Err(Stop::failed("tab sizes must be ascending"));
            }
            last = *column;
        }
        if self.multiples != 0 && self.steps != 0 {
            let message = "'/' specifier is mutually exclusive with '+'";
            return Err(Stop::failed(message));
        }
        let mut list = self.list;
        let behind = match (self.multiples, self.steps, list.len()) {
            (0, 0, 0) => Some((0, EVERY)),
            // A single number is that of every stop.
            (0, 0, 1) => list.pop().map(|every| (0, every)),
            (0, 0, _) => None,
            (0, step, _) => Some((last, step)),
            (multiple, ..) => Some((0, multiple)),
        };
        Ok(Stops { list, behind })
    }
}

/// A decimal number that fits.
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |number, digit| {
        let more = number.checked_mul(10)?;
        more.checked_add(u64::from(digit - b'0'))
    })
}

/// Tab stops, in order.
pub(crate) struct Stops {
    list: Vec<u64>,
    /// Stops behind the list: counted from this column, every so many.
    behind: Option<(u64, u64)>,
}

impl Stops {
    /// The first stop behind a column, if there is one.
    pub(crate) fn next(&self, column: u64) -> Option<u64> {
        let place = self.list.partition_point(|stop| *stop <= column);
        if let Some(stop) = self.list.get(place) {
            return Some(*stop);
        }
        let (from, every) = self.behind?;
        column.checked_add(every - (column - from) % every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(list: &[u8]) -> Stops {
        let mut given = Given::default();
        given.read(list).unwrap();
        given.stops().unwrap()
    }

    #[test]
    fn stops_lie_in_a_list_and_behind_it() {
        assert_eq!(stops(b"").next(8), Some(16));
        assert_eq!(stops(b"3").next(4), Some(6));
        assert_eq!(stops(b"2,6").next(2), Some(6));
        assert_eq!(stops(b"2,6").next(6), None);
        assert_eq!(stops(b"2,/5").next(2), Some(5));
        assert_eq!(stops(b"2,+5").next(3), Some(7));
    }
}
