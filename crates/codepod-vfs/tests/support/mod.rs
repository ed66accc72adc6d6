//! What the tests share: a directory that is removed afterwards, and shorthands.
#![allow(dead_code, reason = "every test file uses its own part")]
#![allow(unreachable_pub, reason = "a module of a test is never a library")]
#![allow(
    clippy::allow_attributes,
    reason = "whether the lint fires depends on the test file"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use codepod_vfs::{Caller, HostAccess, HostDir, HostOptions, NodeRef, OpenOptions, Vfs};

/// A directory of the host that goes away with the value.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> TempDir {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("vfs-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        TempDir(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn host_dir(&self, access: HostAccess) -> HostDir {
        host_dir(&self.0, access)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn host_dir(path: &Path, access: HostAccess) -> HostDir {
    let root = std::fs::File::open(path).unwrap();
    HostDir::new(root, access, HostOptions::default()).unwrap()
}

/// Root at a fixed time.
pub fn root() -> Caller<'static> {
    Caller::root(1_000)
}

/// An ordinary user.
pub fn user(uid: u32) -> Caller<'static> {
    Caller {
        uid,
        gid: uid,
        ..root()
    }
}

/// A file's bytes, opened and closed.
pub fn read(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    base: NodeRef,
    path: &str,
) -> Result<Vec<u8>, codepod_abi::Errno> {
    let node = vfs.open(caller, base, path.as_bytes(), &OpenOptions::READ)?;
    let mut bytes = Vec::new();
    let mut buf = [0; 4096];
    let result = loop {
        match vfs.read_at(caller, node, bytes.len() as u64, &mut buf) {
            Ok(0) => break Ok(bytes),
            Ok(n) => bytes.extend_from_slice(&buf[..n]),
            Err(error) => break Err(error),
        }
    };
    vfs.close(node);
    result
}

/// Writes a file, opened and closed.
pub fn write(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    base: NodeRef,
    path: &str,
    bytes: &[u8],
) -> Result<(), codepod_abi::Errno> {
    let node = vfs.open(caller, base, path.as_bytes(), &OpenOptions::REPLACE)?;
    let result = write_all(vfs, caller, node, bytes);
    vfs.close(node);
    result
}

pub fn write_all(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    node: NodeRef,
    bytes: &[u8],
) -> Result<(), codepod_abi::Errno> {
    let mut done = 0;
    while done < bytes.len() {
        done += vfs.write_at(caller, node, done as u64, &bytes[done..])?;
    }
    Ok(())
}

/// The names in a directory, sorted, without the dots.
pub fn names(vfs: &mut Vfs, caller: &Caller<'_>, dir: NodeRef) -> Vec<String> {
    let mut names = Vec::new();
    vfs.read_dir(caller, dir, 0, u64::MAX, &mut |entry| {
        names.push(String::from_utf8_lossy(entry.name).into_owned());
        true
    })
    .unwrap();
    names.retain(|name| name != "." && name != "..");
    names.sort();
    names
}
