//! How a directory of the host is mounted.

use crate::guard::Guard;

/// Whether a sandbox may change a host directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostAccess {
    /// Every change fails with `Rofs`.
    ReadOnly,
    /// Changes happen on the host at once.
    ReadWrite,
}

/// How a host directory appears, and what a sandbox may add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostOptions {
    /// User and group that everything belongs to; without it, whoever asks.
    pub owner: Option<(u32, u32)>,
    /// Bytes by which files may grow altogether, by this sandbox and its forks; then `NoSpc`.
    /// Deleting gives nothing back.
    pub growth_bytes: u64,
    /// Nodes that may be made altogether; then `NoSpc`. Deleting gives nothing back.
    pub growth_nodes: u64,
    /// Nodes that are remembered by number at a time.
    pub known_nodes: usize,
    /// Entries that one directory may have to be listed; beyond, listing fails with `Overflow`.
    pub listed_entries: usize,
    /// Names between the root and a directory; a deeper one is neither entered nor made:
    /// `NameTooLong`. The host's own paths end there, too.
    pub depth: usize,
    /// Files of the host that are open at a time, by this sandbox and its forks. Others that they
    /// have open are opened again when they are needed; one that has lost its name has to stay
    /// open, and where all have, opening fails with `Mfile`.
    pub open_files: usize,
    /// Whether to go into other file systems that are mounted below the directory; otherwise
    /// `Xdev`. Those that show the host's kernel or processes (`/proc`, `/sys` and the like)
    /// are never gone into.
    pub cross_devices: bool,
    /// Bytes that the listing of one directory may take; beyond, listing fails with `Overflow`.
    pub listed_bytes: usize,
    /// Paths that the sandbox may not change, because programs of the host run or obey them:
    /// `Perm`.
    pub guard: Guard,
}

impl Default for HostOptions {
    fn default() -> Self {
        HostOptions {
            owner: None,
            growth_bytes: 1 << 30,
            growth_nodes: 100_000,
            known_nodes: 65_536,
            listed_entries: 1_000_000,
            depth: 2_048,
            open_files: 128,
            cross_devices: false,
            listed_bytes: 96 << 20,
            guard: Guard::default(),
        }
    }
}
