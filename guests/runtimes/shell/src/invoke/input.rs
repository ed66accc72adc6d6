//! Commands from standard input.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use codepod_shell_syntax::Source;
use codepod_sys::{Errno, Fd, descriptor};

use super::interactive;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;
use crate::traps;

/// Where lines come from: the script may redirect its own standard input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place(Rc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// The descriptor to read from.
    fd: Cell<Option<Fd>>,
    /// Where prompts go, in an interactive shell.
    prompts: Cell<Option<Fd>>,
    /// What asks for more lines of a command.
    second: RefCell<Text>,
    /// Whether the command has a line already.
    started: Cell<bool>,
}

impl Place {
    /// Before a command is read: looks where standard input is now, and asks for the command.
    pub(crate) fn look(&self, shell: &mut Shell) -> Run {
        self.0.fd.set(shell.fds.kernel(0));
        self.0.started.set(false);
        if shell.state.interactive {
            *self.0.second.borrow_mut() = interactive::ask(shell)?;
            self.0.prompts.set(shell.fds.kernel(2));
        }
        Ok(())
    }
}

/// Gives the parser one line at a time and takes nothing beyond it from the descriptor.
#[derive(Debug, Default)]
pub(super) struct Lines {
    place: Place,
}

impl Lines {
    /// Where they come from, to be changed.
    pub(super) fn place(&self) -> Place {
        self.place.clone()
    }
}

impl Source for Lines {
    fn more(&mut self, text: &mut Vec<u8>) -> bool {
        let shared = &self.place.0;
        let Some(fd) = shared.fd.get() else {
            return false;
        };
        if shared.started.replace(true)
            && let Some(prompts) = shared.prompts.get()
        {
            let _ = descriptor::write_all(prompts, &shared.second.borrow());
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
