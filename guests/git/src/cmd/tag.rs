//! `git tag`.

use super::Call;
use super::ref_fields::{format_ref, sort};
use crate::args;
use crate::ident::{Role, identity};
use crate::object::{Commit, Tag};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::refs;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use crate::wildmatch::{self, Slashes};

/// `git tag`.
pub(crate) fn tag(call: &Call) -> Result<i32> {
    let table = "l|list n|lines? d|delete v|verify a|annotate m|message= F|file= e|edit s|sign u|local-user= f|force create-reflog column? \
                 contains? no-contains? merged? no-merged? omit-empty sort= points-at? i|ignore-case color? format= cleanup= trailer=";
    let mut words = Vec::new();
    let mut given = call.words.iter().peekable();
    while let Some(word) = given.next() {
        let takes = [
            &b"--contains"[..],
            b"--no-contains",
            b"--merged",
            b"--no-merged",
            b"--points-at",
        ]
        .contains(&&word[..]);
        match given.peek().filter(|next| takes && !next.starts_with(b"-")) {
            Some(next) => {
                words.push([&word[..], b"=", next].concat());
                given.next();
            }
            None => words.push(word.clone()),
        }
    }
    let parsed = args::parse("tag", table, &words)?;
    parsed.refuse(&["verify", "sign", "local-user", "column"])?;
    let repo = call.repo()?;
    if parsed.has("delete") {
        let mut status = 0;
        for name in &parsed.words {
            let full = [b"refs/tags/", &name[..]].concat();
            match repo.refs.resolve(&full) {
                Some(oid) => {
                    repo.refs.delete(&full)?;
                    out::line(format!(
                        "Deleted tag '{}' (was {})",
                        show(name),
                        repo.short(&oid)
                    ));
                }
                None => {
                    out::note(format!("error: tag '{}' not found.", show(name)));
                    status = 1;
                }
            }
        }
        return Ok(status);
    }
    let listing = [
        "list",
        "lines",
        "contains",
        "no-contains",
        "merged",
        "no-merged",
        "points-at",
        "format",
        "sort",
    ];
    if parsed.words.is_empty() && !parsed.has("message")
        || listing.iter().any(|name| parsed.has(name))
    {
        return list(&repo, &parsed);
    }
    create(&repo, &parsed)
}

fn list(repo: &Repo, parsed: &args::Parsed) -> Result<i32> {
    let mut tags = repo.refs.all(b"refs/tags/");
    tags.retain(|(full, _)| {
        let short = &full[b"refs/tags/".len()..];
        let fold = parsed.has("ignore-case");
        parsed.words.is_empty()
            || parsed
                .words
                .iter()
                .any(|pattern| wildmatch::matches(pattern, short, Slashes::Pass, fold))
    });
    if parsed.has("points-at") {
        let target = revision::resolve(repo, parsed.value("points-at").unwrap_or(b"HEAD"))?;
        tags.retain(|(_, oid)| {
            *oid == target || revision::peel(repo, *oid, None).is_ok_and(|oid| oid == target)
        });
    }
    for (name, old_first, positive) in [
        ("merged", false, true),
        ("no-merged", false, false),
        ("contains", true, true),
        ("no-contains", true, false),
    ] {
        if parsed.has(name) {
            let target = revision::resolve_commit(repo, parsed.value(name).unwrap_or(b"HEAD"))?;
            let mut kept = Vec::new();
            for (full, oid) in tags {
                let Ok(commit) = revision::peel(repo, oid, Some(Kind::Commit)) else {
                    continue;
                };
                let (old, new) = if old_first {
                    (target, commit)
                } else {
                    (commit, target)
                };
                if walk::is_ancestor(repo, old, new)? == positive {
                    kept.push((full, oid));
                }
            }
            tags = kept;
        }
    }
    let mut keys = parsed.values("sort");
    if keys.is_empty() {
        keys.extend(repo.config.get("tag.sort").map(<[u8]>::to_vec));
    }
    sort(repo, &mut tags, &keys)?;
    let lines = parsed.has("lines").then(|| {
        parsed
            .text("lines")
            .and_then(|count| count.parse().ok())
            .unwrap_or(1usize)
    });
    for (full, oid) in tags {
        let name = &full[b"refs/tags/".len()..];
        if let Some(format) = parsed.value("format") {
            out::line(format_ref(repo, &full, oid, format, false)?);
        } else if let Some(count) = lines {
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
        } else {
            out::line(name);
        }
    }
    Ok(0)
}

fn create(repo: &Repo, parsed: &args::Parsed) -> Result<i32> {
    let Some(name) = parsed.words.first() else {
        return Err(args::usage("tag", "a name is needed"));
    };
    if parsed.words.len() > 2 {
        return fatal("too many arguments");
    }
    let word = parsed
        .words
        .get(1)
        .cloned()
        .unwrap_or_else(|| b"HEAD".to_vec());
    let Some(target) = revision::try_resolve(repo, &word)? else {
        return fatal(format!(
            "Failed to resolve '{}' as a valid ref.",
            show(&word)
        ));
    };
    let full = [b"refs/tags/", &name[..]].concat();
    if name.first() == Some(&b'-') || !refs::is_valid(&full, false) || name == b"HEAD" {
        return fatal(format!("'{}' is not a valid tag name.", show(name)));
    }
    let old = repo.refs.resolve(&full);
    if old.is_some() && !parsed.has("force") {
        return fatal(format!("tag '{}' already exists", show(name)));
    }
    let annotated = parsed.has("annotate") || parsed.has("message") || parsed.has("file");
    let mut oid = target;
    if annotated {
        let parts = parsed.values("message");
        let text = match (parts.is_empty(), parsed.value("file")) {
            (false, _) => super::commit::join_messages(&parts),
            (true, Some(b"-")) => os::read_stdin()?,
            (true, Some(file)) => match os::read(file) {
                Ok(text) => text,
                Err(found) => {
                    return fatal(format!(
                        "could not open or read '{}': {}",
                        show(file),
                        crate::stop::why(&found)
                    ));
                }
            },
            (true, None) => {
                let file = repo.file("TAG_EDITMSG");
                os::write(&file, format!("\n#\n# Write a message for tag:\n#   {}\n# Lines starting with '#' will be ignored.\n", show(name)).as_bytes())?;
                if super::edit(repo, &file).is_err() {
                    out::note("Please supply the message using either -m or -F option.");
                    return Err(Stop::Status(1));
                }
                os::read(&file)?
            }
        };
        let edited = parts.is_empty() && parsed.value("file").is_none();
        let message = super::commit::cleanup(
            &text,
            edited
                || parsed.value("cleanup") == Some(b"strip")
                || parsed.value("cleanup").is_none(),
        );
        if message.is_empty() && edited {
            return fatal("no tag message?");
        }
        let (kind, _) = repo.objects.read(&target)?;
        if kind == Kind::Tag && repo.config.truth("advice.nestedtag") != Some(false) {
            out::hint(&format!(
                "You have created a nested tag. The object referred to by your new tag is\nalready a tag. If you meant to tag the object that \
                 it points to, use:\n\n\tgit tag -f {} {}^{{}}\nDisable this message with \"git config advice.nestedTag false\"",
                show(name),
                show(&word)
            ));
        }
        let tagger = identity(repo, Role::Committer, true)?;
        let mut content = format!(
            "object {target}\ntype {}\ntag {}\ntagger ",
            kind.name(),
            show(name)
        )
        .into_bytes();
        content.extend(tagger);
        content.extend(b"\n\n");
        content.extend(message);
        oid = repo.objects.write(Kind::Tag, &content)?;
    }
    repo.refs.write(&full, oid, None)?;
    if let Some(old) = old.filter(|old| *old != oid) {
        out::line(format!(
            "Updated tag '{}' (was {})",
            show(name),
            repo.short(&old)
        ));
    }
    let _ = Oid::NULL;
    Ok(0)
}
