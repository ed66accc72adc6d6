//! The handlers: a file for each thing that methods act on, as in `codepod-api`.

mod background;
mod commands;
mod env;
pub(crate) mod files;
mod javascript;
mod jobs;
mod mounts;
pub(crate) mod network;
pub(crate) mod persistence;
mod preview;
mod python;
mod run;
mod sandbox;
mod search;
mod server;
mod session;
mod shell;
mod snapshot;
mod states;
mod timeline;
