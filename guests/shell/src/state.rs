//! The state of a shell as a value: cheap to clone for a subshell, and serialisable for child shells, snapshots and the next run.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use codepod_shell_syntax::tree::Function;
use serde::{Deserialize, Serialize};

use crate::options::{SetOptions, ShellOptions};
use crate::text::Text;
use crate::traps::Traps;
use crate::variables::{Scopes, Variables};

/// The version of the serialised form. A state of another version is refused.
pub const VERSION: u32 = 1;

/// Everything a shell knows, except its open descriptors and its children.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// Variables.
    pub variables: Variables,
    /// What functions and assignments before commands have put aside.
    pub scopes: Scopes,
    /// Functions by name.
    pub functions: Rc<BTreeMap<Text, Definition>>,
    /// Aliases by name.
    pub aliases: Rc<BTreeMap<Text, Text>>,
    /// `set -o`
    pub set: SetOptions,
    /// `shopt`
    pub shopt: ShellOptions,
    /// `trap`
    pub traps: Rc<Traps>,
    /// `$1`, `$2`, …
    pub positional: Rc<Vec<Text>>,
    /// `$0`
    pub zero: Text,
    /// `$?`
    pub status: i32,
    /// `PIPESTATUS`
    pub pipe_status: Vec<i32>,
    /// `$!`
    pub last_background: Option<u32>,
    /// `$_`
    pub last_argument: Text,
    /// `$$`
    pub pid: u32,
    /// The working directory as `cd` sees it (`PWD`).
    pub directory: Text,
    /// `dirs`, without the working directory.
    pub directory_stack: Rc<Vec<Text>>,
    /// Functions and sourced files being run, the innermost last.
    pub frames: Vec<Frame>,
    /// The line of the command being run.
    pub line: u32,
    /// How deep in subshells (`BASH_SUBSHELL`).
    pub subshell: u32,
    /// How many loops are being run in the current function.
    pub loops: u32,
    /// Above 0 where `set -e` and the ERR trap do not apply: conditions, `!`, all but the last of `&&`.
    pub condition: u32,
    /// The seed of `RANDOM`.
    pub random: u32,
    /// When `SECONDS` was 0, in seconds of the monotonic clock.
    pub seconds_base: i64,
    /// Where `getopts` is inside a word.
    pub getopts: u32,
    /// Found programs (`hash`).
    pub hash: Rc<BTreeMap<Text, (Text, u32)>>,
    /// What `enable -n` has switched off.
    pub disabled_builtins: Rc<BTreeSet<Text>>,
    /// History, the oldest first.
    pub history: Rc<Vec<Text>>,
    /// Whether `codepod: hint:` lines are printed.
    pub hints: bool,
    /// `-c`, `-s`, a script file, or interactive: what `$-` shows.
    pub invocation: Invocation,
}

/// How the shell was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Invocation {
    /// `bash -c SCRIPT`, and runs of a session.
    #[default]
    Command,
    /// A script file.
    File,
    /// Standard input.
    Stdin,
    /// Interactive.
    Interactive,
}

/// A function.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Definition {
    /// Its tree.
    pub function: Rc<Function>,
    /// Where it was defined (`BASH_SOURCE`).
    pub source: Text,
    /// `export -f`
    pub exported: bool,
    /// `readonly -f`
    pub readonly: bool,
    /// `declare -ft`
    pub traced: bool,
}

/// A function or a sourced file being run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Frame {
    /// `FUNCNAME`: the function, `source` or `main`.
    pub function: Text,
    /// `BASH_SOURCE`
    pub source: Text,
    /// `BASH_LINENO`: the line it was called on.
    pub line: u32,
    /// Loops of the caller, put aside.
    pub loops: u32,
    /// Whether it is a sourced file.
    pub sourced: bool,
}
