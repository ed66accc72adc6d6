//! `git worktree`.

use super::Call;
use crate::args;
use crate::index::Index;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// All working trees: where each is, and its part of the repository. The main one comes first.
pub(crate) fn all(repo: &Repo) -> Vec<(Vec<u8>, Vec<u8>)> {
    let common = os::real_path(&repo.common).unwrap_or_else(|_| repo.common.clone());
    let main = common
        .strip_suffix(b"/.git")
        .map_or(common.clone(), <[u8]>::to_vec);
    let mut found = vec![(
        if main.is_empty() { b"/".to_vec() } else { main },
        common.clone(),
    )];
    let directory = [&common[..], b"/worktrees"].concat();
    for (name, _) in os::list(&directory).unwrap_or_default() {
        let dir = [&directory[..], b"/", &name].concat();
        let Ok(link) = os::read(&[&dir[..], b"/gitdir"].concat()) else {
            continue;
        };
        let place = link.trim_ascii_end();
        found.push((place.strip_suffix(b"/.git").unwrap_or(place).to_vec(), dir));
    }
    found
}

/// `git worktree`.
pub(crate) fn worktree(call: &Call) -> Result<i32> {
    let Some((first, rest)) = call.words.split_first() else {
        return Err(args::usage("worktree", "need a subcommand"));
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
        _ => Err(args::usage(
            "worktree",
            format!("unknown subcommand: `{}'", show(first)),
        )),
    }
}

fn list(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "worktree list",
        "porcelain v|verbose expire= z|",
        &call.words,
    )?;
    let repo = call.repo()?;
    let mut rows = Vec::new();
    for (place, dir) in all(&repo) {
        let head = os::read(&[&dir[..], b"/HEAD"].concat()).unwrap_or_default();
        let refs = crate::refs::Refs {
            own: dir.clone(),
            common: repo.common.clone(),
        };
        let bare = dir == os::real_path(&repo.common).unwrap_or_default()
            && repo.config.truth("core.bare") == Some(true);
        rows.push((
            place,
            refs.resolve(b"HEAD").unwrap_or(Oid::NULL),
            head.strip_prefix(b"ref: ")
                .map(|name| name.trim_ascii_end().to_vec()),
            bare,
        ));
    }
    if parsed.has("porcelain") {
        for (place, oid, branch, bare) in rows {
            out::line([b"worktree ", &place[..]].concat());
            if bare {
                out::line("bare\n");
                continue;
            }
            out::line(format!("HEAD {oid}"));
            match branch {
                Some(branch) => out::line([b"branch ", &branch[..], b"\n"].concat()),
                None => out::line("detached\n"),
            }
        }
        return Ok(0);
    }
    let width = rows
        .iter()
        .map(|(place, ..)| show(place).chars().count())
        .max()
        .unwrap_or(0);
    for (place, oid, branch, bare) in rows {
        let place = show(&place);
        let pad = " ".repeat(width - place.chars().count());
        if bare {
            out::line(format!("{place}{pad}  (bare)"));
            continue;
        }
        let oid = if oid.is_null() {
            "0".repeat(repo.abbrev())
        } else {
            repo.short(&oid)
        };
        let branch = branch.map_or("(detached HEAD)".to_owned(), |branch| {
            format!("[{}]", show(super::short_ref(&branch)))
        });
        out::line(format!("{place}{pad}  {oid} {branch}"));
    }
    Ok(0)
}

fn add(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "worktree add",
        "f|force b|= B|= d|detach checkout lock reason= q|quiet track? guess-remote orphan relative-paths",
        &call.words,
    )?;
    parsed.refuse(&["lock", "orphan", "relative-paths", "reason"])?;
    let repo = call.repo()?;
    let Some(word) = parsed.words.first() else {
        return Err(args::usage("worktree add", "a path is needed"));
    };
    let place = match word.first() {
        Some(b'/') => word.clone(),
        _ => [&repo.started_in[..], b"/", word].concat(),
    };
    let place = os::real_path(&place)?;
    if os::exists(&place) && os::list(&place).map_or(true, |names| !names.is_empty()) {
        return fatal(format!("'{}' already exists", show(word)));
    }
    let name = place
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default()
        .to_vec();
    let mut create = parsed.value("b").or(parsed.value("B")).map(<[u8]>::to_vec);
    let mut start = parsed.words.get(1).cloned();
    let mut branch = None;
    if create.is_none() && !parsed.has("detach") {
        match &start {
            None => {
                let exists = repo
                    .refs
                    .resolve(&[b"refs/heads/", &name[..]].concat())
                    .is_some();
                if exists {
                    branch = Some(name.clone());
                    start = Some(name.clone());
                } else {
                    create = Some(name.clone());
                }
            }
            Some(word)
                if repo
                    .refs
                    .resolve(&[b"refs/heads/", &word[..]].concat())
                    .is_some() =>
            {
                branch = Some(word.clone())
            }
            Some(_) => {}
        }
    }
    let start = start.unwrap_or_else(|| b"HEAD".to_vec());
    let Some(oid) = revision::try_resolve(&repo, &start)? else {
        return fatal(format!("invalid reference: {}", show(&start)));
    };
    let oid = revision::peel(&repo, oid, Some(Kind::Commit))?;
    if let Some(branch) = &branch {
        let own = repo.branch().as_ref() == Some(branch);
        if own && !parsed.has("force") {
            let place = show(repo.work_tree.as_deref().unwrap_or(b""));
            return fatal(format!(
                "'{}' is already used by worktree at '{place}'",
                show(branch)
            ));
        }
        super::branch::check_not_elsewhere(&repo, branch, false)?;
    }
    if !parsed.has("quiet") {
        let short = repo.short(&oid);
        out::note(match (&create, &branch) {
            (Some(name), _) => format!("Preparing worktree (new branch '{}')", show(name)),
            (None, Some(name)) => format!("Preparing worktree (checking out '{}')", show(name)),
            _ => format!("Preparing worktree (detached HEAD {short})"),
        });
    }
    if let Some(name) = &create {
        super::branch::create(
            &repo,
            name,
            Some(&start),
            parsed.value("B").is_some(),
            false,
            parsed.has("quiet"),
        )?;
        branch = Some(name.clone());
    }
    let common = os::real_path(&repo.common)?;
    let mut dir = [&common[..], b"/worktrees/", &name].concat();
    let mut number = 0;
    while os::exists(&dir) {
        number += 1;
        dir = [
            &common[..],
            b"/worktrees/",
            &name,
            number.to_string().as_bytes(),
        ]
        .concat();
    }
    os::mkdir_all(&dir)?;
    os::mkdir_all(&place)?;
    let at = |file: &str| [&dir[..], b"/", file.as_bytes()].concat();
    os::write(&at("commondir"), b"../..\n")?;
    os::write(&at("gitdir"), &[&place[..], b"/.git\n"].concat())?;
    os::write(
        &[&place[..], b"/.git"].concat(),
        &[b"gitdir: ", &dir[..], b"\n"].concat(),
    )?;
    let head = match &branch {
        Some(branch) => [b"ref: refs/heads/", &branch[..], b"\n"].concat(),
        None => format!("{oid}\n").into_bytes(),
    };
    os::write(&at("HEAD"), &head)?;
    os::chdir(&place)?;
    let global = crate::repo::Global {
        settings: call.global.settings.clone(),
        ..Default::default()
    };
    let tree_repo = Repo::discover(&global)?;
    let who = crate::ident::identity(&tree_repo, crate::ident::Role::Committer, false)?;
    tree_repo.refs.log(b"HEAD", Oid::NULL, oid, &who, b"")?;
    let commit = Commit::read(&repo.objects, &oid)?;
    let mut index = Index::default();
    crate::worktree::reset_hard(&tree_repo, commit.tree, &mut index)?;
    tree_repo.write_index(&index)?;
    if !parsed.has("quiet") {
        out::line(format!(
            "HEAD is now at {} {}",
            repo.short(&oid),
            show(&commit.subject())
        ));
    }
    Ok(0)
}

fn find(repo: &Repo, word: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let path = match word.first() {
        Some(b'/') => word.to_vec(),
        _ => [&repo.started_in[..], b"/", word].concat(),
    };
    let path = os::real_path(&path)?;
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
    let parsed = args::parse("worktree remove", "f|force", &call.words)?;
    let repo = call.repo()?;
    let Some(word) = parsed.words.first() else {
        return Err(args::usage("worktree remove", "a working tree is needed"));
    };
    let (place, dir) = find(&repo, word)?;
    if dir == os::real_path(&repo.common)? {
        return fatal(format!("'{}' is a main working tree", show(word)));
    }
    if !parsed.has("force") && os::exists(&place) {
        os::chdir(&place)?;
        let other = Repo::discover(&crate::repo::Global::default())?;
        let index = other.index()?;
        let state = super::status::collect(
            &other,
            &index,
            super::status::Untracked::Normal,
            None,
            &Default::default(),
            false,
        )?;
        if !(state.staged.is_empty() && state.unstaged.is_empty() && state.untracked.is_empty()) {
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

fn prune(call: &Call) -> Result<i32> {
    let parsed = args::parse("worktree prune", "n|dry-run v|verbose expire=", &call.words)?;
    let repo = call.repo()?;
    for (place, dir) in all(&repo).into_iter().skip(1) {
        if os::exists(&[&place[..], b"/.git"].concat()) {
            continue;
        }
        let name = show(dir.rsplit(|byte| *byte == b'/').next().unwrap_or_default());
        if parsed.has("dry-run") || parsed.has("verbose") {
            out::note(format!(
                "Removing worktrees/{name}: gitdir file points to non-existent location"
            ));
        }
        if !parsed.has("dry-run") {
            os::remove_tree(&dir)?;
        }
    }
    Ok(0)
}
