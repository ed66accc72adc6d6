//! What may be shared, and for how long: the part of RFC 9111 that a shared cache of files needs.

use std::time::Duration;

use hyper::header::{
    AGE, AUTHORIZATION, CACHE_CONTROL, COOKIE, ETAG, HeaderMap, HeaderName, IF_MATCH,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, LAST_MODIFIED,
    PROXY_AUTHORIZATION, RANGE, SET_COOKIE, UPGRADE, VARY,
};
use hyper::{Method, Request, StatusCode};

/// The longest that anything is fresh: a year.
const LONGEST: u64 = 365 * 24 * 3600;

/// Fields of a request that make its reply one for its sender, or a part of one.
const OWN: &[HeaderName] = &[
    AUTHORIZATION,
    PROXY_AUTHORIZATION,
    COOKIE,
    RANGE,
    IF_RANGE,
    IF_MATCH,
    IF_NONE_MATCH,
    IF_MODIFIED_SINCE,
    IF_UNMODIFIED_SINCE,
    UPGRADE,
];

/// Whether a request says nothing of who asks.
pub(super) fn is_for_everybody<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    *request.method() == Method::GET
        && !OWN.iter().any(|name| headers.contains_key(name))
        && !directives(headers).any(|word| matches!(&*word, "no-cache" | "no-store"))
}

/// Whether a request can be answered with what is kept, where its server cannot be asked: what it
/// says of its client's own copy is left aside, as servers may do.
pub(super) fn takes_kept<B>(request: &Request<B>) -> bool {
    let asides = [RANGE, IF_RANGE, IF_NONE_MATCH, IF_MODIFIED_SINCE];
    let headers = request.headers();
    let mut own = OWN.iter().filter(|name| !asides.contains(name));
    *request.method() == Method::GET && !own.any(|name| headers.contains_key(name))
}

/// Whether a reply is for everybody.
pub(super) fn may_be_kept(status: StatusCode, headers: &HeaderMap) -> bool {
    let varies = headers.get_all(VARY).iter().any(|value| {
        let names = value.to_str().unwrap_or("*").split(',').map(str::trim);
        let known = |name: &str| {
            name.is_empty()
                || name.eq_ignore_ascii_case("accept")
                || name.eq_ignore_ascii_case("accept-encoding")
        };
        names.into_iter().any(|name| !known(name))
    });
    let is_own = |word: String| {
        let name = word.split('=').next().unwrap_or_default();
        // With names of fields, which would have to be left out, it is the whole for us.
        matches!(name, "no-store" | "private") || word.starts_with("no-cache=")
    };
    let is_own = directives(headers).any(is_own);
    status == StatusCode::OK && !varies && !headers.contains_key(SET_COOKIE) && !is_own
}

/// How long a reply is fresh, if it may be kept and there is a point in that: such that is not
/// fresh at all has something by which the server can be asked whether it still holds.
pub(super) fn of_reply(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !may_be_kept(status, headers) {
        return None;
    }
    let (mut fresh, mut for_all) = (None, None);
    for word in directives(headers) {
        let seconds = |text: &str| text.trim_matches('"').parse::<u64>().unwrap_or(0);
        match word.split_once('=') {
            None if word == "no-cache" => for_all = Some(0),
            Some(("s-maxage", text)) => for_all = for_all.or(Some(seconds(text))),
            Some(("max-age", text)) => fresh = Some(seconds(text)),
            _ => {}
        }
    }
    let age = headers.get(AGE).and_then(|age| age.to_str().ok());
    let age = age.and_then(|age| age.parse().ok()).unwrap_or(0);
    let fresh = for_all.or(fresh).unwrap_or(0).min(LONGEST);
    let fresh = Duration::from_secs(fresh.saturating_sub(age));
    let asks = headers.contains_key(ETAG) || headers.contains_key(LAST_MODIFIED);
    (asks || !fresh.is_zero()).then_some(fresh)
}

/// The words of `Cache-Control`, in small letters.
fn directives(headers: &HeaderMap) -> impl Iterator<Item = String> {
    let fields = headers.get_all(CACHE_CONTROL).iter();
    fields.flat_map(|value| {
        // What cannot be read is taken for the strictest.
        let text = value.to_str().unwrap_or("no-store").to_ascii_lowercase();
        let words = text.split(',').map(|word| word.trim().to_owned());
        words.collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(text: &str) -> HeaderMap {
        let fields = text.lines().map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            let name: HeaderName = name.parse().unwrap();
            (name, value.parse().unwrap())
        });
        fields.collect()
    }

    #[test]
    fn replies_for_one_are_not_kept() {
        for (text, seconds) in [
            ("cache-control: max-age=60", Some(60)),
            ("cache-control: public, Max-Age=\"60\"", Some(60)),
            ("cache-control: max-age=60, s-maxage=5", Some(5)),
            ("cache-control: max-age=60\nage: 50", Some(10)),
            ("cache-control: max-age=60\nage: 70", None),
            ("cache-control: max-age=99999999999", Some(LONGEST)),
            ("cache-control: no-cache\netag: \"1\"", Some(0)),
            ("cache-control: no-cache, max-age=5", None),
            ("etag: \"1\"", Some(0)),
            ("last-modified: Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("vary: Accept, accept-encoding\netag: \"1\"", Some(0)),
            ("x: 1", None),
            ("cache-control: private, max-age=60", None),
            ("cache-control: private=\"x\", max-age=60", None),
            ("cache-control: no-store\netag: \"1\"", None),
            ("cache-control: max-age=60\nset-cookie: a=b", None),
            ("cache-control: max-age=60\nvary: cookie", None),
            ("cache-control: max-age=60\nvary: *", None),
            ("cache-control: max-age=-1", None),
            ("cache-control: max-age=abc", None),
        ] {
            let found = of_reply(StatusCode::OK, &headers(text));
            assert_eq!(found, seconds.map(Duration::from_secs), "{text}");
        }
        let kept = headers("cache-control: max-age=60");
        assert_eq!(of_reply(StatusCode::NOT_FOUND, &kept), None);
        assert_eq!(of_reply(StatusCode::PARTIAL_CONTENT, &kept), None);
    }

    #[test]
    fn requests_of_somebody_are_not_shared() {
        let request = |method: &str, text: &str| {
            let mut request = Request::new(());
            *request.method_mut() = method.parse().unwrap();
            *request.headers_mut() = headers(text);
            is_for_everybody(&request)
        };
        assert!(request("GET", "accept: */*"));
        for (method, text) in [
            ("HEAD", "accept: */*"),
            ("POST", "accept: */*"),
            ("GET", "authorization: Basic eDp5"),
            ("GET", "cookie: a=b"),
            ("GET", "range: bytes=0-1"),
            ("GET", "if-none-match: \"1\""),
            ("GET", "cache-control: no-cache"),
            ("GET", "upgrade: websocket"),
        ] {
            assert!(!request(method, text), "{method} {text}");
        }
    }
}
