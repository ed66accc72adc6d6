//! `git grep`.

use std::cmp::Reverse;

use codepod_posix_regex::next_char;

use super::Call;
use super::status::{Untracked, unknown};
use crate::args;
use crate::diff::change::flatten;
use crate::diff::patch::is_binary;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::pattern::{self, Pattern};
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// What is looked for, and how it is shown.
struct Search {
    patterns: Vec<Pattern>,
    all: bool,
    invert: bool,
    word: bool,
    names: bool,
    no_names: bool,
    count: bool,
    number: bool,
    column: bool,
    only: bool,
    quiet: bool,
    no_head: bool,
    before: usize,
    after: usize,
    heading: bool,
    breaks: bool,
    zero: bool,
    text: bool,
    skip_binary: bool,
    max: Option<usize>,
}

/// `git grep`.
pub(crate) fn grep(call: &Call) -> Result<i32> {
    let table = "cached no-index untracked exclude-standard recurse-submodules v|invert-match i|ignore-case w|word-regexp a|text I| textconv r|recursive \
                 max-depth= E|extended-regexp G|basic-regexp F|fixed-strings P|perl-regexp n|line-number column h| H| full-name l|files-with-matches \
                 name-only L|files-without-match z|null o|only-matching c|count color? break heading C|context= B|before-context= A|after-context= threads= \
                 p|show-function W|function-context f|= e|= and or not q|quiet all-match m|max-count= number=";
    let parsed = args::parse("grep", table, &call.words)?;
    parsed.refuse(&[
        "no-index",
        "and",
        "not",
        "show-function",
        "function-context",
        "recurse-submodules",
        "textconv",
        "max-depth",
    ])?;
    let repo = call.repo()?;
    let mut words = parsed.words.clone();
    let mut dashes = parsed.dashes;
    let mut texts: Vec<Vec<u8>> = parsed.values("e");
    for file in parsed.values("f") {
        texts.extend(super::add::lines_of(&file, false)?);
    }
    if texts.is_empty() {
        if words.is_empty() {
            return fatal("no pattern given");
        }
        texts.push(words.remove(0));
        dashes = dashes.map(|count| count.saturating_sub(1));
    }
    let mut kind = match repo.config.get("grep.patterntype") {
        Some(b"extended") => pattern::Kind::Extended,
        Some(b"fixed") => pattern::Kind::Fixed,
        Some(b"perl") => pattern::Kind::Perl,
        _ => pattern::Kind::Basic,
    };
    for (name, _) in &parsed.options {
        kind = match name.as_str() {
            "extended-regexp" => pattern::Kind::Extended,
            "basic-regexp" => pattern::Kind::Basic,
            "fixed-strings" => pattern::Kind::Fixed,
            "perl-regexp" => pattern::Kind::Perl,
            _ => kind,
        };
    }
    let mut patterns = Vec::new();
    for text in &texts {
        match pattern::compile(text, kind, parsed.has("ignore-case")) {
            Ok(pattern) => patterns.push(pattern),
            Err(message) => {
                return fatal(format!("command line, '{}': {message}", show(text)));
            }
        }
    }
    let context = |name: &str| {
        parsed
            .text(name)
            .and_then(|count| count.parse::<usize>().ok())
    };
    let around = context("context").or(context("number")).unwrap_or(0);
    let search = Search {
        patterns,
        all: parsed.has("all-match"),
        invert: parsed.has("invert-match"),
        word: parsed.has("word-regexp"),
        names: parsed.has("files-with-matches") || parsed.has("name-only"),
        no_names: parsed.has("files-without-match"),
        count: parsed.has("count"),
        number: parsed.has("line-number")
            || (repo.config.truth("grep.linenumber") == Some(true)
                && !parsed.has("no-line-number")),
        column: parsed.has("column"),
        only: parsed.has("only-matching"),
        quiet: parsed.has("quiet"),
        no_head: parsed.has("h"),
        before: context("before-context").unwrap_or(around),
        after: context("after-context").unwrap_or(around),
        heading: parsed.has("heading"),
        breaks: parsed.has("break"),
        zero: parsed.has("null"),
        text: parsed.has("text"),
        skip_binary: parsed.has("I"),
        max: context("max-count"),
    };
    let mut trees: Vec<(Vec<u8>, Oid)> = Vec::new();
    let mut paths = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if dashes.is_some_and(|count| at >= count) || !paths.is_empty() {
            paths.push(word.clone());
            continue;
        }
        match revision::try_resolve(&repo, word)? {
            Some(oid) => trees.push((word.clone(), revision::peel(&repo, oid, Some(Kind::Tree))?)),
            None if dashes.is_some() => {
                return fatal(format!("unable to resolve revision: {}", show(word)));
            }
            None => {
                crate::history::check_path(&repo, word)?;
                paths.push(word.clone());
            }
        }
    }
    let paths = match paths.is_empty() && !repo.prefix.is_empty() {
        true => Pathspec::new(&repo, &[b".".to_vec()])?,
        false => Pathspec::new(&repo, &paths)?,
    };
    let mut hit = false;
    let shown = |path: &[u8]| {
        if parsed.has("full-name") {
            path.to_vec()
        } else {
            repo.relative(path)
        }
    };
    if trees.is_empty() {
        let index = repo.index()?;
        let mut files: Vec<Vec<u8>> = index
            .entries
            .values()
            .map(|entry| entry.path.clone())
            .filter(|path| paths.matches(path))
            .collect();
        files.dedup();
        if parsed.has("untracked") {
            files.extend(unknown(&repo, &index, Untracked::All, None, &paths)?.0);
            files.sort();
        }
        for path in files {
            let content = match parsed.has("cached") {
                true => match index.get(&path) {
                    Some(entry) => repo.objects.blob(&entry.oid)?.to_vec(),
                    None => continue,
                },
                false => match os::lstat(&path) {
                    Ok(found) if found.is_file() => os::read(&path)?,
                    _ => continue,
                },
            };
            hit |= search.file(&repo, &shown(&path), &content, hit);
            if hit && search.quiet {
                break;
            }
        }
    }
    for (name, tree) in trees {
        for (path, (mode, oid)) in flatten(&repo, &tree)? {
            if !paths.matches(&path) || mode & os::S_IFMT != os::S_IFREG {
                continue;
            }
            let content = repo.objects.blob(&oid)?;
            let label = [&name[..], b":", &shown(&path)].concat();
            hit |= search.file(&repo, &label, &content, hit);
        }
    }
    Ok(i32::from(!hit))
}

impl Search {
    /// Where a line matches first at or after `from`: of the patterns that match there, what the longest takes.
    fn find(&self, line: &[u8], from: usize) -> Option<(usize, usize)> {
        let found = self.patterns.iter().filter_map(|pattern| {
            if self.word {
                find_word(pattern, line, from)
            } else {
                pattern.find(line, from)
            }
        });
        found.min_by_key(|(start, end)| (*start, Reverse(*end)))
    }

    /// Looks through a file; whether it has a hit (for `-L`: whether it was shown).
    fn file(&self, repo: &Repo, name: &[u8], content: &[u8], not_first: bool) -> bool {
        let lines: Vec<&[u8]> = content
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
            .collect();
        if self.all
            && !self
                .patterns
                .iter()
                .all(|regex| lines.iter().any(|line| regex.is_match(line)))
        {
            return false;
        }
        let binary = !self.text && is_binary(content);
        if binary && self.skip_binary {
            return false;
        }
        let mut hits: Vec<usize> = (0..lines.len())
            .filter(|at| self.find(lines[*at], 0).is_some() != self.invert)
            .collect();
        if let Some(max) = self.max {
            hits.truncate(max);
        }
        let name = if self.zero {
            name.to_vec()
        } else {
            repo.quote(name)
        };
        let end: &[u8] = if self.zero { b"\0" } else { b"\n" };
        if self.quiet {
            return !hits.is_empty();
        }
        if self.no_names {
            if hits.is_empty() {
                out::put(&[&name[..], end].concat());
            }
            return hits.is_empty();
        }
        if hits.is_empty() {
            return false;
        }
        if self.names {
            out::put(&[&name[..], end].concat());
            return true;
        }
        if self.count {
            let head = if self.no_head {
                Vec::new()
            } else {
                [&name[..], if self.zero { b"\0" } else { b":" }].concat()
            };
            out::line([&head[..], hits.len().to_string().as_bytes()].concat());
            return true;
        }
        if binary {
            out::line([b"Binary file ", &name[..], b" matches"].concat());
            return true;
        }
        if self.breaks && not_first {
            out::put(b"\n");
        }
        if self.heading {
            out::line(&name);
        }
        self.lines(&name, &lines, &hits, not_first);
        true
    }

    fn lines(&self, name: &[u8], lines: &[&[u8]], hits: &[usize], not_first: bool) {
        let context = self.before > 0 || self.after > 0;
        let mut next = 0;
        let mut printed: Option<usize> = None;
        let head = |at: usize, mark: &[u8], column: Option<usize>| {
            let mut text = Vec::new();
            if !self.no_head && !self.heading {
                text.extend_from_slice(name);
                text.extend_from_slice(if self.zero { b"\0" } else { mark });
            }
            if self.number {
                text.extend((at + 1).to_string().bytes());
                text.extend_from_slice(mark);
            }
            if let Some(column) = column.filter(|_| self.column) {
                text.extend(column.to_string().bytes());
                text.extend_from_slice(mark);
            }
            text
        };
        for &hit in hits {
            let from = hit.saturating_sub(self.before).max(next);
            if context
                && (printed.is_some_and(|last| last + 1 < from)
                    || (printed.is_none() && not_first && !self.breaks))
            {
                out::line("--");
            }
            for at in from..hit {
                out::line([&head(at, b"-", None)[..], lines[at]].concat());
            }
            if self.only && !self.invert {
                let mut line = lines[hit].to_vec();
                let mut from = 0;
                while let Some((start, end)) = self.find(&line, from).filter(|(a, b)| a < b) {
                    let head = head(hit, b":", Some(start + 1));
                    out::line([&head[..], &line[start..end]].concat());
                    from = end;
                    // git searches on in the rest, where a word may start but no line does.
                    line[end - 1] = b' ';
                }
            } else {
                let column = self.find(lines[hit], 0).map(|(start, _)| start + 1);
                out::line([&head(hit, b":", column)[..], lines[hit]].concat());
            }
            next = hit + 1;
            printed = Some(hit);
            let stop = hits
                .iter()
                .find(|other| **other > hit)
                .copied()
                .unwrap_or(lines.len());
            for at in hit + 1..(hit + 1 + self.after).min(lines.len()).min(stop) {
                out::line([&head(at, b"-", None)[..], lines[at]].concat());
                next = at + 1;
                printed = Some(at);
            }
        }
    }
}

/// The first match at or after `from` that is a word. Behind one that is none, the next may start where a word may.
fn find_word(pattern: &Pattern, line: &[u8], from: usize) -> Option<(usize, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut from = from;
    loop {
        let (start, end) = pattern.find(line, from)?;
        let inside = start > 0 && is_word(line[start - 1])
            || line.get(end).is_some_and(|byte| is_word(*byte));
        if start < end && !inside {
            return Some((start, end));
        }
        if start >= line.len() {
            return None;
        }
        from = next_char(line, start).1;
        while from < line.len() && is_word(line[from - 1]) {
            from += 1;
        }
        if from >= line.len() {
            return None;
        }
    }
}
