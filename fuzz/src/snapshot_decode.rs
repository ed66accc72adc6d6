//! Saved states: bytes as a stream to import, as the form of a tree inside a stream that fits, and
//! as what an overlay has seen.
//!
//! Whatever comes is refused, or it is a tree within the limits whose counters are right and that
//! can be saved again.

use codepod_store::{MountState, State, export, import};
use codepod_vfs::{FsLimits, Seen, Tree};

/// Imports bytes; a tree that comes of it has to be a good one.
pub fn run(bytes: &[u8]) {
    let limits = FsLimits {
        bytes: 1 << 20,
        nodes: 1_000,
        ..FsLimits::default()
    };
    let image = Tree::builder()
        .file("bin/a", 0o755, "a tool")
        .dir("home", 0o755)
        .build();
    let bases = |_: &[u8], overlay: bool| {
        let tree = if overlay { Tree::new() } else { image.clone() };
        Some(tree.with_limits(limits))
    };
    // What an overlay has seen takes so many bytes for each file.
    if let Some(files) = codepod_store::testing::seen_of(bytes) {
        assert!(files * 17 <= bytes.len());
    }
    for stream in [bytes.to_vec(), codepod_store::testing::stream_around(bytes)] {
        let Ok(loaded) = import(&mut &stream[..], None, &bases) else {
            continue;
        };
        for mount in &loaded.mounts {
            let tree = mount.tree.tree();
            let usage = tree.usage();
            assert_eq!(usage, tree.recount(), "the counters are wrong");
            assert!(usage.bytes <= limits.bytes && usage.nodes <= limits.nodes);
            let state = State {
                mounts: vec![MountState {
                    at: &mount.at,
                    tree,
                    base: Some(&image).filter(|_| !mount.overlay),
                    overlay: mount.overlay,
                    seen: Seen::default(),
                }],
                shells: Vec::new(),
                image: [0; 32],
                now: 0,
            };
            let mut again = Vec::new();
            export(&state, None, &mut again).expect("what was imported can be exported");
            import(&mut &again[..], None, &bases).expect("and imported again");
        }
    }
}
