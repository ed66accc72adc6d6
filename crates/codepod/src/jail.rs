//! The second wall: a program that runs sandboxes locks itself in. Should a fault in the compiler
//! or in the engine let a guest out, it is in a process that can open, connect and execute nothing
//! that the program does not need (Linux; [`Layers`] says what holds).
//!
//! The library never does this by itself, because it holds for the whole program and for good. A
//! program that does nothing but run sandboxes asks for it:
//!
//! ```no_run
//! use codepod::{Options, Runtime, RuntimeOptions, Sandbox, jail};
//!
//! let options = Options::default();
//! let wall = jail::begin(jail::needs(&options))?; // before the first thread
//! let runtime = Runtime::new(RuntimeOptions::default())?;
//! let layers = wall.close(&runtime)?; // before the first script
//! let sandbox = Sandbox::create_on(&runtime, options)?;
//! # Ok::<(), codepod::Error>(())
//! ```

use std::io;
use std::path::PathBuf;

use codepod_jail::Mode;
pub use codepod_jail::{Connects, Layers, Needs, layers};

use crate::engine::{Code, ModuleCache, can_run_carried_code};
use crate::error::{Error, ErrorKind};
use crate::mounts::{Mount, MountAccess, MountSource};
#[cfg(feature = "network")]
use crate::network::CassetteMode;
use crate::options::Options;
use crate::persist::Persistence;
use crate::runtime::{GUESTS_EMBEDDED, Runtime, cache_directory};
use crate::states::StateDirectory;

/// What is read of the host while the engine is set up: which pages were written to, how many
/// processors there are, and how much memory.
const OF_ENGINE: &[&str] = &[
    "/proc/self",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
];

/// What a program needs of the host that makes sandboxes with these options, beside its streams:
/// the directories that they mount, are kept in, or record to, where they connect to, and whether
/// they compile modules. Names of hosts cannot be looked up behind the wall by the host's own
/// means: a program with a network gives
/// [`RuntimeOptions::resolver`](crate::RuntimeOptions::resolver).
pub fn needs(options: &Options) -> Needs {
    let mut needs = Needs::default();
    add_mounts(&mut needs, &options.mounts);
    if let Persistence::Persistent(kept) = &options.persistence {
        needs.writes.push(kept.directory.clone());
        needs.keeps = true;
    }
    needs.new_code = options.allow_foreign_modules;
    #[cfg(feature = "network")]
    if let Some(network) = &options.network {
        needs.connects = match network.ports() {
            Some(ports) => Connects::Ports(ports.into_iter().collect()),
            None => Connects::Anywhere,
        };
        if let Some(cassette) = network.cassette() {
            let directory = cassette.directory.clone();
            match cassette.mode {
                CassetteMode::Record => needs.writes.push(directory),
                CassetteMode::Replay => needs.reads.push(directory),
            }
            // Its files are opened and renamed by the standard library.
            needs.keeps = true;
        }
    }
    needs
}

/// Adds what a sandbox needs that is kept under a name: its folder, which is made now, and the host
/// directories that it remembers.
pub fn add_state(needs: &mut Needs, states: &StateDirectory, name: &str) -> Result<(), Error> {
    let (folder, key, mounts) = states.make_ready(name)?;
    needs.writes.push(folder);
    needs.reads.push(key);
    needs.keeps = true;
    add_mounts(needs, &mounts);
    Ok(())
}

fn add_mounts(needs: &mut Needs, mounts: &[Mount]) {
    for mount in mounts {
        match &mount.source {
            MountSource::Host(path, MountAccess::ReadWrite) => needs.writes.push(path.clone()),
            MountSource::Host(path, _) => needs.reads.push(path.clone()),
            _ => {}
        }
    }
}

/// A wall that is half up: files are out of reach, system calls are not filtered yet.
#[derive(Debug)]
#[must_use = "nothing is filtered before `close`"]
pub struct Wall {
    jail: codepod_jail::Jail,
}

/// Begins to lock this process in. It counts for this thread and those that it starts, so no other
/// may have been started, and the engine is set up afterwards.
///
/// Fails with [`ErrorKind::Jail`] where `CODEPOD_JAIL` in the environment is none of `on`,
/// `require`, `log` and `off`.
pub fn begin(mut needs: Needs) -> Result<Wall, Error> {
    // Made now, if it has to be: the engine only reads its key. It works without.
    let _ = ModuleCache::of_user();
    // Parts are opened, and packed ones unpacked, while that is still possible.
    codepod_guests::open_parts();
    let compiles = !GUESTS_EMBEDDED || !can_run_carried_code();
    if compiles {
        compile_later(&mut needs);
        needs.reads.extend(directories_of_guests());
    } else {
        needs.reads_early.extend(cache_directory());
    }
    needs
        .reads_early
        .extend(OF_ENGINE.iter().map(PathBuf::from));
    let jail = codepod_jail::begin(needs).map_err(failed)?;
    Ok(Wall { jail })
}

impl Wall {
    /// Closes the wall, for all threads: from now on what the program does not need ends it. Which
    /// layers hold.
    ///
    /// Fails with [`ErrorKind::Jail`] where `CODEPOD_JAIL` requires a filter and there can be none.
    pub fn close(mut self, runtime: &Runtime) -> Result<Layers, Error> {
        // Without a wall nothing has to be done before it.
        if self.jail.mode() != Mode::Off && !runtime.settle()? {
            compile_later(self.jail.needs());
        }
        self.jail.seal().map_err(failed)
    }
}

/// Modules are compiled, and kept in the cache.
fn compile_later(needs: &mut Needs) {
    needs.new_code = true;
    needs.keeps = true;
    needs.writes.extend(cache_directory());
}

/// Where guests are that this program does not carry.
fn directories_of_guests() -> impl Iterator<Item = PathBuf> {
    codepod_guests::guests().filter_map(|guest| match guest.module().code {
        Code::File(path) => path.parent().map(PathBuf::from),
        _ => None,
    })
}

fn failed(error: io::Error) -> Error {
    ErrorKind::Jail(error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_is_needed_as_it_is_mounted() {
        let mut options = Options::default();
        assert_eq!(needs(&options), Needs::default());
        let mount = |host: &str, access| Mount::host(host, "/mnt", access);
        options.mounts = vec![
            mount("/a", MountAccess::ReadOnly),
            mount("/b", MountAccess::Overlay),
            mount("/c", MountAccess::ReadWrite),
            Mount::new(MountSource::Memory, "/m"),
        ];
        options.allow_foreign_modules = true;
        let found = needs(&options);
        assert_eq!(found.reads, [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert_eq!(found.writes, [PathBuf::from("/c")]);
        assert!(found.new_code && !found.keeps);
    }

    #[test]
    fn a_state_is_ready_before_the_wall_is_begun() {
        let directory = tempfile::tempdir().unwrap();
        let states = StateDirectory::new(directory.path().join("states"));
        let mut found = Needs::default();
        add_state(&mut found, &states, "play").unwrap();
        assert_eq!(found.writes, [directory.path().join("states/play")]);
        assert_eq!(found.reads, [directory.path().join("states.key")]);
        assert!(found.keeps && found.writes[0].is_dir() && found.reads[0].is_file());
    }
}
