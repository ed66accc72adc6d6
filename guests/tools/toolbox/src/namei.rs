//! `namei`: every step of a path, as util-linux shows them.

use codepod_tool::{
    Arguments, Found, Names, Opt, Options, Output, Usage, complain, errno_text, flag,
};

use crate::arguments::version;
use crate::system::{self, Errno, Links, mode};

const USAGE: &str = "
Usage:
 namei [options] <pathname>...

Follow a pathname until a terminal point is found.

Options:
 -x, --mountpoints   show mount point directories with a 'D'
 -m, --modes         show the mode bits of each file
 -o, --owners        show owner and group name of each file
 -l, --long          use a long listing format (-m -o -v) 
 -n, --nosymlinks    don't follow symlinks
 -v, --vertical      vertical align of modes and owners
 -h, --help          display this help
 -V, --version       display version

For more details see namei(1).
";

#[derive(Clone, Copy)]
enum Key {
    Mounts,
    Modes,
    Owners,
    Long,
    NoLinks,
    Vertical,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Mounts, b'x', "mountpoints"),
    flag(Key::Modes, b'm', "modes"),
    flag(Key::Owners, b'o', "owners"),
    flag(Key::Long, b'l', "long"),
    flag(Key::NoLinks, b'n', "nosymlinks"),
    flag(Key::Vertical, b'v', "vertical"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// The most links that a path leads through.
const MOST_LINKS: usize = 256;

#[derive(Default)]
struct Wanted {
    mounts: bool,
    modes: bool,
    owners: bool,
    no_links: bool,
    vertical: bool,
}

/// A step of a path.
struct Step {
    depth: usize,
    name: Vec<u8>,
    found: Result<system::Stat, Errno>,
    /// What a link leads to.
    target: Option<Vec<u8>>,
    is_mount: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut wanted = Wanted::default();
    let mut paths = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(path))) => paths.push(path),
            Ok(Some(Found::Option(key, _))) => match key {
                Key::Mounts => wanted.mounts = true,
                Key::Modes => wanted.modes = true,
                Key::Owners => wanted.owners = true,
                Key::NoLinks => wanted.no_links = true,
                Key::Vertical => wanted.vertical = true,
                Key::Long => {
                    (wanted.modes, wanted.owners, wanted.vertical) = (true, true, true);
                }
                Key::Help => {
                    let mut out = Output::new();
                    out.put(USAGE.as_bytes());
                    return i32::from(out.finish().is_err());
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if paths.is_empty() {
        return Usage::new("pathname argument is missing").report(tool, 1);
    }
    let mut out = Output::new();
    let mut status = 0;
    for path in &paths {
        let mut steps = Vec::new();
        let mut links = 0;
        let done = walk(&mut steps, b"", path, 0, &wanted, &mut links);
        if steps.last().is_some_and(|step| step.found.is_err()) {
            status = 1;
        }
        if !path.is_empty() {
            out.put(&[b"f: ", &path[..], b"\n"].concat());
            show(&mut out, &steps, &wanted);
        }
        if done.is_err() {
            out.write_out();
            complain(tool, [&path[..], b": exceeded limit of symlinks"].concat());
            status = 1;
        }
    }
    i32::from(out.finish().is_err()).max(status)
}

/// Adds the steps of a path that starts in a directory. Fails where there are too many links.
fn walk(
    steps: &mut Vec<Step>,
    start: &[u8],
    path: &[u8],
    depth: usize,
    wanted: &Wanted,
    links: &mut usize,
) -> Result<Vec<u8>, ()> {
    let mut at = start.to_vec();
    let mut names: Vec<&[u8]> = path
        .split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty())
        .collect();
    if path.starts_with(b"/") {
        names.insert(0, b"/");
    }
    for name in names {
        let parent = at.clone();
        at = match name {
            b"/" => b"/".to_vec(),
            name if at.is_empty() => name.to_vec(),
            name if at == b"/" => [b"/", name].concat(),
            name => [&at[..], b"/", name].concat(),
        };
        let found = system::stat(&at, Links::Keep);
        let failed = found.is_err();
        let is_link = found.is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::SYMLINK);
        let target = match is_link {
            true => system::read_link(&at).ok(),
            false => None,
        };
        let is_mount = match (&found, name) {
            (Ok(_), b"/") => true,
            (Ok(stat), _) => system::stat(&[&at[..], b"/.."].concat(), Links::Follow)
                .is_ok_and(|above| above.dev != stat.dev),
            _ => false,
        };
        steps.push(Step {
            depth,
            name: name.to_vec(),
            found,
            target: target.clone(),
            is_mount,
        });
        if failed {
            return Ok(at);
        }
        if let Some(target) = target.filter(|_| !wanted.no_links) {
            *links += 1;
            if *links > MOST_LINKS || depth > 20 {
                return Err(());
            }
            at = walk(steps, &parent, &target, depth + 1, wanted, links)?;
            if steps.last().is_some_and(|step| step.found.is_err()) {
                return Ok(at);
            }
        }
    }
    Ok(at)
}

fn show(out: &mut Output, steps: &[Step], wanted: &Wanted) {
    let (users, groups) = (Names::users(), Names::groups());
    let name = |names: &Names, number: u32| match names.name(number) {
        Some(name) => name.to_vec(),
        None => number.to_string().into_bytes(),
    };
    let owners: Vec<[Vec<u8>; 2]> = steps
        .iter()
        .map(|step| match &step.found {
            Ok(stat) => [name(&users, stat.uid), name(&groups, stat.gid)],
            Err(_) => [Vec::new(), Vec::new()],
        })
        .collect();
    let widest = |which: usize| {
        owners
            .iter()
            .map(|owner| owner[which].len())
            .max()
            .unwrap_or(0)
    };
    let (users_width, groups_width) = (widest(0), widest(1));
    for (step, owner) in steps.iter().zip(&owners) {
        let mut line = Vec::new();
        let indent = b"  ".repeat(step.depth);
        if !wanted.vertical {
            line.push(b' ');
            line.extend_from_slice(&indent);
        }
        let Ok(stat) = &step.found else {
            let mut width = 1;
            if wanted.modes {
                width += 9;
            }
            if wanted.owners {
                width += users_width + groups_width + 2;
            }
            line.resize(line.len() + width, b' ');
            line.push(b' ');
            if wanted.vertical {
                line.extend_from_slice(&indent);
            }
            let why = step.found.err().map_or("", errno_text);
            line.extend_from_slice(&[&step.name[..], b" - ", why.as_bytes()].concat());
            line.push(b'\n');
            out.put(&line);
            continue;
        };
        let letters = crate::mode::text(stat.mode).into_bytes();
        let letter = match letters[0] {
            b'd' if wanted.mounts && step.is_mount => b'D',
            kind => kind,
        };
        line.push(letter);
        if wanted.modes {
            line.extend_from_slice(&letters[1..]);
        }
        if wanted.owners {
            line.push(b' ');
            line.extend_from_slice(&owner[0]);
            line.resize(line.len() + users_width - owner[0].len() + 1, b' ');
            line.extend_from_slice(&owner[1]);
            line.resize(line.len() + groups_width - owner[1].len(), b' ');
        }
        line.push(b' ');
        if wanted.vertical {
            line.extend_from_slice(&indent);
        }
        line.extend_from_slice(&step.name);
        if let Some(target) = &step.target {
            line.extend_from_slice(b" -> ");
            line.extend_from_slice(target);
        }
        line.push(b'\n');
        out.put(&line);
    }
}
