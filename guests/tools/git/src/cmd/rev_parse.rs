//! `git rev-parse`: revisions as object names, and where a repository is.
//!
//! Options hold for the words after them, so the command line is done from left to right.

use super::Call;
use crate::history::Query;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// What the options so far say.
#[derive(Default)]
struct Options {
    verify: bool,
    quiet: bool,
    /// How many digits object names have.
    short: Option<usize>,
    symbolic: bool,
    symbolic_full_name: bool,
    abbrev_ref: bool,
    /// Names get `^`, and lose it where they have it.
    not: bool,
    path_format: PathFormat,
}

/// How paths are shown.
#[derive(Clone, Copy, Default)]
enum PathFormat {
    /// As git does without being told.
    #[default]
    Usual,
    Absolute,
    Relative,
}

/// `git rev-parse`.
pub(crate) fn rev_parse(call: &Call) -> Result<i32> {
    let words = &call.words;
    if let Some(word @ (b"--parseopt" | b"--sq-quote")) = words.first().map(Vec::as_slice) {
        return fatal(format!(
            "codepod's git rev-parse does not support {}",
            show(word)
        ));
    }
    let Some(repo) = Repo::try_discover(&call.global)? else {
        return match words.is_empty() {
            true => Ok(0),
            false => fatal("not a git repository (or any of the parent directories): .git"),
        };
    };
    let mut options = Options::default();
    let mut default = None;
    let mut revisions = 0;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = show(word);
        if options.take(&repo, &text) || question(&repo, &text, options.path_format)? {
            continue;
        }
        match text.as_str() {
            "--default" => default = words.next(),
            "--git-path" => {
                let name = words.next().cloned().unwrap_or_default();
                out::line(git_path(&repo, &name, options.path_format));
            }
            "--all" => references(&repo, b"refs/", &options),
            "--branches" => references(&repo, b"refs/heads/", &options),
            "--tags" => references(&repo, b"refs/tags/", &options),
            "--remotes" => references(&repo, b"refs/remotes/", &options),
            "--" => {
                if !options.verify {
                    out::line("--");
                }
                words.by_ref().for_each(out::line);
            }
            _ if text.starts_with('-') && word.len() > 1 => {
                if options.verify {
                    return single(&options);
                }
                out::line(word);
            }
            _ => {
                revisions += 1;
                if options.verify && revisions > 1 {
                    return single(&options);
                }
                if let Some(status) = revision(&repo, word, &options)? {
                    return Ok(status);
                }
            }
        }
    }
    if revisions > 0 {
        return Ok(0);
    }
    if let Some(name) = default
        && let Some(oid) = revision::try_resolve(&repo, name)?
    {
        print_oid(&repo, &oid, options.not, &options);
    } else if options.verify {
        return single(&options);
    }
    Ok(0)
}

impl Options {
    /// Takes an option that changes how words are shown; whether it is one.
    fn take(&mut self, repo: &Repo, word: &str) -> bool {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match (name, value) {
            ("--verify", None) => self.verify = true,
            ("-q" | "--quiet", None) => self.quiet = true,
            ("--short", None) => self.short = Some(repo.abbrev()),
            ("--short", Some(count)) => {
                self.short = Some(count.parse::<usize>().unwrap_or(7).clamp(4, 40));
            }
            ("--symbolic", None) => self.symbolic = true,
            ("--symbolic-full-name", None) => self.symbolic_full_name = true,
            ("--abbrev-ref", _) => self.abbrev_ref = true,
            ("--not", None) => self.not = !self.not,
            ("--path-format", Some("absolute")) => self.path_format = PathFormat::Absolute,
            ("--path-format", Some("relative")) => self.path_format = PathFormat::Relative,
            ("--end-of-options" | "--revs-only" | "--no-revs" | "--flags" | "--no-flags", None) => {
            }
            _ => return false,
        }
        true
    }
}

const LOCAL_VARIABLES: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES
GIT_CONFIG
GIT_CONFIG_PARAMETERS
GIT_CONFIG_COUNT
GIT_OBJECT_DIRECTORY
GIT_DIR
GIT_WORK_TREE
GIT_IMPLICIT_WORK_TREE
GIT_GRAFT_FILE
GIT_INDEX_FILE
GIT_NO_REPLACE_OBJECTS
GIT_REPLACE_REF_BASE
GIT_PREFIX
GIT_SHALLOW_FILE
GIT_COMMON_DIR";

/// Answers an option that asks about the repository; whether it is one.
fn question(repo: &Repo, word: &str, format: PathFormat) -> Result<bool> {
    let truth = |is: bool| out::line(if is { "true" } else { "false" });
    match word {
        "--show-toplevel" => match &repo.work_tree {
            Some(tree) => out::line(tree),
            None => return fatal("this operation must be run in a work tree"),
        },
        "--git-dir" => {
            let is_here = repo.dir == repo.started_in;
            let path = if is_here { b"." } else { &repo.dir[..] };
            out::line(shown(repo, path, format, true));
        }
        "--absolute-git-dir" => out::line(absolute(&repo.dir)),
        "--git-common-dir" => {
            let is_here = repo.common == repo.started_in;
            let path = if is_here { b"." } else { &repo.common[..] };
            out::line(shown(repo, path, format, false));
        }
        "--show-prefix" => out::line(&repo.prefix),
        "--show-cdup" => out::line(way_up(repo)),
        "--is-inside-work-tree" => {
            let inside = repo
                .work_tree
                .as_ref()
                .is_some_and(|tree| tree == b"/" || is_within(&repo.started_in, tree));
            truth(inside && !is_in_dir(repo));
        }
        "--is-inside-git-dir" => truth(is_in_dir(repo)),
        "--is-bare-repository" => {
            truth(repo.work_tree.is_none() && repo.config.truth("core.bare") == Some(true));
        }
        "--is-shallow-repository" => truth(os::exists(&repo.shared("shallow"))),
        "--show-object-format" | "--show-object-format=storage" => out::line("sha1"),
        "--show-ref-format" => out::line("files"),
        "--show-superproject-working-tree" => {}
        "--local-env-vars" => out::line(LOCAL_VARIABLES),
        _ => return Ok(false),
    }
    Ok(true)
}

fn absolute(path: &[u8]) -> Vec<u8> {
    os::real_path(path).unwrap_or_else(|_| path.to_vec())
}

/// The way from the working directory to the root of the working tree.
fn way_up(repo: &Repo) -> Vec<u8> {
    let ups = repo.prefix.iter().filter(|byte| **byte == b'/').count();
    b"../".repeat(ups)
}

/// A path as it is shown; from a directory below, git shows the way up only for some.
fn shown(repo: &Repo, path: &[u8], format: PathFormat, is_git_dir: bool) -> Vec<u8> {
    match format {
        PathFormat::Absolute => absolute(path),
        PathFormat::Relative => path.to_vec(),
        PathFormat::Usual if path.first() == Some(&b'/') || repo.prefix.is_empty() => path.to_vec(),
        PathFormat::Usual if is_git_dir => absolute(path),
        PathFormat::Usual => [&way_up(repo)[..], path].concat(),
    }
}

fn is_within(path: &[u8], directory: &[u8]) -> bool {
    path == directory || path.starts_with(&[directory, b"/"].concat())
}

fn is_in_dir(repo: &Repo) -> bool {
    is_within(
        &repo.started_in,
        &os::real_path(&repo.dir).unwrap_or_default(),
    )
}

/// Files of the repository that every working tree has for itself.
const OWN_FILES: [&str; 8] = [
    "HEAD",
    "index",
    "MERGE_HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "logs/HEAD",
    "rebase-merge",
    "rebase-apply",
];

fn git_path(repo: &Repo, name: &[u8], format: PathFormat) -> Vec<u8> {
    let base = match OWN_FILES.contains(&show(name).as_str()) {
        true => &repo.dir,
        false => &repo.common,
    };
    shown(repo, &[&base[..], b"/", name].concat(), format, false)
}

/// Shows all references below a prefix.
fn references(repo: &Repo, prefix: &[u8], options: &Options) {
    for (name, oid) in repo.refs.all(prefix) {
        if options.symbolic_full_name {
            out::line(&name);
        } else if options.symbolic || options.abbrev_ref {
            out::line(super::short_ref(&name));
        } else {
            print_oid(repo, &oid, options.not, options);
        }
    }
}

fn print_oid(repo: &Repo, oid: &Oid, not: bool, options: &Options) {
    let text = match options.short {
        Some(count) => repo.objects.abbreviate(oid, count),
        None => oid.hex(),
    };
    out::line(format!("{}{text}", if not { "^" } else { "" }));
}

fn single(options: &Options) -> Result<i32> {
    if options.quiet {
        return Ok(1);
    }
    fatal("Needed a single revision")
}

/// Shows a revision, a range or a path; the exit status when nothing is to come after it.
fn revision(repo: &Repo, word: &[u8], options: &Options) -> Result<Option<i32>> {
    if options.symbolic_full_name || options.abbrev_ref {
        if let Some(name) = ref_name(repo, word)? {
            out::line(match options.abbrev_ref {
                true => super::short_ref(&name),
                false => &name,
            });
            return Ok(None);
        }
        if word == b"HEAD" && revision::try_resolve(repo, word)?.is_none() {
            out::line("HEAD");
            return Err(revision::ambiguous(word));
        }
    }
    let is_range = word.windows(2).any(|two| two == b"..")
        || word.ends_with(b"^@")
        || word.ends_with(b"^!")
        || word.first() == Some(&b'^');
    if is_range && !options.verify {
        let mut query = Query::default();
        if query.revision(repo, word)? {
            for oid in &query.starts {
                print_oid(repo, oid, options.not, options);
            }
            for oid in &query.without {
                print_oid(repo, oid, !options.not, options);
            }
            return Ok(None);
        }
    }
    match revision::try_resolve(repo, word)? {
        Some(_) if options.symbolic => out::line(word),
        Some(oid) => print_oid(repo, &oid, options.not, options),
        None if options.verify => return single(options).map(Some),
        None => {
            let path = repo.path_of_user(word);
            out::line(word);
            if !path.is_some_and(|path| os::exists(&path)) {
                return Err(revision::ambiguous(word));
            }
        }
    }
    Ok(None)
}

/// The full name of the reference that a revision names; none when it names none.
fn ref_name(repo: &Repo, word: &[u8]) -> Result<Option<Vec<u8>>> {
    let previous = show(word)
        .strip_prefix("@{-")
        .and_then(|text| text.strip_suffix('}').and_then(|text| text.parse().ok()));
    let upstream = [&b"@{u}"[..], b"@{upstream}", b"@{push}"]
        .iter()
        .find_map(|suffix| word.strip_suffix(*suffix));
    let name = if let Some(number) = previous {
        let branch = revision::previous_branch(repo, number);
        branch.and_then(|name| revision::full_ref(repo, &name))
    } else if let Some(branch) = upstream {
        let branch = match branch {
            b"" | b"HEAD" => repo.branch().unwrap_or_default(),
            name => name.to_vec(),
        };
        let Some(name) = revision::upstream(repo, &branch) else {
            return fatal(format!(
                "no upstream configured for branch '{}'",
                show(&branch)
            ));
        };
        Some(name)
    } else {
        revision::full_ref(repo, word)
    };
    Ok(name.map(|name| match repo.refs.head_branch() {
        Some(branch) if name == b"HEAD" => branch,
        _ => name,
    }))
}
