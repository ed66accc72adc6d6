//! What is told of patches: sums, files that come and go, whitespace.

use super::patch::FilePatch;
use crate::diff::stat::rename_name;
use crate::out;
use crate::repo::Repo;
use crate::stop::show;

/// The lines of `--numstat`.
pub(super) fn numstat(files: &[FilePatch]) {
    for file in files {
        let (plus, minus) = file.counts();
        out::line(format!("{plus}\t{minus}\t{}", file.shown()));
    }
}

/// The lines of `--summary`: files that are created, deleted, renamed, or get another mode.
pub(super) fn summary(repo: &Repo, files: &[FilePatch]) {
    for file in files {
        let line = match (&file.old, &file.new) {
            (None, Some(path)) => {
                let mode = file.new_mode.unwrap_or(0o100_644);
                format!(" create mode {mode:06o} {}", show(path))
            }
            (Some(path), None) => {
                let mode = file.old_mode.unwrap_or(0o100_644);
                format!(" delete mode {mode:06o} {}", show(path))
            }
            (Some(old), Some(new)) if old != new => {
                let names = show(&rename_name(repo, old, new));
                let score = file.score.as_deref().unwrap_or_default();
                format!(" rename {names} ({score})")
            }
            (Some(path), _) => match (file.old_mode, file.new_mode) {
                (Some(old), Some(new)) if old != new => {
                    format!(" mode change {old:06o} => {new:06o} {}", show(path))
                }
                _ => continue,
            },
            (None, None) => continue,
        };
        out::line(line);
    }
}

/// Warns of whitespace at the ends of added lines.
pub(super) fn whitespace(files: &[FilePatch], input: &str) {
    let mut count = 0;
    for hunk in files.iter().flat_map(|file| &file.hunks) {
        for (number, (sign, line)) in hunk.lines.iter().enumerate() {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if *sign == b'+' && text.last().is_some_and(|byte| b" \t\r".contains(byte)) {
                count += 1;
                if count <= 5 {
                    out::note(format!(
                        "{input}:{}: trailing whitespace.\n{}",
                        hunk.at + number + 1,
                        show(text)
                    ));
                }
            }
        }
    }
    if count > 0 {
        let plural = if count == 1 { "line adds" } else { "lines add" };
        out::warn(format!("{count} {plural} whitespace errors."));
    }
}

/// The bars of `--stat`.
pub(super) fn stat(files: &[FilePatch]) {
    let longest = files
        .iter()
        .map(|file| file.shown().chars().count())
        .max()
        .unwrap_or(0)
        .min(50);
    let most = files
        .iter()
        .map(|file| file.counts())
        .map(|(plus, minus)| plus + minus)
        .max()
        .unwrap_or(0);
    let width = 70usize.saturating_sub(longest).max(1);
    let (mut all_plus, mut all_minus) = (0, 0);
    for file in files {
        let (plus, minus) = file.counts();
        all_plus += plus;
        all_minus += minus;
        let (mut a, mut b) = (plus, minus);
        if most > width {
            let total = ((plus + minus) * width + most / 2) / most;
            a = (plus * width + most / 2) / most;
            b = total - a.min(total);
        }
        out::line(format!(
            " {:<longest$} |{:5} {}{}",
            file.shown(),
            plus + minus,
            "+".repeat(a),
            "-".repeat(b)
        ));
    }
    let count = files.len();
    let mut line = format!(" {count} file{} changed", if count == 1 { "" } else { "s" });
    if all_plus > 0 || all_minus == 0 {
        line += &format!(
            ", {all_plus} insertion{}(+)",
            if all_plus == 1 { "" } else { "s" }
        );
    }
    if all_minus > 0 || all_plus == 0 {
        line += &format!(
            ", {all_minus} deletion{}(-)",
            if all_minus == 1 { "" } else { "s" }
        );
    }
    out::line(line);
}
