//! What can go wrong with the engine itself; what goes wrong inside a guest is its exit status.

use std::fmt;

/// Why an engine or a module cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// wasmtime refused its settings, or the address space is too small for the pool.
    Setup(String),
    /// A module by that name is not there.
    UnknownModule(String),
    /// A module is not one, is broken, or is larger than the limits for modules from outside.
    InvalidModule(String),
    /// A module imports what its manifest does not grant or what does not exist.
    NotGranted(String),
    /// The module cache cannot be read or written.
    Cache(String),
    /// A guest of ours cannot be loaded, for a reason that is the host's alone; the name is the
    /// guest's.
    Unavailable(String),
}

impl EngineError {
    /// Why, without what: for who says that themselves.
    pub fn why(&self) -> String {
        match self {
            EngineError::Cache(why) | EngineError::Setup(why) => why.clone(),
            other => other.to_string(),
        }
    }

    /// The error as who is inside a sandbox may read it. What was wrong with a module of their own
    /// is theirs to know; paths, permissions and the state of the host are not.
    pub(crate) fn for_guest(self, name: Option<&str>) -> EngineError {
        match (self, name) {
            (EngineError::UnknownModule(name), _) => EngineError::UnknownModule(name),
            (error @ (EngineError::InvalidModule(_) | EngineError::NotGranted(_)), None) => error,
            (_, name) => EngineError::Unavailable(name.unwrap_or("module").into()),
        }
    }
}

/// A result of the engine.
pub type EngineResult<T> = Result<T, EngineError>;

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Setup(why) => write!(f, "the WebAssembly engine cannot be set up: {why}"),
            EngineError::UnknownModule(name) => write!(f, "there is no module `{name}`"),
            EngineError::InvalidModule(why) => write!(f, "not a usable WebAssembly module: {why}"),
            EngineError::NotGranted(why) => write!(f, "{why}"),
            EngineError::Cache(why) => write!(f, "the module cache cannot be used: {why}"),
            EngineError::Unavailable(name) => write!(f, "the guest `{name}` cannot be loaded"),
        }
    }
}

impl std::error::Error for EngineError {}
