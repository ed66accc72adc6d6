//! Random histories against a model: what differs between any two moments is what a full comparison
//! finds, undo and redo lead to exactly the states that were, single paths come back as they were,
//! and merges do what their report says.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use codepod::{ChangeKind, FileKind, Moment, Options, Sandbox};
use support::Random;

const NAMES: [&str; 7] = ["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a"];

/// One of the names.
fn name(random: &mut Random) -> &'static str {
    NAMES[random.below(NAMES.len())]
}

/// A command that changes something, if it can.
fn command(random: &mut Random, step: usize) -> String {
    let (one, two) = (name(random), name(random));
    match random.below(11) {
        0 | 1 => format!("echo {step} > {one}"),
        2 => format!("echo {} >> {one}", step % 3),
        3 => format!("mkdir -p {one}"),
        4 => format!("rm -rf {one}"),
        5 => format!("mv -T {one} {two}"),
        6 => format!("ln {one} {two}"),
        7 => format!("ln -sfn target{} {one}", step % 2),
        8 => format!("chmod {} {one}", ["600", "644", "755"][step % 3]),
        9 => format!("cp -a {one} {two}"),
        _ => format!("head -c {} /dev/zero >> {one}", 70_000 * (step % 3)),
    }
}

/// Kind, mode, and bytes or a link's target.
type Entry = (FileKind, u16, Vec<u8>);
type Listing = BTreeMap<Vec<u8>, Entry>;

/// Everything in the home directory.
fn listing(sandbox: &Sandbox) -> Listing {
    let root = sandbox.as_root();
    let mut found = Listing::new();
    let mut open = vec![b"/home/user".to_vec()];
    while let Some(directory) = open.pop() {
        for entry in root.list_dir(&directory).unwrap() {
            let path = [&directory, &b"/"[..], &entry.name].concat();
            let content = match entry.kind {
                FileKind::File => root.read_file(&path).unwrap(),
                FileKind::Directory => {
                    open.push(path.clone());
                    Vec::new()
                }
                _ => root.read_link(&path).unwrap(),
            };
            let mode = match entry.kind {
                FileKind::Symlink => 0,
                _ => root.stat(&path).unwrap().mode,
            };
            found.insert(path, (entry.kind, mode, content));
        }
    }
    found
}

/// What differs, by a full comparison.
fn differences(before: &Listing, after: &Listing) -> BTreeMap<Vec<u8>, ChangeKind> {
    let paths: BTreeSet<&Vec<u8>> = before.keys().chain(after.keys()).collect();
    let difference = |path: &Vec<u8>| {
        Some(match (before.get(path), after.get(path)) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            (Some(a), Some(b)) if a.0 != b.0 => ChangeKind::TypeChanged,
            (Some(a), Some(b)) if a.2 != b.2 => ChangeKind::Modified,
            (Some(a), Some(b)) if a.1 != b.1 => ChangeKind::AttributesChanged,
            _ => return None,
        })
    };
    let kinds = paths
        .into_iter()
        .map(|path| (path.clone(), difference(path)));
    kinds
        .filter_map(|(path, kind)| Some((path, kind?)))
        .collect()
}

fn told(changes: &codepod::Changes) -> BTreeMap<Vec<u8>, ChangeKind> {
    changes
        .iter()
        .map(|change| (change.path.clone(), change.kind))
        .collect()
}

#[test]
fn any_two_moments_differ_as_a_full_comparison_says() {
    for seed in 1..=20 {
        let mut random = Random(seed * 7919);
        let sandbox = Sandbox::create(Options::default()).unwrap();
        let mut states = vec![listing(&sandbox)];
        for step in 1..=40 {
            let command = command(&mut random, step);
            let result = sandbox
                .run_blocking(format!("{{ {command}; }} 2>/dev/null"))
                .unwrap();
            assert_eq!(result.run as usize, step);
            states.push(listing(&sandbox));
        }
        for _ in 0..60 {
            let (from, to) = (random.below(41), random.below(41));
            let moment = |state: usize| match state {
                0 => Moment::Before(1),
                state => Moment::After(state as u64),
            };
            let changes = sandbox.changes(moment(from), moment(to)).unwrap();
            let expected = differences(&states[from], &states[to]);
            assert_eq!(told(&changes), expected, "seed {seed}, {from} to {to}");
        }
    }
}

#[test]
fn undo_and_redo_lead_to_the_states_that_were() {
    for seed in 1..=20 {
        let mut random = Random(seed * 104_729);
        let sandbox = Sandbox::create(Options::default()).unwrap();
        let mut states = vec![listing(&sandbox)];
        let mut at = 0;
        for step in 1..=60 {
            match random.below(4) {
                0 if at > 0 => {
                    let count = 1 + random.below(at.min(5));
                    sandbox.undo(count).unwrap();
                    at -= count;
                }
                1 if at + 1 < states.len() => {
                    let count = 1 + random.below(states.len() - 1 - at);
                    sandbox.redo(count).unwrap();
                    at += count;
                }
                _ => {
                    let command = command(&mut random, step);
                    sandbox
                        .run_blocking(format!("{{ {command}; }} 2>/dev/null"))
                        .unwrap();
                    at += 1;
                    states.truncate(at);
                    states.push(listing(&sandbox));
                }
            }
            assert_eq!(listing(&sandbox), states[at], "seed {seed}, step {step}");
            assert_eq!(sandbox.history().len(), at);
        }
    }
}

#[test]
fn single_paths_come_back_as_they_were() {
    for seed in 1..=20 {
        let mut random = Random(seed * 15_485_863);
        let sandbox = Sandbox::create(Options::default()).unwrap();
        for step in 1..=15 {
            let command = command(&mut random, step);
            sandbox
                .run_blocking(format!("{{ {command}; }} 2>/dev/null"))
                .unwrap();
        }
        let snapshot = sandbox.snapshot().unwrap();
        let then = listing(&sandbox);
        for step in 16..=30 {
            let command = command(&mut random, step);
            sandbox
                .run_blocking(format!("{{ {command}; }} 2>/dev/null"))
                .unwrap();
        }
        let before = listing(&sandbox);
        let name = name(&mut random);
        let path = format!("/home/user/{name}").into_bytes();
        // Where something stands in the way above it, there is an error and nothing is said about
        // the rest.
        if sandbox.restore_paths(&snapshot, [name]).is_err() {
            continue;
        }
        let inside = |other: &[u8]| other == path || other.starts_with(&[&path[..], b"/"].concat());
        let above = |other: &[u8]| path.starts_with(&[other, b"/"].concat());
        let now = listing(&sandbox);
        let kept = |listing: &Listing| -> Listing {
            let other = listing
                .iter()
                .filter(|(path, _)| !inside(path) && !above(path));
            other
                .map(|(path, entry)| (path.clone(), entry.clone()))
                .collect()
        };
        let restored = |listing: &Listing| -> Listing {
            let other = listing.iter().filter(|(path, _)| inside(path));
            other
                .map(|(path, entry)| (path.clone(), entry.clone()))
                .collect()
        };
        assert_eq!(restored(&now), restored(&then), "seed {seed}, {name}");
        assert_eq!(kept(&now), kept(&before), "seed {seed}, {name}");
    }
}

#[test]
fn a_merge_does_what_its_report_says() {
    for seed in 1..=60 {
        let mut random = Random(seed * 32_452_843);
        let sandbox = Sandbox::create(Options::default()).unwrap();
        for step in 1..=10 {
            let command = command(&mut random, step);
            sandbox
                .run_blocking(format!("{{ {command}; }} 2>/dev/null"))
                .unwrap();
        }
        let base = sandbox.snapshot().unwrap();
        let fork = sandbox.fork().unwrap();
        for step in 11..=15 {
            for side in [&sandbox, &fork] {
                let command = command(&mut random, step);
                side.run_blocking(format!("{{ {command}; }} 2>/dev/null"))
                    .unwrap();
            }
        }
        let (ours, theirs) = (listing(&sandbox), listing(&fork));
        let merged = sandbox.merge(&base, &fork).unwrap();
        let now = listing(&sandbox);
        let conflicts: BTreeSet<&[u8]> = merged.conflicts.iter().map(|c| &c.path[..]).collect();
        let taken: BTreeSet<&[u8]> = merged.taken.iter().map(|c| &c.path[..]).collect();
        let paths: BTreeSet<&Vec<u8>> =
            ours.keys().chain(theirs.keys()).chain(now.keys()).collect();
        for path in paths {
            let name = String::from_utf8_lossy(path);
            let expected = if taken.contains(&path[..]) {
                theirs.get(path)
            } else {
                ours.get(path)
            };
            assert_eq!(now.get(path), expected, "seed {seed}, {name}, {merged:?}");
            assert!(!(conflicts.contains(&path[..]) && taken.contains(&path[..])));
        }
    }
}
