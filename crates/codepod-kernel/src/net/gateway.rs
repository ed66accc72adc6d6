//! The way out: what the kernel asks of the host's gateway, and what that does with a connection.
//!
//! The kernel opens nothing itself. A stream to an address beyond the sandbox is checked with the
//! [`Gateway`] at once, and handed to it as a [`Link`] once the kernel's lock is free. A link is
//! the other end of the guest's socket: a socket that the host holds, with the same queues and
//! limits.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use codepod_abi::Errno;

use super::Address;
use super::host_socket::HostSocket;
use super::socket::Stage;
use crate::ids::{Pid, SocketId};
use crate::kernel::Kernel;
use crate::process::RunId;
use crate::shared_kernel::SharedKernel;

/// What a guest is told without a gateway, behind where it wanted to.
const NO_NETWORK: &str = "is beyond the sandbox, which has no network";

/// Where a guest wants to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A name that it has resolved.
    Name(String),
    /// An address that it has written itself.
    Ip(Ipv4Addr),
}

/// What a guest wants, and who it is.
#[derive(Debug, Clone)]
pub struct Open {
    /// The kernel's id ([`crate::KernelOptions::id`]).
    pub sandbox: u64,
    /// The run that the process belongs to.
    pub run: RunId,
    /// The process.
    pub pid: Pid,
    /// Its name, the first of its arguments.
    pub command: String,
    /// Where to.
    pub target: Target,
    /// Its port.
    pub port: u16,
}

/// Why a connection is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What the guest's call fails with: [`Errno::Access`] where a policy decides.
    pub errno: Errno,
    /// The reason in words, as `net_why` tells it.
    pub why: String,
}

/// What is asked about everything beyond the sandbox.
pub trait Gateway: Send + Sync {
    /// Whether a connection may be tried. It is called under the kernel's lock, for each that a
    /// guest begins, so it decides from what it knows and touches no [`Link`].
    fn check(&self, open: &Open) -> Result<(), Refusal>;

    /// Takes a connection that was checked. It is called without the kernel's lock, but by a thread
    /// that other sandboxes need, too, so it must not block.
    fn open(&self, open: Open, link: Link);

    /// Finds out whether there is a host of a name, and says so to `answer`. It is called as
    /// [`Gateway::open`] is.
    fn resolve(&self, name: &str, answer: NameAnswer);
}

/// What is handed to the gateway once the kernel's lock is free.
pub(crate) enum Request {
    Open(Box<Open>, Link),
    Resolve(String, NameAnswer),
}

impl Request {
    /// Hands it over.
    pub(crate) fn hand_to(self, gateway: &dyn Gateway) {
        match self {
            Request::Open(open, link) => gateway.open(*open, link),
            Request::Resolve(name, answer) => gateway.resolve(&name, answer),
        }
    }
}

/// The host's end of a connection that a guest has begun. Dropping it resets the connection.
#[derive(Debug)]
pub struct Link(HostSocket);

impl Link {
    /// Says that the connection stands: the guest's call succeeds, and bytes go both ways.
    /// `Canceled` when the guest has given up meanwhile, `Nfile` when there is no memory for it.
    pub fn connected(&self) -> Result<(), Errno> {
        self.0.with(|kernel, own| {
            let guest = kernel.net.get(own)?.peer.ok_or(Errno::Canceled)?;
            kernel.join(guest, own)
        })
    }

    /// Says that there is no connection, and why. The guest's call fails with `errno`; a guest that
    /// has given up is not told.
    pub fn failed(self, errno: Errno, why: &str) {
        let _ = self.0.with(|kernel, own| {
            let guest = kernel.net.get_mut(own)?.peer.take();
            let guest = kernel.net.get_mut(guest.ok_or(Errno::Canceled)?)?;
            why.clone_into(&mut guest.why);
            guest.error = Some(errno);
            guest.end();
            Ok(())
        });
    }

    /// Fills `buffer` with what the guest has sent and returns how much that was; 0 at the end.
    /// `ConnReset` when the guest has closed the connection before it had read all, `Canceled` when
    /// its sandbox is gone.
    pub fn poll_take(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<Result<usize, Errno>> {
        self.0.poll_read(cx, buffer)
    }

    /// Gives bytes to the guest and returns how many it takes now. `Pipe` or `ConnReset` when it
    /// has closed the connection, `Canceled` when its sandbox is gone.
    pub fn poll_give(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, Errno>> {
        self.0.poll_write(cx, bytes)
    }

    /// Ready once the guest has closed the connection, or is gone: nobody reads any more. What it
    /// has sent can still be taken.
    pub fn poll_left(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.0.poll_left(cx)
    }

    /// Says that nothing more comes; the guest reads the rest and then the end. It can still send.
    pub fn end(&self) {
        self.0.end();
    }
}

/// Says whether there is a host of a name. Dropping it says that this could not be found out.
#[derive(Debug)]
pub struct NameAnswer {
    kernel: Weak<SharedKernel>,
    name: String,
    is_given: bool,
}

impl NameAnswer {
    /// Gives the answer: `NoEnt` if there is no such host, any other error if that could not be
    /// found out.
    pub fn give(mut self, answer: Result<(), Errno>) {
        self.tell(answer);
    }

    fn tell(&mut self, answer: Result<(), Errno>) {
        self.is_given = true;
        if let Some(kernel) = self.kernel.upgrade()
            && let Ok(mut guard) = kernel.lock()
        {
            guard.net.names.answer(&self.name, answer);
        }
    }
}

impl Drop for NameAnswer {
    fn drop(&mut self) {
        if !self.is_given {
            self.tell(Err(Errno::Again));
        }
    }
}

impl Kernel {
    /// Sets who is asked about everything beyond the sandbox. `kernel` is what this kernel is
    /// behind.
    pub fn set_gateway(&mut self, gateway: Arc<dyn Gateway>, kernel: &Arc<SharedKernel>) {
        self.net.gateway = Some((gateway, Arc::downgrade(kernel)));
    }

    /// Takes what is to be handed to the gateway, which must happen without the kernel's lock.
    pub(crate) fn take_requests(&mut self) -> Option<(Arc<dyn Gateway>, Vec<Request>)> {
        if self.net.requests.is_empty() {
            return None;
        }
        let (gateway, _) = self.net.gateway.as_ref()?;
        Some((gateway.clone(), std::mem::take(&mut self.net.requests)))
    }

    /// Sends a stream on its way out. Whatever the gateway refuses with, `Access` without one,
    /// `Nfile` when there is no room for the host's end.
    pub(super) fn ask_gateway(
        &mut self,
        pid: Pid,
        id: SocketId,
        to: SocketAddrV4,
    ) -> Result<(), Errno> {
        let target = match self.net.names.name_of(*to.ip()) {
            Some(name) => Target::Name(name.to_owned()),
            None => Target::Ip(*to.ip()),
        };
        let Some((gateway, kernel)) = self.net.gateway.clone() else {
            self.net.get_mut(id)?.why = match target {
                Target::Name(name) => format!("{name}:{} {NO_NETWORK}", to.port()),
                Target::Ip(_) => format!("{to} {NO_NETWORK}"),
            };
            return Err(Errno::Access);
        };
        let process = self.processes.get(pid)?;
        let command = process.argv.iter().next().unwrap_or_default();
        let open = Open {
            sandbox: self.id,
            run: process.run,
            pid,
            command: String::from_utf8_lossy(command).into_owned(),
            target,
            port: to.port(),
        };
        if let Err(refusal) = gateway.check(&open) {
            self.net.get_mut(id)?.why = refusal.why;
            return Err(refusal.errno);
        }
        self.net.fix_address(id)?;
        self.net.get_mut(id)?.peer_address = Some(Address::Inet(to));
        // From here on nothing may fail: dropping a link needs the kernel's lock, which is held.
        let host = self.new_host_socket(kernel)?;
        let (own, link) = (host.id(), Link(host));
        for (id, peer) in [(id, own), (own, id)] {
            if let Ok(socket) = self.net.get_mut(id) {
                socket.stage = Stage::Connecting;
                socket.peer = Some(peer);
            }
        }
        self.net.requests.push(Request::Open(Box::new(open), link));
        Ok(())
    }

    /// Asks the gateway for a name, if there is one; whether there is.
    pub(super) fn ask_for_name(&mut self, name: &str) -> bool {
        let Some((_, kernel)) = &self.net.gateway else {
            return false;
        };
        let answer = NameAnswer {
            kernel: kernel.clone(),
            name: name.to_owned(),
            is_given: false,
        };
        self.net
            .requests
            .push(Request::Resolve(name.to_owned(), answer));
        true
    }
}
