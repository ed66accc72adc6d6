//! `cp --parents`: the directories above a source, made again below the target.

use codepod_tool::{Output, complain, errno_text, quoted};

use crate::copy::{Keep, Settings, failure};
use crate::mode::is_directory;
use crate::paths::{self, join};
use crate::system::{self, Errno, Links, Stat};

/// Makes directories above sources.
pub(crate) struct Parents<'a> {
    tool: &'a str,
    keep: Keep,
    recursive: bool,
    verbose: bool,
    umask: u32,
}

/// A directory that was made.
pub(crate) struct Made {
    path: Vec<u8>,
    source: Stat,
}

impl<'a> Parents<'a> {
    /// One for these settings.
    pub(crate) fn new(tool: &'a str, settings: &Settings) -> Parents<'a> {
        Parents {
            tool,
            keep: settings.keep,
            recursive: settings.recursive,
            verbose: settings.verbose,
            umask: system::current_umask(),
        }
    }

    /// Makes the directories above `from` in `directory`. Returns where the copy goes, and what
    /// was made. Fails after saying why.
    pub(crate) fn make(&self, from: &[u8], directory: &[u8]) -> Result<(Vec<u8>, Vec<Made>), ()> {
        let slashes = from.iter().take_while(|byte| **byte == b'/').count();
        let name = paths::without_slashes(&from[slashes..]);
        if name.is_empty() && self.recursive {
            let path = join(directory, b"");
            complain(
                self.tool,
                failure("cannot create directory", &path, Errno::NoEnt),
            );
            return Err(());
        }
        let mut made = Vec::new();
        for end in 1..name.len() {
            if name[end] != b'/' || name[end - 1] == b'/' {
                continue;
            }
            let source = &from[..slashes + end];
            let path = join(directory, &name[..end]);
            match self.directory(source, &path) {
                Ok(None) => {}
                Ok(Some(stat)) => made.push(Made { path, source: stat }),
                Err(message) => {
                    complain(self.tool, message);
                    return Err(());
                }
            }
        }
        Ok((join(directory, name), made))
    }

    /// Makes one directory, unless there is one.
    fn directory(&self, source: &[u8], path: &[u8]) -> Result<Option<Stat>, Vec<u8>> {
        match system::stat(path, Links::Follow) {
            Ok(stat) if is_directory(stat.mode) => return Ok(None),
            Ok(_) => return Err([&quoted(path)[..], b" exists but is not a directory"].concat()),
            Err(_) => {}
        }
        let stat = match system::stat(source, Links::Follow) {
            Ok(stat) if is_directory(stat.mode) => stat,
            Ok(_) => {
                return Err(failure(
                    "failed to get attributes of",
                    source,
                    Errno::NotDir,
                ));
            }
            Err(errno) => return Err(failure("failed to get attributes of", source, errno)),
        };
        paths::make_directory(path).map_err(|errno| {
            let why = errno_text(errno).as_bytes();
            [b"cannot make directory ", &quoted(path)[..], b": ", why].concat()
        })?;
        if self.verbose {
            let mut out = Output::new();
            out.put(&[source, b" -> ", path, b"\n"].concat());
            // The copier's own lines tell when standard output is gone.
            let _ = out.finish();
        }
        let now = (stat.mode & 0o777 & !self.umask & !0o022) | 0o700;
        if 0o777 & !self.umask != now {
            system::set_mode(path, Links::Follow, now)
                .map_err(|errno| failure("setting permissions for", path, errno))?;
        }
        Ok(Some(stat))
    }

    /// Sets the attributes of directories whose entries are copied. Whether that succeeded.
    pub(crate) fn finish(&self, made: &[Made]) -> bool {
        let mut is_fine = true;
        for directory in made {
            if let Err(message) = self.set(directory) {
                complain(self.tool, message);
                is_fine = false;
            }
        }
        is_fine
    }

    fn set(&self, Made { path, source }: &Made) -> Result<(), Vec<u8>> {
        if self.keep.times {
            paths::copy_times(source, path, Links::Follow)
                .map_err(|errno| failure("failed to preserve times for", path, errno))?;
        }
        if self.keep.owner {
            // Only root can, and others are not told.
            let _ = system::set_owner(path, Links::Keep, Some(source.uid), Some(source.gid));
        }
        let bits = if self.keep.mode {
            source.mode & 0o7777
        } else if self.keep.usual_mode {
            0o777 & !self.umask
        } else {
            source.mode & 0o1777 & !self.umask
        };
        system::set_mode(path, Links::Follow, bits)
            .map_err(|errno| failure("failed to preserve permissions for", path, errno))
    }
}
