//! `git config`.

use super::Call;
use crate::args::{self, options};
use crate::config::{self, Config, Entry, Level};
use crate::os;
use crate::out;
use crate::pattern;
use crate::repo::{self, Repo};
use crate::stop::{Result, Stop, fatal, show, why};

options! {
    /// What the command line says.
    struct Options for "config" {
        global: bool = "global",
        system: bool = "system",
        local: bool = "local",
        worktree: bool = "worktree",
        file: Option<Vec<u8>> = "f|file=",
        get: bool = "get",
        get_all: bool = "get-all",
        get_regexp: Option<String> = "get-regexp=",
        replace_all: bool = "replace-all",
        add: bool = "add",
        unset: bool = "unset",
        unset_all: bool = "unset-all",
        rename_section: bool = "rename-section",
        remove_section: bool = "remove-section",
        list: bool = "l|list",
        type_name: Option<String> = "t|type=",
        short_type: Option<Type> = [
            "bool" => Type::Bool,
            "int" => Type::Int,
            "bool-or-int" => Type::BoolOrInt,
            "path" => Type::Path,
        ],
        null: bool = "z|null",
        name_only: bool = "name-only",
        show_origin: bool = "show-origin",
        show_scope: bool = "show-scope",
        default: Option<Vec<u8>> = "default=",
        all: bool = "all",
        regexp: bool = "regexp",
        value: Option<Vec<u8>> = "value=",
        fixed_value: bool = "fixed-value",
        append: bool = "append",
    }
    ignored "bool-or-str includes comment="
    refused "blob= get-urlmatch e|edit get-color= get-colorbool= expiry-date"
}

/// The type that values are shown and written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Bool,
    Int,
    BoolOrInt,
    Path,
}

impl Options {
    fn is_typed(&self) -> bool {
        self.type_name.is_some() || self.short_type.is_some()
    }

    fn kind(&self) -> Result<Option<Type>> {
        match self.type_name.as_deref() {
            None => Ok(self.short_type),
            Some("bool") => Ok(Some(Type::Bool)),
            Some("int") => Ok(Some(Type::Int)),
            Some("bool-or-int") => Ok(Some(Type::BoolOrInt)),
            Some("path") => Ok(Some(Type::Path)),
            Some(other) => fatal(format!("unrecognized --type argument, {other}")),
        }
    }
}

/// What is done, by an option or by a word before all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    List,
    Get,
    GetRegexp,
    Set,
    Unset,
    RenameSection,
    RemoveSection,
    Edit,
}

/// Where settings are read and written.
struct Place {
    config: Config,
    /// The file that is written.
    file: Vec<u8>,
    only: Option<Level>,
}

/// A setting, as it is compared and as the user wrote it.
struct Key<'a> {
    name: Vec<u8>,
    spelled: &'a [u8],
}

/// `git config`.
pub(crate) fn config(call: &Call) -> Result<i32> {
    // The newer form has subcommands; both mean the same.
    let subcommand = call.words.first().and_then(|word| subcommand(word));
    let words = &call.words[usize::from(subcommand.is_some())..];
    let (options, rest) = Options::read(words)?;
    let words = &rest.words[..];
    let place = place(call, &options)?;
    match action(subcommand, words, &options) {
        Action::List => list(&place, &options),
        Action::GetRegexp => match &options.get_regexp {
            Some(pattern) => {
                let filter = words.first().map(Vec::as_slice);
                get_regexp(&place, &options, pattern, filter)
            }
            None => {
                let pattern = words.first().map(|word| show(word)).unwrap_or_default();
                get_regexp(&place, &options, &pattern, options.value.as_deref())
            }
        },
        Action::RenameSection => rename_section(&place, words),
        Action::RemoveSection => remove_section(&place, words),
        Action::Edit => fatal("codepod's git config does not support edit"),
        action => one_key(&place, &options, action, words),
    }
}

fn subcommand(word: &[u8]) -> Option<Action> {
    match word {
        b"list" => Some(Action::List),
        b"get" => Some(Action::Get),
        b"set" => Some(Action::Set),
        b"unset" => Some(Action::Unset),
        b"rename-section" => Some(Action::RenameSection),
        b"remove-section" => Some(Action::RemoveSection),
        b"edit" => Some(Action::Edit),
        _ => None,
    }
}

/// What is to be done. Where several actions are asked for, the first of this order counts.
fn action(subcommand: Option<Action>, words: &[Vec<u8>], options: &Options) -> Action {
    let is = |action: Action| subcommand == Some(action);
    let reads = words.len() == 1 && subcommand.is_none() && !options.add;
    match () {
        () if is(Action::List) || options.list => Action::List,
        () if options.get_regexp.is_some() => Action::GetRegexp,
        () if is(Action::Get) && options.regexp => Action::GetRegexp,
        () if is(Action::RenameSection) || options.rename_section => Action::RenameSection,
        () if is(Action::RemoveSection) || options.remove_section => Action::RemoveSection,
        () if is(Action::Edit) => Action::Edit,
        () if is(Action::Unset) || options.unset || options.unset_all => Action::Unset,
        () if is(Action::Get) || options.get || options.get_all || reads => Action::Get,
        () => Action::Set,
    }
}

/// Finds the file that is written and what is read.
fn place(call: &Call, options: &Options) -> Result<Place> {
    let started = os::cwd()?;
    let repo = Repo::try_discover(&call.global)?;
    if let Some(file) = &options.file {
        let path = match file.first() {
            Some(b'/') => file.clone(),
            _ => [&started[..], b"/", file].concat(),
        };
        let mut config = Config::default();
        config.load(Level::Command, &path)?;
        return Ok(Place {
            config,
            file: path,
            only: None,
        });
    }
    let is_local = options.local || options.worktree;
    let (file, only) = if options.global {
        (global_file()?, Some(Level::Global))
    } else if options.system {
        (repo::system_file(), Some(Level::System))
    } else {
        match &repo {
            Some(repo) => (repo.shared("config"), None),
            None if is_local => {
                return fatal("--local can only be used inside a git repository");
            }
            None => (Vec::new(), None),
        }
    };
    let config = match repo {
        Some(repo) => repo.config,
        None => repo::outside_config(&call.global)?,
    };
    Ok(Place {
        config,
        file,
        only: if is_local { Some(Level::Local) } else { only },
    })
}

/// The user's file: the last one that is there.
fn global_file() -> Result<Vec<u8>> {
    let files = repo::global_files();
    let existing = files.iter().rev().find(|file| os::exists(file));
    match existing.or(files.last()) {
        Some(file) => Ok(file.clone()),
        None => fatal("$HOME not set"),
    }
}

impl Place {
    fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.config
            .entries
            .iter()
            .filter(|entry| self.only.is_none_or(|level| entry.level == level))
    }
}

/// Gets, sets or removes the setting that the first word names.
fn one_key(place: &Place, options: &Options, action: Action, words: &[Vec<u8>]) -> Result<i32> {
    let Some(spelled) = words.first() else {
        return Err(args::usage("config", "no action specified"));
    };
    let name = match config::canonical(spelled) {
        Ok(name) => name,
        Err(why) => {
            out::note(format!("error: {why}"));
            return Ok(if why.contains("section") { 2 } else { 1 });
        }
    };
    let key = Key { name, spelled };
    let filter = |at: usize| {
        let word = words.get(at).or(options.value.as_ref());
        word.map(Vec::as_slice)
    };
    match action {
        Action::Unset => return unset(place, options, &key, filter(1)),
        Action::Get => return get(place, options, &key, filter(1)),
        _ => {}
    }
    let Some(value) = words.get(1) else {
        return Err(args::usage(
            "config",
            "wrong number of arguments, should be 2",
        ));
    };
    if place.file.is_empty() {
        return fatal("not in a git directory");
    }
    let mut written = typed(options, value, &key.name, None)?;
    if options.kind()? == Some(Type::Path) {
        // A path is checked, but its `~` stays.
        written.clone_from(value);
    }
    set(place, options, &key, &written, filter(2))
}

fn section_key(name: &[u8]) -> Vec<u8> {
    match name.iter().position(|byte| *byte == b'.') {
        Some(at) => [&name[..at].to_ascii_lowercase()[..], &name[at..]].concat(),
        None => name.to_ascii_lowercase(),
    }
}

/// A value in the form of its type.
fn typed(options: &Options, value: &[u8], key: &[u8], file: Option<&[u8]>) -> Result<Vec<u8>> {
    let name = show(key);
    let place = match file {
        Some(file) if !file.is_empty() => format!(" in file {}", show(file)),
        _ => String::new(),
    };
    let truth = |value: bool| value.to_string().into_bytes();
    match options.kind()? {
        Some(Type::Bool) => match config::parse_truth(value) {
            Some(value) => Ok(truth(value)),
            None => fatal(format!(
                "bad boolean config value '{}' for '{name}'",
                show(value)
            )),
        },
        Some(Type::Int) => match config::parse_number(value) {
            Some(number) => Ok(number.to_string().into_bytes()),
            None => fatal(format!(
                "bad numeric config value '{}' for '{name}'{place}: invalid unit",
                show(value)
            )),
        },
        Some(Type::BoolOrInt) => match (config::parse_number(value), config::parse_truth(value)) {
            (Some(number), _) => Ok(number.to_string().into_bytes()),
            (None, Some(value)) => Ok(truth(value)),
            _ => fatal(format!(
                "bad numeric config value '{}' for '{name}'{place}: invalid unit",
                show(value)
            )),
        },
        Some(Type::Path) => Ok(config::expand_home(value)),
        None => Ok(value.to_vec()),
    }
}

fn origin(entry: &Entry) -> String {
    if entry.file.is_empty() {
        "command line:".to_owned()
    } else {
        format!("file:{}", show(&entry.file))
    }
}

fn prefix(options: &Options, entry: &Entry) -> Vec<u8> {
    let end: &[u8] = if options.null { b"\0" } else { b"\t" };
    let mut out = Vec::new();
    if options.show_scope {
        out.extend(match entry.level {
            Level::System => &b"system"[..],
            Level::Global => b"global",
            Level::Local => b"local",
            Level::Command => b"command",
        });
        out.extend_from_slice(end);
    }
    if options.show_origin {
        out.extend(origin(entry).bytes());
        out.extend_from_slice(end);
    }
    out
}

fn list(place: &Place, options: &Options) -> Result<i32> {
    for entry in place.entries() {
        let mut line = prefix(options, entry);
        line.extend_from_slice(&entry.key);
        if !options.name_only {
            if options.null {
                line.push(b'\n');
                line.extend_from_slice(entry.value.as_deref().unwrap_or_default());
            } else if let Some(value) = &entry.value {
                line.push(b'=');
                line.extend_from_slice(value);
            }
        }
        line.push(if options.null { 0 } else { b'\n' });
        out::put(&line);
    }
    Ok(0)
}

/// Whether a value fits the pattern that limits a command.
fn fits(options: &Options, filter: Option<&[u8]>, value: &[u8]) -> Result<bool> {
    let Some(filter) = filter else {
        return Ok(true);
    };
    if options.fixed_value {
        return Ok(filter == value);
    }
    let (negated, text) = match filter.strip_prefix(b"!") {
        Some(rest) => (true, show(rest)),
        None => (false, show(filter)),
    };
    match pattern::compile_for_text(text.as_bytes()) {
        Ok(regex) => Ok(regex.is_match(value) != negated),
        Err(_) => Err(Stop::ErrorStatus(
            format!("invalid pattern: {text}").into_bytes(),
            6,
        )),
    }
}

fn print(options: &Options, entry: &Entry, with_key: bool) -> Result<()> {
    let mut line = prefix(options, entry);
    let end: u8 = if options.null { 0 } else { b'\n' };
    let raw = entry.value.as_deref();
    let value = match raw {
        None if !options.is_typed() => None,
        raw => Some(typed(
            options,
            raw.unwrap_or(b"true"),
            &entry.key,
            Some(&entry.file),
        )?),
    };
    if with_key {
        line.extend_from_slice(&entry.key);
        if options.name_only {
            line.push(end);
            out::put(&line);
            return Ok(());
        }
        if value.is_some() {
            line.push(if options.null { b'\n' } else { b' ' });
        }
    }
    line.extend(value.unwrap_or_default());
    line.push(end);
    out::put(&line);
    Ok(())
}

fn get(place: &Place, options: &Options, key: &Key<'_>, filter: Option<&[u8]>) -> Result<i32> {
    let mut found = Vec::new();
    for entry in place.entries().filter(|entry| entry.key == key.name) {
        if fits(options, filter, entry.value.as_deref().unwrap_or_default())? {
            found.push(entry);
        }
    }
    let Some(last) = found.last() else {
        let Some(default) = &options.default else {
            return Ok(1);
        };
        out::line(typed(options, default, &key.name, None)?);
        return Ok(0);
    };
    if !options.get_all && !options.all {
        print(options, last, false)?;
        return Ok(0);
    }
    for entry in found {
        print(options, entry, false)?;
    }
    Ok(0)
}

fn get_regexp(place: &Place, options: &Options, text: &str, filter: Option<&[u8]>) -> Result<i32> {
    let Ok(regex) = pattern::compile(text.as_bytes(), pattern::Kind::Extended, true) else {
        return Err(Stop::ErrorStatus(
            format!("invalid key pattern: {text}").into_bytes(),
            6,
        ));
    };
    let mut any = false;
    for entry in place.entries().filter(|entry| regex.is_match(&entry.key)) {
        if fits(options, filter, entry.value.as_deref().unwrap_or_default())? {
            any = true;
            print(options, entry, true)?;
        }
    }
    Ok(i32::from(!any))
}

/// The items of a file with this key and a value that fits.
fn places(
    options: &Options,
    text: &[u8],
    key: &[u8],
    filter: Option<&[u8]>,
    file: &[u8],
) -> Result<Vec<usize>> {
    let Ok(items) = config::parse(text) else {
        return Err(Stop::ErrorStatus(
            format!("invalid config file {}", show(file)).into_bytes(),
            3,
        ));
    };
    let mut found = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if !item.is_header
            && item.key == key
            && fits(options, filter, item.value.as_deref().unwrap_or_default())?
        {
            found.push(at);
        }
    }
    Ok(found)
}

fn set(
    place: &Place,
    options: &Options,
    key: &Key<'_>,
    value: &[u8],
    filter: Option<&[u8]>,
) -> Result<i32> {
    let text = os::read(&place.file).unwrap_or_default();
    let at = match options.add || options.append {
        true => Vec::new(),
        false => places(options, &text, &key.name, filter, &place.file)?,
    };
    if at.len() > 1 && !options.replace_all && !options.all {
        out::warn(format!("{} has multiple values", show(&key.name)));
        out::note(format!(
            "error: cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change {}.",
            show(key.spelled)
        ));
        return Ok(5);
    }
    let Some(text) = config::edit(&text, &key.name, key.spelled, Some(value), &at) else {
        return Err(Stop::ErrorStatus(
            format!("invalid config file {}", show(&place.file)).into_bytes(),
            3,
        ));
    };
    os::mkdir_above(&place.file)?;
    write(&place.file, &text)
}

fn write(file: &[u8], text: &[u8]) -> Result<i32> {
    match os::replace(file, text) {
        Ok(()) => Ok(0),
        Err(found) => {
            let why = match found.kind() {
                std::io::ErrorKind::AlreadyExists => "File exists".to_owned(),
                _ => why(&found),
            };
            Err(Stop::ErrorStatus(
                format!("could not lock config file {}: {why}", show(file)).into_bytes(),
                255,
            ))
        }
    }
}

fn unset(place: &Place, options: &Options, key: &Key<'_>, filter: Option<&[u8]>) -> Result<i32> {
    let text = os::read(&place.file).unwrap_or_default();
    let at = places(options, &text, &key.name, filter, &place.file)?;
    if at.is_empty() {
        return Ok(5);
    }
    if at.len() > 1 && !options.unset_all && !options.all {
        out::warn(format!("{} has multiple values", show(&key.name)));
        return Ok(5);
    }
    match config::edit(&text, &key.name, &key.name, None, &at) {
        Some(text) => write(&place.file, &text),
        None => Ok(3),
    }
}

fn remove_section(place: &Place, words: &[Vec<u8>]) -> Result<i32> {
    let name = words.first().cloned().unwrap_or_default();
    match config::remove_section(&place.file, &section_key(&name))? {
        true => Ok(0),
        false => fatal(format!("no such section: {}", show(&name))),
    }
}

fn rename_section(place: &Place, words: &[Vec<u8>]) -> Result<i32> {
    let [old, new] = words else {
        return Err(args::usage(
            "config",
            "wrong number of arguments, should be 2",
        ));
    };
    let text = os::read(&place.file).unwrap_or_default();
    let (old_key, new_key) = (section_key(old), section_key(new));
    let items = config::parse(&text).unwrap_or_default();
    let mut out_text = Vec::new();
    let mut at = 0;
    let mut found = false;
    for item in items
        .iter()
        .filter(|item| item.is_header && item.key == old_key)
    {
        found = true;
        out_text.extend_from_slice(&text[at..item.start]);
        match new_key.iter().position(|byte| *byte == b'.') {
            Some(dot) => out_text
                .extend([b"[", &new_key[..dot], b" \"", &new_key[dot + 1..], b"\"]"].concat()),
            None => out_text.extend([b"[", &new_key[..], b"]"].concat()),
        }
        at = item.end;
    }
    if !found {
        return fatal(format!("no such section: {}", show(old)));
    }
    out_text.extend_from_slice(&text[at..]);
    write(&place.file, &out_text)
}
