//! Checks that prose ends at column 100: comments in Rust files, and Markdown outside of code and
//! tables. rustfmt leaves comments alone.

use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::markdown::outside_code;

/// Where a line of prose ends.
const COLUMNS: usize = 100;
/// How files begin that programs make.
const GENERATED: &str = "<!-- Made by ";

/// Fails when a line of prose is too long.
pub(crate) fn check() -> Outcome<String> {
    let root = cache::root();
    let enter = |path: &Path| !cache::is_build_output(path);
    let mut long = Vec::new();
    let mut files = 0;
    for file in cache::files(root, &enter)? {
        let extension = file.extension().unwrap_or_default();
        let find = match extension.to_str() {
            Some("rs") => in_rust,
            Some("md") => in_markdown,
            _ => continue,
        };
        files += 1;
        let shown = file.strip_prefix(root).unwrap_or(&file).display();
        let lines = find(&cache::read(&file)?);
        long.extend(lines.iter().map(|line| format!("{shown}:{line}")));
    }
    if !long.is_empty() {
        return Err(Failure::new(format!(
            "lines of prose are longer than {COLUMNS} columns:\n  {}",
            long.join("\n  ")
        ))
        .hint(
            "nightly's rustfmt wraps comments: `--config wrap_comments=true,comment_width=100`",
        ));
    }
    Ok(format!("columns: {files} files, no prose beyond {COLUMNS}"))
}

fn is_long(line: &str) -> bool {
    line.chars().count() > COLUMNS
}

/// The numbers of comment lines that are too long.
fn in_rust(text: &str) -> Vec<usize> {
    let lines = (1..).zip(text.lines());
    let long = lines.filter(|(_, line)| line.trim_start().starts_with("//") && is_long(line));
    long.map(|(number, _)| number).collect()
}

/// The numbers of lines that are too long and could be shorter: of a link or an address there may
/// be one in a line.
fn in_markdown(text: &str) -> Vec<usize> {
    if text.starts_with(GENERATED) {
        return Vec::new();
    }
    let long = outside_code(text).filter(|(_, line)| {
        let is_table = line.trim_start().starts_with('|');
        !is_table && is_long(line) && line.split_whitespace().count() > 2
    });
    long.map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_and_code_is_rustfmts() {
        let long = "x".repeat(COLUMNS);
        assert_eq!(in_rust(&format!("fn f() {{}}\n    // {long}\n")), [2]);
        assert!(in_rust(&format!("let text = \"{long}\";\n// short\n")).is_empty());
        // In columns, not in bytes.
        assert!(in_rust(&format!("//{}", "é".repeat(COLUMNS - 2))).is_empty());
    }

    #[test]
    fn tables_code_and_addresses_may_be_long() {
        let words = "many words ".repeat(10);
        assert_eq!(in_markdown(&format!("short\n{words}\n")), [2]);
        assert!(in_markdown(&format!("| {words} |\n```\n{words}\n```\n")).is_empty());
        assert!(in_markdown(&format!("- {}\n", "x".repeat(200))).is_empty());
        assert!(in_markdown(&format!("{GENERATED}`x` -->\n{words}\n")).is_empty());
    }
}
