//! What is done when everything else is extracted.

use codepod_tool::{io_text, path};

use super::Unzip;
use super::attributes::Stamp;
use super::console::padded;
use crate::system;
use crate::zipfile::shown;

/// What is done when everything else is extracted.
#[derive(Default)]
pub(super) struct Later {
    /// Symbolic links: path and text.
    pub(super) links: Vec<(Vec<u8>, Vec<u8>)>,
    /// Directories: path, mode, times and owner.
    pub(super) directories: Vec<(Vec<u8>, u32, Stamp)>,
}

impl Unzip<'_> {
    /// Makes links and settles directories, when all files are there.
    pub(super) fn finish_later(&mut self, later: Later) {
        self.make_links(later.links);
        let mut directories = later.directories;
        directories.sort_by(|a, b| b.0.cmp(&a.0));
        for (name, mode, stamp) in directories {
            if let Some((uid, gid)) = stamp.owner {
                let _ = system::set_owner(&name, Some(uid), Some(gid));
            }
            if self.settings.no_times == 0 {
                stamp.set_times(&name);
            }
            let _ = system::set_mode(&name, mode);
        }
    }

    fn make_links(&mut self, links: Vec<(Vec<u8>, Vec<u8>)>) {
        if !links.is_empty() && self.settings.quiet == 0 {
            self.console.out(b"finishing deferred symbolic links:\n");
        }
        for (name, text) in links {
            let same = system::stat(&name, false).is_ok_and(|meta| meta.kind() == system::REGULAR)
                && std::fs::read(path(&name)).is_ok_and(|content| content == text);
            if !same {
                let message = [
                    b"warning:  deferred symlink (",
                    &shown(&name)[..],
                    b") failed:\n          invalid placeholder file\n",
                ];
                self.console.error(message.concat());
                continue;
            }
            let _ = std::fs::remove_file(path(&name));
            if self.settings.quiet == 0 {
                self.console.out(
                    &[
                        b"  ",
                        &padded(&shown(&name))[..],
                        b" -> ",
                        &shown(&text),
                        b"\n",
                    ]
                    .concat(),
                );
            }
            if let Err(error) = system::make_symlink(&text, &name) {
                self.console
                    .error(format!("symlink error: {}\n", io_text(&error)));
            }
        }
    }
}
