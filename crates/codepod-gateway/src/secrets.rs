//! Secrets that are used at the gateway and never enter a sandbox.
//!
//! Inside, a placeholder stands for each. On its way to a host that the secret is bound to, over
//! https, the placeholder is exchanged for the value; in the reply the value is exchanged back. A
//! placeholder on its way to anybody else is a leak, and the request is denied.
//!
//! Values are wiped when a secret is dropped, as far as Rust's types do it: what a search automaton
//! and a request under way hold is freed without.

#[cfg(feature = "net")]
mod aws;
mod forms;
mod placeholder;
mod replacer;
mod scan;
#[cfg(feature = "net")]
mod sigv4;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::policy::target::{Scheme, Target};
use crate::policy::{PolicyError, RuleSpec, SecretRules};
#[cfg(feature = "net")]
pub use aws::AwsSpec;
#[cfg(feature = "net")]
pub(crate) use aws::Claim;
use forms::{Form, Pair};
pub(crate) use replacer::{Replacer, Stream};
pub(crate) use scan::{Leak, Scan};

/// How many secrets a sandbox may have.
pub const MAX_SECRETS: usize = 64;
const MAX_VALUE: usize = 8 * 1024;
/// Shorter values occur by chance, and redaction would garble replies.
const MIN_VALUE: usize = 8;

/// The key of the host that placeholders are made with.
#[derive(Clone)]
pub struct HostKey(Zeroizing<[u8; 32]>);

impl HostKey {
    /// A key of 32 random bytes that the embedder keeps as long as saved states.
    pub fn new(bytes: [u8; 32]) -> HostKey {
        HostKey(Zeroizing::new(bytes))
    }
}

impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostKey(…)")
    }
}

/// Where a secret is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The values of header fields.
    pub header: bool,
    /// User and password of `Authorization: Basic`.
    pub basic: bool,
    /// The query of the URL.
    pub query: bool,
    /// The body.
    pub body: bool,
    /// The messages of a WebSocket.
    pub websocket: bool,
}

impl Places {
    /// Nowhere.
    pub const NONE: Places = Places {
        header: false,
        basic: false,
        query: false,
        body: false,
        websocket: false,
    };
}

impl Default for Places {
    fn default() -> Self {
        Places {
            header: true,
            basic: true,
            query: true,
            body: false,
            websocket: false,
        }
    }
}

/// A secret as an embedder gives it.
#[derive(Clone)]
pub struct SecretSpec {
    /// The name, which is the environment variable's.
    pub name: String,
    /// The value: 8 bytes to 8 KiB of visible ASCII.
    pub value: Zeroizing<String>,
    /// Where it is bound to: rules for https. Their paths and methods count.
    pub hosts: Vec<RuleSpec>,
    /// Where it is put in.
    pub places: Places,
    /// Whether replies of bound hosts are searched for the value.
    pub redact: bool,
    /// Whether a placeholder may go to strangers, where it is worth nothing.
    pub pass: bool,
}

impl SecretSpec {
    /// A secret with what is usual: put into heads, redacted from replies, and no leaks.
    pub fn new(name: &str, value: &str, hosts: &[&str]) -> SecretSpec {
        SecretSpec {
            name: name.to_owned(),
            value: Zeroizing::new(value.to_owned()),
            hosts: hosts.iter().map(|host| RuleSpec::from(*host)).collect(),
            places: Places::default(),
            redact: true,
            pass: false,
        }
    }
}

impl fmt::Debug for SecretSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretSpec")
            .field("name", &self.name)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// Why a secret cannot be used. No text has a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The name is not one of an environment variable.
    #[error("the name of a secret is one of an environment variable")]
    Name,
    /// The value has the wrong length or bytes that are not allowed.
    #[error("secret `{0}`: a value has {MIN_VALUE} bytes to {MAX_VALUE} of visible ASCII")]
    Value(String),
    /// A value in bodies is exchanged for a placeholder of the same length.
    #[error("secret `{0}`: only a value of at least 24 bytes can be put into bodies")]
    TooShortForBodies(String),
    /// A binding is not a rule.
    #[error("secret `{name}`: {why}")]
    Hosts {
        /// Which secret.
        name: String,
        /// Why.
        why: PolicyError,
    },
    /// The keys of an AWS account cannot be used.
    #[error("aws: {0}")]
    Aws(&'static str),
    /// Two have one name.
    #[error("there are two secrets `{0}`")]
    Twice(String),
    /// There are too many.
    #[error("a sandbox has at most {MAX_SECRETS} secrets")]
    TooMany,
}

#[derive(Clone)]
struct Secret {
    name: Arc<str>,
    value: Zeroizing<String>,
    placeholder: Arc<str>,
    hosts: Arc<SecretRules>,
    places: Places,
    redact: bool,
    pass: bool,
    /// Whether replies of bound hosts keep their length.
    keeps_lengths: bool,
}

/// The secrets of a sandbox.
pub struct Secrets {
    list: Vec<Secret>,
    /// The keys of an AWS account, and the place of their id in the list. The others follow it.
    #[cfg(feature = "net")]
    aws: Option<(Arc<aws::Keys>, usize)>,
    /// The automata of each set of secrets that was bound, by its bits.
    bound: Mutex<HashMap<u64, Arc<Bound>>>,
    /// What finds the values of all of them.
    #[cfg(feature = "net")]
    values: std::sync::OnceLock<Option<Arc<Replacer>>>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.list.iter().map(|secret| &secret.name))
            .finish()
    }
}

impl Secrets {
    /// No secrets.
    pub fn none() -> Secrets {
        Secrets::of(Vec::new())
    }

    /// Secrets whose placeholders are made with `key`, for the sandboxes of `namespace`.
    ///
    /// Fails when one of them cannot be used.
    pub fn new(
        specs: &[SecretSpec],
        key: &HostKey,
        namespace: &str,
    ) -> Result<Secrets, SecretError> {
        if specs.len() > MAX_SECRETS {
            return Err(SecretError::TooMany);
        }
        let mut list: Vec<Secret> = Vec::with_capacity(specs.len());
        for spec in specs {
            if !is_variable(&spec.name) {
                return Err(SecretError::Name);
            }
            if list.iter().any(|secret| *secret.name == *spec.name) {
                return Err(SecretError::Twice(spec.name.clone()));
            }
            check_value(&spec.name, &spec.value, spec.places)?;
            let hosts = SecretRules::new(&spec.hosts).map_err(|why| SecretError::Hosts {
                name: spec.name.clone(),
                why,
            })?;
            list.push(Secret {
                name: spec.name.as_str().into(),
                value: spec.value.clone(),
                placeholder: placeholder::placeholder(&key.0, namespace, &spec.name, &spec.value)
                    .into(),
                hosts: Arc::new(hosts),
                places: spec.places,
                redact: spec.redact,
                pass: spec.pass,
                keeps_lengths: false,
            });
        }
        Ok(Secrets::of(list))
    }

    /// The same secrets and the keys of an AWS account, whose placeholders are made with `key`.
    ///
    /// Fails when they cannot be used.
    #[cfg(feature = "net")]
    pub fn with_aws(
        self,
        spec: &AwsSpec,
        key: &HostKey,
        namespace: &str,
    ) -> Result<Secrets, SecretError> {
        let (keys, own) = aws::Keys::new(spec, &key.0, namespace)?;
        let mut list = self.list;
        let first = list.len();
        let has = |secret: &&Secret| list.iter().any(|other| other.name == secret.name);
        if let Some(twice) = own.iter().find(has) {
            return Err(SecretError::Twice(twice.name.to_string()));
        }
        list.extend(own);
        if list.len() > MAX_SECRETS {
            return Err(SecretError::TooMany);
        }
        Ok(Secrets {
            aws: Some((Arc::new(keys), first)),
            ..Secrets::of(list)
        })
    }

    /// The same secrets with the placeholders that those of their names have in `earlier`, which
    /// are in the environment already. One that is put into bodies keeps its own if its length has
    /// changed.
    pub fn in_place_of(&self, earlier: &Secrets) -> Secrets {
        let mut list = self.list.clone();
        for secret in &mut list {
            let same = |other: &&Secret| other.name == secret.name;
            if let Some(other) = earlier.list.iter().find(same)
                && (!secret.places.body || other.placeholder.len() == secret.placeholder.len())
            {
                secret.placeholder = other.placeholder.clone();
            }
        }
        self.with(list)
    }

    /// The same secrets with other placeholders, for those that `placeholder` has one for: those of
    /// a recording, which are in what it holds.
    #[cfg(feature = "net")]
    pub(crate) fn with_placeholders(
        &self,
        placeholder: impl Fn(&str) -> Option<Arc<str>>,
    ) -> Secrets {
        let mut list = self.list.clone();
        for secret in &mut list {
            if let Some(other) = placeholder(&secret.name) {
                secret.placeholder = other;
            }
        }
        self.with(list)
    }

    /// The same with other secrets in the same order.
    fn with(&self, list: Vec<Secret>) -> Secrets {
        Secrets {
            #[cfg(feature = "net")]
            aws: self.aws.clone(),
            ..Secrets::of(list)
        }
    }

    fn of(list: Vec<Secret>) -> Secrets {
        Secrets {
            list,
            #[cfg(feature = "net")]
            aws: None,
            bound: Mutex::default(),
            #[cfg(feature = "net")]
            values: std::sync::OnceLock::new(),
        }
    }

    /// What finds the value of any secret, in all forms that are known, whatever it is bound to.
    #[cfg(feature = "net")]
    pub(crate) fn values(&self) -> Option<&Arc<Replacer>> {
        let made = self.values.get_or_init(|| {
            let secrets = self.list.iter().enumerate();
            let texts = secrets.flat_map(|(index, secret)| {
                let forms = forms::pairs(&secret.value, &secret.value).into_iter();
                forms.map(move |(from, to)| (from, to, index))
            });
            Replacer::new(texts).map(Arc::new)
        });
        made.as_ref()
    }

    /// Names and placeholders, for the environment; with keys of AWS also what has its clients sign
    /// as the gateway does.
    pub fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        let secrets = self.list.iter();
        let secrets = secrets.map(|secret| (&*secret.name, &*secret.placeholder));
        #[cfg(feature = "net")]
        let secrets = secrets.chain(self.aws.iter().map(|_| aws::CHECKSUMS));
        secrets
    }

    /// The names of the secrets that `hits` has a bit of.
    pub(crate) fn names(&self, hits: u64) -> Vec<Arc<str>> {
        let hit = self.list.iter().enumerate();
        hit.filter(|(index, _)| hits & 1 << index != 0)
            .map(|(_, secret)| secret.name.clone())
            .collect()
    }

    /// What is done to a request for `target`, and to its reply.
    pub(crate) fn bind(&self, target: &Target, method: &str) -> Arc<Bound> {
        let mut bits = 0;
        for (index, secret) in self.list.iter().enumerate() {
            // Values go over TLS only.
            if target.scheme == Scheme::Https && secret.hosts.allow(target, method) {
                bits |= 1 << index;
            }
        }
        self.bound(bits)
    }

    /// What is looked for where no secret is bound: in a raw connection, and where nobody knows who
    /// the server is.
    pub(crate) fn bind_nothing(&self) -> Arc<Bound> {
        self.bound(0)
    }

    fn bound(&self, bits: u64) -> Arc<Bound> {
        let mut kept = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        // A sandbox has few sets; a bound keeps a hostile list of paths from making many.
        if kept.len() >= 64 && !kept.contains_key(&bits) {
            kept.clear();
        }
        let bound = || Bound {
            #[cfg(feature = "net")]
            aws: self.aws_grant(bits),
            ..Bound::new(&self.list, bits)
        };
        kept.entry(bits)
            .or_insert_with(|| Arc::new(bound()))
            .clone()
    }

    /// What may be signed where the secrets of `bits` are bound.
    #[cfg(feature = "net")]
    fn aws_grant(&self, bits: u64) -> Option<aws::Grant> {
        let (keys, first) = self.aws.as_ref()?;
        let own = self.list.iter().enumerate().skip(*first);
        let hits = own.take(aws::NAMES.len()).map(|(index, _)| 1 << index);
        let is_bound = bits & 1 << first != 0;
        is_bound.then(|| aws::Grant {
            keys: keys.clone(),
            placeholder: self.list[*first].placeholder.clone(),
            hits: hits.fold(0, |all, bit: u64| all | bit),
        })
    }
}

/// The secrets that are bound to a request, and those that are not.
#[derive(Debug)]
pub(crate) struct Bound {
    /// Placeholders that are no business of this host.
    strangers: Option<Arc<Replacer>>,
    header: Option<Arc<Replacer>>,
    basic: Option<Arc<Replacer>>,
    query: Option<Arc<Replacer>>,
    /// By the form of the body: raw, percent, JSON.
    body: [Option<Arc<Replacer>>; 3],
    /// Placeholders that are no business of a WebSocket's messages, and those that are; `None`
    /// without secrets, when nobody looks at messages.
    messages: Option<[Option<Arc<Replacer>>; 2]>,
    redact: Option<Arc<Replacer>>,
    #[cfg(feature = "net")]
    aws: Option<aws::Grant>,
}

impl Bound {
    fn new(list: &[Secret], bits: u64) -> Bound {
        let of = |wanted: &dyn Fn(usize, &Secret) -> bool, texts: &dyn Fn(&Secret) -> Vec<Pair>| {
            let chosen = list
                .iter()
                .enumerate()
                .filter(|(i, secret)| wanted(*i, secret));
            let texts = chosen.flat_map(|(index, secret)| {
                texts(secret)
                    .into_iter()
                    .map(move |(from, to)| (from, to, index))
            });
            Replacer::new(texts).map(Arc::new)
        };
        let is_bound = |index: usize| bits & 1 << index != 0;
        let fill = |form: Form| move |secret: &Secret| fill(secret, form);
        let body = |form| of(&|i, secret| is_bound(i) && secret.places.body, &fill(form));
        let in_messages = |index, secret: &Secret| is_bound(index) && secret.places.websocket;
        let itself = |secret: &Secret| forms::pairs(&secret.placeholder, &secret.placeholder);
        Bound {
            strangers: of(&|i, secret| !is_bound(i) && !secret.pass, &itself),
            header: of(
                &|i, secret| is_bound(i) && secret.places.header,
                &fill(Form::Raw),
            ),
            basic: of(
                &|i, secret| is_bound(i) && secret.places.basic,
                &fill(Form::Raw),
            ),
            query: of(
                &|i, secret| is_bound(i) && secret.places.query,
                &fill(Form::Percent),
            ),
            body: [body(Form::Raw), body(Form::Percent), body(Form::Json)],
            messages: (!list.is_empty()).then(|| {
                let strangers = |i, secret: &Secret| !in_messages(i, secret) && !secret.pass;
                [of(&strangers, &itself), of(&in_messages, &fill(Form::Raw))]
            }),
            redact: of(&|i, secret| is_bound(i) && secret.redact, &|secret| {
                let mut pairs = forms::pairs(&secret.value, &secret.placeholder);
                if secret.keeps_lengths {
                    for (from, to) in &mut pairs {
                        *to = to.iter().cycle().take(from.len()).copied().collect();
                    }
                }
                pairs
            }),
            #[cfg(feature = "net")]
            aws: None,
        }
    }

    /// The placeholder of a stranger in a piece of a head; also in what its Basic credentials say.
    pub(crate) fn leak(&self, bytes: &[u8]) -> Option<usize> {
        let strangers = self.strangers.as_ref()?;
        strangers
            .find(bytes)
            .or_else(|| basic_credentials(bytes).and_then(|(_, plain)| strangers.find(&plain)))
    }

    /// Looks for placeholders of strangers in a body or a raw connection, piece by piece.
    pub(crate) fn leak_scan(&self) -> Option<Stream> {
        self.strangers.clone().map(Stream::new)
    }

    /// A header value with the values put in; `None` when there is nothing to put in.
    pub(crate) fn fill_header(&self, value: &[u8], hits: &mut u64) -> Option<Vec<u8>> {
        if let Some(basic) = &self.basic
            && let Some((scheme, plain)) = basic_credentials(value)
        {
            let mut found = 0;
            let filled = Zeroizing::new(basic.replace(&plain, &mut found));
            if found != 0 {
                *hits |= found;
                return Some([scheme, STANDARD.encode(&*filled).as_bytes()].concat());
            }
        }
        replaced(self.header.as_ref()?, value, hits)
    }

    /// A query with the values put in, percent-encoded; `None` when there is nothing to put in.
    pub(crate) fn fill_query(&self, query: &[u8], hits: &mut u64) -> Option<Vec<u8>> {
        replaced(self.query.as_ref()?, query, hits)
    }

    /// Puts the values into a body of a media type. `None` when no secret goes into bodies.
    pub(crate) fn fill_body(&self, media_type: &str) -> Option<Filling> {
        let form = match media_type {
            "application/x-www-form-urlencoded" => Form::Percent,
            json if json == "application/json" || json.ends_with("+json") => Form::Json,
            _ => Form::Raw,
        };
        let replacer = self.body[form as usize].clone()?;
        Some(Filling {
            keeps_length: replacer.keeps_lengths(),
            stream: Stream::new(replacer),
        })
    }

    /// What the messages of a WebSocket go through; `None` when there are no secrets.
    pub(crate) fn messages(&self) -> Option<Messages> {
        let [strangers, filling] = self.messages.as_ref()?;
        let stream = |replacer: &Option<Arc<Replacer>>| replacer.clone().map(Stream::new);
        let redaction = || Scan::new(None, stream(&self.redact));
        Some(Messages {
            out: Scan::new(stream(strangers), stream(filling)),
            out_control: Scan::new(stream(strangers), None),
            back: redaction(),
            back_control: redaction(),
        })
    }

    /// What may be signed with the keys of an AWS account; `None` where nothing is.
    #[cfg(feature = "net")]
    pub(crate) fn aws(&self) -> Option<&aws::Grant> {
        self.aws.as_ref()
    }

    /// What takes values out of a reply; `None` when nothing is looked for.
    pub(crate) fn redaction(&self) -> Option<&Arc<Replacer>> {
        self.redact.as_ref()
    }
}

/// What the messages of a WebSocket go through, out to the server and back.
#[derive(Debug)]
pub(crate) struct Messages {
    pub(crate) out: Scan,
    /// Control frames come between the frames of a message.
    pub(crate) out_control: Scan,
    pub(crate) back: Scan,
    pub(crate) back_control: Scan,
}

/// A body that is being filled in.
#[derive(Debug)]
pub(crate) struct Filling {
    pub(crate) stream: Stream,
    pub(crate) keeps_length: bool,
}

fn replaced(replacer: &Replacer, bytes: &[u8], hits: &mut u64) -> Option<Vec<u8>> {
    let mut found = 0;
    let out = replacer.replace(bytes, &mut found);
    *hits |= found;
    (found != 0).then_some(out)
}

/// The placeholder in its forms, and the value in the form of the place.
fn fill(secret: &Secret, form: Form) -> Vec<Pair> {
    let value = forms::encode(&secret.value, form).into_bytes();
    let mut texts = vec![(secret.placeholder.as_bytes().to_vec(), value.clone())];
    if form == Form::Percent {
        // Some encoders encode the `-` or `_` of a prefix, which need not be.
        let encoded = secret.placeholder.replace('-', "%2D").replace('_', "%5F");
        let lower = secret.placeholder.replace('-', "%2d").replace('_', "%5f");
        if encoded != *secret.placeholder {
            texts.push((encoded.into_bytes(), value.clone()));
            texts.push((lower.into_bytes(), value));
        }
    }
    texts
}

/// `Basic ` as it was written, and the decoded credentials.
fn basic_credentials(value: &[u8]) -> Option<(&[u8], Zeroizing<Vec<u8>>)> {
    let (scheme, encoded) = value.split_at_checked(6)?;
    if !scheme.eq_ignore_ascii_case(b"basic ") {
        return None;
    }
    let plain = STANDARD.decode(encoded.trim_ascii()).ok()?;
    Some((scheme, Zeroizing::new(plain)))
}

fn is_variable(name: &str) -> bool {
    let first = name.bytes().next();
    first.is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && name.len() <= 256
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn check_value(name: &str, value: &str, places: Places) -> Result<(), SecretError> {
    let visible = value.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
    if !visible || !(MIN_VALUE..=MAX_VALUE).contains(&value.len()) || value.trim() != value {
        return Err(SecretError::Value(name.to_owned()));
    }
    if places.body && value.len() < 24 {
        return Err(SecretError::TooShortForBodies(name.to_owned()));
    }
    Ok(())
}
