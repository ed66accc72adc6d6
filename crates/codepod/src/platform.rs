//! What not every platform has, in one table. Refusals follow from it, and a test compares it with
//! `docs/reference/platforms.md`.

use crate::error::ErrorKind;

/// Something that codepod needs of a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Facility {
    /// Something that runs guests.
    Engine,
    /// Paths below an open directory of the host, which mounts of host directories need.
    HostDirectories,
    /// Directories that states are kept in, and threads that save to them.
    StateDirectories,
}

impl Facility {
    /// Whether this platform has it.
    pub(crate) const fn is_here(self) -> bool {
        match self {
            Facility::HostDirectories => cfg!(unix),
            Facility::Engine | Facility::StateDirectories => cfg!(not(target_family = "wasm")),
        }
    }

    /// What cannot be done without it, and what to do instead.
    pub(crate) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Facility::Engine => (
                "commands cannot be run on this platform",
                "docs/reference/platforms.md lists those with an engine",
            ),
            Facility::HostDirectories => (
                "directories of the host cannot be mounted on this platform",
                "copy the files in",
            ),
            Facility::StateDirectories => (
                "states cannot be kept in a directory on this platform",
                "export the state with `Sandbox::export_state`",
            ),
        }
    }

    /// The error of who asks for it where it is not.
    pub(crate) const fn lack(self) -> ErrorKind {
        let (what, instead) = self.words();
        ErrorKind::Unsupported { what, instead }
    }

    /// Fails with [`ErrorKind::Unsupported`] where the platform does not have it.
    pub(crate) fn demand(self) -> Result<(), ErrorKind> {
        match self.is_here() {
            true => Ok(()),
            false => Err(self.lack()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/reference/platforms.md");

    /// The cells of a row of the page's table, by the beginning of its first.
    fn row(name: &str) -> Vec<&'static str> {
        let table = PAGE.lines().filter(|line| line.starts_with('|'));
        let rows = table.map(|line| {
            let cells = line.trim_matches('|').split('|');
            cells.map(str::trim).collect::<Vec<_>>()
        });
        let mut found = rows.filter(|cells| cells[0].starts_with(name));
        found.next().unwrap_or_else(|| panic!("no row `{name}`"))
    }

    /// The platforms of the table's columns that lack something.
    fn lacking(name: &str) -> Vec<&'static str> {
        let cells = row(name).into_iter().zip(row("platform"));
        let lacking = cells.filter(|(cell, _)| *cell == "no");
        lacking.map(|(_, platform)| platform).collect()
    }

    #[test]
    fn the_page_on_platforms_says_what_is_missing() {
        let windows = "Windows x86-64";
        let page = "WebAssembly in a page";
        for (facility, name, lacks) in [
            (Facility::Engine, "running commands", &[page][..]),
            (
                Facility::HostDirectories,
                "host directories as mounts",
                &[windows, page][..],
            ),
            (
                Facility::StateDirectories,
                "saved states in directories",
                &[page][..],
            ),
        ] {
            assert_eq!(lacking(name), lacks, "{name}");
            // These tests run on the platforms of the first columns.
            let here = match () {
                () if cfg!(windows) => windows,
                () if cfg!(target_family = "wasm") => page,
                () => "",
            };
            assert_eq!(facility.is_here(), !lacks.contains(&here), "{name}");
        }
    }

    #[test]
    fn a_refusal_says_what_and_what_to_do() {
        let error = crate::Error::from(Facility::StateDirectories.lack());
        assert_eq!(
            error.to_string(),
            "states cannot be kept in a directory on this platform"
        );
        assert!(error.hint().contains("export_state"));
        assert!(Facility::StateDirectories.demand().is_ok());
    }
}
