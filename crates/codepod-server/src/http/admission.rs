//! Turns: only some requests begin at once.
//!
//! A script runs on the thread of its request. Hundreds of those would take the processors from
//! each other in the middle of short scripts, and some would wait very long. So requests begin in
//! the order in which they came, and one that takes long gives its turn to the next while it goes
//! on.

use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// How many have a turn for each processor: while one waits for a file or a lock, another runs.
const PER_PROCESSOR: usize = 2;
/// How long a turn is.
const LONG: Duration = Duration::from_millis(1);

/// The turns of a server.
pub(crate) struct Turns(Semaphore);

impl Turns {
    pub(crate) fn new() -> Turns {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Turns(Semaphore::new(PER_PROCESSOR * processors))
    }

    /// Does this on a thread of its own when it is its turn. Fails when it panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // It is never closed.
        let turn = self.0.acquire().await;
        let mut work = spawn_blocking(work);
        if let Ok(done) = tokio::time::timeout(LONG, &mut work).await {
            return done;
        }
        drop(turn);
        work.await
    }
}
