//! The shell's descriptors.
//!
//! What a script calls descriptor 3 is whatever descriptor of the process this table says. So a
//! redirection is a change of the table, a subshell is a clone of it, the root directory that std
//! needs at the kernel's 3 is never in the way, and output can go into memory for `$(…)`.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use codepod_sys::{Errno, Fd, descriptor, pipe, poll};

use crate::text::Text;
use crate::traps;

/// An open descriptor of the process, closed when the last user drops it.
#[derive(Debug)]
pub struct Owned {
    fd: Fd,
    closes: bool,
}

impl Owned {
    /// Takes over a descriptor.
    pub fn new(fd: Fd) -> Owned {
        Owned { fd, closes: true }
    }

    /// Uses a descriptor that somebody else closes.
    pub fn borrowed(fd: Fd) -> Owned {
        Owned { fd, closes: false }
    }

    /// Its number in the kernel.
    pub fn fd(&self) -> Fd {
        self.fd
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if self.closes {
            let _ = descriptor::close(self.fd);
        }
    }
}

/// What a descriptor of the script is.
#[derive(Debug, Clone)]
pub enum Open {
    /// A descriptor of the process.
    Kernel(Rc<Owned>),
    /// The memory that a command substitution collects.
    Capture(Rc<Capture>),
}

impl Open {
    /// Takes over a descriptor of the process.
    pub fn kernel(fd: Fd) -> Open {
        Open::Kernel(Rc::new(Owned::new(fd)))
    }
}

/// Collects the output of a command substitution that runs inside the shell.
#[derive(Debug, Default)]
pub struct Capture {
    bytes: RefCell<Vec<u8>>,
    /// Read ends of the pipes of background jobs, which write while the shell goes on.
    background: RefCell<Vec<Rc<Owned>>>,
}

impl Capture {
    /// Appends.
    pub fn write(&self, bytes: &[u8]) {
        self.bytes.borrow_mut().extend_from_slice(bytes);
    }

    /// How much was collected so far.
    pub fn len(&self) -> usize {
        self.bytes.borrow().len()
    }

    /// Whether nothing was collected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads what background jobs write until they have all closed their ends.
    pub fn drain(self: &Rc<Capture>) {
        loop {
            let pipes = self.background.take();
            if pipes.is_empty() {
                return;
            }
            let pipes = pipes.into_iter().map(|pipe| (Rc::clone(self), pipe));
            drain(pipes.collect());
        }
    }

    /// Whether background jobs may still write.
    pub fn has_background(&self) -> bool {
        !self.background.borrow().is_empty()
    }

    /// Collects what background jobs have written; waits for it no longer than so long.
    pub fn poll_background(&self, timeout: Duration) {
        let mut buffer = [0u8; 4096];
        let mut wait = timeout;
        self.background.borrow_mut().retain(|pipe| {
            let ready = poll::readable(pipe.fd(), Some(std::mem::take(&mut wait)));
            match ready {
                Ok(true) => match descriptor::read(pipe.fd(), &mut buffer) {
                    Ok(0) => false,
                    Ok(count) => {
                        self.write(&buffer[..count]);
                        true
                    }
                    Err(errno) => errno == Errno::Intr,
                },
                Ok(false) => true,
                Err(errno) => errno == Errno::Intr,
            }
        });
    }

    /// Takes what was collected.
    pub fn take(&self) -> Vec<u8> {
        self.bytes.take()
    }
}

/// The pipes between the programs of one pipeline and the captures that they write to.
///
/// Programs that write to the same capture share a pipe, so that their output keeps its order.
#[derive(Debug, Default)]
pub struct Outlets {
    pipes: Vec<Outlet>,
}

#[derive(Debug)]
struct Outlet {
    capture: Rc<Capture>,
    read: Rc<Owned>,
    write: Owned,
}

impl Outlets {
    /// The kernel's number of what a program gets for an open descriptor.
    pub fn of(&mut self, open: &Open) -> Result<Fd, Errno> {
        let capture = match open {
            Open::Kernel(owned) => return Ok(owned.fd()),
            Open::Capture(capture) => capture,
        };
        let known = self
            .pipes
            .iter()
            .find(|outlet| Rc::ptr_eq(&outlet.capture, capture));
        if let Some(outlet) = known {
            return Ok(outlet.write.fd());
        }
        let (read, write) = pipe::pipe()?;
        self.pipes.push(Outlet {
            capture: Rc::clone(capture),
            read: Rc::new(Owned::new(read)),
            write: Owned::new(write),
        });
        Ok(Fd(write.0))
    }

    /// Whether nothing is captured.
    pub fn is_empty(&self) -> bool {
        self.pipes.is_empty()
    }

    /// Collects until the programs have closed their ends.
    pub fn drain(self) {
        if self.pipes.is_empty() {
            return;
        }
        let pipes = self.pipes.into_iter();
        // The write ends are dropped here: only the programs have theirs.
        drain(pipes.map(|outlet| (outlet.capture, outlet.read)).collect());
    }

    /// Leaves the pipes to their captures: the programs run in the background.
    pub fn leave(self) {
        for outlet in self.pipes {
            outlet.capture.background.borrow_mut().push(outlet.read);
        }
    }
}

/// Reads pipes into their captures until all are at their end. Pipes of background jobs of the same
/// captures are read along, so that nobody waits for somebody who waits for room.
fn drain(mut pipes: Vec<(Rc<Capture>, Rc<Owned>)>) {
    let mut buffer = [0u8; 8192];
    loop {
        let first = match pipes.as_slice() {
            [] => return,
            [(capture, _)] if capture.background.borrow().is_empty() => 0,
            _ => match ready(&pipes) {
                Some(at) => at,
                None => continue,
            },
        };
        let Some((capture, pipe)) = pipes.get(first) else {
            continue;
        };
        match descriptor::read(pipe.fd(), &mut buffer) {
            Ok(0) => drop(pipes.swap_remove(first)),
            Ok(count) => capture.write(&buffer[..count]),
            Err(Errno::Intr) => traps::collect(),
            Err(_) => drop(pipes.swap_remove(first)),
        }
    }
}

/// Waits until one of the pipes can be read and returns which. What background jobs wrote is
/// collected meanwhile.
fn ready(pipes: &[(Rc<Capture>, Rc<Owned>)]) -> Option<usize> {
    let mut fds: Vec<Fd> = pipes.iter().map(|(_, pipe)| pipe.fd()).collect();
    let mut others = Vec::new();
    for (at, (capture, _)) in pipes.iter().enumerate() {
        if pipes[..at]
            .iter()
            .any(|(known, _)| Rc::ptr_eq(known, capture))
        {
            continue;
        }
        for pipe in capture.background.borrow().iter() {
            others.push((Rc::clone(capture), Rc::clone(pipe)));
            fds.push(pipe.fd());
        }
    }
    match poll::any_readable(&fds) {
        Ok(at) if at < pipes.len() => Some(at),
        Ok(at) => {
            let (capture, pipe) = others.get(at - pipes.len())?;
            let mut buffer = [0u8; 4096];
            match descriptor::read(pipe.fd(), &mut buffer) {
                Ok(count) if count > 0 => capture.write(&buffer[..count]),
                Err(Errno::Intr) => traps::collect(),
                _ => {
                    let mut background = capture.background.borrow_mut();
                    background.retain(|other| !Rc::ptr_eq(other, pipe));
                }
            }
            None
        }
        Err(Errno::Intr) => {
            traps::collect();
            None
        }
        // Nothing can be waited for: the reads themselves will tell.
        Err(_) => Some(0),
    }
}

/// The table. Cloning shares it until one side changes.
#[derive(Debug, Clone, Default)]
pub struct FdTable {
    slots: Rc<Vec<Option<Open>>>,
}

/// The highest descriptor that a script may use.
pub const MOST: u32 = 1023;

thread_local! {
    /// Set when a write failed because nobody reads any more: the shell (or its subshell) ends as
    /// by SIGPIPE.
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// Whether a write has failed because nobody reads any more, since the last time this was asked.
pub fn take_broken_pipe() -> bool {
    BROKEN.replace(false)
}

/// Whether a write failed because nobody reads any more; it is not forgotten.
pub fn is_pipe_broken() -> bool {
    BROKEN.get()
}

impl FdTable {
    /// What a number is.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Open> {
        self.slots.get(number as usize)?.as_ref()
    }

    /// Puts something on a number and returns what was there. A number beyond [`MOST`] is refused
    /// by the callers.
    pub fn set(&mut self, number: u32, open: Open) -> Option<Open> {
        let slots = Rc::make_mut(&mut self.slots);
        if slots.len() <= number as usize {
            slots.resize(number as usize + 1, None);
        }
        slots[number as usize].replace(open)
    }

    /// Gives what a number is the same number in the process, where that is free.
    pub fn settle(&mut self, number: u32) {
        let Some(fd) = self.kernel(number) else {
            return;
        };
        let own = Fd(number);
        if fd != own
            && descriptor::flags(own) == Err(Errno::Badf)
            && descriptor::dup_to(fd, own).is_ok()
        {
            self.set(number, Open::kernel(own));
        }
    }

    /// Closes a number.
    pub fn remove(&mut self, number: u32) -> Option<Open> {
        self.get(number)?;
        Rc::make_mut(&mut self.slots)
            .get_mut(number as usize)
            .and_then(Option::take)
    }

    /// Puts back what a number was.
    pub fn restore(&mut self, number: u32, open: Option<Open>) {
        match open {
            Some(open) => drop(self.set(number, open)),
            None => drop(self.remove(number)),
        }
    }

    /// The lowest free number from `least` on; none when all are taken.
    pub fn free(&self, least: u32) -> Option<u32> {
        (least..=MOST).find(|number| self.get(*number).is_none())
    }

    /// The highest free number up to `most`.
    pub fn free_below(&self, most: u32) -> Option<u32> {
        (3..=most).rev().find(|number| self.get(*number).is_none())
    }

    /// Every open number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Open)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(number, open)| Some((number as u32, open.as_ref()?)))
    }

    /// Whether anything goes into a capture.
    pub fn captures(&self) -> bool {
        self.iter()
            .any(|(_, open)| matches!(open, Open::Capture(_)))
    }

    /// The descriptor of the process behind a number, for reading. A capture has none.
    pub fn kernel(&self, number: u32) -> Option<Fd> {
        match self.get(number)? {
            Open::Kernel(owned) => Some(owned.fd()),
            Open::Capture(_) => None,
        }
    }

    /// Writes all bytes to a number.
    ///
    /// Fails with [`Errno::Badf`] when it is not open, and as writing does. After [`Errno::Pipe`]
    /// the command ends as by SIGPIPE (unless that is ignored), and `Shell::error` prints
    /// nothing until then.
    pub fn write(&self, number: u32, bytes: &[u8]) -> Result<(), Errno> {
        match self.get(number) {
            Some(Open::Kernel(owned)) => write_all(owned.fd(), bytes),
            Some(Open::Capture(capture)) => {
                capture.write(bytes);
                Ok(())
            }
            None => Err(Errno::Badf),
        }
    }

    /// A path for the kernel: `/dev/fd/N`, `/dev/stdin` and so on mean the script's numbers, which
    /// are other ones in the kernel.
    pub fn path<'p>(&self, path: &'p [u8]) -> Cow<'p, [u8]> {
        match descriptor_in(path).and_then(|number| self.kernel(number)) {
            Some(fd) => {
                let mut translated = b"/proc/self/fd/".to_vec();
                translated.extend_from_slice(&Text::number(fd.0.into()));
                Cow::Owned(translated)
            }
            None => Cow::Borrowed(path),
        }
    }
}

/// The script's number in `/dev/fd/N`, `/proc/self/fd/N`, `/dev/stdin`, `/dev/stdout`,
/// `/dev/stderr`.
pub fn descriptor_in(path: &[u8]) -> Option<u32> {
    if !path.starts_with(b"/dev/") && !path.starts_with(b"/proc/self/fd/") {
        return None;
    }
    match path {
        b"/dev/stdin" => return Some(0),
        b"/dev/stdout" => return Some(1),
        b"/dev/stderr" => return Some(2),
        _ => {}
    }
    let digits = path
        .strip_prefix(b"/dev/fd/")
        .or_else(|| path.strip_prefix(b"/proc/self/fd/"))?;
    if digits.is_empty() || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Writes all of `bytes`; signals that come meanwhile are kept for later.
fn write_all(fd: Fd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match descriptor::write(fd, bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::Intr) => traps::collect(),
            Err(Errno::Pipe) => {
                traps::collect();
                BROKEN.set(true);
                return Err(Errno::Pipe);
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_descriptors_are_understood() {
        assert_eq!(descriptor_in(b"/dev/fd/63"), Some(63));
        assert_eq!(descriptor_in(b"/dev/stderr"), Some(2));
        assert_eq!(descriptor_in(b"/proc/self/fd/0"), Some(0));
        for path in [&b"/dev/fd/"[..], b"/dev/fd/x", b"/dev/fd/1/2", b"/dev/null"] {
            assert_eq!(descriptor_in(path), None);
        }
    }

    #[test]
    fn what_two_numbers_share_is_collected_in_order() {
        let capture = Rc::new(Capture::default());
        let mut fds = FdTable::default();
        fds.set(1, Open::Capture(Rc::clone(&capture)));
        fds.set(2, Open::Capture(Rc::clone(&capture)));
        fds.write(1, b"a").unwrap();
        fds.write(2, b"b").unwrap();
        assert_eq!(capture.take(), b"ab");
        assert_eq!(fds.write(3, b"c"), Err(Errno::Badf));
    }

    #[test]
    fn a_clone_keeps_what_the_other_closes() {
        let capture = Rc::new(Capture::default());
        let mut fds = FdTable::default();
        fds.set(5, Open::Capture(capture));
        let clone = fds.clone();
        fds.remove(5);
        assert!(fds.get(5).is_none());
        assert!(clone.get(5).is_some());
        assert_eq!(fds.free(3), Some(3));
    }
}
