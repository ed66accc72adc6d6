//! What the options of `cp` and `mv` say.

use crate::backup::Backups;

/// How files are copied or moved.
pub(crate) struct Settings {
    /// Whether sources are moved.
    pub(crate) moving: bool,
    /// `-r`
    pub(crate) recursive: bool,
    /// Which symbolic links are copied as what they lead to.
    pub(crate) follow: Follow,
    /// What a copy is.
    pub(crate) how: How,
    /// Whether devices and fifos are read instead of made anew.
    pub(crate) read_specials: bool,
    /// What is done where something is.
    pub(crate) overwrite: Overwrite,
    /// `-u`: only over what is older.
    pub(crate) newer_only: bool,
    /// `-f`: what cannot be opened is removed.
    pub(crate) force: bool,
    /// `--remove-destination`
    pub(crate) remove_first: bool,
    /// What is moved out of the way.
    pub(crate) backups: Backups,
    /// What copies have in common with their sources, besides content.
    pub(crate) keep: Keep,
    /// Which copies get holes.
    pub(crate) sparse: Sparse,
    /// `--reflink=always`: nothing here can do it.
    pub(crate) only_clones: bool,
    /// `-x`
    pub(crate) one_file_system: bool,
    /// `-v`
    pub(crate) verbose: bool,
}

/// Which symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// None.
    Never,
    /// Those that are operands.
    Operands,
    /// All.
    Always,
}

/// What a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// A file with the same content.
    Content,
    /// A file with the same attributes: `--attributes-only`.
    Attributes,
    /// Another name of the file: `-l`.
    HardLink,
    /// A symbolic link to the file: `-s`.
    SymbolicLink,
}

/// What is done where something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// It is overwritten; `mv` asks at a terminal whether it may not be written.
    Default,
    /// It is overwritten without a question.
    Always,
    /// `-i`
    Ask,
    /// `-n`
    Never,
}

/// What copies have in common with their sources.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Keep {
    /// Permission bits.
    pub(crate) mode: bool,
    /// New files get the usual permission bits: `--no-preserve=mode`.
    pub(crate) usual_mode: bool,
    /// Owner and group.
    pub(crate) owner: bool,
    /// The times of access and of modification.
    pub(crate) times: bool,
    /// Which names are of one file.
    pub(crate) links: bool,
    /// Whether it is a failure where something cannot be kept.
    pub(crate) required: bool,
}

/// Which copies get holes for zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sparse {
    /// Those of files that have holes.
    Auto,
    /// All.
    Always,
    /// None.
    Never,
}
