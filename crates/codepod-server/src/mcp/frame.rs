//! Text for models with a guest's words in it.
//!
//! What a guest says stands between two lines with a mark that is random for every call, so nothing
//! that it prints can end its place early and go on as if it were us. Inside, it is made visible:
//! see [`codepod::visible`].
//!
//! ```text
//! exit_code: 0
//! stdout, 6 bytes:
//! ---- 5f2c91d0a3b4e867
//! hello
//! ---- 5f2c91d0a3b4e867
//! ```

use codepod::visible::{visible, visible_line};

/// Text that is being written.
pub(super) struct Frame {
    mark: String,
    text: String,
}

/// Bytes that are missing in what is shown.
pub(super) struct Missing {
    /// So many of the bytes that are there come before them.
    pub(super) at: usize,
    /// How many they are, and where to find them: our own words.
    pub(super) note: String,
}

impl Frame {
    /// For one call. `mark` is random.
    pub(super) fn new(mark: String) -> Frame {
        Frame {
            mark,
            text: String::new(),
        }
    }

    /// A line of our own.
    pub(super) fn line(&mut self, name: &str, value: impl std::fmt::Display) {
        self.text += &format!("{name}: {value}\n");
    }

    /// What a guest says, between marks.
    pub(super) fn data(&mut self, name: &str, bytes: &[u8], missing: Option<Missing>) {
        if bytes.is_empty() && missing.is_none() {
            return self.line(name, "empty");
        }
        let end = match bytes.last() {
            Some(b'\n') | None => "",
            Some(_) => ", no newline at the end",
        };
        self.text += &format!("{name}, {} bytes{end}:\n", bytes.len());
        self.edge();
        match missing {
            None => self.block(bytes),
            Some(missing) => {
                let (before, after) = bytes.split_at(missing.at.min(bytes.len()));
                self.block(before);
                self.text += &format!("---- {} {}\n", self.mark, missing.note);
                self.block(after);
            }
        }
        self.edge();
    }

    /// A guest's words, a line for each entry; no entry looks like two.
    pub(super) fn list<'a>(&mut self, name: &str, lines: impl Iterator<Item = (&'a str, &'a str)>) {
        let lines: Vec<_> = lines.collect();
        if lines.is_empty() {
            return self.line(name, "empty");
        }
        self.text += &format!("{name}, {} entries:\n", lines.len());
        self.edge();
        for (ours, theirs) in lines {
            self.text += &format!("{ours} {}\n", visible_line(theirs.as_bytes()));
        }
        self.edge();
    }

    /// A guest's words, one line each, with nothing of ours before them.
    pub(super) fn lines(&mut self, name: &str, lines: impl Iterator<Item = String>) {
        let mut text = String::new();
        let mut count = 0;
        for line in lines {
            text += &visible_line(line.as_bytes());
            text.push('\n');
            count += 1;
        }
        if count == 0 {
            return self.line(name, "none");
        }
        self.text += &format!("{name}:\n");
        self.edge();
        self.text += &text;
        self.edge();
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// The line before and after what a guest says.
    fn edge(&mut self) {
        self.text += &format!("---- {}\n", self.mark);
    }

    fn block(&mut self, bytes: &[u8]) {
        let shown = visible(bytes);
        self.text += &shown;
        if !shown.is_empty() && !shown.ends_with('\n') {
            self.text.push('\n');
        }
    }
}
