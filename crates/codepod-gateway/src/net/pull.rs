//! Filling the downloads from a lock file, for when their servers are offline.
//!
//! What is fetched goes the way of a guest's request: through a policy that allows the servers of
//! downloads and no others, vetted and dialled, kept and compared by the same code. So what is
//! there afterwards is what a guest would have left.

mod client;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use http_body_util::BodyExt;
use hyper::{Response, StatusCode, header};
use sha2::Digest as _;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use url::Url;

use self::client::{Client, Reply};
use super::downloads::Place;
use super::{Downloads, Gateway, GatewayOptions, Resolver};
use crate::event::Event;
use crate::network::{Network, NetworkOptions};
use crate::packages::index_page::{self, Form, Link, MAX_PAGE};
use crate::packages::lock_file::{Entry, Files};
use crate::packages::wheel::{NoWheel, choose, could_be};
use crate::packages::{METADATA, Sha256};
use crate::policy::target::{Scheme, Target};
use crate::policy::{Policy, PolicyError, PolicySpec, printable};

/// What pip says that it accepts of an index.
const ACCEPT_PAGE: &str = "application/vnd.pypi.simple.v1+json, \
     application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01";
const ACCEPT_FILE: &str = "*/*";
/// How many links of a page are looked at for one version of a package: those to its wheels that
/// run anywhere, and to their metadata. There is one, or a few builds of it.
const MAX_CANDIDATES: usize = 1000;
/// How many packages are fetched at a time.
const AT_A_TIME: usize = 4;

/// What is to be fetched, and from where.
#[derive(Clone)]
#[non_exhaustive]
pub struct PullSpec {
    /// The index, as pip is told: `https://HOST/simple`.
    pub index: String,
    /// The packages.
    pub entries: Vec<Entry>,
    /// Static addresses of names. What is kept is for sandboxes that have the same.
    pub hosts: BTreeMap<String, String>,
    /// Where names are looked up.
    pub resolver: Arc<dyn Resolver>,
}

impl PullSpec {
    /// These packages from an index, whose name the host looks up.
    pub fn new(index: impl Into<String>, entries: Vec<Entry>) -> PullSpec {
        PullSpec {
            index: index.into(),
            entries,
            hosts: BTreeMap::new(),
            resolver: GatewayOptions::default().resolver,
        }
    }
}

/// Why nothing can be fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PullError {
    /// The index cannot be one.
    #[error("`{0}` is no index: write `https://HOST/PATH`")]
    Index(String),
    /// What is fetched from there is not kept.
    #[error("what `{0}` gives is not kept: it is not among the servers of downloads")]
    NotShared(String),
    /// Downloads are offline themselves.
    #[error("the downloads are offline")]
    Offline,
    /// A static address cannot be read.
    #[error("{0}")]
    Policy(#[from] PolicyError),
    /// The host gives no threads.
    #[error("the host gives no threads")]
    Threads,
}

/// What became of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulled {
    /// Its place among those that were asked for.
    pub number: usize,
    /// The package.
    pub entry: Entry,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is kept.
    Kept {
        /// The wheel.
        file: String,
        /// Its length.
        bytes: u64,
        /// Whether it came now, and was not there before.
        is_new: bool,
    },
    /// There is no pure wheel of it.
    NotPure,
    /// It could not be fetched, or is something else than the lock file says: why.
    Failed(String),
}

impl Pulled {
    /// Whether it is kept.
    pub fn is_kept(&self) -> bool {
        matches!(self.outcome, Outcome::Kept { .. })
    }

    /// Whether sandboxes will miss it. What is needed only sometimes, and has no pure wheel, is
    /// likely for another machine than theirs.
    pub fn is_missing(&self) -> bool {
        match self.outcome {
            Outcome::Kept { .. } => false,
            Outcome::NotPure => self.entry.marker.is_none(),
            Outcome::Failed(_) => true,
        }
    }
}

/// A line for people.
impl fmt::Display for Pulled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry {
            name,
            version,
            marker,
            ..
        } = &self.entry;
        match &self.outcome {
            Outcome::Kept {
                file,
                bytes,
                is_new,
            } => {
                let word = if *is_new { "fetched" } else { "kept" };
                write!(f, "{word:7} {file} ({bytes} bytes)")
            }
            Outcome::NotPure => {
                write!(f, "none    {name} {version}: {}", NoWheel::NotPure)?;
                match marker {
                    Some(marker) => write!(f, "; it is needed only where {marker}"),
                    None => Ok(()),
                }
            }
            Outcome::Failed(why) => write!(f, "failed  {name} {version}: {why}"),
        }
    }
}

impl Downloads {
    /// Fetches packages, and waits for all of them; `told` hears of each as it is done. The result
    /// has the order of the packages.
    ///
    /// Fails when nothing that the index gives would be kept. Must not be called on threads of a
    /// gateway.
    pub fn pull(
        &self,
        spec: PullSpec,
        told: impl Fn(&Pulled) + Send + Sync + 'static,
    ) -> Result<Vec<Pulled>, PullError> {
        if self.is_offline_at_all() {
            return Err(PullError::Offline);
        }
        let not_one = || PullError::Index(printable(&spec.index));
        let mut index = Url::parse(&spec.index).map_err(|_| not_one())?;
        let has_more = index.query().is_some() || index.fragment().is_some();
        let has_user = !index.username().is_empty() || index.password().is_some();
        if has_more || has_user || !matches!(index.scheme(), "http" | "https") {
            return Err(not_one());
        }
        let path = format!("{}/", index.path().trim_end_matches('/'));
        index.set_path(&path);
        if !self.is_shared(&index) {
            return Err(PullError::NotShared(printable(&spec.index)));
        }
        let policy = PolicySpec {
            allowed_hosts: Some(self.rules().to_vec()),
            hosts: spec.hosts,
            ..PolicySpec::default()
        };
        let pull = Arc::new(Pull {
            gateway: Gateway::new(GatewayOptions {
                resolver: spec.resolver,
                threads: 1,
                downloads: Some(self.clone()),
            }),
            policy: Arc::new(Policy::new(&policy, 0)?),
            downloads: self.clone(),
            index,
        });
        let (tell, all) = mpsc::channel();
        let gateway = pull.gateway.clone();
        let (entries, told) = (spec.entries, Arc::new(told));
        let run = async move { tell.send(pull.all(entries, told).await) };
        gateway
            .spawn(async {
                let _ = run.await;
            })
            .map_err(|_| PullError::Threads)?;
        all.recv().map_err(|_| PullError::Threads)
    }
}

/// A run of it.
struct Pull {
    gateway: Gateway,
    policy: Arc<Policy>,
    downloads: Downloads,
    /// With a slash at its end.
    index: Url,
}

/// What the events of a package's requests say.
#[derive(Debug, Default)]
struct Heard {
    failure: Option<String>,
    came: Option<&'static str>,
}

impl Pull {
    async fn all<F>(self: Arc<Pull>, entries: Vec<Entry>, told: Arc<F>) -> Vec<Pulled>
    where
        F: Fn(&Pulled) + Send + Sync + 'static,
    {
        let places = Arc::new(Semaphore::new(AT_A_TIME));
        let mut under_way = JoinSet::new();
        for (number, entry) in entries.into_iter().enumerate() {
            let (own, places, told) = (self.clone(), places.clone(), told.clone());
            under_way.spawn(async move {
                let _place = places.acquire().await;
                let outcome = match own.one(&entry).await {
                    Ok(outcome) => outcome,
                    Err(why) => Outcome::Failed(printable_all(&why)),
                };
                let pulled = Pulled {
                    number,
                    entry,
                    outcome,
                };
                told(&pulled);
                pulled
            });
        }
        let mut all = Vec::new();
        while let Some(pulled) = under_way.join_next().await {
            all.extend(pulled.ok());
        }
        all.sort_unstable_by_key(|pulled| pulled.number);
        all
    }

    async fn one(&self, entry: &Entry) -> Result<Outcome, String> {
        if entry.files == Files::NotPure {
            return Ok(Outcome::NotPure);
        }
        let heard = Arc::<Mutex<Heard>>::default();
        let client = Client {
            gateway: self.gateway.clone(),
            network: self.network(heard.clone()),
        };
        let page = self
            .index
            .join(&format!("{}/", entry.name))
            .map_err(|error| error.to_string())?;
        let links = self
            .page(&client, &page, entry)
            .await
            .map_err(|why| better(&heard, why))?;
        let metadata: Vec<Link> = links
            .iter()
            .filter(|link| link.url.path().ends_with(METADATA))
            .cloned()
            .collect();
        let link = match choose(links, entry) {
            Ok(link) => link,
            Err(NoWheel::NotPure) => return Ok(Outcome::NotPure),
            Err(why) => return Err(why.to_string()),
        };
        if !self.downloads.is_shared(&link.url) {
            let host = link.url.host_str().unwrap_or_default();
            return Err(format!(
                "the index has its files at {host}, which is not among the servers of downloads"
            ));
        }
        let digests = match &entry.files {
            Files::These(digests) => digests.as_slice(),
            Files::Any | Files::NotPure => &[],
        };
        // What the page does not say, the lock file does, before anything comes.
        if link.sha256.is_none()
            && let Some(place) = self.place(&link.url)
        {
            let (own, url, digests) = (self.downloads.clone(), link.url.clone(), digests.to_vec());
            let learn = move || own.learn_locked(&url, &place, &digests);
            let _ = tokio::task::spawn_blocking(learn).await;
        }
        let (bytes, digest) = self
            .file(&client, &link.url)
            .await
            .map_err(|why| better(&heard, why))?;
        if !digests.is_empty() && !digests.contains(&digest) {
            return Err("what came is not what the lock file names".to_owned());
        }
        let is_new = lock(&heard).came == Some("fetched");
        let of_wheel = format!("{}{METADATA}", link.url.path());
        if let Some(metadata) = metadata.iter().find(|own| own.url.path() == of_wheel) {
            let fetched = self.file(&client, &metadata.url).await;
            fetched.map_err(|why| better(&heard, why))?;
        }
        Ok(Outcome::Kept {
            file: link.file_name(),
            bytes,
            is_new,
        })
    }

    /// The links of a page to what could be taken for a package, and to its metadata. The page is
    /// kept.
    async fn page(&self, client: &Client, url: &Url, entry: &Entry) -> Result<Vec<Link>, String> {
        let reply = client.get(url, ACCEPT_PAGE).await?;
        let reply = good(url, reply).await?;
        let kind = reply.response.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let form =
            Form::of(kind).ok_or_else(|| format!("{url} is no page of an index, but `{kind}`"))?;
        let mut bytes = Vec::new();
        read(reply, |piece| {
            bytes.extend_from_slice(piece);
            bytes.len() as u64 <= MAX_PAGE
        })
        .await?;
        self.check_kept(url, ACCEPT_PAGE).await?;
        let mut links = Vec::new();
        index_page::links(&bytes, form, url, |link| {
            let name = link.file_name();
            let wheel = name.strip_suffix(METADATA).unwrap_or(&name);
            if links.len() < MAX_CANDIDATES && could_be(wheel, entry) {
                links.push(link);
            }
        });
        Ok(links)
    }

    /// Fetches a file, which is kept; its length and digest.
    async fn file(&self, client: &Client, url: &Url) -> Result<(u64, Sha256), String> {
        let reply = client.get(url, ACCEPT_FILE).await?;
        let reply = good(url, reply).await?;
        let (mut length, mut hash) = (0, sha2::Sha256::new());
        read(reply, |piece| {
            length += piece.len() as u64;
            hash.update(piece);
            true
        })
        .await?;
        self.check_kept(url, ACCEPT_FILE).await?;
        Ok((length, hash.finalize().into()))
    }

    async fn check_kept(&self, url: &Url, accept: &str) -> Result<(), String> {
        let is_kept = match self.place(url) {
            Some(place) => self.downloads.keeps(url, &place, accept).await,
            None => false,
        };
        match is_kept {
            true => Ok(()),
            false => Err(format!(
                "{url} came and is not kept: its server forbids that, or it is larger than a \
                 quarter of all that is kept"
            )),
        }
    }

    /// Where a URL leads by our policy, as by that of a sandbox.
    fn place(&self, url: &Url) -> Option<Place> {
        let Target {
            scheme, host, port, ..
        } = Target::parse(url.as_str()).ok()?;
        let grant = self.policy.stream(&host, port, scheme).ok()?;
        let address = self.policy.static_address(&host);
        Some(Place {
            scheme,
            address: address.map(|address| address.at(port)),
            roots: grant.tls.roots.clone().filter(|_| scheme == Scheme::Https),
            host,
            port,
        })
    }

    /// A network for one package.
    fn network(&self, heard: Arc<Mutex<Heard>>) -> Arc<Network> {
        let mut options = NetworkOptions::of(self.policy.clone());
        let limits = &mut options.limits;
        for limit in [
            &mut limits.requests,
            &mut limits.bytes_in,
            &mut limits.bytes_out,
        ] {
            *limit = u64::MAX;
        }
        options.events = Arc::new(move |event| {
            let mut heard = lock(&heard);
            match event {
                Event::Request(event) => {
                    heard.failure = event.failure;
                    heard.came = event.came;
                }
                Event::Denied(event) => heard.failure = Some(event.denial.why()),
                Event::SecretLeak { .. } => {}
            }
        });
        Arc::new(Network::new(options))
    }
}

/// A reply that has what was asked for.
async fn good(url: &Url, reply: Reply) -> Result<Reply, String> {
    let status = reply.response.status();
    if status == StatusCode::OK {
        return Ok(reply);
    }
    if status.is_redirection() {
        return Err(format!(
            "{url} is given by a redirect, which cannot be kept"
        ));
    }
    let is_ours = is_text(&reply.response);
    let mut text = Vec::new();
    let _ = read(reply, |piece| {
        text.extend_from_slice(piece);
        text.len() < 1000
    })
    .await;
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().next().filter(|_| is_ours).unwrap_or_default();
    Err(format!("{url}: {status}: {line}")
        .trim_end_matches([':', ' '])
        .to_owned())
}

fn is_text<B>(response: &Response<B>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"))
}

/// Reads a body to its end, or until `each` has enough.
async fn read(mut reply: Reply, mut each: impl FnMut(&[u8]) -> bool) -> Result<(), String> {
    let body = reply.response.body_mut();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| error.to_string())?;
        if let Some(data) = frame.data_ref()
            && !each(data)
        {
            return Err("it is too long".to_owned());
        }
    }
    Ok(())
}

/// Why something failed: what the gateway says of it, rather than what its guest sees.
fn better(heard: &Mutex<Heard>, why: String) -> String {
    lock(heard).failure.clone().unwrap_or(why)
}

fn lock(heard: &Mutex<Heard>) -> std::sync::MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A text without what a terminal would act on, and not too long.
fn printable_all(text: &str) -> String {
    let characters = text.chars().take(1_000);
    characters
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
