//! Where an entry goes, and whether it may.

use super::console::answer;
use super::extract::Stop;
use super::later::Later;
use super::place::Place;
use super::{ERROR, Unzip, WARN};
use crate::system;
use crate::zipfile::{Entry, Local, shown, times};

/// Where an entry goes.
pub(super) enum Target {
    /// To a file of this name.
    File(Vec<u8>),
    /// To standard output, or nowhere.
    Stream,
}

/// Whether a file is written.
enum Write {
    Yes,
    No,
    /// Under another name.
    Renamed(Vec<u8>),
}

impl Unzip<'_> {
    /// Decides where an entry goes; none where it is left out or was a directory.
    pub(super) fn target(
        &mut self,
        entry: &Entry,
        local: &Local,
        later: &mut Later,
        status: &mut i32,
    ) -> Result<Option<Target>, Stop> {
        if self.settings.test || self.settings.pipe {
            return Ok(Some(Target::Stream));
        }
        let mut name = entry.name.clone();
        let mut whole = false;
        loop {
            if !whole {
                if entry.host() == 0 && !name.contains(&b'/') {
                    for byte in name.iter_mut().filter(|byte| **byte == b'\\') {
                        *byte = b'/';
                    }
                }
                if name.first() == Some(&b'/') {
                    self.console.error(
                        [
                            b"warning:  stripped absolute path spec from ",
                            &shown(&name)[..],
                            b"\n",
                        ]
                        .concat(),
                    );
                    *status = (*status).max(WARN);
                    let start = name.iter().take_while(|byte| **byte == b'/').count();
                    name.drain(..start);
                }
            }
            let (place, climbed) = self.place(&name, whole);
            if climbed {
                *status = (*status).max(WARN);
            }
            let target = match place {
                Place::File(target) => target,
                Place::Skip => return Ok(None),
                Place::Impossible => return Err(Stop::Entry((*status).max(ERROR))),
                Place::Created(directory) => {
                    let mode = self.mode(entry);
                    // Files have to get in; the real mode comes at the end.
                    let _ = system::set_mode(&directory, mode | 0o700);
                    later
                        .directories
                        .push((directory, mode, self.stamp_of(local)));
                    return Ok(None);
                }
            };
            match self.may_write(&target, local, whole, status) {
                Write::Yes => return Ok(Some(Target::File(target))),
                Write::No => return Ok(None),
                Write::Renamed(other) => {
                    name = other;
                    whole = true;
                }
            }
        }
    }

    /// Whether a file may be written; asks where it is there.
    fn may_write(
        &mut self,
        target: &[u8],
        local: &Local,
        renamed: bool,
        status: &mut i32,
    ) -> Write {
        let older = match (system::stat(target, false), system::stat(target, true)) {
            (Err(_), _) => {
                return if self.settings.freshen && !renamed {
                    Write::No
                } else {
                    Write::Yes
                };
            }
            (Ok(link), real) if link.kind() == system::SYMLINK => {
                if self.settings.quiet == 0 && self.overwrite != Some(true) {
                    let more: &[u8] = if real.is_ok() {
                        b""
                    } else {
                        b" with no real file"
                    };
                    self.console.out(
                        &[
                            &shown(target)[..],
                            b" exists and is a symbolic link",
                            more,
                            b".\n",
                        ]
                        .concat(),
                    );
                }
                true
            }
            (Ok(meta), _) => {
                let there = meta.modified.seconds;
                match times(&local.extra).modified {
                    Some(modified) => there < modified,
                    None => there + (there & 1) < crate::zipfile::moment_of(local.time, &self.zone),
                }
            }
        };
        if self.overwrite == Some(false) && !self.settings.backup
            || !older && self.settings.update && !renamed
        {
            return Write::No;
        }
        if self.overwrite == Some(true) || self.settings.backup {
            return Write::Yes;
        }
        self.ask(target, status)
    }

    fn ask(&mut self, target: &[u8], status: &mut i32) -> Write {
        loop {
            let question = [
                b"replace ",
                &shown(target)[..],
                b"? [y]es, [n]o, [A]ll, [N]one, [r]ename: ",
            ]
            .concat();
            self.console.error(question);
            let Some(line) = answer() else {
                self.console
                    .error(" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
                *status = (*status).max(WARN);
                self.overwrite = Some(false);
                return Write::No;
            };
            match line[0] {
                b'r' | b'R' => loop {
                    self.console.error("new name: ");
                    let Some(name) = answer() else {
                        *status = (*status).max(WARN);
                        return Write::No;
                    };
                    let name = name.strip_suffix(b"\n").unwrap_or(&name);
                    if !name.is_empty() {
                        return Write::Renamed(name.to_vec());
                    }
                },
                b'A' => {
                    self.overwrite = Some(true);
                    return Write::Yes;
                }
                b'y' | b'Y' => return Write::Yes,
                b'N' => {
                    self.overwrite = Some(false);
                    return Write::No;
                }
                b'n' => return Write::No,
                _ => {
                    let text = line.strip_suffix(b"\n").unwrap_or(&line);
                    let text: &[u8] = if text.is_empty() {
                        b"{ENTER}"
                    } else {
                        &text[..text.len().min(9)]
                    };
                    self.console
                        .error([b"error:  invalid response [", text, b"]\n"].concat());
                }
            }
        }
    }
}
