//! URLs of http and https.

use std::fmt;

/// The longest URL that is read.
const LONGEST: usize = 16 * 1024;

/// How a host is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP in TLS.
    Https,
}

impl Scheme {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    /// Its usual port.
    pub fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

/// A URL. Two are equal when they lead to the same place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Url {
    /// http or https.
    pub scheme: Scheme,
    /// The user's name, decoded.
    pub user: Option<Vec<u8>>,
    /// The password, decoded.
    pub password: Option<Vec<u8>>,
    /// The host, in small letters.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The path and the query, from the slash on, as they are sent.
    pub path: String,
}

/// What is wrong with a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadUrl {
    /// It has a scheme that is not spoken here, or none.
    Scheme,
    /// Its host is missing or cannot be.
    Host,
    /// Its port is not a number between 1 and 65535.
    Port,
    /// It has control characters, or is too long.
    Text,
}

impl fmt::Display for BadUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadUrl::Scheme => "Protocol not supported",
            BadUrl::Host => "No host part in the URL",
            BadUrl::Port => "Port number was not a decimal number between 0 and 65535",
            BadUrl::Text => "Malformed input to a URL function",
        })
    }
}

impl std::error::Error for BadUrl {}

impl Url {
    /// Reads a URL; a fragment is left out, and what may not stand in a URL is encoded.
    pub fn parse(text: &[u8]) -> Result<Url, BadUrl> {
        if text.len() > LONGEST || text.iter().any(|byte| *byte < 0x20 || *byte == 0x7f) {
            return Err(BadUrl::Text);
        }
        let end = text.windows(3).position(|part| part == b"://");
        let (scheme, rest) = text.split_at(end.ok_or(BadUrl::Scheme)?);
        let scheme = match &scheme.to_ascii_lowercase()[..] {
            b"http" => Scheme::Http,
            b"https" => Scheme::Https,
            _ => return Err(BadUrl::Scheme),
        };
        let rest = &rest[3..];
        let end = rest.iter().position(|byte| b"/?#".contains(byte));
        let (authority, path) = rest.split_at(end.unwrap_or(rest.len()));
        let (userinfo, place) = match authority.iter().rposition(|byte| *byte == b'@') {
            Some(at) => (Some(&authority[..at]), &authority[at + 1..]),
            None => (None, authority),
        };
        let (user, password) = match userinfo {
            Some(userinfo) => match userinfo.iter().position(|byte| *byte == b':') {
                Some(at) => (
                    Some(percent_decode(&userinfo[..at])),
                    Some(percent_decode(&userinfo[at + 1..])),
                ),
                None => (Some(percent_decode(userinfo)), None),
            },
            None => (None, None),
        };
        let (host, port) = host_and_port(place)?;
        Ok(Url {
            scheme,
            user,
            password,
            host,
            port: port.unwrap_or(scheme.port()),
            path: path_of(path),
        })
    }

    /// The URL that a reference within this one leads to, as a `Location` has it.
    pub fn join(&self, reference: &[u8]) -> Result<Url, BadUrl> {
        let reference = reference.trim_ascii();
        if has_scheme(reference) {
            return Url::parse(reference);
        }
        if reference.starts_with(b"//") {
            let whole = [self.scheme.name().as_bytes(), b":", reference].concat();
            return Url::parse(&whole);
        }
        if reference.iter().any(|byte| *byte < 0x20 || *byte == 0x7f) || reference.len() > LONGEST {
            return Err(BadUrl::Text);
        }
        let (path, query) = match self.path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (&self.path[..], None),
        };
        let joined = match reference.first() {
            None | Some(b'#') => match query {
                Some(query) => format!("{path}?{query}").into_bytes(),
                None => path.as_bytes().to_vec(),
            },
            Some(b'/') => reference.to_vec(),
            Some(b'?') => [path.as_bytes(), reference].concat(),
            Some(_) => {
                let directory = path.rfind('/').map_or(0, |at| at + 1);
                [&path.as_bytes()[..directory], reference].concat()
            }
        };
        Ok(Url {
            path: path_of(&joined),
            user: None,
            password: None,
            ..self.clone()
        })
    }

    /// The host, with the port where it is not the usual one: the field `Host`.
    pub fn authority(&self) -> String {
        match self.port == self.scheme.port() {
            true => self.host.clone(),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    /// Whether two lead to the same scheme, host and port.
    pub fn same_origin(&self, other: &Url) -> bool {
        (self.scheme, &self.host, self.port) == (other.scheme, &other.host, other.port)
    }
}

/// Without name and password.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}://{}{}",
            self.scheme.name(),
            self.authority(),
            self.path
        )
    }
}

/// Whether a reference begins with a scheme of its own.
fn has_scheme(reference: &[u8]) -> bool {
    let end = reference
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte));
    end.is_some_and(|end| end > 0 && reference[end] == b':' && reference[0].is_ascii_alphabetic())
}

fn host_and_port(place: &[u8]) -> Result<(String, Option<u16>), BadUrl> {
    let (host, port) = match place.first() {
        Some(b'[') => {
            let end = place.iter().position(|byte| *byte == b']');
            let end = end.ok_or(BadUrl::Host)? + 1;
            match &place[end..] {
                [] => (&place[..end], None),
                [b':', port @ ..] => (&place[..end], Some(port)),
                _ => return Err(BadUrl::Host),
            }
        }
        _ => match place.iter().position(|byte| *byte == b':') {
            Some(at) => (&place[..at], Some(&place[at + 1..])),
            None => (place, None),
        },
    };
    let port = match port {
        None | Some(b"") => None,
        Some(digits) => {
            let digits = std::str::from_utf8(digits).map_err(|_| BadUrl::Port)?;
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.parse().ok().filter(|port| is_number && *port > 0);
            Some(number.ok_or(BadUrl::Port)?)
        }
    };
    let host = percent_decode(host).to_ascii_lowercase();
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._[]:".contains(byte) || *byte >= 128;
    if host.is_empty() || !host.iter().all(fits) {
        return Err(BadUrl::Host);
    }
    let host = String::from_utf8(host).map_err(|_| BadUrl::Host)?;
    Ok((host, port))
}

/// A path with its query as it is sent: without fragment and dots, with what has to be encoded
/// encoded.
fn path_of(text: &[u8]) -> String {
    let text = text.split(|byte| *byte == b'#').next().unwrap_or_default();
    let end = text.iter().position(|byte| *byte == b'?');
    let (path, query) = text.split_at(end.unwrap_or(text.len()));
    let mut sent = without_dots(&encoded(path));
    sent.push_str(&encoded(query));
    sent
}

fn encoded(text: &[u8]) -> String {
    let mut sent = String::with_capacity(text.len());
    for byte in text {
        match byte {
            0x21..0x7f if !b"\"<>\\^`{|}".contains(byte) => sent.push((*byte).into()),
            _ => sent.push_str(&format!("%{byte:02X}")),
        }
    }
    sent
}

/// A path without `.` and `..`, from the slash on.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(part) = rest.next() {
        let is_last = rest.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    parts.pop();
                }
                if is_last {
                    parts.push("");
                }
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Bytes with what stands behind `%` decoded; a `%` without two digits stays.
pub fn percent_decode(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%'
            && let [high, low, after @ ..] = after
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            bytes.push(high << 4 | low);
            rest = after;
        } else {
            bytes.push(byte);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<String, BadUrl> {
        Url::parse(text.as_bytes()).map(|url| url.to_string())
    }

    #[test]
    fn urls_are_read() {
        let url = Url::parse(b"HTTPS://me:p%40ss@Host.Example:8443/a/b?q#f").unwrap();
        assert_eq!(url.scheme, Scheme::Https);
        assert_eq!(url.user.as_deref(), Some(&b"me"[..]));
        assert_eq!(url.password.as_deref(), Some(&b"p@ss"[..]));
        assert_eq!((url.host.as_str(), url.port), ("host.example", 8443));
        assert_eq!(url.path, "/a/b?q");
        for (text, sent) in [
            ("http://a", "http://a/"),
            ("http://a:80", "http://a/"),
            ("http://a:/x", "http://a/x"),
            ("http://a?q", "http://a/?q"),
            ("http://a/ü b", "http://a/%C3%BC%20b"),
            ("http://a/%20%zz", "http://a/%20%zz"),
            ("http://a/b/../c/./d/..", "http://a/c/"),
            ("http://a/../..", "http://a/"),
            ("http://a//b", "http://a//b"),
            ("http://[::1]:8/", "http://[::1]:8/"),
            ("http://u@a/", "http://a/"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(sent), "{text}");
        }
    }

    #[test]
    fn what_is_no_url_of_http_is_refused() {
        for (text, why) in [
            ("a/b", BadUrl::Scheme),
            ("ftp://a/", BadUrl::Scheme),
            ("file:///etc/passwd", BadUrl::Scheme),
            ("http:///x", BadUrl::Host),
            ("http://a b/", BadUrl::Host),
            ("http://[::1/", BadUrl::Host),
            ("http://a:0/", BadUrl::Port),
            ("http://a:65536/", BadUrl::Port),
            ("http://a:+1/", BadUrl::Port),
            ("http://a/\r\nHost: b", BadUrl::Text),
        ] {
            assert_eq!(shown(text), Err(why), "{text}");
        }
        assert_eq!(
            shown(&format!("http://a/{}", "x".repeat(LONGEST))),
            Err(BadUrl::Text)
        );
    }

    #[test]
    fn references_lead_on() {
        let url = Url::parse(b"https://me@a.test:8443/x/y?q").unwrap();
        for (reference, joined) in [
            ("", "https://a.test:8443/x/y?q"),
            ("#f", "https://a.test:8443/x/y?q"),
            ("z", "https://a.test:8443/x/z"),
            ("../z", "https://a.test:8443/z"),
            ("?r", "https://a.test:8443/x/y?r"),
            ("/z", "https://a.test:8443/z"),
            ("//b.test/z", "https://b.test/z"),
            ("http://b.test", "http://b.test/"),
            ("a:b", "Err"),
            ("file:///etc", "Err"),
            ("./a:b", "https://a.test:8443/x/a:b"),
        ] {
            let found = url.join(reference.as_bytes());
            let found = found.map_or("Err".to_owned(), |url| url.to_string());
            assert_eq!(found, joined, "{reference}");
        }
        assert_eq!(url.join(b"z").unwrap().user, None);
        assert_eq!(url.join(b"/a\nb"), Err(BadUrl::Text));
    }
}
