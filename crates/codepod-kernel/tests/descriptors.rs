//! WM-11: random descriptor operations against a model that a page holds.

mod support;

use std::collections::BTreeMap;

use codepod_abi::table::Call;
use codepod_abi::{Errno, wire::wasi::rights};
use codepod_kernel::{Limits, syscalls};
use proptest::prelude::*;
use support::{Got, Machine, OUT};

/// The number that paths start at, whatever else it is.
const ROOT: u32 = 3;
const LIMIT: u32 = 12;
const PIPES: usize = 4;

#[derive(Debug, Clone)]
enum Op {
    Pipe,
    Close(u32),
    Dup(u32, u32),
    DupTo(u32, u32),
    Renumber(u32, u32),
    Narrow(u32, u64),
    Widen(u32),
    Stat(u32),
    Prestat(u32),
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        20 => 0..LIMIT + 2,
        1 => Just(1 << 31),
        1 => Just(u32::MAX),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::Pipe),
        4 => number().prop_map(Op::Close),
        4 => (number(), number()).prop_map(|(fd, least)| Op::Dup(fd, least)),
        4 => (number(), number()).prop_map(|(fd, to)| Op::DupTo(fd, to)),
        3 => (number(), number()).prop_map(|(from, to)| Op::Renumber(from, to)),
        2 => (number(), 0..rights::ALL).prop_map(|(fd, kept)| Op::Narrow(fd, kept)),
        1 => number().prop_map(Op::Widen),
        2 => number().prop_map(Op::Stat),
        2 => number().prop_map(Op::Prestat),
    ]
}

/// What a number stands for: which open file, with which rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    file: usize,
    rights: u64,
}

/// Numbers for open files; a pipe is alive while one of its two files is.
struct Model {
    table: BTreeMap<u32, Entry>,
    files: usize,
    /// The two files of each pipe.
    pipes: Vec<(usize, usize)>,
}

impl Model {
    fn new() -> Model {
        let entry = |file| Entry {
            file,
            rights: rights::ALL,
        };
        Model {
            table: (0..4).map(|fd| (fd, entry(fd as usize))).collect(),
            files: 4,
            pipes: Vec::new(),
        }
    }

    fn free_from(&self, least: u32) -> Option<u32> {
        (least..LIMIT).find(|fd| *fd != ROOT && !self.table.contains_key(fd))
    }

    fn is_open(&self, file: usize) -> bool {
        self.table.values().any(|entry| entry.file == file)
    }

    fn pipes_open(&self) -> usize {
        let open = |(read, write): &&(usize, usize)| self.is_open(*read) || self.is_open(*write);
        self.pipes.iter().filter(open).count()
    }

    /// Open files and pipes, as the kernel counts them.
    fn open_count(&self) -> usize {
        let mut files: Vec<usize> = self.table.values().map(|entry| entry.file).collect();
        files.sort_unstable();
        files.dedup();
        files.len() + self.pipes_open()
    }

    fn apply(&mut self, op: &Op) -> Result<Option<Vec<u32>>, Errno> {
        let get =
            |table: &BTreeMap<u32, Entry>, fd: &u32| table.get(fd).copied().ok_or(Errno::Badf);
        match op {
            Op::Pipe => {
                let first = self.free_from(0).ok_or(Errno::Mfile)?;
                let second = self.free_from(first + 1).ok_or(Errno::Mfile)?;
                if self.pipes_open() >= PIPES {
                    return Err(Errno::Nfile);
                }
                for fd in [first, second] {
                    let entry = Entry {
                        file: self.files,
                        rights: rights::ALL,
                    };
                    self.table.insert(fd, entry);
                    self.files += 1;
                }
                self.pipes.push((self.files - 2, self.files - 1));
                return Ok(Some(vec![first, second]));
            }
            Op::Close(fd) => {
                get(&self.table, fd)?;
                self.table.remove(fd);
            }
            Op::Dup(fd, least) => {
                let entry = get(&self.table, fd)?;
                if *least >= LIMIT {
                    return Err(Errno::Inval);
                }
                let new = self.free_from(*least).ok_or(Errno::Mfile)?;
                self.table.insert(new, entry);
                return Ok(Some(vec![new]));
            }
            Op::DupTo(fd, to) => {
                let entry = get(&self.table, fd)?;
                if fd != to {
                    if *to >= LIMIT {
                        return Err(Errno::Badf);
                    }
                    self.table.insert(*to, entry);
                }
            }
            Op::Renumber(from, to) => {
                get(&self.table, to)?;
                let entry = get(&self.table, from)?;
                self.table.remove(from);
                self.table.insert(*to, entry);
            }
            Op::Narrow(fd, kept) => {
                let entry = get(&self.table, fd)?;
                if kept & !entry.rights != 0 {
                    return Err(Errno::NotCapable);
                }
                self.table.insert(
                    *fd,
                    Entry {
                        rights: *kept,
                        ..entry
                    },
                );
            }
            Op::Widen(fd) => {
                let entry = get(&self.table, fd)?;
                if entry.rights != rights::ALL {
                    return Err(Errno::NotCapable);
                }
            }
            Op::Stat(ROOT) | Op::Prestat(ROOT) => {}
            Op::Stat(fd) => {
                get(&self.table, fd)?;
            }
            Op::Prestat(_) => return Err(Errno::Badf),
        }
        Ok(None)
    }
}

fn run(machine: &mut Machine, pid: codepod_kernel::Pid, op: &Op) -> (Got, Vec<u32>) {
    let got = match *op {
        Op::Pipe => machine.ready(pid, Call::fd_pipe, |call| {
            syscalls::fd_pipe(call, OUT, OUT + 4)
        }),
        Op::Close(fd) => machine.close(pid, fd),
        Op::Dup(fd, least) => machine.ready(pid, Call::fd_dup, |call| {
            syscalls::fd_dup(call, fd, least, OUT)
        }),
        Op::DupTo(fd, to) => machine.ready(pid, Call::fd_dup_to, |call| {
            syscalls::fd_dup_to(call, fd, to)
        }),
        Op::Renumber(from, to) => machine.ready(pid, Call::fd_renumber, |call| {
            syscalls::fd_renumber(call, from, to)
        }),
        Op::Narrow(fd, kept) => machine.ready(pid, Call::fd_fdstat_set_rights, |call| {
            syscalls::fd_fdstat_set_rights(call, fd, kept, 0)
        }),
        Op::Widen(fd) => machine.ready(pid, Call::fd_fdstat_set_rights, |call| {
            syscalls::fd_fdstat_set_rights(call, fd, rights::ALL, 0)
        }),
        Op::Stat(fd) => machine.ready(pid, Call::fd_fdstat_get, |call| {
            syscalls::fd_fdstat_get(call, fd, OUT)
        }),
        Op::Prestat(fd) => machine.ready(pid, Call::fd_prestat_get, |call| {
            syscalls::fd_prestat_get(call, fd, OUT)
        }),
    };
    let results = vec![machine.word(pid, OUT), machine.word(pid, OUT + 4)];
    (got, results)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn wm_11_descriptors_behave_as_the_model(ops in proptest::collection::vec(op(), 1..120)) {
        let limits = Limits {
            descriptors: LIMIT as usize,
            pipes: PIPES,
            ..Limits::default()
        };
        let mut machine = Machine::with(limits, 1, None);
        let pid = machine.start();
        let mut model = Model::new();
        for op in &ops {
            let expected = model.apply(op);
            let (got, results) = run(&mut machine, pid, op);
            match expected {
                Ok(numbers) => {
                    prop_assert_eq!(got, Got::Fine, "{:?}", op);
                    for (number, result) in numbers.into_iter().flatten().zip(results) {
                        prop_assert_eq!(number, result, "{:?}", op);
                    }
                }
                Err(errno) => prop_assert_eq!(got, Got::Fails(errno), "{:?}", op),
            }
            for (fd, entry) in &model.table {
                let stat = machine.ready(pid, Call::fd_fdstat_get, |call| {
                    syscalls::fd_fdstat_get(call, *fd, OUT)
                });
                prop_assert_eq!(stat, Got::Fine);
                prop_assert_eq!(machine.long(pid, OUT + 8), entry.rights, "rights of {}", fd);
            }
            prop_assert_eq!(machine.kernel.open_count(), model.open_count(), "after {:?}", op);
        }
        machine.ends(pid, 0);
        machine.kernel.reap(pid);
        prop_assert_eq!(machine.kernel.open_count(), 0);
    }
}

#[test]
fn wm_11_a_directory_is_no_file_and_a_file_no_directory() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let std::task::Poll::Ready(Ok(file)) = machine.open(pid, "file", rights::FD_READ) else {
        panic!("it is there")
    };
    assert_eq!(
        machine.read(pid, 3, 10),
        std::task::Poll::Ready(Err(Got::Fails(Errno::IsDir)))
    );
    let listed = machine.ready(pid, Call::fd_readdir, |call| {
        syscalls::fd_readdir(call, file, 1024, 100, 0, OUT)
    });
    assert!(
        matches!(listed, Got::Fails(Errno::NotDir | Errno::NotCapable)),
        "{listed:?}"
    );
    // A right that was not asked for is not there.
    let wrote = machine.write(pid, file, b"x");
    assert!(
        matches!(
            wrote,
            std::task::Poll::Ready(Err(Got::Fails(Errno::Badf | Errno::NotCapable)))
        ),
        "{wrote:?}"
    );
}
