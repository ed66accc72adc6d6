//! ripgrep itself, from its own sources.

use codepod_tool::Arguments;

codepod_tool::tools! {
    "rg": rg, "search directories for a regular expression";
}

/// `rg`. ripgrep reads the arguments itself.
fn rg(_: &str, _: Arguments) -> i32 {
    ripgrep_core::main()
}
