//! What the fuzz target of `cptls` does: what a guest sends to be given TLS, and what a server
//! answers to that.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

use super::offload::{Beginning, Offloaded, beginning, read_hello};
use super::tls::{Configs, handshake};
use crate::cptls::{Failure, Hello, MAGIC, MAX_HELLO, Record, Reply};
use crate::policy::TlsSpec;
use crate::policy::host::Host;
use crate::testing::{at_once, divided};

/// The payload of a hello, with its length before it, and bytes: of the guest behind the hello, and
/// of a server that is asked for a handshake.
///
/// Whatever they are: pieces are read as the whole is, a hello is read as it was written, and a
/// server of any bytes gives no TLS, but a reason that can be told.
pub fn cptls(input: &[u8]) {
    let Some((pieces, bytes)) = divided::<4>(input) else {
        return;
    };
    // As the first bytes of a guest, behind the magic, and as records.
    let _ = beginning(bytes);
    let _ = (Reply::parse(bytes), Failure::parse(bytes));
    assert_eq!(hello_of(&[bytes]), hello_of(&pieces), "a hello in pieces");
    assert_eq!(text_of(&[bytes]), text_of(&pieces), "records in pieces");
    assert_eq!(carried(&pieces), bytes, "plain text in records");

    let Some((length, rest)) = bytes.split_first_chunk() else {
        return;
    };
    let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
    let (payload, answer) = rest.split_at(length);
    let Ok(hello) = Hello::parse(payload) else {
        return;
    };
    if let Ok(written) = hello.to_bytes() {
        assert_eq!(beginning(&written), Beginning::Magic);
        assert_eq!(hello_of(&[&written[MAGIC.len()..]]), Ok(hello.clone()));
    }
    no_tls(&hello, answer);
}

/// The hello in pieces, or why there is none.
fn hello_of(pieces: &[&[u8]]) -> Result<Hello, io::ErrorKind> {
    at_once(read_hello(&mut Pieces::new(pieces))).map_err(|why| why.kind())
}

/// The plain text in records, and how it ended.
fn text_of(pieces: &[&[u8]]) -> (Vec<u8>, Result<(), io::ErrorKind>) {
    let mut text = Vec::new();
    let mut records = Offloaded::new(Pieces::new(pieces));
    let ended = at_once(records.read_to_end(&mut text));
    (text, ended.map(drop).map_err(|why| why.kind()))
}

/// Plain text that was written as records and is read from them.
fn carried(pieces: &[&[u8]]) -> Vec<u8> {
    let mut records = Vec::new();
    let written = at_once(async {
        let mut writer = Offloaded::new(&mut records);
        for piece in pieces {
            writer.write_all(piece).await?;
        }
        writer.shutdown().await
    });
    assert!(written.is_ok(), "records cannot be written");
    let (text, ended) = text_of(&[&records]);
    assert_eq!(ended, Ok(()));
    text
}

/// What a guest asks for is used for a handshake with a server that answers anything.
fn no_tls(hello: &Hello, answer: &[u8]) {
    static CONFIGS: OnceLock<Configs> = OnceLock::new();
    let configs = CONFIGS.get_or_init(Configs::default);
    let host = Host::Name("good.test".into());
    let server = Pieces::new(&[answer]);
    let outcome = at_once(handshake(
        configs,
        server,
        &host,
        hello,
        hello.alpn.clone(),
        &TlsSpec::default(),
    ));
    let Err(failure) = outcome else {
        unreachable!("TLS with a server that has no key");
    };
    let payload = failure.payload();
    assert!(payload.len() <= Record::Fail.max().min(MAX_HELLO));
    let told = Failure::parse(&payload);
    assert!(told.is_ok_and(|told| told.alert == failure.alert && told.verify == failure.verify));
}

/// A stream of bytes in pieces, to which anything can be written.
struct Pieces(VecDeque<Vec<u8>>);

impl Pieces {
    fn new(pieces: &[&[u8]]) -> Pieces {
        let some = pieces.iter().filter(|piece| !piece.is_empty());
        Pieces(some.map(|piece| piece.to_vec()).collect())
    }
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(piece) = self.0.front_mut() {
            let length = piece.len().min(buf.remaining());
            buf.put_slice(&piece[..length]);
            piece.drain(..length);
            if piece.is_empty() {
                self.0.pop_front();
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pieces {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
