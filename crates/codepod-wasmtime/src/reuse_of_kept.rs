//! WM-12 for sessions: what a turn has written is kept, and what it has not is as it was, wherever
//! Linux has put the pages meanwhile. Which pages were written to is asked of Linux, so a page that
//! is swapped out or being moved must not be taken for one that was left alone.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use codepod_kernel::Turn;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

use crate::arena::{Arena, BLOCK};
use crate::kept_form;
use crate::kept_memory::KeptMemory;
use crate::modules::ImageSource;
use crate::prepared::{PAGE, Prepared, Source};
use crate::reuse::{Swap, alone, may_miss, push_out, swapped_bytes};

/// Blocks of the module's first memory, of an image, and of a session.
const PLAIN: usize = 16;
const IMAGE: usize = 20;
const SESSION: usize = 48;
/// Where the stack ends: what lies below is not kept, and there is room for all pages above.
const STACK: usize = 3 * BLOCK;

/// An image of nothing but a header: memory of [`IMAGE`] blocks in which no page differs.
fn image() -> &'static [u8] {
    let mut bytes = b"cpysess1buildnum".to_vec();
    bytes.extend([IMAGE as u8, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([0; 8]);
    bytes.leak()
}

/// Memory as a process has it. It stays mapped until the test ends.
fn memory() -> &'static mut [u8] {
    let len = SESSION * BLOCK;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    #[expect(unsafe_code, reason = "mapping memory is unsafe by nature")]
    // SAFETY: a new mapping, at a place that the system chooses, which nothing else refers to.
    unsafe {
        let nowhere = std::ptr::null_mut();
        let start = mmap_anonymous(nowhere, len, protection, MapFlags::PRIVATE).unwrap();
        std::slice::from_raw_parts_mut(start.cast(), len)
    }
}

/// Sessions of one module, and what they should hold.
struct Sessions {
    arena: std::sync::Arc<Arena>,
    prepared: Prepared,
    pristine: Vec<u8>,
    memory: &'static mut [u8],
    expected: Vec<u8>,
    kept: Option<codepod_vfs::Blocks>,
}

impl Sessions {
    fn new() -> Sessions {
        let package = "pandas";
        let bytes = image();
        let prepared = Prepared::new(&[ImageSource { package, bytes }]).unwrap();
        let pristine: Vec<u8> = (0..PLAIN * BLOCK).map(|at| (at / PAGE) as u8).collect();
        let mut expected = vec![0; SESSION * BLOCK];
        expected[..pristine.len()].copy_from_slice(&pristine);
        Sessions {
            arena: Arena::new().unwrap(),
            prepared,
            pristine,
            memory: memory(),
            expected,
            kept: None,
        }
    }

    /// One turn: begins, compares all memory with what it should be, writes to some pages, and is
    /// kept after `before_end`.
    fn turn(&mut self, round: usize, before_end: impl FnOnce(&mut [u8])) {
        let code = b"import pandas".to_vec();
        let kept = self.kept.take();
        let turn = Turn { kept, code };
        let source = Source {
            arena: &self.arena,
            pristine: &self.pristine,
        };
        let mut kept = KeptMemory::new(turn, &self.prepared, usize::MAX, source).unwrap();
        kept.put(self.memory).unwrap();
        let differs = self
            .memory
            .chunks(PAGE)
            .zip(self.expected.chunks(PAGE))
            .position(|(is, should)| is != should);
        assert_eq!(differs, None, "page, in turn {round}");
        // Single pages, and now and then most of a block.
        for step in 0..24 {
            let first = STACK / PAGE;
            let page = first + (round * 31 + step * 97) % (SESSION * BLOCK / PAGE - first);
            let pages = if step % 8 == 7 { 12 } else { 1 };
            for at in (page * PAGE..self.memory.len()).step_by(PAGE).take(pages) {
                let byte = (round + step) as u8;
                self.memory[at + step] = byte;
                self.expected[at + step] = byte;
            }
        }
        before_end(self.memory);
        let blocks = kept.keep(self.memory, STACK, kept_form::tests::file(&[]));
        self.kept = Some(blocks.unwrap());
        assert!(kept.release(self.memory).is_some());
    }
}

#[test]
fn wm_12_a_session_that_was_swapped_out_is_kept_whole() {
    let _alone = alone();
    let _swap = match Swap::on() {
        Ok(swap) => swap,
        Err(_) if may_miss("swap") => return,
        Err(why) => panic!("this test needs swap: {why}\nset CODEPOD_MAY_MISS=swap without it"),
    };
    let mut sessions = Sessions::new();
    let mut most_swapped = 0;
    for round in 0..300 {
        sessions.turn(round, |memory| {
            push_out(&[(memory.as_ptr().expose_provenance(), memory.len())]);
            most_swapped = most_swapped.max(swapped_bytes());
        });
    }
    let written = 20 * PAGE as u64;
    assert!(
        most_swapped > written,
        "{most_swapped} bytes were pushed out at most: nothing was tested"
    );
}

#[test]
fn wm_12_a_session_that_linux_moves_is_kept_whole() {
    const COMPACT: &str = "/proc/sys/vm/compact_memory";
    let _alone = alone();
    if let Err(error) = fs::write(COMPACT, "1") {
        assert!(
            may_miss("compaction"),
            "{COMPACT}: {error}\nset CODEPOD_MAY_MISS=compaction where this is not allowed"
        );
        return;
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = fs::write(COMPACT, "1");
            }
        });
        // The thread ends also where a turn fails.
        let _over = Over(&over);
        let mut sessions = Sessions::new();
        let began = Instant::now();
        for round in 0.. {
            sessions.turn(round, |_| ());
            if began.elapsed() > Duration::from_secs(3) {
                break;
            }
        }
    });
}

/// Says when it is dropped that something is over.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
