//! A guest of a real kernel: its calls, through the gateway, to a server on loopback.

mod support;

use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Poll, Wake, Waker};
use std::time::{Duration, Instant};

use codepod_abi::table::Call;
use codepod_abi::wire::socket::{INET, STREAM};
use codepod_abi::{Errno, SUCCESS};
use codepod_gateway::cptls::{MAGIC, Record, hello, push_field};
use codepod_gateway::event::{Event, RequestEvent};
use codepod_gateway::net::Door;
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    Fd, Group, Kernel, KernelOptions, Limits, Outcome, Pid, Policy, SharedKernel, SliceMemory,
    SpawnSpec, Stdio, Strings, Syscall, syscalls,
};
use codepod_vfs::{Budget, Memory, Tree, Vfs};
use support::servers::{ok, serve, strict};
use support::{World, rounds};

const OUT: u32 = 0;
const IOV: u32 = 64;
const ADDRESS: u32 = 256;
const BYTES: u32 = 1024;

struct Bell(Sender<()>);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

/// A process of a kernel whose way out is the gateway of a world.
struct Guest {
    kernel: Arc<SharedKernel>,
    pid: Pid,
    memory: Vec<u8>,
    waker: Waker,
    rung: Receiver<()>,
}

type GuestCall<'a, 'm> = Syscall<'a, SliceMemory<'m>>;

impl Guest {
    fn new(world: &World) -> Guest {
        let tree = Tree::builder()
            .file(b"/bin/program", 0o755, b"#!codepod program\n")
            .build();
        let kernel = Kernel::new(KernelOptions {
            id: 7,
            host: Arc::new(VirtualHost::new(1)),
            vfs: Vfs::new(Box::new(Memory::new(tree))),
            limits: Limits::default().into(),
            budget: Budget::default(),
            policy: Policy::default(),
            uid: 1000,
            gid: 1000,
            trace: None,
        });
        let kernel = Arc::new(SharedKernel::new(kernel));
        let door = Door::new(world.gateway.clone(), world.network.clone());
        let mut guard = kernel.lock().unwrap();
        guard.set_gateway(Arc::new(door), &kernel);
        let spec = SpawnSpec {
            path: b"/bin/program".to_vec(),
            argv: Strings::new(["fetch"]).unwrap(),
            env: Strings::new([""; 0]).unwrap(),
            cwd: None,
            fds: (0..3).map(|fd| (Stdio::Null, Fd(fd))).collect(),
            group: Group::Inherit,
        };
        let pid = guard.spawn(None, spec).unwrap().pid;
        drop(guard);
        let (bell, rung) = channel();
        Guest {
            kernel,
            pid,
            memory: vec![0; 512 << 10],
            waker: Waker::from(Arc::new(Bell(bell))),
            rung,
        }
    }

    /// Makes a call, and waits as an engine does.
    fn call(
        &mut self,
        call: Call,
        mut handler: impl FnMut(&mut GuestCall<'_, '_>) -> Poll<Result<(), Errno>>,
    ) -> Result<(), Errno> {
        loop {
            let mut guard = self.kernel.lock().unwrap();
            let mut syscall = Syscall {
                kernel: &mut guard,
                pid: self.pid,
                memory: &mut SliceMemory(&mut self.memory),
                waker: &self.waker,
            };
            let polled = syscall.poll(call, &mut handler);
            drop(guard);
            match polled {
                Poll::Ready(Outcome::Return(SUCCESS)) => return Ok(()),
                Poll::Ready(Outcome::Return(number)) => {
                    return Err(Errno::from_raw(number).unwrap());
                }
                Poll::Ready(Outcome::End) => panic!("the process ends"),
                Poll::Pending => self
                    .rung
                    .recv_timeout(support::PATIENCE)
                    .expect("the call is woken"),
            }
        }
    }

    fn word(&self, at: u32) -> u32 {
        u32::from_le_bytes(self.memory[at as usize..][..4].try_into().unwrap())
    }

    fn put(&mut self, at: u32, bytes: &[u8]) {
        self.memory[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn resolve(&mut self, name: &str) -> Result<[u8; 4], Errno> {
        self.put(BYTES, name.as_bytes());
        let length = name.len() as u32;
        self.call(Call::name_resolve, |call| {
            syscalls::name_resolve(call, BYTES, length, ADDRESS, 28, OUT)
        })?;
        Ok(self.memory[ADDRESS as usize + 4..][..4].try_into().unwrap())
    }

    fn connect(&mut self, ip: [u8; 4], port: u16) -> Result<u32, (Errno, String)> {
        self.call(Call::sock_open, |call| {
            Poll::Ready(syscalls::sock_open(call, INET.into(), STREAM, 0, OUT))
        })
        .unwrap();
        let fd = self.word(OUT);
        let address = [&INET.to_le_bytes()[..], &port.to_be_bytes(), &ip].concat();
        self.put(ADDRESS, &address);
        let length = address.len() as u32;
        let connected = self.call(Call::sock_connect, |call| {
            syscalls::sock_connect(call, fd, ADDRESS, length)
        });
        match connected {
            Ok(()) => Ok(fd),
            Err(errno) => {
                self.call(Call::net_why, |call| {
                    Poll::Ready(syscalls::net_why(call, fd, BYTES, 1024, OUT))
                })
                .unwrap();
                let why = &self.memory[BYTES as usize..][..self.word(OUT) as usize];
                let why = String::from_utf8(why.to_vec()).unwrap();
                self.close(fd);
                Err((errno, why))
            }
        }
    }

    fn write(&mut self, fd: u32, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = rest.len().min(100_000);
            self.put(BYTES, &rest[..length]);
            self.put(
                IOV,
                &[BYTES.to_le_bytes(), (length as u32).to_le_bytes()].concat(),
            );
            self.call(Call::fd_write, |call| {
                syscalls::fd_write(call, fd, IOV, 1, OUT)
            })
            .unwrap();
            rest = &rest[self.word(OUT) as usize..];
        }
    }

    fn close(&mut self, fd: u32) {
        self.call(Call::fd_close, |call| {
            Poll::Ready(syscalls::fd_close(call, fd))
        })
        .unwrap();
    }

    /// Reads at most so many bytes.
    fn read(&mut self, fd: u32, most: u32) -> Result<&[u8], Errno> {
        self.put(IOV, &[BYTES.to_le_bytes(), most.to_le_bytes()].concat());
        self.call(Call::fd_read, |call| {
            syscalls::fd_read(call, fd, IOV, 1, OUT)
        })?;
        Ok(&self.memory[BYTES as usize..][..self.word(OUT) as usize])
    }

    fn read_to_end(&mut self, fd: u32) -> Result<Vec<u8>, Errno> {
        let mut all = Vec::new();
        loop {
            match self.read(fd, 100_000)? {
                [] => return Ok(all),
                read => all.extend(read),
            }
        }
    }
}

/// Runs a guest's calls on a thread of their own, as they wait.
async fn as_guest<R: Send + 'static>(
    world: &World,
    act: impl FnOnce(&mut Guest) -> R + Send + 'static,
) -> R {
    let mut guest = Guest::new(world);
    tokio::task::spawn_blocking(move || act(&mut guest))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_guest_speaks_with_a_server_through_its_own_calls() {
    let (origin, log) = strict(|request| ok(&vec![b'r'; request.len()]));
    let world = World::new(&["api.test"], &[("api.test", origin)], |_| {});
    let reply = as_guest(&world, |guest| {
        let ip = guest.resolve("API.test").unwrap();
        assert_eq!(ip, [198, 18, 0, 1]);
        let fd = guest.connect(ip, 80).unwrap();
        let head = b"POST / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n";
        guest.write(fd, head);
        guest.write(fd, &vec![b'q'; 1_000_000]);
        guest.read_to_end(fd)
    })
    .await
    .unwrap();
    let sent = log.lock().unwrap()[0].len();
    assert!(sent > 1_000_000 && reply.len() > sent && reply.ends_with(b"rrrr"));
    let event = world.requests(1).await.remove(0);
    assert_eq!(
        (
            event.origin.sandbox,
            &*event.origin.command,
            event.bytes_out
        ),
        (7, "fetch", sent as u64)
    );
}

// NW-01
#[tokio::test]
async fn nw_01_a_guest_is_told_why_and_nothing_is_started() {
    let world = World::new(&["api.test"], &[], |_| {});
    let refused = as_guest(&world, |guest| {
        let ip = guest.resolve("evil.test").unwrap();
        [
            guest.connect(ip, 443),
            guest.connect([10, 0, 0, 1], 22),
            guest.connect([169, 254, 169, 254], 80),
        ]
    })
    .await
    .map(Result::unwrap_err);
    assert!(
        refused.iter().all(|(errno, _)| *errno == Errno::Access),
        "{refused:?}"
    );
    assert_eq!(
        refused[0].1,
        "evil.test:443 is not in allowed_hosts; to allow it, add `evil.test` to allowed_hosts"
    );
    assert!(
        refused[1].1.contains("10.0.0.1:22 is not in allowed_hosts"),
        "{}",
        refused[1].1
    );
    assert!(
        refused[2].1.contains("metadata service"),
        "{}",
        refused[2].1
    );
    assert!(!world.gateway.has_started());
    assert_eq!(
        (
            world.gateway.dials(),
            world.gateway.lookups(),
            world.events().len()
        ),
        (0, 0, 3)
    );
}

#[tokio::test]
async fn a_guest_hears_of_names_and_ports_what_is_true() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let world = World::new(
        &["gone.test", "closed.test", "inside.test"],
        &[("closed.test", free)],
        |_| {},
    );
    world
        .script
        .set("inside.test", vec![vec!["127.0.0.1".parse().unwrap()]]);
    let (gone, closed, inside) = as_guest(&world, |guest| {
        let closed = guest.resolve("closed.test").unwrap();
        let inside = guest.resolve("inside.test").unwrap();
        (
            guest.resolve("gone.test"),
            guest.connect(closed, 80).unwrap_err(),
            guest.connect(inside, 80).unwrap_err(),
        )
    })
    .await;
    assert_eq!(
        (gone, closed.0, inside.0),
        (Err(Errno::NoEnt), Errno::ConnRefused, Errno::Access)
    );
    assert!(
        inside.1.contains("127.0.0.1 is a loopback address"),
        "{}",
        inside.1
    );
}

#[tokio::test]
async fn a_sandbox_that_goes_away_takes_its_connections_with_it() {
    let (tell, told) = channel();
    let origin = serve(move |mut stream| {
        let _ = support::servers::read_head(&mut stream);
        // Sends until the other side is gone.
        let piece = [b'x'; 4096];
        while std::io::Write::write_all(&mut stream, &piece).is_ok() {}
        tell.send(()).unwrap();
    });
    let world = World::new(&["tcp://raw.test:9"], &[("raw.test", origin)], |_| {});
    as_guest(&world, |guest| {
        let ip = guest.resolve("raw.test").unwrap();
        let fd = guest.connect(ip, 9).unwrap();
        guest.write(fd, b"go\r\n\r\n");
    })
    .await;
    let gone = tokio::task::spawn_blocking(move || told.recv_timeout(support::PATIENCE))
        .await
        .unwrap();
    assert!(gone.is_ok(), "the server still has its connection");
    world.requests(1).await;
    // What is counted goes with the connection, right after it was told of.
    for _ in 0..6000 {
        if world.network.budget().usage().connections == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(world.network.budget().usage().connections, 0);
    assert!(
        world
            .events()
            .iter()
            .all(|event| matches!(event, Event::Request(_)))
    );
}

/// When a guest leaves.
#[derive(Debug, Clone, Copy)]
enum Moment {
    Connected,
    Handshake,
    Reply,
    Read,
    Write,
}

/// How long what a guest has left may stay open.
const GONE: Duration = Duration::from_millis(100);

/// A server that counts its connections: it reads them until their end, or writes and never reads.
fn counted(is_silent: bool) -> (SocketAddr, Arc<AtomicU64>) {
    let open = Arc::<AtomicU64>::default();
    let count = open.clone();
    let at = serve(move |mut stream| {
        count.fetch_add(1, SeqCst);
        let mut buffer = [0; 4096];
        match is_silent {
            true => while matches!(stream.read(&mut buffer), Ok(1..)) {},
            false => {
                while stream.write_all(b"x").is_ok() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        count.fetch_sub(1, SeqCst);
    });
    (at, open)
}

/// A guest that is killed, or no longer waits, is as one that closes its connection.
// NW-18
#[tokio::test]
async fn nw_18_a_guest_that_leaves_at_any_moment_leaves_no_connection() {
    let (silent, quiet) = counted(true);
    let (talks, talking) = counted(false);
    let names = [
        ("tls.test", silent),
        ("api.test", silent),
        ("raw.test", talks),
    ];
    let rules = ["https://tls.test", "http://api.test", "tcp://raw.test:9"];
    let world = World::new(&rules, &names, |options| {
        options.limits.requests = u64::MAX;
        options.limits.bytes_out = u64::MAX;
    });
    for moment in [
        Moment::Connected,
        Moment::Handshake,
        Moment::Reply,
        Moment::Read,
        Moment::Write,
    ] {
        let own = world.clone();
        let open = [quiet.clone(), talking.clone()];
        let (port, name) = match moment {
            Moment::Connected | Moment::Reply => (80, "api.test"),
            Moment::Handshake => (443, "tls.test"),
            Moment::Read | Moment::Write => (9, "raw.test"),
        };
        let mut times = as_guest(&world, move |guest| {
            let ip = guest.resolve(name).unwrap();
            let round = |_| {
                let fd = guest.connect(ip, port).unwrap();
                match moment {
                    Moment::Connected => {}
                    Moment::Handshake => {
                        let mut fields = Vec::new();
                        push_field(&mut fields, hello::SERVER_NAME, name.as_bytes());
                        let head = Record::Hello.head(fields.len());
                        guest.write(fd, &[&MAGIC[..], &head, &fields].concat());
                    }
                    Moment::Reply => guest.write(fd, b"GET / HTTP/1.1\r\nHost: api.test\r\n\r\n"),
                    Moment::Read => assert_eq!(guest.read(fd, 1).unwrap(), b"x"),
                    Moment::Write => guest.write(fd, &[0; 64 << 10]),
                }
                // It waits a while before it leaves.
                std::thread::sleep(Duration::from_millis(2));
                guest.close(fd);
                let left = Instant::now();
                let open = || {
                    own.network.budget().usage().connections
                        + open.iter().map(|own| own.load(SeqCst)).sum::<u64>()
                };
                while open() > 0 {
                    assert!(left.elapsed() < support::PATIENCE, "{moment:?}: {}", open());
                    std::thread::sleep(Duration::from_micros(100));
                }
                left.elapsed()
            };
            (0..rounds(25)).map(round).collect::<Vec<_>>()
        })
        .await;
        times.sort_unstable();
        let median = times[times.len() / 2];
        assert!(median < GONE, "{moment:?}: {median:?}");
    }
    let left = |event: &RequestEvent| {
        event
            .failure
            .as_deref()
            .unwrap_or_default()
            .contains("left")
    };
    let all = world.requests(rounds(50)).await;
    assert!(all.iter().filter(|event| left(event)).count() >= rounds(50));
}

/// A system delivers what a program has sent before it was gone.
#[tokio::test]
async fn what_was_sent_before_a_guest_left_arrives() {
    let (origin, log) = strict(|_| ok(b""));
    let world = World::new(&["api.test"], &[("api.test", origin)], |_| {});
    let arrived = log.clone();
    as_guest(&world, move |guest| {
        for (before, length) in [0, 10, 40_000].into_iter().enumerate() {
            let ip = guest.resolve("api.test").unwrap();
            let fd = guest.connect(ip, 80).unwrap();
            let head = format!(
                "POST /{length} HTTP/1.1\r\nHost: api.test\r\nContent-Length: {length}\r\n\r\n"
            );
            guest.write(fd, &[head.as_bytes(), &vec![b'q'; length]].concat());
            guest.close(fd);
            let left = Instant::now();
            while arrived.lock().unwrap().len() == before {
                assert!(
                    left.elapsed() < support::PATIENCE,
                    "{length} bytes do not arrive"
                );
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    })
    .await;
    world.requests(3).await;
    let lengths: Vec<_> = log.lock().unwrap().iter().map(Vec::len).collect();
    assert!(lengths.len() == 3 && lengths[2] > 40_000, "{lengths:?}");
}

/// Says where what it sends ends by its connection alone, and ends that by a reset or by an end.
fn without_a_length(reply: &'static str, is_reset: bool) -> (SocketAddr, Arc<AtomicBool>) {
    let seen = Arc::<AtomicBool>::default();
    let go_on = seen.clone();
    let at = serve(move |mut stream| {
        // What is left unread when it is closed makes a reset of that.
        match is_reset {
            true => stream.read_exact(&mut [0; 4]).unwrap(),
            false => drop(support::servers::read_head(&mut stream)),
        }
        stream.write_all(reply.as_bytes()).unwrap();
        while !go_on.load(SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    (at, seen)
}

/// Nothing but the end of its connection tells that it is whole.
// NW-11
#[tokio::test]
async fn nw_11_a_part_without_a_length_does_not_end_as_the_whole_does() {
    for (rule, request, reply) in [
        ("http://api.test", "1.0", "HTTP/1.1 200 OK\r\n\r\nhello"),
        ("http://api.test", "1.1", "HTTP/1.0 200 OK\r\n\r\nhello"),
        ("tcp://api.test:80", "1.1", "HTTP/1.1 200 OK\r\n\r\nhello"),
    ] {
        for is_reset in [true, false] {
            let (origin, seen) = without_a_length(reply, is_reset);
            let world = World::new(&[rule], &[("api.test", origin)], |_| {});
            let head = format!("GET / HTTP/{request}\r\nHost: api.test\r\n\r\n");
            let (begun, rest) = as_guest(&world, move |guest| {
                let ip = guest.resolve("api.test").unwrap();
                let fd = guest.connect(ip, 80).unwrap();
                guest.write(fd, head.as_bytes());
                let mut begun = Vec::new();
                while !begun.ends_with(b"hello") {
                    let read = guest.read(fd, 100).unwrap();
                    assert!(!read.is_empty());
                    begun.extend(read);
                }
                seen.store(true, SeqCst);
                let rest = guest.read_to_end(fd);
                guest.close(fd);
                (begun, rest)
            })
            .await;
            assert!(support::text(&begun).contains(" 200 OK\r\n"));
            let end = match is_reset {
                true => Err(Errno::ConnReset),
                false => Ok(Vec::new()),
            };
            assert_eq!(rest, end, "{rule} {request} {reply:?}");
            let event = world.requests(1).await.remove(0);
            assert!(event.failure.is_some() || !is_reset, "{event:?}");
        }
    }
}

/// How sure it is that one of two is slower than the other, in standard deviations of a sign test:
/// the two are asked in turn, so that what else the machine does falls upon both.
fn slower(pairs: usize, mut ask: impl FnMut(usize) -> Duration) -> f64 {
    let (mut first_is_slower, mut differ) = (0_u32, 0_u32);
    for pair in 0..pairs {
        let mut times = [Duration::ZERO; 2];
        for which in [pair % 2, 1 - pair % 2] {
            times[which] = ask(which);
        }
        first_is_slower += u32::from(times[0] > times[1]);
        differ += u32::from(times[0] != times[1]);
    }
    let differ = f64::from(differ.max(1));
    (f64::from(first_is_slower) - differ / 2.0) / (differ.sqrt() / 2.0)
}

/// A guest that asks often enough learns nothing from the time that a denial takes.
// NW-19
#[tokio::test]
async fn nw_19_a_denial_takes_as_long_for_what_is_there_as_for_what_is_not() {
    let (origin, _log) = strict(|_| ok(b""));
    let hosts = [("there.test", origin), ("api.test", origin)];
    let world = World::new(&["tcp://api.test:5432"], &hosts, |_| {});
    // A name with an address beside one that nothing has, and an open port beside a closed one.
    let open = origin.port();
    let closed = {
        let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        gone.local_addr().unwrap().port()
    };
    for places in [
        [("there.test", 443), ("where.test", 443)],
        [("api.test", open), ("api.test", closed)],
    ] {
        let sure = as_guest(&world, move |guest| {
            let mut ask = |which: usize| {
                let (name, port) = places[which];
                let began = Instant::now();
                let ip = guest.resolve(name).unwrap();
                let (errno, _) = guest.connect(ip, port).unwrap_err();
                let took = began.elapsed();
                assert_eq!(errno, Errno::Access);
                took
            };
            for warming in 0..100 {
                ask(warming % 2);
            }
            slower(rounds(5_000), ask)
        })
        .await;
        // By chance one run in a million is beyond this.
        assert!(sure.abs() < 5.0, "{places:?}: {sure}");
    }
    assert_eq!((world.gateway.dials(), world.gateway.lookups()), (0, 0));
}

/// What the test of times can see.
#[test]
fn half_a_percent_more_time_is_noticed() {
    let mut seed = 1_u64;
    let mut noise = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Duration::from_nanos(10_000 + (seed >> 33) % 1000)
    };
    assert!(slower(5_000, |_| noise()).abs() < 5.0);
    let sure = slower(5_000, |which| {
        noise() + Duration::from_nanos(50) * which as u32
    });
    assert!(sure < -5.0, "{sure}");
}
