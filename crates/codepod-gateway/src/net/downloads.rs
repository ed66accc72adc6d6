//! Downloads that sandboxes share: what is the same for everybody is fetched once and kept on disk.
//!
//! That is a GET without credentials, cookies, ranges, conditions and secrets, from a host that the
//! embedder has named, whose reply is for everybody as well. While it comes, all who ask for it get
//! it as it comes; when there is none that is fresh, one of them asks the server. A reply is kept
//! by its URL, by what the client accepts, and by everything of its policy that could make another
//! server of the same name: its static address and its authorities.

mod flight;
mod lifetime;
mod store;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use hyper::header::{ACCEPT, ACCEPT_ENCODING};
use hyper::{Request, Response};
use tokio::sync::{oneshot, watch};

use self::flight::Landing;
use self::store::{Key, Store};
use crate::http::{Body, Failure, ReplyBody, Shareable, Upstream};
use crate::network::BoxFuture;
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
    flights: Mutex<HashMap<Key, watch::Receiver<Option<Landing>>>>,
}

impl Downloads {
    /// Opens what was kept, or begins anew.
    ///
    /// Fails where a rule cannot be read, and where somebody else may write to the directory.
    pub fn new(spec: DownloadsSpec) -> Result<Downloads, DownloadsError> {
        let policy = PolicySpec {
            allowed_hosts: Some(spec.from),
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
            flights: Mutex::default(),
        })))
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

impl Sharing {
    /// What a request is kept by, if its reply may be shared.
    fn key(&self, request: &Request<Body>) -> Option<Key> {
        let Place {
            scheme,
            host,
            port,
            address,
            roots,
        } = &self.place;
        let path = request.uri().path_and_query()?.as_str();
        let target = Target {
            scheme: *scheme,
            host: host.clone(),
            port: *port,
            path: path.to_owned(),
        };
        let may = request.extensions().get::<Shareable>().is_some()
            && lifetime::is_for_everybody(request)
            && self.downloads.0.from.request(&target, "GET").is_ok();
        may.then(|| {
            let accepts = [ACCEPT, ACCEPT_ENCODING].map(|name| {
                let values = request.headers().get_all(name).iter();
                values.map(|value| value.as_bytes().to_vec()).collect()
            });
            let [accept, encoding]: [Vec<Vec<u8>>; 2] = accepts;
            let address = address.map(|address| address.to_string());
            let place = format!("{}://{}:{port}", scheme.as_str(), host.in_url());
            Key::of(&[
                &[place.into_bytes(), path.as_bytes().to_vec()],
                &accept,
                &encoding,
                &address
                    .map(String::into_bytes)
                    .into_iter()
                    .collect::<Vec<_>>(),
                roots.as_deref().unwrap_or_default(),
                &[vec![u8::from(roots.is_some())]],
            ])
        })
    }
}

impl Upstream for Sharing {
    fn send(&self, request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>> {
        match self.key(&request) {
            None => self.server.send(request),
            Some(key) => {
                let (downloads, server) = (self.downloads.clone(), self.server.clone());
                Box::pin(async move { downloads.get(key, server, request).await })
            }
        }
    }
}

impl Downloads {
    /// The reply to a request: one that is kept, one that is under way, or a new one.
    async fn get(
        self,
        key: Key,
        server: Arc<dyn Upstream>,
        request: Request<Body>,
    ) -> Result<Response<ReplyBody>, Failure> {
        let found = self.clone();
        let kept = tokio::task::spawn_blocking(move || {
            let kept = found.0.store.get(key)?;
            kept.is_fresh(SystemTime::now()).then_some(kept)
        });
        if let Ok(Some(kept)) = kept.await {
            return Ok(kept.reply("kept"));
        }
        let (mut landing, mine) = self.join(key, &server, &request);
        let landed = landing.wait_for(Option::is_some).await.ok();
        let landed = landed.and_then(|landing| landing.clone());
        match (landed, mine) {
            (Some(Landing::Shared(kept)), mine) => {
                let came = match (kept.is_from_before(), mine) {
                    (true, _) => "kept",
                    (false, Some(_)) => "fetched",
                    (false, None) => "joined",
                };
                Ok(kept.reply(came))
            }
            // It is for one only: the first has it, and everybody else asks the server.
            (_, Some(mine)) => match mine.await {
                Ok(reply) => reply,
                Err(_) => Err(Failure::Broken("the download ended early".into())),
            },
            (_, None) => server.send(request).await,
        }
    }

    /// The download of this key that is under way, or a new one: then also the way by which its
    /// reply comes if it cannot be shared.
    fn join(
        &self,
        key: Key,
        server: &Arc<dyn Upstream>,
        request: &Request<Body>,
    ) -> (watch::Receiver<Option<Landing>>, Option<Alone>) {
        let mut flights = self.flights();
        if let Some(landing) = flights.get(&key) {
            return (landing.clone(), None);
        }
        let (tell, landing) = watch::channel(None);
        let (give, mine) = oneshot::channel();
        flights.insert(key, landing.clone());
        let flight = flight::Flight {
            key,
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
