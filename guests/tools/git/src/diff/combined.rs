//! Merges compared with all their parents at once: `diff --cc`.

use imara_diff::Algorithm;

use super::change::{self, Item};
use super::hunks::function_before;
use super::lines::{self, Space};
use super::options::Options;
use super::patch::{Printer, is_binary};
use crate::index::Index;
use crate::object::{Commit, canonical_mode};
use crate::oid::Oid;
use crate::os;
use crate::out::{put, quote_path};
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::Result;

/// A file that differs from every parent.
pub(crate) struct File {
    path: Vec<u8>,
    parents: Vec<Option<Item>>,
    /// None when the result has no such file; a null name stands for the working tree.
    result: Option<Item>,
}

/// All such files of a merge.
pub(crate) struct Combined {
    files: Vec<File>,
}

/// The files of a merge commit that are like none of its parents'.
pub(crate) fn commit(repo: &Repo, commit: &Commit, paths: &Pathspec) -> Result<Combined> {
    let result = change::flatten(repo, &commit.tree)?;
    let mut parents = Vec::new();
    for parent in &commit.parents {
        parents.push(change::flatten(
            repo,
            &Commit::read(&repo.objects, parent)?.tree,
        )?);
    }
    let mut names: Vec<&Vec<u8>> = result
        .keys()
        .chain(parents.iter().flat_map(|files| files.keys()))
        .collect();
    names.sort();
    names.dedup();
    let mut files = Vec::new();
    for path in names.into_iter().filter(|path| paths.matches(path)) {
        let own = result.get(path).copied();
        let theirs: Vec<Option<Item>> = parents
            .iter()
            .map(|files| files.get(path).copied())
            .collect();
        if theirs.iter().all(|item| *item != own) {
            files.push(File {
                path: path.clone(),
                parents: theirs,
                result: own,
            });
        }
    }
    Ok(Combined { files })
}

/// The files in conflict: ours and theirs against the working tree.
pub(crate) fn conflict(index: &Index, path: &[u8]) -> Combined {
    let stages = index.stages(path);
    let item = |at: usize| stages[at].map(|entry| (entry.mode, entry.oid));
    let result = os::lstat(path)
        .ok()
        .filter(|found| !found.is_dir())
        .map(|found| (canonical_mode(found.mode), Oid::NULL));
    let file = File {
        path: path.to_vec(),
        parents: vec![item(2), item(3)],
        result,
    };
    Combined { files: vec![file] }
}

/// A line of the result, or lines that some parents have before it.
#[derive(Default, Clone)]
struct Row {
    text: Vec<u8>,
    /// Which parents do not have it.
    missing: u32,
    /// Lines of parents that are not in the result, before this one.
    lost: Vec<(Vec<u8>, u32)>,
}

impl Combined {
    /// Whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// `--name-only` and its like.
    pub(crate) fn names(&self, repo: &Repo, options: &Options) -> Result<()> {
        for file in &self.files {
            if options.name_status {
                let letter = |parent: &Option<Item>| match (parent, file.result) {
                    (None, _) => 'A',
                    (_, None) => 'D',
                    _ => 'M',
                };
                let letters: String = file.parents.iter().map(letter).collect();
                put(format!("{letters}\t").as_bytes());
            }
            if options.name_status || options.name_only {
                put(&repo.quote(&file.path));
                put(b"\n");
            }
        }
        Ok(())
    }

    /// Prints patches.
    pub(crate) fn print(&self, repo: &Repo, options: &Options) -> Result<()> {
        for file in &self.files {
            file.print(repo, options)?;
        }
        Ok(())
    }
}

impl File {
    fn content(&self, repo: &Repo, item: Option<Item>) -> Result<Vec<u8>> {
        let Some((mode, oid)) = item else {
            return Ok(Vec::new());
        };
        change::content(
            repo,
            &change::Side {
                mode,
                oid,
                path: self.path.clone(),
            },
        )
    }

    fn print(&self, repo: &Repo, options: &Options) -> Result<()> {
        let new = self.content(repo, self.result)?;
        let mut olds = Vec::new();
        for parent in &self.parents {
            olds.push(self.content(repo, *parent)?);
        }
        let binary = is_binary(&new) || olds.iter().any(|old| is_binary(old));
        let rows = if binary {
            Vec::new()
        } else {
            rows(&new, &olds)
        };
        let count = self.parents.len() as u32;
        let interesting = interesting(&rows, count);
        if !binary
            && interesting.is_empty()
            && self.result.is_some()
            && self.parents.iter().all(Option::is_some)
        {
            return Ok(());
        }
        self.head(repo, options);
        if binary {
            put(b"Binary files differ\n");
            return Ok(());
        }
        let all = repo.quotes_all();
        let name = |prefix: &[u8], exists: bool| match exists {
            true => quote_path(&[prefix, &self.path[..]].concat(), all),
            false => b"/dev/null".to_vec(),
        };
        let any_parent = self.parents.iter().any(Option::is_some);
        meta(options, &[b"--- ", &name(b"a/", any_parent)[..]].concat());
        meta(
            options,
            &[b"+++ ", &name(b"b/", self.result.is_some())[..]].concat(),
        );
        self.hunks(repo, options, &rows, &interesting, &olds);
        Ok(())
    }

    fn head(&self, repo: &Repo, options: &Options) {
        let name = quote_path(&self.path, repo.quotes_all());
        meta(options, &[b"diff --cc ", &name[..]].concat());
        let short = |item: Option<Item>| match item {
            Some((_, oid)) if !oid.is_null() => repo.short(&oid),
            _ => "0".repeat(repo.abbrev()),
        };
        let parents: Vec<String> = self.parents.iter().map(|item| short(*item)).collect();
        meta(
            options,
            format!("index {}..{}", parents.join(","), short(self.result)).as_bytes(),
        );
        let mode = |item: Option<Item>| item.map_or(0, |item| item.0);
        let modes: Vec<u32> = self.parents.iter().map(|item| mode(*item)).collect();
        let own = mode(self.result);
        if modes.iter().all(|mode| *mode == 0) && own != 0 {
            meta(options, format!("new file mode {own:06o}").as_bytes());
        } else if own == 0 {
            let list: Vec<String> = modes.iter().map(|mode| format!("{mode:06o}")).collect();
            meta(
                options,
                format!("deleted file mode {}", list.join(",")).as_bytes(),
            );
        } else if modes.iter().any(|mode| *mode != own) {
            let list: Vec<String> = modes.iter().map(|mode| format!("{mode:06o}")).collect();
            meta(
                options,
                format!("mode {}..{own:06o}", list.join(",")).as_bytes(),
            );
        }
    }

    fn hunks(
        &self,
        repo: &Repo,
        options: &Options,
        rows: &[Row],
        wanted: &[usize],
        olds: &[Vec<u8>],
    ) {
        let context = options.context;
        let count = olds.len();
        let first_old = lines::split(&olds[0]);
        let mut at = 0;
        while at < wanted.len() {
            let start = wanted[at].saturating_sub(context);
            let mut end = (wanted[at] + 1 + context).min(rows.len());
            while at + 1 < wanted.len() && wanted[at + 1] <= end + context {
                at += 1;
                end = (wanted[at] + 1 + context).min(rows.len());
            }
            at += 1;
            // The last row stands only for lines lost at the end.
            let lines_here = rows[start..end].iter().filter(|row| !is_last(row)).count();
            let before = rows[..start].iter();
            let position = |parent: usize, rows: &mut dyn Iterator<Item = &Row>| {
                let bit = 1 << parent;
                rows.map(|row| {
                    let own = usize::from(row.missing & bit == 0 && !is_last(row));
                    own + row
                        .lost
                        .iter()
                        .filter(|(_, parents)| parents & bit != 0)
                        .count()
                })
                .sum::<usize>()
            };
            let mut head = "@".repeat(count + 1);
            let mut first_start = 0;
            for parent in 0..count {
                let from = position(parent, &mut before.clone());
                let length = position(parent, &mut rows[start..end].iter());
                if parent == 0 {
                    first_start = from;
                }
                let shown = if length == 0 { from } else { from + 1 };
                head += &format!(" -{shown},{length}");
            }
            let shown = if lines_here == 0 { start } else { start + 1 };
            head += &format!(" +{shown},{lines_here} {}", "@".repeat(count + 1));
            let function = function_before(&first_old, first_start);
            Printer::new(repo, options).hunk_head(head.as_bytes(), function);
            for row in &rows[start..end] {
                for (text, parents) in &row.lost {
                    let signs: String = (0..count)
                        .map(|at| if parents & (1 << at) != 0 { '-' } else { ' ' })
                        .collect();
                    body(options, &signs, text, "\x1b[31m");
                }
                if !is_last(row) {
                    let signs: String = (0..count)
                        .map(|at| {
                            if row.missing & (1 << at) != 0 {
                                '+'
                            } else {
                                ' '
                            }
                        })
                        .collect();
                    body(
                        options,
                        &signs,
                        &row.text,
                        if row.missing != 0 { "\x1b[32m" } else { "" },
                    );
                }
            }
        }
    }
}

fn is_last(row: &Row) -> bool {
    row.missing == u32::MAX
}

fn meta(options: &Options, text: &[u8]) {
    if options.color {
        put(b"\x1b[1m");
        put(text);
        put(b"\x1b[m\n");
    } else {
        put(text);
        put(b"\n");
    }
}

fn body(options: &Options, signs: &str, text: &[u8], code: &str) {
    let colored = options.color && !code.is_empty();
    if colored {
        put(code.as_bytes());
    }
    put(signs.as_bytes());
    let ended = text.ends_with(b"\n");
    put(text.strip_suffix(b"\n").unwrap_or(text));
    if colored {
        put(b"\x1b[m");
    }
    put(b"\n");
    if !ended {
        put(b"\\ No newline at end of file\n");
    }
}

fn rows(new: &[u8], olds: &[Vec<u8>]) -> Vec<Row> {
    let new_lines = lines::split(new);
    let mut rows: Vec<Row> = new_lines
        .iter()
        .map(|line| Row {
            text: line.to_vec(),
            ..Row::default()
        })
        .collect();
    rows.push(Row {
        missing: u32::MAX,
        ..Row::default()
    });
    for (parent, old) in olds.iter().enumerate().take(30) {
        let bit = 1u32 << parent;
        let old_lines = lines::split(old);
        for hunk in lines::compare(&old_lines, &new_lines, Space::Exact, Algorithm::Myers) {
            for row in &mut rows[hunk.new..hunk.new + hunk.new_len] {
                row.missing |= bit;
            }
            let row = &mut rows[hunk.new + hunk.new_len];
            // Lines that another parent lost at the same place are shown once.
            let mut from = 0;
            for line in &old_lines[hunk.old..hunk.old + hunk.old_len] {
                let same = row
                    .lost
                    .iter()
                    .skip(from)
                    .position(|(text, parents)| text == line && parents & bit == 0);
                match same {
                    Some(at) => {
                        row.lost[from + at].1 |= bit;
                        from += at + 1;
                    }
                    None => {
                        row.lost.insert(from, (line.to_vec(), bit));
                        from += 1;
                    }
                }
            }
        }
    }
    rows
}

/// The rows that are not simply one parent's.
fn interesting(rows: &[Row], count: u32) -> Vec<usize> {
    let all = (1u32 << count) - 1;
    let touched = |row: &Row| (row.missing != 0 && !is_last(row)) || !row.lost.is_empty();
    let mut wanted = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        if !touched(&rows[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < rows.len() && touched(&rows[at]) {
            at += 1;
        }
        // A run that differs from only some parents, always the same, was taken from the others.
        let mut seen: Vec<u32> = Vec::new();
        for row in &rows[start..at] {
            if row.missing != 0 && !is_last(row) {
                seen.push(row.missing & all);
            }
            seen.extend(row.lost.iter().map(|(_, parents)| *parents));
        }
        let same = seen.iter().all(|parents| *parents == seen[0]) && seen[0] != all;
        if !same {
            wanted.extend(start..at);
        }
    }
    wanted
}
