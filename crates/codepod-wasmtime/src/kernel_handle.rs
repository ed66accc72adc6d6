//! What the engine knows of a sandbox: its kernel, and whose time its processes use.

use std::ops::Deref;
use std::sync::Arc;

use codepod_kernel::{Kernel, SharedKernel};

use crate::fair_queue::{Lane, Share};

/// A sandbox's kernel and its place in a share of the processor's time. Clones are the same
/// sandbox.
#[derive(Debug, Clone)]
pub struct KernelHandle {
    kernel: Arc<SharedKernel>,
    pub(crate) lane: Lane,
}

impl KernelHandle {
    /// A kernel whose processes use this share.
    pub fn new(kernel: Kernel, share: &Share) -> KernelHandle {
        KernelHandle {
            kernel: Arc::new(SharedKernel::new(kernel)),
            lane: share.lane(),
        }
    }

    /// The kernel alone.
    pub fn shared(&self) -> &Arc<SharedKernel> {
        &self.kernel
    }
}

impl Deref for KernelHandle {
    type Target = SharedKernel;

    fn deref(&self) -> &SharedKernel {
        &self.kernel
    }
}
