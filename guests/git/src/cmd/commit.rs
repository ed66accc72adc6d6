//! `git commit`.

use super::status::{Untracked, collect, long_text};
use super::{Call, edit, head_tree, hook, move_head, write_commit};
use crate::args;
use crate::diff::change::{self, Found, compare};
use crate::diff::{Options, patch, stat};
use crate::ident::{self, Role};
use crate::index::Index;
use crate::object::{Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

const TABLE: &str = "q|quiet v|verbose F|file= author= date= m|message= c|reedit-message= C|reuse-message= fixup= squash= reset-author trailer= \
    s|signoff t|template= e|edit cleanup= status S|gpg-sign? a|all i|include interactive p|patch o|only n|no-verify verify dry-run short branch \
    porcelain long z|null amend post-rewrite u|untracked-files? allow-empty allow-empty-message pathspec-from-file= pathspec-file-nul";

/// How a message is cleaned.
pub(crate) fn cleanup(text: &[u8], comments: bool) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        if comments && line.first() == Some(&b'#') {
            continue;
        }
        let line = line.trim_ascii_end();
        if line.is_empty() && lines.last().is_none_or(Vec::is_empty) {
            continue;
        }
        lines.push(line.to_vec());
    }
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    let mut out = lines.join(&b'\n');
    if !out.is_empty() {
        out.push(b'\n');
    }
    out
}

/// Puts the paragraphs of several `-m` together.
pub(crate) fn join_messages(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for part in parts {
        if !out.is_empty() {
            out.push(b'\n');
        }
        out.extend_from_slice(part);
        if out.last() != Some(&b'\n') {
            out.push(b'\n');
        }
    }
    out
}

/// The author that `--author` names: `Name <mail>`, or one found in history.
fn named_author(repo: &Repo, text: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    if text.contains(&b'<') && text.contains(&b'>') {
        let (name, mail) = who_parts(text);
        return Ok((name.to_vec(), mail.to_vec()));
    }
    if let Some(head) = repo.head() {
        for commit in crate::walk::by_date(repo, &[head])? {
            let (name, mail) = who_parts(&commit.author);
            let whole = [name, b" <", mail, b">"].concat();
            if whole
                .to_ascii_lowercase()
                .windows(text.len().max(1))
                .any(|part| part == text.to_ascii_lowercase())
            {
                return Ok((name.to_vec(), mail.to_vec()));
            }
        }
    }
    fatal(format!(
        "--author '{}' is not 'Name <email>' and matches no existing author",
        show(text)
    ))
}

/// `git commit`.
pub(crate) fn commit(call: &Call) -> Result<i32> {
    let parsed = args::parse("commit", TABLE, &call.words)?;
    parsed.refuse(&["verbose", "gpg-sign", "interactive", "patch", "template"])?;
    let repo = call.work_tree()?;
    let mut index = repo.index()?;
    let mut paths_given = parsed.words.clone();
    if let Some(file) = parsed.value("pathspec-from-file") {
        paths_given.extend(super::add::lines_of(file, parsed.has("pathspec-file-nul"))?);
    }
    if parsed.has("all") && !paths_given.is_empty() {
        return fatal(format!(
            "paths '{} ...' with -a does not make sense",
            show(&paths_given[0])
        ));
    }
    let amend = parsed.has("amend");
    let head = repo.head();
    if amend && head.is_none() {
        return fatal("You have nothing yet to amend.");
    }
    let merging = repo.has_file("MERGE_HEAD");
    let picking = repo.has_file("CHERRY_PICK_HEAD");
    if amend && (merging || picking) {
        let what = if merging { "merge" } else { "cherry-pick" };
        return fatal(format!(
            "You are in the middle of a {what} -- cannot amend."
        ));
    }
    check_unmerged(&repo, &index, parsed.has("all"))?;
    if parsed.has("all") {
        stage_known(&repo, &mut index, &Pathspec::default())?;
    }
    // With paths, only these are committed; the index keeps the rest.
    let mut commit_index = index.clone();
    if !paths_given.is_empty() {
        if merging && !parsed.has("include") {
            return fatal("cannot do a partial commit during a merge.");
        }
        let paths = Pathspec::new(&repo, &paths_given)?;
        let tree_files = match head_tree(&repo)? {
            Some(tree) => change::flatten(&repo, &tree)?,
            None => Default::default(),
        };
        let known = index
            .entries
            .values()
            .map(|entry| &entry.path[..])
            .chain(tree_files.keys().map(Vec::as_slice));
        let unmatched = paths.unmatched(known);
        for word in &unmatched {
            out::note(format!(
                "error: pathspec '{}' did not match any file(s) known to git",
                show(word)
            ));
        }
        if !unmatched.is_empty() {
            return Err(Stop::Status(1));
        }
        stage_known(&repo, &mut index, &paths)?;
        commit_index = index.clone();
        if !parsed.has("include") {
            commit_index = worktree::reset_index(&repo, head_tree(&repo)?, &index)?;
            for path in tree_files
                .keys()
                .filter(|path| paths.matches(path) && !index.has(path))
            {
                commit_index.remove(path);
            }
            for entry in index.merged().filter(|entry| paths.matches(&entry.path)) {
                commit_index.put(entry.clone());
            }
        }
    }
    let dry = parsed.has("dry-run")
        || ["short", "porcelain", "long", "null"]
            .iter()
            .any(|name| parsed.has(name));
    let untracked =
        super::status::untracked_mode(&repo, &args::Given::of(&parsed, "untracked-files"))?;
    if !parsed.has("no-verify") && !dry && hook(&repo, "pre-commit", &[])? != 0 {
        return Err(Stop::Status(1));
    }
    let old = match (amend, head) {
        (true, Some(head)) => Some(Commit::read(&repo.objects, &head)?),
        _ => None,
    };
    let parents = match &old {
        Some(old) => old.parents.clone(),
        None => head.into_iter().chain(merge_heads(&repo)).collect(),
    };
    let tree = worktree::write_tree(&repo, &commit_index)?;
    let first_tree = match parents.first() {
        Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
        None => None,
    };
    let empty = match first_tree {
        Some(parent) => parent == tree,
        None => commit_index.entries.is_empty(),
    };
    if dry || (empty && parents.len() < 2 && !amend && !parsed.has("allow-empty")) {
        if !dry {
            repo.write_index(&index)?;
        }
        let state = collect(
            &repo,
            &commit_index,
            untracked,
            None,
            &Pathspec::default(),
            true,
        )?;
        if !parsed.has("quiet") {
            out::put(&long_text(
                &repo,
                &commit_index,
                &state,
                untracked,
                false,
                false,
            )?);
        }
        return Ok(i32::from(empty && !parsed.has("allow-empty")));
    }
    if empty && amend && !parsed.has("allow-empty") && parents.len() == 1 {
        // git only warns here when the amended commit becomes empty.
        out::put(b"");
        let same_as_before = old.as_ref().is_some_and(|old| old.tree == tree);
        if !same_as_before {
            out::note(
                "You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with \
                 --allow-empty, or you can\nremove the commit entirely with \"git reset HEAD^\".",
            );
            let state = collect(
                &repo,
                &commit_index,
                untracked,
                None,
                &Pathspec::default(),
                true,
            )?;
            out::put(&long_text(
                &repo,
                &commit_index,
                &state,
                untracked,
                false,
                false,
            )?);
            return Ok(1);
        }
    }
    let author = author(&repo, &parsed, old.as_ref(), picking)?;
    let committer = ident::identity(&repo, Role::Committer, true)?;
    let message = message(&repo, &parsed, old.as_ref(), &commit_index, &committer)?;
    let made = Commit {
        oid: Oid::NULL,
        tree,
        parents,
        author,
        committer,
        encoding: None,
        message,
    };
    let oid = write_commit(&repo, &made)?;
    let commit = Commit { oid, ..made };
    repo.write_index(&index)?;
    let kind = match () {
        () if amend => "commit (amend)",
        () if head.is_none() => "commit (initial)",
        () if merging => "commit (merge)",
        () if picking => "commit (cherry-pick)",
        () => "commit",
    };
    let log = [kind.as_bytes(), b": ", &commit.subject()].concat();
    move_head(&repo, oid, &log)?;
    for file in [
        "MERGE_HEAD",
        "MERGE_MSG",
        "MERGE_MODE",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "SQUASH_MSG",
        "AUTO_MERGE",
    ] {
        repo.remove_file(file);
    }
    if !repo.has_file("sequencer/todo") {
        let _ = os::remove_tree(&repo.file("sequencer"));
    }
    let _ = os::write(&repo.file("COMMIT_EDITMSG"), &commit.message);
    if !parsed.has("quiet") {
        let reused =
            parsed.has("reuse-message") || parsed.has("reedit-message") || parsed.has("date");
        summary(&repo, &commit, head.is_none(), amend || picking || reused)?;
    }
    // What it says does not count.
    let _ = hook(&repo, "post-commit", &[]);
    Ok(0)
}

/// The other parents of a merge that is under way.
fn merge_heads(repo: &Repo) -> Vec<Oid> {
    let text = repo.read_file("MERGE_HEAD").unwrap_or_default();
    text.split(|byte| *byte == b'\n')
        .filter_map(Oid::parse)
        .collect()
}

fn check_unmerged(repo: &Repo, index: &Index, all: bool) -> Result<()> {
    let unmerged = index.unmerged();
    if unmerged.is_empty() || all {
        return Ok(());
    }
    for path in &unmerged {
        out::line(format!("U\t{}", show(path)));
    }
    out::note("error: Committing is not possible because you have unmerged files.");
    if repo.config.truth("advice.resolveconflict") != Some(false) {
        out::hint(
            "Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.",
        );
    }
    fatal("Exiting because of an unresolved conflict.")
}

/// Takes all changes of known files into the index.
pub(crate) fn stage_known(repo: &Repo, index: &mut Index, paths: &Pathspec) -> Result<()> {
    let mut known: Vec<Vec<u8>> = index
        .entries
        .values()
        .map(|entry| entry.path.clone())
        .filter(|path| paths.matches(path))
        .collect();
    known.dedup();
    for path in known {
        let found = match index.get(&path) {
            Some(entry) => compare(repo, entry)?.0,
            None if os::lstat(&path).is_ok_and(|found| !found.is_dir()) => Found::Changed(0),
            None => Found::Gone,
        };
        match found {
            Found::Same => {}
            Found::Gone => {
                index.remove(&path);
            }
            Found::Changed(_) => {
                let entry = worktree::take_file(repo, &path)?;
                index.put(entry);
            }
        }
    }
    Ok(())
}

fn author(
    repo: &Repo,
    parsed: &args::Parsed,
    old: Option<&Commit>,
    picking: bool,
) -> Result<Vec<u8>> {
    let mut base = match old {
        Some(old) if !parsed.has("reset-author") => Some(old.author.clone()),
        _ => None,
    };
    if let Some(name) = parsed
        .value("reuse-message")
        .or(parsed.value("reedit-message"))
    {
        let oid = match revision::try_resolve(repo, name)? {
            Some(oid) => oid,
            None => return fatal(format!("could not lookup commit '{}'", show(name))),
        };
        if !parsed.has("reset-author") {
            base = Some(Commit::read(&repo.objects, &oid)?.author);
        }
    }
    if picking
        && base.is_none()
        && let Some(oid) = repo
            .read_file("CHERRY_PICK_HEAD")
            .and_then(|text| Oid::parse(&text))
        && !parsed.has("reset-author")
    {
        base = Some(Commit::read(&repo.objects, &oid)?.author);
    }
    let own = match &base {
        Some(author) => author.clone(),
        None => ident::identity(repo, Role::Author, true)?,
    };
    let (name, mail) = match parsed.value("author") {
        Some(text) => named_author(repo, text)?,
        None => {
            let (name, mail) = who_parts(&own);
            (name.to_vec(), mail.to_vec())
        }
    };
    let when = match parsed.text("date") {
        Some(text) if text == "now" => (crate::date::now(), crate::date::local_zone()),
        Some(text) => match crate::date::parse(&text) {
            Some(when) => when,
            None => {
                let known = [
                    "yesterday",
                    "ago",
                    "noon",
                    "midnight",
                    "last",
                    "day",
                    "week",
                ];
                if !known.iter().any(|word| text.contains(word))
                    && !text.bytes().any(|byte| byte.is_ascii_digit())
                {
                    return fatal(format!("invalid date format: {text}"));
                }
                (
                    crate::date::approximate(&text, crate::date::now()),
                    crate::date::local_zone(),
                )
            }
        },
        None => who_time(&own),
    };
    ident::join(&name, &mail, when)
}

fn message(
    repo: &Repo,
    parsed: &args::Parsed,
    old: Option<&Commit>,
    index: &Index,
    committer: &[u8],
) -> Result<Vec<u8>> {
    let parts = parsed.values("message");
    let mut edited = false;
    let mut text = if !parts.is_empty() {
        if parsed.value("file").is_some() {
            return fatal("options '-m' and '-F' cannot be used together");
        }
        join_messages(&parts)
    } else if let Some(file) = parsed.value("file") {
        let read = match file {
            b"-" => os::read_stdin(),
            _ => {
                let path = if file[0] == b'/' {
                    file.to_vec()
                } else {
                    [&repo.prefix[..], file].concat()
                };
                os::read(&path)
            }
        };
        match read {
            Ok(text) => text,
            Err(found) => {
                return fatal(format!(
                    "could not read log file '{}': {}",
                    show(file),
                    crate::stop::why(&found)
                ));
            }
        }
    } else if let Some(name) = parsed.value("reuse-message") {
        let oid = revision::resolve(repo, name)?;
        Commit::read(&repo.objects, &oid)?.message
    } else if let Some(name) = parsed.value("reedit-message") {
        edited = true;
        let oid = revision::resolve(repo, name)?;
        Commit::read(&repo.objects, &oid)?.message
    } else if let Some(name) = parsed.value("fixup").or(parsed.value("squash")) {
        let word = if parsed.value("fixup").is_some() {
            "fixup"
        } else {
            "squash"
        };
        let oid = revision::resolve_commit(repo, name)?;
        [
            word.as_bytes(),
            b"! ",
            &Commit::read(&repo.objects, &oid)?.subject(),
            b"\n",
        ]
        .concat()
    } else if let Some(text) = repo
        .read_file("MERGE_MSG")
        .or_else(|| repo.read_file("SQUASH_MSG"))
    {
        edited = true;
        [&text[..], b"\n"].concat()
    } else if let Some(old) = old {
        edited = true;
        old.message.clone()
    } else {
        edited = true;
        Vec::new()
    };
    edited = (edited && !parsed.has("no-edit")) || parsed.has("edit");
    if parsed.has("signoff") {
        let (name, mail) = who_parts(committer);
        text = sign_off(&text, name, mail);
    }
    for trailer in parsed.values("trailer") {
        let line = show(&trailer).replacen('=', ": ", 1);
        text = add_trailer(&text, line.as_bytes());
    }
    let mode = parsed
        .text("cleanup")
        .or(repo.config.text("commit.cleanup"));
    if edited {
        let file = repo.file("COMMIT_EDITMSG");
        let mut whole = text.clone();
        if mode.as_deref() != Some("verbatim") {
            whole.extend(
                b"\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored, and an empty message aborts the commit.\n#\n",
            );
            let state = collect(
                repo,
                index,
                Untracked::Normal,
                None,
                &Pathspec::default(),
                true,
            )?;
            let status = long_text(repo, index, &state, Untracked::Normal, true, false)?;
            for line in status.split(|byte| *byte == b'\n') {
                match line {
                    b"" => whole.extend(b"#\n"),
                    _ if line[0] == b'\t' => whole.extend([b"#", line, b"\n"].concat()),
                    _ => whole.extend([b"# ", line, b"\n"].concat()),
                }
            }
        }
        os::write(&file, &whole)?;
        if edit(repo, &file).is_err() {
            out::note("Please supply the message using either -m or -F option.");
            return Err(Stop::Status(1));
        }
        text = os::read(&file)?;
    }
    let has_hook =
        os::exists(&repo.shared("hooks/commit-msg")) || repo.config.get("core.hookspath").is_some();
    if has_hook && !parsed.has("no-verify") {
        let file = repo.file("COMMIT_EDITMSG");
        os::write(&file, &text)?;
        if hook(repo, "commit-msg", std::slice::from_ref(&file))? != 0 {
            return Err(Stop::Status(1));
        }
        text = os::read(&file)?;
    }
    let text = match mode.as_deref() {
        None | Some("default") => cleanup(&text, edited),
        Some("strip") => cleanup(&text, true),
        Some("whitespace") => cleanup(&text, false),
        Some("verbatim") => text,
        Some("scissors") => {
            let cut = text
                .windows(12)
                .position(|part| part == b"# ----------")
                .unwrap_or(text.len());
            cleanup(&text[..cut], false)
        }
        Some(other) => return fatal(format!("Invalid cleanup mode {other}")),
    };
    if text.trim_ascii().is_empty() && !parsed.has("allow-empty-message") {
        out::note("Aborting commit due to empty commit message.");
        return Err(Stop::Status(1));
    }
    Ok(text)
}

/// Adds `Signed-off-by`, once.
pub(crate) fn sign_off(text: &[u8], name: &[u8], mail: &[u8]) -> Vec<u8> {
    let line = [b"Signed-off-by: ", name, b" <", mail, b">"].concat();
    if text.trim_ascii_end().ends_with(&line) {
        return text.to_vec();
    }
    add_trailer(text, &line)
}

/// Adds a line to the block of such lines at the end.
fn add_trailer(text: &[u8], line: &[u8]) -> Vec<u8> {
    let mut out = text.trim_ascii_end().to_vec();
    let last = show(&out);
    let last = last.rsplit("\n\n").next().unwrap_or("");
    let block = show(&out).contains("\n\n")
        && last.lines().all(|line| {
            line.split_once(": ")
                .is_some_and(|(key, _)| !key.contains(' '))
        });
    out.extend_from_slice(if block { b"\n" } else { b"\n\n" });
    out.extend_from_slice(line);
    out.push(b'\n');
    out
}

/// `[main abc1234] subject` and what changed; `dated` shows the date of an author that is not the committer of now.
pub(crate) fn summary(repo: &Repo, commit: &Commit, root: bool, dated: bool) -> Result<()> {
    let place = match repo.branch() {
        Some(branch) => show(&branch),
        None => "detached HEAD".to_owned(),
    };
    let root = if root { " (root-commit)" } else { "" };
    out::put(format!("[{place}{root} {}] ", repo.short(&commit.oid)).as_bytes());
    out::line(commit.subject());
    let (name, mail) = who_parts(&commit.author);
    if who_parts(&commit.committer) != (name, mail) {
        out::line([b" Author: ", name, b" <", mail, b">"].concat());
    }
    if dated {
        let (time, zone) = who_time(&commit.author);
        out::line(format!(
            " Date: {}",
            crate::date::show(time, zone, &crate::date::Style::Normal)
        ));
    }
    if commit.parents.len() > 1 {
        return Ok(());
    }
    let old = match commit.parents.first() {
        Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
        None => None,
    };
    changed(repo, old, commit.tree)
}

/// The sums and the files that came and went.
pub(crate) fn changed(repo: &Repo, old: Option<Oid>, new: Oid) -> Result<()> {
    let options = Options {
        shortstat: true,
        summary: true,
        renames: true,
        ..Options::new(&repo.config)
    };
    let changes = change::trees(repo, old, Some(new), &Pathspec::default())?;
    let changes = patch::prepare(repo, changes, &options, &[])?;
    if changes.is_empty() {
        return Ok(());
    }
    let stats = stat::count(repo, &changes, &options)?;
    stat::shortstat(&stats, &options);
    changes
        .iter()
        .for_each(|change| patch::summary(repo, change, &options));
    Ok(())
}
