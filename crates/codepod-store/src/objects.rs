//! Object storage as the place to keep states in, through the crate `object_store`: S3 and what
//! speaks like it, Google's and Azure's, by the features of that crate that the caller turns on.
//!
//! A key is created by a conditional put, which fails where something has the name. There is no
//! lock: a writer claims an epoch, and one whose epoch is not the highest any more is refused
//! (`store.rs`). The storage has to honour the condition.
//!
//! Requests run on a thread of their own, so a caller may be anywhere, on a thread of an async
//! runtime too; it waits.

use std::fmt;
use std::future::Future;
use std::io::ErrorKind;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use tokio::runtime::Runtime;

use crate::backend::{Backend, Blob};
use crate::error::StoreError;
use crate::namespace::folder;

/// How often a put is tried whose outcome the storage leaves open.
const TURNS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);

/// A namespace in an object storage.
#[derive(Debug)]
pub(crate) struct Objects {
    bucket: Arc<Bucket>,
    base: Path,
}

impl Objects {
    /// A namespace below `prefix`; empty for the storage's root.
    pub(crate) fn open(
        store: Arc<dyn ObjectStore>,
        prefix: &str,
        namespace: &str,
    ) -> Result<Objects, StoreError> {
        let base =
            Path::parse(prefix).map_err(|error| failed("name the namespace", &error.into()))?;
        Ok(Objects {
            bucket: Arc::new(Bucket::new(store)?),
            base: base.join(folder(namespace)?),
        })
    }

    fn path(&self, key: &str) -> Path {
        key.split('/')
            .filter(|part| !part.is_empty())
            .fold(self.base.clone(), |path, part| path.join(part))
    }

    /// Whether under a path is just this; `None` if nothing is.
    fn holds(&self, path: &Path, bytes: &[u8]) -> Result<Option<bool>, StoreError> {
        let (store, at) = (self.bucket.store.clone(), path.clone());
        let found = self
            .bucket
            .wait(async move { store.get(&at).await?.bytes().await })?;
        match found {
            Ok(found) => Ok(Some(found == bytes)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("read an object", &error)),
        }
    }
}

impl Backend for Objects {
    fn create(&self, key: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let path = self.path(key);
        let payload = PutPayload::from(bytes.to_vec());
        let mut last = None;
        for turn in 0..TURNS {
            if turn > 0 {
                std::thread::sleep(PAUSE * turn);
            }
            let (store, at, payload) = (self.bucket.store.clone(), path.clone(), payload.clone());
            let options = PutOptions::from(PutMode::Create);
            let put = self
                .bucket
                .wait(async move { store.put_opts(&at, payload, options).await })?;
            let Err(error) = put else { return Ok(true) };
            // An answer may be lost, and a put that was tried again finds its own: what is there
            // decides. Keys that two may want hold something that only one would put
            // there.
            match self.holds(&path, bytes)? {
                Some(ours) => return Ok(ours),
                None => last = Some(error),
            }
        }
        Err(last.map_or(StoreError::Fenced, |error| {
            failed("write an object", &error)
        }))
    }

    fn open(&self, key: &str) -> Result<Option<Arc<dyn Blob>>, StoreError> {
        let path = self.path(key);
        let (store, at) = (self.bucket.store.clone(), path.clone());
        match self.bucket.wait(async move { store.head(&at).await })? {
            Ok(meta) => Ok(Some(Arc::new(Object {
                bucket: self.bucket.clone(),
                path,
                size: meta.size,
            }))),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("look for an object", &error)),
        }
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let (store, folder) = (self.bucket.store.clone(), self.path(prefix));
        let listed = self
            .bucket
            .wait(async move { store.list(Some(&folder)).try_collect::<Vec<_>>().await })?;
        let listed = listed.map_err(|error| failed("list objects", &error))?;
        let names = listed.iter().filter_map(|meta| meta.location.filename());
        Ok(names.map(|name| format!("{prefix}{name}")).collect())
    }

    fn delete(&self, key: &str) -> Result<(), StoreError> {
        let (store, path) = (self.bucket.store.clone(), self.path(key));
        match self.bucket.wait(async move { store.delete(&path).await })? {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed("remove an object", &error)),
        }
    }
}

/// An object that is there. If it is deleted, reading it fails.
#[derive(Debug)]
struct Object {
    bucket: Arc<Bucket>,
    path: Path,
    size: u64,
}

impl Blob for Object {
    fn size(&self) -> Result<u64, StoreError> {
        Ok(self.size)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError> {
        const SHORT: StoreError = StoreError::Damaged("an object that is cut short");
        if buf.is_empty() {
            return Ok(());
        }
        let end = offset.checked_add(buf.len() as u64).ok_or(SHORT)?;
        if end > self.size {
            return Err(SHORT);
        }
        let (store, path) = (self.bucket.store.clone(), self.path.clone());
        let read = self
            .bucket
            .wait(async move { store.get_range(&path, offset..end).await })?;
        let read = read.map_err(|error| failed("read an object", &error))?;
        if read.len() != buf.len() {
            return Err(SHORT);
        }
        buf.copy_from_slice(&read);
        Ok(())
    }
}

/// The storage, and the thread that its requests run on.
struct Bucket {
    store: Arc<dyn ObjectStore>,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bucket({})", self.store)
    }
}

impl Bucket {
    fn new(store: Arc<dyn ObjectStore>) -> Result<Bucket, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("codepod-objects")
            .enable_all()
            .build()
            .map_err(StoreError::io("start a thread"))?;
        Ok(Bucket {
            store,
            runtime: Some(runtime),
        })
    }

    /// The outcome of a request, which goes on elsewhere while this thread waits.
    fn wait<T: Send + 'static>(
        &self,
        request: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let gone = || StoreError::Io {
            what: "reach the thread of the object storage",
            kind: ErrorKind::BrokenPipe,
        };
        let runtime = self.runtime.as_ref().ok_or_else(gone)?;
        let (send, receive) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            let _ = send.send(request.await);
        });
        receive.recv().map_err(|_| gone())
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        // Waiting is not allowed everywhere that a store may be dropped.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// An error without what the storage says about itself: addresses and names of buckets are nobody's
/// business.
fn failed(what: &'static str, error: &Error) -> StoreError {
    let kind = match error {
        Error::NotFound { .. } => ErrorKind::NotFound,
        Error::AlreadyExists { .. } | Error::Precondition { .. } => ErrorKind::AlreadyExists,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            ErrorKind::PermissionDenied
        }
        Error::InvalidPath { .. } => ErrorKind::InvalidInput,
        Error::NotSupported { .. } | Error::NotImplemented { .. } => ErrorKind::Unsupported,
        _ => ErrorKind::Other,
    };
    StoreError::Io { what, kind }
}
