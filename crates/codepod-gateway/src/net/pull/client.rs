//! A guest's side of the gateway: TLS that the gateway ends, and HTTP.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::{Request, Response, header};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::Url;

use crate::cptls::{self, MAGIC, RECORD_HEAD, Record, fail, hello};
use crate::event::Origin;
use crate::http::{ReplyBody, Upstream};
use crate::net::Gateway;
use crate::net::offload::Offloaded;
use crate::net::tls::value;
use crate::net::upstream::HttpServer;
use crate::network::Network;
use crate::policy::target::{Scheme, Target};

/// How many bytes are between both sides.
const BETWEEN: usize = 64 * 1024;

/// Somebody who asks through a gateway.
pub(super) struct Client {
    pub(super) gateway: Gateway,
    pub(super) network: Arc<Network>,
}

/// A reply, and the connection that its body comes by.
pub(super) struct Reply {
    pub(super) response: Response<ReplyBody>,
    _connection: HttpServer,
}

impl Client {
    /// Sends a GET on a connection of its own.
    pub(super) async fn get(&self, url: &Url, accept: &str) -> Result<Reply, String> {
        let target = Target::parse(url.as_str()).map_err(|denial| denial.reason)?;
        let (host, port) = (target.host.clone(), target.port);
        let opened = self
            .gateway
            .open(&self.network, Origin::default(), host, port)
            .await;
        let session = opened.map_err(|refusal| refusal.why)?;
        let (guest, own) = tokio::io::duplex(BETWEEN);
        tokio::spawn(session.serve(own, std::future::pending()));
        let first_byte = self.network.timeouts().first_byte;
        let connected = match target.scheme {
            Scheme::Https => {
                let guest = secured(guest, &target.host.to_string()).await?;
                HttpServer::new(guest, first_byte).await
            }
            _ => HttpServer::new(guest, first_byte).await,
        };
        let (connection, _closed) = connected.map_err(|failure| failure.to_string())?;
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let authority = match url.port() {
            Some(port) => format!("{}:{port}", target.host.in_url()),
            None => target.host.in_url(),
        };
        let body = Empty::<Bytes>::new().map_err(|never| match never {});
        let agent = concat!("codepod/", env!("CARGO_PKG_VERSION"));
        let request = Request::get(path)
            .header(header::HOST, authority)
            .header(header::ACCEPT, accept)
            .header(header::USER_AGENT, agent)
            .body(body.boxed_unsync())
            .map_err(|error| error.to_string())?;
        let response = connection.send(request).await;
        Ok(Reply {
            response: response.map_err(|failure| failure.to_string())?,
            _connection: connection,
        })
    }
}

/// Asks for TLS with a server.
async fn secured<S>(mut stream: S, name: &str) -> Result<Offloaded<S>, String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut payload = Vec::new();
    cptls::push_field(&mut payload, hello::SERVER_NAME, name.as_bytes());
    cptls::push_field(&mut payload, hello::ALPN, b"http/1.1");
    let head = Record::Hello.head(payload.len());
    let ended = |error: std::io::Error| error.to_string();
    let hello = [&MAGIC[..], &head, &payload].concat();
    stream.write_all(&hello).await.map_err(ended)?;
    let mut head = [0; RECORD_HEAD];
    stream.read_exact(&mut head).await.map_err(ended)?;
    let (record, length) = cptls::payload_length(head, &[Record::Reply, Record::Fail])
        .map_err(|why| why.to_string())?;
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await.map_err(ended)?;
    if record == Record::Reply {
        return Ok(Offloaded::new(stream));
    }
    Err(match value(&payload, fail::TEXT) {
        Some(text) => String::from_utf8_lossy(text).into_owned(),
        None => "there is no TLS with the server".to_owned(),
    })
}
