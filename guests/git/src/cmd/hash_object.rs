//! `git hash-object`: the name that a content has as an object.

use super::Call;
use crate::args;
use crate::object::{Commit, Tag, parse_tree};
use crate::oid::{self, Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

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
