//! The names, literals and files that random scripts are made of.
//!
//! Nothing here names a program that could do harm, a place outside the script's directory, or what
//! differs from run to run.

/// Variables that hold text.
pub(super) const SCALARS: &[&str] = &["a", "b", "x", "y", "e", "s", "g", "p", "q", "u", "l"];
/// Variables that hold numbers, most of the time.
pub(super) const INTEGERS: &[&str] = &["i", "j", "n", "m"];
/// Indexed arrays.
pub(super) const ARRAYS: &[&str] = &["arr", "brr", "sparse", "em"];
/// The associative array.
pub(super) const MAP: &str = "map";
/// Its keys.
pub(super) const KEYS: &[&str] = &[
    "k",
    "'key two'",
    "1",
    "a.b",
    "Z",
    "$x",
    "\"$e\"",
    "\"]\"",
    "i",
];
/// Files to read and write; some are there before.
pub(super) const FILES: &[&str] = &[
    "a.txt",
    "b.txt",
    "new",
    "'sp ace'",
    "d/in",
    "d/none/x",
    "v\"$i\".o",
    "d",
];
/// What a script's directory holds at the start.
pub(super) const BEFORE: &[(&str, &str)] = &[
    ("a.txt", "one\ntwo words\n  three  \n\nfive:six:seven\n"),
    ("b.txt", "no newline at the end"),
    (".hid", "h\n"),
    ("sp ace", "a\\b c\\\nd\n"),
    ("d/in", "in d\n"),
    ("d/x1", ""),
    ("Up.TXT", "UP\n"),
    (
        "lib.sh",
        "echo \"lib $# $1\"; x=lib; return 3; echo never\n",
    ),
];
/// Literals that need no quotes.
pub(super) const PLAIN: &[&str] = &[
    "foo",
    "bar",
    "a",
    "b",
    "abc",
    "A1",
    "x.y",
    "1",
    "42",
    "007",
    "-3",
    "0",
    "a:b",
    "x=y",
    "foo.txt",
    "dir/sub",
    "one,two",
    "é",
    "ünï",
    "-n",
    "--",
    "@",
    "%",
    "+",
    "_",
    "=",
    "a=b",
    "^",
    "]",
    "}",
    "{",
    "{}",
    "!",
    ":",
    ".",
    "-",
    "漢",
    "--x=y",
    "a#b",
    "in",
    "do",
    "fi",
    "time",
    "a+=1",
    "-e",
    "\u{f7ff}",
    "a\u{f780}",
    "08",
    "1e3",
    "x#",
];
/// What stands between single quotes.
pub(super) const IN_SINGLE: &[&str] = &[
    "a b", "  pad  ", "$x", "a*b", "", "\\n", "\"q\"", "{a,b}", "a:b:c", "1\t2", "1 2 3", "1\n2",
    "~", "#x", "\\", "!", "*", "[a]", "a\\", "\u{f7a9}", "${x}", "\n", " ", "a/b", "&", "%s",
];
/// What stands between `$'` and `'`.
pub(super) const IN_ANSI: &[&str] = &[
    "a\\tb", "\\x41\\n", "\\u00e9", "x y", "\\e[0m", "\\101", "\\xff", "\\U1F600", "\\z", "\\x",
    "\\x{41}", "\\1234", "\\n\\n", "\\?", "", "\\u",
];
/// What stands between `$'` and `'` and has a meaning inside double quotes: in `\"${x-$'…'}\"` bash
/// takes the quotes away and then reads what is left.
pub(super) const IN_ANSI_ODD: &[&str] = &["q\\'s", "\\\\", "\\\"", "\\x24x", "a\\x60", "\\x7d"];
/// What stands between double quotes and expands to nothing else.
pub(super) const IN_DOUBLE: &[&str] = &[
    "a  b",
    " ",
    "\\$x",
    "\\\"q\\\"",
    "it's",
    "\\\\",
    "*",
    "\\n",
    "{a,b}",
    "~",
    "\\`",
    "\\a",
    "\\\n",
    "#",
    "!",
    "é",
    "a\tb",
    "\n",
    "[",
    "}",
];
/// Values of `IFS`. How many empty fields stand before an unquoted list where blanks and letters
/// mix is bash's secret: no `\"$s\"`.
pub(super) const IFS: &[&str] = &[
    ":", "','", "''", "' :'", "a", "$'\\n'", "' '", "'-'", "' \t\n'",
];
