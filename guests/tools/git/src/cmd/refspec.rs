//! Refspecs: which references of another repository go where.

use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

/// `[+]SOURCE[:TARGET]`, where both may have a `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refspec {
    pub(crate) force: bool,
    pub(crate) from: Vec<u8>,
    pub(crate) to: Vec<u8>,
}

impl Refspec {
    /// Reads one.
    pub(crate) fn parse(word: &[u8]) -> Result<Refspec> {
        let spec = word.strip_prefix(b"+").unwrap_or(word);
        if spec.first() == Some(&b'^') {
            let text = show(word);
            return fatal(format!("codepod's git has no negative refspecs: '{text}'"));
        }
        let (from, to) = match spec.iter().position(|byte| *byte == b':') {
            Some(at) => (&spec[..at], &spec[at + 1..]),
            None => (spec, &b""[..]),
        };
        let stars = |text: &[u8]| text.iter().filter(|byte| **byte == b'*').count();
        if stars(from) > 1 || (!to.is_empty() && stars(from) != stars(to)) {
            return fatal(format!("invalid refspec '{}'", show(word)));
        }
        Ok(Refspec {
            force: spec.len() < word.len(),
            from: from.to_vec(),
            to: to.to_vec(),
        })
    }

    /// Where a reference goes, by its full name; nowhere is empty. None when it does not fit.
    pub(crate) fn map(&self, name: &[u8]) -> Option<Vec<u8>> {
        translate(&self.from, &self.to, name)
    }

    /// The reference that comes to this name.
    pub(crate) fn back(&self, name: &[u8]) -> Option<Vec<u8>> {
        translate(&self.to, &self.from, name)
    }

    /// What the names begin with that fit.
    pub(crate) fn prefix(&self) -> &[u8] {
        let end = self.from.iter().position(|byte| *byte == b'*');
        &self.from[..end.unwrap_or(self.from.len())]
    }
}

fn translate(from: &[u8], to: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let Some(star) = from.iter().position(|byte| *byte == b'*') else {
        return (from == name && !from.is_empty()).then(|| to.to_vec());
    };
    let rest = name.strip_prefix(&from[..star])?;
    let middle = rest.strip_suffix(&from[star + 1..])?;
    Some(match to.iter().position(|byte| *byte == b'*') {
        Some(star) => [&to[..star], middle, &to[star + 1..]].concat(),
        None => Vec::new(),
    })
}

/// What the settings say of a remote.
pub(crate) fn configured(repo: &Repo, remote: &[u8]) -> Result<Vec<Refspec>> {
    let key = [b"remote.", remote, b".fetch"].concat();
    let entries = repo.config.entries.iter().filter(|entry| entry.key == key);
    let words = entries.filter_map(|entry| entry.value.as_deref());
    words.map(Refspec::parse).collect()
}

/// Where a reference goes by the first of these that it fits, and whether it is forced.
pub(crate) fn tracking(specs: &[Refspec], name: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut found = specs.iter().filter_map(|spec| {
        let to = spec.map(name).filter(|to| !to.is_empty())?;
        Some((to, spec.force))
    });
    found.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(word: &str) -> Refspec {
        Refspec::parse(word.as_bytes()).unwrap()
    }

    #[test]
    fn names_go_where_they_are_sent() {
        let all = spec("+refs/heads/*:refs/remotes/o/*");
        assert!(all.force);
        assert_eq!(all.map(b"refs/heads/a/b").unwrap(), b"refs/remotes/o/a/b");
        assert_eq!(all.back(b"refs/remotes/o/x").unwrap(), b"refs/heads/x");
        assert_eq!(all.map(b"refs/tags/a"), None);
        assert_eq!(all.prefix(), b"refs/heads/");
        let one = spec("refs/heads/a:refs/remotes/o/a");
        assert_eq!(one.map(b"refs/heads/a").unwrap(), b"refs/remotes/o/a");
        assert_eq!(one.map(b"refs/heads/ab"), None);
        assert_eq!(spec("refs/heads/a").map(b"refs/heads/a").unwrap(), b"");
        for bad in ["a/*:b", "a:b/*", "a/*/*:b/*/*", "^refs/heads/a"] {
            assert!(Refspec::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
