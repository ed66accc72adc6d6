//! A repository: where it is, its settings, objects, references and index.

use crate::config::{self, Config, Level};
use crate::index::Index;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::os;
use crate::refs::Refs;
use crate::stop::{Result, fatal, show};

/// What options before the command say.
#[derive(Debug, Default, Clone)]
pub(crate) struct Global {
    pub(crate) git_dir: Option<Vec<u8>>,
    pub(crate) work_tree: Option<Vec<u8>>,
    /// `-c name=value`.
    pub(crate) settings: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    pub(crate) bare: bool,
    pub(crate) literal_pathspecs: bool,
}

/// An open repository. The process stands in its working tree's root.
pub(crate) struct Repo {
    pub(crate) config: Config,
    /// The repository's directory for this working tree.
    pub(crate) dir: Vec<u8>,
    /// The directory that all working trees share.
    pub(crate) common: Vec<u8>,
    /// The root of the working tree, absolute.
    pub(crate) work_tree: Option<Vec<u8>>,
    /// Where the user stood, below the root, with a slash at the end; empty at the root.
    pub(crate) prefix: Vec<u8>,
    pub(crate) objects: Objects,
    pub(crate) refs: Refs,
    pub(crate) global: Global,
    /// Where the user stood.
    pub(crate) started_in: Vec<u8>,
}

/// The settings that hold without a repository.
pub(crate) fn outside_config(global: &Global) -> Result<Config> {
    let mut config = Config::default();
    load_outside(&mut config)?;
    add_command(&mut config, global)?;
    Ok(config)
}

fn load_outside(config: &mut Config) -> Result<()> {
    if os::variable("GIT_CONFIG_NOSYSTEM")
        .is_none_or(|value| config::parse_truth(&value) != Some(true))
    {
        config.load(Level::System, &system_file())?;
    }
    for file in global_files() {
        config.load(Level::Global, &file)?;
    }
    Ok(())
}

/// The file for all users.
pub(crate) fn system_file() -> Vec<u8> {
    os::variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| b"/etc/gitconfig".to_vec())
}

/// The user's files, the one that is written last.
pub(crate) fn global_files() -> Vec<Vec<u8>> {
    if let Some(file) = os::variable("GIT_CONFIG_GLOBAL") {
        return vec![file];
    }
    let home = os::variable("HOME");
    let config = match os::variable("XDG_CONFIG_HOME").filter(|value| !value.is_empty()) {
        Some(config) => Some(config),
        None => home.as_ref().map(|home| [&home[..], b"/.config"].concat()),
    };
    let config = config.map(|config| [&config[..], b"/git/config"].concat());
    let home = home.map(|home| [&home[..], b"/.gitconfig"].concat());
    config.into_iter().chain(home).collect()
}

fn add_command(config: &mut Config, global: &Global) -> Result<()> {
    let mut settings = Vec::new();
    if let Some(count) = os::variable("GIT_CONFIG_COUNT") {
        let count: usize = match show(&count).parse() {
            Ok(count) if count < 10_000 => count,
            _ => return fatal("bogus count in GIT_CONFIG_COUNT"),
        };
        for at in 0..count {
            let Some(key) = os::variable(&format!("GIT_CONFIG_KEY_{at}")) else {
                return fatal(format!("missing config key GIT_CONFIG_KEY_{at}"));
            };
            let Some(value) = os::variable(&format!("GIT_CONFIG_VALUE_{at}")) else {
                return fatal(format!("missing config value GIT_CONFIG_VALUE_{at}"));
            };
            settings.push((key, Some(value)));
        }
    }
    settings.extend(global.settings.iter().cloned());
    for (key, value) in settings {
        let key = match config::canonical(&key) {
            Ok(key) => key,
            Err(why) => {
                crate::out::note(format!("error: {why}"));
                return fatal("unable to parse command-line config");
            }
        };
        config.entries.push(config::Entry {
            level: Level::Command,
            key,
            value,
            file: Vec::new(),
        });
    }
    Ok(())
}

/// Whether a directory looks like a repository.
pub(crate) fn is_git_dir(path: &[u8]) -> bool {
    let at = |name: &[u8]| [path, b"/", name].concat();
    os::exists(&at(b"HEAD"))
        && (os::is_file(&at(b"commondir"))
            || (os::is_dir(&at(b"objects")) && os::is_dir(&at(b"refs"))))
}

/// Where a `.git` leads: itself, or what the file says.
pub(crate) fn git_link(path: &[u8]) -> Result<Option<Vec<u8>>> {
    if os::is_dir(path) {
        return Ok(is_git_dir(path).then(|| path.to_vec()));
    }
    if !os::is_file(path) {
        return Ok(None);
    }
    let text = os::read(path)?;
    let Some(target) = text.strip_prefix(b"gitdir:") else {
        return fatal(format!("invalid gitfile format: {}", show(path)));
    };
    let target = target.trim_ascii();
    let target = match target.first() {
        Some(b'/') => target.to_vec(),
        _ => {
            let above = path
                .iter()
                .rposition(|byte| *byte == b'/')
                .map_or(0, |at| at + 1);
            [&path[..above], target].concat()
        }
    };
    if !is_git_dir(&target) {
        return fatal(format!("not a git repository: {}", show(&target)));
    }
    Ok(Some(target))
}

impl Repo {
    /// Finds the repository around the working directory and goes to its root.
    pub(crate) fn discover(global: &Global) -> Result<Repo> {
        match Repo::try_discover(global)? {
            Some(repo) => Ok(repo),
            None => fatal("not a git repository (or any of the parent directories): .git"),
        }
    }

    /// The repository around the working directory; none when there is no repository.
    pub(crate) fn try_discover(global: &Global) -> Result<Option<Repo>> {
        let started_in = os::cwd()?;
        let named = global.git_dir.clone().or_else(|| os::variable("GIT_DIR"));
        let work_tree = global
            .work_tree
            .clone()
            .or_else(|| os::variable("GIT_WORK_TREE"));
        if let Some(dir) = named {
            let Some(found) = git_link(&dir)? else {
                return fatal(format!("not a git repository: '{}'", show(&dir)));
            };
            let dir = os::real_path(&found)?;
            return Repo::open(global, dir, None, work_tree, started_in, true).map(Some);
        }
        let ceilings: Vec<Vec<u8>> = os::variable("GIT_CEILING_DIRECTORIES")
            .map(|list| {
                list.split(|byte| *byte == b':')
                    .map(<[u8]>::to_vec)
                    .collect()
            })
            .unwrap_or_default();
        let mut at = started_in.clone();
        loop {
            let root = if at == b"/" { b"".to_vec() } else { at.clone() };
            if let Some(dir) = git_link(&[&root[..], b"/.git"].concat())? {
                return Repo::open(global, dir, Some(at), work_tree, started_in, false).map(Some);
            }
            if is_git_dir(&at) {
                return Repo::open(global, at, None, work_tree, started_in, false).map(Some);
            }
            if ceilings.contains(&at) || at == b"/" {
                return Ok(None);
            }
            let end = at.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            at.truncate(end.max(1));
        }
    }

    fn open(
        global: &Global,
        dir: Vec<u8>,
        root: Option<Vec<u8>>,
        named_tree: Option<Vec<u8>>,
        started_in: Vec<u8>,
        named: bool,
    ) -> Result<Repo> {
        let common = common_dir(&dir)?;
        let mut config = Config::default();
        load_outside(&mut config)?;
        check_owner(&config, global, root.as_deref(), &dir)?;
        config.load(Level::Local, &[&common[..], b"/config"].concat())?;
        if config.truth("extensions.worktreeconfig") == Some(true) {
            config.load(Level::Local, &[&dir[..], b"/config.worktree"].concat())?;
        }
        add_command(&mut config, global)?;
        let format = config.number("core.repositoryformatversion").unwrap_or(0);
        if format > 1 {
            return fatal(format!("Expected git repo version <= 1, found {format}"));
        }
        if config
            .get("extensions.objectformat")
            .is_some_and(|value| value != b"sha1")
        {
            return fatal("codepod's git knows repositories with SHA-1 only");
        }
        if config
            .get("extensions.refstorage")
            .is_some_and(|value| value != b"files")
        {
            return fatal("codepod's git knows references in files only, not in a reftable");
        }
        let bare = global.bare || (config.truth("core.bare") == Some(true) && named_tree.is_none());
        let configured = config.get("core.worktree").map(|path| match path.first() {
            Some(b'/') => path.to_vec(),
            _ => [&dir[..], b"/", path].concat(),
        });
        let work_tree = match named_tree {
            Some(tree) => Some(os::real_path(&tree)?),
            None if bare => None,
            None => match configured {
                Some(tree) => Some(os::real_path(&tree)?),
                None if named => Some(started_in.clone()),
                None => root,
            },
        };
        let mut prefix = Vec::new();
        let absolute = match dir.first() {
            Some(b'/') => dir.clone(),
            _ => os::real_path(&dir)?,
        };
        let mut dir = absolute;
        let mut common = if common.first() == Some(&b'/') {
            common
        } else {
            os::real_path(&common)?
        };
        if let Some(tree) = &work_tree {
            let below = [&tree[..], b"/"].concat();
            let below = if tree == b"/" { b"/".to_vec() } else { below };
            if let Some(rest) = started_in.strip_prefix(&below[..]) {
                prefix = rest.to_vec();
                if !prefix.is_empty() {
                    prefix.push(b'/');
                }
            }
            if started_in == *tree || started_in.starts_with(&below) {
                if started_in != *tree {
                    os::chdir(tree)?;
                }
                // A short name where it is short, as git shows it.
                if dir == [&below[..], b".git"].concat() {
                    dir = b".git".to_vec();
                    if common == [&below[..], b".git"].concat() {
                        common = b".git".to_vec();
                    }
                }
            } else {
                os::chdir(tree)?;
            }
        }
        let objects_dir = os::variable("GIT_OBJECT_DIRECTORY")
            .unwrap_or_else(|| [&common[..], b"/objects"].concat());
        Ok(Repo {
            config,
            objects: Objects::open(objects_dir),
            refs: Refs {
                own: dir.clone(),
                common: common.clone(),
            },
            dir,
            common,
            work_tree,
            prefix,
            global: global.clone(),
            started_in,
        })
    }

    /// A file of this working tree's part of the repository.
    pub(crate) fn file(&self, name: &str) -> Vec<u8> {
        [&self.dir[..], b"/", name.as_bytes()].concat()
    }

    /// A file of the shared part.
    pub(crate) fn shared(&self, name: &str) -> Vec<u8> {
        [&self.common[..], b"/", name.as_bytes()].concat()
    }

    /// Whether there is such a file.
    pub(crate) fn has_file(&self, name: &str) -> bool {
        os::exists(&self.file(name))
    }

    /// A file's content without the whitespace at its end.
    pub(crate) fn read_file(&self, name: &str) -> Option<Vec<u8>> {
        os::read(&self.file(name))
            .ok()
            .map(|text| text.trim_ascii_end().to_vec())
    }

    /// Removes a file, if it is there.
    pub(crate) fn remove_file(&self, name: &str) {
        let _ = os::remove(&self.file(name));
    }

    /// The repository's directory, absolute.
    pub(crate) fn absolute_dir(&self) -> Vec<u8> {
        match (self.dir.first(), &self.work_tree) {
            (Some(b'/'), _) | (_, None) => self.dir.clone(),
            (_, Some(tree)) if tree == b"/" => [b"/", &self.dir[..]].concat(),
            (_, Some(tree)) => [&tree[..], b"/", &self.dir].concat(),
        }
    }

    /// Where the index is.
    pub(crate) fn index_path(&self) -> Vec<u8> {
        match os::variable("GIT_INDEX_FILE") {
            Some(path) if path.first() == Some(&b'/') => path,
            Some(path) => [&self.started_in[..], b"/", &path].concat(),
            None => self.file("index"),
        }
    }

    /// Reads the index.
    pub(crate) fn index(&self) -> Result<Index> {
        Index::read(&self.index_path())
    }

    /// Writes the index.
    pub(crate) fn write_index(&self, index: &Index) -> Result<()> {
        index.write(&self.index_path())
    }

    /// Fails when there is no working tree.
    pub(crate) fn need_work_tree(&self) -> Result<()> {
        match self.work_tree {
            Some(_) => Ok(()),
            None => fatal("this operation must be run in a work tree"),
        }
    }

    /// The commit that is checked out.
    pub(crate) fn head(&self) -> Option<Oid> {
        self.refs.resolve(b"HEAD")
    }

    /// The branch that is checked out, short.
    pub(crate) fn branch(&self) -> Option<Vec<u8>> {
        let name = self.refs.head_branch()?;
        Some(
            name.strip_prefix(b"refs/heads/")
                .map(<[u8]>::to_vec)
                .unwrap_or(name),
        )
    }

    /// How many digits names are shortened to.
    pub(crate) fn abbrev(&self) -> usize {
        match self.config.get("core.abbrev") {
            Some(b"auto") | None => 7,
            Some(b"no" | b"off" | b"false") => 40,
            Some(value) => {
                config::parse_number(value).map_or(7, |number| number.clamp(4, 40) as usize)
            }
        }
    }

    /// A name, shortened.
    pub(crate) fn short(&self, oid: &Oid) -> String {
        self.objects.abbreviate(oid, self.abbrev())
    }

    /// Whether bytes above 127 are escaped in paths.
    pub(crate) fn quotes_all(&self) -> bool {
        self.config.truth("core.quotepath").unwrap_or(true)
    }

    /// A path as it is shown.
    pub(crate) fn quote(&self, path: &[u8]) -> Vec<u8> {
        crate::out::quote_path(path, self.quotes_all())
    }

    /// Whether modes of files count.
    pub(crate) fn trusts_modes(&self) -> bool {
        self.config.truth("core.filemode").unwrap_or(true)
    }

    /// A path below the root as seen from where the user stood.
    pub(crate) fn relative(&self, path: &[u8]) -> Vec<u8> {
        relative(path, &self.prefix)
    }

    /// A path that the user gave, from the root. None when it leads out of the working tree.
    pub(crate) fn path_of_user(&self, path: &[u8]) -> Option<Vec<u8>> {
        let mut whole = Vec::new();
        let given = match path.first() {
            Some(b'/') => {
                let tree = self.work_tree.as_ref()?;
                if path == &tree[..] {
                    return Some(Vec::new());
                }
                let below = if tree == b"/" {
                    b"/".to_vec()
                } else {
                    [&tree[..], b"/"].concat()
                };
                path.strip_prefix(&below[..])?
            }
            _ => {
                whole.extend(
                    self.prefix
                        .split(|byte| *byte == b'/')
                        .filter(|part| !part.is_empty()),
                );
                path
            }
        };
        for part in given.split(|byte| *byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    whole.pop()?;
                }
                _ => whole.push(part),
            }
        }
        Some(whole.join(&b'/'))
    }
}

/// A path as seen from a directory; both below the same root, `prefix` with a slash at its end.
pub(crate) fn relative(path: &[u8], prefix: &[u8]) -> Vec<u8> {
    if prefix.is_empty() {
        return path.to_vec();
    }
    let (mut same, mut at) = (0, 0);
    while let Some(end) = prefix[at..].iter().position(|byte| *byte == b'/') {
        let end = at + end + 1;
        if !path.starts_with(&prefix[..end]) {
            break;
        }
        same = end;
        at = end;
    }
    let ups = prefix[same..].iter().filter(|byte| **byte == b'/').count();
    let mut out = b"../".repeat(ups);
    out.extend_from_slice(&path[same..]);
    if out.is_empty() {
        out.extend_from_slice(b"./");
    }
    out
}

fn common_dir(dir: &[u8]) -> Result<Vec<u8>> {
    let Ok(text) = os::read(&[dir, b"/commondir"].concat()) else {
        return Ok(dir.to_vec());
    };
    let target = text.trim_ascii_end();
    match target.first() {
        Some(b'/') => Ok(target.to_vec()),
        _ => Ok(os::real_path(&[dir, b"/", target].concat())?),
    }
}

/// Refuses a repository of another user, whose settings could start programs, unless
/// `safe.directory` allows it.
fn check_owner(config: &Config, global: &Global, root: Option<&[u8]>, dir: &[u8]) -> Result<()> {
    let Ok(ids) = codepod_sys::process::ids() else {
        return Ok(());
    };
    let place = root.unwrap_or(dir);
    let ours = |path: &[u8]| os::lstat(path).is_ok_and(|found| found.uid == ids.uid);
    if ours(place) && ours(dir) {
        return Ok(());
    }
    let mut all = config.clone();
    add_command(&mut all, global)?;
    let mut safe = false;
    for entry in all
        .entries
        .iter()
        .filter(|entry| entry.key == b"safe.directory")
    {
        match entry.value.as_deref() {
            None | Some(b"") => safe = false,
            Some(b"*") => safe = true,
            Some(path) => {
                let path = config::expand_home(path);
                safe |= path == place
                    || path
                        .strip_suffix(b"/*")
                        .is_some_and(|above| place.starts_with(above));
            }
        }
    }
    if safe {
        return Ok(());
    }
    let place = show(place);
    fatal(format!(
        "detected dubious ownership in repository at '{place}'\nTo add an exception for this directory, call:\n\n\tgit config \
         --global --add safe.directory {place}"
    ))
}
