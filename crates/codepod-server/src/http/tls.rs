//! TLS, where a certificate is configured.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::config::TlsConfig;

/// Speaks TLS on connections.
pub(crate) struct Acceptor(pub(super) TlsAcceptor);

impl Acceptor {
    pub(super) fn new(files: &TlsConfig) -> io::Result<Acceptor> {
        let broken = |path: &Path, why: &dyn std::fmt::Display| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("`{}`: {why}", path.display()),
            )
        };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(&files.certificate)
            .map_err(|error| broken(&files.certificate, &error))?
            .collect();
        let chain = chain.map_err(|error| broken(&files.certificate, &error))?;
        let key =
            PrivateKeyDer::from_pem_file(&files.key).map_err(|error| broken(&files.key, &error))?;
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| broken(&files.key, &error))?;
        Ok(Acceptor(TlsAcceptor::from(Arc::new(config))))
    }
}
