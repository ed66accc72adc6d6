//! The drill: what somebody tries who has taken the program over. Each attempt is made natively,
//! behind the very wall that the commands put up, on a thread that was there before it.

#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::RwLock;

use codepod_jail::drill::{ATTEMPTS, DONE, FILES, NEEDED, REFUSED};

/// The signal of a call that the filter does not let through.
const SIGSYS: i32 = 31;
/// Nobody's number, which needs no account.
const NOBODY: u32 = 65534;

/// Held to write while a program is copied, and to read while one is started: a process that is
/// about to become another one has all files of this one open, and a file that is open to be
/// written cannot be run.
static COPYING: RwLock<()> = RwLock::new(());

/// Runs a command to its end.
fn output(command: &mut Command) -> Output {
    let starting = COPYING.read().unwrap();
    let streams = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = streams.stdin(Stdio::null()).spawn().unwrap();
    drop(starting);
    child.wait_with_output().unwrap()
}

/// The program where everybody can start it.
struct Drill {
    _directory: tempfile::TempDir,
    program: PathBuf,
    /// A directory that everybody may change.
    open: PathBuf,
}

/// Who starts it, and under what.
#[derive(Debug, Clone, Copy)]
struct Host {
    as_nobody: bool,
    in_container: bool,
    has_landlock: bool,
}

impl Drill {
    fn new() -> Drill {
        let directory = tempfile::tempdir().unwrap();
        let all = |mode| std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(directory.path(), all(0o755)).unwrap();
        let program = directory.path().join("codepod-drill");
        let alone = COPYING.write().unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_codepod-drill"), &program).unwrap();
        drop(alone);
        let open = directory.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, all(0o777)).unwrap();
        Drill {
            _directory: directory,
            program,
            open,
        }
    }

    fn command(&self, needs: &[String], host: Host) -> Command {
        let mut command = Command::new(&self.program);
        command.args(needs).env_remove("CODEPOD_JAIL");
        if host.as_nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        if host.in_container {
            command.env("CODEPOD_DRILL_CONTAINER", "1");
        }
        if !host.has_landlock {
            command.env("CODEPOD_DRILL_WITHOUT", "landlock");
        }
        command
    }

    fn attempt(&self, name: &str, needs: &[String], host: Host) -> ExitStatus {
        let mut command = self.command(needs, host);
        output(command.env("CODEPOD_DRILL", name)).status
    }

    /// Needs from the fewest to the most, without new code.
    fn needs(&self) -> [Vec<String>; 3] {
        let path = self.open.display();
        let all = [
            &*format!("writes={path}"),
            "keeps",
            "terminal",
            "event-loop",
            "connects=443",
        ];
        [
            Vec::new(),
            vec![format!("reads={path}")],
            all.map(str::to_owned).into(),
        ]
    }
}

/// This user and, where this user may become another, somebody without rights; alone, without
/// Landlock, and in a container, which has none either.
fn hosts() -> Vec<Host> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt as _;
        own.uid() == 0
    });
    let users: &[bool] = if is_root { &[false, true] } else { &[false] };
    let host = |as_nobody| {
        [(false, true), (false, false), (true, true)].map(|(in_container, has_landlock)| Host {
            as_nobody,
            in_container,
            has_landlock,
        })
    };
    users.iter().copied().flat_map(host).collect()
}

fn is_stopped(status: ExitStatus) -> bool {
    status.signal() == Some(SIGSYS) || status.code() == Some(REFUSED)
}

#[test]
fn wm_15_nothing_that_is_tried_from_inside_works() {
    let drill = Drill::new();
    for host in hosts() {
        for needs in drill.needs() {
            for (name, _) in ATTEMPTS {
                let status = drill.attempt(name, &needs, host);
                assert!(is_stopped(status), "{name}, {needs:?}, {host:?}: {status}");
            }
        }
    }
}

#[test]
fn wm_15_without_directories_no_file_can_be_named() {
    let drill = Drill::new();
    for host in hosts() {
        for (name, _) in FILES {
            let status = drill.attempt(name, &[], host);
            assert!(is_stopped(status), "{name}, {host:?}: {status}");
        }
    }
}

#[test]
fn wm_15_where_directories_are_read_nothing_can_be_opened_to_write() {
    let drill = Drill::new();
    let [_, reads, _] = drill.needs();
    for host in hosts() {
        for name in ["create", "proc-mem", "unlink"] {
            let status = drill.attempt(name, &reads, host);
            assert_eq!(status.signal(), Some(SIGSYS), "{name}, {host:?}: {status}");
        }
    }
}

/// Who is root can open it, where a directory may be changed and there is no Landlock: the guide
/// says so.
#[test]
fn wm_15_who_is_not_root_never_writes_to_the_memory_of_the_program() {
    let drill = Drill::new();
    let [_, _, writes] = drill.needs();
    let hosts = hosts();
    let is_root = hosts.iter().any(|host| host.as_nobody);
    let others = hosts.iter().filter(|host| host.as_nobody || !is_root);
    for host in others {
        let status = drill.attempt("proc-mem", &writes, *host);
        assert!(is_stopped(status), "{host:?}: {status}");
    }
}

/// Where the host has Landlock, which the program itself says: root is refused as well.
#[test]
fn wm_15_with_landlock_nothing_can_be_reached_but_what_was_named() {
    let drill = Drill::new();
    let [_, reads, writes] = drill.needs();
    for host in hosts() {
        let layers = output(&mut drill.command(&[], host)).stdout;
        if !String::from_utf8(layers).unwrap().contains("landlock") {
            continue;
        }
        assert!(host.has_landlock && !host.in_container, "{host:?}");
        for needs in [&reads, &writes] {
            let status = drill.attempt("open", needs, host);
            assert_eq!(status.code(), Some(REFUSED), "{needs:?}, {host:?}");
        }
        for name in ["create", "proc-mem"] {
            let status = drill.attempt(name, &writes, host);
            assert_eq!(status.code(), Some(REFUSED), "{name}, {host:?}");
        }
    }
}

#[test]
fn what_ends_the_program_is_the_filter_and_not_an_error() {
    let drill = Drill::new();
    let host = hosts()[0];
    for name in [
        "connect",
        "execve",
        "ptrace",
        "mmap-exec",
        "mprotect-exec",
        "fork",
        "socket",
        "bpf",
        "io_uring",
    ] {
        let status = drill.attempt(name, &[], host);
        assert_eq!(status.signal(), Some(SIGSYS), "{name}: {status}");
    }
}

#[test]
fn without_the_wall_the_same_attempts_work() {
    let drill = Drill::new();
    let host = hosts()[0];
    for mode in ["off", "log"] {
        for name in [
            "mmap-exec",
            "mprotect-exec",
            "socket",
            "unix-socket",
            "personality",
            "open",
            "create",
            "chdir",
        ] {
            let mut command = drill.command(&[], host);
            command.env("CODEPOD_JAIL", mode).env("CODEPOD_DRILL", name);
            let status = output(&mut command).status;
            assert_eq!(status.code(), Some(DONE), "{name}, {mode}: {status}");
        }
    }
}

#[test]
fn where_code_is_compiled_memory_can_become_executable() {
    let drill = Drill::new();
    for name in ["mmap-exec", "mprotect-exec"] {
        let status = drill.attempt(name, &["new-code".into()], hosts()[0]);
        assert_eq!(status.code(), Some(DONE), "{name}: {status}");
    }
}

#[test]
fn what_libraries_do_now_and_then_works() {
    let drill = Drill::new();
    for host in hosts() {
        for (name, _) in NEEDED {
            let status = drill.attempt(name, &["connects=9".to_owned()], host);
            assert_eq!(status.code(), Some(DONE), "{name}, {host:?}: {status}");
        }
    }
}

#[test]
fn a_call_that_is_taken_out_of_the_table_ends_the_program() {
    let drill = Drill::new();
    for (attempt, call) in [
        ("yield", "sched_yield"),
        ("clock", "clock_gettime"),
        ("thread", "clone"),
    ] {
        let mut command = drill.command(&[], hosts()[0]);
        command
            .env("CODEPOD_DRILL", attempt)
            .env("CODEPOD_DRILL_WITHOUT", call);
        let status = output(&mut command).status;
        assert_eq!(status.signal(), Some(SIGSYS), "{call}: {status}");
    }
}

#[test]
fn a_program_knows_which_layers_hold() {
    let drill = Drill::new();
    for host in hosts() {
        let found = output(drill.command(&[], host).env("CODEPOD_JAIL", "require"));
        let said = String::from_utf8(found.stdout).unwrap();
        assert!(said.starts_with("seccomp no-new-code"), "{host:?}: {said}");
    }
    let found = output(drill.command(&[], hosts()[0]).env("CODEPOD_JAIL", "off"));
    assert_eq!(found.stdout, b"\n");
    let found = output(drill.command(&[], hosts()[0]).env("CODEPOD_JAIL", "of"));
    assert!(!found.status.success(), "a word that is none of them");
}
