//! A raw connection: bytes both ways, counted, and searched for placeholders on their way out.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::offload::{self, Beginning};
use crate::budget::{Budget, Exceeded};
use crate::cptls::MAGIC;
use crate::secrets::{Leak, Scan};

/// Why a raw connection ended.
#[derive(Debug)]
pub(super) enum End {
    /// Both sides ended it.
    Done,
    /// The guest broke it, or the server no longer takes anything.
    Broken(std::io::Error),
    /// The server broke off what it sent, or sent nothing for too long.
    Cut(std::io::Error),
    /// A budget is used up.
    Budget(Exceeded),
    /// The guest sent a placeholder.
    Leak(u64),
    /// The guest asks for TLS from here on; its bytes, which begin with the magic.
    Upgrade(Vec<u8>),
}

/// How many bytes went each way.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

/// Carries bytes until both sides have ended.
///
/// With `may_upgrade` the guest may ask for TLS once all it has sent is answered, as STARTTLS has
/// it: the server then waits for a handshake.
pub(super) async fn carry<G, S>(
    guest: G,
    server: S,
    budget: &Budget,
    mut scan: Scan,
    carried: &Carried,
    may_upgrade: bool,
) -> End
where
    G: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut guest_reads, mut guest_writes) = tokio::io::split(guest);
    let (mut server_reads, mut server_writes) = tokio::io::split(server);
    // Whether the server has sent something since the guest did; and whether a part of it is still
    // on its way to the guest.
    let (answered, on_its_way) = (AtomicBool::new(true), AtomicBool::new(false));
    let out = async {
        let mut buffer = vec![0; 32 * 1024];
        loop {
            let mut length = guest_reads.read(&mut buffer).await.map_err(End::Broken)?;
            while may_upgrade
                && answered.load(Relaxed)
                && (1..MAGIC.len()).contains(&length)
                && offload::beginning(&buffer[..length]) == Beginning::Unknown
            {
                let rest = guest_reads.read(&mut buffer[length..]).await;
                match rest.map_err(End::Broken)? {
                    0 => break,
                    more => length += more,
                }
            }
            let is_magic = offload::beginning(&buffer[..length]) == Beginning::Magic;
            if may_upgrade && answered.load(Relaxed) && is_magic {
                buffer.truncate(length);
                return Err(End::Upgrade(buffer));
            }
            if length > 0 {
                answered.store(false, Relaxed);
            }
            let searched;
            let mut bytes = &buffer[..length];
            if !scan.is_idle() {
                let passed = scan.pass(bytes, length == 0);
                searched = passed.map_err(|Leak(hits)| End::Leak(hits))?;
                bytes = &searched;
            }
            while !bytes.is_empty() {
                let drawn = budget.send(bytes.len()).map_err(End::Budget)?;
                server_writes
                    .write_all(&bytes[..drawn])
                    .await
                    .map_err(End::Broken)?;
                carried.sent.fetch_add(drawn as u64, Relaxed);
                bytes = &bytes[drawn..];
            }
            server_writes.flush().await.map_err(End::Broken)?;
            if length == 0 {
                return server_writes.shutdown().await.map_err(End::Broken);
            }
        }
    };
    let back = async {
        let mut buffer = vec![0; 32 * 1024];
        loop {
            let length = server_reads.read(&mut buffer).await.map_err(End::Cut)?;
            if length == 0 {
                return guest_writes.shutdown().await.map_err(End::Broken);
            }
            answered.store(true, Relaxed);
            on_its_way.store(true, Relaxed);
            let mut bytes = &buffer[..length];
            while !bytes.is_empty() {
                let drawn = budget.receive(bytes.len()).map_err(End::Budget)?;
                guest_writes
                    .write_all(&bytes[..drawn])
                    .await
                    .map_err(End::Broken)?;
                carried.received.fetch_add(drawn as u64, Relaxed);
                bytes = &bytes[drawn..];
            }
            guest_writes.flush().await.map_err(End::Broken)?;
            on_its_way.store(false, Relaxed);
        }
    };
    match tokio::try_join!(out, back) {
        Ok(((), ())) => End::Done,
        // What a server sends before a handshake must not count as part of what follows.
        Err(End::Upgrade(_)) if on_its_way.load(Relaxed) => End::Broken(std::io::Error::other(
            "the server sent more before the handshake",
        )),
        Err(end) => end,
    }
}
