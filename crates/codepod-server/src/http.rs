//! HTTP: the methods as routes, output as Server-Sent Events, a terminal over WebSocket, and what
//! listens inside a sandbox.
//!
//! Every request names its tenant by a key, also on loopback. `Host` and `Origin` must be known,
//! bodies are JSON, nothing is decompressed. A request whose client leaves is cancelled. Metrics
//! have a listener of their own.

pub(crate) mod access;
mod admission;
mod answer;
mod asked;
mod config;
pub(crate) mod connection;
mod events;
mod keys;
mod metrics;
mod patience;
mod port_stream;
mod ports;
mod raw;
mod request;
mod response;
mod routes;
mod states;
mod terminal;
mod tls;

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use codepod::Runtime;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::server::{Reach, Server, ServerOptions};
use crate::signals::{Hangups, told_to_end};
use access::Access;
use admission::Turns;
pub use config::{CeilingConfig, Config, ConfigError, KeyConfig, TenantConfig, TlsConfig};
use keys::Keys;
pub use keys::{KeyHash, new_key};
use metrics::Metrics;

/// What all requests share.
struct App {
    server: Server,
    /// Changed as a whole when the configuration is read again.
    keys: RwLock<Arc<Keys>>,
    access: Access,
    metrics: Metrics,
    config: Config,
    turns: Turns,
    draining: AtomicBool,
}

impl App {
    /// Whether new work is taken.
    fn is_ready(&self) -> bool {
        !self.draining.load(Ordering::Relaxed)
    }

    /// Who has which key now.
    fn keys(&self) -> Arc<Keys> {
        let keys = self.keys.read();
        keys.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Gives a server that runs other keys.
#[derive(Clone)]
pub struct Reloader {
    app: Arc<App>,
}

impl Reloader {
    /// Takes the tenants and keys of a configuration. Requests that are under way are answered;
    /// tenants stay who they are, with the quotas that they had. Fails, and changes nothing, if
    /// a key is none.
    pub fn reload(&self, config: &Config) -> io::Result<()> {
        let renewed = Arc::new(self.app.keys().renewed(config)?);
        let keys = self.app.keys.write();
        *keys.unwrap_or_else(PoisonError::into_inner) = renewed;
        Ok(())
    }
}

/// A server that listens.
pub struct HttpServer {
    app: Arc<App>,
    listener: TcpListener,
    metrics: Option<TcpListener>,
    tls: Option<tls::Acceptor>,
    /// The key that was made for this run, because none is configured.
    pub made_key: Option<String>,
}

impl HttpServer {
    /// Opens the ports; nothing is answered yet.
    pub async fn bind(runtime: Runtime, config: Config) -> io::Result<HttpServer> {
        let listener = TcpListener::bind(config.listen).await?;
        let metrics = match config.metrics {
            Some(address) => Some(TcpListener::bind(address).await?),
            None => None,
        };
        let tls = match &config.tls {
            Some(files) => Some(tls::Acceptor::new(files)?),
            None => None,
        };
        let options = ServerOptions {
            states: config.states.clone(),
            host_mounts: false,
            ceiling: Some(config.ceiling.ceiling()),
            reach: match &config.network {
                Some(network) => Reach::Within(network.network().map_err(io::Error::other)?),
                None => Reach::Nothing,
            },
        };
        let (keys, made_key) = Keys::new(&config)?;
        let app = Arc::new(App {
            server: Server::new(runtime, options),
            keys: RwLock::new(Arc::new(keys)),
            access: Access::new(&config.hosts, &config.origins, listener.local_addr()?),
            metrics: Metrics::new(),
            config,
            turns: Turns::new(),
            draining: AtomicBool::new(false),
        });
        Ok(HttpServer {
            app,
            listener,
            metrics,
            tls,
            made_key,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Where its metrics are.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref()?.local_addr().ok()
    }

    /// What changes its keys while it runs.
    pub fn reloader(&self) -> Reloader {
        Reloader {
            app: self.app.clone(),
        }
    }

    /// The sandboxes.
    pub fn server(&self) -> &Server {
        &self.app.server
    }

    /// Answers until `stop` ends; then takes no more, and waits for what runs, as long as the
    /// configuration says.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let HttpServer {
            app,
            listener,
            metrics,
            tls,
            ..
        } = self;
        let (tell, told) = watch::channel(());
        let limits = connection::Limits {
            connections: app.config.connections,
            per_address: app.config.connections_per_address,
            head: Duration::from_secs(app.config.request_seconds),
            send: Duration::from_secs(app.config.send_seconds),
        };
        let count = |app: &Arc<App>| {
            let app = app.clone();
            move || app.metrics.connected()
        };
        if let Some(listener) = metrics {
            tokio::spawn(connection::serve(
                listener,
                None,
                metrics::router(app.clone()),
                limits,
                count(&app),
                told.clone(),
            ));
        }
        let sleeper = tokio::spawn(put_to_sleep(app.clone()));
        let main = tokio::spawn(connection::serve(
            listener,
            tls,
            routes::router(app.clone()),
            limits,
            count(&app),
            told,
        ));
        stop.await;
        app.draining.store(true, Ordering::Relaxed);
        tracing::info!(event = "draining", seconds = app.config.drain_seconds);
        drop(tell);
        let patience = Duration::from_secs(app.config.drain_seconds);
        let in_time = tokio::time::timeout(patience, main).await.is_ok();
        sleeper.abort();
        // What is still there is ended; persistent sandboxes are saved when they end.
        let ending = app.clone();
        let _ = tokio::task::spawn_blocking(move || {
            for tenant in ending.keys().tenants() {
                ending.server.destroy_all(tenant);
            }
        })
        .await;
        tracing::info!(event = "stopped", in_time);
    }
}

/// Serves until the host's process is told to end (SIGTERM, SIGINT). `ready` is called when the
/// ports are open; `again` reads the configuration again when the process is told to (SIGHUP), of
/// which tenants and keys are taken.
pub fn serve(
    runtime: Runtime,
    config: Config,
    again: impl Fn() -> Result<Config, String> + Send + Sync + 'static,
    ready: impl FnOnce(&HttpServer),
) -> io::Result<()> {
    let threads = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(1024)
        .enable_all()
        .build()?;
    threads.block_on(async {
        let server = HttpServer::bind(runtime, config).await?;
        let told = told_to_end()?;
        let hangups = Hangups::new()?;
        let reloading = tokio::spawn(reload(hangups, server.reloader(), Arc::new(again)));
        ready(&server);
        server.run(told).await;
        reloading.abort();
        Ok(())
    })
}

/// Takes other keys whenever the host's process is told to.
async fn reload(
    mut hangups: Hangups,
    reloader: Reloader,
    again: Arc<impl Fn() -> Result<Config, String> + Send + Sync + 'static>,
) {
    while hangups.next().await.is_some() {
        let (reloader, again) = (reloader.clone(), again.clone());
        let reloaded = tokio::task::spawn_blocking(move || {
            let config = again()?;
            config.check().map_err(|error| error.to_string())?;
            reloader
                .reload(&config)
                .map_err(|error| error.to_string())?;
            Ok::<usize, String>(config.tenants.len())
        });
        match reloaded.await {
            Ok(Ok(tenants)) => tracing::info!(event = "reloaded", tenants),
            Ok(Err(why)) => tracing::warn!(event = "not reloaded", why),
            Err(_) => tracing::warn!(event = "not reloaded"),
        }
    }
}

/// Saves sandboxes that nobody uses, and frees their memory.
async fn put_to_sleep(app: Arc<App>) {
    let Some(idle) = app.config.idle_seconds else {
        return;
    };
    let mut tick = tokio::time::interval(Duration::from_secs(idle.clamp(1, 30)));
    loop {
        tick.tick().await;
        let working = app.clone();
        let slept = tokio::task::spawn_blocking(move || {
            let keys = working.keys();
            keys.tenants()
                .map(|tenant| working.server.sleep_idle(tenant, idle * 1000))
                .sum::<usize>()
        });
        if let Ok(slept @ 1..) = slept.await {
            tracing::info!(event = "slept", sandboxes = slept);
        }
    }
}
