//! States that outlive their sandbox: saved, exported, kept by themselves, killed in the middle of
//! it.

#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "figures for people")]

mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use codepod::{
    Error, ErrorKind, FsLimits, Key, Mount, MountAccess, MountSource, Options, Persistence,
    Persistent, Sandbox, Store, StoreError, StoreOptions,
};
use support::{sandbox, sandbox_with, test_options, within};

/// Runs a script that must succeed; what it printed.
#[track_caller]
fn text(sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(result.exit_code, 0, "{result:?}");
    result.stdout_text().into_owned()
}

fn persistent(directory: &Path, namespace: &str) -> Result<Sandbox, Error> {
    let mut options = test_options();
    options.persistence = Persistence::Persistent(Persistent::new(directory, namespace));
    Sandbox::create(options)
}

fn store(directory: &Path) -> Store {
    Store::open(directory, "test", StoreOptions::default()).unwrap()
}

fn exported(sandbox: &Sandbox) -> Vec<u8> {
    let mut bytes = Vec::new();
    sandbox.export_state(&mut bytes, None).unwrap();
    bytes
}

const WORK: &str = r#"
mkdir -p project/src && cd project
printf 'int main;\n' > src/main.c
head -c 200000 /dev/urandom > blob
ln src/main.c hard && ln -s src/main.c soft && mkfifo pipe
chmod 750 src && touch -d '2020-02-02 02:02:02' hard
export TOKEN=abc; list=(a b c); greet() { echo "hi $1"; }
sudo=1; rm -f ~/.nothing
"#;

#[test]
fn ac_persist_1_a_persistent_sandbox_has_its_files_and_environment_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let before = persistent(directory.path(), "agent").unwrap();
    text(&before, WORK);
    let sums = text(
        &before,
        "md5sum src/main.c blob; stat -c '%a %h %Y %s' hard src",
    );
    let hash = before.state_hash().unwrap();
    drop(before);
    let after = persistent(directory.path(), "agent").unwrap();
    assert_eq!(after.state_hash().unwrap(), hash);
    assert_eq!(
        text(
            &after,
            "md5sum src/main.c blob; stat -c '%a %h %Y %s' hard src"
        ),
        sums
    );
    assert_eq!(
        text(
            &after,
            "pwd; echo $TOKEN ${list[2]}; greet you; readlink soft; test -p pipe"
        ),
        "/home/user/project\nabc c\nhi you\nsrc/main.c\n"
    );
}

#[test]
fn ac_persist_2_export_and_import_give_the_same_hash() {
    let one = sandbox();
    text(&one, WORK);
    let bytes = exported(&one);
    let two = sandbox();
    let version = two.import_state(&bytes[..], None).unwrap();
    assert_eq!(version.hash, one.state_hash().unwrap());
    assert_eq!(two.state_hash().unwrap(), version.hash);
    assert_eq!(one.stats().unwrap().bytes, two.stats().unwrap().bytes);
    assert_eq!(text(&two, "cat hard; echo $TOKEN"), "int main;\nabc\n");
    // The same state is the same stream, but for the time in it.
    assert_eq!(exported(&two).len(), exported(&two).len());
}

#[test]
fn ac_persist_3_namespaces_cannot_see_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let one = persistent(directory.path(), "tenant/one").unwrap();
    one.write_file("/home/user/secret", "of one").unwrap();
    one.save().unwrap();
    let names = [
        "tenant/two",
        "tenant/ONE",
        "tenant-one",
        "tenant/one/..",
        "../tenant/one",
    ];
    for name in names {
        let other = persistent(directory.path(), name).unwrap();
        assert!(other.read_file("/home/user/secret").is_err(), "{name}");
        assert!(matches!(
            other.load().unwrap_err().kind(),
            ErrorKind::Store(StoreError::Nothing { .. })
        ));
    }
    // A manifest that is copied over is not taken for one's own.
    drop(one);
    let folders: Vec<_> = std::fs::read_dir(directory.path())
        .unwrap()
        .flatten()
        .collect();
    let named = |prefix: &str| {
        let mut paths = folders.iter().map(|folder| folder.path());
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        paths.find(|path| {
            name(path).starts_with(prefix)
                && path.join("p").read_dir().unwrap().count()
                    == usize::from(prefix == "tenant-one-")
        })
    };
    let (from, to) = (named("tenant-one-").unwrap(), named("tenant-two-").unwrap());
    for part in ["m", "p"] {
        for file in from.join(part).read_dir().unwrap().flatten() {
            std::fs::copy(file.path(), to.join(part).join(file.file_name())).unwrap();
        }
    }
    assert!(persistent(directory.path(), "tenant/two").is_err());
    for bad in ["", "a b", "a\0b", &"x".repeat(101)] {
        assert!(persistent(directory.path(), bad).is_err(), "{bad:?}");
    }
}

#[test]
fn one_sandbox_at_a_time_has_a_namespace() {
    let directory = tempfile::tempdir().unwrap();
    let one = persistent(directory.path(), "agent").unwrap();
    let two = persistent(directory.path(), "agent").unwrap_err();
    assert!(
        matches!(two.kind(), ErrorKind::Store(StoreError::Locked { .. })),
        "{two}"
    );
    let fork = one.fork().unwrap();
    drop(one);
    persistent(directory.path(), "agent").unwrap();
    fork.write_file("/tmp/x", "y").unwrap();
}

#[test]
fn a_change_is_saved_by_itself() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = test_options();
    let mut place = Persistent::new(directory.path(), "agent");
    place.autosave = Duration::from_millis(20);
    options.persistence = Persistence::Persistent(place);
    let sandbox = Sandbox::create(options).unwrap();
    let sequence = || {
        sandbox
            .autosaved()
            .unwrap()
            .last
            .map_or(0, |s| s.version.sequence)
    };
    sandbox.write_file("/tmp/a", "1").unwrap();
    assert!(within(Duration::from_secs(5), || sequence() >= 1));
    assert!(within(Duration::from_secs(5), || {
        let last = sandbox.autosaved().unwrap().last.unwrap();
        last.version.hash == sandbox.state_hash().unwrap()
    }));
    let quiet = sequence();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(sequence(), quiet, "nothing has changed, and it was saved");
    sandbox.write_file("/tmp/a", "2").unwrap();
    assert!(within(Duration::from_secs(5), || sequence() > quiet));
}

#[test]
fn saves_write_what_changed_and_loads_go_back_to_the_last() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let one = sandbox();
    for n in 0..50 {
        one.write_file(format!("/home/user/f{n}"), vec![n as u8; 50_000 + n])
            .unwrap();
    }
    let whole = one.save_to(&store).unwrap();
    one.write_file("/home/user/f7", "changed").unwrap();
    let part = one.save_to(&store).unwrap();
    assert!(
        part.written < 12_000 && part.blocks <= 4,
        "{part:?} after {whole:?}"
    );
    let same = one.save_to(&store).unwrap();
    assert_eq!((same.blocks, same.version.hash), (0, part.version.hash));
    one.remove("/home/user/f8").unwrap();
    one.load_from(&store).unwrap();
    assert_eq!(one.read_file("/home/user/f8").unwrap().len(), 50_008);
    assert_eq!(one.read_file("/home/user/f7").unwrap(), b"changed");
    store.check().unwrap();
}

#[test]
fn memory_mounts_and_overlays_are_saved_and_host_directories_are_not() {
    let host = tempfile::tempdir().unwrap();
    std::fs::create_dir(host.path().join("dir")).unwrap();
    std::fs::write(host.path().join("dir/old"), "old").unwrap();
    std::fs::write(host.path().join("gone"), "gone").unwrap();
    let make = || {
        sandbox_with(|options| {
            options.mounts = vec![
                Mount::new(MountSource::Memory, "/scratch"),
                Mount::host(host.path(), "/work", MountAccess::Overlay),
                Mount::host(host.path(), "/seen", MountAccess::ReadOnly),
            ];
        })
    };
    let one = make();
    text(
        &one,
        "echo s > /scratch/f; cd /work; echo new > dir/new; echo more >> dir/old; rm gone; mkdir fresh; echo x > fresh/y",
    );
    let look = "cat /scratch/f; cd /work; find . | sort; cat dir/old dir/new fresh/y; ls /seen";
    let expected = text(&one, look);
    let bytes = exported(&one);
    std::fs::write(host.path().join("dir/later"), "later").unwrap();
    std::fs::remove_file(host.path().join("dir/later")).unwrap();
    let two = make();
    two.import_state(&bytes[..], None).unwrap();
    assert_eq!(text(&two, look), expected);
    assert_eq!(two.state_hash().unwrap(), {
        let again = make();
        again.import_state(&exported(&two)[..], None).unwrap();
        again.state_hash().unwrap()
    });
    // What the host adds shows through the directories that came from it.
    std::fs::write(host.path().join("dir/later"), "later").unwrap();
    assert_eq!(text(&two, "cat /work/dir/later"), "later");
    let error = sandbox().import_state(&bytes[..], None).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Store(StoreError::Mount { .. })),
        "{error}"
    );
}

#[test]
fn a_load_replaces_everything_and_an_undo_brings_it_back() {
    let one = sandbox();
    text(&one, "echo saved > f; X=saved");
    let bytes = exported(&one);
    let two = sandbox();
    text(&two, "echo own > g; Y=own");
    let before = two.snapshot().unwrap();
    two.import_state(&bytes[..], None).unwrap();
    assert_eq!(text(&two, "cat f; echo $X$Y; ls"), "saved\nsaved\nf\n");
    two.restore(&before).unwrap();
    assert_eq!(text(&two, "cat g; echo $X$Y; ls"), "own\nown\ng\n");
}

#[test]
fn a_state_with_a_shell_of_its_own_keeps_nobody_waiting() {
    let one = sandbox();
    text(&one, "name=value");
    let root = one.as_root();
    let endless = "#!/usr/bin/sleep infinity\n";
    root.write_file("/usr/bin/bash", endless).unwrap();
    root.set_mode("/usr/bin/bash", 0o755).unwrap();
    let two = sandbox();
    two.import_state(&exported(&one)[..], None).unwrap();
    let begin = Instant::now();
    let script = two.script("echo $name").timeout(Duration::from_millis(200));
    let result = script.run_blocking().unwrap();
    let took = begin.elapsed();
    assert!(took <= Duration::from_millis(450), "{took:?}");
    assert!(
        result.timed_out || result.stdout == b"value\n",
        "{result:?}"
    );
    assert_eq!(text(&two, "echo $name"), "value\n");
}

#[test]
fn an_ephemeral_sandbox_gives_nothing_away() {
    let one = sandbox_with(|options| options.persistence = Persistence::Ephemeral);
    let error = one.export_state(Vec::new(), None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Ephemeral));
    assert!(matches!(
        sandbox().save().unwrap_err().kind(),
        ErrorKind::NotPersistent
    ));
}

// SN-05, SN-07
#[test]
fn sn_05_sn_07_nothing_of_the_host_and_no_code_is_in_a_state() {
    let host = tempfile::Builder::new()
        .prefix("canary-path-")
        .tempdir()
        .unwrap();
    std::fs::write(host.path().join("canary-file"), "canary-content").unwrap();
    let key = *b"canary-key-canary-key-canary-key";
    let one = sandbox_with(|options| {
        options.mounts = vec![Mount::host(host.path(), "/work", MountAccess::Overlay)];
    });
    text(
        &one,
        "cat /work/canary-file; echo what-is-its-own > /work/own; ls /usr/bin | wc -l; seq 3; x=variable-of-its-own",
    );
    let mut plain = Vec::new();
    one.export_state(&mut plain, None).unwrap();
    let mut sealed = Vec::new();
    let key = Key::new(&key);
    one.export_state(&mut sealed, Some(&key)).unwrap();
    // As they are, and as they are before they are compressed and encrypted.
    let inside = codepod_store::testing::contents_of(&plain, None).unwrap();
    let unsealed = codepod_store::testing::contents_of(&sealed, Some(&key)).unwrap();
    let found = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    // What the sandbox itself holds is there to be found, so the others would be.
    for own in [&b"what-is-its-own"[..], b"variable-of-its-own"] {
        assert!(found(&inside, own) && found(&unsealed, own));
    }
    for canary in [&b"canary"[..], b"\0asm", b"\x7fELF", b"#!codepod"] {
        for bytes in [&plain, &sealed, &inside, &unsealed] {
            assert!(!found(bytes, canary), "{canary:?}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    one.save_to(&store(directory.path())).unwrap();
    for entry in files_below(directory.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        // Names and times of the host's files are kept beside an overlay at home; their content and
        // their place are not.
        for canary in [&b"canary-content"[..], b"canary-path", b"\0asm", b"\x7fELF"] {
            assert!(!found(&bytes, canary), "{canary:?} in {entry:?}");
        }
    }
}

/// All files in a directory and in those below it.
fn files_below(directory: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap().flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    files
}

#[test]
fn sn_11_a_large_state_does_not_get_into_a_small_sandbox() {
    let one = sandbox();
    for n in 0..20 {
        one.write_file(format!("/home/user/f{n}"), vec![n as u8; 1 << 20])
            .unwrap();
    }
    let bytes = exported(&one);
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    one.save_to(&store).unwrap();
    let small = sandbox_with(|options| {
        options.fs_limits = FsLimits {
            bytes: 4 << 20,
            ..FsLimits::default()
        }
    });
    small.write_file("/home/user/own", "own").unwrap();
    let before = small.state_hash().unwrap();
    for error in [
        small.import_state(&bytes[..], None).unwrap_err(),
        small.load_from(&store).unwrap_err(),
    ] {
        assert!(
            matches!(error.kind(), ErrorKind::Store(StoreError::Limit(_))),
            "{error}"
        );
        assert!(!error.hint().is_empty());
    }
    assert_eq!(small.state_hash().unwrap(), before);
    assert_eq!(small.read_file("/home/user/own").unwrap(), b"own");
}

#[test]
fn sn_12_without_the_key_nothing_can_be_read_or_forged() {
    let directory = tempfile::tempdir().unwrap();
    let open = |key: Option<[u8; 32]>| {
        let mut options = StoreOptions::default();
        options.key = key.map(|key| Key::new(&key));
        Store::open(directory.path(), "sealed", options).unwrap()
    };
    let one = sandbox();
    one.write_file("/home/user/secret", "a-secret-that-is-written-down")
        .unwrap();
    let saved = one.save_to(&open(Some([1; 32]))).unwrap();
    for file in &files_below(directory.path()) {
        let bytes = std::fs::read(file).unwrap();
        assert!(
            !bytes
                .windows(8)
                .any(|w| w == b"a-secret" || w == b"secret\0\0"),
            "{file:?}"
        );
    }
    let two = sandbox();
    assert!(two.load_from(&open(None)).is_err());
    assert!(two.load_from(&open(Some([2; 32]))).is_err());
    assert_eq!(
        two.load_from(&open(Some([1; 32]))).unwrap().hash,
        saved.version.hash
    );
    // A manifest by somebody without the key, in the clear and newer than ours.
    one.write_file("/home/user/secret", "forged").unwrap();
    let forger = tempfile::tempdir().unwrap();
    let plain = Store::open(forger.path(), "sealed", StoreOptions::default()).unwrap();
    one.save_to(&plain).unwrap();
    one.save_to(&plain).unwrap();
    let folder = |root: &Path| root.read_dir().unwrap().next().unwrap().unwrap().path();
    for part in ["m", "p"] {
        for file in folder(forger.path())
            .join(part)
            .read_dir()
            .unwrap()
            .flatten()
        {
            let target = folder(directory.path()).join(part).join(file.file_name());
            std::fs::copy(file.path(), target).unwrap();
        }
    }
    let error = two.load_from(&open(Some([1; 32]))).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Store(StoreError::NotSealed)),
        "{error}"
    );
}

#[test]
fn sn_13_times_stay_and_the_clock_is_real() {
    let one = sandbox();
    text(
        &one,
        "touch -d '2100-01-01 00:00:00' ahead; touch -d '1999-01-01 00:00:00' behind; touch now",
    );
    let bytes = exported(&one);
    let two = sandbox();
    two.import_state(&bytes[..], None).unwrap();
    let now = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap()
        .as_secs();
    let shown: u64 = text(&two, "date +%s").trim().parse().unwrap();
    assert!(shown.abs_diff(now) <= 5);
    assert_eq!(
        text(&two, "stat -c %y ahead behind | cut -c1-4"),
        "2100\n1999\n"
    );
    assert_eq!(
        text(
            &two,
            "[[ ahead -nt now && now -nt behind ]] && sleep 0.01 && echo fine"
        ),
        "fine\n"
    );
}

#[test]
fn a_large_state_is_ready_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let megabytes = std::env::var("CODEPOD_STATE_MB").map_or(64, |text| text.parse().unwrap());
    let large = |options: &mut Options| options.fs_limits = FsLimits::UNLIMITED;
    let one = sandbox_with(large);
    let mut seed = 1u64;
    let mut block = vec![0u8; 1 << 20];
    for n in 0..megabytes {
        for bytes in block.chunks_mut(8) {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            bytes.copy_from_slice(&seed.to_le_bytes());
        }
        one.write_file(format!("/home/user/f{n}"), &block).unwrap();
    }
    let open = || store(directory.path());
    let (first, whole) = {
        let t = Instant::now();
        (one.save_to(&open()).unwrap(), t.elapsed())
    };
    let kept = open();
    one.save_to(&kept).unwrap();
    block.iter_mut().for_each(|byte| *byte ^= 0x5a);
    one.write_file("/home/user/f3", &block).unwrap();
    let (saved, part) = {
        let t = Instant::now();
        (one.save_to(&kept).unwrap(), t.elapsed())
    };
    assert!(saved.written < 2 << 20, "{saved:?}");
    drop(kept);
    let two = sandbox_with(large);
    text(&two, "true");
    let started = Instant::now();
    let kept = open();
    two.load_from(&kept).unwrap();
    let loaded = started.elapsed();
    assert_eq!(
        text(&two, "cat f5 | wc -c; ls | wc -l"),
        format!("1048576\n{megabytes}\n")
    );
    let ready = started.elapsed();
    assert_eq!(two.read_file("/home/user/f3").unwrap(), block);
    println!(
        "{megabytes} MB: saved in {whole:?} ({} bytes), 1 MB more in {part:?} ({} bytes), loaded in {loaded:?}, first command after {ready:?}",
        first.written, saved.written
    );
    assert!(ready < Duration::from_secs(5), "{ready:?}");
}
