//! diff3: what two files made of a third, and both together.
//!
//! Two of the files are compared with the third, the common one. Changes that touch each other in
//! it make one block; a block is of one file where only that file changed, or of the common file
//! where both others changed it in the same way.

use std::io::Read as _;

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, flag, io_text, long, path, value,
};

use crate::arguments::usage;
use crate::compare::compare;
use crate::hunks::{Change, changes};
use crate::lines::{Ignoring, Lines, numbered};

const HELP: &str = "Usage: diff3 [OPTION]... MYFILE OLDFILE YOURFILE
Compare three files line by line.

  -m, --merge                 output actual merged file, according to
                                -A if no other options are given
  -A, --show-all              output all changes, bracketing conflicts
  -e, --ed                    take the changes from OLDFILE to YOURFILE into MYFILE
  -E, --show-overlap          like -e, but bracket conflicts
  -3, --easy-only             like -e, but incorporate only nonoverlapping changes
  -x, --overlap-only          like -e, but incorporate only overlapping changes
  -X                          like -x, but bracket conflicts
  -a, --text                  treat all files as text
      --strip-trailing-cr     strip trailing carriage return on input
  -T, --initial-tab           make tabs line up by prepending a tab
  -L, --label=LABEL           use LABEL instead of file name
                                (can be repeated up to three times)
      --help                  display this help and exit
  -v, --version               output version information and exit

-A, -e, -E, -3, -x and -X need -m: scripts for ed are not made.
If a FILE is '-', read standard input.
Exit status is 0 if successful, 1 if conflicts, 2 if trouble.
";

#[derive(Clone, Copy)]
enum Key {
    How(How),
    Merge,
    Text,
    StripCr,
    InitialTab,
    Label,
    /// What is not here.
    Missing,
    Help,
    Version,
}

/// What a merged file takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    All,
    Changes,
    Overlap,
    Easy,
    OnlyOverlap,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::How(How::All), b'A', "show-all"),
    flag(Key::How(How::Changes), b'e', "ed"),
    flag(Key::How(How::Overlap), b'E', "show-overlap"),
    flag(Key::How(How::Easy), b'3', "easy-only"),
    flag(Key::How(How::OnlyOverlap), b'x', "overlap-only"),
    flag(Key::How(How::OnlyOverlap), b'X', ""),
    flag(Key::Missing, b'i', ""),
    flag(Key::Merge, b'm', "merge"),
    flag(Key::Text, b'a', "text"),
    long(Key::StripCr, "strip-trailing-cr", Value::None),
    flag(Key::InitialTab, b'T', "initial-tab"),
    long(Key::Missing, "diff-program", Value::Required),
    value(Key::Label, b'L', "label"),
    long(Key::Help, "help", Value::None),
    flag(Key::Version, b'v', "version"),
];

/// Equal lines that are compared beside changes, as diff3 asks diff for.
const HORIZON: usize = 100;

/// Lines from and to, the end exclusive, of each file in the order of the command line; and the
/// file that differs from the others.
struct Block {
    ranges: [(usize, usize); 3],
    odd: Option<usize>,
}

/// What the command line says.
struct Asked {
    how: Option<How>,
    merge: bool,
    text: bool,
    strip_cr: bool,
    tab: bool,
    labels: Vec<Vec<u8>>,
    names: [Vec<u8>; 3],
}

/// Runs it and returns its status.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match parse(tool, arguments).and_then(|asked| run(tool, asked)) {
        Ok(status) | Err(status) => status,
    }
}

/// Reads the command line. Fails with the status to end with, when all is said.
fn parse(tool: &str, arguments: Arguments) -> Result<Asked, i32> {
    let mut options = Options::new(TABLE, arguments);
    let (mut how, mut merge, mut text, mut strip_cr, mut tab) = (None, false, false, false, false);
    let mut labels: Vec<Vec<u8>> = Vec::new();
    let mut names: Vec<Vec<u8>> = Vec::new();
    loop {
        match options.next() {
            Err(mistake) => return Err(usage(tool, &mistake.message)),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => names.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::How(_) if how.is_some() => return Err(usage(tool, "incompatible options")),
                Key::How(wanted) => how = Some(wanted),
                Key::Merge => merge = true,
                Key::Text => text = true,
                Key::StripCr => strip_cr = true,
                Key::InitialTab => tab = true,
                Key::Label if labels.len() == 3 => {
                    return trouble(tool, "too many file label options");
                }
                Key::Label => labels.extend(value),
                Key::Missing => {
                    return trouble(
                        tool,
                        "-i and --diff-program are not here: see `help --support diff3`",
                    );
                }
                Key::Help => return Err(print(HELP)),
                Key::Version => {
                    let version = env!("CARGO_PKG_VERSION");
                    return Err(print(&format!("{tool} (codepod) {version}\n")));
                }
            },
        }
    }
    if how.is_some() && !merge {
        return trouble(
            tool,
            "scripts for ed are not made here: use -m for the merged file",
        );
    }
    Ok(Asked {
        how,
        merge,
        text,
        strip_cr,
        tab,
        labels,
        names: three(tool, names)?,
    })
}

/// The names of the files, of which there must be three.
fn three(tool: &str, names: Vec<Vec<u8>>) -> Result<[Vec<u8>; 3], i32> {
    let names = <[Vec<u8>; 3]>::try_from(names).map_err(|names| {
        if let Some(extra) = names.get(3) {
            return usage(tool, [b"extra operand '", &extra[..], b"'"].concat());
        }
        let last = names.last().map_or(tool.as_bytes(), Vec::as_slice);
        usage(tool, [b"missing operand after '", last, b"'"].concat())
    })?;
    if names.iter().filter(|name| *name == b"-").count() > 1 {
        return trouble(tool, "'-' specified for more than one input file");
    }
    Ok(names)
}

/// Says what is wrong, which ends the program.
fn trouble<T>(tool: &str, message: impl AsRef<[u8]>) -> Result<T, i32> {
    complain(tool, message);
    Err(2)
}

/// Compares the files and writes what came of it. Fails with the status to end with, when all is
/// said.
fn run(tool: &str, asked: Asked) -> Result<i32, i32> {
    let contents = contents(tool, &asked.names)?;
    // The first file as it is: a merged file has its lines.
    let mine = asked
        .strip_cr
        .then(|| Lines::new(contents[0].clone(), false));
    let files = contents.map(|content| Lines::new(content, asked.strip_cr));
    let common = match (asked.merge, &asked.names[1][..], &asked.names[2][..]) {
        (true, b"-", _) => 2,
        (true, ..) => 1,
        (false, _, b"-") => 1,
        (false, ..) => 2,
    };
    if !asked.text {
        refuse_binary(tool, &asked.names, &files, common)?;
    }
    let blocks = blocks(&files, common);
    let mut out = Output::new();
    let conflicts = match asked.merge {
        true => {
            let [first, second, third] = &files;
            let shown = [mine.as_ref().unwrap_or(first), second, third];
            let mut labels = asked.labels;
            labels.extend(asked.names.into_iter().skip(labels.len()));
            let how = asked.how.unwrap_or(How::All);
            merged(&mut out, shown, &blocks, &labels, how)
        }
        false => {
            let prefix: &[u8] = if asked.tab { b"\t" } else { b"  " };
            show(&mut out, &files, &blocks, prefix);
            false
        }
    };
    match out.finish() {
        Ok(()) => Ok(i32::from(conflicts)),
        Err(error) => trouble(tool, format!("write failed: {}", io_text(&error))),
    }
}

/// What the files have in them.
fn contents(tool: &str, names: &[Vec<u8>; 3]) -> Result<[Vec<u8>; 3], i32> {
    let mut contents = [const { Vec::new() }; 3];
    for (name, content) in names.iter().zip(&mut contents) {
        *content = match read(name) {
            Ok(content) => content,
            Err(error) => {
                let why = [&name[..], b": ", io_text(&error).as_bytes()].concat();
                return trouble(tool, why);
            }
        };
    }
    Ok(contents)
}

/// Fails where a file that is not text differs from the common one.
fn refuse_binary(
    tool: &str,
    names: &[Vec<u8>; 3],
    files: &[Lines; 3],
    common: usize,
) -> Result<(), i32> {
    for other in [3 - common, 0] {
        let is_binary = [other, common]
            .iter()
            .any(|file| files[*file].text.contains(&0));
        if is_binary && files[other].text != files[common].text {
            let why = [
                b"diff failed: Binary files ",
                &names[other][..],
                b" and ",
                &names[common],
                b" differ",
            ];
            return trouble(tool, why.concat());
        }
    }
    Ok(())
}

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    2 * i32::from(out.finish().is_err())
}

fn read(name: &[u8]) -> std::io::Result<Vec<u8>> {
    if name != b"-" {
        if std::fs::metadata(path(name))?.is_dir() {
            return Err(std::io::Error::other("Is a directory"));
        }
        return std::fs::read(path(name));
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    Ok(text)
}

/// What changed between a file and the common one.
fn changes_of(file: &Lines, common: &Lines) -> Vec<Change> {
    let ignoring = Ignoring {
        tab_size: 8,
        ..Ignoring::default()
    };
    let [one, other] = numbered([file, common], ignoring);
    changes(&compare(&one, &other, HORIZON, false))
}

/// The blocks of three files, in order.
fn blocks(files: &[Lines; 3], common: usize) -> Vec<Block> {
    let others = [0, 3 - common];
    let threads = others.map(|file| changes_of(&files[file], &files[common]));
    let mut at = [0, 0];
    // How far each file's lines are from the common one's, behind the last change.
    let mut shift = [0_isize; 2];
    let mut blocks = Vec::new();
    loop {
        let next = [0, 1].map(|side| threads[side].get(at[side]));
        let side = match next {
            [None, None] => return blocks,
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [Some(one), Some(other)] => usize::from(one.second.0 > other.second.0),
        };
        let first = at;
        let Some(base) = next[side] else {
            return blocks;
        };
        let (start, mut end) = base.second;
        at[side] += 1;
        // Whatever touches it in the common file belongs to it.
        loop {
            let joins = |side: usize| {
                threads[side]
                    .get(at[side])
                    .filter(|change| change.second.0 <= end)
            };
            let Some((side, change)) = [1 - side, side]
                .into_iter()
                .find_map(|side| joins(side).map(|change| (side, change)))
            else {
                break;
            };
            end = end.max(change.second.1);
            at[side] += 1;
        }
        let mut ranges = [(0, 0); 3];
        ranges[common] = (start, end);
        for side in 0..2 {
            let moved = |line: usize, shift: isize| line.saturating_add_signed(shift);
            let before = shift[side];
            if at[side] > first[side] {
                let last = &threads[side][at[side] - 1];
                shift[side] = last.first.1.cast_signed() - last.second.1.cast_signed();
            }
            ranges[others[side]] = (moved(start, before), moved(end, shift[side]));
        }
        let used = [0, 1].map(|side| at[side] > first[side]);
        let odd = match used {
            [true, false] => Some(others[0]),
            [false, true] => Some(others[1]),
            _ => {
                let text = |side: usize| {
                    let file = others[side];
                    let (start, end) = ranges[file];
                    (start..end).map(move |line| files[file].line(line))
                };
                text(0).eq(text(1)).then_some(common)
            }
        };
        blocks.push(Block { ranges, odd });
    }
}

/// Prints blocks for people.
fn show(out: &mut Output, files: &[Lines; 3], blocks: &[Block], prefix: &[u8]) {
    for block in blocks {
        let mark = block
            .odd
            .map_or(String::new(), |file| (file + 1).to_string());
        out.put(format!("===={mark}\n").as_bytes());
        let order = if block.odd == Some(1) {
            [0, 2, 1]
        } else {
            [0, 1, 2]
        };
        // Of two files that are the same, the lines of the second are shown.
        let silent = match block.odd {
            None => 3,
            Some(0) => 1,
            Some(_) => 0,
        };
        for file in order {
            let (start, end) = block.ranges[file];
            let place = match end - start {
                0 => format!("{}:{start}a\n", file + 1),
                1 => format!("{}:{end}c\n", file + 1),
                _ => format!("{}:{},{end}c\n", file + 1, start + 1),
            };
            out.put(place.as_bytes());
            if file == silent {
                continue;
            }
            for line in start..end {
                out.put(prefix);
                out.put(files[file].line(line));
                if files[file].lacks_end(line) {
                    out.put(b"\n\\ No newline at end of file\n");
                }
            }
        }
    }
}

/// Prints the first file with the changes of the third. Says whether there are conflicts.
fn merged(
    out: &mut Output,
    files: [&Lines; 3],
    blocks: &[Block],
    labels: &[Vec<u8>],
    how: How,
) -> bool {
    let mut conflicts = false;
    let mut at = 0;
    let lines = |out: &mut Output, file: usize, (start, end): (usize, usize)| {
        for line in start..end {
            out.put(files[file].line(line));
        }
    };
    let mark = |out: &mut Output, mark: &str, label: usize| {
        out.put(&[mark.as_bytes(), b" ", &labels[label], b"\n"].concat());
    };
    for block in blocks {
        // Whether a conflict is shown; what is not taken stays as the first file has it.
        let shown = match block.odd {
            Some(0) => continue,
            Some(1) if how != How::All => continue,
            Some(1) => true,
            Some(_) if how == How::OnlyOverlap => continue,
            Some(_) => false,
            None if how == How::Easy => continue,
            None => matches!(how, How::All | How::Overlap),
        };
        lines(out, 0, (at, block.ranges[0].0));
        at = block.ranges[0].1;
        conflicts |= shown;
        if !shown {
            lines(out, 2, block.ranges[2]);
            continue;
        }
        let first = if block.odd.is_none() { 0 } else { 1 };
        mark(out, "<<<<<<<", first);
        lines(out, first, block.ranges[first]);
        if block.odd.is_none() && how == How::All {
            mark(out, "|||||||", 1);
            lines(out, 1, block.ranges[1]);
        }
        out.put(b"=======\n");
        lines(out, 2, block.ranges[2]);
        mark(out, ">>>>>>>", 2);
    }
    lines(out, 0, (at, files[0].len()));
    conflicts
}
