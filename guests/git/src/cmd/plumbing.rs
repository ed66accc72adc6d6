//! The commands that scripts use: objects, trees, the index, and the care of a repository.

use std::collections::HashSet;

use super::Call;
use super::status::{Untracked, unknown};
use crate::args;
use crate::diff::change::{self, Found, compare};
use crate::ident::{Role, identity};
use crate::index::Entry;
use crate::object::{
    self, Commit, Tag, TreeEntry, canonical_mode, kind_of_mode, parse_tree, serialise_tree,
};
use crate::oid::{self, Kind, Oid};
use crate::os;
use crate::out;
use crate::pack;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

/// `git cat-file`.
pub(crate) fn cat_file(call: &Call) -> Result<i32> {
    let table = "t| s| e| p| textconv filters path= batch? batch-check? batch-command? batch-all-objects buffer follow-symlinks unordered allow-unknown-type";
    let parsed = args::parse("cat-file", table, &call.words)?;
    parsed.refuse(&["textconv", "filters", "batch-command", "follow-symlinks"])?;
    let repo = call.repo()?;
    if parsed.has("batch") || parsed.has("batch-check") {
        return batch(&repo, &parsed);
    }
    let (kind, name) = match &parsed.words[..] {
        [kind, name] => (Some(kind.clone()), name),
        [name] => (None, name),
        _ => return Err(args::usage("cat-file", "an object is needed")),
    };
    let Some(oid) = revision::try_resolve(&repo, name)? else {
        if parsed.has("e") {
            return fatal(format!("Not a valid object name {}", show(name)));
        }
        return fatal(format!("Not a valid object name {}", show(name)));
    };
    if parsed.has("e") {
        return Ok(i32::from(!repo.objects.has(&oid)));
    }
    let Some((found, content)) = repo.objects.get(&oid)? else {
        if kind.is_none() && (parsed.has("t") || parsed.has("s")) {
            return fatal("git cat-file: could not get object info");
        }
        return fatal(format!("Not a valid object name {}", show(name)));
    };
    if parsed.has("t") {
        out::line(found.name());
    } else if parsed.has("s") {
        out::line(content.len().to_string());
    } else if parsed.has("p") {
        match found {
            Kind::Tree => print_tree(&repo, &oid)?,
            _ => out::put(&content),
        }
    } else if let Some(kind) = kind {
        let Some(wanted) = Kind::parse(&kind) else {
            return fatal(format!("invalid object type \"{}\"", show(&kind)));
        };
        let oid = if wanted == found {
            oid
        } else {
            match revision::peel(&repo, oid, Some(wanted)) {
                Ok(oid) => oid,
                Err(_) => return fatal(format!("git cat-file {}: bad file", show(name))),
            }
        };
        out::put(&repo.objects.read(&oid)?.1);
    } else {
        return Err(args::usage("cat-file", "an option or a type is needed"));
    }
    Ok(0)
}

fn print_tree(repo: &Repo, oid: &Oid) -> Result<()> {
    for entry in object::read_tree(&repo.objects, oid)? {
        let head = format!("{:06o} {} {}\t", entry.mode, entry.kind().name(), entry.oid);
        out::line([head.as_bytes(), &repo.quote(&entry.name)].concat());
    }
    Ok(())
}

fn batch(repo: &Repo, parsed: &args::Parsed) -> Result<i32> {
    let with_content = parsed.has("batch");
    let format = parsed
        .text("batch")
        .or(parsed.text("batch-check"))
        .unwrap_or_else(|| "%(objectname) %(objecttype) %(objectsize)".to_owned());
    let names: Vec<Vec<u8>> = match parsed.has("batch-all-objects") {
        true => repo
            .objects
            .all()
            .into_iter()
            .map(|oid| oid.hex().into_bytes())
            .collect(),
        false => os::read_stdin()?
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(<[u8]>::to_vec)
            .collect(),
    };
    for line in names {
        let splits = format.contains("%(rest)");
        let (name, rest) = match line
            .iter()
            .position(|byte| *byte == b' ')
            .filter(|_| splits)
        {
            Some(at) => (line[..at].to_vec(), show(&line[at + 1..])),
            None => (line.clone(), String::new()),
        };
        let found = match revision::try_resolve(repo, &name)? {
            Some(oid) => repo.objects.get(&oid)?.map(|object| (oid, object)),
            None => None,
        };
        let Some((oid, (kind, content))) = found else {
            out::line([&name[..], b" missing"].concat());
            continue;
        };
        let text = format
            .replace("%(objectname)", &oid.hex())
            .replace("%(objecttype)", kind.name())
            .replace("%(objectsize)", &content.len().to_string())
            .replace("%(rest)", &rest);
        out::line(text);
        if with_content {
            out::put(&content);
            out::put(b"\n");
        }
    }
    Ok(0)
}

/// `git hash-object`.
pub(crate) fn hash_object(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "hash-object",
        "t|= w| stdin stdin-paths no-filters literally path=",
        &call.words,
    )?;
    let word = parsed.value("t").unwrap_or(b"blob").to_vec();
    let Some(kind) = Kind::parse(&word) else {
        return fatal(format!("invalid object type \"{}\"", show(&word)));
    };
    let started = os::cwd()?;
    let repo = if parsed.has("w") {
        Some(call.repo()?)
    } else {
        Repo::try_discover(&call.global)?
    };
    let mut contents = Vec::new();
    if parsed.has("stdin") {
        contents.push((None, os::read_stdin()?));
    }
    let mut files = parsed.words.clone();
    if parsed.has("stdin-paths") {
        files.extend(
            os::read_stdin()?
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
                .map(<[u8]>::to_vec),
        );
    }
    for file in files {
        let path = if file.first() == Some(&b'/') {
            file.clone()
        } else {
            [&started[..], b"/", &file].concat()
        };
        match os::read(&path) {
            Ok(content) => contents.push((Some(file), content)),
            Err(found) => {
                return fatal(format!(
                    "could not open '{}' for reading: {}",
                    show(&file),
                    crate::stop::why(&found)
                ));
            }
        }
    }
    for (file, mut content) in contents {
        if let (Some(repo), Some(file), Kind::Blob, false) =
            (&repo, &file, kind, parsed.has("no-filters"))
        {
            content = crate::attributes::clean(repo, file, content);
        }
        let good = match kind {
            Kind::Blob => true,
            Kind::Tree => parse_tree(&content).is_some(),
            Kind::Commit => {
                Commit::parse(Oid::NULL, &content).is_some_and(|commit| !commit.author.is_empty())
            }
            Kind::Tag => Tag::parse(&content).is_some(),
        };
        if !good && !parsed.has("literally") {
            out::note(format!("error: object fails fsck: corrupt {}", kind.name()));
            return fatal("refusing to create malformed object");
        }
        let oid = match &repo {
            Some(repo) if parsed.has("w") => repo.objects.write(kind, &content)?,
            _ => oid::hash(kind, &content),
        };
        out::line(oid.hex());
    }
    Ok(0)
}

/// `git write-tree`.
pub(crate) fn write_tree(call: &Call) -> Result<i32> {
    let parsed = args::parse("write-tree", "missing-ok prefix=", &call.words)?;
    let repo = call.repo()?;
    let index = repo.index()?;
    let tree = worktree::write_tree(&repo, &index)?;
    match parsed.value("prefix") {
        None => out::line(tree.hex()),
        Some(prefix) => {
            let bare = prefix.strip_suffix(b"/").unwrap_or(prefix);
            match revision::in_tree(&repo, tree, bare)? {
                Some(found) => out::line(found.oid.hex()),
                None => return fatal(format!("git-write-tree: prefix {} not found", show(prefix))),
            }
        }
    }
    Ok(0)
}

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

/// `git commit-tree`.
pub(crate) fn commit_tree(call: &Call) -> Result<i32> {
    let parsed = args::parse("commit-tree", "p|= m|= F|= S|gpg-sign?", &call.words)?;
    parsed.refuse(&["gpg-sign"])?;
    let repo = call.repo()?;
    let [tree] = &parsed.words[..] else {
        return fatal("must give exactly one tree");
    };
    let Some(tree) = revision::try_resolve(&repo, tree)? else {
        return fatal(format!("not a valid object name {}", show(tree)));
    };
    let tree = revision::peel(&repo, tree, Some(Kind::Tree))?;
    let mut parents: Vec<Oid> = Vec::new();
    for name in parsed.values("p") {
        let Some(oid) = revision::try_resolve(&repo, &name)? else {
            return fatal(format!("not a valid object name {}", show(&name)));
        };
        let oid = revision::peel(&repo, oid, Some(Kind::Commit))?;
        if parents.contains(&oid) {
            out::note(format!("error: duplicate parent {oid} ignored"));
        } else {
            parents.push(oid);
        }
    }
    let parts = parsed.values("m");
    let message = match (parts.is_empty(), parsed.value("F")) {
        (false, _) => super::commit::join_messages(&parts),
        (true, Some(b"-") | None) => os::read_stdin()?,
        (true, Some(file)) => os::read(file)?,
    };
    let commit = Commit {
        oid: Oid::NULL,
        tree,
        parents,
        author: identity(&repo, Role::Author, true)?,
        committer: identity(&repo, Role::Committer, true)?,
        encoding: None,
        message,
    };
    out::line(super::write_commit(&repo, &commit)?.hex());
    Ok(0)
}

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

/// `git read-tree`.
pub(crate) fn read_tree(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "read-tree",
        "empty m| reset u| i| n|dry-run v| prefix= index-output= trivial aggressive",
        &call.words,
    )?;
    parsed.refuse(&["index-output", "aggressive", "trivial"])?;
    let repo = call.repo()?;
    let mut index = repo.index()?;
    if parsed.has("empty") {
        index.entries.clear();
        return repo.write_index(&index).map(|()| 0);
    }
    let [name] = &parsed.words[..] else {
        return fatal("codepod's git read-tree reads one tree");
    };
    let oid = match revision::try_resolve(&repo, name)? {
        Some(oid) => revision::peel(&repo, oid, Some(Kind::Tree))?,
        None => return fatal(format!("Not a valid object name {}", show(name))),
    };
    if let Some(prefix) = parsed.value("prefix") {
        for (path, (mode, oid)) in change::flatten(&repo, &oid)? {
            index.put(Entry::new([prefix, &path[..]].concat(), mode, oid, 0));
        }
    } else if parsed.has("u") && parsed.has("reset") {
        worktree::reset_hard(&repo, oid, &mut index)?;
    } else {
        index = worktree::reset_index(&repo, Some(oid), &index)?;
    }
    repo.write_index(&index)?;
    Ok(0)
}

/// `git check-attr`.
pub(crate) fn check_attr(call: &Call) -> Result<i32> {
    let parsed = args::parse("check-attr", "a|all cached stdin z|", &call.words)?;
    parsed.refuse(&["all", "cached", "stdin", "z"])?;
    let repo = call.repo()?;
    let Some((name, files)) = parsed.words.split_first() else {
        return Err(args::usage("check-attr", "no attribute specified"));
    };
    for file in files {
        let path = repo.path_of_user(file).unwrap_or_else(|| file.clone());
        let value = match crate::attributes::get(&repo, &path, name) {
            None => "unspecified".to_owned(),
            Some(crate::attributes::Value::Set) => "set".to_owned(),
            Some(crate::attributes::Value::Unset) => "unset".to_owned(),
            Some(crate::attributes::Value::Text(text)) => show(&text),
        };
        out::line(format!("{}: {}: {value}", show(file), show(name)));
    }
    Ok(0)
}

/// Every object that references, logs and the index lead to.
pub(crate) fn reachable(repo: &Repo, missing: &mut dyn FnMut(Kind, Oid)) -> Result<HashSet<Oid>> {
    let mut todo: Vec<(Oid, Kind)> = Vec::new();
    let mut names: Vec<Vec<u8>> = repo
        .refs
        .all(b"refs/")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    names.push(b"HEAD".to_vec());
    for (_, dir) in super::worktrees::all(repo) {
        let refs = crate::refs::Refs {
            own: dir,
            common: repo.common.clone(),
        };
        todo.extend(refs.resolve(b"HEAD").map(|oid| (oid, Kind::Commit)));
    }
    for name in &names {
        todo.extend(repo.refs.resolve(name).map(|oid| (oid, Kind::Commit)));
        for line in repo.refs.read_log(name) {
            todo.extend(
                [line.old, line.new]
                    .into_iter()
                    .filter(|oid| !oid.is_null() && repo.objects.has(oid))
                    .map(|oid| (oid, Kind::Commit)),
            );
        }
    }
    for entry in repo
        .index()?
        .entries
        .values()
        .filter(|entry| kind_of_mode(entry.mode) == Kind::Blob)
    {
        todo.push((entry.oid, Kind::Blob));
    }
    let mut seen = HashSet::new();
    while let Some((oid, expected)) = todo.pop() {
        if !seen.insert(oid) {
            continue;
        }
        if expected == Kind::Blob {
            if !repo.objects.has(&oid) {
                missing(expected, oid);
            }
            continue;
        }
        let Some((kind, content)) = repo.objects.get(&oid)? else {
            missing(expected, oid);
            continue;
        };
        match kind {
            Kind::Blob => {}
            Kind::Tag => todo.extend(Tag::parse(&content).map(|tag| (tag.target, tag.kind))),
            Kind::Commit => {
                if let Some(commit) = Commit::parse(oid, &content) {
                    todo.push((commit.tree, Kind::Tree));
                    todo.extend(
                        commit
                            .parents
                            .into_iter()
                            .map(|parent| (parent, Kind::Commit)),
                    );
                }
            }
            Kind::Tree => {
                for entry in parse_tree(&content).unwrap_or_default() {
                    if entry.kind() != Kind::Commit {
                        todo.push((entry.oid, entry.kind()));
                    }
                }
            }
        }
    }
    Ok(seen)
}

/// `git fsck`.
pub(crate) fn fsck(call: &Call) -> Result<i32> {
    let table = "v|verbose unreachable dangling tags root cache reflogs full connectivity-only strict lost-found progress name-objects references";
    let parsed = args::parse("fsck", table, &call.words)?;
    parsed.refuse(&["lost-found", "name-objects", "cache"])?;
    let repo = call.repo()?;
    let mut status = 0;
    let mut used: HashSet<Oid> = HashSet::new();
    let all = repo.objects.all();
    for oid in &all {
        let object = match repo.objects.get(oid) {
            Ok(Some(object)) => object,
            _ => {
                out::note(format!(
                    "error: {oid}: object corrupt or missing: {}",
                    show(&repo.objects.path_of(oid))
                ));
                status |= 1;
                continue;
            }
        };
        let (kind, content) = object;
        if oid::hash(kind, &content) != *oid {
            out::note(format!(
                "error: {oid}: hash-path mismatch, found at: {}",
                show(&repo.objects.path_of(oid))
            ));
            status |= 1;
        }
        let good = match kind {
            Kind::Blob => true,
            Kind::Tree => match parse_tree(&content) {
                Some(entries) => {
                    used.extend(entries.iter().map(|entry| entry.oid));
                    true
                }
                None => false,
            },
            Kind::Commit => match Commit::parse(*oid, &content) {
                Some(commit) => {
                    used.insert(commit.tree);
                    used.extend(commit.parents);
                    true
                }
                None => false,
            },
            Kind::Tag => match Tag::parse(&content) {
                Some(tag) => {
                    used.insert(tag.target);
                    true
                }
                None => false,
            },
        };
        if !good {
            out::note(format!("error in {} {oid}: broken object", kind.name()));
            status |= 1;
        }
    }
    let mut lost = Vec::new();
    let seen = reachable(&repo, &mut |kind, oid| lost.push((kind, oid)))?;
    for (kind, oid) in lost {
        out::line(format!("missing {} {oid}", kind.name()));
        status |= 2;
    }
    for oid in all.iter().filter(|oid| !seen.contains(oid)) {
        let Ok(Some((kind, _))) = repo.objects.get(oid) else {
            continue;
        };
        if parsed.has("unreachable") {
            out::line(format!("unreachable {} {oid}", kind.name()));
        } else if !used.contains(oid) && !parsed.has("no-dangling") {
            out::line(format!("dangling {} {oid}", kind.name()));
        }
    }
    if repo.head().is_none()
        && let Some(branch) = repo.branch()
    {
        out::note(format!(
            "notice: HEAD points to an unborn branch ({})",
            show(&branch)
        ));
        if repo.refs.all(b"refs/").is_empty() {
            out::note("notice: No default references");
        }
    }
    Ok(status)
}

/// `git gc`: all objects that are used go into one pack, references into one file.
pub(crate) fn gc(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "gc",
        "q|quiet prune? aggressive auto detach force keep-largest-pack cruft",
        &call.words,
    )?;
    let repo = call.repo()?;
    if parsed.has("auto") && repo.objects.loose().len() < 6700 {
        return Ok(0);
    }
    let seen = reachable(&repo, &mut |_, _| {})?;
    let mut names: Vec<Oid> = repo
        .objects
        .all()
        .into_iter()
        .filter(|oid| seen.contains(oid))
        .collect();
    names.sort();
    if !names.is_empty() {
        let (sum, data, index) = pack::build(&repo.objects, &names)?;
        let base = [
            repo.objects.directory(),
            b"/pack/pack-",
            sum.hex().as_bytes(),
        ]
        .concat();
        let old: Vec<Vec<u8>> = os::list(&[repo.objects.directory(), b"/pack"].concat())
            .unwrap_or_default()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        os::mkdir_above(&base)?;
        for (suffix, content) in [(&b".pack"[..], &data), (b".idx", &index)] {
            let path = [&base[..], suffix].concat();
            let _ = os::remove(&path);
            os::write(&path, content)?;
            let _ = os::chmod(&path, 0o444);
        }
        let kept = format!("pack-{sum}");
        for name in old
            .iter()
            .filter(|name| name.starts_with(b"pack-") && !name.starts_with(kept.as_bytes()))
        {
            // Objects that nothing leads to stay, loose, as git keeps the young ones.
            let path = [repo.objects.directory(), b"/pack/", &name[..]].concat();
            let _ = os::chmod(&path, 0o644);
            os::remove(&path)?;
        }
        for oid in repo
            .objects
            .loose()
            .into_iter()
            .filter(|oid| seen.contains(oid))
        {
            let path = repo.objects.path_of(&oid);
            os::remove(&path)?;
            let _ = os::rmdir(&path[..path.len() - 39]);
        }
    }
    repo.refs.pack(|oid| {
        revision::peel(&repo, oid, None)
            .ok()
            .filter(|peeled| *peeled != oid)
    })?;
    if parsed.value("prune") == Some(b"now") {
        prune_loose(&repo, &seen, false)?;
    }
    Ok(0)
}

fn prune_loose(repo: &Repo, seen: &HashSet<Oid>, dry: bool) -> Result<()> {
    for oid in repo
        .objects
        .loose()
        .into_iter()
        .filter(|oid| !seen.contains(oid))
    {
        let kind = repo.objects.read(&oid)?.0;
        if dry {
            out::line(format!("{oid} {}", kind.name()));
            continue;
        }
        let path = repo.objects.path_of(&oid);
        os::remove(&path)?;
        let _ = os::rmdir(&path[..path.len() - 39]);
    }
    Ok(())
}

/// `git prune`.
pub(crate) fn prune(call: &Call) -> Result<i32> {
    let parsed = args::parse("prune", "n|dry-run v|verbose expire= progress", &call.words)?;
    let repo = call.repo()?;
    let seen = reachable(&repo, &mut |_, _| {})?;
    prune_loose(&repo, &seen, parsed.has("dry-run"))?;
    Ok(0)
}

/// `git pack-refs`.
pub(crate) fn pack_refs(call: &Call) -> Result<i32> {
    let _ = args::parse("pack-refs", "all prune auto include= exclude=", &call.words)?;
    let repo = call.repo()?;
    repo.refs.pack(|oid| {
        revision::peel(&repo, oid, None)
            .ok()
            .filter(|peeled| *peeled != oid)
    })?;
    Ok(0)
}

/// `git count-objects`.
pub(crate) fn count_objects(call: &Call) -> Result<i32> {
    let parsed = args::parse("count-objects", "v|verbose H|human-readable", &call.words)?;
    let repo = call.repo()?;
    let loose = repo.objects.loose();
    // A block of the disk is the least that a file takes.
    let size: u64 = loose
        .iter()
        .filter_map(|oid| os::lstat(&repo.objects.path_of(oid)).ok())
        .map(|found| found.size.div_ceil(4096) * 4)
        .sum();
    if !parsed.has("verbose") {
        out::line(format!("{} objects, {size} kilobytes", loose.len()));
        return Ok(0);
    }
    let packed = repo.objects.all().len() - loose.len().min(repo.objects.all().len());
    out::line(format!(
        "count: {}\nsize: {size}\nin-pack: {packed}\npacks: {}\nsize-pack: 0\nprune-packable: 0\ngarbage: 0\nsize-garbage: 0",
        loose.len(),
        repo.objects.pack_count()
    ));
    let _ = canonical_mode;
    Ok(0)
}
