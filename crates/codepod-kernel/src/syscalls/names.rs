//! Names of hosts.

use std::net::SocketAddrV4;
use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::socket::{ADDRESS_SLOT, HOST_NAME_BYTES};

use super::Syscall;
use crate::memory::GuestMemory;
use crate::net::{Address, Resolved, address, canonical};

/// Finds the addresses of a host by its name.
pub fn name_resolve<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    name: u32,
    name_len: u32,
    addresses: u32,
    addresses_len: u32,
    count: u32,
) -> Poll<Result<(), Errno>> {
    let mut begin = || -> Result<_, Errno> {
        let most = HOST_NAME_BYTES + 1;
        let name = call.memory.read_vec(name, name_len, most, Errno::Inval)?;
        call.memory.check(count, 4)?;
        call.memory.check(addresses, addresses_len)?;
        let name = canonical(&name)?;
        let first = !std::mem::replace(&mut call.process_mut()?.waiting.polled, true);
        let resolved = call.kernel.resolve(&name, first)?;
        Ok((name, resolved))
    };
    let (name, resolved) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    let found = match resolved {
        Resolved::Address(found) => found,
        Resolved::Wait => {
            return call.wait(None, |kernel, waiter, waker| {
                kernel.net.names.wait(&name, waiter, waker);
            });
        }
    };
    let mut slot = Address::Inet(SocketAddrV4::new(found, 0)).to_bytes();
    slot.resize(ADDRESS_SLOT, 0);
    let tell = |memory: &mut M| {
        if addresses_len as usize >= ADDRESS_SLOT {
            memory.write_bytes(addresses, &slot)?;
        }
        memory.write_u32(count, 1)
    };
    Poll::Ready(tell(call.memory))
}

/// Finds the name that an address stands for.
pub fn name_of<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    address: u32,
    address_len: u32,
    name: u32,
    name_len: u32,
    used: u32,
) -> Result<(), Errno> {
    let bytes = call.socket_address(address, address_len)?;
    let address = address::inet(&bytes)?;
    call.memory.check(used, 4)?;
    let found = call.kernel.name_of(*address.ip())?;
    if found.len() > name_len as usize {
        return Err(Errno::Range);
    }
    call.memory.write_bytes(name, found.as_bytes())?;
    call.memory.write_u32(used, found.len() as u32)
}
