//! Colours of names: `LS_COLORS`, or what GNU's has without it.

use std::collections::BTreeMap;

use super::entry::Entry;
use crate::fnmatch::fnmatch;
use crate::mode::is_directory;
use crate::system::{BLOCK_DEVICE, SOCKET, mode};

/// What colour is for what.
pub(super) struct Colors {
    kinds: BTreeMap<String, String>,
    /// Suffixes and their colours; the last one that fits counts.
    suffixes: Vec<(Vec<u8>, String)>,
    /// Whether something was coloured: the first is preceded by a reset.
    pub(super) used: bool,
}

/// Kinds and their colours where nobody says otherwise.
const USUAL: &[(&str, &str)] = &[
    ("di", "01;34"),
    ("ln", "01;36"),
    ("pi", "33"),
    ("so", "01;35"),
    ("bd", "01;33"),
    ("cd", "01;33"),
    ("ex", "01;32"),
    ("do", "01;35"),
    ("su", "37;41"),
    ("sg", "30;43"),
    ("st", "37;44"),
    ("ow", "34;42"),
    ("tw", "30;42"),
];

/// Terminals that have colours, as `dircolors` knows them.
const TERMINALS: &[&str] = &[
    "Eterm",
    "ansi",
    "*color*",
    "con[0-9]*x[0-9]*",
    "cons25",
    "console",
    "cygwin",
    "*direct*",
    "dtterm",
    "gnome",
    "hurd",
    "jfbterm",
    "konsole",
    "kterm",
    "linux",
    "linux-c",
    "mlterm",
    "putty",
    "rxvt*",
    "screen*",
    "st",
    "terminator",
    "tmux*",
    "vt100",
    "xterm*",
];

impl Colors {
    /// What the environment says; nothing when the terminal has no colours.
    pub(super) fn from_environment() -> Option<Colors> {
        let mut kinds: BTreeMap<String, String> = USUAL
            .iter()
            .map(|(kind, color)| ((*kind).to_owned(), (*color).to_owned()))
            .collect();
        let mut suffixes = Vec::new();
        let text = std::env::var("LS_COLORS").unwrap_or_default();
        if text.is_empty() {
            let term = std::env::var("TERM").unwrap_or_default();
            let known = TERMINALS
                .iter()
                .any(|pattern| fnmatch(pattern.as_bytes(), term.as_bytes()));
            let color_term = std::env::var("COLORTERM").unwrap_or_default();
            if !known && color_term.is_empty() {
                return None;
            }
        }
        for part in text.split(':') {
            let Some((what, color)) = part.split_once('=') else {
                continue;
            };
            match what.strip_prefix('*') {
                Some(suffix) => suffixes.push((suffix.as_bytes().to_vec(), color.to_owned())),
                None => {
                    kinds.insert(what.to_owned(), color.to_owned());
                }
            }
        }
        Some(Colors {
            kinds,
            suffixes,
            used: false,
        })
    }

    fn kind(&self, name: &str) -> Option<String> {
        let color = self.kinds.get(name)?;
        (!color.is_empty() && color != "0" && color != "00").then(|| color.clone())
    }

    /// An entry's colour.
    pub(super) fn of(&self, entry: &Entry) -> Option<String> {
        if entry.unknown {
            return self.kind("or");
        }
        if entry.stat.mode & mode::TYPE_MASK == 0o120_000 {
            let target = entry.target.as_ref().and_then(|(_, bits)| *bits);
            if target.is_none()
                && let Some(color) = self.kind("or")
            {
                return Some(color);
            }
            if self.kinds.get("ln").is_some_and(|color| color == "target") {
                return target.and_then(|bits| self.of_bits(bits, &entry.name, 1));
            }
            return self.kind("ln");
        }
        self.of_bits(entry.stat.mode, &entry.name, entry.stat.nlink)
    }

    /// The colour of what a link leads to. Nobody looks there where no colour is for links that
    /// lead nowhere, unless letters of kinds are `wanted`.
    pub(super) fn of_target(&self, bits: Option<u32>, name: &[u8], wanted: bool) -> Option<String> {
        if !wanted && self.kind("or").is_none() && self.kind("mi").is_none() {
            return None;
        }
        match bits {
            Some(bits) => self.of_bits(bits, name, 1),
            None => self.kind("mi").or_else(|| self.kind("or")),
        }
    }

    fn of_bits(&self, bits: u32, name: &[u8], links: u64) -> Option<String> {
        let special = match bits & mode::TYPE_MASK {
            mode::REGULAR => {
                let kinds = [
                    (bits & 0o4000 != 0, "su"),
                    (bits & 0o2000 != 0, "sg"),
                    (bits & 0o111 != 0, "ex"),
                    (links > 1, "mh"),
                ];
                kinds
                    .into_iter()
                    .find_map(|(is, kind)| if is { self.kind(kind) } else { None })
            }
            _ if is_directory(bits) => {
                let kind = match (bits & 0o1000 != 0, bits & 0o002 != 0) {
                    (true, true) => self.kind("tw"),
                    (false, true) => self.kind("ow"),
                    (true, false) => self.kind("st"),
                    (false, false) => None,
                };
                return kind.or_else(|| self.kind("di"));
            }
            mode::FIFO => return self.kind("pi"),
            SOCKET => return self.kind("so"),
            BLOCK_DEVICE => return self.kind("bd"),
            mode::CHARACTER_DEVICE => return self.kind("cd"),
            _ => return self.kind("or"),
        };
        let by_suffix = || {
            let fits = |(suffix, _): &&(Vec<u8>, String)| {
                name.len() >= suffix.len()
                    && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
            };
            self.suffixes
                .iter()
                .rev()
                .find(fits)
                .map(|(_, color)| color.clone())
        };
        special.or_else(by_suffix).or_else(|| self.kind("fi"))
    }
}
