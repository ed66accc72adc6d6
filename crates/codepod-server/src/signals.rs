//! What the host's process is told by signals, or by the console where there are none.

use std::io;

/// Ends when the host's process is told to end.
#[cfg(unix)]
pub(crate) fn told_to_end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Ends when the console is told to end.
#[cfg(not(unix))]
pub(crate) fn told_to_end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Where the console cannot be asked, only the system ends the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// Each time that the host's process is to read its configuration again.
#[cfg(unix)]
pub(crate) struct Hangups(tokio::signal::unix::Signal);

#[cfg(unix)]
impl Hangups {
    pub(crate) fn new() -> io::Result<Hangups> {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::hangup()).map(Hangups)
    }

    /// Waits for the next; `None` if there will be none.
    pub(crate) async fn next(&mut self) -> Option<()> {
        self.0.recv().await
    }
}

/// There is no such signal here: a new configuration needs a new start.
#[cfg(not(unix))]
pub(crate) struct Hangups;

#[cfg(not(unix))]
impl Hangups {
    #[expect(clippy::unnecessary_wraps, reason = "as where there are signals")]
    pub(crate) fn new() -> io::Result<Hangups> {
        Ok(Hangups)
    }

    pub(crate) async fn next(&mut self) -> Option<()> {
        None
    }
}
