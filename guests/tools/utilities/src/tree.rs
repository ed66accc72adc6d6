//! `tree`: directories as a tree.

use codepod_posix_regex::{Brackets, Glob};
use codepod_tool::{Arguments, Output, Stop, path, scaled_size};

use crate::files;

/// What the options say.
#[derive(Debug, Default)]
struct Settings {
    all: bool,
    directories: bool,
    full: bool,
    no_indent: bool,
    classify: bool,
    size: bool,
    human: bool,
    no_report: bool,
    directories_first: bool,
    reverse: bool,
    ignore_case: bool,
    prune: bool,
    match_directories: bool,
    ascii: bool,
    unsorted: bool,
    by_time: bool,
    level: Option<usize>,
    patterns: Vec<Vec<u8>>,
    ignored: Vec<Vec<u8>>,
}

/// An entry and what is below.
#[derive(Debug)]
struct Node {
    name: Vec<u8>,
    link: Option<Vec<u8>>,
    directory: bool,
    executable: bool,
    size: u64,
    failed: bool,
    below: Vec<Node>,
}

#[derive(Debug, Default)]
struct Counts {
    directories: usize,
    files: usize,
    failed: bool,
}

/// tree as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match read_arguments(arguments) {
        Ok((settings, roots)) => run(&settings, &roots),
        Err(stop) => stop.report(name, 1),
    }
}

/// Reads the arguments: what the options say, and where trees begin.
fn read_arguments(arguments: Arguments) -> Result<(Settings, Vec<Vec<u8>>), Stop> {
    let mut settings = Settings {
        ascii: std::env::var("LC_ALL")
            .or_else(|_| std::env::var("LANG"))
            .is_ok_and(|name| !name.to_ascii_lowercase().contains("utf")),
        ..Settings::default()
    };
    let mut roots = Vec::new();
    let mut rest = arguments.into_iter();
    let mut only_operands = false;
    while let Some(argument) = rest.next() {
        if only_operands || argument.len() < 2 || argument[0] != b'-' {
            roots.push(argument);
            continue;
        }
        let text = String::from_utf8_lossy(&argument);
        match text.strip_prefix("--") {
            Some("") => only_operands = true,
            Some(word) => settings.take_word(word)?,
            None => {
                for letter in text[1..].chars() {
                    settings.take_letter(letter, &mut rest)?;
                }
            }
        }
    }
    if roots.is_empty() {
        roots.push(b".".to_vec());
    }
    Ok((settings, roots))
}

impl Settings {
    /// Takes an option with two dashes.
    fn take_word(&mut self, word: &str) -> Result<(), Stop> {
        match word {
            "noreport" => self.no_report = true,
            "dirsfirst" => self.directories_first = true,
            "prune" => self.prune = true,
            "matchdirs" => self.match_directories = true,
            "ignore-case" => self.ignore_case = true,
            "charset=ascii" | "charset=ASCII" => self.ascii = true,
            "charset=utf-8" | "charset=UTF-8" => self.ascii = false,
            "help" => {
                return Err(Stop::Status(files::print(
                    "usage: tree [-adfiFhsrtU] [-L LEVEL] [-P PATTERN] [-I PATTERN] [--dirsfirst] [--noreport] [--prune] [DIRECTORY]...\n",
                )));
            }
            "version" => return Err(Stop::Status(files::print("tree (codepod) 0.1.0\n"))),
            _ => return Err(Stop::failed(format!("Invalid argument `--{word}'."))),
        }
        Ok(())
    }

    /// Takes an option with one dash, and its value from `rest`.
    fn take_letter(
        &mut self,
        letter: char,
        rest: &mut impl Iterator<Item = Vec<u8>>,
    ) -> Result<(), Stop> {
        match letter {
            'a' => self.all = true,
            'd' => self.directories = true,
            'f' => self.full = true,
            'i' => self.no_indent = true,
            'F' => self.classify = true,
            's' => self.size = true,
            'h' => self.human = true,
            'r' => self.reverse = true,
            't' => self.by_time = true,
            'U' => self.unsorted = true,
            'n' | 'N' | 'x' => {}
            'C' | 'o' => {
                return Err(Stop::failed(format!("option -{letter} is not supported")));
            }
            'L' => {
                let value = rest.next().unwrap_or_default();
                match String::from_utf8_lossy(&value).parse() {
                    Ok(level @ 1..) => self.level = Some(level),
                    _ => return Err(Stop::failed("Invalid level, must be greater than 0.")),
                }
            }
            'P' => self.patterns.extend(alternatives(letter, rest.next())?),
            'I' => self.ignored.extend(alternatives(letter, rest.next())?),
            other => return Err(Stop::failed(format!("Invalid argument -`{other}'."))),
        }
        Ok(())
    }
}

/// The patterns of an option, with `|` between them.
fn alternatives(letter: char, value: Option<Vec<u8>>) -> Result<Vec<Vec<u8>>, Stop> {
    let missing = || Stop::failed(format!("Missing argument to -{letter} option."));
    let value = value.ok_or_else(missing)?;
    let patterns = value.split(|byte| *byte == b'|');
    Ok(patterns.map(<[u8]>::to_vec).collect())
}

fn run(settings: &Settings, roots: &[Vec<u8>]) -> i32 {
    let mut out = Output::new();
    let mut counts = Counts::default();
    for root in roots {
        let node = root_node(root, settings);
        line(&node, settings, root, &mut out);
        if node.failed {
            counts.failed = true;
        } else if !node.below.is_empty() {
            // A directory without entries is not counted where the list starts.
            counts.directories += 1;
        }
        show(&node.below, settings, root, "", &mut counts, &mut out);
    }
    if !settings.no_report {
        out.put(report(&counts, settings).as_bytes());
    }
    if out.finish().is_err() {
        return 1;
    }
    if counts.failed { 2 } else { 0 }
}

/// The directory where a tree begins, with what is below.
fn root_node(root: &[u8], settings: &Settings) -> Node {
    let metadata = std::fs::metadata(path(root)).ok();
    let is_directory = metadata.as_ref().is_some_and(std::fs::Metadata::is_dir);
    let below = match is_directory {
        true => read(root, settings, 1),
        false => None,
    };
    Node {
        name: root.to_vec(),
        link: None,
        directory: is_directory,
        executable: false,
        size: metadata.map_or(0, |metadata| metadata.len()),
        failed: below.is_none(),
        below: below.unwrap_or_default(),
    }
}

/// The lines at the end: how much there is.
fn report(counts: &Counts, settings: &Settings) -> String {
    let word = if counts.directories == 1 {
        "directory"
    } else {
        "directories"
    };
    let directories = format!("\n{} {word}", counts.directories);
    if settings.directories {
        return format!("{directories}\n");
    }
    let word = if counts.files == 1 { "file" } else { "files" };
    format!("{directories}, {} {word}\n", counts.files)
}

/// The entries of a directory as they are to be shown; none when it cannot be read.
fn read(directory: &[u8], settings: &Settings, level: usize) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    for entry in std::fs::read_dir(path(directory)).ok()? {
        let Ok(entry) = entry else {
            continue;
        };
        let name = entry.file_name().as_encoded_bytes().to_vec();
        if name.starts_with(b".") && !settings.all {
            continue;
        }
        let whole = [directory, b"/", &name].concat();
        let Ok(metadata) = std::fs::symlink_metadata(path(&whole)) else {
            continue;
        };
        let is_directory = metadata.is_dir();
        let link = match metadata.is_symlink() {
            true => std::fs::read_link(path(&whole))
                .ok()
                .map(|target| target.as_os_str().as_encoded_bytes().to_vec()),
            false => None,
        };
        // A link to a directory counts as one, but is not gone into.
        let leads_to_directory = link.is_some()
            && std::fs::metadata(path(&whole)).is_ok_and(|metadata| metadata.is_dir());
        if settings.directories && !is_directory && !leads_to_directory {
            continue;
        }
        let matches = |patterns: &[Vec<u8>]| {
            patterns
                .iter()
                .any(|pattern| glob(pattern, &name, settings.ignore_case))
        };
        if matches(&settings.ignored) {
            continue;
        }
        if !is_directory && !settings.patterns.is_empty() && !matches(&settings.patterns) {
            continue;
        }
        let mut node = Node {
            name,
            link,
            directory: is_directory || leads_to_directory,
            executable: is_executable(&metadata),
            size: metadata.len(),
            failed: false,
            below: Vec::new(),
        };
        if is_directory && settings.level.is_none_or(|most| level < most) {
            match read(&whole, settings, level + 1) {
                Some(below) => node.below = below,
                None => node.failed = true,
            }
        }
        if settings.prune && is_directory && node.below.is_empty() {
            continue;
        }
        nodes.push(node);
    }
    if !settings.unsorted {
        nodes.sort_by(|left, right| left.name.cmp(&right.name));
        if settings.by_time {
            let time = |node: &Node| {
                std::fs::symlink_metadata(path(&[directory, b"/", &node.name].concat()))
                    .and_then(|metadata| metadata.modified())
                    .ok()
            };
            nodes.sort_by_key(time);
        }
        if settings.reverse {
            nodes.reverse();
        }
        if settings.directories_first {
            nodes.sort_by_key(|node| !node.directory);
        }
    }
    Some(nodes)
}

#[cfg(target_os = "wasi")]
fn is_executable(_metadata: &std::fs::Metadata) -> bool {
    false
}

#[cfg(not(target_os = "wasi"))]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o111 != 0
}

fn show(
    nodes: &[Node],
    settings: &Settings,
    parent: &[u8],
    indent: &str,
    counts: &mut Counts,
    out: &mut Output,
) {
    for (number, node) in nodes.iter().enumerate() {
        let last = number + 1 == nodes.len();
        let (branch, below) = match (settings.ascii, last) {
            (false, false) => ("├── ", "│\u{a0}\u{a0} "),
            (false, true) => ("└── ", "    "),
            (true, false) => ("|-- ", "|   "),
            (true, true) => ("`-- ", "    "),
        };
        if !settings.no_indent {
            out.put(indent.as_bytes());
            out.put(branch.as_bytes());
        }
        let whole = [parent, b"/", &node.name].concat();
        line(node, settings, &whole, out);
        match node.directory {
            true => counts.directories += 1,
            false => counts.files += 1,
        }
        show(
            &node.below,
            settings,
            &whole,
            &format!("{indent}{below}"),
            counts,
            out,
        );
    }
}

fn line(node: &Node, settings: &Settings, whole: &[u8], out: &mut Output) {
    if settings.human {
        out.put(format!("[{}]  ", human(node.size)).as_bytes());
    } else if settings.size {
        out.put(format!("[{:>11}]  ", node.size).as_bytes());
    }
    let name = if settings.full { whole } else { &node.name };
    out.put(&printable(name));
    if let Some(target) = &node.link {
        out.put(b" -> ");
        out.put(&printable(target));
    }
    if settings.classify {
        if node.directory && node.link.is_none() && !node.failed && !name.ends_with(b"/") {
            out.put(b"/");
        } else if node.executable && !node.directory && node.link.is_none() {
            out.put(b"*");
        }
    }
    if node.failed {
        out.put(b"  [error opening dir]");
    }
    out.put(b"\n");
}

/// Bytes that would not print, as octal numbers.
fn printable(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter.is_control() {
                true => out.extend_from_slice(format!("\\{:03o}", u32::from(letter)).as_bytes()),
                false => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
        }
    }
    out
}

/// A size with a unit, in four columns.
fn human(size: u64) -> String {
    const UNITS: [&str; 6] = ["", "K", "M", "G", "T", "P"];
    let (value, unit) = scaled_size(size, UNITS.len() - 1);
    match unit {
        0 => format!("{size:>4}"),
        _ if value < 10.0 => format!("{:>4}", format!("{value:.1}{}", UNITS[unit])),
        _ => format!("{:>4}", format!("{value:.0}{}", UNITS[unit])),
    }
}

/// A pattern without named classes, whose characters are bytes.
fn glob(pattern: &[u8], name: &[u8], ignore_case: bool) -> bool {
    let glob = Glob {
        icase: ignore_case,
        bytes: true,
        brackets: Brackets::Plain,
        ..Glob::default()
    };
    glob.matches(pattern, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(glob(b"*.txt", b"a.txt", false));
        assert!(!glob(b"*.txt", b"a.txtx", false));
        assert!(glob(b"[a-c]?", b"bz", false));
        assert!(glob(b"A*", b"abc", true));
        assert!(!glob(b"[!a]", b"a", false));
    }
}
