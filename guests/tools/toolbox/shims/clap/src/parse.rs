//! Takes words apart by the rules of `getopt_long`, and says what is wrong with them in its words.

use std::any::TypeId;
use std::cell::RefCell;
use std::ffi::OsString;
use std::vec;

use crate::arg::{Arg, ArgAction, Id};
use crate::bytes;
use crate::command::Command;
use crate::error::{ContextKind, ContextValue, Error, ErrorKind};
use crate::gnu;
use crate::help;
use crate::matches::{ArgMatches, Slot, ValueSource};
use crate::value_parser::{PossibleValue, ValueParser};

const TEXT: ValueParser = ValueParser::string();

thread_local! {
    /// The last operand that was taken, for a message that names it.
    static LAST_OPERAND: RefCell<Option<OsString>> = const { RefCell::new(None) };
}

/// The last operand of the words that were taken apart last.
pub(crate) fn last_operand() -> Option<String> {
    LAST_OPERAND.with_borrow(|last| Some(last.as_ref()?.to_string_lossy().into_owned()))
}

/// Takes `words` apart; the first is the program's name.
pub(crate) fn words(command: Command, words: Vec<OsString>) -> Result<ArgMatches, Error> {
    let mut words = words.into_iter();
    let program = match command.has_program_name {
        true => words.next(),
        false => None,
    };
    let program = match &program {
        Some(name) => name.to_string_lossy().into_owned(),
        None => command.name.to_string(),
    };
    let slots = command
        .args
        .iter()
        .map(|arg| Slot::new(arg.id.clone(), arg.effective_action(), value_type(arg)))
        .collect();
    let mut parser = Parser {
        command: &command,
        program,
        words,
        slots,
        place: 0,
        operand: 0,
        last_operand: None,
    };
    parser.run()?;
    parser.check()?;
    parser.add_defaults()?;
    LAST_OPERAND.set(parser.last_operand.take());
    let slots = parser.slots;
    let place = |id: &Id| slots.iter().position(|slot| slot.id == *id);
    let groups = command
        .groups
        .iter()
        .map(|group| {
            (
                group.id.clone(),
                group.args.iter().filter_map(place).collect(),
            )
        })
        .collect();
    // Taking a hundred small texts apart again would cost more than the process has left to do.
    std::mem::forget(command);
    Ok(ArgMatches { slots, groups })
}

fn value_type(arg: &Arg) -> TypeId {
    match arg.effective_action() {
        ArgAction::Set | ArgAction::Append => arg.parser.as_ref().unwrap_or(&TEXT).type_id(),
        ArgAction::Count => TypeId::of::<u8>(),
        _ => TypeId::of::<bool>(),
    }
}

struct Parser<'c> {
    command: &'c Command,
    program: String,
    words: vec::IntoIter<OsString>,
    slots: Vec<Slot>,
    /// The place of the last flag or value, as `index_of` counts.
    place: usize,
    /// The place in the command's arguments from which the next operand's is looked for.
    operand: usize,
    last_operand: Option<OsString>,
}

/// What a long name stands for.
enum Long {
    Arg(usize),
    Help,
    Version,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Error> {
        while let Some(word) = self.words.next() {
            let bytes = bytes::of(&word);
            if bytes == b"--" {
                return self.only_operands(true);
            }
            if let Some(long) = bytes.strip_prefix(b"--") {
                if self.long(long)? {
                    continue;
                }
            } else if let Some(shorts) = bytes.strip_prefix(b"-").filter(|rest| !rest.is_empty())
                && self.shorts(shorts)?
            {
                continue;
            }
            self.operand(word, false)?;
            if self.command.trailing {
                return self.only_operands(false);
            }
        }
        Ok(())
    }

    fn only_operands(&mut self, after_dashes: bool) -> Result<(), Error> {
        while let Some(word) = self.words.next() {
            self.operand(word, after_dashes)?;
        }
        Ok(())
    }

    /// Takes `--name` or `--name=value`. `false` when the word can only be an operand.
    fn long(&mut self, word: &[u8]) -> Result<bool, Error> {
        let equals = word.iter().position(|byte| *byte == b'=');
        let (name, value) = match equals {
            Some(at) => (&word[..at], Some(&word[at + 1..])),
            None => (word, None),
        };
        let Some(found) = self.find_long(name)? else {
            if self.command.allow_hyphen_values {
                return Ok(false);
            }
            let shown = String::from_utf8_lossy(word);
            return Err(self.mistake(&format!("unrecognized option '--{shown}'")));
        };
        let at = match found {
            Long::Help => return Err(self.help()),
            Long::Version => return Err(self.version()),
            Long::Arg(at) => at,
        };
        let arg = &self.command.args[at];
        let shown = arg.long.as_deref().unwrap_or_default();
        if !arg.effective_action().takes_value() {
            if value.is_some() {
                let message = format!("option '--{shown}' doesn't allow an argument");
                return Err(self.mistake(&message));
            }
            self.flag(at)?;
            return Ok(true);
        }
        let values = match value {
            Some(value) => vec![bytes::os_str(value).to_owned()],
            None => match self.following(arg) {
                Some(values) => values,
                None => {
                    let message = format!("option '--{shown}' requires an argument");
                    return Err(self.mistake(&message));
                }
            },
        };
        self.option(at, values)?;
        Ok(true)
    }

    fn find_long(&self, name: &[u8]) -> Result<Option<Long>, Error> {
        let mut candidates: Vec<(Long, &str)> = Vec::new();
        for (at, arg) in self.command.args.iter().enumerate() {
            for long in arg.long_names() {
                if long.as_bytes() == name {
                    return Ok(Some(Long::Arg(at)));
                }
                if self.command.abbreviations && long.as_bytes().starts_with(name) {
                    candidates.push((Long::Arg(at), long));
                }
            }
        }
        for (known, long, built_in) in [
            (self.command.has_help, "help", Long::Help),
            (self.command.has_version, "version", Long::Version),
        ] {
            if known && long.as_bytes() == name {
                return Ok(Some(built_in));
            }
            if known && self.command.abbreviations && long.as_bytes().starts_with(name) {
                candidates.push((built_in, long));
            }
        }
        let same = |a: &Long, b: &Long| match (a, b) {
            (Long::Arg(a), Long::Arg(b)) => a == b,
            _ => false,
        };
        let ambiguous = candidates
            .iter()
            .skip(1)
            .any(|(found, _)| !same(found, &candidates[0].0));
        if ambiguous {
            let typed = String::from_utf8_lossy(name);
            let names: Vec<String> = candidates
                .iter()
                .map(|(_, long)| format!("'--{long}'"))
                .collect();
            return Err(self.mistake(&format!(
                "option '--{typed}' is ambiguous; possibilities: {}",
                names.join(" ")
            )));
        }
        Ok(candidates.into_iter().next().map(|(found, _)| found))
    }

    /// Takes `-abc` or `-ovalue`. `false` when the word can only be an operand.
    fn shorts(&mut self, letters: &[u8]) -> Result<bool, Error> {
        for (i, &letter) in letters.iter().enumerate() {
            let rest = &letters[i + 1..];
            let args = &self.command.args;
            let Some(at) = args.iter().position(|arg| arg.is_named(char::from(letter))) else {
                if i == 0 && self.can_be_operand(letter) {
                    return Ok(false);
                }
                let shown = String::from_utf8_lossy(&letters[i..]);
                let shown = shown.chars().next().unwrap_or_default();
                return Err(self.mistake(&format!("invalid option -- '{shown}'")));
            };
            let arg = &args[at];
            if !arg.effective_action().takes_value() {
                self.flag(at)?;
                continue;
            }
            // Only the long form of such an option can have a value.
            if arg.require_equals && arg.values().least == 0 {
                self.option(at, Vec::new())?;
                continue;
            }
            let values = match rest {
                [] => match self.following(arg) {
                    Some(values) => values,
                    None => {
                        let letter = char::from(letter);
                        let message = format!("option requires an argument -- '{letter}'");
                        return Err(self.mistake(&message));
                    }
                },
                attached => vec![bytes::os_str(attached).to_owned()],
            };
            self.option(at, values)?;
            return Ok(true);
        }
        Ok(true)
    }

    /// The words behind an option that are its values. `None` when there are too few.
    fn following(&mut self, arg: &Arg) -> Option<Vec<OsString>> {
        let least = arg.values().least;
        let values: Vec<OsString> = self.words.by_ref().take(least).collect();
        (values.len() == least).then_some(values)
    }

    fn flag(&mut self, at: usize) -> Result<(), Error> {
        match self.command.args[at].effective_action() {
            ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong => {
                return Err(self.help());
            }
            ArgAction::Version => return Err(self.version()),
            _ => {}
        }
        self.take_back(at);
        self.place += 1;
        let place = self.place;
        let slot = &mut self.slots[at];
        slot.source = Some(ValueSource::CommandLine);
        slot.count += 1;
        slot.indices.clear();
        slot.indices.push(place);
        Ok(())
    }

    fn option(&mut self, at: usize, mut values: Vec<OsString>) -> Result<(), Error> {
        let command = self.command;
        let arg = &command.args[at];
        self.take_back(at);
        if arg.effective_action() == ArgAction::Set {
            self.slots[at].clear();
        }
        if values.is_empty()
            && let Some(rare) = &arg.rare
        {
            values.clone_from(&rare.default_missing);
        }
        self.place += 1;
        self.add(at, values, true)
    }

    fn operand(&mut self, word: OsString, after_dashes: bool) -> Result<(), Error> {
        let Some(at) = self.next_operand(after_dashes) else {
            let shown = word.to_string_lossy();
            let mut error = self.mistake(&format!("extra operand '{shown}'"));
            if let Some(last) = self.command.args.iter().rfind(|arg| arg.is_operand()) {
                let name = ContextValue::String(last.to_string());
                error.insert(ContextKind::InvalidArg, name);
            }
            return Err(error);
        };
        self.operand = at;
        self.last_operand = Some(word.clone());
        self.take_back(at);
        let first = self.slots[at].source.is_none();
        self.add(at, vec![word], first)
    }

    /// The argument that the next operand belongs to.
    fn next_operand(&self, after_dashes: bool) -> Option<usize> {
        let args = self.command.args.iter().enumerate().skip(self.operand);
        args.filter(|(_, arg)| arg.is_operand() && (!arg.last || after_dashes))
            .find(|(at, arg)| self.slots[*at].values.len() < most_operands(arg))
            .map(|(at, _)| at)
    }

    /// Whether a word can be an operand though it is `-` and this letter: any, or a negative
    /// number.
    fn can_be_operand(&self, letter: u8) -> bool {
        self.command.allow_hyphen_values
            || (letter.is_ascii_digit() || letter == b'.')
                && self
                    .next_operand(false)
                    .is_some_and(|at| self.command.args[at].allow_hyphen_values)
    }

    /// Adds values to what was found of an argument.
    fn add(&mut self, at: usize, words: Vec<OsString>, first: bool) -> Result<(), Error> {
        let command = self.command;
        let arg = &command.args[at];
        let text = TEXT;
        let parser = arg.parser.as_ref().unwrap_or(&text);
        if first {
            let start = self.slots[at].values.len();
            self.slots[at].occurrences.push(start);
        }
        self.slots[at].source = Some(ValueSource::CommandLine);
        self.slots[at].count += 1;
        for word in words {
            let parts = match arg.delimited {
                true => bytes::of(&word)
                    .split(|byte| *byte == b',')
                    .map(|part| bytes::os_str(part).to_owned())
                    .collect(),
                false => vec![word],
            };
            for part in parts {
                let shown = part.to_string_lossy().into_owned();
                let value = parser
                    .parse(command, arg, part)
                    .map_err(|error| self.bad_value(arg, parser, &shown, error))?;
                self.place += 1;
                let place = self.place;
                let slot = &mut self.slots[at];
                slot.values.push(value);
                slot.indices.push(place);
            }
        }
        Ok(())
    }

    /// Takes back what an argument overrides, and what overrides it: the later one wins.
    fn take_back(&mut self, at: usize) {
        let args = &self.command.args;
        for (other, slot) in self.slots.iter_mut().enumerate() {
            if slot.source.is_some()
                && (args[at].overrides().contains(&args[other].id)
                    || args[other].overrides().contains(&args[at].id))
            {
                slot.clear();
            }
        }
    }

    /// Checks what can be known at the end only.
    fn check(&self) -> Result<(), Error> {
        let present = |id: &Id| {
            let of_group = self.command.groups.iter().find(|group| group.id == *id);
            let ids = of_group.map_or(std::slice::from_ref(id), |group| &group.args);
            ids.iter().find_map(|id| {
                self.slots
                    .iter()
                    .position(|slot| slot.id == *id && slot.source.is_some())
            })
        };
        for (arg, slot) in self.command.args.iter().zip(&self.slots) {
            let rare = arg.rare.as_deref();
            if slot.source.is_none() {
                let required = arg.required
                    || rare.is_some_and(|rare| {
                        !rare.required_unless.is_empty()
                            && rare.required_unless.iter().all(|id| present(id).is_none())
                    });
                if required {
                    return Err(self.missing(arg));
                }
                continue;
            }
            if slot.values.len() < arg.values().least && arg.is_operand() {
                return Err(self.missing(arg));
            }
            let Some(rare) = rare else { continue };
            if let Some(other) = rare.conflicts.iter().find_map(present) {
                return Err(self.conflict(arg, &self.command.args[other]));
            }
            if let Some(other) = rare.requires.iter().find(|id| present(id).is_none())
                && let Some(other) = self.command.args.iter().find(|arg| arg.id == *other)
            {
                return Err(self.missing(other));
            }
        }
        for group in self.command.groups.iter().filter(|group| !group.multiple) {
            let mut members = self
                .command
                .args
                .iter()
                .zip(&self.slots)
                .filter(|(arg, slot)| slot.source.is_some() && group.args.contains(&arg.id));
            if let (Some((first, _)), Some((second, _))) = (members.next(), members.next()) {
                return Err(self.conflict(first, second));
            }
        }
        Ok(())
    }

    fn conflict(&self, first: &Arg, second: &Arg) -> Error {
        let message = gnu::conflict(&self.command.name, &first.shown(), &second.shown());
        self.mistake(&message)
    }

    fn missing(&self, arg: &Arg) -> Error {
        if !arg.is_operand() {
            let message = gnu::missing_option(&self.command.name, &arg.shown());
            return self.mistake(&message);
        }
        if let Some(last) = &self.last_operand {
            let last = last.to_string_lossy();
            return self.mistake(&format!("missing operand after '{last}'"));
        }
        self.mistake(gnu::missing_operand(&self.command.name))
    }

    fn add_defaults(&mut self) -> Result<(), Error> {
        let command = self.command;
        for (at, arg) in command.args.iter().enumerate() {
            let Some(rare) = &arg.rare else { continue };
            if self.slots[at].source.is_some() {
                continue;
            }
            let (values, source) = match rare.env.as_deref().and_then(std::env::var_os) {
                Some(value) => (vec![value], ValueSource::EnvVariable),
                None if rare.defaults.is_empty() => continue,
                None => (rare.defaults.clone(), ValueSource::DefaultValue),
            };
            self.add(at, values, true)?;
            self.slots[at].source = Some(source);
            self.slots[at].count = 0;
        }
        Ok(())
    }

    /// An error that uucore prints as it is.
    fn mistake(&self, message: &str) -> Error {
        Error::usage(ErrorKind::TooManyValues, &self.program, message)
    }

    fn bad_value(&self, arg: &Arg, parser: &ValueParser, word: &str, error: Error) -> Error {
        let option = arg.shown();
        if let Some(custom) = error.get(ContextKind::Custom) {
            return Error::new(ErrorKind::TooManyValues)
                .with_text(format!("{}: {custom}\n", self.program));
        }
        if let Some(name) = gnu::value_name(&self.command.name, &option) {
            return Error::new(ErrorKind::TooManyValues)
                .with_text(format!("{}: invalid {name}: '{word}'\n", self.program));
        }
        if let Some(source) = std::error::Error::source(&error) {
            return self.mistake(&format!(
                "invalid argument '{word}' for '{option}': {source}"
            ));
        }
        if error.kind() == ErrorKind::InvalidUtf8 {
            return self.mistake(&format!(
                "invalid argument '{word}' for '{option}': not UTF-8"
            ));
        }
        let Some(possible) = parser.possible() else {
            return self.mistake(&format!("invalid argument '{word}' for '{option}'"));
        };
        let fitting = possible
            .iter()
            .filter(|value| {
                value
                    .get_name_and_aliases()
                    .any(|name| name.starts_with(word))
            })
            .count();
        let what = if fitting > 1 { "ambiguous" } else { "invalid" };
        let message = format!(
            "{what} argument '{word}' for '{option}'\nValid arguments are:{}",
            listed(&possible)
        );
        Error::usage(ErrorKind::WrongNumberOfValues, &self.program, &message)
    }

    fn help(&self) -> Error {
        Error::new(ErrorKind::DisplayHelp).with_text(help::text(self.command, &self.program))
    }

    fn version(&self) -> Error {
        let text = format!("{} {}\n", self.command.name, self.command.version);
        Error::new(ErrorKind::DisplayVersion).with_text(text)
    }
}

fn most_operands(arg: &Arg) -> usize {
    match arg.values().most {
        // Each of several operands counts as an occurrence of its own.
        1 if arg.effective_action() == ArgAction::Append => usize::MAX,
        most => most,
    }
}

fn listed(possible: &[PossibleValue]) -> String {
    let mut text = String::new();
    for value in possible.iter().filter(|value| !value.is_hidden()) {
        let names: Vec<String> = value
            .get_name_and_aliases()
            .map(|name| format!("'{name}'"))
            .collect();
        text.push_str("\n  - ");
        text.push_str(&names.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::parser::ValueSource;
    use crate::{Arg, ArgAction, ArgMatches, Command, Error};

    fn tool() -> Command {
        Command::new("tool")
            .infer_long_args(true)
            .arg(flag("all", 'a'))
            .arg(flag("long", 'l').overrides_with("columns"))
            .arg(flag("columns", 'C'))
            .arg(Arg::new("lines").short('n').long("lines"))
            .arg(
                Arg::new("color")
                    .long("color")
                    .short('c')
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("always")
                    .value_parser(["always", "auto", "never"]),
            )
            .arg(Arg::new("width").short('w').num_args(0..=1))
            .arg(
                Arg::new("key")
                    .short('k')
                    .action(ArgAction::Append)
                    .value_delimiter(','),
            )
            .arg(Arg::new("files").action(ArgAction::Append))
    }

    fn flag(name: &'static str, letter: char) -> Arg {
        Arg::new(name)
            .short(letter)
            .long(name)
            .action(ArgAction::SetTrue)
    }

    fn parse(words: &str) -> Result<ArgMatches, Error> {
        tool().try_get_matches_from(words.split(' '))
    }

    fn found(words: &str) -> ArgMatches {
        parse(words).unwrap_or_else(|error| panic!("{words}: {error}"))
    }

    fn mistake(words: &str) -> String {
        let error = parse(words).expect_err(words);
        let text = error.to_string();
        let rest = text.strip_suffix("\nTry 'tool --help' for more information.\n");
        rest.expect("a hint").to_owned()
    }

    fn one<'m>(matches: &'m ArgMatches, id: &str) -> &'m str {
        matches.get_one::<String>(id).map_or("-", |text| text)
    }

    fn many(matches: &ArgMatches, id: &str) -> Vec<String> {
        let values = matches.get_many::<String>(id).unwrap_or_default();
        values.cloned().collect()
    }

    #[test]
    fn options_and_operands_may_mix() {
        let matches = found("tool x -al y --lines 5 z");
        assert!(matches.get_flag("all") && matches.get_flag("long"));
        assert_eq!(one(&matches, "lines"), "5");
        assert_eq!(many(&matches, "files"), ["x", "y", "z"]);
    }

    #[test]
    fn values_are_attached_or_follow_whatever_they_start_with() {
        for words in [
            "tool -n-1",
            "tool -n -1",
            "tool --lines=-1",
            "tool --lines -1",
        ] {
            assert_eq!(one(&found(words), "lines"), "-1", "{words}");
        }
        assert_eq!(one(&found("tool -n=1"), "lines"), "=1");
    }

    #[test]
    fn an_optional_value_must_be_attached() {
        let matches = found("tool --color never");
        assert_eq!(one(&matches, "color"), "always");
        assert_eq!(many(&matches, "files"), ["never"]);
        assert_eq!(one(&found("tool --color=never"), "color"), "never");
        // Its letter takes none, so others can follow.
        assert!(found("tool -ca").get_flag("all"));
        assert_eq!(one(&found("tool -w8"), "width"), "8");
        assert_eq!(many(&found("tool -w 8"), "files"), ["8"]);
    }

    #[test]
    fn the_later_option_wins() {
        assert_eq!(one(&found("tool -n 1 -n 2"), "lines"), "2");
        assert!(!found("tool -l -C").get_flag("long"));
        assert!(!found("tool -C -l").get_flag("columns"));
    }

    #[test]
    fn repeated_values_are_kept_where_they_are_asked_for() {
        assert_eq!(many(&found("tool -k a,b -k c"), "key"), ["a", "b", "c"]);
    }

    #[test]
    fn two_dashes_end_the_options() {
        assert_eq!(many(&found("tool -- -a --x"), "files"), ["-a", "--x"]);
        assert_eq!(many(&found("tool -"), "files"), ["-"]);
    }

    #[test]
    fn long_names_may_be_cut_short() {
        assert_eq!(one(&found("tool --lin 3"), "lines"), "3");
        assert_eq!(
            mistake("tool --l"),
            "tool: option '--l' is ambiguous; possibilities: '--long' '--lines'"
        );
    }

    #[test]
    fn mistakes_are_told_as_getopt_tells_them() {
        for (words, message) in [
            ("tool --foo=1", "unrecognized option '--foo=1'"),
            ("tool -ax", "invalid option -- 'x'"),
            ("tool -n", "option requires an argument -- 'n'"),
            ("tool --lin", "option '--lines' requires an argument"),
            ("tool --all=1", "option '--all' doesn't allow an argument"),
            (
                "tool --color=a",
                "ambiguous argument 'a' for '--color'\nValid arguments are:\n  \
                 - 'always'\n  - 'auto'\n  - 'never'",
            ),
        ] {
            assert_eq!(mistake(words), format!("tool: {message}"), "{words}");
        }
    }

    #[test]
    fn a_limited_number_of_operands_is_taken() {
        let link = || {
            let files = Arg::new("files").num_args(2).required(true);
            Command::new("link").arg(files)
        };
        let text = |words: &str| match link().try_get_matches_from(words.split(' ')) {
            Ok(_) => String::new(),
            Err(error) => error
                .to_string()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        assert_eq!(text("link a b"), "");
        assert_eq!(text("link a b c"), "link: extra operand 'c'");
        assert_eq!(text("link a"), "link: missing operand after 'a'");
        assert_eq!(text("link"), "link: missing operand");
    }

    #[test]
    fn places_tell_which_came_later() {
        let matches = found("tool -a x -l");
        assert_eq!(matches.index_of("all"), Some(1));
        assert_eq!(matches.index_of("files"), Some(2));
        assert_eq!(matches.index_of("long"), Some(3));
        assert_eq!(matches.value_source("all"), Some(ValueSource::CommandLine));
        let unset = matches.value_source("columns");
        assert_eq!(unset, Some(ValueSource::DefaultValue));
    }

    #[test]
    fn help_and_version_are_errors_that_succeed() {
        let help = parse("tool --help").expect_err("help");
        assert_eq!(help.exit_code(), 0);
        assert!(help.to_string().starts_with("Usage: tool [OPTION]..."));
        assert_eq!(parse("tool --version").expect_err("version").exit_code(), 0);
    }
}
