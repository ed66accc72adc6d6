//! The keys of an AWS account, used by the gateway alone.
//!
//! Inside there are keys of the same shape that are worth nothing, and programs sign with them.
//! The gateway looks at what such a signature is for, and signs anew what is sent: the secret goes
//! nowhere. Signatures that are not in a header, that cover a body piece by piece, or that are of
//! another kind, are refused with the reason.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use percent_encoding::percent_decode_str;
use zeroize::Zeroizing;

use super::sigv4::{self, Scope, Signing};
use super::{Places, Secret, SecretError, SecretRules, check_value, placeholder};
use crate::policy::{RuleSpec, printable};

/// The variables that hold the keys.
pub(super) const NAMES: [&str; 3] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
];
/// Has AWS's clients hash a body, and not sign or check it piece by piece.
pub(super) const CHECKSUMS: (&str, &str) = ("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required");

/// How many services, and how many regions.
const MAX_GRANTED: usize = 64;

const DATE: HeaderName = HeaderName::from_static("x-amz-date");
const TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");
const CONTENT: HeaderName = HeaderName::from_static("x-amz-content-sha256");

/// The keys of an AWS account as an embedder gives them, and what may be signed with them.
#[derive(Clone)]
pub struct AwsSpec {
    /// The id of the key.
    pub access_key_id: Zeroizing<String>,
    /// The secret key.
    pub secret: Zeroizing<String>,
    /// The token of a session, which goes to the hosts.
    pub session_token: Option<Zeroizing<String>>,
    /// The services, by the names that signatures have: `s3`, `dynamodb`.
    pub services: Vec<String>,
    /// The regions: `eu-central-1`.
    pub regions: Vec<String>,
    /// Rules for https: where what is signed may go. Their paths and methods count.
    pub hosts: Vec<RuleSpec>,
}

impl fmt::Debug for AwsSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwsSpec")
            .field("services", &self.services)
            .field("regions", &self.regions)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// The keys, once they were read.
pub(super) struct Keys {
    id: Zeroizing<String>,
    secret: Zeroizing<String>,
    token: Option<Zeroizing<String>>,
    services: Vec<String>,
    regions: Vec<String>,
}

impl Keys {
    /// Reads keys; the second part is the secrets that they are among the others, the id first.
    pub(super) fn new(
        spec: &AwsSpec,
        key: &[u8; 32],
        namespace: &str,
    ) -> Result<(Keys, Vec<Secret>), SecretError> {
        let id = &spec.access_key_id;
        let is_id = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if !(16..=128).contains(&id.len()) || !id.bytes().all(is_id) {
            return Err(SecretError::Aws(
                "an access key id has 16 to 128 letters and digits",
            ));
        }
        let is_name = |name: &String| {
            let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            (1..=64).contains(&name.len()) && name.bytes().all(is_plain)
        };
        for granted in [&spec.services, &spec.regions] {
            if !(1..=MAX_GRANTED).contains(&granted.len()) || !granted.iter().all(is_name) {
                return Err(SecretError::Aws(
                    "name services and regions, such as `s3` and `eu-central-1`",
                ));
            }
        }
        let hosts = SecretRules::new(&spec.hosts).map_err(|why| SecretError::Hosts {
            name: "aws".to_owned(),
            why,
        })?;
        let hosts = Arc::new(hosts);
        let values = [Some(id), Some(&spec.secret), spec.session_token.as_ref()];
        let mut secrets = Vec::new();
        for (name, value) in NAMES.into_iter().zip(values) {
            let Some(value) = value else { continue };
            check_value(name, value, Places::NONE)?;
            let placeholder = match name {
                "AWS_ACCESS_KEY_ID" => placeholder::key_id(key, namespace, name, value),
                _ => placeholder::placeholder(key, namespace, name, value),
            };
            secrets.push(Secret {
                name: name.into(),
                value: value.clone(),
                placeholder: placeholder.into(),
                hosts: hosts.clone(),
                places: Places::NONE,
                redact: true,
                pass: false,
                // Clients of S3 want to know the length of what they get.
                keeps_lengths: true,
            });
        }
        let keys = Keys {
            id: id.clone(),
            secret: spec.secret.clone(),
            token: spec.session_token.clone(),
            services: spec.services.clone(),
            regions: spec.regions.clone(),
        };
        Ok((keys, secrets))
    }
}

/// What may be signed for a host.
#[derive(Clone)]
pub(crate) struct Grant {
    pub(super) keys: Arc<Keys>,
    /// The id that programs inside sign with.
    pub(super) placeholder: Arc<str>,
    /// The secrets that go into a signature, a bit each.
    pub(super) hits: u64,
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Grant(…)")
    }
}

/// A signature of a guest that is to be made anew.
#[derive(Debug)]
pub(crate) struct Claim {
    grant: Grant,
    region: String,
    service: String,
    /// The fields that the guest has signed.
    signed: Vec<HeaderName>,
    /// The hash of the body as the guest gives it; it need not.
    payload: Option<String>,
}

impl Grant {
    /// What the guest has signed, if it has. Fails with the reason why that cannot be made anew.
    pub(crate) fn claim(&self, request: &Parts) -> Result<Option<Claim>, String> {
        if request.uri.query().is_some_and(is_presigned) {
            return Err("presigned URLs are not signed anew; sign the header".to_owned());
        }
        let mut values = request.headers.get_all(AUTHORIZATION).iter();
        let (value, more) = (values.next(), values.next());
        let Some(value) = value else { return Ok(None) };
        if more.is_some() {
            return Err("there is more than one Authorization".to_owned());
        }
        let value = value.to_str().unwrap_or_default();
        let (algorithm, fields) = value.split_once(' ').unwrap_or((value, ""));
        match algorithm {
            "AWS4-HMAC-SHA256" => {}
            "AWS" => return Err("signatures of version 2 are not made anew".to_owned()),
            other if other.starts_with("AWS4-ECDSA") => {
                return Err("signatures of version 4a are not made anew".to_owned());
            }
            other if other.starts_with("AWS") => {
                return Err(format!("`{}` is not made anew", printable(other)));
            }
            _ => return Ok(None),
        }
        let malformed = || "the signature in Authorization cannot be read".to_owned();
        let mut found = [None; 3];
        for field in fields.split(',') {
            let (name, value) = field.trim().split_once('=').ok_or_else(malformed)?;
            let names = ["Credential", "SignedHeaders", "Signature"];
            let place = names.iter().position(|own| *own == name);
            let place = place.ok_or_else(malformed)?;
            if found[place].replace(value).is_some() {
                return Err(malformed());
            }
        }
        let [Some(credential), Some(signed), Some(_)] = found else {
            return Err(malformed());
        };
        let [id, _, region, service, "aws4_request"] =
            credential.split('/').collect::<Vec<_>>()[..]
        else {
            return Err(malformed());
        };
        if id != &*self.placeholder {
            return Err("the request is signed with a key that is not the sandbox's".to_owned());
        }
        if !self.keys.services.iter().any(|own| own == service) {
            let service = printable(service);
            return Err(format!("nothing is signed for the service `{service}`"));
        }
        if !self.keys.regions.iter().any(|own| own == region) {
            let region = printable(region);
            return Err(format!("nothing is signed for the region `{region}`"));
        }
        let signed = signed.split(';').map(|name| name.parse().ok());
        Ok(Some(Claim {
            grant: self.clone(),
            region: region.to_owned(),
            service: service.to_owned(),
            signed: signed.collect::<Option<_>>().ok_or_else(malformed)?,
            payload: payload(&request.headers)?,
        }))
    }
}

impl Claim {
    /// Whether the signature covers the body, and its hash has to be found out.
    pub(crate) fn lacks_hash(&self) -> bool {
        self.payload.is_none()
    }

    /// Whether the signature covers the body, which then has to stay as it is.
    pub(crate) fn covers_body(&self) -> bool {
        self.payload.as_deref() != Some(UNSIGNED)
    }

    /// Takes the whole body, to hash it.
    pub(crate) fn hash(&mut self, body: &[u8]) {
        self.payload = Some(sigv4::hash(body));
    }

    /// Signs a request as it is sent now, and returns the secrets that went into that.
    ///
    /// The date is the host's: what is signed for later is signed by nobody.
    pub(crate) fn sign<B>(&self, request: &mut hyper::Request<B>, now: SystemTime) -> u64 {
        let keys = &*self.grant.keys;
        let date = sigv4::date(now);
        let headers = request.headers_mut();
        headers.remove(&DATE);
        headers.remove(&TOKEN);
        headers.remove(AUTHORIZATION);
        let mut added = vec![(DATE, date.as_str())];
        added.extend(keys.token.as_ref().map(|token| (TOKEN, token.as_str())));
        for (name, value) in added {
            insert(headers, name, value);
        }
        let mut names: Vec<String> = headers
            .keys()
            .filter(|name| {
                let name = name.as_str();
                name == "host"
                    || name.starts_with("x-amz-")
                    || self.signed.iter().any(|own| own == name)
            })
            .map(ToString::to_string)
            .collect();
        names.sort_unstable();
        let scope = Scope {
            date: &date,
            region: &self.region,
            service: &self.service,
        };
        let signature = sigv4::signature(
            &keys.secret,
            &scope,
            &Signing {
                method: request.method().as_str(),
                path: request.uri().path(),
                query: request.uri().query().unwrap_or_default(),
                headers: request.headers(),
                names: &names,
                payload: self.payload.as_deref().unwrap_or(sigv4::EMPTY),
            },
        );
        let value = Zeroizing::new(format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={}, Signature={signature}",
            *keys.id,
            names.join(";"),
        ));
        insert(request.headers_mut(), AUTHORIZATION, &value);
        self.grant.hits
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // Keys and tokens were checked to be visible ASCII.
    if let Ok(mut value) = HeaderValue::from_str(value) {
        value.set_sensitive(true);
        headers.insert(name, value);
    }
}

const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// The hash of the body that a guest gives.
fn payload(headers: &HeaderMap) -> Result<Option<String>, String> {
    let mut values = headers.get_all(&CONTENT).iter();
    let (value, more) = (values.next(), values.next());
    let Some(value) = value else { return Ok(None) };
    let value = value.to_str().unwrap_or_default();
    let is_hash = value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit());
    match value {
        _ if more.is_some() => Err("there is more than one x-amz-content-sha256".to_owned()),
        hash if is_hash || hash == UNSIGNED => Ok(Some(hash.to_owned())),
        other if other.starts_with("STREAMING-") => Err(format!(
            "a body that is signed piece by piece is not signed anew; set {}={}",
            CHECKSUMS.0, CHECKSUMS.1
        )),
        _ => Err("x-amz-content-sha256 is no hash".to_owned()),
    }
}

/// Whether a query has what a presigned URL has.
fn is_presigned(query: &str) -> bool {
    let names = query.split('&').filter_map(|pair| pair.split('=').next());
    let mut names = names.map(|name| percent_decode_str(name).collect::<Vec<u8>>());
    names.any(|name| {
        ["X-Amz-Signature", "X-Amz-Credential", "X-Amz-Algorithm"]
            .iter()
            .any(|own| name.eq_ignore_ascii_case(own.as_bytes()))
    })
}
