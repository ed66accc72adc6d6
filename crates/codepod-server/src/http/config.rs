//! Configuration: flags before environment before file before what is usual. `codepod serve` puts the first three together;
//! here is what they add up to.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::server::Ceiling;
use crate::tenant::Quota;

/// How a server is set up. The names are those of the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where metrics are; nowhere if not given.
    pub metrics: Option<SocketAddr>,
    /// Names by which clients may call this server, beside its address and `localhost`.
    pub hosts: Vec<String>,
    /// Web pages that may call this server.
    pub origins: Vec<String>,
    /// Where states are kept; none are if not given.
    pub states: Option<PathBuf>,
    /// Certificate and key; without them it speaks plain HTTP.
    pub tls: Option<TlsConfig>,
    /// Who may use it. With none, a key is made for each run.
    pub tenants: Vec<TenantConfig>,
    /// What no sandbox may go beyond.
    pub ceiling: CeilingConfig,
    /// After how many idle seconds a sandbox is saved and its memory freed; never if not given. Needs `states`.
    pub idle_seconds: Option<u64>,
    /// The largest body of a request.
    pub request_bytes: usize,
    /// How long a request's head and body may take to arrive.
    pub request_seconds: u64,
    /// Connections at a time.
    pub connections: usize,
    /// How long requests may go on after the server was told to stop.
    pub drain_seconds: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8377)),
            metrics: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            states: None,
            tls: None,
            tenants: Vec::new(),
            ceiling: CeilingConfig::default(),
            idle_seconds: None,
            request_bytes: 64 << 20,
            request_seconds: 30,
            connections: 4096,
            drain_seconds: 30,
        }
    }
}

/// A certificate and its key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// The certificate chain, in PEM.
    pub certificate: PathBuf,
    /// The private key, in PEM.
    pub key: PathBuf,
}

/// A tenant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantConfig {
    /// Its name: lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// Hashes of its keys, as `codepod serve --new-key` prints them.
    pub keys: Vec<String>,
    /// Sandboxes at a time.
    #[serde(default = "sandboxes")]
    pub sandboxes: usize,
    /// Requests at a time.
    #[serde(default = "requests")]
    pub requests: usize,
}

fn sandboxes() -> usize {
    1000
}

fn requests() -> usize {
    256
}

impl TenantConfig {
    pub(super) fn quota(&self) -> Quota {
        Quota {
            sandboxes: self.sandboxes,
            requests: self.requests,
            ..Quota::default()
        }
    }
}

/// What no sandbox may go beyond.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CeilingConfig {
    /// How long a command may take.
    pub timeout_seconds: u64,
    /// Memory of one process.
    pub memory_bytes: usize,
    /// Bytes of files.
    pub disk_bytes: u64,
    /// Processes at a time.
    pub processes: usize,
}

impl Default for CeilingConfig {
    fn default() -> CeilingConfig {
        CeilingConfig {
            timeout_seconds: 600,
            memory_bytes: 1 << 30,
            disk_bytes: 4 << 30,
            processes: 256,
        }
    }
}

impl CeilingConfig {
    pub(super) fn ceiling(&self) -> Ceiling {
        Ceiling {
            timeout: Duration::from_secs(self.timeout_seconds),
            memory_bytes: self.memory_bytes,
            disk_bytes: self.disk_bytes,
            processes: self.processes,
        }
    }
}

/// A configuration that cannot be used.
#[derive(Debug)]
pub struct ConfigError(pub String);

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Reads a file's text. What it does not name stays as usual; what it misspells is refused.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError(error.to_string()))
    }

    /// Fails where values do not go together.
    pub fn check(&self) -> Result<(), ConfigError> {
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        let mut names: Vec<&str> = self.tenants.iter().map(|tenant| &*tenant.name).collect();
        for name in &names {
            if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
                let message =
                    format!("`{name}` cannot name a tenant: 1 to 64 of a-z, 0-9, `-` and `_` can");
                return Err(ConfigError(message));
            }
        }
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ConfigError("two tenants have the same name".into()));
        }
        if self.tenants.is_empty() && !self.listen.ip().is_loopback() {
            return Err(ConfigError(
                "a server that others can reach needs `tenants` with keys".into(),
            ));
        }
        if self.idle_seconds.is_some() && self.states.is_none() {
            return Err(ConfigError(
                "`idle_seconds` needs `states`, a directory to save sandboxes in".into(),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Config;

    #[test]
    fn a_file_says_what_it_says_and_nothing_else() {
        let text = r#"
            listen = "0.0.0.0:80"
            idle_seconds = 60
            states = "/var/lib/codepod"
            [ceiling]
            processes = 8
            [[tenants]]
            name = "acme"
            keys = ["00"]
        "#;
        let config = Config::parse(text).unwrap();
        config.check().unwrap();
        assert_eq!(
            (config.ceiling.processes, config.tenants[0].sandboxes),
            (8, 1000)
        );
        assert_eq!(config.request_bytes, Config::default().request_bytes);
        assert!(Config::parse("lisen = \"0.0.0.0:80\"").is_err());
        let refused = [
            "listen = \"0.0.0.0:80\"",
            "idle_seconds = 1",
            "[[tenants]]\nname = \"../x\"\nkeys = []",
        ];
        for text in refused {
            assert!(Config::parse(text).unwrap().check().is_err(), "{text}");
        }
    }
}
