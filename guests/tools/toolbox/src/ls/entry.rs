//! Something that is listed.

use super::options::{Indicator, Settings, Time};
use crate::mode::{is_directory, is_link};
use crate::quoting::{columns, quote};
use crate::system::{self, Links, SOCKET, Stat, mode};

/// A file with what is shown of it.
pub(super) struct Entry {
    /// As it is shown, before quoting.
    pub(super) name: Vec<u8>,
    /// Where it is.
    pub(super) path: Vec<u8>,
    pub(super) stat: Stat,
    /// Whether nothing is known of it: `?` everywhere.
    pub(super) unknown: bool,
    /// The name as quoted.
    pub(super) shown: Vec<u8>,
    /// Whether quotes are around it.
    pub(super) is_quoted: bool,
    /// Columns of `shown`.
    pub(super) width: usize,
    /// Where a link leads, and the mode of what is there; none when nothing is.
    pub(super) target: Option<(Vec<u8>, Option<u32>)>,
}

impl Entry {
    pub(super) fn new(
        name: Vec<u8>,
        path: Vec<u8>,
        stat: Stat,
        settings: &Settings,
        color: bool,
    ) -> Entry {
        let target = if is_link(stat.mode) && (settings.format == super::Format::Long || color) {
            let to = system::read_link(&path).unwrap_or_default();
            Some((
                to,
                system::stat(&path, Links::Follow)
                    .ok()
                    .map(|stat| stat.mode),
            ))
        } else {
            None
        };
        let mut entry = Entry::unknown(name, path, settings);
        (entry.stat, entry.target, entry.unknown) = (stat, target, false);
        entry
    }

    /// One of which nothing is known.
    pub(super) fn unknown(name: Vec<u8>, path: Vec<u8>, settings: &Settings) -> Entry {
        let shown = quote(&name, settings.quoting, settings.hide, b"");
        let is_quoted = settings.quoting.is_variable()
            && shown != name
            && matches!(shown.first(), Some(b'\'' | b'"'));
        let width = columns(&shown);
        Entry {
            name,
            path,
            stat: Stat::default(),
            unknown: true,
            shown,
            is_quoted,
            width,
            target: None,
        }
    }

    /// The time that is shown and sorted by, in nanoseconds.
    pub(super) fn time(&self, time: Time) -> u64 {
        match time {
            Time::Modified => self.stat.mtime,
            Time::Changed | Time::Born => self.stat.ctime,
            Time::Accessed => self.stat.atime,
        }
    }

    /// Whether it is a directory, or a link to one.
    pub(super) fn leads_to_directory(&self) -> bool {
        if is_link(self.stat.mode) {
            return system::stat(&self.path, Links::Follow)
                .is_ok_and(|stat| is_directory(stat.mode));
        }
        is_directory(self.stat.mode)
    }
}

/// The letter behind a name; 0 for none.
pub(super) fn indicator(bits: u32, style: Indicator) -> Option<u8> {
    if style == Indicator::None {
        return None;
    }
    let letter = match bits & mode::TYPE_MASK {
        mode::DIRECTORY => b'/',
        _ if style == Indicator::Slash => return None,
        mode::REGULAR => {
            return (style == Indicator::Classify && bits & 0o111 != 0).then_some(b'*');
        }
        0o120_000 => b'@',
        mode::FIFO => b'|',
        SOCKET => b'=',
        _ => return None,
    };
    Some(letter)
}
