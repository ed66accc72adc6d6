//! `git clone` of a path.

use super::branch::set_upstream;
use super::transfer::{self, Other};
use super::{Call, init, remote, short_ref, switch_head};
use crate::args::options;
use crate::config::set_value;
use crate::ident::{Role, identity};
use crate::index::Index;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::{Global, Repo};
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "clone" {
        quiet: bool = "q|quiet",
        no_checkout: bool = "n|no-checkout",
        bare: bool = "bare",
        origin: Option<Vec<u8>> = "o|origin=",
        branch: Option<Vec<u8>> = "b|branch=",
        no_tags: bool = "no-tags",
        config: Vec<Vec<u8>> = "c|config=",
    }
    ignored "v|verbose progress l|local no-hardlinks j|jobs= template= dissociate u|upload-pack= \
        no-single-branch shallow-submodules"
    refused "mirror s|shared reference= depth= separate-git-dir= filter= sparse \
        recurse-submodules? recursive? single-branch"
}

/// A new repository and the one that it comes from.
struct Pair<'a> {
    options: &'a Options,
    other: &'a Other,
    repo: Repo,
    /// The path of the other one, as the new one keeps it.
    url: Vec<u8>,
    /// The name of the other one.
    origin: Vec<u8>,
    /// The full name of the branch that is checked out; a tag's too, where one was named.
    branch: Option<Vec<u8>>,
}

/// `git clone`.
pub(crate) fn clone(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let Some(source) = rest.words.first() else {
        return fatal("You must specify a repository to clone.");
    };
    let started = os::cwd()?;
    let path = source_path(source, &started)?;
    let target = match rest.words.get(1) {
        Some(target) => target.clone(),
        None => default_target(&path, options.bare),
    };
    check_paths(source, &path, &target)?;
    if !options.quiet {
        let kind = if options.bare { "bare repository " } else { "" };
        out::note(format!("Cloning into {kind}'{}'...", show(&target)));
    }
    let other = transfer::open(&path, &started)?;
    let branch = first_branch(&other, &options)?;
    let url = url(source, &path, &other)?;
    os::mkdir_all(&target)?;
    os::chdir(&target)?;
    let pair = Pair {
        repo: create(call, branch.as_deref(), &options)?,
        origin: options.origin.as_deref().unwrap_or(b"origin").to_vec(),
        options: &options,
        other: &other,
        url,
        branch,
    };
    pair.add_remote()?;
    pair.fill()?;
    Ok(0)
}

fn exists(path: &[u8]) -> bool {
    os::exists(path) || os::exists(&[path, b".git"].concat())
}

/// The absolute path of what is cloned. There is no network, so a URL is refused.
fn source_path(source: &[u8], started: &[u8]) -> Result<Vec<u8>> {
    let text = show(source);
    let is_url = text.contains("://") && !text.starts_with("file://");
    let path = source.strip_prefix(b"file://").unwrap_or(source);
    let whole = match path.first() {
        Some(b'/') => path.to_vec(),
        _ => [started, b"/", path].concat(),
    };
    if is_url || (!exists(&whole) && text.contains(':')) {
        return fatal(format!(
            "codepod's git has no network: '{text}' is not a path"
        ));
    }
    Ok(whole)
}

/// The last part of a path, without `.git` but for a bare repository.
fn default_target(path: &[u8], bare: bool) -> Vec<u8> {
    let base = path.strip_suffix(b"/").unwrap_or(path);
    let base = base.strip_suffix(b"/.git").unwrap_or(base);
    let name = base.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let name = name.strip_suffix(b".git").unwrap_or(name);
    match bare {
        true => [name, b".git"].concat(),
        false => name.to_vec(),
    }
}

fn check_paths(source: &[u8], path: &[u8], target: &[u8]) -> Result<()> {
    if !exists(path) {
        return fatal(format!("repository '{}' does not exist", show(source)));
    }
    if os::exists(target) && os::list(target).map_or(true, |names| !names.is_empty()) {
        return fatal(format!(
            "destination path '{}' already exists and is not an empty directory.",
            show(target)
        ));
    }
    Ok(())
}

/// The branch that `--branch` names, or the other repository's own.
fn first_branch(other: &Other, options: &Options) -> Result<Option<Vec<u8>>> {
    let Some(name) = &options.branch else {
        return Ok(other.refs.head_branch());
    };
    let branch = [b"refs/heads/", &name[..]].concat();
    if other.refs.resolve(&branch).is_none() && tag(other, name).is_none() {
        return fatal(format!(
            "Remote branch {} not found in upstream origin",
            show(name)
        ));
    }
    Ok(Some(branch))
}

fn tag(other: &Other, name: &[u8]) -> Option<Oid> {
    other.refs.resolve(&[b"refs/tags/", name].concat())
}

/// The path of the other repository as git writes it: absolute, with the `.git` that was named.
fn url(source: &[u8], path: &[u8], other: &Other) -> Result<Vec<u8>> {
    if source.starts_with(b"file://") {
        return Ok(source.to_vec());
    }
    let named = path.strip_suffix(b"/").unwrap_or(path);
    if os::exists(named) {
        return Ok(os::real_path(named)?);
    }
    let dir = &other.dir[..];
    Ok(dir.strip_suffix(b"/.git").unwrap_or(dir).to_vec())
}

/// Makes the new repository in the working directory.
fn create(call: &Call, branch: Option<&[u8]>, options: &Options) -> Result<Repo> {
    let dir: &[u8] = if options.bare { b"." } else { b".git" };
    init::create(dir, options.bare, branch.map_or(b"master", short_ref))?;
    for setting in &options.config {
        if let Some(at) = setting.iter().position(|byte| *byte == b'=') {
            let key = setting[..at].to_ascii_lowercase();
            let file = [dir, b"/config"].concat();
            set_value(&file, &key, Some(&setting[at + 1..]))?;
        }
    }
    Repo::discover(&Global {
        settings: call.global.settings.clone(),
        ..Global::default()
    })
}

impl Pair<'_> {
    fn add_remote(&self) -> Result<()> {
        if !self.options.bare {
            return remote::add(&self.repo, &self.origin, &self.url);
        }
        let key = [b"remote.", &self.origin[..], b".url"].concat();
        set_value(&self.repo.shared("config"), &key, Some(&self.url))
    }

    /// Copies what the other repository has, and checks a branch out.
    fn fill(&self) -> Result<()> {
        let branches = self.other.refs.all(b"refs/heads/");
        self.copy(&branches)?;
        if branches.is_empty() {
            out::warn("You appear to have cloned an empty repository.");
            return match &self.branch {
                Some(branch) if !self.options.bare => self.follow(branch),
                _ => Ok(()),
            };
        }
        if !self.options.bare && !self.check_out()? {
            out::warn("remote HEAD refers to nonexistent ref, unable to checkout");
            return Ok(());
        }
        if !self.options.quiet {
            out::note("done.");
        }
        Ok(())
    }

    /// Copies objects and references.
    fn copy(&self, branches: &[(Vec<u8>, Oid)]) -> Result<()> {
        let (repo, other) = (&self.repo, self.other);
        let tags = match self.options.no_tags {
            true => Vec::new(),
            false => other.refs.all(b"refs/tags/"),
        };
        let mut starts: Vec<Oid> = branches.iter().chain(&tags).map(|(_, oid)| *oid).collect();
        starts.extend(other.refs.resolve(b"HEAD"));
        transfer::copy(&other.objects, &repo.objects, &starts)?;
        for (full, oid) in branches {
            let to = match self.options.bare {
                true => full.clone(),
                false => self.tracking(short_ref(full)),
            };
            repo.refs.write(&to, *oid, None)?;
        }
        for (full, oid) in &tags {
            repo.refs.write(full, *oid, None)?;
        }
        Ok(())
    }

    /// The reference here for a branch of the other repository.
    fn tracking(&self, branch: &[u8]) -> Vec<u8> {
        [b"refs/remotes/", &self.origin[..], b"/", branch].concat()
    }

    /// Lets a branch follow the other repository's.
    fn follow(&self, branch: &[u8]) -> Result<()> {
        let short = short_ref(branch);
        set_upstream(&self.repo, short, &self.tracking(short), true)
    }

    /// Sets `HEAD`, the index and the working tree; false where there is no commit for it.
    fn check_out(&self) -> Result<bool> {
        let (repo, refs) = (&self.repo, &self.other.refs);
        if let Some(head) = refs.head_branch()
            && let Some(short) = head.strip_prefix(b"refs/heads/")
            && refs.resolve(&head).is_some()
        {
            let (from, to) = (self.tracking(b"HEAD"), self.tracking(short));
            repo.refs.write_symbolic(&from, &to)?;
        }
        let branch = self.branch.as_deref();
        let branch = branch.filter(|branch| refs.resolve(branch).is_some());
        let oid = match (branch, &self.options.branch) {
            (Some(branch), _) => refs.resolve(branch),
            (None, Some(name)) => tag(self.other, name),
            (None, None) if self.branch.is_none() => refs.resolve(b"HEAD"),
            (None, None) => None,
        };
        let Some(oid) = oid else {
            return Ok(false);
        };
        let oid = revision::peel(repo, oid, Some(Kind::Commit))?;
        self.set_head(branch, oid)?;
        if !self.options.no_checkout {
            let mut index = Index::default();
            let tree = Commit::read(&repo.objects, &oid)?.tree;
            worktree::reset_hard(repo, tree, &mut index)?;
            repo.write_index(&index)?;
        }
        Ok(true)
    }

    fn set_head(&self, branch: Option<&[u8]>, oid: Oid) -> Result<()> {
        let repo = &self.repo;
        let log = format!("clone: from {}", show(&self.url));
        let Some(branch) = branch else {
            return switch_head(repo, None, oid, log.as_bytes());
        };
        self.follow(branch)?;
        let who = identity(repo, Role::Committer, false)?;
        repo.refs.write(branch, oid, Some((&who, log.as_bytes())))?;
        repo.refs.log(b"HEAD", Oid::NULL, oid, &who, log.as_bytes())
    }
}
