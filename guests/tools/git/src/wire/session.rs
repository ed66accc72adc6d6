//! Requests to one repository: its URL, who asks, and what goes wrong.

use std::io::BufRead;

use codepod_net::{Client, Error, Request, Response, Unpacked, Url, base64, pem, redirect};

use super::credential::{Credential, Helpers};
use super::packet::Packets;
use super::settings::values;
use crate::config::{Config, expand_home};
use crate::os;
use crate::out;
use crate::stop::{Result, Stop, fatal, show};

/// How many redirects are followed.
const MOST_REDIRECTS: usize = 20;
/// What servers are told of who asks.
pub(crate) const AGENT: &str = concat!("git/2.47.3-codepod.", env!("CARGO_PKG_VERSION"));

/// A way to one repository.
pub(crate) struct Session {
    config: Config,
    client: Client,
    /// The repository's URL, with a slash at its end, where redirects have led.
    url: Url,
    /// As the user gave it, without name and password, with a slash at its end.
    shown: String,
    /// What the settings send along with every request, for the URL as it was given.
    extra: Vec<(String, Vec<u8>)>,
    credential: Option<Credential>,
    /// Whether the server has wanted credentials.
    is_wanted: bool,
    /// Whether helpers are still to be told that the credentials are right.
    is_untold: bool,
    /// Whether the first request may lead elsewhere.
    follows: bool,
    quiet: bool,
}

/// Whether this is a URL that is spoken here.
pub(crate) fn is_url(place: &[u8]) -> bool {
    let lower = place.to_ascii_lowercase();
    lower.starts_with(b"http://") || lower.starts_with(b"https://")
}

/// A place without name and password.
pub(crate) fn anonymous(place: &[u8]) -> Vec<u8> {
    let Some(start) = place.windows(3).position(|part| part == b"://") else {
        return place.to_vec();
    };
    let start = start + 3;
    let end = place[start..].iter().position(|byte| *byte == b'/');
    let end = end.map_or(place.len(), |end| start + end);
    match place[start..end].iter().rposition(|byte| *byte == b'@') {
        Some(at) => [&place[..start], &place[start + at + 1..]].concat(),
        None => place.to_vec(),
    }
}

impl Session {
    /// A session for a URL. Fails for what cannot be: a wrong URL, settings for what is not there.
    pub(crate) fn new(config: &Config, place: &[u8], quiet: bool) -> Result<Session> {
        let shown = show(&anonymous(place));
        let shown = format!("{}/", shown.trim_end_matches('/'));
        let mut url = match Url::parse(place) {
            Ok(url) => url,
            Err(why) => return fatal(format!("unable to access '{shown}': {why}")),
        };
        if url.path.contains('?') {
            return fatal(format!(
                "unable to access '{shown}': a query cannot be in a repository's URL"
            ));
        }
        url.path = format!("{}/", url.path.trim_end_matches('/'));
        let setting = |name: &str| {
            values(config, "http", name, &url)
                .last()
                .map(|value| value.to_vec())
        };
        refuse_proxies(&url, setting("proxy"))?;
        let mut client = Client::new();
        let file = os::variable("GIT_SSL_CAINFO").or_else(|| setting("sslcainfo"));
        if let Some(file) = file {
            let file = expand_home(&file);
            let roots = pem::certificates(&os::read(&file).unwrap_or_default());
            if roots.is_empty() {
                return fatal(format!(
                    "unable to access '{shown}': error setting certificate verify locations:  CAfile: {} CRLfile: none",
                    show(&file)
                ));
            }
            client.trust(roots);
        }
        for (name, variable) in [("sslcert", "GIT_SSL_CERT"), ("sslkey", "GIT_SSL_KEY")] {
            if setting(name).is_some() || os::variable(variable).is_some() {
                return fatal(format!(
                    "codepod's git has no client certificates: unset http.{name} and {variable}"
                ));
            }
        }
        let mut extra = Vec::new();
        for header in values(config, "http", "extraheader", &url) {
            match header.iter().position(|byte| *byte == b':') {
                _ if header.is_empty() => extra.clear(),
                Some(at) if at > 0 => {
                    let value = header[at + 1..].trim_ascii().to_vec();
                    extra.push((show(&header[..at]), value));
                }
                _ => {
                    return fatal(format!(
                        "http.extraHeader is `NAME: VALUE`, and not '{}'",
                        show(header)
                    ));
                }
            }
        }
        if let Some(agent) = os::variable("GIT_HTTP_USER_AGENT").or_else(|| setting("useragent")) {
            extra.push(("User-Agent".to_owned(), agent));
        }
        let credential = match (&url.user, &url.password) {
            (Some(user), Some(password)) => Some(Credential {
                user: user.clone(),
                password: password.clone(),
            }),
            _ => None,
        };
        let follows = setting("followredirects")
            .is_none_or(|value| crate::config::parse_truth(&value) != Some(false));
        Ok(Session {
            follows,
            config: config.clone(),
            client,
            url,
            shown,
            extra,
            credential,
            is_wanted: false,
            is_untold: false,
            quiet,
        })
    }

    /// Asks what there is; `newest` also for the second version of the protocol.
    pub(crate) fn discover(&mut self, service: &str, newest: bool) -> Result<Packets> {
        let mut url = self.url.clone();
        url.path = format!("{}info/refs?service={service}", url.path);
        let mut request = Request::get(url)
            .with("User-Agent", AGENT)
            .with("Accept", "*/*");
        request = request
            .with("Accept-Encoding", "gzip")
            .with("Pragma", "no-cache");
        if newest {
            request = request.with("Git-Protocol", "version=2");
        }
        let (response, url) = self.send(request, self.follows)?;
        match response.status {
            200 => {}
            404 | 410 => return fatal(format!("repository '{}' not found", self.shown)),
            status => {
                return fatal(format!(
                    "unable to access '{}': The requested URL returned error: {status}",
                    self.shown
                ));
            }
        }
        self.settle(&url, service)?;
        let expected = format!("application/x-{service}-advertisement");
        let kind = response.fields.get("content-type").unwrap_or_default();
        let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default();
        if kind.trim_ascii() != expected.as_bytes() {
            return fatal(format!(
                "{}info/refs not valid: is this a git repository? (codepod's git speaks the smart protocol only)",
                self.shown
            ));
        }
        self.packets(response)
    }

    /// The repository is where the reply is from.
    fn settle(&mut self, found: &Url, service: &str) -> Result<()> {
        let tail = format!("info/refs?service={service}");
        let Some(path) = found.path.strip_suffix(&tail) else {
            return fatal(format!(
                "unable to update url base from redirection:\n  asked for: {}{tail}\n   redirect: {found}",
                self.shown
            ));
        };
        let is_elsewhere = !found.same_origin(&self.url) || path != self.url.path;
        if is_elsewhere {
            if !found.same_origin(&self.url) {
                // What is for one host is not for another.
                self.credential = None;
                self.is_wanted = false;
                let (from, extra) = (&self.url, &mut self.extra);
                extra.retain(|(name, _)| redirect::goes_along(name, from, found));
            }
            self.url = Url {
                path: path.to_owned(),
                user: None,
                password: None,
                ..found.clone()
            };
            out::warn(format!("redirecting to {}", self.url));
        }
        Ok(())
    }

    /// Sends a request of a service and returns its reply.
    pub(crate) fn post(&mut self, service: &str, body: Vec<u8>, newest: bool) -> Result<Packets> {
        let mut url = self.url.clone();
        url.path = format!("{}{service}", url.path);
        let mut request = Request::get(url).with("User-Agent", AGENT);
        request.method = "POST".to_owned();
        request = request
            .with("Accept-Encoding", "gzip")
            .with("Content-Type", format!("application/x-{service}-request"))
            .with("Accept", format!("application/x-{service}-result"));
        if newest {
            request = request.with("Git-Protocol", "version=2");
        }
        request.body = Some(body);
        let (response, _) = self.send(request, false)?;
        if response.status != 200 {
            out::note(format!(
                "error: RPC failed; HTTP {status} curl 22 The requested URL returned error: {status}",
                status = response.status
            ));
            return fatal("the remote end hung up unexpectedly");
        }
        let expected = format!("application/x-{service}-result");
        let kind = response.fields.get("content-type").unwrap_or_default();
        if kind.trim_ascii() != expected.as_bytes() {
            out::note(format!(
                "error: RPC failed; the reply is of the type '{}', and not '{expected}'",
                show(kind)
            ));
            return fatal("the remote end hung up unexpectedly");
        }
        self.packets(response)
    }

    fn packets(&self, response: Response) -> Result<Packets> {
        match Unpacked::new(response) {
            Ok(body) => {
                let body: Box<dyn BufRead> = Box::new(body);
                Ok(Packets::new(body, self.quiet))
            }
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Sends a request, with credentials where the server wants them. Returns the reply and its
    /// URL.
    fn send(&mut self, mut request: Request, follows: bool) -> Result<(Response, Url)> {
        for (name, value) in &self.extra {
            // The user's own word takes the place of ours.
            request
                .fields
                .retain(|(known, _)| !known.eq_ignore_ascii_case(name) || known == "Accept");
            request.fields.push((name.clone(), value.clone()));
        }
        let has_own = request
            .fields
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let mut redirects = 0;
        loop {
            let mut attempt = request.clone();
            let uses = self.is_wanted && !has_own && self.is_ours(&request.url);
            if let Some(credential) = self.credential.as_ref().filter(|_| uses) {
                attempt = attempt.with("Authorization", basic(credential));
            }
            let sent = self.client.send(&attempt);
            let response = sent.map_err(|error| self.failed(&error))?;
            if follows && redirect::is_one(&response) && redirects < MOST_REDIRECTS {
                redirects += 1;
                request = match redirect::next(&request, &response) {
                    Some(Ok(next)) => next,
                    _ => {
                        return fatal(format!(
                            "unable to access '{}': the redirect leads to no URL of http",
                            self.shown
                        ));
                    }
                };
                self.client.done(response);
                continue;
            }
            if response.status != 401 {
                if uses && response.status == 200 && self.is_untold {
                    self.is_untold = false;
                    self.tell(true)?;
                }
                return Ok((response, attempt.url));
            }
            let offers_basic = offers_basic(&response);
            self.client.done(response);
            if uses {
                self.tell(false)?;
            }
            if uses || has_own || !offers_basic || !self.is_ours(&request.url) {
                return Err(self.not_let_in());
            }
            if self.credential.is_none() {
                let url = self.url.clone();
                self.credential = Some(Helpers::new(&self.config, &url).fill()?);
            }
            self.is_wanted = true;
            self.is_untold = true;
        }
    }

    /// Whether credentials may go to a URL.
    fn is_ours(&self, url: &Url) -> bool {
        url.same_origin(&self.url)
    }

    fn tell(&mut self, is_right: bool) -> Result<()> {
        match &self.credential {
            Some(credential) => Helpers::new(&self.config, &self.url).tell(credential, is_right),
            None => Ok(()),
        }
    }

    fn not_let_in(&self) -> Stop {
        Stop::Fatal(format!("Authentication failed for '{}'", self.shown).into_bytes())
    }

    fn failed(&self, error: &Error) -> Stop {
        let why = match error {
            Error::Connect {
                host,
                port,
                text,
                why: None,
            } if text == "Connection refused" => {
                format!("Failed to connect to {host} port {port}: Could not connect to server")
            }
            Error::Tls {
                text,
                verify: Some(_),
            } => {
                format!("SSL certificate problem: {text}")
            }
            other => other.to_string(),
        };
        Stop::Fatal(format!("unable to access '{}': {why}", self.shown).into_bytes())
    }
}

fn offers_basic(response: &Response) -> bool {
    response.fields.all("www-authenticate").any(|value| {
        value.split(|byte| *byte == b',').any(|part| {
            let word = part.trim_ascii().split(|byte| *byte == b' ').next();
            word.is_some_and(|word| word.eq_ignore_ascii_case(b"basic"))
        })
    })
}

fn basic(credential: &Credential) -> String {
    let pair = [&credential.user[..], b":", &credential.password].concat();
    format!("Basic {}", base64(&pair))
}

/// There are no proxies: a setting for one would be passed over.
fn refuse_proxies(url: &Url, setting: Option<Vec<u8>>) -> Result<()> {
    let variables: &[&str] = match url.scheme {
        codepod_net::Scheme::Http => &["http_proxy"],
        codepod_net::Scheme::Https => &["https_proxy", "HTTPS_PROXY"],
    };
    let environment = variables.iter().chain(&["all_proxy", "ALL_PROXY"]);
    let proxy = setting.or_else(|| environment.filter_map(|name| os::variable(name)).next());
    match proxy.filter(|proxy| !proxy.is_empty()) {
        Some(proxy) => fatal(format!(
            "codepod's git uses no proxy, and '{}' is set: unset http.proxy and the environment's *_proxy",
            show(&anonymous(&proxy))
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        for (place, shown) in [
            ("https://me:pw@a.test/x@y", "https://a.test/x@y"),
            ("https://a.test/x", "https://a.test/x"),
            ("/path/a@b", "/path/a@b"),
        ] {
            assert_eq!(show(&anonymous(place.as_bytes())), shown);
        }
    }
}
