//! `git cat-file`: objects as they are, one at a time or in a batch.

use super::Call;
use crate::args::{self, Optional, options};
use crate::object;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "cat-file" {
        kind: bool = "t|",
        size: bool = "s|",
        exists: bool = "e|",
        pretty: bool = "p|",
        /// Names come from standard input, and contents are shown.
        batch: Optional = "batch?",
        /// Tells of the objects that standard input names, without their contents.
        batch_check: Optional = "batch-check?",
        batch_all_objects: bool = "batch-all-objects",
    }
    ignored "path= buffer unordered allow-unknown-type"
    refused "textconv filters batch-command? follow-symlinks"
}

/// `git cat-file`.
pub(crate) fn cat_file(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    if options.batch != Optional::No || options.batch_check != Optional::No {
        return batch(&repo, options);
    }
    let (kind, name) = match &rest.words[..] {
        [kind, name] => (Some(&kind[..]), &name[..]),
        [name] => (None, &name[..]),
        _ => return Err(args::usage("cat-file", "an object is needed")),
    };
    one(&repo, kind, name, &options)
}

/// Shows of one object what is asked for.
fn one(repo: &Repo, kind: Option<&[u8]>, name: &[u8], options: &Options) -> Result<i32> {
    let Some(oid) = revision::try_resolve(repo, name)? else {
        return fatal(format!("Not a valid object name {}", show(name)));
    };
    if options.exists {
        return Ok(i32::from(!repo.objects.has(&oid)));
    }
    let Some((found, content)) = repo.objects.get(&oid)? else {
        if kind.is_none() && (options.kind || options.size) {
            return fatal("git cat-file: could not get object info");
        }
        return fatal(format!("Not a valid object name {}", show(name)));
    };
    if options.kind {
        out::line(found.name());
    } else if options.size {
        out::line(content.len().to_string());
    } else if options.pretty {
        match found {
            Kind::Tree => print_tree(repo, &oid)?,
            _ => out::put(&content),
        }
    } else if let Some(kind) = kind {
        let Some(wanted) = Kind::parse(kind) else {
            return fatal(format!("invalid object type \"{}\"", show(kind)));
        };
        let oid = if wanted == found {
            oid
        } else if let Ok(peeled) = revision::peel(repo, oid, Some(wanted)) {
            peeled
        } else {
            return fatal(format!("git cat-file {}: bad file", show(name)));
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

/// Shows the objects whose names are read, or all.
fn batch(repo: &Repo, options: Options) -> Result<i32> {
    let names: Vec<Vec<u8>> = match options.batch_all_objects {
        true => {
            let all = repo.objects.all().into_iter();
            all.map(|oid| oid.hex().into_bytes()).collect()
        }
        false => os::read_stdin()?
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(<[u8]>::to_vec)
            .collect(),
    };
    let with_content = options.batch != Optional::No;
    let format = match (options.batch, options.batch_check) {
        (Optional::With(format), _) | (_, Optional::With(format)) => show(&format),
        _ => "%(objectname) %(objecttype) %(objectsize)".to_owned(),
    };
    for line in names {
        batch_line(repo, &line, &format, with_content)?;
    }
    Ok(0)
}

/// Shows the object that a line of the input names.
fn batch_line(repo: &Repo, line: &[u8], format: &str, with_content: bool) -> Result<()> {
    let space = match format.contains("%(rest)") {
        true => line.iter().position(|byte| *byte == b' '),
        false => None,
    };
    let (name, rest) = match space {
        Some(at) => (&line[..at], show(&line[at + 1..])),
        None => (line, String::new()),
    };
    let found = match revision::try_resolve(repo, name)? {
        Some(oid) => repo.objects.get(&oid)?.map(|object| (oid, object)),
        None => None,
    };
    let Some((oid, (kind, content))) = found else {
        out::line([name, b" missing"].concat());
        return Ok(());
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
    Ok(())
}
