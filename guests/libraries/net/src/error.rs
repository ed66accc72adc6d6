//! What goes wrong on the network.

use std::{fmt, io};

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no host of this name.
    NoHost(String),
    /// There is no connection.
    Connect {
        /// The host's name.
        host: String,
        /// The port.
        port: u16,
        /// What the system says.
        text: String,
        /// Why the gateway refuses it, where it does.
        why: Option<String>,
    },
    /// The gateway denies a request: its reason.
    Denied(String),
    /// TLS failed.
    Tls {
        /// What happened.
        text: String,
        /// OpenSSL's number of what is wrong with the server's certificate.
        verify: Option<u32>,
    },
    /// It took too long; what was waited for.
    TimedOut(&'static str),
    /// The server closed the connection before a reply.
    NoReply,
    /// The server closed the connection within a reply.
    CutOff,
    /// What came is not HTTP, or more than is read.
    Malformed(&'static str),
    /// The connection broke: what the system says.
    Broken(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoHost(host) => write!(f, "Could not resolve host: {host}"),
            Error::Connect {
                host,
                port,
                text,
                why: None,
            } => write!(f, "Failed to connect to {host} port {port}: {text}"),
            Error::Connect {
                host,
                port,
                text,
                why: Some(why),
            } => write!(
                f,
                "Failed to connect to {host} port {port}: {text} (codepod: {why})"
            ),
            Error::Denied(why) => f.write_str(why),
            Error::Tls { text, .. } => f.write_str(text),
            Error::TimedOut(what) => write!(f, "{what} timed out"),
            Error::NoReply => f.write_str("Empty reply from server"),
            Error::CutOff => f.write_str("transfer closed with outstanding read data remaining"),
            Error::Malformed(what) => f.write_str(what),
            Error::Broken(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::other(error)
    }
}

/// What went wrong below a reader.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.downcast::<Error>() {
            Ok(error) => error,
            Err(error) => Error::Broken(error.to_string()),
        }
    }
}
