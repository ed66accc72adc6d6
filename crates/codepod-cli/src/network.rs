//! Options for the network of a sandbox.

use std::path::{Path, PathBuf};

use clap::Args;
use codepod::network::{
    CassetteSpec, Network, NetworkSpec, PolicySpec, RuleSpec, SecretSpec, TlsSpec,
};

use crate::failure::Failure;

const SECRET: &str = "write NAME@HOST, NAME=env:VARIABLE@HOST or NAME=file:PATH@HOST";

#[derive(Args)]
pub(crate) struct NetworkOptions {
    /// Allow connections to a host: `api.example.com`, `*.example.com`, `https://example.com/v1`,
    /// `tcp://db.example.com:5432`; can be repeated. Without it there is no network
    #[arg(long = "allow-host", value_name = "RULE", help_heading = HEADING)]
    allowed_hosts: Vec<String>,
    /// Allow all public hosts, by https and http on their usual ports
    #[arg(long, conflicts_with = "allowed_hosts", help_heading = HEADING)]
    allow_public: bool,
    /// Refuse a host that `--allow-public` would allow; can be repeated
    #[arg(long = "block-host", value_name = "RULE", requires = "allow_public", help_heading = HEADING)]
    blocked_hosts: Vec<String>,
    /// Connect to this address for a host, even if it is not public: NAME=IP or NAME=IP:PORT; can
    /// be repeated
    #[arg(long = "resolve", value_name = "NAME=IP[:PORT]", value_parser = parse_address, help_heading = HEADING)]
    addresses: Vec<(String, String)>,
    /// Let programs use a secret that they cannot read, with these hosts over https: NAME@HOST for
    /// the environment variable NAME, or NAME=env:VARIABLE@HOST[,HOST…], NAME=file:PATH@HOST; can
    /// be repeated. Inside, $NAME is a placeholder
    #[arg(long = "secret", value_name = "NAME[=SOURCE]@HOST", value_parser = parse_secret, help_heading = HEADING)]
    secrets: Vec<Secret>,
    /// Trust the certificate authorities in this file (PEM), and no others
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    ca: Option<PathBuf>,
    /// Record what happens on the network into this directory, in place of an earlier recording
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "replay", help_heading = HEADING)]
    record: Option<PathBuf>,
    /// Replay what was recorded: the same replies without a network, and requests that were not
    /// recorded are denied. Secrets need no value then
    #[arg(long, value_name = "DIRECTORY", help_heading = HEADING)]
    replay: Option<PathBuf>,
}

const HEADING: &str = "Network";

impl NetworkOptions {
    /// The network, if one is wanted.
    pub(crate) fn network(self) -> Result<Option<Network>, Failure> {
        if self.allowed_hosts.is_empty() && !self.allow_public {
            let without = [
                ("--secret", !self.secrets.is_empty()),
                ("--resolve", !self.addresses.is_empty()),
                ("--ca", self.ca.is_some()),
                ("--record", self.record.is_some()),
                ("--replay", self.replay.is_some()),
            ];
            return match without.into_iter().find(|(_, given)| *given) {
                Some((option, _)) => Err(Failure::new(
                    format!("`{option}` is for a network, and there is none"),
                    "allow the hosts that may be reached: `--allow-host HOST`",
                )),
                None => Ok(None),
            };
        }
        let tls = TlsSpec {
            roots: self.ca.as_deref().map(authorities).transpose()?,
            ..TlsSpec::default()
        };
        let rule = |rule: &String| RuleSpec {
            tls: tls.clone(),
            ..RuleSpec::from(rule.as_str())
        };
        let mut spec = NetworkSpec::default();
        spec.policy = PolicySpec {
            hosts: self.addresses.into_iter().collect(),
            ..PolicySpec::default()
        };
        if self.allow_public {
            if self.ca.is_some() {
                return Err(Failure::new(
                    "`--ca` is for hosts that are allowed by name",
                    "name them: `--allow-host HOST`",
                ));
            }
            spec.policy.blocked_hosts = Some(self.blocked_hosts.iter().map(rule).collect());
        } else {
            spec.policy.allowed_hosts = Some(self.allowed_hosts.iter().map(rule).collect());
        }
        for secret in &self.secrets {
            let hosts: Vec<&str> = secret.hosts.iter().map(String::as_str).collect();
            let value = match self.replay {
                Some(_) => String::new(),
                None => secret.value()?,
            };
            spec.secrets
                .push(SecretSpec::new(&secret.name, &value, &hosts));
        }
        spec.cassette = match (self.record, self.replay) {
            (Some(directory), _) => Some(CassetteSpec::record(whole(directory))),
            (None, Some(directory)) => Some(CassetteSpec::replay(whole(directory))),
            (None, None) => None,
        };
        Ok(Some(Network::new(spec)?))
    }
}

/// A directory by its whole path: behind the wall nobody asks for the working directory.
fn whole(directory: PathBuf) -> PathBuf {
    std::path::absolute(&directory).unwrap_or(directory)
}

/// A secret as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Secret {
    name: String,
    source: Source,
    hosts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Variable(String),
    File(String),
}

impl Secret {
    fn value(&self) -> Result<String, Failure> {
        let name = &self.name;
        match &self.source {
            Source::Variable(variable) => std::env::var(variable).map_err(|_| {
                Failure::new(
                    format!("the secret {name}: the environment has no {variable}"),
                    format!("set {variable}, or take the value from a file: {name}=file:PATH@HOST"),
                )
            }),
            Source::File(path) => {
                let read = std::fs::read_to_string(path);
                let value = read.map_err(|error| {
                    Failure::new(
                        format!("the secret {name}: cannot read `{path}`: {error}"),
                        "name a file that holds the value and nothing else",
                    )
                })?;
                Ok(value.trim_end_matches(['\r', '\n']).to_owned())
            }
        }
    }
}

fn parse_secret(text: &str) -> Result<Secret, String> {
    let (secret, hosts) = text.split_once('@').ok_or(SECRET)?;
    let (name, source) = match secret.split_once('=') {
        None => (secret, Source::Variable(secret.to_owned())),
        Some((name, source)) => match source.split_once(':') {
            Some(("env", variable)) => (name, Source::Variable(variable.to_owned())),
            Some(("file", path)) => (name, Source::File(path.to_owned())),
            // The value itself would be in the list of processes and in the shell's history.
            _ => return Err(SECRET.into()),
        },
    };
    let hosts: Vec<String> = hosts.split(',').map(str::to_owned).collect();
    if name.is_empty() || hosts.iter().any(String::is_empty) {
        return Err(SECRET.into());
    }
    Ok(Secret {
        name: name.to_owned(),
        source,
        hosts,
    })
}

fn parse_address(text: &str) -> Result<(String, String), String> {
    let (name, address) = text
        .split_once('=')
        .ok_or("write NAME=IP or NAME=IP:PORT, such as db.test=127.0.0.1:5432")?;
    Ok((name.to_owned(), address.to_owned()))
}

/// The certificates of a file, as DER.
fn authorities(path: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let wrong = |why: String| {
        Failure::new(
            format!("`{}`: {why}", path.display()),
            "name a file of certificates in PEM, which begin with `-----BEGIN CERTIFICATE-----`",
        )
    };
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    codepod::network::certificates(&text).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_a_source_and_hosts() {
        let secret = |name: &str, source, hosts: &[&str]| Secret {
            name: name.into(),
            source,
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        };
        let variable = |name: &str| Source::Variable(name.to_owned());
        for (text, expected) in [
            ("KEY@a.com", secret("KEY", variable("KEY"), &["a.com"])),
            (
                "KEY=env:OTHER@a.com,https://b.com/v1",
                secret("KEY", variable("OTHER"), &["a.com", "https://b.com/v1"]),
            ),
            (
                "KEY=file:/run/key@a.com",
                secret("KEY", Source::File("/run/key".into()), &["a.com"]),
            ),
        ] {
            assert_eq!(parse_secret(text).as_ref(), Ok(&expected), "{text}");
        }
        for text in ["KEY", "KEY=value@a.com", "@a.com", "KEY@", "KEY@a.com,", ""] {
            assert_eq!(parse_secret(text).unwrap_err(), SECRET, "{text}");
        }
    }
}
