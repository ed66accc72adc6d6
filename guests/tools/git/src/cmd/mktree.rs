//! `git mktree`: a tree object from lines of text.

use super::Call;
use crate::args::options;
use crate::object::{TreeEntry, kind_of_mode, serialise_tree};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "mktree" {
        /// Lines end with NUL.
        zero: bool = "z|",
        missing: bool = "missing",
    }
    refused "batch"
}

/// `git mktree`.
pub(crate) fn mktree(call: &Call) -> Result<i32> {
    let (options, _) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let text = os::read_stdin()?;
    let end = if options.zero { 0 } else { b'\n' };
    let lines = text.split(|byte| *byte == end);
    let entries = lines
        .filter(|line| !line.is_empty())
        .map(|line| entry(&repo, line, &options))
        .collect::<Result<Vec<TreeEntry>>>()?;
    let tree = repo.objects.write(Kind::Tree, &serialise_tree(entries))?;
    out::line(tree.hex());
    Ok(0)
}

/// The entry that a line `MODE KIND NAME<tab>PATH` describes.
fn entry(repo: &Repo, line: &[u8], options: &Options) -> Result<TreeEntry> {
    let bad = || fatal(format!("input format error: {}", show(line)));
    let Some(tab) = line.iter().position(|byte| *byte == b'\t') else {
        return bad();
    };
    let (head, name) = (show(&line[..tab]), &line[tab + 1..]);
    let words: Vec<&str> = head.split(' ').collect();
    let [mode, kind, hex] = words[..] else {
        return bad();
    };
    let (Ok(mode), Some(oid)) = (u32::from_str_radix(mode, 8), Oid::parse(hex.as_bytes())) else {
        return bad();
    };
    let expected = kind_of_mode(mode).name();
    if expected != kind {
        return fatal(format!(
            "entry '{}' object type ({kind}) doesn't match mode type ({expected})",
            show(name)
        ));
    }
    if !options.missing && kind != "commit" && !repo.objects.has(&oid) {
        return fatal(format!(
            "entry '{}' object {oid} is unavailable",
            show(name)
        ));
    }
    Ok(TreeEntry {
        mode,
        name: name.to_vec(),
        oid,
    })
}
