//! Turns of sessions: processes that go on from memory that an earlier one has left, and leave
//! theirs.
//!
//! `python3 --codepod-turn PATH CODE` takes a turn, and so does `node`. The session's memory is a
//! file, of which only the first bytes are the guest's (`guests/runtimes/python/src/session.c`):
//! the engine puts the memory in place before the process runs, and takes it when the guest asks
//! which pages it has touched, at the end of the turn. The guest then gives the new file the name
//! of the old one, which is when the turn counts.

use codepod_abi::Errno;
use codepod_vfs::{Access, Blocks, FileKind};

use super::ExitStatus;
use crate::ids::Pid;
use crate::kernel::Kernel;
use crate::limits::megabytes;
use crate::memory::GuestMemory;
use crate::syscalls::{Syscall, files_of};

/// The option that asks for a turn.
const TURN: &[u8] = b"--codepod-turn";
/// What is behind the name of a file that is being written.
const FRESH: &[u8] = b".new";
/// The status of a turn that could not be kept.
const NOT_KEPT: u8 = 126;
/// The guest's own part of the file, which it writes last: it is paid for before.
const GUESTS_PART: [u8; 32] = [0; 32];

/// What a turn begins with.
#[derive(Debug)]
pub struct Turn {
    /// The session's file; `None` if this is its first turn.
    pub kept: Option<Blocks>,
    /// The code that is to run.
    pub code: Vec<u8>,
}

impl Kernel {
    /// The turn of a session that a process takes; `None` if it takes none, or if its file is where
    /// memory cannot be kept. The file is looked for with the rights of the process.
    pub fn turn_of(&mut self, pid: Pid) -> Option<Turn> {
        let (path, code) = turn_words(self, pid)?;
        let cwd = self.processes.get(pid).ok()?.cwd;
        let (vfs, caller) = files_of(self, pid).ok()?;
        let kept = match vfs.resolve(&caller, cwd, &path, true) {
            Ok(node) => {
                vfs.access(&caller, node, Access::READ).ok()?;
                Some(vfs.blocks(node).ok()?)
            }
            Err(Errno::NoEnt) => {
                let slash = path.iter().rposition(|byte| *byte == b'/')?;
                let directory = vfs.resolve(&caller, cwd, &path[..=slash], true).ok()?;
                // Where files have blocks, a directory is refused for being one.
                if vfs.blocks(directory).err()? != Errno::IsDir {
                    return None;
                }
                None
            }
            Err(_) => return None,
        };
        Some(Turn { kept, code })
    }

    /// Ends a process that cannot go on with its session, and tells why.
    pub fn refuse_turn(&mut self, pid: Pid, why: &str) {
        self.complain(pid, why);
        if let Ok(process) = self.processes.get_mut(pid) {
            process.end(ExitStatus::Exited(NOT_KEPT));
        }
    }
}

/// The file and the code of a process that takes a turn.
fn turn_words(kernel: &Kernel, pid: Pid) -> Option<(Vec<u8>, Vec<u8>)> {
    let argv = &kernel.processes.get(pid).ok()?.argv;
    if argv.len() != 4 {
        return None;
    }
    let mut words = argv.iter().skip(1);
    let (option, path, code) = (words.next()?, words.next()?, words.next()?);
    (option == TURN).then(|| (path.to_vec(), code.to_vec()))
}

/// Keeps the memory of a process that takes a turn: `None` if the engine has none to keep. A
/// process whose memory cannot be kept is ended.
pub(crate) fn keep<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    stack: u32,
) -> Option<Result<(), Errno>> {
    if !call.memory.is_kept() {
        return None;
    }
    let refused = match keep_in_file(call, stack) {
        Ok(()) => return Some(Ok(())),
        Err(refused) => refused,
    };
    // The guest, which would remove its file, does not go on.
    if let Some((path, _)) = turn_words(call.kernel, call.pid)
        && let Ok(cwd) = call
            .kernel
            .processes
            .get(call.pid)
            .map(|process| process.cwd)
        && let Ok((vfs, caller)) = files_of(call.kernel, call.pid)
    {
        let _ = vfs.unlink(&caller, cwd, &[&path, FRESH].concat());
    }
    let why = why_not(call.kernel, &refused);
    if let (Errno::NoSpc | Errno::Fbig, Some(bytes)) = (refused.errno, refused.bytes) {
        // Which option raises the limit is for the host to say, in the words of its surface.
        call.kernel.reached.note_session(bytes);
    }
    call.kernel.refuse_turn(call.pid, &why);
    Some(Err(refused.errno))
}

/// Why memory was not kept, and how many bytes it is, where that is known.
struct Refused {
    errno: Errno,
    bytes: Option<u64>,
}

impl From<Errno> for Refused {
    fn from(errno: Errno) -> Refused {
        Refused { errno, bytes: None }
    }
}

fn keep_in_file<M: GuestMemory>(call: &mut Syscall<'_, M>, stack: u32) -> Result<(), Refused> {
    let (path, _) = turn_words(call.kernel, call.pid).ok_or(Errno::Inval)?;
    let cwd = call.kernel.processes.get(call.pid)?.cwd;
    let (vfs, caller) = files_of(call.kernel, call.pid)?;
    let old = match vfs.resolve(&caller, cwd, &path, true) {
        Ok(node) => Some(node),
        Err(Errno::NoEnt) => None,
        Err(errno) => return Err(errno.into()),
    };
    let fresh = vfs.resolve(&caller, cwd, &[&path, FRESH].concat(), false)?;
    vfs.access(&caller, fresh, Access::WRITE)?;
    if vfs.stat(&caller, fresh)?.kind != FileKind::File {
        return Err(Errno::Inval.into());
    }
    let empty = vfs.blocks(fresh)?;
    let mut blocks = call.memory.keep(stack, empty)?;
    blocks.set(0, GUESTS_PART.to_vec())?;
    let bytes = Some(blocks.stored());
    let refused = |errno| Refused { errno, bytes };
    let (vfs, caller) = files_of(call.kernel, call.pid)?;
    vfs.set_blocks(&caller, fresh, &blocks, old)
        .map_err(refused)
}

/// What a user can do about it.
fn why_not(kernel: &Kernel, refused: &Refused) -> String {
    const UNCHANGED: &str = "the session is as it was before this call";
    let tree = kernel.vfs.root_tree();
    let (limits, used) =
        tree.map_or_else(Default::default, |tree| (tree.limits(), tree.usage().bytes));
    match (refused.errno, refused.bytes) {
        (Errno::NoSpc, Some(bytes)) => format!(
            "the session needs {} of disk, the limit is {} and {} are in use: let go of something in it and call again; {UNCHANGED}",
            megabytes(bytes),
            megabytes(limits.bytes),
            megabytes(used),
        ),
        (Errno::Fbig, Some(bytes)) => format!(
            "the session needs a file of {} and the limit is {}: let go of something in it and call again; {UNCHANGED}",
            megabytes(bytes),
            megabytes(limits.file_bytes),
        ),
        (Errno::NoSpc, None) => format!(
            "there is no memory left for the session: the budget of this sandbox is used up; \
             let go of something in it and call again, or end another sandbox; {UNCHANGED}"
        ),
        (errno, _) => format!("the session cannot be kept: {errno}; {UNCHANGED}"),
    }
}
