//! Backups of files that are about to be replaced: `-b`, `--backup`, `-S`.

use codepod_tool::{Stop, one_of};

use crate::paths::{directory, is_same_file, last_part, rename, without_slashes};
use crate::system::{self, Links, Result, Stat};

/// How backups are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Control {
    /// There are none.
    Off,
    /// With a suffix.
    Simple,
    /// With a number if there are such already, otherwise with a suffix.
    Existing,
    /// With a number.
    Numbered,
}

const CONTROLS: &[(&str, Control)] = &[
    ("none", Control::Off),
    ("off", Control::Off),
    ("simple", Control::Simple),
    ("never", Control::Simple),
    ("existing", Control::Existing),
    ("nil", Control::Existing),
    ("numbered", Control::Numbered),
    ("t", Control::Numbered),
];

/// What the options say of backups.
#[derive(Debug, Default)]
pub(crate) struct Given {
    wanted: bool,
    control: Option<Vec<u8>>,
    suffix: Option<Vec<u8>>,
}

impl Given {
    /// `-b`, `--backup` and `--backup=CONTROL`.
    pub(crate) fn take_backup(&mut self, control: Option<Vec<u8>>) {
        self.wanted = true;
        self.control = control.or(self.control.take());
    }

    /// `-S`, which asks for backups as well.
    pub(crate) fn take_suffix(&mut self, suffix: Option<Vec<u8>>) {
        self.wanted = true;
        self.suffix = suffix;
    }

    /// Whether backups were asked for.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// How backups are made, with what the environment says. Fails with an unknown control.
    pub(crate) fn backups(self) -> Result<Backups, Stop> {
        if !self.wanted {
            return Ok(Backups::NONE);
        }
        let environment = |name: &str| {
            let value = std::env::var_os(name)?.into_encoded_bytes();
            Some(value).filter(|value| !value.is_empty())
        };
        let (source, text) = match self.control {
            Some(control) => ("backup type", Some(control)),
            None => ("$VERSION_CONTROL", environment("VERSION_CONTROL")),
        };
        let control = match text {
            Some(text) => one_of(source, &text, CONTROLS)?,
            None => Control::Existing,
        };
        let suffix = self.suffix.or_else(|| environment("SIMPLE_BACKUP_SUFFIX"));
        // A suffix may not lead into another directory.
        let suffix = suffix.filter(|suffix| !suffix.is_empty() && !suffix.contains(&b'/'));
        Ok(Backups {
            control,
            suffix: suffix.unwrap_or_else(|| b"~".to_vec()),
        })
    }
}

/// How backups are made.
#[derive(Debug)]
pub(crate) struct Backups {
    control: Control,
    suffix: Vec<u8>,
}

impl Backups {
    /// Not at all.
    pub(crate) const NONE: Backups = Backups {
        control: Control::Off,
        suffix: Vec::new(),
    };

    /// Whether there are any.
    pub(crate) fn are_made(&self) -> bool {
        self.control != Control::Off
    }

    /// Whether every backup has a name of its own.
    pub(crate) fn are_numbered(&self) -> bool {
        self.control == Control::Numbered
    }

    /// The path that a file's backup gets.
    pub(crate) fn name(&self, path: &[u8]) -> Vec<u8> {
        let path = without_slashes(path);
        let simple = || [path, &self.suffix].concat();
        let numbered = |number: u64| [path, format!(".~{number}~").as_bytes()].concat();
        match (self.control, last_number(path)) {
            (Control::Off | Control::Simple, _) | (Control::Existing, None) => simple(),
            (_, last) => numbered(last.map_or(1, |last| last.saturating_add(1))),
        }
    }

    /// Moves a file out of the way. Returns where it is now.
    pub(crate) fn make(&self, path: &[u8]) -> Result<Vec<u8>> {
        let backup = self.name(path);
        rename(path, &backup)?;
        Ok(backup)
    }

    /// Whether making the simple backup of `to` would replace the file that `from` is.
    pub(crate) fn would_replace(&self, from: &[u8], stat: &Stat, to: &[u8]) -> bool {
        let name = [last_part(to), &self.suffix].concat();
        if self.are_numbered() || last_part(from) != name {
            return false;
        }
        let backup = [without_slashes(to), &self.suffix].concat();
        system::stat(&backup, Links::Follow).is_ok_and(|found| is_same_file(&found, stat))
    }
}

/// The highest number of a file's backups.
fn last_number(path: &[u8]) -> Option<u64> {
    let start = [last_part(path), b".~"].concat();
    let names = system::list(directory(path)).unwrap_or_default();
    let number = |name: &Vec<u8>| {
        let digits = name.strip_prefix(&start[..])?.strip_suffix(b"~")?;
        let is_number =
            matches!(digits, [b'1'..=b'9', ..]) && digits.iter().all(u8::is_ascii_digit);
        let text = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
        text.parse().ok()
    };
    names.iter().filter_map(number).max()
}
