//! Configuration: flags before environment before file before what is usual. `codepod serve` puts
//! the first three together; here is what they add up to.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codepod::network::{
    Downloads, DownloadsSpec, Network, NetworkSpec, PolicySpec, RuleSpec, TlsSpec, certificates,
};
use serde::Deserialize;

use crate::quota::Quota;
use crate::server::Ceiling;

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
    /// What sandboxes may be given of the network; nothing if not given.
    pub network: Option<NetworkConfig>,
    /// After how many idle seconds a sandbox is saved and its memory freed; never if not given.
    /// Needs `states`.
    pub idle_seconds: Option<u64>,
    /// The largest body of a request.
    pub request_bytes: usize,
    /// How long a request's head and body may take to arrive.
    pub request_seconds: u64,
    /// How long a client may take to read 64 KiB of an answer.
    pub send_seconds: u64,
    /// Bytes of memory that all sandboxes may have together; four fifths of what the host or its
    /// cgroup has if not given.
    pub memory_bytes: Option<u64>,
    /// Connections at a time.
    pub connections: usize,
    /// Connections at a time from one address (of IPv6: one network of 64 bits). Behind a proxy
    /// all come from one.
    pub connections_per_address: usize,
    /// How long requests may go on after the server was told to stop.
    pub drain_seconds: u64,
    /// After how many seconds without a byte in either direction a terminal ends.
    pub terminal_idle_seconds: u64,
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
            network: None,
            idle_seconds: None,
            request_bytes: 64 << 20,
            request_seconds: 30,
            send_seconds: 30,
            memory_bytes: None,
            connections: 4096,
            connections_per_address: 256,
            drain_seconds: 30,
            terminal_idle_seconds: 900,
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

/// A key of a tenant: `"HASH"`, or `{ hash = "HASH", expires = 2030-01-01T00:00:00Z }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "KeyText")]
pub struct KeyConfig {
    /// Its hash, as `codepod serve --new-key` prints it.
    pub hash: String,
    /// When it stops to be valid; never if not given.
    pub expires: Option<SystemTime>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum KeyText {
    Hash(String),
    Expiring(Expiring),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expiring {
    hash: String,
    expires: toml::value::Datetime,
}

impl From<KeyText> for KeyConfig {
    fn from(text: KeyText) -> KeyConfig {
        match text {
            KeyText::Hash(hash) => KeyConfig::from(hash),
            KeyText::Expiring(Expiring { hash, expires }) => KeyConfig {
                hash,
                // What is no moment, such as a time of the day, is long ago.
                expires: Some(moment(&expires).unwrap_or(UNIX_EPOCH)),
            },
        }
    }
}

impl From<String> for KeyConfig {
    fn from(hash: String) -> KeyConfig {
        KeyConfig {
            hash,
            expires: None,
        }
    }
}

/// The moment that a date means; in UTC, at midnight, unless it says otherwise.
fn moment(date: &toml::value::Datetime) -> Option<SystemTime> {
    let day = date.date?;
    // Days since 1970, by years that begin in March: then the leap day is the last.
    let (year, month) = match (i64::from(day.year), i64::from(day.month)) {
        (year, month @ 3..) => (year, month - 3),
        (year, month) => (year - 1, month + 9),
    };
    let days = year * 365 + year / 4 - year / 100
        + year / 400
        + (153 * month + 2) / 5
        + i64::from(day.day)
        - 719_469;
    let time = date.time.as_ref();
    let part = |part: Option<u8>| i64::from(part.unwrap_or(0));
    let hour = part(time.map(|time| time.hour));
    let minute = part(time.map(|time| time.minute));
    let second = part(time.and_then(|time| time.second));
    let offset = match date.offset {
        Some(toml::value::Offset::Custom { minutes }) => i64::from(minutes),
        _ => 0,
    };
    let seconds = days * 86_400 + (hour * 60 + minute - offset) * 60 + second;
    u64::try_from(seconds)
        .ok()
        .map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds))
}

/// A tenant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantConfig {
    /// Its name: lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// Its keys.
    pub keys: Vec<KeyConfig>,
    /// Sandboxes at a time.
    #[serde(default = "sandboxes")]
    pub sandboxes: usize,
    /// Requests at a time.
    #[serde(default = "requests")]
    pub requests: usize,
    /// Bytes of requests and answers that are on their way.
    #[serde(default = "flight_bytes")]
    pub flight_bytes: u64,
    /// Its share of the processors where all want more than there is, beside those of others.
    #[serde(default = "cpu_weight")]
    pub cpu_weight: u32,
    /// Processes of all its sandboxes.
    #[serde(default = "processes")]
    pub processes: u64,
    /// Bytes of the host's memory: of processes, files, outputs and kept answers, of all its
    /// sandboxes.
    #[serde(default = "memory_bytes")]
    pub memory_bytes: u64,
    /// Bytes of saved states and of sandboxes that sleep.
    #[serde(default = "state_bytes")]
    pub state_bytes: u64,
    /// Namespaces with saved states.
    #[serde(default = "namespaces")]
    pub namespaces: usize,
}

fn sandboxes() -> usize {
    1000
}

fn requests() -> usize {
    Quota::default().requests
}

fn flight_bytes() -> u64 {
    Quota::default().flight_bytes
}

fn cpu_weight() -> u32 {
    Quota::default().cpu_weight
}

fn processes() -> u64 {
    Quota::default().processes
}

fn memory_bytes() -> u64 {
    Quota::default().memory_bytes
}

fn state_bytes() -> u64 {
    Quota::default().state_bytes
}

fn namespaces() -> usize {
    Quota::default().namespaces
}

impl TenantConfig {
    pub(super) fn quota(&self) -> Quota {
        Quota {
            sandboxes: self.sandboxes,
            requests: self.requests,
            flight_bytes: self.flight_bytes,
            cpu_weight: self.cpu_weight,
            processes: self.processes,
            memory_bytes: self.memory_bytes,
            state_bytes: self.state_bytes,
            namespaces: self.namespaces,
            ..Quota::default()
        }
    }
}

/// What no sandbox may go beyond.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CeilingConfig {
    /// How long a command may take, whatever its sandbox or its call says. A terminal may take six
    /// times as long.
    pub timeout_seconds: u64,
    /// How long processes may go on after their command.
    pub background_seconds: u64,
    /// Processor time of a sandbox's processes that go on after their command, all together,
    /// within each `background_seconds`.
    pub cpu_seconds: u64,
    /// Memory of one process.
    pub memory_bytes: usize,
    /// Memory of all processes of a sandbox.
    pub total_memory_bytes: usize,
    /// Bytes of files.
    pub disk_bytes: u64,
    /// Files and directories.
    pub nodes: u64,
    /// Processes at a time.
    pub processes: usize,
    /// Descriptors of one process.
    pub descriptors: usize,
    /// Pipes at a time.
    pub pipes: usize,
    /// Bytes of each output stream of a command.
    pub output_bytes: usize,
    /// Bytes of outputs that a sandbox keeps in `/proc/runs`.
    pub kept_output_bytes: usize,
    /// Runs that can be undone.
    pub undo_runs: usize,
    /// Bytes that are kept for that.
    pub undo_bytes: u64,
}

impl Default for CeilingConfig {
    fn default() -> CeilingConfig {
        CeilingConfig {
            timeout_seconds: 600,
            background_seconds: 3600,
            cpu_seconds: 3600,
            memory_bytes: 1 << 30,
            total_memory_bytes: 4 << 30,
            disk_bytes: 4 << 30,
            nodes: 1_000_000,
            processes: 256,
            descriptors: 1024,
            pipes: 256,
            output_bytes: 64 << 20,
            kept_output_bytes: 256 << 20,
            undo_runs: 1000,
            undo_bytes: 512 << 20,
        }
    }
}

impl CeilingConfig {
    pub(super) fn ceiling(&self) -> Ceiling {
        Ceiling {
            timeout: Duration::from_secs(self.timeout_seconds),
            background: Duration::from_secs(self.background_seconds),
            background_cpu: Duration::from_secs(self.cpu_seconds),
            memory_bytes: self.memory_bytes,
            total_memory_bytes: self.total_memory_bytes,
            disk_bytes: self.disk_bytes,
            nodes: self.nodes,
            processes: self.processes,
            descriptors: self.descriptors,
            pipes: self.pipes,
            output_bytes: self.output_bytes,
            kept_output_bytes: self.kept_output_bytes,
            undo_runs: self.undo_runs,
            undo_bytes: self.undo_bytes,
        }
    }
}

/// What sandboxes may be given of the network: what their clients ask for has to be allowed here,
/// too.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// Rules for what may be reached.
    pub allowed_hosts: Option<Vec<String>>,
    /// Rules for what may not be, where everything else that is public may.
    pub blocked_hosts: Option<Vec<String>>,
    /// Addresses of hosts by name, which may be private.
    pub hosts: BTreeMap<String, String>,
    /// A file of certificate authorities in PEM, by which the servers of `allowed_hosts` are
    /// checked, and by no others.
    pub ca: Option<PathBuf>,
    /// Requests of a sandbox and its forks.
    pub requests: Option<u64>,
    /// Bytes that they receive.
    pub bytes_in: Option<u64>,
    /// Bytes that they send.
    pub bytes_out: Option<u64>,
    /// Connections of a sandbox at a time.
    pub connections: Option<u64>,
    /// What sandboxes of all tenants share of what they download.
    pub downloads: Option<DownloadsConfig>,
}

/// What is downloaded once for all sandboxes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadsConfig {
    /// Where it is kept.
    pub directory: PathBuf,
    /// How much is kept; 4 GiB if not given.
    pub bytes: Option<u64>,
    /// Rules for the servers that give everybody the same.
    pub from: Vec<String>,
    /// Whether only what is kept is given, and these servers are not asked.
    #[serde(default)]
    pub offline: bool,
}

impl NetworkConfig {
    /// Opens the directory of what is shared, if there is one. Fails where it cannot be used, or a
    /// rule cannot be read.
    pub fn open_downloads(&self) -> Result<Option<Downloads>, ConfigError> {
        let Some(own) = &self.downloads else {
            return Ok(None);
        };
        let mut spec = DownloadsSpec::new(&own.directory, self.rules(&own.from)?);
        spec.bytes = own.bytes.unwrap_or(spec.bytes);
        spec.offline = own.offline;
        let opened = Downloads::new(spec);
        let wrong = |error| ConfigError(format!("`network.downloads`: {error}"));
        opened.map(Some).map_err(wrong)
    }

    /// Rules for servers that are checked as the configuration says.
    fn rules(&self, rules: &[String]) -> Result<Vec<RuleSpec>, ConfigError> {
        let tls = TlsSpec {
            roots: self.authorities()?,
            ..TlsSpec::default()
        };
        let rules = rules.iter().map(|rule| RuleSpec {
            tls: tls.clone(),
            ..RuleSpec::from(rule.as_str())
        });
        Ok(rules.collect())
    }

    fn authorities(&self) -> Result<Option<Vec<Vec<u8>>>, ConfigError> {
        let Some(path) = &self.ca else {
            return Ok(None);
        };
        let text = std::fs::read(path).map_err(|error| error.to_string());
        let found = text.and_then(|text| certificates(&text));
        let wrong = |why| ConfigError(format!("`network.ca`, `{}`: {why}", path.display()));
        found.map(Some).map_err(wrong)
    }

    /// What it adds up to. Fails where a rule cannot be read.
    pub(super) fn network(&self) -> Result<Network, ConfigError> {
        let read = |rules: &Option<Vec<String>>| {
            let rules = rules.as_ref().map(|rules| self.rules(rules));
            rules.transpose()
        };
        let mut spec = NetworkSpec::default();
        spec.policy = PolicySpec {
            allowed_hosts: read(&self.allowed_hosts)?,
            blocked_hosts: read(&self.blocked_hosts)?,
            hosts: self.hosts.clone(),
            ..PolicySpec::default()
        };
        let limits = &mut spec.limits;
        for (limit, most) in [
            (&mut limits.requests, self.requests),
            (&mut limits.bytes_in, self.bytes_in),
            (&mut limits.bytes_out, self.bytes_out),
            (&mut limits.connections, self.connections),
        ] {
            *limit = most.unwrap_or(*limit);
        }
        let read = Network::new(spec);
        read.map_err(|error| ConfigError(format!("{error}; {}", error.hint())))
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
            if *name == crate::hibernation::ALL {
                let message = format!("no tenant can be called `{name}`: sandboxes sleep there");
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
        if let Some(network) = &self.network {
            if network.allowed_hosts.is_some() == network.blocked_hosts.is_some() {
                return Err(ConfigError(
                    "`network` has either `allowed_hosts` or `blocked_hosts`".into(),
                ));
            }
            if network.ca.is_some() && network.allowed_hosts.is_none() {
                return Err(ConfigError(
                    "`network.ca` is for hosts that are allowed by name: it needs `allowed_hosts`"
                        .into(),
                ));
            }
            network.network()?;
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
    use std::time::{Duration, UNIX_EPOCH};

    use super::{Config, moment};

    #[test]
    fn dates_are_moments() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("2000-03-01", 951_868_800),
            ("2026-11-16T22:00:00Z", 1_794_866_400),
            ("2026-11-16T22:00:00", 1_794_866_400),
            ("2026-11-16T23:30:05+01:30", 1_794_866_405),
        ] {
            let found = moment(&text.parse().unwrap()).unwrap();
            assert_eq!(found, UNIX_EPOCH + Duration::from_secs(seconds), "{text}");
        }
        assert_eq!(moment(&"10:00:00".parse().unwrap()), None);
    }

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
        let shared =
            "[network]\nallowed_hosts = []\n[network.downloads]\ndirectory = \"/d\"\nfrom = []\n";
        for (text, offline) in [("", false), ("offline = true\n", true)] {
            let config = Config::parse(&format!("{shared}{text}")).unwrap();
            let downloads = config.network.unwrap().downloads.unwrap();
            assert_eq!(downloads.offline, offline);
        }
        let refused = [
            "listen = \"0.0.0.0:80\"",
            "idle_seconds = 1",
            "[network]",
            "[network]\nallowed_hosts = [\"https//a\"]",
            "[network]\nallowed_hosts = []\nblocked_hosts = []",
            "[[tenants]]\nname = \"../x\"\nkeys = []",
            "[[tenants]]\nname = \"asleep\"\nkeys = []",
        ];
        for text in refused {
            assert!(Config::parse(text).unwrap().check().is_err(), "{text}");
        }
    }
}
