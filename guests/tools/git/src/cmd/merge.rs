//! `git merge`.

pub(crate) mod request;

use super::merging::strategy_options;
use super::{Call, commit, move_head, short_ref};
use crate::args::options;
use crate::merge::Labels;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;
use request::{Fast, Request, forget};

options! {
    /// What the command line says.
    struct Options for "merge" {
        stat: Option<bool> = ["stat" => true, "no-stat" => false, "n|" => false],
        squash: bool = "squash",
        commit: Option<bool> = "commit",
        edit: bool = "e|edit",
        fast: Option<Fast> = ["ff" => Fast::Yes, "no-ff" => Fast::No, "ff-only" => Fast::Only],
        strategy: Option<String> = "s|strategy=",
        strategy_options: Vec<Vec<u8>> = "X|strategy-option=",
        messages: Vec<Vec<u8>> = "m|message=",
        file: Option<Vec<u8>> = "F|file=",
        into_name: Option<Vec<u8>> = "into-name=",
        quiet: bool = "q|quiet",
        abort: bool = "abort",
        quit: bool = "quit",
        resume: bool = "continue",
        unrelated: bool = "allow-unrelated-histories",
    }
    ignored "summary cleanup= rerere-autoupdate v|verbose progress overwrite-ignore signoff \
        no-verify"
    refused "verify-signatures S|gpg-sign? autostash log?"
}

/// `git merge`.
pub(crate) fn merge(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    if options.abort {
        return abort(&repo);
    }
    if options.quit {
        forget(&repo);
        return Ok(0);
    }
    if options.resume {
        return resume(call, &repo);
    }
    if let Some(strategy) = &options.strategy
        && !["ort", "recursive", "resolve", "ours"].contains(&strategy.as_str())
    {
        return fatal(format!(
            "codepod's git merge does not support the strategy {strategy}"
        ));
    }
    check_concluded(&repo)?;
    let words = match rest.words.is_empty() {
        true => vec![upstream(&repo)?],
        false => rest.words,
    };
    let targets = targets(&repo, &words)?;
    let request = request(&repo, &words, options)?;
    request::run(&repo, &targets, &request)
}

/// Ends a merge that was left to the user, with a commit.
fn resume(call: &Call, repo: &Repo) -> Result<i32> {
    if !repo.has_file("MERGE_HEAD") {
        return fatal("There is no merge in progress (MERGE_HEAD missing).");
    }
    os::chdir(&repo.started_in)?;
    commit::commit(&Call {
        global: call.global.clone(),
        words: Vec::new(),
        name: "commit",
    })
}

/// Fails while another merge is under way.
fn check_concluded(repo: &Repo) -> Result<()> {
    if !repo.index()?.unmerged().is_empty() {
        out::note("error: Merging is not possible because you have unmerged files.");
        out::hint(
            "Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.",
        );
        return fatal("Exiting because of an unresolved conflict.");
    }
    if repo.has_file("MERGE_HEAD") {
        return fatal(
            "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.",
        );
    }
    Ok(())
}

/// What is merged when nothing is named.
fn upstream(repo: &Repo) -> Result<Vec<u8>> {
    let branch = repo.branch();
    match branch.and_then(|branch| revision::upstream(repo, &branch)) {
        Some(upstream) => Ok(short_ref(&upstream).to_vec()),
        None => fatal("No remote for the current branch."),
    }
}

/// The commits that the words name.
fn targets(repo: &Repo, words: &[Vec<u8>]) -> Result<Vec<Oid>> {
    let mut targets = Vec::new();
    for word in words {
        let name: &[u8] = if word == b"-" { b"@{-1}" } else { word };
        let Some(oid) = revision::try_resolve(repo, name)? else {
            out::note(format!(
                "merge: {} - not something we can merge",
                show(word)
            ));
            return Err(Stop::Status(1));
        };
        targets.push(revision::peel(repo, oid, Some(Kind::Commit))?);
    }
    Ok(targets)
}

/// What the options and the settings ask for.
fn request<'a>(repo: &Repo, words: &'a [Vec<u8>], options: Options) -> Result<Request<'a>> {
    let message = match (&options.messages[..], &options.file) {
        ([], Some(file)) => os::read(file)?,
        ([], None) => {
            let into = options.into_name.or_else(|| repo.branch());
            default_message(repo, words, &into)
        }
        (parts, _) => commit::join_messages(parts),
    };
    let fast = options.fast.unwrap_or(match repo.config.get("merge.ff") {
        Some(b"only") => Fast::Only,
        Some(b"false" | b"no") => Fast::No,
        _ => Fast::Yes,
    });
    let mut labels = Labels {
        ours: "HEAD".to_owned(),
        theirs: show(&words[0]),
        ..Labels::default()
    };
    strategy_options(&options.strategy_options, &mut labels)?;
    Ok(Request {
        words,
        message,
        edits: options.edit,
        fast,
        squash: options.squash,
        commits: options.commit != Some(false),
        unrelated: options.unrelated,
        quiet: options.quiet,
        stat: (options.stat).unwrap_or(repo.config.truth("merge.stat") != Some(false)),
        ours: options.strategy.as_deref() == Some("ours"),
        labels,
        log: None,
    })
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
            .map_or(show(&name), |full| show(short_ref(&full)));
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
