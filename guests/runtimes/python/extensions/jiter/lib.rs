//! jiter's module for Python as a library: upstream's source as it is.
#![cfg(target_os = "wasi")]

include!(env!("JITER"));
