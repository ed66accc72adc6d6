//! `git ls-tree`: what a tree object has in it.

use super::Call;
use crate::args;
use crate::object::{self, TreeEntry};
use crate::oid::{Kind, Oid};
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// `git ls-tree`.
pub(crate) fn ls_tree(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "ls-tree",
        "d| r| t| z| l|long name-only name-status object-only full-name full-tree format= abbrev?",
        &call.words,
    )?;
    let repo = call.repo()?;
    let Some((name, words)) = parsed.words.split_first() else {
        return Err(args::usage("ls-tree", "a tree is needed"));
    };
    let Some(oid) = revision::try_resolve(&repo, name)? else {
        return fatal(format!("Not a valid object name {}", show(name)));
    };
    let Ok(tree) = revision::peel(&repo, oid, Some(Kind::Tree)) else {
        return fatal("not a tree object");
    };
    let full_tree = parsed.has("full-tree");
    let prefix = if full_tree {
        Vec::new()
    } else {
        repo.prefix.clone()
    };
    let mut wanted: Vec<Vec<u8>> = Vec::new();
    for word in words {
        let slash = word.ends_with(b"/");
        let path = if full_tree {
            word.strip_suffix(b"/").unwrap_or(word).to_vec()
        } else {
            repo.path_of_user(word).unwrap_or_default()
        };
        wanted.push(if slash && !path.is_empty() {
            [&path[..], b"/"].concat()
        } else {
            path
        });
    }
    if wanted.is_empty() && !prefix.is_empty() {
        wanted.push(prefix.clone());
    }
    let mut rows = Vec::new();
    ls_level(&repo, tree, b"", &wanted, &parsed, &mut rows, 0)?;
    for (path, entry) in rows {
        let shown = match full_tree || parsed.has("full-name") {
            true => path,
            false => crate::repo::relative(&path, &prefix),
        };
        let shown = if parsed.has("z") {
            shown
        } else {
            repo.quote(&shown)
        };
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
        let size = || -> Result<String> {
            Ok(match entry.kind() {
                Kind::Blob => repo.objects.read(&entry.oid)?.1.len().to_string(),
                _ => "-".to_owned(),
            })
        };
        let line = if let Some(format) = parsed.text("format") {
            let text = format
                .replace("%(objectmode)", &format!("{:06o}", entry.mode))
                .replace("%(objecttype)", entry.kind().name())
                .replace("%(objectname)", &hex)
                .replace(
                    "%(objectsize)",
                    &if format.contains("%(objectsize)") {
                        size()?
                    } else {
                        String::new()
                    },
                )
                .replace("%x09", "\t");
            text.replace("%(path)", &show(&shown)).into_bytes()
        } else if parsed.has("name-only") || parsed.has("name-status") {
            shown
        } else if parsed.has("object-only") {
            hex.into_bytes()
        } else {
            let size = if parsed.has("long") {
                format!(" {:>7}", size()?)
            } else {
                String::new()
            };
            [
                format!("{:06o} {} {hex}{size}\t", entry.mode, entry.kind().name()).as_bytes(),
                &shown,
            ]
            .concat()
        };
        out::put(&line);
        out::put(if parsed.has("z") { b"\0" } else { b"\n" });
    }
    Ok(0)
}

fn ls_level(
    repo: &Repo,
    tree: Oid,
    prefix: &[u8],
    wanted: &[Vec<u8>],
    parsed: &args::Parsed,
    rows: &mut Vec<(Vec<u8>, TreeEntry)>,
    depth: usize,
) -> Result<()> {
    if depth > 2048 {
        return fatal("exceeded maximum allowed tree depth");
    }
    for entry in object::read_tree(&repo.objects, &tree)? {
        let path = [prefix, &entry.name].concat();
        let below = [&path[..], b"/"].concat();
        let is_tree = entry.is_tree();
        // Named itself, or below something named.
        let named = wanted.is_empty()
            || wanted.iter().any(|word| {
                let bare = word.strip_suffix(b"/").unwrap_or(word);
                word.is_empty()
                    || path == *word
                    || (path == bare && !is_tree)
                    || path.starts_with(&[bare, b"/"].concat())
            });
        let leads = wanted.iter().any(|word| word.starts_with(&below));
        if is_tree && (leads || (named && parsed.has("r"))) {
            if (parsed.has("t") || (parsed.has("d") && parsed.has("r"))) && (named || leads) {
                rows.push((path.clone(), entry.clone()));
            }
            ls_level(repo, entry.oid, &below, wanted, parsed, rows, depth + 1)?;
            continue;
        }
        if named && (is_tree || !parsed.has("d")) {
            rows.push((path, entry));
        }
    }
    Ok(())
}
