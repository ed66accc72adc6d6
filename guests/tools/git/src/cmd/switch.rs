//! `git switch`.

use super::Call;
use super::head::{Switch, guess, previous};
use crate::args::options;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};

options! {
    /// What the command line says.
    struct Options for "switch" {
        create: Option<Vec<u8>> = "c|create=",
        force_create: Option<Vec<u8>> = "C|force-create=",
        orphan: Option<Vec<u8>> = "orphan=",
        guess: Option<bool> = "guess",
        discard: bool = "discard-changes",
        quiet: bool = "q|quiet",
        detach: bool = "d|detach",
        track: Option<bool> = "t|track?",
        force: bool = "f|force",
        ignore_other: bool = "ignore-other-worktrees",
    }
    ignored "recurse-submodules? progress overwrite-ignore"
    refused "conflict= m|merge"
}

/// `git switch`.
pub(crate) fn switch(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let word = match &rest.words[..] {
        [] => None,
        [word] => Some(word.clone()),
        _ => return fatal("only one reference expected"),
    };
    let guesses = options.guess != Some(false);
    let mut switch = options.switch();
    switch.to = word;
    if switch.create.is_none() && !switch.detach {
        find_branch(&repo, &mut switch, guesses)?;
    }
    switch.run(&repo)
}

impl Options {
    fn switch(self) -> Switch {
        Switch {
            to: None,
            force_create: self.force_create.is_some(),
            orphan: self.orphan.is_some(),
            create: self.create.or(self.force_create).or(self.orphan),
            detach: self.detach,
            force: self.force || self.discard,
            quiet: self.quiet,
            track: self.track,
            is_switch: true,
            ignore_other: self.ignore_other,
        }
    }
}

/// Fails where no branch is named; makes the branch that a remote has under that name.
fn find_branch(repo: &Repo, switch: &mut Switch, guesses: bool) -> Result<()> {
    let Some(word) = &switch.to else {
        return fatal("missing branch or commit argument");
    };
    let full = [b"refs/heads/", &word[..]].concat();
    if word == b"-" || repo.refs.resolve(&full).is_some() || previous(repo, word).is_some() {
        return Ok(());
    }
    if revision::try_resolve(repo, word)?.is_some() {
        return not_a_branch(repo, word);
    }
    match guess(repo, word)?.filter(|_| guesses) {
        Some(remote) => {
            switch.create = switch.to.replace(remote);
            switch.track = Some(true);
            Ok(())
        }
        None => fatal(format!("invalid reference: {}", show(word))),
    }
}

fn not_a_branch(repo: &Repo, word: &[u8]) -> Result<()> {
    let kind = match revision::full_ref(repo, word) {
        Some(full) if full.starts_with(b"refs/tags/") => "tag",
        Some(full) if full.starts_with(b"refs/remotes/") => "remote branch",
        _ => "commit",
    };
    let shown = show(word);
    out::note(format!("fatal: a branch is expected, got {kind} '{shown}'"));
    out::hint("If you want to detach HEAD at the commit, try again with the --detach option.");
    Err(Stop::Status(128))
}
