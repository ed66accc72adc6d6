//! `git clone` of a path or a URL.

use super::branch::set_upstream;
use super::fetch::parse_depth;
use super::transfer::{self, For, Other};
use super::{Call, head, init, remotes, short_ref, switch_head};
use crate::args::options;
use crate::config::{Config, Entry, Level, canonical, set_value};
use crate::ident::{Role, identity};
use crate::index::Index;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::{Global, Repo, outside_config};
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::wire::fetch::{Depth, Wanted};
use crate::wire::session::{anonymous, is_url};
use crate::{date, worktree};

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
        depth: Option<String> = "depth=",
        since: Option<String> = "shallow-since=",
        single: Option<bool> = "single-branch",
    }
    ignored "v|verbose progress l|local no-hardlinks j|jobs= template= dissociate u|upload-pack= \
        shallow-submodules no-recurse-submodules"
    refused "mirror s|shared reference= separate-git-dir= filter= sparse shallow-exclude= \
        recurse-submodules? recursive? bundle-uri= revision= o|server-option= ref-format="
}

impl Options {
    fn depth(&self) -> Result<Depth> {
        if let Some(time) = &self.since {
            return Ok(Depth::Since(date::approximate(time, date::now())));
        }
        self.depth.as_deref().map_or(Ok(Depth::AsItIs), |count| {
            parse_depth(count).map(Depth::Commits)
        })
    }

    /// Whether only one branch comes.
    fn is_single(&self) -> bool {
        self.single
            .unwrap_or(self.depth.is_some() || self.since.is_some())
    }
}

/// A new repository and the one that it comes from.
struct Pair<'a> {
    options: &'a Options,
    other: &'a Other,
    repo: Repo,
    /// The place of the other one, as the new one keeps it.
    url: Vec<u8>,
    /// The name of the other one.
    origin: Vec<u8>,
    /// The full name of the branch that is checked out; a tag's too, where one was named.
    branch: Option<Vec<u8>>,
    /// How far back history goes.
    depth: Depth,
}

/// `git clone`.
pub(crate) fn clone(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let Some(source) = rest.words.first() else {
        return fatal("You must specify a repository to clone.");
    };
    let started = os::cwd()?;
    let config = outside_config(&call.global)?;
    let at_url = is_url(&remotes::rewritten(&config, source, false));
    let path = match at_url {
        true => source.clone(),
        false => source_path(&config, source, &started)?,
    };
    let target = match rest.words.get(1) {
        Some(target) => target.clone(),
        None => default_target(&path, options.bare, at_url)?,
    };
    let mut depth = options.depth()?;
    check_paths(source, &path, &target, at_url)?;
    if !at_url && depth != Depth::AsItIs && !source.starts_with(b"file://") {
        out::warn("--depth is ignored in local clones; use file:// instead.");
        depth = Depth::AsItIs;
    }
    if !options.quiet {
        let kind = if options.bare { "bare repository " } else { "" };
        out::note(format!("Cloning into {kind}'{}'...", show(&target)));
    }
    let mut settings = config;
    for setting in &options.config {
        add_setting(&mut settings, setting);
    }
    let all = For::Fetch(&[]);
    let other = transfer::open(&settings, &path, &started, all, options.quiet)?;
    let branch = first_branch(&other, &options)?;
    let url = url(source, &path, &other)?;
    let was_there = os::exists(&target);
    os::mkdir_all(&target)?;
    os::chdir(&target)?;
    let here = os::cwd()?;
    let made = make(call, &options, &other, (url, branch, depth));
    if made.is_err() {
        // What was begun goes again; a directory that was there stays.
        let _ = os::chdir(&started);
        match was_there {
            true => clear(&here),
            false => drop(os::remove_tree(&here)),
        }
    }
    made.map(|()| 0)
}

/// Fills the working directory.
fn make(
    call: &Call,
    options: &Options,
    other: &Other,
    (url, branch, depth): (Vec<u8>, Option<Vec<u8>>, Depth),
) -> Result<()> {
    let pair = Pair {
        repo: create(call, branch.as_deref(), options)?,
        origin: options.origin.as_deref().unwrap_or(b"origin").to_vec(),
        options,
        other,
        url,
        branch,
        depth,
    };
    pair.add_remote()?;
    pair.fill()
}

/// Removes what is in a directory.
fn clear(directory: &[u8]) {
    for (name, kind) in os::list(directory).unwrap_or_default() {
        let path = [directory, b"/", &name].concat();
        let _ = match kind {
            os::Kind::Directory => os::remove_tree(&path),
            _ => os::remove(&path),
        };
    }
}

/// Adds a setting of `--config`, which holds already for the way there.
fn add_setting(config: &mut Config, setting: &[u8]) {
    let at = setting.iter().position(|byte| *byte == b'=');
    let (key, value) = match at {
        Some(at) => (&setting[..at], Some(setting[at + 1..].to_vec())),
        None => (setting, None),
    };
    if let Ok(key) = canonical(key) {
        config.entries.push(Entry {
            level: Level::Command,
            key,
            value,
            file: Vec::new(),
        });
    }
}

fn exists(path: &[u8]) -> bool {
    os::exists(path) || os::exists(&[path, b".git"].concat())
}

/// The absolute path of what is cloned.
fn source_path(config: &Config, source: &[u8], started: &[u8]) -> Result<Vec<u8>> {
    let source = remotes::rewritten(config, source, false);
    let path = source.strip_prefix(b"file://").unwrap_or(&source);
    let whole = match path.first() {
        Some(b'/') => path.to_vec(),
        _ => [started, b"/", path].concat(),
    };
    if !exists(&whole) {
        transfer::check_place(&source)?;
    }
    Ok(whole)
}

/// The last part of a path, without `.git` but for a bare repository.
fn default_target(path: &[u8], bare: bool, at_url: bool) -> Result<Vec<u8>> {
    let path = match path.windows(3).position(|part| part == b"://") {
        Some(at) if at_url => &path[at + 3..],
        _ => path,
    };
    let base = path.trim_ascii_end();
    let slashes = base.iter().rev().take_while(|byte| **byte == b'/').count();
    let base = &base[..base.len() - slashes];
    let base = base.strip_suffix(b"/.git").unwrap_or(base);
    let name = base.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    // A host without a path: neither its user nor its port are part of the name.
    let name = match at_url && !base.contains(&b'/') {
        true => {
            let name = name.rsplit(|byte| *byte == b'@').next().unwrap_or_default();
            name.split(|byte| *byte == b':').next().unwrap_or_default()
        }
        false => name,
    };
    let name = name.strip_suffix(b".git").unwrap_or(name);
    if name.is_empty() {
        return fatal(
            "No directory name could be guessed.\nPlease specify a directory on the command line",
        );
    }
    Ok(match bare {
        true => [name, b".git"].concat(),
        false => name.to_vec(),
    })
}

fn check_paths(source: &[u8], path: &[u8], target: &[u8], at_url: bool) -> Result<()> {
    if !at_url && !exists(path) {
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
        return Ok(other.head_branch());
    };
    let branch = [b"refs/heads/", &name[..]].concat();
    if other.resolve(&branch).is_none() && tag(other, name).is_none() {
        return fatal(format!(
            "Remote branch {} not found in upstream origin",
            show(name)
        ));
    }
    Ok(Some(branch))
}

fn tag(other: &Other, name: &[u8]) -> Option<Oid> {
    other.resolve(&[b"refs/tags/", name].concat())
}

/// The path of the other repository as git writes it: absolute, with the `.git` that was named.
fn url(source: &[u8], path: &[u8], other: &Other) -> Result<Vec<u8>> {
    let Some(local) = other.local().filter(|_| !source.starts_with(b"file://")) else {
        return Ok(source.to_vec());
    };
    let named = path.strip_suffix(b"/").unwrap_or(path);
    if os::exists(named) {
        return Ok(os::real_path(named)?);
    }
    let dir = &local.dir[..];
    Ok(dir.strip_suffix(b"/.git").unwrap_or(dir).to_vec())
}

/// Makes the new repository in the working directory.
fn create(call: &Call, branch: Option<&[u8]>, options: &Options) -> Result<Repo> {
    let dir: &[u8] = if options.bare { b"." } else { b".git" };
    init::create(dir, options.bare, branch.map_or(b"master", short_ref))?;
    for setting in &options.config {
        if let Some(at) = setting.iter().position(|byte| *byte == b'=') {
            let key = match canonical(&setting[..at]) {
                Ok(key) => key,
                Err(why) => return fatal(why),
            };
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
        let key = |name: &[u8]| [b"remote.", &self.origin[..], b".", name].concat();
        let file = self.repo.shared("config");
        set_value(&file, &key(b"url"), Some(&self.url))?;
        if !self.options.bare {
            let spec = match self.single() {
                Some(name) if name.starts_with(b"refs/tags/") => {
                    [b"+", &name[..], b":", &name].concat()
                }
                Some(name) => {
                    let to = self.tracking(short_ref(&name));
                    [b"+", &name[..], b":", &to].concat()
                }
                None => [b"+refs/heads/*:", &self.tracking(b"*")[..]].concat(),
            };
            set_value(&file, &key(b"fetch"), Some(&spec))?;
        }
        match self.options.no_tags {
            true => set_value(&file, &key(b"tagOpt"), Some(b"--no-tags")),
            false => Ok(()),
        }
    }

    /// The one reference that comes, where only one does.
    fn single(&self) -> Option<Vec<u8>> {
        if !self.options.is_single() {
            return None;
        }
        let branch = self.branch.as_ref()?;
        if self.other.resolve(branch).is_some() {
            return Some(branch.clone());
        }
        let name = self.options.branch.as_ref()?;
        Some([b"refs/tags/", &name[..]].concat())
    }

    /// Copies what the other repository has, and checks a branch out.
    fn fill(&self) -> Result<()> {
        let branches = self.other.all(b"refs/heads/");
        self.copy(&branches)?;
        if branches.is_empty() && self.other.resolve(b"HEAD").is_none() {
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
        if !self.options.quiet && self.other.local().is_some() {
            out::note("done.");
        }
        Ok(())
    }

    /// Copies objects and references.
    fn copy(&self, branches: &[(Vec<u8>, Oid)]) -> Result<()> {
        let (repo, other) = (&self.repo, self.other);
        let tags = match self.options.no_tags {
            true => Vec::new(),
            false => other.all(b"refs/tags/"),
        };
        let single = self.single();
        let branches: Vec<&(Vec<u8>, Oid)> = (branches.iter())
            .filter(|(name, _)| single.as_ref().is_none_or(|single| single == name))
            .collect();
        let mut starts: Vec<Oid> = branches.iter().map(|(_, oid)| *oid).collect();
        match &single {
            Some(single) => starts.extend(other.resolve(single)),
            None => {
                starts.extend(tags.iter().map(|(_, oid)| *oid));
                starts.extend(other.resolve(b"HEAD"));
            }
        }
        if self.options.is_single() && single.is_none() {
            starts = other.resolve(b"HEAD").into_iter().collect();
        }
        let wanted = Wanted {
            oids: &starts,
            depth: self.depth,
            with_tags: !self.options.no_tags && single.is_some(),
            is_clone: true,
        };
        other.bring(repo, wanted)?;
        let mut refs: Vec<(Vec<u8>, Oid)> = Vec::new();
        for (full, oid) in branches {
            let to = match self.options.bare {
                true => full.clone(),
                false => self.tracking(short_ref(full)),
            };
            refs.push((to, *oid));
        }
        // Those of a single branch are the ones that came with it.
        let is_there = |oid: &Oid| single.is_none() || repo.objects.has(oid);
        refs.extend(tags.into_iter().filter(|(_, oid)| is_there(oid)));
        if other.local().is_none() {
            return repo.refs.write_packed(&refs, |oid| peeled(repo, oid));
        }
        for (full, oid) in refs {
            repo.refs.write(&full, oid, None)?;
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
        let (repo, refs) = (&self.repo, self.other);
        if let Some(head) = refs.head_branch()
            && let Some(short) = head.strip_prefix(b"refs/heads/")
            && refs.resolve(&head).is_some()
            && self.single().is_none_or(|single| single == head)
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
        let log = format!("clone: from {}", show(&anonymous(&self.url)));
        let Some(branch) = branch else {
            let has_advice = repo.config.truth("advice.detachedhead") != Some(false);
            if !self.options.bare && !self.options.no_checkout && has_advice {
                head::advise_detached(oid.hex().as_bytes());
            }
            return switch_head(repo, None, oid, log.as_bytes());
        };
        self.follow(branch)?;
        let who = identity(repo, Role::Committer, false)?;
        repo.refs.write(branch, oid, Some((&who, log.as_bytes())))?;
        repo.refs.log(b"HEAD", Oid::NULL, oid, &who, log.as_bytes())
    }
}

/// What a tag leads to.
fn peeled(repo: &Repo, oid: Oid) -> Option<Oid> {
    let target = revision::peel(repo, oid, None).ok()?;
    (target != oid).then_some(target)
}
