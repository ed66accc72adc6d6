//! Sessions of JavaScript: Node that keeps its variables from call to call.

use super::run::RunOutput;
use super::session::{SessionResetParams, SessionRunParams};
use super::{Done, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Runs JavaScript in a session of Node and waits for its end: until no timer, promise or child
    /// is left to wait for. What it declares stays for the next call and may be declared again,
    /// `await` works outside of functions, and what the last statement gives is printed. The
    /// session is forked, snapshotted, undone and saved with the sandbox. Needs the part `js`.
    JsRun = "js.run", sandbox post "/v1/sandboxes/{sandbox}/js", SessionRunParams => RunOutput,
    work Streams,
    tool "javascript" Changes Run needs "node" "Run JavaScript in the sandbox and return exit_code, stdout and stderr. It is Node 24, as at its prompt: variables, functions and modules stay for the next call and can be declared again, `require`, `import` and top-level `await` work, and the value of the last statement is printed. It has the same files as `run`. After an exception, `process.exit` or a timeout the session goes on. Every call can be taken back with `undo`.";

    /// Resets a session: its next call starts Node anew.
    JsReset = "js.reset", sandbox delete "/v1/sandboxes/{sandbox}/js", SessionResetParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];
}
