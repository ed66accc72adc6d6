//! Mounts: host directories and other file systems in a sandbox. The embedder opens a host
//! directory; the sandbox never sees its path.

use std::path::PathBuf;
use std::sync::Arc;

use codepod_vfs::{Budget, FileSystem, FsLimits, Guard, Image, Memory, Tree};
#[cfg(unix)]
use codepod_vfs::{HostAccess, HostDir, HostOptions, Overlay};

use crate::error::{Error, ErrorKind};
use crate::platform::Facility;

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
    /// Which paths of a host directory are guarded, because programs of the host run or obey them:
    /// changing one through a read-write mount fails, and
    /// [`Sandbox::apply`](crate::Sandbox::apply) refuses it.
    pub guard: Guard,
}

impl Mount {
    /// A host directory, guarded as usual.
    pub fn host(path: impl Into<PathBuf>, at: impl Into<String>, access: MountAccess) -> Mount {
        Mount::new(MountSource::Host(path.into(), access), at)
    }

    /// Anything that can be mounted.
    pub fn new(source: MountSource, at: impl Into<String>) -> Mount {
        Mount {
            at: at.into(),
            source,
            guard: Guard::default(),
        }
    }

    /// Takes the guard off: no path of the mount is guarded.
    pub fn unguarded(self) -> Mount {
        Mount {
            guard: Guard::None,
            ..self
        }
    }

    /// Whether changes go straight to a directory of the host.
    pub(crate) fn is_written_to(&self) -> bool {
        matches!(self.source, MountSource::Host(_, MountAccess::ReadWrite))
    }

    /// What of codepod's own lies in the host directory: compiled code, or saved states. Who can
    /// read the one can forge it, who can change the other decides what later sandboxes hold;
    /// no guest should reach either.
    pub fn own_files(&self) -> Option<&'static str> {
        let MountSource::Host(host, _) = &self.source else {
            return None;
        };
        let host = host.canonicalize().ok()?;
        let inside = |path: PathBuf| {
            // It may be yet to be made: what is there of its path decides.
            let there = path.ancestors().find_map(|path| path.canonicalize().ok());
            there.is_some_and(|there| there.starts_with(&host))
        };
        if crate::runtime::cache_directory().is_some_and(inside) {
            return Some("compiled code");
        }
        let states = crate::states::StateDirectory::of_user().ok()?;
        inside(states.path().to_owned()).then_some("saved states")
    }

    pub(crate) fn open(
        &self,
        uid: u32,
        gid: u32,
        limits: FsLimits,
        budget: &Budget,
    ) -> Result<Box<dyn FileSystem>, Error> {
        if !self.at.starts_with('/') {
            return Err(self.failed("the path in the sandbox must be absolute".into()));
        }
        match &self.source {
            MountSource::Host(..) if !Facility::HostDirectories.is_here() => {
                let (what, instead) = Facility::HostDirectories.words();
                Err(self.failed(format!("{what}; {instead}")))
            }
            MountSource::Host(path, access) => {
                self.open_host(path, *access, (uid, gid), limits, budget)
            }
            MountSource::Image(tree) => Ok(Box::new(Image::new(tree.clone()))),
            MountSource::Memory => {
                let tree = Tree::builder().owner(uid, gid).dir(b"/", 0o755).build();
                let tree = tree.with_limits(limits).with_budget(budget);
                Ok(Box::new(Memory::new(tree)))
            }
        }
    }

    #[cfg(unix)]
    fn open_host(
        &self,
        path: &PathBuf,
        access: MountAccess,
        owner: (u32, u32),
        limits: FsLimits,
        budget: &Budget,
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
            owner: Some(owner),
            guard: self.guard,
            ..HostOptions::default()
        };
        let host = HostDir::new(directory, host_access, options)
            .map_err(|errno| self.failed(errno.to_string()))?;
        match access {
            MountAccess::Overlay => Overlay::new(Box::new(host), limits)
                .map(|overlay| Box::new(overlay.with_budget(budget)) as Box<dyn FileSystem>)
                .map_err(|errno| self.failed(errno.to_string())),
            MountAccess::ReadOnly | MountAccess::ReadWrite => Ok(Box::new(host)),
        }
    }

    /// Not called: [`Mount::open`] has refused.
    #[cfg(not(unix))]
    fn open_host(
        &self,
        _: &PathBuf,
        _: MountAccess,
        _: (u32, u32),
        _: FsLimits,
        _: &Budget,
    ) -> Result<Box<dyn FileSystem>, Error> {
        Err(ErrorKind::Internal.into())
    }

    fn failed(&self, why: String) -> Error {
        ErrorKind::Mount {
            at: self.at.clone(),
            why,
        }
        .into()
    }
}
