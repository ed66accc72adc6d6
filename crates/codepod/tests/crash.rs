//! Processes that are killed while their sandbox is being saved: what they leave is complete and
//! not too old.
//!
//! `CODEPOD_CRASHES=500 cargo test -p codepod --test crash` is the long form.

#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "figures for people")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use codepod::{Options, Persistence, Persistent, Sandbox, Store, StoreOptions};

const DIRECTORY: &str = "CODEPOD_CRASH_DIRECTORY";
const NAMESPACE: &str = "crash";
const FILES: u64 = 8;

/// What file `file` holds in round `round`: it tells by itself whether it is whole.
fn content(round: u64, file: u64) -> Vec<u8> {
    let mut state = round * FILES + file;
    let length = 1_000 + (round * 7_919 + file * 104_729) % 150_000;
    let mut bytes = round.to_le_bytes().to_vec();
    while bytes.len() < length as usize {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

/// The process that is killed: changes files without a pause, saved every two milliseconds, and
/// says what is certain.
#[test]
fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let mut options = Options::default();
    let mut place = Persistent::new(directory, NAMESPACE);
    place.autosave = Duration::from_millis(2);
    options.persistence = Persistence::Persistent(place);
    let sandbox = Sandbox::create(options).unwrap();
    let round = sandbox
        .read_file("/home/user/round")
        .map_or(0, |bytes| number(&bytes));
    let say = |what: &str, round: u64| {
        let mut out = std::io::stdout();
        writeln!(out, "{what} {round}").unwrap();
        out.flush().unwrap();
    };
    say("ready", round);
    for round in round + 1..=u64::MAX {
        for file in 0..FILES {
            let path = format!("/home/user/f{file}");
            sandbox.write_file(path, content(round, file)).unwrap();
        }
        sandbox
            .write_file("/home/user/round", round.to_le_bytes())
            .unwrap();
        if round % 3 == 0 {
            sandbox.save().unwrap();
            say("saved", round);
        }
    }
}

/// From when on the time runs after which the child is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    Start,
    /// It has its sandbox.
    Ready,
    /// It has saved something, however long a disk takes for that.
    Saved,
}

/// Runs the child, kills it after a while, and returns the last round that it said was saved.
fn crash(directory: &Path, wait: Duration, since: Since) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let saved = Arc::new(AtomicU64::new(0));
    let ready = Arc::new(AtomicU64::new(0));
    let out = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn({
        let (saved, ready) = (saved.clone(), ready.clone());
        move || {
            for line in out.lines().map_while(Result::ok) {
                if let Some(round) = line.strip_prefix("saved ") {
                    saved.store(round.parse().unwrap(), Ordering::SeqCst);
                } else if line.contains("ready ") {
                    ready.store(1, Ordering::SeqCst);
                }
            }
        }
    });
    let began = support::within(Duration::from_secs(60), || match since {
        Since::Start => true,
        Since::Ready => ready.load(Ordering::SeqCst) == 1,
        Since::Saved => saved.load(Ordering::SeqCst) > 0,
    });
    assert!(began, "the child is not {since:?}");
    std::thread::sleep(wait);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    saved.load(Ordering::SeqCst)
}

#[test]
fn sn_08_killed_at_any_moment_leaves_a_whole_state_that_is_not_too_old() {
    let crashes = std::env::var("CODEPOD_CRASHES").map_or(15, |text| text.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let mut certain = 0;
    let mut newer = 0;
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for turn in 0..crashes {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let wait = Duration::from_micros(random % 120_000);
        let since = match turn % 3 {
            2 => Since::Saved,
            _ if random.is_multiple_of(8) => Since::Start,
            _ => Since::Ready,
        };
        let saved = crash(directory.path(), wait, since);
        certain = certain.max(saved);
        // Everything that was saved is there and is what it was.
        let store = Store::open(directory.path(), NAMESPACE, StoreOptions::default()).unwrap();
        let Some(version) = store.check().unwrap() else {
            assert_eq!(certain, 0, "turn {turn}");
            continue;
        };
        let sandbox = Sandbox::create(Options::default()).unwrap();
        assert_eq!(sandbox.load_from(&store).unwrap().hash, version.hash);
        assert_eq!(sandbox.state_hash().unwrap(), version.hash, "turn {turn}");
        let round = sandbox
            .read_file("/home/user/round")
            .map_or(0, |bytes| number(&bytes));
        assert!(
            round >= certain,
            "turn {turn}: {round} is older than {certain}, which was saved"
        );
        newer += u64::from(round > certain);
        for file in 0..FILES {
            // The first save may have come before a file was there.
            let Ok(bytes) = sandbox.read_file(format!("/home/user/f{file}")) else {
                assert_eq!(round, 0);
                continue;
            };
            // A state may lie between truncating a file and writing it, as any program could see
            // it.
            if bytes.is_empty() {
                continue;
            }
            let of = number(&bytes);
            assert!(
                (round..=round + 1).contains(&of),
                "turn {turn}: file of round {of} in round {round}"
            );
            assert!(
                bytes == content(of, file),
                "turn {turn}: file {file} is damaged"
            );
        }
    }
    println!(
        "{crashes} crashes; {newer} left more than what was certain; round {certain} in the end"
    );
    assert!(certain > 0);
}
