//! The usual scripts: the whole grammar with words as people write them.
//!
//! What is left out, and comes with `--wild`, are corners in which bash has ways of its own (what
//! an error in the middle of an expression has already assigned, how `${a[*]#p}` is joined without
//! `IFS`, malformed brackets in patterns, lines that messages name) and in which differences are
//! still known.

use super::script::Maker;
use super::vocabulary::KEYS;

const PLAIN: &[&str] = &[
    "foo", "bar", "a", "b", "abc", "A1", "x.y", "1", "42", "007", "-3", "0", "a:b", "x=y",
    "foo.txt", "dir/sub", "one,two", "é", "ünï", "-n", "--", "@", "+", "_", "漢", "a-b", "in",
    "do", "done",
];
const SINGLE: &[&str] = &[
    "a b", "  pad  ", "$x", "a*b", "", "\\n", "\"q\"", "{a,b}", "a:b:c", "1 2 3", "~", "#x", "*",
    "a/b", "%s", "x;y", "a&b", "(", "|",
];
const ANSI: &[&str] = &[
    "a\\tb", "\\x41", "q\\'s", "\\u00e9", "x y", "\\101", "a\\nb", "\\\\", "\\e[0m",
];
const DOUBLE: &[&str] = &[
    "a  b",
    " ",
    "\\$x",
    "\\\"q\\\"",
    "it's",
    "\\\\",
    "*",
    "{a,b}",
    "~",
    "#",
    "é",
    "[x]",
    "a;b",
    "\\`",
];
const BRACES: &[&str] = &[
    "{a,b}",
    "{1..3}",
    "x{1,2}y",
    "{c..a}",
    "{,z}",
    "{01..03}",
    "{a,{b,c}}",
    "{a}",
    "{1..5..2}",
    "pre{$a,b}",
    "{a,b}{1,2}",
    "{3..1}",
    "{a..e..2}",
    "{-1..1}",
    "{a,\"b c\"}",
    "{$x,$y}",
    "{a,b}$i",
    "\"{a,b}\"",
    "\\{a,b}",
    "{a,b",
    "{x,y}.txt",
    "{é,b}",
    "{A..C}",
];
const PATTERNS: &[&str] = &[
    "*",
    "a*",
    "*a",
    "?",
    "??",
    "[a-c]*",
    "[!a]*",
    "*[0-9]*",
    "foo",
    "*.txt",
    "[[:alpha:]]*",
    "*b*",
    "b",
    "?*",
    "\\*",
    "[[:space:]]",
    "*o",
    "f?o",
    "[^l]",
    "é",
    "é?",
    "o",
    "[[:upper:][:digit:]]",
    "[[:punct:]]*",
    "*[!a-z]",
    "[a-z]",
    "*' '*",
    "@(a|b)*",
    "+([a-z])",
    "?(f)oo",
    "*(a|b)c",
    "!(foo)",
    "!(*.txt)",
    "'*'",
    "\"$x\"",
    "$x",
    "[[:alnum:]_]*",
    "1",
    "*:*",
];
const GLOBS: &[&str] = &[
    "*",
    "a*",
    "?.txt",
    "*.txt",
    "[ab]*",
    "./d/*",
    ".h*",
    "nomatch*",
    "*\\ *",
    "*/",
    "./d*/*",
    "[!a]*",
    "*.{txt,TXT}",
    "\"*\"",
    "\\*",
    "./*",
    "[A-Z]*",
    "?(a|b).txt",
    "!(*.txt)",
    "@(a|d)*",
    "*/x?",
    "$g",
    "*.t[x]t",
    "+([a-z]).txt",
    "lib.sh",
];
const FORMATS: &[&str] = &[
    "<%s>\\n",
    "%s|",
    "[%5s]\\n",
    "%q\\n",
    "%-4s.\\n",
    "%b\\n",
    "%.2s,",
    "%s %s\\n",
    "%c",
    "%%\\n",
    "\\x41\\101\\n",
    "%s\\n%s",
    "%5.1s|",
    "x\\n",
];
const NUMBER_FORMATS: &[&str] = &[
    "%d\\n",
    "%5d|%-5d|%05d\\n",
    "%x %X %o %u\\n",
    "%i\\n",
    "%+d\\n",
    "% d\\n",
    "%#x %#o\\n",
    "%.3d\\n",
    "%.2f\\n",
    "%e\\n",
    "%g\\n",
    "%08.3d\\n",
    // Not with any word: a width beyond all bounds prints as many blanks.
    "%*s\\n",
];
/// What `unset` is given.
const UNSET: &[&str] = &[
    "a",
    "x",
    "'arr[1]'",
    "'brr[0]'",
    "\"map[k]\"",
    "nope",
    "-f g",
    "em",
];
/// Traps that are set and taken back.
const TRAPS: &[&str] = &[
    // Not in a stage of a pipeline, where bash runs it too when the stage's words
    // cannot be expanded.
    "trap 's_=$?; [ $BASHPID = $$ ] && c \"exit $s_\"' EXIT",
    "trap 'c \"err $?\"' ERR",
    "trap - ERR EXIT",
    "(trap 'echo sub' EXIT; c x)",
    "trap 'echo ret' RETURN",
];
/// Commands that need no words.
const COMMANDS: &[&str] = &[
    "true",
    "false",
    ":",
    "! true",
    "(exit 3)",
    "f 3 a",
    "f",
    "nosuch a",
    "c \"$@\"",
    ". ./lib.sh arg",
    "type -t c",
    "declare -f c",
    "command echo cmd",
    "builtin echo b",
];

impl Maker {
    pub(super) fn tame_plain(&mut self) -> String {
        self.pick(PLAIN).to_owned()
    }

    pub(super) fn tame_quoted(&mut self) -> String {
        match self.below(6) {
            0 => self.tame_plain(),
            1 => format!("'{}'", self.pick(SINGLE)),
            2 => format!("$'{}'", self.pick(ANSI)),
            _ => self.double(),
        }
    }

    pub(super) fn tame_part(&mut self) -> String {
        if !self.deeper(100) {
            return self.tame_plain();
        }
        match self.below(28) {
            0..=4 => self.tame_plain(),
            5..=6 => format!("'{}'", self.pick(SINGLE)),
            7..=10 => self.double(),
            11 => format!("$'{}'", self.pick(ANSI)),
            12..=18 => self.nested(Maker::parameter),
            19..=20 => self.nested(Maker::substitution),
            21..=22 => format!("$(({}))", self.nested(Maker::arithmetic)),
            23 => self.pick(BRACES).to_owned(),
            24 => self.pick(GLOBS).to_owned(),
            25 => self
                .pick(&[
                    "~", "~/x", "\\ ", "\\$", "\\\\", "a\\ b", "\\a", "\\'", "\\\"", "\\*",
                ])
                .to_owned(),
            _ => format!(
                "${}",
                self.pick(&[
                    "a", "b", "x", "s", "g", "@", "*", "1", "2", "#", "?", "e", "u", "l", "arr",
                    "i", "n"
                ])
            ),
        }
    }

    pub(super) fn tame_inside(&mut self) -> String {
        match self.below(14) {
            0..=2 => self.tame_plain(),
            3..=4 => self.pick(DOUBLE).to_owned(),
            5..=8 if self.deeper(100) => self.nested(Maker::parameter),
            9 if self.deeper(100) => self.nested(Maker::substitution),
            10 if self.deeper(100) => format!("$(({}))", self.nested(Maker::arithmetic)),
            11 => format!("${}", self.pick(&["@", "*", "1", "2", "#", "?"])),
            _ => format!("${}", self.scalar()),
        }
    }

    pub(super) fn tame_substitution(&mut self) -> String {
        let word = if self.deeper(100) {
            self.nested(Maker::part)
        } else {
            "x".to_owned()
        };
        match self.below(12) {
            0..=3 => format!("$(echo {word})"),
            4 => format!("$(printf '%s\\n' {word})"),
            5 => format!("$(c {word})"),
            6 => format!("$({}=in; echo {word})", self.scalar()),
            7 => "`echo back`".to_owned(),
            8 => "$(< a.txt)".to_owned(),
            9 => "$(printf 'a\\n\\nb\\n\\n')".to_owned(),
            10 if self.deeper(60) => {
                let (loops, in_function) = (self.loops, self.in_function);
                (self.loops, self.in_function) = (0, false);
                let inner = self.nested(Maker::simple);
                (self.loops, self.in_function) = (loops, in_function);
                format!("$( {inner}\n)")
            }
            _ => self
                .pick(&[
                    "$(:)",
                    "$(false)",
                    "$(echo a; exit 4)",
                    "$( (echo sub) )",
                    "$(echo \"a  b\")",
                    "$(cat b.txt)",
                ])
                .to_owned(),
        }
    }

    pub(super) fn tame_pattern(&mut self) -> String {
        self.pick(PATTERNS).to_owned()
    }

    pub(super) fn tame_glob(&mut self) -> String {
        self.pick(GLOBS).to_owned()
    }

    pub(super) fn tame_parameter(&mut self) -> String {
        let name = match self.below(16) {
            0..=7 => self.scalar().to_owned(),
            8 => self.integer().to_owned(),
            9 => format!(
                "{}[{}]",
                self.pick(&["arr", "brr", "sparse"]),
                self.pick(&["0", "1", "i", "-1", "n%3", "7", "$i"])
            ),
            10 => format!("{}[@]", self.array()),
            11 => self.pick(&["brr[*]", "sparse[*]", "*"]).to_owned(),
            12 => format!("map[{}]", self.pick(&["k", "'key two'", "1", "a.b", "Z"])),
            13..=14 => self.pick(&["1", "2", "@", "9", "3"]).to_owned(),
            _ => self.pick(&["nope", "nope[1]", "arr", "arr[0]"]).to_owned(),
        };
        let is_list = name.contains(['@', '*']);
        let operation = self.below(26);
        match operation {
            0..=1 if !name.contains('[') => format!("${name}"),
            0..=4 => format!("${{{name}}}"),
            5..=6 => format!("${{#{name}}}"),
            7..=10 => {
                let operator = self.pick(&["-", ":-", "+", ":+"]);
                format!("${{{name}{operator}{}}}", self.tame_default())
            }
            11 => format!(
                "${{{}{}{}}}",
                self.pick(&["e", "fresh", "x", "arr[3]"]),
                self.pick(&["=", ":="]),
                self.tame_default()
            ),
            12..=14 => format!(
                "${{{name}{}{}}}",
                self.pick(&["#", "##", "%", "%%"]),
                self.tame_pattern()
            ),
            15..=17 => {
                let operator = self.pick(&["/", "//", "/#", "/%"]);
                let with = self.pick(&[
                    "", "/", "/X", "/<&>", "/$a", "/'b c'", "/\"$x\"", "/\\&", "/a/b",
                ]);
                format!("${{{name}{operator}{}{with}}}", self.tame_pattern())
            }
            18..=19 if !name.starts_with("map") => {
                let offset = self.pick(&[
                    "0", "1", "2", " -1", " -2", "i", "n+1", "9", "$i", "(-1)", "1+1",
                ]);
                let length = if is_list {
                    self.pick(&["", ":1", ":2", ":0", ":99", ":i+1"])
                } else {
                    self.pick(&["", ":1", ":2", ":0", ":99", ":-1", ":i+1"])
                };
                format!("${{{name}:{offset}{length}}}")
            }
            20..=21 => format!(
                "${{{name}{}}}",
                self.pick(&["^", "^^", ",", ",,", "^^[a-f]", ",[A-Z]", "~"])
            ),
            22 => format!("${{{name}@{}}}", self.pick(&["Q", "U", "u", "L"])),
            23 => format!(
                "${{!{}[@]}}",
                self.pick(&["arr", "brr", "map", "sparse", "em"])
            ),
            24 => format!(
                "${{!{}{}}}",
                self.pick(&["ref", "ref2"]),
                self.pick(&["", "", ":-d", "#a", "^^", "/a/b", ":1"])
            ),
            _ => self
                .pick(&[
                    "${#@}",
                    "${@: -1}",
                    "${*:2}",
                    "${@:1:2}",
                    "${!#}",
                    "${PIPESTATUS[0]}",
                    "${FUNCNAME[0]}",
                    "$OPTIND",
                    "${#}",
                    "$0",
                    "${10-d}",
                    "${@/a/b}",
                ])
                .to_owned(),
        }
    }

    fn tame_default(&mut self) -> String {
        match self.below(8) {
            0 => String::new(),
            1 => format!("\"{} {}\"", self.pick(PLAIN), self.pick(PLAIN)),
            2 => format!("${}", self.scalar()),
            3 => format!("\"${}\"", self.scalar()),
            4 => format!("$(echo {})", self.pick(PLAIN)),
            5 => format!("{} {}", self.pick(PLAIN), self.pick(PLAIN)),
            _ => self.tame_plain(),
        }
    }

    pub(super) fn tame_simple(&mut self) -> String {
        match self.below(48) {
            0..=10 => format!("c {}", self.words(3)),
            11..=13 => format!(
                "echo {}{}",
                self.pick(&["", "", "", "-n ", "-e ", "-E "]),
                self.words(4)
            ),
            14..=15 => format!(
                "printf {}'{}' {}",
                self.pick(&["", "", "", "-v x ", "-v 'arr[1]' ", "-- "]),
                self.pick(FORMATS),
                self.words(3)
            ),
            16 => format!(
                "printf '{}' {} ${}",
                self.pick(NUMBER_FORMATS),
                self.between(0, 300),
                self.integer()
            ),
            17..=18 => format!(
                "{}{}{}",
                self.scalar(),
                self.pick(&["=", "=", "+="]),
                self.word()
            ),
            19 => format!("{}=$(({}))", self.integer(), self.arithmetic()),
            20 => format!(
                "{}{}({})",
                self.array(),
                self.pick(&["=", "+="]),
                self.words(4)
            ),
            21 => format!(
                "{}[{}]{}{}",
                self.pick(&["arr", "brr", "sparse"]),
                self.pick(&["0", "2", "i", "n", "${#arr[@]}"]),
                self.pick(&["=", "+="]),
                self.tame_quoted()
            ),
            22 => format!(
                "map[{}]={}",
                self.pick(&["k", "'key two'", "1", "a.b", "Z"]),
                self.word()
            ),
            23..=24 => format!("(({}))", self.arithmetic()),
            25 => format!("unset {}", self.pick(UNSET)),
            26 => format!("set -- {}", self.words(4)),
            27 => self
                .pick(&["shift", "shift 2", "shift $#", "shift 0"])
                .to_owned(),
            28..=30 => format!("[[ {} ]]", self.condition()),
            31 => self.test(),
            32 => self.tame_declare(),
            33..=35 => self.tame_reading(),
            36 => format!("IFS={}", self.pick(super::vocabulary::IFS)),
            37 => "unset IFS".to_owned(),
            38..=39 => self.tame_jump(),
            40 => format!(
                "shopt -{} {}",
                self.pick(&["s", "u"]),
                self.pick(&["nullglob", "dotglob", "nocasematch", "globstar"])
            ),
            41 => format!(
                "set {}",
                self.pick(&["-f", "+f", "+e", "-o pipefail", "+o pipefail", "+u"])
            ),
            42 => self.pick(TRAPS).to_owned(),
            43 => format!(
                "eval 'c {}'",
                self.pick(&["$x", "\"$s\"", "{a,b}", "a; c b", "$((i+1))", "$(echo e)"])
            ),
            44 => self.getopts(),
            45 => format!(
                "{}={} c {}",
                self.pick(&["x", "y", "a"]),
                self.word(),
                self.words(2)
            ),
            46 => self.pick(COMMANDS).to_owned(),
            _ => format!("declare -p {} {}", self.scalar(), self.array()),
        }
    }

    fn tame_declare(&mut self) -> String {
        let scalar = self.scalar();
        match self.below(6) {
            0 => format!("declare -i {}={}", self.integer(), self.between(0, 99)),
            1 => format!("declare -u {scalar}; {scalar}={}", self.tame_quoted()),
            2 => format!("declare -l {scalar}={}", self.tame_quoted()),
            3 => format!("export {scalar}={}", self.word()),
            4 => format!(
                "declare -A other=([{}]={} [b]=c)",
                self.pick(&KEYS[..5]),
                self.tame_quoted()
            ),
            _ => format!(
                "declare -n loop={scalar}; loop={}; c \"$loop\"; unset -n loop",
                self.tame_quoted()
            ),
        }
    }

    fn tame_reading(&mut self) -> String {
        let (one, two) = (self.scalar(), self.scalar());
        let source = match self.below(5) {
            0 => "< a.txt".to_owned(),
            1 => "< 'sp ace'".to_owned(),
            2 => format!("< <(printf '%s\\n' {})", self.words(2)),
            _ => format!("<<< {}", self.word()),
        };
        match self.below(8) {
            0 => format!(
                "mapfile {}arr {source}",
                self.pick(&["-t ", "-t -n 2 ", "-t -s 1 "])
            ),
            1 => format!("while read -r {one} {two}; do c \"${one}\" \"${two}\"; done {source}"),
            2 => format!(
                "IFS={} read -r {one} {two} {source}; c $? \"${one}\" \"${two}\"",
                self.pick(&[":", "','", "''", "' '"])
            ),
            3 => format!("read -ra arr {source}; c \"${{arr[@]}}\""),
            4 => format!("read -n 3 {one} {source}; c \"${one}\""),
            5 => format!("read -d : {one} {source}; c $? \"${one}\""),
            _ => format!("read -r {one} {two} {source}; c $? \"${one}\" \"${two}\""),
        }
    }

    fn tame_jump(&mut self) -> String {
        let guard = format!("[[ {} ]]", self.condition());
        if self.loops > 0 {
            return format!("{guard} && {}", self.leaving());
        }
        if self.in_function {
            return format!("{guard} && return {}", self.pick(&["", "0", "1", "3"]));
        }
        format!("(exit {}); c $?", self.below(256))
    }
}
