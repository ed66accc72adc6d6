//! `/dev`: the nodes; what is read from and written to them comes from the kernel.
//!
//! It is a plain read-only tree, the same for every sandbox, with nothing of the host in it.

use std::sync::{Arc, LazyLock};

use crate::image::Image;
use crate::node::Device;
use crate::tree::Tree;

static TREE: LazyLock<Arc<Tree>> = LazyLock::new(|| {
    let tree = Tree::builder()
        .device("null", 0o666, Device::Null)
        .device("zero", 0o666, Device::Zero)
        .device("full", 0o666, Device::Full)
        .device("random", 0o666, Device::Random)
        .device("urandom", 0o666, Device::Urandom)
        .device("tty", 0o666, Device::Tty)
        .symlink("stdin", "/proc/self/fd/0")
        .symlink("stdout", "/proc/self/fd/1")
        .symlink("stderr", "/proc/self/fd/2")
        .symlink("fd", "/proc/self/fd")
        .build();
    Arc::new(tree)
});

/// The file system to mount at `/dev`.
pub fn dev() -> Image {
    Image::named(TREE.clone(), "devtmpfs")
}
