//! What went wrong so far, and how the program ends.

use std::sync::atomic::{AtomicU32, Ordering};

use codepod_abi::Errno;

static FAILED: AtomicU32 = AtomicU32::new(0);

/// Notes that something was not as expected.
pub fn fail(line: u32, text: &str) {
    FAILED.fetch_add(1, Ordering::Relaxed);
    eprintln!("FAIL {line}: {text}");
}

/// Notes a call that ended otherwise than expected (`None`: success); returns whether it was right.
pub fn expect(line: u32, call: &str, number: u32, expected: Option<Errno>) -> bool {
    if number == expected.map_or(0, |errno| errno.raw().into()) {
        return true;
    }
    let call: String = call.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = expected.map_or("success", Errno::name);
    fail(line, &format!("{call}: {}, not {expected}", name(number)));
    false
}

/// How many times something was not as expected.
pub fn failures() -> u32 {
    FAILED.load(Ordering::Relaxed)
}

/// Ends the program: status 0 when all was as expected, 1 otherwise.
pub fn finish() -> ! {
    let failed = FAILED.load(Ordering::Relaxed);
    if failed == 0 {
        std::process::exit(0);
    }
    eprintln!("{failed} failed");
    std::process::exit(1);
}

fn name(number: u32) -> String {
    if number == 0 {
        return "success".into();
    }
    let errno = u16::try_from(number).ok().and_then(Errno::from_raw);
    errno.map_or_else(|| number.to_string(), |errno| errno.name().into())
}
