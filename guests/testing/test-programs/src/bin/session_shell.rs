//! A stand-in for the shell: serves the host with a few words of its own, one command a line.

use std::collections::BTreeMap;
use std::time::Duration;

use codepod_sys::descriptor::{read, write_all};
use codepod_sys::process::{self, Of, WaitOptions};
use codepod_sys::session::{self, Request, Run, strings};
use codepod_sys::{Errno, Fd, Spawn, poll};

const NO_WAITING: WaitOptions = WaitOptions {
    nohang: true,
    stopped: false,
    continued: false,
};

/// Variables, as a shell has them.
type Variables = BTreeMap<String, String>;

fn main() -> Result<(), Errno> {
    codepod_sys::init()?;
    let mut variables = Variables::new();
    let mut buffer = Vec::new();
    loop {
        session::next(&mut buffer)?;
        // Children that ended meanwhile; nobody asks for their statuses.
        let reap = || process::wait_with(Of::Any, NO_WAITING);
        while reap().is_ok_and(|child| child.is_some()) {}
        let (status, state) = match Request::decode(&buffer) {
            Some(Request::Load { state }) => (load(state, &mut variables), None),
            Some(Request::Run(script)) => (run(&script, &mut variables)?, Some(save(&variables))),
            Some(Request::End) => {
                let _ = std::fs::write("/tmp/closed", "");
                (0, None)
            }
            None => (1, None),
        };
        session::done(status, state.as_deref())?;
    }
}

fn save(variables: &Variables) -> Vec<u8> {
    let mut text = String::from("state\n");
    for (name, value) in variables {
        text += &format!("{name}={value}\n");
    }
    text.into_bytes()
}

fn load(state: &[u8], variables: &mut Variables) -> u8 {
    let Ok(text) = std::str::from_utf8(state) else {
        return 1;
    };
    let Some(text) = text.strip_prefix("state\n") else {
        return 1;
    };
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    *variables = pairs.map(|(a, b)| (a.into(), b.into())).collect();
    0
}

fn run(script: &Run<'_>, variables: &mut Variables) -> Result<u8, Errno> {
    let text = String::from_utf8_lossy(script.script).into_owned();
    let mut status = 0;
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "echo" => write_all(Fd::STDOUT, format!("{rest}\n").as_bytes())?,
            "complain" => write_all(Fd::STDERR, format!("{rest}\n").as_bytes())?,
            "set" => {
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                variables.insert(name.into(), value.into());
            }
            "get" => {
                let value = variables.get(rest).map_or("", String::as_str);
                write_all(Fd::STDOUT, format!("{value}\n").as_bytes())?;
            }
            "env" => {
                for variable in strings(script.env) {
                    write_all(Fd::STDOUT, &[variable, b"\n"].concat())?;
                }
            }
            "arguments" => {
                for argument in strings(script.arguments) {
                    write_all(Fd::STDOUT, &[argument, b"\n"].concat())?;
                }
            }
            "cat" => copy()?,
            "status" => status = rest.parse().unwrap_or(1),
            "sleep" => poll::sleep(Duration::from_millis(rest.parse().unwrap_or(0)))?,
            "write" => {
                let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
                let _ = std::fs::write(path, text);
            }
            "pid" => {
                let pid = process::ids()?.pid.0;
                write_all(Fd::STDOUT, format!("{pid}\n").as_bytes())?;
            }
            // In the background, or to its end.
            "start" | "run" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let child = Spawn::new(format!("/bin/{}", words[0]))
                    .args(&words)
                    .stdio();
                let pid = child.start()?;
                if word == "run" {
                    status = process::wait(Of::Process(pid))?.1.code() as u8;
                }
            }
            "open" => {
                let opened = std::fs::File::create(rest).map_err(|_| Errno::Io)?;
                std::mem::forget(opened);
            }
            "spin" => loop {
                std::hint::black_box(0);
            },
            "panic" => panic!("on purpose"),
            "exit" => process::exit(rest.parse().unwrap_or(0)),
            "hints" => write_all(Fd::STDOUT, format!("{}\n", script.flags).as_bytes())?,
            _ => status = 127,
        }
    }
    Ok(status)
}

fn copy() -> Result<(), Errno> {
    let mut buffer = [0; 4096];
    loop {
        match read(Fd::STDIN, &mut buffer)? {
            0 => return Ok(()),
            count => write_all(Fd::STDOUT, &buffer[..count])?,
        }
    }
}
