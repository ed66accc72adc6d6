//! From the command line to what is to be done.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::hash::BuildHasher as _;
use std::io::Read as _;

use clap::builder::{PossibleValue, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};
use uucore::parser::shortcut_value_parser::ShortcutValueParser;

use super::key::{Key, Options};
use super::{Arguments, FAILURE, LineOrder, TOOL, complain, or_stdin};

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    Sort,
    Merge,
    Check { silent: bool },
}

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) job: Job,
    pub(super) order: LineOrder,
    pub(super) files: Vec<OsString>,
    pub(super) output: Option<OsString>,
    pub(super) line_end: u8,
}

/// Flags that say how lines compare: letter, long name, what help says.
const ORDERINGS: [(char, &str, &str); 11] = [
    ('b', "ignore-leading-blanks", "ignore leading blanks"),
    (
        'd',
        "dictionary-order",
        "consider only blanks and alphanumeric characters",
    ),
    (
        'f',
        "ignore-case",
        "fold lower case to upper case characters",
    ),
    (
        'g',
        "general-numeric-sort",
        "compare according to general numerical value",
    ),
    (
        'i',
        "ignore-nonprinting",
        "consider only printable characters",
    ),
    ('M', "month-sort", "compare (unknown) < 'JAN' < ... < 'DEC'"),
    (
        'h',
        "human-numeric-sort",
        "compare human readable numbers (e.g., 2K 1G)",
    ),
    (
        'n',
        "numeric-sort",
        "compare according to string numerical value",
    ),
    ('R', "random-sort", "shuffle, but group identical keys"),
    ('r', "reverse", "reverse the result of comparisons"),
    (
        'V',
        "version-sort",
        "natural sort of (version) numbers within text",
    ),
];

/// The words of `--sort` and the letters they stand for.
const SORTS: [(&str, u8); 6] = [
    ("general-numeric", b'g'),
    ("human-numeric", b'h'),
    ("month", b'M'),
    ("numeric", b'n'),
    ("random", b'R'),
    ("version", b'V'),
];

fn command() -> Command {
    let mut command = Command::new(TOOL)
        .version("(codepod)")
        .about(
            "Write sorted concatenation of all FILE(s) to standard output.\n\n\
             With no FILE, or when FILE is -, read standard input.",
        )
        .override_usage("sort [OPTION]... [FILE]...\nsort [OPTION]... --files0-from=F")
        .after_help(
            "KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a\n\
             field number and C a character position in the field; both are origin 1, and\n\
             the stop position defaults to the line's end.  OPTS is one or more\n\
             single-letter ordering options [bdfgiMhnRrV], which override global ordering\n\
             options for that key.  If no key is given, use the entire line as the key.\n\n\
             Lines are compared by their bytes, whatever the locale is.",
        )
        .infer_long_args(true);
    for (letter, name, help) in ORDERINGS {
        command = command.arg(flag(letter, name, help));
    }
    command
        .arg(
            value("sort", "WORD", "sort according to WORD")
                .value_parser(ShortcutValueParser::new(SORTS.map(|(word, _)| word))),
        )
        .arg(value("random-source", "FILE", "get random bytes from FILE"))
        .arg(value("batch-size", "NMERGE", "accepted; changes nothing"))
        .arg(
            value(
                "check",
                "diagnose-first",
                "check for sorted input; do not sort",
            )
            .short('c')
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("diagnose-first")
            .value_parser(ShortcutValueParser::new([
                PossibleValue::new("quiet").alias("silent"),
                PossibleValue::new("diagnose-first"),
            ])),
        )
        .arg(
            flag(
                'C',
                "check-silent",
                "like -c, but do not report first bad line",
            )
            .hide(true),
        )
        .arg(value(
            "compress-program",
            "PROG",
            "accepted; changes nothing",
        ))
        .arg(value(
            "files0-from",
            "F",
            "read input from the files specified by NUL-terminated names in file F",
        ))
        .arg(
            value(
                "key",
                "KEYDEF",
                "sort via a key; KEYDEF gives location and type",
            )
            .short('k')
            .action(ArgAction::Append),
        )
        .arg(flag(
            'm',
            "merge",
            "merge already sorted files; do not sort",
        ))
        .arg(
            value(
                "output",
                "FILE",
                "write result to FILE instead of standard output",
            )
            .short('o')
            .action(ArgAction::Append),
        )
        .arg(flag(
            's',
            "stable",
            "stabilize sort by disabling last-resort comparison",
        ))
        .arg(value("buffer-size", "SIZE", "accepted; changes nothing").short('S'))
        .arg(
            value(
                "field-separator",
                "SEP",
                "use SEP instead of non-blank to blank transition",
            )
            .short('t')
            .action(ArgAction::Append),
        )
        .arg(value("temporary-directory", "DIR", "accepted; changes nothing").short('T'))
        .arg(value("parallel", "N", "accepted; changes nothing"))
        .arg(flag(
            'u',
            "unique",
            "with -c, check for strict ordering; without -c, output only the first of an equal run",
        ))
        .arg(flag(
            'z',
            "zero-terminated",
            "line delimiter is NUL, not newline",
        ))
        .arg(
            Arg::new("files")
                .action(ArgAction::Append)
                .value_parser(ValueParser::os_string()),
        )
}

fn flag(letter: char, name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .short(letter)
        .long(name)
        .help(help)
        .action(ArgAction::SetTrue)
}

fn value(name: &'static str, of: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(of)
        .help(help)
        .value_parser(ValueParser::os_string())
}

/// Reads the command line.
///
/// Fails with the status to end with; what there is to say has been said.
pub(super) fn parse(arguments: Arguments) -> Result<Settings, i32> {
    let matches = command().try_get_matches_from(arguments).map_err(|error| {
        // Where even that cannot be printed there is nobody to tell.
        let _ = error.print();
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => 0,
            ErrorKind::WrongNumberOfValues => 1,
            _ => FAILURE,
        }
    })?;
    settings(&matches).map_err(|message| {
        complain(TOOL, &message);
        FAILURE
    })
}

fn settings(matches: &ArgMatches) -> Result<Settings, String> {
    let global = global_options(matches);
    let keys = keys(matches, global)?;
    let salt = match std::iter::once(global)
        .chain(keys.iter().map(Key::options))
        .any(|options| options.has(b'R'))
    {
        true => salt(matches.get_one("random-source"))?,
        false => [0; 16],
    };
    let files = files(matches)?;
    let output = only(matches, "output").map_err(|_| "multiple output files specified")?;
    let job = job(matches);
    if let Job::Check { silent } = job {
        let letter = if silent { 'C' } else { 'c' };
        if let Some(extra) = files.get(1) {
            let extra = extra.to_string_lossy();
            return Err(format!(
                "extra operand '{extra}' not allowed with -{letter}"
            ));
        }
        if output.is_some() {
            return Err(format!("options '-{letter}o' are incompatible"));
        }
    }
    Ok(Settings {
        job,
        order: LineOrder {
            keys,
            separator: separator(matches)?,
            reverse: global.has(b'r'),
            stable: matches.get_flag("stable"),
            unique: matches.get_flag("unique"),
            salt,
        },
        files,
        output,
        line_end: match matches.get_flag("zero-terminated") {
            true => 0,
            false => b'\n',
        },
    })
}

fn global_options(matches: &ArgMatches) -> Options {
    let mut global = Options::NONE;
    for (letter, name, _) in ORDERINGS {
        if matches.get_flag(name) {
            global.add(letter as u8);
        }
    }
    let word = matches.get_one::<String>("sort");
    for (known, letter) in SORTS {
        if word.is_some_and(|word| word == known) {
            global.add(letter);
        }
    }
    global
}

fn keys(matches: &ArgMatches, global: Options) -> Result<Vec<Key>, String> {
    let mut keys = Vec::new();
    for spec in matches.get_many::<OsString>("key").unwrap_or_default() {
        keys.push(Key::parse(&spec.to_string_lossy(), global)?);
    }
    let mut only_reverse = Options::NONE;
    only_reverse.add(b'r');
    if keys.is_empty() && global != Options::NONE && global != only_reverse {
        keys.push(Key::line(global));
    }
    let all = std::iter::once(global).chain(keys.iter().map(Key::options));
    match all.filter_map(Options::conflict).next() {
        Some(letters) => Err(format!("options '-{letters}' are incompatible")),
        None => Ok(keys),
    }
}

fn job(matches: &ArgMatches) -> Job {
    let how = matches.get_one::<String>("check");
    match how.map(String::as_str) {
        Some("diagnose-first") => Job::Check { silent: false },
        Some(_) => Job::Check { silent: true },
        None if matches.get_flag("check-silent") => Job::Check { silent: true },
        None if matches.get_flag("merge") => Job::Merge,
        None => Job::Sort,
    }
}

/// The value of an option that may be repeated but not changed. Fails with the second value.
fn only(matches: &ArgMatches, name: &str) -> Result<Option<OsString>, OsString> {
    let mut values = matches.get_many::<OsString>(name).unwrap_or_default();
    let Some(first) = values.next() else {
        return Ok(None);
    };
    match values.find(|other| *other != first) {
        Some(other) => Err(other.clone()),
        None => Ok(Some(first.clone())),
    }
}

fn separator(matches: &ArgMatches) -> Result<Option<u8>, String> {
    let Some(text) = only(matches, "field-separator").map_err(|_| "incompatible tabs")? else {
        return Ok(None);
    };
    match text.as_encoded_bytes() {
        [] => Err("empty tab".into()),
        [separator] => Ok(Some(*separator)),
        b"\\0" => Ok(Some(0)),
        _ => Err(format!("multi-character tab '{}'", text.to_string_lossy())),
    }
}

fn files(matches: &ArgMatches) -> Result<Vec<OsString>, String> {
    let operands: Vec<OsString> = matches
        .get_many::<OsString>("files")
        .unwrap_or_default()
        .cloned()
        .collect();
    let Some(list) = matches.get_one::<OsString>("files0-from") else {
        return Ok(or_stdin(operands));
    };
    if let Some(extra) = operands.first() {
        let extra = extra.to_string_lossy();
        return Err(format!(
            "extra operand '{extra}'\nfile operands cannot be combined with --files0-from\n\
             Try 'sort --help' for more information."
        ));
    }
    let mut text = Vec::new();
    super::read(list, &mut text, 0).map_err(|why| why.replacen("cannot read", "open failed", 1))?;
    let shown = list.to_string_lossy();
    let mut names = Vec::new();
    for (number, name) in super::lines(&text, 0).enumerate() {
        if name.is_empty() {
            return Err(format!(
                "{shown}:{}: invalid zero-length file name",
                number + 1
            ));
        }
        names.push(name_of(name));
    }
    match names.is_empty() {
        true => Err(format!("no input from '{shown}'")),
        false => Ok(names),
    }
}

fn name_of(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    use std::os::unix::ffi::OsStrExt;
    #[cfg(target_os = "wasi")]
    use std::os::wasi::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).to_owned()
}

/// What makes the random order differ from run to run, or from file to file.
fn salt(source: Option<&OsString>) -> Result<[u8; 16], String> {
    let mut salt = [0; 16];
    let Some(source) = source else {
        let random = RandomState::new();
        for (number, half) in salt.chunks_exact_mut(8).enumerate() {
            half.copy_from_slice(&random.hash_one(number).to_le_bytes());
        }
        return Ok(salt);
    };
    let shown = source.to_string_lossy();
    let mut file = std::fs::File::open(source).map_err(|error| {
        format!(
            "open failed: {shown}: {}",
            uucore::error::strip_errno(&error)
        )
    })?;
    file.read_exact(&mut salt)
        .map_err(|_| format!("'{shown}': end of file"))?;
    Ok(salt)
}
