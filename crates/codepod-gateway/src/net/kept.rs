//! A connection that was granted to a server that is offline here: what it gives was kept before.

use std::future::pending;
use std::sync::Arc;

use hyper::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};

use super::downloads::Place;
use super::granted::{Granted, tell_failure};
use super::offload::{self, Beginning, Offloaded};
use super::prefixed::Prefixed;
use super::session::Close;
use super::tls::{self, TlsFailure};
use crate::cptls::Record;
use crate::event::{Event, cut_url};
use crate::http::{Body, Failure, ReplyBody, Upstream};
use crate::network::BoxFuture;
use crate::policy::target::Scheme;

impl Granted {
    /// Carries the connection until it ends, without a server.
    pub(super) async fn serve_kept<S>(self, what: Beginning, guest: Prefixed<S>) -> Close
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match what {
            Beginning::OwnTls => self.report_own_tls(),
            Beginning::Magic => {
                if let Some((guest, tls, own)) = self.offload_kept(guest).await {
                    own.carry_kept(guest, Scheme::Https, Some(tls)).await;
                }
            }
            Beginning::Plain | Beginning::Unknown => {
                return self.carry_kept(guest, Scheme::Http, None).await;
            }
        }
        Close::End
    }

    /// Tells a guest that asks for TLS what was told of the last good handshake, if that would be
    /// good for this guest as well.
    async fn offload_kept<S>(
        mut self,
        mut guest: Prefixed<S>,
    ) -> Option<(Offloaded<Prefixed<S>>, &'static str, Granted)>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let hello = self.agree(&mut guest, Scheme::Https).await?;
        let place = self.place(Scheme::Https);
        let kept = match &self.gateway.shared.downloads {
            Some(downloads) => downloads.handshake(&place).await,
            None => None,
        };
        let tls = self.grant.tls.clone();
        let outcome = match kept {
            None => Err(TlsFailure::new(format!(
                "{} is offline here, and no connection to it was made before",
                self.host
            ))),
            Some(kept) => tls::again(&self.gateway.shared.tls, &self.host, &hello, &tls, &kept),
        };
        match outcome {
            Ok(outcome) => {
                offload::send(&mut guest, Record::Reply, &outcome.reply)
                    .await
                    .ok()?;
                Some((Offloaded::new(guest), outcome.version, self))
            }
            Err(failure) => {
                let mut event = self.event(Scheme::Https, None);
                event.failure = Some(failure.text.clone());
                self.network.tell(Event::Request(Box::new(event)));
                tell_failure(&mut guest, &failure).await;
                None
            }
        }
    }

    async fn carry_kept<G>(self, guest: G, scheme: Scheme, tls: Option<&'static str>) -> Close
    where
        G: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let nobody = Arc::new(Nobody(self.place(scheme)));
        self.carry_requests(guest, nobody, scheme, tls, pending(), pending())
            .await
    }
}

/// In place of a server that is offline here.
struct Nobody(Place);

impl Upstream for Nobody {
    fn send(&self, request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>> {
        let Place {
            scheme, host, port, ..
        } = &self.0;
        let path = request
            .uri()
            .path_and_query()
            .map_or("/", |path| path.as_str());
        let url = cut_url(scheme.as_str(), &host.in_url(), *port, path);
        let failure = Failure::Absent(format!(
            "{host} is offline here, and answers a GET without credentials only: {} {url}",
            crate::event::cut_method(request.method().as_str()),
        ));
        Box::pin(async move { Err(failure) })
    }
}
