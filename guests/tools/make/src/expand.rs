//! Variables and references to them.

use crate::Make;
use crate::functions::Function;
use crate::text::{directory, each, patsubst};

/// How deep references may nest.
const DEPTH: usize = 200;

/// Where a variable comes from; later ones win over earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// make itself.
    Default,
    /// The environment.
    Environment,
    /// A makefile.
    File,
    /// The command line.
    CommandLine,
    /// `override`
    Override,
    /// A rule.
    Automatic,
}

/// A variable.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its text, not expanded yet where it is recursive.
    pub value: String,
    /// Whether it is expanded when it is used.
    pub recursive: bool,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether commands see it.
    pub exported: bool,
}

/// An error that ends make, with its message.
pub type Fatal = String;

impl Make {
    /// A text with its references resolved.
    pub fn expand(&mut self, text: &str) -> Result<String, Fatal> {
        if !text.contains('$') {
            return Ok(text.to_owned());
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("references nest too deeply.".into());
        }
        let letters: Vec<char> = text.chars().collect();
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < letters.len() {
            if letters[at] != '$' {
                out.push(letters[at]);
                at += 1;
                continue;
            }
            at += 1;
            match letters.get(at) {
                None => break,
                Some('$') => {
                    out.push('$');
                    at += 1;
                }
                Some(open @ ('(' | '{')) => {
                    let close = if *open == '(' { ')' } else { '}' };
                    let mut level = 1;
                    let from = at + 1;
                    let mut end = from;
                    while end < letters.len() {
                        if letters[end] == *open {
                            level += 1;
                        } else if letters[end] == close {
                            level -= 1;
                            if level == 0 {
                                break;
                            }
                        }
                        end += 1;
                    }
                    if level != 0 {
                        return Err("unterminated variable reference.".into());
                    }
                    let inner: String = letters[from..end].iter().collect();
                    let value = self.reference(&inner)?;
                    out.push_str(&value);
                    at = end + 1;
                }
                Some(letter) => {
                    let value = self.value(&letter.to_string())?;
                    out.push_str(&value);
                    at += 1;
                }
            }
        }
        self.depth -= 1;
        Ok(out)
    }

    /// What stands between parentheses: a function, a substitution, or a name.
    fn reference(&mut self, inner: &str) -> Result<String, Fatal> {
        if let Some((name, rest)) = inner.split_once([' ', '\t'])
            && let Some(function) = Function::named(name)
        {
            return function.apply(self, rest.trim_ascii_start());
        }
        let name = self.expand(inner)?;
        if let Some((variable, rest)) = name.split_once(':')
            && let Some((from, to)) = rest.split_once('=')
            && !variable.is_empty()
        {
            let value = self.value(variable)?;
            let (from, to) = match from.contains('%') {
                true => (from.to_owned(), to.to_owned()),
                false => (format!("%{from}"), format!("%{to}")),
            };
            return Ok(patsubst(&from, &to, &value));
        }
        self.value(&name)
    }

    /// The value of a variable, expanded.
    pub fn value(&mut self, name: &str) -> Result<String, Fatal> {
        if let Some(value) = self.automatic(name) {
            return Ok(value);
        }
        let found = self
            .locals
            .iter()
            .rev()
            .find_map(|scope| scope.get(name))
            .or_else(|| self.variables.get(name));
        let Some(variable) = found.cloned() else {
            return Ok(String::new());
        };
        if !variable.recursive {
            return Ok(variable.value);
        }
        if self.expanding.iter().any(|known| known == name) {
            return Err(format!(
                "Recursive variable '{name}' references itself (eventually)."
            ));
        }
        self.expanding.push(name.to_owned());
        let value = self.expand(&variable.value);
        self.expanding.pop();
        value
    }

    /// `$@` and its kin, with `D` and `F`.
    fn automatic(&self, name: &str) -> Option<String> {
        let rule = self.current.as_ref()?;
        let mut letters = name.chars();
        let value = rule.get(&letters.next()?)?.clone();
        match letters.as_str() {
            "" => Some(value),
            "D" => Some(each(&value, |word| {
                let directory = directory(word);
                match directory.len() {
                    1 => directory,
                    length => directory[..length - 1].to_owned(),
                }
            })),
            "F" => Some(each(&value, |word| {
                word.rsplit('/').next().unwrap_or(word).to_owned()
            })),
            _ => None,
        }
    }
}
