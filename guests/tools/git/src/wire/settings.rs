//! Settings that hold for some URLs: `http.<url>.name` and `credential.<url>.name`.

use codepod_net::{Scheme, Url};

use crate::config::Config;
use crate::stop::show;

/// The values of a setting for a URL, those that count more later; a setting without a URL is for
/// all.
pub(crate) fn values<'a>(
    config: &'a Config,
    section: &str,
    name: &str,
    url: &Url,
) -> Vec<&'a [u8]> {
    let mut found: Vec<(usize, &[u8])> = Vec::new();
    for entry in &config.entries {
        let rest = entry.key.strip_prefix(section.as_bytes());
        let Some(rest) = rest.and_then(|rest| rest.strip_suffix(name.as_bytes())) else {
            continue;
        };
        let weight = match rest {
            b"." => Some(0),
            [b'.', pattern @ .., b'.'] => fits(&show(pattern), url),
            _ => None,
        };
        let value = entry.value.as_deref().unwrap_or(b"true");
        found.extend(weight.map(|weight| (weight, value)));
    }
    found.sort_by_key(|(weight, _)| *weight);
    found.into_iter().map(|(_, value)| value).collect()
}

/// How well a pattern fits a URL: `[scheme://][user@]host[:port][/path]`, where a part of the host
/// may be `*`.
fn fits(pattern: &str, url: &Url) -> Option<usize> {
    let (scheme, rest) = pattern.split_once("://")?;
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        _ => return None,
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, authority),
    };
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (place, scheme.port()),
    };
    let same_user = match user {
        Some(user) => url.user.as_deref() == Some(user.as_bytes()),
        None => true,
    };
    let host = host.to_ascii_lowercase();
    let same_host = host.split('.').count() == url.host.split('.').count()
        && host
            .split('.')
            .zip(url.host.split('.'))
            .all(|(pattern, part)| pattern == "*" || pattern == part);
    let path = path.trim_end_matches('/');
    let below = url.path.strip_prefix(path);
    let same_path = below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    let all = scheme == url.scheme && port == url.port && same_user && same_host && same_path;
    // A whole host counts more than one with `*`, a longer path more than a shorter one.
    all.then(|| 1 + host.len() - 2 * host.matches('*').count() + 1000 * path.len())
        .map(|weight| weight * 2 + usize::from(user.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_for_the_urls_that_it_names() {
        let url = Url::parse(b"https://me@git.example.com/team/repo").unwrap();
        for (pattern, is_one) in [
            ("https://git.example.com", true),
            ("https://git.example.com/", true),
            ("https://git.example.com:443/team", true),
            ("https://git.example.com/team/repo", true),
            ("https://me@git.example.com", true),
            ("https://*.example.com", true),
            ("https://you@git.example.com", false),
            ("https://git.example.com/tea", false),
            ("https://example.com", false),
            ("https://*.com", false),
            ("http://git.example.com", false),
            ("https://git.example.com:8443", false),
            ("git.example.com", false),
        ] {
            assert_eq!(fits(pattern, &url).is_some(), is_one, "{pattern}");
        }
        assert!(fits("https://git.example.com/team", &url) > fits("https://git.example.com", &url));
        assert!(fits("https://git.example.com", &url) > fits("https://*.example.com", &url));
    }
}
