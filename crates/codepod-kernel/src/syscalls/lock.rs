//! Locking open files.

use std::task::Poll;

use codepod_abi::Errno;

use super::Syscall;
use crate::file_lock::Operation;
use crate::memory::GuestMemory;

/// Locks an open file or unlocks it, as `flock(2)` does.
pub fn fd_lock<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    operation: u32,
) -> Poll<Result<(), Errno>> {
    let operation = Operation::from_number(operation)?;
    let id = call.descriptor(fd, 0)?.file;
    let file = call.kernel.files.get_mut(id.0).ok_or(Errno::Badf)?;
    let Some(lock) = operation.lock else {
        call.kernel.locks.unlock(file);
        return Poll::Ready(Ok(()));
    };
    let node = file.object.node();
    match (call.kernel.locks.lock(file, lock), node) {
        (Err(Errno::Again), Some(node)) if operation.waits => {
            call.wait(None, |kernel, waiter, waker| {
                kernel.locks.wait(node, waiter, waker);
            })
        }
        (result, _) => Poll::Ready(result),
    }
}
