//! `git status --short` and `--porcelain`: a line for each path.

use std::collections::BTreeMap;

use super::State;
use super::lines::{lines, unmerged_letters};
use super::tracking::ahead_behind;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::Result;

/// `--short` and `--porcelain`.
pub(super) fn short(
    repo: &Repo,
    state: &State,
    zero: bool,
    branch: bool,
    is_short: bool,
) -> Result<()> {
    let relative = is_short && repo.config.truth("status.relativepaths") != Some(false);
    let show_path = |path: &[u8]| {
        let path = if relative && !zero {
            repo.relative(path)
        } else {
            path.to_vec()
        };
        if zero {
            return path;
        }
        let quoted = repo.quote(&path);
        if quoted == path && path.contains(&b' ') {
            [b"\"", &path[..], b"\""].concat()
        } else {
            quoted
        }
    };
    let end: &[u8] = if zero { b"\0" } else { b"\n" };
    let color = is_short && crate::diff::options::use_color(&repo.config, "color.status");
    if branch {
        let mut text = b"## ".to_vec();
        text.extend(branch_line(repo)?);
        out::put(&text);
        out::put(end);
    }
    let mut all: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    let paint = |letter: u8, code: &str| match color && letter != b' ' {
        true => format!("{code}{}\x1b[m", letter as char).into_bytes(),
        false => vec![letter],
    };
    for (path, line) in lines(state) {
        let mut text = [paint(line.x, "\x1b[32m"), paint(line.y, "\x1b[31m")].concat();
        text.push(b' ');
        match &line.old {
            Some(old) if zero => text.extend([&path[..], b"\0", old].concat()),
            Some(old) => text.extend([&show_path(old)[..], b" -> ", &show_path(&path)].concat()),
            None => text.extend(show_path(&path)),
        }
        text.extend_from_slice(end);
        all.insert(path, text);
    }
    for (path, bits) in &state.unmerged {
        let letters = unmerged_letters(*bits);
        let letters = if color {
            format!(
                "\x1b[31m{}\x1b[m\x1b[31m{}\x1b[m",
                &letters[..1],
                &letters[1..]
            )
        } else {
            letters.to_owned()
        };
        all.insert(
            path.clone(),
            [letters.as_bytes(), b" ", &show_path(path), end].concat(),
        );
    }
    all.values().for_each(|text| out::put(text));
    for (paths, mark) in [(&state.untracked, "??"), (&state.ignored, "!!")] {
        for path in paths {
            let mark = if color {
                format!("\x1b[31m{mark}\x1b[m")
            } else {
                mark.to_owned()
            };
            out::put(&[mark.as_bytes(), b" ", &show_path(path), end].concat());
        }
    }
    Ok(())
}

/// What `## ` is followed by.
fn branch_line(repo: &Repo) -> Result<Vec<u8>> {
    let Some(branch) = repo.branch() else {
        return Ok(b"HEAD (no branch)".to_vec());
    };
    let mut text = Vec::new();
    if repo.head().is_none() {
        text.extend(b"No commits yet on ");
    }
    text.extend_from_slice(&branch);
    if let Some(upstream) = revision::upstream(repo, &branch) {
        text.extend(b"...");
        text.extend_from_slice(crate::cmd::short_ref(&upstream));
        match repo.refs.resolve(&upstream).zip(repo.head()) {
            None => text.extend(b" [gone]"),
            Some((theirs, ours)) => match ahead_behind(repo, ours, theirs)? {
                (0, 0) => {}
                (ahead, 0) => text.extend(format!(" [ahead {ahead}]").bytes()),
                (0, behind) => text.extend(format!(" [behind {behind}]").bytes()),
                (ahead, behind) => {
                    text.extend(format!(" [ahead {ahead}, behind {behind}]").bytes())
                }
            },
        }
    }
    Ok(text)
}
