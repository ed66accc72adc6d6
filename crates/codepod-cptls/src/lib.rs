//! `cptls`: how a guest asks the gateway for TLS on a connection that it has open.
//!
//! The guest sends a magic and a hello with what a TLS library would be told; the gateway does the
//! handshake with the server and replies with its outcome: the version, the cipher and the server's
//! real certificates. From then on both sides send plain text in records. So policy and secrets see
//! requests, nothing inside holds keys, and programs still see true certificates.
//!
//! ```text
//! guest:   magic (7 bytes) hello
//! gateway: reply | fail
//! both:    data … close
//! record:  type (1 byte) length (3 bytes, big-endian) payload
//! payload of hello, reply and fail: fields of tag (1 byte) length (3 bytes, big-endian) value
//! ```
//!
//! A real ClientHello begins with `16 03`, HTTP with a letter; neither can be taken for the magic.
//!
//! This crate has the wire format only, for the gateway and for guests: it reads and writes no
//! sockets and has no dependencies.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![forbid(unsafe_code)]

use std::fmt;

/// What a guest's side of a connection begins with when it asks for TLS.
pub const MAGIC: [u8; 7] = [0x16, b'C', b'P', b'T', b'L', b'S', 1];

/// The longest payload of a record that is no hello.
pub const MAX_RECORD: usize = 64 * 1024;
/// The longest hello.
pub const MAX_HELLO: usize = 512 * 1024;
/// The length of a record's head.
pub const RECORD_HEAD: usize = 4;

/// The type of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// What the guest asks for.
    Hello = 1,
    /// The outcome of a handshake.
    Reply = 2,
    /// Plain text.
    Data = 3,
    /// The sender sends no more data: TLS's close_notify.
    Close = 4,
    /// The connection is over, with a reason.
    Fail = 5,
}

impl Record {
    /// Reads a type.
    pub fn from_byte(byte: u8) -> Option<Record> {
        [
            Record::Hello,
            Record::Reply,
            Record::Data,
            Record::Close,
            Record::Fail,
        ]
        .into_iter()
        .find(|record| *record as u8 == byte)
    }

    /// The longest payload.
    pub fn max(self) -> usize {
        match self {
            Record::Hello => MAX_HELLO,
            _ => MAX_RECORD,
        }
    }

    /// The head of a record with `length` bytes of payload, which must not be over the maximum.
    pub fn head(self, length: usize) -> [u8; RECORD_HEAD] {
        let [.., a, b, c] = (length as u32).to_be_bytes();
        [self as u8, a, b, c]
    }
}

/// What is wrong with what the other side sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// A record of a type that does not belong here.
    Type(u8),
    /// A record is too long.
    TooLong(usize),
    /// The fields of a record do not add up to it.
    Fields,
    /// A field has a value that it cannot have.
    Field(u8),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Type(byte) => write!(f, "a record of type {byte} does not belong here"),
            Malformed::TooLong(length) => write!(f, "a record of {length} bytes is too long"),
            Malformed::Fields => f.write_str("the fields of a record do not add up to it"),
            Malformed::Field(tag) => write!(f, "field {tag} of the record is wrong"),
        }
    }
}

impl std::error::Error for Malformed {}

/// The length of the payload that a head announces, if it is of an expected type.
pub fn payload_length(
    head: [u8; RECORD_HEAD],
    expected: &[Record],
) -> Result<(Record, usize), Malformed> {
    let record = Record::from_byte(head[0])
        .filter(|record| expected.contains(record))
        .ok_or(Malformed::Type(head[0]))?;
    let length = usize::from(head[1]) << 16 | usize::from(head[2]) << 8 | usize::from(head[3]);
    if length > record.max() {
        return Err(Malformed::TooLong(length));
    }
    Ok((record, length))
}

/// The fields of a hello; a field that is not known is ignored.
pub mod hello {
    /// The server's name, UTF-8. Without one, that of the connection.
    pub const SERVER_NAME: u8 = 1;
    /// A protocol of ALPN; one field each, the preferred first.
    pub const ALPN: u8 = 2;
    /// The lowest version, two bytes as in TLS.
    pub const MIN_VERSION: u8 = 3;
    /// The highest version.
    pub const MAX_VERSION: u8 = 4;
    /// A root certificate, DER; one field each. Without any, the gateway's own.
    pub const ROOT: u8 = 5;
    /// A certificate of the client's chain, DER; one field each, its own first.
    pub const CERTIFICATE: u8 = 6;
    /// The key of the client's certificate, DER (PKCS #8, PKCS #1 or SEC 1).
    pub const KEY: u8 = 7;
}

/// The fields of a reply.
pub mod reply {
    /// The version, two bytes as in TLS.
    pub const VERSION: u8 = 1;
    /// The name of the cipher, as IANA has it.
    pub const CIPHER: u8 = 2;
    /// The protocol that was agreed on by ALPN; absent when there is none.
    pub const ALPN: u8 = 3;
    /// A certificate of the server's chain, DER; one field each, its own first.
    pub const CERTIFICATE: u8 = 4;
}

/// The fields of a failure.
pub mod fail {
    /// TLS's alert, one byte.
    pub const ALERT: u8 = 1;
    /// OpenSSL's number of what is wrong with the certificate, four bytes.
    pub const VERIFY: u8 = 2;
    /// What happened, UTF-8.
    pub const TEXT: u8 = 3;
}

/// What a guest asks for.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hello {
    /// The server's name; `None` for that of the connection.
    pub server_name: Option<String>,
    /// The protocols of ALPN.
    pub alpn: Vec<Vec<u8>>,
    /// The lowest version.
    pub min_version: Option<u16>,
    /// The highest version.
    pub max_version: Option<u16>,
    /// Root certificates in place of the gateway's own.
    pub roots: Vec<Vec<u8>>,
    /// The client's chain.
    pub certificates: Vec<Vec<u8>>,
    /// The client's key.
    pub key: Option<Vec<u8>>,
}

impl fmt::Debug for Hello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hello")
            .field("server_name", &self.server_name)
            .finish_non_exhaustive()
    }
}

/// How many certificates a hello may have.
const MAX_CERTIFICATES: usize = 512;

impl Hello {
    /// Reads the payload of a hello.
    ///
    /// Fails when its fields do not add up, or one cannot be.
    pub fn parse(payload: &[u8]) -> Result<Hello, Malformed> {
        let mut hello = Hello::default();
        let mut rest = payload;
        while let Some((tag, value, more)) = field(rest)? {
            rest = more;
            let wrong = Malformed::Field(tag);
            let version = || value.try_into().map(u16::from_be_bytes).map_err(|_| wrong);
            match tag {
                hello::SERVER_NAME => {
                    let name = std::str::from_utf8(value)
                        .ok()
                        .filter(|name| (1..=1024).contains(&name.len()));
                    hello.server_name = Some(name.ok_or(wrong)?.to_owned());
                }
                hello::ALPN if hello.alpn.len() < 16 && (1..=255).contains(&value.len()) => {
                    hello.alpn.push(value.to_vec());
                }
                hello::ALPN => return Err(wrong),
                hello::MIN_VERSION => hello.min_version = Some(version()?),
                hello::MAX_VERSION => hello.max_version = Some(version()?),
                hello::ROOT if hello.roots.len() < MAX_CERTIFICATES => {
                    hello.roots.push(value.to_vec())
                }
                hello::CERTIFICATE if hello.certificates.len() < 16 => {
                    hello.certificates.push(value.to_vec());
                }
                hello::ROOT | hello::CERTIFICATE => return Err(wrong),
                hello::KEY => hello.key = Some(value.to_vec()),
                _ => {}
            }
        }
        Ok(hello)
    }

    /// What a guest sends first: the magic and the hello's record.
    ///
    /// Fails when the hello is longer than the gateway reads.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Malformed> {
        let mut payload = Vec::new();
        if let Some(name) = &self.server_name {
            push_field(&mut payload, hello::SERVER_NAME, name.as_bytes());
        }
        for protocol in &self.alpn {
            push_field(&mut payload, hello::ALPN, protocol);
        }
        if let Some(version) = self.min_version {
            push_field(&mut payload, hello::MIN_VERSION, &version.to_be_bytes());
        }
        if let Some(version) = self.max_version {
            push_field(&mut payload, hello::MAX_VERSION, &version.to_be_bytes());
        }
        for root in &self.roots {
            push_field(&mut payload, hello::ROOT, root);
        }
        for certificate in &self.certificates {
            push_field(&mut payload, hello::CERTIFICATE, certificate);
        }
        if let Some(key) = &self.key {
            push_field(&mut payload, hello::KEY, key);
        }
        if payload.len() > MAX_HELLO {
            return Err(Malformed::TooLong(payload.len()));
        }
        Ok([&MAGIC[..], &Record::Hello.head(payload.len()), &payload].concat())
    }
}

/// The outcome of a handshake that went well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The version of TLS; 0 when it is not told.
    pub version: u16,
    /// The name of the cipher, as IANA has it.
    pub cipher: String,
    /// The protocol that was agreed on.
    pub alpn: Option<Vec<u8>>,
    /// The server's chain, its own certificate first.
    pub certificates: Vec<Vec<u8>>,
}

impl Reply {
    /// Reads the payload of a reply.
    ///
    /// Fails when its fields do not add up, or one cannot be.
    pub fn parse(payload: &[u8]) -> Result<Reply, Malformed> {
        let mut read = Reply::default();
        let mut rest = payload;
        while let Some((tag, value, more)) = field(rest)? {
            rest = more;
            match tag {
                reply::VERSION => {
                    let bytes = value.try_into().map_err(|_| Malformed::Field(tag))?;
                    read.version = u16::from_be_bytes(bytes);
                }
                reply::CIPHER => read.cipher = String::from_utf8_lossy(value).into_owned(),
                reply::ALPN => read.alpn = Some(value.to_vec()),
                reply::CERTIFICATE if read.certificates.len() < MAX_CERTIFICATES => {
                    read.certificates.push(value.to_vec());
                }
                reply::CERTIFICATE => return Err(Malformed::Field(tag)),
                _ => {}
            }
        }
        Ok(read)
    }
}

/// Why there is no connection, or no more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure {
    /// TLS's alert.
    pub alert: Option<u8>,
    /// OpenSSL's number of what is wrong with the certificate.
    pub verify: Option<u32>,
    /// What happened, in words.
    pub text: String,
}

impl Failure {
    /// Reads the payload of a failure.
    ///
    /// Fails when its fields do not add up, or one cannot be.
    pub fn parse(payload: &[u8]) -> Result<Failure, Malformed> {
        let mut read = Failure::default();
        let mut rest = payload;
        while let Some((tag, value, more)) = field(rest)? {
            rest = more;
            let wrong = Malformed::Field(tag);
            match tag {
                fail::ALERT => read.alert = Some(*value.first().ok_or(wrong)?),
                fail::VERIFY => {
                    let bytes = value.try_into().map_err(|_| wrong)?;
                    read.verify = Some(u32::from_be_bytes(bytes));
                }
                fail::TEXT => read.text = String::from_utf8_lossy(value).into_owned(),
                _ => {}
            }
        }
        Ok(read)
    }
}

/// The first field of a payload, and what follows it.
#[expect(clippy::type_complexity, reason = "tag, value, rest")]
pub fn field(payload: &[u8]) -> Result<Option<(u8, &[u8], &[u8])>, Malformed> {
    if payload.is_empty() {
        return Ok(None);
    }
    let (head, rest) = payload.split_at_checked(4).ok_or(Malformed::Fields)?;
    let length = usize::from(head[1]) << 16 | usize::from(head[2]) << 8 | usize::from(head[3]);
    let (value, rest) = rest.split_at_checked(length).ok_or(Malformed::Fields)?;
    Ok(Some((head[0], value, rest)))
}

/// Adds a field to a payload; of a value that is too long only the beginning.
pub fn push_field(payload: &mut Vec<u8>, tag: u8, value: &[u8]) {
    let value = &value[..value.len().min(0xff_ffff)];
    let [.., a, b, c] = (value.len() as u32).to_be_bytes();
    payload.extend([tag, a, b, c]);
    payload.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_is_read_as_it_was_written() {
        let mut payload = Vec::new();
        push_field(&mut payload, hello::SERVER_NAME, b"a.com");
        push_field(&mut payload, hello::ALPN, b"h2");
        push_field(&mut payload, 99, b"from the future");
        push_field(&mut payload, hello::ALPN, b"http/1.1");
        push_field(&mut payload, hello::MIN_VERSION, &[3, 3]);
        push_field(&mut payload, hello::ROOT, &[0; 70_000]);
        let read = Hello::parse(&payload).unwrap();
        assert_eq!(
            (read.server_name.as_deref(), read.min_version),
            (Some("a.com"), Some(0x303))
        );
        assert_eq!(read.alpn, [b"h2".to_vec(), b"http/1.1".to_vec()]);
        assert_eq!(read.roots[0].len(), 70_000);
        for end in 1..payload.len() {
            let cut = Hello::parse(&payload[..end]);
            assert!(cut.is_err() || cut.unwrap() != read, "{end}");
        }
    }

    #[test]
    fn what_a_hello_cannot_say_is_refused() {
        let with = |tag, value: &[u8], times| {
            let mut payload = Vec::new();
            push_field(&mut payload, hello::SERVER_NAME, b"a.com");
            (0..times).for_each(|_| push_field(&mut payload, tag, value));
            Hello::parse(&payload).err()
        };
        assert_eq!(Hello::parse(&[]), Ok(Hello::default()));
        assert_eq!(with(hello::SERVER_NAME, b"", 1), Some(Malformed::Field(1)));
        assert_eq!(with(hello::MIN_VERSION, &[3], 1), Some(Malformed::Field(3)));
        assert_eq!(
            with(hello::SERVER_NAME, &[0xff], 1),
            Some(Malformed::Field(1))
        );
        assert_eq!(
            with(hello::SERVER_NAME, &[b'a'; 1025], 1),
            Some(Malformed::Field(1))
        );
        assert_eq!(with(hello::ALPN, b"", 1), Some(Malformed::Field(2)));
        assert_eq!(
            (with(hello::ALPN, b"x", 16), with(hello::ALPN, b"x", 17)),
            (None, Some(Malformed::Field(2)))
        );
        assert_eq!(
            (with(hello::ROOT, b"", 512), with(hello::ROOT, b"", 513)),
            (None, Some(Malformed::Field(5)))
        );
        assert_eq!(
            (
                with(hello::CERTIFICATE, b"", 16),
                with(hello::CERTIFICATE, b"", 17)
            ),
            (None, Some(Malformed::Field(6)))
        );
    }

    #[test]
    fn records_have_a_longest_length() {
        let all = &[Record::Hello, Record::Data];
        assert_eq!(
            payload_length(Record::Data.head(MAX_RECORD), all),
            Ok((Record::Data, MAX_RECORD))
        );
        assert_eq!(
            payload_length(Record::Data.head(MAX_RECORD + 1), all),
            Err(Malformed::TooLong(MAX_RECORD + 1))
        );
        assert_eq!(
            payload_length(Record::Hello.head(MAX_HELLO), all),
            Ok((Record::Hello, MAX_HELLO))
        );
        assert_eq!(
            payload_length(Record::Close.head(0), all),
            Err(Malformed::Type(4))
        );
        assert_eq!(payload_length([0; 4], all), Err(Malformed::Type(0)));
    }

    #[test]
    fn what_a_guest_writes_is_what_the_gateway_reads() {
        let hello = Hello {
            server_name: Some("a.com".into()),
            alpn: vec![b"http/1.1".to_vec()],
            min_version: Some(0x303),
            max_version: Some(0x304),
            roots: vec![vec![1; 300], vec![2]],
            certificates: vec![vec![3]],
            key: Some(vec![4]),
        };
        let bytes = hello.to_bytes().unwrap();
        let rest = bytes.strip_prefix(&MAGIC).unwrap();
        let head = *rest.first_chunk().unwrap();
        let payload = &rest[RECORD_HEAD..];
        assert_eq!(
            payload_length(head, &[Record::Hello]),
            Ok((Record::Hello, payload.len()))
        );
        assert!(Hello::parse(payload).unwrap() == hello);
        let long = Hello {
            roots: vec![vec![0; MAX_HELLO]],
            ..hello
        };
        assert!(matches!(long.to_bytes(), Err(Malformed::TooLong(_))));
    }

    #[test]
    fn outcomes_are_read_as_they_were_written() {
        let mut payload = Vec::new();
        push_field(&mut payload, reply::VERSION, &[3, 4]);
        push_field(&mut payload, reply::CIPHER, b"TLS_AES_128_GCM_SHA256");
        push_field(&mut payload, 99, b"from the future");
        push_field(&mut payload, reply::CERTIFICATE, b"one");
        push_field(&mut payload, reply::CERTIFICATE, b"two");
        let read = Reply::parse(&payload).unwrap();
        assert_eq!((read.version, read.alpn), (0x304, None));
        assert_eq!(read.certificates, [b"one", b"two"]);
        assert_eq!(read.cipher, "TLS_AES_128_GCM_SHA256");

        let mut payload = Vec::new();
        push_field(&mut payload, fail::ALERT, &[42]);
        push_field(&mut payload, fail::VERIFY, &20u32.to_be_bytes());
        push_field(&mut payload, fail::TEXT, b"unknown authority");
        assert_eq!(
            Failure::parse(&payload),
            Ok(Failure {
                alert: Some(42),
                verify: Some(20),
                text: "unknown authority".into()
            })
        );
    }

    #[test]
    fn what_an_outcome_cannot_say_is_refused() {
        let one = |tag, value: &[u8]| {
            let mut payload = Vec::new();
            push_field(&mut payload, tag, value);
            payload
        };
        let version = one(reply::VERSION, &[3]);
        assert_eq!(
            Reply::parse(&version),
            Err(Malformed::Field(reply::VERSION))
        );
        let many = one(reply::CERTIFICATE, b"").repeat(MAX_CERTIFICATES + 1);
        assert_eq!(
            Reply::parse(&many),
            Err(Malformed::Field(reply::CERTIFICATE))
        );
        assert_eq!(Reply::parse(&many[..3]), Err(Malformed::Fields));
        assert_eq!(
            Failure::parse(&one(fail::ALERT, b"")),
            Err(Malformed::Field(fail::ALERT))
        );
        assert_eq!(
            Failure::parse(&one(fail::VERIFY, b"123")),
            Err(Malformed::Field(fail::VERIFY))
        );
    }

    #[test]
    fn no_bytes_panic() {
        let mut state = 1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..20_000 {
            let length = random() % 40;
            // Small bytes, so that lengths of fields are often near the truth.
            let bytes: Vec<u8> = (0..length).map(|_| (random() % 9) as u8).collect();
            let _ = Hello::parse(&bytes);
            let _ = Reply::parse(&bytes);
            let _ = Failure::parse(&bytes);
            let mut fields = Vec::new();
            push_field(&mut fields, hello::SERVER_NAME, &bytes);
            let _ = Hello::parse(&fields);
        }
    }
}
