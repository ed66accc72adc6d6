//! What `log` and the commands that are like it are told.

use crate::args::{Word, name_and_value};
use crate::config::parse_truth;
use crate::date::Style;
use crate::diff::{self, Options};
use crate::history::Query;
use crate::os;
use crate::pretty::{self, Context, Format};
use crate::repo::Repo;
use crate::stop::{Result, fatal, show as text_of};
use crate::walk::Order;

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

/// How the names of commits are shown beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decorate {
    No,
    Short,
    Full,
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
    decorate: Decorate,
}

impl LogOptions {
    /// Reads the words of a command line.
    ///
    /// Also returns the words that are no options, and how many of them stand before `--`.
    pub(crate) fn parse(
        repo: &Repo,
        words: &[Vec<u8>],
        command: &'static str,
    ) -> Result<(LogOptions, Vec<Vec<u8>>, Option<usize>)> {
        let mut options = LogOptions::configured(repo, command)?;
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
            let taken = options.take(repo, &text, &mut next)?
                || options.query.take(repo, &text, &mut next)?
                || options.diff.take(&text, &mut next)?;
            if !taken {
                return fatal(format!("unrecognized argument: {text}"));
            }
        }
        options.finish(repo)?;
        Ok((options, rest, dashes))
    }

    /// What a repository's settings say.
    fn configured(repo: &Repo, command: &'static str) -> Result<LogOptions> {
        let config = &repo.config;
        let format = match config.get("format.pretty") {
            Some(word) => Format::parse(repo, word)?,
            None => Format::Medium,
        };
        let decorate = match config.get("log.decorate") {
            Some(b"short") => Decorate::Short,
            Some(b"full") => Decorate::Full,
            Some(value) if parse_truth(value) == Some(true) => Decorate::Short,
            _ => Decorate::No,
        };
        Ok(LogOptions {
            query: Query::default(),
            diff: Options::new(config),
            format,
            context: Context {
                color: diff::options::use_color(config, "color.diff"),
                date: config.text("log.date").and_then(|word| Style::parse(&word)),
                abbrev_commit: config.truth("log.abbrevcommit") == Some(true),
                ..Context::default()
            },
            merges: match command {
                "show" => Merges::Combined,
                _ => Merges::None,
            },
            graph: false,
            follow: config.truth("log.follow") == Some(true),
            root: config.truth("log.showroot").unwrap_or(true),
            walk_reflogs: false,
            source: false,
            null: false,
            decorate,
        })
    }

    /// Does what only the whole command line can tell.
    fn finish(&mut self, repo: &Repo) -> Result<()> {
        let shows_names = |text: &[u8]| {
            let mut pairs = text.windows(2);
            pairs.any(|pair| pair == b"%d" || pair == b"%D" || pair == b"(d")
        };
        if self.decorate != Decorate::No {
            self.context.decorate = true;
            self.context.decorations = pretty::decorations(repo, self.decorate == Decorate::Full);
        } else if let Format::User(text, _) = &self.format
            && shows_names(text)
        {
            self.context.decorations = pretty::decorations(repo, false);
        }
        self.context.color = self.diff.color;
        if self.graph {
            self.query.rewrite = true;
            if self.query.order == Order::Default {
                self.query.order = Order::Topological;
            }
            if self.query.reverse {
                return fatal("options '--reverse' and '--graph' cannot be used together");
            }
        }
        Ok(())
    }

    /// Takes an option if it is one of these; `next` gives the word after it. Whether it was taken.
    fn take(
        &mut self,
        repo: &Repo,
        text: &str,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        if text.starts_with("-L") {
            return fatal("codepod's git does not support -L");
        }
        let word = name_and_value(text);
        Ok(self.take_format(repo, word, next)?
            || self.take_names(word)?
            || self.take_date(word, next)?
            || self.take_merges(word)?
            || self.take_walk(word))
    }

    /// Options for the form of a commit.
    fn take_format(
        &mut self,
        repo: &Repo,
        word: Word<'_>,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        match word {
            ("--oneline", None) => {
                self.format = Format::Oneline;
                self.context.abbrev_commit = true;
            }
            ("--format", Some("")) => self.format = Format::User(Vec::new(), true),
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
            ("-z", None) => (self.null, self.diff.zero) = (true, true),
            (
                "--no-mailmap" | "--mailmap" | "--use-mailmap" | "--no-notes" | "--no-expand-tabs"
                | "--expand-tabs" | "--encoding",
                _,
            ) => {}
            ("--show-signature" | "--notes", _) => {
                return fatal(format!("codepod's git does not support {}", word.0));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Options for the names beside commits.
    fn take_names(&mut self, word: Word<'_>) -> Result<bool> {
        self.decorate = match word {
            ("--decorate", None | Some("short")) => Decorate::Short,
            ("--decorate", Some("full")) => Decorate::Full,
            ("--decorate", Some("auto")) if os::stdout_is_terminal() => Decorate::Short,
            ("--decorate", Some("auto")) => self.decorate,
            ("--decorate", Some("no")) | ("--no-decorate", None) => Decorate::No,
            ("--decorate", Some(how)) => return fatal(format!("invalid --decorate option: {how}")),
            ("--decorate-refs" | "--decorate-refs-exclude", Some(_)) => {
                return fatal(format!("codepod's git does not support {}", word.0));
            }
            _ => return Ok(false),
        };
        Ok(true)
    }

    fn take_date(
        &mut self,
        word: Word<'_>,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        self.context.date = Some(match word {
            ("--date", Some(style)) => match Style::parse(style) {
                Some(style) => style,
                None => return fatal(format!("unknown date format {style}")),
            },
            ("--date", None) => match next().as_deref().and_then(Style::parse) {
                Some(style) => style,
                None => return fatal("unknown date format"),
            },
            ("--relative-date", None) => Style::Relative,
            _ => return Ok(false),
        });
        Ok(true)
    }

    /// Options for how merges are compared.
    fn take_merges(&mut self, word: Word<'_>) -> Result<bool> {
        self.merges = match word {
            ("-m", None) => Merges::Each,
            ("-c" | "--cc", None) => {
                self.diff.patch |= !self.diff.has_format();
                Merges::Combined
            }
            ("--diff-merges", Some(how)) => match how {
                "off" | "none" => Merges::None,
                "on" | "m" | "separate" => Merges::Each,
                "first-parent" | "1" => Merges::First,
                "c" | "cc" | "combined" | "dense-combined" => Merges::Combined,
                _ => return fatal(format!("invalid value for '--diff-merges': '{how}'")),
            },
            ("--first-parent", None) => {
                self.query.first_parent = true;
                Merges::First
            }
            _ => return Ok(false),
        };
        Ok(true)
    }

    /// Options for which commits come, and what is drawn beside them.
    fn take_walk(&mut self, word: Word<'_>) -> bool {
        match word {
            ("--graph", None) => self.graph = true,
            ("--no-graph", None) => self.graph = false,
            ("--follow", None) => self.follow = true,
            ("--no-follow", None) => self.follow = false,
            ("--parents", None) => {
                self.context.parents = true;
                self.query.rewrite = true;
            }
            ("-g" | "--walk-reflogs", None) => self.walk_reflogs = true,
            ("--root", None) => self.root = true,
            ("--source", None) => self.source = true,
            _ => return false,
        }
        true
    }
}
