//! `git worktree`.

use super::status::{self, Untracked};
use super::worktrees::all;
use super::{Call, branch, short_ref};
use crate::args::{options, usage};
use crate::ident::{Role, identity};
use crate::index::Index;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::refs::Refs;
use crate::repo::{Global, Repo};
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree::reset_hard;

options! {
    /// What the command line of `git worktree list` says.
    struct ListOptions for "worktree list" {
        porcelain: bool = "porcelain",
    }
    ignored "v|verbose expire= z|"
}

options! {
    /// What the command line of `git worktree add` says.
    struct AddOptions for "worktree add" {
        force: bool = "f|force",
        /// The name of a new branch.
        create: Option<Vec<u8>> = "b|=",
        /// Makes a branch, or moves one that is there.
        create_anew: Option<Vec<u8>> = "B|=",
        detach: bool = "d|detach",
        quiet: bool = "q|quiet",
    }
    ignored "checkout track? guess-remote"
    refused "lock orphan relative-paths reason="
}

options! {
    /// What the command line of `git worktree remove` says.
    struct RemoveOptions for "worktree remove" {
        force: bool = "f|force",
    }
}

options! {
    /// What the command line of `git worktree prune` says.
    struct PruneOptions for "worktree prune" {
        dry: bool = "n|dry-run",
        verbose: bool = "v|verbose",
    }
    ignored "expire="
}

/// `git worktree`.
pub(crate) fn worktree(call: &Call) -> Result<i32> {
    let Some((first, rest)) = call.words.split_first() else {
        return Err(usage("worktree", "need a subcommand"));
    };
    let call = Call {
        global: call.global.clone(),
        words: rest.to_vec(),
        name: call.name,
    };
    match &first[..] {
        b"add" => add(&call),
        b"list" => list(&call),
        b"remove" => remove(&call),
        b"prune" => prune(&call),
        b"lock" | b"unlock" | b"move" | b"repair" => fatal(format!(
            "codepod's git worktree does not support {}",
            show(first)
        )),
        _ => Err(usage(
            "worktree",
            format!("unknown subcommand: `{}'", show(first)),
        )),
    }
}

/// A working tree as it is listed.
struct Row {
    place: Vec<u8>,
    head: Oid,
    /// The full name of its branch; none when it is on none.
    branch: Option<Vec<u8>>,
    is_bare: bool,
}

fn list(call: &Call) -> Result<i32> {
    let (options, _) = ListOptions::read(&call.words)?;
    let repo = call.repo()?;
    let rows: Vec<Row> = all(&repo)
        .into_iter()
        .map(|(place, dir)| row(&repo, place, dir))
        .collect();
    match options.porcelain {
        true => rows.iter().for_each(print_porcelain),
        false => print_table(&repo, &rows),
    }
    Ok(0)
}

fn row(repo: &Repo, place: Vec<u8>, dir: Vec<u8>) -> Row {
    let head = os::read(&[&dir[..], b"/HEAD"].concat()).unwrap_or_default();
    let branch = head.strip_prefix(b"ref: ");
    let is_main = dir == os::real_path(&repo.common).unwrap_or_default();
    let refs = Refs {
        own: dir,
        common: repo.common.clone(),
    };
    Row {
        place,
        head: refs.resolve(b"HEAD").unwrap_or(Oid::NULL),
        branch: branch.map(|name| name.trim_ascii_end().to_vec()),
        is_bare: is_main && repo.config.truth("core.bare") == Some(true),
    }
}

fn print_porcelain(row: &Row) {
    out::line([b"worktree ", &row.place[..]].concat());
    if row.is_bare {
        out::line("bare\n");
        return;
    }
    out::line(format!("HEAD {}", row.head));
    match &row.branch {
        Some(branch) => out::line([b"branch ", &branch[..], b"\n"].concat()),
        None => out::line("detached\n"),
    }
}

fn print_table(repo: &Repo, rows: &[Row]) {
    let widths = rows.iter().map(|row| show(&row.place).chars().count());
    let width = widths.max().unwrap_or(0);
    for row in rows {
        let place = show(&row.place);
        if row.is_bare {
            out::line(format!("{place:<width$}  (bare)"));
            continue;
        }
        let head = match row.head.is_null() {
            true => "0".repeat(repo.abbrev()),
            false => repo.short(&row.head),
        };
        let branch = match &row.branch {
            Some(branch) => format!("[{}]", show(short_ref(branch))),
            None => "(detached HEAD)".to_owned(),
        };
        out::line(format!("{place:<width$}  {head} {branch}"));
    }
}

/// What a new working tree is to have.
struct Plan {
    /// Where it is.
    place: Vec<u8>,
    /// The last part of that.
    name: Vec<u8>,
    /// The branch to make.
    create: Option<Vec<u8>>,
    /// The branch to take, if none is made; with neither, `HEAD` is detached.
    branch: Option<Vec<u8>>,
    /// The revision it begins with.
    start: Vec<u8>,
    oid: Oid,
}

fn add(call: &Call) -> Result<i32> {
    let (options, rest) = AddOptions::read(&call.words)?;
    let repo = call.repo()?;
    let plan = plan(&repo, &rest.words, &options)?;
    let oid = plan.oid;
    if let Some(branch) = &plan.branch {
        check_free(&repo, branch, &options)?;
    }
    if !options.quiet {
        out::note(match (&plan.create, &plan.branch) {
            (Some(name), _) => format!("Preparing worktree (new branch '{}')", show(name)),
            (None, Some(name)) => format!("Preparing worktree (checking out '{}')", show(name)),
            _ => format!("Preparing worktree (detached HEAD {})", repo.short(&oid)),
        });
    }
    if let Some(name) = &plan.create {
        let force = options.create_anew.is_some();
        branch::create(&repo, name, Some(&plan.start), force, false, options.quiet)?;
    }
    write_links(&repo, &plan)?;
    os::chdir(&plan.place)?;
    let global = Global {
        settings: call.global.settings.clone(),
        ..Global::default()
    };
    let tree_repo = Repo::discover(&global)?;
    let who = identity(&tree_repo, Role::Committer, false)?;
    tree_repo.refs.log(b"HEAD", Oid::NULL, oid, &who, b"")?;
    let commit = Commit::read(&repo.objects, &oid)?;
    let mut index = Index::default();
    reset_hard(&tree_repo, commit.tree, &mut index)?;
    tree_repo.write_index(&index)?;
    if !options.quiet {
        let (short, subject) = (repo.short(&oid), show(&commit.subject()));
        out::line(format!("HEAD is now at {short} {subject}"));
    }
    Ok(0)
}

fn plan(repo: &Repo, words: &[Vec<u8>], options: &AddOptions) -> Result<Plan> {
    let (word, mut start) = match words {
        [] => return Err(usage("worktree add", "a path is needed")),
        [word, rest @ ..] => (word, rest.first().cloned()),
    };
    let place = os::real_path(&absolute(repo, word))?;
    if os::exists(&place) && os::list(&place).map_or(true, |names| !names.is_empty()) {
        return fatal(format!("'{}' already exists", show(word)));
    }
    let name = place.rsplit(|byte| *byte == b'/').next();
    let name = name.unwrap_or_default().to_vec();
    let mut create = options.create.clone().or(options.create_anew.clone());
    let mut branch = None;
    if create.is_none() && !options.detach {
        // Without a revision the directory's name is that of the branch.
        let wanted = start.as_ref().unwrap_or(&name).clone();
        let full = [b"refs/heads/", &wanted[..]].concat();
        match (repo.refs.resolve(&full), &start) {
            (Some(_), _) => {
                branch = Some(wanted.clone());
                start = Some(wanted);
            }
            (None, None) => create = Some(wanted),
            (None, Some(_)) => {}
        }
    }
    let start = start.unwrap_or_else(|| b"HEAD".to_vec());
    let Some(oid) = revision::try_resolve(repo, &start)? else {
        return fatal(format!("invalid reference: {}", show(&start)));
    };
    Ok(Plan {
        oid: revision::peel(repo, oid, Some(Kind::Commit))?,
        place,
        name,
        create,
        branch,
        start,
    })
}

/// Fails when a working tree has the branch.
fn check_free(repo: &Repo, name: &[u8], options: &AddOptions) -> Result<()> {
    if repo.branch().as_deref() == Some(name) && !options.force {
        let place = show(repo.work_tree.as_deref().unwrap_or(b""));
        return fatal(format!(
            "'{}' is already used by worktree at '{place}'",
            show(name)
        ));
    }
    branch::check_not_elsewhere(repo, name, false)
}

/// Makes the directories of a working tree, and the files by which it and its repository know each
/// other.
fn write_links(repo: &Repo, plan: &Plan) -> Result<()> {
    let Plan { place, name, .. } = plan;
    let common = os::real_path(&repo.common)?;
    let first = [&common[..], b"/worktrees/", name].concat();
    let mut dir = first.clone();
    let mut number = 0;
    while os::exists(&dir) {
        number += 1;
        dir = [&first[..], number.to_string().as_bytes()].concat();
    }
    os::mkdir_all(&dir)?;
    os::mkdir_all(place)?;
    let at = |file: &str| [&dir[..], b"/", file.as_bytes()].concat();
    os::write(&at("commondir"), b"../..\n")?;
    os::write(&at("gitdir"), &[&place[..], b"/.git\n"].concat())?;
    let link = [&place[..], b"/.git"].concat();
    os::write(&link, &[b"gitdir: ", &dir[..], b"\n"].concat())?;
    let head = match plan.create.as_ref().or(plan.branch.as_ref()) {
        Some(branch) => [b"ref: refs/heads/", &branch[..], b"\n"].concat(),
        None => format!("{}\n", plan.oid).into_bytes(),
    };
    Ok(os::write(&at("HEAD"), &head)?)
}

/// A path as the user gave it, from the root.
fn absolute(repo: &Repo, word: &[u8]) -> Vec<u8> {
    match word.first() {
        Some(b'/') => word.to_vec(),
        _ => [&repo.started_in[..], b"/", word].concat(),
    }
}

/// The working tree that a word names, and its part of the repository.
fn find(repo: &Repo, word: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let path = os::real_path(&absolute(repo, word))?;
    let suffix = [b"/", word].concat();
    let found = all(repo)
        .into_iter()
        .find(|(place, _)| *place == path || place.ends_with(&suffix));
    match found {
        Some(found) => Ok(found),
        None => fatal(format!("'{}' is not a working tree", show(word))),
    }
}

fn remove(call: &Call) -> Result<i32> {
    let (options, rest) = RemoveOptions::read(&call.words)?;
    let repo = call.repo()?;
    let Some(word) = rest.words.first() else {
        return Err(usage("worktree remove", "a working tree is needed"));
    };
    let (place, dir) = find(&repo, word)?;
    if dir == os::real_path(&repo.common)? {
        return fatal(format!("'{}' is a main working tree", show(word)));
    }
    if !options.force && os::exists(&place) {
        os::chdir(&place)?;
        if !is_clean()? {
            return fatal(format!(
                "'{}' contains modified or untracked files, use --force to delete it",
                show(word)
            ));
        }
        os::chdir(&repo.started_in)?;
    }
    if os::exists(&place) {
        os::remove_tree(&place)?;
    }
    os::remove_tree(&dir)?;
    let _ = os::rmdir(&repo.shared("worktrees"));
    Ok(0)
}

/// Whether the working tree around the working directory has nothing that could be lost.
fn is_clean() -> Result<bool> {
    let repo = Repo::discover(&Global::default())?;
    let index = repo.index()?;
    let all = Pathspec::default();
    let state = status::collect(&repo, &index, Untracked::Normal, None, &all, false)?;
    Ok(state.staged.is_empty() && state.unstaged.is_empty() && state.untracked.is_empty())
}

fn prune(call: &Call) -> Result<i32> {
    let (options, _) = PruneOptions::read(&call.words)?;
    let repo = call.repo()?;
    for (place, dir) in all(&repo).into_iter().skip(1) {
        if os::exists(&[&place[..], b"/.git"].concat()) {
            continue;
        }
        let name = show(dir.rsplit(|byte| *byte == b'/').next().unwrap_or_default());
        if options.dry || options.verbose {
            out::note(format!(
                "Removing worktrees/{name}: gitdir file points to non-existent location"
            ));
        }
        if !options.dry {
            os::remove_tree(&dir)?;
        }
    }
    Ok(0)
}
