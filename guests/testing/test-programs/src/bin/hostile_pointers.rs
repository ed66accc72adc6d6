//! WM-09, WM-10: `hostile_pointers SEED COUNT` makes calls with arguments that no program would
//! pass: addresses at and beyond the end, lengths that wrap, iovecs of everything. Prints how many
//! it made.
//!
//! Addresses within the memory lie in an arena at its end or in its first bytes, so that what the
//! kernel writes there hurts nothing. The calls that end or stop the program itself are left out.

#![expect(unsafe_code, reason = "it writes to memory that belongs to nobody")]

use codepod_abi::table::{CALLS, Waiting};
use codepod_abi::wire::SIGNAL_CATCH;
use test_programs::resources::{ignore, number_argument};
use test_programs::{Signal, Slot, call};

const SKIPPED: [&str; 4] = ["proc_exit", "proc_raise", "proc_kill", "proc_alarm"];
/// Arguments that are neither addresses nor lengths.
const NUMBERS: [&str; 14] = [
    "action", "advice", "clock", "gid", "group", "how", "least", "mask", "mode", "pid", "signal",
    "uid", "wanted", "whence",
];
const ARENA: u32 = 65536;
/// Where standard output is kept while the calls do what they like to descriptors.
const OUTPUT: u32 = 50;

struct Words {
    state: u64,
    arena: u32,
}

impl Words {
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn one_of(&mut self, words: &[u32]) -> u32 {
        words[(self.next() >> 8) as usize % words.len()]
    }

    fn length(&mut self) -> u32 {
        let (half, most) = (1 << 31, u32::MAX);
        self.one_of(&[
            0,
            1,
            2,
            7,
            8,
            24,
            48,
            255,
            1024,
            1025,
            half - 1,
            half,
            most - 7,
            most,
        ])
    }

    fn pointer(&mut self) -> u32 {
        let end = self.arena + ARENA;
        let inside = self.arena + (self.next() >> 8) as u32 % ARENA;
        let aligned = inside & !7;
        self.one_of(&[
            inside,
            aligned,
            aligned,
            aligned,
            end - 1,
            end - 8,
            end,
            end + 1,
            0,
            1,
            64,
            1 << 31,
            0xffff_fff0,
            u32::MAX,
        ])
    }

    fn descriptor(&mut self) -> u32 {
        self.one_of(&[
            0,
            1,
            2,
            3,
            3,
            4,
            4,
            5,
            6,
            7,
            8,
            9,
            63,
            64,
            1 << 31,
            u32::MAX,
        ])
    }

    /// A word for an argument of this name and type.
    fn argument(&mut self, name: &str, ty: &str) -> u64 {
        match name {
            _ if ty == "u64" || ty == "i64" => {
                let word = self.next();
                [0, 1, word, word % 1000, u64::MAX, 1 << 63, (1 << 63) - 1]
                    [(word >> 8) as usize % 7]
            }
            "fd" | "from" | "to" | "old_fd" | "new_fd" => self.descriptor().into(),
            "nsubscriptions" | "buf_len" => self.length().into(),
            _ if name.ends_with("len") => self.length().into(),
            _ if name.contains("flags") || NUMBERS.contains(&name) => match self.next() % 4 {
                0 => self.next(),
                _ => (self.next() >> 8) % 40,
            },
            _ => self.pointer().into(),
        }
    }

    /// Fills the arena with addresses and lengths, which read as iovecs, requests and
    /// subscriptions.
    fn fill_arena(&mut self) {
        for place in (0..ARENA).step_by(4) {
            let word = match self.next() % 8 {
                0..3 => self.pointer(),
                3..6 => self.length(),
                6 => self.descriptor(),
                _ => u32::from_le_bytes(*b"./h\0"),
            };
            let address =
                std::ptr::with_exposed_provenance_mut::<u32>((self.arena + place) as usize);
            // SAFETY: the arena belongs to nobody else, and the place is aligned and within it.
            unsafe { address.write_volatile(word) };
        }
    }
}

fn main() {
    let (seed, count) = (number_argument(1, 1), number_argument(2, 1000));
    let mut words = Words {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        arena: arena(),
    };
    let (old, left, taken) = (Slot::new(0u32), Slot::new(0u64), Slot::new(0u64));
    call::fd_dup_to(1, OUTPUT);
    call::fd_close(1);
    call::fd_close(2);
    let mut made = 0u64;
    while made < count {
        if made.is_multiple_of(32) {
            words.fill_arena();
        }
        let place = (words.next() >> 8) as usize % CALLS.len();
        let info = &CALLS[place];
        if SKIPPED.contains(&info.name) {
            continue;
        }
        // Any call may have changed what signals do: none may end the program, and a call that
        // waits must not do so for ever.
        ignore(Signal::Pipe);
        ignore(Signal::Xfsz);
        if info.waiting == Waiting::Waits {
            call::signal_action(Signal::Alrm.raw(), SIGNAL_CATCH, old.at());
            call::proc_alarm(2_000_000, left.at());
        }
        let mut params = info.params.iter();
        (call::ENTRIES[place].make)(&mut || match params.next() {
            Some((name, ty)) => words.argument(name, ty),
            None => 0,
        });
        if info.waiting == Waiting::Waits {
            call::proc_alarm(0, left.at());
            call::signal_take(u64::MAX, taken.at());
        }
        made += 1;
    }
    call::fd_dup_to(OUTPUT, 1);
    println!("{made}");
}

/// Fresh memory at the end of all memory.
#[cfg(target_family = "wasm")]
fn arena() -> u32 {
    (core::arch::wasm32::memory_grow::<0>(1) * 65536) as u32
}

#[cfg(not(target_family = "wasm"))]
fn arena() -> u32 {
    std::process::exit(2);
}
