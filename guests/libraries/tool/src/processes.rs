//! The processes of the system and its memory, as `/proc` shows them.

use std::fs;

/// How many ticks of a process's times make a second.
pub const TICKS: u64 = 100;

/// A process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Its group.
    pub group: u32,
    /// Its session.
    pub session: u32,
    /// Its terminal's number, 0 for none.
    pub terminal: u32,
    /// The group in the foreground of its terminal, -1 for none.
    pub foreground: i64,
    /// `R`, `S`, `D`, `T`, `Z` …
    pub state: u8,
    /// The kernel's flags.
    pub flags: u64,
    /// Processor time in ticks.
    pub cpu: u64,
    /// The priority, 20 where nothing was said.
    pub priority: i64,
    /// How nice it is.
    pub nice: i64,
    /// How many threads it has.
    pub threads: u64,
    /// When it started, in ticks since the system did.
    pub started: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of it that are there.
    pub resident: u64,
    /// Its user, real and effective.
    pub users: [u32; 2],
    /// Its group of users, real and effective.
    pub groups: [u32; 2],
    /// The program's name, at most 15 bytes.
    pub name: Vec<u8>,
    /// Its arguments; none for what is no program any more.
    pub arguments: Vec<Vec<u8>>,
}

impl Process {
    /// All that are there now, by number. One that ends meanwhile is left out.
    pub fn all() -> Vec<Process> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        let mut pids: Vec<u32> = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        pids.sort_unstable();
        pids.into_iter().filter_map(Process::of).collect()
    }

    /// The process of a number, if there is one.
    pub fn of(pid: u32) -> Option<Process> {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).ok();
        let mut process = Process::parse(&read("stat")?)?;
        let status = read("status").unwrap_or_default();
        process.users = ids(&status, b"Uid:");
        process.groups = ids(&status, b"Gid:");
        let line = read("cmdline").unwrap_or_default();
        if !line.is_empty() {
            let line = line.strip_suffix(b"\0").unwrap_or(&line);
            process.arguments = line.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        }
        Some(process)
    }

    /// Reads a line of `/proc/PID/stat`.
    fn parse(line: &[u8]) -> Option<Process> {
        // The name may hold anything, brackets too: it ends at the last one.
        let open = line.iter().position(|byte| *byte == b'(')?;
        let close = line.iter().rposition(|byte| *byte == b')')?;
        let pid = std::str::from_utf8(line.get(..open)?).ok()?.trim().parse();
        let rest = std::str::from_utf8(line.get(close + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |at: usize| -> i64 {
            let text = fields.get(at).copied().unwrap_or_default();
            text.parse().unwrap_or(0)
        };
        let count = |at: usize| number(at).max(0).cast_unsigned();
        Some(Process {
            pid: pid.ok()?,
            name: line.get(open + 1..close)?.to_vec(),
            state: *fields.first()?.as_bytes().first()?,
            parent: count(1) as u32,
            group: count(2) as u32,
            session: count(3) as u32,
            terminal: count(4) as u32,
            foreground: number(5),
            flags: count(6),
            cpu: count(11).saturating_add(count(12)),
            priority: number(15),
            nice: number(16),
            threads: count(17),
            started: count(19),
            memory: count(20),
            resident: count(21).saturating_mul(4096),
            ..Process::default()
        })
    }

    /// The command as one line: its arguments with blanks between, or its name in brackets.
    pub fn command(&self) -> Vec<u8> {
        match self.state {
            b'Z' => [b"[", &self.name[..], b"] <defunct>"].concat(),
            _ if self.arguments.is_empty() => [b"[", &self.name[..], b"]"].concat(),
            _ => self.arguments.join(&b' '),
        }
    }
}

/// The real and the effective id of a line of `/proc/PID/status`.
fn ids(status: &[u8], label: &[u8]) -> [u32; 2] {
    let line = status
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(label));
    let text = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|word| word.parse().unwrap_or(0));
    let real = numbers.next().unwrap_or(0);
    [real, numbers.next().unwrap_or(real)]
}

/// How long the system has been up, in ticks.
pub fn uptime() -> u64 {
    let text = fs::read_to_string("/proc/uptime").unwrap_or_default();
    let seconds: f64 = text
        .split_ascii_whitespace()
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(0.0);
    (seconds * TICKS as f64) as u64
}

/// The three averages of `/proc/loadavg`, as they are written there.
pub fn load() -> [String; 3] {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let mut words = text.split_ascii_whitespace();
    [(); 3].map(|()| words.next().unwrap_or("0.00").to_owned())
}

/// The memory of the system, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub total: u64,
    /// What nobody has.
    pub free: u64,
    /// What a program could get.
    pub available: u64,
    /// Buffers.
    pub buffers: u64,
    /// Cached content of files.
    pub cached: u64,
    /// What processes share.
    pub shared: u64,
    /// Swap: all, and free.
    pub swap: [u64; 2],
    /// The most that may be promised, and what is.
    pub committed: [u64; 2],
}

impl Memory {
    /// What there is now.
    pub fn now() -> Memory {
        Memory::parse(&fs::read_to_string("/proc/meminfo").unwrap_or_default())
    }

    fn parse(text: &str) -> Memory {
        let of = |name: &str| -> u64 {
            let line = text.lines().find_map(|line| {
                let (label, rest) = line.split_once(':')?;
                (label == name).then_some(rest)
            });
            let word = line.and_then(|line| line.split_ascii_whitespace().next());
            let kilobytes: u64 = word.and_then(|word| word.parse().ok()).unwrap_or(0);
            kilobytes.saturating_mul(1024)
        };
        Memory {
            total: of("MemTotal"),
            free: of("MemFree"),
            available: of("MemAvailable"),
            buffers: of("Buffers"),
            cached: of("Cached").saturating_add(of("SReclaimable")),
            shared: of("Shmem"),
            swap: [of("SwapTotal"), of("SwapFree")],
            committed: [of("CommitLimit"), of("Committed_AS")],
        }
    }

    /// What is in use.
    pub fn used(&self) -> u64 {
        self.total.saturating_sub(self.available)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_blanks_and_brackets() {
        let line = b"7 (a ) b) S 1 2 3 4 -1 0 0 0 0 0 5 6 0 0 20 -3 1 0 9 8192 2 0\n";
        let process = Process::parse(line).unwrap();
        assert_eq!(process.name, b"a ) b");
        assert_eq!((process.pid, process.parent, process.session), (7, 1, 3));
        assert_eq!((process.cpu, process.nice, process.started), (11, -3, 9));
        assert_eq!((process.memory, process.resident), (8192, 8192));
        assert_eq!(Process::parse(b"no line"), None);
        assert_eq!(Process::parse(b"1 )x("), None);
    }

    #[test]
    fn ids_are_real_and_effective() {
        assert_eq!(ids(b"Name:\tx\nUid:\t1\t2\t3\t4\n", b"Uid:"), [1, 2]);
        assert_eq!(ids(b"", b"Uid:"), [0, 0]);
    }

    #[test]
    fn memory_is_in_bytes() {
        let memory = Memory::parse("MemTotal:  8 kB\nMemFree: 3 kB\nMemAvailable: 5 kB\n");
        assert_eq!(
            (memory.total, memory.free, memory.used()),
            (8192, 3072, 3072)
        );
    }
}
