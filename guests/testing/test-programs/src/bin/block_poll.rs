//! Polls standard input without a time limit, and prints what became of it.

use codepod_abi::wire::wasi::EVENT_FD_READ;
use test_programs::{Slot, call};

fn main() {
    let subscription = Slot::new([0, u64::from(EVENT_FD_READ), 0, 0, 0, 0]);
    let (event, count) = (Slot::new([0u64; 4]), Slot::new(0u32));
    let number = call::poll_oneoff(subscription.at(), event.at(), 1, count.at());
    let [_, kind, bytes, flags] = event.get();
    println!(
        "{number}: error {}, {bytes} bytes, flags {}",
        kind & 0xffff,
        flags & 0xffff
    );
}
