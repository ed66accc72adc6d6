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
        carried: None,
        packages: &[],
        guests: &[],
    };
    let cache = PrivateDirectory::open(directory.path().join("cache")).unwrap();
    (part, directory, cache)
}

fn put(path: &Path, content: &[u8]) {
    std::fs::write(path, content).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
}

#[test]
fn a_part_is_known_by_the_name_it_is_published_with() {
    let (part, ..) = part(b"");
    for (name, is) in [
        ("sample.part", true),
        ("sample.part.zst", true),
        ("sample-0.1.0-linux-x64.part.zst", true),
        ("samples.part", false),
        ("sample.zst", false),
    ] {
        assert_eq!(is_named(&part, Path::new(name)), is, "{name}");
    }
}

#[test]
fn a_part_that_the_program_carries_needs_no_file() {
    let content = content();
    let (mut part, ..) = part(&content);
    part.carried = Some(zstd::encode_all(&content[..], 1).unwrap().leak());
    let found = open(&part, &[], None);
    assert_eq!(found.map(|found| found.bytes.to_vec()), Ok(content));
    let (mut damaged, ..) = self::part(b"what nothing has unpacked before");
    damaged.carried = Some(b"damaged");
    assert!(open(&damaged, &[], None).is_err());
}

/// More than a page, and not a multiple of one.
fn content() -> Vec<u8> {
    (0..100_001_u32)
        .map(|number| (number % 251) as u8)
        .collect()
}

#[test]
fn a_packed_part_is_unpacked_once_and_without_a_cache_into_memory() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part.zst");
    put(&path, &zstd::encode_all(&content[..], 1).unwrap());
    let file = || File::open(&path);
    let found = open(
        &part,
        &[directory.path().join("nothing"), directory.path().into()],
        None,
    );
    assert_eq!(found.map(|found| found.bytes.to_vec()), Ok(content.clone()));
    assert_eq!(
        open_packed(&part, file, Some(&cache), None).unwrap(),
        content
    );
    let unpacked = cache.path().join(format!("{}.part", part.digest));
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let first = inode(&unpacked);
    assert_eq!(
        open_packed(&part, file, Some(&cache), None).unwrap(),
        content
    );
    assert_eq!(inode(&unpacked), first);
    let in_memory = open_packed(&part, file, None, None).unwrap();
    assert_eq!(in_memory, content);
    // A file where the cache's directory was: nothing can be written there, whoever we are.
    std::fs::remove_dir_all(cache.path()).unwrap();
    put(cache.path(), b"");
    let in_memory = open_packed(&part, file, Some(&cache), None).unwrap();
    assert_eq!(in_memory, content);
}

// PK-04
#[test]
fn what_unpacks_to_something_else_leaves_nothing_behind() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let path = directory.path().join("sample.part.zst");
    let file = || File::open(&path);
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
        assert!(open_packed(&part, file, Some(&cache), None).is_err());
        assert!(open_packed(&part, file, None, None).is_err());
        let left = std::fs::read_dir(cache.path()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["key"]);
    }
}

#[test]
fn a_part_that_needs_another_is_packed_as_the_difference_from_it() {
    let content = content();
    let (part, directory, cache) = part(&content);
    let base: &'static [u8] = content[..90_000].to_vec().leak();
    let path = directory.path().join("sample.part.zst");
    let mut encoder = zstd::Encoder::with_ref_prefix(Vec::new(), 1, base).unwrap();
    io::copy(&mut &content[..], &mut encoder).unwrap();
    put(&path, &encoder.finish().unwrap());
    assert!(path.metadata().unwrap().len() < 2_000);
    let file = || File::open(&path);
    let opened = open_packed(&part, file, Some(&cache), Some(base));
    assert_eq!(opened.unwrap(), content);
    // With another base it is another content.
    let other: &'static [u8] = vec![0; 90_000].leak();
    for other in [Some(other), None] {
        assert!(open_packed(&part, file, None, other).is_err());
    }
}
