//! Checks that links between the project's own files lead somewhere.

use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::markdown::outside_code;

/// Fails when a Markdown file links to a file that is not there.
pub(crate) fn check() -> Outcome<String> {
    let mut broken = Vec::new();
    let mut links = 0;
    for file in cache::files(cache::root(), &|path| !cache::is_build_output(path))? {
        if file.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let directory = file.parent().unwrap_or(Path::new("."));
        for target in targets(&cache::read(&file)?) {
            links += 1;
            if !directory.join(&target).exists() {
                let shown = file.strip_prefix(cache::root()).unwrap_or(&file).display();
                broken.push(format!("{shown}: `{target}`"));
            }
        }
    }
    if !broken.is_empty() {
        return Err(Failure::new(format!(
            "links lead nowhere:\n  {}",
            broken.join("\n  ")
        )));
    }
    Ok(format!("links: {links} between files, none broken"))
}

/// The files that a text links to; addresses and places within the same file are left out.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for (_, line) in outside_code(text) {
        for piece in line.split("](").skip(1) {
            let Some((target, _)) = piece.split_once(')') else {
                continue;
            };
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") {
                targets.push(file.to_owned());
            }
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_files_lead_somewhere() {
        check().unwrap_or_else(|failure| panic!("{failure}"));
    }

    #[test]
    fn addresses_places_and_code_are_left_out() {
        let text = "[a](a.md#x) [b](https://e.org) [c](#here)\n```\n[d](d.md)\n```\n[e](e/f.rs)";
        assert_eq!(targets(text), ["a.md", "e/f.rs"]);
    }
}
