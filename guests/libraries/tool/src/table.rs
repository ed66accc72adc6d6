//! The list of a module's tools, and the way from the name that it is called by to the tool.

use std::io::{self, Write as _};
use std::process::exit;

use crate::{Arguments, complain};

/// A tool's main function: its name and its arguments in, its status out.
pub type Main = fn(&str, Arguments) -> i32;

/// A tool of a module.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The name of its file in `/bin`.
    pub name: &'static str,
    /// Its main function.
    pub main: Main,
}

/// Makes the `main` of a module and its list of commands.
///
/// ```ignore
/// codepod_tool::tools! {
///     "grep": grep::main, "print lines that match a pattern";
///     "egrep": grep::main, "print lines that match an extended regular expression";
/// }
/// ```
#[macro_export]
macro_rules! tools {
    ($($name:literal: $main:expr, $about:literal;)*) => {
        /// Every tool, once.
        const TOOLS: &[$crate::Tool] = &[$($crate::Tool { name: $name, main: $main },)*];

        /// A line for each: its name, a tab, what it does.
        const COMMANDS_TEXT: &str = concat!($($name, "\t", $about, "\n",)*);

        /// The names for the build, which makes `/bin` from them: a section of the module, not of
        /// its memory.
        #[cfg(target_family = "wasm")]
        #[expect(unsafe_code, reason = "naming a section counts as such; nothing else has this one")]
        #[used]
        #[unsafe(link_section = "codepod.commands")]
        static COMMANDS: [u8; COMMANDS_TEXT.len()] = {
            let mut text = [0; COMMANDS_TEXT.len()];
            text.copy_from_slice(COMMANDS_TEXT.as_bytes());
            text
        };

        fn main() {
            $crate::run(env!("CARGO_PKG_NAME"), TOOLS, COMMANDS_TEXT)
        }
    };
}

/// Runs the tool that the first argument names, or with `MODULE NAME ARGUMENT…` the second. Called
/// by [`tools!`].
pub fn run(module: &str, tools: &[Tool], list: &str) -> ! {
    let mut arguments: Arguments =
        codepod_sys::environment::arguments().unwrap_or_else(|_| native_arguments());
    let mut called = base_name(&mut arguments);
    if called == module && find(tools, &called).is_none() {
        called = base_name(&mut arguments);
    }
    let Some(tool) = find(tools, &called) else {
        let (out, status) = match called.as_str() {
            "--list" => (list.to_owned(), 0),
            "" => (
                format!("usage: {module} NAME [ARGUMENT]...\n       {module} --list\n"),
                1,
            ),
            _ => {
                complain(module, format!("unknown tool '{called}'"));
                exit(127);
            }
        };
        // The status says enough where nothing can be written.
        let _ = io::stdout().write_all(out.as_bytes());
        exit(status);
    };
    // Without a directory libc stays at `/`: it was removed, and no relative path leads anywhere.
    let _ = codepod_sys::cwd::follow();
    exit((tool.main)(tool.name, arguments))
}

fn find(tools: &[Tool], name: &str) -> Option<Tool> {
    tools.iter().find(|tool| tool.name == name).copied()
}

/// Takes the first argument away and returns its last part.
fn base_name(arguments: &mut Arguments) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    let first = arguments.remove(0);
    let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or(&first);
    String::from_utf8_lossy(name).into_owned()
}

/// The arguments where there is no kernel of codepod: for trying a tool on the machine itself.
fn native_arguments() -> Arguments {
    std::env::args_os()
        .map(|argument| argument.into_encoded_bytes())
        .collect()
}
