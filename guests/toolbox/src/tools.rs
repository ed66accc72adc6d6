//! The table: every tool, once. Dispatch, `toolbox --list` and the commands the image gets come from it.

mod rev;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};

/// A tool's arguments, its name first.
pub(crate) type Arguments = std::vec::IntoIter<OsString>;

/// Whether a tool's relative paths start at the working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directory {
    /// They do.
    Follows,
    /// It opens nothing by a path, so finding the directory out can be spared.
    Ignores,
}

/// A tool.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) directory: Directory,
    /// Runs it and returns its status.
    pub(crate) main: fn(Arguments) -> i32,
}

macro_rules! tools {
    ($($name:literal: $directory:ident, $main:expr, $about:literal;)*) => {
        /// The tool of a name.
        pub(crate) fn find(name: &str) -> Option<Tool> {
            Some(match name {
                $($name => Tool { directory: Directory::$directory, main: $main },)*
                _ => return None,
            })
        }

        /// A line for each: its name, a tab, what it does.
        pub(crate) const NAMES: &str = concat!($($name, "\t", $about, "\n"),*);
    };
}

/// A tool of uutils: its messages are looked up under `$catalogue`.
macro_rules! uutils {
    ($catalogue:literal, $krate:ident) => {
        |arguments| {
            set_up_messages($catalogue);
            $krate::uumain(arguments)
        }
    };
}

/// `cut`, whose characters are bytes, as GNU's are.
fn cut(arguments: Arguments) -> i32 {
    let arguments: Vec<OsString> = arguments
        .map(|argument| characters_as_bytes(&argument).unwrap_or(argument))
        .collect();
    uutils!("cut", uu_cut)(arguments.into_iter())
}

/// `-c` as `-b`, also behind options without values, and `--characters` as `--bytes`.
fn characters_as_bytes(argument: &OsStr) -> Option<OsString> {
    let text = argument.to_str()?;
    if let Some(name) = text.strip_prefix("--") {
        let (name, value) = name.split_at(name.find('=').unwrap_or(name.len()));
        let is_it = name.len() > 1 && "characters".starts_with(name);
        return is_it.then(|| format!("--bytes{value}").into());
    }
    let flags = text.strip_prefix('-')?;
    let place = flags.find(|letter| !matches!(letter, 'n' | 's' | 'z'))?;
    let list = flags[place..].strip_prefix('c')?;
    Some(format!("-{}b{list}", &flags[..place]).into())
}

// Name, whether it needs the working directory, main function, what it does.
tools! {
    "basename": Ignores, uutils!("basename", uu_basename), "strip directory and suffix from paths";
    "cksum": Follows, uutils!("cksum", uu_cksum), "compute and check sums of many kinds";
    "comm": Follows, uutils!("comm", uu_comm), "compare two sorted files line by line";
    "csplit": Follows, uutils!("csplit", uu_csplit), "split a file at lines that match";
    "cut": Follows, cut, "print parts of lines";
    "dircolors": Follows, uutils!("dircolors", uu_dircolors), "print the colours that ls uses";
    "dirname": Ignores, uutils!("dirname", uu_dirname), "strip the last part from paths";
    "echo": Ignores, bare::echo, "print arguments";
    "expand": Follows, uutils!("expand", uu_expand), "turn tabs into spaces";
    "expr": Ignores, uutils!("expr", uu_expr), "evaluate an expression";
    "factor": Ignores, uutils!("factor", uu_factor), "print prime factors";
    "false": Ignores, bare::r#false, "do nothing, unsuccessfully";
    "fmt": Follows, uutils!("fmt", uu_fmt), "fill and join lines of paragraphs";
    "join": Follows, uutils!("join", uu_join), "join lines of two files on a common field";
    "nl": Follows, uutils!("nl", uu_nl), "number lines";
    "numfmt": Ignores, uutils!("numfmt", uu_numfmt), "convert numbers from and to human-readable form";
    "od": Follows, uutils!("od", uu_od), "dump files in octal and other formats";
    "pathchk": Follows, uutils!("pathchk", uu_pathchk), "check whether paths are valid";
    "pr": Follows, uutils!("pr", uu_pr), "lay files out for printing";
    "printenv": Ignores, uutils!("printenv", uu_printenv), "print the environment";
    "printf": Ignores, uutils!("printf", uu_printf), "print arguments in a format";
    "ptx": Follows, uutils!("ptx", uu_ptx), "make a permuted index";
    "pwd": Follows, uutils!("pwd", uu_pwd), "print the working directory";
    "rev": Follows, rev::main, "turn the characters of lines around";
    "seq": Ignores, uutils!("seq", uu_seq), "print a sequence of numbers";
    "shuf": Follows, uutils!("shuf", uu_shuf), "print lines in random order";
    "sleep": Ignores, uutils!("sleep", uu_sleep), "wait";
    "split": Follows, uutils!("split", uu_split), "split a file into pieces";
    "sum": Follows, uutils!("sum", uu_sum), "compute 16-bit sums";
    "tee": Follows, uutils!("tee", uu_tee), "copy stdin to stdout and to files";
    "tr": Ignores, uutils!("tr", uu_tr), "replace or delete characters";
    "true": Ignores, bare::r#true, "do nothing, successfully";
    "tsort": Follows, uutils!("tsort", uu_tsort), "sort by dependency";
    "unexpand": Follows, uutils!("unexpand", uu_unexpand), "turn spaces into tabs";
    "uniq": Follows, uutils!("uniq", uu_uniq), "leave out repeated lines";
}

/// The names for the build, which makes an entry in `/bin` for each: a section of the module, not of its memory.
#[cfg(target_family = "wasm")]
#[expect(
    unsafe_code,
    reason = "naming a section counts as such; nothing else has this one"
)]
#[used]
#[unsafe(link_section = "codepod.commands")]
static COMMANDS: [u8; NAMES.len()] = {
    let mut names = [0; NAMES.len()];
    names.copy_from_slice(NAMES.as_bytes());
    names
};

/// Takes a tool's arguments apart. Fails with the status to end with, after saying why.
fn parse(command: clap::Command, arguments: Arguments) -> Result<clap::ArgMatches, i32> {
    command.try_get_matches_from(arguments).map_err(|error| {
        // Where even that cannot be printed there is nobody to tell.
        let _ = error.print();
        error.exit_code()
    })
}

/// Writes a tool's message. Where stderr is gone there is nobody to tell.
fn complain(tool: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{tool}: {message}");
}

fn set_up_messages(catalogue: &str) {
    // Without its messages a tool shows their names; it still works.
    let _ = uucore::locale::setup_localization(catalogue);
}

/// Tools that need no messages unless something is asked of them that nobody asks.
mod bare {
    use super::{Arguments, set_up_messages};

    pub(super) fn r#true(arguments: Arguments) -> i32 {
        if arguments.len() < 2 {
            return 0;
        }
        set_up_messages("true");
        uu_true::uumain(arguments)
    }

    pub(super) fn r#false(arguments: Arguments) -> i32 {
        if arguments.len() < 2 {
            return 1;
        }
        set_up_messages("false");
        uu_false::uumain(arguments)
    }

    pub(super) fn echo(arguments: Arguments) -> i32 {
        if arguments
            .as_slice()
            .get(1)
            .is_some_and(|first| first == "--help")
        {
            set_up_messages("echo");
        }
        uu_echo::uumain(arguments)
    }
}
