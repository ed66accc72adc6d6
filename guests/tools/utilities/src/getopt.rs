//! `getopt`: reads the options of a script, as util-linux does.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, flag, single_quoted, value,
};

use crate::files;

const USAGE: &str = "
Usage:
 getopt <optstring> <parameters>
 getopt [options] [--] <optstring> <parameters>
 getopt [options] -o|--options <optstring> [options] [--] <parameters>

Parse command options.

Options:
 -a, --alternative             allow long options starting with single -
 -l, --longoptions <longopts>  the long options to be recognized
 -n, --name <progname>         the name under which errors are reported
 -o, --options <optstring>     the short options to be recognized
 -q, --quiet                   disable error reporting by getopt(3)
 -Q, --quiet-output            no normal output
 -s, --shell <shell>           set quoting conventions to those of <shell>
 -T, --test                    test for getopt(1) version
 -u, --unquoted                do not quote the output

 -h, --help                    display this help
 -V, --version                 display version

For more details see getopt(1).
";

#[derive(Clone, Copy)]
enum Key {
    Alternative,
    Long,
    Name,
    Short,
    Quiet,
    NoOutput,
    Shell,
    Test,
    Unquoted,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Alternative, b'a', "alternative"),
    value(Key::Long, b'l', "longoptions"),
    value(Key::Name, b'n', "name"),
    value(Key::Short, b'o', "options"),
    flag(Key::Quiet, b'q', "quiet"),
    flag(Key::NoOutput, b'Q', "quiet-output"),
    value(Key::Shell, b's', "shell"),
    flag(Key::Test, b'T', "test"),
    flag(Key::Unquoted, b'u', "unquoted"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Sh,
    Csh,
}

/// What a script's options are.
struct Script {
    name: String,
    short: Vec<u8>,
    /// Names with the number of colons behind them.
    long: Vec<(String, Value)>,
    alternative: bool,
    quiet: bool,
    silent: bool,
    quotes: Quotes,
}

/// getopt as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let compatible = std::env::var_os("GETOPT_COMPATIBLE").is_some();
    let mut script = Script {
        name: name.to_owned(),
        short: Vec::new(),
        long: Vec::new(),
        alternative: false,
        quiet: false,
        silent: false,
        quotes: Quotes::Sh,
    };
    // The first form: the options of the script and nothing else.
    let plain = arguments
        .first()
        .is_some_and(|first| !first.starts_with(b"-"));
    if compatible || plain {
        let mut words = arguments.into_iter();
        let Some(short) = words.next() else {
            return Usage::new("missing optstring argument").report(name, 2);
        };
        let start = short.iter().position(|byte| !b"+-".contains(byte));
        script.short = short[start.unwrap_or(short.len())..].to_vec();
        script.quotes = Quotes::None;
        return script.run(words.collect());
    }
    let mut options = Options::new(TABLE, arguments).in_order();
    let mut short = None;
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                operands.push(operand);
                operands.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, value))) => {
                let value = value.unwrap_or_default();
                match key {
                    Key::Alternative => script.alternative = true,
                    Key::Long => script.add_long(&String::from_utf8_lossy(&value)),
                    Key::Name => script.name = String::from_utf8_lossy(&value).into_owned(),
                    Key::Short => short = Some(value),
                    Key::Quiet => script.quiet = true,
                    Key::NoOutput => script.silent = true,
                    Key::Unquoted => script.quotes = Quotes::None,
                    Key::Test => return 4,
                    Key::Shell => match value.as_slice() {
                        b"sh" | b"bash" => script.quotes = Quotes::Sh,
                        b"csh" | b"tcsh" => script.quotes = Quotes::Csh,
                        _ => {
                            let why = "unknown shell after -s or --shell argument";
                            return Usage::new(why).report(name, 2);
                        }
                    },
                    Key::Help => return files::print(USAGE),
                    Key::Version => return files::version(name),
                }
            }
            Ok(None) => break,
            Err(usage) => return usage.report(name, 2),
        }
    }
    script.short = match short {
        Some(short) => short,
        None if operands.is_empty() && script.long.is_empty() => {
            return Usage::new("missing optstring argument").report(name, 2);
        }
        None if operands.is_empty() => Vec::new(),
        None => operands.remove(0),
    };
    script.run(operands)
}

impl Script {
    fn add_long(&mut self, list: &str) {
        for item in list.split([',', ' ', '\t', '\n']) {
            let (name, value) = if let Some(name) = item.strip_suffix("::") {
                (name, Value::Optional)
            } else if let Some(name) = item.strip_suffix(':') {
                (name, Value::Required)
            } else {
                (item, Value::None)
            };
            if !name.is_empty() {
                self.long.push((name.to_owned(), value));
            }
        }
    }

    /// The table of the script's options. It lives as long as the program, which reads one table
    /// only.
    fn table(&self, short: &[u8]) -> &'static [Opt<usize>] {
        let mut table = Vec::new();
        let mut at = 0;
        while at < short.len() {
            let letter = short[at];
            let colons = short[at + 1..]
                .iter()
                .take_while(|byte| **byte == b':')
                .count();
            let value = [Value::None, Value::Required, Value::Optional][colons.min(2)];
            if letter != b':' {
                table.push(Opt {
                    key: table.len(),
                    short: letter,
                    long: "",
                    value,
                });
            }
            at += 1 + colons.min(2);
        }
        for (name, value) in &self.long {
            let long: &'static str = Box::leak(name.clone().into_boxed_str());
            table.push(Opt {
                key: table.len(),
                short: 0,
                long,
                value: *value,
            });
        }
        Box::leak(table.into_boxed_slice())
    }

    /// Reads the arguments and prints them in order.
    fn run(mut self, arguments: Arguments) -> i32 {
        let short = std::mem::take(&mut self.short);
        let (mut in_order, mut in_place) = (false, false);
        let mut letters = &short[..];
        while let Some((first, rest)) = letters.split_first() {
            match first {
                b'+' => in_order = true,
                b'-' => in_place = true,
                b':' => self.quiet = true,
                _ => break,
            }
            letters = rest;
        }
        let table = self.table(letters);
        let arguments = match self.alternative {
            true => arguments
                .into_iter()
                .map(|word| self.longer(word))
                .collect(),
            false => arguments,
        };
        let mut options = Options::new(table, arguments);
        if in_order {
            options = options.in_order();
        }
        let (mut out, mut operands, mut status) = (Vec::new(), Vec::new(), 0);
        loop {
            match options.next() {
                Ok(None) => break,
                Ok(Some(Found::Operand(operand))) if in_place => {
                    out.push(b' ');
                    out.extend(self.quoted(&operand));
                }
                Ok(Some(Found::Operand(operand))) => {
                    operands.push(b' ');
                    operands.extend(self.quoted(&operand));
                }
                Ok(Some(Found::Option(key, value))) => {
                    let option = &table[key];
                    match option.long {
                        "" => out.extend_from_slice(&[b' ', b'-', option.short]),
                        long => out.extend_from_slice(format!(" --{long}").as_bytes()),
                    }
                    if option.value != Value::None {
                        out.push(b' ');
                        out.extend(self.quoted(&value.unwrap_or_default()));
                    }
                }
                Err(usage) => {
                    status = 1;
                    if !self.quiet {
                        complain(&self.name, &usage.message);
                    }
                }
            }
        }
        if self.silent {
            return status;
        }
        let mut text = Output::new();
        text.put(&out);
        text.put(b" --");
        text.put(&operands);
        text.put_byte(b'\n');
        if text.finish().is_err() { 1 } else { status }
    }

    /// A long option behind one dash, with two.
    fn longer(&self, word: Vec<u8>) -> Vec<u8> {
        let Some(rest) = word.strip_prefix(b"-").filter(|rest| rest.len() > 1) else {
            return word;
        };
        let name = rest.split(|byte| *byte == b'=').next().unwrap_or(rest);
        let known = self
            .long
            .iter()
            .any(|(long, _)| long.as_bytes().starts_with(name));
        match known && !rest.starts_with(b"-") {
            true => [b"-", &word[..]].concat(),
            false => word,
        }
    }

    fn quoted(&self, text: &[u8]) -> Vec<u8> {
        match self.quotes {
            Quotes::None => text.to_vec(),
            Quotes::Csh => csh_quoted(text),
            Quotes::Sh => single_quoted(text),
        }
    }
}

/// A text between single quotes, as csh reads it.
fn csh_quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for byte in text {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'!' => out.extend_from_slice(b"'\\!'"),
            b'\n' => out.extend_from_slice(b"\\n"),
            byte if byte.is_ascii_whitespace() => {
                out.extend_from_slice(&[b'\'', b'\\', *byte, b'\'']);
            }
            _ => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}
