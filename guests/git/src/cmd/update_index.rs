//! `git update-index`: entries of the index, one by one.

use super::Call;
use crate::args;
use crate::diff::change;
use crate::index::Entry;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

/// `git update-index`.
pub(crate) fn update_index(call: &Call) -> Result<i32> {
    let repo = call.work_tree()?;
    let mut index = repo.index()?;
    let (mut add, mut remove, mut force_remove, mut assume, mut skip, mut chmod) =
        (false, false, false, None, None, None);
    let mut words = call.words.iter();
    while let Some(word) = words.next() {
        let text = show(word);
        match text.as_str() {
            "--add" => add = true,
            "--remove" => remove = true,
            "--force-remove" => force_remove = true,
            "--assume-unchanged" => assume = Some(true),
            "--no-assume-unchanged" => assume = Some(false),
            "--skip-worktree" => skip = Some(true),
            "--no-skip-worktree" => skip = Some(false),
            "--chmod=+x" => chmod = Some(0o100_755),
            "--chmod=-x" => chmod = Some(0o100_644),
            "-q" | "--refresh" | "--really-refresh" | "--again" | "--" => {
                change::refresh(&repo, &mut index)?;
            }
            "--cacheinfo" => {
                let first = words.next().cloned().unwrap_or_default();
                let parts: Vec<Vec<u8>> = match first.contains(&b',') {
                    true => first
                        .splitn(3, |byte| *byte == b',')
                        .map(<[u8]>::to_vec)
                        .collect(),
                    false => vec![
                        first,
                        words.next().cloned().unwrap_or_default(),
                        words.next().cloned().unwrap_or_default(),
                    ],
                };
                let mode = parts
                    .first()
                    .and_then(|mode| u32::from_str_radix(&show(mode), 8).ok());
                let oid = parts.get(1).and_then(|hex| Oid::parse(hex));
                let (Some(mode), Some(oid), Some(path)) = (mode, oid, parts.get(2)) else {
                    return Err(Stop::ErrorStatus(
                        b"option 'cacheinfo' expects <mode>,<sha1>,<path>".to_vec(),
                        129,
                    ));
                };
                if !index.has(path) && !add {
                    out::note(format!(
                        "error: {}: cannot add to the index - missing --add option?",
                        show(path)
                    ));
                    return fatal(format!(
                        "git update-index: --cacheinfo cannot add {}",
                        show(path)
                    ));
                }
                if !worktree::is_safe_path(path) {
                    return fatal(format!(
                        "git update-index: --cacheinfo cannot add {}",
                        show(path)
                    ));
                }
                index.put(Entry::new(path.clone(), mode, oid, 0));
            }
            "--index-info" | "--stdin" => {
                return fatal(format!(
                    "codepod's git update-index does not support {text}"
                ));
            }
            _ if text.starts_with('-') => {
                return Err(args::usage(
                    "update-index",
                    format!("unknown option `{}'", text.trim_start_matches('-')),
                ));
            }
            _ => {
                let Some(path) = repo.path_of_user(word) else {
                    return fatal(format!("Unable to process path {text}"));
                };
                if let Some(entry) = index.entries.get_mut(&(path.clone(), 0))
                    && (assume.is_some() || skip.is_some() || chmod.is_some())
                {
                    entry.assume_valid = assume.unwrap_or(entry.assume_valid);
                    entry.skip_worktree = skip.unwrap_or(entry.skip_worktree);
                    entry.mode = chmod.unwrap_or(entry.mode);
                    continue;
                }
                if assume.is_some() || skip.is_some() {
                    return fatal(format!("Unable to mark file {text}"));
                }
                if force_remove || (remove && !os::exists(&path)) {
                    index.remove(&path);
                    continue;
                }
                if !os::exists(&path) {
                    out::note(format!(
                        "error: {text}: does not exist and --remove not passed"
                    ));
                    return fatal(format!("Unable to process path {text}"));
                }
                if !index.has(&path) && !add {
                    out::note(format!(
                        "error: {text}: cannot add to the index - missing --add option?"
                    ));
                    return fatal(format!("Unable to process path {text}"));
                }
                let entry = worktree::take_file(&repo, &path)?;
                index.put(entry);
            }
        }
    }
    repo.write_index(&index)?;
    Ok(0)
}
