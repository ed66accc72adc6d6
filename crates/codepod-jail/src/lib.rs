//! Lets a program lock itself in: from then on the operating system refuses what the program does
//! not need, whoever has taken it over. It is the second wall, behind the one that WebAssembly is.
//!
//! It goes up in two steps, because a thread can be kept from files only before it is started:
//!
//! ```no_run
//! let mut needs = codepod_jail::Needs::default();
//! needs.reads.push("/srv/data".into());
//! let jail = codepod_jail::begin(needs)?; // before the first thread: limits, Landlock
//! // … threads are started, files are opened …
//! let layers = jail.seal()?; // before the first foreign instruction: the filter, on all threads
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What the host does not have is left out, and [`Layers`] says what holds. `CODEPOD_JAIL` in the
//! environment decides otherwise: `require` fails where there is no filter, `log` lets everything
//! through and has the kernel log what would have been refused, `off` leaves the program as it is.
//!
//! Nothing here can be undone. Where this is not Linux with the GNU C library on x86-64 or ARM,
//! nothing happens and no layer holds.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![cfg_attr(not(feature = "drill"), forbid(unsafe_code))]

mod mode;

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod linux;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
use linux as host;

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod elsewhere;
#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
use elsewhere as host;

#[cfg(all(feature = "drill", target_os = "linux"))]
pub mod drill;

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

pub use host::calls;
pub use mode::{Mode, VARIABLE};

/// What a program needs of the host once it is locked in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// Directories that are read, with all below them. One that is not there is left out.
    pub reads: Vec<PathBuf>,
    /// Directories that are changed, with all below them.
    pub writes: Vec<PathBuf>,
    /// Directories that are read until the wall is closed, and not afterwards.
    pub reads_early: Vec<PathBuf>,
    /// Whether files of the program's own are among what is changed: saved states, a history,
    /// compiled code.
    pub keeps: bool,
    /// Whether machine code comes into being later: modules are compiled, or loaded from files.
    pub new_code: bool,
    /// Whether somebody edits lines on a terminal.
    pub terminal: bool,
    /// Whether streams are waited for by an event loop.
    pub event_loop: bool,
    /// Where connections are made to.
    pub connects: Connects,
}

/// Where a program connects to, over TCP. Nobody listens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Connects {
    /// Nowhere.
    #[default]
    Nowhere,
    /// To these ports. Where Landlock does not know ports (before Linux 6.7), to any.
    Ports(Vec<u16>),
    /// To any port.
    Anywhere,
}

/// What stands between this program and the rest of the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layers {
    /// System calls that are not in the table end the program.
    pub filter: bool,
    /// Memory cannot become executable any more. Only where `filter` holds.
    pub no_new_code: bool,
    /// Files are out of reach but for the directories that were named.
    pub landlock: bool,
}

impl Layers {
    /// The layers by name, the strongest first; nothing where there is none.
    pub fn names(&self) -> Vec<&'static str> {
        let all = [
            ("seccomp", self.filter),
            ("no-new-code", self.no_new_code),
            ("landlock", self.landlock),
        ];
        let held = all.into_iter().filter(|(_, holds)| *holds);
        held.map(|(name, _)| name).collect()
    }
}

/// A wall that is half up.
#[derive(Debug)]
#[must_use = "nothing is filtered before `seal`"]
pub struct Jail {
    needs: Needs,
    mode: Mode,
    landlock: bool,
}

static LAYERS: OnceLock<Layers> = OnceLock::new();

/// The layers that hold for this process.
pub fn layers() -> Layers {
    LAYERS.get().copied().unwrap_or_default()
}

/// Begins to lock this process in: no core files, few descriptors, no new privileges, and of files
/// only those that are needed. That counts for this thread and those that it starts, so no other
/// may have been started.
///
/// Fails where `CODEPOD_JAIL` is none of the words that it can be, or the system refuses what it
/// never refuses.
pub fn begin(needs: Needs) -> io::Result<Jail> {
    let mode = Mode::of_environment()?;
    #[cfg(all(feature = "drill", target_os = "linux"))]
    drill::prepare()?;
    let landlock = match mode {
        Mode::Off | Mode::Log => false,
        Mode::On | Mode::Require => host::begin(&needs)?,
    };
    #[cfg(all(feature = "drill", target_os = "linux"))]
    drill::wait_on_a_thread()?;
    Ok(Jail {
        needs,
        mode,
        landlock,
    })
}

impl Jail {
    /// What the program says that it needs.
    pub fn needs(&mut self) -> &mut Needs {
        &mut self.needs
    }

    /// How far the environment lets it go.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Closes the wall, for all threads. Directories that were added to the needs since it was
    /// begun are not reached.
    ///
    /// Fails with [`io::ErrorKind::Unsupported`] where `CODEPOD_JAIL` requires a filter and there
    /// can be none.
    pub fn seal(self) -> io::Result<Layers> {
        let filter = match self.mode {
            Mode::Off => false,
            mode => match host::seal(&self.needs, mode) {
                Err(error) if mode == Mode::Require => {
                    let why = format!("no filter for system calls: {error}");
                    return Err(io::Error::new(io::ErrorKind::Unsupported, why));
                }
                sealed => sealed.is_ok() && mode != Mode::Log,
            },
        };
        let layers = Layers {
            filter,
            no_new_code: filter && !self.needs.new_code,
            landlock: self.landlock,
        };
        let layers = *LAYERS.get_or_init(|| layers);
        #[cfg(all(feature = "drill", target_os = "linux"))]
        drill::go();
        Ok(layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_named_and_none_has_no_name() {
        assert!(Layers::default().names().is_empty());
        let all = Layers {
            filter: true,
            no_new_code: true,
            landlock: true,
        };
        assert_eq!(all.names(), ["seccomp", "no-new-code", "landlock"]);
    }
}
