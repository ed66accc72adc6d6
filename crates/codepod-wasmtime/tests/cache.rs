//! WM-13: the module cache never loads what this host did not write. Whatever is wrong with a file,
//! the module is compiled again and the file replaced.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use codepod_wasmtime::{EngineError, ModuleCache};
use wasmtime::Engine;

/// A module that exports a function `answer` with this number.
fn module(answer: u8) -> Vec<u8> {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    // A type () -> i32, a function of it, its export, its body.
    bytes.extend([1, 5, 1, 0x60, 0, 1, 0x7f]);
    bytes.extend([3, 2, 1, 0]);
    bytes.extend([7, 10, 1, 6]);
    bytes.extend(b"answer");
    bytes.extend([0, 0]);
    bytes.extend([10, 6, 1, 4, 0, 0x41, answer & 0x3f, 0x0b]);
    bytes
}

/// A directory of its own, gone with the value.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("codepod-cache-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    /// The one file with this extension.
    fn file(&self, extension: &str) -> PathBuf {
        let mut files = self.files(extension);
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    fn files(&self, extension: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .collect();
        files.sort();
        files
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What `answer` returns.
fn answer(engine: &Engine, cache: &ModuleCache, wasm: &[u8]) -> i32 {
    let module = cache.load(engine, wasm).unwrap();
    let mut store = wasmtime::Store::new(engine, ());
    let instance = wasmtime::Instance::new(&mut store, &module, &[]).unwrap();
    let function = instance.get_typed_func::<(), i32>(&mut store, "answer");
    function.unwrap().call(&mut store, ()).unwrap()
}

/// Loads after a change to the files: the answer is right, and the files are good again.
#[track_caller]
fn compiled_again(engine: &Engine, directory: &Directory, good: &[u8], what: &str) {
    let cache = ModuleCache::open(&directory.0).unwrap();
    assert_eq!(answer(engine, &cache, &module(7)), 7, "{what}");
    assert!(
        fs::read(directory.file("cwasm")).unwrap() == good,
        "{what}: the file was not replaced"
    );
}

fn filled(engine: &Engine) -> (Directory, Vec<u8>, Vec<u8>) {
    let directory = Directory::new();
    let cache = ModuleCache::open(&directory.0).unwrap();
    assert!(!cache.has(engine, &module(7)));
    assert_eq!(answer(engine, &cache, &module(7)), 7);
    assert!(cache.has(engine, &module(7)));
    let code = fs::read(directory.file("cwasm")).unwrap();
    let mac = fs::read(directory.file("mac")).unwrap();
    (directory, code, mac)
}

/// Replaces a file, also one that others may have mapped: under another name first.
fn replace(path: &Path, bytes: &[u8]) {
    let other = path.with_extension("other");
    fs::write(&other, bytes).unwrap();
    fs::rename(other, path).unwrap();
}

#[test]
fn wm_13_a_changed_byte_anywhere_is_never_loaded() {
    let engine = Engine::default();
    let (directory, code, _) = filled(&engine);
    let file = directory.file("cwasm");
    // Every byte of the headers, and some all over the rest.
    let places = (0..256.min(code.len())).chain((256..code.len()).step_by(code.len() / 100));
    for place in places {
        let mut changed = code.clone();
        changed[place] ^= 1 << (place % 8);
        replace(&file, &changed);
        compiled_again(&engine, &directory, &code, &format!("byte {place}"));
    }
}

#[test]
fn wm_13_a_file_that_is_cut_or_longer_is_never_loaded() {
    let engine = Engine::default();
    let (directory, code, _) = filled(&engine);
    let file = directory.file("cwasm");
    for len in [0, 1, 8, 64, code.len() / 2, code.len() - 1] {
        replace(&file, &code[..len]);
        compiled_again(&engine, &directory, &code, &format!("{len} bytes"));
    }
    let mut longer = code.clone();
    longer.push(0);
    replace(&file, &longer);
    compiled_again(&engine, &directory, &code, "a byte more");
    fs::remove_file(&file).unwrap();
    compiled_again(&engine, &directory, &code, "no file");
}

#[test]
fn wm_13_a_forged_digest_is_never_believed() {
    let engine = Engine::default();
    let (directory, code, mac) = filled(&engine);
    let (file, digest) = (directory.file("cwasm"), directory.file("mac"));
    let mut changed = code.clone();
    *changed.last_mut().unwrap() ^= 1;
    let plain = blake3::hash(&changed);
    let keyed = blake3::keyed_hash(&[0; 32], &changed);
    for (what, forged) in [
        ("the right one", mac.clone()),
        ("one without the key", plain.as_bytes().to_vec()),
        ("one with another key", keyed.as_bytes().to_vec()),
        ("nothing", Vec::new()),
        ("zeros", vec![0; 32]),
        ("too long a one", vec![0; 33]),
    ] {
        replace(&file, &changed);
        replace(&digest, &forged);
        compiled_again(&engine, &directory, &code, what);
    }
    for place in 0..32 {
        let mut forged = mac.clone();
        forged[place] ^= 0x10;
        replace(&digest, &forged);
        compiled_again(&engine, &directory, &code, &format!("digest byte {place}"));
        assert_eq!(fs::read(&digest).unwrap(), mac);
    }
    fs::remove_file(&digest).unwrap();
    compiled_again(&engine, &directory, &code, "no digest");
}

#[test]
fn wm_13_a_file_of_another_module_is_never_loaded_in_its_place() {
    let engine = Engine::default();
    let (directory, code, _) = filled(&engine);
    let (first, first_mac) = (directory.file("cwasm"), directory.file("mac"));
    let cache = ModuleCache::open(&directory.0).unwrap();
    assert_eq!(answer(&engine, &cache, &module(8)), 8);
    let second = directory
        .files("cwasm")
        .into_iter()
        .find(|path| *path != first);
    let second = second.unwrap();
    // Code and digest of the one under the name of the other: both are genuine.
    replace(&first, &fs::read(&second).unwrap());
    replace(&first_mac, &fs::read(second.with_extension("mac")).unwrap());
    assert_eq!(answer(&engine, &cache, &module(7)), 7);
    assert!(fs::read(&first).unwrap() == code);
    assert_eq!(answer(&engine, &cache, &module(8)), 8);
}

#[test]
fn wm_13_files_of_another_key_are_never_loaded() {
    let engine = Engine::default();
    let (directory, code, mac) = filled(&engine);
    for key in [&[0; 32][..], &[7; 32], b"short", b""] {
        replace(&directory.0.join("key"), key);
        set_mode(&directory.0.join("key"), 0o600);
        compiled_again(&engine, &directory, &code, "another key");
        assert_ne!(fs::read(directory.file("mac")).unwrap(), mac);
    }
    // A damaged key is replaced by a new one, not used.
    assert_eq!(fs::read(directory.0.join("key")).unwrap().len(), 32);
    fs::remove_file(directory.0.join("key")).unwrap();
    compiled_again(&engine, &directory, &code, "no key");
}

#[test]
fn wm_13_other_settings_have_files_of_their_own() {
    let engine = Engine::default();
    let (directory, ..) = filled(&engine);
    let mut config = wasmtime::Config::new();
    config.epoch_interruption(true);
    let other = Engine::new(&config).unwrap();
    let cache = ModuleCache::open(&directory.0).unwrap();
    assert!(!cache.has(&other, &module(7)));
    cache.load(&other, &module(7)).unwrap();
    assert_eq!(directory.files("cwasm").len(), 2);
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

/// A cache that cannot be opened, for a reason that says what to do; nothing in it was changed.
#[cfg(unix)]
#[track_caller]
fn refused(directory: &Directory, because: &str) {
    let key = fs::read(directory.0.join("key")).unwrap();
    let error = ModuleCache::open(&directory.0).unwrap_err();
    assert!(matches!(error, EngineError::Cache(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains(because), "{text}");
    assert!(text.contains("CODEPOD_CACHE_DIR"), "{text}");
    assert_eq!(fs::read(directory.0.join("key")).unwrap(), key);
}

#[cfg(unix)]
#[test]
fn wm_13_a_directory_that_others_can_write_to_is_refused() {
    let engine = Engine::default();
    let (directory, ..) = filled(&engine);
    for mode in [0o720, 0o702, 0o777, 0o1777] {
        set_mode(&directory.0, mode);
        refused(&directory, "others can write to its directory");
    }
    // One that they can only read is ours, and closed to them.
    set_mode(&directory.0, 0o755);
    ModuleCache::open(&directory.0).unwrap();
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(&directory.0).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[cfg(unix)]
#[test]
fn wm_13_a_key_that_others_can_read_is_refused() {
    let engine = Engine::default();
    let (directory, ..) = filled(&engine);
    for mode in [0o640, 0o604, 0o620, 0o666] {
        set_mode(&directory.0.join("key"), mode);
        refused(&directory, "others can read its key");
    }
    set_mode(&directory.0.join("key"), 0o600);
    ModuleCache::open(&directory.0).unwrap();
}

#[cfg(unix)]
#[test]
fn wm_13_a_directory_or_a_key_of_another_user_is_refused() {
    use std::os::unix::fs::{MetadataExt, chown};
    let engine = Engine::default();
    let (directory, ..) = filled(&engine);
    let own = fs::metadata(&directory.0).unwrap().uid();
    if own == 0 {
        for path in [directory.0.clone(), directory.0.join("key")] {
            chown(&path, Some(12_345), None).unwrap();
            refused(&directory, "belongs to another user");
            chown(&path, Some(0), None).unwrap();
        }
        ModuleCache::open(&directory.0).unwrap();
    } else {
        // Who cannot give a directory away finds one that was never theirs.
        let error = ModuleCache::open("/").unwrap_err().to_string();
        assert!(error.contains("belongs to another user"), "{error}");
    }
}

#[test]
fn there_is_no_cache_where_no_directory_is_the_users() {
    // In a process of its own: the environment is everybody's.
    const ASKED: &str = "CODEPOD_TEST_NO_CACHE";
    if std::env::var_os(ASKED).is_some() {
        assert_eq!(ModuleCache::directory_of_user(), None);
        assert!(ModuleCache::of_user().unwrap().is_none());
        return;
    }
    let name = "there_is_no_cache_where_no_directory_is_the_users";
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env_clear()
        .env(ASKED, "1")
        .status();
    assert!(status.unwrap().success());
}

#[cfg(unix)]
#[test]
fn wm_13_only_the_owner_can_read_key_and_code() {
    use std::os::unix::fs::PermissionsExt;
    let engine = Engine::default();
    let (directory, ..) = filled(&engine);
    for path in [
        directory.0.join("key"),
        directory.file("cwasm"),
        directory.file("mac"),
    ] {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
    }
}

#[test]
fn what_is_no_module_is_an_error_and_leaves_no_file() {
    let directory = Directory::new();
    let cache = ModuleCache::open(&directory.0).unwrap();
    assert!(cache.load(&Engine::default(), b"garbage").is_err());
    assert!(directory.files("cwasm").is_empty());
}

#[test]
fn what_was_not_used_for_the_longest_time_makes_room() {
    let directory = Directory::new();
    let engine = Engine::default();
    let cache = ModuleCache::open(&directory.0).unwrap();
    cache.load(&engine, &module(1)).unwrap();
    let one = fs::metadata(directory.file("cwasm")).unwrap().len();
    let cache = cache.with_room(3 * one + one / 2);
    for answer in [2, 3] {
        std::thread::sleep(std::time::Duration::from_millis(20));
        cache.load(&engine, &module(answer)).unwrap();
    }
    // Used once more, the first is not the oldest any longer.
    std::thread::sleep(std::time::Duration::from_millis(20));
    cache.load(&engine, &module(1)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    cache.load(&engine, &module(4)).unwrap();
    let there = [1, 2, 3, 4].map(|answer| cache.has(&engine, &module(answer)));
    assert_eq!(there, [true, false, true, true]);
    assert_eq!(directory.files("mac").len(), 3);
    // One that has no room beside it is still written and used.
    let cache = cache.with_room(1);
    cache.load(&engine, &module(5)).unwrap();
    assert!(cache.has(&engine, &module(5)));
    assert_eq!(directory.files("cwasm").len(), 1);
}
