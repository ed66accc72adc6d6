//! Servers on loopback.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;

/// A server that gives each connection to `handle`, on a thread of its own.
pub(crate) fn serve(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let handle = Arc::new(handle);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let handle = handle.clone();
            std::thread::spawn(move || handle(stream));
        }
    });
    at
}

/// What a server has received, over all connections.
pub(crate) type Log = Arc<Mutex<Vec<Vec<u8>>>>;

/// A strict server: reads whole requests, notes each as it came, and answers with `reply`. It
/// answers 400 and closes when a request is framed in a way that could be read in two.
pub(crate) fn strict(
    reply: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
) -> (SocketAddr, Log) {
    let log = Log::default();
    let own = log.clone();
    let at = serve(move |mut stream| {
        while let Some(request) = read_request(&mut stream) {
            let answer = reply(&request);
            own.lock().unwrap().push(request);
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
    });
    (at, log)
}

/// A reply with a body and its length.
pub(crate) fn ok(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Reads a request: its head, and its body by Content-Length or chunked. `None` at the end, or when
/// the framing is not exactly one of them.
pub(crate) fn read_request(stream: &mut impl Read) -> Option<Vec<u8>> {
    let mut bytes = read_head(stream)?;
    let head = String::from_utf8(bytes.clone()).ok()?.to_ascii_lowercase();
    let field = |name: &str| {
        let found = head
            .lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        found
            .map(|value| value.trim().to_owned())
            .collect::<Vec<_>>()
    };
    match (
        &field("content-length")[..],
        &field("transfer-encoding")[..],
    ) {
        ([], []) => {}
        ([length], []) => {
            let mut body = vec![0; length.parse().ok()?];
            stream.read_exact(&mut body).ok()?;
            bytes.extend(body);
        }
        ([], [coding]) if coding == "chunked" => loop {
            let line = read_line(stream)?;
            bytes.extend(&line);
            let size =
                usize::from_str_radix(std::str::from_utf8(&line).ok()?.trim_end(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            stream.read_exact(&mut chunk).ok()?;
            assert!(chunk.ends_with(b"\r\n"), "a chunk ends where it says");
            bytes.extend(chunk);
            if size == 0 {
                break;
            }
        },
        _ => {
            let mut bad = b"AMBIGUOUS ".to_vec();
            bad.extend(bytes);
            return Some(bad);
        }
    }
    Some(bytes)
}

pub(crate) fn read_head(stream: &mut impl Read) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.extend(read_line(stream)?);
    }
    Some(head)
}

fn read_line(stream: &mut impl Read) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") {
        stream.read_exact(&mut byte).ok()?;
        line.push(byte[0]);
    }
    Some(line)
}

/// A certificate authority and what it signs.
pub(crate) struct Ca {
    pub(crate) issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    pub(crate) der: Vec<u8>,
    pub(crate) pem: String,
}

impl Ca {
    pub(crate) fn new(name: &str) -> Ca {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::default();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        params.key_usages = vec![
            rcgen::KeyUsagePurpose::KeyCertSign,
            rcgen::KeyUsagePurpose::DigitalSignature,
        ];
        let certificate = params.self_signed(&key).unwrap();
        Ca {
            der: certificate.der().to_vec(),
            pem: certificate.pem(),
            issuer: rcgen::Issuer::new(params, key),
        }
    }

    /// A server's certificate and key for a name; `change` may make it a bad one.
    pub(crate) fn sign(
        &self,
        name: &str,
        change: impl FnOnce(&mut rcgen::CertificateParams),
    ) -> Identity {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity {
            certificate: certificate.der().to_vec(),
            key: key.serialize_der(),
        }
    }
}

/// A certificate that nobody else has signed.
pub(crate) fn self_signed(name: &str) -> Identity {
    let key = rcgen::KeyPair::generate().unwrap();
    let params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    Identity {
        certificate: certificate.der().to_vec(),
        key: key.serialize_der(),
    }
}

#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

/// What a server of TLS is made with.
pub(crate) fn config(identity: &Identity, alpn: &[&[u8]]) -> Arc<rustls::ServerConfig> {
    config_for(identity, alpn, WebPkiClientVerifier::no_client_auth())
}

/// Checks clients, which show certificates of `ca`.
pub(crate) fn clients_of(ca: &Ca) -> rustls::server::ClientCertVerifierBuilder {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(ca.der.clone().into()).unwrap();
    let provider = rustls::crypto::ring::default_provider();
    WebPkiClientVerifier::builder_with_provider(roots.into(), provider.into())
}

/// What a server of TLS is made with that looks who its clients are.
pub(crate) fn config_for(
    identity: &Identity,
    alpn: &[&[u8]],
    clients: Arc<dyn ClientCertVerifier>,
) -> Arc<rustls::ServerConfig> {
    let mut config = rustls::ServerConfig::builder_with_provider(
        rustls::crypto::ring::default_provider().into(),
    )
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_client_cert_verifier(clients)
    .with_single_cert(
        vec![identity.certificate.clone().into()],
        identity.key.clone().try_into().unwrap(),
    )
    .unwrap();
    config.alpn_protocols = alpn.iter().map(|own| own.to_vec()).collect();
    Arc::new(config)
}

/// A strict server behind TLS.
pub(crate) fn strict_tls(
    identity: &Identity,
    alpn: &[&[u8]],
    reply: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
) -> (SocketAddr, Log) {
    let config = config(identity, alpn);
    let log = Log::default();
    let own = log.clone();
    let at = serve(move |stream| {
        let session = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, stream);
        while let Some(request) = read_request(&mut stream) {
            let answer = reply(&request);
            own.lock().unwrap().push(request);
            if stream
                .write_all(&answer)
                .and_then(|()| stream.flush())
                .is_err()
            {
                return;
            }
        }
        stream.conn.send_close_notify();
        let _ = stream.flush();
    });
    (at, log)
}
