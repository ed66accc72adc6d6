//! `git mktree`: a tree object from lines of text.

use super::Call;
use crate::args;
use crate::object::{TreeEntry, kind_of_mode, serialise_tree};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::stop::{Result, fatal, show};

/// `git mktree`.
pub(crate) fn mktree(call: &Call) -> Result<i32> {
    let parsed = args::parse("mktree", "z| missing batch", &call.words)?;
    parsed.refuse(&["batch"])?;
    let repo = call.repo()?;
    let text = os::read_stdin()?;
    let end = if parsed.has("z") { 0 } else { b'\n' };
    let mut entries = Vec::new();
    for line in text
        .split(|byte| *byte == end)
        .filter(|line| !line.is_empty())
    {
        let bad = || fatal(format!("input format error: {}", show(line)));
        let Some(tab) = line.iter().position(|byte| *byte == b'\t') else {
            return bad();
        };
        let head = show(&line[..tab]);
        let words: Vec<&str> = head.split(' ').collect();
        let [mode, kind, hex] = words[..] else {
            return bad();
        };
        let (Ok(mode), Some(oid)) = (u32::from_str_radix(mode, 8), Oid::parse(hex.as_bytes()))
        else {
            return bad();
        };
        if kind_of_mode(mode).name() != kind {
            return fatal(format!(
                "entry '{}' object type ({kind}) doesn't match mode type ({})",
                show(&line[tab + 1..]),
                kind_of_mode(mode).name()
            ));
        }
        if !parsed.has("missing") && kind != "commit" && !repo.objects.has(&oid) {
            return fatal(format!(
                "entry '{}' object {oid} is unavailable",
                show(&line[tab + 1..])
            ));
        }
        entries.push(TreeEntry {
            mode,
            name: line[tab + 1..].to_vec(),
            oid,
        });
    }
    out::line(
        repo.objects
            .write(Kind::Tree, &serialise_tree(entries))?
            .hex(),
    );
    Ok(0)
}
