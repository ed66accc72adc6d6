//! Variables, references and functions.

use codepod_tool::{Command, Ended, Ends};
use std::io::Read as _;

use crate::Make;
use crate::text::{decode, encode, fill, glob, stem};

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

const FUNCTIONS: &[&str] = &[
    "subst",
    "patsubst",
    "strip",
    "findstring",
    "filter",
    "filter-out",
    "sort",
    "word",
    "words",
    "wordlist",
    "firstword",
    "lastword",
    "dir",
    "notdir",
    "suffix",
    "basename",
    "addsuffix",
    "addprefix",
    "join",
    "wildcard",
    "realpath",
    "abspath",
    "if",
    "or",
    "and",
    "foreach",
    "call",
    "value",
    "eval",
    "origin",
    "flavor",
    "shell",
    "error",
    "warning",
    "info",
    "file",
    "guile",
    "intcmp",
    "let",
];

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
            && FUNCTIONS.contains(&name)
        {
            return self.function(name, rest.trim_ascii_start());
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

    fn function(&mut self, name: &str, rest: &str) -> Result<String, Fatal> {
        let most = match name {
            "subst" | "patsubst" | "wordlist" | "foreach" | "let" => 3,
            "filter" | "filter-out" | "findstring" | "word" | "addprefix" | "addsuffix"
            | "join" | "file" => 2,
            "if" => 3,
            "or" | "and" | "call" => usize::MAX,
            "intcmp" => 5,
            _ => 1,
        };
        let raw = arguments(rest, most);
        match name {
            "if" => {
                let condition = self.expand(raw.first().map_or("", |text| text.trim_ascii()))?;
                let chosen = if condition.is_empty() {
                    raw.get(2)
                } else {
                    raw.get(1)
                };
                return match chosen {
                    Some(text) => self.expand(text),
                    None => Ok(String::new()),
                };
            }
            "or" | "and" => {
                let mut last = String::new();
                for text in &raw {
                    last = self.expand(text.trim_ascii())?;
                    if last.is_empty() == (name == "and") {
                        return Ok(last);
                    }
                }
                return Ok(last);
            }
            "foreach" => {
                let [variable, list, body] = raw.as_slice() else {
                    return Err(
                        "insufficient number of arguments (2) to function 'foreach'.".into(),
                    );
                };
                let variable = self.expand(variable)?.trim_ascii().to_owned();
                let list = self.expand(list)?;
                let mut results = Vec::new();
                for word in list.split_ascii_whitespace() {
                    let value = Variable {
                        value: word.to_owned(),
                        recursive: false,
                        origin: Origin::Automatic,
                        exported: false,
                    };
                    self.locals.push([(variable.clone(), value)].into());
                    let result = self.expand(body);
                    self.locals.pop();
                    results.push(result?);
                }
                return Ok(results.join(" "));
            }
            "call" => {
                let mut scope = std::collections::HashMap::new();
                let mut called = String::new();
                for (number, text) in raw.iter().enumerate() {
                    let value = self.expand(text)?;
                    if number == 0 {
                        called = value.trim_ascii().to_owned();
                    }
                    let value = if number == 0 { called.clone() } else { value };
                    let variable = Variable {
                        value,
                        recursive: false,
                        origin: Origin::Automatic,
                        exported: false,
                    };
                    scope.insert(number.to_string(), variable);
                }
                if FUNCTIONS.contains(&called.as_str()) {
                    let joined: Vec<String> = (1..raw.len())
                        .map(|number| scope[&number.to_string()].value.clone())
                        .collect();
                    return self.function(&called, &joined.join(","));
                }
                let body = self
                    .variables
                    .get(&called)
                    .map(|variable| variable.value.clone())
                    .unwrap_or_default();
                self.locals.push(scope);
                let result = self.expand(&body);
                self.locals.pop();
                return result;
            }
            _ => {}
        }
        let mut all = Vec::new();
        for text in &raw {
            all.push(self.expand(text)?);
        }
        let get = |number: usize| all.get(number).map_or("", String::as_str);
        if all.len() < most && most < 4 && !matches!(name, "file") {
            return Err(format!(
                "insufficient number of arguments ({}) to function '{name}'.",
                all.len()
            ));
        }
        let number = |number: usize| -> Result<usize, Fatal> {
            let text = get(number).trim_ascii();
            text.parse().map_err(|_| {
                format!(
                    "non-numeric {} argument to '{name}' function: '{text}'.",
                    if number == 0 { "first" } else { "second" }
                )
            })
        };
        Ok(match name {
            "subst" if get(0).is_empty() => format!("{}{}", get(2), get(1)),
            "subst" => get(2).replace(get(0), get(1)),
            "patsubst" => patsubst(get(0).trim_ascii(), get(1).trim_ascii(), get(2)),
            "strip" => get(0)
                .split_ascii_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            "findstring" => {
                if get(1).contains(get(0)) {
                    get(0).to_owned()
                } else {
                    String::new()
                }
            }
            "filter" | "filter-out" => {
                let patterns: Vec<&str> = get(0).split_ascii_whitespace().collect();
                let kept = |word: &&str| {
                    patterns.iter().any(|pattern| stem(pattern, word).is_some())
                        == (name == "filter")
                };
                get(1)
                    .split_ascii_whitespace()
                    .filter(kept)
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            "sort" => {
                let mut words: Vec<&str> = get(0).split_ascii_whitespace().collect();
                words.sort_unstable();
                words.dedup();
                words.join(" ")
            }
            "word" => match number(0)? {
                0 => return Err("first argument to 'word' function must be greater than 0.".into()),
                wanted => get(1)
                    .split_ascii_whitespace()
                    .nth(wanted - 1)
                    .unwrap_or("")
                    .to_owned(),
            },
            "words" => get(0).split_ascii_whitespace().count().to_string(),
            "wordlist" => {
                let (first, last) = (number(0)?, number(1)?);
                if first == 0 {
                    return Err("invalid first argument to 'wordlist' function: '0'.".into());
                }
                get(2)
                    .split_ascii_whitespace()
                    .take(last)
                    .skip(first - 1)
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            "firstword" => get(0)
                .split_ascii_whitespace()
                .next()
                .unwrap_or("")
                .to_owned(),
            "lastword" => get(0)
                .split_ascii_whitespace()
                .last()
                .unwrap_or("")
                .to_owned(),
            "dir" => each(get(0), directory),
            "notdir" => each(get(0), |word| {
                word.rsplit('/').next().unwrap_or("").to_owned()
            }),
            "suffix" => {
                let suffixes = get(0)
                    .split_ascii_whitespace()
                    .filter_map(|word| dot(word).map(|at| word[at..].to_owned()));
                suffixes.collect::<Vec<_>>().join(" ")
            }
            "basename" => each(get(0), |word| {
                dot(word).map_or(word, |at| &word[..at]).to_owned()
            }),
            "addsuffix" => each(get(1), |word| format!("{word}{}", get(0))),
            "addprefix" => each(get(1), |word| format!("{}{word}", get(0))),
            "join" => {
                let (left, right): (Vec<&str>, Vec<&str>) = (
                    get(0).split_ascii_whitespace().collect(),
                    get(1).split_ascii_whitespace().collect(),
                );
                let count = left.len().max(right.len());
                let pair = |at: usize| {
                    format!(
                        "{}{}",
                        left.get(at).unwrap_or(&""),
                        right.get(at).unwrap_or(&"")
                    )
                };
                (0..count).map(pair).collect::<Vec<_>>().join(" ")
            }
            "wildcard" => get(0)
                .split_ascii_whitespace()
                .flat_map(glob)
                .collect::<Vec<_>>()
                .join(" "),
            "realpath" => {
                let real =
                    |word: &str| std::fs::canonicalize(codepod_tool::path(&encode(word))).ok();
                let words = get(0)
                    .split_ascii_whitespace()
                    .filter_map(real)
                    .map(|found| decode(found.as_os_str().as_encoded_bytes()));
                words.collect::<Vec<_>>().join(" ")
            }
            "abspath" => {
                let here = self.directory.clone();
                each(get(0), |word| absolute(&here, word))
            }
            "value" => self
                .variables
                .get(get(0))
                .map(|variable| variable.value.clone())
                .unwrap_or_default(),
            "eval" => {
                let text = get(0).to_owned();
                self.evaluate(&text)?;
                String::new()
            }
            "origin" => match self.variables.get(get(0)) {
                None if get(0).len() == 1 && "@<^+?*%|".contains(get(0)) => "automatic".into(),
                None => "undefined".into(),
                Some(variable) => match variable.origin {
                    Origin::Default => "default",
                    Origin::Environment => "environment",
                    Origin::File => "file",
                    Origin::CommandLine => "command line",
                    Origin::Override => "override",
                    Origin::Automatic => "automatic",
                }
                .into(),
            },
            "flavor" => match self.variables.get(get(0)) {
                None => "undefined".into(),
                Some(variable) if variable.recursive => "recursive".into(),
                Some(_) => "simple".into(),
            },
            "shell" => {
                let text = get(0).to_owned();
                self.shell(&text)?
            }
            "error" => return Err(format!("{}.", get(0))),
            "warning" => {
                let text = format!("{}: {}", self.place(), get(0));
                self.tell(&text);
                String::new()
            }
            "info" => {
                let text = get(0).to_owned();
                self.print(&text);
                self.print("\n");
                String::new()
            }
            other => return Err(format!("function '{other}' is not supported.")),
        })
    }

    /// What a command prints, newlines as blanks.
    pub fn shell(&mut self, text: &str) -> Result<String, Fatal> {
        self.flush();
        let shell = self.value("SHELL")?;
        let environment = self.environment()?;
        let program = encode(&shell);
        let arguments: [&[u8]; 3] = [&program, b"-c", &encode(text)];
        let started = Command::start_with(&program, &arguments, &environment, Ends::Output);
        let mut command = match started {
            Ok(command) => command,
            Err(error) => {
                let message = format!("{shell}: {}", codepod_tool::io_text(&error));
                self.tell(&format!("make: {message}"));
                return Ok(String::new());
            }
        };
        let mut out = Vec::new();
        // What cannot be read is as if it had not been written.
        let _ = command.read_to_end(&mut out);
        let status = match command.wait() {
            Ok(Ended::Exited(status)) => status,
            Ok(Ended::Signaled(signal)) => 128 + signal,
            Err(_) => 127,
        };
        let variable = Variable {
            value: status.to_string(),
            recursive: false,
            origin: Origin::Override,
            exported: false,
        };
        self.variables.insert(".SHELLSTATUS".into(), variable);
        let text = decode(&out);
        Ok(text.trim_end_matches('\n').replace('\n', " "))
    }
}

/// Arguments of a function: commas outside of parentheses part them.
fn arguments(text: &str, most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut level = 0;
    for letter in text.chars() {
        match letter {
            '(' | '{' => level += 1,
            ')' | '}' => level -= 1,
            ',' if level == 0 && all.len() < most => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = all.last_mut() {
            last.push(letter);
        }
    }
    all
}

fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.split_ascii_whitespace()
        .map(change)
        .collect::<Vec<_>>()
        .join(" ")
}

fn directory(word: &str) -> String {
    word.rfind('/')
        .map_or_else(|| "./".to_owned(), |at| word[..=at].to_owned())
}

/// Where the suffix of a file's name starts.
fn dot(word: &str) -> Option<usize> {
    let name = word.rfind('/').map_or(0, |at| at + 1);
    word[name..].rfind('.').map(|at| name + at)
}

/// Replaces words that match.
pub fn patsubst(from: &str, to: &str, text: &str) -> String {
    each(text, |word| match stem(from, word) {
        Some(part) if from.contains('%') => fill(to, part),
        Some(_) => to.to_owned(),
        None => word.to_owned(),
    })
}

fn absolute(here: &str, word: &str) -> String {
    let whole = if word.starts_with('/') {
        word.to_owned()
    } else {
        format!("{here}/{word}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
