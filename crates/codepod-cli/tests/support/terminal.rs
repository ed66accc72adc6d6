//! A pseudo terminal with a program on it.
#![allow(
    clippy::allow_attributes,
    dead_code,
    reason = "each test binary uses a part"
)]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::pty::{OpenptyResult, Winsize, openpty};

use crate::support::{Directory, program};

/// As long as a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a program on it.
pub(crate) struct Terminal {
    keys: File,
    shown: Receiver<Vec<u8>>,
    /// All that was shown.
    seen: String,
    /// How much of it was looked at.
    at: usize,
    child: Child,
}

impl Terminal {
    pub(crate) fn start(here: &Directory, arguments: &[&str]) -> Terminal {
        Terminal::start_with(here, arguments, &[])
    }

    /// Starts the program with variables in the environment.
    pub(crate) fn start_with(
        here: &Directory,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Terminal {
        let size = Winsize {
            ws_row: 24,
            ws_col: 100,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let OpenptyResult { master, slave } = openpty(Some(&size), None).unwrap();
        let theirs = File::from(slave);
        let stream = || theirs.try_clone().unwrap();
        // A session of its own, so that keys become signals.
        let child = Command::new("setsid")
            .args(["--ctty", "--wait"])
            .arg(program())
            .args(arguments)
            .env("CODEPOD_STATES", here.path("states"))
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied())
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .unwrap();
        drop(theirs);
        let keys = File::from(master);
        let mut shown = keys.try_clone().unwrap();
        let (found, receiver) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = shown.read(&mut buffer) {
                if found.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal {
            keys,
            shown: receiver,
            seen: String::new(),
            at: 0,
            child,
        }
    }

    pub(crate) fn shell(here: &Directory, arguments: &[&str]) -> Terminal {
        let mut terminal = Terminal::start(here, &[&["shell"], arguments].concat());
        terminal.expect("$ ");
        terminal
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a text has been shown, after those that were waited for before.
    #[track_caller]
    pub(crate) fn expect(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = self.seen[self.at..].find(text) {
                self.at += found + text.len();
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.shown.recv_timeout(left) {
                Ok(bytes) => self.seen += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!(
                    "`{text}` was not shown after {:?}",
                    self.seen.split_at(self.at)
                ),
            }
        }
    }

    /// Waits until a text has been shown or the program has ended; whether it was shown.
    pub(crate) fn shows(&mut self, text: &str) -> bool {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(found) = self.seen[self.at..].find(text) {
                self.at += found + text.len();
                return true;
            }
            match self.shown.recv_timeout(Duration::from_millis(20)) {
                Ok(bytes) => self.seen += &String::from_utf8_lossy(&bytes),
                Err(_) if self.child.try_wait().unwrap().is_some() => return false,
                Err(_) => {}
            }
        }
        false
    }

    /// Waits for the end of the program.
    pub(crate) fn wait(mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(ended) = self.child.try_wait().unwrap() {
                return ended;
            }
            assert!(Instant::now() < until, "it did not end: {}", self.seen);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A line is typed, its result shown on a line of its own, and the prompt comes back.
    #[track_caller]
    pub(crate) fn line(&mut self, line: &str, result: &str) {
        self.press(&format!("{line}\r"));
        if !result.is_empty() {
            self.expect(&format!("\n{result}\r\n"));
        }
        self.expect("$ ");
    }

    #[track_caller]
    pub(crate) fn ends_with(mut self, status: i32) -> String {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(ended) = self.child.try_wait().unwrap() {
                assert_eq!(ended.code(), Some(status), "{}", self.seen);
                while let Ok(bytes) = self.shown.recv_timeout(Duration::from_millis(100)) {
                    self.seen += &String::from_utf8_lossy(&bytes);
                }
                return std::mem::take(&mut self.seen);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it did not end: {}", self.seen);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
