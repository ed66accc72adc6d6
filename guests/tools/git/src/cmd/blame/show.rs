//! Prints lines with their commits, for people and for programs.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

use super::Options;
use super::trace::Origin;
use crate::date::{self, Style};
use crate::object::{Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, show};

/// The lines of a file and where they are from.
pub(super) struct Lines<'a> {
    pub(super) repo: &'a Repo,
    pub(super) all: Vec<&'a [u8]>,
    pub(super) origins: Vec<Origin>,
    /// The numbers of the lines to print.
    pub(super) wanted: Vec<usize>,
}

/// The text of a line's author and date.
struct Cells {
    author: String,
    date: String,
}

/// How wide columns are.
struct Widths {
    commit: usize,
    name: usize,
    old_number: usize,
    author: usize,
    date: usize,
    number: usize,
}

impl Lines<'_> {
    fn print_text(&self, at: usize) {
        let text = self.all[at];
        out::put(text.strip_suffix(b"\n").unwrap_or(text));
        out::put(b"\n");
    }

    /// The greatest of what the wanted lines have.
    fn most(&self, of: impl Fn(usize) -> usize) -> usize {
        self.wanted.iter().map(|at| of(*at)).max().unwrap_or(0)
    }

    /// Whether commits at the end of the history are marked.
    fn marks_boundary(&self, options: &Options) -> bool {
        !options.root
            && !options.blank_boundary
            && self.repo.config.truth("blame.showroot") != Some(true)
    }
}

/// What is known of a commit, or of lines that are in none yet.
fn info(repo: &Repo, oid: &Oid) -> Result<Commit> {
    if !oid.is_null() {
        return Commit::read(&repo.objects, oid);
    }
    let who = format!(
        "Not Committed Yet <not.committed.yet> {} {:+05}",
        date::now(),
        date::local_zone()
    )
    .into_bytes();
    Ok(Commit {
        author: who.clone(),
        committer: who,
        message: b"Version of the file\n".to_vec(),
        ..Commit::default()
    })
}

/// Prints for people.
pub(super) fn plain(lines: &Lines<'_>, path: &[u8], options: &Options) -> Result<()> {
    let commits = commits(lines)?;
    let style = options
        .date
        .clone()
        .or(lines.repo.config.text("blame.date"))
        .and_then(|word| Style::parse(&word))
        .unwrap_or(Style::Iso);
    let cells: HashMap<Oid, Cells> = commits
        .iter()
        .map(|(oid, commit)| (*oid, cells(commit, &style, options)))
        .collect();
    let cells_of = |at: usize| &cells[&lines.origins[at].commit];
    let widths = Widths {
        commit: digits(options),
        name: lines.most(|at| show(&lines.origins[at].path).chars().count()),
        old_number: digits_of(lines.most(|at| lines.origins[at].line + 1).max(1)),
        author: lines.most(|at| cells_of(at).author.chars().count()),
        date: lines.most(|at| cells_of(at).date.chars().count()),
        number: digits_of(lines.wanted.last().map_or(1, |at| at + 1)),
    };
    let is_moved = |at: &usize| lines.origins[*at].path != path;
    let shows_name = options.show_name || lines.wanted.iter().any(is_moved);
    let marks_boundary = lines.marks_boundary(options);
    for at in &lines.wanted {
        let origin = &lines.origins[*at];
        let mut head = name(origin, widths.commit, marks_boundary, options);
        if shows_name {
            head += &format!(" {:<1$}", show(&origin.path), widths.name);
        }
        if options.show_number {
            head += &format!(" {:>1$}", origin.line + 1, widths.old_number);
        }
        if !options.short {
            head += &format!(" ({}", who_and_when(cells_of(*at), &widths, options));
        }
        head += &format!(" {:>1$}) ", at + 1, widths.number);
        out::put(head.as_bytes());
        lines.print_text(*at);
    }
    Ok(())
}

/// The commits of all lines.
fn commits(lines: &Lines<'_>) -> Result<HashMap<Oid, Commit>> {
    let mut commits = HashMap::new();
    for at in &lines.wanted {
        let oid = lines.origins[*at].commit;
        if let Entry::Vacant(place) = commits.entry(oid) {
            place.insert(info(lines.repo, &oid)?);
        }
    }
    Ok(commits)
}

fn digits_of(number: usize) -> usize {
    number.to_string().len()
}

/// How much of a commit's name is shown.
fn digits(options: &Options) -> usize {
    match &options.abbrev {
        Some(count) => count.parse::<usize>().unwrap_or(7).clamp(4, 39) + 1,
        None if options.long => 40,
        None => 8,
    }
}

/// The name of a commit, with a mark at the end of the history.
fn name(origin: &Origin, digits: usize, marks_boundary: bool, options: &Options) -> String {
    let hex = origin.commit.hex();
    match origin.boundary {
        true if options.blank_boundary => " ".repeat(digits),
        true if marks_boundary => format!("^{}", &hex[..digits - 1]),
        _ => hex[..digits].to_owned(),
    }
}

fn cells(commit: &Commit, style: &Style, options: &Options) -> Cells {
    let (name, mail) = who_parts(&commit.author);
    let (time, zone) = who_time(&commit.author);
    Cells {
        author: match options.show_email {
            true => format!("<{}>", show(mail)),
            false => show(name),
        },
        date: match options.raw_time {
            true => format!("{time} {zone:+05}"),
            false => date::show(time, zone, style),
        },
    }
}

fn who_and_when(cells: &Cells, widths: &Widths, options: &Options) -> String {
    let Cells { author, date } = cells;
    let pad = " ".repeat(widths.author - author.chars().count());
    match options.raw_time {
        true => format!("{author}{pad} {date}"),
        false => format!("{author}{pad} {date:<0$}", widths.date),
    }
}

/// Prints for programs; with `each`, all that is known of a commit at each of its lines.
pub(super) fn porcelain(lines: &Lines<'_>, each: bool) -> Result<()> {
    let mut seen = HashSet::new();
    let mut rest = &lines.wanted[..];
    while let Some(&first) = rest.first() {
        let count = run(lines, rest);
        for step in 0..count {
            let at = first + step;
            let origin = &lines.origins[at];
            let head = match step {
                0 => format!(" {count}"),
                _ => String::new(),
            };
            let (commit, line) = (origin.commit, origin.line + 1);
            out::line(format!("{commit} {line} {}{head}", at + 1));
            if each || (step == 0 && seen.insert(commit)) {
                print_commit(lines.repo, origin)?;
            }
            out::put(b"\t");
            lines.print_text(at);
        }
        rest = &rest[count..];
    }
    Ok(())
}

/// How many of these lines are from the same place, one after the other.
fn run(lines: &Lines<'_>, numbers: &[usize]) -> usize {
    let follows = |step: &usize| {
        let (first, next) = (numbers[0], numbers[*step]);
        let (a, b) = (&lines.origins[first], &lines.origins[next]);
        next == first + step && a.commit == b.commit && a.path == b.path && b.line == a.line + step
    };
    1 + (1..numbers.len()).take_while(follows).count()
}

/// What is known of a line's commit.
fn print_commit(repo: &Repo, origin: &Origin) -> Result<()> {
    let commit = info(repo, &origin.commit)?;
    for (word, who) in [("author", &commit.author), ("committer", &commit.committer)] {
        let (name, mail) = who_parts(who);
        let (time, zone) = who_time(who);
        out::line(format!(
            "{word} {}\n{word}-mail <{}>\n{word}-time {time}\n{word}-tz {zone:+05}",
            show(name),
            show(mail)
        ));
    }
    out::line([b"summary ", &commit.subject()[..]].concat());
    if origin.boundary {
        out::line("boundary");
    }
    if let Some(parent) = commit.parents.first()
        && !origin.boundary
    {
        let tree = Commit::read(&repo.objects, parent)?.tree;
        if revision::in_tree(repo, tree, &origin.path)?.is_some() {
            out::line([b"previous ", parent.hex().as_bytes(), b" ", &origin.path].concat());
        }
    }
    out::line([b"filename ", &origin.path[..]].concat());
    Ok(())
}
