//! How a file says that the host has kept a session's memory in it (`kept_memory.rs`), for hosts
//! that can read it and for those that cannot.

use codepod_vfs::Blocks;

pub(crate) const MAGIC: &[u8; 8] = b"cpymem02";
/// The block that the host's header is in; the guest's own part is the one before.
pub(crate) const FIRST: u64 = 1;

/// Why a host without mapped memory cannot go on with a session that another has kept.
#[cfg(any(test, not(target_os = "linux")))]
pub(crate) const NOT_HERE: &str =
    "this session was kept by codepod on Linux, and goes on only there; start a new one";

/// Whether the host has kept memory in a file. `Io` if a store does not give the block.
pub(crate) fn is_kept_by_host(blocks: &Blocks) -> Result<bool, codepod_abi::Errno> {
    let block = blocks.get(FIRST)?;
    Ok(block.is_some_and(|block| block.starts_with(MAGIC)))
}

/// Why a host without mapped memory refuses a session, if it does. The guest would find nothing in
/// the file but its own part, and would go on without variables.
#[cfg(any(test, not(target_os = "linux")))]
pub(crate) fn refusal(kept: Option<&Blocks>) -> Option<&'static str> {
    let is_refused = is_kept_by_host(kept?).unwrap_or(true);
    is_refused.then_some(NOT_HERE)
}

#[cfg(test)]
pub(crate) mod tests {
    use codepod_vfs::{Caller, FileSystem as _, Memory, Tree};

    use super::*;

    /// The blocks of a file.
    pub(crate) fn file(bytes: &[u8]) -> Blocks {
        let tree = Tree::builder().file("/f", 0o600, bytes).build();
        let mut files = Memory::new(tree);
        let root = files.root();
        let file = files.lookup(&Caller::root(0), root, b"f").unwrap();
        files.blocks(file).unwrap()
    }

    #[test]
    fn a_host_without_mapped_memory_refuses_what_another_has_kept() {
        let mut kept = vec![0; Blocks::SIZE];
        assert_eq!(refusal(None), None);
        assert_eq!(refusal(Some(&file(&kept))), None);
        kept.extend_from_slice(MAGIC);
        assert_eq!(refusal(Some(&file(&kept))), Some(NOT_HERE));
    }
}
