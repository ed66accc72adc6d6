//! What a tree may hold, and how much it holds.
//!
//! The counters are kept by `tree.rs` as it changes; this file only names them. A name or a path
//! that is too long fails with `NameTooLong`, too many links with `Loop`, a file that would be too
//! large with `Fbig`, everything else with `NoSpc`.

/// What a tree may hold beyond its base image, and how long names may be.
///
/// There is no limit on the depth of directories: nothing in this crate recurses into them, so
/// `nodes` bounds them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FsLimits {
    /// Bytes of content, names and link targets. A piece of content of up to 64 KiB counts as its
    /// length, at least [`FsLimits::SMALLEST_CHARGE`], so that many tiny pieces cost what they
    /// take.
    pub bytes: u64,
    /// Directory entries, and files that are open but have no name any more.
    pub nodes: u64,
    /// Size of one file, holes included.
    pub file_bytes: u64,
    /// Length of one name.
    pub name_bytes: usize,
    /// Length of a path or of a link's target.
    pub path_bytes: usize,
    /// Symbolic links that one resolution follows.
    pub symlinks: u32,
    /// What an overlay remembers of the files below it, to notice later that somebody else has
    /// changed them: for each its path and 128 bytes. Files that are read take up to half of
    /// it; beyond, they are remembered when they are changed. When all is taken, changing one
    /// more fails with `NoSpc`.
    pub seen_bytes: u64,
    /// What an overlay keeps of files below it as they were before it changed them, to merge
    /// with what somebody else makes of them. Beyond, they are changed all the same, and a change
    /// on both sides is a conflict.
    pub base_bytes: u64,
}

impl FsLimits {
    /// What the smallest piece of content is charged.
    pub const SMALLEST_CHARGE: u64 = 128;

    /// No limit on what is stored; names and paths as usual.
    pub const UNLIMITED: FsLimits = FsLimits {
        bytes: u64::MAX,
        nodes: u64::MAX,
        file_bytes: i64::MAX as u64,
        seen_bytes: u64::MAX,
        base_bytes: u64::MAX,
        ..FsLimits::DEFAULT
    };

    const DEFAULT: FsLimits = FsLimits {
        bytes: 512 << 20,
        nodes: 200_000,
        file_bytes: 16 << 30,
        name_bytes: 255,
        path_bytes: 4096,
        symlinks: 40,
        seen_bytes: 32 << 20,
        base_bytes: 32 << 20,
    };
}

impl Default for FsLimits {
    fn default() -> Self {
        FsLimits::DEFAULT
    }
}

/// How much a tree holds beyond its base image.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes, as [`FsLimits::bytes`] counts them.
    pub bytes: u64,
    /// Nodes, as [`FsLimits::nodes`] counts them.
    pub nodes: u64,
}
