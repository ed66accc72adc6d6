//! Several writers to one namespace without a lock, as in an object storage: their calls in every
//! order that chance finds.

use std::sync::Condvar;

use super::*;

/// Lets one of several threads go on at a time, up to its next call: which one is drawn from a
/// seed.
#[derive(Debug)]
struct Turns {
    state: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug)]
struct Waiting {
    /// Threads that have not ended.
    alive: usize,
    waiting: Vec<usize>,
    /// Whose turn it is; `None` while somebody is at it.
    next: Option<usize>,
    random: u64,
}

impl Turns {
    fn new(threads: usize, seed: u64) -> Turns {
        let state = Waiting {
            alive: threads,
            waiting: Vec::new(),
            next: None,
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        };
        Turns {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Waits until it is this thread's turn. Nobody's is drawn before all wait, so that the order
    /// depends on the seed only.
    fn wait(&self, thread: usize) {
        let mut state = self.state.lock().unwrap();
        state.waiting.push(thread);
        self.draw(&mut state);
        while state.next != Some(thread) {
            state = self.changed.wait(state).unwrap();
        }
        state.next = None;
        state.waiting.retain(|waiting| *waiting != thread);
    }

    fn end(&self) {
        let mut state = self.state.lock().unwrap();
        state.alive -= 1;
        self.draw(&mut state);
    }

    fn draw(&self, state: &mut Waiting) {
        if state.waiting.len() < state.alive || state.waiting.is_empty() {
            return;
        }
        state.random ^= state.random << 13;
        state.random ^= state.random >> 7;
        state.random ^= state.random << 17;
        state.waiting.sort_unstable();
        let index = (state.random >> 33) as usize % state.waiting.len();
        state.next = Some(state.waiting[index]);
        self.changed.notify_all();
    }
}

/// One writer's view of a backend: each call waits for its turn. What is reachable is looked at
/// after every deletion.
#[derive(Debug)]
struct Turned {
    files: InMemory,
    turns: Arc<Turns>,
    thread: usize,
}

impl Backend for Turned {
    fn create(&self, key: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        self.turns.wait(self.thread);
        self.files.create(key, bytes)
    }

    fn open(&self, key: &str) -> Result<Option<Arc<dyn Blob>>, StoreError> {
        self.turns.wait(self.thread);
        self.files.open(key)
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.turns.wait(self.thread);
        self.files.list(prefix)
    }

    fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.turns.wait(self.thread);
        self.files.delete(key)?;
        let Some(newest) = self.files.list("m/")?.pop() else {
            return Ok(());
        };
        let files = self.files.files.lock().unwrap();
        let packs = Manifest::decode(&files[&newest], None)?.packs;
        for pack in packs {
            let hex = blake3::Hash::from_bytes(pack.digest).to_hex();
            let pack = format!("p/{:016x}.{hex}", pack.epoch);
            assert!(files.contains_key(&pack), "{key} was needed by {newest}");
        }
        Ok(())
    }
}

/// What the newest state says was written to it: the text of its shell.
fn text(store: &Store) -> String {
    match store.load(&empty) {
        Err(StoreError::Nothing { .. }) => String::new(),
        loaded => {
            let loaded = loaded.unwrap();
            String::from_utf8(loaded.shells[0].1.clone()).unwrap()
        }
    }
}

/// Writers that load, add a file and save, again and again, with the collection after each save.
/// What was acknowledged is in the state at the end, whoever was fenced meanwhile, and nothing that
/// the newest state needs is ever removed.
fn storm(seed: u64, writers: usize, rounds: usize) -> (usize, usize) {
    let files = InMemory::default();
    let turns = Arc::new(Turns::new(writers, seed));
    let acknowledged = Mutex::new(Vec::new());
    let fenced = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..writers {
            let backend = Turned {
                files: files.clone(),
                turns: turns.clone(),
                thread,
            };
            let (turns, acknowledged, fenced) = (&turns, &acknowledged, &fenced);
            scope.spawn(move || {
                struct Ends<'a>(&'a Turns);
                impl Drop for Ends<'_> {
                    fn drop(&mut self) {
                        self.0.end();
                    }
                }
                let _ends = Ends(turns);
                let store = Store::on(Arc::new(backend), "test", StoreOptions::default());
                for round in 0..rounds {
                    let name = format!("w{thread}r{round}");
                    let known = format!("{} {name}", text(&store));
                    let content = noise(seed ^ (thread * 1_000 + round) as u64, 3_000);
                    let tree = Tree::builder().file("f", 0o644, content).build();
                    let state = State {
                        shells: vec![("", known.as_bytes())],
                        ..state(&tree)
                    };
                    match store.save(&state) {
                        Ok(_) => acknowledged.lock().unwrap().push(name),
                        Err(StoreError::Fenced) => {
                            fenced.fetch_add(1, Ordering::SeqCst);
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let store = files.store(None);
    store.check().unwrap();
    let known = text(&store);
    let acknowledged = acknowledged.into_inner().unwrap();
    for name in &acknowledged {
        let found = known.split(' ').any(|known| known == name);
        assert!(found, "seed {seed}: {name} was acknowledged and is lost");
    }
    (acknowledged.len(), fenced.load(Ordering::SeqCst) as usize)
}

#[test]
fn sn_09_collecting_while_others_save_takes_nothing_that_is_needed() {
    let (mut acknowledged, mut fenced) = (0, 0);
    for seed in 0..200 {
        let (saved, refused) = storm(seed, 2 + seed as usize % 3, 6);
        acknowledged += saved;
        fenced += refused;
    }
    // Both happen often, or the storm was none.
    assert!(
        acknowledged > 500 && fenced > 200,
        "{acknowledged} {fenced}"
    );
}

/// A state that was loaded on demand goes on to be readable although later saves need none of it.
#[test]
fn sn_09_what_a_loaded_state_still_reads_is_not_collected() {
    let files = InMemory::default();
    files.store(None).save(&state(&large(4))).unwrap();
    let store = files.store(None);
    let loaded = store.load(&empty).unwrap();
    for n in 0..10 {
        let tree = Tree::builder().file("f", 0o644, noise(n, 1_000)).build();
        store.save(&state(&tree)).unwrap();
    }
    // Read through a backend whose blobs are looked up again each time.
    loaded.mounts[0].tree.fetch().unwrap();
    let with_source = files.list("p/").unwrap().len();
    drop(loaded);
    let tree = Tree::builder().file("f", 0o644, noise(11, 1_000)).build();
    store.save(&state(&tree)).unwrap();
    assert!(files.list("p/").unwrap().len() < with_source);
}

/// A manifest of a store whose writer claims to have saved as often as there are numbers.
#[test]
fn numbers_that_have_come_to_their_end_are_damage() {
    for (epoch, sequence) in [(1, u64::MAX), (u64::MAX, 1), (u64::MAX, u64::MAX)] {
        let backend = InMemory::default();
        backend.store(None).save(&state(&small())).unwrap();
        let old = backend.list("m/").unwrap().remove(0);
        let mut files = backend.files.lock().unwrap();
        let mut manifest = Manifest::decode(&files.remove(&old).unwrap(), None).unwrap();
        (manifest.epoch, manifest.sequence) = (epoch, sequence);
        let name = format!("m/{epoch:016x}.{sequence:016x}.manifest");
        files.insert(name, Arc::new(manifest.encode(None).unwrap()));
        files.retain(|key, _| !key.starts_with("c/"));
        drop(files);
        let store = backend.store(None);
        assert_eq!(store.newest().unwrap().unwrap().sequence, sequence);
        let saved = store.save(&state(&large(1)));
        assert!(matches!(saved, Err(StoreError::Damaged(_))), "{saved:?}");
        assert_eq!(backend.list("m/").unwrap().len(), 1);
    }
    // The same for claims, which anybody can make who can write there.
    let backend = InMemory::default();
    backend.create("c/ffffffffffffffff", b"").unwrap();
    let saved = backend.store(None).save(&state(&small()));
    assert!(matches!(saved, Err(StoreError::Damaged(_))), "{saved:?}");
}

#[test]
fn sn_12_a_newest_state_that_was_taken_away_is_noticed_by_who_counts() {
    let key = Key::new(&[3; 32]);
    let backend = InMemory::default();
    let store = backend.store(Some(&key));
    store.save(&state(&small())).unwrap();
    let last = store.save(&state(&large(1))).unwrap().version.sequence;
    assert_eq!(last, 2);
    let reader = backend.store(Some(&key));
    assert!(reader.load_at_least(last, &empty).is_ok());
    let newest = backend.list("m/").unwrap().pop().unwrap();
    backend.delete(&newest).unwrap();
    // To the store alone the older one is what there is.
    let reader = backend.store(Some(&key));
    assert_eq!(reader.load(&empty).unwrap().version.sequence, 1);
    let refused = reader.load_at_least(last, &empty).map(|_| ());
    assert!(
        matches!(refused, Err(StoreError::Damaged(_))),
        "{refused:?}"
    );
}

#[test]
fn sn_12_an_older_manifest_under_a_newer_name_is_not_taken() {
    let key = Key::new(&[3; 32]);
    let backend = InMemory::default();
    let store = backend.store(Some(&key));
    store.save(&state(&small())).unwrap();
    store.save(&state(&large(1))).unwrap();
    let names = backend.list("m/").unwrap();
    let older = backend.files.lock().unwrap()[&names[0]].clone();
    // In the place of the newest, and as one that is newer still.
    for name in [
        names[1].clone(),
        format!("m/{:016x}.{:016x}.manifest", 1, 9),
        format!("m/{:016x}.{:016x}.manifest", 9, 1),
    ] {
        let copy = backend.copy();
        copy.files
            .lock()
            .unwrap()
            .insert(name.clone(), older.clone());
        let loaded = copy.store(Some(&key)).load(&empty).map(|_| ());
        let refused = matches!(loaded, Err(StoreError::Damaged(_)));
        assert!(refused, "{name}: {loaded:?}");
    }
}

#[test]
fn sn_12_packs_of_another_namespace_under_the_same_key_give_nothing() {
    let key = Key::new(&[3; 32]);
    let (mine, theirs) = (InMemory::default(), InMemory::default());
    let open = |backend: &InMemory, name: &str| {
        let options = StoreOptions {
            key: Some(key.clone()),
            ..StoreOptions::default()
        };
        Store::on(Arc::new(backend.clone()), name, options)
    };
    let secret = Tree::builder()
        .file("secret", 0o600, noise(7, 5_000))
        .build();
    open(&theirs, "theirs").save(&state(&secret)).unwrap();
    open(&mine, "mine").save(&state(&small())).unwrap();
    let pack = |backend: &InMemory| backend.list("p/").unwrap().remove(0);
    let name = pack(&theirs);
    let foreign = theirs.files.lock().unwrap()[&name].clone();
    // In the place of one's own.
    let copy = mine.copy();
    copy.files.lock().unwrap().insert(pack(&mine), foreign);
    let loaded = open(&copy, "mine").load(&empty).map(|_| ());
    assert!(loaded.is_err(), "{loaded:?}");
    // All that they have, under one's own name.
    let loaded = open(&theirs, "mine").load(&empty).map(|_| ());
    assert!(loaded.is_err(), "{loaded:?}");
}
