//! The arguments of `ps`: UNIX options with a dash, BSD options without, GNU's with two.

use codepod_tool::{Arguments, Names};

use super::columns::{Field, Key};
use super::select::{Listed, Selection};
use super::tree::Style;

/// What a call asks for.
pub(super) enum Call {
    Show(Box<Wanted>),
    Help,
    Version,
    /// `L`: the names of columns.
    List,
}

/// What is shown, and how.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) selection: Selection,
    pub(super) order: Vec<Key>,
    pub(super) forest: Option<Style>,
    pub(super) no_header: bool,
    pub(super) names_only: bool,
    pub(super) environment: bool,
    pub(super) numeric: bool,
    /// How often -w was said.
    pub(super) wide: u32,
    /// --cols
    pub(super) columns: Option<usize>,
    /// The columns of -o.
    chosen: Vec<Field>,
    /// The columns of -O, which stand among the usual ones.
    added: Vec<Field>,
    /// Whether an option was BSD's: then the usual columns are too.
    bsd: bool,
    /// -f, -F, -l, -y, -j, `u`, `l`, `j`
    forms: Vec<Form>,
    /// -L, -T
    threads: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Full,
    ExtraFull,
    Long,
    NoFlags,
    Jobs,
    BsdUser,
    BsdLong,
    BsdJobs,
}

impl Wanted {
    /// The columns of a line.
    pub(super) fn fields(&self) -> Vec<Field> {
        if !self.chosen.is_empty() {
            return self.chosen.clone();
        }
        let has = |form: Form| self.forms.contains(&form);
        let full = has(Form::Full) || has(Form::ExtraFull);
        let list = match () {
            () if has(Form::BsdUser) => {
                "user pid pcpu pmem vsz rss tname stat start_time bsdtime args"
            }
            () if has(Form::BsdLong) => {
                "f uid pid ppid priority ni vsz rss wchan stat tname bsdtime args"
            }
            () if has(Form::BsdJobs) => "ppid pid pgid sid tname tpgid stat uid bsdtime args",
            () if has(Form::Long) && full => {
                "f s uid_hack pid ppid c opri ni addr_1 sz wchan stime tname time cmd"
            }
            () if has(Form::Long) && has(Form::NoFlags) => {
                "s uid pid ppid c opri ni rss sz wchan tname time ucmd"
            }
            () if has(Form::Long) => "f s uid pid ppid c opri ni addr_1 sz wchan tname time ucmd",
            () if has(Form::ExtraFull) => "uid_hack pid ppid c sz rss psr stime tname time cmd",
            () if full && has(Form::Jobs) => "uid_hack pid ppid pgid sid c stime tname time cmd",
            () if full => "uid_hack pid ppid c stime tname time cmd",
            () if has(Form::Jobs) => "pid pgid sid tname time ucmd",
            () if !self.added.is_empty() => "pid state tname time command",
            () if self.bsd => "pid tname stat bsdtime args",
            () => "pid tname time ucmd",
        };
        let mut fields = Vec::new();
        for name in list.split(' ') {
            fields.extend(super::column(name).map(Field::plain));
            let (thread, count) = (super::column("lwp"), super::column("nlwp"));
            match (self.threads, name) {
                (Some(b'T'), "pid") => fields.extend(super::column("spid").map(Field::plain)),
                (Some(b'L'), "pid") if !full => fields.extend(thread.map(Field::plain)),
                (Some(b'L'), "ppid") if full => fields.extend(thread.map(Field::plain)),
                (Some(b'L'), "c") if full => fields.extend(count.map(Field::plain)),
                _ => {}
            }
            if name == "pid" {
                fields.extend(self.added.iter().cloned());
            }
        }
        fields
    }
}

/// Arguments on their way.
struct Reader {
    wanted: Wanted,
    rest: std::collections::VecDeque<Vec<u8>>,
    users: Names,
    groups: Names,
}

type Result<T, E = String> = std::result::Result<T, E>;

/// Reads them. Fails with what is wrong, without the usage.
pub(super) fn read(arguments: Arguments) -> Result<Call> {
    let mut reader = Reader {
        wanted: Wanted::default(),
        rest: arguments.into(),
        users: Names::users(),
        groups: Names::groups(),
    };
    while let Some(word) = reader.rest.pop_front() {
        let word = String::from_utf8_lossy(&word).into_owned();
        let call = if let Some(long) = word.strip_prefix("--") {
            reader.long(long)?
        } else if let Some(cluster) = word.strip_prefix('-') {
            reader.unix(cluster)?
        } else if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            reader.list("process IDs", "", &word, pid)?;
            reader.wanted.bsd = true;
            None
        } else {
            reader.bsd(&word)?
        };
        if let Some(call) = call {
            return Ok(call);
        }
    }
    let wanted = reader.wanted;
    if wanted.forms.contains(&Form::NoFlags) && !wanted.forms.contains(&Form::Long) {
        return Err("modifier -y without format -l makes no sense".into());
    }
    Ok(Call::Show(Box::new(wanted)))
}

fn pid(text: &str) -> Result<Listed> {
    let number: u64 = text
        .parse()
        .map_err(|_| "process ID list syntax error".to_owned())?;
    match u32::try_from(number) {
        Ok(pid) if (1..=0x7fff_ffff).contains(&pid) => Ok(Listed::Pid(pid)),
        _ => Err("process ID out of range".into()),
    }
}

fn other(make: fn(u32) -> Listed) -> impl Fn(&str) -> Result<Listed> {
    move |text| match pid(text)? {
        Listed::Pid(number) => Ok(make(number)),
        listed => Ok(listed),
    }
}

impl Reader {
    /// The value of an option: what is left of the cluster, or the next argument.
    fn value(&mut self, attached: &str, needs: &str) -> Result<String> {
        let value = match attached.is_empty() {
            false => Some(attached.to_owned()),
            true => self
                .rest
                .pop_front()
                .map(|word| String::from_utf8_lossy(&word).into_owned()),
        };
        value
            .filter(|value| !value.is_empty())
            .ok_or_else(|| needs.to_owned())
    }

    /// Adds what a list with commas or blanks names.
    fn list(
        &mut self,
        what: &str,
        option: &str,
        attached: &str,
        each: impl Fn(&str) -> Result<Listed>,
    ) -> Result<()> {
        let text = self.value(attached, &format!("list of {what} must follow {option}"))?;
        self.wanted.selection.has_list = true;
        let text = text.trim_matches([' ', '\t']);
        for item in text.split([',', ' ', '\t']) {
            if item.is_empty() {
                return Err("improper list".into());
            }
            let listed = each(item)?;
            self.wanted.selection.listed.push(listed);
        }
        Ok(())
    }

    fn user_list(&mut self, option: &str, attached: &str, which: usize) -> Result<()> {
        let users = std::mem::take(&mut self.users);
        let done = self.list("users", option, attached, |name| {
            let known = users.number(name.as_bytes());
            match known.or_else(|| name.parse().ok()) {
                Some(uid) => Ok(Listed::User(which, uid)),
                None => Err("user name does not exist".into()),
            }
        });
        self.users = users;
        done
    }

    fn group_list(&mut self, option: &str, attached: &str, real: bool) -> Result<()> {
        let groups = std::mem::take(&mut self.groups);
        let (what, which) = if real {
            ("real groups", 0)
        } else {
            ("sessions OR effective group names", 1)
        };
        let done = self.list(what, option, attached, |name| {
            match (groups.number(name.as_bytes()), name.parse()) {
                (Some(gid), _) => Ok(Listed::Group(which, gid)),
                (None, Ok(number)) if real => Ok(Listed::Group(which, number)),
                (None, Ok(number)) => Ok(Listed::Session(number)),
                (None, Err(_)) => Err("group name does not exist".into()),
            }
        });
        self.groups = groups;
        done
    }

    fn names(&mut self, option: &str, attached: &str) -> Result<()> {
        self.list("command names", option, attached, |name| {
            Ok(Listed::Name(name.as_bytes().to_vec()))
        })
    }

    fn terminals(&mut self, option: &str, attached: &str) -> Result<()> {
        self.list(
            "terminals (pty, tty...)",
            option,
            attached,
            |name| match name {
                "-" | "?" => Ok(Listed::NoTerminal),
                _ => Err("TTY could not be found".into()),
            },
        )
    }

    fn format(&mut self, option: &str, attached: &str) -> Result<Vec<Field>> {
        let text = self.value(
            attached,
            &format!("format specification must follow {option}"),
        )?;
        let mut fields = Vec::new();
        for item in text.split([',', ' ', '\t']) {
            let (spec, header) = match item.split_once('=') {
                Some((spec, header)) => (spec, Some(header)),
                None => (item, None),
            };
            let (name, width) = match spec.split_once(':') {
                Some((name, width)) => (name, Some(width)),
                None => (spec, None),
            };
            let Some(column) = super::column(name) else {
                return Err(format!("unknown user-defined format specifier \"{spec}\""));
            };
            let mut field = Field::plain(column);
            if let Some(width) = width {
                field.width = width
                    .parse()
                    .ok()
                    .filter(|width| (1..=4096).contains(width))
                    .ok_or_else(|| "bad number after : in format".to_owned())?;
            }
            if let Some(header) = header {
                field.header = header.into();
                if width.is_none() {
                    field.width = field.width.max(header.len());
                }
            }
            fields.push(field);
        }
        Ok(fields)
    }

    fn sort(&mut self, attached: &str) -> Result<()> {
        let text = self.value(attached, "long sort specification must follow 'k'")?;
        for item in text.split(',') {
            let down = item.starts_with('-');
            let name = item.trim_start_matches(['+', '-']);
            let column = super::column(name).ok_or("unknown sort specifier")?;
            self.wanted.order.push((column, down));
        }
        Ok(())
    }

    fn width(&mut self, attached: &str) -> Result<()> {
        let needs = "number of columns must follow --cols, --width, or --columns";
        let columns = self.value(attached, needs)?.parse().ok();
        self.wanted.columns = Some(
            columns
                .filter(|columns| *columns > 0)
                .ok_or_else(|| needs.to_owned())?,
        );
        Ok(())
    }

    /// Options behind one dash.
    fn unix(&mut self, cluster: &str) -> Result<Option<Call>> {
        let letters: Vec<(usize, char)> = cluster.char_indices().collect();
        for (at, letter) in letters {
            let rest = cluster.get(at + letter.len_utf8()..).unwrap_or_default();
            let selection = &mut self.wanted.selection;
            match letter {
                'A' | 'e' => selection.all = true,
                'a' => selection.with_terminal = true,
                'd' => selection.no_leaders = true,
                'N' => selection.negate = true,
                'f' => self.wanted.forms.push(Form::Full),
                'F' => self.wanted.forms.push(Form::ExtraFull),
                'l' => self.wanted.forms.push(Form::Long),
                'y' => self.wanted.forms.push(Form::NoFlags),
                'j' => self.wanted.forms.push(Form::Jobs),
                'H' => self.wanted.forest = Some(Style::Blanks),
                'L' | 'T' => self.wanted.threads = Some(letter as u8),
                'w' => self.wanted.wide += 1,
                'V' => return Ok(Some(Call::Version)),
                'C' | 'G' | 'g' | 'O' | 'o' | 'p' | 'q' | 's' | 't' | 'u' | 'U' => {
                    match letter {
                        'C' => self.names("-C", rest)?,
                        'G' => self.group_list("-G", rest, true)?,
                        'g' => self.group_list("-g", rest, false)?,
                        'p' => self.list("process IDs", "-p", rest, pid)?,
                        'q' => self.list("process IDs", "-q", rest, pid)?,
                        's' => self.list("session IDs", "-s", rest, other(Listed::Session))?,
                        't' => self.terminals("-t", rest)?,
                        'U' => self.user_list("-U", rest, 0)?,
                        'O' => self.wanted.added = self.format("-O", rest)?,
                        'o' => {
                            let fields = self.format("-o", rest)?;
                            self.wanted.chosen.extend(fields);
                        }
                        _ => {
                            let done = self.user_list("-u", rest, 1);
                            if done.is_err() && !rest.is_empty() {
                                // `-aux` is meant as `aux`.
                                self.wanted.selection = Selection::default();
                                return self.bsd(cluster);
                            }
                            done?;
                        }
                    }
                    return Ok(None);
                }
                _ => return Err("unsupported SysV option".into()),
            }
        }
        Ok(None)
    }

    /// Options without a dash.
    fn bsd(&mut self, cluster: &str) -> Result<Option<Call>> {
        self.wanted.bsd = true;
        let letters: Vec<(usize, char)> = cluster.char_indices().collect();
        for (at, letter) in letters {
            let rest = cluster.get(at + letter.len_utf8()..).unwrap_or_default();
            let selection = &mut self.wanted.selection;
            match letter {
                'a' => selection.every_user = true,
                'g' | 'S' | 'H' => {}
                'x' => selection.every_terminal = true,
                'r' => selection.running = true,
                'u' => self.wanted.forms.push(Form::BsdUser),
                'l' => self.wanted.forms.push(Form::BsdLong),
                'j' => self.wanted.forms.push(Form::BsdJobs),
                'f' => self.wanted.forest = Some(Style::Lines),
                'h' => self.wanted.no_header = true,
                'c' => self.wanted.names_only = true,
                'e' => self.wanted.environment = true,
                'n' => self.wanted.numeric = true,
                'w' => self.wanted.wide += 1,
                'L' => return Ok(Some(Call::List)),
                'V' => return Ok(Some(Call::Version)),
                'k' | 'o' | 'O' | 'p' | 'q' | 't' | 'U' => {
                    match letter {
                        'k' => self.sort(rest)?,
                        'O' => self.wanted.added = self.format("-O", rest)?,
                        'o' => {
                            let fields = self.format("-o", rest)?;
                            self.wanted.chosen.extend(fields);
                        }
                        't' => self.terminals("t", rest)?,
                        'U' => self.user_list("U", rest, 1)?,
                        _ => self.list("process IDs", "p", rest, pid)?,
                    }
                    return Ok(None);
                }
                _ => return Err("unsupported option (BSD syntax)".into()),
            }
        }
        Ok(None)
    }

    /// A long option.
    fn long(&mut self, word: &str) -> Result<Option<Call>> {
        let (name, attached) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "help" => return Ok(Some(Call::Help)),
            "version" => return Ok(Some(Call::Version)),
            "pid" | "quick-pid" => {
                self.list("process IDs", &format!("--{name}"), attached, pid)?;
            }
            "ppid" => self.list("process IDs", "--ppid", attached, other(Listed::Parent))?,
            "sid" => self.list("session IDs", "--sid", attached, other(Listed::Session))?,
            "user" => self.user_list("--user", attached, 1)?,
            "User" => self.user_list("--User", attached, 0)?,
            "group" => self.group_list("--group", attached, false)?,
            "Group" => self.group_list("--Group", attached, true)?,
            "tty" => self.terminals("--tty", attached)?,
            "sort" => self.sort(attached)?,
            "cols" | "columns" | "width" => self.width(attached)?,
            "format" => {
                let fields = self.format("--format", attached)?;
                self.wanted.chosen.extend(fields);
            }
            "deselect" => self.wanted.selection.negate = true,
            "forest" => self.wanted.forest = Some(Style::Lines),
            "no-headers" | "no-header" | "no-headings" | "no-heading" | "noheaders"
            | "noheader" | "noheadings" | "noheading" => self.wanted.no_header = true,
            "cumulative" => {}
            _ => return Err("unknown gnu long option".into()),
        }
        Ok(None)
    }
}
