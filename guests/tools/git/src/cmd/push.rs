//! `git push`: what is to happen to each reference of the other repository is planned, then done,
//! then told.

use super::Call;
use super::remotes::{default_remote, url};
use super::transfer::{For, Local, Other, Row, open, print_rows};
use crate::args::{Optional, options};
use crate::ident::{Role, identity};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::walk;
use crate::wire::send::{Command, How};

options! {
    /// What the command line says.
    struct Options for "push" {
        all: bool = "all",
        branches: bool = "branches",
        tags: bool = "tags",
        delete: bool = "d|delete",
        force: bool = "f|force",
        force_with_lease: Optional = "force-with-lease?",
        set_upstream: bool = "u|set-upstream",
        quiet: bool = "q|quiet",
        dry: bool = "n|dry-run",
        atomic: bool = "atomic",
        push_options: Vec<Vec<u8>> = "o|push-option=",
    }
    ignored "v|verbose repo= force-if-includes recurse-submodules= thin receive-pack= progress \
        no-verify follow-tags"
    refused "mirror porcelain prune signed?"
}

impl Options {
    /// What the other repository's reference must be for a push to be forced; none when it is
    /// forced or not whatever it is.
    fn lease(&self, repo: &Repo, to: &Destination, target: &[u8]) -> Result<Option<Lease>> {
        let short = target.strip_prefix(b"refs/heads/").unwrap_or(target);
        let tracked = || {
            let tracking = [b"refs/remotes/", &to.name[..], b"/", short].concat();
            Lease(repo.refs.resolve(&tracking))
        };
        let given = match &self.force_with_lease {
            Optional::No => return Ok(None),
            _ if self.force => return Ok(None),
            Optional::Plain => return Ok(Some(tracked())),
            Optional::With(given) => given,
        };
        let (name, expected) = match given.iter().position(|byte| *byte == b':') {
            Some(at) => (&given[..at], Some(&given[at + 1..])),
            None => (&given[..], None),
        };
        if name != short && name != target {
            return Ok(None);
        }
        Ok(Some(match expected {
            None => tracked(),
            Some(b"") => Lease(None),
            Some(word) => Lease(Some(revision::resolve(repo, word)?)),
        }))
    }
}

/// What a reference has to be.
struct Lease(Option<Oid>);

/// Where it goes.
struct Destination {
    /// The remote's name, or the path that was given.
    name: Vec<u8>,
    place: Vec<u8>,
    is_remote: bool,
}

/// What is asked for: a name here, and one there. Without one here the other goes.
struct Wish {
    source: Vec<u8>,
    target: Vec<u8>,
    force: bool,
}

/// What is to happen to a reference of the other repository.
struct Update {
    /// Its full name.
    target: Vec<u8>,
    /// What it is.
    old: Option<Oid>,
    change: Change,
}

enum Change {
    /// It is what it is to be.
    Nothing(Oid),
    Set(Oid, Row),
    Delete(Row),
    Rejected(Row),
}

/// `git push`.
pub(crate) fn push(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let (given, names) = match &rest.words[..] {
        [] => (None, &[][..]),
        [first, names @ ..] => (Some(first), names),
    };
    let to = destination(&repo, given)?;
    let wishes = wishes(&repo, names, &to, &options)?;
    let base = repo.work_tree.as_ref().unwrap_or(&repo.started_in);
    let other = open(&repo.config, &to.place, base, For::Push, options.quiet)?;
    let to = Destination {
        place: other.place.clone(),
        ..to
    };
    let Some(mut updates) = plan(&repo, &other, &to, wishes, &options)? else {
        return Ok(failed(&to));
    };
    let is_rejected = |update: &Update| matches!(update.change, Change::Rejected(_));
    if options.atomic && updates.iter().any(is_rejected) {
        refuse_all(&mut updates);
    }
    if !options.dry {
        apply(&repo, &other, &mut updates, &options)?;
    }
    report(&to, &updates, &options);
    for update in &updates {
        follow(&repo, &to, update, &options)?;
    }
    match updates
        .iter()
        .any(|update| matches!(update.change, Change::Rejected(_)))
    {
        true => Ok(rejected(&to, &updates)),
        false => Ok(0),
    }
}

fn destination(repo: &Repo, given: Option<&Vec<u8>>) -> Result<Destination> {
    let name = given.cloned().unwrap_or_else(|| default_remote(repo));
    let known = url(repo, &name);
    let is_remote = known.is_some();
    let place = match known {
        Some(place) => {
            let key = [b"remote.", &name[..], b".pushurl"].concat();
            repo.config.get_bytes(&key).map_or(place, <[u8]>::to_vec)
        }
        None if given.is_none() => {
            return fatal(
                "No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n",
            );
        }
        None => name.clone(),
    };
    Ok(Destination {
        name,
        place,
        is_remote,
    })
}

/// What the names ask for, or the current branch.
fn wishes(
    repo: &Repo,
    names: &[Vec<u8>],
    to: &Destination,
    options: &Options,
) -> Result<Vec<Wish>> {
    let wish = |source: &[u8], target: &[u8]| {
        let forced = source.strip_prefix(b"+");
        Wish {
            force: options.force || forced.is_some(),
            source: forced.unwrap_or(source).to_vec(),
            target: target.strip_prefix(b"+").unwrap_or(target).to_vec(),
        }
    };
    let mut wishes: Vec<Wish> = names
        .iter()
        .map(|word| match word.iter().position(|byte| *byte == b':') {
            _ if options.delete => wish(b"", word),
            Some(at) => wish(&word[..at], &word[at + 1..]),
            None => wish(word, word),
        })
        .collect();
    let mut all = |prefix: &[u8]| {
        let found = repo.refs.all(prefix).into_iter();
        wishes.extend(found.map(|(full, _)| wish(&full, &full)));
    };
    if options.all || options.branches {
        all(b"refs/heads/");
    }
    if options.tags {
        all(b"refs/tags/");
    }
    if wishes.is_empty() {
        let branch = current_branch(repo, to, options)?;
        wishes.push(wish(&branch, &branch));
    }
    Ok(wishes)
}

/// The branch that is pushed when none is named.
fn current_branch(repo: &Repo, to: &Destination, options: &Options) -> Result<Vec<u8>> {
    let Some(branch) = repo.branch() else {
        return fatal(
            "You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\nstate now, use\n\n    git push origin HEAD:<name-of-remote-branch>\n",
        );
    };
    if revision::upstream(repo, &branch).is_none()
        && !options.set_upstream
        && repo.config.get("push.default").is_none()
        && !sets_upstream(repo)
    {
        let (branch, remote) = (show(&branch), show(&to.name));
        return fatal(format!(
            "The current branch {branch} has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push \
             --set-upstream {remote} {branch}\n\nTo have this happen automatically for branches without a tracking\nupstream, see \
             'push.autoSetupRemote' in 'git help config'.\n"
        ));
    }
    Ok(branch)
}

/// Whether a push sets the upstream of a branch that has none.
fn sets_upstream(repo: &Repo) -> bool {
    repo.config.truth("push.autosetupremote") == Some(true)
}

/// What is to happen; `None` when that was told and nothing is to.
fn plan(
    repo: &Repo,
    other: &Other,
    to: &Destination,
    wishes: Vec<Wish>,
    options: &Options,
) -> Result<Option<Vec<Update>>> {
    let mut updates = Vec::new();
    for wish in wishes {
        let full_source = revision::full_ref(repo, &wish.source);
        let kind: &[u8] = match &full_source {
            Some(full) if full.starts_with(b"refs/tags/") => b"refs/tags/",
            _ => b"refs/heads/",
        };
        let target = match &wish.target[..] {
            b"HEAD" => repo.refs.head_branch().unwrap_or_default(),
            name if name.starts_with(b"refs/") => name.to_vec(),
            name => [kind, name].concat(),
        };
        let row = Row {
            flag: ' ',
            summary: String::new(),
            from: show(
                full_source
                    .as_deref()
                    .map_or(&wish.source[..], super::short_ref),
            ),
            to: show(super::short_ref(&target)),
            reason: String::new(),
        };
        let old = other.resolve(&target);
        let lease = options.lease(repo, to, &target)?;
        let change = if lease.as_ref().is_some_and(|lease| lease.0 != old) {
            Change::Rejected(row.with('!', "[rejected]", "stale info"))
        } else if wish.source.is_empty() {
            if old.is_none() {
                let name = &row.to;
                out::note(format!(
                    "error: unable to delete '{name}': remote ref does not exist"
                ));
                return Ok(None);
            }
            Change::Delete(row.with('-', "[deleted]", ""))
        } else {
            let Some(new) = revision::try_resolve(repo, &wish.source)? else {
                let source = show(&wish.source);
                out::note(format!("error: src refspec {source} does not match any"));
                return Ok(None);
            };
            let force = wish.force || lease.is_some();
            change(repo, other, &target, (old, new), force, row)
        };
        updates.push(Update {
            target,
            old,
            change,
        });
    }
    // Those that are there by name, then the new ones as they were named.
    updates.sort_by(|a, b| match (a.old.is_none(), b.old.is_none()) {
        (false, false) => a.target.cmp(&b.target),
        (a, b) => a.cmp(&b),
    });
    Ok(Some(updates))
}

/// What a reference's way from one object to another is.
fn change(
    repo: &Repo,
    other: &Other,
    target: &[u8],
    (old, new): (Option<Oid>, Oid),
    force: bool,
    row: Row,
) -> Change {
    if old == Some(new) {
        return Change::Nothing(new);
    }
    let Some(old) = old else {
        let what = match target.starts_with(b"refs/tags/") {
            true => "[new tag]",
            false => "[new branch]",
        };
        return Change::Set(new, row.with('*', what, ""));
    };
    let is_checked_out =
        |local: &Local| local.refs.head_branch().as_deref() == Some(target) && !is_bare(local);
    if other.local().is_some_and(is_checked_out) {
        return Change::Rejected(row.with(
            '!',
            "[remote rejected]",
            "branch is currently checked out",
        ));
    }
    let is_known = repo.objects.has(&old);
    let is_forward = is_known && walk::is_ancestor(repo, old, new).unwrap_or(false);
    let (before, after) = (repo.short(&old), repo.short(&new));
    match (is_forward, force) {
        (true, _) => Change::Set(new, row.with(' ', format!("{before}..{after}"), "")),
        (false, true) => Change::Set(
            new,
            row.with('+', format!("{before}...{after}"), "forced update"),
        ),
        (false, false) if is_known => {
            Change::Rejected(row.with('!', "[rejected]", "non-fast-forward"))
        }
        (false, false) => Change::Rejected(row.with('!', "[rejected]", "fetch first")),
    }
}

fn is_bare(other: &Local) -> bool {
    let text = os::read(&[&other.refs.common[..], b"/config"].concat()).unwrap_or_default();
    let items = crate::config::parse(&text).unwrap_or_default();
    let says_so = |item: &crate::config::Item| {
        item.key == b"core.bare" && item.value.as_deref() == Some(b"true")
    };
    items.iter().any(says_so)
}

/// All or nothing: where one is rejected, all are.
fn refuse_all(updates: &mut [Update]) {
    for update in updates {
        update.change = match std::mem::replace(&mut update.change, Change::Nothing(Oid::NULL)) {
            Change::Set(_, row) | Change::Delete(row) => {
                Change::Rejected(row.with('!', "[rejected]", "atomic push failed"))
            }
            other => other,
        };
    }
}

/// Does it in the other repository; what that refuses is rejected.
fn apply(repo: &Repo, other: &Other, updates: &mut [Update], options: &Options) -> Result<()> {
    let commands: Vec<Command> = (updates.iter())
        .filter_map(|update| {
            let new = match &update.change {
                Change::Set(oid, _) => Some(*oid),
                Change::Delete(_) => None,
                Change::Nothing(_) | Change::Rejected(_) => return None,
            };
            Some(Command {
                name: update.target.clone(),
                old: update.old,
                new,
            })
        })
        .collect();
    if commands.is_empty() {
        return Ok(());
    }
    let how = How {
        atomic: options.atomic,
        options: options.push_options.clone(),
        quiet: options.quiet,
    };
    let refused = other.change(repo, &commands, &how)?;
    for update in updates {
        let Some(why) = refused.get(&update.target) else {
            continue;
        };
        update.change = match std::mem::replace(&mut update.change, Change::Nothing(Oid::NULL)) {
            Change::Set(_, row) | Change::Delete(row) => {
                Change::Rejected(row.with('!', "[remote rejected]", why))
            }
            other => other,
        };
    }
    Ok(())
}

fn report(to: &Destination, updates: &[Update], options: &Options) {
    let done = updates.iter().filter_map(|update| match &update.change {
        Change::Set(_, row) | Change::Delete(row) => Some(row),
        _ => None,
    });
    let rejected: Vec<&Row> = rejections(updates).collect();
    if options.quiet && rejected.is_empty() {
        return;
    }
    let rows: Vec<&Row> = done.chain(rejected).collect();
    if rows.is_empty() {
        out::note("Everything up-to-date");
    }
    print_rows("To", &show(&to.place), &rows);
}

fn rejections(updates: &[Update]) -> impl Iterator<Item = &Row> {
    updates.iter().filter_map(|update| match &update.change {
        Change::Rejected(row) => Some(row),
        _ => None,
    })
}

/// Lets this repository know what the other one has now.
fn follow(repo: &Repo, to: &Destination, update: &Update, options: &Options) -> Result<()> {
    let (Some(short), true) = (update.target.strip_prefix(b"refs/heads/"), to.is_remote) else {
        return Ok(());
    };
    let tracking = [b"refs/remotes/", &to.name[..], b"/", short].concat();
    let oid = match &update.change {
        Change::Rejected(_) => return Ok(()),
        Change::Delete(_) => {
            if !options.dry && repo.refs.resolve(&tracking).is_some() {
                repo.refs.delete(&tracking)?;
            }
            return Ok(());
        }
        Change::Nothing(oid) | Change::Set(oid, _) => *oid,
    };
    if !options.dry && repo.refs.resolve(&tracking) != Some(oid) {
        let who = identity(repo, Role::Committer, false)?;
        repo.refs
            .write(&tracking, oid, Some((&who, b"update by push")))?;
    }
    if options.set_upstream || (sets_upstream(repo) && revision::upstream(repo, short).is_none()) {
        let branch = repo.branch().unwrap_or_else(|| short.to_vec());
        if options.dry {
            let (branch, short, name) = (show(&branch), show(short), show(&to.name));
            out::line(format!(
                "Would set upstream of '{branch}' to '{short}' of '{name}'"
            ));
        } else {
            super::branch::set_upstream(repo, &branch, &tracking, options.quiet)?;
        }
    }
    Ok(())
}

fn failed(to: &Destination) -> i32 {
    let place = show(&to.place);
    out::note(format!("error: failed to push some refs to '{place}'"));
    1
}

/// Tells that something was refused, and what to do about it.
fn rejected(to: &Destination, updates: &[Update]) -> i32 {
    let status = failed(to);
    for row in rejections(updates) {
        match row.reason.as_str() {
            "non-fast-forward" => out::hint(
                "Updates were rejected because the tip of your current branch is behind\nits remote counterpart. If you want to integrate the remote \
                 changes,\nuse 'git pull' before pushing again.\nSee the 'Note about fast-forwards' in 'git push --help' for details.",
            ),
            "fetch first" => out::hint(
                "Updates were rejected because the remote contains work that you do not\nhave locally. This is usually caused by another repository \
                 pushing to\nthe same ref. If you want to integrate the remote changes, use\n'git pull' before pushing again.\nSee the 'Note about \
                 fast-forwards' in 'git push --help' for details.",
            ),
            _ => {}
        }
    }
    status
}
