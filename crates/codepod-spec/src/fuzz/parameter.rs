//! Random expansions of parameters, with every operator.

use super::script::Maker;
use super::vocabulary::{KEYS, MAP};

/// What follows the pattern of `${x/pattern`.
const REPLACEMENTS: &[&str] = &[
    "",
    "/",
    "/X",
    "/<&>",
    "/$a",
    "/'b c'",
    "/\"$x\"",
    "/\\&",
    "/\"&\"",
    "/$s",
    "/\\\\&",
    "/a/b",
    "/$q",
    "/'&'",
    "/*",
    "/${x/a/&}",
];
/// Where `${x:offset:length}` starts.
const OFFSETS: &[&str] = &[
    "0", "1", "2", " -1", " -2", "i", "n+1", "9", " -9", "", "$i", "i?1:2", "(-1)", "${#x}", "1+1",
    "x", "arr[0]",
];
/// How long that is, with its colon.
const LENGTHS: &[&str] = &[
    "", ":1", ":2", ":0", ":-1", ":m", ": -2", ":", ":$n", ":99", ":i+1",
];
/// Operators that change upper and lower case.
const CASES: &[&str] = &[
    "^",
    "^^",
    ",",
    ",,",
    "~",
    "~~",
    "^^[a-f]",
    ",[A-Z]",
    "^?",
    ",,[[:upper:]]",
    "^^$x",
    "~~[aé]",
    "^*",
];
/// Expansions that no name is put into.
const SPECIAL: &[&str] = &[
    "${!s@}",
    "${!sp*}",
    "\"${!a@}\"",
    "${#@}",
    "${#*}",
    "${@:0}",
    "${@: -1}",
    "${*:2}",
    "${@:1:2}",
    "${!#}",
    "${#?}",
    "${PIPESTATUS[@]}",
    "${FUNCNAME[0]}",
    "${BASH_SUBSHELL}",
    "$REPLY",
    "$OPTIND",
    "${#}",
    "${##}",
    "${#-}",
    "${BASH_REMATCH[@]}",
    "${#BASH_REMATCH[*]}",
    "${-//[!eux]}",
    "${BASH_REMATCH[1]}",
    "$0",
    "${10}",
    "$10",
    "${nr}",
    "${nr[1]}",
    "${BASH_VERSINFO[0]}",
    "${@@Q}",
    "${*@A}",
    "${arr[@]@K}",
    "${map[@]@k}",
    "${#arr}",
    "${IFS@Q}",
    "${10-d}",
    "${@/a/b}",
    "${*^}",
];

impl Maker {
    /// An expansion of a parameter.
    pub(super) fn parameter(&mut self) -> String {
        if !self.wild {
            return self.tame_parameter();
        }
        let name = self.reference();
        match self.below(30) {
            0..=1 if !name.contains('[') => format!("${name}"),
            0..=4 => format!("${{{name}}}"),
            5..=6 => format!("${{#{name}}}"),
            7..=10 => {
                let operator = self.pick(&["-", ":-", "+", ":+"]);
                format!("${{{name}{operator}{}}}", self.operator_word())
            }
            11 => format!(
                "${{{}{}{}}}",
                self.pick(&["e", "fresh", "x", "arr[3]", "map[new]", "nope"]),
                self.pick(&["=", ":="]),
                self.operator_word()
            ),
            12 if self.chance(30) => format!(
                "${{{name}{}{}}}",
                self.pick(&["?", ":?"]),
                self.operator_word()
            ),
            12..=15 => {
                let operator = self.pick(&["#", "##", "%", "%%"]);
                format!("${{{name}{operator}{}}}", self.pattern())
            }
            16..=19 => {
                let operator = self.pick(&["/", "//", "/#", "/%"]);
                let replacement = self.pick(REPLACEMENTS);
                let pattern = self.pattern().replace('/', "\\/");
                format!("${{{name}{operator}{pattern}{replacement}}}")
            }
            // Which elements of an associative array a part has is bash's own secret.
            20..=22 if !name.starts_with(MAP) => {
                let offset = self.pick(OFFSETS);
                let length = self.pick(LENGTHS);
                format!("${{{name}:{offset}{length}}}")
            }
            23..=24 => {
                let operator = self.pick(CASES);
                format!("${{{name}{operator}}}")
            }
            25..=26 => format!(
                "${{{name}@{}}}",
                self.pick(&["Q", "U", "u", "L", "E", "a", "A", "K", "k", "P"])
            ),
            27 => format!(
                "${{!{}[{}]}}",
                self.pick(&["arr", "brr", MAP, "sparse", "em", "nope", "x"]),
                "@"
            ),
            28 => format!(
                "${{!{}{}}}",
                self.pick(&["ref", "ref2", "ref3", "1", "x", "nope", "#"]),
                self.pick(&["", "", ":-d", "#a", "^^", "@Q", "/a/b", ":1", "+x"])
            ),
            _ => self.pick(SPECIAL).to_owned(),
        }
    }

    /// The word behind an operator such as `:-`.
    fn operator_word(&mut self) -> String {
        let word = match self.below(8) {
            0 => String::new(),
            1 => format!("{} {}", self.part(), self.part()),
            2 => self.double(),
            3 => self.inside(),
            _ => self.part(),
        };
        // Braces of its own end the expansion early, and what follows is then not brace-expanded,
        // in ways of bash's own.
        let mut before = ' ';
        let braces = word.chars().any(|character| {
            let brace = character == '{' && before != '$';
            before = character;
            brace
        });
        if braces { "w".to_owned() } else { word }
    }

    /// What an expansion is of.
    fn reference(&mut self) -> String {
        match self.below(24) {
            0..=9 => self.scalar().to_owned(),
            10 => self.integer().to_owned(),
            11..=12 => format!(
                "{}[{}]",
                self.array(),
                self.pick(&[
                    "0", "1", "i", "-1", "n%3", "7", "$i", "\"1\"", "$((1))", " 1 "
                ])
            ),
            13..=15 => format!("{}[@]", self.array()),
            16..=17 => format!("{}[*]", self.array()),
            18 => format!("{MAP}[{}]", self.pick(KEYS)),
            19 => format!("{MAP}[{}]", self.pick(&["@", "*"])),
            20..=21 => self.pick(&["1", "2", "@", "*", "9", "3"]).to_owned(),
            22 => self
                .pick(&["nr", "nr", "nra[@]", "nra[1]", "nra"])
                .to_owned(),
            _ => self
                .pick(&["nope", "nope[@]", "nope[1]", "x[0]", "x[@]", "x[1]", "arr"])
                .to_owned(),
        }
    }
}
