//! Arguments of calls: hostile numbers, and fitting ones that get past the first checks.

use arbitrary::{Arbitrary, Result, Unstructured};
use codepod_abi::table::CallInfo;
use codepod_abi::wire::wasi::{IOVEC_SIZE, SUBSCRIPTION_SIZE, rights};
use codepod_abi::wire::{GROUP_INHERIT, GROUP_NEW, SpawnRequest, TerminalState};

use crate::guest::GuardedMemory;

/// An argument as an input has it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Argument {
    /// What the parameter's name asks for, in many variants; needed structures are put into memory.
    Fitting(u8),
    /// A small number.
    Small(u8),
    /// A pointer into memory.
    Inside(u16),
    /// Near the end of memory, on either side.
    AtEnd(i8),
    /// Near the largest pointer.
    AtTop(u8),
    /// Any number.
    Raw(u64),
}

impl Argument {
    /// The arguments of a call: all fitting, all but one, or all hostile.
    pub(super) fn list(u: &mut Unstructured<'_>, count: usize) -> Result<Vec<Argument>> {
        let kind: u8 = u.arbitrary()?;
        let one = usize::from(kind).checked_rem(count).unwrap_or_default();
        (0..count)
            .map(|index| match kind {
                224.. => u.arbitrary(),
                144.. if index == one => u.arbitrary(),
                _ => u.arbitrary().map(Argument::Fitting),
            })
            .collect()
    }
}

impl<'a> Arbitrary<'a> for Argument {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Argument> {
        Ok(match u.arbitrary::<u8>()? % 8 {
            0..=1 => Argument::Small(u.arbitrary()?),
            2 => Argument::Inside(u.arbitrary()?),
            3..=4 => Argument::AtEnd(u.arbitrary()?),
            5 => Argument::AtTop(u.arbitrary()?),
            _ => Argument::Raw(u.arbitrary()?),
        })
    }
}

/// The paths that a guest knows.
pub(super) const PATHS: &[&str] = &[
    "a",
    "/b",
    "d",
    "d/x",
    "d/y/z",
    "/fifo",
    "l",
    "loop",
    "loop/x",
    "new",
    "d/new",
    "..",
    ".",
    "/",
    "",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/tty",
    "/dev/stdin",
    "/dev/fd/1",
    "/proc/self/fd/0",
    "/proc/self/fd/3",
    "/proc/self/fd/4",
    "/proc/self/fd",
    "/proc/self/status",
    "/proc/self/cwd",
    "/proc/2/fd/5",
    "/proc/mounts",
    "/proc",
    "/ro/file",
    "/ro",
    "/up/file",
    "/up/d",
    "/up/new",
    "/bin/x",
    "/bin/box",
    "/bin/script",
    "/bin/self",
    "/bin/module",
    "/bin/empty",
    "d/../l/",
    "a/",
    "//d//./y/",
    "nothing/here",
    "secret/file",
    "/tmp/shared",
    "nul\0nul",
];

/// What is known when arguments are made.
pub(super) struct Maker<'a> {
    pub(super) memory: &'a mut GuardedMemory,
    /// Where the next structure goes.
    pub(super) cursor: &'a mut u32,
    pub(super) pid: u32,
    /// Length or count of the structure that was put into memory last, until it is used.
    last: Option<u32>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(memory: &'a mut GuardedMemory, cursor: &'a mut u32, pid: u32) -> Maker<'a> {
        Maker {
            memory,
            cursor,
            pid,
            last: None,
        }
    }

    /// The numbers that a call gets.
    pub(super) fn make(&mut self, info: &CallInfo, arguments: &[Argument]) -> Vec<u64> {
        let size = self.memory.size() as u64;
        info.params
            .iter()
            .zip(arguments)
            .map(|((name, ty), argument)| match *argument {
                Argument::Fitting(n) if is_base(info, name) && n < 192 => 3,
                Argument::Fitting(n) => self.fitting(name, ty, n),
                Argument::Small(n) => u64::from(n),
                Argument::Inside(n) => u64::from(n) * size / (1 << 16),
                Argument::AtEnd(n) => size.wrapping_add_signed(i64::from(n)),
                Argument::AtTop(n) => u64::from(u32::MAX - u32::from(n)),
                Argument::Raw(n) => n,
            })
            .collect()
    }

    fn fitting(&mut self, name: &str, ty: &str, n: u8) -> u64 {
        let small = u64::from(n);
        match (name, ty) {
            ("iovs", _) => self.put_iovecs(n).into(),
            ("subscriptions", _) => self.put_subscriptions(n).into(),
            ("request", _) => self.put_request(n).into(),
            ("fd" | "from" | "to" | "old_fd" | "new_fd" | "least", _) => small % 12,
            ("rights_base" | "rights_inheriting" | "base" | "inheriting" | "mask", _) => {
                match n % 4 {
                    0 => rights::FD_READ,
                    1 => 1 << (n % 64),
                    _ => rights::ALL,
                }
            }
            ("dirflags" | "flags" | "old_flags", _) if n < 192 => small % 2,
            ("fdflags", _) if n < 192 => [0, 0, 1, 4][usize::from(n % 4)],
            ("oflags", _) if n < 128 => [0, 1, 9, 2][usize::from(n % 4)],
            ("mode", _) if n >= 128 => small * 16 % 0o10000,
            ("oflags" | "flags" | "dirflags" | "old_flags" | "fst_flags" | "fdflags", _) => {
                small % 32
            }
            ("how" | "whence" | "advice" | "clock" | "action" | "mode" | "wanted", _) => small % 8,
            ("signal", _) => small % 32,
            ("state", _) => self.put_terminal(n).into(),
            ("pid" | "group", _) => match n % 6 {
                0 => self.pid.into(),
                1 => u64::from(self.pid) + 1,
                2 => i64::from(-1).cast_unsigned(),
                3 => (-i64::from(self.pid)).cast_unsigned(),
                4 => 0,
                _ => small,
            },
            (_, "u64" | "i64") => small << (n % 57),
            _ if name.ends_with("path") && ty == "u32" => self.put_path(n).into(),
            _ if name.ends_with("_len") || name == "nsubscriptions" => {
                // Where nothing was put, it is the size of a buffer to fill.
                let length = std::mem::take(&mut self.last);
                length.map_or(small * 16, u64::from)
            }
            // A result, or a number that a call knows its own limits for.
            _ if n < 16 => small,
            _ => (small * 32) % (self.memory.size() as u64 / 4).max(1),
        }
    }

    /// Puts bytes into the middle half of memory, and returns where; elsewhere if they do not fit.
    fn put(&mut self, bytes: &[u8]) -> u32 {
        let size = self.memory.size() as u32;
        if *self.cursor < size / 4 || *self.cursor as usize + bytes.len() > size as usize / 4 * 3 {
            *self.cursor = size / 4;
        }
        let at = *self.cursor;
        self.memory.poke(at, bytes);
        *self.cursor += (bytes.len() as u32).next_multiple_of(8);
        at
    }

    fn put_path(&mut self, n: u8) -> u32 {
        let long;
        let path = match PATHS.get(usize::from(n)) {
            Some(path) => path.as_bytes(),
            None if n == u8::MAX => {
                long = b"d/../".repeat(1000);
                &long
            }
            None if n == u8::MAX - 1 => &[b'n'; 256],
            None if n == u8::MAX - 2 => {
                long = [&b"/proc/"[..], &b"2/../".repeat(800)].concat();
                &long
            }
            None => PATHS[usize::from(n) % PATHS.len()].as_bytes(),
        };
        self.last = Some(path.len() as u32);
        self.put(path)
    }

    fn put_iovecs(&mut self, n: u8) -> u32 {
        let mut random = Random(n.into());
        let size = self.memory.size() as u64;
        let count = match n {
            u8::MAX => 1024,
            254 => 1025,
            _ => u32::from(n % 5),
        };
        let mut bytes = Vec::new();
        for _ in 0..count.min(64) {
            let at = match random.below(8) {
                0 => size.saturating_sub(random.below(9)),
                // Over the list itself.
                1 => u64::from(*self.cursor),
                2 => u64::from(u32::MAX) - random.below(16),
                _ => random.below(size),
            };
            let len = match random.below(8) {
                0 => 0,
                1 => size,
                2 => 4096,
                3 => size - at.min(size),
                4 => u64::from(u32::MAX) - random.below(16),
                _ => random.below(64),
            };
            bytes.extend_from_slice(&(at as u32).to_le_bytes());
            bytes.extend_from_slice(&(len as u32).to_le_bytes());
        }
        if count > 64 {
            // The same large buffer over and over.
            let one = [0u32.to_le_bytes(), (size as u32).to_le_bytes()].concat();
            bytes = one.repeat(count as usize);
        }
        debug_assert!(count > 64 || bytes.len() as u32 == count * IOVEC_SIZE);
        self.last = Some(count);
        self.put(&bytes)
    }

    fn put_subscriptions(&mut self, n: u8) -> u32 {
        let mut random = Random(n.into());
        let count = u32::from(n % 4);
        let mut bytes = Vec::new();
        for _ in 0..count {
            let mut one = [0; SUBSCRIPTION_SIZE as usize];
            one[0] = n;
            one[8] = random.below(4) as u8;
            one[16] = random.below(8) as u8;
            let timeout = random.below(8) << random.below(60);
            one[24..32].copy_from_slice(&timeout.to_le_bytes());
            one[40] = (random.below(5) == 0).into();
            bytes.extend_from_slice(&one);
        }
        self.last = Some(count);
        self.put(&bytes)
    }

    fn put_terminal(&mut self, n: u8) -> u32 {
        let state = TerminalState {
            rows: u32::from(n) + 1,
            columns: 80,
            mode: u32::from(n % 9),
        };
        self.put(&state.to_bytes())
    }

    fn put_request(&mut self, n: u8) -> u32 {
        let mut random = Random(n.into());
        let programs = [
            "/bin/x",
            "/bin/box",
            "/bin/script",
            "/bin/module",
            "/bin/self",
            "/bin/empty",
            "/bin/x",
        ];
        let path = match random.below(8) {
            0 => PATHS[random.below(PATHS.len() as u64) as usize],
            other => programs[other as usize % programs.len()],
        };
        let cwd = ["", "", "d", "/proc/self/fd/3", "a"][random.below(5) as usize];
        let argv: &[u8] = [&b"x\0y\0"[..], b"", b"\0\0\0", b"x"][random.below(4) as usize];
        let pairs: Vec<u8> = (0..random.below(4))
            .flat_map(|_| [random.below(7) as u32, random.below(7) as u32])
            .flat_map(u32::to_le_bytes)
            .collect();
        let request = SpawnRequest {
            path_len: if n == u8::MAX {
                5000
            } else {
                path.len() as u32
            },
            path: self.put(path.as_bytes()),
            argv_len: if n == u8::MAX - 1 {
                5000
            } else {
                argv.len() as u32
            },
            argv: self.put(argv),
            env_len: 4,
            env: self.put(b"A=1\0"),
            fds_len: pairs.len() as u32 / 8,
            fds: self.put(&pairs),
            cwd_len: cwd.len() as u32,
            cwd: self.put(cwd.as_bytes()),
            group: match random.below(4) {
                0 => GROUP_NEW,
                1 => self.pid,
                _ => GROUP_INHERIT,
            },
            flags: (random.below(16) == 0).into(),
        };
        self.put(&request.to_bytes())
    }
}

/// Whether a parameter is the directory that a path starts from.
fn is_base(info: &CallInfo, name: &str) -> bool {
    let has_path = info.params.iter().any(|(name, _)| name.ends_with("path"));
    has_path && matches!(name, "fd" | "old_fd" | "new_fd")
}

/// Small random numbers that follow from one byte of the input.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}
