//! bc: its command line, and the way from input to statements.

mod expression;
pub mod parse;
pub mod run;
pub mod syntax;
pub mod token;

use std::io::Read as _;

use codepod_tool::{Arguments, Found, Opt, Options, Output, complain, flag, io_text};

use parse::Parser;
use run::{Machine, Stop};
use token::Mistake;

#[derive(Debug, Clone, Copy)]
enum Key {
    Library,
    /// What is always so: GNU's additions, no welcome, no prompt.
    Nothing,
    Standard,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Library, b'l', "mathlib"),
    flag(Key::Nothing, b'q', "quiet"),
    flag(Key::Nothing, b'i', "interactive"),
    flag(Key::Nothing, b'w', "warn"),
    flag(Key::Standard, b's', "standard"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'v', "version"),
];

const HELP: &str = "\
usage: bc [options] [file ...]
  -h  --help         print this usage and exit
  -i  --interactive  force interactive mode
  -l  --mathlib      use the predefined math routines
  -q  --quiet        don't print initial banner
  -w  --warn         warn about non-standard bc constructs
  -v  --version      print version information and exit
";

/// bc as a tool.
pub fn main(name: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut machine = Machine::new();
    let mut files = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Option(key, _))) => match key {
                Key::Library => machine.use_library(),
                Key::Nothing => {}
                Key::Standard => {
                    complain(name, "option -s is not supported");
                    return 1;
                }
                Key::Help => return print(HELP),
                Key::Version => {
                    return print("bc (codepod) 0.1.0, with the language of GNU bc 1.07.1\n");
                }
            },
            Ok(Some(Found::Operand(file))) => files.push(file),
            Ok(None) => break,
            Err(usage) => {
                complain(name, &usage.message);
                let _ = std::io::Write::write_all(&mut std::io::stderr(), HELP.as_bytes());
                return 1;
            }
        }
    }
    for file in files {
        let shown = String::from_utf8_lossy(&file).into_owned();
        match std::fs::read(codepod_tool::path(&file)) {
            Ok(text) => {
                if let Stop::Quit = run(&mut machine, &text, &shown) {
                    return machine.finish();
                }
            }
            Err(_) => {
                machine.flush();
                let line = format!("File {shown} is unavailable.\n");
                let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
                return 1;
            }
        }
    }
    let mut text = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut text) {
        complain(name, format!("read error: {}", io_text(&error)));
        return 1;
    }
    run(&mut machine, &text, "(standard_in)");
    machine.finish()
}

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    i32::from(out.finish().is_err())
}

/// Runs a text, statement lists one after the other as they are complete.
fn run(machine: &mut Machine, text: &[u8], name: &str) -> Stop {
    let mut parser = Parser::new(text);
    loop {
        let item = parser.item();
        let illegal = parser.take_illegal();
        for mistake in &illegal {
            machine.flush();
            tell(name, mistake);
        }
        match item {
            Ok(None) => return Stop::End,
            // A line with a mistake in it does nothing.
            Ok(Some(_)) if !illegal.is_empty() => {}
            Ok(Some(item)) => {
                // `read()` takes lines from where the parser is.
                machine.rest = text.get(parser.position()..).unwrap_or(b"").to_vec();
                machine.taken = 0;
                let stop = machine.item(item);
                parser.skip(machine.taken);
                if let Stop::Quit = stop {
                    return Stop::Quit;
                }
            }
            Err(mistake) => {
                machine.flush();
                tell(name, &mistake);
            }
        }
    }
}

fn tell(name: &str, mistake: &Mistake) {
    let line = format!("{name} {}: {}\n", mistake.line, mistake.message);
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
}
