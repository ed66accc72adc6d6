//! sed: what GNU sed 4.9 does with a script, to the byte and to its messages.

mod arguments;
mod command;
mod ed;
mod escape;
mod input;
mod list;
mod output;
mod parse;
mod replacement;
mod run;

codepod_tool::tools! {
    "ed": ed::main, "edit a file line by line";
    "sed": sed, "edit a stream of lines by a script";
}

fn sed(_: &str, arguments: codepod_tool::Arguments) -> i32 {
    codepod_posix_regex::set_locale();
    match arguments::parse(arguments) {
        Ok((asked, commands)) => run::run(&asked, &commands),
        Err(status) => status,
    }
}
