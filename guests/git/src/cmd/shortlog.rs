//! `git shortlog`: commits by their authors.

use std::collections::BTreeMap;

use super::Call;
use super::log::LogOptions;
use crate::object::who_parts;
use crate::out::{self, put};
use crate::pretty::{self, Format};
use crate::stop::{Result, fatal, show as text_of};

/// `git shortlog`.
pub(crate) fn shortlog(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut numbered, mut summary, mut email, mut committer) = (false, false, false, false);
    let mut words = Vec::new();
    for word in &call.words {
        match &word[..] {
            b"--numbered" => numbered = true,
            b"--summary" => summary = true,
            b"--email" => email = true,
            b"--committer" | b"-c" | b"--group=committer" => committer = true,
            b"--group=author" => committer = false,
            [b'-', letters @ ..]
                if !letters.is_empty() && letters.iter().all(|letter| b"nse".contains(letter)) =>
            {
                numbered |= letters.contains(&b'n');
                summary |= letters.contains(&b's');
                email |= letters.contains(&b'e');
            }
            _ => words.push(word.clone()),
        }
    }
    let (mut show, rest, dashes) = LogOptions::parse(&repo, &words, "log")?;
    show.query.words(&repo, &rest, dashes)?;
    if !show.query.revision_given && !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return of_text(&crate::os::read_stdin()?, numbered, summary, email);
    }
    if !show.query.revision_given {
        match repo.head() {
            Some(head) => show.query.starts.push(head),
            None => {
                let branch = text_of(&repo.branch().unwrap_or_default());
                return fatal(format!(
                    "your current branch '{branch}' does not have any commits yet"
                ));
            }
        }
    }
    let mut groups: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    for commit in show.query.run(&repo)? {
        let (name, mail) = who_parts(if committer {
            &commit.committer
        } else {
            &commit.author
        });
        let key = if email {
            [name, b" <", mail, b">"].concat()
        } else {
            name.to_vec()
        };
        let line = match &show.format {
            Format::User(..) => pretty::show_commit(&repo, &commit, &show.format, &show.context),
            _ => commit.subject(),
        };
        groups.entry(key).or_default().push(line);
    }
    print_groups(groups, numbered, summary);
    Ok(0)
}

/// `git log | git shortlog`: without a revision, standard input is what is summed up.
fn of_text(text: &[u8], numbered: bool, summary: bool, email: bool) -> Result<i32> {
    let mut groups: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    let mut author: Option<Vec<u8>> = None;
    for line in text.split(|byte| *byte == b'\n') {
        if let Some(who) = line
            .strip_prefix(b"Author: ")
            .or(line.strip_prefix(b"author "))
        {
            let (name, mail) = who_parts(who);
            author = Some(if email {
                [name, b" <", mail, b">"].concat()
            } else {
                name.to_vec()
            });
        } else if let (true, Some(author)) = (
            line.starts_with(b"    ") && !line.trim_ascii().is_empty(),
            author.take_if(|_| line.starts_with(b"    ") && !line.trim_ascii().is_empty()),
        ) {
            groups.entry(author).or_default().push(line[4..].to_vec());
        }
    }
    print_groups(groups, numbered, summary);
    Ok(0)
}

fn print_groups(groups: BTreeMap<Vec<u8>, Vec<Vec<u8>>>, numbered: bool, summary: bool) {
    let mut list: Vec<_> = groups.into_iter().collect();
    if numbered {
        list.sort_by_key(|(_, commits)| std::cmp::Reverse(commits.len()));
    }
    for (name, mut subjects) in list {
        if summary {
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
