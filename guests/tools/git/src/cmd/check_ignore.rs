//! `git check-ignore`.

use super::Call;
use crate::args::options;
use crate::ignore::{Ignore, Rule};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "check-ignore" {
        quiet: bool = "q|quiet",
        verbose: bool = "v|verbose",
        stdin: bool = "stdin",
        nul: bool = "z|",
        non_matching: bool = "n|non-matching",
        no_index: bool = "no-index",
    }
}

/// `git check-ignore`.
pub(crate) fn check_ignore(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let words = rest.with_listed(options.stdin.then_some(b"-"), options.nul)?;
    if words.is_empty() && !options.stdin {
        return fatal("no path specified");
    }
    let ignore = Ignore::new(&repo);
    let index = repo.index()?;
    let mut any = false;
    for word in words {
        let Some(path) = repo.path_of_user(&word) else {
            let name = show(&word);
            return fatal(format!("{name}: '{name}' is outside repository"));
        };
        let is_directory = word.ends_with(b"/") || os::is_dir(&path);
        let is_tracked = !options.no_index && index.has(&path);
        let rule = match is_tracked {
            true => None,
            false => ignore.deciding(&path, is_directory),
        };
        // A rule that takes others back counts only where all rules are told.
        let rule = rule.filter(|rule| options.verbose || !rule.is_negated());
        any |= rule.is_some();
        if !options.quiet {
            report(&repo, &word, rule.as_ref(), &options);
        }
    }
    Ok(i32::from(!any))
}

fn report(repo: &Repo, word: &[u8], rule: Option<&Rule>, options: &Options) {
    match rule {
        Some(rule) if options.verbose => {
            let line = format!(":{}:", rule.line);
            let head = [&rule.source[..], line.as_bytes(), &rule.text, b"\t"].concat();
            out::line([&head[..], &repo.quote(word)].concat());
        }
        Some(_) => out::line(repo.quote(word)),
        None if options.verbose && options.non_matching => {
            out::line([b"::\t", word].concat());
        }
        None => {}
    }
}
