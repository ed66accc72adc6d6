//! The imports, as the table has them. Nothing here is checked.
//!
//! # Safety
//!
//! Every function hands addresses to the kernel, which reads and writes there. It checks that they
//! lie within the memory, not what lies there: a caller must point to memory of the right size that
//! Rust expects to change. Only what is called is imported, so a program needs the grants of what
//! it uses.

#![cfg_attr(
    not(target_family = "wasm"),
    expect(
        clippy::too_many_arguments,
        reason = "the table says how many a call takes"
    )
)]

use codepod_abi::table::{In, Out};

macro_rules! imports {
    (@block wasi [$($item:tt)*]) => {
        #[cfg(target_family = "wasm")]
        #[link(wasm_import_module = "wasi_snapshot_preview1")]
        unsafe extern "C" { $($item)* }
    };
    (@block codepod [$($item:tt)*]) => {
        #[cfg(target_family = "wasm")]
        #[link(wasm_import_module = "codepod")]
        unsafe extern "C" { $($item)* }
    };
    (@call $namespace:ident ends $name:ident ($($param:ident : $ty:ident),*) [$($doc:literal)*]) => {
        imports! { @block $namespace [
            $(#[doc = $doc])*
            pub fn $name($($param: $ty),*) -> !;
        ] }

        $(#[doc = $doc])*
        ///
        /// # Safety
        ///
        /// None is needed here: there is no kernel, and the process ends.
        #[cfg(not(target_family = "wasm"))]
        pub unsafe fn $name($($param: $ty),*) -> ! {
            $(let _ = $param;)*
            std::process::abort()
        }
    };
    (@call $namespace:ident $waiting:ident $name:ident ($($param:ident : $ty:ident),*) [$($doc:literal)*]) => {
        imports! { @block $namespace [
            $(#[doc = $doc])*
            pub fn $name($($param: $ty),*) -> u32;
        ] }

        $(#[doc = $doc])*
        ///
        /// # Safety
        ///
        /// None is needed here: there is no kernel, and the call fails.
        #[cfg(not(target_family = "wasm"))]
        pub unsafe fn $name($($param: $ty),*) -> u32 {
            $(let _ = $param;)*
            codepod_abi::Errno::NoSys.raw().into()
        }
    };
    ($(
        $(#[doc = $doc:literal])*
        [$namespace:ident $grant:ident] $waiting:ident $name:ident ( $($param:ident : $ty:ident),* )
            fails [$($errno:ident),*] $(without $success:ident)? ;
    )*) => {
        $(imports! { @call $namespace $waiting $name ($($param : $ty),*) [$($doc)*] })*
    };
}

codepod_abi::for_each_call!(imports []);
