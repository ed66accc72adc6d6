//! Who writes: name, address and date for commits and logs.

use crate::date;
use crate::os;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

/// Author or committer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Who wrote the change.
    Author,
    /// Who made the commit.
    Committer,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Author => "AUTHOR",
            Role::Committer => "COMMITTER",
        }
    }
}

const ADVICE: &str = "\n*** Please tell me who you are.\n\nRun\n\n  git config --global user.email \"you@example.com\"\n  git config \
    --global user.name \"Your Name\"\n\nto set your account's default identity.\nOmit --global to set the identity only in this \
    repository.\n";

/// `Name <address>` and the date, both as they are written into objects. With `strict`, a name must
/// be known.
pub(crate) fn identity(repo: &Repo, role: Role, strict: bool) -> Result<Vec<u8>> {
    let word = role.word();
    let lower = word.to_ascii_lowercase();
    let own =
        |what: &str| os::variable(&format!("GIT_{word}_{what}")).filter(|value| !value.is_empty());
    let set = |name: &str| {
        let specific = repo.config.get(&format!("{lower}.{name}"));
        specific
            .or_else(|| repo.config.get(&format!("user.{name}")))
            .map(<[u8]>::to_vec)
    };
    let user = user_name();
    let mail = own("EMAIL")
        .or_else(|| set("email"))
        .or_else(|| os::variable("EMAIL").filter(|value| !value.is_empty()));
    let label = match role {
        Role::Author => "Author",
        Role::Committer => "Committer",
    };
    let mail = match mail {
        Some(mail) => mail,
        None if !strict => [&user[..], b"@", &host_name(), b".(none)"].concat(),
        None => {
            crate::out::note(format!("{label} identity unknown\n{ADVICE}"));
            let guess = format!("{}@{}.(none)", show(&user), show(&host_name()));
            return fatal(format!(
                "unable to auto-detect email address (got '{guess}')"
            ));
        }
    };
    let name = match own("NAME").or_else(|| set("name")) {
        Some(name) => name,
        None if !strict => user,
        None => {
            crate::out::note(format!("{label} identity unknown\n{ADVICE}"));
            return fatal(format!(
                "empty ident name (for <{}>) not allowed",
                show(&mail)
            ));
        }
    };
    let when = match own("DATE") {
        Some(text) => match date::parse(&show(&text)) {
            Some(when) => when,
            None => return fatal(format!("invalid date format: {}", show(&text))),
        },
        None => (date::now(), date::local_zone()),
    };
    join(&name, &mail, when)
}

/// The three parts in the form of objects.
pub(crate) fn join(name: &[u8], mail: &[u8], (time, zone): (i64, i32)) -> Result<Vec<u8>> {
    let name = clean(name);
    if name.is_empty() {
        return fatal(format!(
            "empty ident name (for <{}>) not allowed",
            show(mail)
        ));
    }
    Ok([
        &name[..],
        b" <",
        &clean(mail),
        b">",
        format!(" {time} {zone:+05}").as_bytes(),
    ]
    .concat())
}

/// Without what git leaves out: brackets and newlines anywhere, dots and the like at both ends.
fn clean(text: &[u8]) -> Vec<u8> {
    let crud = |byte: &u8| *byte <= b' ' || b".,:;<>\"\\'".contains(byte);
    let start = text
        .iter()
        .position(|byte| !crud(byte))
        .unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|byte| !crud(byte))
        .map_or(start, |at| at + 1);
    text[start..end]
        .iter()
        .copied()
        .filter(|byte| !b"\n<>".contains(byte))
        .collect()
}

fn user_name() -> Vec<u8> {
    let named = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| os::variable(name).filter(|value| !value.is_empty()));
    named.unwrap_or_else(|| b"root".to_vec())
}

fn host_name() -> Vec<u8> {
    let found = os::variable("HOSTNAME").or_else(|| {
        os::read(b"/etc/hostname")
            .ok()
            .map(|text| text.trim_ascii().to_vec())
    });
    found
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| b"localhost".to_vec())
}
