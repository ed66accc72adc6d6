//! Going on with what is added to files. They are looked at again and again: the kernel does not
//! tell of changes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::time::Duration;

use codepod_tool::{Output, complain, path, quoted};

use super::{BLOCK, By, Tail, header};
use crate::system::{self, Links};

/// How long it waits between looks where nothing was said.
const USUAL: Duration = Duration::from_millis(100);

/// A file that is followed.
pub(super) struct Followed {
    /// Its place among the operands.
    index: usize,
    name: Vec<u8>,
    /// None while there is no such file.
    file: Option<File>,
    /// What the name led to when it was opened: device and number.
    identity: Option<(u64, u64)>,
}

impl Followed {
    /// One that is open and read to its end.
    pub(super) fn open(index: usize, name: Vec<u8>, file: File) -> Followed {
        let identity = identity(&name);
        Followed {
            index,
            name,
            file: Some(file),
            identity,
        }
    }

    /// One that may come.
    pub(super) fn missing(index: usize, name: Vec<u8>) -> Followed {
        Followed {
            index,
            name,
            file: None,
            identity: None,
        }
    }

    /// Opens it again if its name leads elsewhere now. Returns what is to be said.
    fn look(&mut self, by: By) -> Option<Vec<u8>> {
        if self.file.is_some() && by == By::Descriptor {
            return None;
        }
        let now = identity(&self.name);
        let said = |what: &str| Some([&quoted(&self.name)[..], what.as_bytes()].concat());
        match (&self.file, now) {
            (None, None) => None,
            (Some(_), None) => {
                let why = system::stat(&self.name, Links::Follow).err();
                let why = why.map_or("No such file or directory", codepod_tool::errno_text);
                let text = said(&format!(" has become inaccessible: {why}"));
                self.file = None;
                text
            }
            (Some(_), now) if now == self.identity => None,
            (before, now) => {
                let file = File::open(path(&self.name)).ok()?;
                let text = match before {
                    Some(_) => said(" has been replaced;  following new file"),
                    None => said(" has appeared;  following new file"),
                };
                (self.file, self.identity) = (Some(file), now);
                text
            }
        }
    }
}

fn identity(name: &[u8]) -> Option<(u64, u64)> {
    let stat = system::stat(name, Links::Follow).ok()?;
    let is_directory = crate::mode::is_directory(stat.mode);
    (!is_directory).then_some((stat.dev, stat.ino))
}

/// Whether a process is there.
fn lives(pid: u32) -> bool {
    system::stat(format!("/proc/{pid}").as_bytes(), Links::Follow).is_ok()
        && codepod_tool::processes::Process::of(pid).is_some_and(|process| process.state != b'Z')
}

impl Tail {
    /// Prints what is added to files until nobody reads it, the processes of `--pid` have ended or
    /// no file is left.
    pub(super) fn follow(
        &self,
        tool: &str,
        by: By,
        mut files: Vec<Followed>,
        headers: bool,
    ) -> i32 {
        // The last file that was printed has the last header.
        let mut last = files
            .last()
            .filter(|file| file.file.is_some())
            .map(|file| file.index);
        let mut block = vec![0; BLOCK];
        loop {
            // Asked before the last look, so that what a process wrote at its end is seen.
            let ended = !self.pids.is_empty() && !self.pids.iter().any(|pid| lives(*pid));
            let mut out = Output::new();
            for followed in &mut files {
                if let Some(text) = followed.look(by) {
                    out.write_out();
                    complain(tool, text);
                }
                let Some(file) = &mut followed.file else {
                    continue;
                };
                if is_shorter(file) {
                    out.write_out();
                    complain(tool, [&followed.name[..], b": file truncated"].concat());
                    // What cannot go back is read on.
                    let _ = file.seek(SeekFrom::Start(0));
                }
                loop {
                    let count = match file.read(&mut block) {
                        Ok(count) => count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                        Err(_) => 0,
                    };
                    if count == 0 || out.is_broken() {
                        break;
                    }
                    if headers && last != Some(followed.index) {
                        header(&mut out, &followed.name, last.is_none());
                    }
                    last = Some(followed.index);
                    out.put(&block[..count]);
                }
            }
            if out.finish().is_err() {
                return 1;
            }
            if ended {
                return 0;
            }
            if !self.retry {
                files.retain(|followed| followed.file.is_some());
            }
            if files.is_empty() {
                complain(tool, "no files remaining");
                return 1;
            }
            std::thread::sleep(self.interval.unwrap_or(USUAL));
        }
    }
}

/// Whether a file ends before the place that was read to.
fn is_shorter(file: &mut File) -> bool {
    let (Ok(metadata), Ok(at)) = (file.metadata(), file.stream_position()) else {
        return false;
    };
    metadata.is_file() && metadata.len() < at
}
