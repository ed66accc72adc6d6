//! `git shortlog`: commits by their authors.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;

use super::Call;
use super::log::{LogOptions, born_head};
use crate::object::who_parts;
use crate::os;
use crate::out::{self, put};
use crate::pretty::{self, Format};
use crate::stop::Result;

/// The options that `log` does not have.
#[derive(Default)]
struct Options {
    numbered: bool,
    summary: bool,
    email: bool,
    committer: bool,
}

impl Options {
    /// Reads the own options of the command; the words that are left are those of `log`.
    fn read(words: &[Vec<u8>]) -> (Options, Vec<Vec<u8>>) {
        let mut options = Options::default();
        let mut rest = Vec::new();
        for word in words {
            match &word[..] {
                b"--numbered" => options.numbered = true,
                b"--summary" => options.summary = true,
                b"--email" => options.email = true,
                b"--committer" | b"-c" | b"--group=committer" => options.committer = true,
                b"--group=author" => options.committer = false,
                [b'-', letters @ ..]
                    if !letters.is_empty()
                        && letters.iter().all(|letter| b"nse".contains(letter)) =>
                {
                    options.numbered |= letters.contains(&b'n');
                    options.summary |= letters.contains(&b's');
                    options.email |= letters.contains(&b'e');
                }
                _ => rest.push(word.clone()),
            }
        }
        (options, rest)
    }

    /// What the commits of a person stand below.
    fn title(&self, who: &[u8]) -> Vec<u8> {
        let (name, mail) = who_parts(who);
        match self.email {
            true => [name, b" <", mail, b">"].concat(),
            false => name.to_vec(),
        }
    }
}

/// Subjects by the persons whose commits they are.
type Groups = BTreeMap<Vec<u8>, Vec<Vec<u8>>>;

/// `git shortlog`.
pub(crate) fn shortlog(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (options, words) = Options::read(&call.words);
    let (mut log, rest, dashes) = LogOptions::parse(&repo, &words, "log")?;
    log.query.words(&repo, &rest, dashes)?;
    if !log.query.revision_given {
        if !std::io::stdin().is_terminal() {
            print(of_text(&os::read_stdin()?, &options), &options);
            return Ok(0);
        }
        log.query.starts.push(born_head(&repo)?);
    }
    let mut groups = Groups::new();
    for commit in log.query.run(&repo)? {
        let who = match options.committer {
            true => &commit.committer,
            false => &commit.author,
        };
        let line = match &log.format {
            Format::User(..) => pretty::show_commit(&repo, &commit, &log.format, &log.context),
            _ => commit.subject(),
        };
        groups.entry(options.title(who)).or_default().push(line);
    }
    print(groups, &options);
    Ok(0)
}

/// `git log | git shortlog`: without a revision, standard input is what is summed up.
fn of_text(text: &[u8], options: &Options) -> Groups {
    let mut groups = Groups::new();
    let mut author: Option<Vec<u8>> = None;
    for line in text.split(|byte| *byte == b'\n') {
        let who = line
            .strip_prefix(b"Author: ")
            .or(line.strip_prefix(b"author "));
        if let Some(who) = who {
            author = Some(options.title(who));
        } else if let Some(subject) = line.strip_prefix(b"    ")
            && !subject.trim_ascii().is_empty()
            && let Some(author) = author.take()
        {
            groups.entry(author).or_default().push(subject.to_vec());
        }
    }
    groups
}

fn print(groups: Groups, options: &Options) {
    let mut list: Vec<_> = groups.into_iter().collect();
    if options.numbered {
        list.sort_by_key(|(_, commits)| std::cmp::Reverse(commits.len()));
    }
    for (name, mut subjects) in list {
        if options.summary {
            out::line([format!("{:6}\t", subjects.len()).as_bytes(), &name].concat());
            continue;
        }
        out::line([&name[..], format!(" ({}):", subjects.len()).as_bytes()].concat());
        subjects.reverse();
        for subject in subjects {
            out::line([b"      ", &subject[..]].concat());
        }
        put(b"\n");
    }
}
