//! Which requests are looked at at all: those that mean this server (`Host`) and do not come from a
//! foreign page (`Origin`).

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, header};
use codepod_api::{ApiError, Kind};

/// Names and pages that are known.
pub(crate) struct Access {
    hosts: BTreeSet<String>,
    origins: BTreeSet<String>,
}

impl Access {
    /// Names and pages as they are configured, and the names of the address.
    pub(crate) fn new(hosts: &[String], origins: &[String], address: SocketAddr) -> Access {
        let mut hosts: BTreeSet<String> =
            hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        match address.ip() {
            ip if ip.is_loopback() => {
                hosts.extend(["localhost".into(), "127.0.0.1".into(), "[::1]".into()])
            }
            // Whoever listens everywhere names the hosts that it goes by.
            ip if ip.is_unspecified() => {}
            IpAddr::V4(ip) => {
                hosts.insert(ip.to_string());
            }
            IpAddr::V6(ip) => {
                hosts.insert(format!("[{ip}]"));
            }
        }
        let origins = origins.iter().map(|origin| origin.to_ascii_lowercase());
        Access {
            hosts,
            origins: origins.collect(),
        }
    }

    /// Fails for a request that is not meant for this server or comes from a page that is not
    /// known.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let mut named = headers.get_all(header::HOST).iter();
        let host = match (named.next(), named.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default().to_ascii_lowercase(),
            _ => {
                return Err(denied(
                    "a request names its host once",
                    "send one `Host` header",
                ));
            }
        };
        if !self.hosts.contains(without_port(&host)) {
            return Err(denied(
                "this server does not go by that name",
                "whoever runs it can add the name to `hosts`",
            ));
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
            if !self.origins.contains(&origin) {
                return Err(denied(
                    "web pages of that origin may not call this server",
                    "whoever runs it can add the page to `origins`",
                ));
            }
        }
        Ok(())
    }
}

fn denied(message: &str, hint: &str) -> ApiError {
    ApiError::new(Kind::Denied, message).hint(hint)
}

/// A host without its port; an IPv6 address keeps its brackets.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ap_06_only_known_names_and_pages_are_answered() {
        let hosts = ["Pod.example".to_owned()];
        let origins = ["https://ok.example".to_owned()];
        let access = Access::new(&hosts, &origins, SocketAddr::from(([127, 0, 0, 1], 80)));
        let check = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, value.parse().unwrap());
            }
            access.check(&headers).is_ok()
        };
        for host in [
            "localhost",
            "LOCALHOST:8377",
            "127.0.0.1:1",
            "[::1]:80",
            "pod.example",
            "POD.example:443",
        ] {
            assert!(check(&[("host", host)]), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:80:80x",
            "evil@localhost",
            "[::1",
            "0.0.0.0",
        ] {
            assert!(!check(&[("host", host)]), "{host}");
        }
        assert!(!check(&[]));
        assert!(!check(&[("host", "localhost"), ("host", "localhost")]));
        assert!(check(&[
            ("host", "localhost"),
            ("origin", "https://ok.example")
        ]));
        for origin in [
            "null",
            "https://evil.example",
            "http://localhost",
            "https://ok.example.evil.example",
            "",
        ] {
            assert!(
                !check(&[("host", "localhost"), ("origin", origin)]),
                "{origin}"
            );
        }
    }
}
