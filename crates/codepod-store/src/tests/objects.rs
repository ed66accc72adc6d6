//! The store over `object_store`'s own stores: in memory and in a directory.

use object_store::memory::InMemory as Objects;
use object_store::{ObjectStore, ObjectStoreExt as _};

use super::*;

fn open(objects: &Arc<dyn ObjectStore>, namespace: &str) -> Store {
    let (prefix, options) = ("fleet/cell", StoreOptions::default());
    Store::open_objects(objects.clone(), prefix, namespace, options).unwrap()
}

/// What every object storage has to do: states come back, manifests are created once, of two
/// writers one is refused, namespaces do not see each other, and old packs go.
fn contract(objects: Arc<dyn ObjectStore>) {
    let store = open(&objects, "a");
    assert!(matches!(
        store.load(&empty),
        Err(StoreError::Nothing { .. })
    ));
    let tree = large(20);
    let saved = store.save(&state(&tree)).unwrap();
    let again = store.save(&state(&tree)).unwrap();
    assert!(again.written < 10_000, "{again:?}");
    let other = open(&objects, "a");
    assert_eq!(other.check().unwrap().unwrap().hash, saved.version.hash);
    let loaded = other.load(&empty).unwrap();
    assert_eq!(hash(&loaded), saved.version.hash);
    assert!(open(&objects, "a/b").newest().unwrap().is_none());
    assert!(open(&objects, "A").newest().unwrap().is_none());

    // The second writer takes over; the first is told, and can go on from what the second has
    // saved.
    other.save(&state(&small())).unwrap();
    let fenced = |saved| matches!(saved, Err(StoreError::Fenced));
    assert!(fenced(store.save(&state(&tree))));
    assert!(fenced(store.save(&state(&tree))));
    let loaded = store.load(&empty).unwrap();
    assert_eq!(hash(&loaded), state(&small()).hash().unwrap());
    store.save(&state(&tree)).unwrap();
    assert!(fenced(other.save(&state(&small()))));
    // One that began before the other saved and saves after it has not seen that.
    let late = open(&objects, "a");
    late.newest().unwrap();
    store.save(&state(&small())).unwrap();
    assert!(fenced(late.save(&state(&tree))));

    for n in 0..10 {
        let tree = Tree::builder().file("f", 0o644, noise(n, 1_000)).build();
        store.save(&state(&tree)).unwrap();
    }
    store.check().unwrap();
}

#[test]
fn an_object_storage_keeps_states() {
    contract(Arc::new(Objects::new()));
}

#[test]
fn an_object_storage_in_a_directory_keeps_states() {
    let directory = tempfile::tempdir().unwrap();
    let objects = object_store::local::LocalFileSystem::new_with_prefix(directory.path()).unwrap();
    contract(Arc::new(objects));
}

#[test]
fn an_object_storage_is_used_from_threads_of_a_runtime() {
    let objects: Arc<dyn ObjectStore> = Arc::new(Objects::new());
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    runtime.block_on(async {
        let store = open(&objects, "a");
        store.save(&state(&small())).unwrap();
        drop(store);
    });
    let listed = runtime.block_on(async {
        let key = object_store::path::Path::from("fleet/cell");
        objects.list_with_delimiter(Some(&key)).await.unwrap()
    });
    assert_eq!(listed.common_prefixes.len(), 1);
    let gone = object_store::path::Path::from("nothing");
    assert!(runtime.block_on(objects.head(&gone)).is_err());
}

/// `scripts/s3.sh` starts a server of PyPI's and sets `CODEPOD_S3` to its address.
#[cfg(feature = "testing-s3")]
#[test]
#[expect(clippy::print_stdout, reason = "says what was not tried")]
fn an_s3_server_keeps_states() {
    let Ok(endpoint) = std::env::var("CODEPOD_S3") else {
        println!("CODEPOD_S3 is not set: not tried");
        return;
    };
    let objects = object_store::aws::AmazonS3Builder::new()
        .with_endpoint(endpoint)
        .with_allow_http(true)
        .with_region("us-east-1")
        .with_bucket_name("codepod")
        .with_access_key_id("test")
        .with_secret_access_key("test")
        .build()
        .unwrap();
    contract(Arc::new(objects));
}
