//! Options of `zip`: one or two letters behind a dash, several in one argument, some taken back by a dash behind them.

use codepod_tool::Arguments;

use super::Failure;

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

/// An option's own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Level(u8),
    Action(Action),
    NoDirectories,
    Sync,
    Fifo,
    Descriptors,
    Help,
    Include,
    Exclude,
    IgnoreCase,
    Junk,
    Move,
    MustMatch,
    Suffixes,
    NoWild,
    Latest,
    Output,
    Paths,
    Password,
    Quiet,
    Recurse,
    RecursePatterns,
    ShowFiles,
    From,
    Before,
    Test,
    Verbose,
    Version,
    Strip,
    Links,
    Comment,
    Method,
    NamesStdin,
    /// Accepted, and without effect here.
    Nothing,
    /// A value that has no effect here.
    NothingWithValue,
    /// Known, and refused.
    Refused,
}

/// How many values an option has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    None,
    One,
    List,
}

struct Opt(&'static str, &'static str, Values, bool, Key, &'static str);

use Values::{List, None as No, One};

const TABLE: &[Opt] = &[
    Opt("0", "store", No, false, Key::Level(0), "store"),
    Opt("1", "compress-1", No, false, Key::Level(1), "compress 1"),
    Opt("2", "compress-2", No, false, Key::Level(2), "compress 2"),
    Opt("3", "compress-3", No, false, Key::Level(3), "compress 3"),
    Opt("4", "compress-4", No, false, Key::Level(4), "compress 4"),
    Opt("5", "compress-5", No, false, Key::Level(5), "compress 5"),
    Opt("6", "compress-6", No, false, Key::Level(6), "compress 6"),
    Opt("7", "compress-7", No, false, Key::Level(7), "compress 7"),
    Opt("8", "compress-8", No, false, Key::Level(8), "compress 8"),
    Opt("9", "compress-9", No, false, Key::Level(9), "compress 9"),
    Opt(
        "A",
        "adjust-sfx",
        No,
        false,
        Key::Refused,
        "adjust self extractor offsets",
    ),
    Opt(
        "b",
        "temp-path",
        One,
        false,
        Key::NothingWithValue,
        "dir to use for temp archive",
    ),
    Opt(
        "c",
        "entry-comments",
        No,
        false,
        Key::Refused,
        "add comments for each entry",
    ),
    Opt(
        "d",
        "delete",
        No,
        false,
        Key::Action(Action::Delete),
        "delete entries from archive",
    ),
    Opt(
        "db",
        "display-bytes",
        No,
        true,
        Key::Refused,
        "display running bytes",
    ),
    Opt(
        "dc",
        "display-counts",
        No,
        true,
        Key::Refused,
        "display running file count",
    ),
    Opt(
        "dd",
        "display-dots",
        No,
        true,
        Key::Refused,
        "display dots as process each file",
    ),
    Opt(
        "dg",
        "display-globaldots",
        No,
        true,
        Key::Refused,
        "display dots for archive instead of files",
    ),
    Opt(
        "ds",
        "dot-size",
        One,
        false,
        Key::Refused,
        "set progress dot size - default 10M bytes",
    ),
    Opt(
        "du",
        "display-usize",
        No,
        true,
        Key::Refused,
        "display uncompressed size in bytes",
    ),
    Opt(
        "dv",
        "display-volume",
        No,
        true,
        Key::Refused,
        "display volume (disk) number",
    ),
    Opt(
        "D",
        "no-dir-entries",
        No,
        false,
        Key::NoDirectories,
        "no entries for dirs themselves (-x */)",
    ),
    Opt(
        "DF",
        "difference-archive",
        No,
        false,
        Key::Refused,
        "create diff archive with changed/new files",
    ),
    Opt(
        "e",
        "encrypt",
        No,
        false,
        Key::Refused,
        "encrypt entries, ask for password",
    ),
    Opt(
        "F",
        "fix",
        No,
        false,
        Key::Refused,
        "fix mostly intact archive (try first)",
    ),
    Opt(
        "FF",
        "fixfix",
        No,
        false,
        Key::Refused,
        "try harder to fix archive (not as reliable)",
    ),
    Opt(
        "FI",
        "fifo",
        No,
        true,
        Key::Fifo,
        "read Unix FIFO (zip will wait on open pipe)",
    ),
    Opt(
        "FS",
        "filesync",
        No,
        false,
        Key::Sync,
        "add/delete entries to make archive match OS",
    ),
    Opt(
        "f",
        "freshen",
        No,
        false,
        Key::Action(Action::Freshen),
        "freshen existing archive entries",
    ),
    Opt(
        "fd",
        "force-descriptors",
        No,
        false,
        Key::Descriptors,
        "force data descriptors as if streaming",
    ),
    Opt(
        "fz",
        "force-zip64",
        No,
        true,
        Key::Refused,
        "force use of Zip64 format, negate prevents",
    ),
    Opt(
        "g",
        "grow",
        No,
        false,
        Key::Nothing,
        "grow existing archive instead of replace",
    ),
    Opt("h", "help", No, false, Key::Help, "help"),
    Opt("H", "", No, false, Key::Help, "help"),
    Opt("?", "", No, false, Key::Help, "help"),
    Opt("h2", "more-help", No, false, Key::Help, "extended help"),
    Opt(
        "i",
        "include",
        List,
        false,
        Key::Include,
        "include only files matching patterns",
    ),
    Opt(
        "ic",
        "ignore-case",
        No,
        true,
        Key::IgnoreCase,
        "ignore case when matching archive entries",
    ),
    Opt(
        "j",
        "junk-paths",
        No,
        false,
        Key::Junk,
        "strip paths and just store file names",
    ),
    Opt(
        "J",
        "junk-sfx",
        No,
        false,
        Key::Refused,
        "strip self extractor from archive",
    ),
    Opt(
        "k",
        "DOS-names",
        No,
        false,
        Key::Refused,
        "force use of 8.3 DOS names",
    ),
    Opt(
        "l",
        "to-crlf",
        No,
        false,
        Key::Refused,
        "convert text file line ends - LF->CRLF",
    ),
    Opt(
        "ll",
        "from-crlf",
        No,
        false,
        Key::Refused,
        "convert text file line ends - CRLF->LF",
    ),
    Opt(
        "lf",
        "logfile-path",
        One,
        false,
        Key::Refused,
        "log to log file at path (default overwrite)",
    ),
    Opt(
        "la",
        "log-append",
        No,
        true,
        Key::Refused,
        "append to existing log file",
    ),
    Opt(
        "li",
        "log-info",
        No,
        true,
        Key::Refused,
        "include informational messages in log",
    ),
    Opt("L", "license", No, false, Key::Version, "display license"),
    Opt(
        "m",
        "move",
        No,
        false,
        Key::Move,
        "add files to archive then delete files",
    ),
    Opt(
        "MM",
        "must-match",
        No,
        false,
        Key::MustMatch,
        "error if in file not matched/not readable",
    ),
    Opt(
        "n",
        "suffixes",
        One,
        false,
        Key::Suffixes,
        "suffixes to not compress: .gz:.zip",
    ),
    Opt(
        "nw",
        "no-wild",
        No,
        false,
        Key::NoWild,
        "no wildcards during add or update",
    ),
    Opt(
        "o",
        "latest-time",
        No,
        false,
        Key::Latest,
        "use latest entry time as archive time",
    ),
    Opt(
        "O",
        "output-file",
        One,
        false,
        Key::Output,
        "set out zipfile different than in zipfile",
    ),
    Opt("p", "paths", No, false, Key::Paths, "store paths"),
    Opt(
        "P",
        "password",
        One,
        false,
        Key::Password,
        "encrypt entries, option value is password",
    ),
    Opt("q", "quiet", No, false, Key::Quiet, "quiet"),
    Opt(
        "r",
        "recurse-paths",
        No,
        false,
        Key::Recurse,
        "recurse down listed paths",
    ),
    Opt(
        "R",
        "recurse-patterns",
        No,
        false,
        Key::RecursePatterns,
        "recurse current dir and match patterns",
    ),
    Opt(
        "RE",
        "regex",
        No,
        false,
        Key::Nothing,
        "allow [list] matching (regex)",
    ),
    Opt(
        "s",
        "split-size",
        One,
        false,
        Key::Refused,
        "do splits, set split size (-s=0 no splits)",
    ),
    Opt(
        "sp",
        "split-pause",
        No,
        false,
        Key::Refused,
        "pause while splitting to select destination",
    ),
    Opt(
        "sv",
        "split-verbose",
        No,
        false,
        Key::Refused,
        "be verbose about creating splits",
    ),
    Opt(
        "sb",
        "split-bell",
        No,
        false,
        Key::Refused,
        "when pause for next split ring bell",
    ),
    Opt(
        "sc",
        "show-command",
        No,
        false,
        Key::Refused,
        "show command line",
    ),
    Opt("sd", "show-debug", No, false, Key::Refused, "show debug"),
    Opt(
        "sf",
        "show-files",
        No,
        true,
        Key::ShowFiles,
        "show files to operate on and exit",
    ),
    Opt(
        "so",
        "show-options",
        No,
        false,
        Key::Refused,
        "show options",
    ),
    Opt(
        "su",
        "show-unicode",
        No,
        true,
        Key::Refused,
        "as -sf but also show escaped Unicode",
    ),
    Opt(
        "sU",
        "show-just-unicode",
        No,
        true,
        Key::Refused,
        "as -sf but only show escaped Unicode",
    ),
    Opt(
        "t",
        "from-date",
        One,
        false,
        Key::From,
        "exclude before date",
    ),
    Opt(
        "tt",
        "before-date",
        One,
        false,
        Key::Before,
        "include before date",
    ),
    Opt(
        "T",
        "test",
        No,
        false,
        Key::Test,
        "test updates before replacing archive",
    ),
    Opt(
        "TT",
        "unzip-command",
        One,
        false,
        Key::Refused,
        "unzip command to use, name is added to end",
    ),
    Opt(
        "u",
        "update",
        No,
        false,
        Key::Action(Action::Update),
        "update existing entries and add new",
    ),
    Opt(
        "U",
        "copy-entries",
        No,
        false,
        Key::Refused,
        "select from archive instead of file system",
    ),
    Opt(
        "UN",
        "unicode",
        One,
        false,
        Key::Refused,
        "UN=quit, warn, ignore, no, escape",
    ),
    Opt(
        "v",
        "verbose",
        No,
        false,
        Key::Verbose,
        "display additional information",
    ),
    Opt(
        "",
        "version",
        No,
        false,
        Key::Version,
        "(if no other args) show version information",
    ),
    Opt(
        "ws",
        "wild-stop-dirs",
        No,
        false,
        Key::Refused,
        "* stops at /, ** includes any /",
    ),
    Opt(
        "x",
        "exclude",
        List,
        false,
        Key::Exclude,
        "exclude files matching patterns",
    ),
    Opt(
        "X",
        "strip-extra",
        No,
        true,
        Key::Strip,
        "-X- keep all ef, -X strip but critical ef",
    ),
    Opt(
        "y",
        "symlinks",
        No,
        false,
        Key::Links,
        "store symbolic links",
    ),
    Opt(
        "z",
        "archive-comment",
        No,
        false,
        Key::Comment,
        "ask for archive comment",
    ),
    Opt(
        "Z",
        "compression-method",
        One,
        false,
        Key::Method,
        "compression method",
    ),
    Opt(
        "@",
        "names-stdin",
        No,
        false,
        Key::NamesStdin,
        "get file names from stdin, one per line",
    ),
];

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
        let exact = TABLE
            .iter()
            .find(|option| !option.1.is_empty() && option.1.as_bytes() == name);
        let begins = |option: &&Opt| !option.1.is_empty() && option.1.as_bytes().starts_with(name);
        let (mut matching, shown) = (
            TABLE.iter().filter(begins),
            String::from_utf8_lossy(name).into_owned(),
        );
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
        let value = match (option.2, attached) {
            (Values::None, _) => Vec::new(),
            (_, Some(value)) if !value.is_empty() => vec![value],
            (kind, _) => self.values(kind, option.1, option)?,
        };
        self.apply(option, false, value)
    }

    fn short(&mut self, cluster: &[u8]) -> Result<(), Failure> {
        let mut at = 0;
        while at < cluster.len() {
            let find = |length: usize| {
                let text = cluster.get(at..at + length)?;
                TABLE.iter().find(|option| option.0.as_bytes() == text)
            };
            let Some(option) = find(2).or_else(|| find(1)) else {
                let letter = String::from_utf8_lossy(&cluster[at..=at]).into_owned();
                return Err(Failure::parameters(format!(
                    "short option '{letter}' not supported"
                )));
            };
            at += option.0.len();
            let negative = option.3 && cluster.get(at) == Some(&b'-');
            at += usize::from(negative);
            let value = if option.2 == Values::None {
                Vec::new()
            } else {
                let rest = cluster[at..]
                    .strip_prefix(b"=")
                    .unwrap_or(&cluster[at..])
                    .to_vec();
                at = cluster.len();
                match rest.is_empty() {
                    false => vec![rest],
                    true => self.values(option.2, option.0, option)?,
                }
            };
            self.apply(option, negative, value)?;
        }
        Ok(())
    }

    /// The values that follow as arguments of their own; a list ends at the next option or at `@`.
    fn values(&mut self, kind: Values, name: &str, option: &Opt) -> Result<Vec<Vec<u8>>, Failure> {
        if option.4 == Key::Refused {
            return Err(refused(option));
        }
        let mut values = Vec::new();
        if kind == Values::One {
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
                option.5
            )));
        }
        Ok(values)
    }

    fn apply(&mut self, option: &Opt, negative: bool, values: Vec<Vec<u8>>) -> Result<(), Failure> {
        let settings = &mut self.settings;
        let mut value = values.first().cloned().unwrap_or_default();
        match option.4 {
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
                match option.4 {
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
                    let letter = if option.4 == Key::From { "-t" } else { "-tt" };
                    let text = format!(
                        "invalid date entered for {letter} option - use mmddyyyy or yyyy-mm-dd"
                    );
                    return Err(Failure::parameters(text));
                };
                match option.4 {
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
    let shown = if option.0.is_empty() {
        option.1
    } else {
        option.0
    };
    Failure::refused(format!(
        "option '{shown}' ({}) is not supported here",
        option.5
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
