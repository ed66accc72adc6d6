//! What the fuzz targets do, apart from libFuzzer, so that their inputs can also be run without it.
//!
//! A target is a module with an `Input` made from bytes and a `run` that panics on a finding; those
//! of the network are in the gateway, whose tests run their corpus as well. The files in
//! `fuzz_targets/` hand libFuzzer's inputs to it; `examples/replay.rs` hands it the corpus.

use arbitrary::{Arbitrary, Unstructured};
use codepod_gateway::testing;
use codepod_kernel::Kernel;

mod allocation;
pub mod descriptors;
mod guest;
pub mod guest_pointers;
pub mod path_resolution;
pub mod shell_print;
pub mod shell_syntax;
pub mod snapshot_decode;
pub mod snapshot_memory;

/// A target: its name, and what runs one input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("cptls", testing::cptls),
    ("descriptors", |bytes| with(bytes, descriptors::run)),
    ("guest_pointers", |bytes| with(bytes, guest_pointers::run)),
    ("http_request", testing::http_request),
    ("network_policy", testing::network_policy),
    ("path_resolution", |bytes| with(bytes, path_resolution::run)),
    ("secret_streams", testing::secret_streams),
    ("shell_print", shell_print::run),
    ("shell_syntax", shell_syntax::run),
    ("snapshot_decode", snapshot_decode::run),
    ("snapshot_memory", |bytes| with(bytes, snapshot_memory::run)),
];

/// Makes values until the input ends, at most `limit`. A `Vec` of itself would end at every second
/// one.
fn as_many_as_there_are<'a, T: Arbitrary<'a>>(
    u: &mut Unstructured<'a>,
    limit: usize,
) -> arbitrary::Result<Vec<T>> {
    let mut values = Vec::new();
    while !u.is_empty() && values.len() < limit {
        values.push(u.arbitrary()?);
    }
    Ok(values)
}

/// Runs an input as libFuzzer would: bytes that make no input are no finding.
fn with<'a, T: Arbitrary<'a>>(bytes: &'a [u8], run: fn(&T)) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) {
        run(&input);
    }
}

/// Checks the files of a kernel in which nothing is open: exact counters, and no deleted file is
/// kept.
fn check_files(kernel: &mut Kernel) {
    let mut fork = kernel.fork(2).expect("a fork");
    let (forked, _) = fork.files();
    let (vfs, _) = kernel.files();
    for mount in vfs.mounts() {
        let (Some(tree), Some(other)) = (vfs.tree(mount.id), forked.tree(mount.id)) else {
            continue;
        };
        assert_eq!(tree.usage(), tree.recount(), "the counters are wrong");
        // A fork keeps nothing that has no name and is not open.
        assert_eq!(
            (tree.usage(), tree.inode_count()),
            (other.usage(), other.inode_count()),
            "a deleted file is kept"
        );
    }
}
