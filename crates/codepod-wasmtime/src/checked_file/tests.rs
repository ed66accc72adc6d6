use std::os::unix::fs::PermissionsExt;

use super::*;

/// This content, a directory, and a cache in it.
fn place(bytes: &[u8]) -> (Content, tempfile::TempDir, PrivateDirectory) {
    let directory = tempfile::tempdir().unwrap();
    let digest = blake3::hash(bytes).to_hex().to_string();
    let content = Content {
        bytes: bytes.len() as u64,
        digest: digest.leak(),
    };
    let cache = PrivateDirectory::open(directory.path().join("cache")).unwrap();
    (content, directory, cache)
}

fn put(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
}

/// More than a page, and not a multiple of one.
fn some_bytes() -> Vec<u8> {
    (0..100_001_u32)
        .map(|number| (number % 251) as u8)
        .collect()
}

#[test]
fn a_file_is_mapped_as_it_is_and_sealed_once() {
    let bytes = some_bytes();
    let (content, directory, cache) = place(&bytes);
    let path = directory.path().join("sample");
    assert_eq!(
        content.open(&path, Some(&cache)),
        Err(ContentError::Missing)
    );
    put(&path, &bytes);
    assert_eq!(content.open(&path, Some(&cache)).unwrap(), bytes);
    let seal = Seal::of(content, &path.metadata().unwrap(), &cache).unwrap();
    assert!(seal.holds());
    assert_eq!(content.open(&path, Some(&cache)).unwrap(), bytes);
    // Without a place for seals it is read each time.
    assert_eq!(content.open(&path, None).unwrap(), bytes);
}

#[test]
fn a_file_that_was_changed_after_it_was_sealed_is_refused() {
    let mut bytes = some_bytes();
    let (content, directory, cache) = place(&bytes);
    let path = directory.path().join("sample");
    put(&path, &bytes);
    content.open(&path, Some(&cache)).unwrap();
    let modified = path.metadata().unwrap().modified().unwrap();
    bytes[70_000] ^= 1;
    let file = File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &bytes, 0).unwrap();
    // Whoever changes it can set back when it was changed, but not when that was done.
    file.set_modified(modified).unwrap();
    let refused = content.open(&path, Some(&cache));
    assert_eq!(refused, Err(ContentError::Other));
}

#[test]
fn a_seal_of_another_key_says_nothing() {
    let bytes = some_bytes();
    let (content, directory, cache) = place(&bytes);
    let path = directory.path().join("sample");
    put(&path, &bytes);
    let other = PrivateDirectory::open(directory.path().join("other")).unwrap();
    let seal = Seal::of(content, &path.metadata().unwrap(), &other).unwrap();
    let forged = Seal {
        cache: &cache,
        ..seal
    };
    forged.put();
    let seal = Seal::of(content, &path.metadata().unwrap(), &cache).unwrap();
    assert!(!seal.holds());
}

#[test]
fn a_file_that_others_can_change_is_copied_before_it_is_checked() {
    let bytes = some_bytes();
    let (content, directory, cache) = place(&bytes);
    let path = directory.path().join("sample");
    put(&path, &bytes);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    let mapped = content.open(&path, Some(&cache)).unwrap();
    std::fs::write(&path, b"short").unwrap();
    assert_eq!(mapped, bytes);
    assert!(
        cache
            .path()
            .join(format!("{}.part", content.digest))
            .exists()
    );
}

#[test]
fn what_is_read_is_kept_once_and_without_a_cache_in_memory() {
    let bytes = some_bytes();
    let (content, _directory, cache) = place(&bytes);
    assert_eq!(
        content.keep(|| Ok(&bytes[..]), Some(&cache)).unwrap(),
        bytes
    );
    // The second time nothing is read.
    assert_eq!(
        content.keep(|| Ok(std::io::empty()), Some(&cache)).unwrap(),
        bytes
    );
    let in_memory = content.keep(|| Ok(&bytes[..]), None).unwrap();
    assert_eq!(in_memory, bytes);
    assert_eq!(in_memory.as_ptr().addr() % PAGE, 0);
}

#[test]
fn what_cannot_be_written_is_kept_in_memory() {
    let bytes = some_bytes();
    let (content, directory, cache) = place(&bytes);
    // A file where its directory was: nothing can be written there, whoever we are.
    std::fs::rename(cache.path(), directory.path().join("moved")).unwrap();
    put(cache.path(), b"");
    let in_memory = content.keep(|| Ok(&bytes[..]), Some(&cache)).unwrap();
    assert_eq!(in_memory, bytes);
    assert!(cache_trouble().is_some());
    let wrong = &bytes[1..];
    let refused = content.keep(|| Ok(wrong), Some(&cache));
    assert_eq!(refused, Err(ContentError::Other));
}

#[test]
fn a_disk_that_is_full_leaves_nothing_behind() {
    let bytes = some_bytes();
    let (content, _directory, cache) = place(&bytes);
    /// What is read the first time ends as a write to a full disk does.
    struct Full<'a>(&'a std::cell::Cell<bool>, &'a [u8]);
    impl Read for Full<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if !self.0.replace(true) {
                return Err(io::Error::from_raw_os_error(28)); // ENOSPC
            }
            self.1.read(buffer)
        }
    }
    let was_full = std::cell::Cell::new(false);
    let reader = || Ok(Full(&was_full, &bytes));
    assert_eq!(content.keep(reader, Some(&cache)).unwrap(), bytes);
    let left = std::fs::read_dir(cache.path()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["key"]);
}

#[test]
fn what_is_read_and_is_something_else_leaves_nothing_behind() {
    let bytes = some_bytes();
    let (content, _directory, cache) = place(&bytes);
    let long = [&bytes[..], &bytes[..]].concat();
    let mut wrong = bytes.clone();
    wrong[5] ^= 1;
    for other in [&long[..], &wrong, &bytes[1..], b""] {
        for cache in [Some(&cache), None] {
            assert_eq!(content.keep(|| Ok(other), cache), Err(ContentError::Other));
        }
        let left = std::fs::read_dir(cache.path()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["key"]);
    }
}

#[test]
fn what_nobody_has_opened_for_a_month_is_forgotten() {
    let bytes = some_bytes();
    let (content, _directory, cache) = place(&bytes);
    let file = |name: &str| cache.path().join(name);
    for name in ["old.part", "new.part", "old.seal"] {
        put(&file(name), b"");
        if name.starts_with("old") {
            let old = std::time::SystemTime::now() - 2 * UNUSED;
            let times = std::fs::FileTimes::new()
                .set_accessed(old)
                .set_modified(old);
            let opened = File::options().write(true).open(file(name)).unwrap();
            opened.set_times(times).unwrap();
        }
    }
    content.keep(|| Ok(&bytes[..]), Some(&cache)).unwrap();
    assert!(file("new.part").exists() && file("key").exists());
    assert!(!file("old.part").exists() && !file("old.seal").exists());
}
