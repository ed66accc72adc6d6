//! Options as GNU's `getopt_long` reads them: clusters of short ones, long ones by any unambiguous
//! beginning, values attached or apart, operands and options in any order, `--` as the end of
//! options.

use std::collections::VecDeque;
use std::fmt;

use crate::{Arguments, complain};

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// It has none.
    None,
    /// It needs one, attached or as the next argument.
    Required,
    /// It may have one, only attached.
    Optional,
}

/// An option of a tool. `K` is the tool's own name for it.
#[derive(Debug, Clone, Copy)]
pub struct Opt<K> {
    /// The tool's name for it.
    pub key: K,
    /// The letter behind one dash; 0 for none.
    pub short: u8,
    /// The word behind two dashes; empty for none.
    pub long: &'static str,
    /// Whether it has a value.
    pub value: Value,
}

/// An option without a value.
pub const fn flag<K>(key: K, short: u8, long: &'static str) -> Opt<K> {
    Opt {
        key,
        short,
        long,
        value: Value::None,
    }
}

/// An option that needs a value.
pub const fn value<K>(key: K, short: u8, long: &'static str) -> Opt<K> {
    Opt {
        key,
        short,
        long,
        value: Value::Required,
    }
}

/// An option that may have a value.
pub const fn optional<K>(key: K, short: u8, long: &'static str) -> Opt<K> {
    Opt {
        key,
        short,
        long,
        value: Value::Optional,
    }
}

/// An option with a long name only.
pub const fn long<K>(key: K, long: &'static str, value: Value) -> Opt<K> {
    Opt {
        key,
        short: 0,
        long,
        value,
    }
}

/// What stands next among the arguments.
#[derive(Debug, PartialEq, Eq)]
pub enum Found<K> {
    /// An option and its value.
    Option(K, Option<Vec<u8>>),
    /// An operand.
    Operand(Vec<u8>),
}

/// A mistake in the arguments, as `getopt_long` words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The message, without the tool's name.
    pub message: Vec<u8>,
}

impl Usage {
    /// A mistake with this message.
    pub fn new(message: impl Into<Vec<u8>>) -> Usage {
        Usage {
            message: message.into(),
        }
    }

    /// Writes the message and the hint to `--help`, and returns `status`.
    pub fn report(&self, tool: &str, status: i32) -> i32 {
        if !self.message.is_empty() {
            complain(tool, &self.message);
        }
        let hint = format!("Try '{tool} --help' for more information.\n");
        // Where standard error is gone there is nobody to tell.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), hint.as_bytes());
        status
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.message))
    }
}

/// Arguments, taken one option or operand at a time.
#[derive(Debug)]
pub struct Options<K: 'static> {
    table: &'static [Opt<K>],
    rest: VecDeque<Vec<u8>>,
    /// What is left of a cluster of short options.
    cluster: Vec<u8>,
    /// Where in `cluster` the next letter is.
    at: usize,
    only_operands: bool,
    in_order: bool,
}

impl<K: Copy> Options<K> {
    /// Reads `arguments`, which do not have the tool's name, by a table.
    pub fn new(table: &'static [Opt<K>], arguments: Arguments) -> Options<K> {
        Options {
            table,
            rest: arguments.into(),
            cluster: Vec::new(),
            at: 0,
            only_operands: false,
            in_order: std::env::var_os("POSIXLY_CORRECT").is_some(),
        }
    }

    /// Ends the options at the first operand, as tools do whose operands are a command.
    pub fn in_order(mut self) -> Options<K> {
        self.in_order = true;
        self
    }

    /// Whether the option that was read last was the first behind its dash: `-1` of `-12`.
    pub fn starts_cluster(&self) -> bool {
        self.at == 2
    }

    /// Everything that was not read yet.
    pub fn rest(self) -> Arguments {
        self.rest.into()
    }

    /// Hands every option with its value to `take`, and returns the operands. Fails with the first
    /// mistake in the arguments, or with the first error of `take`.
    pub fn each<E: From<Usage>>(
        mut self,
        mut take: impl FnMut(K, Option<Vec<u8>>) -> Result<(), E>,
    ) -> Result<Arguments, E> {
        let mut operands = Arguments::new();
        while let Some(found) = self.next()? {
            match found {
                Found::Option(key, value) => take(key, value)?,
                Found::Operand(operand) => operands.push(operand),
            }
        }
        Ok(operands)
    }

    /// The next option or operand; none at the end.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator of results would hide the end behind the first mistake"
    )]
    pub fn next(&mut self) -> Result<Option<Found<K>>, Usage> {
        if self.at < self.cluster.len() {
            return self.short().map(Some);
        }
        let Some(argument) = self.rest.pop_front() else {
            return Ok(None);
        };
        if self.only_operands || argument.len() < 2 || argument[0] != b'-' {
            self.only_operands |= self.in_order;
            return Ok(Some(Found::Operand(argument)));
        }
        if argument == b"--" {
            self.only_operands = true;
            return self.next();
        }
        if let Some(word) = argument.strip_prefix(b"--") {
            return self.word(word).map(Some);
        }
        self.cluster = argument;
        self.at = 1;
        self.short().map(Some)
    }

    fn short(&mut self) -> Result<Found<K>, Usage> {
        let letter = self.cluster[self.at];
        self.at += 1;
        let Some(option) = self
            .table
            .iter()
            .find(|option| option.short == letter && letter != 0)
        else {
            return Err(Usage::new(
                [b"invalid option -- '", &[letter][..], b"'"].concat(),
            ));
        };
        let attached = || Some(self.cluster[self.at..].to_vec()).filter(|value| !value.is_empty());
        let value = match option.value {
            Value::None => return Ok(Found::Option(option.key, None)),
            Value::Optional => attached(),
            Value::Required => match attached().or_else(|| self.rest.pop_front()) {
                Some(value) => Some(value),
                None => {
                    let message =
                        [b"option requires an argument -- '", &[letter][..], b"'"].concat();
                    return Err(Usage::new(message));
                }
            },
        };
        self.at = self.cluster.len();
        Ok(Found::Option(option.key, value))
    }

    fn word(&mut self, word: &[u8]) -> Result<Found<K>, Usage> {
        let (name, attached) = match word.iter().position(|byte| *byte == b'=') {
            Some(end) => (&word[..end], Some(word[end + 1..].to_vec())),
            None => (word, None),
        };
        let option = self.by_name(name, word)?;
        let shown = option.long;
        let value = match (option.value, attached) {
            (Value::None, Some(_)) => {
                return Err(Usage::new(format!(
                    "option '--{shown}' doesn't allow an argument"
                )));
            }
            (Value::Required, None) => match self.rest.pop_front() {
                Some(value) => Some(value),
                None => {
                    return Err(Usage::new(format!(
                        "option '--{shown}' requires an argument"
                    )));
                }
            },
            (_, attached) => attached,
        };
        Ok(Found::Option(option.key, value))
    }

    /// The option of a name or of its beginning. Names that mean the same option are not ambiguous
    /// only where they are the same entry, so a tool lists a second name with the same letter
    /// or none.
    fn by_name(&self, name: &[u8], word: &[u8]) -> Result<&'static Opt<K>, Usage> {
        let table = self.table;
        let exact = table
            .iter()
            .find(|option| !option.long.is_empty() && option.long.as_bytes() == name);
        if let Some(option) = exact {
            return Ok(option);
        }
        let begins =
            |option: &&Opt<K>| !option.long.is_empty() && option.long.as_bytes().starts_with(name);
        let candidates: Vec<&'static Opt<K>> = table.iter().filter(begins).collect();
        match candidates[..] {
            [option] => Ok(option),
            [] => {
                let shown = word.split(|byte| *byte == b'=').next().unwrap_or(word);
                Err(Usage::new(
                    [b"unrecognized option '--", shown, b"'"].concat(),
                ))
            }
            [first, ref others @ ..] => {
                // Two names of one option are no two possibilities.
                let is_first = |option: &&'static Opt<K>| {
                    first.short != 0 && option.short == first.short && option.value == first.value
                };
                if others.iter().all(is_first) {
                    return Ok(first);
                }
                let mut message = [b"option '--", word, b"' is ambiguous; possibilities:"].concat();
                let others = others.iter().copied().filter(|other| !is_first(other));
                for option in std::iter::once(first).chain(others) {
                    message.extend_from_slice(format!(" '--{}'", option.long).as_bytes());
                }
                Err(Usage::new(message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Opt<char>] = &[
        flag('v', b'v', "invert-match"),
        flag('i', b'i', "ignore-case"),
        flag('n', 0, "initial-tab"),
        value('e', b'e', "regexp"),
        optional('c', b'c', "color"),
        optional('c', b'c', "colour"),
    ];

    fn read(arguments: &[&str]) -> Result<Vec<Found<char>>, String> {
        let arguments = arguments
            .iter()
            .map(|argument| argument.as_bytes().to_vec())
            .collect();
        let mut options = Options::new(TABLE, arguments);
        let mut found = Vec::new();
        loop {
            match options.next() {
                Ok(Some(item)) => found.push(item),
                Ok(None) => return Ok(found),
                Err(usage) => return Err(usage.to_string()),
            }
        }
    }

    fn option(key: char, value: &str) -> Found<char> {
        Found::Option(key, Some(value.into()))
    }

    #[test]
    fn clusters_values_and_operands_in_any_order() {
        let found = read(&["a", "-vie", "x", "-ey", "--reg=z", "--col", "--", "-v"]).unwrap();
        let expected = vec![
            Found::Operand(b"a".to_vec()),
            Found::Option('v', None),
            Found::Option('i', None),
            option('e', "x"),
            option('e', "y"),
            option('e', "z"),
            Found::Option('c', None),
            Found::Operand(b"-v".to_vec()),
        ];
        assert_eq!(found, expected);
        assert_eq!(read(&["-c", "x", "-cx", "-"]).unwrap()[2], option('c', "x"));
    }

    #[test]
    fn mistakes_are_worded_as_getopt_does() {
        let mistake = |arguments: &[&str]| read(arguments).unwrap_err();
        assert_eq!(mistake(&["-x"]), "invalid option -- 'x'");
        assert_eq!(mistake(&["-e"]), "option requires an argument -- 'e'");
        assert_eq!(
            mistake(&["--regexp"]),
            "option '--regexp' requires an argument"
        );
        assert_eq!(mistake(&["--foo=1"]), "unrecognized option '--foo'");
        assert_eq!(
            mistake(&["--inv=1"]),
            "option '--invert-match' doesn't allow an argument"
        );
        let ambiguous = "option '--i' is ambiguous; possibilities: '--invert-match' '--ignore-case' '--initial-tab'";
        assert_eq!(mistake(&["--i"]), ambiguous);
    }

    #[test]
    fn each_hands_out_options_and_returns_operands() {
        let arguments = [b"a".to_vec(), b"-vex".to_vec(), b"b".to_vec()].into();
        let mut seen = Vec::new();
        let operands = Options::new(TABLE, arguments).each(|key, value| {
            seen.push((key, value));
            Ok::<(), Usage>(())
        });
        assert_eq!(operands.unwrap(), [b"a".to_vec(), b"b".to_vec()]);
        assert_eq!(seen, [('v', None), ('e', Some(b"x".to_vec()))]);
        let stopped =
            Options::new(TABLE, [b"-vx".to_vec()].into()).each(|_, _| Err(Usage::new("")));
        assert_eq!(stopped, Err(Usage::new("")));
    }

    #[test]
    fn a_command_ends_the_options() {
        let arguments = [b"-v".to_vec(), b"cmd".to_vec(), b"-x".to_vec()].into();
        let mut options = Options::new(TABLE, arguments).in_order();
        assert_eq!(options.next().unwrap(), Some(Found::Option('v', None)));
        assert_eq!(
            options.next().unwrap(),
            Some(Found::Operand(b"cmd".to_vec()))
        );
        assert_eq!(options.rest(), [b"-x".to_vec()]);
    }
}
