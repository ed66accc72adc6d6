//! What a sandbox prints, made fit for our own terminal.
//!
//! A terminal obeys what it is shown: it writes to the clipboard, renames windows, answers
//! questions as if somebody had typed, and can be made to show text in another order than it has.
//! So only colours and plain movements of the cursor pass; everything else is shown instead of
//! obeyed: `␛` for an escape, `<U+202E>` for a character that nobody sees, `\x9b` for a byte that
//! is no text. Files and pipes get the bytes as they are.
//!
//! A program that does not have the screen to itself moves within its line only: it cannot draw
//! over what was there before, such as a prompt or a message of ours. Where its output ends within
//! a line, `⏎` says so: what comes next is not its own.
//!
//! Invariant: what comes out holds no control but `\n`, `\t`, `\r`, backspace and the sequences of
//! [`is_harmless`].

use codepod::visible::is_hidden;

/// The longest control sequence that passes.
const LONGEST: usize = 64;

/// A filter for one stream; pieces may end anywhere.
#[derive(Debug, Default)]
pub(crate) struct TerminalText {
    /// The beginning of an escape sequence or of a character.
    held: Vec<u8>,
    /// Whether programs may use the whole screen: show and hide the cursor, change to the other
    /// screen.
    full_screen: bool,
    /// Whether an end within a line is marked.
    marks_end: bool,
    /// Whether something was shown after the last line's end.
    in_line: bool,
    /// Whether colours were set, which have to be put back.
    coloured: bool,
    /// Whether the other screen is shown.
    other_screen: bool,
    /// Whether the cursor is hidden.
    no_cursor: bool,
}

impl TerminalText {
    /// For a program that has the terminal to itself.
    #[cfg(unix)]
    pub(crate) fn full_screen() -> TerminalText {
        TerminalText {
            full_screen: true,
            ..TerminalText::default()
        }
    }

    /// For what a sandbox prints on a terminal that others print on, too.
    pub(crate) fn of_output() -> TerminalText {
        TerminalText {
            marks_end: true,
            ..TerminalText::default()
        }
    }

    /// Adds what may be shown of a piece.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for byte in bytes {
            self.byte(*byte, out);
        }
    }

    /// Adds what is left over, and puts the terminal back as it was.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.give_up(out);
        for (changed, back) in [
            (&mut self.coloured, &b"\x1b[0m"[..]),
            (&mut self.other_screen, b"\x1b[?1049l"),
            (&mut self.no_cursor, b"\x1b[?25h"),
        ] {
            if std::mem::take(changed) {
                out.extend_from_slice(back);
            }
        }
        if std::mem::take(&mut self.in_line) && self.marks_end {
            put(out, '⏎');
            out.push(b'\n');
        }
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.held.first() {
            None => self.first(byte, out),
            Some(0x1b) => self.in_escape(byte, out),
            Some(_) => self.in_character(byte, out),
        }
    }

    fn first(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            b'\n' => self.in_line = false,
            b'\r' | 8 | 0x1b => {}
            _ => self.in_line = true,
        }
        match byte {
            0x1b | 0xc2..=0xf4 => self.held.push(byte),
            b'\n' | b'\t' | b'\r' | 8 | b' '..=b'~' => out.push(byte),
            0..=0x1f => put(out, char::from_u32(0x2400 + u32::from(byte)).unwrap_or('?')),
            0x7f => put(out, '␡'),
            _ => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
        }
    }

    fn in_escape(&mut self, byte: u8, out: &mut Vec<u8>) {
        let fits = match self.held.len() {
            1 => byte == b'[',
            _ => (0x20..=0x7e).contains(&byte) && self.held.len() < LONGEST,
        };
        if !fits {
            self.give_up(out);
            return self.byte(byte, out);
        }
        self.held.push(byte);
        // The bytes before the last one are parameters.
        if self.held.len() < 3 || byte < 0x40 {
            return;
        }
        if is_harmless(&self.held[2..], self.full_screen) {
            match &self.held[2..] {
                b"?1049h" | b"?1049l" => self.other_screen = byte == b'h',
                b"?25h" | b"?25l" => self.no_cursor = byte == b'l',
                // Back to no colours at all.
                b"m" | b"0m" => self.coloured = false,
                _ => self.coloured |= byte == b'm',
            }
            out.append(&mut self.held);
        } else {
            self.give_up(out);
        }
    }

    fn in_character(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.held.push(byte);
        match std::str::from_utf8(&self.held) {
            Ok(text) => {
                for character in text.chars() {
                    if is_hidden(character) {
                        let code = format!("<U+{:04X}>", u32::from(character));
                        out.extend_from_slice(code.as_bytes());
                    } else {
                        put(out, character);
                    }
                }
                self.held.clear();
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                self.held.pop();
                self.give_up(out);
                self.byte(byte, out);
            }
        }
    }

    /// Shows what was held, as it makes no sense or would make too much.
    fn give_up(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        self.in_line |= !held.is_empty();
        for byte in held {
            match byte {
                0x1b => put(out, '␛'),
                0x20..=0x7e => out.push(byte),
                _ => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            }
        }
    }
}

/// A text with everything that a terminal would obey made visible; for messages of our own about
/// what a sandbox holds.
pub(crate) fn shown(text: &str) -> String {
    let mut filter = TerminalText::default();
    let mut out = Vec::new();
    filter.push(text.as_bytes(), &mut out);
    filter.finish(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// A path on a line of its own: as it is, or in quotes as C has them, so that no name looks like
/// two.
pub(crate) fn shown_path(path: &[u8]) -> String {
    let text = String::from_utf8_lossy(path);
    let plain = |c: char| !c.is_control() && !is_hidden(c) && c != '"' && c != '\\';
    if text.chars().all(plain) && std::str::from_utf8(path).is_ok() {
        return text.into_owned();
    }
    let mut quoted = String::from("\"");
    for piece in path.utf8_chunks() {
        for c in piece.valid().chars() {
            match c {
                '\n' => quoted.push_str("\\n"),
                '\t' => quoted.push_str("\\t"),
                '"' | '\\' => quoted.extend(['\\', c]),
                c if plain(c) => quoted.push(c),
                c => {
                    let mut bytes = [0; 4];
                    for byte in c.encode_utf8(&mut bytes).bytes() {
                        quoted.push_str(&format!("\\{byte:03o}"));
                    }
                }
            }
        }
        for byte in piece.invalid() {
            quoted.push_str(&format!("\\{byte:03o}"));
        }
    }
    quoted + "\""
}

/// Whether a control sequence, from after `ESC [` on, only colours text or moves the cursor: within
/// its line, or anywhere for a program that has the screen to itself.
fn is_harmless(sequence: &[u8], full_screen: bool) -> bool {
    let Some((last, parameters)) = sequence.split_last() else {
        return false;
    };
    if full_screen && matches!(parameters, b"?25" | b"?1049") && matches!(last, b'h' | b'l') {
        return true;
    }
    let numbers = |allowed: &[u8]| {
        parameters
            .iter()
            .all(|byte| byte.is_ascii_digit() || allowed.contains(byte))
    };
    match last {
        b'm' => numbers(b";:") && !conceals(parameters),
        b'C' | b'D' | b'G' | b'K' => numbers(b""),
        b'A' | b'B' | b'E' | b'F' | b'd' => full_screen && numbers(b""),
        b'H' | b'f' => full_screen && numbers(b";"),
        // Not 3, which takes away what was there before the program ran.
        b'J' => full_screen && matches!(parameters, b"" | b"0" | b"1" | b"2"),
        b's' | b'u' => full_screen && parameters.is_empty(),
        b'L' | b'M' | b'P' | b'@' | b'X' => full_screen && numbers(b""),
        _ => false,
    }
}

/// Whether colours make text invisible (8). Numbers after 38, 48 and 58 say which colour.
fn conceals(parameters: &[u8]) -> bool {
    let text = std::str::from_utf8(parameters).unwrap_or("8");
    let mut words = text.split(';');
    while let Some(word) = words.next() {
        let mut parts = word.split(':');
        let number = parts.next().unwrap_or("").trim_start_matches('0');
        match number {
            "8" => return true,
            "38" | "48" | "58" if parts.next().is_none() => match words.next() {
                Some("5") => drop(words.next()),
                Some("2") => drop(words.nth(2)),
                _ => {}
            },
            _ => {}
        }
    }
    false
}

fn put(out: &mut Vec<u8>, character: char) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests;
