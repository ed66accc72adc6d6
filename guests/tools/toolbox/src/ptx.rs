//! `ptx`: permuted indexes, which show each word of a text within its context.

use std::fs::File;
use std::io::{self, Read as _, Write as _};

use codepod_posix_regex::{Config, Error, Regex, Syntax};
use codepod_tool::{
    Arguments, Opt, Options, Output, Stdin, Stop, Usage, Value, complain_of, flag, long, one_of,
    path, quoted, quoted_if_needed, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::system;
use crate::text_input::finish;

mod escape;
mod index;
mod layout;
mod print;
mod words;

use index::Index;
use layout::Widths;
use print::Printer;
use words::{WordList, Words};

/// Columns of a line unless `-w` says otherwise.
const WIDTH: usize = 72;
/// Columns between fields unless `-g` says otherwise.
const GAP: usize = 3;
/// Numbers above this are refused, so that sums of them do not overflow.
const LARGEST_NUMBER: usize = i32::MAX as usize;
/// What ends a sentence: its mark, closing quotes and brackets, and the end of the line, a tab or
/// two spaces.
const SENTENCE_END: &[u8] = b"[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*";

#[derive(Clone, Copy)]
enum Key {
    AutoReference,
    Traditional,
    FlagTruncation,
    MacroName,
    Roff,
    RightSideReferences,
    SentenceRegexp,
    Tex,
    Format,
    WordRegexp,
    BreakFile,
    IgnoreCase,
    GapSize,
    IgnoreFile,
    OnlyFile,
    References,
    TypesetMode,
    Width,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::AutoReference, b'A', "auto-reference"),
    flag(Key::Traditional, b'G', "traditional"),
    value(Key::FlagTruncation, b'F', "flag-truncation"),
    value(Key::MacroName, b'M', "macro-name"),
    flag(Key::Roff, b'O', ""),
    flag(Key::RightSideReferences, b'R', "right-side-refs"),
    value(Key::SentenceRegexp, b'S', "sentence-regexp"),
    flag(Key::Tex, b'T', ""),
    long(Key::Format, "format", Value::Required),
    value(Key::WordRegexp, b'W', "word-regexp"),
    value(Key::BreakFile, b'b', "break-file"),
    flag(Key::IgnoreCase, b'f', "ignore-case"),
    value(Key::GapSize, b'g', "gap-size"),
    value(Key::IgnoreFile, b'i', "ignore-file"),
    value(Key::OnlyFile, b'o', "only-file"),
    flag(Key::References, b'r', "references"),
    flag(Key::TypesetMode, b't', "typeset-mode"),
    value(Key::Width, b'w', "width"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// How the index is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Terminal,
    Roff,
    Tex,
}

const FORMATS: &[(&str, Format)] = &[("roff", Format::Roff), ("tex", Format::Tex)];

/// What the options ask for.
struct Settings {
    auto_references: bool,
    input_references: bool,
    traditional: bool,
    /// References stand at the right and do not count for the width.
    references_at_right: bool,
    ignores_case: bool,
    format: Option<Format>,
    truncation: Vec<u8>,
    macro_name: Vec<u8>,
    sentence: Option<Vec<u8>>,
    word: Vec<u8>,
    break_file: Option<Vec<u8>>,
    ignore_file: Option<Vec<u8>>,
    only_file: Option<Vec<u8>>,
    gap: usize,
    width: usize,
}

/// An input file that has been read.
struct Text {
    /// Its name; empty for standard input.
    name: Vec<u8>,
    bytes: Vec<u8>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    run(tool, arguments).unwrap_or_else(|stop| stop.report(tool, 1))
}

fn run(tool: &str, arguments: Arguments) -> Result<i32, Stop> {
    let (settings, operands) = settings(tool, arguments)?;
    let (inputs, output) = split_operands(&settings, operands)?;
    let words = Words {
        matcher: settings.word_matcher()?,
        ignored: settings.word_list(settings.ignore_file.as_deref())?,
        only: settings.word_list(settings.only_file.as_deref())?,
    };
    let sentence = settings.sentence_regex()?;
    let texts = inputs
        .iter()
        .map(|name| {
            let bytes = read(name)?;
            let name = if name == b"-" { b"" } else { &name[..] };
            Ok(Text {
                name: name.to_vec(),
                bytes,
            })
        })
        .collect::<Result<Vec<Text>, Stop>>()?;
    let index = Index::of(&texts, &settings, &words, sentence.as_ref())?;
    let widths = Widths::new(&settings, &index);
    let printer = Printer::new(&settings, &widths, &index, &texts);
    match output {
        None => {
            let mut out = Output::new();
            printer.all(&mut |line| {
                out.put(line);
                !out.is_broken()
            });
            Ok(finish(tool, &mut out, 0))
        }
        Some(name) => {
            if let Err(error) = write_file(&printer, &name) {
                complain_of(tool, &name, &system::io_message(&error));
                return Ok(1);
            }
            Ok(0)
        }
    }
}

/// Writes the index to the file that `-G` names as its second operand.
fn write_file(printer: &Printer<'_>, name: &[u8]) -> io::Result<()> {
    let mut file = io::BufWriter::new(File::create(path(name))?);
    let mut result = Ok(());
    printer.all(&mut |line| {
        result = file.write_all(line);
        result.is_ok()
    });
    result.and_then(|()| file.flush())
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let mut settings = Settings {
        auto_references: false,
        input_references: false,
        traditional: false,
        references_at_right: false,
        ignores_case: false,
        format: None,
        truncation: b"/".to_vec(),
        macro_name: b"xx".to_vec(),
        sentence: None,
        word: Vec::new(),
        break_file: None,
        ignore_file: None,
        only_file: None,
        gap: GAP,
        width: WIDTH,
    };
    let operands = Options::new(TABLE, arguments).each(|key, value| {
        let text = value.unwrap_or_default();
        match key {
            Key::AutoReference => settings.auto_references = true,
            Key::Traditional => settings.traditional = true,
            Key::FlagTruncation => settings.truncation = escape::unescaped(&text),
            Key::MacroName => settings.macro_name = text,
            Key::Roff => settings.format = Some(Format::Roff),
            Key::RightSideReferences => settings.references_at_right = true,
            Key::SentenceRegexp => settings.sentence = Some(escape::unescaped(&text)),
            Key::Tex => settings.format = Some(Format::Tex),
            Key::Format => settings.format = Some(one_of("--format", &text, FORMATS)?),
            Key::WordRegexp => settings.word = escape::unescaped(&text),
            Key::BreakFile => settings.break_file = Some(text),
            Key::IgnoreCase => settings.ignores_case = true,
            Key::GapSize => settings.gap = number("gap", &text)?,
            Key::IgnoreFile => settings.ignore_file = Some(text),
            Key::OnlyFile => settings.only_file = Some(text),
            Key::References => settings.input_references = true,
            // It has no meaning in GNU's ptx either.
            Key::TypesetMode => {}
            Key::Width => settings.width = number("line", &text)?,
            Key::Help => {
                let usage =
                    "[OPTION]... [INPUT]...   (without -G)\n  or:  ptx -G [OPTION]... [INPUT [OUTPUT]]";
                let about = "Output a permuted index, including context, of the words in the input files.";
                return Err(Stop::Status(help(tool, usage, about, TABLE)));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    Ok((settings, operands))
}

/// The number of `-g` or `-w`.
fn number(what: &str, text: &[u8]) -> Result<usize, Stop> {
    let number = escape::integer(text);
    number
        .filter(|number| (1..=LARGEST_NUMBER).contains(number))
        .ok_or_else(|| {
            let start = format!("invalid {what} width: ");
            Stop::Failed([start.as_bytes(), &quoted_text(text)].concat())
        })
}

/// The input files, and with `-G` the output file if one is named.
fn split_operands(
    settings: &Settings,
    mut operands: Arguments,
) -> Result<(Arguments, Option<Vec<u8>>), Stop> {
    let mut output = None;
    if settings.traditional {
        if let Some(extra) = operands.get(2) {
            let message = [b"extra operand ", &quoted(extra)[..]].concat();
            return Err(Usage::new(message).into());
        }
        output = operands.drain(operands.len().min(1)..).next();
    }
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    Ok((operands, output))
}

/// Reads a file, or standard input for `-`.
fn read(name: &[u8]) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let result = match name {
        b"-" => Stdin.read_to_end(&mut bytes),
        _ => File::open(path(name)).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    result.map_err(|error| {
        let why = system::io_message(&error);
        let name = quoted_if_needed(name);
        Stop::Failed([&name[..], b": ", why.as_bytes()].concat())
    })?;
    Ok(bytes)
}

impl Settings {
    /// Whether lines have a field for references.
    fn has_references(&self) -> bool {
        self.auto_references || self.input_references
    }

    fn format(&self) -> Format {
        match self.format {
            Some(format) => format,
            None if self.traditional => Format::Roff,
            None => Format::Terminal,
        }
    }

    /// What ends a context. None where a file is one context.
    fn sentence_regex(&self) -> Result<Option<Regex>, Stop> {
        let pattern = match &self.sentence {
            Some(pattern) if pattern.is_empty() => return Ok(None),
            Some(pattern) => &pattern[..],
            None if self.traditional || self.input_references => b"\n",
            None => SENTENCE_END,
        };
        self.regex(pattern).map(Some)
    }

    /// How words are found: by `-W`, by the break file, or by what a word is without them.
    fn word_matcher(&self) -> Result<words::Matcher, Stop> {
        let breaks = self.break_file.as_deref().map(read).transpose()?;
        if !self.word.is_empty() {
            return Ok(words::Matcher::Regex(Box::new(self.regex(&self.word)?)));
        }
        let mut is_word = [false; 256];
        for byte in 0..=u8::MAX {
            let white = matches!(byte, b' ' | b'\t' | b'\n');
            is_word[usize::from(byte)] = match &breaks {
                Some(breaks) => !(breaks.contains(&byte) || self.traditional && white),
                None if self.traditional => !white,
                None => byte.is_ascii_alphabetic(),
            };
        }
        Ok(words::Matcher::Bytes(Box::new(is_word)))
    }

    fn word_list(&self, file: Option<&[u8]>) -> Result<Option<WordList>, Stop> {
        let Some(name) = file else {
            return Ok(None);
        };
        Ok(Some(WordList::new(&read(name)?, self.ignores_case)))
    }

    fn regex(&self, pattern: &[u8]) -> Result<Regex, Stop> {
        let config = Config {
            icase: self.ignores_case,
            multiline: has_anchor(pattern),
            ..Config::new(Syntax::EMACS)
        };
        Regex::new(pattern, &config).map_err(|error| regex_failed(error, pattern))
    }
}

fn regex_failed(error: Error, pattern: &[u8]) -> Stop {
    let start = format!("{} (for regexp ", error.message());
    Stop::Failed([start.as_bytes(), &quoted_text(pattern), b")"].concat())
}

/// Whether a pattern has `^` or `$` that is not the sign of a bracket expression: only then lines
/// matter to it.
fn has_anchor(pattern: &[u8]) -> bool {
    let sign = |place: usize| place > 0 && pattern[place - 1] == b'[';
    let mut bytes = pattern.iter().enumerate();
    bytes.any(|(place, byte)| *byte == b'$' || *byte == b'^' && !sign(place))
}
