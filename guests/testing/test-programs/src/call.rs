//! Every call of the table as a safe function, and as an [`Entry`] that takes any words.
//!
//! They are safe in name only: these programs pass wrong addresses on purpose, and where they pass
//! good ones, they use [`crate::Slot`]s. Nothing else should be built on them; `codepod-sys` has
//! what should.

#![expect(
    clippy::too_many_arguments,
    reason = "the table says how many a call takes"
)]

use codepod_abi::table::{In, Out};
use codepod_sys::raw;

/// A call that can be made without knowing which one it is.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Makes it, asking for one word per argument.
    pub make: fn(&mut dyn FnMut() -> u64) -> u32,
}

macro_rules! calls {
    (@one ends $name:ident ($($param:ident : $ty:ident),*) [$($doc:literal)*]) => {
        $(#[doc = $doc])*
        pub fn $name($($param: $ty),*) -> ! {
            // SAFETY: no address is passed.
            unsafe { raw::$name($($param),*) }
        }
    };
    (@one $waiting:ident $name:ident ($($param:ident : $ty:ident),*) [$($doc:literal)*]) => {
        $(#[doc = $doc])*
        pub fn $name($($param: $ty),*) -> u32 {
            // SAFETY: not in general, see the module. The kernel refuses addresses beyond the
            // memory, and a program of this crate gives it no address within that it minds losing.
            unsafe { raw::$name($($param),*) }
        }
    };
    (@entry ends $name:ident ($($ty:ident),*)) => {
        Entry { name: stringify!($name), make: |_word| unreachable!("it does not return") }
    };
    (@entry $waiting:ident $name:ident ($($ty:ident),*)) => {
        Entry { name: stringify!($name), make: |_word| $name($(_word() as $ty),*) }
    };
    ($(
        $(#[doc = $doc:literal])*
        [$namespace:ident $grant:ident] $waiting:ident $name:ident ( $($param:ident : $ty:ident),* )
            fails [$($errno:ident),*] $(without $success:ident)? ;
    )*) => {
        $(calls! { @one $waiting $name ($($param : $ty),*) [$($doc)*] })*

        /// Every call, in the table's order.
        pub const ENTRIES: &[Entry] = &[$(calls!(@entry $waiting $name ($($ty),*)),)*];
    };
}

codepod_abi::for_each_call!(calls []);
