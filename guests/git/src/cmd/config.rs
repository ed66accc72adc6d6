//! `git config` and `git var`.

use super::Call;
use crate::args::{self, Parsed};
use crate::config::{self, Config, Entry, Level};
use crate::os;
use crate::out;
use crate::pattern;
use crate::repo::{self, Repo};
use crate::stop::{Result, Stop, fatal, show};

const TABLE: &str = "global system local worktree f|file= blob= get get-all get-regexp= get-urlmatch replace-all add unset unset-all \
    rename-section remove-section l|list e|edit get-color= get-colorbool= t|type= bool int bool-or-int bool-or-str path expiry-date z|null name-only \
    includes show-origin show-scope default= all regexp value= fixed-value append comment=";

/// Where settings are read and written.
struct Place {
    config: Config,
    /// The file that is written.
    file: Vec<u8>,
    only: Option<Level>,
}

fn place(call: &Call, parsed: &Parsed) -> Result<Place> {
    let started = os::cwd()?;
    let repo = Repo::try_discover(&call.global)?;
    let inside = repo.is_some();
    if let Some(file) = parsed.value("file") {
        let path = if file.first() == Some(&b'/') {
            file.to_vec()
        } else {
            [&started[..], b"/", file].concat()
        };
        let mut config = Config::default();
        config.load(Level::Command, &path)?;
        return Ok(Place {
            config,
            file: path,
            only: None,
        });
    }
    let mut only = None;
    let file = if parsed.has("global") {
        only = Some(Level::Global);
        let files = repo::global_files();
        let written = files
            .iter()
            .rev()
            .find(|file| os::exists(file))
            .or(files.last());
        match written {
            Some(file) => file.clone(),
            None => return fatal("$HOME not set"),
        }
    } else if parsed.has("system") {
        only = Some(Level::System);
        repo::system_file()
    } else {
        match &repo {
            Some(repo) => repo.shared("config"),
            None if parsed.has("local") || parsed.has("worktree") => {
                return fatal("--local can only be used inside a git repository");
            }
            None => Vec::new(),
        }
    };
    if parsed.has("local") || parsed.has("worktree") {
        only = Some(Level::Local);
    }
    let config = match repo {
        Some(repo) => repo.config,
        None => repo::outside_config(&call.global)?,
    };
    let _ = inside;
    Ok(Place { config, file, only })
}

impl Place {
    fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.config
            .entries
            .iter()
            .filter(|entry| self.only.is_none_or(|level| entry.level == level))
    }
}

/// `git config`.
pub(crate) fn config(call: &Call) -> Result<i32> {
    // The newer form has subcommands; both mean the same.
    let mut words = call.words.clone();
    let mut action = "";
    if let Some(first) = words.first() {
        action = match &first[..] {
            b"list" => "list",
            b"get" => "get",
            b"set" => "set",
            b"unset" => "unset",
            b"rename-section" => "rename-section",
            b"remove-section" => "remove-section",
            b"edit" => "edit",
            _ => "",
        };
        if !action.is_empty() {
            words.remove(0);
        }
    }
    let parsed = args::parse("config", TABLE, &words)?;
    parsed.refuse(&[
        "blob",
        "get-urlmatch",
        "edit",
        "get-color",
        "get-colorbool",
        "expiry-date",
    ])?;
    let place = place(call, &parsed)?;
    let words = &parsed.words;
    if action == "list" || parsed.has("list") {
        return list(&place, &parsed);
    }
    if let Some(pattern) = parsed.text("get-regexp") {
        return get_regexp(&place, &parsed, &pattern, words.first().map(Vec::as_slice));
    }
    if action == "get" && parsed.has("regexp") {
        let pattern = words.first().map(|word| show(word)).unwrap_or_default();
        return get_regexp(&place, &parsed, &pattern, parsed.value("value"));
    }
    if action == "rename-section" || parsed.has("rename-section") {
        return rename_section(&place, words);
    }
    if action == "remove-section" || parsed.has("remove-section") {
        let name = words.first().cloned().unwrap_or_default();
        if config::remove_section(&place.file, &section_key(&name))? {
            return Ok(0);
        }
        return fatal(format!("no such section: {}", show(&name)));
    }
    if action == "edit" {
        return fatal("codepod's git config does not support edit");
    }
    let Some(spelled) = words.first() else {
        return Err(args::usage("config", "no action specified"));
    };
    let key = match config::canonical(spelled) {
        Ok(key) => key,
        Err(why) => {
            out::note(format!("error: {why}"));
            return Ok(if why.contains("section") { 2 } else { 1 });
        }
    };
    if action == "unset" || parsed.has("unset") || parsed.has("unset-all") {
        let all = parsed.has("unset-all") || parsed.has("all");
        return unset(&place, &parsed, &key, words.get(1).map(Vec::as_slice), all);
    }
    let getting = action == "get"
        || parsed.has("get")
        || parsed.has("get-all")
        || (action.is_empty() && words.len() == 1 && !parsed.has("add"));
    if getting {
        let all = parsed.has("get-all") || parsed.has("all");
        return get(&place, &parsed, &key, words.get(1).map(Vec::as_slice), all);
    }
    let Some(value) = words.get(1) else {
        return Err(args::usage(
            "config",
            "wrong number of arguments, should be 2",
        ));
    };
    if place.only == Some(Level::Local) && place.file.is_empty() || place.file.is_empty() {
        return fatal("not in a git directory");
    }
    let value = match typed(&parsed, value, &key, None)? {
        Some(value) if !matches!(kind(&parsed).as_deref(), Some("path" | "color")) => value,
        _ => value.clone(),
    };
    set(
        &place,
        &parsed,
        &key,
        spelled,
        &value,
        words.get(2).map(Vec::as_slice),
    )
}

fn section_key(name: &[u8]) -> Vec<u8> {
    match name.iter().position(|byte| *byte == b'.') {
        Some(at) => [&name[..at].to_ascii_lowercase()[..], &name[at..]].concat(),
        None => name.to_ascii_lowercase(),
    }
}

fn kind(parsed: &Parsed) -> Option<String> {
    if let Some(kind) = parsed.text("type") {
        return Some(kind);
    }
    ["bool", "int", "bool-or-int", "path"]
        .into_iter()
        .find(|name| parsed.has(name))
        .map(str::to_owned)
}

/// A value in the form of its type.
fn typed(
    parsed: &Parsed,
    value: &[u8],
    key: &[u8],
    file: Option<&[u8]>,
) -> Result<Option<Vec<u8>>> {
    let name = show(key);
    let place = match file {
        Some(file) if !file.is_empty() => format!(" in file {}", show(file)),
        _ => String::new(),
    };
    let truth = |value: bool| Some(value.to_string().into_bytes());
    match kind(parsed).as_deref() {
        Some("bool") => match config::parse_truth(value) {
            Some(value) => Ok(truth(value)),
            None => fatal(format!(
                "bad boolean config value '{}' for '{name}'",
                show(value)
            )),
        },
        Some("int") => match config::parse_number(value) {
            Some(number) => Ok(Some(number.to_string().into_bytes())),
            None => fatal(format!(
                "bad numeric config value '{}' for '{name}'{place}: invalid unit",
                show(value)
            )),
        },
        Some("bool-or-int") => match (config::parse_number(value), config::parse_truth(value)) {
            (Some(number), _) => Ok(Some(number.to_string().into_bytes())),
            (None, Some(value)) => Ok(truth(value)),
            _ => fatal(format!(
                "bad numeric config value '{}' for '{name}'{place}: invalid unit",
                show(value)
            )),
        },
        Some("path") => Ok(Some(config::expand_home(value))),
        None => Ok(Some(value.to_vec())),
        Some(other) => fatal(format!("unrecognized --type argument, {other}")),
    }
}

fn origin(entry: &Entry) -> String {
    if entry.file.is_empty() {
        "command line:".to_owned()
    } else {
        format!("file:{}", show(&entry.file))
    }
}

fn prefix(parsed: &Parsed, entry: &Entry) -> Vec<u8> {
    let end: &[u8] = if parsed.has("null") { b"\0" } else { b"\t" };
    let mut out = Vec::new();
    if parsed.has("show-scope") {
        out.extend(match entry.level {
            Level::System => &b"system"[..],
            Level::Global => b"global",
            Level::Local => b"local",
            Level::Command => b"command",
        });
        out.extend_from_slice(end);
    }
    if parsed.has("show-origin") {
        out.extend(origin(entry).bytes());
        out.extend_from_slice(end);
    }
    out
}

fn list(place: &Place, parsed: &Parsed) -> Result<i32> {
    for entry in place.entries() {
        let mut line = prefix(parsed, entry);
        line.extend_from_slice(&entry.key);
        if !parsed.has("name-only") {
            if parsed.has("null") {
                line.push(b'\n');
                line.extend_from_slice(entry.value.as_deref().unwrap_or_default());
            } else if let Some(value) = &entry.value {
                line.push(b'=');
                line.extend_from_slice(value);
            }
        }
        line.push(if parsed.has("null") { 0 } else { b'\n' });
        out::put(&line);
    }
    Ok(0)
}

/// Whether a value fits the pattern that limits a command.
fn fits(parsed: &Parsed, filter: Option<&[u8]>, value: &[u8]) -> Result<bool> {
    let Some(filter) = filter else {
        return Ok(true);
    };
    if parsed.has("fixed-value") {
        return Ok(filter == value);
    }
    let (negated, text) = match filter.strip_prefix(b"!") {
        Some(rest) => (true, show(rest)),
        None => (false, show(filter)),
    };
    match pattern::compile(&text, pattern::Kind::Extended, false) {
        Ok(regex) => Ok(regex.is_match(value) != negated),
        Err(_) => Err(Stop::ErrorStatus(
            format!("invalid pattern: {text}").into_bytes(),
            6,
        )),
    }
}

fn print(parsed: &Parsed, entry: &Entry, with_key: bool) -> Result<()> {
    let mut line = prefix(parsed, entry);
    let end: u8 = if parsed.has("null") { 0 } else { b'\n' };
    let raw = entry.value.as_deref();
    let value = match raw {
        None if kind(parsed).is_none() => None,
        raw => typed(
            parsed,
            raw.unwrap_or(b"true"),
            &entry.key,
            Some(&entry.file),
        )?,
    };
    if with_key {
        line.extend_from_slice(&entry.key);
        if parsed.has("name-only") {
            line.push(end);
            out::put(&line);
            return Ok(());
        }
        if value.is_some() {
            line.push(if parsed.has("null") { b'\n' } else { b' ' });
        }
    }
    line.extend(value.unwrap_or_default());
    line.push(end);
    out::put(&line);
    Ok(())
}

fn get(
    place: &Place,
    parsed: &Parsed,
    key: &[u8],
    filter: Option<&[u8]>,
    all: bool,
) -> Result<i32> {
    let filter = filter.or(parsed.value("value"));
    let mut found = Vec::new();
    for entry in place.entries().filter(|entry| entry.key == key) {
        if fits(parsed, filter, entry.value.as_deref().unwrap_or_default())? {
            found.push(entry);
        }
    }
    if found.is_empty() {
        if let Some(default) = parsed.value("default") {
            let value = typed(parsed, default, key, None)?.unwrap_or_default();
            out::line(value);
            return Ok(0);
        }
        return Ok(1);
    }
    if all {
        for entry in found {
            print(parsed, entry, false)?;
        }
        return Ok(0);
    }
    if let Some(entry) = found.last() {
        print(parsed, entry, false)?;
    }
    Ok(0)
}

fn get_regexp(place: &Place, parsed: &Parsed, text: &str, filter: Option<&[u8]>) -> Result<i32> {
    let Ok(regex) = pattern::compile(text, pattern::Kind::Extended, true) else {
        return Err(Stop::ErrorStatus(
            format!("invalid key pattern: {text}").into_bytes(),
            6,
        ));
    };
    let mut any = false;
    for entry in place.entries().filter(|entry| regex.is_match(&entry.key)) {
        if fits(parsed, filter, entry.value.as_deref().unwrap_or_default())? {
            any = true;
            print(parsed, entry, true)?;
        }
    }
    Ok(i32::from(!any))
}

/// The items of a file with this key and a value that fits.
fn places(
    parsed: &Parsed,
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
            && fits(parsed, filter, item.value.as_deref().unwrap_or_default())?
        {
            found.push(at);
        }
    }
    Ok(found)
}

fn set(
    place: &Place,
    parsed: &Parsed,
    key: &[u8],
    spelled: &[u8],
    value: &[u8],
    filter: Option<&[u8]>,
) -> Result<i32> {
    let text = os::read(&place.file).unwrap_or_default();
    let mut at = match parsed.has("add") || parsed.has("append") {
        true => Vec::new(),
        false => places(
            parsed,
            &text,
            key,
            filter.or(parsed.value("value")),
            &place.file,
        )?,
    };
    if at.len() > 1 && !parsed.has("replace-all") && !parsed.has("all") {
        out::warn(format!("{} has multiple values", show(key)));
        out::note("error: cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change ".to_owned() + &show(spelled) + ".");
        return Ok(5);
    }
    if filter.is_some() && at.is_empty() {
        at = Vec::new();
    }
    let Some(text) = config::edit(&text, key, spelled, Some(value), &at) else {
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
            let why = if found.kind() == std::io::ErrorKind::AlreadyExists {
                "File exists".to_owned()
            } else {
                crate::stop::why(&found)
            };
            Err(Stop::ErrorStatus(
                format!("could not lock config file {}: {why}", show(file)).into_bytes(),
                255,
            ))
        }
    }
}

fn unset(
    place: &Place,
    parsed: &Parsed,
    key: &[u8],
    filter: Option<&[u8]>,
    all: bool,
) -> Result<i32> {
    let text = os::read(&place.file).unwrap_or_default();
    let at = places(
        parsed,
        &text,
        key,
        filter.or(parsed.value("value")),
        &place.file,
    )?;
    if at.is_empty() {
        return Ok(5);
    }
    if at.len() > 1 && !all {
        out::warn(format!("{} has multiple values", show(key)));
        return Ok(5);
    }
    match config::edit(&text, key, key, None, &at) {
        Some(text) => write(&place.file, &text),
        None => Ok(3),
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
