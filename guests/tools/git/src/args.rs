//! Options of commands, as git reads them: letters in clusters, words that may be shortened,
//! `--no-`, `--`.
//!
//! A command says with [`options!`] which options it knows, and reads them as fields.

use crate::os;
use crate::stop::{Result, Stop, show};

/// The options of a command: a struct, and the table that its command line is read by.
///
/// A field is one option, written as [`spec`] reads it; its type says what of it matters
/// ([`Given`]). A field with a list is a choice: the last one given counts. Two fields may read one
/// option, such as a choice and the value of one of its options; both write it alike. `ignored`
/// are options that git has and that make no difference here; `refused` are those that are not
/// there yet.
/// `read` gives the options and what else stood on the command line.
///
/// ```ignore
/// options! {
///     /// What the command line says.
///     struct Options for "reset" {
///         quiet: bool = "q|quiet",
///         /// Paths come from this file.
///         from: Option<Vec<u8>> = "pathspec-from-file=",
///         mode: Option<Mode> = ["soft" => Mode::Soft, "hard" => Mode::Hard],
///     }
///     ignored "refresh no-refresh"
///     refused "p|patch merge"
/// }
/// let (options, rest) = Options::read(&call.words)?;
/// ```
macro_rules! options {
    (
        $(#[$meta:meta])*
        struct $name:ident for $command:literal {
            $( $(#[$about:meta])* $field:ident : $type:ty = $spec:tt ),* $(,)?
        }
        $( ignored $ignored:literal )?
        $( refused $refused:literal )?
    ) => {
        $(#[$meta])*
        struct $name {
            $( $(#[$about])* $field: $type, )*
        }

        impl $name {
            fn read(words: &[Vec<u8>]) -> $crate::stop::Result<(Self, $crate::args::Rest)> {
                let tables = [
                    $( $crate::args::options!(@table $spec), )*
                    $( $ignored, )?
                    $( $refused, )?
                ];
                let parsed = $crate::args::parse($command, &tables.join(" "), words)?;
                $( parsed.refuse_table($refused)?; )?
                let options = $name {
                    $( $field: $crate::args::options!(@read parsed $spec), )*
                };
                Ok((options, parsed.rest()))
            }
        }
    };
    (@table $spec:literal) => { $spec };
    (@table [ $( $spec:literal => $value:expr ),* $(,)? ]) => { concat!($( $spec, " " ),*) };
    (@read $parsed:ident $spec:literal) => {
        $crate::args::Given::of(&$parsed, &$crate::args::key($spec))
    };
    (@read $parsed:ident [ $( $spec:literal => $value:expr ),* $(,)? ]) => {
        $parsed.choice([ $( ($crate::args::key($spec), $value) ),* ])
    };
}
pub(crate) use options;

/// What of an option matters to a command, by the type of its field.
pub(crate) trait Given {
    fn of(parsed: &Parsed, name: &str) -> Self;
}

/// Whether it was given, and not taken back after it.
impl Given for bool {
    fn of(parsed: &Parsed, name: &str) -> bool {
        parsed.has(name)
    }
}

/// Whether it was given, or its opposite; none when neither was.
impl Given for Option<bool> {
    fn of(parsed: &Parsed, name: &str) -> Option<bool> {
        parsed.last(name).map(|(key, _)| key == name)
    }
}

/// How often it was given.
impl Given for usize {
    fn of(parsed: &Parsed, name: &str) -> usize {
        parsed.options.iter().filter(|(key, _)| key == name).count()
    }
}

/// Its last value, unless it was taken back after it.
impl Given for Option<Vec<u8>> {
    fn of(parsed: &Parsed, name: &str) -> Option<Vec<u8>> {
        let (key, value) = parsed.last(name)?;
        value.clone().filter(|_| key == name)
    }
}

/// Its last value as text, unless it was taken back after it.
impl Given for Option<String> {
    fn of(parsed: &Parsed, name: &str) -> Option<String> {
        Option::<Vec<u8>>::of(parsed, name).map(|value| show(&value))
    }
}

/// All its values since it was taken back.
impl Given for Vec<Vec<u8>> {
    fn of(parsed: &Parsed, name: &str) -> Vec<Vec<u8>> {
        let no = format!("no-{name}");
        let since = parsed.options.iter().rposition(|(key, _)| *key == no);
        let given = parsed.options[since.map_or(0, |at| at + 1)..].iter();
        let values = given.filter(|(key, _)| key == name);
        values.filter_map(|(_, value)| value.clone()).collect()
    }
}

/// An option whose value may be left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Optional {
    /// Not given, or taken back after it.
    No,
    /// Given without a value.
    Plain,
    With(Vec<u8>),
}

impl Given for Optional {
    fn of(parsed: &Parsed, name: &str) -> Optional {
        match parsed.last(name) {
            Some((key, Some(value))) if key == name => Optional::With(value.clone()),
            Some((key, None)) if key == name => Optional::Plain,
            _ => Optional::No,
        }
    }
}

/// Each time that an option was given whose value may be left out: that value.
impl Given for Vec<Option<Vec<u8>>> {
    fn of(parsed: &Parsed, name: &str) -> Vec<Option<Vec<u8>>> {
        let given = parsed.options.iter().filter(|(key, _)| key == name);
        given.map(|(_, value)| value.clone()).collect()
    }
}

/// What of a command line is no option.
#[derive(Debug)]
pub(crate) struct Rest {
    pub(crate) words: Vec<Vec<u8>>,
    /// How many of the words stood before `--`; none without `--`.
    pub(crate) dashes: Option<usize>,
}

impl Rest {
    /// The words, and those of the file that `--pathspec-from-file` names.
    pub(crate) fn with_listed(&self, file: Option<&[u8]>, zero: bool) -> Result<Vec<Vec<u8>>> {
        let mut words = self.words.clone();
        if let Some(file) = file {
            words.extend(os::lines_of(file, zero)?);
        }
        Ok(words)
    }
}

/// Gives each of these options the word after it as its value, unless that is an option itself.
///
/// git reads `--contains COMMIT` like this, though the value may be left out.
pub(crate) fn attach(words: &[Vec<u8>], options: &[&str]) -> Vec<Vec<u8>> {
    let mut attached = Vec::new();
    let mut given = words.iter().peekable();
    while let Some(word) = given.next() {
        let takes = options.iter().any(|option| option.as_bytes() == word);
        match given.next_if(|next| takes && !next.starts_with(b"-")) {
            Some(next) => attached.push([&word[..], b"=", next].concat()),
            None => attached.push(word.clone()),
        }
    }
    attached
}

/// The name of an option, with its dashes, and its value if that is in the same word.
pub(crate) type Word<'a> = (&'a str, Option<&'a str>);

/// An option as the commands with differences read it: `--name=value`, or without a value.
pub(crate) fn name_and_value(word: &str) -> Word<'_> {
    match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") => (name, Some(value)),
        _ => (word, None),
    }
}

/// The name that an option of a table is found by.
pub(crate) fn key(word: &str) -> String {
    spec(word).key()
}

/// What was found on a command line.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    command: &'static str,
    /// Long names (or the letter where there is none) in order, with their values. `no-NAME` for a
    /// negated one.
    pub(crate) options: Vec<(String, Option<Vec<u8>>)>,
    pub(crate) words: Vec<Vec<u8>>,
    /// How many of the words stood before `--`; none without `--`.
    pub(crate) dashes: Option<usize>,
}

/// An option: its letter, its name, whether it takes a value.
#[derive(PartialEq, Eq)]
struct Spec<'a> {
    letter: Option<char>,
    name: &'a str,
    value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    No,
    Yes,
    Optional,
}

/// Reads one of the words of a table: `m|message=`, `a|all`, `u|untracked-files?`, `C|=`.
fn spec(word: &str) -> Spec<'_> {
    let (word, value) = match word.strip_suffix('=') {
        Some(word) => (word, Value::Yes),
        None => match word.strip_suffix('?') {
            Some(word) => (word, Value::Optional),
            None => (word, Value::No),
        },
    };
    match word.split_once('|') {
        Some((letter, name)) => Spec {
            letter: letter.chars().next(),
            name,
            value,
        },
        None => Spec {
            letter: None,
            name: word,
            value,
        },
    }
}

impl Spec<'_> {
    fn key(&self) -> String {
        match (self.name, self.letter) {
            ("", Some(letter)) => letter.to_string(),
            (name, _) => name.to_owned(),
        }
    }
}

/// A mistake on the command line: status 129.
pub(crate) fn usage(command: &str, message: impl std::fmt::Display) -> Stop {
    Stop::ErrorStatus(
        format!("{message}\nusage: {}", usage_line(command)).into_bytes(),
        129,
    )
}

fn usage_line(command: &str) -> String {
    let rest = match command {
        "add" => "[<options>] [--] <pathspec>...",
        "commit" | "status" | "clean" | "ls-files" => "[<options>] [--] [<pathspec>...]",
        "branch" => "[<options>] [-r | -a] [--merged] [--no-merged]",
        "checkout" => "[<options>] <branch>",
        "merge" => "[<options>] [<commit>...]",
        "log" | "show" | "shortlog" | "rev-list" => {
            "[<options>] [<revision-range>] [[--] <path>...]"
        }
        "diff" => "[<options>] [<commit>] [--] [<path>...]",
        "config" => "[<options>]",
        _ => "[<options>] [<args>]",
    };
    format!("git {command} {rest}")
}

/// Reads a command line by a table of options, words as in [`spec`] with spaces between them.
pub(crate) fn parse(command: &'static str, table: &str, words: &[Vec<u8>]) -> Result<Parsed> {
    parse_until(command, table, words, false)
}

/// Reads a command line by a table of options; with `stop`, options end at the first word that is
/// none.
pub(crate) fn parse_until(
    command: &'static str,
    table: &str,
    words: &[Vec<u8>],
    stop: bool,
) -> Result<Parsed> {
    let mut specs: Vec<Spec<'_>> = Vec::new();
    for spec in table.split_ascii_whitespace().map(spec) {
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    let table = specs;
    let mut parsed = Parsed {
        command,
        ..Parsed::default()
    };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == b"--" {
            parsed.dashes = Some(parsed.words.len());
            parsed.words.extend(rest.cloned());
            break;
        }
        if word.len() < 2 || word[0] != b'-' {
            parsed.words.push(word.clone());
            if stop {
                parsed.words.extend(rest.cloned());
                break;
            }
            continue;
        }
        let text = show(word);
        if let Some(long) = text.strip_prefix("--") {
            let (name, attached) = match long.split_once('=') {
                Some((name, _)) => (name, Some(word[2 + name.len() + 1..].to_vec())),
                None => (long, None),
            };
            let (key, value) = find(command, &table, name)?;
            let value = match (value, attached) {
                (Value::No, Some(_)) => {
                    return Err(usage(command, format!("option `{key}' takes no value")));
                }
                (Value::Yes, None) => match rest.next() {
                    Some(next) => Some(next.clone()),
                    None => return Err(usage(command, format!("option `{key}' requires a value"))),
                },
                (_, attached) => attached,
            };
            parsed.options.push((key, value));
            continue;
        }
        // `-5` where the table has a number.
        if text[1..].bytes().all(|byte| byte.is_ascii_digit())
            && table.iter().any(|spec| spec.name == "number")
        {
            parsed
                .options
                .push(("number".to_owned(), Some(word[1..].to_vec())));
            continue;
        }
        let mut at = 1;
        while at < word.len() {
            let letter = word[at] as char;
            at += 1;
            let Some(spec) = table.iter().find(|spec| spec.letter == Some(letter)) else {
                return Err(usage(command, format!("unknown switch `{letter}'")));
            };
            let attached = Some(word[at..].to_vec()).filter(|value| !value.is_empty());
            let value = match spec.value {
                Value::No => None,
                Value::Optional => {
                    at = word.len();
                    attached
                }
                Value::Yes => {
                    at = word.len();
                    match attached.or_else(|| rest.next().cloned()) {
                        Some(value) => Some(value),
                        None => {
                            return Err(usage(
                                command,
                                format!("switch `{letter}' requires a value"),
                            ));
                        }
                    }
                }
            };
            parsed.options.push((spec.key(), value));
        }
    }
    Ok(parsed)
}

/// The key and value of a long option, which may be shortened or negated.
fn find(command: &str, table: &[Spec<'_>], name: &str) -> Result<(String, Value)> {
    let exact = table
        .iter()
        .find(|spec| !spec.name.is_empty() && spec.name == name);
    if let Some(spec) = exact {
        return Ok((spec.name.to_owned(), spec.value));
    }
    let negated = name.strip_prefix("no-");
    if let Some(spec) = negated.and_then(|name| {
        table
            .iter()
            .find(|spec| !spec.name.is_empty() && spec.name == name)
    }) {
        return Ok((format!("no-{}", spec.name), Value::No));
    }
    let begins: Vec<&Spec<'_>> = table
        .iter()
        .filter(|spec| !spec.name.is_empty() && spec.name.starts_with(name))
        .collect();
    match begins[..] {
        [spec] => return Ok((spec.name.to_owned(), spec.value)),
        [first, second, ..] => {
            let (a, b) = (first.name, second.name);
            return Err(usage(
                command,
                format!("ambiguous option: {name} (could be --{a} or --{b})"),
            ));
        }
        [] => {}
    }
    let begins: Vec<&Spec<'_>> = match negated {
        Some(name) => table
            .iter()
            .filter(|spec| !spec.name.is_empty() && spec.name.starts_with(name))
            .collect(),
        None => Vec::new(),
    };
    match begins[..] {
        [spec] => Ok((format!("no-{}", spec.name), Value::No)),
        _ => Err(usage(command, format!("unknown option `{name}'"))),
    }
}

impl Parsed {
    /// Whether an option was given, and not taken back after it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.last(name).is_some_and(|(key, _)| key == name)
    }

    /// The last time that an option or its opposite was given.
    fn last(&self, name: &str) -> Option<&(String, Option<Vec<u8>>)> {
        let no = format!("no-{name}");
        let mut backwards = self.options.iter().rev();
        backwards.find(|(key, _)| key == name || *key == no)
    }

    /// Of several options, what the last one given stands for.
    pub(crate) fn choice<T, const N: usize>(&self, choices: [(String, T); N]) -> Option<T> {
        let position = |name: &str| self.options.iter().rposition(|(key, _)| key == name);
        let given = choices
            .into_iter()
            .filter_map(|(name, value)| Some((position(&name)?, value)));
        given.max_by_key(|(at, _)| *at).map(|(_, value)| value)
    }

    /// What is no option.
    pub(crate) fn rest(self) -> Rest {
        Rest {
            words: self.words,
            dashes: self.dashes,
        }
    }

    /// Refuses the options of a table, which are git's, but not ours.
    pub(crate) fn refuse_table(&self, table: &str) -> Result<()> {
        let names: Vec<String> = table.split_ascii_whitespace().map(key).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.refuse(&names)
    }

    /// Refuses options that are git's, but not ours.
    pub(crate) fn refuse(&self, names: &[&str]) -> Result<()> {
        for name in names {
            if self.has(name) {
                let dash = if name.len() == 1 { "-" } else { "--" };
                return Err(Stop::Fatal(
                    format!(
                        "codepod's git {} does not support {dash}{name}",
                        self.command
                    )
                    .into_bytes(),
                ));
            }
        }
        Ok(())
    }
}
