//! The fuzz targets of the network without libFuzzer: over their corpus, and over what a generator
//! without chance makes of it. `cargo xtask fuzz` searches; this is what every run has.

use std::path::{Path, PathBuf};

use codepod_gateway::testing::TARGETS;

/// How many changed inputs each file of the corpus gives.
const CHANGED: usize = 100;

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let files = std::fs::read_dir(directory.join(target)).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read(path).unwrap());
    paths.into_iter().map(read).collect()
}

/// Runs an input; a finding is told with it.
fn run_one(name: &str, run: fn(&[u8]), from: &Path, input: &[u8]) {
    let found = std::panic::catch_unwind(|| run(input)).is_err();
    assert!(!found, "{name}, from {}: {input:?}", from.display());
}

// NW-07
// NW-09
// NW-13
#[test]
fn every_target_holds_over_its_corpus_and_what_is_near_it() {
    let mut seed = 11_u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for (name, run) in TARGETS {
        let files = corpus(name);
        assert!(files.len() >= 5, "{name} has {} files", files.len());
        for (path, bytes) in &files {
            run_one(name, *run, path, bytes);
            for _ in 0..CHANGED {
                let mut changed = bytes.clone();
                for _ in 0..1 + random(4) {
                    let at = random(changed.len() + 1);
                    match random(5) {
                        0 => changed.truncate(at),
                        1 => changed.insert(at, random(256) as u8),
                        2 if at < changed.len() => changed[at] = random(256) as u8,
                        3 if at < changed.len() => changed[at] ^= 1 << random(8),
                        // A part of another file, at this place.
                        _ => {
                            let other = &files[random(files.len())].1;
                            let from = random(other.len() + 1);
                            let until = from + random(other.len() - from + 1);
                            changed.splice(at..at, other[from..until].iter().copied());
                        }
                    }
                }
                changed.truncate(100_000);
                run_one(name, *run, path, &changed);
            }
        }
    }
}
