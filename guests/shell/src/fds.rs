//! The shell's descriptors.
//!
//! What a script calls descriptor 3 is whatever descriptor of the process this table says. So a redirection is a change of the
//! table, a subshell is a clone of it, the root directory that std needs at the kernel's 3 is never in the way, and output can go
//! into memory for `$(…)`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use codepod_sys::{Errno, Fd, descriptor, pipe};

/// An open descriptor of the process, closed when the last user drops it.
#[derive(Debug)]
pub struct Owned(Fd);

impl Owned {
    /// Takes over a descriptor.
    pub fn new(fd: Fd) -> Owned {
        Owned(fd)
    }

    /// Its number in the kernel.
    pub fn fd(&self) -> Fd {
        self.0
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = descriptor::close(self.0);
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

/// Collects the output of a command substitution that runs inside the shell.
#[derive(Debug, Default)]
pub struct Capture {
    bytes: RefCell<Vec<u8>>,
    /// Read ends of pipes that programs write to.
    pipes: RefCell<Vec<Rc<Owned>>>,
    closed: Cell<bool>,
}

impl Capture {
    /// Appends.
    pub fn write(&self, bytes: &[u8]) {
        self.bytes.borrow_mut().extend_from_slice(bytes);
    }

    /// A write end for a program; what it writes is collected by [`Capture::drain`].
    pub fn pipe(&self) -> Result<Owned, Errno> {
        let (read, write) = pipe::pipe()?;
        self.pipes.borrow_mut().push(Rc::new(Owned::new(read)));
        Ok(Owned::new(write))
    }

    /// Reads the pipes handed out so far until their writers have closed them. All write ends in this process must be dropped.
    pub fn drain(&self) -> Result<(), Errno> {
        loop {
            let Some(pipe) = self.pipes.borrow_mut().pop() else {
                return Ok(());
            };
            let mut buffer = [0u8; 16384];
            loop {
                match descriptor::read(pipe.fd(), &mut buffer) {
                    Ok(0) => break,
                    Ok(count) => self.write(&buffer[..count]),
                    Err(Errno::Intr) => {}
                    Err(errno) => return Err(errno),
                }
            }
        }
    }

    /// Takes what was collected.
    pub fn take(&self) -> Vec<u8> {
        self.closed.set(true);
        self.bytes.take()
    }
}

/// The table. Cloning shares it until one side changes.
#[derive(Debug, Clone, Default)]
pub struct FdTable {
    slots: Rc<Vec<Option<Open>>>,
}

/// The first number in the kernel that the table uses, so that 0 to 3 stay what they are.
pub const LEAST: u32 = 10;

impl FdTable {
    /// What a number is.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Open> {
        self.slots.get(number as usize)?.as_ref()
    }

    /// Puts something on a number.
    pub fn set(&mut self, number: u32, open: Open) {
        let slots = Rc::make_mut(&mut self.slots);
        if slots.len() <= number as usize {
            slots.resize(number as usize + 1, None);
        }
        slots[number as usize] = Some(open);
    }

    /// Closes a number.
    pub fn remove(&mut self, number: u32) -> Option<Open> {
        Rc::make_mut(&mut self.slots)
            .get_mut(number as usize)
            .and_then(Option::take)
    }

    /// The lowest free number from `least` on.
    pub fn free(&self, least: u32) -> u32 {
        (least..)
            .find(|number| self.get(*number).is_none())
            .unwrap_or(least)
    }

    /// Every open number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Open)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(number, open)| Some((number as u32, open.as_ref()?)))
    }

    /// Writes all bytes to a number.
    ///
    /// Fails with [`Errno::Badf`] when it is not open, and as writing does.
    pub fn write(&self, number: u32, bytes: &[u8]) -> Result<(), Errno> {
        match self.get(number) {
            Some(Open::Kernel(owned)) => descriptor::write_all(owned.fd(), bytes),
            Some(Open::Capture(capture)) => {
                capture.write(bytes);
                Ok(())
            }
            None => Err(Errno::Badf),
        }
    }
}
