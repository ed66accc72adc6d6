//! Why edits of a file were refused.

/// Edits at a time.
pub const MOST_EDITS: usize = 100;
/// The largest file that is edited, before and after.
pub const LARGEST_EDITED: usize = 8 << 20;

/// Why a file was not edited. Edits count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditFailure {
    /// There are no edits, or too many.
    #[error("1 to {MOST_EDITS} edits can be made at a time")]
    Count,
    /// There is nothing to look for.
    #[error("edit {edit}: `old` is empty")]
    Empty {
        /// Which edit.
        edit: usize,
    },
    /// It would change nothing.
    #[error("edit {edit}: `old` and `new` are the same")]
    Same {
        /// Which edit.
        edit: usize,
    },
    /// The text is not there.
    #[error("edit {edit}: `old` is not in the file{}", alike(*line))]
    Missing {
        /// Which edit.
        edit: usize,
        /// A line that differs from the first one of `old` in spaces only.
        line: Option<usize>,
    },
    /// The text is there more than once.
    #[error("edit {edit}: `old` is there {count} times, in lines {}", listed(lines, *count))]
    Several {
        /// Which edit.
        edit: usize,
        /// How often.
        count: usize,
        /// The lines of the first ones.
        lines: Vec<usize>,
    },
    /// The file is not UTF-8.
    #[error("it is not a text file")]
    NotText,
    /// The file is too large, or would be.
    #[error("a file of more than {LARGEST_EDITED} bytes is not edited")]
    TooLarge,
}

fn alike(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| {
        format!("; line {line} differs from it in spaces only")
    })
}

fn listed(lines: &[usize], count: usize) -> String {
    let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
    let more = if count > lines.len() { ", …" } else { "" };
    numbers.join(", ") + more
}

impl EditFailure {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            EditFailure::Count => "make them in several calls",
            EditFailure::Empty { .. } => "write the whole file to begin a new one",
            EditFailure::Same { .. } => "leave this edit out",
            EditFailure::Missing { .. } => {
                "read the file again and copy `old` to the letter, with its spaces and without line numbers"
            }
            EditFailure::Several { .. } => "add lines around it to `old`, or set `all`",
            EditFailure::NotText => "use `sed` or Python in a run",
            EditFailure::TooLarge => "use `sed` in a run",
        }
    }
}
