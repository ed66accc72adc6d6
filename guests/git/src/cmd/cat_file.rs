//! `git cat-file`: objects as they are, one at a time or in a batch.

use super::Call;
use crate::args;
use crate::object;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

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
