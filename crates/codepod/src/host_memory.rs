//! How much memory the host has for this process: all there is, or what a cgroup above it allows.
//!
//! One that is killed for want of memory ends all its sandboxes. So a runtime leaves a fifth of it
//! to everything else.

use std::path::{Path, PathBuf};

/// What sandboxes may have together of what there is.
const SHARE: (u64, u64) = (4, 5);

/// What all sandboxes of this host process may have together, in bytes; `None` where nobody can
/// say.
pub(crate) fn ceiling() -> Option<u64> {
    let memory = memory_below(Path::new("/"))?;
    Some(memory / SHARE.1 * SHARE.0)
}

/// The memory that there is where `/proc` and `/sys` are below `root`.
fn memory_below(root: &Path) -> Option<u64> {
    let read = |path: PathBuf| std::fs::read_to_string(path).ok();
    let of_host = read(root.join("proc/meminfo")).and_then(|text| total(&text));
    let cgroups = read(root.join("proc/self/cgroup")).unwrap_or_default();
    let of_cgroups = cgroups.lines().filter_map(|line| {
        let (files, limit, group) = cgroup(line)?;
        let files = root.join(files);
        // A group has no more than those above it, whatever its own limit says.
        let above = Path::new(group).ancestors();
        above
            .filter_map(|group| {
                let group = group.strip_prefix("/").unwrap_or(group);
                // A container may see its own group at the root only.
                read(files.join(group).join(limit))?.trim().parse().ok()
            })
            .min()
    });
    of_host.into_iter().chain(of_cgroups).min()
}

/// `MemTotal` in bytes.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Where a cgroup that may limit memory has its files, which of them has the limit, and the group.
fn cgroup(line: &str) -> Option<(&'static str, &'static str, &str)> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    if number == "0" && controllers.is_empty() {
        return Some(("sys/fs/cgroup", "memory.max", group));
    }
    let has_memory = controllers.split(',').any(|name| name == "memory");
    has_memory.then_some(("sys/fs/cgroup/memory", "memory.limit_in_bytes", group))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root directory with these files.
    fn root(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("codepod-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    fn memory(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = root(name, files);
        let memory = memory_below(&root);
        let _ = std::fs::remove_dir_all(root);
        memory
    }

    const HOST: (&str, &str) = (
        "proc/meminfo",
        "MemTotal:       16000000 kB\nMemFree:         1000000 kB\n",
    );

    #[test]
    fn a_host_without_cgroups_has_what_it_has() {
        assert_eq!(memory("plain", &[HOST]), Some(16_000_000 << 10));
        assert_eq!(memory("none", &[]), None);
    }

    #[test]
    fn the_smallest_limit_above_a_process_counts() {
        let files = [
            HOST,
            ("proc/self/cgroup", "0::/a/b/c\n"),
            ("sys/fs/cgroup/a/memory.max", "2000000000\n"),
            ("sys/fs/cgroup/a/b/memory.max", "3000000000\n"),
            ("sys/fs/cgroup/a/b/c/memory.max", "max\n"),
        ];
        assert_eq!(memory("v2", &files), Some(2_000_000_000));
    }

    #[test]
    fn the_first_version_and_the_inside_of_a_container_are_understood() {
        let v1 = [
            HOST,
            ("proc/self/cgroup", "3:cpu:/x\n2:memory,cpuset:/a/b\n"),
            (
                "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
                "1000000000\n",
            ),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ];
        assert_eq!(memory("v1", &v1), Some(1_000_000_000));
        let inside = [
            HOST,
            ("proc/self/cgroup", "0::/outside/path\n"),
            ("sys/fs/cgroup/memory.max", "500000000\n"),
        ];
        assert_eq!(memory("inside", &inside), Some(500_000_000));
    }

    #[test]
    fn what_is_not_understood_is_no_limit() {
        let files = [
            HOST,
            ("proc/self/cgroup", "nonsense\n0::\n1:memory\n::::\n"),
        ];
        assert_eq!(memory("odd", &files), Some(16_000_000 << 10));
        assert_eq!(total("MemTotal: many kB"), None);
        assert_eq!(total("MemTotal: 18446744073709551615 kB"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_host_has_some() {
        assert!(ceiling().is_some_and(|bytes| bytes > 64 << 20));
    }
}
