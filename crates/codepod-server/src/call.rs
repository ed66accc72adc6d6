//! A call on its way to a handler: who asks, about what, and how to reach them meanwhile.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use codepod::Canceller;
use codepod_api::notifications::{CommandCall, CommandReply, NetworkReply, NetworkRequest, Output};
use codepod_api::{ApiError, Kind, Surface};

use crate::live_sandbox::LiveSandbox;
use crate::lock::lock;
use crate::saved::SavedStates;
use crate::server::Server;
use crate::tenant::{Flight, Tenant};

/// How to reach a client while its call is being answered.
pub trait Client: Send + Sync {
    /// Sends output of a run that is streamed.
    fn output(&self, output: Output);

    /// Who answers commands that the client registers, and questions; `None` where nobody can.
    fn answers(&self) -> Option<Arc<dyn Answers>> {
        None
    }
}

/// A client that hears nothing before its answer.
pub(crate) struct Silent;

impl Client for Silent {
    fn output(&self, _output: Output) {}
}

/// What a client answers, in time; why there is no answer otherwise.
pub type Answering<T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send>>;

/// Answers commands that sandboxes call, and what they ask of the network.
pub trait Answers: Send + Sync {
    /// Calls the client. An error is what the command complains about.
    fn call(&self, call: CommandCall) -> Answering<CommandReply>;

    /// Asks the client about a request.
    fn decide(&self, request: NetworkRequest) -> Answering<NetworkReply>;
}

/// A call of a method.
pub struct Call<'a> {
    pub(crate) server: &'a Server,
    pub(crate) tenant: &'a Arc<Tenant>,
    pub(crate) surface: Surface,
    pub(crate) client: &'a dyn Client,
    pub(crate) live: Option<Arc<LiveSandbox>>,
    pub(crate) canceller: Canceller,
    /// What the answer takes until it is written.
    flight: Mutex<Flight>,
}

impl<'a> Call<'a> {
    /// A call on a surface; `canceller` ends what it runs.
    pub fn new(
        server: &'a Server,
        tenant: &'a Arc<Tenant>,
        surface: Surface,
        client: &'a dyn Client,
        canceller: Canceller,
    ) -> Call<'a> {
        Call {
            server,
            tenant,
            surface,
            client,
            live: None,
            canceller,
            flight: Mutex::new(tenant.flight()),
        }
    }

    /// What the tenant has saved, where this server keeps states.
    pub(crate) fn saved(&self) -> Result<&Arc<SavedStates>, ApiError> {
        let none = || ApiError::new(Kind::Denied, "this server keeps no states");
        let states = self.server.options().states.as_ref().ok_or_else(none)?;
        Ok(self.tenant.saved(states))
    }

    /// Counts bytes that the handler takes for its answer among those that the tenant has on their
    /// way.
    pub(crate) fn take_bytes(&self, bytes: u64) -> Result<(), ApiError> {
        lock(&self.flight).add(bytes)
    }

    /// The sandbox that the call is about.
    pub(crate) fn live(&self) -> Result<&Arc<LiveSandbox>, ApiError> {
        let missing = || ApiError::new(Kind::InvalidParams, "`sandboxId` is missing");
        self.live.as_ref().ok_or_else(missing)
    }
}
