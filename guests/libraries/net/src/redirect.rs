//! What follows a redirect, by the rules of curl.

use crate::url::BadUrl;
use crate::{Request, Response, Url};

/// Fields that are for the host that was asked, and for no other.
const PRIVATE: &[&str] = &["authorization", "cookie"];

/// Whether a reply leads on.
pub fn is_one(response: &Response) -> bool {
    matches!(response.status, 301 | 302 | 303 | 307 | 308)
        && response.fields.get("location").is_some()
}

/// The request that a redirect asks for; none when the reply is not one.
///
/// 303 becomes a GET, so does a POST at 301 and 302; other methods and bodies stay. Fields for the
/// host itself do not go to another host, port or scheme.
pub fn next(request: &Request, response: &Response) -> Option<Result<Request, BadUrl>> {
    let location = response.fields.get("location")?;
    if !is_one(response) {
        return None;
    }
    Some(request.url.join(location).map(|url| {
        let mut next = request.clone();
        let drops = match response.status {
            301 | 302 => request.method == "POST",
            303 => request.method != "HEAD",
            _ => false,
        };
        if drops {
            next.method = "GET".to_owned();
            next.body = None;
            next.fields
                .retain(|(name, _)| !name.to_ascii_lowercase().starts_with("content-"));
        }
        if !url.same_origin(&request.url) {
            next.fields.retain(|(name, _)| !is_private(name));
        }
        next.url = url;
        next
    }))
}

fn is_private(name: &str) -> bool {
    PRIVATE.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a field may go along from one URL to another.
pub fn goes_along(name: &str, from: &Url, to: &Url) -> bool {
    from.same_origin(to) || !is_private(name)
}
