//! codepod's file system: inodes, mounts, path resolution.
//!
//! [`Vfs`] is what the kernel calls. It resolves paths, checks permissions and forwards to one
//! [`FileSystem`] per mount: [`Memory`] (a copy-on-write [`Tree`]), [`Image`] (the same,
//! read-only), [`Overlay`] (a tree over something read-only), `HostDir` (a directory of the host),
//! [`Proc`] and the tree that [`dev()`] makes. Processes, descriptors, pipes and the content of
//! devices belong to the kernel; this crate knows only their nodes.
//!
//! Nothing here reads a clock, draws a random number or opens a host path: time comes in with the
//! [`Caller`], host directories come in as open handles.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::disallowed_methods
    )
)]
#![forbid(unsafe_code)]

mod backend;
mod budget;
mod caller;
mod dev;
mod guard;
#[cfg(unix)]
mod host_dir;
mod image;
mod limits;
mod listing;
mod map;
mod memory;
mod node;
mod overlay;
mod proc;
mod publish;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;
mod tree;
mod vfs;

pub use backend::{FileSystem, FsSnapshot};
pub use budget::{Budget, BudgetLimits, BudgetUse, Charge, Charged, Place};
pub use caller::{Caller, NoProcesses, ProcDescriptor, ProcLimits, ProcSource, ProcessInfo};
pub use dev::dev;
pub use guard::{GUARDED, Guard};
#[cfg(unix)]
pub use host_dir::{HostAccess, HostDir, HostOptions};
pub use image::Image;
pub use limits::{FsLimits, Usage};
pub use memory::Memory;
pub use node::{
    Access, Device, DirEntryRef, FileKind, InodeId, MountId, NodeRef, OpenOptions, Stat,
};
pub use node::{DirSink, New, NewBody};
pub use overlay::{Below, HandedDown, Overlay, Replacement, Seen, Step};
pub use proc::Proc;
pub use publish::{Content, Fingerprint, Publish, Publisher};
pub use tree::chunk::{BlockSource, Digest, OutsideBytes};
pub use tree::portable::{
    Attributes, Item, LoadError, LoadedTree, Node, Piece, TreeLoader, TreeSink,
};
pub use tree::{Blocks, Change, ChangeKind, Tree, TreeBuilder, diff};
pub use vfs::{MountInfo, SavedMount, Vfs, VfsSnapshot};
