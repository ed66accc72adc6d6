//! `yq`: YAML to JSON, jq, and back.

mod arguments;
mod dump;
mod load;
mod number;

use std::fs::File;
use std::io::{self, Read as _, Write as _};

use codepod_sys::{Signal, signal};
use codepod_tool::{Arguments, Command, Ended, Ends, complain, io_text, path};

use arguments::{Asked, Settings};

codepod_tool::tools! {
    "yq": yq, "filter and change YAML with jq's filters";
}

/// Where jq is.
const JQ: &[u8] = b"/bin/jq";

/// `yq`.
fn yq(_: &str, arguments: Arguments) -> i32 {
    let settings = match arguments::read(arguments) {
        Ok(Asked::Run(settings)) => settings,
        Ok(Asked::Help) => {
            print!("{}", arguments::HELP);
            return 0;
        }
        Ok(Asked::Version) => {
            println!("yq 3.1.0 (codepod)");
            return 0;
        }
        Err(message) => {
            complain("yq", message);
            return 2;
        }
    };
    run(&settings).unwrap_or_else(|failure| {
        complain("yq", failure.message);
        failure.status
    })
}

/// Why yq ends.
struct Failure {
    message: String,
    status: i32,
}

impl Failure {
    fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            status: 1,
        }
    }
}

fn run(settings: &Settings) -> Result<i32, Failure> {
    if settings.files.is_empty() && !settings.null_input && settings.filter.is_none() {
        print!("{}", arguments::HELP);
        return Ok(2);
    }
    if settings.in_place {
        return in_place(settings);
    }
    let inputs = inputs(settings)?;
    let json = convert(&inputs, settings)?;
    match settings.yaml {
        false => feed(settings, &json),
        true => {
            let (text, status) = transform(settings, &json)?;
            let written = io::stdout().write_all(text.as_bytes());
            written
                .and_then(|()| io::stdout().flush())
                .map_err(|error| Failure::new(io_text(&error)))?;
            Ok(status)
        }
    }
}

/// `-i`: each file by itself.
fn in_place(settings: &Settings) -> Result<i32, Failure> {
    if !settings.yaml {
        return Err(Failure::new("-i/--in-place can only be used with -y/-Y"));
    }
    if settings.files.is_empty() {
        return Err(Failure::new(
            "-i/--in-place can only be used with filename arguments, not on standard input",
        ));
    }
    for name in &settings.files {
        let json = convert(&[read(name)?], settings)?;
        let (text, status) = transform(settings, &json)?;
        if status != 0 {
            return Ok(status);
        }
        std::fs::write(path(name), text).map_err(|error| cannot_open(name, &error))?;
    }
    Ok(0)
}

/// The texts: of the files, or of standard input.
fn inputs(settings: &Settings) -> Result<Vec<Vec<u8>>, Failure> {
    if settings.files.is_empty() {
        if settings.null_input {
            return Ok(Vec::new());
        }
        let mut text = Vec::new();
        let read = io::stdin().read_to_end(&mut text);
        read.map_err(|error| Failure::new(format!("<stdin>: {}", io_text(&error))))?;
        return Ok(vec![text]);
    }
    settings.files.iter().map(|name| read(name)).collect()
}

fn read(name: &[u8]) -> Result<Vec<u8>, Failure> {
    if name == b"-" {
        let mut text = Vec::new();
        io::stdin()
            .read_to_end(&mut text)
            .map_err(|error| cannot_open(name, &error))?;
        return Ok(text);
    }
    std::fs::read(path(name)).map_err(|error| cannot_open(name, &error))
}

fn cannot_open(name: &[u8], error: &io::Error) -> Failure {
    let shown = String::from_utf8_lossy(name);
    Failure {
        message: format!(
            "error: argument files: can't open '{shown}': {}",
            io_text(error)
        ),
        status: 2,
    }
}

/// What went wrong with YAML or JSON, as yq words it.
fn trouble(message: &str) -> Failure {
    match message.starts_with("Error:") {
        true => Failure::new(message),
        false => Failure::new(format!("Error running jq: {message}.")),
    }
}

/// All documents as JSON, a line each.
fn convert(inputs: &[Vec<u8>], settings: &Settings) -> Result<String, Failure> {
    let mut json = String::new();
    for input in inputs {
        let text = std::str::from_utf8(input).map_err(|error| {
            let at = error.valid_up_to();
            Failure::new(format!(
                "Error running jq: UnicodeDecodeError: invalid UTF-8 in position {at}."
            ))
        })?;
        load::documents(text, settings.expansion, &mut json)
            .map_err(|message| trouble(&message))?;
    }
    Ok(json)
}

/// Runs jq on this, with its output to ours.
fn feed(settings: &Settings, json: &str) -> Result<i32, Failure> {
    let mut jq = start(settings, Ends::Input)?;
    // jq may end before it has read everything, and says why itself.
    let _ = signal::set_action(Signal::Pipe, signal::Action::Ignore);
    let _ = jq.write_all(json.as_bytes());
    end(jq)
}

/// Runs jq on this, and makes YAML of its output.
fn transform(settings: &Settings, json: &str) -> Result<(String, i32), Failure> {
    // Both ends of a pipe could wait for each other; a file does not.
    let (name, kept) = keep(json);
    let failed = |error: io::Error| Failure::new(format!("{name}: {}", io_text(&error)));
    let started = kept
        .map_err(failed)
        .and_then(|_file| start(settings, Ends::Output));
    // Opened, it is not needed by its name any more.
    let _ = std::fs::remove_file(&name);
    let mut jq = started?;
    let mut output = Vec::new();
    jq.read_to_end(&mut output)
        .map_err(|error| Failure::new(io_text(&error)))?;
    let status = end(jq)?;
    let text = dump::documents(&output, &settings.layout).map_err(|message| trouble(&message))?;
    Ok((text, status))
}

/// Makes a new file with this text standard input; returns its name, too.
fn keep(text: &str) -> (String, io::Result<File>) {
    let mut number = 0_u32;
    loop {
        let name = format!("/tmp/.yq-{number}");
        match File::options().write(true).create_new(true).open(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => {
                number += 1
            }
            Err(error) => return (name, Err(error)),
            Ok(file) => {
                let kept = fill(file, &name, text);
                return (name, kept);
            }
        }
    }
}

fn fill(mut file: File, name: &str, text: &str) -> io::Result<File> {
    file.write_all(text.as_bytes())?;
    drop(file);
    let file = File::open(name)?;
    #[cfg(target_os = "wasi")]
    codepod_sys::descriptor::dup_to(codepod_sys::Fd::of(&file), codepod_sys::Fd::STDIN)
        .map_err(codepod_sys::io_error)?;
    Ok(file)
}

fn start(settings: &Settings, ends: Ends) -> Result<Command, Failure> {
    let mut arguments: Vec<&[u8]> = vec![b"jq"];
    arguments.extend(settings.jq.iter().map(Vec::as_slice));
    Command::start(JQ, &arguments, ends).map_err(|error| {
        let reason = io_text(&error);
        Failure::new(format!(
            "Error starting jq: {reason}. Is jq installed and available on PATH?"
        ))
    })
}

fn end(jq: Command) -> Result<i32, Failure> {
    match jq.wait() {
        Ok(Ended::Exited(status)) => Ok(status),
        Ok(Ended::Signaled(signal)) => Ok(128 + signal),
        Err(error) => Err(Failure::new(io_text(&error))),
    }
}
