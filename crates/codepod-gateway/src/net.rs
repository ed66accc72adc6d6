//! Sockets of the host: lookups, connections, TLS.
//!
//! A [`Gateway`] serves all sandboxes of a host process. It has threads of its own, which the first
//! granted connection starts; who grants nothing never has them.

mod dial;
mod door;
mod downloads;
mod granted;
mod heard_out;
mod hosts_file;
mod idle;
mod kept;
mod link_stream;
mod offload;
mod opening;
mod prefixed;
mod pull;
mod relay;
mod resolver;
mod session;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod testing;
mod tls;
mod upstream;

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use codepod_abi::Errno;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::event::Origin;
use crate::network::Network;
use crate::policy::denial::Denial;
use crate::policy::host::Host;

pub use door::Door;
pub use downloads::{Downloads, DownloadsError, DownloadsSpec};
pub use pull::{Outcome, PullError, PullSpec, Pulled};
pub use resolver::{ResolveError, Resolver, SystemResolver};
pub use session::{Close, Session};
pub use tls::{certificates, client_cert};
pub(crate) use upstream::spoken;

/// How many requests of all sandboxes wait for the embedder's answer at one time.
const MAX_ASKED: usize = 64;

/// What a gateway is made from.
#[derive(Clone)]
pub struct GatewayOptions {
    /// Where names are looked up.
    pub resolver: Arc<dyn Resolver>,
    /// How many threads carry all connections.
    pub threads: usize,
    /// What sandboxes share of what they download.
    pub downloads: Option<Downloads>,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        GatewayOptions {
            resolver: Arc::new(SystemResolver::default()),
            threads: 1,
            downloads: None,
        }
    }
}

/// Why a guest gets no connection.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// What its `connect` fails with.
    pub errno: Errno,
    /// In words.
    pub why: String,
}

impl Refusal {
    fn denied(denial: &Denial) -> Refusal {
        Refusal {
            errno: Errno::Access,
            why: denial.why(),
        }
    }
}

/// The sockets of a host process; clones are the same gateway.
#[derive(Clone)]
pub struct Gateway {
    shared: Arc<Shared>,
}

struct Shared {
    resolver: Arc<dyn Resolver>,
    threads: usize,
    downloads: Option<Downloads>,
    runtime: OnceLock<Option<Runtime>>,
    tls: tls::Configs,
    asked: Arc<Semaphore>,
    dials: AtomicU64,
    lookups: AtomicU64,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("dials", &self.dials())
            .field("lookups", &self.lookups())
            .finish_non_exhaustive()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A runtime waits for its threads when it is dropped, which must not happen on one of them.
        if let Some(Some(runtime)) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Default for Gateway {
    fn default() -> Self {
        Gateway::new(GatewayOptions::default())
    }
}

impl Gateway {
    /// A gateway; it starts nothing yet.
    pub fn new(options: GatewayOptions) -> Gateway {
        Gateway {
            shared: Arc::new(Shared {
                resolver: options.resolver,
                threads: options.threads.max(1),
                downloads: options.downloads,
                runtime: OnceLock::new(),
                tls: tls::Configs::default(),
                asked: Arc::new(Semaphore::new(MAX_ASKED)),
                dials: AtomicU64::new(0),
                lookups: AtomicU64::new(0),
            }),
        }
    }

    /// How many addresses were dialled.
    pub fn dials(&self) -> u64 {
        self.shared.dials.load(Ordering::Relaxed)
    }

    /// How many names were looked up.
    pub fn lookups(&self) -> u64 {
        self.shared.lookups.load(Ordering::Relaxed)
    }

    /// Whether threads were started.
    pub fn has_started(&self) -> bool {
        self.shared.runtime.get().is_some()
    }

    /// Runs a future on the gateway's threads, and starts them if that was not done yet.
    ///
    /// Fails when the host gives no threads; the future is dropped then.
    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> Result<(), Errno> {
        let runtime = self.shared.runtime.get_or_init(|| {
            tokio::runtime::Builder::new_multi_thread()
                .worker_threads(self.shared.threads)
                .max_blocking_threads(resolver::MAX_LOOKUPS)
                .thread_name("codepod-network")
                .enable_all()
                .build()
                .ok()
        });
        runtime.as_ref().ok_or(Errno::Again)?.spawn(future);
        Ok(())
    }

    /// Whether there is a host of this name. A name that no rule allows is not looked up, and
    /// counts as one that exists: connecting tells why it is denied.
    ///
    /// Fails with `NoEnt` when an allowed name does not exist, and with `Again` when that could not
    /// be found out. Runs on the gateway's threads only.
    pub async fn resolve(&self, network: &Network, name: &str) -> Result<(), Errno> {
        let Ok(host) = Host::parse(name) else {
            return Ok(());
        };
        opening::look_up(self, network, &host).await
    }

    /// Opens a connection for a guest: decides, looks up, vets, dials.
    ///
    /// Fails with `Access` when it is denied, which is also reported, and with what `connect` says
    /// otherwise. Runs on the gateway's threads only.
    pub async fn open(
        &self,
        network: &Arc<Network>,
        origin: Origin,
        host: Host,
        port: u16,
    ) -> Result<Session, Refusal> {
        Session::open(self.clone(), network.clone(), origin, host, port).await
    }
}

/// The time since the first call.
fn clock() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
