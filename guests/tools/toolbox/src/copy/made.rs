//! Copies of what is no directory.

use std::fs::{File, OpenOptions};

use codepod_tool::{errno_text, quoted, quoted_if_needed};

use super::existing::Existing;
use super::{Copier, How, Item, Outcome, Overwrite, failure};
use crate::mode::{is_directory, is_link};
use crate::paths::{self, directory, is_same_file};
use crate::system::{self, Errno, Links, Stat};

impl Copier<'_> {
    /// Makes the copy of a file, link, fifo or device.
    pub(super) fn make(&mut self, item: &Item, stat: &Stat, there: &Existing) -> Outcome<()> {
        let kind = stat.mode & system::mode::TYPE_MASK;
        match self.settings.how {
            How::SymbolicLink => self.symbolic_link(item),
            How::HardLink => {
                let links = self.links(item);
                let replace = self.settings.force || self.settings.overwrite == Overwrite::Ask;
                self.hard_link(&item.from, &item.to, links, replace)?;
                Ok(())
            }
            _ if is_link(stat.mode) => {
                self.same_link(item, there)?;
                self.keep_all(item, stat, there.stat.as_ref())
            }
            _ if kind == system::mode::REGULAR || self.settings.read_specials => {
                self.file(item, stat, there)
            }
            _ if kind == system::mode::FIFO => {
                self.fifo(item, stat)?;
                self.keep_all(item, stat, None)
            }
            _ => Err(failure("cannot create special file", &item.to, Errno::Perm)),
        }
    }

    /// `-s`
    fn symbolic_link(&self, item: &Item) -> Outcome<()> {
        if !item.from.starts_with(b"/") {
            // The link would lead elsewhere than the source's path does from here.
            let [here, there] =
                [b".", directory(&item.to)].map(|path| system::stat(path, Links::Follow));
            if matches!((here, there), (Ok(here), Ok(there)) if !is_same_file(&here, &there)) {
                let what = b": can make relative symbolic links only in current directory";
                return Err([&quoted_if_needed(&item.to)[..], what].concat());
            }
        }
        let make = |path: &[u8]| paths::symbolic_link(&item.from, path);
        let made = match make(&item.to) {
            Err(Errno::Exist) if self.settings.force => paths::replace(&item.to, make),
            made => made,
        };
        made.map_err(|errno| {
            let (from, to) = (quoted(&item.from), quoted(&item.to));
            let why = errno_text(errno).as_bytes();
            let what = b"cannot create symbolic link ";
            [what, &to[..], b" to ", &from, b": ", why].concat()
        })
    }

    /// A symbolic link with the text of another.
    fn same_link(&self, item: &Item, there: &Existing) -> Outcome<()> {
        let text = system::read_link(&item.from)
            .map_err(|errno| failure("cannot read symbolic link", &item.from, errno))?;
        let mut made = paths::symbolic_link(&text, &item.to);
        if made == Err(Errno::Exist) && self.settings.force && there.stat.is_some() {
            made =
                paths::remove_file(&item.to).and_then(|()| paths::symbolic_link(&text, &item.to));
        }
        if made.is_err() && system::read_link(&item.to).as_ref() == Ok(&text) {
            return Ok(());
        }
        made.map_err(|errno| failure("cannot create symbolic link", &item.to, errno))
    }

    fn fifo(&mut self, item: &Item, stat: &Stat) -> Outcome<()> {
        let keep = self.settings.keep;
        let bits = if keep.usual_mode && !keep.mode {
            0o666
        } else {
            stat.mode & 0o777
        };
        system::make_fifo(&item.to, bits)
            .map_err(|errno| failure("cannot create fifo", &item.to, errno))
    }

    /// A file with the content of another.
    fn file(&mut self, item: &Item, stat: &Stat, there: &Existing) -> Outcome<()> {
        let mut from = paths::open(&item.from).map_err(|errno| {
            let why = errno_text(errno).as_bytes();
            let name = quoted(&item.from);
            [b"cannot open ", &name[..], b" for reading: ", why].concat()
        })?;
        let (mut to, is_new) = self.open_target(item, there)?;
        if is_new {
            self.set_first_mode(item, stat)?;
        }
        if self.settings.how == How::Content {
            if self.settings.only_clones {
                return Err(self.not_cloned(item, is_new));
            }
            self.content(item, stat, &mut from, &mut to)?;
        }
        drop(to);
        let there = there.stat.as_ref().filter(|_| !is_new);
        self.keep_all(item, stat, there)
    }

    /// No file system here can share blocks between files.
    fn not_cloned(&self, item: &Item, is_new: bool) -> Vec<u8> {
        if is_new {
            // Nothing was copied: the empty file is not left behind. It may be gone already.
            let _ = paths::remove_file(&item.to);
        }
        let (from, to) = (quoted(&item.from), quoted(&item.to));
        let why = errno_text(Errno::NotSup).as_bytes();
        [b"failed to clone ", &to[..], b" from ", &from, b": ", why].concat()
    }

    /// Opens what is written to. Returns whether it was made.
    fn open_target(&mut self, item: &Item, there: &Existing) -> Outcome<(File, bool)> {
        let not_made = |errno| failure("cannot create regular file", &item.to, errno);
        if there.stat.is_some() {
            let mut options = OpenOptions::new();
            options
                .write(true)
                .truncate(self.settings.how == How::Content);
            match paths::open_with(&item.to, &options) {
                Ok(file) => return Ok((file, false)),
                Err(errno) if !self.settings.force => return Err(not_made(errno)),
                Err(_) => {}
            }
            match paths::remove_file(&item.to) {
                Ok(()) => self.tell_removed(&item.to),
                Err(Errno::NoEnt) => {}
                Err(errno) => return Err(failure("cannot remove", &item.to, errno)),
            }
        }
        let is_in_directory = || {
            system::stat(directory(&item.to), Links::Follow)
                .is_ok_and(|stat| is_directory(stat.mode))
        };
        if item.to.ends_with(b"/") && is_in_directory() {
            return Err(not_made(Errno::NotDir));
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        match paths::open_with(&item.to, &options) {
            Ok(file) => Ok((file, true)),
            Err(Errno::Exist) => self.open_link(item),
            Err(errno) => Err(not_made(errno)),
        }
    }

    /// Writes through a symbolic link without a target only where POSIX is to be followed to the
    /// letter.
    fn open_link(&self, item: &Item) -> Outcome<(File, bool)> {
        let is_link = system::stat(&item.to, Links::Keep).is_ok_and(|stat| is_link(stat.mode));
        if is_link && std::env::var_os("POSIXLY_CORRECT").is_none() {
            let what = b"not writing through dangling symlink ";
            return Err([what, &quoted(&item.to)[..]].concat());
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        match paths::open_with(&item.to, &options) {
            Ok(file) => Ok((file, true)),
            Err(errno) => Err(failure("cannot create regular file", &item.to, errno)),
        }
    }

    /// Gives a new file the permission bits it has while it is written to.
    fn set_first_mode(&mut self, item: &Item, stat: &Stat) -> Outcome<()> {
        let umask = self.umask();
        let keep = self.settings.keep;
        let has = 0o666 & !umask;
        let wanted = if keep.usual_mode && !keep.mode {
            has
        } else if keep.owner {
            stat.mode & 0o700
        } else {
            stat.mode & 0o777 & !umask
        };
        if wanted == has {
            return Ok(());
        }
        system::set_mode(&item.to, Links::Follow, wanted)
            .map_err(|errno| failure("setting permissions for", &item.to, errno))
    }
}
