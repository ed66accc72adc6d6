//! Applying an overlay while the host edits the same files: no edit that the sandbox has not seen
//! is ever lost, whatever the order of things. Random histories against a model.

mod support;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use codepod::{ApplyOptions, Mount, MountAccess, Options, Sandbox, Selection};
use support::Random;

const NAMES: [&str; 8] = ["a", "b", "c", "d/a", "d/b", "d/e/a", "d/e/b", "f/a"];

fn sandbox(at: &Path) -> Sandbox {
    let mut options = Options::default();
    options.mounts = vec![Mount::host(at, "/w", MountAccess::Overlay)];
    Sandbox::create(options).unwrap()
}

/// Replaces a file as editors do.
fn replace(at: &Path, name: &str, text: &str) -> bool {
    let path = at.join(name);
    if path.parent().is_some_and(|parent| !parent.is_dir()) || path.is_dir() {
        return false;
    }
    let beside = path.with_extension("tmp");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(&beside, &path).is_ok()
}

/// What the sandbox does to a path.
fn act(sandbox: &Sandbox, random: &mut Random, name: &str, token: u64) {
    let path = format!("/w/{name}");
    let parent = path.rsplit_once('/').unwrap().0.to_owned();
    // What is not possible in the present state does not happen.
    let _ = match random.below(7) {
        0 => sandbox.read_file(&path).map(drop),
        1 | 2 => sandbox.write_file(&path, format!("sandbox {token}")),
        3 => sandbox.remove(&path),
        4 => sandbox.mkdir(&parent),
        5 => sandbox.set_mode(&path, 0o600),
        _ => sandbox.rename(&path, format!("/w/{}", NAMES[random.below(NAMES.len())])),
    };
}

#[test]
fn no_edit_that_the_sandbox_has_not_seen_is_overwritten() {
    for seed in 1..=60 {
        let mut random = Random(seed * 0x9E37_79B9);
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        std::fs::create_dir_all(at.join("d/e")).unwrap();
        for name in ["a", "b", "d/a", "d/e/a"] {
            std::fs::write(at.join(name), "start").unwrap();
        }
        let sandbox = sandbox(at);
        // The host's edits that the sandbox has done nothing about since.
        let mut unseen: HashMap<&str, String> = HashMap::new();
        for step in 0..120u64 {
            let name = NAMES[random.below(NAMES.len())];
            match random.below(10) {
                0..=5 => {
                    act(&sandbox, &mut random, name, step);
                    // A rename touches two paths; which one is not known here.
                    unseen.clear();
                }
                6..=8 => {
                    let text = format!("host {step}");
                    if replace(at, name, &text) {
                        unseen.insert(name, text);
                    }
                }
                _ => {
                    let whole = [""; 0];
                    let _ = match random.below(3) {
                        0 => sandbox.discard("/w", [format!("/w/{name}")]).map(drop),
                        1 => sandbox.apply("/w", [format!("/w/{name}")]).map(drop),
                        _ => sandbox.apply("/w", whole).map(drop),
                    };
                }
            }
            for (name, text) in &unseen {
                let now = std::fs::read_to_string(at.join(name)).ok();
                assert_eq!(now.as_ref(), Some(text), "seed {seed}, step {step}, {name}");
            }
        }
        // In the end what is not refused is as the sandbox has it.
        let mut options = ApplyOptions::default();
        options.partial = true;
        let applied = sandbox.apply_with("/w", [""; 0], &options).unwrap();
        let left = sandbox.mount_changes("/w", &Selection::default()).unwrap();
        let left = left.changes;
        assert_eq!(
            left.len(),
            applied.refused.len(),
            "seed {seed}: {left:?} {applied:?}"
        );
    }
}

/// Sets a flag at its end, however that comes.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn an_edit_in_the_last_moment_is_not_lost() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().to_owned();
    std::fs::write(at.join("a"), "host 0").unwrap();
    let sandbox = sandbox(&at);
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let (mut applied, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let (stop, done, at) = (&stop, &done, &at);
        // The host numbers its edits, and says which is in place.
        scope.spawn(move || {
            let mut number = 0u64;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                assert!(replace(at, "a", &format!("host {number}")));
                done.store(number, Ordering::SeqCst);
                std::thread::sleep(Duration::from_micros(number % 500));
            }
        });
        let _stop = Stop(stop);
        for round in 0..400 {
            let _ = sandbox.discard("/w", [""; 0]);
            let text = String::from_utf8(sandbox.read_file("/w/a").unwrap()).unwrap();
            let Some(seen) = text.strip_prefix("host ") else {
                continue;
            };
            let seen: u64 = seen.parse().unwrap();
            sandbox
                .write_file("/w/a", format!("sandbox {round}"))
                .unwrap();
            let in_place = done.load(Ordering::SeqCst);
            let outcome = sandbox.apply("/w", [""; 0]).unwrap();
            // Where the host has replaced the file while it was open, the sandbox has written to
            // one without a name.
            if !outcome.applied.is_empty() {
                applied += 1;
                assert!(in_place <= seen, "edit {in_place} is lost: {seen} was seen");
            } else if !outcome.refused.is_empty() {
                refused += 1;
                let now = std::fs::read_to_string(at.join("a")).unwrap();
                assert!(
                    now.starts_with("host "),
                    "a refused change is in place: {now}"
                );
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(
        applied > 0 && refused > 0,
        "{applied} applied, {refused} refused"
    );
    let left = std::fs::read_dir(&at).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a"], "nothing is left beside it");
}
