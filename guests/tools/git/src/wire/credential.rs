//! Names and passwords: of the URL, of helpers, of a program that asks.

use std::io::{Read as _, Write as _};

use codepod_net::Url;
use codepod_tool::{Command, Ended, Ends};

use super::settings::values;
use crate::config::{Config, expand_home};
use crate::os;
use crate::out;
use crate::stop::{Result, fatal, show};

/// The most that a helper may say.
const LONGEST: u64 = 64 * 1024;

/// A name and a password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Credential {
    pub(crate) user: Vec<u8>,
    pub(crate) password: Vec<u8>,
}

/// Whom to ask, for one URL.
pub(crate) struct Helpers<'a> {
    config: &'a Config,
    url: &'a Url,
    helpers: Vec<Vec<u8>>,
}

impl<'a> Helpers<'a> {
    /// The helpers of the settings; an empty one takes back those before it.
    pub(crate) fn new(config: &'a Config, url: &'a Url) -> Helpers<'a> {
        let mut helpers: Vec<Vec<u8>> = Vec::new();
        for helper in values(config, "credential", "helper", url) {
            match helper {
                b"" => helpers.clear(),
                helper => helpers.push(helper.to_vec()),
            }
        }
        Helpers {
            config,
            url,
            helpers,
        }
    }

    /// A name and a password for the URL.
    ///
    /// Fails when nobody knows them: there is no terminal to ask at.
    pub(crate) fn fill(&self) -> Result<Credential> {
        let configured = values(self.config, "credential", "username", self.url);
        let configured = configured.last().map(|user| user.to_vec());
        let mut user = self
            .url
            .user
            .clone()
            .filter(|user| !user.is_empty())
            .or(configured);
        let mut password = self.url.password.clone();
        for helper in &self.helpers {
            if user.is_some() && password.is_some() {
                break;
            }
            let said = self.run(helper, "get", &self.fields(user.as_deref(), None)?)?;
            for line in said.split(|byte| *byte == b'\n') {
                if let Some(name) = line.strip_prefix(b"username=") {
                    user = Some(name.to_vec());
                } else if let Some(word) = line.strip_prefix(b"password=") {
                    password = Some(word.to_vec());
                } else if line == b"quit=1" || line == b"quit=true" {
                    return fatal("credential helper told us to quit");
                }
            }
        }
        let user = match user {
            Some(user) => user,
            None => self.ask("Username", None)?,
        };
        let password = match password {
            Some(password) => password,
            None => self.ask("Password", Some(&user))?,
        };
        Ok(Credential { user, password })
    }

    /// Tells the helpers that it was right, or that it was wrong.
    pub(crate) fn tell(&self, credential: &Credential, is_right: bool) -> Result<()> {
        let action = if is_right { "store" } else { "erase" };
        if self.helpers.is_empty() {
            return Ok(());
        }
        let fields = self.fields(Some(&credential.user), Some(&credential.password))?;
        for helper in &self.helpers {
            self.run(helper, action, &fields)?;
        }
        Ok(())
    }

    /// What helpers are told. Fails when a value would become two lines, and so name another host.
    fn fields(&self, user: Option<&[u8]>, password: Option<&[u8]>) -> Result<Vec<u8>> {
        let mut text = format!(
            "protocol={}\nhost={}\n",
            self.url.scheme.name(),
            self.url.authority()
        )
        .into_bytes();
        if self.config.truth("credential.usehttppath") == Some(true) {
            let path = self.url.path.trim_start_matches('/');
            text.extend(format!("path={path}\n").bytes());
        }
        for (name, value) in [("username", user), ("password", password)] {
            let Some(value) = value else {
                continue;
            };
            if value.iter().any(|byte| matches!(byte, 0 | b'\n' | b'\r')) {
                return fatal(format!("credential value for {name} contains newline"));
            }
            text.extend([name.as_bytes(), b"=", value, b"\n"].concat());
        }
        Ok(text)
    }

    /// What a helper says.
    fn run(&self, helper: &[u8], action: &str, fields: &[u8]) -> Result<Vec<u8>> {
        let text = show(helper);
        let mut words = text.split_ascii_whitespace();
        let command = match words.next() {
            Some("store") => {
                let file = words.find_map(|word| word.strip_prefix("--file="));
                return Store::new(file).run(action, fields);
            }
            _ if helper.starts_with(b"!") => &helper[1..],
            _ if helper.starts_with(b"/") => helper,
            _ => {
                return fatal(format!(
                    "codepod's git has no credential helper '{text}': `store`, a path and `!COMMAND` work"
                ));
            }
        };
        let line = [command, b" ", action.as_bytes()].concat();
        let mut child = Command::shell(&line, Ends::Both)?;
        // One that does not read its input has the answer without it.
        let _ = child.write_all(fields);
        child.close_input();
        let mut said = Vec::new();
        std::io::Read::by_ref(&mut child)
            .take(LONGEST)
            .read_to_end(&mut said)?;
        child.wait()?;
        Ok(said)
    }

    /// Asks with the program that the settings name.
    fn ask(&self, what: &str, user: Option<&[u8]>) -> Result<Vec<u8>> {
        let place = match user {
            Some(user) => format!(
                "{}://{}@{}",
                self.url.scheme.name(),
                show(user),
                self.url.authority()
            ),
            None => format!("{}://{}", self.url.scheme.name(), self.url.authority()),
        };
        let configured = self.config.get("core.askpass").map(<[u8]>::to_vec);
        let program = os::variable("GIT_ASKPASS")
            .or(configured)
            .or_else(|| os::variable("SSH_ASKPASS"))
            .filter(|program| !program.is_empty());
        if let Some(program) = program {
            let prompt = format!("{what} for '{place}': ");
            let line = [&program[..], b" \"$1\""].concat();
            let words: [&[u8]; 5] = [b"sh", b"-c", &line, &program, prompt.as_bytes()];
            let mut child = Command::start(b"/bin/sh", &words, Ends::Output)?;
            let mut said = Vec::new();
            std::io::Read::by_ref(&mut child)
                .take(LONGEST)
                .read_to_end(&mut said)?;
            if child.wait()? == Ended::Exited(0) {
                let end = said.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                said.truncate(end.unwrap_or(said.len()));
                return Ok(said);
            }
            out::note(format!(
                "error: unable to read askpass response from '{}'",
                show(&program)
            ));
        }
        let is_off = os::variable("GIT_TERMINAL_PROMPT")
            .is_some_and(|value| crate::config::parse_truth(&value) == Some(false));
        let why = match is_off {
            true => "terminal prompts disabled",
            false => "No such device or address",
        };
        fatal(format!("could not read {what} for '{place}': {why}"))
    }
}

/// `git credential-store`: URLs with name and password, a line each.
struct Store {
    files: Vec<Vec<u8>>,
}

impl Store {
    fn new(file: Option<&str>) -> Store {
        let files = match file {
            Some(file) => vec![expand_home(file.as_bytes())],
            None => {
                let home = os::variable("HOME").unwrap_or_default();
                let config = os::variable("XDG_CONFIG_HOME")
                    .filter(|value| !value.is_empty())
                    .unwrap_or_else(|| [&home[..], b"/.config"].concat());
                vec![
                    [&home[..], b"/.git-credentials"].concat(),
                    [&config[..], b"/git/credentials"].concat(),
                ]
            }
        };
        Store { files }
    }

    fn run(&self, action: &str, fields: &[u8]) -> Result<Vec<u8>> {
        let field = |name: &[u8]| -> Option<Vec<u8>> {
            let mut lines = fields.split(|byte| *byte == b'\n');
            lines.find_map(|line| line.strip_prefix(name).map(<[u8]>::to_vec))
        };
        let wanted = Line {
            scheme: field(b"protocol=").unwrap_or_default(),
            place: field(b"host=").unwrap_or_default(),
            user: field(b"username="),
            password: field(b"password="),
        };
        match action {
            "get" => Ok(self.find(&wanted).map_or(Vec::new(), |found| {
                let user = found.user.unwrap_or_default();
                let password = found.password.unwrap_or_default();
                [b"username=", &user[..], b"\npassword=", &password, b"\n"].concat()
            })),
            "store" => self.write(&wanted, true).map(|()| Vec::new()),
            _ => self.write(&wanted, false).map(|()| Vec::new()),
        }
    }

    fn find(&self, wanted: &Line) -> Option<Line> {
        self.files.iter().find_map(|file| {
            let text = os::read(file).ok()?;
            let mut lines = text.split(|byte| *byte == b'\n').filter_map(Line::parse);
            lines.find(|line| line.is_for(wanted))
        })
    }

    /// Writes a line in the place of those for the same user, or only takes these away.
    fn write(&self, line: &Line, stores: bool) -> Result<()> {
        let mut is_stored = false;
        for (at, file) in self.files.iter().enumerate() {
            let Ok(old) = os::read(file) else {
                continue;
            };
            let mut text = Vec::new();
            if stores && !is_stored {
                text = line.text();
                is_stored = true;
            }
            for other in old.split_inclusive(|byte| *byte == b'\n') {
                let same = Line::parse(other.trim_ascii_end()).is_some_and(|other| {
                    other.is_for(line)
                        && (stores || line.password.is_none() || other.password == line.password)
                });
                if !same {
                    text.extend_from_slice(other);
                }
            }
            if text != old {
                os::replace(file, &text)?;
                os::chmod(file, 0o600)?;
            }
            let _ = at;
        }
        if stores
            && !is_stored
            && let Some(file) = self.files.first()
        {
            os::write(file, &line.text())?;
            os::chmod(file, 0o600)?;
        }
        Ok(())
    }
}

/// A line of the store.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    scheme: Vec<u8>,
    place: Vec<u8>,
    user: Option<Vec<u8>>,
    password: Option<Vec<u8>>,
}

impl Line {
    fn parse(line: &[u8]) -> Option<Line> {
        let at = line.windows(3).position(|part| part == b"://")?;
        let rest = line[at + 3..].split(|byte| *byte == b'/').next()?;
        let at_sign = rest.iter().rposition(|byte| *byte == b'@')?;
        let (userinfo, place) = (&rest[..at_sign], &rest[at_sign + 1..]);
        let colon = userinfo.iter().position(|byte| *byte == b':')?;
        Some(Line {
            scheme: line[..at].to_vec(),
            place: codepod_net::percent_decode(place),
            user: Some(codepod_net::percent_decode(&userinfo[..colon])),
            password: Some(codepod_net::percent_decode(&userinfo[colon + 1..])),
        })
    }

    fn is_for(&self, wanted: &Line) -> bool {
        self.scheme == wanted.scheme
            && self.place == wanted.place
            && (wanted.user.is_none() || self.user == wanted.user)
    }

    fn text(&self) -> Vec<u8> {
        let user = encode(self.user.as_deref().unwrap_or_default());
        let password = encode(self.password.as_deref().unwrap_or_default());
        let place = encode(&self.place);
        [
            &self.scheme[..],
            b"://",
            &user,
            b":",
            &password,
            b"@",
            &place,
            b"\n",
        ]
        .concat()
    }
}

fn encode(text: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    for byte in text {
        match byte.is_ascii_alphanumeric() || b"-_.~".contains(byte) {
            true => encoded.push(*byte),
            false => encoded.extend(format!("%{byte:02x}").bytes()),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_line_end_is_not_told() {
        let config = Config::default();
        let url = Url::parse(b"https://me%0ahost=evil.test@a.test/").unwrap();
        let helpers = Helpers::new(&config, &url);
        assert!(helpers.fields(url.user.as_deref(), None).is_err());
        let told = helpers.fields(Some(b"me"), None).unwrap();
        assert_eq!(told, b"protocol=https\nhost=a.test\nusername=me\n");
    }

    #[test]
    fn lines_of_the_store_come_back() {
        let line = Line {
            scheme: b"https".to_vec(),
            place: b"a.test:8443".to_vec(),
            user: Some(b"me@home".to_vec()),
            password: Some(b"p:/@ss".to_vec()),
        };
        let text = line.text();
        assert_eq!(text, b"https://me%40home:p%3a%2f%40ss@a.test%3a8443\n");
        assert_eq!(Line::parse(text.trim_ascii_end()), Some(line));
        assert_eq!(Line::parse(b"https://a.test"), None);
        assert_eq!(Line::parse(b"nonsense"), None);
    }
}
