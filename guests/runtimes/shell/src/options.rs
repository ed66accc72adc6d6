//! What `set -o` and `shopt` switch.

use serde::{Deserialize, Serialize};

/// Declares the options: a constant for each, and the table that `set -o` or `shopt` lists.
macro_rules! options {
    ($(#[$doc:meta])* $set:ident: $bits:ty, $table:ident { $($constant:ident = $bit:literal, $name:literal, $letter:expr, $default:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $set($bits);

        impl $set {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: $set = $set(1 << $bit);)*

            /// Whether it is on.
            #[inline]
            pub const fn has(self, option: $set) -> bool {
                self.0 & option.0 != 0
            }

            /// Switches one.
            pub fn set(&mut self, option: $set, on: bool) {
                if on { self.0 |= option.0 } else { self.0 &= !option.0 }
            }

            /// The option of a name.
            pub fn named(name: &[u8]) -> Option<$set> {
                $table.iter().find(|(known, ..)| known.as_bytes() == name).map(|(_, _, option)| *option)
            }
        }

        impl Default for $set {
            fn default() -> $set {
                let mut set = $set(0);
                $(set.set($set::$constant, $default);)*
                set
            }
        }

        /// Name, letter and option, sorted by name.
        pub const $table: &[(&str, Option<u8>, $set)] = &[$(($name, $letter, $set::$constant)),*];
    };
}

options! {
    /// Options of `set -o`.
    SetOptions: u32, SET_OPTIONS {
        ALLEXPORT = 0, "allexport", Some(b'a'), false;
        BRACEEXPAND = 1, "braceexpand", Some(b'B'), true;
        EMACS = 2, "emacs", None, false;
        ERREXIT = 3, "errexit", Some(b'e'), false;
        ERRTRACE = 4, "errtrace", Some(b'E'), false;
        FUNCTRACE = 5, "functrace", Some(b'T'), false;
        HASHALL = 6, "hashall", Some(b'h'), true;
        HISTEXPAND = 7, "histexpand", Some(b'H'), false;
        HISTORY = 8, "history", None, false;
        IGNOREEOF = 9, "ignoreeof", None, false;
        INTERACTIVE_COMMENTS = 10, "interactive-comments", None, true;
        KEYWORD = 11, "keyword", Some(b'k'), false;
        MONITOR = 12, "monitor", Some(b'm'), false;
        NOCLOBBER = 13, "noclobber", Some(b'C'), false;
        NOEXEC = 14, "noexec", Some(b'n'), false;
        NOGLOB = 15, "noglob", Some(b'f'), false;
        NOLOG = 16, "nolog", None, false;
        NOTIFY = 17, "notify", Some(b'b'), false;
        NOUNSET = 18, "nounset", Some(b'u'), false;
        ONECMD = 19, "onecmd", Some(b't'), false;
        PHYSICAL = 20, "physical", Some(b'P'), false;
        PIPEFAIL = 21, "pipefail", None, false;
        POSIX = 22, "posix", None, false;
        PRIVILEGED = 23, "privileged", Some(b'p'), false;
        VERBOSE = 24, "verbose", Some(b'v'), false;
        VI = 25, "vi", None, false;
        XTRACE = 26, "xtrace", Some(b'x'), false;
    }
}

options! {
    /// Options of `shopt`.
    ShellOptions: u64, SHELL_OPTIONS {
        AUTOCD = 0, "autocd", None, false;
        ASSOC_EXPAND_ONCE = 1, "assoc_expand_once", None, false;
        CDABLE_VARS = 2, "cdable_vars", None, false;
        CDSPELL = 3, "cdspell", None, false;
        CHECKHASH = 4, "checkhash", None, false;
        CHECKJOBS = 5, "checkjobs", None, false;
        CHECKWINSIZE = 6, "checkwinsize", None, true;
        CMDHIST = 7, "cmdhist", None, true;
        COMPAT31 = 8, "compat31", None, false;
        COMPAT32 = 9, "compat32", None, false;
        COMPAT40 = 10, "compat40", None, false;
        COMPAT41 = 11, "compat41", None, false;
        COMPAT42 = 12, "compat42", None, false;
        COMPAT43 = 13, "compat43", None, false;
        COMPAT44 = 14, "compat44", None, false;
        COMPLETE_FULLQUOTE = 15, "complete_fullquote", None, true;
        DIREXPAND = 16, "direxpand", None, false;
        DIRSPELL = 17, "dirspell", None, false;
        DOTGLOB = 18, "dotglob", None, false;
        EXECFAIL = 19, "execfail", None, false;
        EXPAND_ALIASES = 20, "expand_aliases", None, false;
        EXTDEBUG = 21, "extdebug", None, false;
        EXTGLOB = 22, "extglob", None, false;
        EXTQUOTE = 23, "extquote", None, true;
        FAILGLOB = 24, "failglob", None, false;
        FORCE_FIGNORE = 25, "force_fignore", None, true;
        GLOBASCIIRANGES = 26, "globasciiranges", None, true;
        GLOBSKIPDOTS = 27, "globskipdots", None, true;
        GLOBSTAR = 28, "globstar", None, false;
        GNU_ERRFMT = 29, "gnu_errfmt", None, false;
        HISTAPPEND = 30, "histappend", None, false;
        HISTREEDIT = 31, "histreedit", None, false;
        HISTVERIFY = 32, "histverify", None, false;
        HOSTCOMPLETE = 33, "hostcomplete", None, true;
        HUPONEXIT = 34, "huponexit", None, false;
        INHERIT_ERREXIT = 35, "inherit_errexit", None, false;
        INTERACTIVE_COMMENTS = 36, "interactive_comments", None, true;
        LASTPIPE = 37, "lastpipe", None, false;
        LITHIST = 38, "lithist", None, false;
        LOCALVAR_INHERIT = 39, "localvar_inherit", None, false;
        LOCALVAR_UNSET = 40, "localvar_unset", None, false;
        LOGIN_SHELL = 41, "login_shell", None, false;
        MAILWARN = 42, "mailwarn", None, false;
        NO_EMPTY_CMD_COMPLETION = 43, "no_empty_cmd_completion", None, false;
        NOCASEGLOB = 44, "nocaseglob", None, false;
        NOCASEMATCH = 45, "nocasematch", None, false;
        NOEXPAND_TRANSLATION = 46, "noexpand_translation", None, false;
        NULLGLOB = 47, "nullglob", None, false;
        PATSUB_REPLACEMENT = 48, "patsub_replacement", None, true;
        PROGCOMP = 49, "progcomp", None, true;
        PROGCOMP_ALIAS = 50, "progcomp_alias", None, false;
        PROMPTVARS = 51, "promptvars", None, true;
        RESTRICTED_SHELL = 52, "restricted_shell", None, false;
        SHIFT_VERBOSE = 53, "shift_verbose", None, false;
        SOURCEPATH = 54, "sourcepath", None, true;
        VARREDIR_CLOSE = 55, "varredir_close", None, false;
        XPG_ECHO = 56, "xpg_echo", None, false;
    }
}
