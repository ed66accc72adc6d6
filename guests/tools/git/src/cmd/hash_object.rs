//! `git hash-object`: the name that a content has as an object.

use super::Call;
use crate::args::options;
use crate::object::{Commit, Tag, parse_tree};
use crate::oid::{self, Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show, why};

options! {
    /// What the command line says.
    struct Options for "hash-object" {
        kind: Option<Vec<u8>> = "t|=",
        write: bool = "w|",
        stdin: bool = "stdin",
        stdin_paths: bool = "stdin-paths",
        no_filters: bool = "no-filters",
        literally: bool = "literally",
    }
    ignored "path="
}

/// What is to become an object.
struct Source {
    /// The file that it is from; none for standard input.
    file: Option<Vec<u8>>,
    content: Vec<u8>,
}

/// `git hash-object`.
pub(crate) fn hash_object(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let word = options.kind.as_deref().unwrap_or(b"blob");
    let Some(kind) = Kind::parse(word) else {
        return fatal(format!("invalid object type \"{}\"", show(word)));
    };
    let started = os::cwd()?;
    let repo = match options.write {
        true => Some(call.repo()?),
        false => Repo::try_discover(&call.global)?,
    };
    for source in sources(&started, rest.words, &options)? {
        let mut content = source.content;
        if let (Some(repo), Some(file), Kind::Blob, false) =
            (&repo, &source.file, kind, options.no_filters)
        {
            content = crate::attributes::clean(repo, file, content);
        }
        if !options.literally && !is_well_formed(kind, &content) {
            out::note(format!("error: object fails fsck: corrupt {}", kind.name()));
            return fatal("refusing to create malformed object");
        }
        let oid = match &repo {
            Some(repo) if options.write => repo.objects.write(kind, &content)?,
            _ => oid::hash(kind, &content),
        };
        out::line(oid.hex());
    }
    Ok(0)
}

/// All contents, read before the first is hashed. Names of files are relative to `started`.
fn sources(started: &[u8], mut files: Vec<Vec<u8>>, options: &Options) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    if options.stdin {
        sources.push(Source {
            file: None,
            content: os::read_stdin()?,
        });
    }
    if options.stdin_paths {
        let text = os::read_stdin()?;
        let lines = text.split(|byte| *byte == b'\n');
        files.extend(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec));
    }
    for file in files {
        let path = match file.first() {
            Some(b'/') => file.clone(),
            _ => [started, b"/", &file].concat(),
        };
        match os::read(&path) {
            Ok(content) => sources.push(Source {
                file: Some(file),
                content,
            }),
            Err(found) => {
                let (file, why) = (show(&file), why(&found));
                return fatal(format!("could not open '{file}' for reading: {why}"));
            }
        }
    }
    Ok(sources)
}

fn is_well_formed(kind: Kind, content: &[u8]) -> bool {
    match kind {
        Kind::Blob => true,
        Kind::Tree => parse_tree(content).is_some(),
        Kind::Commit => {
            Commit::parse(Oid::NULL, content).is_some_and(|commit| !commit.author.is_empty())
        }
        Kind::Tag => Tag::parse(content).is_some(),
    }
}
