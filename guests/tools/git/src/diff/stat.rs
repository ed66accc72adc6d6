//! How much changed: `--stat`, `--numstat`, `--shortstat`.

use super::change::{Change, content};
use super::lines;
use super::options::Options;
use super::patch::color;
use crate::os;
use crate::out::put;
use crate::repo::Repo;
use crate::stop::Result;

/// How much of a file changed.
pub(crate) struct Stat {
    change: Change,
    pub(crate) added: usize,
    pub(crate) deleted: usize,
    binary: bool,
}

/// Counts the lines of every change.
pub(crate) fn count(repo: &Repo, changes: &[Change], options: &Options) -> Result<Vec<Stat>> {
    let mut stats = Vec::new();
    for change in changes {
        let mut stat = Stat {
            change: change.clone(),
            added: 0,
            deleted: 0,
            binary: false,
        };
        if change.status != b'U' {
            let old = content(repo, &change.old)?;
            let new = content(repo, &change.new)?;
            let binary = |path: &[u8], text: &[u8]| crate::attributes::is_binary(repo, path, text);
            if !options.text && (binary(&change.old.path, &old) || binary(&change.new.path, &new)) {
                stat.binary = true;
                if old != new {
                    (stat.deleted, stat.added) = (old.len(), new.len());
                }
            } else {
                let (old, new) = (lines::split(&old), lines::split(&new));
                for hunk in lines::compare_with(&old, &new, options.space, options.algorithm, false)
                {
                    stat.added += hunk.new_len;
                    stat.deleted += hunk.old_len;
                }
                let no_change = stat.added + stat.deleted == 0;
                if no_change
                    && options.space != lines::Space::Exact
                    && change.status == b'M'
                    && change.old.mode == change.new.mode
                {
                    continue;
                }
            }
        }
        stats.push(stat);
    }
    Ok(stats)
}

/// Both names of a rename, with what they share outside of braces.
pub(crate) fn rename_name(repo: &Repo, old: &[u8], new: &[u8]) -> Vec<u8> {
    let quoted = |path: &[u8]| repo.quote(path);
    if quoted(old) != old || quoted(new) != new {
        return [&quoted(old)[..], b" => ", &quoted(new)].concat();
    }
    let mut prefix = 0;
    for (at, (a, b)) in old.iter().zip(new).enumerate() {
        if a != b {
            break;
        }
        if *a == b'/' {
            prefix = at + 1;
        }
    }
    let mut suffix = 0;
    // The slash before the middle may belong to both ends.
    let least = if prefix > 0 { prefix - 1 } else { 0 };
    let (mut a, mut b) = (old.len(), new.len());
    while a > least && b > least && (a > 0 && b > 0) && old[a - 1] == new[b - 1] {
        if old[a - 1] == b'/' {
            suffix = old.len() - (a - 1);
        }
        a -= 1;
        b -= 1;
    }
    let middle = |path: &[u8]| {
        let end = (path.len() - suffix).max(prefix);
        path[prefix..end].to_vec()
    };
    if prefix + suffix == 0 {
        return [old, b" => ", new].concat();
    }
    [
        &old[..prefix],
        b"{",
        &middle(old),
        b" => ",
        &middle(new),
        b"}",
        &old[old.len() - suffix..],
    ]
    .concat()
}

fn name(repo: &Repo, change: &Change, options: &Options) -> Vec<u8> {
    let cut = |path: &[u8]| match &options.relative {
        Some(prefix) => path.strip_prefix(&prefix[..]).unwrap_or(path).to_vec(),
        None => path.to_vec(),
    };
    match change.status {
        b'R' | b'C' => rename_name(repo, &cut(&change.old.path), &cut(&change.new.path)),
        _ => repo.quote(&cut(&change.new.path)),
    }
}

/// `--numstat`.
pub(crate) fn numstat(repo: &Repo, stats: &[Stat], options: &Options) {
    for stat in stats {
        put(&options.line_prefix);
        let numbers = match stat.binary {
            true => "-\t-\t".to_owned(),
            false => format!("{}\t{}\t", stat.added, stat.deleted),
        };
        put(numbers.as_bytes());
        if options.zero {
            if matches!(stat.change.status, b'R' | b'C') {
                put(b"\0");
                put(&stat.change.old.path);
                put(b"\0");
            }
            put(&stat.change.new.path);
            put(b"\0");
        } else {
            put(&name(repo, &stat.change, options));
            put(b"\n");
        }
    }
}

/// The line with the sums.
pub(crate) fn shortstat(stats: &[Stat], options: &Options) {
    put(&options.line_prefix);
    put(sums(stats).as_bytes());
}

fn sums(stats: &[Stat]) -> String {
    let counted: Vec<&Stat> = stats
        .iter()
        .filter(|stat| stat.change.status != b'U')
        .collect();
    let files = counted.len();
    if files == 0 {
        return " 0 files changed\n".to_owned();
    }
    let added: usize = counted
        .iter()
        .filter(|stat| !stat.binary)
        .map(|stat| stat.added)
        .sum();
    let deleted: usize = counted
        .iter()
        .filter(|stat| !stat.binary)
        .map(|stat| stat.deleted)
        .sum();
    let mut text = format!(" {files} file{} changed", if files == 1 { "" } else { "s" });
    if added > 0 || deleted == 0 {
        text += &format!(
            ", {added} insertion{}(+)",
            if added == 1 { "" } else { "s" }
        );
    }
    if deleted > 0 || added == 0 {
        text += &format!(
            ", {deleted} deletion{}(-)",
            if deleted == 1 { "" } else { "s" }
        );
    }
    text + "\n"
}

/// `--stat`.
pub(crate) fn stat(repo: &Repo, all: &[Stat], options: &Options) {
    let shown = &all[..options.stat_count.unwrap_or(all.len()).min(all.len())];
    let names: Vec<Vec<u8>> = shown
        .iter()
        .map(|stat| {
            let name = name(repo, &stat.change, options);
            [&name[..], mark(stat, options).as_bytes()].concat()
        })
        .collect();
    let columns = Columns::new(shown, &names, options);
    for (stat, name) in shown.iter().zip(&names) {
        let mut line = b" ".to_vec();
        columns.name(&mut line, name);
        line.extend(b" |");
        if stat.change.status == b'U' {
            line.extend(b" Unmerged");
        } else if stat.binary {
            columns.sizes(&mut line, stat, options);
        } else {
            columns.graph(&mut line, stat, options);
        }
        put(&options.line_prefix);
        put(&line);
        put(b"\n");
    }
    if shown.len() < all.len() {
        put(&options.line_prefix);
        put(b" ...\n");
    }
    put(&options.line_prefix);
    put(sums(all).as_bytes());
}

/// What `--compact-summary` says behind a name.
fn mark(stat: &Stat, options: &Options) -> &'static str {
    if !options.compact_summary {
        return "";
    }
    let (old, new) = (stat.change.old.mode, stat.change.new.mode);
    match (stat.change.status, old, new) {
        (b'A', _, 0o100_755) => " (new +x)",
        (b'A', _, 0o120_000) => " (new +l)",
        (b'A', ..) => " (new)",
        (b'D', ..) => " (gone)",
        (_, a, b) if a & 0o111 == 0 && b & 0o111 != 0 && a != 0 => " (mode +x)",
        (_, a, b) if a & 0o111 != 0 && b & 0o111 == 0 && b != 0 => " (mode -x)",
        _ => "",
    }
}

/// How wide the columns of `--stat` are.
struct Columns {
    name: usize,
    number: usize,
    graph: usize,
    /// The most lines that changed in a file.
    most: usize,
}

impl Columns {
    fn new(shown: &[Stat], names: &[Vec<u8>], options: &Options) -> Columns {
        let is_text = |stat: &&Stat| !stat.binary && stat.change.status != b'U';
        let most = shown
            .iter()
            .filter(is_text)
            .map(|stat| stat.added + stat.deleted)
            .max()
            .unwrap_or(0);
        let mut number = most.to_string().len();
        if shown.iter().any(|stat| stat.binary) {
            number = number.max(3);
        }
        let width = total_width(options).max(16 + 6 + number);
        // Numbers and what stands between the columns are never cut.
        let fixed = number + 6;
        let longest = names.iter().map(|name| display_width(name)).max();
        let longest = longest.unwrap_or(0);
        let mut name = options
            .stat_name_width
            .filter(|limit| *limit > 0 && *limit < longest)
            .unwrap_or(longest);
        let limit = options.stat_graph_width.unwrap_or(usize::MAX);
        let mut graph = most.min(limit);
        if name + fixed + graph > width {
            let share = (width * 3 / 8).saturating_sub(fixed);
            if graph > share {
                graph = share.max(6);
            }
            graph = graph.min(limit);
            if name > width - fixed - graph {
                name = width - fixed - graph;
            } else {
                graph = width - fixed - name;
            }
        }
        Columns {
            name,
            number,
            graph,
            most,
        }
    }

    /// A name, padded or cut at its beginning.
    fn name(&self, line: &mut Vec<u8>, name: &[u8]) {
        let wide = display_width(name);
        if wide <= self.name {
            line.extend_from_slice(name);
            line.extend(b" ".repeat(self.name - wide));
            return;
        }
        let keep = self.name.saturating_sub(3);
        let cut = match std::str::from_utf8(name) {
            Ok(text) => text
                .chars()
                .skip(wide - keep)
                .collect::<String>()
                .into_bytes(),
            Err(_) => name[wide - keep..].to_vec(),
        };
        let from = cut.iter().position(|byte| *byte == b'/').unwrap_or(0);
        line.extend(b"...");
        line.extend_from_slice(&cut[from..]);
        let used = 3 + display_width(&cut[from..]);
        line.extend(b" ".repeat(self.name.saturating_sub(used)));
    }

    /// The sizes of a binary file before and after.
    fn sizes(&self, line: &mut Vec<u8>, stat: &Stat, options: &Options) {
        line.extend(format!(" {:>1$}", "Bin", self.number).bytes());
        if stat.added + stat.deleted > 0 {
            let colored = |code: &str, number: usize| match options.color {
                true => format!("{code}{number}\x1b[m"),
                false => number.to_string(),
            };
            let old = colored(color::OLD, stat.deleted);
            let new = colored(color::NEW, stat.added);
            line.extend(format!(" {old} -> {new} bytes").bytes());
        }
    }

    /// The number of lines, and a bar of signs for them.
    fn graph(&self, line: &mut Vec<u8>, stat: &Stat, options: &Options) {
        let sum = stat.added + stat.deleted;
        line.extend(format!(" {sum:>0$}", self.number).bytes());
        if sum > 0 {
            line.push(b' ');
        }
        let (plus, minus) = self.signs(stat);
        for (count, sign, code) in [(plus, b"+", color::NEW), (minus, b"-", color::OLD)] {
            if count > 0 && options.color {
                line.extend(code.bytes());
            }
            line.extend(sign.repeat(count));
            if count > 0 && options.color {
                line.extend(color::RESET.bytes());
            }
        }
    }

    /// How many signs stand for the added and for the deleted lines of a file.
    fn signs(&self, stat: &Stat) -> (usize, usize) {
        let (plus, minus) = (stat.added, stat.deleted);
        if self.graph > self.most || self.most == 0 {
            return (plus, minus);
        }
        let mut total = self.scale(plus + minus);
        if total < 2 && plus > 0 && minus > 0 {
            total = 2;
        }
        if plus < minus {
            let plus = self.scale(plus);
            (plus, total - plus)
        } else {
            let minus = self.scale(minus);
            (total - minus, minus)
        }
    }

    fn scale(&self, part: usize) -> usize {
        match part {
            0 => 0,
            _ => 1 + part * (self.graph - 1) / self.most,
        }
    }
}

/// The width of a line.
fn total_width(options: &Options) -> usize {
    let columns = os::variable("COLUMNS")
        .and_then(|text| String::from_utf8_lossy(&text).parse::<usize>().ok())
        .filter(|columns| *columns > 0)
        .unwrap_or(80);
    options
        .stat_width
        .filter(|width| *width > 0)
        .unwrap_or(columns.saturating_sub(options.line_prefix.len()))
}

fn display_width(name: &[u8]) -> usize {
    match std::str::from_utf8(name) {
        Ok(text) => text.chars().count(),
        Err(_) => name.len(),
    }
}
