//! `git ls-tree`: what a tree object has in it.

use super::Call;
use crate::args::{self, Optional, options};
use crate::object::{self, TreeEntry};
use crate::oid::{Kind, Oid};
use crate::out;
use crate::repo::{Repo, relative};
use crate::revision;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "ls-tree" {
        only_trees: bool = "d|",
        recursive: bool = "r|",
        /// Trees are shown even where their entries are.
        with_trees: bool = "t|",
        zero: bool = "z|",
        long: bool = "l|long",
        name_only: bool = "name-only",
        name_status: bool = "name-status",
        object_only: bool = "object-only",
        full_name: bool = "full-name",
        full_tree: bool = "full-tree",
        format: Option<String> = "format=",
        abbrev: Optional = "abbrev?",
    }
}

/// An entry, and its path from the root of the tree.
struct Row {
    path: Vec<u8>,
    entry: TreeEntry,
}

/// `git ls-tree`.
pub(crate) fn ls_tree(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let Some((name, words)) = rest.words.split_first() else {
        return Err(args::usage("ls-tree", "a tree is needed"));
    };
    let Some(oid) = revision::try_resolve(&repo, name)? else {
        return fatal(format!("Not a valid object name {}", show(name)));
    };
    let Ok(tree) = revision::peel(&repo, oid, Some(Kind::Tree)) else {
        return fatal("not a tree object");
    };
    let prefix: &[u8] = match options.full_tree {
        true => b"",
        false => &repo.prefix,
    };
    let mut listing = Listing {
        repo: &repo,
        options: &options,
        wanted: wanted(&repo, words, prefix, &options),
        rows: Vec::new(),
    };
    listing.level(tree, b"", 0)?;
    for row in listing.rows {
        out::put(&line(&repo, row, prefix, &options)?);
        out::put(if options.zero { b"\0" } else { b"\n" });
    }
    Ok(0)
}

/// The paths that are asked for, from the root of the tree; none means all.
fn wanted(repo: &Repo, words: &[Vec<u8>], prefix: &[u8], options: &Options) -> Vec<Vec<u8>> {
    let mut wanted = Vec::new();
    for word in words {
        let bare = word.strip_suffix(b"/");
        let mut path = match options.full_tree {
            true => bare.unwrap_or(word).to_vec(),
            false => repo.path_of_user(word).unwrap_or_default(),
        };
        if bare.is_some() && !path.is_empty() {
            path.push(b'/');
        }
        wanted.push(path);
    }
    if wanted.is_empty() && !prefix.is_empty() {
        wanted.push(prefix.to_vec());
    }
    wanted
}

/// A walk through a tree that collects the entries to show.
struct Listing<'a> {
    repo: &'a Repo,
    options: &'a Options,
    wanted: Vec<Vec<u8>>,
    rows: Vec<Row>,
}

impl Listing<'_> {
    fn level(&mut self, tree: Oid, prefix: &[u8], depth: usize) -> Result<()> {
        if depth > 2048 {
            return fatal("exceeded maximum allowed tree depth");
        }
        let options = self.options;
        for entry in object::read_tree(&self.repo.objects, &tree)? {
            let path = [prefix, &entry.name].concat();
            let below = [&path[..], b"/"].concat();
            let is_tree = entry.is_tree();
            let named = self.is_named(&path, is_tree);
            let leads = self.wanted.iter().any(|word| word.starts_with(&below));
            if is_tree && (leads || (named && options.recursive)) {
                let oid = entry.oid;
                if options.with_trees || (options.only_trees && options.recursive) {
                    self.rows.push(Row { path, entry });
                }
                self.level(oid, &below, depth + 1)?;
            } else if named && (is_tree || !options.only_trees) {
                self.rows.push(Row { path, entry });
            }
        }
        Ok(())
    }

    /// Whether a path is asked for, or below one that is.
    fn is_named(&self, path: &[u8], is_tree: bool) -> bool {
        self.wanted.is_empty()
            || self.wanted.iter().any(|word| {
                let bare = word.strip_suffix(b"/").unwrap_or(word);
                word.is_empty()
                    || path == *word
                    || (path == bare && !is_tree)
                    || path.starts_with(&[bare, b"/"].concat())
            })
    }
}

/// An entry as it is shown.
fn line(repo: &Repo, row: Row, prefix: &[u8], options: &Options) -> Result<Vec<u8>> {
    let Row { path, entry } = row;
    let path = match options.full_tree || options.full_name {
        true => path,
        false => relative(&path, prefix),
    };
    let path = match options.zero {
        true => path,
        false => repo.quote(&path),
    };
    let hex = super::abbreviated(repo, &entry.oid, &options.abbrev);
    let size = || -> Result<String> {
        Ok(match entry.kind() {
            Kind::Blob => repo.objects.read(&entry.oid)?.1.len().to_string(),
            _ => "-".to_owned(),
        })
    };
    if let Some(format) = &options.format {
        let size = match format.contains("%(objectsize)") {
            true => size()?,
            false => String::new(),
        };
        let text = format
            .replace("%(objectmode)", &format!("{:06o}", entry.mode))
            .replace("%(objecttype)", entry.kind().name())
            .replace("%(objectname)", &hex)
            .replace("%(objectsize)", &size)
            .replace("%x09", "\t");
        return Ok(text.replace("%(path)", &show(&path)).into_bytes());
    }
    if options.name_only || options.name_status {
        return Ok(path);
    }
    if options.object_only {
        return Ok(hex.into_bytes());
    }
    let size = match options.long {
        true => format!(" {:>7}", size()?),
        false => String::new(),
    };
    let head = format!("{:06o} {} {hex}{size}\t", entry.mode, entry.kind().name());
    Ok([head.as_bytes(), &path].concat())
}
