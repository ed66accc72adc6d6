//! `git merge` and `git merge-file`.

use super::{Call, edit, head_tree, hook, move_head, save_orig_head, write_commit};
use crate::args;
use crate::diff::change;
use crate::diff::{self, Options, patch};
use crate::ident::{Role, identity};
use crate::index::{Entry, Index};
use crate::merge::{self, Labels, Merged, text};
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use crate::worktree;

/// Puts the result of a merge into the index and the working tree; none when something was in the way.
pub(crate) fn apply(
    repo: &Repo,
    merged: &Merged,
    index: &mut Index,
    old: Option<Oid>,
) -> Result<std::result::Result<(), worktree::Obstacles>> {
    let old_files = match old {
        Some(tree) => change::flatten(repo, &tree)?,
        None => Default::default(),
    };
    let mut plan = match worktree::plan(repo, &old_files, &merged.files, index)? {
        Ok(plan) => plan,
        Err(obstacles) => return Ok(Err(obstacles)),
    };
    // A file in conflict is written even where it is as before.
    for (path, item) in &merged.files {
        if merged.conflicts.contains_key(path)
            && !plan.iter().any(|(known, _)| known == path)
            && old_files.get(path) != Some(item)
        {
            plan.push((path.clone(), Some(*item)));
        }
    }
    worktree::apply(repo, &plan, index)?;
    for (path, stages) in &merged.conflicts {
        index.remove(path);
        for (at, item) in stages.iter().enumerate() {
            if let Some((mode, oid)) = item {
                index.entries.insert(
                    (path.clone(), at as u8 + 1),
                    Entry::new(path.clone(), *mode, *oid, at as u8 + 1),
                );
            }
        }
    }
    Ok(Ok(()))
}

/// Prints what a merge had to say.
pub(crate) fn say(merged: &Merged) {
    for (_, message) in &merged.messages {
        out::line(message);
    }
}

/// The message of a merge: `Merge branch 'x' into y`.
fn default_message(repo: &Repo, words: &[Vec<u8>], into: &Option<Vec<u8>>) -> Vec<u8> {
    let mut kinds: Vec<(&str, &str, Vec<String>)> = vec![
        ("branch", "branches", Vec::new()),
        (
            "remote-tracking branch",
            "remote-tracking branches",
            Vec::new(),
        ),
        ("tag", "tags", Vec::new()),
        ("commit", "commits", Vec::new()),
    ];
    for word in words {
        let name = match &word[..] {
            b"-" => revision::previous_branch(repo, 1).unwrap_or_default(),
            other => other.to_vec(),
        };
        let full = revision::full_ref(repo, &name);
        let at = match &full {
            Some(full) if full.starts_with(b"refs/heads/") => 0,
            Some(full) if full.starts_with(b"refs/remotes/") => 1,
            Some(full) if full.starts_with(b"refs/tags/") => 2,
            _ => 3,
        };
        let name = full
            .filter(|_| at < 3)
            .map_or(show(&name), |full| show(super::short_ref(&full)));
        kinds[at].2.push(format!("'{name}'"));
    }
    let mut parts = Vec::new();
    for (one, many, names) in kinds.into_iter().filter(|(_, _, names)| !names.is_empty()) {
        parts.push(match &names[..] {
            [name] => format!("{one} {name}"),
            [first @ .., last] => format!("{many} {} and {last}", first.join(", ")),
            [] => String::new(),
        });
    }
    let mut text = format!("Merge {}", parts.join("; "));
    match into {
        Some(branch) if branch != b"main" && branch != b"master" => {
            text += &format!(" into {}", show(branch))
        }
        None => text += " into HEAD",
        _ => {}
    }
    text.push('\n');
    text.into_bytes()
}

/// What `-X` says.
pub(crate) fn strategy_options(parsed: &args::Parsed, labels: &mut Labels) -> Result<()> {
    for option in parsed.values("strategy-option") {
        match &option[..] {
            b"ours" => labels.favor = text::Favor::Ours,
            b"theirs" => labels.favor = text::Favor::Theirs,
            b"ignore-space-change" => labels.space = diff::lines::Space::Change,
            b"ignore-all-space" => labels.space = diff::lines::Space::All,
            b"ignore-space-at-eol" => labels.space = diff::lines::Space::AtEnd,
            b"patience" | b"histogram" | b"diff-algorithm=histogram" | b"find-renames" => {}
            _ => return fatal(format!("unknown strategy option: -X{}", show(&option))),
        }
    }
    Ok(())
}

/// `git merge`.
pub(crate) fn merge(call: &Call) -> Result<i32> {
    let table = "n| stat summary log? squash commit e|edit cleanup= ff ff-only rerere-autoupdate verify-signatures s|strategy= X|strategy-option= \
                 m|message= F|file= into-name= v|verbose q|quiet abort quit continue allow-unrelated-histories progress S|gpg-sign? autostash \
                 overwrite-ignore signoff no-verify";
    let parsed = args::parse("merge", table, &call.words)?;
    parsed.refuse(&["verify-signatures", "gpg-sign", "autostash", "log"])?;
    let repo = call.work_tree()?;
    if parsed.has("abort") {
        return abort(&repo);
    }
    if parsed.has("quit") {
        forget(&repo);
        return Ok(0);
    }
    if parsed.has("continue") {
        if !repo.has_file("MERGE_HEAD") {
            return fatal("There is no merge in progress (MERGE_HEAD missing).");
        }
        let call = Call {
            global: call.global.clone(),
            words: Vec::new(),
            name: "commit",
        };
        os::chdir(&repo.started_in)?;
        return super::commit::commit(&call);
    }
    if let Some(strategy) = parsed.text("strategy")
        && !["ort", "recursive", "resolve", "ours"].contains(&strategy.as_str())
    {
        return fatal(format!(
            "codepod's git merge does not support the strategy {strategy}"
        ));
    }
    let index = repo.index()?;
    if !index.unmerged().is_empty() {
        out::note("error: Merging is not possible because you have unmerged files.");
        out::hint(
            "Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.",
        );
        return fatal("Exiting because of an unresolved conflict.");
    }
    if repo.has_file("MERGE_HEAD") {
        out::note(
            "fatal: You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.",
        );
        return Err(Stop::Status(128));
    }
    let mut words = parsed.words.clone();
    if words.is_empty() {
        match repo
            .branch()
            .and_then(|branch| revision::upstream(&repo, &branch))
        {
            Some(upstream) => words.push(super::short_ref(&upstream).to_vec()),
            None => return fatal("No remote for the current branch."),
        }
    }
    let mut targets = Vec::new();
    for word in &words {
        let name: &[u8] = if word == b"-" { b"@{-1}" } else { word };
        match revision::try_resolve(&repo, name)? {
            Some(oid) => targets.push(revision::peel(&repo, oid, Some(Kind::Commit))?),
            None => {
                return Err(Stop::ErrorStatus(
                    format!("{} - not something we can merge", show(word)).into_bytes(),
                    1,
                ))
                .map_err(|stop| match stop {
                    Stop::ErrorStatus(text, status) => {
                        out::note([b"merge: ", &text[..]].concat());
                        Stop::Status(status)
                    }
                    other => other,
                });
            }
        }
    }
    let message = match (parsed.values("message"), parsed.value("file")) {
        (parts, _) if !parts.is_empty() => Some(super::commit::join_messages(&parts)),
        (_, Some(file)) => Some(os::read(file)?),
        _ => None,
    };
    let into = parsed
        .value("into-name")
        .map(<[u8]>::to_vec)
        .or_else(|| repo.branch());
    let default = default_message(&repo, &words, &into);
    let fast = match () {
        () if parsed.has("ff-only") => Fast::Only,
        () if parsed.has("no-ff") => Fast::No,
        () => match repo.config.get("merge.ff") {
            Some(b"only") => Fast::Only,
            Some(b"false" | b"no") => Fast::No,
            _ => Fast::Yes,
        },
    };
    let request = Request {
        words: &words,
        message: message.unwrap_or(default),
        edits: parsed.has("edit") && !parsed.has("no-edit"),
        fast,
        squash: parsed.has("squash"),
        commits: !parsed.has("no-commit"),
        unrelated: parsed.has("allow-unrelated-histories"),
        quiet: parsed.has("quiet"),
        stat: !(parsed.has("no-stat") || parsed.has("n"))
            && repo.config.truth("merge.stat") != Some(false),
        ours: parsed.value("strategy") == Some(b"ours"),
        labels: {
            let mut labels = Labels {
                ours: "HEAD".to_owned(),
                theirs: show(&words[0]),
                ..Labels::default()
            };
            strategy_options(&parsed, &mut labels)?;
            labels
        },
        log: None,
    };
    run(&repo, &targets, &request)
}

/// Whether a merge may be a fast-forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fast {
    /// Where it can.
    Yes,
    /// Never.
    No,
    /// Nothing else.
    Only,
}

/// A merge that is asked for.
pub(crate) struct Request<'a> {
    pub(crate) words: &'a [Vec<u8>],
    pub(crate) message: Vec<u8>,
    pub(crate) edits: bool,
    pub(crate) fast: Fast,
    pub(crate) squash: bool,
    pub(crate) commits: bool,
    pub(crate) unrelated: bool,
    pub(crate) quiet: bool,
    pub(crate) stat: bool,
    pub(crate) ours: bool,
    pub(crate) labels: Labels,
    /// What the log says in the place of `merge NAME`.
    pub(crate) log: Option<String>,
}

/// Merges.
pub(crate) fn run(repo: &Repo, targets: &[Oid], request: &Request<'_>) -> Result<i32> {
    let say_line = |text: &str| {
        if !request.quiet {
            out::line(text);
        }
    };
    let names: Vec<String> = request.words.iter().map(|word| show(word)).collect();
    let log_name = request
        .log
        .clone()
        .unwrap_or_else(|| format!("merge {}", names.join(" ")));
    let [target] = targets else {
        return octopus(repo, targets, request, &log_name);
    };
    let target = *target;
    let Some(head) = repo.head() else {
        // A branch without commits takes what is merged.
        let mut index = repo.index()?;
        let tree = Commit::read(&repo.objects, &target)?.tree;
        if let Err(obstacles) = worktree::switch(repo, None, tree, &mut index)? {
            return obstacles.report("merge");
        }
        repo.write_index(&index)?;
        move_head(repo, target, b"initial pull")?;
        return Ok(0);
    };
    if walk::is_ancestor(repo, target, head)? {
        say_line(if request.squash {
            "Already up to date. (nothing to squash)"
        } else {
            "Already up to date."
        });
        return Ok(0);
    }
    let can_forward = walk::is_ancestor(repo, head, target)?;
    if can_forward && (request.fast != Fast::No || request.squash) && !request.ours {
        say_line(&format!(
            "Updating {}..{}",
            repo.short(&head),
            repo.short(&target)
        ));
        let old_tree = head_tree(repo)?;
        let tree = Commit::read(&repo.objects, &target)?.tree;
        let mut index = repo.index()?;
        if let Err(obstacles) = worktree::switch(repo, old_tree, tree, &mut index)? {
            // What was printed comes first.
            let _ = out::flush();
            return obstacles.report("merge");
        }
        repo.write_index(&index)?;
        say_line("Fast-forward");
        if request.squash {
            squash_message(repo, head, target)?;
            say_line("Squash commit -- not updating HEAD");
        } else {
            save_orig_head(repo)?;
            move_head(repo, target, format!("{log_name}: Fast-forward").as_bytes())?;
        }
        if request.stat && !request.quiet {
            stat(repo, old_tree, tree)?;
        }
        hook(repo, "post-merge", &[b"0".to_vec()])?;
        return Ok(0);
    }
    if request.fast == Fast::Only {
        if !can_forward {
            out::hint(
                "Diverging branches can't be fast-forwarded, you need to either:\n\n\tgit merge --no-ff\n\nor:\n\n\tgit rebase\n\nDisable this \
                 message with \"git config advice.diverging false\"",
            );
        }
        return fatal("Not possible to fast-forward, aborting.");
    }
    if walk::merge_bases(repo, head, target)?.is_empty() && !request.unrelated {
        return fatal("refusing to merge unrelated histories");
    }
    let mut index = repo.index()?;
    change::refresh(repo, &mut index)?;
    let old_tree = head_tree(repo)?;
    // What is staged would be mixed up with the merge.
    let staged = change::tree_to_index(repo, old_tree, &index, &Pathspec::default())?;
    if !staged.is_empty() {
        let list: String = staged
            .iter()
            .map(|change| format!("  {}\n", show(change.path())))
            .collect();
        out::note(format!(
            "error: Your local changes to the following files would be overwritten by merge:\n{}",
            list.trim_end()
        ));
        out::note("Merge with strategy ort failed.");
        return Ok(2);
    }
    save_orig_head(repo)?;
    let merged = match request.ours {
        true => Merged {
            files: change::flatten(repo, &old_tree.unwrap_or(Oid::EMPTY_TREE))?,
            ..Merged::default()
        },
        false => merge::commits(repo, head, target, &request.labels)?,
    };
    if let Err(obstacles) = apply(repo, &merged, &mut index, old_tree)? {
        let status = obstacles.report::<i32>("merge");
        out::note("Merge with strategy ort failed.");
        return match status {
            Err(Stop::Status(_)) => Ok(2),
            other => other,
        };
    }
    if !request.quiet {
        say(&merged);
    }
    repo.write_index(&index)?;
    if !merged.is_clean() {
        return conflicted(repo, target, request, &merged);
    }
    if request.squash {
        squash_message(repo, head, target)?;
        say_line("Squash commit -- not updating HEAD");
        say_line("Automatic merge went well; stopped before committing as requested");
        return Ok(0);
    }
    if !request.commits {
        start(repo, target, &request.message, request.fast == Fast::No)?;
        say_line("Automatic merge went well; stopped before committing as requested");
        return Ok(0);
    }
    let mut message = request.message.clone();
    if request.edits {
        start(repo, target, &message, request.fast == Fast::No)?;
        let file = repo.file("MERGE_MSG");
        edit(repo, &file)?;
        message = super::commit::cleanup(&os::read(&file)?, true);
        forget(repo);
        if message.is_empty() {
            return crate::stop::error("Empty commit message.");
        }
    }
    let tree = worktree::write_tree(repo, &index)?;
    let commit = Commit {
        oid: Oid::NULL,
        tree,
        parents: vec![head, target],
        author: identity(repo, Role::Author, true)?,
        committer: identity(repo, Role::Committer, true)?,
        encoding: None,
        message: super::commit::cleanup(&message, false),
    };
    let oid = write_commit(repo, &commit)?;
    let strategy = if request.ours { "ours" } else { "ort" };
    move_head(
        repo,
        oid,
        format!("{log_name}: Merge made by the '{strategy}' strategy.").as_bytes(),
    )?;
    say_line(&format!("Merge made by the '{strategy}' strategy."));
    if request.stat && !request.quiet {
        stat(repo, old_tree, tree)?;
    }
    hook(repo, "post-merge", &[b"0".to_vec()])?;
    Ok(0)
}

/// Merges of more than two: all of them without conflicts, or none.
fn octopus(repo: &Repo, targets: &[Oid], request: &Request<'_>, log_name: &str) -> Result<i32> {
    let Some(head) = repo.head() else {
        return fatal("Can merge only exactly one commit into empty head");
    };
    let old_tree = head_tree(repo)?;
    let mut tree = old_tree.unwrap_or(Oid::EMPTY_TREE);
    for (at, target) in targets.iter().enumerate() {
        out::line(format!(
            "Trying simple merge with {}",
            show(&request.words[at])
        ));
        let base = walk::merge_bases(repo, head, *target)?.first().copied();
        let base = match base {
            Some(base) => Some(Commit::read(&repo.objects, &base)?.tree),
            None => None,
        };
        let theirs = Commit::read(&repo.objects, target)?.tree;
        let merged = merge::trees(repo, base, tree, theirs, &request.labels, 0)?;
        if !merged.is_clean() {
            say(&merged);
            out::line("Automated merge did not work.\nShould not be doing an octopus.");
            out::note("Merge with strategy octopus failed.");
            return Ok(2);
        }
        tree = worktree::write_files(repo, &merged.files)?;
    }
    let mut index = repo.index()?;
    if let Err(obstacles) = worktree::switch(repo, old_tree, tree, &mut index)? {
        return obstacles.report("merge");
    }
    repo.write_index(&index)?;
    let commit = Commit {
        oid: Oid::NULL,
        tree,
        parents: std::iter::once(head)
            .chain(targets.iter().copied())
            .collect(),
        author: identity(repo, Role::Author, true)?,
        committer: identity(repo, Role::Committer, true)?,
        encoding: None,
        message: request.message.clone(),
    };
    let oid = write_commit(repo, &commit)?;
    move_head(
        repo,
        oid,
        format!("{log_name}: Merge made by the 'octopus' strategy.").as_bytes(),
    )?;
    out::line("Merge made by the 'octopus' strategy.");
    if request.stat {
        stat(repo, old_tree, tree)?;
    }
    Ok(0)
}

/// What changed, as a merge shows it.
pub(crate) fn stat(repo: &Repo, old: Option<Oid>, new: Oid) -> Result<()> {
    let options = Options {
        stat: true,
        summary: true,
        ..Options::new(&repo.config)
    };
    let changes = change::trees(repo, old, Some(new), &Pathspec::default())?;
    let changes = patch::prepare(repo, changes, &options, &[])?;
    diff::show(repo, &changes, &options)?;
    Ok(())
}

fn start(repo: &Repo, target: Oid, message: &[u8], no_ff: bool) -> Result<()> {
    os::write(&repo.file("MERGE_HEAD"), format!("{target}\n").as_bytes())?;
    os::write(&repo.file("MERGE_MSG"), message)?;
    os::write(&repo.file("MERGE_MODE"), if no_ff { b"no-ff" } else { b"" })?;
    Ok(())
}

/// The lines that name the files in conflict.
pub(crate) fn conflict_lines(merged: &Merged) -> String {
    let list: String = merged
        .conflicts
        .keys()
        .map(|path| format!("#\t{}\n", show(path)))
        .collect();
    format!("\n# Conflicts:\n{list}")
}

fn conflicted(repo: &Repo, target: Oid, request: &Request<'_>, merged: &Merged) -> Result<i32> {
    let message = [&request.message[..], conflict_lines(merged).as_bytes()].concat();
    if request.squash {
        if let Some(head) = repo.head() {
            squash_message(repo, head, target)?;
        }
    } else {
        start(repo, target, &message, request.fast == Fast::No)?;
    }
    os::write(&repo.file("MERGE_MSG"), &message)?;
    out::line("Automatic merge failed; fix conflicts and then commit the result.");
    Ok(1)
}

fn squash_message(repo: &Repo, head: Oid, target: Oid) -> Result<()> {
    let mut text = b"Squashed commit of the following:\n".to_vec();
    for commit in walk::range(repo, &[target], &[head], false)? {
        text.push(b'\n');
        text.extend(crate::pretty::show_commit(
            repo,
            &commit,
            &crate::pretty::Format::Medium,
            &Default::default(),
        ));
    }
    Ok(os::write(&repo.file("SQUASH_MSG"), &text)?)
}

/// Forgets the merge that is under way.
pub(crate) fn forget(repo: &Repo) {
    for file in ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"] {
        repo.remove_file(file);
    }
}

fn abort(repo: &Repo) -> Result<i32> {
    if !repo.has_file("MERGE_HEAD") {
        return fatal("There is no merge to abort (MERGE_HEAD missing).");
    }
    let head = match repo.head() {
        Some(head) => head,
        None => return fatal("Could not resolve HEAD"),
    };
    let mut index = repo.index()?;
    let tree = Commit::read(&repo.objects, &head)?.tree;
    worktree::reset_hard(repo, tree, &mut index)?;
    repo.write_index(&index)?;
    move_head(repo, head, b"reset: moving to HEAD")?;
    forget(repo);
    Ok(0)
}

/// `git merge-file`.
pub(crate) fn merge_file(call: &Call) -> Result<i32> {
    let table = "p|stdout q|quiet L|= diff3 zdiff3 ours theirs union marker-size= object-id diff-algorithm=";
    let parsed = args::parse("merge-file", table, &call.words)?;
    parsed.refuse(&["object-id", "marker-size", "diff-algorithm"])?;
    let [ours, base, theirs] = &parsed.words[..] else {
        return Err(args::usage("merge-file", "three files are needed"));
    };
    let read = |path: &[u8]| match os::read(path) {
        Ok(text) => Ok(text),
        Err(found) => Err(Stop::ErrorStatus(
            format!(
                "Could not stat {}: {}",
                show(path),
                crate::stop::why(&found)
            )
            .into_bytes(),
            255,
        )),
    };
    let labels = parsed.values("L");
    let label = |at: usize, path: &[u8]| labels.get(at).cloned().unwrap_or_else(|| path.to_vec());
    let options = text::Options {
        ours: label(0, ours),
        base: label(1, base),
        theirs: label(2, theirs),
        style: match (parsed.has("diff3"), parsed.has("zdiff3")) {
            (true, _) => text::Style::Diff3,
            (_, true) => text::Style::Zdiff3,
            _ => text::Style::Merge,
        },
        favor: match () {
            () if parsed.has("ours") => text::Favor::Ours,
            () if parsed.has("theirs") => text::Favor::Theirs,
            () if parsed.has("union") => text::Favor::Union,
            () => text::Favor::None,
        },
        ..text::Options::default()
    };
    let (result, conflicts) = text::merge(&read(base)?, &read(ours)?, &read(theirs)?, &options);
    if parsed.has("stdout") {
        out::put(&result);
    } else {
        os::write(ours, &result)?;
    }
    Ok(conflicts.min(127) as i32)
}
