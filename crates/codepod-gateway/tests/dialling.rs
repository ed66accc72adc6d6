//! Which addresses are dialled, and which names are looked up.

mod support;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use codepod_abi::Errno;
use codepod_gateway::event::Event;
use codepod_gateway::policy::denial::DenialKind;
use codepod_gateway::{Policy, PolicySpec, RuleSpec};
use support::servers::{ok, strict};
use support::{World, status, text};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n";
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn private(rule: &str) -> RuleSpec {
    RuleSpec {
        private: true,
        ..RuleSpec::from(rule)
    }
}

// NW-01
// NW-15
#[tokio::test]
async fn nw_01_what_is_denied_is_neither_looked_up_nor_dialled() {
    let (origin, log) = strict(|_| ok(b""));
    let world = World::new(
        &["api.test", "http://path.test/v1"],
        &[("path.test", origin)],
        |_| {},
    );
    let port = origin.port();
    let mut count = 0;
    let hosts = [
        "evil.test",
        "sub.api.test",
        "api.test.evil.test",
        "127.0.0.1",
        "localhost",
        "::1",
        "0.0.0.0",
        "169.254.169.254",
        "10.0.0.1",
        "metadata.google.internal",
        "8.8.8.8",
        "::ffff:127.0.0.1",
        "2130706433",
        "0x7f.1",
        "api.testt",
    ];
    for host in hosts {
        for port in [port, 80, 443, 22, 25, 53, 2375, 6379, 10250] {
            let refusal = world.connect(host, port).await.unwrap_err();
            assert_eq!(refusal.errno, Errno::Access, "{host}:{port}");
            count += 1;
        }
    }
    for port in [port, 22, 25, 8080, 6379] {
        assert_eq!(
            world.connect("api.test", port).await.unwrap_err().errno,
            Errno::Access
        );
        count += 1;
    }
    assert_eq!(
        (count, world.gateway.dials(), world.gateway.lookups()),
        (140, 0, 0)
    );
    assert_eq!((log.lock().unwrap().len(), world.events().len()), (0, 140));
    let none = World::new(&[], &[], |options| {
        options.policy = Arc::new(Policy::new(&PolicySpec::default(), 1).unwrap())
    });
    assert!(
        none.connect("api.test", 443)
            .await
            .unwrap_err()
            .why
            .contains("nothing is allowed")
    );
    assert_eq!(none.gateway.dials() + none.gateway.lookups(), 0);
}

// NW-19
#[tokio::test]
async fn nw_19_a_denial_does_not_tell_what_is_there() {
    let (origin, _log) = strict(|_| ok(b""));
    let world = World::new(&["tcp://api.test:5432"], &[("there.test", origin)], |_| {});
    let mut seen = Vec::new();
    for (host, port) in [
        // A server that answers, a closed port beside it, and a name that nothing has.
        ("127.0.0.1", origin.port()),
        ("127.0.0.1", 1),
        ("there.test", origin.port()),
        ("there.test", 1),
        ("absent.test", origin.port()),
        ("absent.test", 1),
    ] {
        let refusal = world.connect(host, port).await.unwrap_err();
        let place = format!("{host}:{port}");
        seen.push((refusal.errno, refusal.why.replace(&place, "PLACE")));
    }
    assert!(seen.iter().all(|(errno, _)| *errno == Errno::Access));
    assert_eq!(seen[0], seen[1], "an open port beside a closed one");
    assert!(
        seen[2..].iter().all(|same| *same == seen[2]),
        "names: {seen:?}"
    );
    assert_eq!((world.gateway.dials(), world.gateway.lookups()), (0, 0));
}

#[tokio::test]
async fn a_gateway_that_grants_nothing_has_no_threads() {
    let world = World::new(&["api.test"], &[], |_| {});
    assert!(world.network.check("https://evil.test/", "GET").is_err());
    assert!(world.network.check("https://api.test/", "GET").is_ok());
    assert!(!world.gateway.has_started());
    assert_eq!(world.events().len(), 0, "a check is not reported");
}

// NW-11
#[tokio::test]
async fn nw_11_an_answer_with_a_million_addresses_is_refused_and_not_kept() {
    let (origin, log) = strict(|_| ok(b"here"));
    let rules = vec![private(&format!("http://api.test:{}", origin.port()))];
    let world = World::with_rules(rules, &[], |_| {});
    let most: Vec<IpAddr> = vec![LOOPBACK; 128];
    world.script.set(
        "api.test",
        vec![
            vec![LOOPBACK; 1_000_000],
            vec![LOOPBACK; 129],
            vec![LOOPBACK; 1_000_000],
            most,
        ],
    );
    for count in [1_000_000, 129] {
        let refusal = world.connect("api.test", origin.port()).await.unwrap_err();
        assert_eq!(refusal.errno, Errno::Access);
        let why = format!("it has {count} addresses, and more than 128 are not checked");
        assert!(refusal.why.contains(&why), "{}", refusal.why);
    }
    let kinds: Vec<DenialKind> = world.events().into_iter().map(kind_of).collect();
    assert_eq!(kinds, [DenialKind::Address; 2]);
    assert_eq!((world.gateway.lookups(), world.gateway.dials()), (2, 0));
    // There is a host of this name: connecting tells what is wrong with it.
    let (gateway, network) = (world.gateway.clone(), world.network.clone());
    let (tell, told) = tokio::sync::oneshot::channel();
    let look_up = async move {
        let _ = tell.send(gateway.resolve(&network, "api.test").await);
    };
    world.gateway.spawn(look_up).unwrap();
    told.await.unwrap().unwrap();
    // What was refused was not kept, so the next answer counts.
    let request = text(GET).replace("api.test", &format!("api.test:{}", origin.port()));
    let reply = world
        .exchange("api.test", origin.port(), request.as_bytes())
        .await;
    assert_eq!((status(&reply), log.lock().unwrap().len()), (200, 1));
    assert_eq!((world.gateway.lookups(), world.gateway.dials()), (4, 1));
}

fn kind_of(event: Event) -> DenialKind {
    match event {
        Event::Denied(event) => event.denial.kind,
        other => panic!("{other:?}"),
    }
}

// NW-02
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_02_a_name_with_one_address_that_is_refused_is_refused_whatever_comes_first() {
    let (origin, log) = strict(|_| ok(b""));
    let good = [LOOPBACK, "::ffff:127.0.0.1".parse().unwrap()];
    let bad: Vec<IpAddr> = [
        "169.254.169.254",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "::",
        "ff02::1",
        "fd00:ec2::254",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "198.18.0.1",
        "240.0.0.1",
        "::127.0.0.1",
        "168.63.129.16",
    ]
    .iter()
    .map(|text| text.parse().unwrap())
    .collect();
    let rules = vec![private(&format!("http://*.flip.test:{}", origin.port()))];
    let world = World::with_rules(rules, &[], |options| {
        options.limits.names_per_wildcard = 5000;
        options.limits.connections = 5000;
    });
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let (mut allowed, mut refused) = (0, 0);
    for i in 0..1000 {
        let name = format!("n{i}.flip.test");
        // Two to six answers one after the other, each of one to four addresses, some of them bad.
        let answers: Vec<Vec<IpAddr>> = (0..2 + random(5))
            .map(|_| {
                (0..1 + random(4))
                    .map(|_| {
                        if random(3) == 0 {
                            bad[random(bad.len())]
                        } else {
                            good[random(2)]
                        }
                    })
                    .collect()
            })
            .collect();
        let first_is_good = answers[0].iter().all(|ip| good.contains(ip));
        world.script.set(&name, answers);
        let dials = world.gateway.dials();
        // The guest looks the name up and connects twice: one answer decides for all of that.
        let _ = world.connect(&name, origin.port()).await;
        let again = world.connect(&name, origin.port()).await;
        assert_eq!(again.is_ok(), first_is_good, "{name}");
        if first_is_good {
            allowed += 1;
        } else {
            refused += 1;
            assert_eq!(
                (again.unwrap_err().errno, world.gateway.dials()),
                (Errno::Access, dials)
            );
        }
    }
    assert_eq!(world.gateway.lookups(), 1000);
    assert!(allowed > 200 && refused > 200, "{allowed} {refused}");
    assert_eq!(log.lock().unwrap().len(), 0, "no request was sent");
}

// NW-02
// NW-04
#[tokio::test]
async fn nw_02_a_public_name_with_a_private_address_is_not_dialled() {
    let (origin, log) = strict(|_| ok(b""));
    let world = World::new(
        &[&format!("http://api.test:{}", origin.port())],
        &[],
        |_| {},
    );
    world
        .script
        .set("api.test", vec![vec!["8.8.8.8".parse().unwrap(), LOOPBACK]]);
    let refusal = world.connect("api.test", origin.port()).await.unwrap_err();
    assert_eq!(refusal.errno, Errno::Access);
    assert_eq!(
        refusal.why,
        format!(
            "api.test:{}: 127.0.0.1 is a loopback address; to allow it, mark the rule for `api.test` as `private`, if that range may be granted",
            origin.port()
        )
    );
    let Some(Event::Denied(event)) = world.events().pop() else {
        panic!()
    };
    assert_eq!(event.denial.kind, DenialKind::Address);
    assert_eq!((world.gateway.dials(), log.lock().unwrap().len()), (0, 0));
}

#[tokio::test]
async fn private_addresses_are_dialled_for_rules_that_say_so() {
    let (origin, _) = strict(|_| ok(b"private"));
    let world = World::with_rules(
        vec![
            private(&format!("http://127.0.0.1:{}", origin.port())),
            private(&format!("http://named.test:{}", origin.port())),
        ],
        &[],
        |_| {},
    );
    world.script.set("named.test", vec![vec![LOOPBACK]]);
    for host in ["127.0.0.1", "named.test"] {
        let request = format!(
            "GET / HTTP/1.1\r\nHost: {host}:{}\r\nConnection: close\r\n\r\n",
            origin.port()
        );
        let reply = world
            .exchange(host, origin.port(), request.as_bytes())
            .await;
        assert!(
            text(&reply).ends_with("private"),
            "{host}: {}",
            text(&reply)
        );
    }
}

#[tokio::test]
async fn a_blocked_address_is_blocked_under_every_name() {
    let world = World::new(&[], &[], |options| {
        let spec = PolicySpec {
            blocked_hosts: Some(vec!["1.2.3.0/24".into()]),
            ..PolicySpec::default()
        };
        options.policy = Arc::new(Policy::new(&spec, 1).unwrap());
    });
    world
        .script
        .set("innocent.test", vec![vec!["1.2.3.4".parse().unwrap()]]);
    let refusal = world.connect("innocent.test", 80).await.unwrap_err();
    assert!(refusal.why.contains("blocked by rule 1"), "{}", refusal.why);
    assert_eq!((world.gateway.lookups(), world.gateway.dials()), (1, 0));
}

#[tokio::test]
async fn names_that_do_not_exist_and_ports_that_nobody_listens_at_are_told_as_they_are() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let world = World::new(
        &["api.test", "gone.test", "*.wild.test"],
        &[("api.test", free)],
        |options| options.limits.names_per_wildcard = 2,
    );
    let refusal = world.connect("api.test", 80).await.unwrap_err();
    assert_eq!(refusal.errno, Errno::ConnRefused);
    assert_eq!(
        world.connect("gone.test", 80).await.unwrap_err().errno,
        Errno::HostUnreach
    );
    let failures: Vec<_> = world
        .requests(2)
        .await
        .into_iter()
        .map(|event| event.failure.unwrap())
        .collect();
    assert!(
        failures[0].contains("refused") && failures[1].contains("there is no host of this name"),
        "{failures:?}"
    );

    // What a guest hears of names: the truth where a rule allows, and nothing where none does.
    let (tell, told) = std::sync::mpsc::channel();
    let (gateway, network) = (world.gateway.clone(), world.network.clone());
    world
        .gateway
        .spawn(async move {
            for name in [
                "gone.test",
                "api.test",
                "stranger.test",
                "a.wild.test",
                "b.wild.test",
                "c.wild.test",
                "a.wild.test",
            ] {
                tell.send(gateway.resolve(&network, name).await).unwrap();
            }
        })
        .unwrap();
    let answers: Vec<_> = tokio::task::spawn_blocking(move || told.iter().collect())
        .await
        .unwrap();
    let absent = Err(Errno::NoEnt);
    assert_eq!(
        answers,
        [absent, Ok(()), Ok(()), absent, absent, Ok(()), absent]
    );
    // NW-12
    assert_eq!(
        world.gateway.lookups(),
        2 + 2 + 1,
        "the third name beneath the star was not looked up"
    );
}

#[tokio::test]
async fn a_raw_connection_carries_bytes_and_ends_on_each_side() {
    let origin = support::servers::serve(|mut stream| {
        use std::io::{Read, Write};
        stream.write_all(b"220 welcome\r\n").unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        stream
            .write_all(format!("got {}", all.len()).as_bytes())
            .unwrap();
    });
    let world = World::new(&["tcp://smtp.test:25"], &[("smtp.test", origin)], |_| {});
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut guest = world.connect("smtp.test", 25).await.unwrap();
    let mut welcome = [0; 13];
    guest.read_exact(&mut welcome).await.unwrap();
    guest.write_all(&[b'x'; 100_000]).await.unwrap();
    guest.shutdown().await.unwrap();
    let mut rest = Vec::new();
    guest.read_to_end(&mut rest).await.unwrap();
    assert_eq!(text(&rest), "got 100000");
    let event = world.requests(1).await.remove(0);
    assert_eq!(
        (
            event.url.as_str(),
            event.bytes_out,
            event.bytes_in,
            event.failure
        ),
        ("tcp://smtp.test:25", 100_000, 23, None)
    );
}

#[tokio::test]
async fn a_connection_counts_until_it_ends() {
    let (origin, _) = strict(|_| ok(b""));
    let world = World::new(&["api.test"], &[("api.test", origin)], |_| {});
    let guest = world.connect("api.test", 80).await.unwrap();
    assert_eq!(world.network.budget().usage().connections, 1);
    drop(guest);
    for _ in 0..6000 {
        if world.network.budget().usage().connections == 0 {
            return assert_eq!(status(&world.exchange("api.test", 80, GET).await), 200);
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the connection is still open");
}

/// The system's own lookups, for a name that every host has and one that none has.
#[tokio::test]
async fn the_system_is_asked_for_names() {
    use codepod_gateway::net::{ResolveError, Resolver, SystemResolver};
    let system = SystemResolver::default();
    let answers = system.resolve("localhost".to_owned()).await.unwrap();
    assert!(!answers.is_empty() && answers.iter().all(IpAddr::is_loopback));
    let absent = system.resolve("no-such-name.invalid".to_owned()).await;
    assert!(
        matches!(
            absent,
            Err(ResolveError::NotFound | ResolveError::Failed(_))
        ),
        "{absent:?}"
    );
}
