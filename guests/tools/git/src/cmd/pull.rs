//! `git pull`: fetches, then merges or rebases.

use super::fetch::{Head, Settings, fetch_from, parse_depth};
use super::merge::request::{self, Fast, Request};
use super::merging::strategy_options;
use super::remotes::{default_remote, url};
use super::transfer::shown_place;
use super::{Call, rebase, short_ref};
use crate::args::{Optional, options};
use crate::merge::Labels;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};
use crate::wire::fetch::Depth;
use crate::{os, out, revision, walk};

options! {
    /// What the command line says.
    struct Options for "pull" {
        quiet: bool = "q|quiet",
        rebase: Optional = "r|rebase?",
        no_rebase: bool = "no-rebase",
        stat: Option<bool> = ["stat" => true, "no-stat" => false, "n|" => false],
        squash: bool = "squash",
        commit: Option<bool> = "commit",
        fast: Option<Fast> = ["ff" => Fast::Yes, "no-ff" => Fast::No, "ff-only" => Fast::Only],
        strategy_options: Vec<Vec<u8>> = "X|strategy-option=",
        unrelated: bool = "allow-unrelated-histories",
        prune: bool = "p|prune",
        tags: Option<bool> = "t|tags",
        depth: Option<String> = "depth=",
    }
    ignored "v|verbose summary edit no-edit f|force progress no-tags"
    refused "autostash all s|strategy= log?"
}

/// `git pull`.
pub(crate) fn pull(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let (name, specs) = match &rest.words[..] {
        [] => (default_remote(&repo), &[][..]),
        [name, specs @ ..] => (name.clone(), specs),
    };
    let settings = Settings {
        quiet: options.quiet,
        prune: options.prune,
        tags: options.tags,
        update_head: true,
        depth: match &options.depth {
            Some(count) => Depth::Commits(parse_depth(count)?),
            None => Depth::AsItIs,
        },
        ..Settings::default()
    };
    if specs.is_empty() && !has_upstream(&repo) && url(&repo, &name).is_some() {
        fetch_from(&repo, &name, &[], &settings)?;
        no_upstream(&repo, &name);
        return Ok(1);
    }
    let heads = fetch_from(&repo, &name, specs, &settings)?;
    let Some(head) = heads.iter().find(|head| head.for_merge) else {
        return fatal("Couldn't find a branch to merge with");
    };
    let diverged = diverged(&repo, head)?;
    let rebases = rebases(&repo, &options);
    let is_decided = rebases.is_some()
        || options.fast.is_some()
        || repo.config.get("pull.rebase").is_some()
        || repo.config.get("pull.ff").is_some();
    if diverged && !is_decided {
        return undecided();
    }
    if diverged && rebases == Some(true) {
        os::chdir(&repo.started_in)?;
        let mut words = vec![head.oid.hex().into_bytes()];
        if options.quiet {
            words.insert(0, b"--quiet".to_vec());
        }
        return rebase::rebase(&Call {
            global: call.global.clone(),
            words,
            name: "rebase",
        });
    }
    let words = [head.oid.hex().into_bytes()];
    let request = Request {
        words: &words,
        message: message(&repo, &name, head).into_bytes(),
        edits: false,
        fast: fast(&repo, &options),
        squash: options.squash,
        commits: options.commit != Some(false),
        unrelated: options.unrelated,
        quiet: options.quiet,
        stat: options.stat != Some(false),
        ours: false,
        labels: labels(head, &options)?,
        log: Some(log(call)),
    };
    request::run(&repo, &[head.oid], &request)
}

fn has_upstream(repo: &Repo) -> bool {
    let branch = repo.branch();
    branch.is_some_and(|branch| revision::upstream(repo, &branch).is_some())
}

/// Tells that it is not clear what is to be merged.
fn no_upstream(repo: &Repo, remote: &[u8]) {
    let branch = repo
        .branch()
        .map_or("<branch>".to_owned(), |branch| show(&branch));
    out::note(format!(
        "There is no tracking information for the current branch.\nPlease specify which branch you want to merge with.\nSee git-pull(1) for \
         details.\n\n    git pull <remote> <branch>\n\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch \
         --set-upstream-to={}/<branch> {branch}\n",
        show(remote)
    ));
}

/// Whether both sides have commits that the other has not.
fn diverged(repo: &Repo, head: &Head) -> Result<bool> {
    let Some(own) = repo.head() else {
        return Ok(false);
    };
    Ok(!walk::is_ancestor(repo, own, head.oid)? && !walk::is_ancestor(repo, head.oid, own)?)
}

/// Whether it is a rebase or a merge, where the options or the settings say so.
fn rebases(repo: &Repo, options: &Options) -> Option<bool> {
    match &options.rebase {
        Optional::With(value) => Some(value != b"false"),
        Optional::Plain => Some(true),
        Optional::No if options.no_rebase => Some(false),
        Optional::No => repo.config.truth("pull.rebase"),
    }
}

fn undecided() -> Result<i32> {
    out::hint(
        "You have divergent branches and need to specify how to reconcile them.\nYou can do so by running one of the following commands sometime \
         before\nyour next pull:\n\n  git config pull.rebase false  # merge\n  git config pull.rebase true   # rebase\n  git config pull.ff only       # \
         fast-forward only\n\nYou can replace \"git config\" with \"git config --global\" to set a default\npreference for all repositories. You can \
         also pass --rebase, --no-rebase,\nor --ff-only on the command line to override the configured default per\ninvocation.",
    );
    fatal("Need to specify how to reconcile divergent branches.")
}

fn fast(repo: &Repo, options: &Options) -> Fast {
    options.fast.unwrap_or(match repo.config.get("pull.ff") {
        Some(b"only") => Fast::Only,
        _ => Fast::Yes,
    })
}

/// The message of a merge: `Merge branch 'x' of PLACE into y`.
fn message(repo: &Repo, remote: &[u8], head: &Head) -> String {
    let from = shown_place(&url(repo, remote).unwrap_or_else(|| remote.to_vec()));
    let into = match repo.branch() {
        Some(branch) if branch != b"main" && branch != b"master" => {
            format!(" into {}", show(&branch))
        }
        _ => String::new(),
    };
    match head.name.starts_with(b"refs/heads/") {
        true => {
            let short = show(short_ref(&head.name));
            format!("Merge branch '{short}' of {from}{into}\n")
        }
        false => format!("Merge {from}{into}\n"),
    }
}

fn labels(head: &Head, options: &Options) -> Result<Labels> {
    let mut labels = Labels {
        ours: "HEAD".to_owned(),
        theirs: head.oid.hex(),
        ..Labels::default()
    };
    strategy_options(&options.strategy_options, &mut labels)?;
    Ok(labels)
}

/// What the log says: the command line.
fn log(call: &Call) -> String {
    let words = call.words.iter().map(|word| format!(" {}", show(word)));
    format!("pull{}", words.collect::<String>())
}
