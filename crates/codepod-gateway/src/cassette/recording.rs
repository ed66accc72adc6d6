//! A cassette that is being made.
//!
//! Its files are written where the exchanges run, in pieces as they come: that is what makes a
//! recording slower than what it records, and keeps it in step with it.

use std::collections::HashSet;
use std::ffi::OsStr;
#[cfg(unix)]
use std::fs::TryLockError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(unix)]
use std::time::{Duration, Instant};

use hyper::Version;

use super::line::{
    self, Closed, ConnectFailure, Connection, Ended, Exchange, Failed, Handshake, Line, Lookup,
    LookupFailure, Part, Reply, Secret,
};
use super::{BODIES, CassetteError, CassetteSpec, LINES};
use crate::cptls::Hello;
use crate::hash;
use crate::http::{Asked, Content, End, Failure, ReplyHead, Take, Tape};
use crate::net::Refusal;
use crate::own_directory;
use crate::policy::host::Host;
use crate::policy::printable;
use crate::secrets::{Secrets, Stream};

/// How long another recording into the same directory may take to end.
#[cfg(unix)]
const ENDING: Duration = Duration::from_secs(1);

/// What the name of a body begins with that is still coming.
const COMING: &str = "new-";

/// A recording that is made.
pub(crate) struct Recording {
    directory: PathBuf,
    /// How large it may be.
    bytes: u64,
    /// How many exchanges it may have.
    exchanges: u64,
    /// Counts what begins.
    next: AtomicU64,
    state: Mutex<State>,
    /// The directory, which is locked until this is dropped.
    #[cfg(unix)]
    _locked: File,
}

struct State {
    lines: File,
    bytes: u64,
    exchanges: u64,
    written: u64,
    /// Why it is not whole.
    ended: Option<String>,
    /// The secrets and failed lookups that it has.
    secrets: HashSet<(Box<str>, Box<str>)>,
    lookups: HashSet<(String, LookupFailure)>,
}

impl Recording {
    /// Begins a recording. One that is there goes.
    pub(super) fn begin(spec: &CassetteSpec) -> Result<Recording, CassetteError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| CassetteError::Path { path, error }
        };
        let directory = &spec.directory;
        let (lines, bodies) = (directory.join(LINES), directory.join(BODIES));
        own_directory::make(directory).map_err(at(directory))?;
        #[cfg(unix)]
        let locked = lock(directory)?;
        if let Some(found) = stranger(directory).map_err(at(directory))? {
            return Err(CassetteError::NoCassette {
                directory: directory.clone(),
                found,
            });
        }
        // Without its lines a recording is none: they go first, should this end in between.
        for gone in [fs::remove_file(&lines), fs::remove_dir_all(&bodies)] {
            match gone {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(at(directory)(error));
                }
                _ => {}
            }
        }
        own_directory::make(&bodies).map_err(at(&bodies))?;
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        let recording = Recording {
            directory: directory.clone(),
            bytes: spec.bytes,
            exchanges: spec.exchanges,
            next: AtomicU64::new(1),
            state: Mutex::new(State {
                lines: options.open(&lines).map_err(at(&lines))?,
                bytes: 0,
                exchanges: 0,
                written: 0,
                ended: None,
                secrets: HashSet::new(),
                lookups: HashSet::new(),
            }),
            #[cfg(unix)]
            _locked: locked,
        };
        let version = line::VERSION;
        let first = Line::Cassette(line::Version { version });
        recording
            .write(&first, None)
            .map_err(|why| at(&lines)(io::Error::other(why)))?;
        Ok(recording)
    }

    /// Fails when nothing more is recorded, with the reason.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.lock().check()
    }

    /// Notes what stands for secrets. If that cannot be, the next request is denied.
    pub(super) fn note_secrets(&self, secrets: &Secrets) {
        for (name, placeholder) in secrets.environment() {
            if self
                .lock()
                .secrets
                .insert((name.into(), placeholder.into()))
            {
                let secret = Secret {
                    name: name.to_owned(),
                    placeholder: placeholder.to_owned(),
                };
                let _ = self.write(&Line::Secret(secret), None);
            }
        }
    }

    /// Notes that a name has no address.
    pub(crate) fn lookup_failed(&self, host: &Host, failed: LookupFailure) {
        let host = host.to_string();
        if self.lock().lookups.insert((host.clone(), failed)) {
            let _ = self.write(&Line::Lookup(Lookup { host, failed }), None);
        }
    }

    /// The number of something that begins.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Notes what came of opening connection `n`.
    pub(crate) fn connected(
        &self,
        n: u64,
        host: &Host,
        port: u16,
        refused: Option<&Refusal>,
    ) -> Result<(), String> {
        let failed = refused.map(|refusal| ConnectFailure {
            errno: refusal.errno.name().to_owned(),
            why: refusal.why.clone(),
        });
        let host = host.to_string();
        let connection = Connection {
            n,
            host,
            port,
            failed,
        };
        self.write(&Line::Connection(connection), None)
    }

    /// Notes what came of handshake `n`: the payload of a reply, or of a failure.
    pub(crate) fn shaken(
        &self,
        n: u64,
        host: &Host,
        port: u16,
        hello: &Hello,
        outcome: Result<&[u8], &[u8]>,
    ) -> Result<(), String> {
        let payload = match outcome {
            Ok(payload) | Err(payload) => payload,
        };
        let mut body = Coming::new(self, n)?;
        body.push(self, payload)?;
        let part = Some(Part::from(body.keep(self)?));
        let (reply, failed) = match outcome {
            Ok(_) => (part, None),
            Err(_) => (None, part),
        };
        let handshake = Handshake {
            n,
            host: host.to_string(),
            port,
            asked: asked_for(hello).to_hex().to_string(),
            reply,
            failed,
        };
        self.write(&Line::Handshake(handshake), None)
    }

    /// Appends a line, which must have no value of `secrets`.
    fn write(&self, line: &Line, secrets: Option<&Secrets>) -> Result<(), String> {
        let mut state = self.lock();
        state.check()?;
        let mut text = match serde_json::to_vec(line) {
            Ok(text) => text,
            Err(error) => return Err(state.end(&error.to_string())),
        };
        text.push(b'\n');
        if text.len() as u64 > line::MAX_LINE {
            return Err(state.end("a line of it would be too long"));
        }
        if let Some(secrets) = secrets
            && let Some(secret) = secrets.values().and_then(|values| values.find(&text))
        {
            return Err(state.end(&has_value(secrets, 1 << secret)));
        }
        state.draw(text.len() as u64, self.bytes)?;
        // The last is for why it ended.
        let most = line::most_lines(self.exchanges) - 1;
        state.written += 1;
        if state.written > most {
            return Err(state.end(&format!("a recording has at most {most} lines")));
        }
        let written = state.lines.write_all(&text);
        written.map_err(|error| state.end(&error.to_string()))
    }

    fn draw(&self, bytes: usize) -> Result<(), String> {
        self.lock().draw(bytes as u64, self.bytes)
    }

    fn end(&self, why: &str) -> String {
        self.lock().end(why)
    }

    fn bodies(&self) -> PathBuf {
        self.directory.join(BODIES)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn check(&self) -> Result<(), String> {
        match &self.ended {
            Some(why) => Err(why.clone()),
            None => Ok(()),
        }
    }

    /// Counts bytes, which have to be within the limit.
    fn draw(&mut self, bytes: u64, most: u64) -> Result<(), String> {
        self.check()?;
        self.bytes += bytes;
        match self.bytes > most {
            true => Err(self.end(&format!("a recording has at most {most} bytes"))),
            false => Ok(()),
        }
    }

    /// Ends the recording for good, and returns why. The first reason counts.
    fn end(&mut self, why: &str) -> String {
        let State { ended, lines, .. } = self;
        ended
            .get_or_insert_with(|| {
                let why = why.to_owned();
                let line = Line::Ended(Ended { why: why.clone() });
                let mut text = serde_json::to_vec(&line).unwrap_or_default();
                text.push(b'\n');
                // On a full disk there is no line: then its last one is torn, or lacks what is
                // asked for.
                let _ = lines.write_all(&text);
                format!("the recording has ended: {why}")
            })
            .clone()
    }
}

/// Locks a directory, so that no other recording takes the place of this one. One that has just
/// ended may still hold it.
#[cfg(unix)]
fn lock(directory: &Path) -> Result<File, CassetteError> {
    let failed = |error| CassetteError::Path {
        path: directory.to_owned(),
        error,
    };
    let own = File::open(directory).map_err(failed)?;
    let began = Instant::now();
    loop {
        match own.try_lock() {
            Ok(()) => return Ok(own),
            // Not every file system has locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(own);
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if began.elapsed() < ENDING => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => {
                let directory = directory.to_owned();
                return Err(CassetteError::InUse { directory });
            }
        }
    }
}

/// Something in a directory that no recording would have put there.
fn stranger(directory: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours = match name.to_str() {
            Some(LINES) => begins_as_ours(&entry.path())?,
            Some(BODIES) => entry.file_type()?.is_dir(),
            _ => false,
        };
        if !is_ours {
            return Ok(Some(shown(&name)));
        }
    }
    let bodies = match fs::read_dir(directory.join(BODIES)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bodies => bodies?,
    };
    for entry in bodies {
        let name = entry?.file_name();
        let is_ours = |name: &str| {
            name.starts_with(COMING) || name.len() == 64 && blake3::Hash::from_hex(name).is_ok()
        };
        if !name.to_str().is_some_and(is_ours) {
            return Ok(Some(format!("{BODIES}/{}", shown(&name))));
        }
    }
    Ok(None)
}

/// Whether a file is empty, or begins as the lines of a cassette do.
fn begins_as_ours(path: &Path) -> io::Result<bool> {
    const FIRST: &[u8] = b"{\"cassette\":";
    let mut beginning = Vec::new();
    let file = File::open(path)?;
    file.take(FIRST.len() as u64).read_to_end(&mut beginning)?;
    Ok(FIRST.starts_with(&beginning))
}

fn shown(name: &OsStr) -> String {
    printable(&name.to_string_lossy())
}

fn has_value(secrets: &Secrets, hits: u64) -> String {
    let names: Vec<_> = secrets
        .names(hits)
        .iter()
        .map(|own| format!("`{own}`"))
        .collect();
    format!("what came has the value of the secret {}", names.join(", "))
}

/// The hash of what a guest asks of TLS, without its key.
pub(super) fn asked_for(hello: &Hello) -> blake3::Hash {
    let version = |version: Option<u16>| version.map(|own| own.to_be_bytes().to_vec());
    let name = hello.server_name.as_ref();
    let name = name.map(|name| name.to_ascii_lowercase().into_bytes());
    hash::of_lists(&[
        name.as_slice(),
        version(hello.min_version).as_slice(),
        version(hello.max_version).as_slice(),
        &hello.alpn,
        &hello.roots,
        &hello.certificates,
    ])
}

/// A body on its way to its file.
struct Coming {
    path: PathBuf,
    file: File,
    hash: blake3::Hasher,
    bytes: u64,
    kept: bool,
}

impl Coming {
    fn new(recording: &Recording, n: u64) -> Result<Coming, String> {
        recording.check()?;
        let path = recording.bodies().join(format!("{COMING}{n}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let opened = options.open(&path);
        let file = opened.map_err(|error| recording.end(&error.to_string()))?;
        Ok(Coming {
            path,
            file,
            hash: blake3::Hasher::new(),
            bytes: 0,
            kept: false,
        })
    }

    fn push(&mut self, recording: &Recording, piece: &[u8]) -> Result<(), String> {
        recording.draw(piece.len())?;
        let written = self.file.write_all(piece);
        written.map_err(|error| recording.end(&error.to_string()))?;
        self.hash.update(piece);
        self.bytes += piece.len() as u64;
        Ok(())
    }

    /// Gives it its name.
    fn keep(mut self, recording: &Recording) -> Result<Content, String> {
        let content = Content {
            bytes: self.bytes,
            hash: self.hash.finalize(),
        };
        let path = recording.bodies().join(&*content.hash.to_hex());
        let renamed = fs::rename(&self.path, path);
        renamed.map_err(|error| recording.end(&error.to_string()))?;
        self.kept = true;
        Ok(content)
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A connection that is recorded.
pub(crate) struct OnTape {
    recording: Arc<Recording>,
    /// The number of its last exchange; 0 before the first.
    last: AtomicU64,
}

impl OnTape {
    pub(crate) fn new(recording: Arc<Recording>) -> OnTape {
        OnTape {
            recording,
            last: AtomicU64::new(0),
        }
    }
}

impl Tape for OnTape {
    fn begin(&self, asked: Arc<Asked>, secrets: Arc<Secrets>) -> Result<Box<dyn Take>, String> {
        let n = self.recording.number();
        let mut state = self.recording.lock();
        state.check()?;
        let most = self.recording.exchanges;
        if state.exchanges >= most {
            return Err(state.end(&format!("a recording has at most {most} exchanges")));
        }
        state.exchanges += 1;
        self.last.store(n, Ordering::Relaxed);
        Ok(Box::new(Taking {
            recording: self.recording.clone(),
            n,
            asked,
            search: secrets.values().cloned().map(Stream::new),
            secrets,
            head: None,
            body: None,
            done: false,
        }))
    }

    fn closed(&self) {
        let after = self.last.load(Ordering::Relaxed);
        if after != 0 {
            let _ = self.recording.write(&Line::Closed(Closed { after }), None);
        }
    }
}

/// An exchange that is recorded.
struct Taking {
    recording: Arc<Recording>,
    n: u64,
    asked: Arc<Asked>,
    secrets: Arc<Secrets>,
    /// Looks for values in the body.
    search: Option<Stream>,
    head: Option<ReplyHead>,
    body: Option<Coming>,
    done: bool,
}

impl Taking {
    fn searched(&self) -> Result<(), String> {
        match self.search.as_ref().map_or(0, Stream::hits) {
            0 => Ok(()),
            hits => Err(self.recording.end(&has_value(&self.secrets, hits))),
        }
    }

    fn write(&mut self, reply: Option<Reply>, failed: Option<Failed>) -> Result<(), String> {
        let exchange = Exchange {
            n: self.n,
            method: self.asked.method.clone(),
            url: self.asked.url.clone(),
            sent: self.asked.sent().map(Part::from),
            reply,
            failed,
        };
        let line = Line::Exchange(Box::new(exchange));
        self.recording.write(&line, Some(&self.secrets))
    }

    /// Writes the reply, whose body ends here.
    fn write_reply(&mut self, broken: Option<String>) -> Result<(), String> {
        if let Some(search) = &mut self.search {
            search.finish();
        }
        self.searched()?;
        let body = match self.body.take() {
            Some(body) => body.keep(&self.recording)?,
            None => Content {
                bytes: 0,
                hash: blake3::hash(b""),
            },
        };
        let Some(head) = self.head.take() else {
            return self.write(None, Some(Failed::Unanswered));
        };
        let fields = head.fields.into_iter();
        let reply = Reply {
            http: match head.version {
                Version::HTTP_10 => "1.0".into(),
                _ => "1.1".into(),
            },
            status: head.status.as_u16(),
            reason: head.reason.as_deref().map(line::text),
            fields: fields
                .map(|(name, value)| (name, line::text(&value)))
                .collect(),
            body: body.into(),
            streamed: head.streamed,
            broken,
        };
        self.write(Some(reply), None)
    }
}

impl Take for Taking {
    fn head(&mut self, head: ReplyHead) {
        self.head = Some(head);
    }

    fn piece(&mut self, piece: &[u8]) -> Result<(), String> {
        if piece.is_empty() {
            return Ok(());
        }
        if let Some(search) = &mut self.search {
            search.push(piece);
        }
        self.searched()?;
        let mut body = match self.body.take() {
            Some(body) => body,
            None => Coming::new(&self.recording, self.n)?,
        };
        body.push(&self.recording, piece)?;
        self.body = Some(body);
        Ok(())
    }

    fn end(&mut self, end: End<'_>) -> Result<(), String> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        match end {
            End::Refused => Ok(()),
            End::Whole => self.write_reply(None),
            End::Broken(why) => self.write_reply(Some(why.to_owned())),
            End::Failed(failure) => {
                let failed = match failure {
                    Failure::Broken(why) | Failure::Unrecorded(why) => Failed::Broken(why.clone()),
                    Failure::Wrong(why) => Failed::Wrong(why.clone()),
                    Failure::Absent(why) => Failed::Absent(why.clone()),
                    Failure::TimedOut(limit) => {
                        let limit = u64::try_from(limit.as_millis());
                        Failed::TimedOut(limit.unwrap_or(u64::MAX))
                    }
                };
                self.write(None, Some(failed))
            }
        }
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        // What the guest did not wait for cannot be told to it either.
        let _ = self.end(End::Broken("the guest did not wait for the rest"));
    }
}
