//! Who one is: `id`, `whoami`, `groups`, `logname`, `users`, `who`.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, quoted,
};

use crate::arguments::{help, version};
use crate::names::Names;
use crate::system;

#[derive(Clone, Copy)]
enum Key {
    All,
    Context,
    Group,
    Groups,
    Name,
    Real,
    User,
    Zero,
    Help,
    Version,
}

const ID: &[Opt<Key>] = &[
    flag(Key::All, b'a', ""),
    flag(Key::Context, b'Z', "context"),
    flag(Key::Group, b'g', "group"),
    flag(Key::Groups, b'G', "groups"),
    flag(Key::Name, b'n', "name"),
    flag(Key::Real, b'r', "real"),
    flag(Key::User, b'u', "user"),
    flag(Key::Zero, b'z', "zero"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];
const NONE: &[Opt<Key>] = &[
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What `id` prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Only {
    All,
    User,
    Group,
    Groups,
}

/// What the options of `id` say.
struct Settings {
    only: Only,
    /// Whether names are printed instead of numbers.
    name: bool,
    zero: bool,
}

/// `id`
pub(crate) fn id(tool: &str, arguments: Arguments) -> i32 {
    match id_settings(tool, arguments) {
        Ok((settings, users)) => print_ids(tool, &settings, users),
        Err(stop) => stop.report(tool, 1),
    }
}

/// Reads the arguments of `id`: what the options say, and the users.
fn id_settings(tool: &str, arguments: Arguments) -> Result<(Settings, Vec<Vec<u8>>), Stop> {
    let mut settings = Settings {
        only: Only::All,
        name: false,
        zero: false,
    };
    let (mut chosen, mut real, mut context) = (0, false, false);
    let users = Options::new(ID, arguments).each(|key, _| {
        let mut choose = |what: Only| {
            chosen += i32::from(settings.only != what);
            settings.only = what;
        };
        match key {
            Key::All => {}
            Key::Context => context = true,
            Key::Group => choose(Only::Group),
            Key::Groups => choose(Only::Groups),
            Key::User => choose(Only::User),
            Key::Name => settings.name = true,
            Key::Real => real = true,
            Key::Zero => settings.zero = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... [USER]...",
                    "Print user and group information for each specified USER, or for the current user.",
                    ID,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    let all = settings.only == Only::All;
    let mistakes = [
        (
            context,
            "--context (-Z) works only on an SELinux-enabled kernel",
        ),
        (chosen > 1, "cannot print \"only\" of more than one choice"),
        (
            all && (settings.name || real),
            "cannot print only names or real IDs in default format",
        ),
        (
            all && settings.zero,
            "option --zero not permitted in default format",
        ),
    ];
    match mistakes.into_iter().find(|(is_made, _)| *is_made) {
        Some((_, message)) => Err(Stop::failed(message)),
        None => Ok((settings, users)),
    }
}

/// Prints a line for each user; for the current one if none is named. Returns the status.
fn print_ids(tool: &str, settings: &Settings, users: Vec<Vec<u8>>) -> i32 {
    let mut names = Names::default();
    let mut out = Output::new();
    let mut status = 0;
    let end: &[u8] = match (
        settings.zero,
        users.len() > 1 && settings.only == Only::Groups,
    ) {
        (true, true) => b"\0\0",
        (true, false) => b"\0",
        _ => b"\n",
    };
    if users.is_empty() {
        let (uid, gid) = system::user();
        out.put(id_text(&mut names, settings, uid, gid).as_bytes());
        out.put(end);
    }
    for user in users {
        match ids_of(&mut names, &user) {
            Some((uid, gid)) => {
                out.put(id_text(&mut names, settings, uid, gid).as_bytes());
                out.put(end);
            }
            None => {
                out.write_out();
                complain(tool, [&quoted(&user)[..], b": no such user"].concat());
                status = 1;
            }
        }
    }
    if out.finish().is_err() { 1 } else { status }
}

/// The numbers of a user and of the login group, by name or number.
fn ids_of(names: &mut Names, user: &[u8]) -> Option<(u32, u32)> {
    let wanted = String::from_utf8_lossy(user);
    if let Some(user) = names.user(&wanted) {
        return Some((user.uid, user.gid));
    }
    let uid: u32 = wanted.strip_prefix('+').unwrap_or(&wanted).parse().ok()?;
    let user = names.users().iter().find(|user| user.uid == uid)?;
    Some((user.uid, user.gid))
}

/// What is printed of a user.
fn id_text(names: &mut Names, settings: &Settings, uid: u32, gid: u32) -> String {
    let one = |names: &mut Names, gid: u32| {
        if settings.name {
            names.group_name(gid)
        } else {
            gid.to_string()
        }
    };
    match settings.only {
        Only::User if settings.name => names.user_name(uid),
        Only::User => uid.to_string(),
        Only::Group => one(names, gid),
        Only::Groups => {
            let groups = groups_of(names, uid, gid).into_iter();
            let shown: Vec<String> = groups.map(|gid| one(names, gid)).collect();
            shown.join(if settings.zero { "\0" } else { " " })
        }
        Only::All => {
            let user = with_name(uid, names.user_name(uid));
            let groups = groups_of(names, uid, gid).into_iter();
            let groups: Vec<String> = groups
                .map(|gid| with_name(gid, names.group_name(gid)))
                .collect();
            let group = with_name(gid, names.group_name(gid));
            format!("uid={user} gid={group} groups={}", groups.join(","))
        }
    }
}

/// `NUMBER(NAME)`; only the number where that is the name.
fn with_name(number: u32, name: String) -> String {
    if name == number.to_string() {
        name
    } else {
        format!("{number}({name})")
    }
}

fn groups_of(names: &mut Names, uid: u32, gid: u32) -> Vec<u32> {
    let user = names.user_name(uid);
    let mut groups = vec![gid];
    for group in names.groups() {
        if group.members.contains(&user) && !groups.contains(&group.gid) {
            groups.push(group.gid);
        }
    }
    groups
}

/// Reads arguments of a tool that has no options. Fails with the status to end with.
fn plain(tool: &str, usage: &str, about: &str, arguments: Arguments) -> Result<Vec<Vec<u8>>, i32> {
    let mut options = Options::new(NONE, arguments);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(Key::Version, _))) => return Err(version(tool)),
            Ok(Some(Found::Option(..))) => return Err(help(tool, usage, about, NONE)),
            Ok(None) => return Ok(operands),
            Err(usage) => return Err(usage.report(tool, 1)),
        }
    }
}

fn without_operands(tool: &str, about: &str, arguments: Arguments) -> Result<(), i32> {
    match plain(tool, "[OPTION]...", about, arguments)?.first() {
        Some(extra) => {
            Err(Usage::new([b"extra operand ", &quoted(extra)[..]].concat()).report(tool, 1))
        }
        None => Ok(()),
    }
}

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    i32::from(out.finish().is_err())
}

/// `whoami`
pub(crate) fn whoami(tool: &str, arguments: Arguments) -> i32 {
    if let Err(status) = without_operands(
        tool,
        "Print the user name associated with the current effective user ID.",
        arguments,
    ) {
        return status;
    }
    let name = Names::default().user_name(system::user().0);
    print(&format!("{name}\n"))
}

/// `logname`
pub(crate) fn logname(tool: &str, arguments: Arguments) -> i32 {
    if let Err(status) = without_operands(tool, "Print the user's login name.", arguments) {
        return status;
    }
    complain(tool, "no login name");
    1
}

/// `groups`
pub(crate) fn groups(tool: &str, arguments: Arguments) -> i32 {
    let operands = match plain(
        tool,
        "[OPTION]... [USERNAME]...",
        "Print group memberships for each USERNAME or, if no USERNAME is specified, for the current process.",
        arguments,
    ) {
        Ok(operands) => operands,
        Err(status) => return status,
    };
    let mut names = Names::default();
    let mut text = String::new();
    let mut status = 0;
    let show = |names: &mut Names, uid: u32, gid: u32| {
        let groups = groups_of(names, uid, gid);
        groups
            .iter()
            .map(|gid| names.group_name(*gid))
            .collect::<Vec<_>>()
            .join(" ")
    };
    if operands.is_empty() {
        let (uid, gid) = system::user();
        text = show(&mut names, uid, gid) + "\n";
    }
    for operand in operands {
        let user = String::from_utf8_lossy(&operand).into_owned();
        match names.user(&user).map(|user| (user.uid, user.gid)) {
            Some((uid, gid)) => text += &format!("{user} : {}\n", show(&mut names, uid, gid)),
            None => {
                complain(tool, [&quoted(&operand)[..], b": no such user"].concat());
                status = 1;
            }
        }
    }
    print(&text).max(status)
}

/// `users`: nobody is logged in.
pub(crate) fn users(tool: &str, arguments: Arguments) -> i32 {
    match plain(
        tool,
        "[OPTION]... [FILE]",
        "Output who is currently logged in according to FILE.",
        arguments,
    ) {
        Ok(operands) if operands.len() > 1 => {
            Usage::new([b"extra operand ", &quoted(&operands[1])[..]].concat()).report(tool, 1)
        }
        Ok(_) => 0,
        Err(status) => status,
    }
}

#[derive(Clone, Copy)]
enum WhoKey {
    Ignored,
    Heading,
    Count,
    Help,
    Version,
}

const WHO: &[Opt<WhoKey>] = &[
    flag(WhoKey::Ignored, b'a', "all"),
    flag(WhoKey::Ignored, b'b', "boot"),
    flag(WhoKey::Ignored, b'd', "dead"),
    flag(WhoKey::Heading, b'H', "heading"),
    flag(WhoKey::Ignored, b'l', "login"),
    long(WhoKey::Ignored, "lookup", Value::None),
    flag(WhoKey::Ignored, b'm', ""),
    flag(WhoKey::Ignored, b'p', "process"),
    flag(WhoKey::Count, b'q', "count"),
    flag(WhoKey::Ignored, b'r', "runlevel"),
    flag(WhoKey::Ignored, b's', "short"),
    flag(WhoKey::Ignored, b't', "time"),
    flag(WhoKey::Ignored, b'T', "mesg"),
    flag(WhoKey::Ignored, b'w', ""),
    flag(WhoKey::Ignored, b'u', "users"),
    long(WhoKey::Ignored, "message", Value::None),
    long(WhoKey::Ignored, "writable", Value::None),
    long(WhoKey::Help, "help", Value::None),
    long(WhoKey::Version, "version", Value::None),
];

/// `who`: nobody is logged in.
pub(crate) fn who(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(WHO, arguments);
    let (mut heading, mut count, mut operands) = (false, false, 0);
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                operands += 1;
                if operands > 2 {
                    return Usage::new([b"extra operand ", &quoted(&operand)[..]].concat())
                        .report(tool, 1);
                }
            }
            Ok(Some(Found::Option(key, _))) => match key {
                WhoKey::Ignored => {}
                WhoKey::Heading => heading = true,
                WhoKey::Count => count = true,
                WhoKey::Help => {
                    return help(
                        tool,
                        "[OPTION]... [ FILE | ARG1 ARG2 ]",
                        "Print information about users who are currently logged in.",
                        WHO,
                    );
                }
                WhoKey::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    match (count, heading) {
        (true, _) => print("\n# users=0\n"),
        (false, true) => print("NAME     LINE         TIME             COMMENT\n"),
        (false, false) => 0,
    }
}
