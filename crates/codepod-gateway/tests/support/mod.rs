//! A sandbox's network without the sandbox: a gateway, servers on loopback, and a guest's stream.
#![allow(dead_code, reason = "each test program uses a part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

pub(crate) mod cptls_client;
pub(crate) mod servers;
pub(crate) mod sharing;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codepod_gateway::event::{Event, Origin, RequestEvent};
use codepod_gateway::net::{Gateway, GatewayOptions, Refusal, ResolveError, Resolver};
use codepod_gateway::network::{BoxFuture, Network, NetworkOptions};
use codepod_gateway::policy::host::Host;
use codepod_gateway::{Policy, PolicySpec, RuleSpec};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// How long a test waits for what comes at once on a host that is not busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// How often a test does what it does again and again: `usual` times, or as many times more as
/// `CODEPOD_NETWORK_ROUNDS` says.
pub(crate) fn rounds(usual: usize) -> usize {
    let more = std::env::var("CODEPOD_NETWORK_ROUNDS");
    usual * more.map_or(1, |more| more.parse().unwrap())
}

/// A resolver whose answers are scripted: each lookup of a name takes the next, the last for ever.
#[derive(Debug, Default)]
pub(crate) struct Script(Mutex<HashMap<String, Vec<Vec<IpAddr>>>>);

impl Script {
    pub(crate) fn set(&self, name: &str, answers: Vec<Vec<IpAddr>>) {
        self.0.lock().unwrap().insert(name.to_owned(), answers);
    }
}

impl Resolver for Script {
    fn resolve(&self, name: String) -> BoxFuture<Result<Vec<IpAddr>, ResolveError>> {
        let mut names = self.0.lock().unwrap();
        let answer = match names.get_mut(&name) {
            None => Err(ResolveError::NotFound),
            Some(answers) if answers.len() > 1 => Ok(answers.remove(0)),
            Some(answers) => Ok(answers[0].clone()),
        };
        Box::pin(async move { answer })
    }
}

/// A gateway with the network of one sandbox.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) gateway: Gateway,
    pub(crate) network: Arc<Network>,
    pub(crate) script: Arc<Script>,
    pub(crate) events: Arc<Mutex<Vec<Event>>>,
}

impl World {
    /// Allows `rules`, with the static addresses `hosts`; `change` may change the rest.
    pub(crate) fn new(
        rules: &[&str],
        hosts: &[(&str, SocketAddr)],
        change: impl FnOnce(&mut NetworkOptions),
    ) -> World {
        World::with_rules(
            rules.iter().map(|rule| RuleSpec::from(*rule)).collect(),
            hosts,
            change,
        )
    }

    pub(crate) fn with_rules(
        rules: Vec<RuleSpec>,
        hosts: &[(&str, SocketAddr)],
        change: impl FnOnce(&mut NetworkOptions),
    ) -> World {
        let spec = PolicySpec {
            allowed_hosts: Some(rules),
            hosts: hosts
                .iter()
                .map(|(name, at)| ((*name).to_owned(), at.to_string()))
                .collect(),
            ..PolicySpec::default()
        };
        let events = Arc::<Mutex<Vec<Event>>>::default();
        let mut options = NetworkOptions::new(Policy::new(&spec, 1).unwrap());
        let sink = events.clone();
        options.events = Arc::new(move |event| sink.lock().unwrap().push(event));
        change(&mut options);
        if let Some(cassette) = &options.cassette {
            options.secrets = cassette.secrets(options.secrets);
        }
        let script = Arc::<Script>::default();
        World {
            gateway: Gateway::new(GatewayOptions {
                resolver: script.clone(),
                threads: 1,
                downloads: None,
            }),
            network: Arc::new(Network::new(options)),
            script,
            events,
        }
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    /// The requests that have ended, after waiting for `count` of them.
    pub(crate) async fn requests(&self, count: usize) -> Vec<RequestEvent> {
        for _ in 0..6000 {
            let events = self.events();
            let ended: Vec<_> = events
                .into_iter()
                .filter_map(|event| match event {
                    Event::Request(event) => Some(*event),
                    Event::Denied(_) | Event::SecretLeak { .. } => None,
                })
                .collect();
            if ended.len() >= count {
                return ended;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{:?}", self.events());
    }

    /// Opens a connection, as a guest's `connect` does.
    pub(crate) async fn connect(&self, host: &str, port: u16) -> Result<DuplexStream, Refusal> {
        self.connect_to(Host::parse(host).unwrap(), port).await
    }

    /// The same, to a host that was read before.
    pub(crate) async fn connect_to(&self, host: Host, port: u16) -> Result<DuplexStream, Refusal> {
        let (guest, own) = tokio::io::duplex(64 * 1024);
        let (tell, told) = tokio::sync::oneshot::channel();
        let (gateway, network) = (self.gateway.clone(), self.network.clone());
        self.gateway
            .spawn(async move {
                match gateway.open(&network, Origin::default(), host, port).await {
                    Ok(session) => {
                        let _ = tell.send(Ok(()));
                        session.serve(own, std::future::pending()).await;
                    }
                    Err(refusal) => {
                        let _ = tell.send(Err(refusal));
                    }
                }
            })
            .unwrap();
        tokio::time::timeout(PATIENCE, told)
            .await
            .unwrap()
            .unwrap()
            .map(|()| guest)
    }

    /// Sends bytes and reads until the end.
    pub(crate) async fn exchange(&self, host: &str, port: u16, bytes: &[u8]) -> Vec<u8> {
        let guest = self.connect(host, port).await.unwrap();
        talk(guest, bytes).await
    }

    /// A port of the host's loopback whose connections go to `host` and `port` through the gateway,
    /// for clients that are programs of the host.
    pub(crate) async fn bridge(&self, host: &str, port: u16) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let (gateway, network, host) = (
            self.gateway.clone(),
            self.network.clone(),
            Host::parse(host).unwrap(),
        );
        tokio::spawn(async move {
            while let Ok((guest, _)) = listener.accept().await {
                let guest = guest.into_std().unwrap();
                let (own, network, host) = (gateway.clone(), network.clone(), host.clone());
                gateway
                    .spawn(async move {
                        let guest = tokio::net::TcpStream::from_std(guest).unwrap();
                        if let Ok(session) = own.open(&network, Origin::default(), host, port).await
                        {
                            session.serve(guest, std::future::pending()).await;
                        }
                    })
                    .unwrap();
            }
        });
        at
    }
}

/// Sends bytes, and reads until the other side ends or breaks the connection.
pub(crate) async fn talk<S>(mut stream: S, bytes: &[u8]) -> Vec<u8>
where
    S: AsyncReadExt + AsyncWriteExt + Unpin,
{
    let mut reply = Vec::new();
    let talked = async {
        let _ = stream.write_all(bytes).await;
        let _ = stream.read_to_end(&mut reply).await;
    };
    let in_time = tokio::time::timeout(PATIENCE, talked).await.is_ok();
    assert!(
        in_time,
        "{:?} gave {:?} and no end",
        text(bytes),
        text(&reply)
    );
    reply
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn status(reply: &[u8]) -> u16 {
    text(reply)
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or(0)
}
