//! An expression, parsed.

use codepod_posix_regex::Regex;

use crate::format::Format;

/// `+n`, `-n`, `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Than {
    More,
    Less,
    Exactly,
}

impl Than {
    /// Compares.
    pub(crate) fn holds<T: PartialOrd>(self, value: T, with: T) -> bool {
        match self {
            Than::More => value > with,
            Than::Less => value < with,
            Than::Exactly => value == with,
        }
    }
}

/// One of a file's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    Access,
    Change,
    Modification,
}

/// How bits are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bits {
    Exactly,
    All,
    Any,
}

/// A command to run.
#[derive(Debug)]
pub(crate) struct Exec {
    /// The command and its arguments; without the last `{}` when many files are taken at once.
    pub(crate) argv: Vec<Vec<u8>>,
    /// Many files at once.
    pub(crate) many: bool,
    /// In the file's directory.
    pub(crate) in_directory: bool,
    /// Only when the user says so.
    pub(crate) ask: bool,
    /// Its place among all commands that take many files.
    pub(crate) number: usize,
}

/// A test or an action.
#[derive(Debug)]
pub(crate) enum Primary {
    True,
    False,
    Name(Vec<u8>, bool),
    Path(Vec<u8>, bool),
    LinkName(Vec<u8>, bool),
    Regex(Box<Regex>),
    Type(Vec<u8>),
    XType(Vec<u8>),
    /// With the size of a unit.
    Size(Than, u64, u64),
    Empty,
    Perm(Bits, u32, u32),
    Uid(Than, u64),
    Gid(Than, u64),
    NoUser,
    NoGroup,
    /// Later than this many nanoseconds since 1970.
    Newer(Time, i128),
    /// Age in units of so many seconds, whole units or not.
    Age(Time, Than, f64, u64),
    Used(Than, u64),
    Links(Than, u64),
    Inode(Than, u64),
    SameFile(u64, u64),
    Access(u32),
    Prune,
    Quit,
    Delete,
    /// To an output, ended by a byte.
    Print(usize, u8),
    Printf(usize, Box<Format>),
    List(usize),
    Exec(Box<Exec>),
}

/// An expression.
#[derive(Debug)]
pub(crate) enum Node {
    Primary(Primary),
    Not(Box<Node>),
    /// All, up to the first that is false.
    And(Vec<Node>),
    /// Any, up to the first that is true.
    Or(Vec<Node>),
    /// All of them; the last counts.
    List(Vec<Node>),
}

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// None.
    Never,
    /// Those that the command line names.
    Named,
    /// All.
    Always,
}

/// Everything that was asked for.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) paths: Vec<Vec<u8>>,
    pub(crate) expression: Node,
    pub(crate) follow: Follow,
    pub(crate) min_depth: usize,
    pub(crate) max_depth: usize,
    /// What is in a directory comes before it.
    pub(crate) depth_first: bool,
    pub(crate) one_device: bool,
    /// Files to print to; the first is standard output.
    pub(crate) outputs: Vec<Vec<u8>>,
    /// How many commands take many files.
    pub(crate) commands: usize,
    /// Now, in nanoseconds since 1970.
    pub(crate) now: i128,
    /// Where days begin to be counted back from.
    pub(crate) day_start: Option<i128>,
}
