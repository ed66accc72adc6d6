//! Hosts that lack something: a home, a disk, system calls, address space, parts. The command works
//! there, slower or without something, or says in one line what is missing and what to do.
//!
//! For a build that carries its guests: `cargo xtask jail`.

#![cfg(all(feature = "embed", target_os = "linux"))]

mod support;
#[path = "support/terminal.rs"]
mod terminal;

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use support::{Directory, ends, program};
use terminal::Terminal;

/// What a sandbox is asked on each host: a script with a pipe, and a program that is not in the
/// core. Python, where its part is beside the program.
fn scripts() -> Vec<(&'static str, &'static str)> {
    let mut scripts = vec![
        ("echo hi | tr a-z A-Z", "HI\n"),
        ("echo '{\"a\":1}' | jq .a", "1\n"),
    ];
    if program().with_file_name("python.part").exists() {
        scripts.push(("python3 -c 'print(1)'", "1\n"));
    }
    scripts
}

/// The command with nothing in its environment but these variables.
fn bare(variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program());
    command.env_clear().envs(variables.iter().copied());
    command
}

#[track_caller]
fn runs(variables: &[(&str, &str)]) {
    for (script, expected) in scripts() {
        let ended = ends(bare(variables).args(["run", script]), "");
        let expected = (0, expected.to_owned(), String::new());
        assert_eq!(ended, expected, "{script} with {variables:?}");
    }
}

/// Runs `test` with `$H`, a file system of 10 MB mounted with these options, as its home; `None`
/// where nothing can be mounted.
fn on_file_system(options: &str, test: &str) -> Option<(i32, String, String)> {
    let here = Directory::new();
    let mount = format!(
        "mount -t tmpfs -o size=10m,mode=700,{options} none $H || exit 99; export HOME=$H; {test}"
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "bash", "-c", &mount]);
    command.env("H", &here.0).env("CODEPOD", program());
    command
        .env_remove("CODEPOD_CACHE_DIR")
        .env_remove("XDG_CACHE_HOME");
    let ended = ends(&mut command, "");
    let is_possible = !ended.2.starts_with("unshare: ") && ended.0 != 99;
    is_possible.then_some(ended)
}

#[test]
fn a_home_that_cannot_be_used_stops_nothing() {
    let here = Directory::new();
    std::fs::write(here.path("file"), "").unwrap();
    let below_a_file = here.path("file/home");
    runs(&[("HOME", below_a_file.to_str().unwrap())]);
    runs(&[("HOME", "/proc")]);
    runs(&[
        ("HOME", "/nonexistent/home"),
        ("CODEPOD_CACHE_DIR", "/proc/none"),
    ]);
    runs(&[]);
    assert!(below_a_file.metadata().is_err());
}

#[test]
fn a_cache_of_somebody_else_is_not_used_and_stops_nothing() {
    let here = Directory::new();
    let cache = here.path("cache");
    for name in ["modules", "parts"] {
        std::fs::create_dir_all(cache.join(name)).unwrap();
        let open_to_all = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(cache.join(name), open_to_all).unwrap();
    }
    runs(&[("CODEPOD_CACHE_DIR", cache.to_str().unwrap())]);
    let left = |name: &str| std::fs::read_dir(cache.join(name)).unwrap().count();
    assert_eq!((left("modules"), left("parts")), (0, 0));
}

#[test]
fn a_disk_that_is_full_read_only_or_without_code_stops_nothing() {
    let run = "$CODEPOD run 'echo hi | tr a-z A-Z; echo [1] | jq -c .; ls /none'";
    let full = format!("{run}; find $H -size +100k");
    let read_only = format!("mount -o remount,ro $H; {run}");
    for (options, test) in [
        ("rw", &full),
        ("rw", &read_only),
        ("noexec,size=200m", &run.to_owned()),
    ] {
        let Some((_, stdout, stderr)) = on_file_system(options, test) else {
            return;
        };
        assert_eq!(stdout, "HI\n[1]\n", "{options} {test}: {stderr}");
        let expected = "ls: cannot access '/none': No such file or directory\n";
        assert_eq!(stderr, expected, "{options} {test}");
    }
}

#[test]
fn doctor_says_what_a_host_lacks_and_what_to_do() {
    let (status, stdout, stderr) = ends(bare(&[("HOME", "/proc")]).arg("doctor"), "");
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    for what in [
        "note     cache       `/proc/.cache/codepod`: cannot make its directory",
        "unpacked into memory at each start: set CODEPOD_CACHE_DIR",
        "note     states      `/proc/.local/state/codepod/states` cannot be written",
        "set CODEPOD_STATES",
        "core, ",
        "ok       run ",
    ] {
        assert!(stdout.contains(what), "{what} is not in {stdout}");
    }
    let (status, stdout, _) = ends(bare(&[]).arg("doctor"), "");
    assert_eq!(status, 0, "{stdout}");
    let none = "none of CODEPOD_CACHE_DIR, XDG_CACHE_HOME and HOME is set";
    assert!(stdout.contains(none), "{stdout}");
}

/// Runs a command in a process that gets this error for these calls, as in a container.
fn without(calls: &[i64], errno: i32, mut command: Command) -> (i32, String, String) {
    let rules: BTreeMap<i64, _> = calls.iter().map(|call| (*call, Vec::new())).collect();
    let refuse = SeccompAction::Errno(errno as u32);
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture).unwrap();
    let filter = BpfProgram::try_from(filter).unwrap();
    // A filter is inherited from the thread that starts a process.
    let thread = std::thread::spawn(move || {
        seccompiler::apply_filter(&filter).unwrap();
        ends(&mut command, "")
    });
    thread.join().unwrap()
}

/// How a host answers calls that it forbids, and those that it does not know.
const ANSWERS: [i32; 2] = [libc::EPERM, libc::ENOSYS];

#[test]
fn calls_that_containers_forbid_are_not_needed() {
    let here = Directory::new();
    std::fs::create_dir(here.path("mounted")).unwrap();
    let lists: &[&[i64]] = &[
        &[libc::SYS_memfd_create],
        &[libc::SYS_userfaultfd],
        &[libc::SYS_io_uring_setup, libc::SYS_io_uring_enter],
        &[libc::SYS_openat2, libc::SYS_faccessat2],
        &[
            libc::SYS_landlock_create_ruleset,
            libc::SYS_landlock_add_rule,
            libc::SYS_landlock_restrict_self,
        ],
        &[libc::SYS_process_madvise, libc::SYS_pidfd_open],
        &[libc::SYS_statx, libc::SYS_rseq, libc::SYS_membarrier],
        // Where even filters are forbidden there is one layer less.
        &[libc::SYS_seccomp],
    ];
    for calls in lists {
        for errno in ANSWERS {
            let mut command = here.command();
            let script = "echo hi | tr a-z A-Z; cd /m; echo a > f; mv f g; cat g; rm g";
            command.args(["run", "--mount", "mounted:/m:rw", script]);
            let ended = without(calls, errno, command);
            let expected = (0, "HI\na\n".to_owned(), String::new());
            assert_eq!(ended, expected, "{calls:?} {errno}");
        }
    }
}

#[test]
fn what_needs_a_forbidden_call_says_which() {
    let here = Directory::new();
    let memfd = [libc::SYS_memfd_create];
    let command = |arguments: &[&str]| {
        let mut command = here.command();
        command.args(arguments);
        command
    };
    for errno in ANSWERS {
        let (status, stdout, stderr) = without(&memfd, errno, command(&["doctor"]));
        assert_eq!(status, 0, "{stdout}{stderr}");
        let note = "note     sessions    Python keeps no variables between calls";
        assert!(stdout.contains(note), "{stdout}");
    }
    if program().with_file_name("python.part").exists() {
        let (status, _, stderr) = without(&memfd, libc::EPERM, command(&["python", "1 + 1"]));
        assert_ne!(status, 0);
        assert!(stderr.contains("sessions need `memfd_create`"), "{stderr}");
    }
    // Without a wall of ours nothing turns the answer into one that the engine understands.
    let mut run = command(&["run", "echo hi"]);
    run.env("CODEPOD_JAIL", "off");
    let (status, stdout, stderr) = without(&memfd, libc::EPERM, run);
    assert_eq!((status, stdout.as_str()), (125, ""));
    assert!(stderr.contains("may not call `memfd_create`"), "{stderr}");
    assert!(stderr.contains("allow it"), "{stderr}");
    // As container runtimes did for years: glibc cannot start a thread then.
    // The standard library starts a process by it, unless somebody is named who has to run it.
    let mut run = command(&["run", "echo hi"]);
    run.uid(std::fs::metadata("/proc/self").unwrap().uid());
    let (status, _, stderr) = without(&[libc::SYS_clone3], libc::EPERM, run);
    assert_eq!(status, 125);
    assert!(
        stderr.contains("cannot start a thread") && stderr.contains("`clone3`"),
        "{stderr}"
    );
}

#[test]
fn too_little_address_space_is_told_of() {
    let limited = |arguments: &str| {
        let mut command = Command::new("bash");
        let script = format!("ulimit -v 8000000; exec \"$0\" {arguments}");
        command.args(["-c", &script]).arg(program());
        ends(&mut command, "")
    };
    let (status, stdout, stderr) = limited("run 'echo hi'");
    assert_eq!((status, stdout.as_str()), (125, ""));
    let why = "address space of this process is limited to 7812 MB (`ulimit -v`";
    assert!(stderr.contains(why), "{stderr}");
    let (status, stdout, _) = limited("doctor");
    assert_eq!(status, 1, "{stdout}");
    assert!(
        stdout.contains("missing  engine") && stdout.contains("`ulimit -v unlimited`"),
        "{stdout}"
    );
}

#[test]
fn no_directory_for_temporary_files_is_needed() {
    let here = Directory::new();
    let cache = here.path("cache");
    runs(&[
        ("TMPDIR", "/nonexistent"),
        ("CODEPOD_CACHE_DIR", cache.to_str().unwrap()),
    ]);
}

/// The program in a directory of its own, without parts beside it.
fn alone(here: &Directory) -> Command {
    let copy = here.path("codepod");
    if std::fs::hard_link(program(), &copy).is_err() {
        std::fs::copy(program(), &copy).unwrap();
    }
    let mut command = Command::new(copy);
    command
        .env("HOME", &here.0)
        .env_remove("XDG_DATA_HOME")
        .env_remove("CODEPOD_PARTS");
    command
}

#[test]
fn a_missing_part_is_told_of_by_every_command_that_needs_it() {
    let installed = ["/usr/local/lib/codepod", "/usr/lib/codepod"];
    if installed.iter().any(|path| Path::new(path).exists()) {
        return;
    }
    let here = Directory::new();
    let (status, stdout, stderr) = ends(alone(&here).args(["python", "1 + 1"]), "");
    assert_eq!((status, stdout.as_str()), (125, ""));
    assert!(
        stderr.contains("Python is in the part `python`, which is not installed"),
        "{stderr}"
    );
    assert!(stderr.contains("hint: `codepod parts`"), "{stderr}");
    let here = Directory::new();
    let (status, stdout, _) = ends(alone(&here).arg("doctor"), "");
    assert_eq!(status, 0, "{stdout}");
    let note = "note     parts       core, tools; not installed: js, npm, python, science";
    assert!(stdout.contains(note), "{stdout}");
}

/// A packed part that is read slowly: a pipe in which nothing comes, until it is closed.
fn slow_part(here: &Directory) -> std::path::PathBuf {
    std::fs::create_dir(here.path("parts")).unwrap();
    let pipe = here.path("parts/python.part.zst");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    pipe
}

#[test]
fn unpacking_is_shown_on_a_terminal_and_the_line_is_erased() {
    let here = Directory::new();
    let pipe = slow_part(&here);
    let (parts, cache) = (here.path("parts"), here.path("cache"));
    let variables = [
        ("CODEPOD_PARTS", parts.to_str().unwrap()),
        ("CODEPOD_CACHE_DIR", cache.to_str().unwrap()),
    ];
    let mut terminal = Terminal::start_with(&here, &["run", "echo h''i"], &variables);
    let writer = std::fs::File::options().write(true).open(&pipe).unwrap();
    terminal.expect("\r\x1b[Kcodepod: unpacking python, 0 %");
    drop(writer);
    let shown = terminal.ends_with(0);
    let (_, last) = shown.rsplit_once("\r\x1b[K").unwrap();
    assert_eq!(last, "hi\r\n", "{shown:?}");
}

#[test]
fn nothing_is_shown_where_there_is_no_terminal() {
    let here = Directory::new();
    let pipe = slow_part(&here);
    let mut command = here.command();
    command
        .args(["run", "echo hi"])
        .env("CODEPOD_PARTS", here.path("parts"))
        .env("CODEPOD_CACHE_DIR", here.path("cache"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let writer = std::fs::File::options().write(true).open(&pipe).unwrap();
    // Longer than a terminal waits for its line.
    std::thread::sleep(std::time::Duration::from_millis(800));
    drop(writer);
    let output = child.wait_with_output().unwrap();
    assert_eq!((&*output.stdout, &*output.stderr), (&b"hi\n"[..], &b""[..]));
}

#[test]
fn a_start_that_keeps_nothing_says_so_on_a_terminal_only() {
    let here = Directory::new();
    let nowhere = [("CODEPOD_CACHE_DIR", "/proc/none")];
    let mut terminal = Terminal::start_with(&here, &["run", "echo h''i"], &nowhere);
    terminal.expect("codepod: nothing can be kept for the next start: ");
    terminal.expect("see `codepod doctor`");
    terminal.expect("hi\r\n");
    terminal.ends_with(0);
    let quiet = Terminal::start_with(&here, &["run", "--quiet", "echo hi"], &nowhere);
    assert_eq!(quiet.ends_with(0), "hi\r\n");
    runs(&nowhere);
}
