//! The lines of a cassette.
//!
//! ```text
//! {"cassette":{"version":1}}                                       the first
//! {"secret":{"name":…,"placeholder":…}}                            what stands for a secret
//! {"lookup":{"host":…,"failed":…}}                                 a name without an address
//! {"connection":{"n":…,"host":…,"port":…}}                         one opened, or `failed`
//! {"handshake":{"n":…,"host":…,"port":…,"asked":…,"reply":…}}      TLS, or its `failed`
//! {"exchange":{"n":…,"method":…,"url":…,"sent":…,"reply":…}}       a request, and its reply
//! {"closed":{"after":…}}                                           the server closed then
//! {"ended":{"why":…}}                                              the recording is not whole
//! ```
//!
//! Lines are in the order in which things ended; `n` has the order in which they began. Bytes that
//! need not be UTF-8, as in header fields, are strings of the characters U+0000 to U+00FF.

use codepod_abi::Errno;
use serde::{Deserialize, Serialize};

use crate::http::Content;

/// The version of the format.
pub(super) const VERSION: u32 = 1;
/// The longest line: a head of 64 KiB, each byte of which takes six characters, and a URL.
pub(super) const MAX_LINE: u64 = 1 << 20;

/// How many lines a cassette of so many exchanges may have: a client may try to connect, or to
/// shake hands, more often than it asks for anything.
pub(super) fn most_lines(exchanges: u64) -> u64 {
    exchanges.saturating_mul(8).saturating_add(1_000)
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Line {
    Cassette(Version),
    Secret(Secret),
    Lookup(Lookup),
    Connection(Connection),
    Handshake(Handshake),
    Exchange(Box<Exchange>),
    Closed(Closed),
    Ended(Ended),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Version {
    pub(super) version: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Secret {
    pub(super) name: String,
    pub(super) placeholder: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lookup {
    pub(super) host: String,
    pub(super) failed: LookupFailure,
}

/// How a lookup failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LookupFailure {
    /// There is no such name.
    NotFound,
    /// It could not be found out.
    Unknown,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Connection {
    pub(super) n: u64,
    pub(super) host: String,
    pub(super) port: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<ConnectFailure>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConnectFailure {
    pub(super) errno: String,
    pub(super) why: String,
}

/// What `connect` fails with.
const CONNECT_ERRORS: &[Errno] = &[
    Errno::ConnRefused,
    Errno::ConnReset,
    Errno::TimedOut,
    Errno::NetUnreach,
    Errno::HostUnreach,
];

impl ConnectFailure {
    pub(super) fn errno(&self) -> Option<Errno> {
        let known = |errno: &&Errno| errno.name() == self.errno;
        CONNECT_ERRORS.iter().find(known).copied()
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Handshake {
    pub(super) n: u64,
    pub(super) host: String,
    pub(super) port: u16,
    /// The hash of what the guest asked for.
    pub(super) asked: String,
    /// The payload of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reply: Option<Part>,
    /// The payload of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<Part>,
}

/// Bytes: how many, and their hash, which is the name of their file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    pub(super) bytes: u64,
    pub(super) blake3: String,
}

impl From<Content> for Part {
    fn from(content: Content) -> Part {
        Part {
            bytes: content.bytes,
            blake3: content.hash.to_hex().to_string(),
        }
    }
}

impl Part {
    pub(super) fn content(&self) -> Option<Content> {
        Some(Content {
            bytes: self.bytes,
            hash: blake3::Hash::from_hex(&self.blake3).ok()?,
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    pub(super) n: u64,
    pub(super) method: String,
    pub(super) url: String,
    /// The body of the request; none where the reply came before the end of it.
    pub(super) sent: Option<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<Failed>,
}

/// Why there is no reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Failed {
    /// The server broke the connection.
    Broken(String),
    /// It did not answer within so many milliseconds.
    TimedOut(u64),
    /// What it gave was not what it has to be.
    Wrong(String),
    /// It was offline here, and nothing was kept of it.
    Absent(String),
    /// The guest did not wait for it.
    Unanswered,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    pub(super) http: String,
    pub(super) status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    pub(super) fields: Vec<(String, String)>,
    pub(super) body: Part,
    /// Whether the length was not known beforehand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) streamed: bool,
    /// Why the body broke off after what there is of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) broken: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Closed {
    pub(super) after: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ended {
    pub(super) why: String,
}

/// Bytes as a string of characters up to U+00FF.
pub(super) fn text(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// The bytes of such a string.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(c).ok()).collect()
}
