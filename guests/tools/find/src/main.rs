//! find and xargs, as GNU findutils 4.9 has them.

mod child;
mod evaluate;
mod expression;
mod format;
mod moment;
mod parse;
mod perm;
mod stat;
mod walk;
mod xargs;

codepod_tool::tools! {
    "find": find, "look for files in a tree and do something with them";
    "xargs": xargs::main, "run a command with arguments from standard input";
}

fn find(_: &str, arguments: codepod_tool::Arguments) -> i32 {
    codepod_posix_regex::set_locale();
    match parse::parse(arguments) {
        Ok(parsed) => walk::run(parsed),
        Err(status) => status,
    }
}
