//! Random scripts: statements of every kind around random words.
//!
//! A script ends, whatever is random in it: loops go over lists or count with variables that
//! nothing else changes, and functions call only those before them. It touches nothing but its
//! directory: redirections go to fixed names. It does the same each time: a stage of a pipeline
//! reads all of its input, and background commands are waited for.

use super::random::Random;
use super::vocabulary::{ARRAYS, INTEGERS, MAP, SCALARS};

/// How deep things may nest.
const DEEPEST: usize = 4;

/// Makes the script of a seed and an index.
pub(super) fn script(seed: u64, index: u64, wild: bool) -> Vec<u8> {
    let mut maker = Maker {
        random: Random::of(seed, index),
        depth: 0,
        loops: 0,
        counters: 0,
        in_function: false,
        wild,
    };
    let mut text = maker.beginning();
    for _ in 0..maker.between(2, 8) {
        let statement = maker.statement();
        // An error that ends the shell ends no more than that statement.
        text += &if maker.chance(25) {
            format!("(\n{statement}\n)\n")
        } else {
            statement + "\n"
        };
    }
    text += &ending();
    bytes(&text)
}

/// Characters from U+F780 on stand for bytes that are no text.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character) {
            code @ 0xf780..=0xf7ff => bytes.push((code - 0xf700) as u8),
            _ => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// What every script shows at its end: all variables.
fn ending() -> String {
    let mut text = String::from("c \"status $?\" \"$@\"\n");
    for names in [
        SCALARS,
        INTEGERS,
        ARRAYS,
        &[MAP, "IFS", "fresh", "nr", "nra", "REPLY", "low"],
    ] {
        text += &format!("declare -p {} 2>/dev/null\n", names.join(" "));
    }
    text
}

/// Makes a script.
pub(super) struct Maker {
    pub(super) random: Random,
    depth: usize,
    /// Loops around this place.
    pub(super) loops: usize,
    /// Names used so far.
    pub(super) counters: usize,
    pub(super) in_function: bool,
    /// Whether odd words come, too.
    pub(super) wild: bool,
}

impl Maker {
    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.random.below(end)
    }

    /// A number from `first` to `last`.
    pub(super) fn between(&mut self, first: usize, last: usize) -> usize {
        self.random.between(first, last)
    }

    /// True `percent` times of a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.random.chance(percent)
    }

    /// One of several.
    pub(super) fn pick(&mut self, from: &[&'static str]) -> &'static str {
        self.random.pick(from)
    }

    /// Whether something may nest here; `percent` times of a hundred, where it may.
    pub(super) fn deeper(&mut self, percent: usize) -> bool {
        self.depth < DEEPEST && self.chance(percent)
    }

    /// Whether nothing is around what is being made.
    pub(super) fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    /// Makes something one level deeper.
    pub(super) fn nested(&mut self, make: fn(&mut Maker) -> String) -> String {
        self.depth += 1;
        let text = make(self);
        self.depth -= 1;
        text
    }

    /// What every script begins with: options, variables and functions.
    fn beginning(&mut self) -> String {
        let mut text = String::new();
        text += "shopt -s extglob\n";
        if self.chance(15) {
            let option = self.pick(&[
                "nullglob",
                "globstar",
                "dotglob",
                "nocasematch",
                "lastpipe",
                "nocaseglob",
                "inherit_errexit",
            ]);
            text += &format!("shopt -s {option}\n");
        }
        text += "c() { printf '%s' \"$#\"; [ $# = 0 ] || printf '<%s>' \"$@\"; echo; }\n";
        text += "f() { if (( ${1-0} > 0 )); then f $(($1 - 1)) \"${@:2}\" && echo \"f$1\"; else c \"$@\"; return 2; fi; }\n";
        text += "e= s=' a  b ' g='*.t?t' p=dir/sub/file.tar.gz q=$'it\\'s \"q\" \\\\b' u=aéb漢C l=$'one\\ntwo\\n'\n";
        text += &format!(
            "i={} n={} j=1 m=-2 nums=(3 5 7) expr=i+1 num=5\n",
            self.below(5),
            self.below(9)
        );
        for name in ["a", "b", "x", "y"] {
            text += &format!("{name}={}\n", self.quoted());
        }
        text += &format!(
            "arr=({}) brr=(one 'two words' '' three) sparse=([2]=x [5]='y z' [9]='') em=()\n",
            self.words(3)
        );
        text += "declare -A map=([k]=v ['key two']='w x' [1]=one)\n";
        if self.chance(30) {
            text += "declare -n nr=x nra=arr; declare -l low\n";
        }
        text += &format!(
            "ref=a ref2='brr[1]' ref3='brr[@]'; set -- {}\n",
            self.pick(&[
                "p 'q r' '' s",
                "",
                "a",
                "one 'two  three' '*.txt' -n",
                "1 2 3 4 5 6 7 8 9 ten eleven"
            ])
        );
        if self.chance(15) {
            let option = self.pick(&[
                "-u",
                "-e",
                "-f",
                "-o pipefail",
                "-eu",
                "-C",
                "-eE",
                "-T",
                "-euo pipefail",
            ]);
            text += &format!("set {option}\n");
        }
        if self.chance(15) {
            let ifs = self.pick(super::vocabulary::IFS);
            text += &format!("IFS={ifs}\n");
        }
        text
    }

    /// A statement.
    pub(super) fn statement(&mut self) -> String {
        if self.depth >= DEEPEST - 1 {
            return self.simple();
        }
        match self.below(46) {
            0..=22 => self.simple(),
            23..=25 => self.conditional(),
            26..=28 => self.repetition(),
            29..=31 => self.case(),
            32..=34 => self.function(),
            35..=36 => self.pipeline(),
            37..=39 => self.redirected(),
            40..=41 => self.document(),
            42..=43 => self.subshell(),
            44 => self.list(),
            _ => self.background(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, script};

    #[test]
    fn a_seed_and_an_index_decide_the_script() {
        assert_eq!(script(7, 3, false), script(7, 3, false));
        assert_ne!(script(7, 3, false), script(7, 4, false));
    }

    #[test]
    fn some_characters_stand_for_bytes() {
        assert_eq!(bytes("é\u{f7ff}"), b"\xc3\xa9\xff");
    }

    #[test]
    fn signals_go_to_the_script_itself_only() {
        for index in 0..2000 {
            let script = script(1, index, true);
            let lines = script.split(|byte| *byte == b'\n');
            for line in lines.filter(|line| line.windows(4).any(|word| word == b"kill")) {
                assert_eq!(line, b"kill -USR1 $BASHPID");
            }
        }
    }
}
