//! `git rev-parse`: revisions as object names, and where a repository is.

use super::Call;
use crate::history::Query;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// `git rev-parse`.
pub(crate) fn rev_parse(call: &Call) -> Result<i32> {
    let words = &call.words;
    if words
        .first()
        .is_some_and(|word| word == b"--parseopt" || word == b"--sq-quote")
    {
        return fatal(format!(
            "codepod's git rev-parse does not support {}",
            show(&words[0])
        ));
    }
    let repo = match Repo::try_discover(&call.global)? {
        Some(repo) => repo,
        None => {
            if words.iter().any(|word| {
                word == b"--is-inside-work-tree"
                    || word == b"--is-inside-git-dir"
                    || word == b"--git-dir"
            }) || !words.is_empty()
            {
                return fatal("not a git repository (or any of the parent directories): .git");
            }
            return Ok(0);
        }
    };
    let (mut verify, mut quiet, mut short, mut symbolic, mut full) =
        (false, false, None, false, false);
    let (mut abbrev_ref, mut not, mut done) = (None, false, false);
    let mut default = None;
    let mut printed = 0;
    let mut format_absolute = None;
    let mut at = 0;
    let print_oid = |oid: &Oid, not: bool, short: Option<usize>| {
        let text = match short {
            Some(count) => repo.objects.abbreviate(oid, count),
            None => oid.hex(),
        };
        out::line(format!("{}{text}", if not { "^" } else { "" }));
    };
    while at < words.len() {
        let word = words[at].clone();
        at += 1;
        let text = show(&word);
        if done {
            out::line(&word);
            continue;
        }
        let absolute = |path: &[u8]| os::real_path(path).unwrap_or_else(|_| path.to_vec());
        let shown = |path: &[u8], format: Option<bool>, git_dir: bool| match (format, path.first())
        {
            (Some(true), _) => absolute(path),
            (Some(false), _) | (None, Some(b'/')) => path.to_vec(),
            // From a directory below, git shows the way up only for some.
            (None, _) if repo.prefix.is_empty() => path.to_vec(),
            (None, _) if git_dir => absolute(path),
            (None, _) => {
                let ups = repo.prefix.iter().filter(|byte| **byte == b'/').count();
                [&b"../".repeat(ups)[..], path].concat()
            }
        };
        match text.as_str() {
            "--verify" => verify = true,
            "-q" | "--quiet" => quiet = true,
            "--short" => short = Some(repo.abbrev()),
            _ if text.starts_with("--short=") => {
                short = Some(text[8..].parse::<usize>().unwrap_or(7).clamp(4, 40))
            }
            "--symbolic" => symbolic = true,
            "--symbolic-full-name" => full = true,
            "--abbrev-ref" => abbrev_ref = Some(true),
            _ if text.starts_with("--abbrev-ref=") => abbrev_ref = Some(true),
            "--not" => not = !not,
            "--default" => {
                default = words.get(at).cloned();
                at += 1;
            }
            "--path-format=absolute" => format_absolute = Some(true),
            "--path-format=relative" => format_absolute = Some(false),
            "--show-toplevel" => match &repo.work_tree {
                Some(tree) => out::line(tree),
                None => return fatal("this operation must be run in a work tree"),
            },
            "--git-dir" => out::line(shown(
                if repo.dir == repo.started_in {
                    b"."
                } else {
                    &repo.dir
                },
                format_absolute,
                true,
            )),
            "--absolute-git-dir" => out::line(absolute(&repo.dir)),
            "--git-common-dir" => out::line(shown(
                if repo.common == repo.started_in {
                    b"."
                } else {
                    &repo.common
                },
                format_absolute,
                false,
            )),
            "--show-prefix" => out::line(&repo.prefix),
            "--show-cdup" => {
                out::line(b"../".repeat(repo.prefix.iter().filter(|byte| **byte == b'/').count()))
            }
            "--is-inside-work-tree" => {
                let inside = repo.work_tree.as_ref().is_some_and(|tree| {
                    repo.started_in == *tree
                        || tree == b"/"
                        || repo.started_in.starts_with(&[&tree[..], b"/"].concat())
                });
                let in_dir = is_in_dir(&repo);
                out::line(if inside && !in_dir { "true" } else { "false" });
            }
            "--is-inside-git-dir" => out::line(if is_in_dir(&repo) { "true" } else { "false" }),
            "--is-bare-repository" => out::line(
                if repo.work_tree.is_none() && repo.config.truth("core.bare") == Some(true) {
                    "true"
                } else {
                    "false"
                },
            ),
            "--is-shallow-repository" => out::line(if os::exists(&repo.shared("shallow")) {
                "true"
            } else {
                "false"
            }),
            "--show-object-format" | "--show-object-format=storage" => out::line("sha1"),
            "--show-ref-format" => out::line("files"),
            "--show-superproject-working-tree" => {}
            "--git-path" => {
                let name = words.get(at).cloned().unwrap_or_default();
                at += 1;
                let own = [
                    "HEAD",
                    "index",
                    "MERGE_HEAD",
                    "ORIG_HEAD",
                    "FETCH_HEAD",
                    "logs/HEAD",
                    "rebase-merge",
                    "rebase-apply",
                ];
                let base = if own.contains(&show(&name).as_str()) || repo.dir == repo.common {
                    &repo.dir
                } else {
                    &repo.common
                };
                out::line(shown(
                    &[&base[..], b"/", &name].concat(),
                    format_absolute,
                    false,
                ));
            }
            "--all" | "--branches" | "--tags" | "--remotes" => {
                let prefix: &[u8] = match text.as_str() {
                    "--branches" => b"refs/heads/",
                    "--tags" => b"refs/tags/",
                    "--remotes" => b"refs/remotes/",
                    _ => b"refs/",
                };
                for (name, oid) in repo.refs.all(prefix) {
                    if full {
                        out::line(&name);
                    } else if symbolic || abbrev_ref.is_some() {
                        out::line(super::short_ref(&name));
                    } else {
                        print_oid(&oid, not, short);
                    }
                }
            }
            "--" => {
                done = true;
                if !verify {
                    out::line("--");
                }
            }
            "--local-env-vars" => out::line(
                "GIT_ALTERNATE_OBJECT_DIRECTORIES\nGIT_CONFIG\nGIT_CONFIG_PARAMETERS\nGIT_CONFIG_COUNT\nGIT_OBJECT_DIRECTORY\nGIT_DIR\nGIT_WORK_TREE\nGIT_IMPLICIT_WORK_TREE\nGIT_GRAFT_FILE\nGIT_INDEX_FILE\nGIT_NO_REPLACE_OBJECTS\nGIT_REPLACE_REF_BASE\nGIT_PREFIX\nGIT_SHALLOW_FILE\nGIT_COMMON_DIR",
            ),
            "--end-of-options" | "--revs-only" | "--no-revs" | "--flags" | "--no-flags" => {}
            _ if word.first() == Some(&b'-') && word.len() > 1 => {
                if verify {
                    return single(quiet);
                }
                out::line(&word);
            }
            _ => {
                printed += 1;
                if verify && printed > 1 {
                    return single(quiet);
                }
                if let Some(status) = parse_word(
                    &repo,
                    &word,
                    verify,
                    quiet,
                    short,
                    symbolic,
                    full,
                    abbrev_ref.is_some(),
                    not,
                )? {
                    return Ok(status);
                }
            }
        }
    }
    if printed == 0
        && let Some(name) = default
        && let Some(oid) = revision::try_resolve(&repo, &name)?
    {
        print_oid(&oid, not, short);
    } else if verify && printed == 0 {
        return single(quiet);
    }
    Ok(0)
}

fn is_in_dir(repo: &Repo) -> bool {
    let dir = os::real_path(&repo.dir).unwrap_or_default();
    repo.started_in == dir || repo.started_in.starts_with(&[&dir[..], b"/"].concat())
}

fn single(quiet: bool) -> Result<i32> {
    if quiet {
        return Ok(1);
    }
    fatal("Needed a single revision")
}

#[expect(
    clippy::too_many_arguments,
    reason = "the options that hold for a word"
)]
fn parse_word(
    repo: &Repo,
    word: &[u8],
    verify: bool,
    quiet: bool,
    short: Option<usize>,
    symbolic: bool,
    full: bool,
    abbrev_ref: bool,
    not: bool,
) -> Result<Option<i32>> {
    let line = |oid: &Oid, not: bool| {
        let text = match short {
            Some(count) => repo.objects.abbreviate(oid, count),
            None => oid.hex(),
        };
        out::line(format!("{}{text}", if not { "^" } else { "" }));
    };
    if full || abbrev_ref {
        let previous = show(word)
            .strip_prefix("@{-")
            .and_then(|text| text.strip_suffix('}').and_then(|text| text.parse().ok()));
        let upstream = [&b"@{u}"[..], b"@{upstream}", b"@{push}"]
            .iter()
            .find_map(|suffix| word.strip_suffix(*suffix));
        let name = match (previous, upstream) {
            (Some(number), _) => revision::previous_branch(repo, number)
                .and_then(|name| revision::full_ref(repo, &name)),
            (None, Some(branch)) => {
                let branch = if branch.is_empty() || branch == b"HEAD" {
                    repo.branch().unwrap_or_default()
                } else {
                    branch.to_vec()
                };
                match revision::upstream(repo, &branch) {
                    Some(name) => Some(name),
                    None => {
                        return fatal(format!(
                            "no upstream configured for branch '{}'",
                            show(&branch)
                        ));
                    }
                }
            }
            _ => revision::full_ref(repo, word),
        };
        if let Some(name) = name {
            let name = match (&name[..], repo.refs.head_branch()) {
                (b"HEAD", Some(branch)) => branch,
                _ => name,
            };
            out::line(if abbrev_ref {
                super::short_ref(&name)
            } else {
                &name
            });
            return Ok(None);
        }
        if word == b"HEAD" && revision::try_resolve(repo, word)?.is_none() {
            out::line("HEAD");
            return Err(revision::ambiguous(word));
        }
    }
    if !verify
        && (word.windows(2).any(|two| two == b"..")
            || word.ends_with(b"^@")
            || word.ends_with(b"^!")
            || word.first() == Some(&b'^'))
    {
        let mut query = Query::default();
        if query.revision(repo, word)? {
            if query.sides.is_some() || word.windows(2).any(|two| two == b"..") {
                let mut starts = query.starts.clone();
                if query.sides.is_some() {
                    starts.reverse();
                    starts.reverse();
                }
                starts.iter().for_each(|oid| line(oid, not));
            } else {
                query.starts.iter().for_each(|oid| line(oid, not));
            }
            query.without.iter().for_each(|oid| line(oid, !not));
            return Ok(None);
        }
    }
    match revision::try_resolve(repo, word)? {
        Some(_) if symbolic => out::line(word),
        Some(oid) => line(&oid, not),
        None if verify => return single(quiet).map(Some),
        None => {
            let is_file = repo
                .path_of_user(word)
                .is_some_and(|path| os::exists(&path));
            out::line(word);
            if is_file {
                return Ok(None);
            }
            return Err(revision::ambiguous(word));
        }
    }
    Ok(None)
}
