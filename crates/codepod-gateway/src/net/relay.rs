//! A raw connection: bytes both ways, counted, and searched for placeholders on their way out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::budget::{Budget, Exceeded};
use crate::secrets::Stream;

/// Why a raw connection ended.
#[derive(Debug)]
pub(super) enum End {
    /// Both sides ended it.
    Done,
    /// One side broke it, or nothing moved for too long.
    Broken(std::io::Error),
    /// A budget is used up.
    Budget(Exceeded),
    /// The guest sent a placeholder.
    Leak(u64),
}

/// How many bytes went each way.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

/// Carries bytes until both sides have ended.
pub(super) async fn carry<G, S>(
    guest: G,
    server: S,
    budget: &Budget,
    mut leak: Option<Stream>,
    carried: Arc<Carried>,
) -> End
where
    G: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut guest_reads, mut guest_writes) = tokio::io::split(guest);
    let (mut server_reads, mut server_writes) = tokio::io::split(server);
    let out = async {
        let mut buffer = vec![0; 32 * 1024];
        loop {
            let length = guest_reads.read(&mut buffer).await.map_err(End::Broken)?;
            let searched;
            let mut bytes = &buffer[..length];
            if let Some(leak) = &mut leak {
                let mut passed = leak.push(bytes);
                if length == 0 {
                    passed.extend(leak.finish());
                }
                if leak.hits() != 0 {
                    return Err(End::Leak(leak.hits()));
                }
                searched = passed;
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
            let length = server_reads.read(&mut buffer).await.map_err(End::Broken)?;
            if length == 0 {
                return guest_writes.shutdown().await.map_err(End::Broken);
            }
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
        }
    };
    match tokio::try_join!(out, back) {
        Ok(((), ())) => End::Done,
        Err(end) => end,
    }
}
