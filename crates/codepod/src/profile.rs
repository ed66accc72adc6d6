//! Profiles: limits that go together, by name.

use std::time::Duration;

use crate::options::Options;

/// How much a sandbox may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Profile {
    /// For many at once: 64 MB of memory a process, 100 MB of files of at most 10 MB, 10,000 of
    /// them, 32 processes, 1 MB of output a stream.
    Small,
    /// For an agent: 256 MB of memory a process, 256 MB of files, 100,000 of them, 64 processes, 10
    /// MB of output a stream.
    #[default]
    Default,
    /// For builds and data: 1 GB of memory a process, 4 GB of files, 1,000,000 of them, 256
    /// processes, 64 MB of output a stream, ten minutes.
    Large,
}

impl Profile {
    /// A profile by its name: `small`, `default` or `large`.
    pub fn by_name(name: &str) -> Option<Profile> {
        Some(match name {
            "small" => Profile::Small,
            "default" => Profile::Default,
            "large" => Profile::Large,
            _ => return None,
        })
    }
}

impl Options {
    /// Options with the limits of a profile.
    pub fn with_profile(profile: Profile) -> Options {
        const MB: u64 = 1 << 20;
        let mut options = Options::default();
        let (limits, files) = (&mut options.limits, &mut options.fs_limits);
        let mut set = |memory: u64, total: u64, bytes: u64, file: u64, nodes: u64| {
            // 4 GB are one byte too many for 32 bits.
            let [memory, total] =
                [memory, total].map(|mb| usize::try_from(mb * MB).unwrap_or(usize::MAX));
            (limits.memory_bytes, limits.total_memory_bytes) = (memory, total);
            (files.bytes, files.file_bytes, files.nodes) = (bytes * MB, file * MB, nodes);
        };
        match profile {
            Profile::Small => {
                set(64, 128, 100, 10, 10_000);
                limits.processes = 32;
                limits.output_bytes = MB as usize;
                limits.kept_output_bytes = 4 * MB as usize;
                options.undo.bytes = 8 * MB;
            }
            Profile::Default => {}
            Profile::Large => {
                set(1024, 4096, 4096, 4096, 1_000_000);
                limits.processes = 256;
                limits.output_bytes = 64 * MB as usize;
                limits.kept_output_bytes = 256 * MB as usize;
                options.undo.bytes = 512 * MB;
                options.timeout = Duration::from_secs(600);
            }
        }
        options
    }
}
