//! `uuidgen` and `mcookie`: numbers that nobody else has, as util-linux makes them.

use std::io::Read as _;

use codepod_tool::{Arguments, Found, Opt, Options, Usage, complain, flag, value};
use md5::Digest as _;

use crate::files;

const USAGE: &str = "
Usage:
 uuidgen [options]

Create a new UUID value.

Options:
 -r, --random        generate random-based uuid
 -t, --time          generate time-based uuid
 -n, --namespace ns  generate hash-based uuid in this namespace
                       available namespaces: @dns @url @oid @x500
 -N, --name name     generate hash-based uuid from this name
 -m, --md5           generate md5 hash
 -s, --sha1          generate sha1 hash
 -x, --hex           interpret name as hex string

 -h, --help          display this help
 -V, --version       display version

For more details see uuidgen(1).
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Random,
    Time,
    Namespace,
    Name,
    Md5,
    Sha1,
    Hex,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Random, b'r', "random"),
    flag(Key::Time, b't', "time"),
    value(Key::Namespace, b'n', "namespace"),
    value(Key::Name, b'N', "name"),
    flag(Key::Md5, b'm', "md5"),
    flag(Key::Sha1, b's', "sha1"),
    flag(Key::Hex, b'x', "hex"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// Namespaces that have a name; they differ in one byte.
const SPACES: [(&str, u8); 4] = [
    ("@dns", 0x10),
    ("@url", 0x11),
    ("@oid", 0x12),
    ("@x500", 0x14),
];

type Uuid = [u8; 16];

fn random() -> Uuid {
    let mut bytes = [0; 16];
    for part in bytes.chunks_mut(4) {
        part.copy_from_slice(&number().to_le_bytes());
    }
    bytes
}

fn number() -> u32 {
    #[cfg(target_family = "wasm")]
    return codepod_sys::random::number();
    #[cfg(not(target_family = "wasm"))]
    {
        use std::hash::{BuildHasher as _, Hasher as _};
        let state = std::collections::hash_map::RandomState::new();
        state.build_hasher().finish() as u32
    }
}

/// Sets the version and the variant.
fn marked(mut bytes: Uuid, version: u8) -> Uuid {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}

/// From the time since 1582, a sequence and a node that are random.
fn of_time() -> Uuid {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let ticks =
        since.as_nanos() as u64 / 100 + 0x01b2_1dd2_1381_4000 + u64::from(number() % 10_000);
    let mut bytes = random();
    bytes[..4].copy_from_slice(&(ticks as u32).to_be_bytes());
    bytes[4..6].copy_from_slice(&((ticks >> 32) as u16).to_be_bytes());
    bytes[6..8].copy_from_slice(&((ticks >> 48) as u16).to_be_bytes());
    // A node that is no machine's address has this bit.
    bytes[10] |= 1;
    marked(bytes, 1)
}

fn hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}

fn parse(text: &str) -> Option<Uuid> {
    let dashes = text.match_indices('-').map(|(at, _)| at);
    if text.len() != 36 || !dashes.eq([8, 13, 18, 23]) {
        return None;
    }
    hex(&text.replace('-', ""))?.try_into().ok()
}

fn shown(bytes: &Uuid) -> String {
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&index) {
            text.push('-');
        }
        text += &format!("{byte:02x}");
    }
    text
}

/// uuidgen as a tool.
pub(crate) fn uuidgen(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut kind, mut namespace, mut name, mut is_hex) = (None, None, None, false);
    let misuse = |message: String| Usage::new(message).report(tool, 1);
    loop {
        match options.next() {
            Ok(Some(Found::Operand(_))) => {}
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Random | Key::Time | Key::Md5 | Key::Sha1 => kind = Some(key),
                Key::Hex => is_hex = true,
                Key::Name => name = value,
                Key::Help => return files::print(USAGE),
                Key::Version => return files::version(tool),
                Key::Namespace => {
                    let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                    let known = SPACES.iter().find(|(alias, _)| *alias == text);
                    namespace = match (known, parse(&text)) {
                        (Some((_, byte)), _) => {
                            let dns = parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
                            let mut space = dns.unwrap_or_default();
                            space[3] = *byte;
                            Some(space)
                        }
                        (None, Some(space)) => Some(space),
                        (None, None) if text.starts_with('@') => {
                            return misuse(format!("unknown namespace alias: '{text}'"));
                        }
                        (None, None) => {
                            return misuse(format!("invalid uuid for namespace: '{text}'"));
                        }
                    };
                }
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let hashes = matches!(kind, Some(Key::Md5 | Key::Sha1));
    let uuid = match (namespace, name) {
        (Some(_), None) => return misuse("--namespace requires --name argument".into()),
        (None, Some(_)) => return misuse("--name requires --namespace argument".into()),
        (None, None) if hashes => {
            return misuse("--md5 or --sha1 requires --namespace argument".into());
        }
        (Some(_), Some(_)) if !hashes => {
            return misuse("--namespace requires --md5 or --sha1".into());
        }
        (Some(space), Some(name)) => {
            let name = match is_hex {
                false => name,
                true => match hex(&String::from_utf8_lossy(&name)) {
                    Some(bytes) => bytes,
                    None => return misuse("not a valid hex string".into()),
                },
            };
            let text = [&space[..], &name].concat();
            match kind {
                Some(Key::Md5) => marked(md5::Md5::digest(&text).into(), 3),
                _ => {
                    let mut bytes = [0; 16];
                    bytes.copy_from_slice(&sha1::Sha1::digest(&text)[..16]);
                    marked(bytes, 5)
                }
            }
        }
        (None, None) if kind == Some(Key::Time) => of_time(),
        (None, None) => marked(random(), 4),
    };
    files::print(&format!("{}\n", shown(&uuid)))
}

const COOKIE_USAGE: &str = "
Usage:
 mcookie [options]

Generate magic cookies for xauth.

Options:
 -f, --file <file>     use file as a cookie seed
 -m, --max-size <num>  limit how much is read from seed files
 -v, --verbose         explain what is being done

 -h, --help            display this help
 -V, --version         display version

Arguments:
 <num> arguments may be followed by the suffixes for
   GiB, TiB, PiB, EiB, ZiB, and YiB (the \"iB\" is optional)

For more details see mcookie(1).
";

#[derive(Clone, Copy)]
enum CookieKey {
    File,
    Most,
    Verbose,
    Help,
    Version,
}

const COOKIE: &[Opt<CookieKey>] = &[
    value(CookieKey::File, b'f', "file"),
    value(CookieKey::Most, b'm', "max-size"),
    flag(CookieKey::Verbose, b'v', "verbose"),
    flag(CookieKey::Help, b'h', "help"),
    flag(CookieKey::Version, b'V', "version"),
];

fn size(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    let power = match text[digits..].trim_end_matches("iB") {
        "" if digits == text.len() => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    number.checked_mul(1 << power)
}

/// mcookie as a tool.
pub(crate) fn mcookie(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(COOKIE, arguments);
    let (mut seeds, mut most, mut verbose) = (Vec::new(), 4096, false);
    loop {
        match options.next() {
            Ok(Some(Found::Operand(_))) => {}
            Ok(Some(Found::Option(key, value))) => match key {
                CookieKey::File => seeds.extend(value),
                CookieKey::Verbose => verbose = true,
                CookieKey::Most => {
                    let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                    match size(&text) {
                        Some(size) => most = size,
                        None => {
                            let why = format!("failed to parse length: '{text}': Invalid argument");
                            complain(tool, why);
                            return 1;
                        }
                    }
                }
                CookieKey::Help => return files::print(COOKIE_USAGE),
                CookieKey::Version => return files::version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let mut hash = md5::Md5::new();
    for seed in seeds {
        let mut content = Vec::new();
        let read = match seed.as_slice() {
            b"-" => files::stdin().map(|text| content = text),
            path => std::fs::File::open(codepod_tool::path(path))
                .and_then(|file| file.take(most).read_to_end(&mut content).map(drop)),
        };
        content.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        match read {
            Err(error) => {
                let why = files::why(&error);
                complain(
                    tool,
                    [b"cannot open ", &seed[..], b": ", why.as_bytes()].concat(),
                );
            }
            Ok(()) => {
                hash.update(&content);
                if verbose {
                    let plural = if content.len() == 1 { "" } else { "s" };
                    let seed = String::from_utf8_lossy(&seed);
                    files::tell(&format!("Got {} byte{plural} from {seed}\n", content.len()));
                }
            }
        }
    }
    for _ in 0..8 {
        hash.update(random());
    }
    if verbose {
        files::tell("Got 128 bytes from getrandom() function\n");
    }
    let cookie: Uuid = hash.finalize().into();
    files::print(&format!("{}\n", shown(&cookie).replace('-', "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_no_uuid_are_none() {
        let text = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
        assert_eq!(parse(text).map(|uuid| shown(&uuid)).as_deref(), Some(text));
        for text in [
            "",
            "6ba7b810",
            "6ba7b8109dad-11d1-80b4-00c04fd430c8-",
            "zba7b810-9dad-11d1-80b4-00c04fd430c8",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"ä".repeat(18)), None);
    }

    #[test]
    fn versions_and_variants() {
        assert_eq!(shown(&marked(random(), 4)).as_bytes()[14], b'4');
        assert_eq!(shown(&of_time()).as_bytes()[14], b'1');
        assert_eq!(
            (size("4K"), size("1GiB"), size("x"), size("")),
            (Some(4096), Some(1 << 30), None, None)
        );
    }
}
