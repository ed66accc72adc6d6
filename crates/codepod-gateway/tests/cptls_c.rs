//! The client's side of `cptls` in C, which guests are built with: its own tests, by the host's
//! compiler, and that the gateway reads its hello.

use std::path::{Path, PathBuf};
use std::process::Command;

use codepod_gateway::cptls::{Hello, MAGIC, RECORD_HEAD, Record, payload_length};

/// Builds the tests of the library and returns the program.
fn built(directory: &Path) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guests/libraries/cptls-c");
    let program = directory.join("cptls-test");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(compiler)
        .args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-g"])
        .args(["-Wall", "-Wextra", "-Werror"])
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover"])
        .arg(sources.join("cptls.c"))
        .arg(sources.join("test.c"))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    program
}

#[test]
fn the_library_in_c_keeps_to_its_own_tests() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(built(directory.path())).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

#[test]
fn the_gateway_reads_the_hello_of_the_library_in_c() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(built(directory.path())).arg("hello").output();
    let bytes = output.unwrap().stdout;
    let record = bytes.strip_prefix(&MAGIC).unwrap();
    let (head, payload) = record.split_first_chunk::<RECORD_HEAD>().unwrap();
    let announced = payload_length(*head, &[Record::Hello]);
    assert_eq!(announced, Ok((Record::Hello, payload.len())));
    let expected = Hello {
        server_name: Some("api.example".to_owned()),
        alpn: vec![b"h2".to_vec(), b"http/1.1".to_vec()],
        min_version: Some(0x303),
        max_version: Some(0x304),
        roots: vec![b"root 1".to_vec(), b"root 2".to_vec()],
        certificates: vec![b"root 2".to_vec()],
        key: Some(b"key".to_vec()),
    };
    assert!(Hello::parse(payload).unwrap() == expected);
}
