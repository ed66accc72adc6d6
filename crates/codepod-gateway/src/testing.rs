//! What the fuzz targets of the network do: any bytes, through what reads the bytes of a guest.
//!
//! A target takes one input and panics on a finding. `fuzz/` hands libFuzzer's inputs to it,
//! `tests/fuzz_corpus.rs` the corpus. An input begins with how the rest of it is divided, since
//! nothing may depend on where a guest's writes end. Not part of the API.

mod http_request;
mod network_policy;
mod secret_streams;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[cfg(feature = "net")]
pub use crate::net::testing::cptls;
pub use http_request::http_request;
pub use network_policy::network_policy;
pub use secret_streams::secret_streams;

/// A target: its name, and what runs one input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
#[cfg(feature = "net")]
pub const TARGETS: &[Target] = &[
    ("cptls", cptls),
    ("http_request", http_request),
    ("network_policy", network_policy),
    ("secret_streams", secret_streams),
];

/// How many times a future is polled that has all it needs.
const MOST_POLLS: usize = 100_000;

/// The result of a future that waits for nothing outside of it.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..MOST_POLLS {
        if let Poll::Ready(done) = future.as_mut().poll(&mut cx) {
            return done;
        }
    }
    unreachable!("the future does not end")
}

/// The first bytes of an input as sizes, and the rest divided into pieces of these sizes.
pub(crate) fn divided<const N: usize>(input: &[u8]) -> Option<(Vec<&[u8]>, &[u8])> {
    let (sizes, rest) = input.split_first_chunk::<N>()?;
    let mut pieces = Vec::new();
    let mut left = rest;
    for size in sizes.iter().cycle() {
        // Small pieces and large ones: a byte is worth up to its square.
        let size = (usize::from(*size) * usize::from(*size) / 16).max(1);
        if left.is_empty() {
            break;
        }
        let (piece, more) = left.split_at(size.min(left.len()));
        pieces.push(piece);
        left = more;
    }
    Some((pieces, rest))
}
