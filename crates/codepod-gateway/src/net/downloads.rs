//! Downloads that sandboxes share: what is the same for everybody is fetched once and kept on disk.
//!
//! That is a GET without credentials, cookies, ranges, conditions and secrets, from a host that the
//! embedder has named, whose reply is for everybody as well. While it comes, all who ask for it get
//! it as it comes; when there is none that is fresh, one of them asks the server. A reply is kept
//! by its URL, by what the client accepts, and by everything of its policy that could make another
//! server of the same name: its static address and its authorities.
//!
//! Pages of indexes are read for the digests of files. A file that has one is compared before its
//! end is given to anybody; what is right is kept without asking its server again, and what is
//! wrong is not kept. So that pages can be read, what is shared is asked for without compression.
//!
//! Offline, nothing is asked: what is kept is given however old it is, and the rest is a 504.

mod checked;
mod digests;
mod flight;
mod handshakes;
mod lifetime;
mod store;
mod wanted;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use hyper::header::{ACCEPT_ENCODING, HeaderValue};
use hyper::{Request, Response};
use tokio::sync::{oneshot, watch};
use url::Url;

pub(super) use self::handshakes::Handshake;

use self::flight::{Kept, Landing};
use self::store::{Key, Store};
use self::wanted::{Scope, Wanted};
use crate::http::{Body, Failure, ReplyBody, Upstream};
use crate::network::BoxFuture;
use crate::packages::index_page::{self, Form, MAX_PAGE};
use crate::packages::{Sha256, is_distribution};
use crate::policy::host::Host;
use crate::policy::target::{Scheme, Target};
use crate::policy::{Policy, PolicyError, PolicySpec, RuleSpec};

/// What is shared, and where it is kept.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DownloadsSpec {
    /// A directory of its own, which nobody else may write to; it is made.
    pub directory: PathBuf,
    /// How much is kept. What was not asked for the longest goes first.
    pub bytes: u64,
    /// Rules for where it is shared from: servers that give everybody the same, such as an index of
    /// packages. They allow nothing by themselves.
    pub from: Vec<RuleSpec>,
    /// Whether only what is kept is given. Their names are not looked up then, and nothing connects
    /// to them.
    pub offline: bool,
}

impl DownloadsSpec {
    /// At most 4 GiB in `directory`, from these servers.
    pub fn new<R: Into<RuleSpec>>(
        directory: impl Into<PathBuf>,
        from: impl IntoIterator<Item = R>,
    ) -> DownloadsSpec {
        DownloadsSpec {
            directory: directory.into(),
            bytes: 4 << 30,
            from: from.into_iter().map(Into::into).collect(),
            offline: false,
        }
    }
}

/// Why downloads cannot be shared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DownloadsError {
    /// A rule cannot be read.
    #[error("{0}")]
    Rules(#[from] PolicyError),
    /// The directory cannot be used.
    #[error("{}: {error}", .directory.display())]
    Directory {
        /// Which.
        directory: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Downloads that are shared; clones are the same.
#[derive(Debug, Clone)]
pub struct Downloads(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    from: Policy,
    rules: Vec<RuleSpec>,
    offline: bool,
    flights: Mutex<HashMap<Key, watch::Receiver<Option<Landing>>>>,
}

impl Downloads {
    /// Opens what was kept, or begins anew.
    ///
    /// Fails where a rule cannot be read, and where somebody else may write to the directory.
    pub fn new(spec: DownloadsSpec) -> Result<Downloads, DownloadsError> {
        let policy = PolicySpec {
            allowed_hosts: Some(spec.from.clone()),
            ..PolicySpec::default()
        };
        let from = Policy::new(&policy, 0)?;
        let store = Store::open(&spec.directory, spec.bytes).map_err(|error| {
            let directory = spec.directory.clone();
            DownloadsError::Directory { directory, error }
        })?;
        Ok(Downloads(Arc::new(Inner {
            store,
            from,
            rules: spec.from,
            offline: spec.offline,
            flights: Mutex::default(),
        })))
    }

    /// Whether a server is one of those that are offline here; without a port, whether any of that
    /// name is.
    pub(super) fn is_offline(&self, host: &Host, port: Option<u16>) -> bool {
        let from = &self.0.from;
        self.0.offline
            && match port {
                Some(port) => from.open(host, port).is_ok(),
                None => from.knows(host),
            }
    }

    /// Whether it is offline, whatever its servers are.
    pub(super) fn is_offline_at_all(&self) -> bool {
        self.0.offline
    }

    /// The rules for what is shared.
    pub(super) fn rules(&self) -> &[RuleSpec] {
        &self.0.rules
    }

    /// Whether what a URL leads to may be shared.
    pub(super) fn is_shared(&self, url: &Url) -> bool {
        let has_user = !url.username().is_empty() || url.password().is_some();
        let target = Target::parse(url.as_str());
        let may = |target: Target| self.0.from.request(&target, "GET").is_ok();
        !has_user && target.is_ok_and(may)
    }

    /// Whether what a URL leads to is kept, and is what it has to be.
    pub(super) async fn keeps(&self, url: &Url, place: &Place, accept: &str) -> bool {
        let accept = vec![accept.as_bytes().to_vec()];
        let wanted = Wanted::at(url.clone(), Scope::of(place), accept, &self.0);
        self.clone().find(Arc::new(wanted)).await.is_some()
    }

    /// Notes what a lock file says of a file: that it has one of these digests.
    pub(super) fn learn_locked(&self, url: &Url, place: &Place, digests: &[Sha256]) {
        let scope = Scope::of(place);
        let file = scope.file(url);
        let files = digests.iter().map(|digest| (file, *digest)).collect();
        let source = scope.key("lock", url.as_str(), &[]);
        let store = &self.0.store;
        // What could not be written is known until this process ends.
        let _ = store.digests.learn(source, files, &store.scratch);
    }

    /// Keeps what a guest is told of a handshake with a server of downloads, for when it is
    /// offline.
    pub(super) async fn note(&self, place: &Place, reply: &[u8]) {
        let key = handshake_key(place);
        let is_ours = self.0.from.open(&place.host, place.port).is_ok();
        if !is_ours || self.0.store.handshakes.is_known(key, reply) {
            return;
        }
        let (downloads, reply) = (self.clone(), reply.to_vec());
        let keep = move || {
            let store = &downloads.0.store;
            // If that fails, the next handshake is noted.
            let _ = store.handshakes.keep(key, &reply, &store.scratch);
        };
        let _ = tokio::task::spawn_blocking(keep).await;
    }

    /// The last good handshake with a server.
    pub(super) async fn handshake(&self, place: &Place) -> Option<Handshake> {
        let (downloads, key) = (self.clone(), handshake_key(place));
        let look = move || downloads.0.store.handshakes.get(key);
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }

    /// The way to a server through what is shared.
    pub(super) fn before(&self, server: Arc<dyn Upstream>, place: Place) -> Arc<dyn Upstream> {
        Arc::new(Sharing {
            downloads: self.clone(),
            place,
            server,
        })
    }

    fn flights(&self) -> MutexGuard<'_, HashMap<Key, watch::Receiver<Option<Landing>>>> {
        self.0
            .flights
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn handshake_key(place: &Place) -> Key {
    let authority = format!("{}:{}", place.host.in_url(), place.port);
    Scope::of(place).key("handshake", &authority, &[])
}

/// A server, and what makes it another one than that of the same name elsewhere.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) scheme: Scheme,
    pub(super) host: Host,
    pub(super) port: u16,
    /// The static address.
    pub(super) address: Option<std::net::SocketAddr>,
    /// The authorities that decide in place of the usual ones.
    pub(super) roots: Option<Vec<Vec<u8>>>,
}

/// A server whose replies are shared.
struct Sharing {
    downloads: Downloads,
    place: Place,
    server: Arc<dyn Upstream>,
}

impl Upstream for Sharing {
    fn send(&self, mut request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>> {
        match Wanted::of(&request, &self.place, &self.downloads.0) {
            None => self.server.send(request),
            Some(wanted) => {
                let identity = HeaderValue::from_static("identity");
                request.headers_mut().insert(ACCEPT_ENCODING, identity);
                let (downloads, server) = (self.downloads.clone(), self.server.clone());
                Box::pin(async move { downloads.get(Arc::new(wanted), server, request).await })
            }
        }
    }
}

impl Downloads {
    /// The reply to a request: one that is kept, one that is under way, or a new one.
    async fn get(
        self,
        wanted: Arc<Wanted>,
        server: Arc<dyn Upstream>,
        request: Request<Body>,
    ) -> Result<Response<ReplyBody>, Failure> {
        let kept = self.clone().find(wanted.clone()).await;
        let offline = self.0.offline;
        if let Some(kept) =
            kept.filter(|kept| offline || wanted.is_served_by(kept, SystemTime::now()))
        {
            return Ok(kept.reply("kept"));
        }
        if offline {
            return Err(Failure::Absent(wanted.absence()));
        }
        let (mut landing, mine) = self.join(&wanted, &server, &request);
        let landed = landing.wait_for(Option::is_some).await.ok();
        let landed = landed.and_then(|landing| landing.clone());
        match (landed, mine) {
            (Some(Landing::Shared(kept)), mine) => {
                let came = match (kept.is_from_before(), mine) {
                    (true, _) => "kept",
                    (false, Some(_)) => "fetched",
                    (false, None) => "joined",
                };
                match kept.broken() {
                    // Nothing was sent yet.
                    Some(why) => Err(Failure::Wrong(why)),
                    None => Ok(kept.reply(came)),
                }
            }
            (Some(Landing::Wrong(why)), _) => Err(Failure::Wrong(why.to_string())),
            // It is for one only: the first has it, and everybody else asks the server.
            (_, Some(mine)) => match mine.await {
                Ok(reply) => reply,
                Err(_) => Err(Failure::Broken("the download ended early".into())),
            },
            (_, None) => server.send(request).await,
        }
    }

    /// What is kept of what is wanted. Offline, and for a file whose digest is known, that may have
    /// come to a client that accepts something else.
    async fn find(self, wanted: Arc<Wanted>) -> Option<Kept> {
        let look = move || {
            let any = self.0.offline || wanted.is_named();
            let keys = wanted.looked_at().into_iter();
            keys.filter(|(_, is_plain)| any || !is_plain)
                .filter_map(|(key, is_plain)| Some((self.0.store.get(key)?, is_plain)))
                .find(|(kept, is_plain)| wanted.is_for(kept) && (!is_plain || wanted.accepts(kept)))
                .map(|(kept, _)| kept)
        };
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }

    /// Reads the page of an index, and notes the digests of files that may be shared themselves.
    fn learn(&self, wanted: &Wanted, form: Form, page: &File, length: u64) {
        if length > MAX_PAGE {
            return;
        }
        let mut bytes = vec![0; length as usize];
        if flight::read_at(page, &mut bytes, 0).is_err() {
            return;
        }
        let mut files = Vec::new();
        index_page::links(&bytes, form, &wanted.url, |link| {
            let is_ours = |url: &Url| is_distribution(url.path()) && self.is_shared(url);
            if let Some(digest) = link.sha256.filter(|_| is_ours(&link.url)) {
                files.push((wanted.scope.file(&link.url), digest));
            }
        });
        let source = wanted.scope.key("page", wanted.url.as_str(), &[]);
        let store = &self.0.store;
        // What could not be written is known until this process ends.
        let _ = store.digests.learn(source, files, &store.scratch);
    }

    /// The download of this key that is under way, or a new one: then also the way by which its
    /// reply comes if it cannot be shared.
    fn join(
        &self,
        wanted: &Arc<Wanted>,
        server: &Arc<dyn Upstream>,
        request: &Request<Body>,
    ) -> (watch::Receiver<Option<Landing>>, Option<Alone>) {
        let mut flights = self.flights();
        if let Some(landing) = flights.get(&wanted.key()) {
            return (landing.clone(), None);
        }
        let (tell, landing) = watch::channel(None);
        let (give, mine) = oneshot::channel();
        flights.insert(wanted.key(), landing.clone());
        let flight = flight::Flight {
            wanted: wanted.clone(),
            server: server.clone(),
            request: flight::again(request),
            downloads: self.clone(),
        };
        // On a task of its own: whoever asked first may go before it ends.
        tokio::spawn(flight.fly(tell, give));
        (landing, Some(mine))
    }
}

/// The reply of a download that is not shared.
type Alone = oneshot::Receiver<Result<Response<ReplyBody>, Failure>>;
