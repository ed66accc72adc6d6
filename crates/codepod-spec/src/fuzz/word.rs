//! Random words: literals, quotes, and expansions of every kind but parameters.

use super::script::Maker;
use super::vocabulary::{
    ARRAYS, IN_ANSI, IN_ANSI_ODD, IN_DOUBLE, IN_SINGLE, INTEGERS, PLAIN, SCALARS,
};

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
    "{a,b",
    "a,b}",
    "{a,\"b c\"}",
    "{a,b\\,c}",
    "\\{a,b}",
    "{'a,b',c}",
    "{$i..3}",
    "{a..1}",
    "{1..2..1}",
    "{001..003}",
    "{1..-2..2}",
    "{a,$(echo b,c)}",
    "${x}{1,2}",
    "{a,b}$x",
    "{{a,b},c}",
    "{{a}}",
    "{,}",
    "{a,}",
    "x{,}",
    "{1..a}",
    "{1...3}",
    "{1.3}",
    "{é,b}",
    "{~,b}",
    "{a,*}",
    "{A..C}",
    "{5..1..-2}",
    "{\"a\",b}",
    "{a,b}'{c,d}'",
    "{a,b,{1..2}}",
    "{x,y}=1",
    "{a,b}}",
    "{-01..-03}",
    "{Z..a}",
    "{@..B}",
    "{1..3}{a..b}",
    "{a,{b}",
    "{$x,$y}",
    "{\"$@\",z}",
];

impl Maker {
    /// A variable that holds text.
    pub(super) fn scalar(&mut self) -> &'static str {
        self.pick(SCALARS)
    }

    /// A variable that holds a number.
    pub(super) fn integer(&mut self) -> &'static str {
        self.pick(INTEGERS)
    }

    /// An indexed array.
    pub(super) fn array(&mut self) -> &'static str {
        self.pick(ARRAYS)
    }

    /// A word that may expand to any number of words.
    pub(super) fn word(&mut self) -> String {
        let parts = self.between(1, 10);
        (0..if parts > 9 { 3 } else { parts.div_ceil(6) })
            .map(|_| self.part())
            .collect()
    }

    /// Up to `most` words.
    pub(super) fn words(&mut self, most: usize) -> String {
        let count = self.between(1, most);
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    /// A word that is exactly one, most of the time.
    pub(super) fn quoted(&mut self) -> String {
        if !self.wild {
            return self.tame_quoted();
        }
        match self.below(6) {
            0 => self.pick(PLAIN).to_owned(),
            1 => self.single(),
            2 if self.is_outermost() => format!("$'{}'", self.pick(IN_ANSI_ODD)),
            2 => format!("$'{}'", self.pick(IN_ANSI)),
            _ => self.double(),
        }
    }

    /// A part of a word outside of quotes.
    pub(super) fn part(&mut self) -> String {
        if !self.wild {
            return self.tame_part();
        }
        if !self.deeper(100) {
            return self.pick(PLAIN).to_owned();
        }
        match self.below(32) {
            0..=4 => self.pick(PLAIN).to_owned(),
            5..=6 => self.single(),
            7..=10 => self.double(),
            11 => format!("$'{}'", self.pick(IN_ANSI)),
            12..=19 => self.nested(Maker::parameter),
            20..=21 => self.nested(Maker::substitution),
            22..=23 => format!("$(({}))", self.nested(Maker::arithmetic)),
            24..=25 => self.pick(BRACES).to_owned(),
            26..=27 => self.glob(),
            28 => self
                .pick(&[
                    "~",
                    "~/x",
                    "\\ ",
                    "\\$",
                    "\\\\",
                    "a\\ b",
                    "a\\\nb",
                    "\\a",
                    "\\'",
                    "\\\"",
                    "\\*",
                    "x=~",
                    "~x",
                    "a:~",
                    "\\\n",
                    "$\"a $x\"",
                    "\\\u{e9}",
                ])
                .to_owned(),
            29 => format!("$[{}]", self.pick(&["1+1", "i", "n*2"])),
            _ => format!(
                "${}",
                self.pick(&[
                    "a", "b", "x", "s", "g", "@", "*", "1", "2", "#", "?", "e", "u", "l", "arr"
                ])
            ),
        }
    }

    fn single(&mut self) -> String {
        format!("'{}'", self.pick(IN_SINGLE))
    }

    /// A word in double quotes.
    pub(super) fn double(&mut self) -> String {
        let mut text = String::from("\"");
        for _ in 0..self.between(0, 3) {
            text += &self.inside();
        }
        text + "\""
    }

    /// Something that stands in double quotes or a here-document.
    pub(super) fn inside(&mut self) -> String {
        if !self.wild {
            return self.tame_inside();
        }
        match self.below(16) {
            0..=2 => self.pick(PLAIN).to_owned(),
            3..=4 => self.pick(IN_DOUBLE).to_owned(),
            5..=9 if self.deeper(100) => self.nested(Maker::parameter),
            10 if self.deeper(100) => self.nested(Maker::substitution),
            11 if self.deeper(100) => format!("$(({}))", self.nested(Maker::arithmetic)),
            12 => format!("${}", self.pick(&["@", "*", "1", "2", "#", "?", "arr"])),
            _ => format!("${}", self.scalar()),
        }
    }

    /// A command substitution.
    pub(super) fn substitution(&mut self) -> String {
        if !self.wild {
            return self.tame_substitution();
        }
        let word = if self.deeper(100) {
            self.nested(Maker::part)
        } else {
            "x".to_owned()
        };
        match self.below(16) {
            0..=3 => format!("$(echo {word})"),
            4 => format!("$(printf '%s\\n' {word})"),
            5 => format!("$(c {word})"),
            6 => format!("$({}=in; echo {word})", self.scalar()),
            7 => "`echo back \\`echo inner\\``".to_owned(),
            8 => format!(
                "`echo {}`",
                self.pick(&[
                    "$x",
                    "\\$x",
                    "\\\\$x",
                    "\"$s\"",
                    "\\\"q\\\"",
                    "'a  b'",
                    "\\\\",
                    "a # c"
                ])
            ),
            9 => "$(< a.txt)".to_owned(),
            10 => "$(printf 'a\\n\\nb\\n\\n')".to_owned(),
            11 => format!("$(case {word} in a) echo A;; *) echo o;; esac)"),
            12 => format!("$(cat <<EOS\n{}\nEOS\n)", self.inside()),
            13 => format!(
                "$({} # comment )\n)",
                self.pick(&["echo a", "true", ":", "exit 3", "echo \"$s\""])
            ),
            14 if self.deeper(70) => format!("$( {}\n)", self.nested(Maker::statement)),
            _ => self
                .pick(&[
                    "$(:)",
                    "$(false)",
                    "$(echo a; exit 4)",
                    "$( (echo sub) )",
                    "$(echo \"a  b\")",
                    "$(return 2)",
                    "$(echo $BASH_SUBSHELL)",
                    "$()",
                    "$(x=1)",
                ])
                .to_owned(),
        }
    }
}
