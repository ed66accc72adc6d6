//! The module of the small tools.

use codepod_utilities::{
    column, envsubst, getent, hexdump, pager, screen, strings, tree, which, xxd,
};

codepod_tool::tools! {
    "clear": screen::clear, "clear the screen";
    "column": column::main, "lines as columns or as a table";
    "envsubst": envsubst::main, "put variables of the environment into a text";
    "getent": getent::main, "print entries of the lists of users, groups and hosts";
    "hd": hexdump::main, "dump in hexadecimal";
    "hexdump": hexdump::main, "dump in hexadecimal, decimal, octal or as text";
    "less": pager::main, "show text a screen at a time";
    "more": pager::main, "show text a screen at a time";
    "reset": screen::reset, "set the terminal to its initial state";
    "strings": strings::main, "print the printable runs in files";
    "tput": screen::tput, "print what the terminal understands";
    "tree": tree::main, "list directories as a tree";
    "which": which::main, "where commands are";
    "xxd": xxd::main, "dump in hexadecimal, and back";
}
