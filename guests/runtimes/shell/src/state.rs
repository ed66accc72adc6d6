//! The state of a shell as a value: cheap to clone for a subshell, and serialisable for child
//! shells, snapshots and the next run.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use codepod_shell_syntax::tree::{Bytes, Command, CommandKind, Function, List, Span};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::completion::Completions;
use crate::options::{SetOptions, ShellOptions};
use crate::text::Text;
use crate::traps::Traps;
use crate::variables::{Scopes, Variables};

/// The version of the serialised form. A state of another version is refused.
pub const VERSION: u32 = 2;

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
    /// How often `set` has replaced them, for `source` with arguments.
    pub positional_sets: u32,
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
    /// What is added to the lines of the tree that runs: a substitution counts from the line of
    /// its command on.
    pub line_shift: u32,
    /// How often the first character of `PS4` is repeated: command substitutions, `eval`,
    /// `source`.
    pub trace_level: u32,
    /// How deep in subshells (`BASH_SUBSHELL`).
    pub subshell: u32,
    /// How many loops are being run in the current function.
    pub loops: u32,
    /// Above 0 where `set -e` and the ERR trap do not apply: conditions, `!`, all but the last of
    /// `&&`.
    pub condition: u32,
    /// The seed of `RANDOM`.
    pub random: u32,
    /// The value of `subshell` for which it was made: a subshell makes its own.
    pub random_level: u32,
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
    /// How many lines of it a file has: those that `history -a` need not write.
    pub history_written: u32,
    /// What `complete` has set.
    pub completions: Rc<Completions>,
    /// How many commands were read (`\\#` in prompts).
    pub command_number: u32,
    /// `BASH_COMMAND`, where somebody may ask for it.
    pub command: Text,
    /// Whether a script has named `BASH_COMMAND`.
    pub names_command: bool,
    /// What `umask` has set; none where it is as the process started.
    pub umask: Option<u32>,
    /// What `ulimit` has set, by its letter.
    pub limits: Rc<BTreeMap<u8, SoftAndHard>>,
    /// Whether `codepod: hint:` lines are printed.
    pub hints: bool,
    /// `-i`
    pub interactive: bool,
    /// The script's file as it was named: `BASH_SOURCE` at the bottom.
    pub script: Text,
    /// `-c`, `-s` or a script file: what `$-` shows.
    pub invocation: Invocation,
}

impl State {
    /// Whether a state that was cloned from this one, or the other way round, differs in nothing
    /// that the next run could see. Values that were written count as changed, whatever was
    /// written.
    pub fn is_same(&self, other: &State) -> bool {
        self.variables.is_same(&other.variables)
            && Rc::ptr_eq(&self.functions, &other.functions)
            && Rc::ptr_eq(&self.aliases, &other.aliases)
            && self.set == other.set
            && self.shopt == other.shopt
            && Rc::ptr_eq(&self.traps, &other.traps)
            && Rc::ptr_eq(&self.positional, &other.positional)
            && self.zero == other.zero
            && self.last_background == other.last_background
            && self.directory == other.directory
            && Rc::ptr_eq(&self.directory_stack, &other.directory_stack)
            && self.getopts == other.getopts
            && Rc::ptr_eq(&self.hash, &other.hash)
            && Rc::ptr_eq(&self.disabled_builtins, &other.disabled_builtins)
            && Rc::ptr_eq(&self.history, &other.history)
            && self.history_written == other.history_written
            && Rc::ptr_eq(&self.completions, &other.completions)
            && self.umask == other.umask
            && Rc::ptr_eq(&self.limits, &other.limits)
    }
}

/// A soft limit and a hard one; none is unlimited.
pub type SoftAndHard = (Option<i64>, Option<i64>);

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
}

/// A function.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Definition {
    tree: Rc<Tree>,
    /// Where it was defined (`BASH_SOURCE`).
    pub source: Text,
    /// `export -f`
    pub exported: bool,
    /// `readonly -f`
    pub readonly: bool,
    /// `declare -ft`
    pub traced: bool,
}

impl Definition {
    /// A function without attributes.
    pub fn new(function: Rc<Function>, source: Text) -> Definition {
        Definition {
            tree: Rc::new(Tree {
                function: OnceCell::from(function),
                encoded: OnceCell::new(),
            }),
            source,
            exported: false,
            readonly: false,
            traced: false,
        }
    }

    /// Its tree.
    #[inline]
    pub fn function(&self) -> &Rc<Function> {
        match self.tree.function.get() {
            Some(function) => function,
            None => self.tree.decode(),
        }
    }
}

/// The tree of a function, as it is and as it travels. A child shell gets all functions and calls
/// few: each is encoded once and decoded when it is first called.
#[derive(Debug)]
struct Tree {
    function: OnceCell<Rc<Function>>,
    encoded: OnceCell<Box<[u8]>>,
}

impl Tree {
    #[cold]
    fn decode(&self) -> &Rc<Function> {
        self.function.get_or_init(|| {
            let encoded = self.encoded.get().map_or(&[][..], |bytes| bytes);
            // What was encoded here can be decoded here; a state from elsewhere is checked by its
            // version.
            Rc::new(postcard::from_bytes(encoded).unwrap_or_else(|_| Function {
                name: Bytes::default(),
                body: Command {
                    kind: CommandKind::Group(List::default()),
                    redirects: Vec::new(),
                    line: 0,
                    span: Span::default(),
                },
                keyword: false,
            }))
        })
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let encoded = self.encoded.get_or_init(|| {
            let bytes = self.function.get().map(postcard::to_allocvec);
            bytes.and_then(Result::ok).unwrap_or_default().into()
        });
        serializer.serialize_bytes(encoded)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        let encoded = <&'de [u8]>::deserialize(deserializer)?;
        Ok(Tree {
            function: OnceCell::new(),
            encoded: OnceCell::from(Box::from(encoded)),
        })
    }
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
    /// `line_shift` of the caller, put aside.
    pub line_shift: u32,
    /// What it was called with, where `extdebug` asks for it.
    pub arguments: Option<Rc<Vec<Text>>>,
    /// Whether it is a sourced file.
    pub sourced: bool,
}
