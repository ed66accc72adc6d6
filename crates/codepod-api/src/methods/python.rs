//! Sessions of Python: interpreters that keep their variables from call to call.

use super::run::RunOutput;
use super::session::{SessionResetParams, SessionRunParams};
use super::{Done, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Runs Python code in a session and waits for its end. Variables, functions and modules stay
    /// for the next call, and what the last line gives is printed. The session is forked,
    /// snapshotted, undone and saved with the sandbox.
    PythonRun = "python.run", sandbox post "/v1/sandboxes/{sandbox}/python", SessionRunParams => RunOutput,
    work Streams,
    tool "python" Changes Run "Run Python code in the sandbox and return exit_code, stdout and stderr. It is CPython 3.14 with numpy, pandas, matplotlib, sqlite3, requests, pyyaml, openpyxl and pytest. Variables, functions and imported modules stay for the next call; the value of the last line is printed, as in an interactive interpreter. It has the same files as `run` and can start its commands with subprocess. After an exception or a timeout the session goes on. Threads take turns: they overlap while they sleep or wait, but a thread must not loop until another stops it. Every call can be taken back with `undo`.";

    /// Resets a session: its next call starts a new interpreter.
    PythonReset = "python.reset", sandbox delete "/v1/sandboxes/{sandbox}/python", SessionResetParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];
}
