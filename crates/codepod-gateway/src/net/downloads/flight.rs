//! A download that is under way, and the replies that are made of it.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::header::{self, HeaderMap};
use hyper::{Request, Response, StatusCode, Version};
use tokio::sync::{oneshot, watch};

use sha2::Digest as _;

use super::checked::Checked;
use super::store::{Content, Head};
use super::wanted::Wanted;
use super::{Downloads, lifetime};
use crate::http::{Body, BodyError, Came, Failure, ReplyBody, Upstream};
use crate::network::BoxFuture;

/// How much of a file is read at a time.
const PIECE: u64 = 128 * 1024;
/// The longest page: a reply that does not say its length.
const MAX_PAGE: u64 = 64 << 20;

/// What became of a download.
#[derive(Debug, Clone)]
pub(super) enum Landing {
    /// It is there, or is coming.
    Shared(Box<Kept>),
    /// It cannot be shared.
    Alone,
    /// It came, and is not what an index says: why.
    Wrong(Arc<str>),
}

/// How far a body is.
#[derive(Debug, Clone)]
enum Progress {
    /// So much may be given.
    Coming(u64),
    Whole(u64),
    /// It ended early, or is not what it has to be: why.
    Broken(Arc<str>),
}

/// Why a download broke off.
const EARLY: &str = "the download ended early";

/// A reply whose body is in a file, or is coming into it.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    head: Head,
    file: Arc<File>,
    length: Option<u64>,
    progress: watch::Receiver<Progress>,
    /// What it is, once it is whole.
    body: Option<Content>,
}

impl Kept {
    pub(super) fn whole(head: Head, file: Arc<File>, body: Content) -> Kept {
        Kept {
            head,
            file,
            length: Some(body.length),
            progress: watch::channel(Progress::Whole(body.length)).1,
            body: Some(body),
        }
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    pub(super) fn content(&self) -> Option<&Content> {
        self.body.as_ref()
    }

    /// Why it broke off, if it has.
    pub(super) fn broken(&self) -> Option<String> {
        match &*self.progress.borrow() {
            Progress::Broken(why) => Some(why.to_string()),
            Progress::Coming(_) | Progress::Whole(_) => None,
        }
    }

    /// Whether it was there before it was asked for.
    pub(super) fn is_from_before(&self) -> bool {
        self.body.is_some()
    }

    /// Whether the server need not be asked.
    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        let age = now.duration_since(self.head.told);
        age.is_ok_and(|age| age < self.head.fresh)
    }

    /// The reply to somebody who asked for it.
    pub(super) fn reply(self, came: &'static str) -> Response<ReplyBody> {
        let mut headers = self.head.headers.clone();
        headers.remove(header::TRANSFER_ENCODING);
        if let Some(length) = self.length {
            headers.insert(header::CONTENT_LENGTH, length.into());
        }
        let body = FileBody {
            file: self.file,
            at: 0,
            length: self.length,
            progress: self.progress,
            step: None,
        };
        let mut reply = Response::new(body.boxed_unsync());
        *reply.version_mut() = Version::HTTP_11;
        *reply.headers_mut() = headers;
        reply.extensions_mut().insert(Came(came));
        reply
    }
}

/// The same request once more; it has no body.
pub(super) fn again(request: &Request<Body>) -> Request<Body> {
    let body = Empty::new().map_err(|never| match never {});
    let mut again = Request::new(body.boxed_unsync());
    *again.method_mut() = request.method().clone();
    *again.uri_mut() = request.uri().clone();
    *again.headers_mut() = request.headers().clone();
    *again.extensions_mut() = request.extensions().clone();
    again
}

/// A download, before it begins.
pub(super) struct Flight {
    pub(super) wanted: Arc<Wanted>,
    pub(super) server: Arc<dyn Upstream>,
    pub(super) request: Request<Body>,
    pub(super) downloads: Downloads,
}

impl Flight {
    /// Asks the server, tells `tell` whether it can be shared, and gives `alone` what cannot.
    pub(super) async fn fly(
        mut self,
        tell: watch::Sender<Option<Landing>>,
        alone: oneshot::Sender<Result<Response<ReplyBody>, Failure>>,
    ) {
        let over = Over {
            wanted: self.wanted.clone(),
            downloads: self.downloads.clone(),
        };
        let wanted = self.wanted.clone();
        // Another download of it may have ended between the caller's look and this one's start.
        let kept = self.downloads.clone().find(wanted.clone()).await;
        if let Some(kept) = &kept {
            if wanted.is_served_by(kept, SystemTime::now()) {
                tell.send_replace(Some(Landing::Shared(Box::new(kept.clone()))));
                return;
            }
            ask_whether(self.request.headers_mut(), &kept.head.headers);
        }
        let reply = match self.server.send(self.request).await {
            Ok(reply) => reply,
            Err(failure) => {
                let _ = alone.send(Err(failure));
                tell.send_replace(Some(Landing::Alone));
                return;
            }
        };
        if let Some(kept) = kept
            && reply.status() == StatusCode::NOT_MODIFIED
        {
            let kept = still_holds(kept, reply.headers(), &wanted, &self.downloads).await;
            // Whoever has the reply and asks once more is not to join this one.
            drop(over);
            tell.send_replace(Some(Landing::Shared(Box::new(kept))));
            return;
        }
        let length = reply.body().size_hint().exact();
        let largest = self.downloads.0.store.largest();
        let page = wanted.page(reply.headers());
        let fresh = match lifetime::of_reply(reply.status(), reply.headers()) {
            // What an index names does not change, and an index is read in any case.
            None if wanted.is_named() || page.is_some() => {
                lifetime::may_be_kept(reply.status(), reply.headers()).then_some(Duration::ZERO)
            }
            fresh => fresh,
        };
        let file = match fresh.filter(|_| length.unwrap_or(0) <= largest) {
            None => None,
            Some(_) => {
                let downloads = self.downloads.clone();
                let begun = tokio::task::spawn_blocking(move || downloads.0.store.begin()).await;
                begun.ok().and_then(Result::ok)
            }
        };
        let (Some(fresh), Some((file, path))) = (fresh, file) else {
            let is_whole = reply.status() == StatusCode::OK;
            let reply = match wanted.is_named() && is_whole {
                true => reply.map(|body| Checked::new(body, wanted).boxed_unsync()),
                false => reply,
            };
            let _ = alone.send(Ok(reply));
            tell.send_replace(Some(Landing::Alone));
            return;
        };
        let (parts, body) = reply.into_parts();
        let (written, progress) = watch::channel(Progress::Coming(0));
        let coming = Kept {
            head: Head {
                headers: parts.headers,
                told: SystemTime::now(),
                fresh,
            },
            file: Arc::new(file),
            length,
            progress,
            body: None,
        };
        let there = || {
            if tell.borrow().is_none() {
                tell.send_replace(Some(Landing::Shared(Box::new(coming.clone()))));
            }
        };
        if !wanted.is_named() {
            there();
        }
        let most = length.unwrap_or(MAX_PAGE.min(largest));
        let show = |length| {
            there();
            written.send_replace(Progress::Coming(length));
        };
        let end = match write(&coming, body, most, show).await {
            Some(body) => match wanted.differs(&body.sha256) {
                None => {
                    let (downloads, coming) = (self.downloads.clone(), coming.clone());
                    let keep = move || {
                        let store = &downloads.0.store;
                        // What cannot be kept was fetched all the same.
                        let _ = store.keep(wanted.keys(), &coming.head, &path, body);
                        if let Some(form) = page {
                            downloads.learn(&wanted, form, &coming.file, body.length);
                        }
                    };
                    let _ = tokio::task::spawn_blocking(keep).await;
                    Progress::Whole(body.length)
                }
                Some(why) => broken(path, why.into()).await,
            },
            None => broken(path, EARLY.into()).await,
        };
        drop(over);
        match &end {
            Progress::Broken(why) if tell.borrow().is_none() => {
                tell.send_replace(Some(Landing::Wrong(why.clone())));
            }
            _ => there(),
        }
        written.send_replace(end);
    }
}

/// What is kept, after the server has said that it still holds.
async fn still_holds(
    mut kept: Kept,
    headers: &HeaderMap,
    wanted: &Wanted,
    downloads: &Downloads,
) -> Kept {
    kept.head.told = SystemTime::now();
    for name in [
        header::CACHE_CONTROL,
        header::AGE,
        header::DATE,
        header::ETAG,
    ] {
        match headers.get(&name) {
            Some(value) => drop(kept.head.headers.insert(name, value.clone())),
            None if name == header::AGE => drop(kept.head.headers.remove(name)),
            None => {}
        }
    }
    let fresh = lifetime::of_reply(StatusCode::OK, &kept.head.headers);
    kept.head.fresh = fresh.unwrap_or_default();
    let (told, downloads, keys) = (kept.clone(), downloads.clone(), wanted.keys());
    let _ = tokio::task::spawn_blocking(move || {
        if let Some(body) = told.body {
            // If that fails, it is asked again the next time.
            let _ = downloads.0.store.say(keys, &told.head, body);
        }
    })
    .await;
    kept
}

/// Removes what is not to be kept.
async fn broken(path: PathBuf, why: Arc<str>) -> Progress {
    let _ = tokio::task::spawn_blocking(|| std::fs::remove_file(path)).await;
    Progress::Broken(why)
}

/// Takes a download out of those under way, however it ends.
struct Over {
    wanted: Arc<Wanted>,
    downloads: Downloads,
}

impl Drop for Over {
    fn drop(&mut self) {
        self.downloads.flights().remove(&self.wanted.key());
    }
}

/// Asks whether what is kept still holds.
fn ask_whether(request: &mut HeaderMap, kept: &HeaderMap) {
    for (ask, by) in [
        (header::IF_NONE_MATCH, header::ETAG),
        (header::IF_MODIFIED_SINCE, header::LAST_MODIFIED),
    ] {
        if let Some(value) = kept.get(by) {
            request.insert(ask, value.clone());
        }
    }
}

/// Writes a body to its file as it comes; what it is, if it came whole. `show` is told how much may
/// be given by then: not the last piece, whose time comes when the whole has been compared and
/// kept. Whoever has a page whole asks for its files next, and whoever has a file relies on its
/// being there.
async fn write(kept: &Kept, mut body: ReplyBody, most: u64, show: impl Fn(u64)) -> Option<Content> {
    let mut hashes = (blake3::Hasher::new(), sha2::Sha256::new());
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.ok()?.into_data() else {
            continue;
        };
        if data.is_empty() {
            continue;
        }
        let at = length;
        length += data.len() as u64;
        if length > most {
            return None;
        }
        let file = kept.file.clone();
        hashes = tokio::task::spawn_blocking(move || {
            write_at(&file, &data, at)?;
            hashes.0.update(&data);
            hashes.1.update(&data);
            io::Result::Ok(hashes)
        })
        .await
        .ok()?
        .ok()?;
        if at > 0 {
            show(at);
        }
    }
    let is_whole = kept.length.is_none_or(|whole| whole == length);
    is_whole.then(|| Content {
        hash: hashes.0.finalize(),
        sha256: hashes.1.finalize().into(),
        length,
    })
}

/// A body out of a file that may still be written.
struct FileBody {
    file: Arc<File>,
    at: u64,
    length: Option<u64>,
    progress: watch::Receiver<Progress>,
    step: Option<BoxFuture<Result<Bytes, BodyError>>>,
}

impl HttpBody for FileBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        let step = this.step.get_or_insert_with(|| {
            Box::pin(next(this.file.clone(), this.at, this.progress.clone()))
        });
        let piece = ready!(step.as_mut().poll(cx));
        this.step = None;
        Poll::Ready(match piece {
            Ok(piece) if piece.is_empty() => None,
            Ok(piece) => {
                this.at += piece.len() as u64;
                Some(Ok(Frame::data(piece)))
            }
            Err(error) => Some(Err(error)),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.length == Some(self.at)
    }

    fn size_hint(&self) -> SizeHint {
        match self.length {
            Some(length) => SizeHint::with_exact(length - self.at),
            None => SizeHint::default(),
        }
    }
}

/// What comes at a place of a file, when it is there; nothing at its end.
async fn next(
    file: Arc<File>,
    at: u64,
    mut progress: watch::Receiver<Progress>,
) -> Result<Bytes, BodyError> {
    let there = progress
        .wait_for(|progress| match progress {
            Progress::Coming(written) => *written > at,
            Progress::Whole(_) | Progress::Broken(_) => true,
        })
        .await;
    // Without its writer a download has ended early.
    let there = there.map_or(Progress::Broken(EARLY.into()), |progress| progress.clone());
    let end = match there {
        Progress::Coming(end) | Progress::Whole(end) => end,
        Progress::Broken(why) => return Err(why.to_string().into()),
    };
    let length = (end - at).min(PIECE);
    let read = move || {
        let mut piece = vec![0; length as usize];
        read_at(&file, &mut piece, at)?;
        io::Result::Ok(Bytes::from(piece))
    };
    Ok(tokio::task::spawn_blocking(read).await??)
}

/// Writes to a place of a file; others read it, so there is no place that is the file's own.
fn write_at(file: &File, data: &[u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, data, at);
    #[cfg(windows)]
    {
        use std::os::windows::fs::FileExt as _;
        let mut done = 0;
        while done < data.len() {
            done += file.seek_write(&data[done..], at + done as u64)?;
        }
        Ok(())
    }
}

/// Fills a buffer from a place of a file.
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, buffer, at);
    #[cfg(windows)]
    {
        use std::os::windows::fs::FileExt as _;
        let mut done = 0;
        while done < buffer.len() {
            match file.seek_read(&mut buffer[done..], at + done as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }
}
