//! Errors as every surface tells them: a kind for programs, a message for people, a hint that
//! helps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error on its way to a client: the `error` of a JSON-RPC answer, and the body of an HTTP one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiError {
    /// JSON-RPC's number of the kind.
    pub code: i32,
    /// What is wrong, for people.
    pub message: String,
    /// More, for programs.
    pub data: ErrorData,
}

/// What programs match on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorData {
    /// What kind of error it is.
    pub kind: Kind,
    /// What to do about it.
    pub hint: String,
    /// The error's name where a file or a process is the cause: `ENOENT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errno: Option<String>,
}

impl ApiError {
    /// An error with the hint of its kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> ApiError {
        ApiError {
            code: kind.code(),
            message: message.into(),
            data: ErrorData {
                kind,
                hint: kind.hint().to_owned(),
                errno: None,
            },
        }
    }

    /// A fault of codepod's own: what it was is in the log, not in the answer.
    pub fn internal() -> ApiError {
        ApiError::new(Kind::Internal, "internal error")
    }

    /// Replaces the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> ApiError {
        self.data.hint = hint.into();
        self
    }

    /// Adds the name of a system error.
    pub fn errno(mut self, errno: impl Into<String>) -> ApiError {
        self.data.errno = Some(errno.into());
        self
    }

    /// What kind it is.
    pub fn kind(&self) -> Kind {
        self.data.kind
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident = $code:literal, $status:literal, $hint:literal;)+) => {
        /// What went wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[schemars(rename = "ErrorKind")]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),+];

            /// Its number in JSON-RPC.
            pub fn code(self) -> i32 {
                match self { $(Kind::$kind => $code),+ }
            }

            /// Its status in HTTP.
            pub fn status(self) -> u16 {
                match self { $(Kind::$kind => $status),+ }
            }

            /// What to do, if nothing more is known.
            pub fn hint(self) -> &'static str {
                match self { $(Kind::$kind => $hint),+ }
            }

            /// What it means.
            pub fn doc(self) -> &'static str {
                match self { $(Kind::$kind => concat!($($doc),+)),+ }
            }
        }
    };
}

kinds! {
    /// The frame or body is not JSON.
    ParseError = -32700, 400, "send one JSON value in UTF-8, at most 100 levels deep";
    /// The JSON is not a request.
    InvalidRequest = -32600, 400, "send an object with `jsonrpc`, `id`, `method` and `params`";
    /// There is no such method.
    MethodNotFound = -32601, 404, "`server.info` lists the methods";
    /// A parameter is missing, unknown or of the wrong type, or its value makes no sense.
    InvalidParams = -32602, 400, "compare with the method's page in the reference";
    /// A fault in codepod itself.
    Internal = -32603, 500, "destroy this sandbox, and report what it ran";
    /// There is no such sandbox, snapshot, preview, run or shell, or it belongs to another tenant.
    NotFound = -32001, 404, "it was destroyed or never created: create a new one";
    /// Running processes prevent the operation.
    Busy = -32002, 409, "wait for them, cancel the run, or call `sandbox.kill`";
    /// The state that the operation started from has changed.
    Changed = -32003, 409, "read the current state and try again";
    /// A file operation failed; `errno` says how.
    File = -32004, 422, "look at the path with `files.stat` or `files.list`";
    /// A program could not be started; `errno` says why.
    Spawn = -32005, 422, "`commands.list` lists the commands";
    /// A host directory cannot be mounted.
    Mount = -32006, 422, "check that the directory exists and that the place in the sandbox is absolute and free";
    /// Fewer runs are kept than were asked for.
    NoSuchRun = -32007, 404, "`shell.history.list` lists the steps that are kept";
    /// The snapshot or fork is of another sandbox.
    Foreign = -32008, 422, "take it from this sandbox, from one it was forked from, or from a fork of it";
    /// Some changes are on the host, and one was refused because the host changed it meanwhile.
    PartlyApplied = -32009, 409, "`mounts.changes` shows what is left";
    /// A process cannot be signalled; `errno` says why.
    Process = -32010, 422, "`jobs.list` lists the processes";
    /// A shell cannot go on from its state.
    ShellState = -32011, 409, "close the shell with `shell.close`, or restore a snapshot";
    /// A state cannot be saved or loaded.
    State = -32012, 422, "check the state's name and key, and that no other process has it open";
    /// The sandbox's persistence does not allow that.
    NotPersistent = -32013, 422, "create the sandbox with `persistence`";
    /// A limit or a quota is reached.
    Limit = -32014, 429, "destroy what is no longer needed, or ask for a larger quota";
    /// The policy of the server does not allow it.
    Denied = -32015, 403, "the operator of the server can allow it";
    /// There is no valid key.
    Unauthorized = -32016, 401, "send `Authorization: Bearer KEY` with a key of this server";
    /// The request or its answer is too large.
    TooLarge = -32017, 413, "send or ask for less at a time";
    /// The machine lacks something that codepod needs.
    Unavailable = -32018, 503, "`codepod doctor` says what is missing";
    /// This surface cannot do that.
    Unsupported = -32019, 501, "use another surface: the parity table says which have it";
    /// Nothing in the sandbox answers at that port.
    NoServer = -32020, 502, "start the server first, at a port of 127.0.0.1 or 0.0.0.0";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_code_and_helps() {
        let mut codes: Vec<i32> = Kind::ALL.iter().map(|kind| kind.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert!(
                !kind.hint().is_empty() && !kind.hint().ends_with('.'),
                "{kind:?}"
            );
            assert!(!kind.doc().trim().is_empty(), "{kind:?}");
            assert!((400..=599).contains(&kind.status()), "{kind:?}");
            let error = ApiError::new(*kind, "message");
            let json = serde_json::to_string(&error).unwrap();
            assert_eq!(serde_json::from_str::<ApiError>(&json).unwrap(), error);
        }
    }
}
