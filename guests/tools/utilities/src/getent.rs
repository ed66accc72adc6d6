//! `getent`: entries of the system's lists, as glibc's prints them. The lists are files in `/etc`;
//! there is no other service.

use std::net::IpAddr;

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, flag, long, value,
};

use crate::files;

#[derive(Clone, Copy)]
enum Key {
    Same,
    Service,
    Help,
    Usage,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Same, b'A', "no-addrconfig"),
    flag(Key::Same, b'i', "no-idn"),
    value(Key::Service, b's', "service"),
    flag(Key::Help, b'?', "help"),
    long(Key::Usage, "usage", Value::None),
    flag(Key::Version, b'V', "version"),
];

const USAGE: &str = "Usage: getent [OPTION...] database [key ...]
Get entries from administrative database.

  -A, --no-addrconfig        do not filter out unsupported IPv4/IPv6 addresses
                             (with ahosts*)
  -i, --no-idn               disable IDN encoding
  -s, --service=CONFIG       Service configuration to be used: only files
  -?, --help                 Give this help list
      --usage                Give a short usage message
  -V, --version              Print program version

Supported databases:
ahosts ahostsv4 group hosts initgroups networks passwd protocols services
";

/// getent as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut words: Vec<String> = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(word))) => words.push(String::from_utf8_lossy(&word).into()),
            Ok(Some(Found::Option(Key::Same, _))) => {}
            Ok(Some(Found::Option(Key::Service, service))) => {
                let service = service.unwrap_or_default();
                if service.rsplit(|byte| *byte == b':').next() != Some(b"files") {
                    complain(name, "-s: the only service here is 'files'");
                    return 64;
                }
            }
            Ok(Some(Found::Option(Key::Help, _))) => return files::print(USAGE),
            Ok(Some(Found::Option(Key::Usage, _))) => {
                return files::print(
                    "Usage: getent [-Ai?V] [-s CONFIG] [--no-addrconfig] [--no-idn]\n            [--service=CONFIG] [--help] [--usage] [--version] database [key ...]\n",
                );
            }
            Ok(Some(Found::Option(Key::Version, _))) => {
                return files::version(name);
            }
            Ok(None) => break,
            Err(usage) => return report(name, &usage, 64),
        }
    }
    let Some((database, keys)) = words.split_first() else {
        complain(name, "wrong number of arguments");
        files::print(&hint(name));
        return 1;
    };
    let mut out = Output::new();
    let status = match database.as_str() {
        "passwd" => accounts("/etc/passwd", keys, &mut out),
        "group" => accounts("/etc/group", keys, &mut out),
        "hosts" => hosts(keys, &mut out),
        "ahosts" | "ahostsv4" => addresses(keys, &mut out),
        "services" => numbered("/etc/services", keys, &mut out),
        "protocols" => numbered("/etc/protocols", keys, &mut out),
        "networks" => numbered("/etc/networks", keys, &mut out),
        "initgroups" => groups_of(keys, &mut out),
        "ahostsv6" | "aliases" | "ethers" | "gshadow" | "netgroup" | "rpc" | "shadow" => {
            complain(name, format!("{database}: this database is not here"));
            return 1;
        }
        _ => {
            files::tell(&format!("Unknown database: {database}\n"));
            files::print(&hint(name));
            return 1;
        }
    };
    match out.finish() {
        Ok(()) => status,
        Err(_) => 1,
    }
}

fn report(name: &str, usage: &Usage, status: i32) -> i32 {
    complain(name, &usage.message);
    files::tell(&hint(name));
    status
}

fn hint(name: &str) -> String {
    format!("Try `{name} --help' or `{name} --usage' for more information.\n")
}

fn lines(file: &str) -> Vec<String> {
    let text = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().map(str::to_owned).collect()
}

/// Prints a line, or what there are of it for a key, and returns 2 where a key has none.
fn print(out: &mut Output, found: Option<String>) -> i32 {
    match found {
        Some(line) => {
            out.put(line.as_bytes());
            out.put_byte(b'\n');
            0
        }
        None => 2,
    }
}

/// `passwd` and `group`: lines by their first or third field.
fn accounts(file: &str, keys: &[String], out: &mut Output) -> i32 {
    let lines: Vec<String> = lines(file)
        .into_iter()
        .filter(|line| !line.starts_with('#') && line.contains(':'))
        .collect();
    if keys.is_empty() {
        for line in lines {
            print(out, Some(line));
        }
        return 0;
    }
    let mut status = 0;
    for key in keys {
        let number = key.parse::<u32>().ok();
        let found = lines.iter().find(|line| {
            let mut fields = line.split(':');
            match number {
                Some(number) => fields.nth(2).and_then(|field| field.parse().ok()) == Some(number),
                None => fields.next() == Some(key),
            }
        });
        status = status.max(print(out, found.cloned()));
    }
    status
}

/// The words of a file's lines, without comments.
fn entries(file: &str) -> Vec<Vec<String>> {
    let words = |line: String| -> Vec<String> {
        let line = line.split('#').next().unwrap_or_default();
        line.split_ascii_whitespace().map(str::to_owned).collect()
    };
    lines(file)
        .into_iter()
        .map(words)
        .filter(|words| words.len() > 1)
        .collect()
}

/// The hosts of `/etc/hosts`.
fn known_hosts() -> Vec<Vec<String>> {
    let mut hosts = entries("/etc/hosts");
    hosts.retain(|words| words[0].parse::<IpAddr>().is_ok());
    hosts
}

fn hosts(keys: &[String], out: &mut Output) -> i32 {
    let show = |words: &[String]| format!("{:<15} {}", words[0], words[1..].join(" "));
    let hosts = known_hosts();
    if keys.is_empty() {
        for words in &hosts {
            print(out, Some(show(words)));
        }
        return 0;
    }
    let mut status = 0;
    for key in keys {
        let found = match key.parse::<IpAddr>() {
            Ok(address) => hosts.iter().find(|words| words[0].parse() == Ok(address)),
            Err(_) => hosts.iter().find(|words| words[1..].contains(key)),
        };
        status = status.max(print(out, found.map(|words| show(words))));
    }
    status
}

fn addresses(keys: &[String], out: &mut Output) -> i32 {
    let hosts = known_hosts();
    let mut status = 0;
    for key in keys {
        let (address, name) = match key.parse::<IpAddr>() {
            Ok(address) => (Some(address), key.clone()),
            Err(_) => {
                let found = hosts.iter().find(|words| words[1..].contains(key));
                let address = found.and_then(|words| words[0].parse().ok());
                let name = found.map_or(String::new(), |words| words[1].clone());
                (address, name)
            }
        };
        let Some(address) = address else {
            status = 2;
            continue;
        };
        let address = address.to_string();
        print(out, Some(format!("{address:<15} STREAM {name}")));
        print(out, Some(format!("{address:<15} DGRAM  ")));
        print(out, Some(format!("{address:<15} RAW    ")));
    }
    status
}

/// Lists of a name, a number and other names.
fn numbered(file: &str, keys: &[String], out: &mut Output) -> i32 {
    let show = |words: &[String]| {
        let others = words[2..].iter().map(|word| format!(" {word}"));
        format!(
            "{:<21} {}{}",
            words[0],
            words[1],
            others.collect::<String>()
        )
    };
    let entries = entries(file);
    if keys.is_empty() {
        for words in &entries {
            print(out, Some(show(words)));
        }
        return 0;
    }
    let mut status = 0;
    for key in keys {
        let (wanted, protocol) = match key.split_once('/') {
            Some((wanted, protocol)) => (wanted, Some(protocol)),
            None => (key.as_str(), None),
        };
        let found = entries.iter().find(|words| {
            let (number, of) = words[1].split_once('/').unwrap_or((&words[1], ""));
            let named = words[0] == wanted || words[2..].iter().any(|word| word == wanted);
            (named || number == wanted) && protocol.is_none_or(|protocol| protocol == of)
        });
        status = status.max(print(out, found.map(|words| show(words))));
    }
    status
}

/// The groups that list a user as a member.
fn groups_of(keys: &[String], out: &mut Output) -> i32 {
    if keys.is_empty() {
        files::tell("Enumeration not supported on initgroups\n");
        return 3;
    }
    let groups = lines("/etc/group");
    for key in keys {
        let mut line = format!("{key:<21}");
        for group in &groups {
            let fields: Vec<&str> = group.split(':').collect();
            if let [_, _, number, members] = fields[..]
                && members.split(',').any(|member| member == key)
            {
                line += &format!(" {number}");
            }
        }
        print(out, Some(line));
    }
    0
}
