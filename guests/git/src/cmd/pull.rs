//! `git pull`.

use super::Call;
use super::fetch::{FetchOptions, fetch_from};
use super::remote::{default_remote, url};
use super::transfer::shown_place;
use crate::merge::Labels;
use crate::stop::{Result, fatal, show};
use crate::{args, os, out, revision, walk};

/// `git pull`.
pub(crate) fn pull(call: &Call) -> Result<i32> {
    let table = "v|verbose q|quiet rebase? r| n| stat summary log? squash commit edit no-edit ff ff-only s|strategy= X|strategy-option= \
                 allow-unrelated-histories all p|prune t|tags f|force no-rebase autostash progress no-tags";
    let parsed = args::parse("pull", table, &call.words)?;
    parsed.refuse(&["autostash", "all", "strategy", "log"])?;
    let repo = call.work_tree()?;
    let name = parsed
        .words
        .first()
        .cloned()
        .unwrap_or_else(|| default_remote(&repo));
    let options = FetchOptions {
        quiet: parsed.has("quiet"),
        prune: parsed.has("prune"),
        tags: parsed.has("tags"),
        ..FetchOptions::default()
    };
    let branch = repo.branch();
    if parsed.words.len() < 2
        && branch
            .as_ref()
            .is_none_or(|branch| revision::upstream(&repo, branch).is_none())
        && url(&repo, &name).is_some()
    {
        fetch_from(&repo, &name, &[], &options)?;
        let branch = branch.map_or("<branch>".to_owned(), |branch| show(&branch));
        out::note(format!(
            "There is no tracking information for the current branch.\nPlease specify which branch you want to merge with.\nSee git-pull(1) for \
             details.\n\n    git pull <remote> <branch>\n\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch \
             --set-upstream-to={}/<branch> {branch}\n",
            show(&name)
        ));
        return Ok(1);
    }
    let heads = fetch_from(
        &repo,
        &name,
        parsed.words.get(1..).unwrap_or_default(),
        &options,
    )?;
    let Some((target, full, _)) = heads.iter().find(|(_, _, merge)| *merge) else {
        return fatal("Couldn't find a branch to merge with");
    };
    let rebases =
        parsed.has("rebase") && parsed.value("rebase") != Some(b"false") || parsed.has("r");
    let rebases =
        rebases || (!parsed.has("no-rebase") && repo.config.truth("pull.rebase") == Some(true));
    let head = repo.head();
    let diverged = match head {
        Some(head) => {
            !walk::is_ancestor(&repo, head, *target)? && !walk::is_ancestor(&repo, *target, head)?
        }
        None => false,
    };
    let decided = rebases
        || parsed.has("no-rebase")
        || parsed.has("ff-only")
        || parsed.has("no-ff")
        || parsed.has("ff");
    let decided =
        decided || repo.config.get("pull.rebase").is_some() || repo.config.get("pull.ff").is_some();
    if diverged && !decided {
        out::hint(
            "You have divergent branches and need to specify how to reconcile them.\nYou can do so by running one of the following commands sometime \
             before\nyour next pull:\n\n  git config pull.rebase false  # merge\n  git config pull.rebase true   # rebase\n  git config pull.ff only       # \
             fast-forward only\n\nYou can replace \"git config\" with \"git config --global\" to set a default\npreference for all repositories. You can \
             also pass --rebase, --no-rebase,\nor --ff-only on the command line to override the configured default per\ninvocation.",
        );
        return fatal("Need to specify how to reconcile divergent branches.");
    }
    if rebases && diverged {
        os::chdir(&repo.started_in)?;
        return super::rebase::rebase(&Call {
            global: call.global.clone(),
            words: vec![target.hex().into_bytes()],
            name: "rebase",
        });
    }
    let place = url(&repo, &name).unwrap_or_else(|| name.clone());
    let short = show(super::short_ref(full));
    let into = match repo.branch() {
        Some(branch) if branch != b"main" && branch != b"master" => {
            format!(" into {}", show(&branch))
        }
        _ => String::new(),
    };
    let from = shown_place(&place);
    let message = match full.strip_prefix(b"refs/heads/") {
        Some(_) => format!("Merge branch '{short}' of {from}{into}\n"),
        None => format!("Merge {from}{into}\n"),
    };
    let words = vec![target.hex().into_bytes()];
    let fast = match () {
        () if parsed.has("ff-only") || repo.config.get("pull.ff") == Some(b"only") => {
            super::merge::request::Fast::Only
        }
        () if parsed.has("no-ff") => super::merge::request::Fast::No,
        () => super::merge::request::Fast::Yes,
    };
    let mut labels = Labels {
        ours: "HEAD".to_owned(),
        theirs: target.hex(),
        ..Labels::default()
    };
    super::merging::strategy_options(&parsed.values("strategy-option"), &mut labels)?;
    let log = format!(
        "pull{}",
        call.words
            .iter()
            .map(|word| format!(" {}", show(word)))
            .collect::<String>()
    );
    let request = super::merge::request::Request {
        words: &words,
        message: message.into_bytes(),
        edits: false,
        fast,
        squash: parsed.has("squash"),
        commits: !parsed.has("no-commit"),
        unrelated: parsed.has("allow-unrelated-histories"),
        quiet: parsed.has("quiet"),
        stat: !(parsed.has("no-stat") || parsed.has("n")),
        ours: false,
        labels,
        log: Some(log),
    };
    super::merge::request::run(&repo, &[*target], &request)
}
