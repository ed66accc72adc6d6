//! The executor: threads that run processes other than the one its caller drives.

use std::future::Future;
use std::sync::Arc;

use async_executor::Executor as Tasks;
use futures_lite::future::block_on;

/// Tasks and the threads that run them. The threads end when the executor is dropped.
pub(crate) struct Executor {
    tasks: Arc<Tasks<'static>>,
    /// Closed when this is dropped, which ends the threads.
    _alive: async_channel::Sender<()>,
}

impl Executor {
    pub(crate) fn start(threads: usize) -> std::io::Result<Executor> {
        let tasks = Arc::new(Tasks::new());
        let (alive, ended) = async_channel::bounded::<()>(1);
        for i in 0..threads {
            let tasks = tasks.clone();
            let ended = ended.clone();
            std::thread::Builder::new()
                .name(format!("codepod-{i}"))
                .spawn(move || {
                    // A task that panics must not take the others' thread with it.
                    while std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        let _ = block_on(tasks.run(ended.recv()));
                    }))
                    .is_err()
                    {}
                })?;
        }
        Ok(Executor {
            tasks,
            _alive: alive,
        })
    }

    /// Runs a future on the threads.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(future).detach();
    }
}
