//! `codepod exec -- TOOL ARGUMENTS…`: one tool, with the terminal's or pipe's own streams.

use std::io::{Read, Write};
use std::time::Duration;

use clap::Args;
use codepod::{
    Error, Mount, MountAccess, Options, PipeReader, PipeWriter, Running, Runtime, RuntimeOptions,
    Sandbox,
};

/// Exit status at the timeout, as `timeout(1)` has it.
const TIMED_OUT: u8 = 124;

#[derive(Args)]
pub(crate) struct Exec {
    /// Show a host directory: HOST:GUEST, then `:ro` (default), `:rw`, or `:overlay` to keep changes inside
    #[arg(short, long = "mount", value_name = "HOST:GUEST[:ACCESS]", value_parser = parse_mount)]
    mounts: Vec<Mount>,
    /// Set an environment variable
    #[arg(short, long = "env", value_name = "NAME=VALUE", value_parser = parse_variable)]
    env: Vec<(String, String)>,
    /// Working directory in the sandbox
    #[arg(short = 'C', long, value_name = "DIRECTORY")]
    cwd: Option<String>,
    /// Stop after so many seconds
    #[arg(short, long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    /// Memory of a process in megabytes
    #[arg(long, value_name = "MB")]
    memory: Option<usize>,
    /// Allow files of the sandbox that hold WebAssembly modules to be run
    #[arg(long)]
    allow_foreign_modules: bool,
    /// The tool and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "TOOL"
    )]
    argv: Vec<std::ffi::OsString>,
}

impl Exec {
    pub(crate) fn run(self) -> Result<u8, Error> {
        let mut options = Options::default();
        options.mounts = self.mounts;
        options.env = self.env;
        options.allow_foreign_modules = self.allow_foreign_modules;
        if let Some(cwd) = self.cwd {
            options.cwd = cwd;
        }
        if let Some(timeout) = self.timeout {
            options.timeout = timeout;
        }
        if let Some(megabytes) = self.memory {
            options.limits.memory_bytes = megabytes << 20;
        }
        let timeout = options.timeout;
        let sandbox = create(options)?;
        let argv: Vec<&[u8]> = self
            .argv
            .iter()
            .map(|word| word.as_encoded_bytes())
            .collect();
        let mut running = sandbox.command(argv).start()?;
        if let Some(stdin) = running.stdin.take() {
            // Not joined: a read of a terminal that never ends must not keep the program alive.
            std::thread::spawn(move || pass_in(stdin));
        }
        let out = running
            .stdout
            .take()
            .map(|stream| std::thread::spawn(move || pass_out(stream, std::io::stdout())));
        let err = running
            .stderr
            .take()
            .map(|stream| std::thread::spawn(move || pass_out(stream, std::io::stderr())));
        let status = wait(&mut running, timeout, &sandbox);
        drop(running);
        for thread in [out, err].into_iter().flatten() {
            let _ = thread.join();
        }
        status
    }
}

/// A sandbox on an engine with just the places that its processes can take: setting up more takes longer than `true`.
fn create(options: Options) -> Result<Sandbox, Error> {
    let mut setup = RuntimeOptions::default();
    setup.slots = setup
        .slots
        .min(u32::try_from(options.limits.processes).unwrap_or(u32::MAX));
    Sandbox::create_on(&Runtime::new(setup)?, options)
}

fn wait(running: &mut Running, timeout: Duration, sandbox: &Sandbox) -> Result<u8, Error> {
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let killer = sandbox.clone();
    let watch = std::thread::spawn(move || {
        let late = ended.recv_timeout(timeout) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        if late {
            let _ = killer.kill_all();
        }
        late
    });
    let status = running.wait_blocking()?;
    drop(done);
    if watch.join().unwrap_or(false) {
        return Ok(TIMED_OUT);
    }
    Ok(status.code() as u8)
}

fn pass_in(mut to: PipeWriter) {
    let mut buffer = vec![0; 64 << 10];
    let mut from = std::io::stdin().lock();
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if !to.write_all_blocking(&buffer[..read]).unwrap_or(false) {
            return;
        }
    }
}

fn pass_out(mut from: PipeReader, mut to: impl Write) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from.read_blocking(&mut buffer) {
        // A reader that left ends the tool too: dropping our end gives it SIGPIPE.
        if to
            .write_all(&buffer[..read])
            .and_then(|()| to.flush())
            .is_err()
        {
            return;
        }
    }
}

fn parse_mount(text: &str) -> Result<Mount, String> {
    let (rest, access) = match text.rsplit_once(':') {
        Some((rest, "ro")) => (rest, MountAccess::ReadOnly),
        Some((rest, "rw")) => (rest, MountAccess::ReadWrite),
        Some((rest, "overlay")) => (rest, MountAccess::Overlay),
        _ => (text, MountAccess::ReadOnly),
    };
    let (host, at) = rest
        .rsplit_once(':')
        .ok_or("write HOST:GUEST, such as .:/mnt/project")?;
    if !at.starts_with('/') {
        return Err(format!("`{at}`: the path in the sandbox must be absolute"));
    }
    Ok(Mount::host(host, at, access))
}

fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".into()),
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "write a number of seconds, such as 2.5")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
