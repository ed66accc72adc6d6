//! The index of the decision records, from their own titles, dates and states.

use std::fmt::Write;
use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome};

const HEAD: &str = "<!-- Made by `cargo xtask generate` from the pages beside this one. Changes here are lost. -->\n\n\
# Decisions\n\n\
An architecture decision record says what was decided, why, what follows from it and what else was\n\
considered. It is written when the decision is made. When a decision changes, a new record says so and\n\
the old one gets the status *superseded by*; wrong facts are corrected in place.\n\n\
| decision | date | status |\n|---|---|---|\n";

/// `docs/adr/README.md`.
pub(super) fn index() -> Outcome<String> {
    let directory = cache::in_root("docs/adr");
    let mut page = String::from(HEAD);
    for path in cache::files(&directory, &|path| !path.ends_with("README.md"))? {
        let text = cache::read(&path)?;
        let row = row(&path, &text).map_err(|why| Failure::file("use", &path, why))?;
        let _ = writeln!(page, "{row}");
    }
    Ok(page)
}

fn row(path: &Path, text: &str) -> Result<String, String> {
    let after = |start: &str| {
        let at = text
            .find(start)
            .ok_or_else(|| format!("no line begins with `{}`", start.trim_start()))?;
        let rest = &text[at + start.len()..];
        let paragraph = rest.split("\n\n").next().unwrap_or_default();
        Ok::<_, String>(paragraph.replace('\n', " "))
    };
    let title = text
        .strip_prefix("# ")
        .ok_or("it does not begin with `# `")?;
    let title = title.lines().next().unwrap_or_default();
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "| [{title}]({file}) | {} | {} |",
        after("\nDate: ")?,
        after("\nStatus: ")?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_row() {
        let text =
            "# 7. Tools\n\nDate: 2026-11-15\n\nStatus: accepted; see\n[x](x.md)\n\n## Context\n";
        let path = Path::new("docs/adr/0007-tools.md");
        assert_eq!(
            row(path, text).unwrap(),
            "| [7. Tools](0007-tools.md) | 2026-11-15 | accepted; see [x](x.md) |"
        );
        assert!(
            row(path, "# 7. Tools\n\nStatus: accepted\n")
                .unwrap_err()
                .contains("`Date: `")
        );
    }
}
