//! The options that all commands with differences share.

use imara_diff::Algorithm;

use super::lines::Space;
use super::words::Style;
use crate::args::{Word, name_and_value};
use crate::stop::{Result, fatal};

/// In which form changes are shown, and how they are found.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) patch: bool,
    pub(crate) raw: bool,
    pub(crate) stat: bool,
    pub(crate) numstat: bool,
    pub(crate) shortstat: bool,
    pub(crate) summary: bool,
    pub(crate) name_only: bool,
    pub(crate) name_status: bool,
    /// `-s`: nothing.
    pub(crate) silent: bool,
    pub(crate) context: usize,
    pub(crate) space: Space,
    pub(crate) ignore_blank: bool,
    pub(crate) renames: bool,
    pub(crate) copies: bool,
    pub(crate) copies_harder: bool,
    /// Of 60000.
    pub(crate) rename_score: u32,
    pub(crate) color: bool,
    pub(crate) full_index: bool,
    pub(crate) binary: bool,
    pub(crate) abbrev: Option<usize>,
    pub(crate) reverse: bool,
    pub(crate) text: bool,
    pub(crate) zero: bool,
    pub(crate) prefixes: (Vec<u8>, Vec<u8>),
    pub(crate) word_diff: Option<Style>,
    pub(crate) word_regex: Option<String>,
    pub(crate) algorithm: Algorithm,
    pub(crate) stat_width: Option<usize>,
    pub(crate) stat_name_width: Option<usize>,
    pub(crate) stat_graph_width: Option<usize>,
    pub(crate) stat_count: Option<usize>,
    pub(crate) compact_summary: bool,
    /// `-S` and `-G`.
    pub(crate) pickaxe: Option<(bool, String)>,
    pub(crate) pickaxe_regex: bool,
    pub(crate) filter: Option<Vec<u8>>,
    pub(crate) exit_code: bool,
    pub(crate) quiet: bool,
    pub(crate) relative: Option<Vec<u8>>,
    pub(crate) check: bool,
    pub(crate) function_context: bool,
    pub(crate) inter_hunk: usize,
    pub(crate) line_prefix: Vec<u8>,
    pub(crate) ita: bool,
}

impl Options {
    /// What a repository's settings say.
    pub(crate) fn new(config: &crate::config::Config) -> Options {
        let renames = match config.get("diff.renames") {
            Some(b"copies" | b"copy") => (true, true),
            Some(value) => (crate::config::parse_truth(value).unwrap_or(true), false),
            None => (true, false),
        };
        let prefixes = match config.truth("diff.noprefix") {
            Some(true) => (Vec::new(), Vec::new()),
            _ => (b"a/".to_vec(), b"b/".to_vec()),
        };
        let algorithm = config
            .text("diff.algorithm")
            .and_then(|name| algorithm(&name))
            .unwrap_or(Algorithm::Myers);
        Options {
            patch: false,
            raw: false,
            stat: false,
            numstat: false,
            shortstat: false,
            summary: false,
            name_only: false,
            name_status: false,
            silent: false,
            context: config
                .number("diff.context")
                .map_or(3, |number| number.max(0) as usize),
            space: Space::Exact,
            ignore_blank: false,
            renames: renames.0,
            copies: renames.1,
            copies_harder: false,
            rename_score: 30_000,
            color: use_color(config, "color.diff"),
            full_index: false,
            binary: false,
            abbrev: None,
            reverse: false,
            text: false,
            zero: false,
            prefixes,
            word_diff: None,
            word_regex: None,
            algorithm,
            stat_width: None,
            stat_name_width: None,
            stat_graph_width: None,
            stat_count: None,
            compact_summary: false,
            pickaxe: None,
            pickaxe_regex: false,
            filter: None,
            exit_code: false,
            quiet: false,
            relative: None,
            check: false,
            function_context: false,
            inter_hunk: 0,
            line_prefix: Vec::new(),
            ita: false,
        }
    }

    /// Whether a form was chosen.
    pub(crate) fn has_format(&self) -> bool {
        self.patch
            || self.raw
            || self.stat
            || self.numstat
            || self.shortstat
            || self.summary
            || self.name_only
            || self.name_status
            || self.silent
            || self.check
    }

    /// Takes an option if it is one of these; `next` gives the word after it. Whether it was taken.
    pub(crate) fn take(
        &mut self,
        text: &str,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        let word = name_and_value(text);
        Ok(self.take_form(word)
            || self.take_comparison(word)?
            || self.take_look(word)?
            || self.take_filter(word, next)?
            || self.take_unified(word, next)?
            || self.take_attached(text)?)
    }

    /// Options for the form in which changes are shown.
    fn take_form(&mut self, word: Word<'_>) -> bool {
        match word {
            ("-p" | "-u" | "--patch", None) => self.patch = true,
            ("-s" | "--no-patch", None) => self.silent = true,
            ("--raw", None) => self.raw = true,
            ("--patch-with-raw", None) => (self.patch, self.raw) = (true, true),
            ("--patch-with-stat", None) => (self.patch, self.stat) = (true, true),
            ("--stat", None) => self.stat = true,
            ("--stat", Some(widths)) => {
                self.stat = true;
                let mut numbers = widths.split(',').map(|text| text.parse().ok());
                self.stat_width = numbers.next().flatten();
                self.stat_name_width = numbers.next().flatten();
                self.stat_count = numbers.next().flatten();
            }
            ("--stat-width", Some(width)) => self.stat_width = width.parse().ok(),
            ("--stat-name-width", Some(width)) => self.stat_name_width = width.parse().ok(),
            ("--stat-graph-width", Some(width)) => self.stat_graph_width = width.parse().ok(),
            ("--stat-count", Some(count)) => self.stat_count = count.parse().ok(),
            ("--compact-summary", None) => (self.stat, self.compact_summary) = (true, true),
            ("--numstat", None) => self.numstat = true,
            ("--shortstat", None) => self.shortstat = true,
            ("--summary", None) => self.summary = true,
            ("--name-only", None) => self.name_only = true,
            ("--name-status", None) => self.name_status = true,
            ("--binary", None) => (self.binary, self.patch) = (true, true),
            ("--check", None) => self.check = true,
            ("--exit-code", None) => self.exit_code = true,
            ("--quiet", None) => (self.exit_code, self.quiet, self.silent) = (true, true, true),
            _ => return false,
        }
        true
    }

    /// Options for how content is compared, and what counts as a rename.
    fn take_comparison(&mut self, word: Word<'_>) -> Result<bool> {
        match word {
            ("-R", None) => self.reverse = true,
            ("-a" | "--text", None) => self.text = true,
            ("-w" | "--ignore-all-space", None) => self.space = Space::All,
            ("-b" | "--ignore-space-change", None) => self.space = Space::Change,
            ("--ignore-space-at-eol", None) => self.space = Space::AtEnd,
            ("--ignore-cr-at-eol", None) => self.space = Space::CrAtEnd,
            ("--ignore-blank-lines", None) => self.ignore_blank = true,
            ("--no-renames", None) => self.renames = false,
            ("--find-renames", None) => self.renames = true,
            ("--find-copies", None) => (self.renames, self.copies) = (true, true),
            (name @ ("--find-renames" | "--find-copies"), Some(score)) => {
                self.renames = true;
                self.copies |= name == "--find-copies";
                self.rename_score = parse_score(score)?;
            }
            ("--find-copies-harder", None) => {
                (self.renames, self.copies, self.copies_harder) = (true, true, true);
            }
            ("--minimal", None) => self.algorithm = Algorithm::MyersMinimal,
            ("--histogram" | "--patience", None) => self.algorithm = Algorithm::Histogram,
            ("--diff-algorithm", Some(name)) => match algorithm(name) {
                Some(algorithm) => self.algorithm = algorithm,
                None => {
                    return fatal(
                        "option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"",
                    );
                }
            },
            ("--ita-invisible-in-index", None) => self.ita = true,
            (
                "--no-ext-diff" | "--ext-diff" | "--textconv" | "--no-textconv"
                | "--indent-heuristic" | "--rename-empty" | "--no-rename-empty",
                None,
            ) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Options for colours, names and paths.
    fn take_look(&mut self, word: Word<'_>) -> Result<bool> {
        match word {
            ("-z", None) => self.zero = true,
            ("--full-index", None) => self.full_index = true,
            ("--abbrev", None) => self.abbrev = None,
            ("--abbrev", Some(count)) => {
                self.abbrev = count.parse().ok().map(|count: usize| count.clamp(4, 40));
            }
            ("--no-abbrev", None) => self.abbrev = Some(40),
            ("--no-prefix", None) => self.prefixes = (Vec::new(), Vec::new()),
            ("--default-prefix", None) => self.prefixes = (b"a/".to_vec(), b"b/".to_vec()),
            ("--src-prefix", Some(prefix)) => self.prefixes.0 = prefix.into(),
            ("--dst-prefix", Some(prefix)) => self.prefixes.1 = prefix.into(),
            ("--line-prefix", Some(prefix)) => self.line_prefix = prefix.into(),
            ("--relative", None) => self.relative = Some(b".".to_vec()),
            ("--relative", Some(path)) => self.relative = Some(path.into()),
            ("--no-relative", None) => self.relative = None,
            ("--color", None | Some("always")) => self.color = true,
            ("--no-color", None) | ("--color", Some("never")) => self.color = false,
            ("--color", Some("auto")) => self.color = crate::os::stdout_is_terminal(),
            ("--color", Some(_)) => {
                return fatal("option `color' expects \"always\", \"auto\", or \"never\"");
            }
            ("--no-color-moved", None) => {}
            ("--color-words", None) | ("--word-diff", Some("color")) => {
                (self.color, self.word_diff) = (true, Some(Style::Color));
            }
            ("--word-diff", None | Some("plain")) => self.word_diff = Some(Style::Plain),
            ("--word-diff", Some("porcelain")) => self.word_diff = Some(Style::Porcelain),
            ("--word-diff", Some("none")) => self.word_diff = None,
            ("--word-diff", Some(style)) => {
                return fatal(format!("bad --word-diff argument: {style}"));
            }
            ("--word-diff-regex", Some(regex)) => {
                self.word_regex = Some(regex.to_owned());
                self.word_diff = self.word_diff.or(Some(Style::Plain));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Options for which changes are shown.
    fn take_filter(
        &mut self,
        word: Word<'_>,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        match word {
            (name @ ("-S" | "-G"), None) => {
                let Some(text) = next() else {
                    return fatal(format!("switch `{}' requires a value", &name[1..]));
                };
                self.pickaxe = Some((name == "-G", text));
            }
            ("--pickaxe-regex", None) => self.pickaxe_regex = true,
            ("--pickaxe-all", None) => {}
            ("--diff-filter", Some(filter)) => self.filter = Some(filter.into()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Options for the lines around a change.
    fn take_unified(
        &mut self,
        word: Word<'_>,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        match word {
            ("-W" | "--function-context", None) => self.function_context = true,
            ("--inter-hunk-context", Some(count)) => self.inter_hunk = count.parse().unwrap_or(0),
            ("--unified", Some(count)) => self.set_context(count)?,
            ("-U", None) => match next() {
                Some(count) => self.set_context(&count)?,
                None => return fatal("switch `U' requires a value"),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Options whose value is in the same word.
    fn take_attached(&mut self, word: &str) -> Result<bool> {
        if let Some(text) = word.strip_prefix("-S").or(word.strip_prefix("-G")) {
            self.pickaxe = Some((word.starts_with("-G"), text.to_owned()));
        } else if let Some(count) = word.strip_prefix("-U") {
            self.set_context(count)?;
        } else if let Some(score) = word.strip_prefix("-M") {
            self.renames = true;
            if !score.is_empty() {
                self.rename_score = parse_score(score)?;
            }
        } else if let Some(score) = word.strip_prefix("-C") {
            self.copies_harder |= self.copies;
            (self.renames, self.copies) = (true, true);
            if !score.is_empty() {
                self.rename_score = parse_score(score)?;
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn set_context(&mut self, count: &str) -> Result<()> {
        match count.parse() {
            Ok(count) => {
                self.context = count;
                self.patch = true;
                Ok(())
            }
            Err(_) => fatal("option `unified' expects a numerical value"),
        }
    }
}

fn algorithm(name: &str) -> Option<Algorithm> {
    Some(match name {
        "myers" | "default" => Algorithm::Myers,
        "minimal" => Algorithm::MyersMinimal,
        "histogram" | "patience" => Algorithm::Histogram,
        _ => return None,
    })
}

fn parse_score(text: &str) -> Result<u32> {
    let (digits, percent) = match text.strip_suffix('%') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let number: f64 = match digits.parse::<f64>() {
        Ok(number) if number >= 0.0 => number,
        _ => return fatal("invalid argument to find-renames"),
    };
    let share = match percent {
        true => number / 100.0,
        // Digits alone stand behind a decimal point.
        false if digits.contains('.') => number,
        false => number / 10f64.powi(digits.len() as i32),
    };
    Ok((share.min(1.0) * 60_000.0) as u32)
}

/// Whether output is coloured, by a setting of its own or `color.ui`.
pub(crate) fn use_color(config: &crate::config::Config, key: &str) -> bool {
    let value = config.get(key).or_else(|| config.get("color.ui"));
    match value {
        Some(b"always") => true,
        Some(b"auto") | None => crate::os::stdout_is_terminal(),
        Some(value) => {
            crate::config::parse_truth(value).unwrap_or(false) && crate::os::stdout_is_terminal()
        }
    }
}
