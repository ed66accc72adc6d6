//! Programmable completion: what `complete` has set, and the words that come out of it.

mod generate;
mod sources;

use serde::{Deserialize, Serialize};

use crate::text::Text;

pub use generate::{Context, announce, for_line, generate};
pub(crate) use sources::read as read_file;

/// The name under which `complete -D` is kept: for commands without a specification.
pub const DEFAULT: &[u8] = b"_DefaultCmD_";
/// The name under which `complete -E` is kept: for an empty line.
pub const EMPTY: &[u8] = b"_EmptycmD_";
/// The name under which `complete -I` is kept: for the first word.
pub const INITIAL: &[u8] = b"_InitialWorD_";

/// Declares a set of flags with their names.
macro_rules! names {
    ($(#[$doc:meta])* $table:ident: $($name:literal $letter:expr),* $(,)?) => {
        $(#[$doc])*
        pub const $table: &[(&str, Option<u8>)] = &[$(($name, $letter)),*];
    };
}

names! {
    /// The actions with their letters, in the order in which `complete -p` prints them. An action
    /// is its place here.
    ACTIONS:
    "alias" Some(b'a'), "builtin" Some(b'b'), "command" Some(b'c'), "directory" Some(b'd'), "export" Some(b'e'),
    "file" Some(b'f'), "group" Some(b'g'), "job" Some(b'j'), "keyword" Some(b'k'), "service" Some(b's'),
    "user" Some(b'u'), "variable" Some(b'v'), "arrayvar" None, "binding" None, "disabled" None, "enabled" None,
    "function" None, "helptopic" None, "hostname" None, "running" None, "setopt" None, "shopt" None, "signal" None,
    "stopped" None,
}

names! {
    /// The options of `-o`, in the order in which they are printed. An option is its place here.
    OPTIONS:
    "bashdefault" None, "default" None, "dirnames" None, "filenames" None, "noquote" None, "nosort" None,
    "nospace" None, "plusdirs" None,
}

/// The place of a name in one of the tables.
pub fn place(table: &[(&str, Option<u8>)], name: &[u8]) -> Option<u32> {
    let place = table
        .iter()
        .position(|(known, _)| known.as_bytes() == name)?;
    Some(place as u32)
}

/// How a command's arguments are completed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spec {
    /// The actions, as bits.
    pub actions: u32,
    /// The options, as bits.
    pub options: u32,
    /// `-G`
    pub glob: Option<Text>,
    /// `-W`
    pub words: Option<Text>,
    /// `-P`
    pub prefix: Option<Text>,
    /// `-S`
    pub suffix: Option<Text>,
    /// `-X`
    pub filter: Option<Text>,
    /// `-C`
    pub command: Option<Text>,
    /// `-F`
    pub function: Option<Text>,
}

impl Spec {
    /// Whether it has an action.
    pub fn has_action(&self, name: &str) -> bool {
        place(ACTIONS, name.as_bytes()).is_some_and(|place| self.actions >> place & 1 == 1)
    }

    /// Whether it has an option.
    pub fn has_option(&self, name: &str) -> bool {
        place(OPTIONS, name.as_bytes()).is_some_and(|place| self.options >> place & 1 == 1)
    }
}

/// All specifications, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Completions(Vec<(Text, Spec)>);

impl Completions {
    /// The specification of a command.
    pub fn get(&self, name: &[u8]) -> Option<&Spec> {
        self.0
            .iter()
            .find(|(known, _)| &known[..] == name)
            .map(|(_, spec)| spec)
    }

    /// The specification for a command, to be changed.
    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut Spec> {
        self.0
            .iter_mut()
            .find(|(known, _)| &known[..] == name)
            .map(|(_, spec)| spec)
    }

    /// Sets the specification of a command.
    pub fn set(&mut self, name: Text, spec: Spec) {
        match self.get_mut(&name) {
            Some(old) => *old = spec,
            None => self.0.push((name, spec)),
        }
    }

    /// Removes one; false when there was none.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        let count = self.0.len();
        self.0.retain(|(known, _)| &known[..] != name);
        self.0.len() < count
    }

    /// All, in the order in which bash lists them: that of its hash table.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Spec)> {
        const BUCKETS: u32 = 512;
        let mut all: Vec<(usize, &(Text, Spec))> = self.0.iter().enumerate().collect();
        crate::sort::by_key(&mut all, |(number, (name, _))| {
            (hash(name) % BUCKETS, std::cmp::Reverse(*number))
        });
        all.into_iter().map(|(_, (name, spec))| (name, spec))
    }
}

/// bash's `hash_string`.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(2_166_136_261, |hash: u32, byte| {
        hash.wrapping_mul(16_777_619) ^ u32::from(*byte)
    })
}
