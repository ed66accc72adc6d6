//! Random arithmetic: every operator, bases, assignments, and sometimes mistakes.

use super::script::Maker;

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "0x1f",
    "010",
    "2#101",
    "100",
    "36#zZ",
    "64#_@",
    "16#fF",
    "0X10",
    "9223372036854775807",
    "1 ",
    "00",
    "8#17",
    "-1",
    "255",
    "4294967296",
    "63",
];
const MISTAKES: &[&str] = &[
    "08",
    "2#3",
    "65#1",
    "1#0",
    "0x",
    "9#9",
    "1.5",
    "a b",
    "'1'",
    "1a",
    "@",
    "9223372036854775808",
    "3#",
    "$e",
    "()",
    "1 2",
    "[1]",
    "\"1\"",
    "{1}",
];
const BINARY: &[&str] = &[
    "+", "-", "*", "/", "%", "**", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^",
    "&&", "||", ",",
];
const ASSIGNMENTS: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=",
];

impl Maker {
    /// An expression.
    pub(super) fn arithmetic(&mut self) -> String {
        match self.below(20) {
            0 if self.chance(30) => self.pick(MISTAKES).to_owned(),
            0..=3 => self.operand(),
            4..=10 => {
                let (left, operator, right) = (self.operand(), self.pick(BINARY), self.operand());
                // Powers of great numbers take bash long.
                let right = if operator == "**" {
                    self.pick(&["0", "1", "2", "3"]).to_owned()
                } else {
                    right
                };
                let space = self.pick(&["", " "]);
                format!("{left}{space}{operator}{space}{right}")
            }
            11..=12 => format!(
                "{} {} {}",
                self.target(),
                self.pick(ASSIGNMENTS),
                self.operand()
            ),
            13 => format!(
                "{} ? {} : {}",
                self.operand(),
                self.operand(),
                self.operand()
            ),
            14 => format!("{}{}", self.target(), self.pick(&["++", "--", " ++"])),
            15 => format!(
                "{}{}",
                self.pick(&["++", "--", "+ +", "- -"]),
                self.target()
            ),
            16..=17 if self.deeper(90) => {
                let (left, right) = (
                    self.nested(Maker::arithmetic),
                    self.nested(Maker::arithmetic),
                );
                format!(
                    "({left}) {} ({right})",
                    self.pick(BINARY).replace("**", "*")
                )
            }
            18 => format!(
                "{} {} {} {} {}",
                self.operand(),
                self.pick(BINARY),
                self.operand(),
                self.pick(BINARY),
                self.operand()
            )
            .replace("**", "*"),
            _ => format!("{}, {}", self.operand(), self.operand()),
        }
    }

    fn operand(&mut self) -> String {
        match self.below(26) {
            0..=6 => self.pick(NUMBERS).to_owned(),
            7..=11 => self.integer().to_owned(),
            12 => format!("${}", self.integer()),
            13 => format!(
                "{}[{}]",
                self.numbers(),
                self.pick(&["0", "1", "i", "-1", "n%3", "7", "$i"])
            ),
            14 if self.deeper(80) => format!("({})", self.nested(Maker::arithmetic)),
            15 if self.deeper(80) => format!("$(({}))", self.nested(Maker::arithmetic)),
            16 => format!(
                "{}{}",
                self.pick(&["-", "+", "!", "~", "- ", "!!", "~-"]),
                self.operand()
            ),
            17 => format!("${{#{}}}", self.scalar()),
            18 => self
                .pick(&[
                    "x",
                    "y",
                    "nope",
                    "num",
                    "expr",
                    "arr",
                    "$#",
                    "${#arr[@]}",
                    "$1",
                    "map[k]",
                    "nope[2]",
                    "${n}0",
                    "1$i",
                    "$?",
                ])
                .to_owned(),
            20 if self.deeper(60) => format!("$(echo {})", self.between(0, 9)),
            21 => format!("\"{}\"", self.pick(NUMBERS)),
            _ => self.below(20).to_string(),
        }
    }

    /// What can be assigned to.
    fn target(&mut self) -> String {
        match self.below(8) {
            0 => format!(
                "{}[{}]",
                self.numbers(),
                self.pick(&["0", "1", "i", "n%3", "${#arr[@]}"])
            ),
            1 => format!("map[{}]", self.pick(&["k", "1", "i", "$i"])),
            2 => self.pick(&["x", "y", "fresh"]).to_owned(),
            _ => self.integer().to_owned(),
        }
    }

    /// An array of numbers, most of the time.
    fn numbers(&mut self) -> &'static str {
        if self.chance(30) {
            self.array()
        } else {
            "nums"
        }
    }
}
