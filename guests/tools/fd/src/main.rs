//! `fd`: finds files by pattern, as fd 8.6 does it.
//!
//! One thread walks, so what is found comes sorted as long as it is not much. Colours are left out.

mod exec;
mod filter;
mod settings;
mod walk;

use codepod_tool::{Arguments, Output};

codepod_tool::tools! {
    "fd": main_fd, "find files by pattern, without what git ignores";
}

fn main_fd(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings::Settings::parse(arguments) {
        Ok(settings) => settings,
        Err(settings::Asked::Text(text)) => {
            let mut out = Output::new();
            out.put(text.as_bytes());
            return i32::from(out.finish().is_err());
        }
        Err(settings::Asked::Mistake(message)) => {
            say(&format!(
                "error: {message}\n\nUsage: {tool} [OPTIONS] [pattern] [path]...\n\nFor more information, try '--help'."
            ));
            return 2;
        }
        Err(settings::Asked::Wrong(message)) => return fail(&message),
    };
    match walk::run(&settings) {
        Ok(status) => status,
        Err(message) => fail(&message),
    }
}

/// Says what went wrong as fd does, and returns its status for that.
fn fail(message: &str) -> i32 {
    say(&format!("[fd error]: {message}"));
    1
}

/// Writes a line to standard error. Where that is gone there is nobody to tell.
fn say(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{text}\n").as_bytes());
}
