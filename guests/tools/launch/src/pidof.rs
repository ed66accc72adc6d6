//! `pidof`: the numbers of a program's processes, as Debian's (of sysvinit) prints them.

use codepod_tool::processes::Process;
use codepod_tool::{Arguments, Found, Opt, Options, Output, Value};

#[derive(Clone, Copy)]
enum Key {
    /// What makes no difference here: one root, no network.
    Same,
    Single,
    Quiet,
    Scripts,
    Zombies,
    Separator,
    Omit,
}

const fn letter(key: Key, short: u8, value: Value) -> Opt<Key> {
    Opt {
        key,
        short,
        long: "",
        value,
    }
}

const TABLE: &[Opt<Key>] = &[
    letter(Key::Same, b'c', Value::None),
    letter(Key::Same, b'n', Value::None),
    letter(Key::Single, b's', Value::None),
    letter(Key::Quiet, b'q', Value::None),
    letter(Key::Scripts, b'x', Value::None),
    letter(Key::Zombies, b'z', Value::None),
    letter(Key::Separator, b'd', Value::Required),
    letter(Key::Omit, b'o', Value::Required),
];

/// Runs it.
pub(crate) fn main(_tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut single, mut quiet, mut scripts, mut zombies) = (false, false, false, false);
    let mut separator = b" ".to_vec();
    let mut omitted: Vec<u32> = Vec::new();
    let mut names = Vec::new();
    let own = codepod_sys::process::ids();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(name))) => names.push(name),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Same => {}
                Key::Single => single = true,
                Key::Quiet => quiet = true,
                Key::Scripts => scripts = true,
                Key::Zombies => zombies = true,
                Key::Separator => separator = value.unwrap_or_default(),
                Key::Omit => {
                    let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                    for item in text.split([',', ':', ';']) {
                        match (item, own) {
                            ("%PPID", Ok(ids)) => omitted.push(ids.parent.0),
                            _ => omitted.extend(item.parse::<u32>().ok()),
                        }
                    }
                }
            },
            Ok(None) => break,
            // As Debian's, without a word.
            Err(_) => return 1,
        }
    }
    omitted.extend(own.map(|ids| ids.pid.0));
    let mut all = Process::all();
    all.retain(|process| !omitted.contains(&process.pid) && (zombies || process.state != b'Z'));
    all.reverse();
    let mut found: Vec<Vec<u8>> = Vec::new();
    for name in &names {
        let of_name = all.iter().filter(|process| runs(process, name, scripts));
        let pids = of_name.map(|process| process.pid.to_string().into_bytes());
        found.extend(pids.take(if single { 1 } else { usize::MAX }));
    }
    if found.is_empty() {
        return 1;
    }
    if quiet {
        return 0;
    }
    let mut out = Output::new();
    out.put(&found.join(&separator[..]));
    out.put_byte(b'\n');
    i32::from(out.finish().is_err())
}

fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Whether a process runs a program, or with `scripts` a script of that name.
fn runs(process: &Process, name: &[u8], scripts: bool) -> bool {
    let first = process.arguments.first().map_or(&b""[..], Vec::as_slice);
    let first = first.strip_prefix(b"-").unwrap_or(first);
    let matches = |word: &[u8]| match name.contains(&b'/') {
        true => word == name,
        false => base(word) == name,
    };
    if name.contains(&b'/') {
        let exe = std::fs::read_link(format!("/proc/{}/exe", process.pid));
        if exe.is_ok_and(|exe| exe.as_os_str().as_encoded_bytes() == name) {
            return true;
        }
    } else if process.name == name && !is_script(process) {
        return true;
    }
    if matches(first) {
        return true;
    }
    scripts && process.arguments.get(1).is_some_and(|word| matches(word))
}

/// Whether a script runs: the program's name is then not the one that was called.
fn is_script(process: &Process) -> bool {
    let first = process.arguments.first().map_or(&b""[..], Vec::as_slice);
    let second = process.arguments.get(1).map_or(&b""[..], Vec::as_slice);
    base(first) != process.name && base(second) == process.name
}
