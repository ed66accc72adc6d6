//! Pathname expansion: patterns into the names of files.

use codepod_shell_syntax::Name;
use codepod_sys::directory::{self, FileType};
use codepod_sys::file::{self, Links, mode};

use crate::assign;
use crate::flow::Run;
use crate::options::ShellOptions;
use crate::pattern::{self, Pattern};
use crate::shell::Shell;
use crate::text::Text;

/// Where names of files come from.
pub trait Listing {
    /// What is in a directory, without `.` and `..`; nothing when it cannot be read. An empty path
    /// is the working directory.
    fn list(&mut self, path: &[u8]) -> Vec<(Vec<u8>, Found)>;
    /// Whether there is something at a path; a link counts, wherever it leads.
    fn exists(&mut self, path: &[u8]) -> bool;
    /// Whether a path leads to a directory.
    fn is_directory(&mut self, path: &[u8]) -> bool;
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// Anything else.
    Other,
}

/// The kernel's files.
struct Kernel;

impl Listing for Kernel {
    fn list(&mut self, path: &[u8]) -> Vec<(Vec<u8>, Found)> {
        let path = if path.is_empty() { b"." } else { path };
        let names = directory::list(path).unwrap_or_default();
        let kind = |kind| match kind {
            FileType::Directory => Found::Directory,
            FileType::Symlink => Found::Link,
            _ => Found::Other,
        };
        names
            .into_iter()
            .map(|(name, file_type)| (name, kind(file_type)))
            .collect()
    }

    fn exists(&mut self, path: &[u8]) -> bool {
        file::stat_path(path, Links::Keep).is_ok()
    }

    fn is_directory(&mut self, path: &[u8]) -> bool {
        let path = if path.is_empty() { b"." } else { path };
        file::stat_path(path, Links::Follow)
            .is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::DIRECTORY)
    }
}

/// Replaces a field that is a pattern by the names that match it; by itself (or nothing, or an
/// error) when none does.
#[inline(never)]
pub(super) fn fields(shell: &mut Shell, pattern: &[u8], text: Text, fields: &mut Vec<Text>) -> Run {
    let mut names = expand(shell, pattern, &mut Kernel);
    if let Some(ignored) = ignored(shell) {
        names.retain(|name| !ignored.iter().any(|pattern| pattern.matches(name)));
    }
    if !names.is_empty() {
        fields.extend(names.into_iter().map(Text::from));
        return Ok(());
    }
    let options = shell.state.shopt;
    if options.has(ShellOptions::FAILGLOB) {
        shell.error([b"no match: ", &*text].concat());
        return Err(super::give_up(shell));
    }
    if !options.has(ShellOptions::NULLGLOB) {
        fields.push(text);
    }
    Ok(())
}

/// The patterns of `GLOBIGNORE`.
fn ignored(shell: &mut Shell) -> Option<Vec<Ignored>> {
    let list = assign::get(shell, Name::GLOBIGNORE).filter(|list| !list.is_empty())?;
    let options = pattern::Options {
        extglob: shell.state.shopt.has(ShellOptions::EXTGLOB),
        nocase: shell.state.shopt.has(ShellOptions::NOCASEGLOB),
    };
    let mut rest = &list[..];
    let mut patterns = Vec::new();
    loop {
        let end = pattern::end_of_item(rest, b':');
        patterns.push(Ignored::new(&rest[..end], options));
        if end == rest.len() {
            return Some(patterns);
        }
        rest = &rest[end + 1..];
    }
}

/// A pattern of which nothing but `/` matches a slash.
struct Ignored(Vec<Pattern>);

impl Ignored {
    fn new(pattern: &[u8], options: pattern::Options) -> Ignored {
        let mut parts = Vec::new();
        let mut rest = pattern;
        loop {
            let end = pattern::end_of_item(rest, b'/');
            parts.push(Pattern::new(&rest[..end], options));
            if end == rest.len() {
                return Ignored(parts);
            }
            rest = &rest[end + 1..];
        }
    }

    fn matches(&self, path: &[u8]) -> bool {
        let mut parts = path.split(|byte| *byte == b'/');
        self.0
            .iter()
            .all(|pattern| parts.next().is_some_and(|part| pattern.matches(part)))
            && parts.next().is_none()
    }
}

/// The names that match a pattern, sorted by their bytes.
pub fn expand(shell: &Shell, pattern: &[u8], listing: &mut dyn Listing) -> Vec<Vec<u8>> {
    let options = shell.state.shopt;
    let ignores = shell
        .state
        .variables
        .get(Name::GLOBIGNORE)
        .scalar()
        .is_some_and(|list| !list.is_empty());
    let mut walk = Walk {
        listing,
        options: pattern::Options {
            extglob: options.has(ShellOptions::EXTGLOB),
            nocase: options.has(ShellOptions::NOCASEGLOB),
        },
        hidden: options.has(ShellOptions::DOTGLOB),
        dots: !options.has(ShellOptions::GLOBSKIPDOTS) && !ignores,
        globstar: options.has(ShellOptions::GLOBSTAR),
    };
    let mut names = walk.run(pattern);
    crate::sort::by(&mut names, Ord::cmp);
    names.dedup();
    names
}

struct Walk<'l> {
    listing: &'l mut dyn Listing,
    options: pattern::Options,
    /// Names that start with a dot match too.
    hidden: bool,
    /// `.` and `..` may match.
    dots: bool,
    globstar: bool,
}

impl Walk<'_> {
    fn run(&mut self, pattern: &[u8]) -> Vec<Vec<u8>> {
        let mut paths = vec![Vec::new()];
        let (mut at, mut matched) = (0, false);
        while at < pattern.len() && !paths.is_empty() {
            let end = at + component(&pattern[at..], self.options.extglob);
            let part = &pattern[at..end];
            let escaped = usize::from(pattern[end..].starts_with(b"\\"));
            let end = end + escaped;
            let slashes = pattern[end..]
                .iter()
                .take_while(|byte| **byte == b'/')
                .count();
            let last = end + slashes == pattern.len();
            at = end + slashes;
            if self.globstar && part == b"**" {
                // Several of them are as good as one.
                let rest = &pattern[at..];
                if rest.starts_with(b"**")
                    && matches!(rest.get(2), None | Some(b'/'))
                    && slashes > 0
                {
                    continue;
                }
                paths = self.everything(&paths, last, slashes > 0, matched);
                matched = true;
                continue;
            }
            if pattern::is_pattern(part, self.options.extglob) {
                matched = true;
                paths = self.matching(&paths, part, slashes > 0);
            } else {
                let mut text = unescape(part);
                if matched && last && slashes == 0 && pattern::quotes_next(part) {
                    // A backslash with nothing behind it is nothing.
                    text.pop();
                }
                for path in &mut paths {
                    path.extend_from_slice(&text);
                    let slashes = if matched { slashes.min(1) } else { slashes };
                    path.extend(std::iter::repeat_n(b'/', slashes));
                }
                if matched && last {
                    paths.retain(|path| self.listing.exists(path));
                }
            }
        }
        // `**/` stands for the place where it starts only when something follows.
        paths.retain(|path| !path.is_empty());
        paths
    }

    /// The entries of each directory that match a pattern without slashes; with `into`, only
    /// directories, with a slash behind them.
    fn matching(&mut self, paths: &[Vec<u8>], part: &[u8], into: bool) -> Vec<Vec<u8>> {
        let pattern = Pattern::new(part, self.options);
        let dotted = part.starts_with(b".") || part.starts_with(b"\\.");
        let hidden = self.hidden || dotted || self.options.extglob && may_start_with_dot(part);
        let mut found = Vec::new();
        for path in paths {
            let mut entries = self.listing.list(path);
            if self.dots && dotted {
                entries.push((b".".to_vec(), Found::Directory));
                entries.push((b"..".to_vec(), Found::Directory));
            }
            for (name, kind) in entries {
                if name.starts_with(b".") && !hidden || !pattern.matches(&name) {
                    continue;
                }
                let mut full = [&path[..], &name].concat();
                if into {
                    if !self.leads_into(&full, kind) {
                        continue;
                    }
                    full.push(b'/');
                }
                found.push(full);
            }
        }
        found
    }

    fn leads_into(&mut self, path: &[u8], kind: Found) -> bool {
        match kind {
            Found::Directory => true,
            Found::Link => self.listing.is_directory(path),
            Found::Other => false,
        }
    }

    /// `**`: each directory itself and all directories below it, links not followed; with `last`
    /// and without `into`, everything below. Directories behind links count, except where names
    /// follow and nothing stands before.
    fn everything(
        &mut self,
        paths: &[Vec<u8>],
        last: bool,
        into: bool,
        matched: bool,
    ) -> Vec<Vec<u8>> {
        let files = last && !into;
        let mut found = Vec::new();
        for path in paths {
            if path.is_empty() {
                if into {
                    found.push(Vec::new());
                }
            } else if self.listing.is_directory(path) {
                let slash = usize::from(files && matched);
                found.push(path[..path.len() - slash].to_vec());
            }
            let links = last || !path.is_empty();
            let mut left = vec![path.clone()];
            while let Some(directory) = left.pop() {
                for (name, kind) in self.listing.list(&directory) {
                    if name.starts_with(b".") && !self.hidden {
                        continue;
                    }
                    let mut full = [&directory[..], &name].concat();
                    if files {
                        found.push(full.clone());
                    }
                    let enters = kind == Found::Directory;
                    if !enters && (files || !links || !self.leads_into(&full, kind)) {
                        continue;
                    }
                    full.push(b'/');
                    if enters {
                        left.push(full.clone());
                    }
                    if !files {
                        found.push(full);
                    }
                }
            }
        }
        found
    }
}

/// Where the first component of a pattern ends. Slashes inside an extended form do not end it.
fn component(pattern: &[u8], extglob: bool) -> usize {
    let (mut at, mut depth) = (0, 0u32);
    while at < pattern.len() {
        match pattern[at] {
            b'/' if depth == 0 => return at,
            b'\\' if pattern.get(at + 1) == Some(&b'/') && depth == 0 => return at,
            b'\\' => at += 1,
            b'(' if depth > 0 || extglob && at > 0 && b"?*+@!".contains(&pattern[at - 1]) => {
                depth += 1
            }
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    pattern.len()
}

/// The text that a pattern without anything special stands for.
fn unescape(pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(pattern.len());
    let mut at = 0;
    while at < pattern.len() {
        if pattern[at] == b'\\' && at + 1 < pattern.len() {
            at += 1;
        }
        text.push(pattern[at]);
        at += 1;
    }
    text
}

/// Whether an extended form at the start of a pattern names a dot.
fn may_start_with_dot(part: &[u8]) -> bool {
    if !matches!(part, [b'?' | b'*' | b'+' | b'@', b'(', ..]) {
        return false;
    }
    let mut start = true;
    for (at, byte) in part[2..].iter().enumerate() {
        match byte {
            b'.' if start => return true,
            b'\\' if start => continue,
            b'|' | b'(' => start = true,
            b')' => return part[2 + at + 1..].starts_with(b".") && matches!(part[0], b'?' | b'*'),
            _ => start = false,
        }
    }
    false
}
