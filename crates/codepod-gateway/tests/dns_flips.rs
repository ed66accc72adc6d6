//! Names whose addresses change: every answer is vetted as a whole, at every connection.

mod support;

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use codepod_abi::Errno;
use codepod_gateway::event::Event;
use codepod_gateway::network::Deciding;
use codepod_gateway::policy::denial::DenialKind;
use codepod_gateway::{Policy, PolicySpec, RuleSpec};
use support::World;
use support::servers::{Log, ok, strict};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Refused whatever a rule grants, each in a range or a form of its own.
const BAD: &[&str] = &[
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "0.0.0.0",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::1",
    "2001::1",
    "2600::5efe:7f00:1",
    "2001:db8::1",
    "fd00:ec2::254",
    "fd00:c1::a9fe:a9fe",
    "fe80::a9fe:a9fe",
    "fec0::1",
    "ff02::1",
];

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Numbers that are the same ones in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn bad(&mut self) -> IpAddr {
        ip(BAD[self.below(BAD.len())])
    }
}

/// The answers of a name to one lookup after another; `kind` says how they change.
fn pattern(kind: usize, numbers: &mut Numbers) -> Vec<Vec<IpAddr>> {
    let good = vec![LOOPBACK];
    let mapped = ip("::ffff:127.0.0.1");
    let bad = numbers.bad();
    // A hundred of them that all lead to the host's loopback, the server's first.
    let many: Vec<IpAddr> = (1..=100).map(|last| [127, 0, 0, last].into()).collect();
    match kind {
        // Good first, bad for ever; and the other way round.
        0 => vec![good, vec![bad]],
        1 => vec![vec![bad], good],
        // Both in one answer, in either order, and with the other family.
        2 => vec![vec![LOOPBACK, bad], vec![bad, LOOPBACK], good],
        3 => vec![vec![mapped, bad], vec![mapped], vec![bad, mapped]],
        // Nothing at all, before and after.
        4 => vec![vec![], good, vec![], vec![bad]],
        // A change at every lookup, as with a TTL of 0.
        5 => (0..6)
            .map(|i| {
                if i % 2 == 0 {
                    good.clone()
                } else {
                    vec![numbers.bad()]
                }
            })
            .collect(),
        // A hundred addresses, and one among them that is refused.
        6 => {
            let mut one_bad = many.clone();
            one_bad[1 + numbers.below(99)] = bad;
            vec![many, one_bad]
        }
        // A hundred times the same, and the last one another.
        7 => {
            let mut last_bad = vec![LOOPBACK; 100];
            last_bad[99] = bad;
            vec![vec![LOOPBACK; 100], last_bad]
        }
        // What a chain of names ends with: answers of all its links, in the order of the chain.
        8 => vec![
            vec![LOOPBACK, mapped, LOOPBACK],
            vec![LOOPBACK, mapped, numbers.bad(), bad],
        ],
        // Anything.
        _ => (0..2 + numbers.below(3))
            .map(|_| {
                (0..numbers.below(5))
                    .map(|_| {
                        if numbers.below(4) == 0 {
                            numbers.bad()
                        } else {
                            LOOPBACK
                        }
                    })
                    .collect()
            })
            .collect(),
    }
}

/// A sandbox whose names are all allowed, with loopback addresses, at the port of a server.
fn world() -> (World, SocketAddr, Log) {
    let (origin, log) = strict(|_| ok(b"here"));
    let rule = RuleSpec {
        private: true,
        ..RuleSpec::from(format!("http://*.flip.test:{}", origin.port()).as_str())
    };
    let world = World::with_rules(vec![rule], &[], |options| {
        options.limits.names_per_wildcard = 5_000;
        options.limits.connections = 5_000;
        options.limits.requests = 100_000;
    });
    (world, origin, log)
}

/// Each lookup is vetted by itself: by forks of a sandbox, which keep no answers of each other.
// NW-02
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_02_of_a_thousand_names_that_flip_no_refused_address_is_dialled() {
    let (world, origin, log) = world();
    let port = origin.port();
    let mut numbers = Numbers(2);
    let (mut lookups, mut allowed, mut refused) = (0, 0, 0);
    for i in 0..1_000 {
        let name = format!("n{i}.flip.test");
        let answers = pattern(i % 10, &mut numbers);
        world.script.set(&name, answers.clone());
        for answer in &answers {
            let fork = World {
                network: Arc::new(world.network.fork()),
                ..world.clone()
            };
            let is_good = |ip: &IpAddr| ip.to_canonical().is_loopback();
            let expected = !answer.is_empty() && answer.iter().all(is_good);
            let dials = world.gateway.dials();
            lookups += 1;
            let connected = fork.connect(&name, port).await;
            assert_eq!(connected.is_ok(), expected, "{name}: {answer:?}");
            let dialled = world.gateway.dials() - dials;
            match connected {
                Ok(guest) => {
                    allowed += 1;
                    // Of a hundred a second is tried when the first takes long.
                    assert!((1..=8).contains(&dialled), "{name}: {answer:?}");
                    let get = format!(
                        "GET / HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n"
                    );
                    support::talk(guest, get.as_bytes()).await;
                }
                Err(refusal) => {
                    refused += 1;
                    assert_eq!(
                        (refusal.errno, dialled),
                        (Errno::Access, 0),
                        "{name}: {answer:?}"
                    );
                }
            }
        }
    }
    assert_eq!(world.gateway.lookups(), lookups);
    assert!(allowed > 500 && refused > 500, "{allowed} {refused}");
    assert_eq!(log.lock().unwrap().len(), allowed);
    for event in world.requests(allowed).await {
        assert_eq!(event.address, Some(SocketAddr::new(LOOPBACK, port)));
    }
}

/// Within a sandbox one answer decides for a while: asking again does not flip it.
// NW-02
#[tokio::test]
async fn nw_02_an_answer_is_kept_and_vetted_again_at_each_connection() {
    let (world, origin, _) = world();
    let port = origin.port();
    world.script.set(
        "a.flip.test",
        vec![vec![LOOPBACK], vec![ip("169.254.169.254")]],
    );
    for _ in 0..20 {
        assert!(world.connect("a.flip.test", port).await.is_ok());
    }
    assert_eq!((world.gateway.lookups(), world.gateway.dials()), (1, 20));
    // The same answer under rules without `private`.
    let spec = PolicySpec {
        allowed_hosts: Some(vec![format!("http://*.flip.test:{port}").as_str().into()]),
        ..PolicySpec::default()
    };
    let deciding = world.network.deciding();
    world.network.decide_by(Deciding {
        policy: Arc::new(Policy::new(&spec, 2).unwrap()),
        ..Deciding::clone(&deciding)
    });
    let refusal = world.connect("a.flip.test", port).await.unwrap_err();
    assert!(
        refusal.why.contains("127.0.0.1 is a loopback address"),
        "{}",
        refusal.why
    );
    assert_eq!((world.gateway.lookups(), world.gateway.dials()), (1, 20));
}

/// Without `private`, an answer with a single address that is not public is refused, wherever in
/// it that stands. Nothing here is sent: no answer is wholly public.
// NW-02
// NW-04
#[tokio::test]
async fn nw_02_a_hundred_public_addresses_do_not_hide_one_that_is_not() {
    let world = World::new(&["http://*.flip.test"], &[], |options| {
        options.limits.names_per_wildcard = 5_000;
    });
    let mut numbers = Numbers(3);
    let private = [
        "127.0.0.1",
        "10.0.0.1",
        "192.168.0.1",
        "172.31.255.255",
        "100.64.0.1",
        "169.254.0.1",
    ];
    let other = [
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::10.0.0.1",
        "2002:a00:1::",
    ];
    let hidden: Vec<IpAddr> = private
        .iter()
        .chain(&other)
        .chain(BAD)
        .map(|text| ip(text))
        .collect();
    let mut names = HashSet::new();
    for (index, hidden) in hidden.iter().enumerate() {
        for length in [1, 2, 8, 9, 100] {
            let name = format!("n{index}x{length}.flip.test");
            let mut answer: Vec<IpAddr> = (0..length as u8)
                .map(|last| [8, 8, 4, last].into())
                .collect();
            answer[numbers.below(length)] = *hidden;
            world.script.set(&name, vec![answer]);
            let refusal = world.connect(&name, 80).await.unwrap_err();
            assert_eq!(refusal.errno, Errno::Access, "{hidden} {length}");
            names.insert(name);
        }
    }
    assert_eq!(world.gateway.lookups(), names.len() as u64);
    assert_eq!(world.gateway.dials(), 0);
    for event in world.events() {
        let Event::Denied(event) = event else {
            panic!("{event:?}")
        };
        assert_eq!(event.denial.kind, DenialKind::Address);
    }
}
