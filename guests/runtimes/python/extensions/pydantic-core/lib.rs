//! pydantic-core as a library: its sources with `pydantic_core.patch`.
#![cfg(target_os = "wasi")]

include!(env!("PYDANTIC_CORE"));
