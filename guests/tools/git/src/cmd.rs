//! The commands, and the way from the command line to them.

mod add;
mod am;
mod apply;
mod blame;
mod branch;
mod cat_file;
mod check_attr;
mod check_ignore;
mod check_ref_format;
mod checkout;
mod cherry_pick;
mod clean;
mod clone;
mod commit;
mod commit_tree;
mod comparison;
mod config;
mod count_objects;
mod describe;
mod diff;
mod diff_files;
mod diff_index;
mod diff_tree;
mod fetch;
mod for_each_ref;
mod format_patch;
mod fsck;
mod gc;
mod graph;
mod grep;
mod hash_object;
mod head;
mod help;
mod init;
mod log;
mod ls_files;
mod ls_remote;
mod ls_tree;
mod merge;
mod merge_base;
mod merge_file;
mod merging;
mod mktree;
mod mv;
mod pack_refs;
mod prune;
mod pull;
mod push;
mod reach;
mod reachable;
mod read_tree;
mod rebase;
mod ref_fields;
mod reflog;
mod refspec;
mod remote;
mod remotes;
mod reset;
mod restore;
mod rev_list;
mod rev_parse;
mod revert;
mod rm;
mod sequencer;
mod shortlog;
mod show;
mod show_ref;
mod stash;
mod status;
mod switch;
mod symbolic_ref;
mod tag;
mod transfer;
mod update_index;
mod update_ref;
mod var;
mod version;
mod worktree;
mod worktrees;
mod write_tree;

use crate::args::Optional;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::repo::{Global, Repo};
use crate::stop::{Result, Stop, fatal, show};
use crate::{config as settings, ident, os, out, refs as references};

/// What a command is given: options before it, and the words after it.
pub(crate) struct Call {
    pub(crate) global: Global,
    pub(crate) words: Vec<Vec<u8>>,
    /// The name it was called by.
    pub(crate) name: &'static str,
}

impl Call {
    /// The repository around the working directory.
    pub(crate) fn repo(&self) -> Result<Repo> {
        Repo::discover(&self.global)
    }

    /// The repository around the working directory, which must have a working tree.
    pub(crate) fn work_tree(&self) -> Result<Repo> {
        let repo = self.repo()?;
        repo.need_work_tree()?;
        Ok(repo)
    }
}

type Main = fn(&Call) -> Result<i32>;

/// Every command.
const COMMANDS: &[(&str, Main)] = &[
    ("add", add::add),
    ("am", am::am),
    ("apply", apply::apply),
    ("blame", blame::blame),
    ("branch", branch::branch),
    ("cat-file", cat_file::cat_file),
    ("check-attr", check_attr::check_attr),
    ("check-ignore", check_ignore::check_ignore),
    ("check-ref-format", check_ref_format::check_ref_format),
    ("checkout", checkout::checkout),
    ("cherry-pick", cherry_pick::cherry_pick),
    ("clean", clean::clean),
    ("clone", clone::clone),
    ("commit", commit::commit),
    ("commit-tree", commit_tree::commit_tree),
    ("config", config::config),
    ("count-objects", count_objects::count_objects),
    ("describe", describe::describe),
    ("diff", diff::diff),
    ("diff-files", diff_files::diff_files),
    ("diff-index", diff_index::diff_index),
    ("diff-tree", diff_tree::diff_tree),
    ("fetch", fetch::fetch),
    ("for-each-ref", for_each_ref::for_each_ref),
    ("format-patch", format_patch::format_patch),
    ("fsck", fsck::fsck),
    ("gc", gc::gc),
    ("grep", grep::grep),
    ("hash-object", hash_object::hash_object),
    ("help", help::help),
    ("init", init::init),
    ("log", log::log),
    ("ls-files", ls_files::ls_files),
    ("ls-remote", ls_remote::ls_remote),
    ("ls-tree", ls_tree::ls_tree),
    ("merge", merge::merge),
    ("merge-base", merge_base::merge_base),
    ("merge-file", merge_file::merge_file),
    ("mktree", mktree::mktree),
    ("mv", mv::mv),
    ("pack-refs", pack_refs::pack_refs),
    ("prune", prune::prune),
    ("pull", pull::pull),
    ("push", push::push),
    ("read-tree", read_tree::read_tree),
    ("rebase", rebase::rebase),
    ("reflog", reflog::reflog),
    ("remote", remote::remote),
    ("reset", reset::reset),
    ("restore", restore::restore),
    ("rev-list", rev_list::rev_list),
    ("rev-parse", rev_parse::rev_parse),
    ("revert", revert::revert),
    ("rm", rm::rm),
    ("shortlog", shortlog::shortlog),
    ("show", show::show),
    ("show-ref", show_ref::show_ref),
    ("stage", add::add),
    ("stash", stash::stash),
    ("status", status::status),
    ("switch", switch::switch),
    ("symbolic-ref", symbolic_ref::symbolic_ref),
    ("tag", tag::tag),
    ("update-index", update_index::update_index),
    ("update-ref", update_ref::update_ref),
    ("var", var::var),
    ("version", version::version),
    ("whatchanged", log::log),
    ("worktree", worktree::worktree),
    ("write-tree", write_tree::write_tree),
];

/// Commands that git has and we do not.
const REFUSED: &[&str] = &[
    "annotate",
    "archive",
    "bundle",
    "citool",
    "cvsserver",
    "daemon",
    "difftool",
    "fast-export",
    "fast-import",
    "filter-branch",
    "gui",
    "imap-send",
    "instaweb",
    "maintenance",
    "mergetool",
    "notes",
    "p4",
    "range-diff",
    "replace",
    "request-pull",
    "rerere",
    "send-email",
    "sparse-checkout",
    "submodule",
    "svn",
    "verify-commit",
    "verify-tag",
    "bugreport",
    "credential",
    "index-pack",
    "pack-objects",
    "unpack-objects",
    "upload-pack",
    "receive-pack",
    "merge-tree",
    "merge-index",
    "name-rev",
    "bisect",
    "cherry",
    "show-branch",
    "stripspace",
    "interpret-trailers",
    "fmt-merge-msg",
    "mailinfo",
    "mailsplit",
    "repack",
    "verify-pack",
    "shell",
    "http-backend",
    "lfs",
    "subtree",
];

/// `git`.
pub(crate) fn main(_: &str, arguments: codepod_tool::Arguments) -> i32 {
    let status = match run(arguments.into_iter().collect()) {
        Ok(status) => status,
        Err(stop) => finish(stop),
    };
    match out::flush() {
        Ok(()) => status,
        // Nobody reads any more, which is the reader's right.
        Err(_) => 141,
    }
}

fn finish(stop: Stop) -> i32 {
    // What was printed before an error comes before it.
    let _ = out::flush();
    match stop {
        Stop::Fatal(message) => {
            out::note([b"fatal: ", &message[..]].concat());
            128
        }
        Stop::Error(message) => {
            out::note([b"error: ", &message[..]].concat());
            1
        }
        Stop::ErrorStatus(message, status) => {
            out::note([b"error: ", &message[..]].concat());
            status
        }
        Stop::Status(status) => status,
    }
}

const USAGE: &str = "usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           [--exec-path[=<path>]] [--html-path] [--man-path] [--info-path]
           [-p | --paginate | -P | --no-pager] [--no-replace-objects] [--no-lazy-fetch]
           [--no-optional-locks] [--no-advice] [--bare] [--git-dir=<path>]
           [--work-tree=<path>] [--namespace=<name>] [--config-env=<name>=<envvar>]
           <command> [<args>]
";

fn run(arguments: Vec<Vec<u8>>) -> Result<i32> {
    let mut global = Global::default();
    let mut rest = arguments.into_iter();
    let name = loop {
        let Some(word) = rest.next() else {
            out::put(USAGE.as_bytes());
            return Ok(1);
        };
        if word.first() != Some(&b'-') {
            break word;
        }
        let text = show(&word);
        let (option, attached) = match text.split_once('=') {
            Some((option, _)) if text.starts_with("--") => {
                (option.to_owned(), Some(word[option.len() + 1..].to_vec()))
            }
            _ => (text.clone(), None),
        };
        let mut value = |what: &str| match attached.clone().or_else(|| rest.next()) {
            Some(value) => Ok(value),
            None => {
                out::note(format!(
                    "no {what} given for {option}\n{}",
                    USAGE.trim_end()
                ));
                Err(Stop::Status(129))
            }
        };
        match option.as_str() {
            "-C" => {
                let path = value("directory")?;
                if !path.is_empty()
                    && let Err(found) = os::chdir(&path)
                {
                    return fatal(format!(
                        "cannot change to '{}': {}",
                        show(&path),
                        crate::stop::why(&found)
                    ));
                }
            }
            "-c" => {
                let Some(setting) = rest.next() else {
                    out::note(format!(
                        "-c expects a configuration string\n{}",
                        USAGE.trim_end()
                    ));
                    return Ok(129);
                };
                global.settings.push(split_setting(&setting));
            }
            "--config-env" => {
                let setting = value("config key")?;
                let text = show(&setting);
                let Some((key, variable)) = text.rsplit_once('=') else {
                    return fatal(format!("invalid config format: {text}"));
                };
                let Some(value) = os::variable(variable) else {
                    return fatal(format!(
                        "missing environment variable '{variable}' for configuration '{key}'"
                    ));
                };
                global.settings.push((key.as_bytes().to_vec(), Some(value)));
            }
            "--git-dir" => global.git_dir = Some(value("directory")?),
            "--work-tree" => global.work_tree = Some(value("directory")?),
            "--bare" => global.bare = true,
            "--literal-pathspecs" => global.literal_pathspecs = true,
            "-p"
            | "--paginate"
            | "-P"
            | "--no-pager"
            | "--no-optional-locks"
            | "--no-replace-objects"
            | "--no-lazy-fetch"
            | "--no-advice"
            | "--glob-pathspecs" => {}
            "--version" | "-v" => break b"version".to_vec(),
            "--help" | "-h" => break b"help".to_vec(),
            "--exec-path" if attached.is_none() => {
                out::line("/usr/lib/git-core");
                return Ok(0);
            }
            "--exec-path" => {}
            _ => {
                out::note(format!("unknown option: {text}\n{}", USAGE.trim_end()));
                return Ok(129);
            }
        }
    };
    let words: Vec<Vec<u8>> = rest.collect();
    dispatch(global, name, words, 0)
}

fn split_setting(setting: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
    match setting.iter().position(|byte| *byte == b'=') {
        Some(at) => (setting[..at].to_vec(), Some(setting[at + 1..].to_vec())),
        None => (setting.to_vec(), None),
    }
}

fn dispatch(global: Global, name: Vec<u8>, words: Vec<Vec<u8>>, depth: usize) -> Result<i32> {
    let text = show(&name);
    if let Some((name, main)) = COMMANDS.iter().find(|(known, _)| *known == text) {
        return main(&Call {
            global,
            words,
            name,
        });
    }
    if REFUSED.contains(&text.as_str()) {
        return fatal(format!("codepod's git has no command '{text}'"));
    }
    if let Some(alias) = alias(&global, &text)? {
        if depth > 8 {
            return fatal(format!(
                "alias loop detected: expansion of '{text}' does not terminate"
            ));
        }
        if let Some(command) = alias.strip_prefix(b"!") {
            return shell_alias(&global, command, &words);
        }
        let mut parts = split_words(&alias)?.into_iter();
        let Some(first) = parts.next() else {
            return fatal(format!("empty alias for {text}"));
        };
        let words = parts.chain(words).collect();
        return dispatch(global, first, words, depth + 1);
    }
    out::note(format!(
        "git: '{text}' is not a git command. See 'git --help'."
    ));
    let near = similar(&text);
    match near[..] {
        [] => {}
        [one] => out::note(format!("\nThe most similar command is\n\t{one}")),
        _ => out::note(format!(
            "\nThe most similar commands are\n\t{}",
            near.join("\n\t")
        )),
    }
    Ok(1)
}

fn alias(global: &Global, name: &str) -> Result<Option<Vec<u8>>> {
    let started = os::cwd()?;
    let config = match Repo::try_discover(global)? {
        Some(repo) => repo.config,
        None => crate::repo::outside_config(global)?,
    };
    os::chdir(&started)?;
    Ok(config
        .get(&format!("alias.{}", name.to_ascii_lowercase()))
        .map(<[u8]>::to_vec))
}

/// Runs an alias that is a command of the shell, at the root of the working tree.
fn shell_alias(global: &Global, command: &[u8], words: &[Vec<u8>]) -> Result<i32> {
    let repo = Repo::try_discover(global)?;
    let mut line = command.to_vec();
    if !words.is_empty() {
        line.extend(b" \"$@\"");
    }
    let mut arguments = vec![b"-c".to_vec(), line, command.to_vec()];
    arguments.extend(words.iter().cloned());
    let prefix = repo.map(|repo| repo.prefix).unwrap_or_default();
    start_shell(&arguments, &[(b"GIT_PREFIX", &prefix)])
}

/// Starts `/bin/sh` with the caller's descriptors and waits for it.
pub(crate) fn start_shell(arguments: &[Vec<u8>], variables: &[(&[u8], &[u8])]) -> Result<i32> {
    let _ = out::flush();
    #[cfg(target_os = "wasi")]
    {
        use codepod_sys::process::{Of, Spawn, wait};
        let mut spawn = Spawn::new("/bin/sh")
            .arg("sh")
            .args(arguments)
            .caller_env()
            .stdio();
        for (name, value) in variables {
            spawn = spawn.env(name, value);
        }
        let pid = match spawn.start() {
            Ok(pid) => pid,
            Err(errno) => {
                return fatal(format!(
                    "cannot run sh: {}",
                    codepod_tool::errno_text(errno)
                ));
            }
        };
        match wait(Of::Process(pid)) {
            Ok((_, status)) => Ok(status.code() as i32),
            Err(errno) => fatal(format!(
                "cannot wait for sh: {}",
                codepod_tool::errno_text(errno)
            )),
        }
    }
    #[cfg(unix)]
    {
        use codepod_tool::os_str;
        let mut command = std::process::Command::new("/bin/sh");
        command.args(arguments.iter().map(|argument| os_str(argument)));
        for (name, value) in variables {
            command.env(os_str(name), os_str(value));
        }
        Ok(command.status()?.code().unwrap_or(128))
    }
}

/// Makes an empty bare repository, for tests.
#[cfg(test)]
pub(crate) fn init_bare(directory: &[u8]) -> Result<()> {
    init::create(directory, true, b"main")
}

/// Words of an alias, with quotes as the shell has them.
fn split_words(text: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = 0;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            _ if quote == byte && byte != 0 => quote = 0,
            b'\'' | b'"' if quote == 0 => {
                quote = byte;
                word.get_or_insert_default();
            }
            b'\\' if quote != b'\'' => word.get_or_insert_default().extend(bytes.next()),
            _ if byte.is_ascii_whitespace() && quote == 0 => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    if quote != 0 {
        return fatal("bad alias: unclosed quote");
    }
    words.extend(word);
    Ok(words)
}

/// Commands whose name is nearly this one.
fn similar(name: &str) -> Vec<&'static str> {
    let known: Vec<&'static str> = COMMANDS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !["stage", "version"].contains(name))
        .collect();
    let mut scored: Vec<(usize, &'static str)> = known
        .iter()
        .map(|known| {
            if known.starts_with(name) {
                (0, *known)
            } else {
                (distance(name, known) + 1, *known)
            }
        })
        .collect();
    scored.sort();
    let begins: Vec<&'static str> = scored
        .iter()
        .filter(|(score, _)| *score == 0)
        .map(|(_, name)| *name)
        .collect();
    if !begins.is_empty() {
        return begins;
    }
    let best = scored.first().map_or(usize::MAX, |(score, _)| *score);
    if best > 7 {
        return Vec::new();
    }
    scored
        .iter()
        .filter(|(score, _)| *score == best)
        .map(|(_, name)| *name)
        .collect()
}

/// How far apart two words are; a swap costs nothing, an insertion 1, a replacement 2, a deletion
/// 3.
fn distance(from: &str, to: &str) -> usize {
    let (a, b): (Vec<u8>, Vec<u8>) = (
        from.bytes().take(64).collect(),
        to.bytes().take(64).collect(),
    );
    let mut table = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in table.iter_mut().enumerate() {
        row[0] = i * 3;
    }
    for j in 0..=b.len() {
        table[0][j] = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let mut best = table[i - 1][j - 1] + if a[i - 1] == b[j - 1] { 0 } else { 2 };
            if i > 1 && j > 1 && a[i - 2] == b[j - 1] && a[i - 1] == b[j - 2] {
                best = best.min(table[i - 2][j - 2]);
            }
            best = best.min(table[i - 1][j] + 3).min(table[i][j - 1] + 1);
            table[i][j] = best;
        }
    }
    table[a.len()][b.len()]
}

/// Makes a commit object.
pub(crate) fn write_commit(repo: &Repo, commit: &Commit) -> Result<Oid> {
    repo.objects.write(Kind::Commit, &commit.serialise())
}

/// Moves `HEAD`, or the branch it is on, and writes both logs.
pub(crate) fn move_head(repo: &Repo, new: Oid, message: &[u8]) -> Result<()> {
    let who = ident::identity(repo, ident::Role::Committer, false)?;
    let old = repo.head().unwrap_or(Oid::NULL);
    match repo.refs.head_branch() {
        Some(branch) => {
            repo.refs.write(&branch, new, Some((&who, message)))?;
            repo.refs.log(b"HEAD", old, new, &who, message)
        }
        None => repo.refs.write(b"HEAD", new, Some((&who, message))),
    }
}

/// Makes `HEAD` lead to a branch or a commit, and writes its log.
pub(crate) fn switch_head(
    repo: &Repo,
    branch: Option<&[u8]>,
    new: Oid,
    message: &[u8],
) -> Result<()> {
    let who = ident::identity(repo, ident::Role::Committer, false)?;
    let old = repo.head().unwrap_or(Oid::NULL);
    match branch {
        Some(branch) => {
            repo.refs.write_symbolic(b"HEAD", branch)?;
            repo.refs.log(b"HEAD", old, new, &who, message)
        }
        None => {
            // The file is replaced, whatever it led to.
            repo.refs
                .write_symbolic(b"HEAD", b"refs/heads/.detaching")?;
            let file = repo.file("HEAD");
            os::replace(&file, format!("{new}\n").as_bytes())?;
            repo.refs.log(b"HEAD", old, new, &who, message)
        }
    }
}

/// Keeps the old `HEAD`.
pub(crate) fn save_orig_head(repo: &Repo) -> Result<()> {
    match repo.head() {
        Some(head) => repo.refs.write(b"ORIG_HEAD", head, None),
        None => Ok(()),
    }
}

/// The tree of `HEAD`.
pub(crate) fn head_tree(repo: &Repo) -> Result<Option<Oid>> {
    match repo.head() {
        Some(head) => Ok(Some(Commit::read(&repo.objects, &head)?.tree)),
        None => Ok(None),
    }
}

/// Runs a hook if there is one that can be executed; its status. Hooks run inside the sandbox like
/// any other program.
pub(crate) fn hook(repo: &Repo, name: &str, arguments: &[Vec<u8>]) -> Result<i32> {
    let directory = repo.config.get("core.hookspath").map(settings::expand_home);
    let directory = directory.unwrap_or_else(|| repo.shared("hooks"));
    let path = [&directory[..], b"/", name.as_bytes()].concat();
    let Ok(found) = os::stat(&path) else {
        return Ok(0);
    };
    if !found.is_file() {
        return Ok(0);
    }
    if found.mode & 0o111 == 0 {
        if repo.config.truth("advice.ignoredhook") != Some(false) {
            out::hint(&format!(
                "The '{}' hook was ignored because it's not set as executable.\nYou can disable this warning with `git config \
                 advice.ignoredHook false`.",
                show(&path)
            ));
        }
        return Ok(0);
    }
    let line = [b"exec '", &path[..], b"' \"$@\""].concat();
    let mut words = vec![b"-c".to_vec(), line, path];
    words.extend(arguments.iter().cloned());
    start_shell(&words, &[(b"GIT_DIR", &repo.dir)])
}

/// Opens the user's editor on a file. Fails where no editor is set that could run here.
pub(crate) fn edit(repo: &Repo, file: &[u8]) -> Result<()> {
    let editor = os::variable("GIT_EDITOR")
        .or_else(|| repo.config.get("core.editor").map(<[u8]>::to_vec))
        .or_else(|| os::variable("VISUAL"))
        .or_else(|| os::variable("EDITOR"));
    let Some(editor) = editor.filter(|editor| !editor.is_empty()) else {
        out::note("error: Terminal is dumb, but EDITOR unset");
        return Err(Stop::Status(1));
    };
    if editor == b":" || editor == b"true" {
        return Ok(());
    }
    let line = [&editor[..], b" \"$@\""].concat();
    let status = start_shell(&[b"-c".to_vec(), line, editor.clone(), file.to_vec()], &[])?;
    if status != 0 {
        out::note(format!(
            "error: There was a problem with the editor '{}'.",
            show(&editor)
        ));
        return Err(Stop::Status(1));
    }
    Ok(())
}

/// An object's name: in full, or shortened as `--abbrev` says.
pub(crate) fn abbreviated(repo: &Repo, oid: &Oid, abbrev: &Optional) -> String {
    let count = match abbrev {
        Optional::No => return oid.hex(),
        Optional::Plain => None,
        Optional::With(count) => show(count).parse().ok(),
    };
    let count = count.unwrap_or(repo.abbrev());
    repo.objects.abbreviate(oid, count)
}

/// The short name of a branch's reference.
pub(crate) fn short_ref(name: &[u8]) -> &[u8] {
    [&b"refs/heads/"[..], b"refs/tags/", b"refs/remotes/"]
        .iter()
        .find_map(|prefix| name.strip_prefix(*prefix))
        .unwrap_or(name)
}

/// Fails when a branch may not have this name.
pub(crate) fn check_branch_name(name: &[u8]) -> Result<()> {
    if references::is_branch_name(name) {
        return Ok(());
    }
    out::note(format!(
        "fatal: '{}' is not a valid branch name",
        show(name)
    ));
    out::hint(
        "See `man git check-ref-format`\nDisable this message with \"git config advice.refSyntax false\"",
    );
    Err(Stop::Status(128))
}
