//! What the arguments of `zip` ask for.
//!
//! Options are one or two letters behind a dash, several in one argument, some taken back by a dash
//! behind them.

use codepod_tool::Arguments;

use super::Failure;
use super::options::{Key, Opt, TABLE, Values};

/// What is done with an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Action {
    /// Entries are added or replaced.
    #[default]
    Add,
    /// Only those that are newer, and new ones.
    Update,
    /// Only those that are newer.
    Freshen,
    /// Entries go away.
    Delete,
}

/// The method that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Method {
    /// Files as they are.
    Store,
    /// Deflate.
    #[default]
    Deflate,
    /// bzip2.
    Bzip2,
}

/// The options.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) level: u8,
    pub(crate) method: Method,
    pub(crate) action: Action,
    pub(crate) directories: bool,
    pub(crate) sync: bool,
    pub(crate) fifo: bool,
    pub(crate) descriptors: bool,
    pub(crate) include: Vec<Vec<u8>>,
    pub(crate) exclude: Vec<Vec<u8>>,
    pub(crate) ignore_case: bool,
    pub(crate) junk: bool,
    pub(crate) remove: bool,
    pub(crate) must_match: bool,
    /// Files with these endings are stored.
    pub(crate) stored: Vec<Vec<u8>>,
    pub(crate) wild: bool,
    pub(crate) latest: bool,
    pub(crate) output: Option<Vec<u8>>,
    pub(crate) password: Option<Vec<u8>>,
    pub(crate) quiet: bool,
    pub(crate) recurse: bool,
    pub(crate) recurse_patterns: bool,
    pub(crate) show_files: bool,
    /// Year, month, day: files from then.
    pub(crate) from: Option<(i64, i64, i64)>,
    /// Files before then.
    pub(crate) before: Option<(i64, i64, i64)>,
    pub(crate) test: bool,
    pub(crate) verbose: bool,
    pub(crate) strip: bool,
    pub(crate) links: bool,
    pub(crate) comment: bool,
    pub(crate) names_stdin: bool,
    pub(crate) archive: Option<Vec<u8>>,
    pub(crate) files: Vec<Vec<u8>>,
}

impl Default for Settings {
    fn default() -> Settings {
        let stored = [".Z", ".zip", ".zoo", ".arc", ".lzh", ".arj"];
        Settings {
            level: 6,
            method: Method::Deflate,
            action: Action::Add,
            directories: true,
            sync: false,
            fifo: false,
            descriptors: false,
            include: Vec::new(),
            exclude: Vec::new(),
            ignore_case: false,
            junk: false,
            remove: false,
            must_match: false,
            stored: stored.map(|suffix| suffix.as_bytes().to_vec()).to_vec(),
            wild: true,
            latest: false,
            output: None,
            password: None,
            quiet: false,
            recurse: false,
            recurse_patterns: false,
            show_files: false,
            from: None,
            before: None,
            test: false,
            verbose: false,
            strip: false,
            links: false,
            comment: false,
            names_stdin: false,
            archive: None,
            files: Vec::new(),
        }
    }
}

/// What the arguments ask for.
pub(crate) enum Asked {
    /// To run.
    Run(Box<Settings>),
    /// Help.
    Help,
    /// The version.
    Version,
}

/// Reads the arguments. Fails with zip's own messages.
pub(crate) fn read(arguments: Arguments) -> Result<Asked, Failure> {
    let mut reader = Reader {
        settings: Settings::default(),
        asked: None,
        rest: arguments.into_iter().peekable(),
    };
    let mut only_names = false;
    while let Some(argument) = reader.rest.next() {
        if only_names || argument.len() < 2 || argument[0] != b'-' {
            reader.name(argument);
        } else if argument == b"--" {
            if reader.settings.archive.is_none() {
                return Err(Failure::parameters("can't use -- before archive name"));
            }
            only_names = true;
        } else if argument.starts_with(b"--") {
            reader.long(&argument[2..])?;
        } else {
            reader.short(&argument[1..])?;
        }
    }
    Ok(match reader.asked {
        Some(asked) => asked,
        None => Asked::Run(Box::new(reader.settings)),
    })
}

struct Reader<I: Iterator<Item = Vec<u8>>> {
    settings: Settings,
    asked: Option<Asked>,
    rest: std::iter::Peekable<I>,
}

impl<I: Iterator<Item = Vec<u8>>> Reader<I> {
    fn name(&mut self, name: Vec<u8>) {
        match self.settings.archive {
            None => self.settings.archive = Some(name),
            Some(_) => self.settings.files.push(name),
        }
    }

    fn long(&mut self, text: &[u8]) -> Result<(), Failure> {
        let (name, attached) = match text.iter().position(|byte| *byte == b'=') {
            Some(at) => (&text[..at], Some(text[at + 1..].to_vec())),
            None => (text, None),
        };
        let shown = String::from_utf8_lossy(name).into_owned();
        let long = || TABLE.iter().filter(|option| !option.long.is_empty());
        let exact = long().find(|option| option.long.as_bytes() == name);
        let mut matching = long().filter(|option| option.long.as_bytes().starts_with(name));
        let option = match (exact, matching.next(), matching.next()) {
            (Some(option), ..) | (None, Some(option), None) => option,
            (None, None, _) => {
                return Err(Failure::parameters(format!(
                    "long option '{shown}' not supported"
                )));
            }
            (None, Some(_), Some(_)) => {
                return Err(Failure::parameters(format!(
                    "long option '{shown}' ambiguous"
                )));
            }
        };
        let value = match (option.values, attached) {
            (Values::Nothing | Values::Dash, _) => Vec::new(),
            (_, Some(value)) if !value.is_empty() => vec![value],
            _ => self.values(option.long, option)?,
        };
        self.apply(option, false, value)
    }

    fn short(&mut self, cluster: &[u8]) -> Result<(), Failure> {
        let mut at = 0;
        while at < cluster.len() {
            let find = |length: usize| {
                let text = cluster.get(at..at + length)?;
                TABLE.iter().find(|option| option.short.as_bytes() == text)
            };
            let Some(option) = find(2).or_else(|| find(1)) else {
                let letter = String::from_utf8_lossy(&cluster[at..=at]).into_owned();
                return Err(Failure::parameters(format!(
                    "short option '{letter}' not supported"
                )));
            };
            at += option.short.len();
            let negative = option.values == Values::Dash && cluster.get(at) == Some(&b'-');
            at += usize::from(negative);
            let value = if matches!(option.values, Values::Nothing | Values::Dash) {
                Vec::new()
            } else {
                let rest = cluster[at..]
                    .strip_prefix(b"=")
                    .unwrap_or(&cluster[at..])
                    .to_vec();
                at = cluster.len();
                match rest.is_empty() {
                    false => vec![rest],
                    true => self.values(option.short, option)?,
                }
            };
            self.apply(option, negative, value)?;
        }
        Ok(())
    }

    /// The values that follow as arguments of their own; a list ends at the next option or at `@`.
    fn values(&mut self, name: &str, option: &Opt) -> Result<Vec<Vec<u8>>, Failure> {
        if option.key == Key::Refused {
            return Err(refused(option));
        }
        let mut values = Vec::new();
        if option.values == Values::One {
            values.extend(self.rest.next());
        } else {
            while let Some(value) = self
                .rest
                .next_if(|value| !(value.starts_with(b"-") && value.len() > 1))
            {
                if value == b"@" {
                    break;
                }
                values.push(value);
            }
        }
        if values.is_empty() {
            return Err(Failure::parameters(format!(
                "option '{name}' ({}) requires a value",
                option.text
            )));
        }
        Ok(values)
    }

    fn apply(&mut self, option: &Opt, negative: bool, values: Vec<Vec<u8>>) -> Result<(), Failure> {
        let settings = &mut self.settings;
        let mut value = values.first().cloned().unwrap_or_default();
        match option.key {
            Key::Level(level) => {
                settings.level = level;
                settings.method = if level == 0 {
                    Method::Store
                } else {
                    Method::Deflate
                };
            }
            Key::Action(action) => {
                if settings.action != Action::Add {
                    return Err(Failure::parameters("specify just one action"));
                }
                settings.action = action;
            }
            Key::NoDirectories => settings.directories = false,
            Key::Sync => settings.sync = true,
            Key::Fifo => settings.fifo = !negative,
            Key::Descriptors => settings.descriptors = true,
            Key::Include => settings.include.extend(patterns(values)?),
            Key::Exclude => settings.exclude.extend(patterns(values)?),
            Key::IgnoreCase => settings.ignore_case = !negative,
            Key::Junk => settings.junk = true,
            Key::Paths => settings.junk = false,
            Key::Move => settings.remove = true,
            Key::MustMatch => settings.must_match = true,
            Key::Suffixes => {
                let parts = value.split(|byte| matches!(byte, b':' | b';' | b','));
                settings.stored = parts
                    .filter(|part| !part.is_empty())
                    .map(<[u8]>::to_vec)
                    .collect();
            }
            Key::NoWild => settings.wild = false,
            Key::Latest => settings.latest = true,
            Key::Output => settings.output = Some(value),
            Key::Password if value.is_empty() => {
                return Err(Failure::parameters("zero length password not allowed"));
            }
            Key::Password => settings.password = Some(value),
            Key::Quiet => settings.quiet = true,
            Key::Recurse | Key::RecursePatterns => {
                match option.key {
                    Key::Recurse => settings.recurse = true,
                    _ => settings.recurse_patterns = true,
                }
                if settings.recurse && settings.recurse_patterns {
                    return Err(Failure::parameters("do not specify both -r and -R"));
                }
            }
            Key::ShowFiles => settings.show_files = !negative,
            Key::From | Key::Before => {
                let Some(date) = date(&value) else {
                    let letter = if option.key == Key::From { "-t" } else { "-tt" };
                    let text = format!(
                        "invalid date entered for {letter} option - use mmddyyyy or yyyy-mm-dd"
                    );
                    return Err(Failure::parameters(text));
                };
                match option.key {
                    Key::From => settings.from = Some(date),
                    _ => settings.before = Some(date),
                }
            }
            Key::Test => settings.test = true,
            Key::Verbose => settings.verbose = true,
            Key::Strip => settings.strip = !negative,
            Key::Links => settings.links = true,
            Key::Comment => settings.comment = true,
            Key::Method => {
                value.make_ascii_lowercase();
                settings.method = match &value[..] {
                    b"store" => Method::Store,
                    b"deflate" => Method::Deflate,
                    b"bzip2" => Method::Bzip2,
                    _ => {
                        return Err(Failure::method(&value));
                    }
                };
            }
            Key::NamesStdin => settings.names_stdin = true,
            Key::Help => self.asked = Some(Asked::Help),
            Key::Version => self.asked = Some(Asked::Version),
            Key::Nothing | Key::NothingWithValue => {}
            Key::Refused => return Err(refused(option)),
        }
        Ok(())
    }
}

/// An option that is known, but not here.
fn refused(option: &Opt) -> Failure {
    let shown = if option.short.is_empty() {
        option.long
    } else {
        option.short
    };
    Failure::refused(format!(
        "option '{shown}' ({}) is not supported here",
        option.text
    ))
}

/// Patterns, with those of files: `@file`.
fn patterns(values: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Failure> {
    let mut found = Vec::new();
    for value in values {
        let Some(file) = value.strip_prefix(b"@").filter(|file| !file.is_empty()) else {
            found.push(value);
            continue;
        };
        let text =
            std::fs::read(codepod_tool::path(file)).map_err(|error| Failure::open(&error, file))?;
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        found.extend(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec));
    }
    Ok(found)
}

/// `mmddyyyy` or `yyyy-mm-dd`.
fn date(text: &[u8]) -> Option<(i64, i64, i64)> {
    let text = std::str::from_utf8(text).ok()?;
    let parts: Vec<&str> = text.split('-').collect();
    let (year, month, day) = match parts[..] {
        [year, month, day] => (year, month, day),
        [_] if text.len() == 8 && text.is_ascii() => (&text[4..], &text[..2], &text[2..4]),
        _ => return None,
    };
    let date = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    ((1..=12).contains(&date.1) && (1..=31).contains(&date.2) && date.0 > 0).then_some(date)
}
