//! `iconv`: text from one character set to another, as glibc's does it.

mod charset;

use std::collections::HashMap;

use codepod_tool::{Arguments, Opt, Options, Output, Usage, Value, complain, flag, long, value};

use crate::files;
use charset::{Bad, Charset};

/// A line for each replacement: it, a tab, and the characters that it stands for, as ranges.
const TRANSLIT: &str = include_str!("iconv/translit.txt");

const USAGE: &str = "\
Usage: iconv [OPTION...] [FILE...]
Convert encoding of given files from one encoding to another.

 Input/Output format specification:
  -f, --from-code=NAME       encoding of original text
  -t, --to-code=NAME         encoding for output

 Information:
  -l, --list                 list all known coded character sets

 Output control:
  -c                         omit invalid characters from output
  -o, --output=FILE          output file
  -s, --silent               suppress warnings
      --verbose              print progress information

  -?, --help                 Give this help list
      --usage                Give a short usage message
  -V, --version              Print program version
";

const SHORT_USAGE: &str = "\
Usage: iconv [-lcs?V] [-f NAME] [-t NAME] [-o FILE] [--from-code=NAME]
            [--to-code=NAME] [--list] [--output=FILE] [--silent] [--verbose]
            [--help] [--usage] [--version] [FILE...]
";

#[derive(Clone, Copy)]
enum Key {
    From,
    To,
    List,
    Omit,
    Output,
    Silent,
    Verbose,
    Help,
    Usage,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::From, b'f', "from-code"),
    value(Key::To, b't', "to-code"),
    flag(Key::List, b'l', "list"),
    flag(Key::Omit, b'c', ""),
    value(Key::Output, b'o', "output"),
    flag(Key::Silent, b's', "silent"),
    long(Key::Verbose, "verbose", Value::None),
    flag(Key::Help, b'?', "help"),
    long(Key::Usage, "usage", Value::None),
    flag(Key::Version, b'V', "version"),
];

/// What the options say.
#[derive(Default)]
struct Settings {
    from: String,
    to: String,
    omit: bool,
    output: Option<Vec<u8>>,
    verbose: bool,
}

/// iconv as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut settings = Settings::default();
    let mut asked = None;
    let read = Options::new(TABLE, arguments).each(|key, value| {
        let value = value.unwrap_or_default();
        let text = || String::from_utf8_lossy(&value).into_owned();
        match key {
            Key::From => settings.from = text(),
            Key::To => settings.to = text(),
            Key::Omit => settings.omit = true,
            Key::Output => settings.output = Some(value),
            Key::Silent => {}
            Key::Verbose => settings.verbose = true,
            Key::List | Key::Help | Key::Usage | Key::Version => asked = asked.or(Some(key)),
        }
        Ok::<(), Usage>(())
    });
    let files = match (read, asked) {
        (Err(usage), _) => {
            complain(name, &usage.message);
            files::tell(&format!(
                "Try `{name} --help' or `{name} --usage' for more information.\n"
            ));
            return 64;
        }
        (_, Some(Key::List)) => {
            let mut names: Vec<&str> = charset::names().collect();
            names.sort_unstable();
            return files::print(&(names.join("//\n") + "//\n"));
        }
        (_, Some(Key::Usage)) => return files::print(SHORT_USAGE),
        (_, Some(Key::Version)) => return files::version(name),
        (_, Some(_)) => return files::print(USAGE),
        (Ok(files), None) => files,
    };
    let Some(mut conversion) = Conversion::new(name, &settings) else {
        return 1;
    };
    let files = match files.is_empty() {
        true => vec![b"-".to_vec()],
        false => files,
    };
    let mut out = Vec::new();
    let mut status = 0;
    let mut sink = Output::new();
    for file in &files {
        if settings.verbose {
            files::tell(&format!("{}:\n", String::from_utf8_lossy(file)));
        }
        let ended = conversion.file(name, file, &mut out);
        if settings.output.is_none() {
            sink.put(&out);
            out.clear();
        }
        status = status.max(ended.status());
        if matches!(ended, Ended::Stopped | Ended::Lossy) || sink.is_broken() {
            break;
        }
    }
    status.max(finish(name, settings.output.as_deref(), &out, sink))
}

/// Writes what is left. Returns the status.
fn finish(name: &str, file: Option<&[u8]>, text: &[u8], mut sink: Output) -> i32 {
    if let Some(file) = file {
        // glibc's makes the file when it has something to write.
        if text.is_empty() {
            return 0;
        }
        return match std::fs::write(codepod_tool::path(file), text) {
            Ok(()) => 0,
            Err(error) => {
                let why = files::why(&error);
                complain(name, format!("cannot open output file: {why}"));
                1
            }
        };
    }
    match sink.finish() {
        Ok(()) => 0,
        Err(error) => {
            let why = files::why(&error);
            complain(
                name,
                format!("conversion stopped due to problem in writing the output: {why}"),
            );
            1
        }
    }
}

/// The names of all character sets.
pub(crate) fn charsets() -> impl Iterator<Item = &'static str> {
    charset::names()
}

/// How a file's conversion ended.
enum Ended {
    Well,
    /// Something was left out, as asked for by `//IGNORE`.
    Lossy,
    /// The file cannot be read; others are.
    Unread,
    /// The text is not of its set.
    Stopped,
}

impl Ended {
    fn status(&self) -> i32 {
        i32::from(!matches!(self, Ended::Well))
    }
}

/// From one set to another.
struct Conversion {
    from: Charset,
    to: Charset,
    /// `-c`: leave out silently.
    omit: bool,
    /// `//IGNORE`: leave out, and fail at the end.
    ignore: bool,
    translit: Option<HashMap<char, &'static str>>,
}

impl Conversion {
    /// Finds the sets, or says which there is not.
    fn new(name: &str, settings: &Settings) -> Option<Conversion> {
        let (from, _) = split(&settings.from);
        let (to, suffixes) = split(&settings.to);
        match (Charset::named(from), Charset::named(to)) {
            (Some(from), Some(to)) => Some(Conversion {
                from,
                to,
                omit: settings.omit,
                ignore: suffixes.contains(&"IGNORE".to_owned()),
                translit: suffixes.contains(&"TRANSLIT".to_owned()).then(translit),
            }),
            (known_from, known_to) => {
                let message = match (known_from.is_none(), known_to.is_none()) {
                    (true, true) => {
                        format!("cannot convert from `{from}' and to `{to}'")
                    }
                    (true, false) => format!("cannot convert from `{from}'"),
                    _ => format!("cannot convert to `{to}'"),
                };
                complain(name, message);
                files::tell(
                    "codepod: hint: `iconv -l` lists the sets; Python's `bytes.decode` has more, such as Shift_JIS and GBK\n",
                );
                None
            }
        }
    }

    fn file(&mut self, name: &str, file: &[u8], out: &mut Vec<u8>) -> Ended {
        match files::read(file) {
            Ok(text) => self.text(name, &text, out),
            Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
                complain(name, "error while reading the input: Is a directory");
                Ended::Unread
            }
            Err(error) => {
                let shown = String::from_utf8_lossy(file);
                let why = files::why(&error);
                complain(name, format!("cannot open input file `{shown}': {why}"));
                Ended::Unread
            }
        }
    }

    fn text(&mut self, name: &str, text: &[u8], out: &mut Vec<u8>) -> Ended {
        // Every file begins anew, with a mark of its own.
        self.from.restart();
        self.to.restart();
        let mut ended = Ended::Well;
        let mut at = 0;
        while at < text.len() {
            let bad = match self.from.read(&text[at..]) {
                Ok((letter, length)) => {
                    if letter.is_none_or(|letter| self.put(letter, out)) {
                        at += length;
                        continue;
                    }
                    Bad::Illegal(length)
                }
                Err(bad) => bad,
            };
            match bad {
                Bad::Illegal(length) if self.omit || self.ignore => {
                    at += length;
                    if !self.omit {
                        ended = Ended::Lossy;
                    }
                }
                Bad::Illegal(_) => {
                    complain(name, format!("illegal input sequence at position {at}"));
                    return Ended::Stopped;
                }
                Bad::Incomplete => {
                    complain(
                        name,
                        "incomplete character or shift sequence at end of buffer",
                    );
                    return Ended::Stopped;
                }
            }
        }
        if matches!(ended, Ended::Lossy) {
            // glibc's says so when it has reached the end.
            complain(name, format!("illegal input sequence at position {at}"));
        }
        ended
    }

    /// Writes a character or what stands for it; false if nothing does.
    fn put(&mut self, letter: char, out: &mut Vec<u8>) -> bool {
        self.to.begin(out);
        if self.to.write(letter, out) {
            return true;
        }
        let Some(table) = &self.translit else {
            return false;
        };
        let replacement = table.get(&letter).copied();
        let fallback = if self.ignore || self.omit { "" } else { "?" };
        let text = replacement.unwrap_or(fallback);
        if replacement.is_none() && text.is_empty() {
            return false;
        }
        text.chars().all(|letter| self.to.write(letter, out))
    }
}

/// A set's name and what stands behind it: `ASCII//TRANSLIT`.
fn split(code: &str) -> (&str, Vec<String>) {
    let mut parts = code.split("//");
    let name = parts.next().unwrap_or_default();
    (name, parts.map(str::to_ascii_uppercase).collect())
}

fn translit() -> HashMap<char, &'static str> {
    let lines = TRANSLIT.lines().filter_map(|line| line.split_once('\t'));
    lines
        .flat_map(|(text, points)| charset::ranges(points).flatten().map(move |c| (c, text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_are_ascii() {
        let table = translit();
        assert!(table.len() > 3000, "{}", table.len());
        assert!(table.values().all(|text| text.is_ascii()));
        assert_eq!(table.get(&'€'), Some(&"EUR"));
        assert_eq!(table.get(&'\u{301}'), Some(&""));
    }
}
