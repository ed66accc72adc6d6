//! `git tag`.

use super::commit::{cleanup, join_messages};
use super::reach::Reach;
use super::ref_fields::{format_ref, sort};
use super::{Call, edit};
use crate::args::{self, Optional, options};
use crate::ident::{Role, identity};
use crate::object::{Commit, Tag};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::refs;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show, why};
use crate::wildmatch::{self, Slashes};

options! {
    /// What the command line says.
    struct Options for "tag" {
        list: bool = "l|list",
        /// How many lines of the message are shown.
        lines: Optional = "n|lines?",
        delete: bool = "d|delete",
        annotate: bool = "a|annotate",
        message: Vec<Vec<u8>> = "m|message=",
        file: Option<Vec<u8>> = "F|file=",
        force: bool = "f|force",
        contains: Vec<Option<Vec<u8>>> = "contains?",
        no_contains: Vec<Option<Vec<u8>>> = "no-contains?",
        merged: Vec<Option<Vec<u8>>> = "merged?",
        no_merged: Vec<Option<Vec<u8>>> = "no-merged?",
        sort: Vec<Vec<u8>> = "sort=",
        points_at: Optional = "points-at?",
        ignore_case: bool = "i|ignore-case",
        format: Option<Vec<u8>> = "format=",
        cleanup: Option<Vec<u8>> = "cleanup=",
    }
    ignored "e|edit create-reflog omit-empty color? trailer="
    refused "v|verify s|sign u|local-user= column?"
}

impl Options {
    /// Whether tags are listed, even where words are given.
    fn lists(&self) -> bool {
        self.list
            || self.lines != Optional::No
            || self.points_at != Optional::No
            || self.format.is_some()
            || !self.sort.is_empty()
            || !self.reach().is_empty()
    }

    fn reach(&self) -> Reach<'_> {
        Reach {
            contains: &self.contains,
            no_contains: &self.no_contains,
            merged: &self.merged,
            no_merged: &self.no_merged,
        }
    }

    /// Whether the tag is an object of its own.
    fn is_annotated(&self) -> bool {
        self.annotate || !self.message.is_empty() || self.file.is_some()
    }

    /// Whether the message comes from the user's editor.
    fn edits(&self) -> bool {
        self.message.is_empty() && self.file.is_none()
    }
}

/// `git tag`.
pub(crate) fn tag(call: &Call) -> Result<i32> {
    let with_commit = [
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
    ];
    let (options, rest) = Options::read(&args::attach(&call.words, &with_commit))?;
    let repo = call.repo()?;
    if options.delete {
        return delete(&repo, &rest.words);
    }
    if rest.words.is_empty() && options.message.is_empty() || options.lists() {
        return list(&repo, &rest.words, &options);
    }
    create(&repo, &rest.words, &options)
}

fn delete(repo: &Repo, names: &[Vec<u8>]) -> Result<i32> {
    let mut status = 0;
    for name in names {
        let full = [b"refs/tags/", &name[..]].concat();
        let name = show(name);
        match repo.refs.resolve(&full) {
            Some(oid) => {
                repo.refs.delete(&full)?;
                let oid = repo.short(&oid);
                out::line(format!("Deleted tag '{name}' (was {oid})"));
            }
            None => {
                out::note(format!("error: tag '{name}' not found."));
                status = 1;
            }
        }
    }
    Ok(status)
}

fn list(repo: &Repo, patterns: &[Vec<u8>], options: &Options) -> Result<i32> {
    let lines = match &options.lines {
        Optional::No => None,
        Optional::Plain => Some(1),
        Optional::With(count) => Some(show(count).parse().unwrap_or(1)),
    };
    for (full, oid) in find(repo, patterns, options)? {
        let name = &full[b"refs/tags/".len()..];
        if let Some(format) = &options.format {
            out::line(format_ref(repo, &full, oid, format, false)?);
        } else if let Some(count) = lines {
            print_lines(repo, name, oid, count)?;
        } else {
            out::line(name);
        }
    }
    Ok(0)
}

/// The tags that are asked for, sorted.
fn find(repo: &Repo, patterns: &[Vec<u8>], options: &Options) -> Result<Vec<(Vec<u8>, Oid)>> {
    let mut tags = repo.refs.all(b"refs/tags/");
    tags.retain(|(full, _)| {
        let short = &full[b"refs/tags/".len()..];
        let fits = |pattern: &Vec<u8>| {
            wildmatch::matches(pattern, short, Slashes::Pass, options.ignore_case)
        };
        patterns.is_empty() || patterns.iter().any(fits)
    });
    let points_at = match &options.points_at {
        Optional::No => None,
        Optional::Plain => Some(&b"HEAD"[..]),
        Optional::With(name) => Some(&name[..]),
    };
    if let Some(name) = points_at {
        let target = revision::resolve(repo, name)?;
        tags.retain(|(_, oid)| {
            *oid == target || revision::peel(repo, *oid, None).is_ok_and(|oid| oid == target)
        });
    }
    tags = options.reach().keep(repo, tags)?;
    let mut keys = options.sort.clone();
    if keys.is_empty() {
        keys.extend(repo.config.get("tag.sort").map(<[u8]>::to_vec));
    }
    sort(repo, &mut tags, &keys)?;
    Ok(tags)
}

/// Prints a tag with the first lines of its message, or of its commit's.
fn print_lines(repo: &Repo, name: &[u8], oid: Oid, count: usize) -> Result<()> {
    let (kind, content) = repo.objects.read(&oid)?;
    let message = match kind {
        Kind::Tag => Tag::parse(&content)
            .map(|tag| tag.message)
            .unwrap_or_default(),
        Kind::Commit => Commit::read(&repo.objects, &oid)?.message,
        _ => Vec::new(),
    };
    let text = show(&message);
    let mut shown = text.lines().take(count);
    out::line(format!("{:<15} {}", show(name), shown.next().unwrap_or("")));
    shown.for_each(|line| out::line(format!("    {line}")));
    Ok(())
}

fn create(repo: &Repo, words: &[Vec<u8>], options: &Options) -> Result<i32> {
    let (name, word) = match words {
        [] => return Err(args::usage("tag", "a name is needed")),
        [name] => (name, &b"HEAD"[..]),
        [name, word] => (name, &word[..]),
        _ => return fatal("too many arguments"),
    };
    let Some(target) = revision::try_resolve(repo, word)? else {
        return fatal(format!(
            "Failed to resolve '{}' as a valid ref.",
            show(word)
        ));
    };
    let full = [b"refs/tags/", &name[..]].concat();
    if name.first() == Some(&b'-') || !refs::is_valid(&full, false) || name == b"HEAD" {
        return fatal(format!("'{}' is not a valid tag name.", show(name)));
    }
    let old = repo.refs.resolve(&full);
    if old.is_some() && !options.force {
        return fatal(format!("tag '{}' already exists", show(name)));
    }
    let oid = match options.is_annotated() {
        true => {
            let message = message(repo, name, options)?;
            write(repo, name, word, target, &message)?
        }
        false => target,
    };
    repo.refs.write(&full, oid, None)?;
    if let Some(old) = old.filter(|old| *old != oid) {
        let (name, old) = (show(name), repo.short(&old));
        out::line(format!("Updated tag '{name}' (was {old})"));
    }
    Ok(0)
}

/// The message of a tag object.
fn message(repo: &Repo, name: &[u8], options: &Options) -> Result<Vec<u8>> {
    let text = match options.file.as_deref() {
        _ if !options.message.is_empty() => join_messages(&options.message),
        Some(b"-") => os::read_stdin()?,
        Some(file) => match os::read(file) {
            Ok(text) => text,
            Err(found) => {
                let (file, why) = (show(file), why(&found));
                return fatal(format!("could not open or read '{file}': {why}"));
            }
        },
        None => edited(repo, name)?,
    };
    let drops_comments =
        options.edits() || matches!(options.cleanup.as_deref(), None | Some(b"strip"));
    let message = cleanup(&text, drops_comments);
    if message.is_empty() && options.edits() {
        return fatal("no tag message?");
    }
    Ok(message)
}

/// What the user writes in the editor.
fn edited(repo: &Repo, name: &[u8]) -> Result<Vec<u8>> {
    let file = repo.file("TAG_EDITMSG");
    let name = show(name);
    let text = format!(
        "\n#\n# Write a message for tag:\n#   {name}\n# Lines starting with '#' will be ignored.\n"
    );
    os::write(&file, text.as_bytes())?;
    if edit(repo, &file).is_err() {
        out::note("Please supply the message using either -m or -F option.");
        return Err(Stop::Status(1));
    }
    Ok(os::read(&file)?)
}

/// Writes a tag object for what `word` names.
fn write(repo: &Repo, name: &[u8], word: &[u8], target: Oid, message: &[u8]) -> Result<Oid> {
    let (kind, _) = repo.objects.read(&target)?;
    if kind == Kind::Tag && repo.config.truth("advice.nestedtag") != Some(false) {
        out::hint(&format!(
            "You have created a nested tag. The object referred to by your new tag is\nalready a tag. If you meant to tag the object that \
             it points to, use:\n\n\tgit tag -f {} {}^{{}}\nDisable this message with \"git config advice.nestedTag false\"",
            show(name),
            show(word)
        ));
    }
    let tagger = identity(repo, Role::Committer, true)?;
    let kind = kind.name();
    let head = format!("object {target}\ntype {kind}\ntag {}\ntagger ", show(name));
    let content = [head.as_bytes(), &tagger[..], b"\n\n", message].concat();
    repo.objects.write(Kind::Tag, &content)
}
