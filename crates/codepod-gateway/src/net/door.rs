//! The kernel's way out: what a sandbox asks of the gateway.

use std::fmt;
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::Arc;

use codepod_abi::Errno;
use codepod_kernel::{Link, NameAnswer, Open, OpenTarget};

use super::link_stream::{LinkStream, finish};
use super::session::Close;
use super::{Gateway, Refusal};
use crate::event::{Origin, cut_url};
use crate::network::{Network, over_budget};
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::host::Host;
use crate::policy::printable;

/// The gateway as one sandbox's kernel sees it ([`codepod_kernel::Gateway`]).
pub struct Door {
    gateway: Gateway,
    network: Arc<Network>,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door")
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}

impl Door {
    /// The way from a sandbox with `network` through `gateway`.
    pub fn new(gateway: Gateway, network: Arc<Network>) -> Door {
        Door { gateway, network }
    }

    /// The sandbox's network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What the policy and the budget say of a connection, without I/O.
    fn decide(&self, open: &Open) -> Result<Host, Denial> {
        let host = host(open).ok_or_else(|| Denial {
            kind: DenialKind::Ambiguous,
            host: name(open),
            port: Some(open.port),
            rule: None,
            reason: format!("`{}` is not the name of a host", name(open)),
            ask: None,
        })?;
        self.network.policy().open(&host, open.port)?;
        let room = self.network.budget().has_room();
        room.map_err(|why| over_budget(&host, open.port, why))?;
        Ok(host)
    }
}

impl codepod_kernel::Gateway for Door {
    fn check(&self, open: &Open) -> Result<(), codepod_kernel::Refusal> {
        let policy = self.network.policy().version();
        self.decide(open).map(|_| ()).map_err(|denial| {
            let url = cut_url("tcp", &name(open), open.port, "");
            self.network
                .denied(&origin(open), policy, None, url, &denial);
            let Refusal { errno, why } = Refusal::denied(&denial);
            codepod_kernel::Refusal { errno, why }
        })
    }

    fn open(&self, open: Open, link: Link) {
        let Some(host) = host(&open) else {
            return link.failed(Errno::Access, "that is not the name of a host");
        };
        let (gateway, network, origin) =
            (self.gateway.clone(), self.network.clone(), origin(&open));
        // Without threads the link is dropped, which the guest sees.
        let _ = self.gateway.spawn(async move {
            match gateway.open(&network, origin, host, open.port).await {
                Err(refusal) => link.failed(refusal.errno, &refusal.why),
                Ok(session) => {
                    if link.connected().is_err() {
                        return;
                    }
                    let link = Arc::new(link);
                    let watched = link.clone();
                    let left = poll_fn(move |cx| watched.poll_left(cx));
                    // Without an end the connection is reset when the link is dropped.
                    if session.serve(LinkStream(link.clone()), left).await == Close::End {
                        finish(&link, network.timeouts().idle).await;
                    }
                }
            }
        });
    }

    fn resolve(&self, name: &str, answer: NameAnswer) {
        let Ok(host) = Host::parse(name) else {
            return answer.give(Ok(()));
        };
        let policy = self.network.policy();
        // What is not looked up is answered at once, and starts no thread.
        if !policy.knows(&host) || policy.static_address(&host).is_some() {
            return answer.give(Ok(()));
        }
        let (gateway, network, name) =
            (self.gateway.clone(), self.network.clone(), name.to_owned());
        let _ = self.gateway.spawn(async move {
            answer.give(gateway.resolve(&network, &name).await);
        });
    }
}

fn origin(open: &Open) -> Origin {
    Origin {
        sandbox: open.sandbox,
        run: open.run.number(),
        pid: open.pid.0,
        command: open.command.as_str().into(),
    }
}

fn host(open: &Open) -> Option<Host> {
    match &open.target {
        OpenTarget::Name(name) => Host::parse(name).ok(),
        OpenTarget::Ip(ip) => Some(Host::from(IpAddr::V4(*ip))),
    }
}

fn name(open: &Open) -> String {
    match &open.target {
        OpenTarget::Name(name) => printable(name),
        OpenTarget::Ip(ip) => ip.to_string(),
    }
}
