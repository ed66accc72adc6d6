use std::os::unix::fs::PermissionsExt;

use super::*;

/// A part with this content, and its directory.
fn part(content: &[u8]) -> (Part, tempfile::TempDir, PrivateDirectory) {
    let directory = tempfile::tempdir().unwrap();
    let digest = blake3::hash(content).to_hex().to_string();
    let part = Part {
        name: "sample",
        about: "a sample",
        bytes: content.len() as u64,
        digest: digest.leak(),
        guests: &[],
    };
    let cache = PrivateDirectory::open(directory.path().join("cache")).unwrap();
    (part, directory, cache)
}

fn put(path: &Path, content: &[u8]) {
    std::fs::write(path, content).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
}

/// More than a page, and not a multiple of one.
fn content() -> Vec<u8> {
    (0..100_001_u32)
        .map(|number| (number % 251) as u8)
        .collect()
}

#[test]
fn a_part_is_mapped_as_it_is_and_sealed_once() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part");
    assert_eq!(
        open_plain(&part, &path, Some(&cache)),
        Err(PartError::Missing)
    );
    put(&path, &content);
    assert_eq!(open_plain(&part, &path, Some(&cache)).unwrap(), content);
    let seal = Seal::of(&part, &path.metadata().unwrap(), &cache).unwrap();
    assert!(seal.holds());
    assert_eq!(open_plain(&part, &path, Some(&cache)).unwrap(), content);
    // Without a place for seals it is read each time.
    assert_eq!(open_plain(&part, &path, None).unwrap(), content);
}

#[test]
fn a_part_that_was_changed_after_it_was_sealed_is_refused() {
    let mut content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part");
    put(&path, &content);
    open_plain(&part, &path, Some(&cache)).unwrap();
    let modified = path.metadata().unwrap().modified().unwrap();
    content[70_000] ^= 1;
    let file = File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &content, 0).unwrap();
    // Whoever changes it can set back when it was changed, but not when that was done.
    file.set_modified(modified).unwrap();
    let refused = open_plain(&part, &path, Some(&cache));
    assert_eq!(refused, Err(PartError::Other(path)));
}

#[test]
fn a_seal_of_another_key_says_nothing() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part");
    put(&path, &content);
    let other = PrivateDirectory::open(directory.path().join("other")).unwrap();
    let seal = Seal::of(&part, &path.metadata().unwrap(), &other).unwrap();
    let forged = Seal {
        cache: &cache,
        ..seal
    };
    forged.put();
    let seal = Seal::of(&part, &path.metadata().unwrap(), &cache).unwrap();
    assert!(!seal.holds());
}

#[test]
fn a_part_that_others_can_change_is_copied_before_it_is_checked() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part");
    put(&path, &content);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    let mapped = open_plain(&part, &path, Some(&cache)).unwrap();
    std::fs::write(&path, b"short").unwrap();
    assert_eq!(mapped, content);
    assert!(cache.path().join(format!("{}.part", part.digest)).exists());
}

#[test]
fn a_packed_part_is_unpacked_once_and_without_a_cache_into_memory() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part.zst");
    put(&path, &zstd::encode_all(&content[..], 1).unwrap());
    let found = open(
        &part,
        &[directory.path().join("nothing"), directory.path().into()],
    );
    assert_eq!(found.map(|found| found.bytes.to_vec()), Ok(content.clone()));
    assert_eq!(open_packed(&part, &path, Some(&cache)).unwrap(), content);
    let unpacked = cache.path().join(format!("{}.part", part.digest));
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let first = inode(&unpacked);
    assert_eq!(open_packed(&part, &path, Some(&cache)).unwrap(), content);
    assert_eq!(inode(&unpacked), first);
    let in_memory = open_packed(&part, &path, None).unwrap();
    assert_eq!(in_memory, content);
    assert_eq!(in_memory.as_ptr().addr() % PAGE, 0);
}

#[test]
fn what_unpacks_to_something_else_leaves_nothing_behind() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part.zst");
    let mut long = content.clone();
    long.extend_from_slice(&content);
    let mut wrong = content.clone();
    wrong[5] ^= 1;
    let packed = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    let cut = packed(&content);
    let cut = cut[..cut.len() / 2].to_vec();
    for bytes in [
        packed(&long),
        packed(&wrong),
        packed(&content[1..]),
        cut,
        b"none".to_vec(),
    ] {
        put(&path, &bytes);
        assert!(open_packed(&part, &path, Some(&cache)).is_err());
        assert!(open_packed(&part, &path, None).is_err());
        let left = std::fs::read_dir(cache.path()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["key"]);
    }
}
