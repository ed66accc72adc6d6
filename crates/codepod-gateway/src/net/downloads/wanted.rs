//! What a request asks for, as far as what is kept depends on it.

use std::time::SystemTime;

use hyper::Request;
use hyper::header::{self, ACCEPT, HeaderMap};
use url::Url;

use super::flight::Kept;
use super::store::Key;
use super::{Inner, Place, lifetime};
use crate::event::cut_url;
use crate::http::{Body, Shareable};
use crate::packages::index_page::Form;
use crate::packages::{Sha256, hexadecimal, is_distribution};
use crate::policy::target::Target;

/// The reply to a request that may be shared.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Where it is.
    pub(super) url: Url,
    /// What its server is, beside its name.
    pub(super) scope: Scope,
    /// What its reply is kept by.
    key: Key,
    /// The same for all who ask, whatever they accept.
    plain: Key,
    accept: Vec<Vec<u8>>,
    /// The digests that it may have. None where nobody has named it.
    digests: Vec<Sha256>,
}

/// What makes a server another than that of the same name elsewhere.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    address: Vec<Vec<u8>>,
    roots: Option<Vec<Vec<u8>>>,
}

impl Scope {
    pub(super) fn of(place: &Place) -> Scope {
        let address = place.address.map(|address| address.to_string());
        Scope {
            address: address.map(String::into_bytes).into_iter().collect(),
            roots: place.roots.clone(),
        }
    }

    /// A key of something in this scope.
    pub(super) fn key(&self, what: &str, url: &str, more: &[Vec<u8>]) -> Key {
        Key::of(&[
            &[what.as_bytes().to_vec(), url.as_bytes().to_vec()],
            more,
            &self.address,
            self.roots.as_deref().unwrap_or_default(),
            &[vec![u8::from(self.roots.is_some())]],
        ])
    }

    /// What a file is named by.
    pub(super) fn file(&self, url: &Url) -> Key {
        self.key("file", url.as_str(), &[])
    }
}

impl Place {
    /// The URL of a path here, as one that knows it from a link would write it.
    fn url(&self, path_and_query: &str) -> Option<Url> {
        let (scheme, host, port) = (self.scheme.as_str(), self.host.in_url(), self.port);
        Url::parse(&format!("{scheme}://{host}:{port}{path_and_query}")).ok()
    }
}

impl Wanted {
    /// What a request asks for, if its reply may be shared.
    pub(super) fn of(request: &Request<Body>, place: &Place, inner: &Inner) -> Option<Wanted> {
        let path = request.uri().path_and_query()?.as_str();
        let target = Target {
            scheme: place.scheme,
            host: place.host.clone(),
            port: place.port,
            path: path.to_owned(),
        };
        let is_for_everybody = match inner.offline {
            true => lifetime::takes_kept(request),
            false => lifetime::is_for_everybody(request),
        };
        let may = request.extensions().get::<Shareable>().is_some()
            && is_for_everybody
            && inner.from.request(&target, "GET").is_ok();
        if !may {
            return None;
        }
        let accept = request.headers().get_all(ACCEPT).iter();
        let accept = accept.map(|value| value.as_bytes().to_vec()).collect();
        Some(Wanted::at(
            place.url(path)?,
            Scope::of(place),
            accept,
            inner,
        ))
    }

    pub(super) fn at(url: Url, scope: Scope, accept: Vec<Vec<u8>>, inner: &Inner) -> Wanted {
        let digests = match is_distribution(url.path()) {
            true => inner.store.digests.of(scope.file(&url)),
            false => Vec::new(),
        };
        Wanted {
            key: scope.key("accepting", url.as_str(), &accept),
            plain: scope.key("plain", url.as_str(), &[]),
            accept,
            digests,
            scope,
            url,
        }
    }

    pub(super) fn key(&self) -> Key {
        self.key
    }

    pub(super) fn keys(&self) -> [Key; 2] {
        [self.key, self.plain]
    }

    /// Whether an index names its digest.
    pub(super) fn is_named(&self) -> bool {
        !self.digests.is_empty()
    }

    /// How a digest differs from those that indexes name, if it does.
    pub(super) fn differs(&self, digest: &Sha256) -> Option<String> {
        if self.digests.is_empty() || self.digests.contains(digest) {
            return None;
        }
        // A lock file may name many.
        let named: Vec<String> = self.digests.iter().take(3).map(hexadecimal).collect();
        Some(format!(
            "the index names another file: sha256 {}, and what came has {}",
            named.join(" or "),
            hexadecimal(digest)
        ))
    }

    /// The form of the page of an index that a reply is, if it is one and can be read.
    pub(super) fn page(&self, headers: &HeaderMap) -> Option<Form> {
        let plain = |value: &header::HeaderValue| {
            let coding = value.as_bytes().trim_ascii();
            coding.eq_ignore_ascii_case(b"identity")
        };
        let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
        if is_distribution(self.url.path()) || !codings.all(plain) {
            return None;
        }
        Form::of(headers.get(header::CONTENT_TYPE)?.to_str().ok()?)
    }

    /// Whether what is kept is what is wanted, if perhaps an old version of it.
    pub(super) fn is_for(&self, kept: &Kept) -> bool {
        let content = kept.content();
        content.is_some_and(|content| self.differs(&content.sha256).is_none())
    }

    /// Whether what is kept is of a kind that the client takes.
    pub(super) fn accepts(&self, kept: &Kept) -> bool {
        let kind = kept.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let (group, _) = kind.split_once('/').unwrap_or((kind, ""));
        let mut ranges = self.accept.iter().flat_map(|value| {
            let value = String::from_utf8_lossy(value).into_owned();
            let ranges = value.split(',').map(|range| {
                let range = range.split(';').next().unwrap_or_default();
                range.trim().to_owned()
            });
            ranges.collect::<Vec<_>>()
        });
        self.accept.is_empty()
            || ranges.any(|range| {
                range == "*/*"
                    || range.eq_ignore_ascii_case(kind)
                    || range
                        .strip_suffix("/*")
                        .is_some_and(|own| own.eq_ignore_ascii_case(group))
            })
    }

    /// What is said where nothing is kept, and nothing can be asked for.
    pub(super) fn absence(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        let path = match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        };
        let port = self.url.port_or_known_default().unwrap_or_default();
        let url = cut_url(self.url.scheme(), &host, port, &path);
        format!("{host} is offline here, and {url} is not among what was downloaded before")
    }

    /// Whether what is kept can be given without asking its server.
    pub(super) fn is_served_by(&self, kept: &Kept, now: SystemTime) -> bool {
        self.is_named() || kept.is_fresh(now)
    }

    /// Both keys, in the order in which they are looked at.
    pub(super) fn looked_at(&self) -> [(Key, bool); 2] {
        [(self.key, false), (self.plain, true)]
    }
}
