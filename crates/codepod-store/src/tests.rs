//! The store against damage, liars and crashes, over a backend in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use codepod_vfs::{Digest, FileKind, Fingerprint, FsLimits, Seen, Tree};

use crate::block::{BlockId, digest};
use crate::header::header;
use crate::manifest::Manifest;
use crate::pack::PackName;
use crate::state::{BlockSink, Loaded};
use crate::testing::stream;
use crate::{
    Backend, Blob, FORMAT, Key, MountState, State, Store, StoreError, StoreOptions, export, import,
};

mod flips;
#[cfg(feature = "testing-objects")]
mod objects;
mod tenants;
mod writers;

/// Keeps everything in memory, and fails from some call on.
#[derive(Debug, Default, Clone)]
struct InMemory {
    files: Arc<Mutex<BTreeMap<String, Arc<Vec<u8>>>>>,
    /// Calls that change something, before all fail; 0 for no end.
    calls: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Bytes(Arc<Vec<u8>>);

impl Blob for Bytes {
    fn size(&self) -> Result<u64, StoreError> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError> {
        let tail = self.0.get(offset as usize..).unwrap_or(&[]);
        let found = tail.get(..buf.len()).ok_or(StoreError::Damaged("short"))?;
        buf.copy_from_slice(found);
        Ok(())
    }
}

impl InMemory {
    /// Whether the next call still happens.
    fn call(&self) -> Result<(), StoreError> {
        let killed = StoreError::Io {
            what: "go on",
            kind: std::io::ErrorKind::Other,
        };
        match self.calls.load(Ordering::SeqCst) {
            0 => Ok(()),
            1 => Err(killed),
            _ => {
                self.calls.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            }
        }
    }

    fn store(&self, key: Option<&Key>) -> Store {
        let options = StoreOptions {
            key: key.cloned(),
            ..StoreOptions::default()
        };
        Store::on(Arc::new(self.clone()), "test", options)
    }

    /// Another one with the same files.
    fn copy(&self) -> InMemory {
        InMemory {
            files: Arc::new(Mutex::new(self.files.lock().unwrap().clone())),
            calls: Arc::default(),
        }
    }
}

impl Backend for InMemory {
    fn create(&self, key: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        self.call()?;
        let mut files = self.files.lock().unwrap();
        if files.contains_key(key) {
            return Ok(false);
        }
        files.insert(key.to_owned(), Arc::new(bytes.to_vec()));
        Ok(true)
    }

    fn open(&self, key: &str) -> Result<Option<Arc<dyn Blob>>, StoreError> {
        let found = self.files.lock().unwrap().get(key).cloned();
        Ok(found.map(|bytes| Arc::new(Bytes(bytes)) as Arc<dyn Blob>))
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let files = self.files.lock().unwrap();
        Ok(files
            .keys()
            .filter(|key| key.starts_with(prefix))
            .cloned()
            .collect())
    }

    fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.call()?;
        self.files.lock().unwrap().remove(key);
        Ok(())
    }
}

fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn small() -> Tree {
    Tree::builder()
        .file("a/b/c", 0o644, "some text, some text, some text, some text")
        .file("a/noise", 0o600, noise(1, 300))
        .symlink("link", "a/b/c")
        .time(1_234_567_890)
        .dir("empty", 0o700)
        .build()
}

fn large(files: usize) -> Tree {
    let mut builder = Tree::builder();
    for n in 0..files {
        builder = builder.file(format!("d{}/f{n}", n % 7), 0o644, noise(n as u64, 65_536));
    }
    builder.build()
}

fn state(tree: &Tree) -> State<'_> {
    State {
        mounts: vec![MountState {
            at: b"/",
            tree,
            base: None,
            overlay: false,
            seen: Seen::default(),
        }],
        shells: vec![("", b"main"), ("other", b"state of another")],
        image: [7; 32],
        now: 1,
    }
}

fn limits() -> FsLimits {
    FsLimits {
        bytes: 8 << 20,
        nodes: 1_000,
        ..FsLimits::default()
    }
}

fn empty(at: &[u8], _: bool) -> Option<Tree> {
    (at == b"/").then(|| Tree::new().with_limits(limits()))
}

fn hash(loaded: &Loaded) -> Digest {
    let shells = loaded.shells.iter();
    let state = State {
        shells: shells.map(|(name, state)| (&**name, &state[..])).collect(),
        ..state(loaded.mounts[0].tree.tree())
    };
    state.hash().unwrap()
}

fn exported(tree: &Tree, key: Option<&Key>) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(&state(tree), key, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_saved_is_loaded() {
    for key in [None, Some(Key::new(&[3; 32]))] {
        let backend = InMemory::default();
        let tree = large(20);
        let saved = backend.store(key.as_ref()).save(&state(&tree)).unwrap();
        let store = backend.store(key.as_ref());
        assert_eq!(store.check().unwrap(), Some(saved.version));
        let loaded = store.load(&empty).unwrap();
        assert_eq!(
            (hash(&loaded), loaded.version),
            (saved.version.hash, saved.version)
        );
        let bytes = exported(&tree, key.as_ref());
        let imported = import(&mut &bytes[..], key.as_ref(), &empty).unwrap();
        assert_eq!(hash(&imported), saved.version.hash);
    }
}

/// The form of what overlays have seen is read by who wrote it, and what is none is refused.
#[test]
fn what_overlays_have_seen_comes_back() {
    let fingerprint = |n: u64| Fingerprint {
        identity: (n, u64::MAX - n),
        kind: FileKind::Symlink,
        size: n * 1_000,
        mode: 0o644,
        mtime: 5_000_000_000 * n,
        ctime: 1_000 + n,
        digest: n.is_multiple_of(2).then_some(n),
        whole: None,
    };
    let mut segmenter = crate::record::Segmenter::default();
    let mut segments = Vec::new();
    for n in 0..5_000 {
        segments.extend(segmenter.seen(format!("{n:05}").as_bytes(), &fingerprint(n)));
    }
    segments.extend(segmenter.finish());
    assert!(segments.len() > 3);
    let mut found = Vec::new();
    for segment in &segments {
        crate::record::read_seen(segment, &mut found).unwrap();
    }
    assert_eq!(found.len(), 5_000);
    for (n, (path, seen)) in found.iter().enumerate() {
        assert_eq!(**path, *format!("{n:05}").as_bytes());
        assert_eq!(*seen, fingerprint(n as u64));
    }
    let seen_of = crate::testing::seen_of;
    assert!(seen_of(&segments[0]).is_some());
    assert!(seen_of(&segments[0][..segments[0].len() - 1]).is_none());
    assert!(seen_of(&[&segments[1][..], &segments[0]].concat()).is_none());
}

#[test]
fn old_states_and_what_only_they_need_go_away() {
    let backend = InMemory::default();
    let store = backend.store(None);
    for n in 0..100 {
        let tree = Tree::builder().file("f", 0o644, noise(n, 100_000)).build();
        store.save(&state(&tree)).unwrap();
        backend.store(None).check().unwrap();
    }
    let files = backend.files.lock().unwrap();
    assert!(files.len() < 12, "{:?}", files.keys());
    assert!(files.values().map(|bytes| bytes.len()).sum::<usize>() < 600_000);
}

#[test]
fn older_states_can_be_loaded_and_gone_back_to() {
    let backend = InMemory::default();
    let options = StoreOptions {
        kept: 5,
        ..StoreOptions::default()
    };
    let store = Store::on(Arc::new(backend.clone()), "test", options);
    let tree = |n| Tree::builder().file("f", 0o644, noise(n, 1_000)).build();
    for n in 1..=8 {
        store.save(&state(&tree(n))).unwrap();
    }
    let sequences = || {
        store
            .versions()
            .unwrap()
            .iter()
            .map(|v| v.sequence)
            .collect::<Vec<_>>()
    };
    assert_eq!(sequences(), [4, 5, 6, 7, 8]);
    let old = store.load_version(5, &empty).unwrap();
    assert_eq!(hash(&old), state(&tree(5)).hash().unwrap());
    let gone = store.load_version(3, &empty).unwrap_err();
    assert!(matches!(gone, StoreError::Nothing { .. }), "{gone}");
    assert_eq!(store.go_back(2).unwrap().sequence, 6);
    assert!(store.go_back(3).is_err());
    assert_eq!(sequences(), [4, 5, 6]);
    store.save(&state(&tree(9))).unwrap();
    assert_eq!(sequences(), [4, 5, 6, 7]);
    let newest = store.load(&empty).unwrap();
    assert_eq!(hash(&newest), state(&tree(9)).hash().unwrap());
    assert!(store.check().is_ok());
    store.forget(5).unwrap();
    store.forget(7).unwrap();
    assert_eq!(sequences(), [4, 6, 7]);
    let nine = tree(9);
    let other = State {
        shells: vec![("", b"other")],
        ..state(&nine)
    };
    store.save(&other).unwrap();
    let versions = store.versions().unwrap();
    let [.., before, after] = &versions[..] else {
        panic!("{versions:?}")
    };
    assert_eq!(before.files, after.files);
    assert_ne!(before.hash, after.hash);
    assert_ne!(versions[0].files, after.files);
}

#[test]
fn many_small_saves_are_put_together() {
    let backend = InMemory::default();
    let store = backend.store(None);
    let mut tree = Tree::new();
    for n in 0..120 {
        let builder = codepod_vfs::TreeBuilder::from_tree(tree);
        tree = builder
            .file(format!("f{n}"), 0o644, noise(n, 2_000))
            .build();
        store.save(&state(&tree)).unwrap();
    }
    assert!(backend.list("p/").unwrap().len() < 60);
    let loaded = backend.store(None).load(&empty).unwrap();
    assert_eq!(hash(&loaded), state(&tree).hash().unwrap());
}

#[test]
fn a_change_of_one_file_among_many_writes_little() {
    let backend = InMemory::default();
    let store = backend.store(None);
    let mut builder = Tree::builder();
    for n in 0..20_000 {
        builder = builder.file(
            format!("dir{}/file number {n}", n % 50),
            0o644,
            format!("{n}"),
        );
    }
    let tree = builder.build();
    let whole = store.save(&state(&tree)).unwrap();
    let tree = codepod_vfs::TreeBuilder::from_tree(tree)
        .file("dir7/new", 0o644, "x")
        .build();
    let part = store.save(&state(&tree)).unwrap();
    assert!(part.written < 70_000, "{part:?} after {whole:?}");
}

#[test]
fn sn_08_a_writer_that_ends_at_any_step_leaves_the_old_state_or_the_new_one() {
    let (old, new) = (large(3), large(5));
    let hashes = [state(&old).hash().unwrap(), state(&new).hash().unwrap()];
    let backend = InMemory::default();
    let store = backend.store(None);
    for _ in 0..4 {
        store.save(&state(&old)).unwrap();
    }
    let mut seen = [0; 2];
    for steps in 1..40 {
        let copy = backend.copy();
        copy.calls.store(steps, Ordering::SeqCst);
        let saved = copy.store(None).save(&state(&new));
        copy.calls.store(0, Ordering::SeqCst);
        let after = copy.store(None);
        let loaded = after.load(&empty).unwrap();
        after.check().unwrap();
        let found = hashes
            .iter()
            .position(|known| *known == hash(&loaded))
            .unwrap();
        assert!(
            saved.is_err() || found == 1,
            "acknowledged and lost after {steps} steps"
        );
        seen[found] += 1;
        // And the next one can go on.
        after.save(&state(&new)).unwrap();
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn a_second_writer_fences_the_first() {
    let backend = InMemory::default();
    let (one, two) = (backend.store(None), backend.store(None));
    one.save(&state(&small())).unwrap();
    two.save(&state(&large(2))).unwrap();
    assert!(matches!(
        one.save(&state(&small())),
        Err(StoreError::Fenced)
    ));
    let loaded = backend.store(None).load(&empty).unwrap();
    assert_eq!(hash(&loaded), state(&large(2)).hash().unwrap());
}

#[test]
fn sn_10_states_of_newer_writers_are_refused_and_those_of_older_ones_are_read() {
    let change = |bytes: &mut Vec<u8>, at: usize, value: u16| {
        bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        let end = bytes.len() - 32;
        let checksum = digest(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum);
    };
    let backend = InMemory::default();
    backend.store(None).save(&state(&small())).unwrap();
    let name = backend.list("m/").unwrap().remove(0);
    let manifest = backend.files.lock().unwrap()[&name].to_vec();
    // A newer format that this reader still understands, and one that it does not.
    for (smallest, fine) in [(FORMAT, true), (FORMAT + 1, false)] {
        let mut newer = manifest.clone();
        change(&mut newer, 8, FORMAT + 1);
        change(&mut newer, 10, smallest);
        backend
            .files
            .lock()
            .unwrap()
            .insert(name.clone(), Arc::new(newer));
        let loaded = backend.store(None).load(&empty);
        assert_eq!(loaded.is_ok(), fine);
        if let Err(error) = loaded {
            assert!(matches!(error, StoreError::Version { .. }), "{error}");
        }
    }
    let kept = [
        &include_bytes!("../tests/fixtures/format-1.state")[..],
        include_bytes!("../tests/fixtures/format-2.state"),
        include_bytes!("../tests/fixtures/format-3.state"),
    ];
    assert_eq!(kept.len(), FORMAT as usize);
    for mut kept in kept {
        let loaded = import(&mut kept, None, &empty).unwrap();
        assert_eq!(hash(&loaded), state(&small()).hash().unwrap());
    }
}

/// Saved when all namespaces of a store had one key: by format 2 in the namespace `test`, with the
/// key of nines.
#[test]
fn sn_10_what_was_sealed_with_the_key_of_all_namespaces_is_read_and_goes_on() {
    let backend = InMemory::default();
    let kept = [
        (
            "m/0000000000000001.0000000000000001.manifest",
            &include_bytes!("../tests/fixtures/sealed-2.manifest")[..],
        ),
        (
            include_str!("../tests/fixtures/sealed-2.pack.name").trim_end(),
            include_bytes!("../tests/fixtures/sealed-2.pack"),
        ),
    ];
    for (name, bytes) in kept {
        backend.create(name, bytes).unwrap();
    }
    let key = Key::new(&[9; 32]);
    let loaded = backend.store(Some(&key)).load(&empty).unwrap();
    assert_eq!(hash(&loaded), state(&small()).hash().unwrap());
    // Only in its own namespace, and only with its key.
    let options = StoreOptions {
        key: Some(key.clone()),
        ..StoreOptions::default()
    };
    let other = Store::on(Arc::new(backend.clone()), "other", options);
    assert!(other.load(&empty).is_err());
    assert!(
        backend
            .store(Some(&Key::new(&[8; 32])))
            .load(&empty)
            .is_err()
    );
    // What is saved over it shares its packs, and is whole.
    let store = backend.store(Some(&key));
    let saved = store.save(&state(&large(3))).unwrap();
    store.save(&state(&small())).unwrap();
    let again = backend.store(Some(&key));
    assert_eq!(
        again.check().unwrap().unwrap().sequence,
        saved.version.sequence + 1
    );
    let loaded = again.load(&empty).unwrap();
    assert_eq!(hash(&loaded), state(&small()).hash().unwrap());
}

/// Writes the fixture of this format, once per format.
#[test]
#[ignore = "a fixture is written once and kept for good"]
fn write_fixture() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/format-2.state");
    std::fs::write(path, exported(&small(), None)).unwrap();
}

/// Collects blocks.
#[derive(Default)]
struct Collected {
    form: Vec<(BlockId, Vec<u8>)>,
    pieces: Vec<(BlockId, Vec<u8>)>,
}

impl BlockSink for Collected {
    fn block(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError> {
        self.form.push((*id, content.to_vec()));
        Ok(())
    }

    fn piece(&mut self, id: &BlockId, piece: codepod_vfs::Piece<'_>) -> Result<(), StoreError> {
        self.pieces.push((*id, piece.bytes()?.to_vec()));
        Ok(())
    }
}

/// Imports something; what comes of it keeps to the limits.
fn offer(bytes: &[u8]) -> bool {
    match import(&mut &bytes[..], None, &empty) {
        Err(_) => false,
        Ok(loaded) => {
            let tree = loaded.mounts.first().map(|mount| mount.tree.tree());
            if let Some(tree) = tree {
                let usage = tree.usage();
                assert_eq!(usage, tree.recount());
                assert!(usage.bytes <= limits().bytes && usage.nodes <= limits().nodes);
            }
            true
        }
    }
}

#[test]
fn sn_03_ten_thousand_changed_streams_are_refused_or_harmless() {
    let tree = small();
    let whole = exported(&tree, None);
    assert!(offer(&whole));
    let mut collected = Collected::default();
    let contents = state(&tree).write(&mut collected).unwrap();
    let manifest = Manifest::of_stream(0, [0; 32], contents);
    let together: Vec<_> = collected
        .form
        .iter()
        .chain(&collected.pieces)
        .cloned()
        .collect();
    assert!(offer(&stream(&manifest, &together).unwrap()));
    let numbers = noise(42, 8 * 8 * 10_000);
    let mut numbers = numbers
        .chunks(8)
        .map(|c| u64::from_le_bytes(c.try_into().unwrap()) as usize);
    let mut next = move || numbers.next().unwrap();
    let mut taken = 0;
    for turn in 0..10_000 {
        let bytes = match turn % 4 {
            // Cut short.
            0 => whole[..next() % whole.len()].to_vec(),
            // Changed anywhere, and the checksum made right again.
            1 => {
                let mut bytes = whole.clone();
                for _ in 0..1 + next() % 3 {
                    let at = next() % (bytes.len() - 32);
                    bytes[at] = next() as u8;
                }
                let end = bytes.len() - 32;
                let checksum = digest(&bytes[..end]);
                bytes[end..].copy_from_slice(&checksum);
                bytes
            }
            // Changed in the form of the tree, and everything above made to fit.
            _ => {
                let mut manifest = manifest.clone();
                let (mut form, pieces) = (collected.form.clone(), collected.pieces.clone());
                let segment = &mut form[0].1;
                for _ in 0..1 + next() % 4 {
                    let at = next() % segment.len();
                    match next() % 3 {
                        0 => segment[at] = next() as u8,
                        1 => segment.truncate(at.max(1)),
                        _ => segment.insert(at, next() as u8),
                    }
                }
                let id = BlockId {
                    digest: digest(segment),
                    length: segment.len() as u32,
                };
                form[0].0 = id;
                manifest.contents.mounts[0].segments[0] = id;
                form.extend(pieces);
                stream(&manifest, &form).unwrap()
            }
        };
        taken += u32::from(offer(&bytes));
    }
    // Some change only a name or a time: harmless, and proof that the others got as far.
    assert!(taken > 100, "{taken}");
}

#[test]
fn sn_02_sizes_that_lie_take_no_memory() {
    let mut bytes = header(b"CODEPODX", false);
    bytes.extend_from_slice(&(60u32 << 20).to_le_bytes());
    assert!(!offer(&bytes));
    bytes.truncate(bytes.len() - 4);
    bytes.extend_from_slice(&u32::MAX.to_le_bytes());
    bytes.extend_from_slice(&[0; 1000]);
    assert!(!offer(&bytes));
}

#[test]
fn sn_11_a_stream_is_refused_before_its_contents_are_read() {
    let tree = large(200);
    let bytes = exported(&tree, None);
    struct Counted<'a>(&'a [u8], usize);
    impl std::io::Read for Counted<'_> {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(buf)?;
            self.1 += read;
            Ok(read)
        }
    }
    let mut counted = Counted(&bytes, 0);
    let refused = import(&mut counted, None, &empty);
    assert!(matches!(refused, Err(StoreError::Limit(_))));
    assert!(
        counted.1 < 100_000,
        "{} of {} bytes were read",
        counted.1,
        bytes.len()
    );
    let options = StoreOptions {
        largest_state: Some(1 << 20),
        ..StoreOptions::default()
    };
    let store = Store::on(Arc::new(InMemory::default()), "test", options);
    assert!(matches!(
        store.save(&state(&tree)),
        Err(StoreError::Limit(_))
    ));
}

/// A gigabyte in a directory: `cargo nextest run --release -p codepod-store --run-ignored only
/// gigabyte --no-capture`.
#[test]
#[ignore = "takes a gigabyte of memory and of disk"]
#[expect(clippy::print_stdout, reason = "figures for people")]
fn a_gigabyte_is_loaded_at_once_and_saved_by_what_changed() {
    use std::time::Instant;
    let roomy = |_: &[u8], _: bool| Some(Tree::new());
    let directory = tempfile::tempdir().unwrap();
    let open = || Store::open(directory.path(), "large", StoreOptions::default()).unwrap();
    let mut builder = Tree::builder();
    for n in 0..10_000 {
        let bytes = noise(n, 107_374);
        builder = builder.file(format!("d{}/file {n}", n % 100), 0o644, bytes);
    }
    let tree = builder.build();
    let store = open();
    let started = Instant::now();
    let whole = store.save(&state(&tree)).unwrap();
    let saved = started.elapsed();
    let changed =
        codepod_vfs::TreeBuilder::from_tree(tree).file("d7/new", 0o644, noise(77_777, 1 << 20));
    let tree = changed.build();
    let started = Instant::now();
    let part = store.save(&state(&tree)).unwrap();
    let again = started.elapsed();
    drop((store, tree));
    let started = Instant::now();
    let loaded = open().load(&roomy).unwrap();
    let ready = started.elapsed();
    println!(
        "1 GiB in 10,000 files: saved in {saved:?} ({} bytes), 1 MiB more in {again:?} ({} bytes), loaded in {ready:?}",
        whole.written, part.written
    );
    assert!(part.written < 2 << 20 && ready.as_millis() < 100);
    drop(loaded);
}
