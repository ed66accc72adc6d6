//! Changes as text: patches, names, raw lines; and what is common to all forms.

use super::binary::binary_patch;
use super::change::{self, Change, Side, content};
use super::lines;
use super::options::Options;
use super::{rename, stat, words};
use crate::object::GITLINK;
use crate::oid::Oid;
use crate::out::{put, quote_path};
use crate::repo::Repo;
use crate::stop::{Result, Stop};

/// Colours of a patch.
pub(crate) mod color {
    pub(crate) const META: &str = "\x1b[1m";
    pub(crate) const FRAG: &str = "\x1b[36m";
    pub(crate) const OLD: &str = "\x1b[31m";
    pub(crate) const NEW: &str = "\x1b[32m";
    pub(crate) const SPACE: &str = "\x1b[41m";
    pub(crate) const RESET: &str = "\x1b[m";
}

/// Whether a text is no text.
pub(crate) fn is_binary(text: &[u8]) -> bool {
    text.iter().take(8000).any(|byte| *byte == 0)
}

/// Prints changes.
pub(crate) struct Printer<'a> {
    pub(crate) repo: &'a Repo,
    pub(crate) options: &'a Options,
    /// Whether something was printed.
    pub(crate) printed: bool,
}

/// One side of a change.
struct Version {
    content: Vec<u8>,
    oid: Oid,
    /// As it stands behind `---` and `+++`.
    name: Vec<u8>,
}

impl Version {
    /// The line with the name; a tab ends a name with spaces, so that `patch` can tell.
    fn marked(&self, mark: &[u8], path: &[u8]) -> Vec<u8> {
        let mut text = [mark, &self.name].concat();
        let is_quoted = self.name.first() == Some(&b'"');
        if path.contains(&b' ') && self.name != b"/dev/null" && !is_quoted {
            text.push(b'\t');
        }
        text
    }
}

impl<'a> Printer<'a> {
    /// A printer of these options.
    pub(crate) fn new(repo: &'a Repo, options: &'a Options) -> Printer<'a> {
        Printer {
            repo,
            options,
            printed: false,
        }
    }

    pub(super) fn line(&self, text: &[u8]) {
        put(&self.options.line_prefix);
        put(text);
        put(b"\n");
    }

    /// Prints all forms that are asked for; whether there was a change.
    pub(crate) fn show(&mut self, changes: &[Change]) -> Result<bool> {
        let options = self.options;
        if options.silent || changes.is_empty() {
            return Ok(!changes.is_empty());
        }
        if options.check {
            return self.check(changes);
        }
        if options.raw {
            changes.iter().for_each(|change| self.raw(change));
        }
        if options.name_status || options.name_only {
            changes.iter().for_each(|change| self.names(change));
        }
        let mut before = options.raw || options.name_status || options.name_only;
        if options.stat || options.numstat || options.shortstat {
            let stats = stat::count(self.repo, changes, options)?;
            if options.numstat {
                stat::numstat(self.repo, &stats, options);
            }
            if options.stat {
                stat::stat(self.repo, &stats, options);
            }
            if options.shortstat {
                stat::shortstat(&stats, options);
            }
            before = true;
        }
        if options.summary {
            changes
                .iter()
                .for_each(|change| summary(self.repo, change, options));
            before = true;
        }
        if options.patch {
            if before {
                put(&options.line_prefix);
                put(if options.zero { b"\0" } else { b"\n" });
            }
            for change in changes {
                if crate::out::is_broken() {
                    break;
                }
                self.patch(change)?;
            }
        }
        Ok(true)
    }

    fn short(&self, oid: &Oid) -> String {
        match self.options.abbrev {
            Some(count) => self.repo.objects.abbreviate(oid, count),
            None => self.repo.short(oid),
        }
    }

    fn raw(&self, change: &Change) {
        let short = |oid: &Oid| {
            let length = self.options.abbrev.unwrap_or(self.repo.abbrev());
            if oid.is_null() {
                "0".repeat(length)
            } else {
                self.repo.objects.abbreviate(oid, length)
            }
        };
        let status = status_word(change);
        let head = format!(
            ":{:06o} {:06o} {} {} {status}",
            change.old.mode,
            change.new.mode,
            short(&change.old.oid),
            short(&change.new.oid)
        );
        put(&self.options.line_prefix);
        put(head.as_bytes());
        self.status_paths(change);
    }

    /// The paths after a status, with their separators.
    fn status_paths(&self, change: &Change) {
        let zero = self.options.zero;
        let separator: &[u8] = if zero { b"\0" } else { b"\t" };
        let show = |path: &[u8]| {
            if zero {
                path.to_vec()
            } else {
                self.repo.quote(&self.shown(path))
            }
        };
        put(separator);
        if matches!(change.status, b'R' | b'C') {
            put(&show(&change.old.path));
            put(separator);
        }
        put(&show(&change.new.path));
        put(if zero { b"\0" } else { b"\n" });
    }

    /// A path as `--relative` wants it.
    fn shown(&self, path: &[u8]) -> Vec<u8> {
        match &self.options.relative {
            Some(prefix) => path.strip_prefix(&prefix[..]).unwrap_or(path).to_vec(),
            None => path.to_vec(),
        }
    }

    fn names(&self, change: &Change) {
        put(&self.options.line_prefix);
        if self.options.name_status {
            put(status_word(change).as_bytes());
            self.status_paths(change);
        } else if self.options.zero {
            put(&self.shown(&change.new.path));
            put(b"\0");
        } else {
            put(&self.repo.quote(&self.shown(&change.new.path)));
            put(b"\n");
        }
    }

    /// Prints a patch of one change.
    pub(crate) fn patch(&mut self, change: &Change) -> Result<()> {
        if change.status == b'U' {
            self.line(&[b"* Unmerged path ", &self.shown(&change.new.path)[..]].concat());
            return Ok(());
        }
        if change.status == b'T' {
            let (old, new) = (&change.old, &change.new);
            self.patch(&Change::new(&old.path, Some((old.mode, old.oid)), None))?;
            return self.patch(&Change::new(&new.path, None, Some((new.mode, new.oid))));
        }
        let old = self.version(&change.old, &self.options.prefixes.0)?;
        let new = self.version(&change.new, &self.options.prefixes.1)?;
        let head = self.head(change, &old.oid, &new.oid);
        if old.oid == new.oid {
            // Only names or modes differ, or an empty file came or went.
            if change.old.mode != change.new.mode || matches!(change.status, b'R' | b'C') {
                self.put_head(&head);
            }
            return Ok(());
        }
        let is_binary =
            |path: &[u8], content: &[u8]| crate::attributes::is_binary(self.repo, path, content);
        let binary = !self.options.text
            && (is_binary(&change.old.path, &old.content)
                || is_binary(&change.new.path, &new.content));
        if !binary {
            return self.text_patch(change, &head, &old, &new);
        }
        self.put_head(&head);
        if self.options.binary {
            return binary_patch(&old.content, &new.content);
        }
        let names: [&[u8]; 5] = [b"Binary files ", &old.name, b" and ", &new.name, b" differ"];
        self.line(&names.concat());
        Ok(())
    }

    /// One side of a change as a patch needs it.
    fn version(&self, side: &Side, prefix: &[u8]) -> Result<Version> {
        let content = content(self.repo, side)?;
        let oid = match side.mode {
            0 => Oid::NULL,
            GITLINK => side.oid,
            _ if side.oid.is_null() => crate::oid::hash(crate::oid::Kind::Blob, &content),
            _ => side.oid,
        };
        let name = match side.mode {
            0 => b"/dev/null".to_vec(),
            _ => quote_path(
                &[prefix, &self.shown(&side.path)[..]].concat(),
                self.repo.quotes_all(),
            ),
        };
        Ok(Version { content, oid, name })
    }

    /// Prints a patch in lines.
    fn text_patch(
        &mut self,
        change: &Change,
        head: &[Vec<u8>],
        old: &Version,
        new: &Version,
    ) -> Result<()> {
        let options = self.options;
        let (old_lines, new_lines) = (lines::split(&old.content), lines::split(&new.content));
        let mut hunks = lines::compare(&old_lines, &new_lines, options.space, options.algorithm);
        if options.ignore_blank {
            let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
            hunks.retain(|hunk| {
                let gone = &old_lines[hunk.old..hunk.old + hunk.old_len];
                let come = &new_lines[hunk.new..hunk.new + hunk.new_len];
                !gone.iter().chain(come).all(is_blank)
            });
        }
        if hunks.is_empty() {
            let whitespace_only = options.space != lines::Space::Exact || options.ignore_blank;
            let moved = change.old.mode != change.new.mode
                || matches!(change.status, b'R' | b'C' | b'A' | b'D');
            if !whitespace_only || moved {
                self.put_head(head);
            }
            return Ok(());
        }
        let word = words::word_pattern(options)?;
        self.put_head(head);
        self.put_head(&[
            old.marked(b"--- ", &change.old.path),
            new.marked(b"+++ ", &change.new.path),
        ]);
        if options.word_diff.is_some() {
            return words::print(options, word.as_ref(), &old_lines, &new_lines, &hunks);
        }
        self.hunks(&old_lines, &new_lines, &hunks);
        Ok(())
    }

    fn put_head(&mut self, lines: &[Vec<u8>]) {
        self.printed = true;
        for line in lines {
            if self.options.color {
                self.line(&[color::META.as_bytes(), line, color::RESET.as_bytes()].concat());
            } else {
                self.line(line);
            }
        }
    }

    fn head(&self, change: &Change, old_oid: &Oid, new_oid: &Oid) -> Vec<Vec<u8>> {
        let options = self.options;
        let all = self.repo.quotes_all();
        let (old_path, new_path) = (self.shown(&change.old.path), self.shown(&change.new.path));
        let name = |prefix: &[u8], path: &[u8]| quote_path(&[prefix, path].concat(), all);
        let mut lines = vec![
            [
                b"diff --git ",
                &name(&options.prefixes.0, &old_path)[..],
                b" ",
                &name(&options.prefixes.1, &new_path),
            ]
            .concat(),
        ];
        let (a, b) = (change.old.mode, change.new.mode);
        if a == 0 {
            lines.push(format!("new file mode {b:06o}").into_bytes());
        } else if b == 0 {
            lines.push(format!("deleted file mode {a:06o}").into_bytes());
        } else if a != b {
            lines.push(format!("old mode {a:06o}").into_bytes());
            lines.push(format!("new mode {b:06o}").into_bytes());
        }
        if let b'R' | b'C' = change.status {
            let word = if change.status == b'R' {
                "rename"
            } else {
                "copy"
            };
            lines.push(format!("similarity index {}%", percent(change.score)).into_bytes());
            lines.push(
                [
                    format!("{word} from ").as_bytes(),
                    &quote_path(&old_path, all),
                ]
                .concat(),
            );
            lines.push(
                [
                    format!("{word} to ").as_bytes(),
                    &quote_path(&new_path, all),
                ]
                .concat(),
            );
        }
        if old_oid != new_oid {
            let show = |oid: &Oid| match options.full_index || options.binary {
                true => oid.hex(),
                false if oid.is_null() => "0".repeat(options.abbrev.unwrap_or(self.repo.abbrev())),
                false => self.short(oid),
            };
            let mut line = format!("index {}..{}", show(old_oid), show(new_oid));
            if a == b {
                line += &format!(" {a:06o}");
            }
            lines.push(line.into_bytes());
        }
        lines
    }
}

/// A score in percent.
pub(crate) fn percent(score: u32) -> u32 {
    score * 100 / rename::MOST
}

/// `M`, `R095`.
pub(crate) fn status_word(change: &Change) -> String {
    match change.status {
        b'R' | b'C' => format!("{}{:03}", change.status as char, percent(change.score)),
        status => (status as char).to_string(),
    }
}

/// What `--summary` says of a change.
pub(crate) fn summary(repo: &Repo, change: &Change, options: &Options) {
    let (a, b) = (change.old.mode, change.new.mode);
    let line = match change.status {
        b'A' => [
            format!(" create mode {b:06o} ").as_bytes(),
            &repo.quote(&change.new.path),
        ]
        .concat(),
        b'D' => [
            format!(" delete mode {a:06o} ").as_bytes(),
            &repo.quote(&change.old.path),
        ]
        .concat(),
        b'R' | b'C' => {
            let word = if change.status == b'R' {
                "rename"
            } else {
                "copy"
            };
            let names = stat::rename_name(repo, &change.old.path, &change.new.path);
            let text = [
                format!(" {word} ").as_bytes(),
                &names,
                format!(" ({}%)", percent(change.score)).as_bytes(),
            ]
            .concat();
            if a != b {
                put(&options.line_prefix);
                put(&text);
                put(format!("\n mode change {a:06o} => {b:06o}\n").as_bytes());
                return;
            }
            text
        }
        _ if a != b && change.status != b'U' => [
            format!(" mode change {a:06o} => {b:06o} ").as_bytes(),
            &repo.quote(&change.new.path),
        ]
        .concat(),
        _ => return,
    };
    put(&options.line_prefix);
    put(&line);
    put(b"\n");
}

/// Takes away what options filter out, and finds renames.
pub(crate) fn prepare(
    repo: &Repo,
    mut changes: Vec<Change>,
    options: &Options,
    all_old: &[super::Side],
) -> Result<Vec<Change>> {
    if let Some(prefix) = &options.relative {
        changes.retain(|change| change.new.path.starts_with(prefix));
    }
    if options.reverse {
        changes = changes.into_iter().map(Change::reversed).collect();
    }
    if options.renames {
        changes = rename::detect(repo, changes, options, all_old)?;
    }
    if let Some((by_regex, text)) = &options.pickaxe {
        let mut kept = Vec::new();
        for change in changes {
            if picks(repo, &change, *by_regex, text, options)? {
                kept.push(change);
            }
        }
        changes = kept;
    }
    if let Some(filter) = &options.filter {
        let wanted: Vec<u8> = filter
            .iter()
            .copied()
            .filter(u8::is_ascii_uppercase)
            .collect();
        let unwanted: Vec<u8> = filter
            .iter()
            .filter(|byte| byte.is_ascii_lowercase())
            .map(u8::to_ascii_uppercase)
            .collect();
        let keeps = |change: &Change| {
            (wanted.is_empty() || wanted.contains(&change.status))
                && !unwanted.contains(&change.status)
        };
        if wanted == b"*" || !filter.contains(&b'*') || changes.iter().any(keeps) {
            changes.retain(keeps);
        } else {
            changes.clear();
        }
    }
    Ok(changes)
}

/// Whether a change is one that `-S` or `-G` looks for.
fn picks(
    repo: &Repo,
    change: &Change,
    by_regex: bool,
    text: &str,
    options: &Options,
) -> Result<bool> {
    if change.status == b'U' {
        return Ok(false);
    }
    let old = change::content(repo, &change.old)?;
    let new = change::content(repo, &change.new)?;
    let compile = |kind| {
        let pattern = crate::pattern::compile(text.as_bytes(), kind, false);
        pattern.map_err(|message| Stop::Fatal(format!("invalid regex: {message}").into_bytes()))
    };
    if by_regex {
        let regex = compile(crate::pattern::Kind::Extended)?;
        if is_binary(&old) || is_binary(&new) {
            return Ok(false);
        }
        let (old_lines, new_lines) = (lines::split(&old), lines::split(&new));
        let hunks = lines::compare(&old_lines, &new_lines, options.space, options.algorithm);
        return Ok(hunks.iter().any(|hunk| {
            let gone = &old_lines[hunk.old..hunk.old + hunk.old_len];
            let come = &new_lines[hunk.new..hunk.new + hunk.new_len];
            gone.iter()
                .chain(come)
                .any(|line| regex.is_match(line.strip_suffix(b"\n").unwrap_or(line)))
        }));
    }
    let kind = if options.pickaxe_regex {
        crate::pattern::Kind::Extended
    } else {
        crate::pattern::Kind::Fixed
    };
    let regex = compile(kind)?;
    Ok(regex.find_all(&old).count() != regex.find_all(&new).count())
}
