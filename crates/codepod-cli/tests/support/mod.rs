//! Running the command as a user does.
#![allow(
    clippy::allow_attributes,
    dead_code,
    reason = "each test binary uses a part"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory that is removed at the end, for states, files and whatever else a test keeps.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new() -> Directory {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("codepod-cli-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Directory(path.canonicalize().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs the command with states in this directory; status, output and complaints.
    pub(crate) fn codepod(&self, arguments: &[&str]) -> (i32, String, String) {
        self.codepod_with(arguments, "")
    }

    pub(crate) fn codepod_with(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        ends(self.command().args(arguments), input)
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(program());
        command
            .current_dir(&self.0)
            .env("CODEPOD_STATES", self.path("states"));
        command
    }

    /// Runs the command, which must succeed without complaint; what it printed.
    #[track_caller]
    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        let (status, stdout, stderr) = self.codepod(arguments);
        assert_eq!(
            (status, stderr.as_str()),
            (0, ""),
            "{arguments:?}: {stdout}"
        );
        stdout
    }

    /// Runs the command, which must fail with what, why and a hint.
    #[track_caller]
    pub(crate) fn fails(&self, arguments: &[&str], status: i32, what: &str) {
        let (found, stdout, stderr) = self.codepod(arguments);
        assert_eq!(
            (found, stdout.as_str()),
            (status, ""),
            "{arguments:?}: {stderr}"
        );
        assert!(stderr.contains(what), "{arguments:?}: {stderr}");
        // The parser of arguments has hints of its own kind.
        let hinted = stderr.contains("hint: ") || stderr.contains("For more information");
        assert!(hinted, "{arguments:?}: {stderr}");
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_codepod"))
}

/// Runs a command with an input; its status, output and complaints.
pub(crate) fn ends(command: &mut Command, input: &str) -> (i32, String, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It may have ended without reading.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap_or(-1);
    (status, text(output.stdout), text(output.stderr))
}
