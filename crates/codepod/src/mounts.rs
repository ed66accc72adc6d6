//! Host directories in a sandbox. The embedder opens them; the sandbox never sees a host path.

use std::path::PathBuf;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use codepod_vfs::{FileSystem, FsLimits, HostAccess, HostDir, HostOptions, Overlay};

use crate::error::{Error, ErrorKind};

/// What a sandbox may do with a host directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountAccess {
    /// Read.
    ReadOnly,
    /// Read and change.
    ReadWrite,
    /// Read; changes stay in the sandbox.
    Overlay,
}

/// A host directory and where it appears.
#[derive(Debug, Clone)]
pub struct Mount {
    /// The host's directory.
    pub host: PathBuf,
    /// The sandbox's path.
    pub at: String,
    /// What may be done with it.
    pub access: MountAccess,
}

impl Mount {
    pub(crate) fn open(
        &self,
        uid: u32,
        gid: u32,
        limits: FsLimits,
    ) -> Result<Box<dyn FileSystem>, Error> {
        let failed = |why: String| {
            Error::from(ErrorKind::Mount {
                at: self.at.clone(),
                why,
            })
        };
        if !self.at.starts_with('/') {
            return Err(failed("the path in the sandbox must be absolute".into()));
        }
        let directory =
            Dir::open_ambient_dir(&self.host, ambient_authority()).map_err(|error| {
                failed(format!(
                    "the host directory cannot be opened: {}",
                    error.kind()
                ))
            })?;
        let access = match self.access {
            MountAccess::ReadWrite => HostAccess::ReadWrite,
            MountAccess::ReadOnly | MountAccess::Overlay => HostAccess::ReadOnly,
        };
        let options = HostOptions { owner: Some((uid, gid)), ..HostOptions::default() };
        let host =
            HostDir::new(directory, access, options).map_err(|errno| failed(errno.to_string()))?;
        Ok(match self.access {
            MountAccess::Overlay => Box::new(Overlay::new(Box::new(host), limits).map_err(|errno| failed(errno.to_string()))?),
            MountAccess::ReadOnly | MountAccess::ReadWrite => Box::new(host),
        })
    }
}
