//! Functions: what `$(name argument,…)` stands for.
//!
//! A line of [`TABLE`] has the name of a function, how many arguments it takes and what it does.

use std::collections::HashMap;
use std::io::Read as _;

use codepod_tool::{Command, Ended, Ends};

use crate::Make;
use crate::expand::{Fatal, Origin, Variable};
use crate::text::{decode, directory, each, encode, glob, patsubst, stem};

/// A function by its name.
pub(crate) struct Function {
    name: &'static str,
    /// How many arguments it takes at least.
    least: usize,
    /// How many it takes at most: further commas belong to the last one.
    most: usize,
    body: Body,
}

/// What a function does.
enum Body {
    /// Expands its arguments itself, and only those that it needs.
    Lazy(fn(&mut Make, &[String]) -> Result<String, Fatal>),
    /// Has everything it needs in its arguments, and cannot fail.
    Text(fn(&[String]) -> String),
    /// Needs more than its arguments, or can fail.
    Full(fn(&mut Make, &[String]) -> Result<String, Fatal>),
    /// A function of GNU make that is not there.
    Unsupported,
}

const TABLE: &[Function] = &[
    text("subst", 3, |given| match given[0].is_empty() {
        true => format!("{}{}", given[2], given[1]),
        false => given[2].replace(&given[0], &given[1]),
    }),
    text("patsubst", 3, |given| {
        patsubst(given[0].trim_ascii(), given[1].trim_ascii(), &given[2])
    }),
    text("strip", 1, |given| joined(words(&given[0]))),
    text("findstring", 2, |given| {
        match given[1].contains(&given[0]) {
            true => given[0].clone(),
            false => String::new(),
        }
    }),
    text("filter", 2, |given| filter(given, true)),
    text("filter-out", 2, |given| filter(given, false)),
    text("sort", 1, sort),
    full("word", 2, word),
    text("words", 1, |given| words(&given[0]).count().to_string()),
    full("wordlist", 3, wordlist),
    text("firstword", 1, |given| joined(words(&given[0]).take(1))),
    text("lastword", 1, |given| joined(words(&given[0]).last())),
    text("dir", 1, |given| each(&given[0], directory)),
    text("notdir", 1, |given| {
        each(&given[0], |word| {
            word.rsplit('/').next().unwrap_or("").to_owned()
        })
    }),
    text("suffix", 1, |given| {
        joined(words(&given[0]).filter_map(|word| dot(word).map(|at| &word[at..])))
    }),
    text("basename", 1, |given| {
        each(&given[0], |word| {
            dot(word).map_or(word, |at| &word[..at]).to_owned()
        })
    }),
    text("addsuffix", 2, |given| {
        each(&given[1], |word| format!("{word}{}", given[0]))
    }),
    text("addprefix", 2, |given| {
        each(&given[1], |word| format!("{}{word}", given[0]))
    }),
    text("join", 2, join),
    text("wildcard", 1, |given| {
        words(&given[0])
            .flat_map(glob)
            .collect::<Vec<_>>()
            .join(" ")
    }),
    text("realpath", 1, realpath),
    full("abspath", 1, |make, given| {
        Ok(each(&given[0], |word| absolute(&make.directory, word)))
    }),
    lazy("if", 2, 3, choose),
    lazy("or", 1, usize::MAX, |make, given| {
        first_where(make, given, |value| !value.is_empty())
    }),
    lazy("and", 1, usize::MAX, |make, given| {
        first_where(make, given, str::is_empty)
    }),
    lazy("foreach", 3, 3, foreach),
    lazy("call", 1, usize::MAX, call),
    full("value", 1, |make, given| Ok(raw_value(make, &given[0]))),
    full("eval", 1, |make, given| {
        make.evaluate(&given[0])?;
        Ok(String::new())
    }),
    full("origin", 1, |make, given| {
        Ok(origin(make, &given[0]).to_owned())
    }),
    full("flavor", 1, |make, given| {
        Ok(flavor(make, &given[0]).to_owned())
    }),
    full("shell", 1, |make, given| make.shell(&given[0])),
    full("error", 1, |_, given| Err(format!("{}.", given[0]))),
    full("warning", 1, |make, given| {
        let text = format!("{}: {}", make.place(), given[0]);
        make.tell(&text);
        Ok(String::new())
    }),
    full("info", 1, |make, given| {
        make.print(&given[0]);
        make.print("\n");
        Ok(String::new())
    }),
    unsupported("file", 1, 2),
    unsupported("guile", 1, 1),
    unsupported("intcmp", 1, 5),
    unsupported("let", 3, 3),
];

const fn lazy(
    name: &'static str,
    least: usize,
    most: usize,
    body: fn(&mut Make, &[String]) -> Result<String, Fatal>,
) -> Function {
    Function {
        name,
        least,
        most,
        body: Body::Lazy(body),
    }
}

const fn text(name: &'static str, arity: usize, body: fn(&[String]) -> String) -> Function {
    Function {
        name,
        least: arity,
        most: arity,
        body: Body::Text(body),
    }
}

const fn full(
    name: &'static str,
    arity: usize,
    body: fn(&mut Make, &[String]) -> Result<String, Fatal>,
) -> Function {
    Function {
        name,
        least: arity,
        most: arity,
        body: Body::Full(body),
    }
}

const fn unsupported(name: &'static str, least: usize, most: usize) -> Function {
    Function {
        name,
        least,
        most,
        body: Body::Unsupported,
    }
}

impl Function {
    /// The function of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|function| function.name == name)
    }

    /// What it gives for the text of its arguments.
    pub(crate) fn apply(&self, make: &mut Make, text: &str) -> Result<String, Fatal> {
        let mut given = arguments(text, self.most);
        if !matches!(self.body, Body::Lazy(_)) {
            for argument in &mut given {
                *argument = make.expand(argument)?;
            }
        }
        let name = self.name;
        if given.len() < self.least {
            let count = given.len();
            return Err(format!(
                "insufficient number of arguments ({count}) to function '{name}'."
            ));
        }
        match self.body {
            Body::Lazy(body) | Body::Full(body) => body(make, &given),
            Body::Text(body) => Ok(body(&given)),
            Body::Unsupported => Err(format!("function '{name}' is not supported.")),
        }
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

impl Make {
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

/// `$(if condition,then,else)`
fn choose(make: &mut Make, given: &[String]) -> Result<String, Fatal> {
    let condition = make.expand(given[0].trim_ascii())?;
    let chosen = if condition.is_empty() {
        given.get(2)
    } else {
        given.get(1)
    };
    match chosen {
        Some(text) => make.expand(text),
        None => Ok(String::new()),
    }
}

/// `$(or …)` and `$(and …)`: the first value that decides, or the last one.
fn first_where(
    make: &mut Make,
    given: &[String],
    decides: fn(&str) -> bool,
) -> Result<String, Fatal> {
    let mut last = String::new();
    for text in given {
        last = make.expand(text.trim_ascii())?;
        if decides(&last) {
            break;
        }
    }
    Ok(last)
}

/// `$(foreach variable,list,body)`
fn foreach(make: &mut Make, given: &[String]) -> Result<String, Fatal> {
    let variable = make.expand(&given[0])?.trim_ascii().to_owned();
    let list = make.expand(&given[1])?;
    let mut results = Vec::new();
    for word in words(&list) {
        make.locals
            .push([(variable.clone(), local(word.to_owned()))].into());
        let result = make.expand(&given[2]);
        make.locals.pop();
        results.push(result?);
    }
    Ok(results.join(" "))
}

/// `$(call name,argument,…)`
fn call(make: &mut Make, given: &[String]) -> Result<String, Fatal> {
    let mut values = Vec::new();
    for text in given {
        values.push(make.expand(text)?);
    }
    let called = values[0].trim_ascii().to_owned();
    if let Some(function) = Function::named(&called) {
        return function.apply(make, &values[1..].join(","));
    }
    let body = raw_value(make, &called);
    values[0] = called;
    let scope: HashMap<String, Variable> = values
        .into_iter()
        .enumerate()
        .map(|(number, value)| (number.to_string(), local(value)))
        .collect();
    make.locals.push(scope);
    let result = make.expand(&body);
    make.locals.pop();
    result
}

/// A variable of `$(foreach …)` or `$(call …)`.
fn local(value: String) -> Variable {
    Variable {
        value,
        recursive: false,
        origin: Origin::Automatic,
        exported: false,
    }
}

fn filter(given: &[String], keeps_matches: bool) -> String {
    let patterns: Vec<&str> = words(&given[0]).collect();
    joined(words(&given[1]).filter(|word| {
        patterns.iter().any(|pattern| stem(pattern, word).is_some()) == keeps_matches
    }))
}

fn sort(given: &[String]) -> String {
    let mut all: Vec<&str> = words(&given[0]).collect();
    all.sort_unstable();
    all.dedup();
    all.join(" ")
}

fn word(_: &mut Make, given: &[String]) -> Result<String, Fatal> {
    match number("word", "first", &given[0])? {
        0 => Err("first argument to 'word' function must be greater than 0.".into()),
        wanted => Ok(joined(words(&given[1]).nth(wanted - 1))),
    }
}

fn wordlist(_: &mut Make, given: &[String]) -> Result<String, Fatal> {
    let first = number("wordlist", "first", &given[0])?;
    let last = number("wordlist", "second", &given[1])?;
    if first == 0 {
        return Err("invalid first argument to 'wordlist' function: '0'.".into());
    }
    Ok(joined(words(&given[2]).take(last).skip(first - 1)))
}

fn number(function: &str, place: &str, text: &str) -> Result<usize, Fatal> {
    let text = text.trim_ascii();
    text.parse()
        .map_err(|_| format!("non-numeric {place} argument to '{function}' function: '{text}'."))
}

fn join(given: &[String]) -> String {
    let left: Vec<&str> = words(&given[0]).collect();
    let right: Vec<&str> = words(&given[1]).collect();
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

fn realpath(given: &[String]) -> String {
    words(&given[0])
        .filter_map(|word| std::fs::canonicalize(codepod_tool::path(&encode(word))).ok())
        .map(|found| decode(found.as_os_str().as_encoded_bytes()))
        .collect::<Vec<_>>()
        .join(" ")
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

/// The text of a variable, not expanded.
fn raw_value(make: &Make, name: &str) -> String {
    make.variables
        .get(name)
        .map(|variable| variable.value.clone())
        .unwrap_or_default()
}

fn origin(make: &Make, name: &str) -> &'static str {
    match make.variables.get(name) {
        None if name.len() == 1 && "@<^+?*%|".contains(name) => "automatic",
        None => "undefined",
        Some(variable) => match variable.origin {
            Origin::Default => "default",
            Origin::Environment => "environment",
            Origin::File => "file",
            Origin::CommandLine => "command line",
            Origin::Override => "override",
            Origin::Automatic => "automatic",
        },
    }
}

fn flavor(make: &Make, name: &str) -> &'static str {
    match make.variables.get(name) {
        None => "undefined",
        Some(variable) if variable.recursive => "recursive",
        Some(_) => "simple",
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_ascii_whitespace()
}

/// Words with a blank between them.
fn joined<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// Where the suffix of a file's name starts.
fn dot(word: &str) -> Option<usize> {
    let name = word.rfind('/').map_or(0, |at| at + 1);
    word[name..].rfind('.').map(|at| name + at)
}
