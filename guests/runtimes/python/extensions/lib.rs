//! Compiled parts of Python's packages that are Rust: `pydantic_core` and `jiter`.
//!
//! They are one library, so that Rust's own library and PyO3 are there once. The interpreter calls
//! the functions that start the modules, `PyInit__pydantic_core` and `PyInit_jiter`.
#![cfg(target_os = "wasi")]

pub use _pydantic_core::_pydantic_core as pydantic_core;
pub use jiter_python::get_jiter_version;
