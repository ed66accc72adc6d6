//! Names of variables, interned: a name is a number, so that looking up a variable is indexing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a variable. Two equal names are the same number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

/// Names that the shell itself knows: each is a constant, and has the same number in every process.
macro_rules! well_known {
    ($($name:ident)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "variables are written so")]
        enum Number { UNDERSCORE, $($name),* }

        impl Name {
            /// `_`
            pub const UNDERSCORE: Name = Name(Number::UNDERSCORE as u32);
            $(#[doc = concat!("`", stringify!($name), "`")] pub const $name: Name = Name(Number::$name as u32);)*
        }

        const WELL_KNOWN: &[&str] = &["_", $(stringify!($name)),*];
    };
}

well_known! {
    IFS PATH HOME PWD OLDPWD RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME BASHPID BASH_SUBSHELL
    FUNCNAME BASH_SOURCE BASH_LINENO BASH_COMMAND BASH_ARGC BASH_ARGV BASH_ARGV0 PIPESTATUS DIRSTACK GROUPS
    UID EUID PPID HISTCMD BASH BASH_VERSION BASH_VERSINFO BASH_ALIASES BASH_CMDS BASH_EXECUTION_STRING
    BASH_XTRACEFD BASH_REMATCH BASH_COMPAT BASH_LOADABLES_PATH HOSTNAME HOSTTYPE MACHTYPE OSTYPE SHELLOPTS
    BASHOPTS OPTIND OPTARG OPTERR SHLVL SHELL PS1 PS2 PS3 PS4 PROMPT_COMMAND REPLY MAPFILE COPROC GLOBIGNORE
    LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME LC_MESSAGES LANG TZ TIMEFORMAT TMPDIR HISTCONTROL HISTIGNORE
    HISTSIZE HISTFILE HISTFILESIZE HISTTIMEFORMAT IGNOREEOF POSIXLY_CORRECT FUNCNEST CDPATH COLUMNS LINES TERM
    TMOUT EXECIGNORE CHILD_MAX COMP_WORDBREAKS COMP_WORDS COMP_CWORD COMP_LINE COMP_POINT COMP_TYPE COMP_KEY
    COMPREPLY
}

struct Names {
    numbers: HashMap<Rc<[u8]>, u32>,
    bytes: Vec<Rc<[u8]>>,
}

impl Names {
    /// With the well-known ones at their numbers.
    fn new() -> Names {
        let bytes: Vec<Rc<[u8]>> = WELL_KNOWN
            .iter()
            .map(|name| name.as_bytes().into())
            .collect();
        let numbers = bytes.iter().cloned().zip(0..).collect();
        Names { numbers, bytes }
    }
}

thread_local! {
    static NAMES: RefCell<Names> = RefCell::new(Names::new());
}

impl Name {
    /// The name with these bytes.
    pub fn new(bytes: &[u8]) -> Name {
        NAMES.with_borrow_mut(|names| {
            if let Some(&number) = names.numbers.get(bytes) {
                return Name(number);
            }
            let number = names.bytes.len() as u32;
            let bytes: Rc<[u8]> = bytes.into();
            names.bytes.push(Rc::clone(&bytes));
            names.numbers.insert(bytes, number);
            Name(number)
        })
    }

    /// The name with these bytes, if anything has used it.
    pub fn known(bytes: &[u8]) -> Option<Name> {
        NAMES.with_borrow(|names| names.numbers.get(bytes).copied().map(Name))
    }

    /// Its bytes.
    pub fn bytes(self) -> Rc<[u8]> {
        NAMES.with_borrow(|names| Rc::clone(&names.bytes[self.0 as usize]))
    }

    /// Whether it is one of those that the shell itself knows.
    #[inline]
    pub const fn is_well_known(self) -> bool {
        (self.0 as usize) < WELL_KNOWN.len()
    }

    /// Its number; names are numbered from 0 in the order of their first use.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The name with this number, which must have come from [`Name::index`].
    pub fn at(index: usize) -> Name {
        Name(index as u32)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", String::from_utf8_lossy(&self.bytes()))
    }
}

/// Numbers differ from process to process: a name travels as its bytes.
impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.bytes())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        let bytes = <&'de [u8]>::deserialize(deserializer)?;
        Ok(Name::new(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_well_known_name_is_its_constant() {
        assert_eq!(Name::new(b"IFS"), Name::IFS);
        assert_eq!(&*Name::COMPREPLY.bytes(), b"COMPREPLY");
        assert_eq!(Name::known(b"_"), Some(Name::UNDERSCORE));
    }
}
