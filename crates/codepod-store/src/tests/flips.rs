//! Bits that flip in what is saved: each is noticed, at the load, when the content is read, or by
//! `Store::check`.

use super::*;
use crate::pack;

/// A state is noticed to be damaged, or it is what was saved.
fn noticed(backend: &InMemory, saved: Digest, key: Option<&Key>) -> bool {
    let store = backend.store(key);
    match store.load(&empty) {
        Err(_) => true,
        Ok(loaded) => {
            // What is read is right or an error, always.
            match loaded
                .mounts
                .iter()
                .try_for_each(|mount| mount.tree.fetch())
            {
                Ok(()) => assert_eq!(hash(&loaded), saved),
                Err(errno) => assert_eq!(errno, codepod_abi::Errno::Io),
            }
            store.check().is_err()
        }
    }
}

#[test]
fn sn_01_every_flipped_bit_of_a_small_state_is_noticed() {
    for key in [None, Some(Key::new(&[3; 32]))] {
        let backend = InMemory::default();
        let saved = backend.store(key.as_ref()).save(&state(&small())).unwrap();
        let files = backend.files.lock().unwrap().clone();
        let step = if key.is_some() { 7 } else { 1 };
        let mut bits = 0;
        for (name, bytes) in files.iter().filter(|(name, _)| !name.starts_with("c/")) {
            for bit in (0..bytes.len() * 8).step_by(step) {
                let mut flipped = bytes.to_vec();
                flipped[bit / 8] ^= 1 << (bit % 8);
                let copy = backend.copy();
                copy.files
                    .lock()
                    .unwrap()
                    .insert(name.clone(), Arc::new(flipped));
                assert!(
                    noticed(&copy, saved.version.hash, key.as_ref()),
                    "{name} bit {bit}"
                );
                bits += step;
            }
        }
        assert!(bits > 5_000);
    }
}

/// A sample of the bits of a mebibyte, each through the whole way of opening, loading, reading and
/// checking.
#[test]
fn sn_01_flipped_bits_of_a_mebibyte_are_noticed() {
    let backend = InMemory::default();
    let saved = backend.store(None).save(&state(&mebibyte())).unwrap();
    let files = backend.files.lock().unwrap().clone();
    for (name, bytes) in files.iter().filter(|(name, _)| !name.starts_with("c/")) {
        let mut flipped = bytes.to_vec();
        for bit in (0..bytes.len() * 8).step_by(32_009) {
            flipped[bit / 8] ^= 1 << (bit % 8);
            let copy = backend.copy();
            let file = Arc::new(flipped.clone());
            copy.files.lock().unwrap().insert(name.clone(), file);
            assert!(noticed(&copy, saved.version.hash, None), "{name} bit {bit}");
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// A tree of a mebibyte: whole blocks, parts of them, what can be compressed. Mostly small ones,
/// whose check takes little time.
fn mebibyte() -> Tree {
    let mut builder = Tree::builder();
    for n in 0..2 {
        builder = builder.file(format!("whole/{n}"), 0o644, noise(n, 65_536));
    }
    for n in 0..300 {
        let length = 1_000 + (n as usize * 1_117) % 4_096;
        builder = builder.file(format!("part/{n}"), 0o600, noise(1_000 + n, length));
    }
    for n in 0..30 {
        let text = format!("{n} lines of text that repeat themselves\n").repeat(200);
        builder = builder.file(format!("text/{n}"), 0o640, text);
    }
    builder.build()
}

/// A file with one bit that is not as it was.
#[derive(Debug)]
struct Flipped {
    file: Arc<Vec<u8>>,
    bit: usize,
}

impl Blob for Flipped {
    fn size(&self) -> Result<u64, StoreError> {
        Ok(self.file.len() as u64)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError> {
        Bytes(self.file.clone()).read_at(offset, buf)?;
        let at = (self.bit / 8).checked_sub(offset as usize);
        if let Some(byte) = at.and_then(|at| buf.get_mut(at)) {
            *byte ^= 1 << (self.bit % 8);
        }
        Ok(())
    }
}

/// Whether the flip of a bit of a pack is noticed, by reading what it is in as a load does, and
/// only then the whole pack as `Store::check` does. What is read without an error is what was
/// saved.
fn pack_flip_noticed(flipped: &Flipped, name: &Digest, places: &[(Digest, pack::Place)]) -> bool {
    let at = (flipped.bit / 8) as u64;
    let after = places.partition_point(|(_, place)| place.offset <= at);
    let block = after
        .checked_sub(1)
        .map(|index| places[index])
        .filter(|(_, place)| at < place.offset + u64::from(place.stored));
    let seen = match block {
        Some((digest, place)) => {
            let id = BlockId {
                digest,
                length: place.length,
            };
            // A block is given out under its digest or not at all.
            pack::read_block(flipped, place, &id, None).is_err()
        }
        None => match pack::read_index(flipped, None) {
            Ok(found) => {
                assert_eq!(found, places);
                false
            }
            Err(_) => true,
        },
    };
    seen || pack::check_name(flipped, name).is_err()
}

/// All bits of a mebibyte: those of packs by what covers them, those of manifests through the whole
/// way of opening. `cargo test --release -p codepod-store --lib -- --ignored --nocapture every_bit`
/// takes a minute or two.
#[test]
#[ignore = "takes minutes"]
#[expect(clippy::print_stdout, reason = "figures for people")]
fn sn_01_every_bit_of_a_saved_mebibyte_is_noticed() {
    let started = std::time::Instant::now();
    let backend = InMemory::default();
    let saved = backend.store(None).save(&state(&mebibyte())).unwrap();
    let files = backend.files.lock().unwrap().clone();
    let whole: usize = files.values().map(|file| file.len()).sum();
    assert!(whole > 1 << 20);
    let next = AtomicU64::new(0);
    for (name, file) in files.iter().filter(|(name, _)| !name.starts_with("c/")) {
        next.store(0, Ordering::SeqCst);
        let packed = name.strip_prefix("p/").map(|packed| {
            let hex = packed.rsplit('.').next().unwrap();
            let named = *blake3::Hash::from_hex(hex).unwrap().as_bytes();
            let places = pack::read_index(&Bytes(file.clone()), None).unwrap();
            (named, places)
        });
        let flip_bytes = || loop {
            let byte = next.fetch_add(1, Ordering::SeqCst) as usize;
            if byte >= file.len() {
                break;
            }
            for bit in byte * 8..byte * 8 + 8 {
                let flipped = Flipped {
                    file: file.clone(),
                    bit,
                };
                let noticed = match &packed {
                    Some((named, places)) => pack_flip_noticed(&flipped, named, places),
                    None => {
                        let mut bytes = file.to_vec();
                        bytes[byte] ^= 1 << (bit % 8);
                        let copy = backend.copy();
                        copy.files
                            .lock()
                            .unwrap()
                            .insert(name.clone(), Arc::new(bytes));
                        // Opening reads all of a manifest. What it lets through would have to be
                        // found later.
                        copy.store(None).newest().is_err()
                            || noticed(&copy, saved.version.hash, None)
                    }
                };
                assert!(noticed, "{name} bit {bit}");
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(flip_bytes);
            scope.spawn(flip_bytes);
        });
    }
    println!("{} bits in {:?}", whole * 8, started.elapsed());
}

#[test]
fn sn_01_what_is_cut_short_or_missing_or_swapped_is_noticed() {
    let backend = InMemory::default();
    let store = backend.store(None);
    store.save(&state(&small())).unwrap();
    let saved = store.save(&state(&large(3))).unwrap();
    let files = backend.files.lock().unwrap().clone();
    let newest = files
        .keys()
        .rfind(|name| name.starts_with("m/"))
        .unwrap()
        .clone();
    let older = files
        .keys()
        .find(|name| name.starts_with("m/"))
        .unwrap()
        .clone();
    let named = Manifest::decode(&files[&newest], None).unwrap().packs;
    for (name, bytes) in &files {
        let needed = *name == newest
            || named
                .iter()
                .any(|pack| name.ends_with(&*blake3::Hash::from_bytes(pack.digest).to_hex()));
        if !needed {
            continue;
        }
        for length in [0, 1, 20, bytes.len() / 2, bytes.len() - 1] {
            let copy = backend.copy();
            copy.files
                .lock()
                .unwrap()
                .insert(name.clone(), Arc::new(bytes[..length].to_vec()));
            assert!(
                noticed(&copy, saved.version.hash, None),
                "{name} of {length}"
            );
        }
        if *name != newest {
            let copy = backend.copy();
            copy.files.lock().unwrap().remove(name);
            assert!(copy.store(None).load(&empty).is_err());
        }
    }
    let copy = backend.copy();
    copy.files
        .lock()
        .unwrap()
        .insert(newest, files[&older].clone());
    assert!(copy.store(None).load(&empty).is_err());
}
