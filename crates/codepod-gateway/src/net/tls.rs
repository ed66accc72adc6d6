//! TLS to servers, by rustls.
//!
//! The gateway's roots decide, or those of the rule; roots that the guest brings narrow that and
//! never widen it. Nothing that a guest sends switches a check off.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    SupportedProtocolVersion,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::downloads::Handshake;
use crate::cptls::{Hello, fail, field, push_field, reply};
use crate::policy::host::Host;
use crate::policy::{ClientCert, TlsSpec, printable};

/// What all handshakes share.
pub(super) struct Configs {
    provider: Arc<CryptoProvider>,
    roots: OnceLock<Arc<RootCertStore>>,
}

impl Default for Configs {
    fn default() -> Self {
        Configs {
            provider: Arc::new(rustls::crypto::ring::default_provider()),
            roots: OnceLock::new(),
        }
    }
}

/// What came of a handshake.
pub(super) struct Outcome {
    pub(super) version: &'static str,
    /// The payload of a `cptls` reply.
    pub(super) reply: Vec<u8>,
}

/// Why there is no TLS with a server.
#[derive(Debug)]
pub(super) struct TlsFailure {
    pub(super) alert: Option<u8>,
    /// OpenSSL's number of what is wrong with the certificate.
    pub(super) verify: Option<u32>,
    pub(super) text: String,
}

impl TlsFailure {
    pub(super) fn new(text: impl Into<String>) -> TlsFailure {
        TlsFailure {
            alert: None,
            verify: None,
            text: text.into(),
        }
    }

    /// The payload of a `cptls` failure.
    pub(super) fn payload(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        if let Some(alert) = self.alert {
            push_field(&mut payload, fail::ALERT, &[alert]);
        }
        if let Some(verify) = self.verify {
            push_field(&mut payload, fail::VERIFY, &verify.to_be_bytes());
        }
        let text: String = self.text.chars().take(2_000).collect();
        push_field(&mut payload, fail::TEXT, text.as_bytes());
        payload
    }
}

/// Does a handshake with the server of `host`. `alpn` is what is offered.
pub(super) async fn handshake<S>(
    configs: &Configs,
    stream: S,
    host: &Host,
    hello: &Hello,
    alpn: Vec<Vec<u8>>,
    rule: &TlsSpec,
) -> Result<(TlsStream<S>, Outcome), TlsFailure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let verifier = Arc::new(verifier(configs, hello, rule)?);
    let versions: Vec<&SupportedProtocolVersion> = rustls::ALL_VERSIONS
        .iter()
        .filter(|known| {
            let version = u16::from(known.version);
            hello.min_version.is_none_or(|min| version >= min)
                && hello.max_version.is_none_or(|max| version <= max)
        })
        .copied()
        .collect();
    let builder = ClientConfig::builder_with_provider(configs.provider.clone())
        .with_protocol_versions(&versions)
        .map_err(|_| TlsFailure::new("the gateway speaks TLS 1.2 and 1.3"))?
        .dangerous()
        .with_custom_certificate_verifier(verifier.clone());
    let client = match &rule.client_cert {
        Some(own) => Some((&own.chain, &*own.key)),
        None => hello.key.as_ref().map(|key| (&hello.certificates, key)),
    };
    let mut config = match client {
        Some((chain, key)) => {
            let chain = chain.iter().cloned().map(CertificateDer::from).collect();
            let key = PrivateKeyDer::try_from(key.clone())
                .map_err(|why| TlsFailure::new(format!("the client's key: {why}")))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|why| TlsFailure::new(format!("the client's certificate: {why}")))?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = alpn;
    // A session of one guest must not show in the next one's handshake.
    config.resumption = rustls::client::Resumption::disabled();
    let name = server_name(host)?;
    let connected = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await;
    let stream = connected.map_err(|error| failure(&error, &verifier))?;
    let (_, session) = stream.get_ref();
    let version = session.protocol_version().map_or(0, u16::from);
    let mut payload = Vec::new();
    push_field(&mut payload, reply::VERSION, &version.to_be_bytes());
    if let Some(suite) = session.negotiated_cipher_suite() {
        let name = suite.suite().as_str().unwrap_or_default();
        push_field(&mut payload, reply::CIPHER, name.as_bytes());
    }
    if let Some(alpn) = session.alpn_protocol() {
        push_field(&mut payload, reply::ALPN, alpn);
    }
    // A chain is bounded by what rustls takes of a handshake, and a reply by its record.
    for certificate in session.peer_certificates().unwrap_or_default() {
        if payload.len() + certificate.len() + 4 > crate::cptls::MAX_RECORD {
            break;
        }
        push_field(&mut payload, reply::CERTIFICATE, certificate);
    }
    let outcome = Outcome {
        version: version_of(&payload),
        reply: payload,
    };
    Ok((stream, outcome))
}

fn server_name(host: &Host) -> Result<ServerName<'static>, TlsFailure> {
    match host {
        Host::Name(name) => ServerName::try_from(name.to_string())
            .map_err(|_| TlsFailure::new("the name cannot be one of a certificate")),
        Host::Ip(ip) => Ok(ServerName::IpAddress((*ip).into())),
    }
}

/// The version that a reply to a guest tells.
pub(super) fn version_of(payload: &[u8]) -> &'static str {
    match value(payload, reply::VERSION) {
        Some([3, 4]) => "TLSv1.3",
        _ => "TLSv1.2",
    }
}

/// The outcome of a handshake that was good before, for a guest whose server is offline. It has to
/// be one that this guest would have found good then.
pub(super) fn again(
    configs: &Configs,
    host: &Host,
    hello: &Hello,
    rule: &TlsSpec,
    kept: &Handshake,
) -> Result<Outcome, TlsFailure> {
    let damaged = || TlsFailure::new("what was kept of the server's handshake is damaged");
    let mut payload = Vec::new();
    let (mut version, mut chain) = (0, Vec::new());
    let mut rest = kept.reply.as_slice();
    while let Some((tag, value, more)) = field(rest).map_err(|_| damaged())? {
        rest = more;
        match tag {
            reply::VERSION => {
                version = u16::from_be_bytes(value.try_into().map_err(|_| damaged())?);
            }
            reply::CERTIFICATE => chain.push(CertificateDer::from(value)),
            // It is agreed on anew.
            reply::ALPN => continue,
            _ => {}
        }
        push_field(&mut payload, tag, value);
    }
    let too_old = hello.min_version.is_some_and(|min| version < min);
    if too_old || hello.max_version.is_some_and(|max| version > max) {
        return Err(TlsFailure::new(format!(
            "{host} is offline here, and spoke {} before",
            version_of(&kept.reply)
        )));
    }
    let has_room = payload.len() + 12 <= crate::cptls::MAX_RECORD;
    if has_room && hello.alpn.iter().any(|own| own == b"http/1.1") {
        push_field(&mut payload, reply::ALPN, b"http/1.1");
    }
    let (own, issuers) = chain.split_first().ok_or_else(damaged)?;
    let verifier = verifier(configs, hello, rule)?;
    let at = kept.at.duration_since(std::time::UNIX_EPOCH);
    let at = UnixTime::since_unix_epoch(at.unwrap_or_default());
    let verified = verifier.verify_server_cert(own, issuers, &server_name(host)?, &[], at);
    verified.map_err(|error| refusal(&error, &verifier))?;
    Ok(Outcome {
        version: version_of(&payload),
        reply: payload,
    })
}

/// What a failure tells a guest.
pub(super) fn text_of(payload: &[u8]) -> String {
    let text = value(payload, fail::TEXT).unwrap_or_default();
    printable(&String::from_utf8_lossy(text))
}

/// The first value of a field.
pub(super) fn value(mut payload: &[u8], wanted: u8) -> Option<&[u8]> {
    while let Some((tag, value, rest)) = field(payload).ok()? {
        if tag == wanted {
            return Some(value);
        }
        payload = rest;
    }
    None
}

/// The certificates of a text in PEM, for [`TlsSpec::roots`].
///
/// Fails with what is wrong with the text, also where it has none.
pub fn certificates(pem: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let found = CertificateDer::pem_slice_iter(pem);
    let read = found.map(|certificate| certificate.map(|der| der.as_ref().to_vec()));
    let read: Vec<_> = read
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    match read.is_empty() {
        true => Err("there is no certificate in it".to_owned()),
        false => Ok(read),
    }
}

/// The certificates and the key of texts in PEM, for [`TlsSpec::client_cert`].
///
/// Fails with what is wrong with them; the text has nothing of the key.
pub fn client_cert(chain: &[u8], key: &[u8]) -> Result<ClientCert, String> {
    let chain = certificates(chain)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| error.to_string())?;
    Ok(ClientCert {
        chain,
        key: key.secret_der().to_vec().into(),
    })
}

/// Checks certificates by the gateway's or the rule's roots, and by the guest's if it has any.
#[derive(Debug)]
struct Verifier {
    own: Arc<WebPkiServerVerifier>,
    guests: Option<Arc<WebPkiServerVerifier>>,
    /// Whether the gateway takes any.
    insecure: bool,
    /// Whether the certificate that was refused is its own issuer.
    self_signed: Mutex<bool>,
}

fn verifier(configs: &Configs, hello: &Hello, rule: &TlsSpec) -> Result<Verifier, TlsFailure> {
    let build = |roots: Arc<RootCertStore>| {
        WebPkiServerVerifier::builder_with_provider(roots, configs.provider.clone())
            .build()
            .map_err(|_| TlsFailure {
                verify: Some(20),
                ..TlsFailure::new("there is no root certificate that can be read")
            })
    };
    let of = |roots: &[Vec<u8>]| {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots.iter().cloned().map(CertificateDer::from));
        Arc::new(store)
    };
    let own = match rule.roots.as_deref() {
        Some(roots) => of(roots),
        None => configs
            .roots
            .get_or_init(|| {
                Arc::new(RootCertStore::from_iter(
                    webpki_roots::TLS_SERVER_ROOTS.iter().cloned(),
                ))
            })
            .clone(),
    };
    Ok(Verifier {
        own: build(own)?,
        guests: match hello.roots.as_slice() {
            [] => None,
            roots => {
                let roots = of(roots);
                let rule_decides = rule.roots.is_some() || rule.insecure;
                match rule_decides && are_usual(&roots) {
                    true => None,
                    false => Some(build(roots)?),
                }
            }
        },
        insecure: rule.insecure,
        self_signed: Mutex::new(false),
    })
}

/// Whether roots are most of Mozilla's.
///
/// Libraries bring these in a file of their own (certifi) and always name it. That does not say
/// that a server's authority has to be a public one: it is what they take for the machine's trust,
/// which for a host with roots of its own is the rule.
fn are_usual(roots: &RootCertStore) -> bool {
    let public = webpki_roots::TLS_SERVER_ROOTS.iter();
    let public: HashSet<&[u8]> = public
        .map(|root| root.subject_public_key_info.as_ref())
        .collect();
    let own = roots.roots.iter();
    let own: HashSet<&[u8]> = own
        .map(|root| root.subject_public_key_info.as_ref())
        .collect();
    2 * own.intersection(&public).count() > public.len()
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let own = match self.insecure {
            true => Ok(ServerCertVerified::assertion()),
            false => self
                .own
                .verify_server_cert(end_entity, intermediates, server_name, ocsp, now),
        };
        let both = own.and_then(|verified| match &self.guests {
            Some(guests) => {
                guests.verify_server_cert(end_entity, intermediates, server_name, ocsp, now)
            }
            None => Ok(verified),
        });
        if both.is_err() {
            *self
                .self_signed
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = is_self_issued(end_entity);
        }
        both
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.own
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.own
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.own.supported_verify_schemes()
    }
}

fn failure(error: &io::Error, verifier: &Verifier) -> TlsFailure {
    let Some(tls) = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>())
    else {
        return TlsFailure::new(error.to_string());
    };
    refusal(tls, verifier)
}

fn refusal(tls: &rustls::Error, verifier: &Verifier) -> TlsFailure {
    let self_signed = *verifier
        .self_signed
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let (alert, verify) = match tls {
        rustls::Error::AlertReceived(alert) => (Some(u8::from(*alert)), None),
        rustls::Error::InvalidCertificate(why) => (None, Some(openssl_number(why, self_signed))),
        _ => (None, None),
    };
    TlsFailure {
        alert,
        verify,
        text: tls.to_string(),
    }
}

/// What OpenSSL calls a fault of a certificate (`X509_V_ERR_…`).
fn openssl_number(why: &CertificateError, self_signed: bool) -> u32 {
    match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => 10,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => 9,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => 62,
        CertificateError::Revoked => 23,
        CertificateError::BadSignature => 7,
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => 26,
        // A certificate that is its own root is no certificate of a server for rustls.
        _ if self_signed => 18,
        CertificateError::UnknownIssuer => 20,
        _ => 1,
    }
}

/// Whether issuer and subject of a certificate are the same.
fn is_self_issued(certificate: &[u8]) -> bool {
    let read = || {
        let (_, certificate, _) = der(certificate)?;
        let (_, mut rest, _) = der(certificate)?;
        // version (optional), serial number, signature, issuer, validity, subject
        if der(rest)?.0 == 0xa0 {
            rest = der(rest)?.2;
        }
        let (_, _, rest) = der(rest)?;
        let (_, _, rest) = der(rest)?;
        let (_, issuer, rest) = der(rest)?;
        let (_, _, rest) = der(rest)?;
        let (_, subject, _) = der(rest)?;
        Some(issuer == subject)
    };
    read().unwrap_or(false)
}

/// The first element of DER: its tag, its content, and what follows.
fn der(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let digits = usize::from(first & 0x7f);
        let (digits, rest) = rest
            .split_at_checked(digits)
            .filter(|_| (1..=3).contains(&digits))?;
        let length = digits
            .iter()
            .fold(0, |sum, digit| sum << 8 | usize::from(*digit));
        (length, rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}
