//! `codepod serve`: HTTP for many tenants. Flags come before the environment, that before the file,
//! that before what is usual.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use codepod::{Error, ErrorKind, Runtime, RuntimeOptions};
use codepod_server::http::{self, Config, KeyHash, TlsConfig};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, fmt};

use crate::failure::{Failure, cannot_serve};

#[derive(Args)]
pub(crate) struct Serve {
    /// Configuration file (TOML); flags and environment variables override it
    #[arg(long, value_name = "FILE", env = "CODEPOD_CONFIG")]
    config: Option<PathBuf>,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS:PORT", env = "CODEPOD_LISTEN")]
    listen: Option<SocketAddr>,
    /// Address of the metrics for Prometheus
    #[arg(long, value_name = "ADDRESS:PORT", env = "CODEPOD_METRICS")]
    metrics: Option<SocketAddr>,
    /// A host name that clients use for this server; can be repeated
    #[arg(
        long = "host",
        value_name = "NAME",
        env = "CODEPOD_HOSTS",
        value_delimiter = ','
    )]
    hosts: Vec<String>,
    /// A web origin that may call this server; can be repeated
    #[arg(
        long = "origin",
        value_name = "URL",
        env = "CODEPOD_ORIGINS",
        value_delimiter = ','
    )]
    origins: Vec<String>,
    /// Directory of saved states; without it nothing is saved
    #[arg(long, value_name = "DIRECTORY", env = "CODEPOD_STATES")]
    states: Option<PathBuf>,
    /// Save a sandbox after this many idle seconds and free its memory; needs --states
    #[arg(long, value_name = "SECONDS", env = "CODEPOD_IDLE_SECONDS")]
    idle_seconds: Option<u64>,
    /// Certificate chain in PEM, for TLS
    #[arg(
        long,
        value_name = "FILE",
        env = "CODEPOD_TLS_CERTIFICATE",
        requires = "tls_key"
    )]
    tls_certificate: Option<PathBuf>,
    /// Its private key in PEM
    #[arg(
        long,
        value_name = "FILE",
        env = "CODEPOD_TLS_KEY",
        requires = "tls_certificate"
    )]
    tls_key: Option<PathBuf>,
    /// Format of the log on standard error
    #[arg(long, value_name = "FORM", env = "CODEPOD_LOG", default_value = "json")]
    log: Log,
    /// Print a new API key and its hash for the configuration, and exit
    #[arg(long)]
    new_key: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Log {
    Json,
    Text,
    Off,
}

impl Serve {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        if self.new_key {
            return Ok(print_new_key()?);
        }
        let log = self.log;
        let config = self.config()?;
        let again = move || self.config().map_err(|error| error.to_string());
        config.check().map_err(|error| wrong(error.to_string()))?;
        let _telemetry = listen_to_events(log)?;
        let scheme = if config.tls.is_some() {
            "https"
        } else {
            "http"
        };
        let mut options = RuntimeOptions::default();
        options.memory_bytes = config.memory_bytes;
        if let Some(network) = &config.network {
            let opened = network.open_downloads();
            options.downloads = opened.map_err(|error| wrong(error.to_string()))?;
        }
        let is_usual = options.memory_bytes.is_none() && options.downloads.is_none();
        let runtime = match is_usual {
            true => Runtime::global()?,
            false => Runtime::new(options)?,
        };
        http::serve(runtime, config, again, |server| {
            if let Ok(address) = server.address() {
                eprintln!("codepod: listening on {scheme}://{address}");
            }
            if let Some(address) = server.metrics_address() {
                eprintln!("codepod: metrics on http://{address}/metrics");
            }
            if let Some(key) = &server.made_key {
                eprintln!("codepod: the key of this run: {key}");
            }
        })
        .map_err(|error| cannot_serve(&error, "--listen"))?;
        Ok(0)
    }

    /// Flags and environment over the file over what is usual.
    fn config(&self) -> Result<Config, Error> {
        let mut config = match &self.config {
            Some(path) => {
                let named = |why: String| wrong(format!("`{}`: {why}", path.display()));
                let text = fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
                Config::parse(&text).map_err(|error| named(error.to_string()))?
            }
            None => Config::default(),
        };
        if let Some(listen) = self.listen {
            config.listen = listen;
        }
        config.metrics = self.metrics.or(config.metrics);
        if !self.hosts.is_empty() {
            config.hosts.clone_from(&self.hosts);
        }
        if !self.origins.is_empty() {
            config.origins.clone_from(&self.origins);
        }
        config.states = self.states.clone().or(config.states);
        config.idle_seconds = self.idle_seconds.or(config.idle_seconds);
        if let (Some(certificate), Some(key)) = (&self.tls_certificate, &self.tls_key) {
            config.tls = Some(TlsConfig {
                certificate: certificate.clone(),
                key: key.clone(),
            });
        }
        Ok(config)
    }
}

/// Writes the log, and sends traces where the environment asks for them, until what is returned is
/// dropped.
#[cfg(feature = "telemetry")]
fn listen_to_events(log: Log) -> Result<Option<crate::telemetry::Telemetry>, Error> {
    let found =
        crate::telemetry::layer().map_err(|why| wrong(format!("cannot send traces: {why}")))?;
    let (layer, telemetry) = found.unzip();
    tracing_subscriber::registry()
        .with(layer)
        .with(log.layer())
        .init();
    Ok(telemetry)
}

/// Writes the log.
#[cfg(not(feature = "telemetry"))]
fn listen_to_events(log: Log) -> Result<Option<std::convert::Infallible>, Error> {
    if std::env::var_os("OTEL_EXPORTER_OTLP_ENDPOINT").is_some() {
        let why = "this codepod was built without traces: unset OTEL_EXPORTER_OTLP_ENDPOINT, or build it with `--features telemetry`";
        return Err(wrong(why.into()));
    }
    tracing_subscriber::registry().with(log.layer()).init();
    Ok(None)
}

impl Log {
    fn layer<S>(self) -> Option<Box<dyn Layer<S> + Send + Sync>>
    where
        S: tracing::Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span>,
    {
        let lines = fmt::layer().with_writer(std::io::stderr);
        Some(match self {
            Log::Json => lines
                .json()
                .flatten_event(true)
                .with_span_list(false)
                .with_current_span(false)
                .with_filter(LevelFilter::INFO)
                .boxed(),
            Log::Text => lines.with_filter(LevelFilter::INFO).boxed(),
            Log::Off => return None,
        })
    }
}

#[expect(clippy::print_stdout, reason = "the key is the command's result")]
fn print_new_key() -> Result<u8, Error> {
    let key = http::new_key().map_err(|error| wrong(error.to_string()))?;
    println!("key:  {key}");
    println!("hash: {}", KeyHash::of(&key));
    eprintln!("codepod: give the key to the client; put the hash into `keys` of a tenant");
    Ok(0)
}

fn wrong(why: String) -> Error {
    ErrorKind::InvalidArgument(why).into()
}
