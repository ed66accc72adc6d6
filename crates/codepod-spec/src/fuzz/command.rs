//! Random simple commands: assignments and builtins.

use super::script::Maker;
use super::vocabulary::{ARRAYS, IFS, KEYS, MAP};

const FORMATS: &[&str] = &[
    "<%s>\\n",
    "%s|",
    "[%5s]\\n",
    "%q\\n",
    "%-4s.\\n",
    "%b\\n",
    "%.2s,",
    "%d\\n",
    "%5d|%-5d|%05d\\n",
    "%x %X %o %u\\n",
    "%c",
    "%%\\n",
    "%s %s\\n",
    "%i\\n",
    "%+d\\n",
    "% d\\n",
    "%#x %#o\\n",
    "%*s\\n",
    "%.*s\\n",
    "%-*s|\\n",
    "\\x41\\101\\n",
    "a\\c b",
    "%s",
    "%",
    "%z\\n",
    "%5.1s|",
    "%b",
    "%Q\\n",
    "%.3d\\n",
    "%08.3d\\n",
    "%e\\n",
    "%.2f\\n",
    "%g\\n",
    "%5%",
    "no format\\n",
    "%s\\n%s",
    "%2\\$s",
    "%ld\\n",
    "\\u00e9\\n",
    "%.0f\\n",
    "%'d\\n",
    "%3c|\\n",
    "%+.2e\\n",
    "%(bogus",
    "\\",
    "\\e[0m",
    "%-08d|",
    "%x",
    "%a",
];

impl Maker {
    /// A simple command.
    pub(super) fn simple(&mut self) -> String {
        if !self.wild {
            return self.tame_simple();
        }
        match self.below(60) {
            0..=10 => format!("c {}", self.words(3)),
            11..=13 => format!(
                "echo {}{}",
                self.pick(&["", "", "", "-n ", "-e ", "-E ", "-ne ", "-nx "]),
                self.words(4)
            ),
            14..=16 => format!(
                "printf {}'{}' {}",
                self.pick(&["", "", "", "-v x ", "-v 'arr[1]' ", "-- ", "-v map[k] "]),
                self.pick(FORMATS),
                self.words(3)
            ),
            17..=21 => self.assignment(),
            22..=24 => format!("(({}))", self.arithmetic()),
            25 => format!(
                "let '{}' {}",
                self.arithmetic().replace('\'', ""),
                self.pick(&["", "i+=1", "0", "'n = 2'"])
            ),
            26 => self.unset(),
            27 => format!(
                "set {} {}",
                self.pick(&["--", "--", "-", "-f --", "+f --"]),
                self.words(4)
            ),
            28 => self
                .pick(&[
                    "shift", "shift 2", "shift $#", "shift 0", "shift 9", "shift -1", "shift x",
                ])
                .to_owned(),
            29..=32 => format!("[[ {} ]]", self.condition()),
            33..=34 => self.test(),
            35..=38 => self.declaration(),
            39..=41 => self.reading(),
            42 => format!("IFS={}", self.pick(IFS)),
            43..=44 => self.jump(),
            45..=46 => self.option(),
            47 => self.inspection(),
            48 => self.evaluation(),
            49 => self.getopts(),
            50 => self.trap(),
            51 => format!(
                "{}={} c {}",
                self.pick(&["x", "IFS", "y", "a"]),
                self.word(),
                self.words(2)
            ),
            52 => format!(
                "{}={} {}={}",
                self.scalar(),
                self.word(),
                self.scalar(),
                self.word()
            ),
            53 => self
                .pick(&[
                    "true",
                    "false",
                    ":",
                    "! true",
                    "! false",
                    "(exit 3)",
                    "f 3",
                    "f",
                    "nosuch a",
                    "$e",
                    "\"$e\"",
                    "$x",
                    "unset IFS",
                    "wait",
                    "c \"$@\"",
                    "c \"$*\"",
                    "! :",
                ])
                .to_owned(),
            54 => format!(
                "command {} {}",
                self.pick(&["echo", "c", "printf '%s,'", "-v", "-V", "--", "-p echo"]),
                self.words(2)
            ),
            55 => format!(
                "builtin {} {}",
                self.pick(&["echo", "printf '%s,'", "c", "test"]),
                self.words(2)
            ),
            56 => format!("f {}", self.words(2)),
            _ => format!("c {}; c $?", self.words(2)),
        }
    }

    /// An assignment.
    fn assignment(&mut self) -> String {
        let operator = self.pick(&["=", "=", "=", "+="]);
        match self.below(14) {
            0..=4 => format!("{}{operator}{}", self.scalar(), self.word()),
            5 => format!("{}{operator}$(({}))", self.integer(), self.arithmetic()),
            6..=7 => format!("{}{operator}({})", self.array(), self.words(4)),
            8 => {
                let mut elements = Vec::new();
                for _ in 0..self.between(1, 3) {
                    elements.push(format!(
                        "[{}]{operator}{}",
                        self.pick(&["0", "1", "i", "7", "n+1", "-1", "$i", "x", "\"2\""]),
                        self.word()
                    ));
                }
                format!(
                    "{}{}({} {})",
                    self.array(),
                    self.pick(&["=", "+="]),
                    elements.join(" "),
                    self.pick(&["", "tail", "{x,y}", "*.txt"])
                )
            }
            9..=10 => format!(
                "{}[{}]{operator}{}",
                self.array(),
                self.pick(&[
                    "0",
                    "2",
                    "i",
                    "n",
                    "${#arr[@]}",
                    "-1",
                    "i++",
                    " 1",
                    "x",
                    "$((1+1))",
                    "-9",
                    "'1'"
                ]),
                self.word()
            ),
            11 => format!("{MAP}[{}]{operator}{}", self.pick(KEYS), self.word()),
            12 => format!(
                "{MAP}{operator}([{}]={} [z]={})",
                self.pick(KEYS),
                self.word(),
                self.word()
            ),
            _ => format!(
                "{}={}",
                self.pick(&["nr", "nra[0]", "ref", "x", "map", "arr", "i", "low"]),
                self.word()
            ),
        }
    }

    fn unset(&mut self) -> String {
        match self.below(8) {
            0..=1 => format!("unset {}", self.scalar()),
            2 => format!(
                "unset '{}[{}]'",
                self.array(),
                self.pick(&["0", "1", "-1", "5", "i", "@", "*", "x", "-9"])
            ),
            3 => format!(
                "unset \"map[{}]\"",
                self.pick(&["k", "1", "$x", "@", "key two", "nokey"])
            ),
            4 => format!("unset {}", self.array()),
            5 => "unset -f g".to_owned(),
            6 => format!(
                "unset -{} {}",
                self.pick(&["n", "v", "f"]),
                self.pick(&["nr", "nra", "x", "ref", "i"])
            ),
            _ => format!("unset {} nope {}", self.scalar(), self.integer()),
        }
    }

    fn declaration(&mut self) -> String {
        let scalar = self.scalar();
        let command = if self.in_function {
            self.pick(&["local", "local", "declare", "declare -g", "typeset"])
        } else {
            self.pick(&["declare", "declare", "typeset", "export", "local"])
        };
        match self.below(16) {
            0 => format!(
                "{command} -i {}={}",
                self.integer(),
                self.arithmetic()
                    .replace([' ', '<', '>', '|', '&', '(', ')', ','], "")
            ),
            1 => format!("{command} -u {scalar}={}", self.quoted()),
            2 => format!("{command} -l {scalar}; {scalar}={}", self.quoted()),
            3 => format!("{command} -c {scalar}={}", self.quoted()),
            4 => format!("export {scalar}={}", self.word()),
            5 => format!(
                "readonly {scalar}; {scalar}={}; c \"${scalar}\"",
                self.quoted()
            ),
            6 => format!(
                "{command} -n loop={scalar}; loop={}; c \"$loop\"; unset -n loop",
                self.quoted()
            ),
            7..=8 => format!("{command} {scalar}={}", self.word()),
            9 => format!("{command} -a {}=({})", self.array(), self.words(3)),
            10 => format!(
                "{command} -A fresh=([{}]={} b c)",
                self.pick(KEYS),
                self.word()
            ),
            11 => format!(
                "{command} {} {scalar}",
                self.pick(&[
                    "+u", "+l", "-x", "+x", "-i", "+i", "-r", "-p", "-a", "-A", "+a", "-t", "-ux",
                    "-il"
                ])
            ),
            12 => format!(
                "{command} {} {}",
                self.pick(&["-p", "-x", "-i", "-r", "+r", "-l"]),
                self.array()
            ),
            13 => format!(
                "{command} {}={} {}={}",
                self.scalar(),
                self.word(),
                self.integer(),
                self.below(9)
            ),
            14 => format!(
                "{command} \"{scalar}=({})\"",
                self.pick(&["a b", "[1]=x", "'q r' s", ""])
            ),
            _ => format!(
                "{command} {}",
                self.pick(&[
                    "1a=b",
                    "x-y=1",
                    "-Z x",
                    "arr[1]=new",
                    "'b c'=d",
                    "fresh",
                    "fresh=",
                    "a=1 b=$a",
                    "map[q]=r",
                    "-i fresh; fresh=2+3",
                    "-r low=AB",
                    "-a x",
                    "x y"
                ])
            ),
        }
    }

    fn reading(&mut self) -> String {
        let (one, two) = (self.scalar(), self.scalar());
        let options = self.pick(&[
            "",
            "-r ",
            "-r ",
            "-n 3 ",
            "-N 4 ",
            "-d : ",
            "-rd '' ",
            "-ra arr; c \"${arr[@]}\"; :  ",
            "-r -n 2 ",
            "-a brr ",
            "-n 0 ",
            "-t 1 ",
            "-p x -r ",
            "-u 0 ",
            "-rn1 -d w ",
        ]);
        let names = match self.below(6) {
            0 => String::new(),
            1 => format!("{one} {two} {}", self.scalar()),
            2 => format!("{one} {two}"),
            3 => self
                .pick(&["'arr[1]'", "map[k]", "nr", "i", "1x", "x-y", "arr"])
                .to_owned(),
            _ => one.to_owned(),
        };
        let source = match self.below(8) {
            0 => "< a.txt".to_owned(),
            1 => "< 'sp ace'".to_owned(),
            2 => format!("< <(printf '%s' {})", self.words(2)),
            3 => "< b.txt".to_owned(),
            _ => format!("<<< {}", self.word()),
        };
        match self.below(10) {
            0 => format!(
                "mapfile {}{} {source}",
                self.pick(&[
                    "",
                    "-t ",
                    "-n 2 ",
                    "-s 1 ",
                    "-O 2 ",
                    "-d : ",
                    "-td ' ' ",
                    "-c 1 -C 'c cb' ",
                    "-t -n 1 -s 1 ",
                    "-d '' "
                ]),
                self.pick(ARRAYS)
            ),
            1 => format!("while read -r {one} {two}; do c \"${one}\" \"${two}\"; done {source}"),
            2 => format!(
                "IFS={} read {options}{names} {source}; c $? \"${one}\" \"${two}\"",
                self.pick(IFS)
            ),
            3 => format!(
                "readarray -t {} {source}; c \"${{arr[@]}}\" \"${{brr[@]}}\"",
                self.pick(ARRAYS)
            ),
            _ => format!("read {options}{names} {source}; c $? \"${one}\" \"${{REPLY-}}\""),
        }
    }

    /// Leaves a loop or a function, where there is one.
    /// Leaves a loop or goes on with it. More loops than there are only where none around can be
    /// left over from an error: bash forgets to count those down (`loops that an error has left
    /// count on` in `spec/shell/random.toml`).
    pub(super) fn leaving(&mut self) -> &'static str {
        match self.loops {
            0 | 1 => self.pick(&["break", "continue", "continue 1"]),
            _ => self.pick(&["break", "continue", "break 2", "continue 2", "continue 1"]),
        }
    }

    fn jump(&mut self) -> String {
        let guard = match self.below(3) {
            0 => format!("[[ {} ]]", self.condition()),
            1 => format!("(({}))", self.arithmetic()),
            _ => self.pick(&["true", "false", "[ \"$i\" -gt 2 ]"]).to_owned(),
        };
        let connector = self.pick(&["&&", "||"]);
        if self.loops > 0 {
            let word = self.leaving();
            return format!("{guard} {connector} {word}");
        }
        if self.in_function {
            return format!(
                "{guard} {connector} return {}",
                self.pick(&["", "0", "1", "3", "300", "-1", "$i", "x"])
            );
        }
        match self.below(6) {
            0 => format!(
                "{guard} {connector} exit {}",
                self.pick(&["", "0", "1", "3", "300", "-1", "$i"])
            ),
            1 => self
                .pick(&["break", "continue", "return 3", "break 0", "return"])
                .to_owned(),
            _ => format!("(exit {}); c $?", self.below(300)),
        }
    }

    fn option(&mut self) -> String {
        match self.below(4) {
            0..=1 => format!(
                "shopt -{} {}",
                self.pick(&["s", "u", "q", "p"]),
                self.pick(&[
                    "nullglob",
                    "dotglob",
                    "nocasematch",
                    "nocaseglob",
                    "globstar",
                    "patsub_replacement",
                    "localvar_inherit",
                    "inherit_errexit",
                    "xpg_echo",
                    "lastpipe",
                    "globskipdots"
                ])
            ),
            2 => format!(
                "set {}",
                self.pick(&[
                    "-f",
                    "+f",
                    "-u",
                    "+u",
                    "+e",
                    "-C",
                    "+C",
                    "-o pipefail",
                    "+o pipefail",
                    "-a",
                    "+a",
                    "-E",
                    "-T",
                    "-o noglob",
                    "+o nounset",
                    "+B",
                    "-B",
                    "-o bogus",
                    "-h"
                ])
            ),
            _ => format!(
                "set -{}; {}; set +{0}",
                self.pick(&["x", "f", "u", "C", "a"]),
                self.simple_print()
            ),
        }
    }

    /// Shows what the shell knows.
    fn inspection(&mut self) -> String {
        match self.below(10) {
            0..=2 => format!("declare -p {} {}", self.scalar(), self.array()),
            3 => format!(
                "type -{} {}",
                self.pick(&["t", "t", "a", "p"]),
                self.pick(&["echo", "c", "if", "nosuch", "f", "test"])
            ),
            4 => self
                .pick(&[
                    "declare -f c",
                    "declare -F c",
                    "type c",
                    "type f if",
                    "declare -pf f",
                ])
                .to_owned(),
            5 => self
                .pick(&[
                    "set -o | head -n 3; :",
                    "shopt -p extglob nullglob",
                    "trap -p",
                    "echo $-",
                    "declare -p nope",
                    "declare -p map nr",
                    "shopt -po errexit nounset",
                    "alias",
                    "umask",
                    "dirs -c",
                ])
                .to_owned(),
            6 => format!(
                "command -{} {}",
                self.pick(&["v", "V"]),
                self.pick(&["echo", "c", "if", "nosuch"])
            ),
            7 => format!(
                "compgen -W {} -- {}",
                self.quoted(),
                self.pick(&["a", "f", "''", "x"])
            ),
            8 => "caller; caller 0".to_owned(),
            _ => format!("declare -p {MAP} {}", self.integer()),
        }
    }

    fn evaluation(&mut self) -> String {
        match self.below(8) {
            0..=1 => {
                let words = self.words(2);
                let words = if words.contains('\'') {
                    "$x \"$s\" {a,b}".to_owned()
                } else {
                    words
                };
                format!("eval 'c {words}'")
            }
            2 => format!("eval \"$(declare -p {})\"", self.array()),
            3 => format!(
                "eval {}",
                self.pick(&[
                    "",
                    "''",
                    "'exit 3'",
                    "'return 2'",
                    "'x=1; false'",
                    "'if'",
                    "'c a; c b'",
                    "\"c '\" x\"'\"",
                    "'c \"$x\"'",
                    "'for'",
                    "\"$x\"",
                    "'a=(1 2' ')'",
                    "'echo )'",
                    "'break'"
                ])
            ),
            4 => format!(
                ". ./lib.sh {}; c $? \"$@\"",
                self.pick(&["", "arg", "\"$s\" 2"])
            ),
            5 => format!("eval -- {}", self.quoted()),
            6 => format!(
                "{} bash -c 'echo \"$0 $# $x\"' {}",
                self.pick(&["x=env", "", "export x;"]),
                self.words(2)
            ),
            _ => self
                .pick(&[
                    ". ./none",
                    "source",
                    ". ./d",
                    "eval 'set -- a b'; c \"$@\"",
                    "source lib.sh x",
                ])
                .to_owned(),
        }
    }

    pub(super) fn getopts(&mut self) -> String {
        let specification = self.pick(&["ab:", ":ab:", "a:b:", "ab", ":"]);
        let words = self.pick(&[
            "-a -b v -c",
            "-ab v",
            "-bv -- -a",
            "-b",
            "-a- x",
            "-- -a",
            "a -b",
            "-x -y",
            "\"$@\"",
            "-a -",
            "+a",
            "-ba -b",
            "-b ''",
        ]);
        format!(
            "OPTIND=1; while getopts {specification} o {words}; do c \"$o\" \"${{OPTARG-unset}}\" $OPTIND; done; c \"$o\" $OPTIND"
        )
    }

    fn trap(&mut self) -> String {
        match self.below(12) {
            0..=1 => "trap 'c \"exit $?\"' EXIT".to_owned(),
            2..=3 => "trap 'c \"err $?\"' ERR".to_owned(),
            4 => "trap - ERR EXIT DEBUG RETURN".to_owned(),
            5 => format!("(trap 'echo sub' EXIT; {})", self.simple_print()),
            6 => "trap 'echo ret' RETURN".to_owned(),
            7 => "trap 'echo \"dbg $BASH_COMMAND\"' DEBUG".to_owned(),
            8 => "trap -p".to_owned(),
            9 => format!(
                "trap {} {}",
                self.pick(&["''", "-", "'exit 4'", "':'", "echo"]),
                self.pick(&["USR1", "2", "EXIT", "BOGUS", "INT TERM", "SIGUSR2", "0"])
            ),
            // Alone on its line, where the minimiser leaves it.
            10 => "trap 'c usr' USR1\nkill -USR1 $BASHPID\nc after".to_owned(),
            _ => "trap 'false; c e' EXIT".to_owned(),
        }
    }

    /// A command that prints words.
    pub(super) fn simple_print(&mut self) -> String {
        format!("{} {}", self.pick(&["c", "echo"]), self.words(2))
    }
}
