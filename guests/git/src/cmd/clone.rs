//! `git clone` of a path.

use super::{Call, switch_head};
use super::{remote, transfer};
use crate::args;
use crate::index::Index;
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::{Global, Repo};
use crate::stop::{Result, fatal, show};
use crate::worktree;

/// `git clone`.
pub(crate) fn clone(call: &Call) -> Result<i32> {
    let table = "v|verbose q|quiet progress n|no-checkout bare mirror l|local no-hardlinks s|shared recurse-submodules? recursive? j|jobs= template= \
                 reference= dissociate o|origin= b|branch= u|upload-pack= depth= single-branch no-single-branch no-tags shallow-submodules c|config= \
                 separate-git-dir= filter= sparse";
    let parsed = args::parse("clone", table, &call.words)?;
    parsed.refuse(&[
        "mirror",
        "shared",
        "reference",
        "depth",
        "separate-git-dir",
        "filter",
        "sparse",
        "recurse-submodules",
        "recursive",
        "single-branch",
    ])?;
    let Some(source) = parsed.words.first() else {
        return fatal("You must specify a repository to clone.");
    };
    let started = os::cwd()?;
    let text = show(source);
    let is_url = text.contains("://") && !text.starts_with("file://");
    let path = source.strip_prefix(b"file://").unwrap_or(source);
    let whole = if path.first() == Some(&b'/') {
        path.to_vec()
    } else {
        [&started[..], b"/", path].concat()
    };
    if is_url
        || (!os::exists(&whole)
            && !os::exists(&[&whole[..], b".git"].concat())
            && text.contains(':'))
    {
        return fatal(format!(
            "codepod's git has no network: '{text}' is not a path"
        ));
    }
    let base = whole.strip_suffix(b"/").unwrap_or(&whole);
    let base = base.strip_suffix(b"/.git").unwrap_or(base);
    let bare = parsed.has("bare");
    let name = base.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let name = name.strip_suffix(b".git").unwrap_or(name);
    let target = match parsed.words.get(1) {
        Some(target) => target.clone(),
        None if bare => [name, b".git"].concat(),
        None => name.to_vec(),
    };
    if !os::exists(&whole) && !os::exists(&[&whole[..], b".git"].concat()) {
        return fatal(format!("repository '{text}' does not exist"));
    }
    if os::exists(&target) && os::list(&target).map_or(true, |names| !names.is_empty()) {
        return fatal(format!(
            "destination path '{}' already exists and is not an empty directory.",
            show(&target)
        ));
    }
    if !parsed.has("quiet") {
        match bare {
            true => out::note(format!(
                "Cloning into bare repository '{}'...",
                show(&target)
            )),
            false => out::note(format!("Cloning into '{}'...", show(&target))),
        }
    }
    let other = transfer::open(&whole, &started)?;
    let head_name = other.refs.head_branch();
    let branch = match parsed.value("branch") {
        Some(name) => {
            let full = [b"refs/heads/", name].concat();
            if other.refs.resolve(&full).is_none()
                && other
                    .refs
                    .resolve(&[b"refs/tags/", name].concat())
                    .is_none()
            {
                return fatal(format!(
                    "Remote branch {} not found in upstream origin",
                    show(name)
                ));
            }
            Some(full)
        }
        None => head_name.clone(),
    };
    let place = other
        .dir
        .strip_suffix(b"/.git")
        .map_or(other.dir.clone(), <[u8]>::to_vec);
    let shown_source = match text.starts_with("file://") {
        true => source.clone(),
        false => {
            // As git writes it: absolute, with the `.git` that the user named.
            let named = whole.strip_suffix(b"/").unwrap_or(&whole).to_vec();
            if os::exists(&named) {
                os::real_path(&named)?
            } else {
                [&place[..], b""].concat()
            }
        }
    };
    os::mkdir_all(&target)?;
    os::chdir(&target)?;
    let dir: &[u8] = if bare { b"." } else { b".git" };
    let first = branch
        .as_ref()
        .map_or(b"master".to_vec(), |name| super::short_ref(name).to_vec());
    super::init::create(dir, bare, &first)?;
    let mut global = Global {
        settings: call.global.settings.clone(),
        ..Global::default()
    };
    for setting in parsed.values("config") {
        if let Some(at) = setting.iter().position(|byte| *byte == b'=') {
            super::branch::set_value(
                &[dir, b"/config"].concat(),
                &setting[..at].to_ascii_lowercase(),
                Some(&setting[at + 1..]),
            )?;
        }
    }
    global.git_dir = None;
    let repo = Repo::discover(&global)?;
    let origin = parsed.value("origin").unwrap_or(b"origin").to_vec();
    if bare {
        super::branch::set_value(
            &repo.shared("config"),
            &[b"remote.", &origin[..], b".url"].concat(),
            Some(&shown_source),
        )?;
    } else {
        remote::add(&repo, &origin, &shown_source)?;
    }
    let branches = other.refs.all(b"refs/heads/");
    let tags = if parsed.has("no-tags") {
        Vec::new()
    } else {
        other.refs.all(b"refs/tags/")
    };
    let mut starts: Vec<Oid> = branches.iter().chain(&tags).map(|(_, oid)| *oid).collect();
    starts.extend(other.refs.resolve(b"HEAD"));
    transfer::copy(&other.objects, &repo.objects, &starts)?;
    let who = crate::ident::identity(&repo, crate::ident::Role::Committer, false)?;
    let log = format!("clone: from {}", show(&shown_source));
    for (full, oid) in &branches {
        let to = match bare {
            true => full.clone(),
            false => [
                b"refs/remotes/",
                &origin[..],
                b"/",
                &full[b"refs/heads/".len()..],
            ]
            .concat(),
        };
        repo.refs.write(&to, *oid, None)?;
    }
    for (full, oid) in &tags {
        repo.refs.write(full, *oid, None)?;
    }
    if branches.is_empty() {
        out::warn("You appear to have cloned an empty repository.");
        if let (Some(branch), false) = (&branch, bare) {
            let short = super::short_ref(branch).to_vec();
            super::branch::set_upstream(
                &repo,
                &short,
                &[b"refs/remotes/", &origin[..], b"/", &short].concat(),
                true,
            )?;
        }
        return Ok(0);
    }
    if bare {
        if !parsed.has("quiet") {
            out::note("done.");
        }
        return Ok(0);
    }
    if let Some(head) = &head_name
        && let Some(short) = head.strip_prefix(b"refs/heads/")
        && other.refs.resolve(head).is_some()
    {
        let prefix = [b"refs/remotes/", &origin[..], b"/"].concat();
        repo.refs.write_symbolic(
            &[&prefix[..], b"HEAD"].concat(),
            &[&prefix[..], short].concat(),
        )?;
    }
    let target_oid = match &branch {
        Some(branch) => other.refs.resolve(branch).or_else(|| {
            parsed
                .value("branch")
                .and_then(|name| other.refs.resolve(&[b"refs/tags/", name].concat()))
        }),
        None => other.refs.resolve(b"HEAD"),
    };
    let Some(oid) = target_oid else {
        out::warn("remote HEAD refers to nonexistent ref, unable to checkout");
        return Ok(0);
    };
    let oid = crate::revision::peel(&repo, oid, Some(crate::oid::Kind::Commit))?;
    match branch.filter(|branch| other.refs.resolve(branch).is_some()) {
        Some(branch) => {
            let short = super::short_ref(&branch).to_vec();
            super::branch::set_upstream(
                &repo,
                &short,
                &[b"refs/remotes/", &origin[..], b"/", &short].concat(),
                true,
            )?;
            repo.refs
                .write(&branch, oid, Some((&who, log.as_bytes())))?;
            repo.refs
                .log(b"HEAD", Oid::NULL, oid, &who, log.as_bytes())?;
        }
        None => switch_head(&repo, None, oid, log.as_bytes())?,
    }
    if !parsed.has("no-checkout") {
        let mut index = Index::default();
        let tree = Commit::read(&repo.objects, &oid)?.tree;
        worktree::reset_hard(&repo, tree, &mut index)?;
        repo.write_index(&index)?;
    }
    if !parsed.has("quiet") {
        out::note("done.");
    }
    Ok(0)
}
