//! A cassette that was read, with everything checked: it may come from elsewhere.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codepod_abi::Errno;
use hyper::ext::ReasonPhrase;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

use super::line::{self, Failed, Line, LookupFailure, Part};
use super::{BODIES, CassetteError, CassetteSpec, LINES};
use crate::cptls::{self, MAX_RECORD};
use crate::hash;
use crate::http::Content;
use crate::secrets::MAX_SECRETS;

/// How long a name is, and a placeholder at most.
const MAX_NAME: usize = 255;
const MAX_PLACEHOLDER: usize = 16 * 1024;

/// What was recorded.
pub(super) struct Recorded {
    directory: PathBuf,
    pub(super) placeholders: HashMap<String, Arc<str>>,
    pub(super) lookups: HashMap<String, LookupFailure>,
    /// What came of connecting, in order.
    pub(super) connections: HashMap<Place, Vec<Opened>>,
    /// What came of TLS, in order.
    pub(super) handshakes: HashMap<(Place, blake3::Hash), Vec<Shaken>>,
    /// In the order in which they began.
    pub(super) exchanges: Vec<Exchange>,
    /// The exchanges after which the server closed the connection.
    pub(super) closed: HashSet<u64>,
}

/// A host and a port.
pub(super) type Place = (String, u16);

/// What came of connecting: nothing to tell, or the error and why.
pub(super) type Opened = Result<(), (Errno, String)>;

/// What the gateway said of a handshake.
#[derive(Debug, Clone)]
pub(super) struct Shaken {
    pub(super) is_reply: bool,
    pub(super) payload: Content,
}

/// A request and what came of it.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) n: u64,
    pub(super) method: String,
    pub(super) url: String,
    pub(super) sent: Option<Content>,
    pub(super) outcome: Outcome,
}

#[derive(Debug)]
pub(super) enum Outcome {
    Reply(Reply),
    Broken(String),
    TimedOut(Duration),
    Wrong(String),
    Absent(String),
    Unanswered,
}

#[derive(Debug)]
pub(super) struct Reply {
    /// The head, as a server would send it.
    pub(super) head: Vec<u8>,
    pub(super) body: Content,
    pub(super) streamed: bool,
    /// What the head says of the length.
    pub(super) length: Option<u64>,
    pub(super) broken: Option<String>,
}

impl Recorded {
    /// Reads a cassette. Everything that it names is there, and is what it says.
    pub(super) fn read(spec: &CassetteSpec) -> Result<Recorded, CassetteError> {
        let file = spec.directory.join(LINES);
        let path = |error| CassetteError::Path {
            path: file.clone(),
            error,
        };
        let mut reader = Reader::new(spec);
        if !fs::symlink_metadata(&file).map_err(path)?.is_file() {
            return Err(path(io::Error::other("it is no file")));
        }
        let mut lines = BufReader::new(File::open(&file).map_err(path)?);
        let most = line::most_lines(spec.exchanges);
        for line in 1.. {
            let mut text = Vec::new();
            let mut limited = (&mut lines).take(line::MAX_LINE + 1);
            limited.read_until(b'\n', &mut text).map_err(path)?;
            if text.is_empty() {
                break;
            }
            let read = match line as u64 > most {
                true => Err(format!("there are more than {most} lines")),
                false => reader.line(&text, line == 1),
            };
            read.map_err(|why| CassetteError::Line {
                file: file.clone(),
                line,
                why,
            })?;
        }
        if !reader.begun {
            return Err(CassetteError::Line {
                file,
                line: 1,
                why: "there is no line".into(),
            });
        }
        Ok(reader.end())
    }

    pub(super) fn body(&self, content: &Content) -> PathBuf {
        body_at(&self.directory, content)
    }
}

fn body_at(directory: &Path, content: &Content) -> PathBuf {
    // The name is made from the hash, and not taken from a line.
    directory.join(BODIES).join(&*content.hash.to_hex())
}

/// A cassette that is being read.
struct Reader<'a> {
    spec: &'a CassetteSpec,
    recorded: Recorded,
    connections: HashMap<Place, Vec<(u64, Opened)>>,
    handshakes: HashMap<(Place, blake3::Hash), Vec<(u64, Shaken)>>,
    /// The numbers that were used.
    numbers: HashSet<u64>,
    /// The bodies that were looked at, with their lengths.
    bodies: HashMap<blake3::Hash, u64>,
    /// Bytes of lines and bodies.
    bytes: u64,
    begun: bool,
}

impl Reader<'_> {
    fn new(spec: &CassetteSpec) -> Reader<'_> {
        Reader {
            spec,
            recorded: Recorded {
                directory: spec.directory.clone(),
                placeholders: HashMap::new(),
                lookups: HashMap::new(),
                connections: HashMap::new(),
                handshakes: HashMap::new(),
                exchanges: Vec::new(),
                closed: HashSet::new(),
            },
            connections: HashMap::new(),
            handshakes: HashMap::new(),
            numbers: HashSet::new(),
            bodies: HashMap::new(),
            bytes: 0,
            begun: false,
        }
    }

    /// Puts in order what came as it ended.
    fn end(self) -> Recorded {
        let mut recorded = self.recorded;
        recorded.exchanges.sort_by_key(|exchange| exchange.n);
        let connections = self.connections.into_iter();
        recorded.connections = connections.map(|(key, list)| (key, sorted(list))).collect();
        let handshakes = self.handshakes.into_iter();
        recorded.handshakes = handshakes.map(|(key, list)| (key, sorted(list))).collect();
        recorded
    }

    fn line(&mut self, text: &[u8], is_first: bool) -> Result<(), String> {
        self.draw(text.len() as u64)?;
        let text = text
            .strip_suffix(b"\n")
            .ok_or(match text.len() as u64 > line::MAX_LINE {
                true => "it is too long",
                false => "it is torn: the recording ended in the middle of it",
            })?;
        let line: Line = serde_json::from_slice(text).map_err(|error| {
            // The library counts lines of its own, which would only mislead.
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default();
            format!("{}, at column {}", short(why), error.column())
        })?;
        match (is_first, line) {
            (true, Line::Cassette(own)) if own.version == line::VERSION => self.begun = true,
            (true, Line::Cassette(own)) => {
                return Err(format!(
                    "it is of version {}, and this codepod reads version {}",
                    own.version,
                    line::VERSION
                ));
            }
            (true, _) => return Err("the first line is `{\"cassette\":{\"version\":1}}`".into()),
            (false, Line::Cassette(_)) => return Err("the cassette begins a second time".into()),
            (false, Line::Secret(secret)) => self.secret(secret)?,
            (false, Line::Lookup(lookup)) => {
                let host = host(lookup.host)?;
                self.recorded.lookups.insert(host, lookup.failed);
            }
            (false, Line::Connection(connection)) => self.connection(connection)?,
            (false, Line::Handshake(handshake)) => self.handshake(handshake)?,
            (false, Line::Exchange(exchange)) => self.exchange(*exchange)?,
            (false, Line::Closed(closed)) => {
                self.recorded.closed.insert(closed.after);
            }
            (false, Line::Ended(ended)) => {
                return Err(format!(
                    "the recording is not whole, because {}; record again",
                    short(&ended.why)
                ));
            }
        }
        Ok(())
    }

    fn secret(&mut self, secret: line::Secret) -> Result<(), String> {
        let line::Secret { name, placeholder } = secret;
        let fits = (1..=MAX_PLACEHOLDER).contains(&placeholder.len())
            && placeholder.bytes().all(|byte| byte.is_ascii_graphic());
        if name.len() > MAX_NAME || !fits {
            return Err("that is no placeholder of a secret".into());
        }
        // A network may be given others later, and the last has been used the longest.
        self.recorded.placeholders.insert(name, placeholder.into());
        if self.recorded.placeholders.len() > 4 * MAX_SECRETS {
            return Err("there are too many secrets".into());
        }
        Ok(())
    }

    fn connection(&mut self, connection: line::Connection) -> Result<(), String> {
        self.number(connection.n)?;
        let outcome = match connection.failed {
            None => Ok(()),
            Some(failed) => {
                let errno = failed.errno();
                let errno = errno.ok_or_else(|| {
                    format!("`{}` is no error of connecting", short(&failed.errno))
                })?;
                Err((errno, short(&failed.why)))
            }
        };
        let place = (host(connection.host)?, connection.port);
        let list = self.connections.entry(place).or_default();
        list.push((connection.n, outcome));
        Ok(())
    }

    fn handshake(&mut self, handshake: line::Handshake) -> Result<(), String> {
        self.number(handshake.n)?;
        let asked = blake3::Hash::from_hex(&handshake.asked);
        let asked = asked.map_err(|_| "`asked` is no hash".to_owned())?;
        let (is_reply, part) = match (handshake.reply, handshake.failed) {
            (Some(reply), None) => (true, reply),
            (None, Some(failed)) => (false, failed),
            _ => return Err("a handshake has either a reply or a failure".into()),
        };
        let payload = self.body(&part)?;
        if payload.bytes > MAX_RECORD as u64 {
            return Err("what was said of the handshake is too long".into());
        }
        let bytes = fs::read(self.recorded.body(&payload)).map_err(|error| error.to_string())?;
        let mut rest = &bytes[..];
        while let Some((_, _, more)) = cptls::field(rest).map_err(|why| why.to_string())? {
            rest = more;
        }
        let place = (host(handshake.host)?, handshake.port);
        let list = self.handshakes.entry((place, asked)).or_default();
        list.push((handshake.n, Shaken { is_reply, payload }));
        Ok(())
    }

    fn exchange(&mut self, exchange: line::Exchange) -> Result<(), String> {
        self.number(exchange.n)?;
        if self.recorded.exchanges.len() as u64 >= self.spec.exchanges {
            return Err(format!(
                "there are more than {} exchanges",
                self.spec.exchanges
            ));
        }
        if Method::from_bytes(exchange.method.as_bytes()).is_err() {
            return Err("`method` is none of HTTP".into());
        }
        if !["http://", "https://"]
            .iter()
            .any(|scheme| exchange.url.starts_with(scheme))
        {
            return Err("`url` begins with neither http:// nor https://".into());
        }
        let sent = match &exchange.sent {
            None => None,
            Some(part) => Some(part.content().ok_or("`sent` has no hash")?),
        };
        let outcome = match (exchange.reply, exchange.failed) {
            (Some(reply), None) => Outcome::Reply(self.reply(reply)?),
            (None, Some(Failed::Broken(why))) => Outcome::Broken(short(&why)),
            (None, Some(Failed::TimedOut(limit))) => {
                Outcome::TimedOut(Duration::from_millis(limit))
            }
            (None, Some(Failed::Wrong(why))) => Outcome::Wrong(short(&why)),
            (None, Some(Failed::Absent(why))) => Outcome::Absent(short(&why)),
            (None, Some(Failed::Unanswered)) => Outcome::Unanswered,
            _ => return Err("an exchange has either a reply or a failure".into()),
        };
        self.recorded.exchanges.push(Exchange {
            n: exchange.n,
            method: exchange.method,
            url: exchange.url,
            sent,
            outcome,
        });
        Ok(())
    }

    fn reply(&mut self, reply: line::Reply) -> Result<Reply, String> {
        if !matches!(&*reply.http, "1.0" | "1.1") {
            return Err("`http` is neither 1.0 nor 1.1".into());
        }
        let status = StatusCode::from_u16(reply.status).ok();
        let status = status.filter(|status| !status.is_informational());
        let status = status.ok_or("`status` is none of a reply")?;
        let usual = status.canonical_reason().unwrap_or_default();
        let reason = match &reply.reason {
            None => usual.as_bytes().to_vec(),
            Some(text) => line::bytes(text)
                .filter(|bytes| ReasonPhrase::try_from(&bytes[..]).is_ok())
                .ok_or("`reason` cannot be sent")?,
        };
        let first = format!("HTTP/{} {} ", reply.http, status.as_str());
        let mut head = [first.as_bytes(), &reason, b"\r\n"].concat();
        let mut length = None;
        for (index, (name, value)) in reply.fields.iter().enumerate() {
            let wrong = || format!("field {} of the reply cannot be sent", index + 1);
            let own = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
            let value = line::bytes(value).ok_or_else(wrong)?;
            HeaderValue::from_bytes(&value).map_err(|_| wrong())?;
            if own == hyper::header::CONTENT_LENGTH {
                // Just digits: what is read of it here is read of it everywhere.
                let digits = value.iter().all(u8::is_ascii_digit);
                let said = std::str::from_utf8(&value).ok().filter(|_| digits);
                let said = said.and_then(|text| text.parse().ok());
                let said = said.filter(|said| length.is_none_or(|other| other == *said));
                length = Some(said.ok_or_else(wrong)?);
            }
            head.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
        }
        head.extend_from_slice(b"\r\n");
        let body = self.body(&reply.body)?;
        let fits = match (length, &reply.broken) {
            // That of what was not sent: a reply to HEAD, or that nothing was modified.
            _ if body.bytes == 0 => true,
            (None, _) => true,
            (Some(length), None) => body.bytes == length,
            (Some(length), Some(_)) => body.bytes <= length,
        };
        if !fits {
            return Err("the length in the head is not that of the body".into());
        }
        Ok(Reply {
            head,
            body,
            streamed: reply.streamed,
            length,
            broken: reply.broken.as_deref().map(short),
        })
    }

    /// Each thing that happened has a number of its own.
    fn number(&mut self, n: u64) -> Result<(), String> {
        match self.numbers.insert(n) {
            true => Ok(()),
            false => Err(format!("number {n} is there already")),
        }
    }

    /// The content of a part, whose file is there and has it.
    fn body(&mut self, part: &Part) -> Result<Content, String> {
        let content = part.content().ok_or("`blake3` is no hash of a body")?;
        let known = match self.bodies.entry(content.hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(_) if content.bytes == 0 => match content.hash == blake3::hash(b"") {
                true => 0,
                false => return Err("the body has no bytes, and a hash of some".into()),
            },
            Entry::Vacant(place) => {
                let path = body_at(&self.recorded.directory, &content);
                let length = checked(&path, &content)
                    .map_err(|why| format!("{BODIES}/{}: {why}", content.hash.to_hex()))?;
                self.bytes = self.bytes.saturating_add(length);
                *place.insert(length)
            }
        };
        if known != content.bytes {
            return Err(format!(
                "{BODIES}/{}: it has {known} bytes, and {} were recorded",
                content.hash.to_hex(),
                content.bytes
            ));
        }
        self.draw(0)?;
        Ok(content)
    }

    /// Counts bytes, which have to be within the limit.
    fn draw(&mut self, bytes: u64) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > self.spec.bytes {
            true => Err(format!(
                "the cassette has more than {} bytes",
                self.spec.bytes
            )),
            false => Ok(()),
        }
    }
}

/// The length of a body's file, which has to be what was recorded.
fn checked(path: &Path, content: &Content) -> Result<u64, String> {
    let data = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if !data.is_file() {
        return Err("it is no file".into());
    }
    if data.len() != content.bytes {
        // Told by whoever compares.
        return Ok(data.len());
    }
    let hash = File::open(path).and_then(|mut file| hash::of_file(&mut file));
    match hash.map_err(|error| error.to_string())? == content.hash {
        true => Ok(data.len()),
        false => Err("it is not what was recorded: its hash is another one".into()),
    }
}

fn sorted<T>(mut list: Vec<(u64, T)>) -> Vec<T> {
    list.sort_by_key(|(n, _)| *n);
    list.into_iter().map(|(_, item)| item).collect()
}

fn host(name: String) -> Result<String, String> {
    match (1..=MAX_NAME).contains(&name.len()) {
        true => Ok(name),
        false => Err("`host` is none".into()),
    }
}

/// Words of a cassette, for a message: bounded, and nothing that a terminal would act on.
fn short(text: &str) -> String {
    crate::policy::printable(text)
}
