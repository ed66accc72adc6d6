//! `git init`.

use super::Call;
use crate::args;
use crate::os;
use crate::out;
use crate::refs;
use crate::stop::{Result, fatal, show};

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

/// Makes an empty repository in a directory that is there; the name of its first branch decides `HEAD`.
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
    let table = "q|quiet bare b|initial-branch= template= separate-git-dir= shared? object-format= ref-format=";
    let parsed = args::parse("init", table, &call.words)?;
    parsed.refuse(&["separate-git-dir", "shared"])?;
    for (option, known) in [("object-format", "sha1"), ("ref-format", "files")] {
        if let Some(value) = parsed.text(option)
            && value != known
        {
            return fatal(format!("codepod's git knows only --{option}={known}"));
        }
    }
    if parsed.words.len() > 1 {
        return Err(args::usage("init", "too many arguments"));
    }
    let started = os::cwd()?;
    let config = crate::repo::outside_config(&call.global)?;
    let mut root = started;
    if let Some(directory) = parsed.words.first() {
        if let Err(found) = os::mkdir_all(directory) {
            return fatal(format!(
                "cannot mkdir {}: {}",
                show(directory),
                crate::stop::why(&found)
            ));
        }
        os::chdir(directory)?;
        root = os::cwd()?;
    }
    let bare = parsed.has("bare") || call.global.bare;
    let named = call
        .global
        .git_dir
        .clone()
        .or_else(|| os::variable("GIT_DIR"));
    let dir = match named {
        Some(dir) => dir,
        None if bare => b".".to_vec(),
        None => match crate::repo::git_link(b".git") {
            Ok(Some(dir)) => dir,
            _ => b".git".to_vec(),
        },
    };
    let again = crate::repo::is_git_dir(&dir);
    let branch = match parsed.value("initial-branch") {
        Some(branch) => branch.to_vec(),
        None => match config.get("init.defaultbranch") {
            Some(branch) => branch.to_vec(),
            None => {
                if !again
                    && !parsed.has("quiet")
                    && config.truth("advice.defaultbranchname") != Some(false)
                {
                    advise("master");
                }
                b"master".to_vec()
            }
        },
    };
    if !refs::is_branch_name(&branch) {
        return fatal(format!("invalid initial branch name: '{}'", show(&branch)));
    }
    if again && parsed.value("initial-branch").is_some() {
        out::warn(format!(
            "re-init: ignored --initial-branch={}",
            show(&branch)
        ));
    }
    create(&dir, bare, &branch)?;
    if !parsed.has("quiet") {
        let shown = os::real_path(&dir).unwrap_or(root);
        let word = if again {
            "Reinitialized existing"
        } else {
            "Initialized empty"
        };
        out::line(format!("{word} Git repository in {}/", show(&shown)));
    }
    Ok(0)
}
