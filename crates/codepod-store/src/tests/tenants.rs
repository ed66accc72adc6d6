//! Namespaces beside each other, and several writers to one.

use super::*;

/// A backend that notes what is asked of it.
#[derive(Debug, Clone)]
struct Noted {
    files: InMemory,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Noted {
    fn note(&self, call: &str, key: &str) {
        self.calls.lock().unwrap().push(format!("{call} {key}"));
    }
}

impl Backend for Noted {
    fn create(&self, key: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        self.note("create", key);
        self.files.create(key, bytes)
    }

    fn open(&self, key: &str) -> Result<Option<Arc<dyn Blob>>, StoreError> {
        self.note("open", key);
        self.files.open(key)
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.note("list", prefix);
        self.files.list(prefix)
    }

    fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.note("delete", key);
        self.files.delete(key)
    }
}

/// The manifest of a namespace in a backend, changed and put back.
fn forge(backend: &InMemory, change: impl FnOnce(&mut Manifest)) {
    let name = backend.list("m/").unwrap().pop().unwrap();
    let mut files = backend.files.lock().unwrap();
    let mut manifest = Manifest::decode(&files[&name], None).unwrap();
    change(&mut manifest);
    files.insert(name, Arc::new(manifest.encode(None).unwrap()));
}

/// One tenant has a secret; another knows its digest and wants to know whether it is there, or what
/// it is.
#[test]
fn sn_04_what_another_namespace_holds_cannot_be_told_from_what_nobody_does() {
    let directory = tempfile::tempdir().unwrap();
    let open = |name| Store::open(directory.path(), name, StoreOptions::default()).unwrap();
    let secret = Tree::builder()
        .file("secret", 0o600, noise(77, 65_536))
        .build();
    let of_victim = open("victims").save(&state(&secret)).unwrap();
    let victims = InMemory::default();
    victims.store(None).save(&state(&secret)).unwrap();
    let pack = victims.list("p/").unwrap().pop().unwrap();
    let pack = pack.rsplit('.').next().unwrap();
    let pack = *blake3::Hash::from_hex(pack).unwrap().as_bytes();

    // Saving the same content writes as much as saving any other: nothing says that somebody has
    // it.
    let other = Tree::builder()
        .file("secret", 0o600, noise(78, 65_536))
        .build();
    let guessed = open("guesser").save(&state(&secret)).unwrap();
    let unknown = open("unknown").save(&state(&other)).unwrap();
    assert_eq!(
        (guessed.blocks, guessed.written),
        (of_victim.blocks, of_victim.written)
    );
    assert_eq!(
        (guessed.blocks, guessed.written),
        (unknown.blocks, unknown.written)
    );

    // A forged manifest that names the victim's pack, or its block, is answered as one that names
    // nothing: the same error after the same calls, none of them outside of the own namespace.
    let told = |change: &dyn Fn(&mut Manifest, Digest), digest: Digest| {
        let files = InMemory::default();
        files.store(None).save(&state(&small())).unwrap();
        forge(&files, |manifest| change(manifest, digest));
        let noted = Noted {
            files,
            calls: Arc::default(),
        };
        let store = Store::on(Arc::new(noted.clone()), "test", StoreOptions::default());
        let error = store.load(&empty).unwrap_err().to_string();
        let hex = blake3::Hash::from_bytes(digest).to_hex();
        let calls = noted
            .calls
            .lock()
            .unwrap()
            .iter()
            .map(|call| call.replace(&*hex, "?"))
            .collect::<Vec<_>>();
        (error, calls)
    };
    let names_pack = |manifest: &mut Manifest, digest: Digest| {
        manifest.packs = vec![PackName { epoch: 1, digest }]
    };
    let names_block = |manifest: &mut Manifest, digest: Digest| {
        manifest.contents.mounts[0].segments[0].digest = digest;
    };
    let nowhere = digest(b"what nobody has");
    assert_eq!(told(&names_pack, pack), told(&names_pack, nowhere));
    let block = digest(&noise(77, 65_536));
    assert_eq!(told(&names_block, block), told(&names_block, nowhere));
    assert!(told(&names_block, block).0.contains("missing"));

    // In the directory too: the victim's pack is there for the taking, one folder away.
    for digest in [pack, nowhere] {
        let store = open("unknown");
        let folder = directory
            .path()
            .join(crate::namespace::folder("unknown").unwrap());
        let manifests = std::fs::read_dir(folder.join("m")).unwrap();
        let path = manifests.last().unwrap().unwrap().path();
        let mut manifest = Manifest::decode(&std::fs::read(&path).unwrap(), None).unwrap();
        manifest.packs = vec![PackName { epoch: 1, digest }];
        std::fs::write(&path, manifest.encode(None).unwrap()).unwrap();
        let error = store.load(&empty).unwrap_err();
        assert!(
            matches!(error, StoreError::Damaged("a pack is missing")),
            "{error}"
        );
    }

    // A stream has to bring what it names.
    let mut collected = Collected::default();
    let contents = state(&secret).write(&mut collected).unwrap();
    let manifest = Manifest {
        packs: vec![PackName {
            epoch: 1,
            digest: pack,
        }],
        ..Manifest::of_stream(0, [0; 32], contents)
    };
    let bytes = stream(&manifest, &collected.form).unwrap();
    let refused = import(&mut &bytes[..], None, &empty);
    assert!(matches!(
        refused,
        Err(StoreError::Damaged("a block is missing"))
    ));
}
