//! From a number to a call: every line of the abi table can be made with any arguments.

use std::sync::LazyLock;
use std::task::Poll;

use codepod_abi::table::{Call, In, Out};
use codepod_kernel::{Outcome, SliceMemory, Syscall, syscalls};

macro_rules! dispatch {
    (@run ready $syscall:ident $call:expr, $handler:expr) => {
        Poll::Ready($syscall.ready($call, $handler))
    };
    (@run ends $syscall:ident $call:expr, $handler:expr) => {
        Poll::Ready($syscall.ready($call, $handler))
    };
    (@run waits $syscall:ident $call:expr, $handler:expr) => {
        $syscall.poll($call, $handler)
    };
    ($(
        $(#[doc = $doc:literal])*
        [$namespace:ident $grant:ident] $waiting:ident $name:ident ( $($param:ident : $ty:ident),* )
            fails [$($errno:ident),*] $(without $success:ident)? ;
    )*) => {
        /// Every call.
        const CALLS: &[Call] = &[$(Call::$name),*];

        /// Makes a call, or polls it once more. Arguments that are missing are 0.
        pub(super) fn make(
            syscall: &mut Syscall<'_, SliceMemory<'_>>,
            call: Call,
            arguments: &[u64],
        ) -> Poll<Outcome> {
            let mut arguments = arguments.iter();
            let mut next = || arguments.next().copied().unwrap_or_default();
            match call {
                $(Call::$name => {
                    $(let $param = next() as $ty;)*
                    dispatch!(@run $waiting syscall Call::$name, |call| syscalls::$name(call, $($param),*))
                })*
            }
        }
    };
}

codepod_abi::for_each_call!(dispatch []);

/// How many numbers stand for calls.
const CHOICES: usize = 2048;

/// The call that each number stands for. A number goes to the call whose name suits it best, so
/// that a new line in the table takes its share from all others and the corpus keeps its meaning.
static CHOSEN: LazyLock<Vec<Call>> = LazyLock::new(|| {
    let suits = |number: usize, call: &Call| {
        let seed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = call.info().name.bytes().fold(seed, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 8
    };
    let chosen: Vec<Call> = (0..CHOICES)
        .filter_map(|number| CALLS.iter().max_by_key(|call| suits(number, call)).copied())
        .collect();
    for call in CALLS {
        assert!(chosen.contains(call), "no number stands for `{call:?}`");
    }
    chosen
});

/// The call that a number of an input stands for.
pub(super) fn choose(number: u16) -> Call {
    CHOSEN[usize::from(number) % CHOICES]
}
