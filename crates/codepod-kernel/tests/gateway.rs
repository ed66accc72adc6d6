//! The way out of a sandbox, with a gateway of the test's own: who is asked what, and what it does
//! with a connection; and the way in, to a listener inside.

mod support;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use codepod_abi::table::Call;
use codepod_abi::wire::socket::{INET, STREAM, SocketOption};
use codepod_abi::{Errno, SUCCESS};
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    Fd, Gateway, Group, HostSocket, Kernel, KernelOptions, Limits, Link, NameAnswer, Open,
    OpenTarget, Outcome, Pid, Policy, Refusal, SharedKernel, SliceMemory, SpawnSpec, Stdio,
    Strings, Syscall, syscalls,
};
use codepod_vfs::{Budget, Memory, Tree, Vfs};
use support::{Bell, inet, loopback};

/// Keeps what it is handed, refuses `refused.test` and what has no name.
#[derive(Default)]
struct Desk {
    opened: Mutex<VecDeque<(Open, Link)>>,
    asked: Mutex<VecDeque<(String, NameAnswer)>>,
    checked: Mutex<Vec<Open>>,
}

impl Gateway for Desk {
    fn check(&self, open: &Open) -> Result<(), Refusal> {
        self.checked.lock().unwrap().push(open.clone());
        match &open.target {
            OpenTarget::Name(name) if name != "refused.test" => Ok(()),
            target => Err(Refusal {
                errno: Errno::Access,
                why: format!("{target:?} is not in allowed_hosts"),
            }),
        }
    }

    fn open(&self, open: Open, link: Link) {
        self.opened.lock().unwrap().push_back((open, link));
    }

    fn resolve(&self, name: &str, answer: NameAnswer) {
        let asked = (name.to_owned(), answer);
        self.asked.lock().unwrap().push_back(asked);
    }
}

/// A process of a kernel that is shared with a gateway.
struct World {
    kernel: Arc<SharedKernel>,
    desk: Arc<Desk>,
    pid: Pid,
    memory: Vec<u8>,
    bell: Arc<Bell>,
}

type Done<T> = Poll<Result<T, Errno>>;
type Call_<'a, 'm> = Syscall<'a, SliceMemory<'m>>;

const OUT: u32 = 0;
const IOV: u32 = 64;
const ADDRESS: u32 = 256;
const BYTES: u32 = 1024;

impl World {
    fn new() -> World {
        World::with(Limits::default())
    }

    fn with(limits: Limits) -> World {
        let tree = Tree::builder()
            .file(b"/bin/program", 0o755, b"#!codepod program\n")
            .build();
        let kernel = Kernel::new(KernelOptions {
            id: 7,
            host: Arc::new(VirtualHost::new(1)),
            vfs: Vfs::new(Box::new(Memory::new(tree))),
            limits: limits.into(),
            budget: Budget::default(),
            policy: Policy::default(),
            uid: 1000,
            gid: 1000,
            trace: None,
        });
        let (kernel, desk) = (Arc::new(SharedKernel::new(kernel)), Arc::<Desk>::default());
        let mut guard = kernel.lock().unwrap();
        guard.set_gateway(desk.clone(), &kernel);
        let spec = SpawnSpec {
            path: b"/bin/program".to_vec(),
            argv: Strings::new(["fetch", "-v"]).unwrap(),
            env: Strings::new([""; 0]).unwrap(),
            cwd: None,
            fds: (0..3).map(|fd| (Stdio::Null, Fd(fd))).collect(),
            group: Group::Inherit,
        };
        let pid = guard.spawn(None, spec).unwrap().pid;
        drop(guard);
        World {
            kernel,
            desk,
            pid,
            memory: vec![0; 512 << 10],
            bell: Arc::default(),
        }
    }

    fn call(
        &mut self,
        call: Call,
        handler: impl FnOnce(&mut Call_<'_, '_>) -> Poll<Result<(), Errno>>,
    ) -> Done<()> {
        let waker = Waker::from(self.bell.clone());
        let mut guard = self.kernel.lock().unwrap();
        let outcome = Syscall {
            kernel: &mut guard,
            pid: self.pid,
            memory: &mut SliceMemory(&mut self.memory),
            waker: &waker,
        }
        .poll(call, handler);
        outcome.map(|outcome| match outcome {
            Outcome::Return(SUCCESS) => Ok(()),
            Outcome::Return(number) => Err(Errno::from_raw(number).unwrap()),
            Outcome::End => panic!("the process ends"),
        })
    }

    fn ready(
        &mut self,
        call: Call,
        handler: impl FnOnce(&mut Call_<'_, '_>) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        match self.call(call, |call| Poll::Ready(handler(call))) {
            Poll::Ready(result) => result,
            Poll::Pending => unreachable!(),
        }
    }

    fn word(&self, at: u32) -> u32 {
        u32::from_le_bytes(self.memory[at as usize..][..4].try_into().unwrap())
    }

    fn put(&mut self, at: u32, bytes: &[u8]) {
        self.memory[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn socket(&mut self, flags: u32) -> u32 {
        self.ready(Call::sock_open, |call| {
            syscalls::sock_open(call, INET.into(), STREAM, flags, OUT)
        })
        .unwrap();
        self.word(OUT)
    }

    fn connect(&mut self, fd: u32, address: &[u8]) -> Done<()> {
        self.put(ADDRESS, address);
        let len = address.len() as u32;
        self.call(Call::sock_connect, |call| {
            syscalls::sock_connect(call, fd, ADDRESS, len)
        })
    }

    fn resolve(&mut self, name: &str) -> Done<[u8; 4]> {
        self.put(BYTES, name.as_bytes());
        let len = name.len() as u32;
        self.call(Call::name_resolve, |call| {
            syscalls::name_resolve(call, BYTES, len, ADDRESS, 28, OUT)
        })
        .map_ok(|()| {
            assert_eq!(self.word(OUT), 1);
            let slot = &self.memory[ADDRESS as usize..][..28];
            assert_eq!((&slot[..4], &slot[8..]), (&[1, 0, 0, 0][..], &[0; 20][..]));
            slot[4..8].try_into().unwrap()
        })
    }

    /// The address of a name of which the gateway says that it exists.
    fn known(&mut self, name: &str) -> [u8; 4] {
        if self.resolve(name).is_pending() {
            let (asked, answer) = self.desk.asked.lock().unwrap().pop_front().unwrap();
            assert_eq!(asked, name);
            answer.give(Ok(()));
        }
        let Poll::Ready(Ok(address)) = self.resolve(name) else {
            panic!("{name} is known now");
        };
        address
    }

    fn read(&mut self, fd: u32, len: u32) -> Done<Vec<u8>> {
        self.put(IOV, &[BYTES.to_le_bytes(), len.to_le_bytes()].concat());
        self.call(Call::fd_read, |call| {
            syscalls::fd_read(call, fd, IOV, 1, OUT)
        })
        .map_ok(|()| self.memory[BYTES as usize..][..self.word(OUT) as usize].to_vec())
    }

    fn write(&mut self, fd: u32, bytes: &[u8]) -> Done<u32> {
        self.put(BYTES, bytes);
        let len = bytes.len() as u32;
        self.put(IOV, &[BYTES.to_le_bytes(), len.to_le_bytes()].concat());
        self.call(Call::fd_write, |call| {
            syscalls::fd_write(call, fd, IOV, 1, OUT)
        })
        .map_ok(|()| self.word(OUT))
    }

    fn why(&mut self, fd: u32) -> String {
        self.ready(Call::net_why, |call| {
            syscalls::net_why(call, fd, BYTES, 1024, OUT)
        })
        .unwrap();
        let len = self.word(OUT) as usize;
        String::from_utf8(self.memory[BYTES as usize..][..len].to_vec()).unwrap()
    }

    fn opened(&self) -> Option<(Open, Link)> {
        self.desk.opened.lock().unwrap().pop_front()
    }

    /// A connection that the gateway has made.
    fn connection(&mut self) -> (u32, Link) {
        let ip = self.known("api.test");
        let fd = self.socket(0);
        assert!(self.connect(fd, &inet(ip, 443)).is_pending());
        let (_, link) = self.opened().unwrap();
        link.connected().unwrap();
        assert_eq!(self.connect(fd, &inet(ip, 443)), Poll::Ready(Ok(())));
        (fd, link)
    }

    fn open_count(&self) -> usize {
        self.kernel.lock().unwrap().open_count()
    }
}

/// Takes or gives as the host, with a bell that rings when it is worth another try.
fn host<R>(bell: &Arc<Bell>, act: impl FnOnce(&mut Context<'_>) -> R) -> R {
    act(&mut Context::from_waker(&Waker::from(bell.clone())))
}

fn take(bell: &Arc<Bell>, link: &Link, most: usize) -> Done<Vec<u8>> {
    let mut buffer = vec![0; most];
    host(bell, |cx| link.poll_take(cx, &mut buffer)).map_ok(|count| buffer[..count].to_vec())
}

#[test]
fn a_connection_is_checked_and_then_handed_over_by_its_name() {
    let mut world = World::new();
    let ip = world.known("api.test");
    assert_eq!(ip, [198, 18, 0, 1]);
    assert_eq!(world.known("API.test."), ip);
    let fd = world.socket(0);
    let rung = world.bell.rung();
    assert!(world.connect(fd, &inet(ip, 443)).is_pending());
    let (open, link) = world.opened().unwrap();
    assert_eq!(open.target, OpenTarget::Name("api.test".to_owned()));
    assert_eq!((open.sandbox, open.pid, open.port), (7, world.pid, 443));
    assert_eq!(open.command, "fetch");
    assert_eq!(world.desk.checked.lock().unwrap().len(), 1);
    assert!(
        world.connect(fd, &inet(ip, 443)).is_pending(),
        "it is not asked again"
    );
    link.connected().unwrap();
    assert!(world.bell.rung() > rung);
    assert_eq!(world.connect(fd, &inet(ip, 443)), Poll::Ready(Ok(())));
    assert_eq!(
        world.connect(fd, &inet(ip, 443)),
        Poll::Ready(Err(Errno::IsConn))
    );
}

#[test]
fn what_is_refused_is_never_opened_and_says_why() {
    let mut world = World::new();
    let ip = world.known("refused.test");
    let fd = world.socket(0);
    for (ip, why) in [
        (ip, "Name(\"refused.test\") is not in allowed_hosts"),
        ([10, 0, 0, 1], "Ip(10.0.0.1) is not in allowed_hosts"),
        // An address that stands for no name.
        ([198, 18, 9, 9], "Ip(198.18.9.9) is not in allowed_hosts"),
    ] {
        assert_eq!(
            world.connect(fd, &inet(ip, 80)),
            Poll::Ready(Err(Errno::Access))
        );
        assert_eq!(world.why(fd), why);
    }
    assert!(world.opened().is_none());
    // The loopback is never asked about.
    let refused = world.connect(fd, &loopback(80));
    assert_eq!(refused, Poll::Ready(Err(Errno::ConnRefused)));
    assert_eq!(world.desk.checked.lock().unwrap().len(), 3);
}

#[test]
fn a_connection_that_fails_later_says_why() {
    let mut world = World::new();
    let ip = world.known("down.test");
    let fd = world.socket(0);
    assert!(world.connect(fd, &inet(ip, 80)).is_pending());
    let (_, link) = world.opened().unwrap();
    let rung = world.bell.rung();
    link.failed(Errno::TimedOut, "no answer for 10 s");
    assert!(world.bell.rung() > rung);
    assert_eq!(
        world.connect(fd, &inet(ip, 80)),
        Poll::Ready(Err(Errno::TimedOut))
    );
    assert_eq!(world.why(fd), "no answer for 10 s");
    // Without waiting the error is the option's.
    let fd = world.socket(4);
    assert_eq!(
        world.connect(fd, &inet(ip, 80)),
        Poll::Ready(Err(Errno::InProgress))
    );
    let (_, link) = world.opened().unwrap();
    assert_eq!(
        world.connect(fd, &inet(ip, 80)),
        Poll::Ready(Err(Errno::Already))
    );
    link.failed(Errno::HostUnreach, "gone");
    world
        .ready(Call::sock_option_get, |call| {
            syscalls::sock_option_get(call, fd, SocketOption::Error as u32, OUT)
        })
        .unwrap();
    assert_eq!(world.word(OUT), Errno::HostUnreach.raw().into());
    // A gateway that forgets it has reset it.
    let fd = world.socket(0);
    assert!(world.connect(fd, &inet(ip, 80)).is_pending());
    drop(world.opened().unwrap());
    assert_eq!(
        world.connect(fd, &inet(ip, 80)),
        Poll::Ready(Err(Errno::ConnReset))
    );
}

#[test]
fn bytes_go_both_ways_as_far_as_there_is_room() {
    let mut world = World::with(Limits {
        socket_bytes: 8 << 10,
        ..Limits::default()
    });
    let (fd, link) = world.connection();
    let bell = Arc::<Bell>::default();
    assert!(take(&bell, &link, 100).is_pending());
    assert_eq!(world.write(fd, b"GET /"), Poll::Ready(Ok(5)));
    assert_eq!(bell.rung(), 1);
    assert_eq!(take(&bell, &link, 3), Poll::Ready(Ok(b"GET".to_vec())));
    assert_eq!(take(&bell, &link, 100), Poll::Ready(Ok(b" /".to_vec())));
    // More than there is room for.
    let bytes = vec![9; 20_000];
    let give = |bytes: &[u8]| host(&bell, |cx| link.poll_give(cx, bytes));
    assert_eq!(give(&bytes), Poll::Ready(Ok(8 << 10)));
    assert!(give(&bytes).is_pending());
    assert_eq!(world.read(fd, 100), Poll::Ready(Ok(vec![9; 100])));
    assert_eq!(bell.rung(), 2);
    assert_eq!(give(&bytes), Poll::Ready(Ok(100)));
    // The guest waits in the same way.
    assert!(world.write(fd, &bytes).is_pending());
    let rung = world.bell.rung();
    assert_eq!(
        take(&bell, &link, 8 << 10),
        Poll::Ready(Ok(vec![9; 8 << 10]))
    );
    assert!(world.bell.rung() > rung);
}

#[test]
fn each_end_can_say_that_no_more_comes() {
    let mut world = World::new();
    let (fd, link) = world.connection();
    let bell = Arc::<Bell>::default();
    assert_eq!(
        host(&bell, |cx| link.poll_give(cx, b"bye")),
        Poll::Ready(Ok(3))
    );
    link.end();
    assert_eq!(world.read(fd, 100), Poll::Ready(Ok(b"bye".to_vec())));
    assert_eq!(world.read(fd, 100), Poll::Ready(Ok(vec![])));
    assert_eq!(world.write(fd, b"rest"), Poll::Ready(Ok(4)));
    world
        .ready(Call::sock_shutdown, |call| {
            syscalls::sock_shutdown(call, fd, 2)
        })
        .unwrap();
    assert_eq!(take(&bell, &link, 9), Poll::Ready(Ok(b"rest".to_vec())));
    assert_eq!(take(&bell, &link, 9), Poll::Ready(Ok(vec![])));
    drop(link);
    // What was said stays said: no reset after the end.
    assert_eq!(world.read(fd, 100), Poll::Ready(Ok(vec![])));
}

#[test]
fn a_dropped_link_resets_and_a_killed_process_closes() {
    let mut world = World::new();
    let (fd, link) = world.connection();
    assert!(world.read(fd, 1).is_pending());
    let rung = world.bell.rung();
    drop(link);
    assert!(world.bell.rung() > rung);
    assert_eq!(world.read(fd, 1), Poll::Ready(Err(Errno::ConnReset)));
    let (_, link) = world.connection();
    let bell = Arc::<Bell>::default();
    assert!(take(&bell, &link, 1).is_pending());
    let mut guard = world.kernel.lock().unwrap();
    guard.exit(world.pid, codepod_kernel::ExitStatus::Exited(0));
    drop(guard);
    assert_eq!(bell.rung(), 1, "it hears that at once");
    assert_eq!(take(&bell, &link, 1), Poll::Ready(Ok(vec![])));
    // Nobody reads what it gives: the first goes nowhere, the second is refused.
    let give = || host(&bell, |cx| link.poll_give(cx, b"x"));
    assert_eq!(
        (give(), give()),
        (Poll::Ready(Ok(1)), Poll::Ready(Err(Errno::Pipe)))
    );
    drop(link);
    assert_eq!(world.open_count(), 0, "nothing is left");
}

#[test]
fn a_guest_that_gives_up_is_no_connection() {
    let mut world = World::new();
    let before = world.open_count();
    let ip = world.known("slow.test");
    let fd = world.socket(4);
    assert_eq!(
        world.connect(fd, &inet(ip, 80)),
        Poll::Ready(Err(Errno::InProgress))
    );
    let (_, link) = world.opened().unwrap();
    world
        .ready(Call::fd_close, |call| syscalls::fd_close(call, fd))
        .unwrap();
    assert_eq!(link.connected(), Err(Errno::Canceled));
    link.failed(Errno::TimedOut, "too late");
    assert_eq!(world.open_count(), before, "nothing is left");
}

#[test]
fn a_link_outlives_its_sandbox_and_hears_that() {
    let mut world = World::new();
    let (_, link) = world.connection();
    let bell = Arc::<Bell>::default();
    drop(world);
    assert_eq!(take(&bell, &link, 1), Poll::Ready(Err(Errno::Canceled)));
    assert_eq!(link.connected(), Err(Errno::Canceled));
    link.end();
}

#[test]
fn a_name_is_asked_for_once_and_its_absence_is_told() {
    let mut world = World::new();
    assert!(world.resolve("missing.test").is_pending());
    assert!(world.resolve("missing.test").is_pending());
    let (_, answer) = world.desk.asked.lock().unwrap().pop_front().unwrap();
    assert!(world.desk.asked.lock().unwrap().is_empty(), "asked once");
    let rung = world.bell.rung();
    answer.give(Err(Errno::NoEnt));
    assert!(world.bell.rung() > rung);
    assert_eq!(
        world.resolve("missing.test"),
        Poll::Ready(Err(Errno::NoEnt))
    );
    // A new question is asked anew; one that is not answered could not be found out.
    assert!(world.resolve("missing.test").is_pending());
    world.desk.asked.lock().unwrap().clear();
    assert_eq!(
        world.resolve("missing.test"),
        Poll::Ready(Err(Errno::Again))
    );
    // Numbers and names of the sandbox are not asked for.
    assert_eq!(world.resolve("0x7f.1"), Poll::Ready(Ok([127, 0, 0, 1])));
    assert_eq!(world.resolve("10.0.0.1"), Poll::Ready(Ok([10, 0, 0, 1])));
    assert_eq!(world.resolve("localhost"), Poll::Ready(Ok([127, 0, 0, 1])));
    assert_eq!(world.resolve("a b"), Poll::Ready(Err(Errno::Inval)));
    assert!(world.desk.asked.lock().unwrap().is_empty());
}

#[test]
fn the_host_dials_a_listener_inside() {
    let mut world = World::new();
    let refused = HostSocket::dial(&world.kernel, 8000);
    assert_eq!(refused.unwrap_err(), Errno::ConnRefused);
    let listening = world.socket(0);
    world.put(ADDRESS, &inet([0, 0, 0, 0], 8000));
    world
        .ready(Call::sock_bind, |call| {
            syscalls::sock_bind(call, listening, ADDRESS, 8)
        })
        .unwrap();
    world
        .ready(Call::sock_listen, |call| {
            syscalls::sock_listen(call, listening, 0)
        })
        .unwrap();
    let accept = |world: &mut World| {
        world
            .call(Call::sock_accept, |call| {
                syscalls::sock_accept(call, listening, 0, OUT)
            })
            .map_ok(|()| world.word(OUT))
    };
    assert!(accept(&mut world).is_pending());
    let rung = world.bell.rung();
    let dialled = HostSocket::dial(&world.kernel, 8000).unwrap();
    assert!(world.bell.rung() > rung);
    // One more than the backlog would have to wait.
    assert_eq!(
        HostSocket::dial(&world.kernel, 8000).unwrap_err(),
        Errno::Again
    );
    let Poll::Ready(Ok(accepted)) = accept(&mut world) else {
        panic!("nothing to accept");
    };
    let bell = Arc::<Bell>::default();
    assert_eq!(
        host(&bell, |cx| dialled.poll_write(cx, b"ping")),
        Poll::Ready(Ok(4))
    );
    dialled.end();
    assert_eq!(world.read(accepted, 9), Poll::Ready(Ok(b"ping".to_vec())));
    assert_eq!(world.read(accepted, 9), Poll::Ready(Ok(vec![])));
    assert_eq!(world.write(accepted, b"pong"), Poll::Ready(Ok(4)));
    let mut buffer = [0; 9];
    let read = host(&bell, |cx| dialled.poll_read(cx, &mut buffer));
    assert_eq!((read, &buffer[..4]), (Poll::Ready(Ok(4)), &b"pong"[..]));
    let before = world.open_count();
    drop(dialled);
    assert_eq!(world.open_count(), before - 1);
}
