//! The command line of `bash`, and the modes it runs in.

mod arguments;
mod input;
mod interactive;
mod session;
mod start;

use codepod_shell_syntax::Parser;
use codepod_sys::file::{self, OpenOptions, mode};
use codepod_sys::{Errno, descriptor, environment, process};

use crate::child;
use crate::exec::{Script, note_names, parser_options};
use crate::fds::Owned;
use crate::flow::Run;
use crate::path;
use crate::shell::Shell;
use crate::text::Text;
use arguments::{Arguments, Mode};
use input::Lines;
pub(crate) use input::Place;

/// The option that makes the program serve the host.
const SESSION: &[u8] = b"--codepod-session";

/// Runs the shell as its arguments say.
pub fn main() -> ! {
    let arguments = environment::arguments().unwrap_or_default();
    match arguments.get(1).map(Vec::as_slice) {
        Some(option) if option == child::OPTION.as_bytes() => child::main(),
        Some(SESSION) => session::main(),
        _ => {}
    }
    process::exit(run(&arguments))
}

fn run(arguments: &[Vec<u8>]) -> u32 {
    let parsed = match arguments::parse(arguments) {
        Ok(parsed) => parsed,
        Err(end) => {
            let _ = descriptor::write_all(end.to, &end.text);
            return end.status;
        }
    };
    let mut shell = start::shell(&parsed);
    let result = start::files(&mut shell, &parsed).and_then(|()| script(&mut shell, &parsed));
    child::finish(&mut shell, result)
}

fn script(shell: &mut Shell, arguments: &Arguments) -> Run {
    match &arguments.mode {
        Mode::Command(text) => {
            note_names(shell, text);
            let parser = Parser::new(text, parser_options(shell, 1));
            Script::new(parser, "-c", true).run(shell)
        }
        Mode::File(path) => file(shell, path),
        Mode::Input => input(shell),
    }
}

/// Runs the script on standard input, line by line, so that its commands can read what follows.
fn input(shell: &mut Shell) -> Run {
    let mut lines = Lines::default();
    let place = lines.place();
    if shell.state.interactive {
        interactive::start(shell)?;
    }
    let parser = Parser::from_source(&mut lines, parser_options(shell, 1));
    let result = Script::new(parser, "", true).with_input(place).run(shell);
    if shell.state.interactive {
        interactive::end(shell, result.is_ok());
    }
    result
}

fn file(shell: &mut Shell, name: &Text) -> Run {
    let text = match read(shell, name) {
        Ok(text) => text,
        Err((message, status)) => {
            // What is known to be no script has the name already.
            let zero = if message.ends_with(BINARY.as_bytes()) {
                name
            } else {
                &shell.state.zero
            };
            let line = [&**zero, b": ", &message, b"\n"].concat();
            let _ = shell.fds.write(2, &line);
            shell.state.status = status;
            return Ok(());
        }
    };
    shell.state.zero = name.clone();
    note_names(shell, &text);
    let parser = Parser::new(&text, parser_options(shell, 1));
    Script::new(parser, "", true).run(shell)
}

const BINARY: &str = ": cannot execute binary file";

/// The text of a script, or bash's message and status.
fn read(shell: &Shell, name: &Text) -> Result<Vec<u8>, (Vec<u8>, i32)> {
    let say = |message: &str| [name, message.as_bytes()].concat();
    let mut opened = file::open(&shell.fds.path(name), OpenOptions::READ);
    if opened == Err(Errno::NoEnt) && !name.contains(&b'/') {
        // Not here: along PATH.
        let found = path::variable(shell).and_then(|list| path::search(&list, name));
        if let Some(found) = found {
            opened = file::open(&found, OpenOptions::READ);
        }
    }
    let refused = |errno: Errno| {
        let status = if errno == Errno::NoEnt { 127 } else { 126 };
        (say(&[": ", errno.message()].concat()), status)
    };
    let file = Owned::new(opened.map_err(refused)?);
    let is_directory =
        file::stat_open(file.fd()).is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::DIRECTORY);
    if is_directory {
        return Err((say(": Is a directory"), 126));
    }
    let mut text = Vec::new();
    let mut buffer = [0u8; 16384];
    loop {
        match descriptor::read(file.fd(), &mut buffer) {
            Ok(0) => break,
            Ok(count) => text.extend_from_slice(&buffer[..count]),
            Err(Errno::Intr) => crate::traps::collect(),
            Err(errno) => return Err(refused(errno)),
        }
    }
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.iter().take(80).any(|byte| *byte == 0) {
        return Err((say(BINARY), 126));
    }
    text.retain(|byte| *byte != 0);
    Ok(text)
}
