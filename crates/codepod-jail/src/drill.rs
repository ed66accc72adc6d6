//! The drill, for tests: tries from behind the wall what must not work, as somebody would who has
//! taken the program over.
//!
//! `CODEPOD_DRILL=NAME` has [`ATTEMPTS`]'s one of that name tried as soon as the wall is closed, on
//! a thread that was there before. What comes of it is the program's exit status: [`DONE`],
//! [`REFUSED`], or the signal that ends it. `CODEPOD_DRILL_WITHOUT=CALL` takes a call out of the
//! table, and `landlock` leaves Landlock out. `CODEPOD_DRILL_CONTAINER=1` puts a filter such as
//! containers have before ours.

#![expect(unsafe_code, reason = "a drill does what nobody should")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

/// The exit status after an attempt that was let through.
pub const DONE: i32 = 90;
/// The exit status after an attempt that failed with an error.
pub const REFUSED: i32 = 91;
/// The exit status when there is no attempt of that name.
pub const UNKNOWN: i32 = 92;

const ASKED: &str = "CODEPOD_DRILL";
const WITHOUT: &str = "CODEPOD_DRILL_WITHOUT";
const CONTAINER: &str = "CODEPOD_DRILL_CONTAINER";

/// What is tried.
type Attempt = fn() -> io::Result<()>;

/// What must not work behind the wall, whatever the program needs.
pub const ATTEMPTS: &[(&str, Attempt)] = &[
    ("connect", || call(libc::SYS_connect, [0; 6])),
    ("execve", || {
        // Past the standard library, which sets signals first.
        let path = c"/bin/true".as_ptr();
        let arguments = [path, std::ptr::null()];
        let arguments = [path.addr(), arguments.as_ptr().addr(), 0, 0, 0, 0];
        call(libc::SYS_execve, arguments)
    }),
    ("ptrace", || {
        call(
            libc::SYS_ptrace,
            [libc::PTRACE_TRACEME as usize, 0, 0, 0, 0, 0],
        )
    }),
    ("mmap-exec", || {
        map(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC).map(drop)
    }),
    ("mprotect-exec", || {
        let page = map(libc::PROT_READ | libc::PROT_WRITE)?;
        let executable = (libc::PROT_READ | libc::PROT_EXEC) as usize;
        call(libc::SYS_mprotect, [page, PAGE, executable, 0, 0, 0])
    }),
    ("fork", || {
        call(libc::SYS_clone, [libc::SIGCHLD as usize, 0, 0, 0, 0, 0])
    }),
    ("clone3", || call(libc::SYS_clone3, [0; 6])),
    ("socket", || {
        std::net::UdpSocket::bind(("127.0.0.1", 0)).map(drop)
    }),
    ("unix-socket", || {
        std::os::unix::net::UnixDatagram::unbound().map(drop)
    }),
    ("bpf", || call(libc::SYS_bpf, [0; 6])),
    ("io_uring", || {
        call(libc::SYS_io_uring_setup, [1, 0, 0, 0, 0, 0])
    }),
    ("process_vm_readv", || {
        call(libc::SYS_process_vm_readv, [0; 6])
    }),
    ("process_vm_writev", || {
        call(libc::SYS_process_vm_writev, [0; 6])
    }),
    ("open_by_handle_at", || {
        call(libc::SYS_open_by_handle_at, [0; 6])
    }),
    ("mount", || call(libc::SYS_mount, [0; 6])),
    ("unshare", || {
        call(
            libc::SYS_unshare,
            [libc::CLONE_NEWUSER as usize, 0, 0, 0, 0, 0],
        )
    }),
    ("setns", || call(libc::SYS_setns, [0; 6])),
    ("keyctl", || call(libc::SYS_keyctl, [0; 6])),
    ("userfaultfd", || call(libc::SYS_userfaultfd, [0; 6])),
    ("perf_event_open", || {
        call(libc::SYS_perf_event_open, [0; 6])
    }),
    ("init_module", || call(libc::SYS_init_module, [0; 6])),
    ("personality", || call(libc::SYS_personality, [0; 6])),
    ("kill", || call(libc::SYS_kill, [1, 0, 0, 0, 0, 0])),
    ("dumpable", || {
        call(
            libc::SYS_prctl,
            [libc::PR_SET_DUMPABLE as usize, 1, 0, 0, 0, 0],
        )
    }),
    ("push-input", || {
        call(libc::SYS_ioctl, [0, libc::TIOCSTI as usize, 0, 0, 0, 0])
    }),
];

/// What must not work where no directory is needed.
pub const FILES: &[(&str, Attempt)] = &[
    ("open", || File::open("/etc/passwd").map(drop)),
    ("proc-mem", || {
        File::options().write(true).open("/proc/self/mem").map(drop)
    }),
    ("create", || {
        File::create(std::env::temp_dir().join("codepod-drill")).map(drop)
    }),
    ("unlink", || std::fs::remove_file("/tmp/codepod-drill-none")),
    ("chdir", || std::env::set_current_dir("/")),
];

/// What must work: libraries do it now and then, and no test can have them do it when it wants.
pub const NEEDED: &[(&str, Attempt)] = &[
    ("yield", || {
        std::thread::yield_now();
        Ok(())
    }),
    // Where the kernel's page with the time cannot be used, which depends on the machine.
    ("clock", || {
        let mut time = [0_u64; 2];
        call(
            libc::SYS_clock_gettime,
            [0, time.as_mut_ptr().addr(), 0, 0, 0, 0],
        )
    }),
    // A host's memory that grows is moved by the C library, if it is large enough.
    ("memory", || {
        let mut memory = vec![1_u8; 1 << 20];
        memory.resize(64 << 20, 2);
        drop(std::hint::black_box(memory));
        Ok(())
    }),
    // Which addresses are this machine's own, before one is connected to.
    ("own-address", || {
        let [mut address, mut length] = [[0_u64; 2], [16, 0]];
        // An address of IPv4, which is 127.0.0.1 at no port.
        address[0] = u64::from_ne_bytes([2, 0, 0, 0, 127, 0, 0, 1]);
        let kind = (libc::SOCK_DGRAM | libc::SOCK_CLOEXEC) as usize;
        // SAFETY: the call takes numbers only.
        let socket = unsafe { libc::syscall(libc::SYS_socket, libc::AF_INET, kind, 0) };
        let socket = usize::try_from(socket).map_err(|_| io::Error::last_os_error())?;
        let at = address.as_mut_ptr().addr();
        call(libc::SYS_connect, [socket, at, 16, 0, 0, 0])?;
        let length = length.as_mut_ptr().addr();
        call(libc::SYS_getsockname, [socket, at, length, 0, 0, 0])
    }),
    ("thread", || {
        let thread = std::thread::Builder::new()
            .name("drill".into())
            .spawn(|| ())?;
        thread.join().map_err(|_| io::ErrorKind::Other.into())
    }),
];

const PAGE: usize = 4096;

/// The thread that waits for the wall to be closed.
static WAITING: OnceLock<Mutex<(Sender<()>, Receiver<i32>)>> = OnceLock::new();

/// Does before the wall is begun what the environment asks for.
pub(crate) fn prepare() -> io::Result<()> {
    match std::env::var_os(CONTAINER) {
        Some(_) => container_filter(),
        None => Ok(()),
    }
}

/// Starts the thread that makes the attempt, if one is asked for: as the program's own are, after
/// the wall was begun and before it is closed.
pub(crate) fn wait_on_a_thread() -> io::Result<()> {
    let Ok(asked) = std::env::var(ASKED) else {
        return Ok(());
    };
    let (go, closed) = channel();
    let (tell, told) = channel();
    std::thread::Builder::new()
        .name("codepod-drill".into())
        .spawn(move || {
            if closed.recv().is_ok() {
                let _ = tell.send(status_of(&asked));
            }
        })?;
    let _ = WAITING.set(Mutex::new((go, told)));
    Ok(())
}

/// Ends the program with what came of the attempt, if one was asked for.
pub(crate) fn go() {
    let Some(waiting) = WAITING.get() else { return };
    let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = waiting.0.send(());
    if let Ok(status) = waiting.1.recv() {
        std::process::exit(status);
    }
}

/// Whether a call is to be left out of the table, or Landlock as a whole.
pub(crate) fn is_taken_out(name: &str) -> bool {
    std::env::var_os(WITHOUT).is_some_and(|taken| taken == name)
}

fn status_of(asked: &str) -> i32 {
    let mut all = ATTEMPTS.iter().chain(FILES).chain(NEEDED);
    match all.find(|(name, _)| *name == asked) {
        None => UNKNOWN,
        Some((_, attempt)) => match attempt() {
            Ok(()) => DONE,
            Err(_) => REFUSED,
        },
    }
}

/// A page of new memory.
fn map(protection: i32) -> io::Result<usize> {
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize;
    raw(
        libc::SYS_mmap,
        [0, PAGE, protection as usize, flags, usize::MAX, 0],
    )
}

fn call(number: libc::c_long, arguments: [usize; 6]) -> io::Result<()> {
    raw(number, arguments).map(drop)
}

fn raw(number: libc::c_long, [a, b, c, d, e, f]: [usize; 6]) -> io::Result<usize> {
    // SAFETY: the attempts above pass no pointer but null, their own buffers and their own pages,
    // and what they map nobody else uses.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    match usize::try_from(result) {
        Ok(result) => Ok(result),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// A filter such as containers start programs under: it refuses what an administrator would do.
fn container_filter() -> io::Result<()> {
    let refused = [
        libc::SYS_bpf,
        libc::SYS_keyctl,
        libc::SYS_mount,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_open_by_handle_at,
        libc::SYS_init_module,
        libc::SYS_io_uring_setup,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_landlock_create_ruleset,
    ];
    let rules: BTreeMap<i64, _> = refused.map(|number| (number, Vec::new())).into();
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let architecture = std::env::consts::ARCH
        .try_into()
        .map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture);
    let program = filter.and_then(BpfProgram::try_from);
    let program = program.map_err(io::Error::other)?;
    seccompiler::apply_filter_all_threads(&program).map_err(io::Error::other)
}
