//! What `log` and the commands that are like it are told.

use crate::date::Style;
use crate::diff::{self, Options};
use crate::history::Query;
use crate::pretty::{self, Context, Format};
use crate::repo::Repo;
use crate::stop::{Result, fatal, show as text_of};

/// How merges are compared with their parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merges {
    /// Not at all.
    None,
    /// With the first parent.
    First,
    /// With each parent in turn.
    Each,
    /// With all at once, only what no side has: `--cc`.
    Combined,
}

/// Everything that `log` and `show` are told.
pub(crate) struct LogOptions {
    pub(crate) query: Query,
    pub(crate) diff: Options,
    pub(crate) format: Format,
    pub(crate) context: Context,
    pub(super) merges: Merges,
    pub(super) graph: bool,
    pub(super) follow: bool,
    pub(super) root: bool,
    pub(super) walk_reflogs: bool,
    pub(super) source: bool,
    pub(super) null: bool,
}

impl LogOptions {
    /// Reads the words of a command line.
    pub(crate) fn parse(
        repo: &Repo,
        words: &[Vec<u8>],
        command: &'static str,
    ) -> Result<(LogOptions, Vec<Vec<u8>>, Option<usize>)> {
        let format = match repo.config.get("format.pretty") {
            Some(word) => {
                let word = word.to_vec();
                Format::parse(repo, &word)?
            }
            None => Format::Medium,
        };
        let mut show = LogOptions {
            query: Query::default(),
            diff: Options::new(&repo.config),
            format,
            context: Context {
                color: diff::options::use_color(&repo.config, "color.diff"),
                ..Context::default()
            },
            merges: if command == "show" {
                Merges::Combined
            } else {
                Merges::None
            },
            graph: false,
            follow: repo.config.truth("log.follow") == Some(true),
            root: repo.config.truth("log.showroot").unwrap_or(true),
            walk_reflogs: false,
            source: false,
            null: false,
        };
        show.context.date = repo
            .config
            .text("log.date")
            .and_then(|word| Style::parse(&word));
        show.context.abbrev_commit = repo.config.truth("log.abbrevcommit") == Some(true);
        let mut decorate = match repo.config.get("log.decorate") {
            Some(b"short") => Some(false),
            Some(b"full") => Some(true),
            Some(value) if crate::config::parse_truth(value) == Some(true) => Some(false),
            _ => None,
        };
        let mut rest = Vec::new();
        let mut dashes = None;
        let mut at = 0;
        while at < words.len() {
            let word = &words[at];
            at += 1;
            if word == b"--" {
                dashes = Some(rest.len());
                rest.extend_from_slice(&words[at..]);
                break;
            }
            if word.len() < 2 || word[0] != b'-' {
                rest.push(word.clone());
                continue;
            }
            let text = text_of(word);
            let mut next = || {
                at += 1;
                words.get(at - 1).map(|word| text_of(word))
            };
            if show.take(repo, &text, &mut decorate, &mut next)?
                || show.query.take(repo, &text, &mut next)?
            {
                continue;
            }
            if show.diff.take(&text, &mut next)? {
                continue;
            }
            return fatal(format!("unrecognized argument: {text}"));
        }
        if let Some(full) = decorate {
            show.context.decorate = true;
            show.context.decorations = pretty::decorations(repo, full);
        } else if let Format::User(text, _) = &show.format
            && text
                .windows(2)
                .any(|pair| pair == b"%d" || pair == b"%D" || pair == b"(d")
        {
            show.context.decorations = pretty::decorations(repo, false);
        }
        show.context.color = show.diff.color;
        if show.graph {
            show.query.rewrite = true;
            if show.query.order == crate::walk::Order::Default {
                show.query.order = crate::walk::Order::Topological;
            }
            if show.query.reverse {
                return fatal("options '--reverse' and '--graph' cannot be used together");
            }
        }
        Ok((show, rest, dashes))
    }

    fn take(
        &mut self,
        repo: &Repo,
        word: &str,
        decorate: &mut Option<bool>,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (word, None),
        };
        match (name, &value) {
            ("--oneline", None) => {
                self.format = Format::Oneline;
                self.context.abbrev_commit = true;
            }
            ("--format", Some(format)) if format.is_empty() => {
                self.format = Format::User(Vec::new(), true)
            }
            ("--format" | "--pretty", Some(format)) => {
                self.format = Format::parse(repo, format.as_bytes())?;
            }
            ("--pretty", None) => self.format = Format::Medium,
            ("--format", None) => match next() {
                Some(format) => self.format = Format::parse(repo, format.as_bytes())?,
                None => return fatal("unrecognized argument: --format"),
            },
            ("--abbrev-commit", None) => self.context.abbrev_commit = true,
            ("--no-abbrev-commit", None) => self.context.full_commit = true,
            ("--abbrev", Some(count)) => {
                let count = count.parse::<usize>().map_or(7, |count| count.clamp(4, 40));
                self.context.abbrev = Some(count);
                self.diff.abbrev = Some(count);
            }
            ("--decorate", None) => *decorate = Some(false),
            ("--decorate", Some(how)) => match how.as_str() {
                "short" => *decorate = Some(false),
                "full" => *decorate = Some(true),
                "auto" => {
                    if crate::os::stdout_is_terminal() {
                        *decorate = Some(false);
                    }
                }
                "no" => *decorate = None,
                _ => return fatal(format!("invalid --decorate option: {how}")),
            },
            ("--no-decorate", None) => *decorate = None,
            ("--date", Some(style)) => match Style::parse(style) {
                Some(style) => self.context.date = Some(style),
                None => return fatal(format!("unknown date format {style}")),
            },
            ("--date", None) => match next().as_deref().and_then(Style::parse) {
                Some(style) => self.context.date = Some(style),
                None => return fatal("unknown date format"),
            },
            ("--relative-date", None) => self.context.date = Some(Style::Relative),
            ("--graph", None) => self.graph = true,
            ("--no-graph", None) => self.graph = false,
            ("--follow", None) => self.follow = true,
            ("--no-follow", None) => self.follow = false,
            ("-m", None) => self.merges = Merges::Each,
            ("-c" | "--cc", None) => {
                self.merges = Merges::Combined;
                self.diff.patch |= !self.diff.has_format();
            }
            ("--diff-merges", Some(how)) => {
                self.merges = match how.as_str() {
                    "off" | "none" => Merges::None,
                    "on" | "m" | "separate" => Merges::Each,
                    "first-parent" | "1" => Merges::First,
                    "c" | "cc" | "combined" | "dense-combined" => Merges::Combined,
                    _ => return fatal(format!("invalid value for '--diff-merges': '{how}'")),
                }
            }
            ("--first-parent", None) => {
                self.query.first_parent = true;
                self.merges = Merges::First;
            }
            ("--parents", None) => {
                self.context.parents = true;
                self.query.rewrite = true;
            }
            ("-g" | "--walk-reflogs", None) => self.walk_reflogs = true,
            ("--root", None) => self.root = true,
            ("--source", None) => self.source = true,
            ("-z", None) => (self.null, self.diff.zero) = (true, true),
            (
                "--no-mailmap" | "--mailmap" | "--use-mailmap" | "--no-notes" | "--no-expand-tabs"
                | "--expand-tabs" | "--encoding",
                _,
            ) => {}
            ("--show-signature" | "--notes", _) => {
                return fatal(format!("codepod's git does not support {name}"));
            }
            ("--decorate-refs" | "--decorate-refs-exclude", Some(_)) => {
                return fatal(format!("codepod's git does not support {name}"));
            }
            _ if word.starts_with("-L") => return fatal("codepod's git does not support -L"),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
