//! `git grep`.

use std::cmp::Reverse;

use codepod_posix_regex::next_char;

use super::Call;
use super::status::{Untracked, unknown};
use crate::args::{Rest, options};
use crate::diff::change::flatten;
use crate::diff::patch::is_binary;
use crate::history::check_path;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::pattern::{self, Pattern};
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "grep" {
        cached: bool = "cached",
        untracked: bool = "untracked",
        invert: bool = "v|invert-match",
        ignore_case: bool = "i|ignore-case",
        word: bool = "w|word-regexp",
        text: bool = "a|text",
        skip_binary: bool = "I|",
        kind: Option<pattern::Kind> = [
            "E|extended-regexp" => pattern::Kind::Extended,
            "G|basic-regexp" => pattern::Kind::Basic,
            "F|fixed-strings" => pattern::Kind::Fixed,
            "P|perl-regexp" => pattern::Kind::Perl,
        ],
        number: Option<bool> = "n|line-number",
        column: bool = "column",
        /// Lines stand without the name of their file.
        no_head: bool = "h|",
        full_name: bool = "full-name",
        with_match: bool = "l|files-with-matches",
        name_only: bool = "name-only",
        without_match: bool = "L|files-without-match",
        zero: bool = "z|null",
        only: bool = "o|only-matching",
        count: bool = "c|count",
        breaks: bool = "break",
        heading: bool = "heading",
        context: Option<String> = "C|context=",
        /// Context again: `-3`.
        context_number: Option<String> = "number=",
        before: Option<String> = "B|before-context=",
        after: Option<String> = "A|after-context=",
        files: Vec<Vec<u8>> = "f|=",
        patterns: Vec<Vec<u8>> = "e|=",
        quiet: bool = "q|quiet",
        all_match: bool = "all-match",
        max: Option<String> = "m|max-count=",
    }
    ignored "exclude-standard r|recursive H| color? threads= or"
    refused "no-index and not p|show-function W|function-context recurse-submodules textconv \
        max-depth="
}

/// What is looked for, and how it is shown.
struct Search {
    patterns: Vec<Pattern>,
    /// How many lines are shown around a hit.
    before: usize,
    after: usize,
    number: bool,
    max: Option<usize>,
    options: Options,
}

/// Where it is looked for.
struct Places {
    /// Trees with their names; without one it is the working tree.
    trees: Vec<(Vec<u8>, Oid)>,
    paths: Pathspec,
}

/// `git grep`.
pub(crate) fn grep(call: &Call) -> Result<i32> {
    let (options, mut rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let texts = texts(&options, &mut rest)?;
    let search = search(&repo, &texts, options)?;
    let places = places(&repo, rest)?;
    let hit = match places.trees.is_empty() {
        true => search.files(&repo, &places)?,
        false => search.trees(&repo, &places)?,
    };
    Ok(i32::from(!hit))
}

/// The patterns: those of options and files, or the first word.
fn texts(options: &Options, rest: &mut Rest) -> Result<Vec<Vec<u8>>> {
    let mut texts = options.patterns.clone();
    for file in &options.files {
        texts.extend(os::lines_of(file, false)?);
    }
    if texts.is_empty() {
        if rest.words.is_empty() {
            return fatal("no pattern given");
        }
        texts.push(rest.words.remove(0));
        rest.dashes = rest.dashes.map(|count| count.saturating_sub(1));
    }
    Ok(texts)
}

fn search(repo: &Repo, texts: &[Vec<u8>], options: Options) -> Result<Search> {
    let kind = options
        .kind
        .unwrap_or_else(|| match repo.config.get("grep.patterntype") {
            Some(b"extended") => pattern::Kind::Extended,
            Some(b"fixed") => pattern::Kind::Fixed,
            Some(b"perl") => pattern::Kind::Perl,
            _ => pattern::Kind::Basic,
        });
    let mut patterns = Vec::new();
    for text in texts {
        match pattern::compile(text, kind, options.ignore_case) {
            Ok(pattern) => patterns.push(pattern),
            Err(message) => {
                return fatal(format!("command line, '{}': {message}", show(text)));
            }
        }
    }
    let count = |text: &Option<String>| text.as_ref()?.parse::<usize>().ok();
    let around = count(&options.context)
        .or(count(&options.context_number))
        .unwrap_or(0);
    let number = repo.config.truth("grep.linenumber") == Some(true);
    Ok(Search {
        patterns,
        before: count(&options.before).unwrap_or(around),
        after: count(&options.after).unwrap_or(around),
        number: options.number.unwrap_or(number),
        max: count(&options.max),
        options,
    })
}

/// Revisions, then paths.
fn places(repo: &Repo, rest: Rest) -> Result<Places> {
    let mut trees = Vec::new();
    let mut paths = Vec::new();
    for (at, word) in rest.words.into_iter().enumerate() {
        if rest.dashes.is_some_and(|count| at >= count) || !paths.is_empty() {
            paths.push(word);
            continue;
        }
        match revision::try_resolve(repo, &word)? {
            Some(oid) => trees.push((word, revision::peel(repo, oid, Some(Kind::Tree))?)),
            None if rest.dashes.is_some() => {
                return fatal(format!("unable to resolve revision: {}", show(&word)));
            }
            None => {
                check_path(repo, &word)?;
                paths.push(word);
            }
        }
    }
    if paths.is_empty() && !repo.prefix.is_empty() {
        paths.push(b".".to_vec());
    }
    Ok(Places {
        trees,
        paths: Pathspec::new(repo, &paths)?,
    })
}

impl Search {
    /// Looks through the files that git knows, in the working tree or the index; whether there was
    /// a hit.
    fn files(&self, repo: &Repo, places: &Places) -> Result<bool> {
        let index = repo.index()?;
        let known = index.entries.values().map(|entry| entry.path.clone());
        let mut files: Vec<Vec<u8>> = known.filter(|path| places.paths.matches(path)).collect();
        files.dedup();
        if self.options.untracked {
            files.extend(unknown(repo, &index, Untracked::All, None, &places.paths)?.0);
            files.sort();
        }
        let mut hit = false;
        for path in files {
            let content = match self.options.cached {
                true => match index.get(&path) {
                    Some(entry) => repo.objects.blob(&entry.oid)?.to_vec(),
                    None => continue,
                },
                false => match os::lstat(&path) {
                    Ok(found) if found.is_file() => os::read(&path)?,
                    _ => continue,
                },
            };
            hit |= self.file(repo, &self.shown(repo, &path), &content, hit);
            if hit && self.options.quiet {
                break;
            }
        }
        Ok(hit)
    }

    /// Looks through trees; whether there was a hit.
    fn trees(&self, repo: &Repo, places: &Places) -> Result<bool> {
        let mut hit = false;
        for (name, tree) in &places.trees {
            for (path, (mode, oid)) in flatten(repo, tree)? {
                if !places.paths.matches(&path) || mode & os::S_IFMT != os::S_IFREG {
                    continue;
                }
                let content = repo.objects.blob(&oid)?;
                let label = [&name[..], b":", &self.shown(repo, &path)].concat();
                hit |= self.file(repo, &label, &content, hit);
            }
        }
        Ok(hit)
    }

    fn shown(&self, repo: &Repo, path: &[u8]) -> Vec<u8> {
        match self.options.full_name {
            true => path.to_vec(),
            false => repo.relative(path),
        }
    }

    /// Where a line matches first at or after `from`: of the patterns that match there, what the
    /// longest takes.
    fn find(&self, line: &[u8], from: usize) -> Option<(usize, usize)> {
        let found = self.patterns.iter().filter_map(|pattern| {
            if self.options.word {
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
        if self.options.all_match
            && !self
                .patterns
                .iter()
                .all(|regex| lines.iter().any(|line| regex.is_match(line)))
        {
            return false;
        }
        let binary = !self.options.text && is_binary(content);
        if binary && self.options.skip_binary {
            return false;
        }
        let mut hits: Vec<usize> = (0..lines.len())
            .filter(|at| self.find(lines[*at], 0).is_some() != self.options.invert)
            .collect();
        if let Some(max) = self.max {
            hits.truncate(max);
        }
        let name = if self.options.zero {
            name.to_vec()
        } else {
            repo.quote(name)
        };
        let end: &[u8] = if self.options.zero { b"\0" } else { b"\n" };
        if self.options.quiet {
            return !hits.is_empty();
        }
        if self.options.without_match {
            if hits.is_empty() {
                out::put(&[&name[..], end].concat());
            }
            return hits.is_empty();
        }
        if hits.is_empty() {
            return false;
        }
        if self.options.with_match || self.options.name_only {
            out::put(&[&name[..], end].concat());
            return true;
        }
        if self.options.count {
            let head = if self.options.no_head {
                Vec::new()
            } else {
                [&name[..], if self.options.zero { b"\0" } else { b":" }].concat()
            };
            out::line([&head[..], hits.len().to_string().as_bytes()].concat());
            return true;
        }
        if binary {
            out::line([b"Binary file ", &name[..], b" matches"].concat());
            return true;
        }
        if self.options.breaks && not_first {
            out::put(b"\n");
        }
        if self.options.heading {
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
            if !self.options.no_head && !self.options.heading {
                text.extend_from_slice(name);
                text.extend_from_slice(if self.options.zero { b"\0" } else { mark });
            }
            if self.number {
                text.extend((at + 1).to_string().bytes());
                text.extend_from_slice(mark);
            }
            if let Some(column) = column.filter(|_| self.options.column) {
                text.extend(column.to_string().bytes());
                text.extend_from_slice(mark);
            }
            text
        };
        for &hit in hits {
            let from = hit.saturating_sub(self.before).max(next);
            if context
                && (printed.is_some_and(|last| last + 1 < from)
                    || (printed.is_none() && not_first && !self.options.breaks))
            {
                out::line("--");
            }
            for at in from..hit {
                out::line([&head(at, b"-", None)[..], lines[at]].concat());
            }
            if self.options.only && !self.options.invert {
                let mut line = lines[hit].to_vec();
                let (mut from, mut first) = (0, None);
                while let Some((start, end)) = self.find(&line, from).filter(|(a, b)| a < b) {
                    // git counts the columns of later matches from the first one on.
                    let column = *first.get_or_insert(start + 1) + from;
                    let head = head(hit, b":", Some(column));
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

/// The first match at or after `from` that is a word. Behind one that is none, the next may start
/// where a word may.
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
