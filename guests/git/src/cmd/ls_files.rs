//! `git ls-files`: files of the index and of the working tree.

use super::Call;
use super::status::{Untracked, unknown};
use crate::args;
use crate::diff::change::{Found, compare};
use crate::object::kind_of_mode;
use crate::out;
use crate::pathspec::Pathspec;
use crate::stop::{Result, show};

/// `git ls-files`.
pub(crate) fn ls_files(call: &Call) -> Result<i32> {
    let table = "z| t| v| f| c|cached d|deleted m|modified o|others i|ignored s|stage k|killed directory eol empty-directory u|unmerged resolve-undo \
                 x|exclude= X|exclude-from= exclude-per-directory= exclude-standard full-name recurse-submodules error-unmatch with-tree= abbrev? debug \
                 deduplicate sparse format=";
    let parsed = args::parse("ls-files", table, &call.words)?;
    parsed.refuse(&[
        "v",
        "f",
        "killed",
        "eol",
        "resolve-undo",
        "with-tree",
        "debug",
        "sparse",
        "recurse-submodules",
    ])?;
    let repo = call.repo()?;
    let index = repo.index()?;
    let paths = match parsed.words.is_empty() {
        true if !repo.prefix.is_empty() => Pathspec::new(&repo, &[b".".to_vec()])?,
        _ => Pathspec::new(&repo, &parsed.words)?,
    };
    let end: &[u8] = if parsed.has("z") { b"\0" } else { b"\n" };
    let shown = |path: &[u8]| {
        let path = if parsed.has("full-name") {
            path.to_vec()
        } else {
            repo.relative(path)
        };
        if parsed.has("z") {
            path
        } else {
            repo.quote(&path)
        }
    };
    let tag = |letter: char| {
        if parsed.has("t") {
            format!("{letter} ")
        } else {
            String::new()
        }
    };
    let print = |letter: char, head: &str, path: &[u8]| {
        out::put(format!("{}{head}", tag(letter)).as_bytes());
        out::put(&shown(path));
        out::put(end);
    };
    let mut shows = false;
    if parsed.has("others") {
        shows = true;
        let standard = parsed.has("exclude-standard");
        let mode = if parsed.has("directory") {
            Untracked::Normal
        } else {
            Untracked::All
        };
        let (untracked, mut ignored) = unknown(&repo, &index, mode, Some(mode), &paths)?;
        let (mut list, ignored) = match (standard, parsed.has("ignored")) {
            (true, true) => (std::mem::take(&mut ignored), Vec::new()),
            (true, false) => (untracked, Vec::new()),
            // Without rules nothing is ignored.
            (false, _) => (untracked, ignored),
        };
        list.extend(ignored);
        list.sort();
        let patterns = parsed.values("exclude");
        for path in list {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(&path);
            let hit = patterns.iter().any(|pattern| {
                crate::wildmatch::matches(pattern, name, crate::wildmatch::Slashes::Stop, false)
            });
            if !hit {
                print('?', "", &path);
            }
        }
    }
    let (deleted, modified) = (parsed.has("deleted"), parsed.has("modified"));
    let staged = parsed.has("stage") || parsed.has("unmerged");
    let cached = parsed.has("cached") || staged || !(shows || deleted || modified);
    if cached || deleted || modified {
        let ignore = (parsed.has("ignored") && parsed.has("exclude-standard"))
            .then(|| crate::ignore::Ignore::new(&repo));
        let mut last: Vec<u8> = Vec::new();
        for entry in index
            .entries
            .values()
            .filter(|entry| paths.matches(&entry.path))
        {
            if ignore
                .as_ref()
                .is_some_and(|ignore| !ignore.ignores_deep(&entry.path, false))
            {
                continue;
            }
            if parsed.has("unmerged") && entry.stage == 0 {
                continue;
            }
            if parsed.has("deduplicate") && last == entry.path {
                continue;
            }
            last.clone_from(&entry.path);
            let letter = if entry.stage > 0 {
                'M'
            } else if entry.skip_worktree {
                'S'
            } else {
                'H'
            };
            if cached {
                if let Some(format) = parsed.text("format") {
                    let text = format
                        .replace("%(objectmode)", &format!("{:06o}", entry.mode))
                        .replace("%(objectname)", &entry.oid.hex())
                        .replace("%(objecttype)", kind_of_mode(entry.mode).name())
                        .replace("%(stage)", &entry.stage.to_string())
                        .replace("%(path)", &show(&shown(&entry.path)));
                    out::put(text.as_bytes());
                    out::put(end);
                    continue;
                }
                let hex = match parsed.has("abbrev") {
                    true => repo.objects.abbreviate(
                        &entry.oid,
                        parsed
                            .text("abbrev")
                            .and_then(|count| count.parse().ok())
                            .unwrap_or(repo.abbrev()),
                    ),
                    false => entry.oid.hex(),
                };
                let head = if staged {
                    format!("{:06o} {hex} {}\t", entry.mode, entry.stage)
                } else {
                    String::new()
                };
                print(letter, &head, &entry.path);
            }
            if deleted || modified {
                let found = if entry.stage > 0 {
                    Found::Changed(0)
                } else {
                    compare(&repo, entry)?.0
                };
                if deleted && found == Found::Gone {
                    print('R', "", &entry.path);
                }
                if modified && found != Found::Same {
                    print('C', "", &entry.path);
                }
            }
        }
    }
    if parsed.has("error-unmatch") {
        let unmatched = paths.unmatched(index.entries.values().map(|entry| &entry.path[..]));
        for word in &unmatched {
            out::note(format!(
                "error: pathspec '{}' did not match any file(s) known to git\nDid you forget to 'git add'?",
                show(word)
            ));
        }
        return Ok(i32::from(!unmatched.is_empty()));
    }
    Ok(0)
}
