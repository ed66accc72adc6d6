//! Going to a branch or a commit: the files, the index and `HEAD` follow.

use super::branch::{check_not_elsewhere, set_upstream};
use super::{check_branch_name, head_tree, hook, move_head, short_ref, status, switch_head};
use crate::diff::change;
use crate::ident::{Role, identity};
use crate::index::Index;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::out;
use crate::pathspec::Pathspec;
use crate::refs;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, error, fatal, show};
use crate::walk;
use crate::worktree;

/// What a switch is told.
#[derive(Debug, Default)]
pub(crate) struct Switch {
    /// The branch or commit that was named; it is `HEAD` without one.
    pub(crate) to: Option<Vec<u8>>,
    /// A branch that is made.
    pub(crate) create: Option<Vec<u8>>,
    /// It may be there already.
    pub(crate) force_create: bool,
    /// It begins without a commit.
    pub(crate) orphan: bool,
    pub(crate) detach: bool,
    pub(crate) force: bool,
    pub(crate) quiet: bool,
    /// Whether the new branch follows what it is made from.
    pub(crate) track: Option<bool>,
    /// Asked for by `git switch`, which takes fewer names than `git checkout`.
    pub(crate) is_switch: bool,
    /// A branch that another working tree has may be taken too.
    pub(crate) ignore_other: bool,
}

/// The branch of a remote that a name may stand for.
pub(crate) fn guess(repo: &Repo, name: &[u8]) -> Result<Option<Vec<u8>>> {
    let suffix = [b"/", name].concat();
    let found: Vec<Vec<u8>> = repo
        .refs
        .all(b"refs/remotes/")
        .into_iter()
        .map(|(full, _)| full)
        .filter(|full| {
            let rest = &full[b"refs/remotes/".len()..];
            rest.strip_suffix(&suffix[..])
                .is_some_and(|remote| !remote.contains(&b'/'))
        })
        .collect();
    match &found[..] {
        [one] => Ok(Some(
            one.strip_prefix(b"refs/remotes/").unwrap_or(one).to_vec(),
        )),
        _ => Ok(None),
    }
}

/// The branch that `@{-1}` and its like stand for.
pub(crate) fn previous(repo: &Repo, word: &[u8]) -> Option<Vec<u8>> {
    let text = show(word);
    let number = text.strip_prefix("@{-")?.strip_suffix('}')?.parse().ok()?;
    revision::previous_branch(repo, number)
}

/// `a...b` stands for the base of both.
pub(crate) fn merge_base_name(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    let Some(at) = name.windows(3).position(|three| three == b"...") else {
        return Ok(None);
    };
    let part =
        |name: &[u8]| revision::resolve_commit(repo, if name.is_empty() { b"HEAD" } else { name });
    let (Ok(a), Ok(b)) = (part(&name[..at]), part(&name[at + 3..])) else {
        return Ok(None);
    };
    Ok(walk::merge_bases(repo, a, b)?.first().copied())
}

impl Switch {
    /// Does it; the status of the hook.
    pub(crate) fn run(&self, repo: &Repo) -> Result<i32> {
        let name = self.name(repo)?;
        let old = repo.head();
        let is_branch = is_branch(repo, &name);
        self.check_new_branch(repo)?;
        if repo.has_file("MERGE_HEAD") && !self.force && self.is_switch {
            out::note(
                "fatal: cannot switch branch while merging\nConsider \"git merge --quit\" or \"git worktree add\".",
            );
            return Err(Stop::Status(128));
        }
        let target = self.target(repo, &name)?;
        let mut index = repo.index()?;
        if self.orphan {
            return self.begin_orphan(repo, target, &mut index);
        }
        let Some(target) = target else {
            return self.rename_unborn(repo);
        };
        if is_branch && self.create.is_none() && !self.detach && !self.ignore_other {
            check_not_elsewhere(repo, &name, false)?;
        }
        let commit = Commit::read(&repo.objects, &target)?;
        if !self.force {
            check_merged(&index)?;
        }
        self.move_files(repo, commit.tree, &mut index)?;
        let arrival = Arrival {
            repo,
            switch: self,
            name: &name,
            commit: &commit,
            old_branch: repo.branch(),
            old,
        };
        arrival.finish(is_branch)?;
        let arguments = [
            old.unwrap_or(Oid::NULL).hex().into_bytes(),
            target.hex().into_bytes(),
            b"1".to_vec(),
        ];
        hook(repo, "post-checkout", &arguments)
    }

    /// The name of what is gone to, without `-` and `@{-1}`.
    fn name(&self, repo: &Repo) -> Result<Vec<u8>> {
        match self.to.as_deref().unwrap_or(b"HEAD") {
            b"-" => match revision::previous_branch(repo, 1) {
                Some(name) => Ok(name),
                None => fatal("invalid reference: @{-1}"),
            },
            other => Ok(previous(repo, other).unwrap_or_else(|| other.to_vec())),
        }
    }

    fn check_new_branch(&self, repo: &Repo) -> Result<()> {
        let Some(create) = &self.create else {
            return Ok(());
        };
        check_branch_name(create)?;
        let full = [b"refs/heads/", &create[..]].concat();
        if repo.refs.resolve(&full).is_some() && !self.force_create {
            return fatal(format!("a branch named '{}' already exists", show(create)));
        }
        if self.force_create {
            check_not_elsewhere(repo, create, true)?;
        }
        Ok(())
    }

    /// The commit that is gone to; none where `HEAD` has none yet.
    fn target(&self, repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
        let found = match merge_base_name(repo, name)? {
            Some(oid) => Some(oid),
            None => revision::try_resolve(repo, name)?,
        };
        let shown = show(name);
        match found {
            Some(oid) => match revision::peel(repo, oid, Some(Kind::Commit)) {
                Ok(oid) => Ok(Some(oid)),
                Err(_) => fatal(format!("Cannot switch branch to a non-commit '{shown}'")),
            },
            None if name == b"HEAD" => Ok(None),
            None => match &self.create {
                Some(create) if self.to.is_some() => fatal(format!(
                    "'{shown}' is not a commit and a branch '{}' cannot be created from it",
                    show(create)
                )),
                _ if self.is_switch || self.detach => fatal(format!("invalid reference: {shown}")),
                _ => error(format!(
                    "pathspec '{shown}' did not match any file(s) known to git"
                )),
            },
        }
    }

    /// A branch without a commit.
    fn begin_orphan(&self, repo: &Repo, target: Option<Oid>, index: &mut Index) -> Result<i32> {
        let tree = match (target, self.to.is_some()) {
            // The new branch starts with nothing.
            _ if self.is_switch => Some(Oid::EMPTY_TREE),
            (Some(target), true) => Some(Commit::read(&repo.objects, &target)?.tree),
            _ => None,
        };
        if let Some(tree) = tree {
            if let Err(obstacles) = worktree::switch(repo, head_tree(repo)?, tree, index)? {
                return obstacles.report("checkout");
            }
            repo.write_index(index)?;
        }
        self.point_head(repo, self.create.as_deref().unwrap_or_default())
    }

    /// In a repository without commits only the name of the branch changes.
    fn rename_unborn(&self, repo: &Repo) -> Result<i32> {
        match (&self.create, self.to.as_deref().unwrap_or(b"HEAD")) {
            (Some(create), _) => self.point_head(repo, create),
            (None, b"HEAD") => fatal("You are on a branch yet to be born"),
            (None, given) => fatal(format!("invalid reference: {}", show(given))),
        }
    }

    /// `HEAD` names a branch that has no commit.
    fn point_head(&self, repo: &Repo, branch: &[u8]) -> Result<i32> {
        repo.refs
            .write_symbolic(b"HEAD", &[b"refs/heads/", branch].concat())?;
        self.say(format!("Switched to a new branch '{}'", show(branch)));
        Ok(0)
    }

    /// Brings the index and the working tree to a tree, and lists what stays changed.
    fn move_files(&self, repo: &Repo, tree: Oid, index: &mut Index) -> Result<()> {
        let old_tree = head_tree(repo)?;
        if self.force {
            worktree::reset_hard(repo, tree, index)?;
            for file in ["MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD"] {
                repo.remove_file(file);
            }
        } else if let Err(obstacles) = worktree::switch(repo, old_tree, tree, index)? {
            return obstacles.report("checkout");
        }
        change::refresh(repo, index)?;
        repo.write_index(index)?;
        // A new branch where one already is leaves every file alone, and git does not look at them.
        let stays = self.create.is_some() && self.to.is_none() && !self.force_create;
        if !self.quiet && !stays {
            show_changes(repo, tree, index)?;
        }
        Ok(())
    }

    fn say(&self, text: String) {
        if !self.quiet {
            out::note(text);
        }
    }
}

fn is_branch(repo: &Repo, name: &[u8]) -> bool {
    let full = [b"refs/heads/", name].concat();
    name != b"HEAD" && refs::is_valid(&full, false) && repo.refs.resolve(&full).is_some()
}

/// Fails where the index has conflicts.
fn check_merged(index: &Index) -> Result<()> {
    let unmerged = index.unmerged();
    if unmerged.is_empty() {
        return Ok(());
    }
    for path in unmerged {
        out::line(format!("{}: needs merge", show(&path)));
    }
    out::note("error: you need to resolve your current index first");
    Err(Stop::Status(1))
}

/// Lists what stays changed.
fn show_changes(repo: &Repo, tree: Oid, index: &Index) -> Result<()> {
    let changes = change::tree_to_files(repo, Some(tree), index, &Pathspec::default())?;
    for found in changes {
        out::put(&[found.status, b'\t']);
        out::line(repo.quote(found.path()));
    }
    Ok(())
}

/// A switch whose files are in place, while `HEAD` is still where it was.
struct Arrival<'a> {
    repo: &'a Repo,
    switch: &'a Switch,
    /// The name of the branch or commit that is gone to.
    name: &'a [u8],
    commit: &'a Commit,
    old_branch: Option<Vec<u8>>,
    old: Option<Oid>,
}

impl Arrival<'_> {
    /// Moves `HEAD` and says so.
    fn finish(&self, is_branch: bool) -> Result<()> {
        if let Some(create) = &self.switch.create {
            return self.on_new_branch(create);
        }
        if is_branch && !self.switch.detach {
            return self.on_branch();
        }
        if self.switch.to.is_none() && !self.switch.detach {
            return Ok(());
        }
        self.on_commit()
    }

    fn on_new_branch(&self, create: &[u8]) -> Result<()> {
        let repo = self.repo;
        let full = [b"refs/heads/", create].concat();
        let existed = repo.refs.resolve(&full).is_some();
        let who = identity(repo, Role::Committer, false)?;
        let message = match existed {
            true => format!("branch: Reset to {}", show(self.name)),
            false => format!("branch: Created from {}", show(self.name)),
        };
        self.leave()?;
        repo.refs
            .write(&full, self.commit.oid, Some((&who, message.as_bytes())))?;
        self.move_head(Some(&full), create)?;
        self.follow(create)?;
        let is_same = self.old_branch.as_deref() == Some(create);
        let create = show(create);
        self.switch.say(match (existed, is_same) {
            (true, true) => format!("Reset branch '{create}'"),
            (true, false) => format!("Switched to and reset branch '{create}'"),
            _ => format!("Switched to a new branch '{create}'"),
        });
        Ok(())
    }

    /// Lets a new branch follow the one it was made from.
    fn follow(&self, create: &[u8]) -> Result<()> {
        let Some(full) = revision::full_ref(self.repo, self.name) else {
            return Ok(());
        };
        let config = &self.repo.config;
        let follows = match self.switch.track {
            Some(true) if full.starts_with(b"refs/heads/") => true,
            Some(false) => false,
            track => {
                let is_automatic = config.get("branch.autosetupmerge") != Some(b"false");
                full.starts_with(b"refs/remotes/")
                    && self.switch.to.is_some()
                    && (is_automatic || track == Some(true))
            }
        };
        match follows {
            true => set_upstream(self.repo, create, &full, self.switch.quiet),
            false => Ok(()),
        }
    }

    fn on_branch(&self) -> Result<()> {
        let shown = show(self.name);
        if self.old_branch.as_deref() == Some(self.name) {
            self.switch.say(format!("Already on '{shown}'"));
        } else {
            self.leave()?;
            let full = [b"refs/heads/", self.name].concat();
            self.move_head(Some(&full), self.name)?;
            self.switch.say(format!("Switched to branch '{shown}'"));
        }
        if !self.switch.quiet
            && let Some(upstream) = revision::upstream(self.repo, self.name)
        {
            let text = status::tracking(self.repo, &upstream, true)?;
            out::put(text.trim_end_matches('\n').as_bytes());
            out::put(b"\n");
        }
        Ok(())
    }

    /// On no branch.
    fn on_commit(&self) -> Result<()> {
        let repo = self.repo;
        if self.old_branch.is_some()
            && !self.switch.quiet
            && !self.switch.detach
            && repo.config.truth("advice.detachedhead") != Some(false)
        {
            advise_detached(short_ref(self.name));
        }
        self.leave()?;
        self.move_head(None, self.name)?;
        self.switch.say(format!(
            "HEAD is now at {} {}",
            repo.short(&self.commit.oid),
            show(&self.commit.subject())
        ));
        Ok(())
    }

    fn move_head(&self, branch: Option<&[u8]>, to: &[u8]) -> Result<()> {
        let from = match (&self.old_branch, self.old) {
            (Some(branch), _) => show(branch),
            (None, Some(oid)) => oid.hex(),
            (None, None) => String::new(),
        };
        let log = format!("checkout: moving from {from} to {}", show(to));
        switch_head(self.repo, branch, self.commit.oid, log.as_bytes())
    }

    /// Says which commit is left, where no branch was, and whether nothing leads to it any more.
    fn leave(&self) -> Result<()> {
        let (None, Some(old), false) = (&self.old_branch, self.old, self.switch.quiet) else {
            return Ok(());
        };
        if old == self.commit.oid {
            return Ok(());
        }
        let repo = self.repo;
        let tips = repo.refs.all(b"refs/").into_iter().map(|(_, oid)| oid);
        let tips: Vec<Oid> = tips
            .chain([self.commit.oid])
            .filter_map(|oid| revision::peel(repo, oid, Some(Kind::Commit)).ok())
            .collect();
        if !walk::ancestors(repo, &tips)?.contains(&old) {
            return warn_lost(repo, old, &tips);
        }
        let subject = Commit::read(&repo.objects, &old)?.subject();
        out::note(format!(
            "Previous HEAD position was {} {}",
            repo.short(&old),
            show(&subject)
        ));
        Ok(())
    }
}

/// Says what a `HEAD` on no branch means.
pub(crate) fn advise_detached(name: &[u8]) {
    out::note(format!(
        "Note: switching to '{}'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, \
         and you can discard any commits you make in this\nstate without impacting any branches by switching back to a \
         branch.\n\nIf you want to create a new branch to retain commits you create, you may\ndo so (now or later) by using -c with the \
         switch command. Example:\n\n  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\nTurn off \
         this advice by setting config variable advice.detachedHead to false\n",
        show(name)
    ));
}

/// Warns of commits that nothing leads to any more.
fn warn_lost(repo: &Repo, old: Oid, tips: &[Oid]) -> Result<()> {
    let lost = walk::range(repo, &[old], tips, false)?;
    let count = lost.len();
    let plural = if count == 1 { "commit" } else { "commits" };
    let mut list = String::new();
    for commit in lost.iter().take(4) {
        list += &format!(
            "  {} {}\n",
            repo.short(&commit.oid),
            show(&commit.subject())
        );
    }
    if count > 4 {
        list += &format!(" ... and {} more.\n", count - 4);
    }
    let them = if count == 1 { "it" } else { "them" };
    let short = repo.short(&old);
    out::note(format!(
        "Warning: you are leaving {count} {plural} behind, not connected to\nany of your branches:\n\n{list}\nIf you want to keep {them} by \
         creating a new branch, this may be a good time\nto do so with:\n\n git branch <new-branch-name> {short}\n"
    ));
    Ok(())
}

/// Moves a branch that is checked out to a commit: a fast-forward.
pub(crate) fn forward(repo: &Repo, target: Oid, log: &str, command: &str) -> Result<()> {
    let mut index = repo.index()?;
    let tree = Commit::read(&repo.objects, &target)?.tree;
    if let Err(obstacles) = worktree::switch(repo, head_tree(repo)?, tree, &mut index)? {
        return obstacles.report(command);
    }
    repo.write_index(&index)?;
    move_head(repo, target, log.as_bytes())
}
