//! Changes that the host itself wants: each in one step, and only where a file is what it was when
//! the sandbox saw it.
//!
//! New content is written beside its place and put there by a rename that replaces nothing, or by
//! an exchange: what the exchange brings out is looked at once more, and put back if it is not what
//! was expected. So an edit that happens in the last moment is not lost.

use std::hash::Hasher as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use codepod_abi::Errno;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};

use super::attributes::set_mode;
use super::errno::translate;
use super::facts::{check_name, kind, nanoseconds, timespec};
use super::held::Held;
use super::open::identity;
use super::walk::Dir;
use super::{HostDir, SAFE};
use crate::publish::{Content, Fingerprint, Publish, SAMPLED, digest, digest_into};

/// How much is written at once.
const PIECE: usize = 64 << 10;
/// Times of files may be as coarse as this, in nanoseconds: of one that is not older, the content
/// is looked at as well.
pub(super) const COARSE: u64 = 3_000_000_000;
/// How often a file that somebody replaces again and again is put back.
const MOST_TURNS: usize = 1000;

impl HostDir {
    /// Puts a node at a path, where `expected` is what is there; `None`: nothing is.
    /// [`Errno::Stale`] where that is not so: then nothing has happened. What is there
    /// afterwards.
    pub(super) fn put(
        &mut self,
        path: &[u8],
        new: Publish<'_>,
        expected: Option<Fingerprint>,
    ) -> Result<Option<Fingerprint>, Errno> {
        let mut names = Vec::new();
        for name in path.split(|byte| *byte == b'/') {
            check_name(name)?;
            names.push(name.into());
        }
        self.listing = None;
        let name = names.pop().ok_or(Errno::Inval)?;
        let place = Place {
            dir: self.walk_names(&names)?,
            name: &name,
        };
        place.expect(expected)?;
        let was = match new {
            Publish::Nothing => match expected {
                Some(expected) => Some(place.remove(expected)?),
                None => None,
            },
            Publish::Directory { mode } => place.make_directory(mode, expected)?,
            Publish::File {
                mode,
                mtime,
                content,
            } => {
                let beside = place.beside();
                let written = place.write(&beside, mode, mtime, content);
                Some(place.put(&beside, written, expected)?)
            }
            Publish::Symlink { target } => {
                let beside = place.beside();
                let made = rustix::fs::symlinkat(target, &place.dir, &*beside).map_err(translate);
                Some(place.put(&beside, made, expected)?)
            }
            Publish::Mode(mode) => {
                let old = place.look()?.map(|old| old.mode);
                place.set_mode(mode)?;
                old.map(Was::Mode)
            }
        };
        let now = place.look();
        if let (Some(Was::Aside(aside)), None) = (&was, &self.held) {
            place.forget(aside)?;
        }
        let was = match was {
            Some(Was::Aside(aside)) if now == Ok(None) && self.held.is_some() => {
                Some(place.move_out(aside, self.shared.root.as_fd()))
            }
            was => was,
        };
        if let (Some(was), Some(held)) = (was, &mut self.held) {
            held.push(Held::new(names, name, now.unwrap_or_default(), was));
        }
        now
    }
}

/// What was at a place before something was put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Was {
    Nothing,
    /// A file or a link, which has this name beside now.
    Aside(Vec<u8>),
    /// A file or a link, which has this name in the mount's root, because its directory may go too.
    AtRoot(Vec<u8>),
    /// An empty directory with these permission bits.
    Directory(u16),
    /// What it was, with these permission bits.
    Mode(u16),
}

/// What the host knows about a file, as far as it tells whether somebody has changed it.
pub(super) fn fingerprint(stat: &rustix::fs::Stat) -> Fingerprint {
    Fingerprint {
        identity: identity(stat),
        kind: kind(stat),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mode: (stat.st_mode & 0o777) as u16,
        mtime: nanoseconds(stat.st_mtime, stat.st_mtime_nsec as i64),
        ctime: nanoseconds(stat.st_ctime, stat.st_ctime_nsec as i64),
        digest: None,
        whole: None,
    }
}

/// A number for a file's content, or for the beginning and the end of a large one.
pub(super) fn sample(file: &OwnedFd, size: u64) -> Result<u64, Errno> {
    let part = SAMPLED / 2;
    let mut hasher = std::hash::DefaultHasher::new();
    let ranges = match size > SAMPLED {
        false => [0..SAMPLED, 0..0],
        true => [0..part, size - part..size],
    };
    for range in ranges {
        digest_into(&mut hasher, range, |offset, buffer| {
            rustix::io::pread(file, buffer, offset).map_err(translate)
        })?;
    }
    Ok(hasher.finish())
}

/// A name in a directory.
pub(super) struct Place<'a> {
    pub(super) dir: Dir,
    pub(super) name: &'a [u8],
}

impl Place<'_> {
    pub(super) fn look(&self) -> Result<Option<Fingerprint>, Errno> {
        self.look_at(self.name)
    }

    fn look_at(&self, name: &[u8]) -> Result<Option<Fingerprint>, Errno> {
        match rustix::fs::statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(fingerprint(&stat))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(translate(error)),
        }
    }

    /// Fails unless that is what is there.
    fn expect(&self, expected: Option<Fingerprint>) -> Result<(), Errno> {
        match (expected, self.look()?) {
            (None, None) => Ok(()),
            (Some(expected), Some(now))
                if expected.looks_same(&now) && self.holds(self.name, expected)? =>
            {
                Ok(())
            }
            // A directory that somebody has made meanwhile is in nobody's way.
            (None, Some(now)) if now.is_directory() => Ok(()),
            _ => Err(Errno::Stale),
        }
    }

    /// A name that nobody has.
    fn beside(&self) -> Vec<u8> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        format!(".codepod-{}-{number}", std::process::id()).into_bytes()
    }

    fn write(
        &self,
        beside: &[u8],
        mode: u16,
        mtime: u64,
        content: Content<'_>,
    ) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | SAFE;
        let private = Mode::RUSR | Mode::WUSR;
        let file = rustix::fs::openat(&self.dir, beside, flags, private).map_err(translate)?;
        let mut buffer = vec![0; PIECE];
        let mut offset = 0;
        loop {
            let read = content(offset, &mut buffer)?;
            if read == 0 {
                break;
            }
            let mut done = 0;
            while done < read {
                let at = offset + done as u64;
                done += rustix::io::pwrite(&file, &buffer[done..read], at).map_err(translate)?;
            }
            offset += read as u64;
        }
        let mode = Mode::from_raw_mode((mode & 0o777).into());
        rustix::fs::fchmod(&file, mode).map_err(translate)?;
        let times = rustix::fs::Timestamps {
            last_access: timespec(None),
            last_modification: timespec(Some(mtime)),
        };
        rustix::fs::futimens(&file, &times).map_err(translate)?;
        rustix::fs::fsync(&file).map_err(translate)
    }

    /// Puts what was written beside into its place, or takes it away again.
    fn put(
        &self,
        beside: &[u8],
        written: Result<(), Errno>,
        expected: Option<Fingerprint>,
    ) -> Result<Was, Errno> {
        let done = written.and_then(|()| match expected {
            None => self.move_in(beside).map(|()| Was::Nothing),
            Some(expected) if expected.is_directory() => {
                let was = self.remove(expected)?;
                self.move_in(beside).map(|()| was)
            }
            Some(expected) => {
                self.exchange(beside, expected)?;
                Ok(Was::Aside(beside.to_vec()))
            }
        });
        if done.is_err() {
            let _ = self.forget(beside);
        }
        done
    }

    /// Removes what is beside and not needed any more.
    pub(super) fn forget(&self, beside: &[u8]) -> Result<(), Errno> {
        rustix::fs::unlinkat(&self.dir, beside, AtFlags::empty()).map_err(translate)
    }

    /// Moves what is beside to another directory, if that is in the same file system.
    fn move_out(&self, beside: Vec<u8>, root: BorrowedFd<'_>) -> Was {
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(&self.dir, &*beside, root, &*beside, flags) {
            Ok(()) => Was::AtRoot(beside),
            Err(_) => Was::Aside(beside),
        }
    }

    pub(super) fn set_mode(&self, mode: u16) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | SAFE;
        let file = rustix::fs::openat(&self.dir, self.name, flags, Mode::empty());
        let mode = Mode::from_raw_mode((mode & 0o777).into());
        set_mode(&file.map_err(translate)?, mode)
    }

    /// Gives what is beside its name, unless something has it.
    pub(super) fn move_in(&self, beside: &[u8]) -> Result<(), Errno> {
        self.rename(beside, self.name, RenameFlags::NOREPLACE)
    }

    /// Gives what is in another directory its name, unless something has it.
    pub(super) fn move_in_from(&self, from: BorrowedFd<'_>, aside: &[u8]) -> Result<(), Errno> {
        let flags = RenameFlags::NOREPLACE;
        let moved = rustix::fs::renameat_with(from, aside, &self.dir, self.name, flags);
        moved.map_err(translate)
    }

    /// Puts what is beside in the place of what is there and expected, which is beside then.
    pub(super) fn exchange(&self, beside: &[u8], expected: Fingerprint) -> Result<(), Errno> {
        let mut placed = self.look_at(beside)?.map(|ours| ours.identity);
        self.rename(beside, self.name, RenameFlags::EXCHANGE)?;
        if self.came_out(beside, expected)? {
            return Ok(());
        }
        // Somebody was quicker. Theirs goes back, and if they are at it again meanwhile, their
        // last.
        for _ in 0..MOST_TURNS {
            let back = self.look_at(beside)?.map(|theirs| theirs.identity);
            self.rename(beside, self.name, RenameFlags::EXCHANGE)?;
            if self.look_at(beside)?.map(|out| out.identity) == placed {
                break;
            }
            placed = back;
        }
        Err(Errno::Stale)
    }

    /// Takes away what is there and expected: an empty directory for good, anything else to a name
    /// beside.
    pub(super) fn remove(&self, expected: Fingerprint) -> Result<Was, Errno> {
        if expected.is_directory() {
            let mode = self.look()?.map_or(expected.mode, |now| now.mode);
            let removed = rustix::fs::unlinkat(&self.dir, self.name, AtFlags::REMOVEDIR);
            return match removed {
                Ok(()) => Ok(Was::Directory(mode)),
                Err(rustix::io::Errno::NOTEMPTY | rustix::io::Errno::EXIST) => Err(Errno::Stale),
                Err(other) => Err(translate(other)),
            };
        }
        let beside = self.beside();
        self.rename(self.name, &beside, RenameFlags::NOREPLACE)?;
        if self.came_out(&beside, expected)? {
            return Ok(Was::Aside(beside));
        }
        self.move_in(&beside)?;
        Err(Errno::Stale)
    }

    /// Whether what a rename has brought out is what was expected to be there.
    fn came_out(&self, beside: &[u8], expected: Fingerprint) -> Result<bool, Errno> {
        let out = self.look_at(beside)?;
        Ok(out.is_some_and(|out| expected.looks_renamed(&out)) && self.holds(beside, expected)?)
    }

    /// Makes a directory where nothing is, or what is expected and none; what was there, `None` if
    /// a directory was.
    pub(super) fn make_directory(
        &self,
        mode: u16,
        expected: Option<Fingerprint>,
    ) -> Result<Option<Was>, Errno> {
        let was = match expected {
            Some(expected) if !expected.is_directory() => self.remove(expected)?,
            _ => Was::Nothing,
        };
        let mode = Mode::from_raw_mode((mode & 0o777).into());
        match rustix::fs::mkdirat(&self.dir, self.name, mode) {
            Ok(()) => Ok(Some(was)),
            Err(rustix::io::Errno::EXIST) => match self.look()? {
                Some(there) if there.is_directory() && was == Was::Nothing => Ok(None),
                _ => Err(Errno::Stale),
            },
            Err(error) => Err(translate(error)),
        }
    }

    /// Whether a file's content is the expected one, as far as that is known. Of a large file that
    /// had changed shortly before it was seen, nobody knows unless all of it was read.
    fn holds(&self, name: &[u8], expected: Fingerprint) -> Result<bool, Errno> {
        let Some(wanted) = expected.digest else {
            return Ok(true);
        };
        let flags = OFlags::RDONLY | SAFE;
        let file = rustix::fs::openat(&self.dir, name, flags, Mode::empty()).map_err(translate)?;
        if !expected.is_sampled() {
            return Ok(sample(&file, expected.size)? == wanted);
        }
        let Some(whole) = expected.whole else {
            return Ok(false);
        };
        let read =
            |offset, buffer: &mut [u8]| rustix::io::pread(&file, buffer, offset).map_err(translate);
        Ok(digest(read)? == whole)
    }

    fn rename(&self, from: &[u8], to: &[u8], flags: RenameFlags) -> Result<(), Errno> {
        rustix::fs::renameat_with(&self.dir, from, &self.dir, to, flags).map_err(
            |error| match error {
                rustix::io::Errno::EXIST | rustix::io::Errno::NOENT => Errno::Stale,
                other => translate(other),
            },
        )
    }
}
