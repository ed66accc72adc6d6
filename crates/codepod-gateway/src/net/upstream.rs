//! HTTP to a server over one connection, by hyper's client.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{self, HeaderMap};
use hyper::{Request, Response, ext};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, Notify, oneshot};
use tokio::task::AbortHandle;

use super::heard_out::HeardOut;
use crate::http::{Body, BodyError, Failure, ReplyBody, Upstream, has_other_coding};
use crate::network::BoxFuture;

/// The largest head of a reply, which is also the most that is read ahead.
const MAX_HEAD: usize = 64 * 1024;
/// The most header fields.
const MAX_FIELDS: usize = 256;
/// The most heads of status 1xx before a reply. They go no further and no budget counts them, and
/// while a request is still being sent no time runs that would end them.
const MAX_INTERIM: usize = 32;

/// A connection to a server.
pub(super) struct HttpServer {
    sender: Arc<Mutex<SendRequest<Body>>>,
    first_byte: Duration,
    carrier: AbortHandle,
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.carrier.abort();
    }
}

impl HttpServer {
    /// Speaks HTTP over a stream; the second part is ready when the server has closed it.
    pub(super) async fn new<S>(
        stream: S,
        first_byte: Duration,
    ) -> Result<(HttpServer, oneshot::Receiver<()>), Failure>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let handshake = http1::Builder::new()
            .preserve_header_case(true)
            .max_buf_size(MAX_HEAD)
            .max_headers(MAX_FIELDS)
            .handshake(TokioIo::new(HeardOut::new(stream)));
        let (sender, connection) = handshake.await.map_err(broken)?;
        let (tell, closed) = oneshot::channel();
        let carrier = tokio::spawn(async move {
            // What went wrong is told with the reply.
            let _ = connection.with_upgrades().await;
            let _ = tell.send(());
        });
        let server = HttpServer {
            sender: Arc::new(Mutex::new(sender)),
            first_byte,
            carrier: carrier.abort_handle(),
        };
        Ok((server, closed))
    }
}

impl Upstream for HttpServer {
    fn send(&self, request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>> {
        let (sender, first_byte) = (self.sender.clone(), self.first_byte);
        Box::pin(async move {
            let mut sender = sender.lock().await;
            sender.ready().await.map_err(broken)?;
            let (tell, sent) = oneshot::channel::<()>();
            // It is dropped with the body.
            let keep = move |_: &_| _ = &tell;
            let mut request = request.map(|body| body.inspect_frame(keep).boxed_unsync());
            let interim = Arc::<Interim>::default();
            let seen = interim.clone();
            ext::on_informational(&mut request, move |_| seen.count());
            let reply = sender.send_request(request);
            // The time runs when the request has gone: an upload may take long.
            let late = async move {
                let _ = sent.await;
                tokio::time::sleep(first_byte).await;
            };
            tokio::select! {
                () = interim.too_many.notified() => Err(Interim::failure()),
                reply = reply => {
                    let mut reply = reply.map_err(broken)?;
                    if interim.is_over() {
                        return Err(Interim::failure());
                    }
                    frame_in_one_way(reply.headers_mut())?;
                    Ok(reply.map(|body| body.map_err(BodyError::from).boxed_unsync()))
                }
                () = late => Err(Failure::TimedOut(first_byte)),
            }
        })
    }
}

/// The heads of status 1xx that came before a reply.
#[derive(Default)]
struct Interim {
    heads: AtomicUsize,
    too_many: Notify,
}

impl Interim {
    fn count(&self) {
        self.heads.fetch_add(1, SeqCst);
        if self.is_over() {
            self.too_many.notify_one();
        }
    }

    fn is_over(&self) -> bool {
        self.heads.load(SeqCst) > MAX_INTERIM
    }

    fn failure() -> Failure {
        let why = format!("the server sent more than {MAX_INTERIM} heads of status 1xx");
        Failure::Broken(why)
    }
}

/// Leaves a reply one end of its body: of a length beside chunks only the chunks count, as hyper
/// reads them, and the guest must not see the other.
///
/// Fails when the body has a coding that is of this connection only.
fn frame_in_one_way(headers: &mut HeaderMap) -> Result<(), Failure> {
    if has_other_coding(headers) {
        let why = "the reply has a transfer coding that was not asked for";
        return Err(Failure::Broken(why.to_owned()));
    }
    if headers.contains_key(header::TRANSFER_ENCODING) {
        headers.remove(header::CONTENT_LENGTH);
    }
    Ok(())
}

/// The reply of a server that says `head` to a request, whatever that is.
pub(crate) async fn spoken(
    head: Vec<u8>,
    request: Request<Body>,
    first_byte: Duration,
) -> Result<Response<ReplyBody>, Failure> {
    let (near, mut far) = tokio::io::duplex(MAX_HEAD);
    let speak = async move {
        // It has to be asked first.
        let mut asked = Vec::new();
        while !asked.ends_with(b"\r\n\r\n") && far.read_buf(&mut asked).await? != 0 {}
        far.write_all(&head).await?;
        std::io::Result::Ok(far)
    };
    let (server, _closed) = HttpServer::new(near, first_byte).await?;
    let (reply, _far) = tokio::join!(server.send(request), speak);
    reply
}

fn broken(error: hyper::Error) -> Failure {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    Failure::Broken(text)
}
