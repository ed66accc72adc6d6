//! References: loose files, `packed-refs`, symbolic ones, and their logs.

use std::collections::BTreeMap;

use crate::oid::Oid;
use crate::os;
use crate::stop::{Result, Stop, fatal, show, why};

/// The references of a repository, as seen from one working tree.
pub(crate) struct Refs {
    /// The directory of this working tree: `HEAD` and its like.
    pub(crate) own: Vec<u8>,
    /// The directory shared by all working trees.
    pub(crate) common: Vec<u8>,
}

/// What a reference holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// An object.
    Oid(Oid),
    /// Another reference.
    Symbolic(Vec<u8>),
}

/// A line of a reference's log.
#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    pub(crate) old: Oid,
    pub(crate) new: Oid,
    /// Name, address and date.
    pub(crate) who: Vec<u8>,
    pub(crate) message: Vec<u8>,
}

/// How deep symbolic references may lead.
const DEEPEST: usize = 5;

impl Refs {
    /// Where a reference's file is.
    fn path(&self, name: &[u8]) -> Vec<u8> {
        let per_tree = !name.starts_with(b"refs/")
            || name.starts_with(b"refs/bisect/")
            || name.starts_with(b"refs/worktree/");
        let directory = if per_tree { &self.own } else { &self.common };
        [&directory[..], b"/", name].concat()
    }

    fn log_path(&self, name: &[u8]) -> Vec<u8> {
        let directory = if name.starts_with(b"refs/") {
            &self.common
        } else {
            &self.own
        };
        [&directory[..], b"/logs/", name].concat()
    }

    fn packed(&self) -> BTreeMap<Vec<u8>, Oid> {
        let text = os::read(&[&self.common[..], b"/packed-refs"].concat()).unwrap_or_default();
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter(|line| line.len() > 41 && line[40] == b' ');
        lines
            .filter_map(|line| Some((line[41..].to_vec(), Oid::parse(&line[..40])?)))
            .collect()
    }

    /// What a reference holds, unresolved.
    pub(crate) fn raw(&self, name: &[u8]) -> Option<Target> {
        if !is_safe(name) {
            return None;
        }
        if let Ok(text) = os::read(&self.path(name)) {
            if let Some(target) = text.strip_prefix(b"ref:") {
                return Some(Target::Symbolic(target.trim_ascii().to_vec()));
            }
            return text.get(..40).and_then(Oid::parse).map(Target::Oid);
        }
        if !name.starts_with(b"refs/") {
            return None;
        }
        self.packed().get(name).copied().map(Target::Oid)
    }

    /// The object that a reference leads to.
    pub(crate) fn resolve(&self, name: &[u8]) -> Option<Oid> {
        self.resolve_name(name).1
    }

    /// The last reference of a chain, and its object if it has one.
    pub(crate) fn resolve_name(&self, name: &[u8]) -> (Vec<u8>, Option<Oid>) {
        let mut name = name.to_vec();
        for _ in 0..=DEEPEST {
            match self.raw(&name) {
                Some(Target::Symbolic(next)) => name = next,
                Some(Target::Oid(oid)) => return (name, Some(oid)),
                None => break,
            }
        }
        (name, None)
    }

    /// Every reference below a prefix such as `refs/heads/`, with its object, sorted by name.
    pub(crate) fn all(&self, prefix: &[u8]) -> Vec<(Vec<u8>, Oid)> {
        let mut found: BTreeMap<Vec<u8>, Oid> = self
            .packed()
            .into_iter()
            .filter(|(name, _)| name.starts_with(prefix))
            .collect();
        let mut names = Vec::new();
        let from = match prefix.iter().rposition(|byte| *byte == b'/') {
            Some(end) => &prefix[..end],
            None => b"refs",
        };
        self.walk(&self.common, from, &mut names, 0);
        if self.own != self.common {
            self.walk(&self.own, b"refs/bisect", &mut names, 0);
        }
        for name in names {
            if name.starts_with(prefix) {
                match self.resolve(&name) {
                    Some(oid) => found.insert(name, oid),
                    None => found.remove(&name),
                };
            }
        }
        found.into_iter().collect()
    }

    fn walk(&self, root: &[u8], below: &[u8], names: &mut Vec<Vec<u8>>, depth: usize) {
        if depth > 64 {
            return;
        }
        for (name, kind) in os::list(&[root, b"/", below].concat()).unwrap_or_default() {
            let whole = [below, b"/", &name].concat();
            match kind {
                os::Kind::Directory => self.walk(root, &whole, names, depth + 1),
                _ if name.ends_with(b".lock") => {}
                _ => names.push(whole),
            }
        }
    }

    /// Sets a reference (not what it leads to) and writes its log.
    pub(crate) fn write(&self, name: &[u8], oid: Oid, log: Option<(&[u8], &[u8])>) -> Result<()> {
        let old = match self.raw(name) {
            Some(Target::Oid(oid)) => oid,
            Some(Target::Symbolic(_)) => self.resolve(name).unwrap_or(Oid::NULL),
            None => Oid::NULL,
        };
        self.write_file(name, format!("{oid}\n").as_bytes())?;
        if let Some((who, message)) = log {
            self.log(name, old, oid, who, message)?;
        }
        Ok(())
    }

    /// Makes a reference lead to another.
    pub(crate) fn write_symbolic(&self, name: &[u8], target: &[u8]) -> Result<()> {
        self.write_file(name, &[b"ref: ", target, b"\n"].concat())
    }

    fn write_file(&self, name: &[u8], content: &[u8]) -> Result<()> {
        let path = self.path(name);
        if let Some(above) = self.conflict(name) {
            return Err(Stop::Fatal(
                format!(
                    "cannot lock ref '{}': '{}' exists; cannot create '{}'",
                    show(name),
                    show(&above),
                    show(name)
                )
                .into(),
            ));
        }
        let lock = |found: &std::io::Error| {
            Stop::Fatal(
                format!(
                    "cannot lock ref '{}': Unable to create '{}.lock': {}",
                    show(name),
                    show(&path),
                    lock_why(found)
                )
                .into_bytes(),
            )
        };
        os::mkdir_above(&path).map_err(|found| lock(&found))?;
        // An empty directory of an old name may be in the way.
        if os::lstat(&path).is_ok_and(|found| found.is_dir()) {
            remove_empty(&path);
        }
        os::replace(&path, content).map_err(|found| lock(&found))
    }

    /// A reference that is in the way of a new one: `a` of `a/b`, or `a/b` of `a`.
    fn conflict(&self, name: &[u8]) -> Option<Vec<u8>> {
        if !name.starts_with(b"refs/") {
            return None;
        }
        let mut end = name.len();
        while let Some(at) = name[..end].iter().rposition(|byte| *byte == b'/') {
            if at > 5 && self.raw(&name[..at]).is_some() {
                return Some(name[..at].to_vec());
            }
            end = at;
        }
        self.all(&[name, b"/"].concat())
            .into_iter()
            .next()
            .map(|(name, _)| name)
    }

    /// Removes a reference and its log.
    pub(crate) fn delete(&self, name: &[u8]) -> Result<()> {
        let path = self.path(name);
        let _ = os::remove(&path);
        let packed = [&self.common[..], b"/packed-refs"].concat();
        if let Ok(text) = os::read(&packed)
            && self.packed().contains_key(name)
        {
            let mut out = Vec::new();
            let mut skipped = false;
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                if line.first() == Some(&b'^') && skipped {
                    continue;
                }
                skipped = line.len() > 41 && line[41..].trim_ascii_end() == name;
                if !skipped {
                    out.extend_from_slice(line);
                }
            }
            os::replace(&packed, &out)?;
        }
        let log = self.log_path(name);
        let _ = os::remove(&log);
        if name.starts_with(b"refs/") {
            for mut path in [path, log] {
                // Directories that are empty now go too, but not `refs/heads` itself.
                let depth = path.len() - name.len();
                while let Some(at) = path.iter().rposition(|byte| *byte == b'/') {
                    path.truncate(at);
                    let parts = path[depth..].iter().filter(|byte| **byte == b'/').count();
                    if parts < 2 || os::rmdir(&path).is_err() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Renames a reference with its log.
    pub(crate) fn rename(&self, from: &[u8], to: &[u8], who: &[u8], message: &[u8]) -> Result<()> {
        let Some(oid) = self.resolve(from) else {
            return fatal(format!("refname {} not found", show(from)));
        };
        let log = os::read(&self.log_path(from)).ok();
        self.delete(from)?;
        self.write(to, oid, None)?;
        if let Some(log) = log {
            let path = self.log_path(to);
            os::mkdir_above(&path)?;
            os::write(&path, &log)?;
        }
        self.log(to, oid, oid, who, message)
    }

    /// Adds a line to a reference's log.
    pub(crate) fn log(
        &self,
        name: &[u8],
        old: Oid,
        new: Oid,
        who: &[u8],
        message: &[u8],
    ) -> Result<()> {
        let path = self.log_path(name);
        let wanted = name == b"HEAD"
            || [&b"refs/heads/"[..], b"refs/remotes/", b"refs/notes/"]
                .iter()
                .any(|prefix| name.starts_with(prefix));
        if !(wanted || os::exists(&path)) {
            return Ok(());
        }
        os::mkdir_above(&path)?;
        if os::lstat(&path).is_ok_and(|found| found.is_dir()) {
            remove_empty(&path);
        }
        let mut line = format!("{old} {new} ").into_bytes();
        line.extend_from_slice(who);
        let message = one_line(message);
        if !message.is_empty() {
            line.push(b'\t');
            line.extend(message);
        }
        line.push(b'\n');
        Ok(os::append(&path, &line)?)
    }

    /// A reference's log, oldest first.
    pub(crate) fn read_log(&self, name: &[u8]) -> Vec<LogLine> {
        let text = os::read(&self.log_path(name)).unwrap_or_default();
        text.split(|byte| *byte == b'\n')
            .filter_map(parse_log)
            .collect()
    }

    /// Whether there is a log.
    pub(crate) fn has_log(&self, name: &[u8]) -> bool {
        os::is_file(&self.log_path(name))
    }

    /// Replaces a log.
    pub(crate) fn write_log(&self, name: &[u8], lines: &[LogLine]) -> Result<()> {
        let mut text = Vec::new();
        for line in lines {
            text.extend(format!("{} {} ", line.old, line.new).bytes());
            text.extend_from_slice(&line.who);
            text.push(b'\t');
            text.extend_from_slice(&line.message);
            text.push(b'\n');
        }
        Ok(os::write(&self.log_path(name), &text)?)
    }

    /// Where `HEAD` leads when it is on a branch.
    pub(crate) fn head_branch(&self) -> Option<Vec<u8>> {
        match self.raw(b"HEAD") {
            Some(Target::Symbolic(name)) => Some(name),
            _ => None,
        }
    }

    /// Writes the references of a new repository into `packed-refs`; `peel` gives what a tag leads
    /// to.
    pub(crate) fn write_packed(
        &self,
        refs: &[(Vec<u8>, Oid)],
        peel: impl Fn(Oid) -> Option<Oid>,
    ) -> Result<()> {
        let mut refs: Vec<&(Vec<u8>, Oid)> = refs.iter().collect();
        refs.sort();
        let mut text = b"# pack-refs with: peeled fully-peeled sorted \n".to_vec();
        for (name, oid) in refs {
            text.extend(format!("{oid} ").bytes());
            text.extend_from_slice(name);
            text.push(b'\n');
            if let Some(peeled) = peel(*oid) {
                text.extend(format!("^{peeled}\n").bytes());
            }
        }
        Ok(os::replace(
            &[&self.common[..], b"/packed-refs"].concat(),
            &text,
        )?)
    }

    /// Writes all references into `packed-refs`; `peel` gives what a tag leads to.
    pub(crate) fn pack(&self, peel: impl Fn(Oid) -> Option<Oid>) -> Result<()> {
        let mut text = b"# pack-refs with: peeled fully-peeled sorted \n".to_vec();
        let mut gone = Vec::new();
        for (name, oid) in self.all(b"refs/") {
            if let Some(Target::Symbolic(_)) = self.raw(&name) {
                continue;
            }
            text.extend(format!("{oid} ").bytes());
            text.extend_from_slice(&name);
            text.push(b'\n');
            if let Some(peeled) = peel(oid) {
                text.extend(format!("^{peeled}\n").bytes());
            }
            gone.push(name);
        }
        os::replace(&[&self.common[..], b"/packed-refs"].concat(), &text)?;
        for name in gone {
            let _ = os::remove(&self.path(&name));
        }
        Ok(())
    }
}

fn lock_why(found: &std::io::Error) -> String {
    match found.kind() {
        std::io::ErrorKind::AlreadyExists => "File exists.".to_owned(),
        _ => why(found),
    }
}

fn remove_empty(path: &[u8]) {
    for (name, kind) in os::list(path).unwrap_or_default() {
        if kind == os::Kind::Directory {
            remove_empty(&[path, b"/", &name].concat());
        }
    }
    let _ = os::rmdir(path);
}

/// A message for a log: spaces in the place of newlines.
fn one_line(message: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = message
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(&b' ')
}

fn parse_log(line: &[u8]) -> Option<LogLine> {
    let old = Oid::parse(line.get(..40)?)?;
    let new = Oid::parse(line.get(41..81)?)?;
    let rest = line.get(82..)?;
    let tab = rest
        .iter()
        .position(|byte| *byte == b'\t')
        .unwrap_or(rest.len());
    let message = rest.get(tab + 1..).unwrap_or_default().to_vec();
    Some(LogLine {
        old,
        new,
        who: rest[..tab].to_vec(),
        message,
    })
}

/// Whether a name may be made into a path: it stays below the repository.
fn is_safe(name: &[u8]) -> bool {
    !name.is_empty()
        && name[0] != b'/'
        && !name.contains(&0)
        && name
            .split(|byte| *byte == b'/')
            .all(|part| !part.is_empty() && part != b"." && part != b"..")
}

/// Whether git accepts a reference's name; `one_level` allows names without a slash.
pub(crate) fn is_valid(name: &[u8], one_level: bool) -> bool {
    let parts: Vec<&[u8]> = name.split(|byte| *byte == b'/').collect();
    let good = |part: &&[u8]| !part.is_empty() && part[0] != b'.' && !part.ends_with(b".lock");
    let bad_byte = |byte: &u8| *byte < 0x20 || *byte == 0x7f || b" ~^:?*[\\".contains(byte);
    !name.is_empty()
        && (one_level || parts.len() > 1)
        && parts.iter().all(good)
        && !name.iter().any(bad_byte)
        && !name.windows(2).any(|pair| pair == b".." || pair == b"@{")
        && name.last() != Some(&b'.')
        && name != b"@"
}

/// Whether a branch may have this name.
pub(crate) fn is_branch_name(name: &[u8]) -> bool {
    name.first() != Some(&b'-')
        && name != b"HEAD"
        && is_valid(&[b"refs/heads/", name].concat(), false)
}
