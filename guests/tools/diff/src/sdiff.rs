//! sdiff: two files side by side. Without a screen to ask at, it is `diff -y` under other names of
//! options.

use codepod_tool::{Arguments, Found, Opt, Options, Output, Value, complain, flag, long, value};

use crate::arguments::usage;
use crate::files;

const HELP: &str = "Usage: sdiff [OPTION]... FILE1 FILE2
Side-by-side merge of differences between FILE1 and FILE2.

  -i, --ignore-case            consider upper- and lower-case to be the same
  -E, --ignore-tab-expansion   ignore changes due to tab expansion
  -Z, --ignore-trailing-space  ignore white space at line end
  -b, --ignore-space-change    ignore changes in the amount of white space
  -W, --ignore-all-space       ignore all white space
  -B, --ignore-blank-lines     ignore changes whose lines are all blank
  -I, --ignore-matching-lines=RE  ignore changes all whose lines match RE
      --strip-trailing-cr      strip trailing carriage return on input
  -a, --text                   treat all files as text
  -w, --width=NUM              output at most NUM (default 130) print columns
  -l, --left-column            output only the left column of common lines
  -s, --suppress-common-lines  do not output common lines
  -t, --expand-tabs            expand tabs to spaces in output
      --tabsize=NUM            tab stops at every NUM (default 8) print columns
  -d, --minimal                try hard to find a smaller set of changes
  -H, --speed-large-files      assume large files, many scattered small changes
      --help                   display this help and exit
  -v, --version                output version information and exit

If a FILE is '-', read standard input.
Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.
";

/// What an option means to diff.
#[derive(Clone, Copy)]
enum Key {
    /// It stands for this option of `diff`.
    As(&'static str),
    Output,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::As("-i"), b'i', "ignore-case"),
    flag(Key::As("-E"), b'E', "ignore-tab-expansion"),
    flag(Key::As("-Z"), b'Z', "ignore-trailing-space"),
    flag(Key::As("-b"), b'b', "ignore-space-change"),
    flag(Key::As("-w"), b'W', "ignore-all-space"),
    flag(Key::As("-B"), b'B', "ignore-blank-lines"),
    value(Key::As("-I"), b'I', "ignore-matching-lines"),
    long(
        Key::As("--strip-trailing-cr"),
        "strip-trailing-cr",
        Value::None,
    ),
    flag(Key::As("-a"), b'a', "text"),
    value(Key::Output, b'o', "output"),
    value(Key::As("-W"), b'w', "width"),
    flag(Key::As("--left-column"), b'l', "left-column"),
    flag(
        Key::As("--suppress-common-lines"),
        b's',
        "suppress-common-lines",
    ),
    flag(Key::As("-t"), b't', "expand-tabs"),
    long(Key::As("--tabsize="), "tabsize", Value::Required),
    flag(Key::As("-d"), b'd', "minimal"),
    flag(Key::As("-H"), b'H', "speed-large-files"),
    long(Key::Help, "help", Value::None),
    flag(Key::Version, b'v', "version"),
];

/// Runs it and returns its status.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut words: Arguments = vec![b"-y".to_vec()];
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Err(mistake) => return usage(tool, &mistake.message),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match (key, value) {
                (Key::As(name), value) => {
                    words.push([name.as_bytes(), &value.unwrap_or_default()].concat());
                }
                (Key::Output, _) => {
                    complain(
                        tool,
                        "-o asks at a terminal which lines to take: it is not here",
                    );
                    return 2;
                }
                (Key::Help, _) => return print(HELP),
                (Key::Version, _) => {
                    return print(&format!("{tool} (codepod) {}\n", env!("CARGO_PKG_VERSION")));
                }
            },
        }
    }
    match operands.len() {
        2 => {}
        0 | 1 => {
            let last = operands.first().map_or(tool.as_bytes(), Vec::as_slice);
            return usage(tool, [b"missing operand after '", last, b"'"].concat());
        }
        _ => return usage(tool, [b"extra operand '", &operands[2][..], b"'"].concat()),
    }
    words.push(b"--".to_vec());
    words.extend(operands);
    files::main("diff", words)
}

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    2 * i32::from(out.finish().is_err())
}
