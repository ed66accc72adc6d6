//! A call on its way to a handler: who asks, about what, and how to reach them meanwhile.

use std::pin::Pin;
use std::sync::Arc;

use codepod::Canceller;
use codepod_api::notifications::{CommandCall, CommandReply, Output};
use codepod_api::{ApiError, Kind, Surface};

use crate::held::Held;
use crate::server::Server;
use crate::tenant::Tenant;

/// How to reach a client while its call is being answered.
pub trait Client: Send + Sync {
    /// Sends output of a run that is streamed.
    fn output(&self, output: Output);

    /// Who answers commands that the client registers; `None` where nobody can.
    fn answers(&self) -> Option<Arc<dyn Answers>> {
        None
    }
}

/// A client that hears nothing before its answer.
pub(crate) struct Silent;

impl Client for Silent {
    fn output(&self, _output: Output) {}
}

/// Answers commands that sandboxes call.
pub trait Answers: Send + Sync {
    /// Calls the client. An error is what the command complains about.
    fn call(
        &self,
        call: CommandCall,
    ) -> Pin<Box<dyn Future<Output = Result<CommandReply, String>> + Send>>;
}

/// A call of a method.
pub struct Call<'a> {
    pub(crate) server: &'a Server,
    pub(crate) tenant: &'a Arc<Tenant>,
    pub(crate) surface: Surface,
    pub(crate) client: &'a dyn Client,
    pub(crate) held: Option<Arc<Held>>,
    pub(crate) canceller: Canceller,
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
            held: None,
            canceller,
        }
    }

    /// The sandbox that the call is about.
    pub(crate) fn held(&self) -> Result<&Arc<Held>, ApiError> {
        let missing = || ApiError::new(Kind::InvalidParams, "`sandboxId` is missing");
        self.held.as_ref().ok_or_else(missing)
    }
}
