//! A connection to a server, from the moment that it is open: what the guest speaks, and who
//! carries that.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::granted::Granted;
use super::idle::Idle;
use super::offload::{self, Beginning};
use super::opening::Opening;
use super::prefixed::Prefixed;
use super::{Gateway, Refusal};
use crate::cassette::Replay;
use crate::event::Origin;
use crate::network::Network;
use crate::policy::Protocol;
use crate::policy::denial::DenialKind;
use crate::policy::host::Host;
use crate::policy::target::Scheme;

/// A connection to a server that a guest was granted.
pub struct Session {
    pub(super) granted: Granted,
    pub(super) server: Server,
}

/// What is at the other end.
pub(super) enum Server {
    Dialled(Idle<TcpStream>),
    /// Nothing: it is offline here.
    Offline,
    /// A recording in its place.
    Recorded(Arc<Replay>),
}

/// How a guest's connection is to be closed when it was carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close {
    /// By its end.
    End,
    /// By a reset: what was received broke off, and by an end it would look whole.
    Reset,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("host", &self.granted.host)
            .field("port", &self.granted.port)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// See [`Gateway::open`].
    pub(super) async fn open(
        gateway: Gateway,
        network: Arc<Network>,
        origin: Origin,
        host: Host,
        port: u16,
    ) -> Result<Session, Refusal> {
        let opening = Opening::new(gateway, network, origin, host, port)?;
        opening.open().await
    }

    /// Carries the connection until it ends. `guest` is the guest's side; `left` is ready when
    /// nobody is there any more who could read an answer.
    pub async fn serve<S>(self, guest: S, left: impl Future<Output = ()> + Send) -> Close
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Session { granted, server } = self;
        let server = match server {
            // The server may be the one that speaks first.
            Server::Dialled(server) if granted.grant.protocol() == Protocol::Tcp => {
                return granted.carry_tcp(guest, server).await;
            }
            server => server,
        };
        let limit = granted.network.timeouts().idle;
        let Ok(Some((what, guest))) = timeout(limit, first_bytes(guest)).await else {
            return Close::End;
        };
        match server {
            Server::Dialled(server) => granted.serve_dialled(what, guest, server, left).await,
            Server::Offline => granted.serve_kept(what, guest).await,
            Server::Recorded(replay) => granted.serve_recorded(what, guest, replay).await,
        }
    }
}

impl Granted {
    /// Carries the connection to a server that was dialled.
    async fn serve_dialled<S>(
        self,
        what: Beginning,
        guest: Prefixed<S>,
        server: Idle<TcpStream>,
        left: impl Future<Output = ()> + Send,
    ) -> Close
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut left = pin!(left);
        match (what, self.grant.protocol()) {
            (Beginning::Magic, Protocol::Http) => {
                if let Some((guest, server, tls, own)) = self
                    .offload(guest, server, Scheme::Https, left.as_mut())
                    .await
                {
                    own.carry_http(guest, server, Scheme::Https, Some(tls), left)
                        .await;
                }
            }
            (Beginning::Magic, _) => {
                if let Some((guest, server, tls, own)) =
                    self.offload(guest, server, Scheme::Tls, left).await
                {
                    own.carry_tls(guest, server, Scheme::Tls, tls).await;
                }
            }
            (Beginning::OwnTls, _) => self.report_own_tls(),
            (_, Protocol::Http) => {
                return self
                    .carry_http(guest, server, Scheme::Http, None, left)
                    .await;
            }
            (_, _) => self.report(&self.denial(
                DenialKind::NotAllowed,
                "the rule is for tls, and this is plain",
            )),
        }
        // In TLS an end without its own last record is none.
        Close::End
    }

    /// Carries the connection to a server in whose place there is a recording.
    async fn serve_recorded<S>(
        self,
        what: Beginning,
        guest: Prefixed<S>,
        replay: Arc<Replay>,
    ) -> Close
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match what {
            Beginning::Magic => {
                if let Some((guest, tls, own)) = self.shake_again(guest, &replay).await {
                    own.replay_http(guest, replay, Scheme::Https, Some(tls))
                        .await;
                }
            }
            Beginning::OwnTls => self.report_own_tls(),
            Beginning::Plain | Beginning::Unknown => {
                return self.replay_http(guest, replay, Scheme::Http, None).await;
            }
        }
        Close::End
    }
}

/// Reads until it is known what a guest speaks. `None` when it has sent nothing and ended.
async fn first_bytes<S: AsyncRead + Unpin>(mut guest: S) -> Option<(Beginning, Prefixed<S>)> {
    let mut first = Vec::with_capacity(16);
    loop {
        let what = offload::beginning(&first);
        let ended = what == Beginning::Unknown && {
            let mut more = [0; 16];
            let read = guest.read(&mut more).await.ok()?;
            first.extend_from_slice(&more[..read]);
            read == 0
        };
        if ended && first.is_empty() {
            return None;
        }
        if ended || what != Beginning::Unknown {
            let prefix = Bytes::from(first);
            return Some((
                what,
                Prefixed {
                    prefix,
                    stream: guest,
                },
            ));
        }
    }
}
