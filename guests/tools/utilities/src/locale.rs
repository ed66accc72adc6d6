//! `locale`: what the locale is and what it says, as glibc's does it for C.UTF-8, the only one.

use codepod_tool::{Arguments, Opt, Options, Output, Usage, Value, complain, flag, long};

use crate::{files, iconv};

/// A line for each category, then its keywords as `-k` prints them.
const C_UTF8: &str = include_str!("locale.txt");

/// The locales that there are, as `-a` lists them.
const LOCALES: &str = "C\nC.utf8\nPOSIX\n";

const USAGE: &str = "\
Usage: locale [OPTION...] NAME
  or:  locale [OPTION...] [-a|-m]
Get locale-specific information.

 System information:
  -a, --all-locales          Write names of available locales
  -m, --charmaps             Write names of available charmaps

 Modify output format:
  -c, --category-name        Write names of selected categories
  -k, --keyword-name         Write names of selected keywords

  -?, --help                 Give this help list
      --usage                Give a short usage message
  -V, --version              Print program version
";

const SHORT_USAGE: &str = "\
Usage: locale [-amckv?V] [--all-locales] [--charmaps] [--category-name]
            [--keyword-name] [--verbose] [--help] [--usage] [--version] NAME
  or:  locale [OPTION...] [-a|-m]
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    All,
    Charmaps,
    Category,
    Keyword,
    Help,
    Usage,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::All, b'a', "all-locales"),
    flag(Key::Charmaps, b'm', "charmaps"),
    flag(Key::Category, b'c', "category-name"),
    flag(Key::Keyword, b'k', "keyword-name"),
    flag(Key::Help, b'?', "help"),
    long(Key::Usage, "usage", Value::None),
    flag(Key::Version, b'V', "version"),
];

/// locale as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut asked = Vec::new();
    let read = Options::new(TABLE, arguments).each(|key, _| {
        asked.push(key);
        Ok::<(), Usage>(())
    });
    let names = match read {
        Ok(names) => names,
        Err(usage) => {
            complain(name, &usage.message);
            files::tell(&format!(
                "Try `{name} --help' or `{name} --usage' for more information.\n"
            ));
            return 64;
        }
    };
    let is = |key| asked.contains(&key);
    if is(Key::Help) {
        return files::print(USAGE);
    }
    if is(Key::Usage) {
        return files::print(SHORT_USAGE);
    }
    if is(Key::Version) {
        return files::version(name);
    }
    if is(Key::All) {
        return files::print(LOCALES);
    }
    if is(Key::Charmaps) {
        let mut sets: Vec<&str> = iconv::charsets().collect();
        sets.sort_unstable();
        return files::print(&(sets.join("\n") + "\n"));
    }
    if names.is_empty() {
        return files::print(&variables());
    }
    let mut out = Output::new();
    for wanted in &names {
        let found = tell(
            &String::from_utf8_lossy(wanted),
            is(Key::Category),
            is(Key::Keyword),
            &mut out,
        );
        if !found {
            // In the order of a terminal: what was found before it stands above.
            out.write_out();
            let message = [b"unknown name \"", &wanted[..], b"\""];
            complain(name, message.concat());
            return 1;
        }
    }
    i32::from(out.finish().is_err())
}

/// Every category and its keywords.
fn categories() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let mut lines = C_UTF8.lines().peekable();
    std::iter::from_fn(move || {
        let category = lines.next()?;
        let mut keywords = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("LC_")) {
            keywords.push(line);
        }
        Some((category, keywords))
    })
}

/// Tells of a category or a keyword; false if there is none of that name.
fn tell(name: &str, with_category: bool, with_keyword: bool, out: &mut Output) -> bool {
    for (category, keywords) in categories() {
        let whole = category == name;
        let wanted: Vec<&str> = keywords
            .into_iter()
            .filter(|line| whole || line.split('=').next() == Some(name))
            .collect();
        if !whole && wanted.is_empty() {
            continue;
        }
        if with_category {
            out.put(format!("{category}\n").as_bytes());
        }
        for line in wanted {
            let shown = match with_keyword {
                true => line.to_owned(),
                false => line
                    .split_once('=')
                    .map_or(line, |(_, value)| value)
                    .replace('"', ""),
            };
            out.put(format!("{shown}\n").as_bytes());
        }
        return true;
    }
    false
}

/// The variables of the environment and what they mean for each category.
fn variables() -> String {
    let variable = |name: &str| {
        let value = std::env::var_os(name).unwrap_or_default();
        value.to_string_lossy().into_owned()
    };
    let (all, lang) = (variable("LC_ALL"), variable("LANG"));
    let mut text = format!("LANG={lang}\nLANGUAGE={}\n", variable("LANGUAGE"));
    for (category, _) in categories() {
        let own = variable(category);
        text += &match (all.is_empty(), own.is_empty()) {
            (false, _) => format!("{category}=\"{all}\"\n"),
            (true, false) => format!("{category}={own}\n"),
            (true, true) if lang.is_empty() => format!("{category}=\"POSIX\"\n"),
            (true, true) => format!("{category}=\"{lang}\"\n"),
        };
    }
    text + &format!("LC_ALL={all}\n")
}
