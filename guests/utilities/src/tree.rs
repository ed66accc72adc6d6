//! `tree`: directories as a tree.

use codepod_posix_regex::{Brackets, Glob};
use codepod_tool::{Arguments, Output, complain, path};

use crate::files;

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
pub fn main(name: &str, arguments: Arguments) -> i32 {
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
        let text = String::from_utf8_lossy(&argument).into_owned();
        if let Some(word) = text.strip_prefix("--") {
            match word {
                "" => only_operands = true,
                "noreport" => settings.no_report = true,
                "dirsfirst" => settings.directories_first = true,
                "prune" => settings.prune = true,
                "matchdirs" => settings.match_directories = true,
                "ignore-case" => settings.ignore_case = true,
                "charset=ascii" | "charset=ASCII" => settings.ascii = true,
                "charset=utf-8" | "charset=UTF-8" => settings.ascii = false,
                "help" => {
                    return files::print(
                        "usage: tree [-adfiFhsrtU] [-L LEVEL] [-P PATTERN] [-I PATTERN] [--dirsfirst] [--noreport] [--prune] [DIRECTORY]...\n",
                    );
                }
                "version" => return files::print("tree (codepod) 0.1.0\n"),
                _ => {
                    complain(name, format!("Invalid argument `{text}'."));
                    return 1;
                }
            }
            continue;
        }
        for letter in text[1..].chars() {
            match letter {
                'a' => settings.all = true,
                'd' => settings.directories = true,
                'f' => settings.full = true,
                'i' => settings.no_indent = true,
                'F' => settings.classify = true,
                's' => settings.size = true,
                'h' => settings.human = true,
                'r' => settings.reverse = true,
                't' => settings.by_time = true,
                'U' => settings.unsorted = true,
                'n' | 'N' | 'x' | 'l' if letter != 'l' => {}
                'C' => {
                    complain(name, "option -C is not supported");
                    return 1;
                }
                'L' => match rest
                    .next()
                    .and_then(|value| String::from_utf8_lossy(&value).parse::<usize>().ok())
                {
                    Some(level @ 1..) => settings.level = Some(level),
                    _ => {
                        complain(name, "Invalid level, must be greater than 0.");
                        return 1;
                    }
                },
                'P' | 'I' => {
                    let Some(value) = rest.next() else {
                        complain(name, format!("Missing argument to -{letter} option."));
                        return 1;
                    };
                    let list = value.split(|byte| *byte == b'|').map(<[u8]>::to_vec);
                    if letter == 'P' {
                        settings.patterns.extend(list)
                    } else {
                        settings.ignored.extend(list)
                    }
                }
                'o' => {
                    complain(name, "option -o is not supported");
                    return 1;
                }
                other => {
                    complain(name, format!("Invalid argument -`{other}'."));
                    return 1;
                }
            }
        }
    }
    if roots.is_empty() {
        roots.push(b".".to_vec());
    }
    let mut out = Output::new();
    let mut counts = Counts::default();
    for root in &roots {
        let is_directory = std::fs::metadata(path(root)).is_ok_and(|metadata| metadata.is_dir());
        let mut node = Node {
            name: root.clone(),
            link: None,
            directory: is_directory,
            executable: false,
            size: std::fs::metadata(path(root)).map_or(0, |metadata| metadata.len()),
            failed: !is_directory,
            below: Vec::new(),
        };
        if is_directory {
            match read(root, &settings, 1) {
                Some(below) => node.below = below,
                None => node.failed = true,
            }
        }
        line(&node, &settings, root, &mut out);
        if node.failed {
            counts.failed = true;
        } else if !node.below.is_empty() {
            // A directory without entries is not counted where the list starts.
            counts.directories += 1;
        }
        show(&node.below, &settings, root, "", &mut counts, &mut out);
    }
    if !settings.no_report {
        let directories = counts.directories;
        let word = if directories == 1 {
            "directory"
        } else {
            "directories"
        };
        let mut report = format!("\n{directories} {word}");
        if !settings.directories {
            let word = if counts.files == 1 { "file" } else { "files" };
            report.push_str(&format!(", {} {word}", counts.files));
        }
        report.push('\n');
        out.put(report.as_bytes());
    }
    if out.finish().is_err() {
        return 1;
    }
    if counts.failed { 2 } else { 0 }
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
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
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
