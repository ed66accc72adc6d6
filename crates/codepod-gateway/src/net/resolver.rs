//! Lookups of names.

use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::hosts_file;
use crate::network::BoxFuture;

/// How many lookups of the system run at one time; each blocks a thread.
pub(super) const MAX_LOOKUPS: usize = 16;

/// Why a lookup has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// There is no such name.
    #[error("there is no host of this name")]
    NotFound,
    /// It could not be found out.
    #[error("the name cannot be looked up: {0}")]
    Failed(String),
}

impl ResolveError {
    /// Whether an error of the standard library's lookup says that there is no such name. It tells
    /// the reason of `getaddrinfo` in words only: glibc's, musl's and Apple's.
    fn is_absence(error: &std::io::Error) -> bool {
        let text = error.to_string();
        let absent = [
            "Name or service not known",
            "No address associated",
            "Name does not resolve",
            "Name has no usable address",
            "nodename nor servname provided",
        ];
        absent.iter().any(|known| text.contains(known))
    }
}

/// Looks names up.
pub trait Resolver: std::fmt::Debug + Send + Sync {
    /// All addresses of a name, which is absolute and in canonical form. All of them are checked,
    /// so that a name with more than [`MAX_ADDRESSES`](crate::vet::MAX_ADDRESSES) is refused.
    fn resolve(&self, name: String) -> BoxFuture<Result<Vec<IpAddr>, ResolveError>>;
}

/// The host's own lookups (`/etc/hosts`, `getaddrinfo`), so that what its administrator has set up
/// holds. Names are absolute: search lists do not apply.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    places: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        SystemResolver {
            places: Arc::new(Semaphore::new(MAX_LOOKUPS)),
        }
    }
}

impl SystemResolver {
    /// Looks a name up, and blocks the thread for as long as that takes.
    pub fn look_up(name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let listed = hosts_file::addresses(name);
        if !listed.is_empty() {
            return Ok(listed);
        }
        match (format!("{name}."), 0).to_socket_addrs() {
            Ok(answers) => Ok(answers.map(|address| address.ip()).collect()),
            Err(why) if ResolveError::is_absence(&why) => Err(ResolveError::NotFound),
            Err(why) => Err(ResolveError::Failed(why.to_string())),
        }
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> BoxFuture<Result<Vec<IpAddr>, ResolveError>> {
        let places = self.places.clone();
        Box::pin(async move {
            let failed = |why: &dyn std::fmt::Display| ResolveError::Failed(why.to_string());
            let _place = places.acquire().await.map_err(|why| failed(&why))?;
            let looked_up = tokio::task::spawn_blocking(move || SystemResolver::look_up(&name));
            looked_up.await.map_err(|why| failed(&why))?
        })
    }
}
