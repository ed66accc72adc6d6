//! A recording in place of every server.

use std::collections::HashMap;
use std::fs::File;
use std::future::Future;
use std::hash::Hash;
use std::io::{self, Read as _};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use codepod_abi::Errno;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::{Method, Request, Response, Uri};
use tokio::sync::Notify;

use super::line::LookupFailure;
use super::recorded::{Exchange, Outcome, Place, Recorded, Reply};
use super::recording::asked_for;
use crate::cptls::Hello;
use crate::http::{Asked, Body, BodyError, Came, Content, Failure, ReplyBody, Upstream};
use crate::net::spoken;
use crate::network::BoxFuture;
use crate::policy::host::Host;
use crate::policy::printable;

/// How much of a body is read at a time.
const PIECE: usize = 64 * 1024;
/// How long a body that breaks off waits with that: what has come of it is on its way to the guest,
/// and is dropped when the body fails.
const BEFORE_BREAK: Duration = Duration::from_millis(20);

/// A recording that is replayed, and how far it is.
pub(crate) struct Replay {
    recorded: Arc<Recorded>,
    requests: Arc<HashMap<Line, Bodies>>,
    taken: Mutex<Taken>,
}

/// The method and the URL of a request.
type Line = (String, String);

/// The exchanges of a request by its body, in order. Without a body, the reply came before the end
/// of it.
type Bodies = HashMap<Option<Content>, Vec<usize>>;

#[derive(Default)]
struct Taken {
    requests: HashMap<(Line, Option<Content>), usize>,
    connections: HashMap<Place, usize>,
    handshakes: HashMap<(Place, blake3::Hash), usize>,
}

/// What comes of connecting to a place.
pub(crate) enum Connected {
    /// There is a server.
    Yes,
    /// There was none.
    Refused(Errno, String),
    /// The recording knows nothing of it.
    Unknown,
}

/// What the gateway says of a handshake.
pub(crate) struct Shaken {
    pub(crate) is_reply: bool,
    pub(crate) payload: Vec<u8>,
}

impl Replay {
    pub(super) fn new(recorded: Arc<Recorded>) -> Replay {
        let mut requests = HashMap::<Line, Bodies>::new();
        for (index, exchange) in recorded.exchanges.iter().enumerate() {
            let line = (exchange.method.clone(), exchange.url.clone());
            let bodies = requests.entry(line).or_default();
            bodies.entry(exchange.sent).or_default().push(index);
        }
        Replay {
            recorded,
            requests: Arc::new(requests),
            taken: Mutex::default(),
        }
    }

    /// The same recording, of which nothing was replayed yet.
    pub(super) fn anew(&self) -> Replay {
        Replay {
            recorded: self.recorded.clone(),
            requests: self.requests.clone(),
            taken: Mutex::default(),
        }
    }

    /// What stood for a secret.
    pub(super) fn placeholder(&self, name: &str) -> Option<Arc<str>> {
        self.recorded.placeholders.get(name).cloned()
    }

    /// Whether there is a host of this name. One that the recording does not know counts as one
    /// that exists: connecting tells that it is denied.
    pub(crate) fn look_up(&self, host: &Host) -> Result<(), Errno> {
        let name = host.to_string();
        let mut known = self.recorded.connections.keys();
        if known.any(|(host, _)| *host == name) {
            return Ok(());
        }
        match self.recorded.lookups.get(&name) {
            None => Ok(()),
            Some(LookupFailure::NotFound) => Err(Errno::NoEnt),
            Some(LookupFailure::Unknown) => Err(Errno::Again),
        }
    }

    /// What comes of connecting: what came of it the first time, the second time and so on. How
    /// many connections clients make may depend on the time, so the last counts for all further.
    pub(crate) fn connect(&self, host: &Host, port: u16) -> Connected {
        let place = (host.to_string(), port);
        let Some(list) = self.recorded.connections.get(&place) else {
            return Connected::Unknown;
        };
        let turn = turn(&mut self.lock().connections, place);
        match list.get(turn).or(list.last()) {
            Some(Err((errno, why))) => Connected::Refused(*errno, why.clone()),
            Some(Ok(())) => Connected::Yes,
            None => Connected::Unknown,
        }
    }

    /// What comes of TLS, as [`Replay::connect`] has it.
    ///
    /// Fails when the recording has no handshake in which the same was asked for, and when its file
    /// has gone.
    pub(crate) fn shake(&self, host: &Host, port: u16, hello: &Hello) -> Result<Shaken, String> {
        let place = (host.to_string(), port);
        let key = (place, asked_for(hello));
        let Some(list) = self.recorded.handshakes.get(&key) else {
            let (place, _) = &key;
            let mut others = self.recorded.handshakes.keys();
            return Err(match others.any(|(other, _)| other == place) {
                true => "the recording has no handshake of TLS in which the client asked for the \
                         same versions, protocols and authorities"
                    .into(),
                false => "the recording has no TLS with it".into(),
            });
        };
        let turn = turn(&mut self.lock().handshakes, key);
        let shaken = list.get(turn).or(list.last());
        let shaken = shaken.ok_or("the recording has no TLS with it")?;
        let bytes = std::fs::read(self.recorded.body(&shaken.payload));
        let bytes = bytes.map_err(|error| format!("the recording: {error}"))?;
        match blake3::hash(&bytes) == shaken.payload.hash {
            true => Ok(Shaken {
                is_reply: shaken.is_reply,
                payload: bytes,
            }),
            false => Err("the recording was changed while it was replayed".into()),
        }
    }

    /// Whether the body of a request says what comes of it.
    fn asks_for_body(&self, asked: &Asked) -> bool {
        let bodies = self.requests.get(&line(asked));
        bodies.is_none_or(|bodies| bodies.keys().any(Option::is_some))
    }

    /// The exchange of a request: of equal ones each is replayed once, in their order.
    ///
    /// Fails with what differs when there is none.
    fn take(&self, asked: &Asked) -> Result<usize, String> {
        let line = line(asked);
        let bodies = self.requests.get(&line);
        let mut taken = self.lock();
        let mut known = 0;
        for sent in asked.sent().map(Some).into_iter().chain([None]) {
            let Some(list) = bodies.and_then(|bodies| bodies.get(&sent)) else {
                continue;
            };
            known += list.len();
            let next = taken.requests.entry((line.clone(), sent)).or_default();
            if let Some(index) = list.get(*next) {
                *next += 1;
                return Ok(*index);
            }
        }
        drop(taken);
        Err(self.difference(asked, known))
    }

    /// How a request differs from those there are. It is told to the guest and in events, which
    /// have no values of queries.
    fn difference(&self, asked: &Asked, known: usize) -> String {
        let url = Parts::of(&asked.url);
        let what = format!(
            "the recording has no {} {}",
            printable(&asked.method),
            url.cut()
        );
        let all = || self.recorded.exchanges.iter();
        if known != 0 {
            let times = match known {
                1 => "once".into(),
                times => format!("{times} times"),
            };
            return format!("{what} any more: it has it {times}, and that was replayed");
        }
        let same_url = || all().filter(|exchange| exchange.url == asked.url);
        let bodies = same_url().filter(|exchange| exchange.method == asked.method);
        let lengths = bodies.filter_map(|exchange| Some(exchange.sent?.bytes));
        if let (Some(length), Some(own)) = (lengths.min(), asked.sent()) {
            return match own.bytes == length {
                true => format!(
                    "{what} with this body: it has one with another body of {length} bytes as well"
                ),
                false => format!(
                    "{what} with this body of {} bytes: it has one with a body of {length} bytes",
                    own.bytes
                ),
            };
        }
        if let Some(other) = same_url().next() {
            return format!(
                "{what}: it has this URL with the method {}",
                printable(&other.method)
            );
        }
        let same_path = |exchange: &&Exchange| Parts::of(&exchange.url).path == url.path;
        let mut paths = all().filter(same_path);
        let nearest = paths
            .clone()
            .find(|exchange| exchange.method == asked.method)
            .or_else(|| paths.next());
        if let Some(other) = nearest {
            let names = url.differing(&Parts::of(&other.url));
            return format!("{what}: it has this path, and the query differs in {names}");
        }
        let mut hosts = all().filter(|exchange| Parts::of(&exchange.url).origin() == url.origin());
        match hosts.next() {
            Some(other) => format!(
                "{what}: of this host it has for example {} {}",
                printable(&other.method),
                Parts::of(&other.url).cut()
            ),
            None => format!("{what}, nor anything else of this host"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(asked: &Asked) -> Line {
    (asked.method.clone(), asked.url.clone())
}

/// Whose turn it is, counted from 0.
fn turn<K: Eq + Hash>(turns: &mut HashMap<K, usize>, key: K) -> usize {
    let next = turns.entry(key).or_default();
    *next += 1;
    *next - 1
}

/// A URL for comparing and for telling.
#[derive(PartialEq, Eq)]
struct Parts<'a> {
    /// Scheme, host, port and path.
    path: &'a str,
    query: Vec<(&'a str, &'a str)>,
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Parts<'a> {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let query = pairs
            .map(|pair| pair.split_once('=').unwrap_or(("", pair)))
            .collect();
        Parts { path, query }
    }

    /// Scheme, host and port.
    fn origin(&self) -> &'a str {
        let mut slashes = self.path.match_indices('/').map(|(at, _)| at);
        &self.path[..slashes.nth(2).unwrap_or(self.path.len())]
    }

    /// The URL without the values of its query.
    fn cut(&self) -> String {
        let mut text = printable(self.path);
        for (index, (name, _)) in self.query.iter().take(20).enumerate() {
            text.push(if index == 0 { '?' } else { '&' });
            if !name.is_empty() {
                text.push_str(&printable(name));
                text.push('=');
            }
            text.push('…');
        }
        text
    }

    /// The names in whose values two queries differ.
    fn differing(&self, other: &Parts<'_>) -> String {
        let values = |parts: &Parts<'_>, name: &str| -> Vec<String> {
            let pairs = parts.query.iter().filter(|(own, _)| *own == name);
            pairs.map(|(_, value)| (*value).to_owned()).collect()
        };
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.query.iter().chain(&other.query).take(100) {
            if !names.contains(name) && values(self, name) != values(other, name) {
                names.push(name);
            }
        }
        let named: Vec<String> = names
            .iter()
            .take(10)
            .map(|name| match *name {
                "" => "what has no name".to_owned(),
                name => format!("`{}`", printable(name)),
            })
            .collect();
        match named.is_empty() {
            true => "the order".to_owned(),
            false => named.join(", "),
        }
    }
}

/// A connection to a server that is replayed.
pub(crate) struct Replayed {
    replay: Arc<Replay>,
    /// Told when the server would close the connection.
    closed: Arc<Notify>,
    first_byte: Duration,
}

impl Replayed {
    /// A connection; the second part is ready when the server would have closed it.
    pub(crate) fn new(
        replay: Arc<Replay>,
        first_byte: Duration,
    ) -> (Replayed, impl Future<Output = ()> + Send) {
        let closed = Arc::new(Notify::new());
        let told = closed.clone();
        let replayed = Replayed {
            replay,
            closed,
            first_byte,
        };
        (replayed, async move { told.notified().await })
    }
}

impl Upstream for Replayed {
    fn send(&self, request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>> {
        let (replay, closed, first_byte) =
            (self.replay.clone(), self.closed.clone(), self.first_byte);
        Box::pin(async move {
            let (parts, mut body) = request.into_parts();
            let Some(asked) = parts.extensions.get::<Arc<Asked>>() else {
                return Err(Failure::Unrecorded(
                    "the request is not to be replayed".into(),
                ));
            };
            if replay.asks_for_body(asked) {
                while let Some(frame) = body.frame().await {
                    frame.map_err(|error| Failure::Broken(error.to_string()))?;
                }
            }
            let index = replay.take(asked).map_err(Failure::Unrecorded)?;
            let exchange = &replay.recorded.exchanges[index];
            let reply = match &exchange.outcome {
                Outcome::Reply(reply) => reply,
                Outcome::Broken(why) => return Err(Failure::Broken(why.clone())),
                Outcome::Wrong(why) => return Err(Failure::Wrong(why.clone())),
                Outcome::Absent(why) => return Err(Failure::Absent(why.clone())),
                // A guest that did not wait so long gives up as it did then.
                Outcome::TimedOut(limit) => {
                    tokio::time::sleep(first_byte.min(*limit)).await;
                    return Err(Failure::TimedOut(*limit));
                }
                Outcome::Unanswered => {
                    tokio::time::sleep(first_byte).await;
                    return Err(Failure::TimedOut(first_byte));
                }
            };
            let head = head(reply, first_byte).await?;
            let closes = replay.recorded.closed.contains(&exchange.n);
            let guard = closes.then(|| Closing(closed));
            let file = open(&replay.recorded, reply);
            let file = file.map_err(|error| Failure::Broken(format!("the recording: {error}")))?;
            let body = Replaying::new(file, reply, guard);
            let (mut parts, ()) = head.into_parts();
            parts.extensions.insert(Came("replayed"));
            Ok(Response::from_parts(parts, body.boxed_unsync()))
        })
    }
}

/// The head of a reply, read by hyper as that of a server: with the spelling of its fields.
async fn head(reply: &Reply, first_byte: Duration) -> Result<Response<()>, Failure> {
    // The body comes by another way, as if this were the reply to HEAD.
    let mut request = Request::new(Empty::new().map_err(|never| match never {}).boxed_unsync());
    *request.method_mut() = Method::HEAD;
    *request.uri_mut() = Uri::from_static("/");
    let reply = spoken(reply.head.clone(), request, first_byte).await?;
    Ok(reply.map(|_| ()))
}

fn open(recorded: &Recorded, reply: &Reply) -> io::Result<Option<File>> {
    if reply.body.bytes == 0 {
        return Ok(None);
    }
    let file = File::open(recorded.body(&reply.body))?;
    match file.metadata()?.len() == reply.body.bytes {
        true => Ok(Some(file)),
        false => Err(io::Error::other("a body was changed while it was replayed")),
    }
}

/// Tells that the connection is closed when it is dropped.
struct Closing(Arc<Notify>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// The body of a recorded reply.
struct Replaying {
    file: Option<File>,
    /// The hash of what was read; compared at the end.
    hash: Box<blake3::Hasher>,
    expected: blake3::Hash,
    /// What is left in the file.
    left: u64,
    /// What is left of what the head says.
    length: Option<u64>,
    streamed: bool,
    broken: Option<String>,
    breaking: Option<BoxFuture<()>>,
    ended: bool,
    _closing: Option<Closing>,
}

impl Replaying {
    fn new(file: Option<File>, reply: &Reply, closing: Option<Closing>) -> Replaying {
        Replaying {
            file,
            hash: Box::default(),
            expected: reply.body.hash,
            left: reply.body.bytes,
            length: match reply.broken {
                Some(_) => reply.length,
                None => Some(reply.body.bytes),
            },
            streamed: reply.streamed,
            broken: reply.broken.clone(),
            breaking: None,
            ended: false,
            _closing: closing,
        }
    }

    /// The next piece; none at the end.
    fn piece(&mut self) -> Result<Bytes, BodyError> {
        let Some(file) = &mut self.file else {
            return Ok(Bytes::new());
        };
        let mut piece = vec![0; PIECE.min(usize::try_from(self.left).unwrap_or(PIECE))];
        let read = file.read(&mut piece)?;
        piece.truncate(read);
        self.hash.update(&piece);
        self.left -= read as u64;
        self.length = self.length.map(|length| length.saturating_sub(read as u64));
        let is_last = self.left == 0 && read != 0;
        if read == 0 && self.left != 0 || is_last && self.hash.finalize() != self.expected {
            return Err("a body of the recording was changed while it was replayed".into());
        }
        if self.left == 0 {
            self.file = None;
        }
        Ok(piece.into())
    }
}

impl HttpBody for Replaying {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        if this.ended {
            return Poll::Ready(None);
        }
        if this.file.is_none() && this.broken.is_some() {
            let breaking = this
                .breaking
                .get_or_insert_with(|| Box::pin(tokio::time::sleep(BEFORE_BREAK)));
            ready!(breaking.as_mut().poll(cx));
        }
        Poll::Ready(match this.piece() {
            Ok(piece) if !piece.is_empty() => Some(Ok(Frame::data(piece))),
            Ok(_) => {
                this.ended = true;
                this.broken.take().map(|why| Err(why.into()))
            }
            Err(error) => {
                this.ended = true;
                Some(Err(error))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        let nothing = self.left == 0 && self.broken.is_none();
        self.ended && self.broken.is_none() || nothing && !self.streamed
    }

    fn size_hint(&self) -> SizeHint {
        match self.length {
            Some(length) if !self.streamed => SizeHint::with_exact(length),
            _ => SizeHint::default(),
        }
    }
}
