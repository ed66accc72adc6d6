//! Random conditions: `[[`, `test`, `((`.

use super::script::Maker;
use super::vocabulary::FILES;

const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-gt", "-le", "-ge"];
const NAMES: &[&str] = &[
    "a",
    "arr[1]",
    "nope",
    "map[k]",
    "arr",
    "arr[@]",
    "em",
    "x[0]",
    "1",
    "nr",
    "map[@]",
    "sparse[0]",
    "e",
];

impl Maker {
    /// What stands between double brackets.
    pub(super) fn condition(&mut self) -> String {
        let simple = match self.below(18) {
            0..=3 => format!(
                "{} {} {}",
                self.operand_word(),
                self.pick(&["==", "!=", "="]),
                self.pattern()
            ),
            4 => format!(
                "{} {} {}",
                self.operand_word(),
                self.pick(&["==", "!="]),
                self.quoted()
            ),
            5..=6 => format!(
                "{} {} {}",
                self.number_word(),
                self.pick(NUMERIC),
                self.number_word()
            ),
            7 => format!("-{} {}", self.pick(&["z", "n"]), self.operand_word()),
            8 => format!(
                "-{} {}",
                self.pick(&["e", "f", "d", "s", "r", "L", "x", "h", "p"]),
                self.pick(FILES)
            ),
            9..=10 => format!("{} =~ {}", self.operand_word(), self.regex()),
            11 => format!("-{} {}", self.pick(&["v", "v", "R"]), self.pick(NAMES)),
            12 => format!(
                "{} {} {}",
                self.operand_word(),
                self.pick(&["<", ">"]),
                self.operand_word()
            ),
            13 => self.operand_word(),
            14 => format!(
                "-o {}",
                self.pick(&["errexit", "nounset", "pipefail", "noglob", "bogus"])
            ),
            15 => format!(
                "{} {} {}",
                self.pick(FILES),
                self.pick(&["-ef", "-nt", "-ot"]),
                self.pick(&["a.txt", "none"])
            )
            .replace("-nt", "-ef")
            .replace("-ot", "-ef"),
            _ => format!("${} == \"${}\"", self.scalar(), self.scalar()),
        };
        match self.below(9) {
            0..=1 if self.deeper(70) => {
                let other = self.nested(Maker::condition);
                format!("{simple} {} {other}", self.pick(&["&&", "||"]))
            }
            2 => format!("! {simple}"),
            3 => format!("( {simple} )"),
            // With `extglob` it is a pattern, and what was to be a condition in it closes nothing.
            4 if self.wild => format!("!({simple})"),
            4 => format!("! ( {simple} )"),
            _ => simple,
        }
    }

    fn operand_word(&mut self) -> String {
        match self.below(3) {
            0 => format!("${}", self.scalar()),
            1 => self.quoted(),
            // What could be an operator stands in quotes.
            _ => format!("\"\"{}", self.part()),
        }
    }

    fn number_word(&mut self) -> String {
        match self.below(8) {
            0..=2 => format!("${}", self.integer()),
            3..=4 => self.below(9).to_string(),
            5 => self.integer().to_owned(),
            6 => self
                .pick(&[
                    "010", "0x10", "-1", "i+1", "\"$x\"", "''", "' 1 '", "2#11", "$e",
                ])
                .to_owned(),
            _ => self.pick(&["$x", "$y", "$e", "$u", "$s"]).to_owned(),
        }
    }

    /// A call of `test` or `[`.
    pub(super) fn test(&mut self) -> String {
        let (a, b) = (self.quoted(), self.quoted());
        let inner = match self.below(14) {
            0..=2 => format!("{a} {} {b}", self.pick(&["=", "!=", "\\<", "\\>", "=="])),
            3 => format!("-{} \"${}\"", self.pick(&["n", "z"]), self.scalar()),
            4..=5 => format!(
                "\"${}\" {} {}",
                self.integer(),
                self.pick(NUMERIC),
                self.pick(&["0", "3", "-1", "08", "x", "' 3'", "3x", "''"])
            ),
            6 => format!(
                "-{} {}",
                self.pick(&["e", "f", "d", "s", "v", "h"]),
                self.pick(FILES)
            ),
            7 => format!("{a} -a {b}"),
            8 => format!("! {a}"),
            9 => format!("{} {a}", self.pick(&["!", "-n", "-z", "(", "-x"])),
            10 => format!("\\( {a} = {b} \\) -o -z {a}"),
            11 => self.words(3),
            12 => format!("-v {}", self.pick(NAMES)),
            _ => format!("{a} = {b} -o ! -n {b}"),
        };
        if self.chance(50) {
            format!("[ {inner} ]")
        } else {
            format!("test {inner}")
        }
    }
}
