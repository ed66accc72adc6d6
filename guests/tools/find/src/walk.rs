//! Going through trees.

use codepod_sys::file::{Links, Stat};
use codepod_tool::{path, quoted};

use crate::evaluate::{Entry, Evaluator};
use crate::expression::{Follow, Parsed};
use crate::stat::{kind, stat};

/// How deep directories are followed.
const DEEPEST: usize = 2000;

/// Runs find and returns its status.
pub(crate) fn run(parsed: Parsed) -> i32 {
    let evaluator = match Evaluator::new(&parsed) {
        Ok(evaluator) => evaluator,
        Err(status) => return status,
    };
    let mut walk = Walk {
        parsed: &parsed,
        evaluator,
        above: Vec::new(),
    };
    for root in &parsed.paths {
        walk.root(root);
        if walk.evaluator.quits {
            break;
        }
    }
    walk.evaluator.finish()
}

struct Walk<'p> {
    parsed: &'p Parsed,
    evaluator: Evaluator<'p>,
    /// The directories on the way here, to see when links go round.
    above: Vec<(u64, u64, Vec<u8>)>,
}

impl Walk<'_> {
    fn root(&mut self, root: &[u8]) {
        let links = if self.parsed.follow == Follow::Never {
            Links::Keep
        } else {
            Links::Follow
        };
        match self.stat(root, links) {
            Ok(found) => self.file(root, root, 0, found, found.dev),
            Err(error) => self.evaluator.complain(root, &error),
        }
    }

    /// What is known of a file; a link that leads nowhere is itself.
    fn stat(&self, name: &[u8], links: Links) -> std::io::Result<Stat> {
        match stat(name, links) {
            Err(_) if links == Links::Follow => stat(name, Links::Keep),
            result => result,
        }
    }

    fn file(&mut self, name: &[u8], root: &[u8], depth: usize, found: Stat, device: u64) {
        let parsed = self.parsed;
        let entry = Entry {
            path: name,
            root,
            depth,
            stat: found,
        };
        let is_directory = found.mode & kind::MASK == kind::DIRECTORY;
        let wanted = depth >= parsed.min_depth;
        if is_directory && self.goes_round(name, &found) {
            return;
        }
        self.evaluator.pruned = false;
        if wanted && !parsed.depth_first {
            self.evaluator.look(&entry);
        }
        let pruned = std::mem::take(&mut self.evaluator.pruned) && !parsed.depth_first;
        let inside = is_directory
            && !pruned
            && depth < parsed.max_depth
            && !self.evaluator.quits
            && (!parsed.one_device || found.dev == device);
        if inside {
            self.directory(name, root, depth, &found, device);
        }
        if wanted && parsed.depth_first && !self.evaluator.quits {
            self.evaluator.look(&entry);
        }
    }

    /// Says so when links lead to a directory that is being looked through.
    fn goes_round(&mut self, name: &[u8], found: &Stat) -> bool {
        if self.parsed.follow != Follow::Always {
            return false;
        }
        let known = self
            .above
            .iter()
            .find(|(device, inode, _)| (*device, *inode) == (found.dev, found.ino));
        let Some((_, _, above)) = known else {
            return false;
        };
        let message = [
            b"File system loop detected; ",
            &quoted(name)[..],
            b" is part of the same file system loop as ",
            &quoted(above),
            b".",
        ]
        .concat();
        self.evaluator.say(&message);
        true
    }

    fn directory(&mut self, name: &[u8], root: &[u8], depth: usize, found: &Stat, device: u64) {
        let listed = std::fs::read_dir(path(name)).and_then(|entries| {
            let names =
                entries.map(|entry| entry.map(|entry| entry.file_name().into_encoded_bytes()));
            names.collect::<std::io::Result<Vec<Vec<u8>>>>()
        });
        let names = match listed {
            Ok(names) => names,
            Err(error) => return self.evaluator.complain(name, &error),
        };
        if depth >= DEEPEST {
            return self
                .evaluator
                .say(&[&quoted(name)[..], b": directories are nested too deeply"].concat());
        }
        self.above.push((found.dev, found.ino, name.to_vec()));
        let links = if self.parsed.follow == Follow::Always {
            Links::Follow
        } else {
            Links::Keep
        };
        let mut full = name.to_vec();
        if full.last() != Some(&b'/') {
            full.push(b'/');
        }
        let length = full.len();
        for last in names {
            full.truncate(length);
            full.extend_from_slice(&last);
            match self.stat(&full, links) {
                Ok(found) => self.file(&full, root, depth + 1, found, device),
                Err(error) => self.evaluator.complain(&full, &error),
            }
            if self.evaluator.quits {
                break;
            }
        }
        self.above.pop();
    }
}
