//! Sandboxes that are saved while nobody uses them. Only a name, a place and options stay in
//! memory.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use codepod::{Options, Persistence, Runtime, Sandbox, SaveRoom as _};
use codepod_api::methods::sandbox::SandboxInfo;
use codepod_api::{ApiError, Kind};

use crate::failure::failure;
use crate::ids;
use crate::live_sandbox::LiveSandbox;
use crate::lock::lock;
use crate::saved::SavedStates;
use crate::tenant::{Place, Tenant};

/// The directory of all that sleep, among the states. No tenant has that name.
pub(crate) const ALL: &str = "asleep";
const LOCK: &str = "lock";

/// A sandbox that sleeps.
#[derive(Debug)]
pub(crate) struct Asleep {
    pub(crate) info: SandboxInfo,
    pub(crate) tenant: Arc<Tenant>,
    place: Arc<Place>,
    options: Options,
    /// Its state; a persistent one is kept where it always is.
    file: Option<SleepFile>,
    /// Set by the first who wakes it; the others wait and take the same.
    woken: Mutex<Option<Arc<LiveSandbox>>>,
}

impl Asleep {
    /// Saves a sandbox's state. The sandbox itself is ended by whoever drops it last.
    pub(crate) fn new(
        live: &LiveSandbox,
        states: &Path,
        bedroom: &Bedroom,
    ) -> Result<Asleep, ApiError> {
        let file = match live.sandbox.options().persistence {
            Persistence::Ephemeral => {
                return Err(ApiError::new(
                    Kind::NotPersistent,
                    "its state may not leave it",
                ));
            }
            Persistence::Persistent(_) => {
                live.sandbox.save().map_err(failure)?;
                None
            }
            _ => Some(write(live, live.tenant.saved(states), bedroom)?),
        };
        Ok(Asleep {
            info: live.info.clone(),
            tenant: live.tenant.clone(),
            place: live.place.clone(),
            options: live.sandbox.options().clone(),
            file,
            woken: Mutex::default(),
        })
    }

    /// Makes the sandbox again.
    pub(crate) fn wake(&self, runtime: &Runtime) -> Result<Arc<LiveSandbox>, ApiError> {
        let mut woken = lock(&self.woken);
        if let Some(live) = &*woken {
            return Ok(live.clone());
        }
        let sandbox = Sandbox::create_on(runtime, self.options.clone()).map_err(failure)?;
        if let Some(kept) = &self.file {
            let file = File::open(&kept.path).map_err(|error| lost(&error))?;
            sandbox
                .import_state(BufReader::new(file), None)
                .map_err(failure)?;
        }
        let live = Arc::new(LiveSandbox::woken(
            sandbox,
            self.info.clone(),
            &self.tenant,
            self.place.clone(),
        ));
        *woken = Some(live.clone());
        self.forget();
        Ok(live)
    }

    /// Removes what was saved for it.
    pub(crate) fn forget(&self) {
        if let Some(kept) = &self.file {
            let _ = fs::remove_file(&kept.path);
        }
    }
}

/// The state of a sandbox that sleeps, which counts among what its tenant has saved.
#[derive(Debug)]
struct SleepFile {
    path: PathBuf,
    bytes: u64,
    saved: Arc<SavedStates>,
}

impl Drop for SleepFile {
    fn drop(&mut self) {
        self.saved.remove_asleep(self.bytes);
    }
}

fn write(
    live: &LiveSandbox,
    saved: &Arc<SavedStates>,
    bedroom: &Bedroom,
) -> Result<SleepFile, ApiError> {
    if let Some(bytes) = saved.is_full() {
        let message = format!("saved states may take {bytes} bytes");
        return Err(ApiError::new(Kind::Limit, message));
    }
    let path = bedroom.path.join(&live.info.sandbox_id);
    let file = new_file(&path).map_err(|error| lost(&error))?;
    let mut file = BufWriter::new(file);
    let written = live.sandbox.export_state(&mut file, None).map_err(failure);
    let flushed = file.flush().map_err(|error| lost(&error));
    match written.map(drop).and(flushed) {
        Ok(()) => {
            let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
            saved.add_asleep(bytes);
            Ok(SleepFile {
                path,
                bytes,
                saved: saved.clone(),
            })
        }
        Err(error) => {
            let _ = fs::remove_file(&path);
            Err(error)
        }
    }
}

/// Makes a file that is only ours.
fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a directory that is only ours, and those above it.
fn make_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Where the sandboxes of one server sleep. Nobody wakes them after its end: what is left is
/// removed then, or by the next server if this one was killed.
#[derive(Debug)]
pub(crate) struct Bedroom {
    path: PathBuf,
    /// Held as long as the server lives.
    _lock: File,
}

impl Bedroom {
    /// Makes one.
    pub(crate) fn new(states: &Path) -> Result<Bedroom, ApiError> {
        let path = states.join(ALL).join(ids::random("server")?);
        make_directory(&path).map_err(|error| lost(&error))?;
        let locked = new_file(&path.join(LOCK)).and_then(|lock| {
            lock.try_lock()?;
            Ok(lock)
        });
        Ok(Bedroom {
            path,
            _lock: locked.map_err(|error| lost(&error))?,
        })
    }

    /// Removes what servers have left that are no more.
    pub(crate) fn sweep(states: &Path) {
        let left = fs::read_dir(states.join(ALL))
            .into_iter()
            .flatten()
            .flatten();
        for entry in left {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                // Whoever makes one has not locked it yet: its lock is not there.
                let lock = File::open(path.join(LOCK));
                if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                    let _ = fs::remove_dir_all(path);
                }
            } else {
                // As older versions left them.
                let _ = fs::remove_file(path);
            }
        }
    }
}

impl Drop for Bedroom {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn lost(error: &std::io::Error) -> ApiError {
    ApiError::new(
        Kind::State,
        format!("the sandbox's saved state: {}", error.kind()),
    )
}
