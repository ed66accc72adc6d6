//! `git status`, and what `git commit` shows in its place.

use std::collections::BTreeMap;

use super::Call;
use crate::args::{self, Parsed};
use crate::diff::change::{self, Change};
use crate::diff::{Options, rename};
use crate::ignore::Ignore;
use crate::index::Index;
use crate::object::Commit;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::walk;

/// Which unknown files are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untracked {
    /// None.
    No,
    /// Directories in the place of all that is in them.
    Normal,
    /// Every file.
    All,
}

/// What is known of the working tree.
pub(crate) struct State {
    pub(crate) staged: Vec<Change>,
    pub(crate) unstaged: Vec<Change>,
    /// Paths in conflict and which stages they have, as bits 1, 2, 4.
    pub(crate) unmerged: BTreeMap<Vec<u8>, u8>,
    pub(crate) untracked: Vec<Vec<u8>>,
    pub(crate) ignored: Vec<Vec<u8>>,
}

/// Files that the index does not know, and those that are ignored.
pub(crate) fn unknown(
    repo: &Repo,
    index: &Index,
    mode: Untracked,
    with_ignored: Option<Untracked>,
    paths: &Pathspec,
) -> Result<(Vec<Vec<u8>>, Vec<Vec<u8>>)> {
    let ignore = Ignore::new(repo);
    let mut walk = Walk {
        index,
        ignore: &ignore,
        mode,
        with_ignored,
        paths,
        untracked: Vec::new(),
        ignored: Vec::new(),
    };
    walk.directory(b"", 0)?;
    Ok((walk.untracked, walk.ignored))
}

struct Walk<'a> {
    index: &'a Index,
    ignore: &'a Ignore,
    mode: Untracked,
    with_ignored: Option<Untracked>,
    paths: &'a Pathspec,
    untracked: Vec<Vec<u8>>,
    ignored: Vec<Vec<u8>>,
}

impl Walk<'_> {
    fn directory(&mut self, prefix: &[u8], depth: usize) -> Result<()> {
        if depth > 1000 {
            return Ok(());
        }
        for (name, kind) in
            os::list(prefix.strip_suffix(b"/").unwrap_or(prefix)).unwrap_or_default()
        {
            if name == b".git" {
                continue;
            }
            let path = [prefix, &name].concat();
            if kind != os::Kind::Directory {
                if !self.index.has(&path) && self.paths.matches(&path) && kind != os::Kind::Other {
                    if self.ignore.ignores(&path, false) {
                        if self.with_ignored.is_some() {
                            self.ignored.push(path);
                        }
                    } else if self.mode != Untracked::No {
                        self.untracked.push(path);
                    }
                }
                continue;
            }
            if !self.paths.may_match_below(&path) && !self.paths.matches(&path) {
                continue;
            }
            let below = [&path[..], b"/"].concat();
            let tracked = self.index.has_below(&path);
            if self.index.get(&path).is_some() {
                continue;
            }
            if !tracked && self.ignore.ignores(&path, true) {
                match self.with_ignored {
                    None => {}
                    Some(Untracked::All) => self.all_ignored(&below, depth + 1)?,
                    Some(_) if has_files(&below, 0) && self.paths.matches(&path) => {
                        self.ignored.push(below);
                    }
                    Some(_) => {}
                }
                continue;
            }
            if tracked {
                self.directory(&below, depth + 1)?;
                continue;
            }
            if os::exists(&[&below[..], b".git"].concat()) {
                if self.mode != Untracked::No && self.paths.matches(&path) {
                    self.untracked.push(below);
                }
                continue;
            }
            let collapse = self.mode != Untracked::All && self.paths.matches(&path);
            let (had, had_ignored) = (self.untracked.len(), self.ignored.len());
            self.directory(&below, depth + 1)?;
            if collapse {
                if self.untracked.len() > had {
                    self.untracked.truncate(had);
                    self.untracked.push(below);
                } else if self.ignored.len() > had_ignored
                    && self.with_ignored == Some(Untracked::Normal)
                {
                    self.ignored.truncate(had_ignored);
                    self.ignored.push(below);
                }
            }
        }
        Ok(())
    }

    fn all_ignored(&mut self, prefix: &[u8], depth: usize) -> Result<()> {
        if depth > 1000 {
            return Ok(());
        }
        for (name, kind) in os::list(prefix).unwrap_or_default() {
            let path = [prefix, &name].concat();
            if kind == os::Kind::Directory {
                self.all_ignored(&[&path[..], b"/"].concat(), depth + 1)?;
            } else if self.paths.matches(&path) {
                self.ignored.push(path);
            }
        }
        Ok(())
    }
}

fn has_files(directory: &[u8], depth: usize) -> bool {
    depth < 1000
        && os::list(directory)
            .unwrap_or_default()
            .iter()
            .any(|(name, kind)| {
                *kind != os::Kind::Directory
                    || has_files(&[directory, name, b"/"].concat(), depth + 1)
            })
}

/// Looks at everything.
pub(crate) fn collect(
    repo: &Repo,
    index: &Index,
    untracked: Untracked,
    ignored: Option<Untracked>,
    paths: &Pathspec,
    renames: bool,
) -> Result<State> {
    let tree = super::head_tree(repo)?;
    let mut options = Options::new(&repo.config);
    options.renames = renames
        && repo
            .config
            .truth("status.renames")
            .unwrap_or(options.renames);
    let mut staged = change::tree_to_index(repo, tree, index, paths)?;
    let mut unstaged = change::index_to_files(repo, index, paths)?;
    let mut unmerged = BTreeMap::new();
    for path in index
        .unmerged()
        .into_iter()
        .filter(|path| paths.matches(path))
    {
        let stages = index.stages(&path);
        let bits = (1..=3)
            .filter(|at| stages[*at].is_some())
            .map(|at| 1u8 << (at - 1))
            .sum();
        unmerged.insert(path, bits);
    }
    staged.retain(|change| !unmerged.contains_key(change.path()));
    unstaged.retain(|change| !unmerged.contains_key(change.path()));
    if options.renames {
        staged = rename::detect(repo, staged, &options, &[])?;
        unstaged = rename::detect(repo, unstaged, &options, &[])?;
    }
    let (untracked, ignored) = match (untracked, ignored) {
        (Untracked::No, None) => (Vec::new(), Vec::new()),
        _ => unknown(repo, index, untracked, ignored, paths)?,
    };
    Ok(State {
        staged,
        unstaged,
        unmerged,
        untracked,
        ignored,
    })
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Long,
    Short,
    Porcelain,
    PorcelainV2,
}

/// `git status`.
pub(crate) fn status(call: &Call) -> Result<i32> {
    let table = "s|short long porcelain? b|branch show-stash z|null u|untracked-files? ignored? v|verbose column? no-column ignore-submodules? \
                 ahead-behind find-renames? renames M|find-renames-score?";
    let parsed = args::parse("status", table, &call.words)?;
    parsed.refuse(&["verbose"])?;
    let repo = call.work_tree()?;
    let mut form = match repo.config.truth("status.short") {
        Some(true) => Form::Short,
        _ => Form::Long,
    };
    if parsed.has("null") {
        form = Form::Porcelain;
    }
    for (name, value) in &parsed.options {
        match (name.as_str(), value.as_deref()) {
            ("short", _) => form = Form::Short,
            ("long", _) => form = Form::Long,
            ("porcelain", None | Some(b"v1" | b"1")) => form = Form::Porcelain,
            ("porcelain", Some(b"v2" | b"2")) => form = Form::PorcelainV2,
            ("porcelain", Some(other)) => {
                return fatal(format!("unsupported porcelain version '{}'", show(other)));
            }
            _ => {}
        }
    }
    let untracked = untracked_mode(&repo, &parsed)?;
    let ignored = match parsed.has("ignored") {
        true => match parsed.value("ignored") {
            None | Some(b"traditional") => Some(untracked),
            Some(b"matching") => Some(Untracked::No),
            Some(b"no") => None,
            Some(other) => return fatal(format!("Invalid ignored mode '{}'", show(other))),
        },
        false => None,
    };
    let paths = Pathspec::new(&repo, &parsed.words)?;
    let mut index = repo.index()?;
    if change::refresh(&repo, &mut index)? {
        // What was learnt saves time later; where it cannot be written it is no loss.
        let _ = repo.write_index(&index);
    }
    let state = collect(
        &repo,
        &index,
        untracked,
        ignored,
        &paths,
        !parsed.has("no-renames"),
    )?;
    let branch = match form {
        Form::Short => {
            parsed.has("branch")
                || (repo.config.truth("status.branch") == Some(true) && !parsed.has("no-branch"))
        }
        _ => parsed.has("branch"),
    };
    match form {
        Form::Long => long(
            &repo,
            &index,
            &state,
            untracked,
            false,
            parsed.has("show-stash"),
        )?,
        Form::Short | Form::Porcelain => short(
            &repo,
            &state,
            parsed.has("null"),
            branch,
            form == Form::Short,
        )?,
        Form::PorcelainV2 => porcelain_v2(
            &repo,
            &index,
            &state,
            parsed.has("null"),
            branch,
            parsed.has("show-stash"),
        )?,
    }
    Ok(0)
}

/// The value of `-u`.
pub(crate) fn untracked_mode(repo: &Repo, parsed: &Parsed) -> Result<Untracked> {
    let default = match repo.config.get("status.showuntrackedfiles") {
        Some(b"no" | b"false") => Untracked::No,
        Some(b"all") => Untracked::All,
        _ => Untracked::Normal,
    };
    if parsed.has("no-untracked-files") {
        return Ok(Untracked::No);
    }
    if !parsed.has("untracked-files") {
        return Ok(default);
    }
    match parsed.value("untracked-files") {
        None | Some(b"all") => Ok(Untracked::All),
        Some(b"normal") => Ok(Untracked::Normal),
        Some(b"no" | b"false") => Ok(Untracked::No),
        Some(other) => fatal(format!("Invalid untracked files mode '{}'", show(other))),
    }
}

/// The two letters of a path in conflict.
fn unmerged_letters(bits: u8) -> &'static str {
    match bits {
        1 => "DD",
        2 => "AU",
        3 => "UD",
        4 => "UA",
        5 => "DU",
        6 => "AA",
        _ => "UU",
    }
}

fn unmerged_words(bits: u8) -> &'static str {
    match bits {
        1 => "both deleted:    ",
        2 => "added by us:     ",
        3 => "deleted by them: ",
        4 => "added by them:   ",
        5 => "deleted by us:   ",
        6 => "both added:      ",
        _ => "both modified:   ",
    }
}

struct Line {
    x: u8,
    y: u8,
    old: Option<Vec<u8>>,
    staged: Option<Change>,
    unstaged: Option<Change>,
}

fn lines(state: &State) -> BTreeMap<Vec<u8>, Line> {
    let mut lines: BTreeMap<Vec<u8>, Line> = BTreeMap::new();
    let blank = || Line {
        x: b' ',
        y: b' ',
        old: None,
        staged: None,
        unstaged: None,
    };
    for change in &state.staged {
        let line = lines.entry(change.new.path.clone()).or_insert_with(blank);
        line.x = change.status;
        if matches!(change.status, b'R' | b'C') {
            line.old = Some(change.old.path.clone());
        }
        line.staged = Some(change.clone());
    }
    for change in &state.unstaged {
        let line = lines.entry(change.new.path.clone()).or_insert_with(blank);
        line.y = change.status;
        if matches!(change.status, b'R' | b'C') {
            line.old = Some(change.old.path.clone());
        }
        line.unstaged = Some(change.clone());
    }
    lines
}

/// `--short` and `--porcelain`.
fn short(repo: &Repo, state: &State, zero: bool, branch: bool, is_short: bool) -> Result<()> {
    let relative = is_short && repo.config.truth("status.relativepaths") != Some(false);
    let show_path = |path: &[u8]| {
        let path = if relative && !zero {
            repo.relative(path)
        } else {
            path.to_vec()
        };
        if zero {
            return path;
        }
        let quoted = repo.quote(&path);
        if quoted == path && path.contains(&b' ') {
            [b"\"", &path[..], b"\""].concat()
        } else {
            quoted
        }
    };
    let end: &[u8] = if zero { b"\0" } else { b"\n" };
    let color = is_short && crate::diff::options::use_color(&repo.config, "color.status");
    if branch {
        let mut text = b"## ".to_vec();
        text.extend(branch_line(repo)?);
        out::put(&text);
        out::put(end);
    }
    let mut all: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    let paint = |letter: u8, code: &str| match color && letter != b' ' {
        true => format!("{code}{}\x1b[m", letter as char).into_bytes(),
        false => vec![letter],
    };
    for (path, line) in lines(state) {
        let mut text = [paint(line.x, "\x1b[32m"), paint(line.y, "\x1b[31m")].concat();
        text.push(b' ');
        match &line.old {
            Some(old) if zero => text.extend([&path[..], b"\0", old].concat()),
            Some(old) => text.extend([&show_path(old)[..], b" -> ", &show_path(&path)].concat()),
            None => text.extend(show_path(&path)),
        }
        text.extend_from_slice(end);
        all.insert(path, text);
    }
    for (path, bits) in &state.unmerged {
        let letters = unmerged_letters(*bits);
        let letters = if color {
            format!(
                "\x1b[31m{}\x1b[m\x1b[31m{}\x1b[m",
                &letters[..1],
                &letters[1..]
            )
        } else {
            letters.to_owned()
        };
        all.insert(
            path.clone(),
            [letters.as_bytes(), b" ", &show_path(path), end].concat(),
        );
    }
    all.values().for_each(|text| out::put(text));
    for (paths, mark) in [(&state.untracked, "??"), (&state.ignored, "!!")] {
        for path in paths {
            let mark = if color {
                format!("\x1b[31m{mark}\x1b[m")
            } else {
                mark.to_owned()
            };
            out::put(&[mark.as_bytes(), b" ", &show_path(path), end].concat());
        }
    }
    Ok(())
}

/// What `## ` is followed by.
fn branch_line(repo: &Repo) -> Result<Vec<u8>> {
    let Some(branch) = repo.branch() else {
        return Ok(b"HEAD (no branch)".to_vec());
    };
    let mut text = Vec::new();
    if repo.head().is_none() {
        text.extend(b"No commits yet on ");
    }
    text.extend_from_slice(&branch);
    if let Some(upstream) = revision::upstream(repo, &branch) {
        text.extend(b"...");
        text.extend_from_slice(super::short_ref(&upstream));
        match repo.refs.resolve(&upstream).zip(repo.head()) {
            None => text.extend(b" [gone]"),
            Some((theirs, ours)) => match ahead_behind(repo, ours, theirs)? {
                (0, 0) => {}
                (ahead, 0) => text.extend(format!(" [ahead {ahead}]").bytes()),
                (0, behind) => text.extend(format!(" [behind {behind}]").bytes()),
                (ahead, behind) => {
                    text.extend(format!(" [ahead {ahead}, behind {behind}]").bytes())
                }
            },
        }
    }
    Ok(text)
}

/// How many commits each of two has that the other has not.
pub(crate) fn ahead_behind(
    repo: &Repo,
    ours: crate::oid::Oid,
    theirs: crate::oid::Oid,
) -> Result<(usize, usize)> {
    if ours == theirs {
        return Ok((0, 0));
    }
    let ahead = walk::range(repo, &[ours], &[theirs], false)?.len();
    let behind = walk::range(repo, &[theirs], &[ours], false)?.len();
    Ok((ahead, behind))
}

fn porcelain_v2(
    repo: &Repo,
    index: &Index,
    state: &State,
    zero: bool,
    branch: bool,
    stash: bool,
) -> Result<()> {
    let end: &[u8] = if zero { b"\0" } else { b"\n" };
    let put = |text: &[u8]| {
        out::put(text);
        out::put(end);
    };
    let quote = |path: &[u8]| {
        if zero {
            path.to_vec()
        } else {
            repo.quote(path)
        }
    };
    if branch {
        let head = repo
            .head()
            .map_or("(initial)".to_owned(), |head| head.hex());
        put(format!("# branch.oid {head}").as_bytes());
        let name = repo.branch();
        put(&[b"# branch.head ", name.as_deref().unwrap_or(b"(detached)")].concat());
        if let Some(upstream) = name
            .as_ref()
            .and_then(|name| revision::upstream(repo, name))
        {
            put(&[b"# branch.upstream ", super::short_ref(&upstream)].concat());
            if let Some((theirs, ours)) = repo.refs.resolve(&upstream).zip(repo.head()) {
                let (ahead, behind) = ahead_behind(repo, ours, theirs)?;
                put(format!("# branch.ab +{ahead} -{behind}").as_bytes());
            }
        }
    }
    let stashes = repo.refs.read_log(b"refs/stash").len();
    if stash && stashes > 0 {
        put(format!("# stash {stashes}").as_bytes());
    }
    let dot = |letter: u8| if letter == b' ' { '.' } else { letter as char };
    for (path, line) in lines(state) {
        let entry = index.get(&path);
        let (head_mode, head_oid) = match (&line.staged, entry) {
            (Some(change), _) => (change.old.mode, change.old.oid),
            (None, Some(entry)) => (entry.mode, entry.oid),
            (None, None) => (0, crate::oid::Oid::NULL),
        };
        let (index_mode, index_oid) =
            entry.map_or((0, crate::oid::Oid::NULL), |entry| (entry.mode, entry.oid));
        let tree_mode = line
            .unstaged
            .as_ref()
            .map_or(index_mode, |change| change.new.mode);
        let common = format!(
            "{}{} N... {head_mode:06o} {index_mode:06o} {tree_mode:06o} {head_oid} {index_oid}",
            dot(line.x),
            dot(line.y)
        );
        match &line.old {
            Some(old) => {
                let change = line
                    .staged
                    .as_ref()
                    .filter(|change| change.status != b'M')
                    .or(line.unstaged.as_ref());
                let score = change.map_or(0, |change| crate::diff::patch::percent(change.score));
                let kind = change.map_or('R', |change| change.status as char);
                let separator: &[u8] = if zero { b"\0" } else { b"\t" };
                put(&[
                    format!("2 {common} {kind}{score} ").as_bytes(),
                    &quote(&path),
                    separator,
                    &quote(old),
                ]
                .concat());
            }
            None => put(&[format!("1 {common} ").as_bytes(), &quote(&path)].concat()),
        }
    }
    for (path, bits) in &state.unmerged {
        let stages = index.stages(path);
        let part = |at: usize| {
            stages[at].map_or((0, crate::oid::Oid::NULL), |entry| (entry.mode, entry.oid))
        };
        let (a, b, c) = (part(1), part(2), part(3));
        let mode = os::lstat(path).map_or(0, |found| crate::object::canonical_mode(found.mode));
        put(&[
            format!(
                "u {} N... {:06o} {:06o} {:06o} {mode:06o} {} {} {} ",
                unmerged_letters(*bits),
                a.0,
                b.0,
                c.0,
                a.1,
                b.1,
                c.1
            )
            .as_bytes(),
            &quote(path),
        ]
        .concat());
    }
    for (paths, mark) in [(&state.untracked, "? "), (&state.ignored, "! ")] {
        for path in paths {
            put(&[mark.as_bytes(), &quote(path)].concat());
        }
    }
    Ok(())
}

/// The long form, on standard output.
pub(crate) fn long(
    repo: &Repo,
    index: &Index,
    state: &State,
    untracked: Untracked,
    committing: bool,
    stash: bool,
) -> Result<()> {
    let text = long_text(repo, index, state, untracked, committing, stash)?;
    out::put(&text);
    Ok(())
}

/// The long form as text.
pub(crate) fn long_text(
    repo: &Repo,
    index: &Index,
    state: &State,
    untracked: Untracked,
    committing: bool,
    stash: bool,
) -> Result<Vec<u8>> {
    let mut text: Vec<u8> = Vec::new();
    let hints = repo.config.truth("advice.statushints") != Some(false);
    let color = !committing && crate::diff::options::use_color(&repo.config, "color.status");
    let paint = |code: &str, line: &str| {
        if color {
            format!("{code}{line}\x1b[m")
        } else {
            line.to_owned()
        }
    };
    let mut say = |line: &str| {
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    };
    let head = repo.head();
    match repo.branch() {
        Some(branch) => {
            say(&format!("On branch {}", show(&branch)));
            if let Some(upstream) = revision::upstream(repo, &branch) {
                for line in tracking(repo, &upstream, hints)?.lines() {
                    say(line);
                }
            }
        }
        None if rebase_state(repo).is_some() => {
            let onto = rebase_state(repo).unwrap_or_default();
            say(&format!(
                "{}; onto {}",
                paint("\x1b[31m", "interactive rebase in progress"),
                onto.1
            ));
        }
        None => {
            let at = detached_at(repo);
            say(&at);
        }
    }
    progress(repo, index, hints, &mut say)?;
    if head.is_none() {
        say("");
        say(if committing {
            "Initial commit"
        } else {
            "No commits yet"
        });
        say("");
    }
    let shown = |path: &[u8]| {
        let path = match repo.config.truth("status.relativepaths") {
            Some(false) => path.to_vec(),
            _ => repo.relative(path),
        };
        show(&repo.quote(&path))
    };
    let label = |change: &Change| {
        let word = match change.status {
            b'A' => "new file:   ",
            b'D' => "deleted:    ",
            b'R' => "renamed:    ",
            b'C' => "copied:     ",
            b'T' => "typechange: ",
            _ => "modified:   ",
        };
        match change.status {
            b'R' | b'C' => format!(
                "{word}{} -> {}",
                shown(&change.old.path),
                shown(&change.new.path)
            ),
            _ => format!("{word}{}", shown(&change.new.path)),
        }
    };
    let merging = repo.has_file("MERGE_HEAD") || repo.has_file("CHERRY_PICK_HEAD");
    if !state.staged.is_empty() {
        say("Changes to be committed:");
        if hints && !merging {
            say(match head {
                Some(_) => "  (use \"git restore --staged <file>...\" to unstage)",
                None => "  (use \"git rm --cached <file>...\" to unstage)",
            });
        }
        for change in &state.staged {
            say(&format!("\t{}", paint("\x1b[32m", &label(change))));
        }
        say("");
    }
    if !state.unmerged.is_empty() {
        say("Unmerged paths:");
        if hints {
            if !merging {
                say(match head {
                    Some(_) => "  (use \"git restore --staged <file>...\" to unstage)",
                    None => "  (use \"git rm --cached <file>...\" to unstage)",
                });
            }
            let deleted = state
                .unmerged
                .values()
                .filter(|bits| [3, 5].contains(*bits))
                .count();
            let both = state.unmerged.values().filter(|bits| **bits == 1).count();
            say(match () {
                () if deleted + both == 0 => "  (use \"git add <file>...\" to mark resolution)",
                () if both == state.unmerged.len() => {
                    "  (use \"git rm <file>...\" to mark resolution)"
                }
                () => "  (use \"git add/rm <file>...\" as appropriate to mark resolution)",
            });
        }
        for (path, bits) in &state.unmerged {
            say(&format!(
                "\t{}",
                paint(
                    "\x1b[31m",
                    &format!("{}{}", unmerged_words(*bits), shown(path))
                )
            ));
        }
        say("");
    }
    if !state.unstaged.is_empty() {
        say("Changes not staged for commit:");
        if hints {
            say(
                match state.unstaged.iter().any(|change| change.status == b'D') {
                    true => "  (use \"git add/rm <file>...\" to update what will be committed)",
                    false => "  (use \"git add <file>...\" to update what will be committed)",
                },
            );
            say("  (use \"git restore <file>...\" to discard changes in working directory)");
        }
        for change in &state.unstaged {
            say(&format!("\t{}", paint("\x1b[31m", &label(change))));
        }
        say("");
    }
    for (paths, title, verb) in [
        (&state.untracked, "Untracked files:", "add"),
        (&state.ignored, "Ignored files:", "add -f"),
    ] {
        if paths.is_empty() {
            continue;
        }
        say(title);
        if hints {
            say(&format!(
                "  (use \"git {verb} <file>...\" to include in what will be committed)"
            ));
        }
        for path in paths {
            say(&format!("\t{}", paint("\x1b[31m", &shown(path))));
        }
        say("");
    }
    let not_listed = untracked == Untracked::No;
    if not_listed && !state.staged.is_empty() && hints && !committing {
        say("Untracked files not listed (use -u option to show untracked files)");
    }
    if state.staged.is_empty() {
        let hint = |text: &str| {
            if hints {
                format!(" ({text})")
            } else {
                String::new()
            }
        };
        let last = match () {
            () if !state.unmerged.is_empty() || !state.unstaged.is_empty() => {
                format!(
                    "no changes added to commit{}",
                    hint("use \"git add\" and/or \"git commit -a\"")
                )
            }
            () if !state.untracked.is_empty() => {
                format!(
                    "nothing added to commit but untracked files present{}",
                    hint("use \"git add\" to track")
                )
            }
            () if head.is_none() => format!(
                "nothing to commit{}",
                hint("create/copy files and use \"git add\" to track")
            ),
            () if not_listed => format!(
                "nothing to commit{}",
                hint("use -u to show untracked files")
            ),
            () => "nothing to commit, working tree clean".to_owned(),
        };
        let merging = repo.has_file("MERGE_HEAD");
        if !(merging
            && state.unmerged.is_empty()
            && state.unstaged.is_empty()
            && state.untracked.is_empty())
            || head.is_none()
        {
            say(&last);
        }
    }
    let stashes = repo.refs.read_log(b"refs/stash").len();
    if stash && stashes > 0 {
        say(&format!(
            "Your stash currently has {stashes} entr{}",
            if stashes == 1 { "y" } else { "ies" }
        ));
    }
    Ok(text)
}

/// `HEAD detached at …`.
pub(crate) fn detached_at(repo: &Repo) -> String {
    let log = repo.refs.read_log(b"HEAD");
    let moved = log.iter().rev().find_map(|line| {
        let rest = line.message.strip_prefix(b"checkout: moving from ")?;
        let at = rest.windows(4).position(|four| four == b" to ")?;
        Some((rest[at + 4..].to_vec(), line.new))
    });
    match (moved, repo.head()) {
        (Some((name, oid)), Some(head)) => {
            let is_hex = name.len() >= 40 && crate::oid::Oid::parse(&name).is_some();
            let full = revision::full_ref(repo, &name).filter(|full| full.starts_with(b"refs/"));
            let name = if is_hex || full.is_none() {
                repo.short(&oid)
            } else {
                show(&name)
            };
            let word = if head == oid { "at" } else { "from" };
            format!("HEAD detached {word} {name}")
        }
        (None, Some(_)) | (_, None) => "Not currently on any branch.".to_owned(),
    }
}

/// The branch being rebased and what it goes on, when a rebase is under way.
pub(crate) fn rebase_state(repo: &Repo) -> Option<(String, String)> {
    let name = repo.read_file("rebase-merge/head-name")?;
    let onto = repo.read_file("rebase-merge/onto")?;
    let onto = crate::oid::Oid::parse(&onto).map_or_else(|| show(&onto), |oid| repo.short(&oid));
    Some((show(super::short_ref(&name)), onto))
}

/// What is under way: a merge, a rebase, a cherry-pick, a revert.
fn progress(repo: &Repo, index: &Index, hints: bool, say: &mut dyn FnMut(&str)) -> Result<()> {
    let conflicts = !index.unmerged().is_empty();
    if let Some((branch, onto)) = rebase_state(repo) {
        rebase_progress(repo, &branch, &onto, conflicts, hints, say);
        return Ok(());
    }
    if repo.has_file("MERGE_HEAD") {
        if conflicts {
            say("You have unmerged paths.");
            if hints {
                say("  (fix conflicts and run \"git commit\")");
                say("  (use \"git merge --abort\" to abort the merge)");
            }
        } else {
            say("All conflicts fixed but you are still merging.");
            if hints {
                say("  (use \"git commit\" to conclude merge)");
            }
        }
        say("");
        return Ok(());
    }
    for (file, verb, command) in [
        ("CHERRY_PICK_HEAD", "cherry-picking", "cherry-pick"),
        ("REVERT_HEAD", "reverting", "revert"),
    ] {
        let Some(oid) = repo
            .read_file(file)
            .and_then(|text| crate::oid::Oid::parse(&text))
        else {
            continue;
        };
        say(&format!(
            "You are currently {verb} commit {}.",
            repo.short(&oid)
        ));
        if hints {
            say(&match conflicts {
                true => format!("  (fix conflicts and run \"git {command} --continue\")"),
                false => format!("  (all conflicts fixed: run \"git {command} --continue\")"),
            });
            say(&format!(
                "  (use \"git {command} --skip\" to skip this patch)"
            ));
            let what = if command == "revert" {
                "revert"
            } else {
                "cherry-pick"
            };
            say(&format!(
                "  (use \"git {command} --abort\" to cancel the {what} operation)"
            ));
        }
        say("");
    }
    if repo.has_file("BISECT_LOG") {
        let start = repo.read_file("BISECT_START").unwrap_or_default();
        say(&format!(
            "You are currently bisecting, started from branch '{}'.",
            show(&start)
        ));
        if hints {
            say("  (use \"git bisect reset\" to get back to the original branch)");
        }
        say("");
    }
    Ok(())
}

fn rebase_progress(
    repo: &Repo,
    branch: &str,
    onto: &str,
    conflicts: bool,
    hints: bool,
    say: &mut dyn FnMut(&str),
) {
    let list = |name: &str| -> Vec<String> {
        let text = repo.read_file(name).unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').map(show);
        lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| shorten(repo, &line))
            .collect()
    };
    let (done, left) = (
        list("rebase-merge/done"),
        list("rebase-merge/git-rebase-todo"),
    );
    if done.is_empty() {
        say("No commands done.");
    } else {
        let plural = if done.len() == 1 {
            "command"
        } else {
            "commands"
        };
        let word = if done.len() == 1 {
            "Last command"
        } else {
            "Last commands"
        };
        say(&format!("{word} done ({} {plural} done):", done.len()));
        done.iter()
            .skip(done.len().saturating_sub(2))
            .for_each(|line| say(&format!("   {line}")));
        if done.len() > 2 && hints {
            say("  (see more in file .git/rebase-merge/done)");
        }
    }
    if left.is_empty() {
        say("No commands remaining.");
    } else {
        let plural = if left.len() == 1 {
            "command"
        } else {
            "commands"
        };
        let word = if left.len() == 1 {
            "Next command"
        } else {
            "Next commands"
        };
        say(&format!(
            "{word} to do ({} remaining {plural}):",
            left.len()
        ));
        left.iter()
            .take(2)
            .for_each(|line| say(&format!("   {line}")));
        if hints {
            say("  (use \"git rebase --edit-todo\" to view and edit)");
        }
    }
    let who = match branch.is_empty() || branch == "detached HEAD" {
        true => "You are currently rebasing.".to_owned(),
        false => format!("You are currently rebasing branch '{branch}' on '{onto}'."),
    };
    say(&who);
    if hints {
        if conflicts {
            say("  (fix conflicts and then run \"git rebase --continue\")");
            say("  (use \"git rebase --skip\" to skip this patch)");
            say("  (use \"git rebase --abort\" to check out the original branch)");
        } else {
            say("  (all conflicts fixed: run \"git rebase --continue\")");
        }
    }
    say("");
}

fn shorten(repo: &Repo, line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    if let Some(oid) = words
        .get(1)
        .and_then(|word| crate::oid::Oid::parse(word.as_bytes()))
    {
        words[1] = repo.short(&oid);
    }
    words.join(" ")
}

/// How a branch stands to the one that it follows.
pub(crate) fn tracking(repo: &Repo, upstream: &[u8], hints: bool) -> Result<String> {
    let name = show(super::short_ref(upstream));
    let Some((theirs, ours)) = repo.refs.resolve(upstream).zip(repo.head()) else {
        let mut text = format!("Your branch is based on '{name}', but the upstream is gone.\n");
        if hints {
            text += "  (use \"git branch --unset-upstream\" to fixup)\n";
        }
        return Ok(text + "\n");
    };
    // Both have to be commits.
    Commit::read(&repo.objects, &theirs)?;
    let plural = |count: usize| if count == 1 { "commit" } else { "commits" };
    let text = match ahead_behind(repo, ours, theirs)? {
        (0, 0) => format!("Your branch is up to date with '{name}'.\n"),
        (ahead, 0) => {
            let hint = if hints {
                "  (use \"git push\" to publish your local commits)\n"
            } else {
                ""
            };
            format!(
                "Your branch is ahead of '{name}' by {ahead} {}.\n{hint}",
                plural(ahead)
            )
        }
        (0, behind) => {
            let hint = if hints {
                "  (use \"git pull\" to update your local branch)\n"
            } else {
                ""
            };
            format!(
                "Your branch is behind '{name}' by {behind} {}, and can be fast-forwarded.\n{hint}",
                plural(behind)
            )
        }
        (ahead, behind) => {
            let hint = match hints {
                true => {
                    "  (use \"git pull\" if you want to integrate the remote branch with yours)\n"
                }
                false => "",
            };
            format!(
                "Your branch and '{name}' have diverged,\nand have {ahead} and {behind} different {} each, respectively.\n{hint}",
                plural(ahead + behind)
            )
        }
    };
    Ok(text + "\n")
}
