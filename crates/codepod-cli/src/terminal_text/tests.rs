//! AP-11: sequences that terminals obey, whole and cut into pieces at every place.

use super::*;

/// What must be seen and not obeyed.
const HOSTILE: &[&[u8]] = &[
    // The clipboard, links, titles, colours of the terminal, notifications, files: OSC.
    b"\x1b]52;c;cm0gLXJmIC8K\x07",
    b"\x1b]52;c;cm0gLXJmIC8K\x1b\\",
    b"\x1b]52;p;?\x07",
    b"\x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\",
    b"\x1b]8;id=1;file:///etc/passwd\x07x\x1b]8;;\x07",
    b"\x1b]0;title\x07",
    b"\x1b]1;icon\x07",
    b"\x1b]2;title\x1b\\",
    b"\x1b]4;1;rgb:00/00/00\x07",
    b"\x1b]4;1;?\x07",
    b"\x1b]7;file://host/tmp\x07",
    b"\x1b]9;notify\x07",
    b"\x1b]9;4;1;50\x07",
    b"\x1b]10;?\x07",
    b"\x1b]11;#000000\x07",
    b"\x1b]12;red\x07",
    b"\x1b]50;#1\x07",
    b"\x1b]104\x07",
    b"\x1b]110\x07",
    b"\x1b]133;A\x07",
    b"\x1b]633;E;rm -rf /\x07",
    b"\x1b]777;notify;a;b\x07",
    b"\x1b]1337;File=name=eA==;inline=1:AAAA\x07",
    b"\x1b]1337;SetMark\x07",
    b"\x1b]1337;ReportVariable=eA==\x07",
    b"\x1b]unfinished",
    // DCS, APC, PM, SOS: settings, reports, pictures, macros.
    b"\x1bP$q\"p\x1b\\",
    b"\x1bP+q544e\x1b\\",
    b"\x1bP1$r0m\x1b\\",
    b"\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\",
    b"\x1bP1;1;1!zecho x\x1b\\",
    b"\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\",
    b"\x1b_Gf=32,s=1,v=1;AAAA\x1b\\",
    b"\x1b^private\x1b\\",
    b"\x1bXstring\x1b\\",
    // Questions that the terminal answers as if somebody had typed.
    b"\x1b[c",
    b"\x1b[>c",
    b"\x1b[=c",
    b"\x1b[>0q",
    b"\x1b[5n",
    b"\x1b[6n",
    b"\x1b[?6n",
    b"\x1b[?15n",
    b"\x1b[x",
    b"\x1b[14t",
    b"\x1b[18t",
    b"\x1b[21t",
    b"\x1b[?1$p",
    b"\x1b[?u",
    b"\x1b[1*y",
    b"\x05",
    b"\x1bZ",
    // Windows, modes, keys, margins, resets, the alphabet, the past.
    b"\x1b[3;0;0t",
    b"\x1b[8;1;1t",
    b"\x1b[22;0t",
    b"\x1b[?1000h",
    b"\x1b[?1003h\x1b[?1006h",
    b"\x1b[?1004h",
    b"\x1b[?2004h",
    b"\x1b[?1049h",
    b"\x1b[?25l",
    b"\x1b[?5h",
    b"\x1b[4h",
    b"\x1b[20h",
    b"\x1b[>4;2m",
    b"\x1b[>1u",
    b"\x1b[1;1r",
    b"\x1b[1;1s",
    b"\x1b[3J",
    b"\x1b[2K\x1b[3J",
    b"\x1b[1000000b",
    b"\x1b[5i",
    b"\x1b[4i",
    b"\x1b[!p",
    b"\x1b[61\"p",
    b"\x1b[2 q",
    b"\x1b[8m",
    b"\x1b[1;08m",
    b"\x1b[38;5;1;8m",
    b"\x1bc",
    b"\x1b7\x1b8",
    b"\x1b#8",
    b"\x1b(0",
    b"\x1b%G",
    b"\x1bN\x1bO",
    b"\x1b=\x1b>",
    b"\x1bn\x1bo",
    b"\x0e\x0f",
    b"\x07",
    b"\x7f\x0b\x0c",
    b"\x00\x01\x04\x13\x11\x1a",
    // Cut off, too long, one in another, controls within.
    b"\x1b",
    b"\x1b[",
    b"\x1b[1;",
    b"\x1b[31\n",
    b"\x1b[3\x1b]0;x\x07",
    b"\x1b\x1b[31m\x1b",
    b"\x1b[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1m",
    b"\x1b[\xc2\x9b",
    // The same with one byte instead of two, as bytes and as characters.
    b"\x9b31m",
    b"\x9d52;c;eA==\x9c",
    b"\x90q\x9c",
    b"\xc2\x9b31m",
    b"\xc2\x9d0;title\xc2\x9c",
    b"\xc2\x85\xc2\x84",
    // Bytes that are no text.
    b"\xff\xfe\xc0\x9b\xe2\x82\xf5",
    b"\xe2\x80",
    b"\xed\xa0\x80",
    // Text in another order, and text that nobody sees.
    "\u{202e}txt.exe".as_bytes(),
    "\u{202a}\u{202b}\u{202c}\u{202d}".as_bytes(),
    "\u{2066}a\u{2067}b\u{2068}c\u{2069}".as_bytes(),
    "\u{200e}\u{200f}\u{61c}".as_bytes(),
    "\u{e0001}\u{e0069}\u{e0067}\u{e007f}".as_bytes(),
    "a\u{200b}b\u{2060}c\u{feff}d\u{ad}e".as_bytes(),
    "\u{2028}\u{2029}".as_bytes(),
    "\u{fff9}x\u{fffa}y\u{fffb}".as_bytes(),
];

/// What passes as it is.
const HARMLESS: &[&str] = &[
    "plain text\n",
    "tab\tand\rreturn\x08",
    "grün 日本語 🦀 é",
    "\x1b[31mred\x1b[0m",
    "\x1b[m",
    "\x1b[1;4;38;5;8;48;2;8;8;8m",
    "\x1b[38:2::8:8:8m",
    "\x1b[58;5;8m",
    "\x1b[3C\x1b[4D\x1b[9G",
    "\x1b[K\x1b[1K",
];

/// What leads out of the line, for a program that has the screen to itself.
const OUT_OF_THE_LINE: &[&str] = &[
    "\x1b[A",
    "\x1b[2B",
    "\x1b[E",
    "\x1b[F",
    "\x1b[5d",
    "\x1b[H",
    "\x1b[1;1H",
    "\x1b[3;4f",
    "\x1b[J",
    "\x1b[1J",
    "\x1b[2J",
    "\x1b[s",
    "\x1b[u",
];

/// The sequences that the library's own text is tried with.
fn corpus() -> Vec<Vec<u8>> {
    let lines = include_str!("../../../codepod/src/visible/hostile.txt").lines();
    let bytes = |line: &str| {
        let mut parts = line.split("\\x");
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
            bytes.extend_from_slice(&part.as_bytes()[2..]);
        }
        bytes
    };
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.map(bytes).collect()
}

fn filtered(mut filter: TerminalText, pieces: &[&[u8]]) -> String {
    let mut out = Vec::new();
    for piece in pieces {
        filter.push(piece, &mut out);
    }
    filter.finish(&mut out);
    String::from_utf8(out).unwrap()
}

/// Looks at what came out with rules of its own: the controls that are left, and no hidden
/// character.
fn is_safe(text: &str) -> bool {
    has_only(text, b"mCDGK")
}

/// As [`is_safe`], for a program that has the screen to itself.
fn is_safe_on_full_screen(text: &str) -> bool {
    has_only(text, b"mABCDEFGHJKdfsu")
}

fn has_only(text: &str, sequences: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        let Some(sequence) = rest[at..].strip_prefix("\x1b[") else {
            return false;
        };
        let end = sequence.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':');
        let Some(end) = end.filter(|end| sequences.contains(&sequence.as_bytes()[*end])) else {
            return false;
        };
        rest = &sequence[end + 1..];
    }
    let control = |c: char| c.is_control() && !"\n\t\r\x08\x1b".contains(c);
    let bidi =
        |c: char| matches!(c as u32, 0x202a..=0x202e | 0x2066..=0x2069 | 0x200e | 0x200f | 0x61c);
    let tag = |c: char| (0xe0000..=0xe007f).contains(&(c as u32));
    !text.chars().any(|c| control(c) || bidi(c) || tag(c))
}

#[test]
fn ap_11_what_a_terminal_would_obey_is_shown_instead() {
    assert!(HOSTILE.len() >= 80, "{}", HOSTILE.len());
    for sequence in HOSTILE {
        let shown = filtered(TerminalText::default(), &[sequence]);
        assert!(is_safe(&shown), "{sequence:02x?} became {shown:?}");
        let marks = |c: char| "␛␀␁␄␅␇␋␌␎␏␑␓␚␡<\\".contains(c);
        assert!(shown.contains(marks), "{sequence:02x?} became {shown:?}");
    }
}

#[test]
fn ap_11_what_the_library_makes_visible_is_never_obeyed() {
    let corpus = corpus();
    assert!(corpus.len() >= 80, "{}", corpus.len());
    for sequence in corpus {
        let shown = filtered(TerminalText::default(), &[&sequence]);
        assert!(is_safe(&shown), "{sequence:02x?} became {shown:?}");
        let bytes: Vec<&[u8]> = sequence.chunks(1).collect();
        assert_eq!(
            filtered(TerminalText::default(), &bytes),
            shown,
            "{sequence:02x?}"
        );
    }
}

#[test]
fn ap_11_pieces_that_end_anywhere_change_nothing() {
    let harmless = HARMLESS.iter().map(|text| text.as_bytes());
    for sequence in HOSTILE.iter().copied().chain(harmless) {
        let whole = filtered(TerminalText::default(), &[sequence]);
        for at in 0..=sequence.len() {
            let (a, b) = sequence.split_at(at);
            assert_eq!(
                filtered(TerminalText::default(), &[a, b]),
                whole,
                "{sequence:02x?} at {at}"
            );
        }
        let bytes: Vec<&[u8]> = sequence.chunks(1).collect();
        assert_eq!(
            filtered(TerminalText::default(), &bytes),
            whole,
            "{sequence:02x?}"
        );
    }
}

#[test]
fn colours_and_movements_pass_and_do_not_last() {
    for text in HARMLESS {
        let shown = filtered(TerminalText::default(), &[text.as_bytes()]);
        let last = text.rfind('\x1b').map_or("", |at| &text[at..]);
        let coloured = last.ends_with('m') && last != "\x1b[0m" && last != "\x1b[m";
        let reset = if coloured { "\x1b[0m" } else { "" };
        assert_eq!(shown, format!("{text}{reset}"));
    }
}

#[test]
fn a_program_with_the_whole_screen_may_a_little_more_and_it_is_put_back() {
    let shown = filtered(
        TerminalText::full_screen(),
        &[b"\x1b[?1049h\x1b[?25lx\x1b[2L\x1b[?1000h"],
    );
    let expected = "\x1b[?1049h\x1b[?25lx\x1b[2L␛[?1000h\x1b[?1049l\x1b[?25h";
    assert_eq!(shown, expected);
    for sequence in HOSTILE {
        let shown = filtered(TerminalText::full_screen(), &[sequence]);
        let rest = ["\x1b[?1049h", "\x1b[?25l", "\x1b[?1049l", "\x1b[?25h"]
            .iter()
            .fold(shown, |text, allowed| text.replace(allowed, ""));
        assert!(
            is_safe_on_full_screen(&rest),
            "{sequence:02x?} became {rest:?}"
        );
    }
    for sequence in OUT_OF_THE_LINE {
        let shown = filtered(TerminalText::full_screen(), &[sequence.as_bytes()]);
        assert_eq!(shown, *sequence);
    }
}

#[test]
fn ap_11_output_does_not_leave_its_line() {
    for sequence in OUT_OF_THE_LINE {
        let text = format!("false prompt$ {sequence}rm");
        let shown = filtered(TerminalText::of_output(), &[text.as_bytes()]);
        assert!(is_safe(&shown) && shown.contains('␛'), "{shown:?}");
    }
}

#[test]
fn ap_11_an_end_within_a_line_is_marked() {
    let output = |text: &str| filtered(TerminalText::of_output(), &[text.as_bytes()]);
    assert_eq!(output(""), "");
    assert_eq!(output("whole\n"), "whole\n");
    assert_eq!(output("user@host$ "), "user@host$ ⏎\n");
    assert_eq!(output("\x1b[31mred"), "\x1b[31mred\x1b[0m⏎\n");
    // Colours alone are no text.
    assert_eq!(output("whole\n\x1b[0m"), "whole\n\x1b[0m");
    assert_eq!(output("grün\n日"), "grün\n日⏎\n");
    assert_eq!(output("x\n\x1b]"), "x\n␛]⏎\n");
}

#[test]
fn ap_11_random_bytes_never_bring_a_sequence_through() {
    let mut state = 1_u64;
    let alphabet = b"\x1b\x1b\x1b[[]]?>0123456789;:mHJKhlnctqPX_^\\\x07\x9b\xc2\xe2\x80\xae\n a";
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..24)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                alphabet[(state % alphabet.len() as u64) as usize]
            })
            .collect();
        let shown = filtered(TerminalText::default(), &[&bytes]);
        assert!(is_safe(&shown), "{bytes:02x?} became {shown:?}");
        assert!(
            !shown.contains("\x1b[3J") && !shown.contains("\x1b[8m"),
            "{bytes:02x?}"
        );
    }
}

#[test]
fn ap_12_a_path_stays_on_its_line() {
    let cases: &[(&[u8], &str)] = &[
        (b"/a b/\xc3\xa9", "/a b/é"),
        (b"/a\nD /etc", "\"/a\\nD /etc\""),
        (b"/\x1b[31m", "\"/\\033[31m\""),
        (b"/\xff\"\\", "\"/\\377\\\"\\\\\""),
        ("/\u{202e}x".as_bytes(), "\"/\\342\\200\\256x\""),
    ];
    for (path, expected) in cases {
        assert_eq!(shown_path(path), *expected);
    }
}
