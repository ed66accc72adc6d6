//! The message of a commit: where it comes from, how it is edited and cleaned.

use super::Options;
use crate::cmd::status::{Untracked, collect, long_text};
use crate::cmd::{edit, hook};
use crate::index::Index;
use crate::object::{Commit, who_parts};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show, why};

/// A message that is not finished.
struct Draft {
    text: Vec<u8>,
    /// The user is to edit it.
    is_edited: bool,
}

/// The message of a commit that has the files of an index.
pub(super) fn message(
    repo: &Repo,
    options: &Options,
    old: Option<&Commit>,
    index: &Index,
    committer: &[u8],
) -> Result<Vec<u8>> {
    let Draft {
        mut text,
        is_edited,
    } = draft(repo, options, old)?;
    let is_edited = options.edit.unwrap_or(is_edited);
    if options.signoff {
        let (name, mail) = who_parts(committer);
        text = sign_off(&text, name, mail);
    }
    for trailer in &options.trailers {
        let line = show(trailer).replacen('=', ": ", 1);
        text = add_trailer(&text, line.as_bytes());
    }
    let configured = || repo.config.text("commit.cleanup");
    let mode = options.cleanup.clone().or_else(configured);
    if is_edited {
        if mode.as_deref() != Some("verbatim") {
            text.extend(instructions(repo, index)?);
        }
        text = edited(repo, &text)?;
    }
    if !options.no_verify {
        text = checked(repo, text)?;
    }
    let text = cleaned(text, mode.as_deref(), is_edited)?;
    if text.trim_ascii().is_empty() && !options.allow_empty_message {
        out::note("Aborting commit due to empty commit message.");
        return Err(Stop::Status(1));
    }
    Ok(text)
}

/// The message to begin with.
fn draft(repo: &Repo, options: &Options, old: Option<&Commit>) -> Result<Draft> {
    let ready = |text: Vec<u8>| {
        Ok(Draft {
            text,
            is_edited: false,
        })
    };
    let to_edit = |text: Vec<u8>| {
        Ok(Draft {
            text,
            is_edited: true,
        })
    };
    if !options.message.is_empty() {
        return match &options.file {
            Some(_) => fatal("options '-m' and '-F' cannot be used together"),
            None => ready(join_messages(&options.message)),
        };
    }
    if let Some(file) = &options.file {
        return ready(read(repo, file)?);
    }
    if let Some(name) = &options.reuse {
        return ready(message_of(repo, name)?);
    }
    if let Some(name) = &options.reedit {
        return to_edit(message_of(repo, name)?);
    }
    let marked = [(&options.fixup, "fixup! "), (&options.squash, "squash! ")];
    for (name, mark) in marked {
        if let Some(name) = name {
            let oid = revision::resolve_commit(repo, name)?;
            let subject = Commit::read(&repo.objects, &oid)?.subject();
            return ready([mark.as_bytes(), &subject, b"\n"].concat());
        }
    }
    let prepared = ["MERGE_MSG", "SQUASH_MSG"];
    if let Some(text) = prepared.iter().find_map(|file| repo.read_file(file)) {
        return to_edit([&text[..], b"\n"].concat());
    }
    to_edit(old.map(|old| old.message.clone()).unwrap_or_default())
}

fn message_of(repo: &Repo, name: &[u8]) -> Result<Vec<u8>> {
    let oid = revision::resolve(repo, name)?;
    Ok(Commit::read(&repo.objects, &oid)?.message)
}

/// Reads the file that `-F` names.
fn read(repo: &Repo, file: &[u8]) -> Result<Vec<u8>> {
    let read = match file {
        b"-" => os::read_stdin(),
        _ if file.first() == Some(&b'/') => os::read(file),
        _ => os::read(&[&repo.prefix[..], file].concat()),
    };
    match read {
        Ok(text) => Ok(text),
        Err(found) => fatal(format!(
            "could not read log file '{}': {}",
            show(file),
            why(&found)
        )),
    }
}

/// The comment that tells the user what to do, and what is committed.
fn instructions(repo: &Repo, index: &Index) -> Result<Vec<u8>> {
    let mut text = b"\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored, and an empty message aborts the commit.\n#\n".to_vec();
    let untracked = Untracked::Normal;
    let state = collect(repo, index, untracked, None, &Pathspec::default(), true)?;
    let status = long_text(repo, index, &state, untracked, true, false)?;
    for line in status.split(|byte| *byte == b'\n') {
        match line.first() {
            None => text.extend(b"#\n"),
            Some(b'\t') => text.extend([b"#", line, b"\n"].concat()),
            Some(_) => text.extend([b"# ", line, b"\n"].concat()),
        }
    }
    Ok(text)
}

/// Lets the user edit a text.
fn edited(repo: &Repo, text: &[u8]) -> Result<Vec<u8>> {
    let file = repo.file("COMMIT_EDITMSG");
    os::write(&file, text)?;
    if edit(repo, &file).is_err() {
        out::note("Please supply the message using either -m or -F option.");
        return Err(Stop::Status(1));
    }
    Ok(os::read(&file)?)
}

/// Lets the hook `commit-msg` check and change a text, where there is one.
fn checked(repo: &Repo, text: Vec<u8>) -> Result<Vec<u8>> {
    let has_hook =
        os::exists(&repo.shared("hooks/commit-msg")) || repo.config.get("core.hookspath").is_some();
    if !has_hook {
        return Ok(text);
    }
    let file = repo.file("COMMIT_EDITMSG");
    os::write(&file, &text)?;
    if hook(repo, "commit-msg", std::slice::from_ref(&file))? != 0 {
        return Err(Stop::Status(1));
    }
    Ok(os::read(&file)?)
}

/// Cleans a text as `--cleanup` says.
fn cleaned(text: Vec<u8>, mode: Option<&str>, is_edited: bool) -> Result<Vec<u8>> {
    match mode {
        None | Some("default") => Ok(cleanup(&text, is_edited)),
        Some("strip") => Ok(cleanup(&text, true)),
        Some("whitespace") => Ok(cleanup(&text, false)),
        Some("verbatim") => Ok(text),
        Some("scissors") => {
            let cut = text.windows(12).position(|part| part == b"# ----------");
            Ok(cleanup(&text[..cut.unwrap_or(text.len())], false))
        }
        Some(other) => fatal(format!("Invalid cleanup mode {other}")),
    }
}

/// How a message is cleaned.
pub(crate) fn cleanup(text: &[u8], comments: bool) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        if comments && line.first() == Some(&b'#') {
            continue;
        }
        let line = line.trim_ascii_end();
        if line.is_empty() && lines.last().is_none_or(Vec::is_empty) {
            continue;
        }
        lines.push(line.to_vec());
    }
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    let mut out = lines.join(&b'\n');
    if !out.is_empty() {
        out.push(b'\n');
    }
    out
}

/// Puts the paragraphs of several `-m` together.
pub(crate) fn join_messages(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for part in parts {
        if !out.is_empty() {
            out.push(b'\n');
        }
        out.extend_from_slice(part);
        if out.last() != Some(&b'\n') {
            out.push(b'\n');
        }
    }
    out
}

/// Adds `Signed-off-by`, once.
pub(crate) fn sign_off(text: &[u8], name: &[u8], mail: &[u8]) -> Vec<u8> {
    let line = [b"Signed-off-by: ", name, b" <", mail, b">"].concat();
    if text.trim_ascii_end().ends_with(&line) {
        return text.to_vec();
    }
    add_trailer(text, &line)
}

/// Adds a line to the block of such lines at the end.
fn add_trailer(text: &[u8], line: &[u8]) -> Vec<u8> {
    let mut out = text.trim_ascii_end().to_vec();
    let last = show(&out);
    let last = last.rsplit("\n\n").next().unwrap_or("");
    let block = show(&out).contains("\n\n")
        && last.lines().all(|line| {
            line.split_once(": ")
                .is_some_and(|(key, _)| !key.contains(' '))
        });
    out.extend_from_slice(if block { b"\n" } else { b"\n\n" });
    out.extend_from_slice(line);
    out.push(b'\n');
    out
}
