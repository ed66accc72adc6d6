//! `codepod manual DIRECTORY`: our own command line as manual pages, one for each command.

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory as _};

use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  codepod manual ~/.local/share/man/man1
  codepod manual /tmp/pages && man -l /tmp/pages/codepod-run.1";

/// Where the text after the options goes in a page of clap's, and how ours begins.
const CLAPS_EXAMPLES: &str = ".SH EXTRA\nExamples:\n";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Manual {
    /// Where the pages go: `codepod.1`, `codepod-run.1` and so on
    directory: PathBuf,
}

impl Manual {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let failed = |path: &Path, error: std::io::Error| {
            let message = format!("cannot write `{}`: {error}", path.display());
            Failure::new(message, "name a directory that you may write to")
        };
        std::fs::create_dir_all(&self.directory).map_err(|error| failed(&self.directory, error))?;
        for (name, text) in pages() {
            let file = self.directory.join(name);
            std::fs::write(&file, text).map_err(|error| failed(&file, error))?;
        }
        Ok(0)
    }
}

/// The names and texts of all pages.
fn pages() -> Vec<(String, String)> {
    // Names such as `codepod-states-list`, and `--help` in every command, come with building.
    let mut program = crate::Arguments::command().disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    let mut waiting = vec![program];
    while let Some(command) = waiting.pop() {
        waiting.extend(
            command
                .get_subcommands()
                .filter(|it| !it.is_hide_set())
                .cloned(),
        );
        let page = clap_mangen::Man::new(command)
            .source(concat!("codepod ", env!("CARGO_PKG_VERSION")))
            .manual("User Commands");
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = page.render(&mut text);
        pages.push((
            page.get_filename(),
            with_examples(&without_date(&String::from_utf8_lossy(&text))),
        ));
    }
    pages
}

/// Leaves the place of the date empty. There is no date that a build could know, and clap then
/// leaves out the field as well, so that the source would stand there.
fn without_date(page: &str) -> String {
    let lines = page.lines().map(|line| match line.starts_with(".TH ") {
        true => line.replace(" 1  ", " 1 \"\" "),
        false => line.trim_end().to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

/// Gives the examples a section of their own, in which lines stay as they are.
fn with_examples(page: &str) -> String {
    let Some((before, after)) = page.split_once(CLAPS_EXAMPLES) else {
        return page.to_owned();
    };
    let end = after.find("\n.SH").map_or(after.len(), |at| at + 1);
    let (examples, rest) = after.split_at(end);
    format!(
        "{before}.SH EXAMPLES\n.nf\n{}\n.fi\n{rest}",
        examples.trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_examples() {
        let pages = pages();
        for name in ["codepod.1", "codepod-run.1", "codepod-states-list.1"] {
            let page = pages.iter().find(|(file, _)| file == name);
            let (_, text) = page.unwrap_or_else(|| panic!("no `{name}`"));
            assert!(text.contains(".SH NAME\n"), "{text}");
        }
        let commands = crate::Arguments::command();
        assert!(pages.len() > commands.get_subcommands().count());
        for (name, text) in pages {
            let title = concat!(" 1 \"\" \"codepod ", env!("CARGO_PKG_VERSION"), "\" ");
            assert!(text.contains(title), "{name}: {text}");
            assert!(!text.contains(".SH EXTRA"), "{name}: {text}");
        }
    }

    #[test]
    fn lines_of_examples_stay_as_they_are() {
        let page = ".SH NAME\na\n.SH EXTRA\nExamples:\n  b\n  c\n.SH VERSION\nv1\n";
        let is = with_examples(page);
        let wanted = ".SH NAME\na\n.SH EXAMPLES\n.nf\n  b\n  c\n.fi\n.SH VERSION\nv1\n";
        assert_eq!(is, wanted);
        assert_eq!(with_examples(".SH NAME\n"), ".SH NAME\n");
    }
}
