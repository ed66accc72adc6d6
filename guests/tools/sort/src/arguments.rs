//! From the command line to what is to be done.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::hash::BuildHasher as _;
use std::io::{self, Read as _, Write as _};

use codepod_tool::{
    Arguments, Found, Opt, Usage, Value, complain, flag, io_text, long, optional, os_str, value,
};

use crate::FAILURE;
use crate::key::{Key, Options};
use crate::line_order::LineOrder;
use crate::lines::Source;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Sort,
    Merge,
    Check { silent: bool },
}

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) job: Job,
    pub(crate) order: LineOrder,
    pub(crate) files: Vec<OsString>,
    pub(crate) output: Option<OsString>,
    pub(crate) line_end: u8,
    /// `-S`, in bytes.
    pub(crate) memory: Option<usize>,
    /// `-T`.
    pub(crate) temporary: Option<OsString>,
}

/// Names of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// One that says how lines compare, by its letter.
    Ordering(u8),
    BatchSize,
    BufferSize,
    Check,
    CheckSilent,
    CompressProgram,
    Files0From,
    Help,
    Key,
    Merge,
    Output,
    Parallel,
    RandomSource,
    Separator,
    Sort,
    Stable,
    Temporary,
    Unique,
    Version,
    /// `-y`, which older ones had; GNU's ignores it.
    Old,
    ZeroTerminated,
}

const TABLE: &[Opt<Name>] = &[
    flag(Name::Ordering(b'b'), b'b', "ignore-leading-blanks"),
    optional(Name::Check, 0, "check"),
    flag(Name::Check, b'c', ""),
    flag(Name::CheckSilent, b'C', ""),
    value(Name::CompressProgram, 0, "compress-program"),
    flag(Name::Ordering(b'd'), b'd', "dictionary-order"),
    flag(Name::Ordering(b'f'), b'f', "ignore-case"),
    long(Name::Files0From, "files0-from", Value::Required),
    flag(Name::Ordering(b'g'), b'g', "general-numeric-sort"),
    flag(Name::Ordering(b'i'), b'i', "ignore-nonprinting"),
    value(Name::Key, b'k', "key"),
    flag(Name::Merge, b'm', "merge"),
    flag(Name::Ordering(b'M'), b'M', "month-sort"),
    flag(Name::Ordering(b'n'), b'n', "numeric-sort"),
    flag(Name::Ordering(b'h'), b'h', "human-numeric-sort"),
    flag(Name::Ordering(b'V'), b'V', "version-sort"),
    flag(Name::Ordering(b'R'), b'R', "random-sort"),
    long(Name::RandomSource, "random-source", Value::Required),
    long(Name::Sort, "sort", Value::Required),
    value(Name::Output, b'o', "output"),
    flag(Name::Ordering(b'r'), b'r', "reverse"),
    flag(Name::Stable, b's', "stable"),
    long(Name::BatchSize, "batch-size", Value::Required),
    value(Name::BufferSize, b'S', "buffer-size"),
    value(Name::Separator, b't', "field-separator"),
    value(Name::Temporary, b'T', "temporary-directory"),
    flag(Name::Unique, b'u', "unique"),
    flag(Name::ZeroTerminated, b'z', "zero-terminated"),
    value(Name::Old, b'y', ""),
    long(Name::Parallel, "parallel", Value::Required),
    long(Name::Help, "help", Value::None),
    long(Name::Version, "version", Value::None),
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

/// The words of `--check`, and whether it is silent then.
const CHECKS: [(&str, bool); 3] = [("quiet", true), ("silent", true), ("diagnose-first", false)];

const HELP: &str = "\
Usage: sort [OPTION]... [FILE]...
  or:  sort [OPTION]... --files0-from=F
Write sorted concatenation of all FILE(s) to standard output.

With no FILE, or when FILE is -, read standard input.

Ordering options:

  -b, --ignore-leading-blanks  ignore leading blanks
  -d, --dictionary-order       consider only blanks and alphanumeric characters
  -f, --ignore-case            fold lower case to upper case characters
  -g, --general-numeric-sort   compare according to general numerical value
  -i, --ignore-nonprinting     consider only printable characters
  -M, --month-sort             compare (unknown) < 'JAN' < ... < 'DEC'
  -h, --human-numeric-sort     compare human readable numbers (e.g., 2K 1G)
  -n, --numeric-sort           compare according to string numerical value
  -R, --random-sort            shuffle, but group identical keys
      --random-source=FILE     get random bytes from FILE
  -r, --reverse                reverse the result of comparisons
      --sort=WORD              sort according to WORD: general-numeric -g,
                                 human-numeric -h, month -M, numeric -n,
                                 random -R, version -V
  -V, --version-sort           natural sort of (version) numbers within text

Other options:

      --batch-size=NMERGE      accepted; all temporary files are merged at once
  -c, --check                  check for sorted input; do not sort
  -C, --check=quiet            like -c, but do not report first bad line
      --compress-program=PROG  accepted; temporary files are not compressed
      --files0-from=F          read input from the files specified by
                                 NUL-terminated names in file F
  -k, --key=KEYDEF             sort via a key; KEYDEF gives location and type
  -m, --merge                  merge already sorted files; do not sort
  -o, --output=FILE            write result to FILE instead of standard output
  -s, --stable                 stabilize sort by disabling last-resort comparison
  -S, --buffer-size=SIZE       use SIZE for main memory buffer
  -t, --field-separator=SEP    use SEP instead of non-blank to blank transition
  -T, --temporary-directory=DIR  use DIR for temporaries, not $TMPDIR or /tmp
      --parallel=N             accepted; there is one thread
  -u, --unique                 with -c, check for strict ordering;
                                 without -c, output only the first of an equal run
  -z, --zero-terminated        line delimiter is NUL, not newline
      --help                   display this help and exit
      --version                output version information and exit

KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a
field number and C a character position in the field; both are origin 1, and
the stop position defaults to the line's end.  OPTS is one or more
single-letter ordering options [bdfgiMhnRrV], which override global ordering
options for that key.  If no key is given, use the entire line as the key.

Lines are compared by their bytes, whatever the locale is.
";

/// What was on the command line.
struct Given {
    orderings: Options,
    keys: Vec<Vec<u8>>,
    check: Option<bool>,
    merge: bool,
    stable: bool,
    unique: bool,
    line_end: u8,
    output: Option<Vec<u8>>,
    separator: Option<u8>,
    random_source: Option<Vec<u8>>,
    files0_from: Option<Vec<u8>>,
    memory: Option<usize>,
    temporary: Option<Vec<u8>>,
    operands: Vec<Vec<u8>>,
}

/// How reading the command line ends before there is anything to do.
enum Early {
    /// A mistake in the form of the arguments; status 2.
    Usage(Usage),
    /// A word that an option does not know; status 1.
    Word(String),
    /// A value that makes no sense; status 2.
    Message(String),
    /// Everything was said.
    Said,
}

impl From<Usage> for Early {
    fn from(usage: Usage) -> Early {
        Early::Usage(usage)
    }
}

impl From<String> for Early {
    fn from(message: String) -> Early {
        Early::Message(message)
    }
}

/// Reads the command line.
///
/// Fails with the status to end with; what there is to say has been said.
pub(crate) fn parse(tool: &str, arguments: Arguments) -> Result<Settings, i32> {
    let settings = given(arguments).and_then(|given| settings(given).map_err(Early::Message));
    settings.map_err(|early| match early {
        Early::Usage(usage) => usage.report(tool, FAILURE),
        Early::Word(message) => Usage::new(message).report(tool, 1),
        Early::Message(message) => {
            complain(tool, message);
            FAILURE
        }
        Early::Said => 0,
    })
}

fn given(arguments: Arguments) -> Result<Given, Early> {
    let mut given = Given {
        orderings: Options::NONE,
        keys: Vec::new(),
        check: None,
        merge: false,
        stable: false,
        unique: false,
        line_end: b'\n',
        output: None,
        separator: None,
        random_source: None,
        files0_from: None,
        memory: None,
        temporary: None,
        operands: Vec::new(),
    };
    let mut options = codepod_tool::Options::new(TABLE, arguments);
    while let Some(found) = options.next()? {
        match found {
            Found::Operand(operand) => given.operands.push(operand),
            Found::Option(name, value) => option(&mut given, name, value)?,
        }
    }
    Ok(given)
}

fn option(given: &mut Given, name: Name, value: Option<Vec<u8>>) -> Result<(), Early> {
    let has_value = value.is_some();
    let value = value.unwrap_or_default();
    let shown = || String::from_utf8_lossy(&value).into_owned();
    match name {
        Name::Ordering(letter) => {
            given.orderings.add(letter);
        }
        Name::Sort => {
            given.orderings.add(word("sort", &value, &SORTS)?);
        }
        Name::Check if has_value => given.check = Some(word("check", &value, &CHECKS)?),
        Name::Check => given.check = Some(false),
        Name::CheckSilent => given.check = Some(true),
        Name::Key => given.keys.push(value),
        Name::Merge => given.merge = true,
        Name::Stable => given.stable = true,
        Name::Unique => given.unique = true,
        Name::ZeroTerminated => given.line_end = 0,
        Name::Output => {
            if given.output.as_ref().is_some_and(|other| *other != value) {
                return Err(Early::Message("multiple output files specified".into()));
            }
            given.output = Some(value);
        }
        Name::Separator => {
            let separator = separator(&value)?;
            if given.separator.is_some_and(|other| other != separator) {
                return Err(Early::Message("incompatible tabs".into()));
            }
            given.separator = Some(separator);
        }
        Name::RandomSource => given.random_source = Some(value),
        Name::Files0From => given.files0_from = Some(value),
        Name::BufferSize => given.memory = Some(size(&value)?),
        Name::Temporary => given.temporary = Some(value),
        Name::Parallel => match number(&value) {
            Some(0) => return Err(Early::Message("number in parallel must be nonzero".into())),
            Some(_) => {}
            None => {
                return Err(Early::Message(format!(
                    "invalid --parallel argument '{}'",
                    shown()
                )));
            }
        },
        Name::BatchSize => match number(&value) {
            Some(2..) => {}
            Some(_) => {
                let message = "invalid --batch-size argument '{}'\nsort: minimum --batch-size argument is '2'";
                return Err(Early::Message(message.replace("{}", &shown())));
            }
            None => {
                return Err(Early::Message(format!(
                    "invalid --batch-size argument '{}'",
                    shown()
                )));
            }
        },
        Name::CompressProgram | Name::Old => {}
        Name::Help => return Err(say(HELP)),
        Name::Version => {
            return Err(say(concat!(
                "sort (codepod) ",
                env!("CARGO_PKG_VERSION"),
                "\n"
            )));
        }
    }
    Ok(())
}

fn say(text: &str) -> Early {
    // Where nothing can be written there is nobody to tell.
    let _ = io::stdout().write_all(text.as_bytes());
    Early::Said
}

/// What a word or its unambiguous beginning stands for.
fn word<T: Copy + PartialEq>(option: &str, given: &[u8], known: &[(&str, T)]) -> Result<T, Early> {
    if let Some((_, exact)) = known.iter().find(|(word, _)| word.as_bytes() == given) {
        return Ok(*exact);
    }
    let mut candidates = known
        .iter()
        .filter(|(word, _)| word.as_bytes().starts_with(given));
    let first = candidates.next();
    let problem = match first {
        Some((_, meaning)) if candidates.all(|(_, other)| other == meaning) => return Ok(*meaning),
        Some(_) => "ambiguous",
        None => "invalid",
    };
    let mut message = format!(
        "{problem} argument '{}' for '--{option}'\nValid arguments are:",
        String::from_utf8_lossy(given)
    );
    let mut last = None;
    for (word, meaning) in known {
        let line = if last == Some(*meaning) {
            ", '"
        } else {
            "\n  - '"
        };
        message += line;
        message += word;
        message.push('\'');
        last = Some(*meaning);
    }
    Err(Early::Word(message))
}

fn number(text: &[u8]) -> Option<u64> {
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(text).ok()?;
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

/// The value of `-S`: a number, with `%` of memory, `b`, or a unit; without one in kilobytes.
fn size(text: &[u8]) -> Result<usize, String> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let shown = String::from_utf8_lossy(text);
    let Some(count) = number(&text[..digits]) else {
        return Err(format!("invalid -S argument '{shown}'"));
    };
    let unit: u64 = match &text[digits..] {
        b"" | b"K" | b"k" => 1 << 10,
        b"b" => 1,
        // Of what a process may usually have.
        b"%" => (256 << 20) / 100,
        b"M" => 1 << 20,
        b"G" => 1 << 30,
        b"T" | b"P" | b"E" | b"Z" | b"Y" => 1 << 40,
        _ => return Err(format!("invalid suffix in -S argument '{shown}'")),
    };
    // More than a process can have is as good as all of it.
    let bytes = usize::try_from(count.saturating_mul(unit)).unwrap_or(usize::MAX);
    Ok(bytes.min(160 << 20))
}

fn settings(given: Given) -> Result<Settings, String> {
    let keys = keys(&given)?;
    let random = std::iter::once(given.orderings)
        .chain(keys.iter().map(Key::options))
        .any(|options| options.has(b'R'));
    let salt = if random {
        salt(given.random_source.as_deref())?
    } else {
        [0; 16]
    };
    let job = match (given.check, given.merge) {
        (Some(silent), _) => Job::Check { silent },
        (None, true) => Job::Merge,
        (None, false) => Job::Sort,
    };
    let files = files(given.operands, given.files0_from.as_deref())?;
    if let Job::Check { silent } = job {
        let letter = if silent { 'C' } else { 'c' };
        if let Some(extra) = files.get(1) {
            let extra = extra.to_string_lossy();
            return Err(format!(
                "extra operand '{extra}' not allowed with -{letter}"
            ));
        }
        if given.output.is_some() {
            return Err(format!("options '-{letter}o' are incompatible"));
        }
    }
    Ok(Settings {
        job,
        order: LineOrder {
            keys,
            separator: given.separator,
            reverse: given.orderings.has(b'r'),
            stable: given.stable,
            unique: given.unique,
            salt,
        },
        files,
        output: given.output.map(|name| os_str(&name).to_owned()),
        line_end: given.line_end,
        memory: given.memory,
        temporary: given.temporary.map(|name| os_str(&name).to_owned()),
    })
}

fn keys(given: &Given) -> Result<Vec<Key>, String> {
    let global = given.orderings;
    let mut keys = Vec::new();
    for spec in &given.keys {
        keys.push(Key::parse(&String::from_utf8_lossy(spec), global)?);
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

fn separator(text: &[u8]) -> Result<u8, String> {
    match text {
        [] => Err("empty tab".into()),
        [separator] => Ok(*separator),
        b"\\0" => Ok(0),
        _ => Err(format!(
            "multi-character tab '{}'",
            String::from_utf8_lossy(text)
        )),
    }
}

fn files(operands: Vec<Vec<u8>>, list: Option<&[u8]>) -> Result<Vec<OsString>, String> {
    let name = |bytes: &[u8]| os_str(bytes).to_owned();
    let Some(list) = list else {
        return Ok(match operands.is_empty() {
            true => vec!["-".into()],
            false => operands.iter().map(|operand| name(operand)).collect(),
        });
    };
    let shown = String::from_utf8_lossy(list);
    if let Some(extra) = operands.first() {
        let extra = String::from_utf8_lossy(extra);
        return Err(format!(
            "extra operand '{extra}'\nfile operands cannot be combined with --files0-from\n\
             Try 'sort --help' for more information."
        ));
    }
    let mut source =
        Source::open(os_str(list)).map_err(|why| why.replacen("cannot read", "open failed", 1))?;
    let mut text = Vec::new();
    source
        .read_to_end(&mut text)
        .map_err(|error| format!("{shown}: read error: {}", io_text(&error)))?;
    let text = text.strip_suffix(b"\0").unwrap_or(&text);
    if text.is_empty() {
        return Err(format!("no input from '{shown}'"));
    }
    let mut names = Vec::new();
    for (number, item) in text.split(|byte| *byte == 0).enumerate() {
        if item.is_empty() {
            return Err(format!(
                "{shown}:{}: invalid zero-length file name",
                number + 1
            ));
        }
        names.push(name(item));
    }
    Ok(names)
}

/// What makes the random order differ from run to run, or from file to file.
fn salt(source: Option<&[u8]>) -> Result<[u8; 16], String> {
    let mut salt = [0; 16];
    let Some(source) = source else {
        let random = RandomState::new();
        for (number, half) in salt.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *half = random.hash_one(number).to_le_bytes();
        }
        return Ok(salt);
    };
    let shown = String::from_utf8_lossy(source);
    let failed = |error: io::Error| format!("open failed: {shown}: {}", io_text(&error));
    let mut file = std::fs::File::open(os_str(source)).map_err(failed)?;
    file.read_exact(&mut salt)
        .map_err(|_| format!("'{shown}': end of file"))?;
    Ok(salt)
}
