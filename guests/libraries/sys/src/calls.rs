//! The calls that pass no address, as safe functions.
//!
//! They are made from the table, so a call that is added there is here at once. What passes an
//! address is wrapped by the other modules: only they know what lies there.

use codepod_abi::Errno;
pub use codepod_abi::wire::lock;

use crate::{check, raw};

macro_rules! safe {
    (@call ends $($rest:tt)*) => {};
    (@call $waiting:ident $name:ident $docs:tt $done:tt ($param:ident : In $($rest:tt)*)) => {};
    (@call $waiting:ident $name:ident $docs:tt $done:tt ($param:ident : Out $($rest:tt)*)) => {};
    (@call $waiting:ident $name:ident $docs:tt [$($done:tt)*] ($param:ident : $ty:ident, $($rest:tt)*)) => {
        safe! { @call $waiting $name $docs [$($done)* $param : $ty,] ($($rest)*) }
    };
    (@call $waiting:ident $name:ident [$($doc:literal)*] [$($param:ident : $ty:ident,)*] ()) => {
        $(#[doc = $doc])*
        pub fn $name($($param: $ty),*) -> Result<(), Errno> {
            // SAFETY: no address is passed.
            check(unsafe { raw::$name($($param),*) })
        }
    };
    ($(
        $(#[doc = $doc:literal])*
        [$namespace:ident $grant:ident] $waiting:ident $name:ident ( $($param:ident : $ty:ident),* )
            fails [$($errno:ident),*] $(without $success:ident)? ;
    )*) => {
        $(safe! { @call $waiting $name [$($doc)*] [] ($($param : $ty,)*) })*
    };
}

codepod_abi::for_each_call!(safe []);
