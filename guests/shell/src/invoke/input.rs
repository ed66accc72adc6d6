//! Commands from standard input.

use std::cell::Cell;
use std::rc::Rc;

use codepod_shell_syntax::Source;
use codepod_sys::{Errno, Fd, descriptor};

use crate::traps;

/// Where the lines come from: the script may redirect its own standard input.
pub(crate) type Place = Rc<Cell<Option<Fd>>>;

/// Gives the parser one line at a time and takes nothing beyond it from the descriptor.
pub(super) struct Lines {
    place: Place,
    prompts: bool,
}

impl Lines {
    /// From standard input, with prompts or without.
    pub(super) fn new(prompts: bool) -> Lines {
        Lines {
            place: Rc::new(Cell::new(Some(Fd::STDIN))),
            prompts,
        }
    }

    /// Where they come from, to be changed.
    pub(super) fn place(&self) -> Place {
        Rc::clone(&self.place)
    }
}

impl Source for Lines {
    fn more(&mut self, text: &mut Vec<u8>) -> bool {
        let Some(fd) = self.place.get() else {
            return false;
        };
        if self.prompts {
            let _ = descriptor::write_all(Fd::STDERR, b"bash-5.2$ ");
        }
        let start = text.len();
        let mut buffer = [0u8; 1024];
        loop {
            match descriptor::read_until(fd, &mut buffer, b'\n') {
                Ok(0) => return text.len() > start,
                Ok(count) => {
                    let bytes = &buffer[..count];
                    text.extend(bytes.iter().filter(|byte| **byte != 0));
                    if bytes.ends_with(b"\n") {
                        return true;
                    }
                }
                Err(Errno::Intr) => traps::collect(),
                Err(_) => return text.len() > start,
            }
        }
    }
}
