//! Descriptors against a simple model: what numbers are open, what they share, what is in the
//! pipes.
//!
//! One process opens, duplicates, moves, reads, writes and closes. Each call is also told to the
//! [`Model`], which shares no code with the kernel, and both must give the same [`Answer`]; after
//! each call, every number must be open or closed in both, with the same type, flags and rights. At
//! the end, everything that was opened must have been closed, and the files take no more than
//! before.

mod machine;
mod model;

use arbitrary::{Arbitrary, Result, Unstructured};
use codepod_abi::Errno;

use self::machine::Machine;
use self::model::Model;

/// The limits of the sandbox, and what its process does.
#[derive(Debug)]
pub struct Input {
    setting: Setting,
    operations: Vec<Operation>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Input> {
        Ok(Input {
            setting: u.arbitrary()?,
            operations: crate::as_many_as_there_are(u, 96)?,
        })
    }
}

#[derive(Arbitrary, Debug)]
struct Setting {
    descriptors: u8,
    pipes: u8,
    pipe_bytes: u16,
    /// Whether the process ignores SIGPIPE; otherwise it dies of it.
    ignores_pipe: bool,
}

impl Setting {
    fn descriptors(&self) -> usize {
        4 + usize::from(self.descriptors % 13)
    }

    fn pipes(&self) -> usize {
        1 + usize::from(self.pipes % 5)
    }

    fn pipe_bytes(&self) -> usize {
        usize::from(self.pipe_bytes % 12_288)
    }
}

/// The largest file: reached by operations, and small enough for the model to hold.
const FILE_BYTES: u64 = 64 << 10;

/// The paths that are opened.
const NAMES: &[&str] = &[
    "a",
    "b",
    "new",
    "d",
    "d/in",
    "/dev/null",
    "/dev/zero",
    "none/in",
];

#[derive(Arbitrary, Debug)]
enum Operation {
    Open {
        directory: u8,
        name: u8,
        oflags: u8,
        fdflags: u8,
        rights: Rights,
        inheriting: Rights,
    },
    Close(u8),
    Dup {
        fd: u8,
        least: u8,
    },
    DupTo {
        fd: u8,
        to: u8,
    },
    Renumber {
        from: u8,
        to: u8,
    },
    Pipe,
    SockPair,
    Read {
        fd: u8,
        sizes: Sizes,
    },
    Write {
        fd: u8,
        sizes: Sizes,
        first: u8,
    },
    Pread {
        fd: u8,
        sizes: Sizes,
        offset: Offset,
    },
    Pwrite {
        fd: u8,
        sizes: Sizes,
        first: u8,
        offset: Offset,
    },
    Receive {
        fd: u8,
        sizes: Sizes,
        peek: bool,
    },
    Send {
        fd: u8,
        sizes: Sizes,
        first: u8,
    },
    Shutdown {
        fd: u8,
        how: u8,
    },
    Seek {
        fd: u8,
        offset: i64,
        whence: u8,
    },
    SeekNear {
        fd: u8,
        offset: i16,
        whence: u8,
    },
    Tell(u8),
    SetFlags {
        fd: u8,
        flags: u8,
    },
    SetRights {
        fd: u8,
        rights: Rights,
        inheriting: Rights,
    },
    SetSize {
        fd: u8,
        size: Offset,
    },
    Allocate {
        fd: u8,
        offset: Offset,
        len: Offset,
    },
    Poll {
        fd: u8,
        write: bool,
    },
    Unlink(u8),
}

/// A number that is open now and then.
fn number(fd: u8) -> u32 {
    match fd {
        250.. => u32::MAX - u32::from(u8::MAX - fd),
        200.. => u32::from(fd % 24),
        _ => u32::from(fd % 8),
    }
}

/// Sizes of three buffers: small ones, and some that fill a pipe.
#[derive(Arbitrary, Debug, Clone, Copy)]
struct Sizes([u8; 3]);

impl Sizes {
    const MOST: usize = 8192;

    fn get(self) -> [usize; 3] {
        self.0.map(|size| match size {
            0..=127 => size.into(),
            128..=191 => usize::from(size - 127) * 16,
            192.. => usize::from(size - 191) * 128,
        })
    }

    fn total(self) -> usize {
        self.get().iter().sum()
    }
}

#[derive(Arbitrary, Debug, Clone, Copy)]
enum Offset {
    Near(u16),
    /// Around the largest size.
    AtLimit(i8),
    Any(u64),
}

impl Offset {
    fn get(self) -> u64 {
        match self {
            Offset::Near(n) => n.into(),
            Offset::AtLimit(n) => FILE_BYTES.wrapping_add_signed(n.into()),
            Offset::Any(n) => n,
        }
    }
}

#[derive(Arbitrary, Debug, Clone, Copy)]
enum Rights {
    All,
    But(u8),
    Only(u8),
    Any(u64),
}

impl Rights {
    fn get(self) -> u64 {
        let all = codepod_abi::wire::wasi::rights::ALL;
        match self {
            Rights::All => all,
            Rights::But(bit) => all & !(1 << (bit % 30)),
            Rights::Only(bit) => 1 << (bit % 30),
            Rights::Any(bits) => bits,
        }
    }
}

/// The bytes that a write writes.
fn pattern(first: u8, len: usize) -> Vec<u8> {
    (0..len).map(|i| first.wrapping_add(i as u8)).collect()
}

/// What an operation comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    /// Success, with the numbers that it returns.
    Done(Vec<u64>),
    /// Success, with what was read.
    Got(Bytes),
    Failed(Errno),
    /// It waited; a caught signal then ended it so.
    Interrupted(Box<Answer>),
    /// The process ends.
    Ends,
}

/// Bytes, of which the first are shown.
#[derive(Clone, PartialEq, Eq)]
struct Bytes(Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let first = &self.0[..self.0.len().min(32)];
        write!(f, "{} bytes, \"{}\"…", self.0.len(), first.escape_ascii())
    }
}

/// What `fd_fdstat_get` says of a number: type, flags, rights, inherited rights.
type Described = std::result::Result<(u8, u16, u64, u64), Errno>;

/// Runs one input; panics where kernel and model disagree.
pub fn run(input: &Input) {
    let mut machine = Machine::new(&input.setting);
    let mut model = Model::new(&input.setting);
    for operation in &input.operations {
        let expected = model.apply(operation);
        let answer = machine.apply(operation);
        assert_eq!(
            answer, expected,
            "kernel and model answer {operation:?} differently"
        );
        if answer == Answer::Ends {
            break;
        }
        for fd in 0..24 {
            assert_eq!(
                machine.describe(fd),
                model.describe(fd),
                "descriptor {fd} after {operation:?}"
            );
        }
    }
    for (name, content) in model.files() {
        assert!(machine.content(name) == *content, "content of {name}");
    }
    machine.end();
}
