//! Random sequences of socket calls, made of Linux's own sockets and of the kernel's: every result
//! and every error has to be the same.
//!
//! All sockets are non-blocking, so no call waits and one thread makes all of them. Ports and names
//! that are chosen for a socket are compared by the order in which they are seen.
//!
//! What the sequences leave out, since the two differ on purpose:
//!
//! * TIME_WAIT: Linux keeps a port of a closed connection for a minute, the kernel gives it back.
//! * A full backlog of a TCP socket: Linux lets in who waits when it tries again, a second later,
//!   the kernel at once.
//! * Connecting a TCP socket to itself, or two to each other: refused here, since nobody listens.
//! * How many datagrams a UNIX socket holds: Linux counts them (`max_dgram_qlen`), the kernel their
//!   bytes. A sequence sends fewer than either holds.
//! * A UNIX socket that is bound after it has sent: of a message that still waits Linux tells the
//!   new name, the kernel that the sender had none.
//! * Receiving into no buffer: the kernel says 0, Linux looks for data first.
#![cfg(target_os = "linux")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::task::Poll;

use codepod_abi::table::Call;
use codepod_abi::wire::socket::{self as wire, SocketOption};
use codepod_abi::wire::{SIGNAL_IGNORE, wasi};
use codepod_abi::{Errno, Signal};
use codepod_kernel::{Limits, Pid, syscalls};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, Shutdown, SocketAddrAny, SocketAddrUnix, SocketFlags,
    SocketType,
};
use support::{Got, Machine};

/// How many sockets a sequence has at a time.
const SLOTS: usize = 9;
/// How many calls a sequence makes.
const CALLS: usize = 60;
/// How many sequences are compared.
const SEQUENCES: u64 = 1500;
/// A port at which nobody listens.
const NOBODY: u16 = 1;

/// An address, as a sequence names it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Unspecified,
    /// An IPv4 address with a port of its own, or any.
    Inet(Ipv4Addr, u16),
    /// Where the socket of a slot is bound: of a UNIX socket its name, of others its port.
    Of(usize),
    Path(u8),
    Abstract(u8),
    /// The UNIX family and nothing else.
    Family,
}

#[derive(Debug, Clone)]
enum Step {
    Open(usize, Family, Kind),
    Pair(usize, usize),
    Bind(usize, Name),
    Listen(usize, u32),
    Connect(usize, Name),
    Accept(usize, usize),
    Send(usize, usize, Option<Name>),
    Receive(usize, usize, bool),
    Shutdown(usize, u32),
    Close(usize),
    Local(usize),
    Peer(usize),
    Option(usize, SocketOption),
    Reuse(usize, bool),
    Poll(usize),
    Unlink(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Inet,
    Unix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stream,
    Datagram,
}

/// What both sides say in the same words.
type Said = Result<String, Errno>;

/// Names for ports and names that were chosen: by the order in which they are seen.
#[derive(Default)]
struct Labels(Vec<String>);

impl Labels {
    fn label(&mut self, what: String) -> String {
        let at = self.0.iter().position(|known| *known == what);
        let at = at.unwrap_or_else(|| {
            self.0.push(what);
            self.0.len() - 1
        });
        format!("#{at}")
    }

    fn inet(&mut self, address: SocketAddrV4) -> String {
        let port = match address.port() {
            port @ 0..=1023 => port.to_string(),
            port => self.label(port.to_string()),
        };
        format!("{}:{port}", address.ip())
    }
}

trait World {
    fn make(&mut self, step: &Step) -> Said;
}

// ---- Linux

struct Linux {
    slots: Vec<Option<OwnedFd>>,
    labels: Labels,
    directory: PathBuf,
    /// What abstract names begin with: they are the whole machine's.
    prefix: String,
}

fn translate(errno: rustix::io::Errno) -> Errno {
    use rustix::io::Errno as E;
    let known = [
        (E::ACCESS, Errno::Access),
        (E::ADDRINUSE, Errno::AddrInUse),
        (E::ADDRNOTAVAIL, Errno::AddrNotAvail),
        (E::AFNOSUPPORT, Errno::AfNoSupport),
        (E::AGAIN, Errno::Again),
        (E::ALREADY, Errno::Already),
        (E::CONNABORTED, Errno::ConnAborted),
        (E::CONNREFUSED, Errno::ConnRefused),
        (E::CONNRESET, Errno::ConnReset),
        (E::DESTADDRREQ, Errno::DestAddrReq),
        (E::INPROGRESS, Errno::InProgress),
        (E::INVAL, Errno::Inval),
        (E::ISCONN, Errno::IsConn),
        (E::MSGSIZE, Errno::MsgSize),
        (E::NOENT, Errno::NoEnt),
        (E::NOTCONN, Errno::NotConn),
        (E::OPNOTSUPP, Errno::NotSup),
        (E::PERM, Errno::Perm),
        (E::PIPE, Errno::Pipe),
        (E::PROTOTYPE, Errno::Prototype),
    ];
    let found = known.iter().find(|(theirs, _)| *theirs == errno);
    found
        .unwrap_or_else(|| panic!("an error that is not listed: {errno}"))
        .1
}

/// rustix reads an address without a name as the empty abstract name, which no sequence uses.
fn is_unnamed(address: &SocketAddrUnix) -> bool {
    address.path_bytes().is_none() && address.abstract_name().is_none_or(<[u8]>::is_empty)
}

impl Linux {
    fn new(sequence: u64) -> Linux {
        let directory = tempfile::tempdir().unwrap().keep();
        Linux {
            slots: (0..SLOTS).map(|_| None).collect(),
            labels: Labels::default(),
            directory,
            prefix: format!("codepod-{}-{sequence}-", std::process::id()),
        }
    }

    fn path(&self, number: u8) -> PathBuf {
        self.directory.join(format!("p{number}"))
    }

    fn slot(&self, slot: usize) -> &OwnedFd {
        self.slots[slot].as_ref().unwrap()
    }

    fn address(&self, name: &Name, dead: Family) -> SocketAddrAny {
        let unix = |name: Result<SocketAddrUnix, rustix::io::Errno>| name.unwrap().into();
        match name {
            Name::Unspecified | Name::Family => unreachable!("made by hand"),
            Name::Inet(ip, port) => SocketAddrV4::new(*ip, *port).into(),
            Name::Path(number) => unix(SocketAddrUnix::new(self.path(*number))),
            Name::Abstract(number) => {
                let name = format!("{}{number}", self.prefix);
                unix(SocketAddrUnix::new_abstract_name(name.as_bytes()))
            }
            Name::Of(slot) => match &self.slots[*slot] {
                Some(fd) => {
                    let own = rustix::net::getsockname(fd).unwrap();
                    if let Ok(inet) = SocketAddrV4::try_from(own.clone()) {
                        let port = if inet.port() == 0 {
                            NOBODY
                        } else {
                            inet.port()
                        };
                        return SocketAddrV4::new(*inet.ip(), port).into();
                    }
                    let named = SocketAddrUnix::try_from(own.clone()).unwrap();
                    match is_unnamed(&named) {
                        true => unix(SocketAddrUnix::new(self.path(9))),
                        false => own,
                    }
                }
                None if dead == Family::Inet => {
                    SocketAddrV4::new(Ipv4Addr::LOCALHOST, NOBODY).into()
                }
                None => unix(SocketAddrUnix::new(self.path(9))),
            },
        }
    }

    fn say(&mut self, address: Option<SocketAddrAny>) -> String {
        let Some(address) = address else {
            return "nobody".to_owned();
        };
        if let Ok(inet) = SocketAddrV4::try_from(address.clone()) {
            return self.labels.inet(inet);
        }
        let unix = SocketAddrUnix::try_from(address).unwrap();
        if is_unnamed(&unix) {
            return "unnamed".to_owned();
        }
        if let Some(path) = unix.path_bytes() {
            return String::from_utf8_lossy(&path[path.len() - 2..]).into_owned();
        }
        let name = unix.abstract_name().unwrap();
        match name.strip_prefix(self.prefix.as_bytes()) {
            Some(own) => format!("@{}", String::from_utf8_lossy(own)),
            None => self
                .labels
                .label(String::from_utf8_lossy(name).into_owned()),
        }
    }

    /// What a packet on its way needs to arrive.
    fn settle(&self) {
        std::thread::sleep(std::time::Duration::from_micros(20));
    }

    fn try_step(&mut self, step: &Step) -> Result<String, rustix::io::Errno> {
        use rustix::net;
        Ok(match step {
            Step::Open(slot, family, kind) => {
                let family = match family {
                    Family::Inet => AddressFamily::INET,
                    Family::Unix => AddressFamily::UNIX,
                };
                let kind = match kind {
                    Kind::Stream => SocketType::STREAM,
                    Kind::Datagram => SocketType::DGRAM,
                };
                let fd = net::socket_with(family, kind, SocketFlags::NONBLOCK, None)?;
                if (family, kind) == (AddressFamily::INET, SocketType::STREAM) {
                    // Else a small piece waits until the one before is acknowledged.
                    net::sockopt::set_tcp_nodelay(&fd, true)?;
                }
                self.slots[*slot] = Some(fd);
                String::new()
            }
            Step::Pair(first, second) => {
                let flags = SocketFlags::NONBLOCK;
                let (one, two) =
                    net::socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
                self.slots[*first] = Some(one);
                self.slots[*second] = Some(two);
                String::new()
            }
            Step::Bind(slot, Name::Family) => {
                net::bind(self.slot(*slot), &SocketAddrUnix::new_unnamed())?;
                String::new()
            }
            Step::Bind(slot, name) => {
                let address = self.address(name, Family::Inet);
                net::bind(self.slot(*slot), &address)?;
                String::new()
            }
            Step::Listen(slot, backlog) => {
                net::listen(self.slot(*slot), *backlog as i32)?;
                String::new()
            }
            Step::Connect(slot, Name::Unspecified) => {
                net::connect_unspec(self.slot(*slot))?;
                String::new()
            }
            Step::Connect(slot, name) => {
                let dead = self.family(*slot);
                net::connect(self.slot(*slot), &self.address(name, dead))?;
                String::new()
            }
            Step::Accept(slot, into) => {
                let fd = net::accept_with(self.slot(*slot), SocketFlags::NONBLOCK)?;
                self.slots[*into] = Some(fd);
                String::new()
            }
            Step::Send(slot, len, None) => {
                net::send(self.slot(*slot), &text(*len), SendFlags::NOSIGNAL)?.to_string()
            }
            Step::Send(slot, len, Some(name)) => {
                let to = self.address(name, self.family(*slot));
                net::sendto(self.slot(*slot), &text(*len), SendFlags::NOSIGNAL, &to)?.to_string()
            }
            Step::Receive(slot, len, peek) => {
                let flags = if *peek {
                    RecvFlags::PEEK
                } else {
                    RecvFlags::empty()
                };
                let mut buffer = vec![0; *len];
                let (got, _, from) = net::recvfrom(self.slot(*slot), &mut buffer[..], flags)?;
                let from = from.filter(|from| {
                    SocketAddrV4::try_from(from.clone()).is_ok()
                        || SocketAddrUnix::try_from(from.clone())
                            .is_ok_and(|unix| !is_unnamed(&unix))
                });
                let bytes = String::from_utf8_lossy(&buffer[..got]).into_owned();
                format!("{bytes} from {}", self.say(from))
            }
            Step::Shutdown(slot, how) => {
                let how = match how {
                    1 => Shutdown::Read,
                    2 => Shutdown::Write,
                    _ => Shutdown::Both,
                };
                net::shutdown(self.slot(*slot), how)?;
                String::new()
            }
            Step::Close(slot) => {
                self.slots[*slot] = None;
                String::new()
            }
            Step::Local(slot) => {
                let address = net::getsockname(self.slot(*slot))?;
                self.say(Some(address))
            }
            Step::Peer(slot) => {
                let address = net::getpeername(self.slot(*slot))?;
                self.say(address)
            }
            Step::Option(slot, SocketOption::Error) => {
                match net::sockopt::socket_error(self.slot(*slot))? {
                    Ok(()) => "0".to_owned(),
                    Err(errno) => format!("{:?}", translate(errno)),
                }
            }
            Step::Option(slot, _) => {
                let listens = net::sockopt::socket_acceptconn(self.slot(*slot))?;
                u8::from(listens).to_string()
            }
            Step::Reuse(slot, on) => {
                net::sockopt::set_socket_reuseaddr(self.slot(*slot), *on)?;
                String::new()
            }
            Step::Poll(slot) => {
                let wanted = PollFlags::IN | PollFlags::OUT;
                let mut fds = [PollFd::new(self.slot(*slot), wanted)];
                rustix::event::poll(&mut fds, Some(&Timespec::default()))?;
                let found = fds[0].revents();
                let urgent = found.intersects(PollFlags::HUP | PollFlags::ERR);
                let read = found.contains(PollFlags::IN) || urgent;
                let write = found.contains(PollFlags::OUT) || urgent;
                seen(read, write, found.contains(PollFlags::HUP))
            }
            Step::Unlink(number) => {
                rustix::fs::unlink(self.path(*number))?;
                String::new()
            }
        })
    }

    fn family(&self, slot: usize) -> Family {
        let own = rustix::net::getsockname(self.slot(slot)).unwrap();
        match SocketAddrV4::try_from(own) {
            Ok(_) => Family::Inet,
            Err(_) => Family::Unix,
        }
    }
}

impl World for Linux {
    fn make(&mut self, step: &Step) -> Said {
        let said = self.try_step(step).map_err(translate);
        self.settle();
        said
    }
}

impl Drop for Linux {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

// ---- the kernel

struct Ours {
    machine: Machine,
    pid: Pid,
    slots: Vec<Option<u32>>,
    families: BTreeMap<usize, Family>,
    labels: Labels,
}

/// Where things are in the memory of the process.
const OUT: u32 = 0;
const IOV: u32 = 64;
const ADDRESS: u32 = 256;
const BYTES: u32 = 1024;

impl Ours {
    fn new() -> Ours {
        let mut machine = Machine::with(Limits::default(), 1, None);
        let pid = machine.start();
        machine.action(pid, Signal::Pipe, SIGNAL_IGNORE);
        Ours {
            machine,
            pid,
            slots: vec![None; SLOTS],
            families: BTreeMap::new(),
            labels: Labels::default(),
        }
    }

    fn fd(&self, slot: usize) -> u32 {
        self.slots[slot].unwrap()
    }

    fn own_name(&mut self, slot: usize, which: u32) -> Result<Vec<u8>, Errno> {
        let fd = self.fd(slot);
        self.ready(Call::sock_name, |call| {
            syscalls::sock_name(call, fd, which, ADDRESS, 128, OUT)
        })?;
        let len = self.machine.word(self.pid, OUT) as usize;
        Ok(self.machine.memory(self.pid)[ADDRESS as usize..][..len].to_vec())
    }

    /// Puts an address into memory and returns its length.
    fn address(&mut self, name: &Name, dead: Family) -> u32 {
        let inet = |ip: Ipv4Addr, port: u16| {
            let mut bytes = wire::INET.to_le_bytes().to_vec();
            bytes.extend(port.to_be_bytes());
            bytes.extend(ip.octets());
            bytes
        };
        let unix = |name: &[u8]| [&wire::UNIX.to_le_bytes()[..], name].concat();
        let bytes = match name {
            Name::Unspecified => vec![0; 16],
            Name::Family => unix(b""),
            Name::Inet(ip, port) => inet(*ip, *port),
            Name::Path(number) => unix(format!("/tmp/p{number}").as_bytes()),
            Name::Abstract(number) => unix(format!("\0own-{number}").as_bytes()),
            Name::Of(slot) => match self.slots[*slot] {
                Some(_) => {
                    let mut own = self.own_name(*slot, wire::LOCAL).unwrap();
                    if own[2..].is_empty() {
                        own = unix(b"/tmp/p9");
                    }
                    if own[..4] == [1, 0, 0, 0] {
                        own[2..4].copy_from_slice(&NOBODY.to_be_bytes());
                    }
                    own
                }
                None if dead == Family::Inet => inet(Ipv4Addr::LOCALHOST, NOBODY),
                None => unix(b"/tmp/p9"),
            },
        };
        self.machine.put(self.pid, ADDRESS, &bytes);
        bytes.len() as u32
    }

    fn say(&mut self, bytes: &[u8]) -> String {
        match bytes {
            [] => "nobody".to_owned(),
            [1, 0, p, q, a, b, c, d] => {
                let ip = Ipv4Addr::new(*a, *b, *c, *d);
                let port = u16::from_be_bytes([*p, *q]);
                self.labels.inet(SocketAddrV4::new(ip, port))
            }
            [3, 0] => "unnamed".to_owned(),
            [3, 0, 0, name @ ..] => match name.strip_prefix(b"own-") {
                Some(own) => format!("@{}", String::from_utf8_lossy(own)),
                None => self
                    .labels
                    .label(String::from_utf8_lossy(name).into_owned()),
            },
            [3, 0, path @ .., 0] => String::from_utf8_lossy(&path[path.len() - 2..]).into_owned(),
            other => panic!("no address: {other:?}"),
        }
    }

    fn ready(
        &mut self,
        call: Call,
        handler: impl FnOnce(
            &mut codepod_kernel::Syscall<'_, codepod_kernel::SliceMemory<'_>>,
        ) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        result(self.machine.ready(self.pid, call, handler))
    }

    fn poll(
        &mut self,
        call: Call,
        handler: impl FnOnce(
            &mut codepod_kernel::Syscall<'_, codepod_kernel::SliceMemory<'_>>,
        ) -> Poll<Result<(), Errno>>,
    ) -> Result<(), Errno> {
        match self.machine.poll(self.pid, call, handler) {
            Poll::Ready(got) => result(got),
            Poll::Pending => panic!("{call:?} waits"),
        }
    }

    fn buffer(&mut self, bytes: &[u8]) {
        self.machine.put(self.pid, BYTES, bytes);
        let iov = [BYTES.to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat();
        self.machine.put(self.pid, IOV, &iov);
    }

    fn nonblocking(&mut self, fd: u32) {
        let flags = wasi::fdflags::NONBLOCK.into();
        self.ready(Call::fd_fdstat_set_flags, |call| {
            syscalls::fd_fdstat_set_flags(call, fd, flags)
        })
        .unwrap();
    }

    fn option(&mut self, fd: u32, option: SocketOption) -> Result<u64, Errno> {
        self.ready(Call::sock_option_get, |call| {
            syscalls::sock_option_get(call, fd, option as u32, OUT)
        })?;
        Ok(self.machine.long(self.pid, OUT))
    }
}

fn result(got: Got) -> Result<(), Errno> {
    match got {
        Got::Fine => Ok(()),
        Got::Fails(errno) => Err(errno),
        Got::Ends => panic!("the process ends"),
    }
}

impl World for Ours {
    fn make(&mut self, step: &Step) -> Said {
        let nonblock = u32::from(wasi::fdflags::NONBLOCK);
        match step {
            Step::Open(slot, family, kind) => {
                self.families.insert(*slot, *family);
                let family = match family {
                    Family::Inet => wire::INET,
                    Family::Unix => wire::UNIX,
                };
                let kind = match kind {
                    Kind::Stream => wire::STREAM,
                    Kind::Datagram => wire::DATAGRAM,
                };
                self.ready(Call::sock_open, |call| {
                    syscalls::sock_open(call, family.into(), kind, nonblock, OUT)
                })?;
                self.slots[*slot] = Some(self.machine.word(self.pid, OUT));
                Ok(String::new())
            }
            Step::Pair(first, second) => {
                self.ready(Call::sock_pair, |call| {
                    syscalls::sock_pair(call, OUT, OUT + 4)
                })?;
                for (slot, at) in [(*first, OUT), (*second, OUT + 4)] {
                    let fd = self.machine.word(self.pid, at);
                    self.slots[slot] = Some(fd);
                    self.families.insert(slot, Family::Unix);
                }
                for slot in [*first, *second] {
                    self.nonblocking(self.fd(slot));
                }
                Ok(String::new())
            }
            Step::Bind(slot, name) => {
                let len = self.address(name, Family::Inet);
                let fd = self.fd(*slot);
                self.ready(Call::sock_bind, |call| {
                    syscalls::sock_bind(call, fd, ADDRESS, len)
                })
                .map(|()| String::new())
            }
            Step::Listen(slot, backlog) => {
                let fd = self.fd(*slot);
                self.ready(Call::sock_listen, |call| {
                    syscalls::sock_listen(call, fd, *backlog)
                })
                .map(|()| String::new())
            }
            Step::Connect(slot, name) => {
                let len = self.address(name, self.families[slot]);
                let fd = self.fd(*slot);
                self.poll(Call::sock_connect, |call| {
                    syscalls::sock_connect(call, fd, ADDRESS, len)
                })
                .map(|()| String::new())
            }
            Step::Accept(slot, into) => {
                let fd = self.fd(*slot);
                self.poll(Call::sock_accept, |call| {
                    syscalls::sock_accept(call, fd, nonblock, OUT)
                })?;
                self.slots[*into] = Some(self.machine.word(self.pid, OUT));
                self.families.insert(*into, self.families[slot]);
                Ok(String::new())
            }
            Step::Send(slot, len, name) => {
                let address_len = match name {
                    Some(name) => self.address(name, self.families[slot]),
                    None => 0,
                };
                self.buffer(&text(*len));
                let fd = self.fd(*slot);
                self.poll(Call::sock_send_to, |call| {
                    let flags = wire::NO_SIGNAL;
                    syscalls::sock_send_to(call, fd, IOV, 1, flags, ADDRESS, address_len, OUT)
                })?;
                Ok(self.machine.word(self.pid, OUT).to_string())
            }
            Step::Receive(slot, len, peek) => {
                self.buffer(&vec![0; *len]);
                let fd = self.fd(*slot);
                let flags = if *peek { wire::PEEK } else { 0 };
                self.poll(Call::sock_recv_from, |call| {
                    syscalls::sock_recv_from(call, fd, IOV, 1, flags, ADDRESS, 128, OUT)
                })?;
                let count = self.machine.word(self.pid, OUT) as usize;
                let address_len = self.machine.word(self.pid, OUT + 8) as usize;
                let memory = self.machine.memory(self.pid);
                let bytes =
                    String::from_utf8_lossy(&memory[BYTES as usize..][..count]).into_owned();
                let from = memory[ADDRESS as usize..][..address_len].to_vec();
                Ok(format!("{bytes} from {}", self.say(&from)))
            }
            Step::Shutdown(slot, how) => {
                let fd = self.fd(*slot);
                self.ready(Call::sock_shutdown, |call| {
                    syscalls::sock_shutdown(call, fd, *how)
                })
                .map(|()| String::new())
            }
            Step::Close(slot) => {
                let fd = self.slots[*slot].take().unwrap();
                assert_eq!(self.machine.close(self.pid, fd), Got::Fine);
                Ok(String::new())
            }
            Step::Local(slot) => {
                let name = self.own_name(*slot, wire::LOCAL)?;
                Ok(self.say(&name))
            }
            Step::Peer(slot) => {
                let name = self.own_name(*slot, wire::PEER)?;
                Ok(self.say(&name))
            }
            Step::Option(slot, option) => {
                let value = self.option(self.fd(*slot), *option)?;
                Ok(
                    match (option, u16::try_from(value).ok().and_then(Errno::from_raw)) {
                        (SocketOption::Error, Some(errno)) => format!("{errno:?}"),
                        _ => value.to_string(),
                    },
                )
            }
            Step::Reuse(slot, on) => {
                let fd = self.fd(*slot);
                let option = SocketOption::ReuseAddress as u32;
                self.ready(Call::sock_option_set, |call| {
                    syscalls::sock_option_set(call, fd, option, (*on).into())
                })
                .map(|()| String::new())
            }
            Step::Poll(slot) => {
                let fd = self.fd(*slot);
                let mut subscriptions = Vec::new();
                for (at, kind) in [wasi::EVENT_FD_READ, wasi::EVENT_FD_WRITE, wasi::EVENT_CLOCK]
                    .into_iter()
                    .enumerate()
                {
                    let mut one = [0; wasi::SUBSCRIPTION_SIZE as usize];
                    one[0] = at as u8;
                    one[8] = kind;
                    let what = if kind == wasi::EVENT_CLOCK {
                        wasi::CLOCK_MONOTONIC
                    } else {
                        fd
                    };
                    one[16..20].copy_from_slice(&what.to_le_bytes());
                    subscriptions.extend(one);
                }
                self.machine.put(self.pid, BYTES, &subscriptions);
                self.poll(Call::poll_oneoff, |call| {
                    syscalls::poll_oneoff(call, BYTES, BYTES + 512, 3, OUT)
                })?;
                let count = self.machine.word(self.pid, OUT);
                let (mut read, mut write, mut hangup) = (false, false, false);
                for i in 0..count {
                    let at = (BYTES + 512 + i * wasi::EVENT_SIZE) as usize;
                    let event = &self.machine.memory(self.pid)[at..][..32];
                    assert_eq!(event[8..10], [0, 0], "no error");
                    read |= event[10] == wasi::EVENT_FD_READ;
                    write |= event[10] == wasi::EVENT_FD_WRITE;
                    hangup |= event[24] != 0;
                }
                Ok(seen(read, write, hangup))
            }
            Step::Unlink(number) => {
                let path = format!("/tmp/p{number}");
                self.machine.put(self.pid, BYTES, path.as_bytes());
                self.ready(Call::path_unlink_file, |call| {
                    syscalls::path_unlink_file(call, 3, BYTES, path.len() as u32)
                })
                .map(|()| String::new())
            }
        }
    }
}

// ---- sequences

fn seen(read: bool, write: bool, hangup: bool) -> String {
    let mut text = String::new();
    for (is, name) in [(read, "read "), (write, "write "), (hangup, "hangup ")] {
        if is {
            text += name;
        }
    }
    text
}

/// Bytes that tell where in a message they were.
fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| b'a' + (i % 26) as u8).collect()
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// What the generator knows of the slots: enough to make calls that get somewhere.
#[derive(Clone, Copy)]
struct Known {
    family: Family,
    kind: Kind,
    /// Whether it has sent something.
    has_sent: bool,
    stage: Stage,
}

/// How far a socket has come, as far as its own calls tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Fresh,
    Bound,
    Listening,
    Connected,
}

impl Known {
    fn new(family: Family, kind: Kind, stage: Stage) -> Known {
        Known {
            family,
            kind,
            has_sent: false,
            stage,
        }
    }
}

fn next_step(random: &mut Random, known: &[Option<Known>]) -> Step {
    let used: Vec<usize> = (0..SLOTS).filter(|slot| known[*slot].is_some()).collect();
    let free: Vec<usize> = (0..SLOTS).filter(|slot| known[*slot].is_none()).collect();
    // Some stay free for what is accepted.
    let some_are_fresh = used.iter().any(|slot| {
        let this = known[*slot].unwrap();
        this.stage == Stage::Fresh && this.kind == Kind::Stream
    });
    if used.len() < 3 || (free.len() > 2 && random.one_in(if some_are_fresh { 6 } else { 2 })) {
        let family = [Family::Inet, Family::Unix][random.below(2)];
        let kind = [Kind::Stream, Kind::Stream, Kind::Stream, Kind::Datagram][random.below(4)];
        if free.len() > 1 && random.one_in(6) {
            return Step::Pair(free[0], free[1]);
        }
        return Step::Open(free[0], family, kind);
    }
    // Mostly what gets somewhere, and now and then anything with anything.
    let likely = |random: &mut Random, suits: &dyn Fn(Known) -> bool| {
        let found = used.iter().copied();
        let found: Vec<usize> = found.filter(|slot| suits(known[*slot].unwrap())).collect();
        if found.is_empty() || random.one_in(6) {
            return used[random.below(used.len())];
        }
        found[random.below(found.len())]
    };
    let call = random.below(20);
    let slot = match call {
        0..=1 => likely(random, &|this| this.stage == Stage::Fresh),
        2..=3 => likely(random, &|this| {
            this.stage == Stage::Bound && this.kind == Kind::Stream
        }),
        4..=6 => likely(random, &|this| {
            let awaited = known
                .iter()
                .flatten()
                .any(|that| that.stage == Stage::Listening && that.family == this.family);
            match this.kind {
                Kind::Stream => this.stage == Stage::Fresh && awaited,
                Kind::Datagram => this.stage == Stage::Fresh,
            }
        }),
        7..=9 => likely(random, &|this| this.stage == Stage::Listening),
        10..=13 => likely(random, &|this| {
            this.stage == Stage::Connected || this.kind == Kind::Datagram
        }),
        _ => used[random.below(used.len())],
    };
    let this = known[slot].unwrap();
    let other = likely(random, &|that| {
        let wanted = match this.kind {
            Kind::Stream => Stage::Listening,
            Kind::Datagram => Stage::Bound,
        };
        that.family == this.family && that.kind == this.kind && that.stage == wanted
    });
    let is_unix = this.family == Family::Unix;
    match call {
        0..=1 if !(is_unix && this.has_sent) => Step::Bind(slot, own_name(random, this)),
        2..=3 if is_unix => Step::Listen(slot, random.below(3) as u32),
        2..=3 => Step::Listen(slot, CALLS as u32),
        4..=6 => Step::Connect(slot, destination(random, slot, other, known)),
        7..=9 if !free.is_empty() => Step::Accept(slot, free[0]),
        10..=11 => {
            let len = [1, 5, 200][random.below(3)];
            let to = this.kind == Kind::Datagram && random.one_in(2);
            let to = to.then(|| destination(random, slot, other, known));
            let to = to.filter(|to| *to != Name::Unspecified);
            Step::Send(slot, len, to)
        }
        12..=13 => Step::Receive(slot, [3, 300][random.below(2)], random.one_in(4)),
        14 => Step::Shutdown(slot, 1 + random.below(3) as u32),
        15 => Step::Close(slot),
        16 if is_unix => Step::Unlink(random.below(3) as u8),
        16 => Step::Reuse(slot, random.one_in(2)),
        17 if random.one_in(2) => Step::Local(slot),
        17 => Step::Peer(slot),
        18 if random.one_in(2) => Step::Option(
            slot,
            [SocketOption::Error, SocketOption::Listening][random.below(2)],
        ),
        _ => Step::Poll(slot),
    }
}

fn own_name(random: &mut Random, this: Known) -> Name {
    match this.family {
        Family::Inet => match random.below(8) {
            0 => Name::Inet(Ipv4Addr::new(8, 8, 8, 8), 0),
            1 => Name::Path(0),
            2 => Name::Inet(Ipv4Addr::UNSPECIFIED, 0),
            3 => Name::Inet(Ipv4Addr::new(127, 0, 0, 2), 0),
            _ => Name::Inet(Ipv4Addr::LOCALHOST, 0),
        },
        Family::Unix => match random.below(8) {
            0 => Name::Family,
            1 => Name::Inet(Ipv4Addr::LOCALHOST, 0),
            2..=3 => Name::Abstract(random.below(2) as u8),
            _ => Name::Path(random.below(3) as u8),
        },
    }
}

fn destination(random: &mut Random, slot: usize, other: usize, known: &[Option<Known>]) -> Name {
    let this = known[slot].unwrap();
    let that = known[other].unwrap();
    // A port that a client has lost may be chosen for another, which then finds itself there.
    let has_a_port = matches!(that.stage, Stage::Bound | Stage::Listening);
    let is_tcp = this.family == Family::Inet && this.kind == Kind::Stream;
    let is_itself = is_tcp && (slot == other || !has_a_port);
    if random.one_in(10) && this.family == Family::Inet {
        return Name::Unspecified;
    }
    if random.one_in(10) && this.kind == Kind::Datagram {
        return Name::Unspecified;
    }
    if random.one_in(16) {
        return match this.family {
            Family::Inet => Name::Path(0),
            Family::Unix => Name::Inet(Ipv4Addr::LOCALHOST, NOBODY),
        };
    }
    if random.one_in(4) && this.family == Family::Unix {
        return match random.below(2) {
            0 => Name::Path(random.below(3) as u8),
            _ => Name::Abstract(random.below(2) as u8),
        };
    }
    if is_itself || this.family != that.family {
        return match this.family {
            Family::Inet => Name::Inet(Ipv4Addr::LOCALHOST, NOBODY),
            Family::Unix => Name::Path(9),
        };
    }
    Name::Of(other)
}

/// What sequences got to.
#[derive(Debug, Default)]
struct Reached {
    succeeded: usize,
    accepted: usize,
    received: usize,
}

/// Makes one sequence in both worlds; what was different, if something was.
fn compare(seed: u64, reached: &mut Reached) -> Result<(), String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.below(2);
    }
    let (mut linux, mut ours) = (Linux::new(seed), Ours::new());
    let mut known: Vec<Option<Known>> = vec![None; SLOTS];
    let mut transcript = String::new();
    for _ in 0..CALLS {
        let step = next_step(&mut random, &known);
        let theirs = linux.make(&step);
        let mine = ours.make(&step);
        let _ = writeln!(transcript, "  {step:?} = {theirs:?}");
        if theirs != mine {
            return Err(format!("sequence {seed}:\n{transcript}  ours: {mine:?}\n"));
        }
        if let (Step::Connect(slot, _), Err(Errno::InProgress)) = (&step, &theirs) {
            known[*slot].as_mut().unwrap().stage = Stage::Connected;
        }
        if theirs.is_err() {
            continue;
        }
        reached.succeeded += 1;
        match step {
            Step::Open(slot, family, kind) => {
                known[slot] = Some(Known::new(family, kind, Stage::Fresh));
            }
            Step::Pair(first, second) => {
                for slot in [first, second] {
                    let pair = Known::new(Family::Unix, Kind::Stream, Stage::Connected);
                    known[slot] = Some(pair);
                }
            }
            Step::Accept(slot, into) => {
                let listener = known[slot].unwrap();
                known[into] = Some(Known::new(listener.family, listener.kind, Stage::Connected));
                reached.accepted += 1;
            }
            Step::Receive(..) if theirs.is_ok_and(|said| said.starts_with('a')) => {
                reached.received += 1;
            }
            Step::Close(slot) => known[slot] = None,
            Step::Bind(slot, _) => known[slot].as_mut().unwrap().stage = Stage::Bound,
            Step::Listen(slot, _) => known[slot].as_mut().unwrap().stage = Stage::Listening,
            Step::Connect(slot, Name::Unspecified) => {
                let known = known[slot].as_mut().unwrap();
                known.stage = match known.kind {
                    Kind::Stream => Stage::Fresh,
                    Kind::Datagram => Stage::Bound,
                };
            }
            Step::Connect(slot, _) => known[slot].as_mut().unwrap().stage = Stage::Connected,
            Step::Send(slot, ..) => known[slot].as_mut().unwrap().has_sent = true,
            _ => {}
        }
    }
    Ok(())
}

/// Of each kind of difference how often there is one, and the shortest.
fn kinds(different: &[String]) -> String {
    let mut kinds = BTreeMap::<String, Vec<&String>>::new();
    for text in different {
        let lines: Vec<&str> = text.lines().collect();
        let kind = lines[lines.len() - 2..].join(" |");
        let kind = kind.replace(|c: char| c.is_ascii_digit(), "");
        kinds.entry(kind).or_default().push(text);
    }
    let mut told = String::new();
    for (kind, texts) in kinds {
        let shortest = texts.iter().min_by_key(|text| text.len()).unwrap();
        let _ = writeln!(told, "{} x {kind}\n{shortest}", texts.len());
    }
    told
}

#[test]
fn random_sequences_end_as_on_linux() {
    let only = std::env::var("SEQUENCE")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seeds = only.map_or(1..SEQUENCES + 1, |seed| seed..seed + 1);
    let count = seeds.clone().count();
    let mut reached = Reached::default();
    let different: Vec<String> = seeds
        .filter_map(|seed| compare(seed, &mut reached).err())
        .collect();
    assert!(
        different.is_empty(),
        "{} of {count} sequences differ\n{}",
        different.len(),
        kinds(&different)
    );
    // Sequences that only fail would show nothing.
    let enough =
        reached.succeeded > 15 * count && reached.accepted.min(reached.received) > count / 3;
    assert!(enough || only.is_some(), "{reached:?}");
}
