//! `--check`: lines that end in whitespace or keep markers of conflicts.

use super::change::{Change, content};
use super::lines;
use super::patch::{Printer, is_binary};
use crate::stop::Result;

impl Printer<'_> {
    /// `--check`: lines that end in whitespace or keep markers of conflicts; whether there are any.
    pub(super) fn check(&mut self, changes: &[Change]) -> Result<bool> {
        let mut any = false;
        for change in changes {
            let old = content(self.repo, &change.old)?;
            let new = content(self.repo, &change.new)?;
            if is_binary(&old) || is_binary(&new) {
                continue;
            }
            let (old_lines, new_lines) = (lines::split(&old), lines::split(&new));
            let blank_end = |lines: &[&[u8]]| {
                lines
                    .iter()
                    .rev()
                    .take_while(|line| line.trim_ascii().is_empty())
                    .count()
            };
            for hunk in lines::compare(
                &old_lines,
                &new_lines,
                self.options.space,
                self.options.algorithm,
            ) {
                for (at, line) in new_lines
                    .iter()
                    .enumerate()
                    .skip(hunk.new)
                    .take(hunk.new_len)
                {
                    let text = line.strip_suffix(b"\n").unwrap_or(line);
                    let path = String::from_utf8_lossy(&change.new.path).into_owned();
                    let marker = [&b"<<<<<<< "[..], b">>>>>>> ", b"||||||| "]
                        .iter()
                        .any(|mark| text.starts_with(mark))
                        || text == b"=======";
                    let indent: &[u8] = &text[..text
                        .iter()
                        .take_while(|byte| **byte == b' ' || **byte == b'\t')
                        .count()];
                    let trouble = match () {
                        () if marker => "leftover conflict marker",
                        () if text.last().is_some_and(|byte| b" \t\r".contains(byte)) => {
                            "trailing whitespace"
                        }
                        () if indent.windows(2).any(|pair| pair == b" \t") => {
                            "space before tab in indent"
                        }
                        () => continue,
                    };
                    any = true;
                    self.line(format!("{path}:{}: {trouble}.", at + 1).as_bytes());
                    if !marker {
                        self.line(&[b"+", text].concat());
                    }
                }
            }
            let ends = blank_end(&new_lines);
            if ends > blank_end(&old_lines) && ends < new_lines.len() {
                any = true;
                let path = String::from_utf8_lossy(&change.new.path).into_owned();
                self.line(
                    format!(
                        "{path}:{}: new blank line at EOF.",
                        new_lines.len() - ends + 1
                    )
                    .as_bytes(),
                );
            }
        }
        Ok(any)
    }
}
