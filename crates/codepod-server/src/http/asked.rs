//! What a request wants, and its end when the client leaves.

use std::sync::Arc;

use codepod::Canceller;
use codepod_api::{ApiError, MethodInfo, Surface};
use serde_json::{Map, Value};

use super::App;
use super::answer::{Answer, Pieces};
use crate::call::{Call, Silent};
use crate::dispatch::dispatch_into;
use crate::tenant::{Flight, Place, Tenant};

/// What a request wants, once it is known who asks.
pub(super) struct Asked {
    pub(super) app: Arc<App>,
    pub(super) tenant: Arc<Tenant>,
    pub(super) method: &'static MethodInfo,
    pub(super) sandbox: Option<String>,
    pub(super) params: Map<String, Value>,
    pub(super) canceller: Canceller,
    /// Counted until the answer is sent.
    pub(super) place: Place,
    /// The request's body, counted until it is answered.
    pub(super) body: Flight,
}

impl Asked {
    /// Does it, on a thread that may wait.
    pub(super) fn answer(self) -> Result<Answer, ApiError> {
        let call = Call::new(
            &self.app.server,
            &self.tenant,
            Surface::Http,
            &Silent,
            self.canceller,
        );
        let (name, sandbox, params) = (self.method.name, self.sandbox, self.params);
        let mut pieces = Pieces::new(&self.tenant);
        let answered = dispatch_into(call, name, sandbox.as_deref(), params, &mut pieces);
        if let Some(refused) = pieces.take_refusal() {
            return Err(refused);
        }
        answered?;
        Ok(pieces.finish(self.place))
    }
}

/// Ends what a request runs when its client has left.
pub(super) struct CancelOnDrop(pub(super) Option<Canceller>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(canceller) = self.0.take() {
            canceller.cancel();
        }
    }
}
