//! Mounts: host directories and other file systems in a sandbox. The embedder opens a host directory; the
//! sandbox never sees its path.

use std::path::PathBuf;
use std::sync::Arc;

use codepod_vfs::{
    FileSystem, FsLimits, HostAccess, HostDir, HostOptions, Image, Memory, Overlay, Tree,
};

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

/// What is mounted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum MountSource {
    /// A directory of the host.
    Host(PathBuf, MountAccess),
    /// A tree that nobody changes, shared by all who mount it.
    Image(Arc<Tree>),
    /// An empty file system of its own, under the same limits as the root.
    Memory,
}

/// A file system and where it appears.
#[derive(Debug, Clone)]
pub struct Mount {
    /// The sandbox's path.
    pub at: String,
    /// What is there.
    pub source: MountSource,
}

impl Mount {
    /// A host directory.
    pub fn host(path: impl Into<PathBuf>, at: impl Into<String>, access: MountAccess) -> Mount {
        Mount {
            at: at.into(),
            source: MountSource::Host(path.into(), access),
        }
    }

    pub(crate) fn open(
        &self,
        uid: u32,
        gid: u32,
        limits: FsLimits,
    ) -> Result<Box<dyn FileSystem>, Error> {
        if !self.at.starts_with('/') {
            return Err(self.failed("the path in the sandbox must be absolute".into()));
        }
        match &self.source {
            MountSource::Host(path, access) => self.open_host(path, *access, uid, gid, limits),
            MountSource::Image(tree) => Ok(Box::new(Image::new(tree.clone()))),
            MountSource::Memory => {
                let tree = Tree::builder().owner(uid, gid).dir(b"/", 0o755).build();
                Ok(Box::new(Memory::new(tree.with_limits(limits))))
            }
        }
    }

    fn open_host(
        &self,
        path: &PathBuf,
        access: MountAccess,
        uid: u32,
        gid: u32,
        limits: FsLimits,
    ) -> Result<Box<dyn FileSystem>, Error> {
        let directory = std::fs::File::open(path).map_err(|error| {
            self.failed(format!(
                "the host directory cannot be opened: {}",
                error.kind()
            ))
        })?;
        let host_access = match access {
            MountAccess::ReadWrite => HostAccess::ReadWrite,
            MountAccess::ReadOnly | MountAccess::Overlay => HostAccess::ReadOnly,
        };
        let options = HostOptions {
            owner: Some((uid, gid)),
            ..HostOptions::default()
        };
        let host = HostDir::new(directory, host_access, options)
            .map_err(|errno| self.failed(errno.to_string()))?;
        match access {
            MountAccess::Overlay => Overlay::new(Box::new(host), limits)
                .map(|overlay| Box::new(overlay) as Box<dyn FileSystem>)
                .map_err(|errno| self.failed(errno.to_string())),
            MountAccess::ReadOnly | MountAccess::ReadWrite => Ok(Box::new(host)),
        }
    }

    fn failed(&self, why: String) -> Error {
        ErrorKind::Mount {
            at: self.at.clone(),
            why,
        }
        .into()
    }
}
