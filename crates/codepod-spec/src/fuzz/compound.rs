//! Random compound commands, pipelines, lists, functions, and redirections of them.

use super::script::Maker;
use super::vocabulary::FILES;

impl Maker {
    fn body(&mut self) -> String {
        let count = self.between(1, 2);
        let statements: Vec<String> = (0..count).map(|_| self.nested(Maker::statement)).collect();
        statements.join("\n")
    }

    /// Statements from which no loop or function around is left: for subshells.
    fn inner(&mut self) -> String {
        let (loops, in_function) = (self.loops, self.in_function);
        (self.loops, self.in_function) = (0, false);
        let body = self.body();
        (self.loops, self.in_function) = (loops, in_function);
        body
    }

    fn guard(&mut self) -> String {
        match self.below(8) {
            0..=1 => format!("(({}))", self.arithmetic()),
            2 => "c cond".to_owned(),
            3 => self.test(),
            4 => self.nested(Maker::simple),
            5 => self
                .pick(&[
                    "true",
                    "false",
                    "! true",
                    ":",
                    "x=1 false",
                    "false || false",
                    "(exit 2)",
                ])
                .to_owned(),
            _ => format!("[[ {} ]]", self.condition()),
        }
    }

    /// `if`
    pub(super) fn conditional(&mut self) -> String {
        let mut text = format!("if {}; then\n{}\n", self.guard(), self.body());
        if self.chance(25) {
            text += &format!("elif {}; then\n{}\n", self.guard(), self.body());
        }
        if self.chance(50) {
            text += &format!("else\n{}\n", self.body());
        }
        text + "fi"
    }

    /// A loop that ends.
    pub(super) fn repetition(&mut self) -> String {
        self.loops += 1;
        self.counters += 1;
        let counter = format!("_c{}", self.counters);
        let body = self.body();
        let turns = self.between(1, 3);
        let text = match self.below(8) {
            0..=2 => format!(
                "for {} in {}; do\n{body}\ndone",
                self.scalar(),
                self.words(3)
            ),
            3 => format!("for (({counter}=0; {counter}<{turns}; {counter}++)); do\n{body}\ndone"),
            4 => format!("{counter}=0\nwhile (({counter}++ < {turns})); do\n{body}\ndone"),
            5 => format!("{counter}=0\nuntil (({counter}++ >= {turns})); do\n{body}\ndone"),
            6 => format!(
                "for {}{} do\n{body}\ndone",
                self.scalar(),
                self.pick(&[";", " in \"$@\";", "\n", " in;"])
            ),
            _ => format!(
                "select {} in {}; do\n{body}\nbreak\ndone <<< {}",
                self.scalar(),
                self.words(2),
                self.pick(&["1", "2", "x", "''", "$'\\n1'"])
            ),
        };
        self.loops -= 1;
        text
    }

    /// `case`
    pub(super) fn case(&mut self) -> String {
        // A list, or a quoted nothing that an operator leaves, keeps bash's inner marks in the word
        // of a case (`a word of case with an empty element` in `spec/shell/random.toml`).
        let word = match self.word() {
            odd if odd.contains("${") || odd.contains('@') => {
                format!("\"${}\"{}", self.scalar(), self.tame_plain())
            }
            word => word,
        };
        let mut text = format!("case {word} in\n");
        for _ in 0..self.between(1, 3) {
            let mut pattern = self.pattern();
            if pattern.is_empty() {
                pattern = "''".to_owned();
            }
            if self.chance(30) {
                pattern += &format!("|\"\"{}", self.pattern());
            }
            let open = self.pick(&["", "("]);
            let end = self.pick(&[";;", ";;", ";;", ";&", ";;&"]);
            text += &format!("{open}{pattern}) {}\n{end}\n", self.body());
        }
        text + "*) echo default;;\nesac"
    }

    /// A function and a call of it.
    pub(super) fn function(&mut self) -> String {
        self.counters += 1;
        let name = format!("fn{}", self.counters);
        let (loops, in_function) = (self.loops, self.in_function);
        (self.loops, self.in_function) = (0, true);
        let local = match self.below(6) {
            0 => format!("local {}={}\n", self.scalar(), self.word()),
            1 => format!("local -a {}=({})\n", self.array(), self.words(2)),
            2 => format!("local {}\n", self.integer()),
            3 => "local IFS=:\n".to_owned(),
            4 => "local -\nset -f\n".to_owned(),
            _ => String::new(),
        };
        let body = self.body();
        (self.loops, self.in_function) = (loops, in_function);
        let (open, close) = if self.chance(15) {
            ("(", ")")
        } else {
            ("{", "}")
        };
        let redirection = if self.chance(10) {
            self.redirection()
        } else {
            String::new()
        };
        let head = match self.below(4) {
            0 => format!("function {name}"),
            1 => format!("function {name} ()"),
            _ => format!("{name}()"),
        };
        let call = format!("{name} {}", self.words(3));
        let show = if self.chance(10) {
            format!("\ndeclare -f {name}")
        } else {
            String::new()
        };
        format!(
            "{head} {open}\n{local}{body}\nc \"$FUNCNAME\" \"$@\"\n{close}{redirection}\n{call}; c $?{show}"
        )
    }

    /// A pipeline whose stages read all of their input.
    pub(super) fn pipeline(&mut self) -> String {
        let first = match self.below(5) {
            0 => format!("{{\n{}\n}}", self.inner()),
            1 => format!("printf '%s\\n' {}", self.words(4)),
            2 => format!("c {}", self.words(3)),
            3 => format!("( {}\n)", self.inner()),
            _ => format!("echo {}", self.words(3)),
        };
        let last = self.pick(&[
            "cat",
            "cat",
            "sort",
            "tr a-z A-Z",
            "wc -l",
            "while read -r l; do c \"$l\"; done",
            "{ read -r a b; cat; c \"$a/$b\"; }",
            "while IFS=: read -r k v; do map[k]=$v; c $k; done",
            "(x=sub; cat; exit 3)",
            "{ mapfile -t arr; c \"${arr[@]}\"; }",
            "cat | cat",
            "{ cat; false; }",
            "if read -r x; then cat; c \"$x\"; fi",
        ]);
        let bang = if self.chance(10) { "! " } else { "" };
        let bar = self.pick(&["|", "|", "|", "|\n"]);
        format!("{bang}{first} {bar} {last}; c $? \"${{PIPESTATUS[@]}}\"")
    }

    /// Something with redirections.
    pub(super) fn redirected(&mut self) -> String {
        let file = self.pick(FILES);
        match self.below(14) {
            0 => format!("echo {} > {file}; cat < {file}", self.words(3)),
            1 => format!("echo {} >> {file}; cat {file}", self.words(3)),
            2 => {
                // Of its own name: what reads the file that it writes need not end.
                self.counters += 1;
                let file = format!("g{}", self.counters);
                format!("{{\n{}\n}} > {file}\ncat {file}", self.body())
            }
            3 => format!(
                "exec 3> {file}; echo {} >&3; exec 3>&-; cat {file}",
                self.words(2)
            ),
            4 => format!(
                "{{ echo out; echo err >&2; }} {} {file}; cat {file}",
                self.pick(&["&>", "&>>", ">&", "2>"])
            ),
            5 => format!(
                "exec {{fd}}< a.txt; read -r {} <&$fd; exec {{fd}}<&-; c \"${{x}}\"",
                self.scalar()
            ),
            6 => format!("{{ read -r x; read -r y; c \"$x\" \"$y\"; }} < {file}"),
            7 => format!(
                "exec 4<> {file}; echo {} >&4; exec 4>&-; cat {file}",
                self.words(1)
            ),
            8 => format!(
                "set -C; echo {} {} {file}; c $?; set +C",
                self.words(1),
                self.pick(&[">", ">|", ">>"])
            ),
            9 => self
                .pick(&[
                    "echo x > $s",
                    "echo x > *.txt",
                    "echo x >&9",
                    "cat <&9",
                    "cat < none",
                    "> new",
                    "echo a > \"\"",
                    "exec 4< none; c $?",
                    "{ echo a; } 4>&1 >&4",
                    "echo x 5>&1 >&5-",
                    "{ echo a >&3; } 3>&1",
                    "exec 3<&-",
                    "echo a > $nope",
                    "c a 2>&- >&2",
                ])
                .to_owned(),
            10 => format!("while read -r l; do c \"$l\"; done < {file}"),
            11 => format!("{} {}", self.nested(Maker::simple), self.redirection()),
            12 => format!("( {}\n) {}", self.inner(), self.redirection()),
            _ => format!("c {} {}", self.words(2), self.redirection()),
        }
    }

    /// A redirection. Messages are not kept: where they say on which line they came, bash has ways
    /// of its own.
    fn redirection(&mut self) -> String {
        match self.below(6) {
            0 => " >&2".to_owned(),
            1 => " 2> /dev/null".to_owned(),
            2 => " > r1".to_owned(),
            3 => format!(" <<< {}", self.word()),
            4 => format!(
                " {}",
                self.pick(&[
                    "< a.txt",
                    "< none",
                    ">> r3",
                    "2>/dev/null",
                    "> /dev/null",
                    "<&-",
                    "3< a.txt",
                    "3>&1"
                ])
            ),
            _ => " >> r4".to_owned(),
        }
    }

    /// A here-document.
    pub(super) fn document(&mut self) -> String {
        self.counters += 1;
        let mark = format!("EOF{}", self.counters);
        let (open, close) = match self.below(6) {
            0 => (format!("<<'{mark}'"), mark),
            1 => (format!("<<-{mark}"), format!("\t{mark}")),
            2 => (format!("<<\"{mark}\""), mark),
            3 => (format!("<<-\\{mark}"), format!("\t\t{mark}")),
            _ => (format!("<<{mark}"), mark),
        };
        let mut lines = String::new();
        for _ in 0..self.between(0, 3) {
            let line = match self.below(6) {
                0 => format!("plain ${}", self.scalar()),
                1 => format!("{} \\$x `echo b` it's \"q\"", self.nested(Maker::parameter)),
                2 => format!("$(({})) $(echo sub)", self.arithmetic()),
                3 => "\ttab \\\\ * ~ {a,b} \\\" \\a \\\nnext".to_owned(),
                4 => self
                    .pick(&[
                        "",
                        "$",
                        "\\",
                        "\"",
                        "'",
                        "#c",
                        "`",
                        "$(",
                        "${",
                        "$'a'",
                        "${x:-'a'}",
                        "${x+\"q\"}",
                        "\\`",
                        "EOF",
                    ])
                    .replace("$(", "$(:)")
                    .replace("${", "$")
                    .replace('`', ""),
                _ => (0..3).map(|_| self.inside().replace("\\\n", "")).collect(),
            };
            lines += &line;
            lines.push('\n');
        }
        let command = self.pick(&[
            "cat",
            "cat",
            "while read -r p q; do c \"$q\" \"$p\"; done",
            "tr a-z A-Z",
            "mapfile -t arr",
            "{ read x; cat; }",
            "c a",
            "read -r a b",
            ": <<X\nx\nX\ncat",
        ]);
        let after = self.pick(&[
            "",
            "",
            "",
            " | cat",
            " && echo y",
            "; echo z",
            " > new",
            " || echo n",
        ]);
        format!("{command} {open}{after}\n{lines}{close}")
    }

    /// A subshell.
    pub(super) fn subshell(&mut self) -> String {
        let option = if self.chance(40) {
            self.pick(&[
                "set -e; ",
                "set -u; ",
                "set -f; ",
                "shopt -s nullglob; ",
                "set -o pipefail; ",
                "trap 'c bye' EXIT; ",
                "set -eE; trap 'c err' ERR; ",
                "IFS=:; ",
                "set -euo pipefail; ",
            ])
        } else {
            ""
        };
        format!("( {option}{}\nc in ); c $?", self.inner())
    }

    /// Commands joined by `&&`, `||`, `;` and `&`.
    pub(super) fn list(&mut self) -> String {
        let part = |maker: &mut Maker| match maker.below(8) {
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 => format!("[[ {} ]]", maker.condition()),
            3 => format!("{{ {}; }}", maker.simple_print()),
            4 => format!("! {}", maker.simple_print()),
            5 => maker.nested(Maker::simple),
            6 => format!("( {}; false )", maker.simple_print()),
            _ => maker.simple_print(),
        };
        let mut text = part(self);
        for _ in 0..self.between(1, 3) {
            let operator = self.pick(&["&&", "||", ";", "&&\n", "||"]);
            text = format!("{text} {operator} {}", part(self));
        }
        format!("{text}; c $?")
    }

    /// Something that runs beside the shell, and is waited for.
    pub(super) fn background(&mut self) -> String {
        let status = self.below(5);
        match self.below(4) {
            0 => format!("c <({} | cat) > /dev/null; cat <({0})", self.simple_print()),
            1 => format!(
                "{{ {}; (exit {status}); }} > new & wait $!; c $?",
                self.simple_print()
            ),
            2 => "c a > new &\nwait; c $? \"$(< new)\"".to_owned(),
            _ => format!(
                "({}; exit {status}) > new & wait $!; c $?; cat new",
                self.simple_print()
            ),
        }
    }
}
