//! `git rev-parse`, `git rev-list`, `git merge-base`, `git describe`.

use std::collections::HashMap;

use super::Call;
use super::log::Show;
use crate::args;
use crate::history::Query;
use crate::object::{Commit, Tag};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pretty::{self, Format};
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use crate::wildmatch::{self, Slashes};

/// `git rev-parse`.
pub(crate) fn rev_parse(call: &Call) -> Result<i32> {
    let words = &call.words;
    if words
        .first()
        .is_some_and(|word| word == b"--parseopt" || word == b"--sq-quote")
    {
        return fatal(format!(
            "codepod's git rev-parse does not support {}",
            show(&words[0])
        ));
    }
    let repo = match Repo::try_discover(&call.global)? {
        Some(repo) => repo,
        None => {
            if words.iter().any(|word| {
                word == b"--is-inside-work-tree"
                    || word == b"--is-inside-git-dir"
                    || word == b"--git-dir"
            }) || !words.is_empty()
            {
                return fatal("not a git repository (or any of the parent directories): .git");
            }
            return Ok(0);
        }
    };
    let (mut verify, mut quiet, mut short, mut symbolic, mut full) =
        (false, false, None, false, false);
    let (mut abbrev_ref, mut not, mut done) = (None, false, false);
    let mut default = None;
    let mut printed = 0;
    let mut format_absolute = None;
    let mut at = 0;
    let print_oid = |oid: &Oid, not: bool, short: Option<usize>| {
        let text = match short {
            Some(count) => repo.objects.abbreviate(oid, count),
            None => oid.hex(),
        };
        out::line(format!("{}{text}", if not { "^" } else { "" }));
    };
    while at < words.len() {
        let word = words[at].clone();
        at += 1;
        let text = show(&word);
        if done {
            out::line(&word);
            continue;
        }
        let absolute = |path: &[u8]| os::real_path(path).unwrap_or_else(|_| path.to_vec());
        let shown = |path: &[u8], format: Option<bool>, git_dir: bool| match (format, path.first())
        {
            (Some(true), _) => absolute(path),
            (Some(false), _) | (None, Some(b'/')) => path.to_vec(),
            // From a directory below, git shows the way up only for some.
            (None, _) if repo.prefix.is_empty() => path.to_vec(),
            (None, _) if git_dir => absolute(path),
            (None, _) => {
                let ups = repo.prefix.iter().filter(|byte| **byte == b'/').count();
                [&b"../".repeat(ups)[..], path].concat()
            }
        };
        match text.as_str() {
            "--verify" => verify = true,
            "-q" | "--quiet" => quiet = true,
            "--short" => short = Some(repo.abbrev()),
            _ if text.starts_with("--short=") => {
                short = Some(text[8..].parse::<usize>().unwrap_or(7).clamp(4, 40))
            }
            "--symbolic" => symbolic = true,
            "--symbolic-full-name" => full = true,
            "--abbrev-ref" => abbrev_ref = Some(true),
            _ if text.starts_with("--abbrev-ref=") => abbrev_ref = Some(true),
            "--not" => not = !not,
            "--default" => {
                default = words.get(at).cloned();
                at += 1;
            }
            "--path-format=absolute" => format_absolute = Some(true),
            "--path-format=relative" => format_absolute = Some(false),
            "--show-toplevel" => match &repo.work_tree {
                Some(tree) => out::line(tree),
                None => return fatal("this operation must be run in a work tree"),
            },
            "--git-dir" => out::line(shown(
                if repo.dir == repo.started_in {
                    b"."
                } else {
                    &repo.dir
                },
                format_absolute,
                true,
            )),
            "--absolute-git-dir" => out::line(absolute(&repo.dir)),
            "--git-common-dir" => out::line(shown(
                if repo.common == repo.started_in {
                    b"."
                } else {
                    &repo.common
                },
                format_absolute,
                false,
            )),
            "--show-prefix" => out::line(&repo.prefix),
            "--show-cdup" => {
                out::line(b"../".repeat(repo.prefix.iter().filter(|byte| **byte == b'/').count()))
            }
            "--is-inside-work-tree" => {
                let inside = repo.work_tree.as_ref().is_some_and(|tree| {
                    repo.started_in == *tree
                        || tree == b"/"
                        || repo.started_in.starts_with(&[&tree[..], b"/"].concat())
                });
                let in_dir = is_in_dir(&repo);
                out::line(if inside && !in_dir { "true" } else { "false" });
            }
            "--is-inside-git-dir" => out::line(if is_in_dir(&repo) { "true" } else { "false" }),
            "--is-bare-repository" => out::line(
                if repo.work_tree.is_none() && repo.config.truth("core.bare") == Some(true) {
                    "true"
                } else {
                    "false"
                },
            ),
            "--is-shallow-repository" => out::line(if os::exists(&repo.shared("shallow")) {
                "true"
            } else {
                "false"
            }),
            "--show-object-format" | "--show-object-format=storage" => out::line("sha1"),
            "--show-ref-format" => out::line("files"),
            "--show-superproject-working-tree" => {}
            "--git-path" => {
                let name = words.get(at).cloned().unwrap_or_default();
                at += 1;
                let own = [
                    "HEAD",
                    "index",
                    "MERGE_HEAD",
                    "ORIG_HEAD",
                    "FETCH_HEAD",
                    "logs/HEAD",
                    "rebase-merge",
                    "rebase-apply",
                ];
                let base = if own.contains(&show(&name).as_str()) || repo.dir == repo.common {
                    &repo.dir
                } else {
                    &repo.common
                };
                out::line(shown(
                    &[&base[..], b"/", &name].concat(),
                    format_absolute,
                    false,
                ));
            }
            "--all" | "--branches" | "--tags" | "--remotes" => {
                let prefix: &[u8] = match text.as_str() {
                    "--branches" => b"refs/heads/",
                    "--tags" => b"refs/tags/",
                    "--remotes" => b"refs/remotes/",
                    _ => b"refs/",
                };
                for (name, oid) in repo.refs.all(prefix) {
                    if full {
                        out::line(&name);
                    } else if symbolic || abbrev_ref.is_some() {
                        out::line(super::short_ref(&name));
                    } else {
                        print_oid(&oid, not, short);
                    }
                }
            }
            "--" => {
                done = true;
                if !verify {
                    out::line("--");
                }
            }
            "--local-env-vars" => out::line(
                "GIT_ALTERNATE_OBJECT_DIRECTORIES\nGIT_CONFIG\nGIT_CONFIG_PARAMETERS\nGIT_CONFIG_COUNT\nGIT_OBJECT_DIRECTORY\nGIT_DIR\nGIT_WORK_TREE\nGIT_IMPLICIT_WORK_TREE\nGIT_GRAFT_FILE\nGIT_INDEX_FILE\nGIT_NO_REPLACE_OBJECTS\nGIT_REPLACE_REF_BASE\nGIT_PREFIX\nGIT_SHALLOW_FILE\nGIT_COMMON_DIR",
            ),
            "--end-of-options" | "--revs-only" | "--no-revs" | "--flags" | "--no-flags" => {}
            _ if word.first() == Some(&b'-') && word.len() > 1 => {
                if verify {
                    return single(quiet);
                }
                out::line(&word);
            }
            _ => {
                printed += 1;
                if verify && printed > 1 {
                    return single(quiet);
                }
                if let Some(status) = parse_word(
                    &repo,
                    &word,
                    verify,
                    quiet,
                    short,
                    symbolic,
                    full,
                    abbrev_ref.is_some(),
                    not,
                )? {
                    return Ok(status);
                }
            }
        }
    }
    if printed == 0
        && let Some(name) = default
        && let Some(oid) = revision::try_resolve(&repo, &name)?
    {
        print_oid(&oid, not, short);
    } else if verify && printed == 0 {
        return single(quiet);
    }
    Ok(0)
}

fn is_in_dir(repo: &Repo) -> bool {
    let dir = os::real_path(&repo.dir).unwrap_or_default();
    repo.started_in == dir || repo.started_in.starts_with(&[&dir[..], b"/"].concat())
}

fn single(quiet: bool) -> Result<i32> {
    if quiet {
        return Ok(1);
    }
    fatal("Needed a single revision")
}

#[expect(
    clippy::too_many_arguments,
    reason = "the options that hold for a word"
)]
fn parse_word(
    repo: &Repo,
    word: &[u8],
    verify: bool,
    quiet: bool,
    short: Option<usize>,
    symbolic: bool,
    full: bool,
    abbrev_ref: bool,
    not: bool,
) -> Result<Option<i32>> {
    let line = |oid: &Oid, not: bool| {
        let text = match short {
            Some(count) => repo.objects.abbreviate(oid, count),
            None => oid.hex(),
        };
        out::line(format!("{}{text}", if not { "^" } else { "" }));
    };
    if full || abbrev_ref {
        let previous = show(word)
            .strip_prefix("@{-")
            .and_then(|text| text.strip_suffix('}').and_then(|text| text.parse().ok()));
        let upstream = [&b"@{u}"[..], b"@{upstream}", b"@{push}"]
            .iter()
            .find_map(|suffix| word.strip_suffix(*suffix));
        let name = match (previous, upstream) {
            (Some(number), _) => revision::previous_branch(repo, number)
                .and_then(|name| revision::full_ref(repo, &name)),
            (None, Some(branch)) => {
                let branch = if branch.is_empty() || branch == b"HEAD" {
                    repo.branch().unwrap_or_default()
                } else {
                    branch.to_vec()
                };
                match revision::upstream(repo, &branch) {
                    Some(name) => Some(name),
                    None => {
                        return fatal(format!(
                            "no upstream configured for branch '{}'",
                            show(&branch)
                        ));
                    }
                }
            }
            _ => revision::full_ref(repo, word),
        };
        if let Some(name) = name {
            let name = match (&name[..], repo.refs.head_branch()) {
                (b"HEAD", Some(branch)) => branch,
                _ => name,
            };
            out::line(if abbrev_ref {
                super::short_ref(&name)
            } else {
                &name
            });
            return Ok(None);
        }
        if word == b"HEAD" && revision::try_resolve(repo, word)?.is_none() {
            out::line("HEAD");
            return Err(revision::ambiguous(word));
        }
    }
    if !verify
        && (word.windows(2).any(|two| two == b"..")
            || word.ends_with(b"^@")
            || word.ends_with(b"^!")
            || word.first() == Some(&b'^'))
    {
        let mut query = Query::default();
        if query.revision(repo, word)? {
            if query.sides.is_some() || word.windows(2).any(|two| two == b"..") {
                let mut starts = query.starts.clone();
                if query.sides.is_some() {
                    starts.reverse();
                    starts.reverse();
                }
                starts.iter().for_each(|oid| line(oid, not));
            } else {
                query.starts.iter().for_each(|oid| line(oid, not));
            }
            query.without.iter().for_each(|oid| line(oid, !not));
            return Ok(None);
        }
    }
    match revision::try_resolve(repo, word)? {
        Some(_) if symbolic => out::line(word),
        Some(oid) => line(&oid, not),
        None if verify => return single(quiet).map(Some),
        None => {
            let is_file = repo
                .path_of_user(word)
                .is_some_and(|path| os::exists(&path));
            out::line(word);
            if is_file {
                return Ok(None);
            }
            return Err(revision::ambiguous(word));
        }
    }
    Ok(None)
}

/// `git rev-list`.
pub(crate) fn rev_list(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut count, mut objects, mut timestamp, mut children) = (false, false, false, false);
    let mut words = Vec::new();
    let mut no_commit_header = false;
    for word in &call.words {
        match &word[..] {
            b"--count" => count = true,
            b"--objects" => objects = true,
            b"--timestamp" => timestamp = true,
            b"--children" => children = true,
            b"--no-commit-header" => no_commit_header = true,
            b"--commit-header" => no_commit_header = false,
            b"--quiet" => {}
            _ => words.push(word.clone()),
        }
    }
    if children {
        return fatal("codepod's git rev-list does not support --children");
    }
    let formatted = words.iter().any(|word| {
        word.starts_with(b"--format") || word.starts_with(b"--pretty") || word == b"--oneline"
    });
    let (mut state, rest, dashes) = Show::parse(&repo, &words, "log")?;
    state.query.words(&repo, &rest, dashes)?;
    if !state.query.revision_given {
        return Err(args::usage("rev-list", "a revision is needed"));
    }
    let commits = state.query.run(&repo)?;
    let marks = state.query.marks(&repo)?;
    if count {
        if state.query.left_right {
            let left = commits
                .iter()
                .filter(|commit| marks.get(&commit.oid) == Some(&'<'))
                .count();
            out::line(format!("{left}\t{}", commits.len() - left));
        } else {
            out::line(commits.len().to_string());
        }
        return Ok(0);
    }
    for commit in &commits {
        let mark = marks
            .get(&commit.oid)
            .map_or(String::new(), |mark| mark.to_string());
        if formatted {
            let text = pretty::show_commit(&repo, commit, &state.format, &state.context);
            if let Format::User(..) = state.format {
                if !no_commit_header {
                    out::line(format!("commit {mark}{}", commit.oid));
                }
                out::line(text);
            } else {
                out::put(&text);
                out::put(b"\n");
            }
            continue;
        }
        let time = if timestamp {
            format!("{} ", commit.time())
        } else {
            String::new()
        };
        let name = match state.context.abbrev_commit {
            true => repo
                .objects
                .abbreviate(&commit.oid, state.context.abbrev.unwrap_or(repo.abbrev())),
            false => commit.oid.hex(),
        };
        let parents: String = match state.context.parents {
            true => commit
                .parents
                .iter()
                .map(|parent| format!(" {parent}"))
                .collect(),
            false => String::new(),
        };
        out::line(format!("{time}{mark}{name}{parents}"));
    }
    if objects {
        let mut hidden = std::collections::HashSet::new();
        for oid in &state.query.without {
            collect(
                &repo,
                Commit::read(&repo.objects, oid)?.tree,
                b"",
                &mut hidden,
                &mut |_, _| {},
            )?;
        }
        for commit in &commits {
            collect(&repo, commit.tree, b"", &mut hidden, &mut |oid, path| {
                out::line([oid.hex().as_bytes(), b" ", path].concat());
            })?;
        }
    }
    Ok(0)
}

/// Goes through a tree's objects that were not seen yet.
pub(crate) fn collect(
    repo: &Repo,
    tree: Oid,
    path: &[u8],
    seen: &mut std::collections::HashSet<Oid>,
    found: &mut dyn FnMut(Oid, &[u8]),
) -> Result<()> {
    if !seen.insert(tree) {
        return Ok(());
    }
    found(tree, path);
    for entry in crate::object::read_tree(&repo.objects, &tree)? {
        let below = if path.is_empty() {
            entry.name.clone()
        } else {
            [path, b"/", &entry.name].concat()
        };
        match entry.kind() {
            Kind::Tree => collect(repo, entry.oid, &below, seen, found)?,
            Kind::Blob if seen.insert(entry.oid) => found(entry.oid, &below),
            _ => {}
        }
    }
    Ok(())
}

/// `git merge-base`.
pub(crate) fn merge_base(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "merge-base",
        "a|all is-ancestor octopus independent fork-point",
        &call.words,
    )?;
    parsed.refuse(&["fork-point"])?;
    let repo = call.repo()?;
    let mut commits = Vec::new();
    for word in &parsed.words {
        match revision::try_resolve(&repo, word)? {
            Some(oid) => match revision::peel(&repo, oid, Some(Kind::Commit)) {
                Ok(oid) => commits.push(oid),
                Err(_) => return fatal(format!("Not a valid commit name {}", show(word))),
            },
            None => return fatal(format!("Not a valid object name {}", show(word))),
        }
    }
    if parsed.has("is-ancestor") {
        let [old, new] = commits[..] else {
            return fatal("--is-ancestor takes exactly two commits");
        };
        return Ok(i32::from(!walk::is_ancestor(&repo, old, new)?));
    }
    if parsed.has("independent") {
        for commit in &commits {
            let mut reached = false;
            for other in commits.iter().filter(|other| *other != commit) {
                reached |= walk::is_ancestor(&repo, *commit, *other)?;
            }
            if !reached {
                out::line(commit.hex());
            }
        }
        return Ok(0);
    }
    let [first, second, ..] = commits[..] else {
        return Err(args::usage("merge-base", "two commits are needed"));
    };
    let mut bases = walk::merge_bases(&repo, first, second)?;
    if parsed.has("octopus") {
        for other in &commits[2..] {
            let mut next = Vec::new();
            for base in &bases {
                next.extend(walk::merge_bases(&repo, *base, *other)?);
            }
            bases = next;
        }
    }
    let count = if parsed.has("all") { bases.len() } else { 1 };
    bases
        .iter()
        .take(count)
        .for_each(|oid| out::line(oid.hex()));
    Ok(i32::from(bases.is_empty()))
}

/// `git describe`.
pub(crate) fn describe(call: &Call) -> Result<i32> {
    let table = "contains debug all tags long first-parent abbrev= exact-match candidates= match= exclude= always dirty? broken?";
    let parsed = args::parse("describe", table, &call.words)?;
    parsed.refuse(&["contains", "debug", "broken"])?;
    let repo = call.repo()?;
    let abbrev = match parsed.text("abbrev") {
        Some(count) => count.parse::<usize>().ok(),
        None => None,
    };
    // (priority, name) of each commit; annotated tags come first.
    let mut names: HashMap<Oid, (u8, i64, Vec<u8>)> = HashMap::new();
    for (full, oid) in repo.refs.all(b"refs/") {
        let is_tag = full.starts_with(b"refs/tags/");
        if !is_tag && !parsed.has("all") {
            continue;
        }
        let short = full.strip_prefix(b"refs/tags/").unwrap_or(&full);
        let matches = |pattern: &Vec<u8>| wildmatch::matches(pattern, short, Slashes::Pass, false);
        if (!parsed.values("match").is_empty() && !parsed.values("match").iter().any(matches))
            || parsed.values("exclude").iter().any(matches)
        {
            continue;
        }
        let (kind, content) = repo.objects.read(&oid)?;
        let mut when = 0;
        let priority = match (kind, is_tag) {
            (Kind::Tag, _) => {
                when = Tag::parse(&content).map_or(0, |tag| crate::object::who_time(&tag.tagger).0);
                2
            }
            (_, true) => 1,
            _ => 0,
        };
        if priority < 2 && !parsed.has("tags") && !parsed.has("all") {
            continue;
        }
        let Ok(target) = revision::peel(&repo, oid, Some(Kind::Commit)) else {
            continue;
        };
        let name = match parsed.has("all") {
            true => full.strip_prefix(b"refs/").unwrap_or(&full).to_vec(),
            false => short.to_vec(),
        };
        let better = names
            .get(&target)
            .is_none_or(|(old, time, _)| (priority, when) > (*old, *time));
        if better {
            names.insert(target, (priority, when, name));
        }
    }
    let words = if parsed.words.is_empty() {
        vec![b"HEAD".to_vec()]
    } else {
        parsed.words.clone()
    };
    for word in words {
        let Some(oid) = revision::try_resolve(&repo, &word)? else {
            return fatal(format!("Not a valid object name {}", show(&word)));
        };
        let oid = revision::peel(&repo, oid, Some(Kind::Commit))?;
        let mut text = describe_one(&repo, oid, &names, abbrev, &parsed)?;
        if parsed.has("dirty") {
            let mut index = repo.index()?;
            crate::diff::change::refresh(&repo, &mut index)?;
            let paths = crate::pathspec::Pathspec::default();
            let tree = super::head_tree(&repo)?;
            if !crate::diff::change::tree_to_files(&repo, tree, &index, &paths)?.is_empty() {
                text += &parsed.text("dirty").unwrap_or_else(|| "-dirty".to_owned());
            }
        }
        out::line(text);
    }
    Ok(0)
}

fn describe_one(
    repo: &Repo,
    oid: Oid,
    names: &HashMap<Oid, (u8, i64, Vec<u8>)>,
    abbrev: Option<usize>,
    parsed: &args::Parsed,
) -> Result<String> {
    let digits = |oid: &Oid| {
        repo.objects.abbreviate(
            oid,
            abbrev.filter(|count| *count > 0).unwrap_or(repo.abbrev()),
        )
    };
    if let Some((_, _, name)) = names.get(&oid) {
        return Ok(match parsed.has("long") {
            true => format!("{}-0-g{}", show(name), digits(&oid)),
            false => show(name),
        });
    }
    if parsed.has("exact-match") {
        return fatal(format!("no tag exactly matches '{oid}'"));
    }
    let commits = walk::range(repo, &[oid], &[], parsed.has("first-parent"))?;
    // The tag with the fewest commits between.
    let mut best: Option<(usize, Oid)> = None;
    let mut tried = 0;
    for commit in &commits {
        if names.contains_key(&commit.oid) {
            let between =
                walk::range(repo, &[oid], &[commit.oid], parsed.has("first-parent"))?.len();
            if best.is_none_or(|(count, _)| between < count) {
                best = Some((between, commit.oid));
            }
            tried += 1;
            if tried >= 10 {
                break;
            }
        }
    }
    match best {
        Some((count, tag)) => {
            let name = show(&names[&tag].2);
            if abbrev == Some(0) {
                return Ok(name);
            }
            Ok(format!("{name}-{count}-g{}", digits(&oid)))
        }
        None if parsed.has("always") => Ok(digits(&oid)),
        None => {
            let any = repo.refs.all(b"refs/tags/");
            if any.is_empty() || parsed.has("tags") {
                return fatal(match any.is_empty() {
                    true => "No names found, cannot describe anything.".to_owned(),
                    false => {
                        format!("No tags can describe '{oid}'.\nTry --always, or create some tags.")
                    }
                });
            }
            let _ = Stop::Status(0);
            fatal(format!(
                "No annotated tags can describe '{oid}'.\nHowever, there were unannotated tags: try --tags."
            ))
        }
    }
}
