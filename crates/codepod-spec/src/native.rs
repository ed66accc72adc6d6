//! Scripts in the machine's own bash: the reference.
//!
//! Nothing confines them but their directory, so only scripts that we know or make are run here.

use std::collections::BTreeMap;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::failure::{Failure, Result};
use crate::helpers;
use crate::job::{CASE_DIRECTORY, Job, Left, Outcome, PATH, Place, is_executable};
use crate::missing;
use crate::programs;
use crate::temporary::Temporary;
use crate::user::User;

/// The version whose behaviour is ours.
pub(crate) const VERSION: &str = "5.2";
/// How often we look whether bash has ended while something it has started keeps its output open.
const LOOK: Duration = Duration::from_millis(5);
/// How long we wait for the output of what outlives bash.
const LINGER: Duration = Duration::from_millis(300);
/// The most bytes of one stream.
const MOST_OUTPUT: usize = 16 << 20;

/// The machine's bash.
#[derive(Debug)]
pub(crate) struct Native {
    path: String,
    user: User,
    /// A directory of that path, as long as it is needed.
    _directory: Option<Temporary>,
}

impl Native {
    /// Finds bash. Fails when there is none or it is another version.
    pub(crate) fn find() -> Result<Native> {
        look()?;
        Ok(Native {
            // Debian has fd's own name there; in /usr/bin it is called fdfind.
            path: format!("{PATH}:/usr/lib/cargo/bin"),
            user: User::find()?,
            _directory: None,
        })
    }

    /// Finds bash, and puts the programs that cases need and variables name on its `PATH`.
    pub(crate) fn with_programs() -> Result<Native> {
        let native = Native::find()?;
        let Some(directory) = programs::copied()? else {
            return Ok(native);
        };
        Ok(Native {
            path: format!("{}:{}", directory.path().display(), native.path),
            _directory: Some(directory),
            ..native
        })
    }

    /// Finds bash and puts Oils' helpers on its `PATH`.
    pub(crate) fn with_helpers() -> Result<Native> {
        let native = Native::find()?;
        let directory = Temporary::new()?;
        link_helpers(directory.path())?;
        Ok(Native {
            path: format!("{}:{}", directory.path().display(), native.path),
            user: User::Own,
            _directory: Some(directory),
        })
    }
}

impl Native {
    /// Finds bash and puts nothing but these programs on its `PATH`: what is random cannot start
    /// another.
    pub(crate) fn with_tools(names: &[&str]) -> Result<Native> {
        Native::find()?;
        let directory = Temporary::new()?;
        for name in names {
            let link = directory.path().join(name);
            symlink(Path::new("/usr/bin").join(name), &link)
                .map_err(|error| Failure::file("create", &link, error))?;
        }
        Ok(Native {
            path: directory.path().display().to_string(),
            user: User::Own,
            _directory: Some(directory),
        })
    }
}

/// Whether there is no bash to compare with, and that may be so: then nothing is compared.
pub(crate) fn is_left_out() -> bool {
    missing::may_miss("bash") && look().is_err()
}

/// Fails when there is no bash or it is another version.
fn look() -> Result<()> {
    let hint = format!(
        "install bash {VERSION} (`cargo xtask setup` does), or say with {}=bash that it may be missing",
        missing::VARIABLE
    );
    let output = Command::new("/bin/bash")
        .args(["-c", "echo $BASH_VERSION"])
        .output()
        .map_err(|error| {
            Failure::new(format!("there is no bash on this machine: {error}")).hint(&hint)
        })?;
    let version = String::from_utf8_lossy(&output.stdout);
    if version.starts_with(VERSION) {
        return Ok(());
    }
    let version = version.trim();
    Err(Failure::new(format!(
        "the machine's bash is {version}, and cases are compared with {VERSION}"
    ))
    .hint(hint))
}

/// Puts the helpers into a directory, as links to this very program.
pub(crate) fn link_helpers(directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::file("create", directory, error))?;
    let own = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot find this program: {error}")))?;
    for name in helpers::NAMES.lines() {
        let link = directory.join(name);
        symlink(&own, &link).map_err(|error| Failure::file("create", &link, error))?;
    }
    Ok(())
}

impl Place for Native {
    fn run(&self, job: &Job) -> Result<Outcome> {
        let temporary = Temporary::new()?;
        // The last name is the same as in the sandbox, for scripts that show it.
        let directory = temporary.path().join("case");
        fill(&directory, &job.files, is_executable)
            .and_then(|()| self.user.own(temporary.path()))
            .map_err(|error| Failure::file("fill", &directory, error))?;
        let started = Instant::now();
        // Signals that our caller ignores (as `nohup` and `&` do) would be ignored in bash, too.
        let mut command = self.user.command("/usr/bin/env");
        let argv = job.argv();
        command
            .args(["--default-signal", "bash"])
            .args(
                argv[1..].iter().map(|word| {
                    <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(word)
                }),
            )
            .current_dir(&directory)
            .env_clear()
            .env("PATH", &self.path)
            .env("PWD", &directory)
            .process_group(0)
            .stdin(Stdio::null());
        let streams = (|| {
            let stdin = match job.input() {
                [] => None,
                _ => {
                    let (read, write) = std::io::pipe()?;
                    self.user.own_open(&read)?;
                    command.stdin(read);
                    Some(write)
                }
            };
            let (stdout, out) = std::io::pipe()?;
            let (stderr, err) = std::io::pipe()?;
            self.user.own_open(&out)?;
            self.user.own_open(&err)?;
            command.stdout(out).stderr(err);
            Ok((stdin, stdout, stderr))
        })()
        .map_err(|error: std::io::Error| Failure::new(format!("cannot make pipes: {error}")))?;
        for (name, value) in &job.env {
            command.env(
                name,
                value.replace(CASE_DIRECTORY, &directory.to_string_lossy()),
            );
        }
        let mut child = command
            .spawn()
            .map_err(|error| Failure::new(format!("bash did not start: {error}")))?;
        // It holds the other ends of the pipes.
        drop(command);
        let mut outcome = collect(&mut child, streams, job)
            .map_err(|error| Failure::new(format!("cannot follow bash: {error}")))?;
        if job.wants_files {
            outcome.files =
                left(&directory).map_err(|error| Failure::file("list", &directory, error))?;
        }
        outcome.time = started.elapsed();
        Ok(outcome)
    }
}

/// Makes a directory with files in it, executable those whose content is `executable`; a name that
/// ends in a slash is a directory.
pub(crate) fn fill(
    directory: &Path,
    files: &BTreeMap<String, Vec<u8>>,
    executable: fn(&[u8]) -> bool,
) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    for (name, content) in files {
        let path = directory.join(name);
        if name.ends_with('/') {
            std::fs::create_dir_all(&path)?;
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, content)?;
        if executable(content) {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Follows bash to its end, or to the timeout, and ends what is left of what it has started.
fn collect(
    child: &mut Child,
    (stdin, stdout, stderr): (Option<PipeWriter>, PipeReader, PipeReader),
    job: &Job,
) -> std::io::Result<Outcome> {
    if let Some(mut stdin) = stdin {
        // Small enough for a pipe to hold, so nobody waits; a script that does not read it closes
        // it.
        match stdin.write_all(job.input()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    let mut stdout = Stream::of(stdout)?;
    let mut stderr = Stream::of(stderr)?;
    let mut deadline = Instant::now() + job.timeout;
    let mut status = None;
    let mut timed_out = false;
    while stdout.open.is_some() || stderr.open.is_some() {
        if Instant::now() >= deadline {
            timed_out = status.is_none();
            break;
        }
        let came = stdout.read_what_is_there()? | stderr.read_what_is_there()?;
        if came {
            continue;
        }
        wait_for_output([&stdout, &stderr])?;
        if status.is_none() {
            status = child.try_wait()?;
            if status.is_some() {
                deadline = deadline.min(Instant::now() + LINGER);
            }
        }
    }
    if timed_out {
        end_group(child);
    }
    let status = match status {
        Some(status) => status,
        None => wait_until(child, deadline, &mut timed_out)?,
    };
    end_group(child);
    Ok(Outcome {
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        status: if timed_out { 124 } else { number(status) },
        timed_out,
        ..Outcome::default()
    })
}

/// Waits for the end of a bash that has closed its output.
fn wait_until(
    child: &mut Child,
    deadline: Instant,
    timed_out: &mut bool,
) -> std::io::Result<ExitStatus> {
    while !*timed_out {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        *timed_out = Instant::now() >= deadline;
        std::thread::sleep(Duration::from_micros(100));
    }
    end_group(child);
    child.wait()
}

fn end_group(child: &Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // Usually nobody is left in it.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn number(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// An output stream of bash, and what came through it.
struct Stream<R> {
    /// Nothing after its end.
    open: Option<R>,
    bytes: Vec<u8>,
}

impl<R: Read + std::os::fd::AsFd> Stream<R> {
    fn of(open: R) -> std::io::Result<Stream<R>> {
        fcntl_setfl(&open, fcntl_getfl(&open)? | OFlags::NONBLOCK)?;
        Ok(Stream {
            open: Some(open),
            bytes: Vec::new(),
        })
    }

    /// Whether something came, the end included.
    fn read_what_is_there(&mut self) -> std::io::Result<bool> {
        let Some(open) = &mut self.open else {
            return Ok(false);
        };
        let mut piece = [0; 16 << 10];
        match open.read(&mut piece) {
            Ok(0) => self.open = None,
            Ok(count) => self.bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if self.bytes.len() > MOST_OUTPUT {
            self.open = None;
        }
        Ok(true)
    }
}

/// Waits a moment for either stream.
fn wait_for_output(streams: [&dyn HasFd; 2]) -> std::io::Result<()> {
    let mut fds: Vec<PollFd<'_>> = streams
        .iter()
        .filter_map(|stream| stream.fd())
        .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
        .collect();
    let timeout = Timespec {
        tv_sec: 0,
        tv_nsec: LOOK.as_nanos() as _,
    };
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What can be waited for.
trait HasFd {
    fn fd(&self) -> Option<std::os::fd::BorrowedFd<'_>>;
}

impl<R: std::os::fd::AsFd> HasFd for Stream<R> {
    fn fd(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.open.as_ref().map(std::os::fd::AsFd::as_fd)
    }
}

/// Everything beneath a directory, by its path.
fn left(directory: &Path) -> std::io::Result<BTreeMap<String, Left>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![(directory.to_owned(), String::new())];
    while let Some((directory, prefix)) = pending.pop() {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type()?;
            let what = if kind.is_dir() {
                pending.push((entry.path(), format!("{name}/")));
                Left::Directory
            } else if kind.is_file() {
                Left::File(std::fs::read(entry.path())?)
            } else {
                Left::Other
            };
            found.insert(name, what);
        }
    }
    Ok(found)
}

/// What one read of a descriptor that was passed to this program gives. `dd` makes the read: taking
/// a number for a descriptor is unsafe in Rust, and this crate is not.
pub(crate) fn read_descriptor(fd: u32) -> std::io::Result<Vec<u8>> {
    let script = format!(
        "exec dd bs={} count=1 status=none <&{fd}",
        helpers::MOST_READ
    );
    let output = Command::new("/bin/sh")
        .args(["-c", &script])
        .stdin(Stdio::inherit())
        .output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(std::io::Error::other("Bad file descriptor"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Feed;

    fn run(script: &str, timeout: u64) -> Outcome {
        let job = Job {
            wants_files: true,
            ..Job::new(script, Feed::Command, Duration::from_millis(timeout))
        };
        Native::find().unwrap().run(&job).unwrap()
    }

    #[test]
    fn output_status_and_files_are_told() {
        let outcome = run(
            "echo out; echo err >&2; mkdir d; echo x > d/f; exit 3",
            5000,
        );
        assert_eq!(
            (outcome.stdout, outcome.stderr),
            (b"out\n".to_vec(), b"err\n".to_vec())
        );
        assert_eq!((outcome.status, outcome.timed_out), (3, false));
        assert_eq!(outcome.files["d/f"], Left::File(b"x\n".to_vec()));
        assert_eq!(outcome.files["d"], Left::Directory);
    }

    #[test]
    fn a_signal_counts_as_a_shell_counts_it() {
        assert_eq!(run("kill -TERM $$", 5000).status, 143);
    }

    #[test]
    fn a_script_that_does_not_end_is_ended() {
        let outcome = run("echo begun; while :; do :; done", 200);
        assert_eq!((outcome.status, outcome.timed_out), (124, true));
        assert_eq!(outcome.stdout, b"begun\n");
    }

    #[test]
    fn what_outlives_bash_is_not_waited_for_long() {
        let outcome = run("sleep 20 & exit 0", 10_000);
        assert!(outcome.time < Duration::from_secs(5), "{:?}", outcome.time);
        assert_eq!((outcome.status, outcome.timed_out), (0, false));
    }
}
