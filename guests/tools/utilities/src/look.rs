//! `look`: lines that begin with a text, in a sorted file, as util-linux finds them.

use std::cmp::Ordering;

use codepod_tool::{Arguments, Found, Opt, Options, Output, Usage, complain, flag, value};

use crate::files;

const USAGE: &str = "
Usage:
 look [options] <string> [<file>...]

Display lines beginning with a specified string.

Options:
 -a, --alternative        use the alternative dictionary
 -d, --alphanum           compare only blanks and alphanumeric characters
 -f, --ignore-case        ignore case differences when comparing
 -t, --terminate <char>   define the string-termination character

 -h, --help               display this help
 -V, --version            display version

For more details see look(1).
";

#[derive(Clone, Copy)]
enum Key {
    Alternative,
    Words,
    IgnoreCase,
    End,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Alternative, b'a', "alternative"),
    flag(Key::Words, b'd', "alphanum"),
    flag(Key::IgnoreCase, b'f', "ignore-case"),
    value(Key::End, b't', "terminate"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// How lines are compared.
struct Comparison {
    wanted: Vec<u8>,
    words: bool,
    ignore_case: bool,
}

impl Comparison {
    /// The bytes of a text that count.
    fn bytes<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = u8> + 'a {
        let counts =
            move |byte: &u8| !self.words || byte.is_ascii_alphanumeric() || b" \t".contains(byte);
        let fold = move |byte: u8| {
            if self.ignore_case {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        text.iter().copied().filter(counts).map(fold)
    }

    /// How a line stands to the text, as far as the text goes.
    fn compare(&self, line: &[u8]) -> Ordering {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut line = self.bytes(line);
        for wanted in self.bytes(&self.wanted) {
            match line.next() {
                None => return Ordering::Less,
                Some(byte) if byte != wanted => return byte.cmp(&wanted),
                Some(_) => {}
            }
        }
        Ordering::Equal
    }
}

/// look as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut words, mut ignore_case, mut end) = (false, false, None);
    let mut file = b"/usr/share/dict/words".to_vec();
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Alternative => file = b"/usr/share/dict/web2".to_vec(),
                Key::Words => words = true,
                Key::IgnoreCase => ignore_case = true,
                Key::End => end = value.and_then(|text| text.first().copied()),
                Key::Help => return files::print(USAGE),
                Key::Version => return files::version(name),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(name, 1),
        }
    }
    let wanted = match &operands[..] {
        [wanted] => {
            (words, ignore_case) = (true, true);
            wanted.clone()
        }
        [wanted, path] => {
            file.clone_from(path);
            wanted.clone()
        }
        _ => return Usage::new("bad usage").report(name, 1),
    };
    let cut = end.and_then(|end| wanted.iter().position(|byte| *byte == end));
    let comparison = Comparison {
        wanted: wanted[..cut.map_or(wanted.len(), |at| at + 1)].to_vec(),
        words,
        ignore_case,
    };
    let text = match std::fs::read(codepod_tool::path(&file)) {
        Ok(text) if !text.is_empty() => text,
        found => {
            let why = match found {
                Ok(_) => "Invalid argument".to_owned(),
                // It is mapped into memory, which a directory cannot be.
                Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
                    "No such device".to_owned()
                }
                Err(error) => files::why(&error),
            };
            complain(name, [&file[..], b": ", why.as_bytes()].concat());
            return 1;
        }
    };
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let start = lines.partition_point(|line| comparison.compare(line) == Ordering::Less);
    let mut out = Output::new();
    let mut found = false;
    for line in &lines[start..] {
        if comparison.compare(line) != Ordering::Equal {
            break;
        }
        found = true;
        out.put(line);
    }
    i32::from(out.finish().is_err() || !found)
}
