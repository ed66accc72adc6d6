//! `git log`, `git show`, `git reflog`, `git shortlog`.

use std::collections::{BTreeMap, HashMap};

use super::Call;
use super::graph::Graph;
use crate::date::Style;
use crate::diff::change::{self, Change};
use crate::diff::{self, Options, patch};
use crate::history::Query;
use crate::object::{Commit, Tag, read_tree, who_parts};
use crate::oid::{Kind, Oid};
use crate::out::{self, put};
use crate::pathspec::Pathspec;
use crate::pretty::{self, Context, Format};
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show as text_of};

/// How merges are compared with their parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merges {
    /// Not at all.
    None,
    /// With the first parent.
    First,
    /// With each parent in turn.
    Each,
    /// With all at once, only what no side has: `--cc`.
    Combined,
}

/// Everything that `log` and `show` are told.
pub(crate) struct Show {
    pub(crate) query: Query,
    pub(crate) diff: Options,
    pub(crate) format: Format,
    pub(crate) context: Context,
    merges: Merges,
    graph: bool,
    follow: bool,
    root: bool,
    walk_reflogs: bool,
    source: bool,
    null: bool,
}

impl Show {
    /// Reads the words of a command line.
    pub(crate) fn parse(
        repo: &Repo,
        words: &[Vec<u8>],
        command: &'static str,
    ) -> Result<(Show, Vec<Vec<u8>>, Option<usize>)> {
        let format = match repo.config.get("format.pretty") {
            Some(word) => {
                let word = word.to_vec();
                Format::parse(repo, &word)?
            }
            None => Format::Medium,
        };
        let mut show = Show {
            query: Query::default(),
            diff: Options::new(&repo.config),
            format,
            context: Context {
                color: diff::options::use_color(&repo.config, "color.diff"),
                ..Context::default()
            },
            merges: if command == "show" {
                Merges::Combined
            } else {
                Merges::None
            },
            graph: false,
            follow: repo.config.truth("log.follow") == Some(true),
            root: repo.config.truth("log.showroot").unwrap_or(true),
            walk_reflogs: false,
            source: false,
            null: false,
        };
        show.context.date = repo
            .config
            .text("log.date")
            .and_then(|word| Style::parse(&word));
        show.context.abbrev_commit = repo.config.truth("log.abbrevcommit") == Some(true);
        let mut decorate = match repo.config.get("log.decorate") {
            Some(b"short") => Some(false),
            Some(b"full") => Some(true),
            Some(value) if crate::config::parse_truth(value) == Some(true) => Some(false),
            _ => None,
        };
        let mut rest = Vec::new();
        let mut dashes = None;
        let mut at = 0;
        while at < words.len() {
            let word = &words[at];
            at += 1;
            if word == b"--" {
                dashes = Some(rest.len());
                rest.extend_from_slice(&words[at..]);
                break;
            }
            if word.len() < 2 || word[0] != b'-' {
                rest.push(word.clone());
                continue;
            }
            let text = text_of(word);
            let mut next = || {
                at += 1;
                words.get(at - 1).map(|word| text_of(word))
            };
            if show.take(repo, &text, &mut decorate, &mut next)?
                || show.query.take(repo, &text, &mut next)?
            {
                continue;
            }
            if show.diff.take(&text, &mut next)? {
                continue;
            }
            return fatal(format!("unrecognized argument: {text}"));
        }
        if let Some(full) = decorate {
            show.context.decorate = true;
            show.context.decorations = pretty::decorations(repo, full);
        } else if let Format::User(text, _) = &show.format
            && text
                .windows(2)
                .any(|pair| pair == b"%d" || pair == b"%D" || pair == b"(d")
        {
            show.context.decorations = pretty::decorations(repo, false);
        }
        show.context.color = show.diff.color;
        if show.graph {
            show.query.rewrite = true;
            if show.query.order == crate::walk::Order::Default {
                show.query.order = crate::walk::Order::Topological;
            }
            if show.query.reverse {
                return fatal("options '--reverse' and '--graph' cannot be used together");
            }
        }
        Ok((show, rest, dashes))
    }

    fn take(
        &mut self,
        repo: &Repo,
        word: &str,
        decorate: &mut Option<bool>,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (word, None),
        };
        match (name, &value) {
            ("--oneline", None) => {
                self.format = Format::Oneline;
                self.context.abbrev_commit = true;
            }
            ("--format", Some(format)) if format.is_empty() => {
                self.format = Format::User(Vec::new(), true)
            }
            ("--format" | "--pretty", Some(format)) => {
                self.format = Format::parse(repo, format.as_bytes())?;
            }
            ("--pretty", None) => self.format = Format::Medium,
            ("--format", None) => match next() {
                Some(format) => self.format = Format::parse(repo, format.as_bytes())?,
                None => return fatal("unrecognized argument: --format"),
            },
            ("--abbrev-commit", None) => self.context.abbrev_commit = true,
            ("--no-abbrev-commit", None) => self.context.full_commit = true,
            ("--abbrev", Some(count)) => {
                let count = count.parse::<usize>().map_or(7, |count| count.clamp(4, 40));
                self.context.abbrev = Some(count);
                self.diff.abbrev = Some(count);
            }
            ("--decorate", None) => *decorate = Some(false),
            ("--decorate", Some(how)) => match how.as_str() {
                "short" => *decorate = Some(false),
                "full" => *decorate = Some(true),
                "auto" => {
                    if crate::os::stdout_is_terminal() {
                        *decorate = Some(false);
                    }
                }
                "no" => *decorate = None,
                _ => return fatal(format!("invalid --decorate option: {how}")),
            },
            ("--no-decorate", None) => *decorate = None,
            ("--date", Some(style)) => match Style::parse(style) {
                Some(style) => self.context.date = Some(style),
                None => return fatal(format!("unknown date format {style}")),
            },
            ("--date", None) => match next().as_deref().and_then(Style::parse) {
                Some(style) => self.context.date = Some(style),
                None => return fatal("unknown date format"),
            },
            ("--relative-date", None) => self.context.date = Some(Style::Relative),
            ("--graph", None) => self.graph = true,
            ("--no-graph", None) => self.graph = false,
            ("--follow", None) => self.follow = true,
            ("--no-follow", None) => self.follow = false,
            ("-m", None) => self.merges = Merges::Each,
            ("-c" | "--cc", None) => {
                self.merges = Merges::Combined;
                self.diff.patch |= !self.diff.has_format();
            }
            ("--diff-merges", Some(how)) => {
                self.merges = match how.as_str() {
                    "off" | "none" => Merges::None,
                    "on" | "m" | "separate" => Merges::Each,
                    "first-parent" | "1" => Merges::First,
                    "c" | "cc" | "combined" | "dense-combined" => Merges::Combined,
                    _ => return fatal(format!("invalid value for '--diff-merges': '{how}'")),
                }
            }
            ("--first-parent", None) => {
                self.query.first_parent = true;
                self.merges = Merges::First;
            }
            ("--parents", None) => {
                self.context.parents = true;
                self.query.rewrite = true;
            }
            ("-g" | "--walk-reflogs", None) => self.walk_reflogs = true,
            ("--root", None) => self.root = true,
            ("--source", None) => self.source = true,
            ("-z", None) => (self.null, self.diff.zero) = (true, true),
            (
                "--no-mailmap" | "--mailmap" | "--use-mailmap" | "--no-notes" | "--no-expand-tabs"
                | "--expand-tabs" | "--encoding",
                _,
            ) => {}
            ("--show-signature" | "--notes", _) => {
                return fatal(format!("codepod's git does not support {name}"));
            }
            ("--decorate-refs" | "--decorate-refs-exclude", Some(_)) => {
                return fatal(format!("codepod's git does not support {name}"));
            }
            _ if word.starts_with("-L") => return fatal("codepod's git does not support -L"),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Shows one commit with its changes; `graph` draws beside it.
    fn commit(
        &mut self,
        repo: &Repo,
        commit: &Commit,
        first: &mut bool,
        graph: &mut Option<Graph>,
    ) -> Result<()> {
        let changes = self.changes(repo, commit)?;
        let picky = self.diff.pickaxe.is_some() || self.diff.filter.is_some();
        if picky && changes.iter().all(|(_, changes)| changes.is_empty()) {
            return Ok(());
        }
        let shows = self.diff.has_format() && !self.diff.silent;
        let text = pretty::show_commit(repo, commit, &self.format, &self.context);
        let blank = matches!(&self.format, Format::User(format, _) if format.is_empty());
        let end: &[u8] = if self.null { b"\0" } else { b"\n" };
        if let Some(graph) = graph {
            return self.graphed(repo, commit, &text, &changes, first, graph);
        }
        if !*first && !self.format.ends() {
            put(end);
        }
        *first = false;
        put(&text);
        if self.format.ends() || matches!(self.format, Format::User(_, false)) && shows {
            let skip = blank && !self.format.ends();
            if !(skip || (blank && self.format.ends())) {
                put(end);
            }
        }
        if !shows {
            return Ok(());
        }
        for (title, changes) in &changes {
            if changes.is_empty() {
                continue;
            }
            if let Some(title) = title {
                // Each parent of a merge has its own part.
                if *title > 0 {
                    if !self.format.ends() {
                        put(b"\n");
                    }
                    put(&text);
                    if self.format.ends() {
                        put(b"\n");
                    }
                }
            }
            if self.format != Format::Oneline && !blank {
                let both = self.diff.stat && self.diff.patch;
                put(if both { b"---\n" } else { b"\n" });
            }
            diff::show(repo, changes, &self.diff)?;
        }
        if self.merges == Merges::Combined && commit.parents.len() > 1 {
            self.combined(repo, commit, blank)?;
        }
        Ok(())
    }

    /// A merge beside all its parents; sums are those of the first.
    fn combined(&self, repo: &Repo, commit: &Commit, blank: bool) -> Result<()> {
        let sums = Options {
            patch: false,
            raw: false,
            name_only: false,
            name_status: false,
            ..self.diff.clone()
        };
        let both = sums.stat && self.diff.patch;
        if self.format != Format::Oneline && !blank {
            put(if both { b"---\n" } else { b"\n" });
        }
        if sums.has_format() {
            let parent = Commit::read(&repo.objects, &commit.parents[0])?.tree;
            let changes = change::trees(repo, Some(parent), Some(commit.tree), &self.query.paths)?;
            let changes = patch::prepare(repo, changes, &sums, &[])?;
            diff::show(repo, &changes, &sums)?;
        }
        let combined = diff::combined::commit(repo, commit, &self.query.paths)?;
        if self.diff.patch {
            if sums.has_format() && !combined.is_empty() {
                put(b"\n");
            }
            combined.print(repo, &self.diff)?;
        } else {
            combined.names(repo, &self.diff)?;
        }
        Ok(())
    }

    fn graphed(
        &mut self,
        repo: &Repo,
        commit: &Commit,
        text: &[u8],
        changes: &[(Option<usize>, Vec<Change>)],
        first: &mut bool,
        graph: &mut Graph,
    ) -> Result<()> {
        graph.start(commit);
        if !*first && !self.format.ends() {
            // The blank line between commits has the graph beside it.
            graph.padding();
        }
        *first = false;
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        graph.commit_lines(text, !self.format.ends());
        if self.diff.has_format() && !self.diff.silent {
            let changes: Vec<&Vec<Change>> = changes
                .iter()
                .map(|(_, changes)| changes)
                .filter(|list| !list.is_empty())
                .collect();
            for list in changes {
                let prefix = graph.prefix();
                let mut options = self.diff.clone();
                options.line_prefix.clone_from(&prefix);
                if self.format != Format::Oneline {
                    put(&prefix);
                    put(if options.stat && options.patch {
                        b"---\n"
                    } else {
                        b"\n"
                    });
                }
                diff::show(repo, list, &options)?;
            }
        }
        graph.finish();
        Ok(())
    }

    /// The changes that are shown for a commit; with a number for each parent where there are several.
    fn changes(
        &mut self,
        repo: &Repo,
        commit: &Commit,
    ) -> Result<Vec<(Option<usize>, Vec<Change>)>> {
        let picky = self.diff.pickaxe.is_some() || self.diff.filter.is_some();
        if (!self.diff.has_format() && !picky && !self.follow) || (self.diff.silent && !picky) {
            return Ok(Vec::new());
        }
        let commit = &Commit::read(&repo.objects, &commit.oid)?;
        let mut lists = Vec::new();
        let parents: Vec<Option<Oid>> = match commit.parents.len() {
            0 if !self.root => return Ok(Vec::new()),
            0 => vec![None],
            1 => vec![Some(commit.parents[0])],
            _ => match self.merges {
                Merges::None | Merges::Combined => return Ok(Vec::new()),
                Merges::First => vec![Some(commit.parents[0])],
                Merges::Each => commit.parents.iter().copied().map(Some).collect(),
            },
        };
        let many = parents.len() > 1;
        for (number, parent) in parents.into_iter().enumerate() {
            let tree = match parent {
                Some(parent) => Some(Commit::read(&repo.objects, &parent)?.tree),
                None => None,
            };
            let changes = change::trees(repo, tree, Some(commit.tree), &self.query.paths)?;
            let changes = patch::prepare(
                repo,
                changes,
                &self.diff,
                &all_files(repo, tree, &self.diff)?,
            )?;
            lists.push((many.then_some(number), changes));
        }
        Ok(lists)
    }
}

/// All files of a tree, where copies are looked for everywhere.
pub(crate) fn all_files(
    repo: &Repo,
    tree: Option<Oid>,
    options: &Options,
) -> Result<Vec<diff::Side>> {
    let Some(tree) = tree.filter(|_| options.copies_harder) else {
        return Ok(Vec::new());
    };
    let files = change::flatten(repo, &tree)?;
    Ok(files
        .into_iter()
        .map(|(path, (mode, oid))| diff::Side { mode, oid, path })
        .collect())
}

/// `git log`.
pub(crate) fn log(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut show, words, dashes) = Show::parse(&repo, &call.words, "log")?;
    if call.name == "whatchanged" {
        show.diff.raw = !show.diff.has_format();
    }
    show.query.words(&repo, &words, dashes)?;
    if show.walk_reflogs {
        let name = show
            .query
            .names
            .first()
            .map_or(b"HEAD".to_vec(), |(_, name)| name.clone());
        return reflog_show(&repo, &name, show);
    }
    if !show.query.revision_given {
        match repo.head() {
            Some(head) => {
                show.query.starts.push(head);
                show.query.names.push((head, b"HEAD".to_vec()));
            }
            None => {
                let branch = text_of(&repo.branch().unwrap_or_default());
                return fatal(format!(
                    "your current branch '{branch}' does not have any commits yet"
                ));
            }
        }
    }
    if show.follow {
        if show.query.words_after.len() != 1 {
            return fatal("--follow requires exactly one pathspec");
        }
        return follow(&repo, show);
    }
    // A picky diff is counted after it has picked.
    let picky = show.diff.pickaxe.is_some() || show.diff.filter.is_some();
    let max = show.query.max;
    if picky {
        show.query.max = None;
    }
    let commits = show.query.run(&repo)?;
    let marks = show.query.marks(&repo)?;
    let sources = sources(&repo, &show)?;
    let mut first = true;
    let hidden = if show.graph {
        crate::walk::ancestors(&repo, &show.query.without)?
    } else {
        Default::default()
    };
    let mut graph = show.graph.then(|| Graph::new(show.diff.color, hidden));
    let mut shown = 0;
    for commit in &commits {
        if out::is_broken() {
            break;
        }
        if picky {
            if max.is_some_and(|max| shown >= max) {
                break;
            }
            let changes = show.changes(&repo, commit)?;
            if changes.iter().all(|(_, list)| list.is_empty()) {
                continue;
            }
            shown += 1;
        }
        show.context.mark = marks.get(&commit.oid).copied();
        show.context.source = sources.get(&commit.oid).cloned();
        show.commit(&repo, commit, &mut first, &mut graph)?;
    }
    Ok(0)
}

fn sources(repo: &Repo, show: &Show) -> Result<HashMap<Oid, Vec<u8>>> {
    let mut sources = HashMap::new();
    let wanted = show.source
        || matches!(&show.format, Format::User(text, _) if text.windows(2).any(|pair| pair == b"%S"));
    if wanted {
        for (oid, name) in &show.query.names {
            for commit in crate::walk::by_date(repo, &[*oid])? {
                sources.entry(commit.oid).or_insert_with(|| name.clone());
            }
        }
    }
    Ok(sources)
}

/// `--follow`: one file through its renames.
fn follow(repo: &Repo, mut show: Show) -> Result<i32> {
    let Some(mut path) = repo.path_of_user(&show.query.words_after[0]) else {
        return fatal("outside of the repository");
    };
    show.query.paths = Pathspec::default();
    let max = show.query.max.take();
    let commits = show.query.run(repo)?;
    let mut first = true;
    let mut shown = 0;
    for commit in &commits {
        if max.is_some_and(|max| shown >= max) || out::is_broken() {
            break;
        }
        if commit.parents.len() > 1 {
            continue;
        }
        let tree = match commit.parents.first() {
            Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
            None => None,
        };
        let mut changes = change::trees(repo, tree, Some(commit.tree), &Pathspec::default())?;
        if !changes.iter().any(|change| change.new.path == path) {
            continue;
        }
        let mut options = show.diff.clone();
        options.renames = true;
        changes = crate::diff::rename::detect(repo, changes, &options, &[])?;
        let Some(change) = changes.into_iter().find(|change| change.new.path == path) else {
            continue;
        };
        let old = change.old.path.clone();
        let renamed = change.status == b'R';
        let text = pretty::show_commit(repo, commit, &show.format, &show.context);
        if !first && !show.format.ends() {
            put(b"\n");
        }
        first = false;
        put(&text);
        if show.format.ends() {
            put(b"\n");
        }
        if show.diff.has_format() && !show.diff.silent {
            if show.format != Format::Oneline {
                put(if show.diff.stat && show.diff.patch {
                    b"---\n"
                } else {
                    b"\n"
                });
            }
            diff::show(repo, &[change], &show.diff)?;
        }
        shown += 1;
        if renamed {
            path = old;
        }
    }
    Ok(0)
}

/// `git show`.
pub(crate) fn show(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut show, words, dashes) = Show::parse(&repo, &call.words, "show")?;
    if !show.diff.has_format() {
        show.diff.patch = true;
    }
    let mut objects = Vec::new();
    let mut paths = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if dashes.is_some_and(|count| at >= count) {
            paths.push(word.clone());
            continue;
        }
        if paths.is_empty() {
            if word.windows(2).any(|two| two == b"..")
                && revision::try_resolve(&repo, word)?.is_none()
            {
                let mut query = Query::default();
                if query.revision(&repo, word)? {
                    objects.extend(
                        query
                            .run(&repo)?
                            .into_iter()
                            .map(|commit| (commit.oid, word.clone())),
                    );
                    continue;
                }
            }
            match revision::lookup(&repo, word)? {
                Some(found) if repo.objects.has(&found.oid) => {
                    objects.push((found.oid, word.clone()));
                    continue;
                }
                Some(found) if found.entry.is_none() => {
                    return fatal(format!("bad object {}", text_of(word)));
                }
                _ => {}
            }
            if let Some(at) = word.iter().position(|byte| *byte == b':')
                && at > 0
                && revision::try_resolve(&repo, &word[..at])?.is_some()
            {
                let (name, path) = (text_of(&word[..at]), text_of(&word[at + 1..]));
                let here = repo
                    .path_of_user(path.as_bytes())
                    .is_some_and(|path| crate::os::exists(&path));
                return match here {
                    true => fatal(format!("path '{path}' exists on disk, but not in '{name}'")),
                    false => fatal(format!("path '{path}' does not exist in '{name}'")),
                };
            }
        }
        if dashes.is_some() {
            return fatal(format!("bad revision '{}'", text_of(word)));
        }
        crate::history::check_path(&repo, word)?;
        paths.push(word.clone());
    }
    show.query.paths = Pathspec::new(&repo, &paths)?;
    if objects.is_empty() {
        match repo.head() {
            Some(head) => objects.push((head, b"HEAD".to_vec())),
            None => {
                let branch = text_of(&repo.branch().unwrap_or_default());
                return fatal(format!(
                    "your current branch '{branch}' does not have any commits yet"
                ));
            }
        }
    }
    let mut first = true;
    for (oid, name) in objects {
        object(&repo, oid, &name, &mut show, &mut first, 0)?;
    }
    Ok(0)
}

fn object(
    repo: &Repo,
    oid: Oid,
    name: &[u8],
    show: &mut Show,
    first: &mut bool,
    depth: usize,
) -> Result<()> {
    let (kind, content) = repo.objects.read(&oid)?;
    match kind {
        Kind::Blob => {
            put(&content);
        }
        Kind::Tree => {
            if !*first {
                put(b"\n");
            }
            *first = false;
            put(&[b"tree ", name, b"\n\n"].concat());
            for entry in read_tree(&repo.objects, &oid)? {
                put(&repo.quote(&entry.name));
                put(if entry.is_tree() { b"/\n" } else { b"\n" });
            }
        }
        Kind::Tag => {
            let Some(tag) = Tag::parse(&content) else {
                return fatal(format!("bad tag {oid}"));
            };
            if !*first {
                put(b"\n");
            }
            *first = true;
            put(&[b"tag ", &tag.name[..], b"\n"].concat());
            if !tag.tagger.is_empty() {
                let (who, mail) = who_parts(&tag.tagger);
                let (time, zone) = crate::object::who_time(&tag.tagger);
                let style = show.context.date.clone().unwrap_or_default();
                put(&[b"Tagger: ", who, b" <", mail, b">\nDate:   "].concat());
                put(crate::date::show(time, zone, &style).as_bytes());
                put(b"\n");
            }
            put(b"\n");
            put(&tag.message);
            if depth < 16 {
                put(b"\n");
                return object(repo, tag.target, name, show, first, depth + 1);
            }
        }
        Kind::Commit => {
            let commit = Commit::read(&repo.objects, &oid)?;
            show.commit(repo, &commit, first, &mut None)?;
        }
    }
    Ok(())
}

fn reflog_show(repo: &Repo, name: &[u8], mut show: Show) -> Result<i32> {
    let shown = name.to_vec();
    let Some(full) = revision::full_ref(repo, name) else {
        return Err(revision::ambiguous(name));
    };
    let log = repo.refs.read_log(&full);
    let mut first = true;
    let max = show.query.max.unwrap_or(usize::MAX);
    for (number, line) in log.iter().rev().enumerate().take(max) {
        let Ok(commit) = Commit::read(&repo.objects, &line.new) else {
            continue;
        };
        let selector = match &show.context.date {
            Some(style) => {
                let (time, zone) = crate::object::who_time(&line.who);
                format!(
                    "{}@{{{}}}",
                    text_of(&shown),
                    crate::date::show(time, zone, style)
                )
            }
            None => format!("{}@{{{number}}}", text_of(&shown)),
        };
        let (who, mail) = who_parts(&line.who);
        let who = [who, b" <", mail, b">"].concat();
        show.context.log = Some((selector.into_bytes(), line.message.clone(), who));
        show.commit(repo, &commit, &mut first, &mut None)?;
    }
    Ok(0)
}

/// `git reflog`.
pub(crate) fn reflog(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let mut words = call.words.clone();
    match words.first().map(Vec::as_slice) {
        Some(b"show") => {
            words.remove(0);
        }
        Some(b"exists") => {
            let name = words.get(1).cloned().unwrap_or_default();
            return Ok(i32::from(!repo.refs.has_log(&name)));
        }
        Some(b"list") => {
            let mut names = vec![b"HEAD".to_vec()];
            names.extend(repo.refs.all(b"refs/").into_iter().map(|(name, _)| name));
            names
                .iter()
                .filter(|name| repo.refs.has_log(name))
                .for_each(out::line);
            return Ok(0);
        }
        Some(b"delete") => return reflog_delete(&repo, &words[1..]),
        Some(b"expire") => {
            let all = words.iter().any(|word| word == b"--all");
            let now = words.iter().any(|word| {
                [
                    &b"--expire=now"[..],
                    b"--expire=all",
                    b"--expire-unreachable=now",
                ]
                .contains(&&word[..])
            });
            if all && now {
                for (name, _) in repo
                    .refs
                    .all(b"refs/")
                    .into_iter()
                    .chain([(b"HEAD".to_vec(), Oid::NULL)])
                {
                    if repo.refs.has_log(&name) {
                        repo.refs.write_log(&name, &[])?;
                    }
                }
            }
            return Ok(0);
        }
        _ => {}
    }
    let (mut show, rest, _) = Show::parse(&repo, &words, "log")?;
    if show.format == Format::Medium
        && !words
            .iter()
            .any(|word| word.starts_with(b"--pretty") || word.starts_with(b"--format"))
    {
        show.format = Format::Oneline;
        show.context.abbrev_commit = true;
    }
    let name = rest.first().cloned().unwrap_or_else(|| b"HEAD".to_vec());
    if rest.is_empty() && repo.head().is_none() {
        let branch = text_of(&repo.branch().unwrap_or_default());
        return fatal(format!(
            "your current branch '{branch}' does not have any commits yet"
        ));
    }
    reflog_show(&repo, &name, show)
}

fn reflog_delete(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    for word in words.iter().filter(|word| word[0] != b'-') {
        let text = text_of(word);
        let Some((name, number)) = text
            .strip_suffix('}')
            .and_then(|text| text.split_once("@{"))
        else {
            return fatal(format!("no reflog specified to delete: {text}"));
        };
        let Some(full) = revision::full_ref(repo, name.as_bytes()) else {
            return fatal(format!("no reflog for '{text}'"));
        };
        let mut log = repo.refs.read_log(&full);
        let number: usize = number.parse().unwrap_or(usize::MAX);
        if number < log.len() {
            let at = log.len() - 1 - number;
            log.remove(at);
            repo.refs.write_log(&full, &log)?;
        }
    }
    Ok(0)
}

/// `git shortlog`.
pub(crate) fn shortlog(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut numbered, mut summary, mut email, mut committer) = (false, false, false, false);
    let mut words = Vec::new();
    for word in &call.words {
        match &word[..] {
            b"--numbered" => numbered = true,
            b"--summary" => summary = true,
            b"--email" => email = true,
            b"--committer" | b"-c" | b"--group=committer" => committer = true,
            b"--group=author" => committer = false,
            [b'-', letters @ ..]
                if !letters.is_empty() && letters.iter().all(|letter| b"nse".contains(letter)) =>
            {
                numbered |= letters.contains(&b'n');
                summary |= letters.contains(&b's');
                email |= letters.contains(&b'e');
            }
            _ => words.push(word.clone()),
        }
    }
    let (mut show, rest, dashes) = Show::parse(&repo, &words, "log")?;
    show.query.words(&repo, &rest, dashes)?;
    if !show.query.revision_given && !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return shortlog_of_text(&crate::os::read_stdin()?, numbered, summary, email);
    }
    if !show.query.revision_given {
        match repo.head() {
            Some(head) => show.query.starts.push(head),
            None => {
                let branch = text_of(&repo.branch().unwrap_or_default());
                return fatal(format!(
                    "your current branch '{branch}' does not have any commits yet"
                ));
            }
        }
    }
    let mut groups: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    for commit in show.query.run(&repo)? {
        let (name, mail) = who_parts(if committer {
            &commit.committer
        } else {
            &commit.author
        });
        let key = if email {
            [name, b" <", mail, b">"].concat()
        } else {
            name.to_vec()
        };
        let line = match &show.format {
            Format::User(..) => pretty::show_commit(&repo, &commit, &show.format, &show.context),
            _ => commit.subject(),
        };
        groups.entry(key).or_default().push(line);
    }
    print_groups(groups, numbered, summary);
    Ok(0)
}

/// `git log | git shortlog`: without a revision, standard input is what is summed up.
fn shortlog_of_text(text: &[u8], numbered: bool, summary: bool, email: bool) -> Result<i32> {
    let mut groups: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    let mut author: Option<Vec<u8>> = None;
    for line in text.split(|byte| *byte == b'\n') {
        if let Some(who) = line
            .strip_prefix(b"Author: ")
            .or(line.strip_prefix(b"author "))
        {
            let (name, mail) = who_parts(who);
            author = Some(if email {
                [name, b" <", mail, b">"].concat()
            } else {
                name.to_vec()
            });
        } else if let (true, Some(author)) = (
            line.starts_with(b"    ") && !line.trim_ascii().is_empty(),
            author.take_if(|_| line.starts_with(b"    ") && !line.trim_ascii().is_empty()),
        ) {
            groups.entry(author).or_default().push(line[4..].to_vec());
        }
    }
    print_groups(groups, numbered, summary);
    Ok(0)
}

fn print_groups(groups: BTreeMap<Vec<u8>, Vec<Vec<u8>>>, numbered: bool, summary: bool) {
    let mut list: Vec<_> = groups.into_iter().collect();
    if numbered {
        list.sort_by_key(|(_, commits)| std::cmp::Reverse(commits.len()));
    }
    for (name, mut subjects) in list {
        if summary {
            out::line([format!("{:6}\t", subjects.len()).as_bytes(), &name].concat());
            continue;
        }
        out::line([&name[..], format!(" ({}):", subjects.len()).as_bytes()].concat());
        subjects.reverse();
        for subject in subjects {
            out::line([b"      ", &subject[..]].concat());
        }
        put(b"\n");
    }
}
