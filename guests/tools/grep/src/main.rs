//! grep, egrep and fgrep: what GNU grep 3.8 prints, to the byte.
//!
//! A file is read in blocks, and the whole block is searched at once; only lines that match are
//! looked at.

mod arguments;
mod colors;
mod exclude;
mod file;
mod matcher;
mod output;
mod walk;

codepod_tool::tools! {
    "grep": grep, "print lines that match a pattern";
    "egrep": egrep, "print lines that match an extended regular expression";
    "fgrep": fgrep, "print lines that contain a string";
}

fn grep(_: &str, arguments: codepod_tool::Arguments) -> i32 {
    walk::run(arguments)
}

fn egrep(_: &str, mut arguments: codepod_tool::Arguments) -> i32 {
    arguments.insert(0, b"-E".to_vec());
    walk::run(arguments)
}

fn fgrep(_: &str, mut arguments: codepod_tool::Arguments) -> i32 {
    arguments.insert(0, b"-F".to_vec());
    walk::run(arguments)
}
