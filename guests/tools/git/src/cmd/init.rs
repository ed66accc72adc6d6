//! `git init`.

use super::Call;
use crate::args::{self, options};
use crate::config::Config;
use crate::os;
use crate::out;
use crate::refs;
use crate::repo::{git_link, is_git_dir, outside_config};
use crate::stop::{Result, fatal, show, why};

options! {
    /// What the command line says.
    struct Options for "init" {
        quiet: bool = "q|quiet",
        bare: bool = "bare",
        branch: Option<Vec<u8>> = "b|initial-branch=",
        object_format: Option<String> = "object-format=",
        ref_format: Option<String> = "ref-format=",
    }
    ignored "template="
    refused "separate-git-dir= shared?"
}

const EXCLUDE: &str = "# git ls-files --others --exclude-from=.git/info/exclude
# Lines that start with '#' are comments.
# For a project mostly in C, the following would be a good set of
# exclude patterns (uncomment them if you want to use them):
# *.[oa]
# *~
";
const DESCRIPTION: &str =
    "Unnamed repository; edit this file 'description' to name the repository.\n";

/// The advice that git gives where no name is set for the first branch.
fn advise(name: &str) {
    out::hint(&format!(
        "Using '{name}' as the name for the initial branch. This default branch name\nis subject to change. To configure the initial \
         branch name to use in all\nof your new repositories, which will suppress this warning, call:\n\n\tgit config --global \
         init.defaultBranch <name>\n\nNames commonly chosen instead of 'master' are 'main', 'trunk' and\n'development'. The just-created \
         branch can be renamed via this command:\n\n\tgit branch -m <name>"
    ));
}

/// Makes an empty repository in a directory that is there; the name of its first branch decides
/// `HEAD`.
pub(crate) fn create(dir: &[u8], bare: bool, branch: &[u8]) -> Result<()> {
    let at = |name: &str| [dir, b"/", name.as_bytes()].concat();
    for name in [
        "",
        "branches",
        "hooks",
        "info",
        "objects",
        "objects/info",
        "objects/pack",
        "refs",
        "refs/heads",
        "refs/tags",
    ] {
        os::mkdir_all(&at(name))?;
    }
    if !os::exists(&at("HEAD")) {
        os::write(&at("HEAD"), &[b"ref: refs/heads/", branch, b"\n"].concat())?;
    }
    for (name, text) in [("description", DESCRIPTION), ("info/exclude", EXCLUDE)] {
        if !os::exists(&at(name)) {
            os::write(&at(name), text.as_bytes())?;
        }
    }
    if !os::exists(&at("config")) {
        let mut text =
            format!("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = {bare}\n");
        if !bare {
            text += "\tlogallrefupdates = true\n";
        }
        os::write(&at("config"), text.as_bytes())?;
    }
    Ok(())
}

/// `git init`.
pub(crate) fn init(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    check_format("object-format", options.object_format.as_deref(), "sha1")?;
    check_format("ref-format", options.ref_format.as_deref(), "files")?;
    if rest.words.len() > 1 {
        return Err(args::usage("init", "too many arguments"));
    }
    let config = outside_config(&call.global)?;
    if let Some(directory) = rest.words.first() {
        enter(directory)?;
    }
    let root = os::cwd()?;
    let bare = options.bare || call.global.bare;
    let dir = git_dir(call, bare);
    let again = is_git_dir(&dir);
    let branch = first_branch(&config, again, &options);
    if !refs::is_branch_name(&branch) {
        return fatal(format!("invalid initial branch name: '{}'", show(&branch)));
    }
    if again && options.branch.is_some() {
        out::warn(format!(
            "re-init: ignored --initial-branch={}",
            show(&branch)
        ));
    }
    create(&dir, bare, &branch)?;
    if !options.quiet {
        let shown = os::real_path(&dir).unwrap_or(root);
        let word = match again {
            true => "Reinitialized existing",
            false => "Initialized empty",
        };
        out::line(format!("{word} Git repository in {}/", show(&shown)));
    }
    Ok(0)
}

/// Fails where a format is asked for that is not ours.
fn check_format(option: &str, value: Option<&str>, known: &str) -> Result<()> {
    match value {
        Some(value) if value != known => {
            fatal(format!("codepod's git knows only --{option}={known}"))
        }
        _ => Ok(()),
    }
}

/// Makes a directory and goes there.
fn enter(directory: &[u8]) -> Result<()> {
    if let Err(found) = os::mkdir_all(directory) {
        return fatal(format!("cannot mkdir {}: {}", show(directory), why(&found)));
    }
    Ok(os::chdir(directory)?)
}

/// Where the repository is to be.
fn git_dir(call: &Call, bare: bool) -> Vec<u8> {
    let named = call.global.git_dir.clone();
    match named.or_else(|| os::variable("GIT_DIR")) {
        Some(dir) => dir,
        None if bare => b".".to_vec(),
        None => match git_link(b".git") {
            Ok(Some(dir)) => dir,
            _ => b".git".to_vec(),
        },
    }
}

/// The name of the first branch: given, configured, or git's, with advice where that is new.
fn first_branch(config: &Config, again: bool, options: &Options) -> Vec<u8> {
    let given = options.branch.as_deref();
    if let Some(branch) = given.or(config.get("init.defaultbranch")) {
        return branch.to_vec();
    }
    if !again && !options.quiet && config.truth("advice.defaultbranchname") != Some(false) {
        advise("master");
    }
    b"master".to_vec()
}
