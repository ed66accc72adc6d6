//! Changed paths as lines for people: a letter, a mark for guarded paths, the path. A directory
//! that is all new or all gone is one line if much is in it.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use codepod::MountChange;

use crate::terminal_text::shown_path;

/// A new or removed directory with more changed paths than this is one line.
const MOST_IN_A_DIRECTORY: u64 = 10;

/// A changed path.
pub(crate) struct Line<'a> {
    pub(crate) letter: char,
    pub(crate) guarded: bool,
    pub(crate) path: &'a [u8],
    /// Where it leads, if it is a link.
    pub(crate) target: Option<&'a [u8]>,
    /// How many changed paths are in it and are not listed.
    pub(crate) inside: u64,
}

impl<'a> From<&'a MountChange> for Line<'a> {
    fn from(change: &'a MountChange) -> Line<'a> {
        Line {
            letter: change.letter(),
            guarded: change.guarded,
            path: &change.path,
            target: change.target.as_deref(),
            inside: change.inside,
        }
    }
}

/// Writes lines, which are sorted by path; each of them if `all`.
pub(crate) fn write(lines: &[Line<'_>], all: bool, out: &mut impl Write) -> std::io::Result<()> {
    let folded = match all {
        true => HashMap::new(),
        false => foldable(lines),
    };
    for line in lines {
        let mut above = ancestors(line.path);
        if above.any(|directory| folded.contains_key(directory)) {
            continue;
        }
        let mark = if line.guarded { "!" } else { "" };
        let path = shown_path(line.path);
        write!(out, "{}{mark} {path}", line.letter)?;
        if let Some(target) = line.target {
            write!(out, " -> {}", shown_path(target))?;
        }
        match folded.get(line.path).copied().unwrap_or(line.inside) {
            0 => writeln!(out)?,
            count => writeln!(out, "/ ({count} paths)")?,
        }
    }
    Ok(())
}

/// The directories that become one line, with how many changed paths are in them.
fn foldable<'a>(lines: &[Line<'a>]) -> HashMap<&'a [u8], u64> {
    let wholes: HashMap<&[u8], char> = lines
        .iter()
        .filter(|line| matches!(line.letter, 'A' | 'D') && !line.guarded)
        .map(|line| (line.path, line.letter))
        .collect();
    let mut inside: HashMap<&[u8], u64> = HashMap::new();
    let mut mixed: HashSet<&[u8]> = HashSet::new();
    for line in lines {
        for directory in ancestors(line.path) {
            match wholes.get(directory) {
                Some(letter) if *letter == line.letter && !line.guarded => {
                    *inside.entry(directory).or_default() += 1 + line.inside;
                }
                Some(_) => drop(mixed.insert(directory)),
                None => {}
            }
        }
    }
    inside.retain(|path, count| *count > MOST_IN_A_DIRECTORY && !mixed.contains(path));
    inside
}

/// The directories above a path.
fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().skip(1);
    let slashes = slashes.filter(|(_, byte)| **byte == b'/');
    slashes.map(move |(end, _)| &path[..end])
}

/// Says on standard error how many paths are not shown.
pub(crate) fn tell_ignored(ignored: u64) {
    if ignored > 0 {
        let paths = if ignored == 1 { "path" } else { "paths" };
        let _ = writeln!(
            std::io::stderr(),
            "codepod: {ignored} {paths} left out by .gitignore or --exclude; `--all` takes them in"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &[(char, &str)], all: bool) -> String {
        let lines = paths.iter().map(|(letter, path)| Line {
            letter: *letter,
            guarded: path.ends_with('!'),
            path: path.as_bytes(),
            target: None,
            inside: 0,
        });
        let mut out = Vec::new();
        write(&lines.collect::<Vec<_>>(), all, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_new_directory_with_much_in_it_is_one_line() {
        let names: Vec<String> = (10..22).map(|n| format!("/w/new/{n}")).collect();
        let mut paths = vec![('A', "/w/new")];
        paths.extend(names.iter().map(|name| ('A', &**name)));
        assert_eq!(shown(&paths, false), "A /w/new/ (12 paths)\n");
        assert_eq!(shown(&paths, true).lines().count(), 13);
        // Not if a guarded path is in it, nor a few, nor what is only changed.
        paths.push(('A', "/w/new/x!"));
        assert_eq!(shown(&paths, false).lines().count(), 14);
        assert_eq!(shown(&paths[..5], false).lines().count(), 5);
        let changed: Vec<_> = names.iter().map(|name| ('M', &**name)).collect();
        assert_eq!(shown(&changed, false).lines().count(), 12);
    }
}
