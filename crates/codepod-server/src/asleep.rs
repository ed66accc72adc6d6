//! Sandboxes that are saved while nobody uses them. Only a name, a place and options stay in memory.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use codepod::{Options, Persistence, Runtime, Sandbox};
use codepod_api::methods::sandbox::SandboxInfo;
use codepod_api::{ApiError, Kind};

use crate::failure::failure;
use crate::held::Held;
use crate::lock::lock;
use crate::tenant::{Place, Tenant};

/// A sandbox that sleeps.
#[derive(Debug)]
pub(crate) struct Asleep {
    pub(crate) info: SandboxInfo,
    pub(crate) tenant: Arc<Tenant>,
    place: Arc<Place>,
    options: Options,
    /// Its state; a persistent one is kept where it always is.
    file: Option<PathBuf>,
    /// Set by the first who wakes it; the others wait and take the same.
    woken: Mutex<Option<Arc<Held>>>,
}

impl Asleep {
    /// Saves a sandbox's state. The sandbox itself is ended by whoever drops it last.
    pub(crate) fn new(held: &Held, states: &Path) -> Result<Asleep, ApiError> {
        let file = match held.sandbox.options().persistence {
            Persistence::Ephemeral => {
                return Err(ApiError::new(
                    Kind::NotPersistent,
                    "its state may not leave it",
                ));
            }
            Persistence::Persistent(_) => {
                held.sandbox.save().map_err(failure)?;
                None
            }
            _ => Some(write(held, states)?),
        };
        Ok(Asleep {
            info: held.info.clone(),
            tenant: held.tenant.clone(),
            place: held.place.clone(),
            options: held.sandbox.options().clone(),
            file,
            woken: Mutex::default(),
        })
    }

    /// Makes the sandbox again.
    pub(crate) fn wake(&self, runtime: &Runtime) -> Result<Arc<Held>, ApiError> {
        let mut woken = lock(&self.woken);
        if let Some(held) = &*woken {
            return Ok(held.clone());
        }
        let sandbox = Sandbox::create_on(runtime, self.options.clone()).map_err(failure)?;
        if let Some(path) = &self.file {
            let file = File::open(path).map_err(|error| lost(&error))?;
            sandbox
                .import_state(BufReader::new(file), None)
                .map_err(failure)?;
        }
        let held = Arc::new(Held::woken(
            sandbox,
            self.info.clone(),
            &self.tenant,
            self.place.clone(),
        ));
        *woken = Some(held.clone());
        self.forget();
        Ok(held)
    }

    /// Removes what was saved for it.
    pub(crate) fn forget(&self) {
        if let Some(path) = &self.file {
            let _ = fs::remove_file(path);
        }
    }
}

fn write(held: &Held, states: &Path) -> Result<PathBuf, ApiError> {
    let directory = states.join("asleep");
    fs::create_dir_all(&directory).map_err(|error| lost(&error))?;
    let path = directory.join(&held.info.sandbox_id);
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(&path);
    let mut file = BufWriter::new(file.map_err(|error| lost(&error))?);
    let written = held.sandbox.export_state(&mut file, None).map_err(failure);
    let flushed = file.flush().map_err(|error| lost(&error));
    match written.map(drop).and(flushed) {
        Ok(()) => Ok(path),
        Err(error) => {
            let _ = fs::remove_file(&path);
            Err(error)
        }
    }
}

fn lost(error: &std::io::Error) -> ApiError {
    ApiError::new(
        Kind::State,
        format!("the sandbox's saved state: {}", error.kind()),
    )
}
