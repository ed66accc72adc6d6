//! The system calls that a program behind the wall may make, each with what needs it. What is not
//! here ends the program.
//!
//! A line that nothing needs does not stay: the tests of the command line take out each in turn and
//! see a run fail.

use libc::c_long;

use crate::{Connects, Needs};

/// A call that is let through.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) number: c_long,
    when: When,
    pub(super) only: Only,
}

/// Who needs a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    /// Directories of the host are read or changed.
    Files,
    /// Directories of the host are changed.
    Changes,
    /// The program keeps files of its own, by the standard library and under locks.
    Keeps,
    /// Lines are edited.
    Terminal,
    /// Streams are waited for by an event loop.
    EventLoop,
    /// Connections are made, for which there is an event loop, too.
    Connects,
    /// Lines are edited, or connections made.
    Pairs,
    /// What happens on connections may be recorded, into files of the program's own.
    Records,
    /// Machine code comes into being, where processors must be told (ARM).
    #[cfg(target_arch = "aarch64")]
    Code,
}

/// With which arguments a call is let through.
#[derive(Debug, Clone, Copy)]
pub(super) enum Only {
    Any,
    /// Where an argument has these values, after it was masked: the argument, the mask, the value.
    Bits(u8, u64, u64),
    /// As [`Self::Bits`], but any value where code may come into being.
    Code((u8, u64, u64)),
    /// As [`Self::Bits`], but any value where files are changed.
    Reading((u8, u64, u64)),
    /// Where an argument is one of these values; those with `true` are for terminals only.
    OneOf(u8, &'static [(u64, bool)]),
    /// Where the first two arguments are these, the second after it was masked.
    Both(u64, (u64, u64)),
}

impl Call {
    /// Whether a program with these needs may make it.
    pub(super) fn is_for(&self, needs: &Needs) -> bool {
        let changes = !needs.writes.is_empty();
        match self.when {
            When::Always => true,
            When::Files => changes || !needs.reads.is_empty(),
            When::Changes => changes,
            When::Keeps => needs.keeps,
            When::Terminal => needs.terminal,
            When::EventLoop => needs.event_loop || needs.connects != Connects::Nowhere,
            When::Pairs => needs.terminal || needs.connects != Connects::Nowhere,
            When::Records => needs.keeps && needs.connects != Connects::Nowhere,
            When::Connects => needs.connects != Connects::Nowhere,
            #[cfg(target_arch = "aarch64")]
            When::Code => needs.new_code,
        }
    }
}

/// A thread of this process, in the same namespaces: no new process.
const THREAD: u64 = (libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD) as u64;
const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;
const EXECUTABLE: u64 = libc::PROT_EXEC as u64;
const CHANGING: u64 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND) as u64;

/// All of a kind of sockets but whether it waits.
const WAITING: u64 = !(libc::SOCK_NONBLOCK as u64);
/// The kind of a pair of sockets.
const STREAM: u64 = (libc::SOCK_STREAM | libc::SOCK_CLOEXEC) as u64;

/// `PAGEMAP_SCAN`: which pages a process of a sandbox has written to.
const PAGEMAP_SCAN: u64 = 0xc060_6610;
/// Modes of a terminal as newer C libraries ask for them and set them.
const TCGETS2: u64 = 0x802c_542a;
const TCSETS2: u64 = 0x402c_542b;
const TCSETSW2: u64 = 0x402c_542c;
const TCSETSF2: u64 = 0x402c_542d;

const IOCTLS: &[(u64, bool)] = &[
    (PAGEMAP_SCAN, false),
    // Whether a stream is a terminal.
    (libc::TCGETS, false),
    (TCGETS2, false),
    (libc::TIOCGWINSZ, true),
    (libc::TCSETS, true),
    (libc::TCSETSW, true),
    (libc::TCSETSF, true),
    (TCSETS2, true),
    (TCSETSW2, true),
    (TCSETSF2, true),
    // The pair of sockets of the line editor does not wait.
    (libc::FIONBIO, true),
];

const FCNTLS: &[(u64, bool)] = &[
    (libc::F_GETFD as u64, false),
    (libc::F_SETFD as u64, false),
    (libc::F_GETFL as u64, false),
    (libc::F_SETFL as u64, false),
    (libc::F_DUPFD_CLOEXEC as u64, false),
    (libc::F_ADD_SEALS as u64, false),
];

/// The families of sockets that lead out of this machine.
const INTERNET: &[(u64, bool)] = &[
    (libc::AF_INET as u64, false),
    (libc::AF_INET6 as u64, false),
];

macro_rules! calls {
    ($($(#[$attribute:meta])* $name:ident $number:ident $when:ident $only:expr;)*) => {
        &[$($(#[$attribute])* Call { name: stringify!($name), number: libc::$number, when: When::$when, only: $only },)*]
    };
}

pub(super) const CALLS: &[Call] = calls! {
    // Streams and what was opened before.
    read SYS_read Always Only::Any;
    write SYS_write Always Only::Any;
    close SYS_close Always Only::Any;
    fcntl SYS_fcntl Always Only::OneOf(1, FCNTLS);
    ioctl SYS_ioctl Always Only::OneOf(1, IOCTLS);
    pread64 SYS_pread64 Always Only::Any;

    // Memory. The image of a module's memory is a file without a name.
    mmap SYS_mmap Always Only::Code((2, EXECUTABLE, 0));
    mprotect SYS_mprotect Always Only::Code((2, EXECUTABLE, 0));
    munmap SYS_munmap Always Only::Any;
    mremap SYS_mremap Always Only::Any;
    madvise SYS_madvise Always Only::Any;
    brk SYS_brk Always Only::Any;
    memfd_create SYS_memfd_create Always Only::Any;

    // Threads.
    clone SYS_clone Always Only::Bits(0, THREAD | NAMESPACES, THREAD);
    set_robust_list SYS_set_robust_list Always Only::Any;
    rseq SYS_rseq Always Only::Any;
    gettid SYS_gettid Always Only::Any;
    sched_yield SYS_sched_yield Always Only::Any;
    futex SYS_futex Always Only::Any;
    exit SYS_exit Always Only::Any;
    exit_group SYS_exit_group Always Only::Any;

    // Signals, of which a trap of a guest is one.
    sigaltstack SYS_sigaltstack Always Only::Any;
    rt_sigprocmask SYS_rt_sigprocmask Always Only::Any;
    rt_sigreturn SYS_rt_sigreturn Always Only::Any;
    // After the program was stopped and continued.
    restart_syscall SYS_restart_syscall Always Only::Any;

    // Time and randomness.
    clock_gettime SYS_clock_gettime Always Only::Any;
    clock_nanosleep SYS_clock_nanosleep Always Only::Any;
    getrandom SYS_getrandom Always Only::Any;

    // Directories of the host.
    openat SYS_openat Files Only::Reading((2, CHANGING, 0));
    newfstatat SYS_newfstatat Files Only::Any;
    fstat SYS_fstat Files Only::Any;
    getdents64 SYS_getdents64 Files Only::Any;
    readlinkat SYS_readlinkat Files Only::Any;
    // Which file system a file is on: none of the system's own is entered.
    fstatfs SYS_fstatfs Files Only::Any;

    // Changes in them.
    pwrite64 SYS_pwrite64 Changes Only::Any;
    mkdirat SYS_mkdirat Changes Only::Any;
    unlinkat SYS_unlinkat Changes Only::Any;
    renameat2 SYS_renameat2 Changes Only::Any;
    symlinkat SYS_symlinkat Changes Only::Any;
    linkat SYS_linkat Changes Only::Any;
    fchmod SYS_fchmod Changes Only::Any;
    utimensat SYS_utimensat Changes Only::Any;
    ftruncate SYS_ftruncate Changes Only::Any;
    fsync SYS_fsync Changes Only::Any;

    // Files of its own, some by the names that the C library still uses.
    statx SYS_statx Keeps Only::Any;
    lseek SYS_lseek Keeps Only::Any;
    flock SYS_flock Keeps Only::Any;
    getpid SYS_getpid Keeps Only::Any;
    // Whether a directory that a recording is made in is its own.
    geteuid SYS_geteuid Records Only::Any;
    #[cfg(target_arch = "x86_64")]
    mkdir SYS_mkdir Keeps Only::Any;
    #[cfg(target_arch = "x86_64")]
    unlink SYS_unlink Keeps Only::Any;
    #[cfg(target_arch = "x86_64")]
    rename SYS_rename Keeps Only::Any;
    #[cfg(target_arch = "aarch64")]
    renameat SYS_renameat Keeps Only::Any;
    // The whole path of a directory that a state is used with.
    #[cfg(target_arch = "x86_64")]
    readlink SYS_readlink Keeps Only::Any;

    // The line editor.
    #[cfg(target_arch = "x86_64")]
    poll SYS_poll Terminal Only::Any;
    #[cfg(target_arch = "aarch64")]
    ppoll SYS_ppoll Terminal Only::Any;
    rt_sigaction SYS_rt_sigaction Terminal Only::Any;
    // By a pair that only this process has, the editor hears of another size of the terminal, and
    // an event loop of signals.
    socketpair SYS_socketpair Pairs Only::Both(libc::AF_UNIX as u64, (WAITING, STREAM));
    // Ctrl-Z at the prompt stops the program and whoever runs with it.
    kill SYS_kill Terminal Only::Both(0, (u64::MAX, libc::SIGTSTP as u64));

    // The event loop.
    #[cfg(target_arch = "x86_64")]
    epoll_wait SYS_epoll_wait EventLoop Only::Any;
    #[cfg(target_arch = "aarch64")]
    epoll_pwait SYS_epoll_pwait EventLoop Only::Any;

    // Connections. Nothing listens, and the name of no other socket of this machine can be used.
    socket SYS_socket Connects Only::OneOf(0, INTERNET);
    connect SYS_connect Connects Only::Any;
    getsockopt SYS_getsockopt Connects Only::Any;
    setsockopt SYS_setsockopt Connects Only::Any;
    getsockname SYS_getsockname Connects Only::Any;
    sendto SYS_sendto Connects Only::Any;
    recvfrom SYS_recvfrom Connects Only::Any;
    writev SYS_writev Connects Only::Any;
    shutdown SYS_shutdown Connects Only::Any;
    epoll_create1 SYS_epoll_create1 Connects Only::Any;
    epoll_ctl SYS_epoll_ctl Connects Only::Any;
    eventfd2 SYS_eventfd2 Connects Only::Any;

    #[cfg(target_arch = "aarch64")]
    membarrier SYS_membarrier Code Only::Any;
};

/// Calls that libraries try and can do without: they are answered as by a kernel that does not have
/// them.
pub(super) const REFUSED: &[(c_long, Only)] = &[
    // Its arguments lie in memory, where no filter can look; the C library takes `clone` then.
    (libc::SYS_clone3, Only::Any),
    // `madvise` does the same, one call after the other.
    (libc::SYS_process_madvise, Only::Any),
    // The name of a new thread, and where it may run.
    (
        libc::SYS_prctl,
        Only::OneOf(0, &[(libc::PR_SET_NAME as u64, false)]),
    ),
    (libc::SYS_sched_getaffinity, Only::Any),
    // The line editor, for a file that is there already.
    (libc::SYS_umask, Only::Any),
    // The event loop lets go of streams before it closes them; what it waits for, it knows before.
    (libc::SYS_epoll_ctl, Only::Any),
    // The C library counts processors, the standard library shows where a panic came from.
    (libc::SYS_openat, Only::Any),
    (libc::SYS_newfstatat, Only::Any),
    (libc::SYS_statx, Only::Any),
    (libc::SYS_readlinkat, Only::Any),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Only::Any),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, Only::Any),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_readlink, Only::Any),
];

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Every combination of needs.
    pub(in super::super) fn all_needs() -> Vec<Needs> {
        let path = |wanted: bool| wanted.then(|| "/".into()).into_iter().collect();
        let bit = |number: u32, bit: u32| number >> bit & 1 == 1;
        let needs = |number| Needs {
            reads: path(bit(number, 0)),
            writes: path(bit(number, 1)),
            reads_early: Vec::new(),
            keeps: bit(number, 5),
            new_code: bit(number, 2),
            terminal: bit(number, 3),
            event_loop: bit(number, 4),
            connects: match bit(number, 6) {
                true => Connects::Anywhere,
                false => Connects::Nowhere,
            },
        };
        (0..1 << 7).map(needs).collect()
    }

    #[test]
    fn the_table_is_as_short_as_it_was_promised() {
        let longest = |with: fn(&Needs) -> bool| {
            let alone = |needs: &Needs| needs.connects == Connects::Nowhere;
            let needs = all_needs().into_iter().filter(alone).filter(with);
            let counts = needs.map(|needs| super::super::calls(&needs).len());
            counts.max().unwrap_or(0)
        };
        // A terminal has a history, and no event loop beside it.
        let bare = longest(|needs| {
            needs.reads.is_empty() && needs.writes.is_empty() && !needs.keeps && !needs.terminal
        });
        let mounts = longest(|needs| !needs.keeps && !needs.terminal);
        let all = longest(|needs| !(needs.terminal && needs.event_loop));
        let network = Needs {
            connects: Connects::Anywhere,
            ..Needs::default()
        };
        let network = super::super::calls(&network).len();
        assert!(network <= 45, "{network} calls with a network");
        assert!(bare <= 30, "{bare} calls without directories");
        assert!(mounts <= 45, "{mounts} calls with directories");
        assert!(
            all <= 56,
            "{all} calls with a prompt and a state that is kept"
        );
    }

    #[test]
    fn no_call_is_there_twice() {
        let mut numbers: Vec<c_long> = CALLS.iter().map(|call| call.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), CALLS.len());
    }
}
