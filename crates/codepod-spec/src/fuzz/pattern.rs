//! Random patterns, for file names, `case`, `[[`, and operators of expansions.

use super::script::Maker;

const SIMPLE: &[&str] = &[
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
    "*/",
    "?*",
    "\\*",
    "'*'",
    "[[:space:]]",
    "*o",
    "f?o",
    "[^l]",
    "[]a]",
    "[a",
    "[a-",
    "a]",
    "[[:upper:][:digit:]]",
    "[a\\-z]",
    "\\",
    "[\\]]",
    "[!]]",
    "é",
    "[é漢]",
    "é?",
    "**",
    "*/*",
    "d/*",
    ".*",
    "",
    "\"\"",
    "[[:bogus:]]",
    "[b-a]",
    "[[.a.]]",
    "[[=a=]]",
    "*\\/*",
    "/",
    "o",
    "[[:punct:]]*",
    "*[!a-z]",
    "[$x]",
    "[\"$x\"]",
    "''*",
    "*' '*",
    "\\a",
    "[a-z]",
    "[[:alnum:]_]*",
    "a[",
    "[-a]",
    "[a-]",
    "[!-a]",
    "[\\a]",
];

impl Maker {
    /// A pattern.
    pub(super) fn pattern(&mut self) -> String {
        if !self.wild {
            return self.tame_pattern();
        }
        match self.below(20) {
            0 => format!("\"${}\"", self.scalar()),
            1 => format!("${}", self.scalar()),
            2..=5 => self.extended_pattern(),
            6..=7 => format!("{}{}", self.pick(SIMPLE), self.pick(SIMPLE)),
            _ => self.pick(SIMPLE).to_owned(),
        }
    }

    fn extended_pattern(&mut self) -> String {
        let operator = self.pick(&["@", "?", "*", "+", "!"]);
        let mut parts = Vec::new();
        for _ in 0..self.between(1, 3) {
            // A bracket that is never closed reaches beyond the parenthesis, in ways of bash's own.
            let simple = self.pick(SIMPLE);
            let is_open = simple.contains('[') && !simple.ends_with(']')
                || ["\\", "\"\"", "''", "$", "[]", "[!]", "[a-]", "[-a]"]
                    .iter()
                    .any(|odd| simple.contains(odd));
            parts.push(if is_open {
                "b".to_owned()
            } else {
                simple.to_owned()
            });
        }
        // What is not matched next to a star is, again, bash's own secret.
        let (before, after) = if operator == "!" {
            ("", "")
        } else {
            (
                self.pick(&["", "", "", "a", "?"]),
                self.pick(&["", "", "", "o", "?"]),
            )
        };
        format!("{before}{operator}({}){after}", parts.join("|"))
    }

    /// A regular expression for `=~`.
    pub(super) fn regex(&mut self) -> String {
        const REGEXES: &[&str] = &[
            "^a",
            "[0-9]+",
            "(a|b)(.*)",
            "o+$",
            "^$",
            "(.)(.)",
            "a.c",
            "(a)|(b)|(c)",
            "^(.*)([a-z])",
            "[[:space:]]",
            "x?y*",
            "((a)(b)?)+",
            "\\.",
            "a{2,3}",
            "(.*) (.*)",
            "^[^:]*:",
            "$x",
            "\"$x\"",
            "\".\"",
            "'*'",
            "[[:alpha:]_][[:alnum:]_]*",
            "(a|ab)(c|bcd)",
            ".",
            "é",
            "\\(",
            "()",
            "a|b|",
            "^(a*)(ab)*",
            "[]a]",
            "[^]]",
            "(",
            "a**",
            "\\$",
            "^.{2}",
            "(o|fo|foo)+",
        ];
        self.pick(REGEXES).to_owned()
    }

    /// A word that names files.
    pub(super) fn glob(&mut self) -> String {
        if !self.wild {
            return self.tame_glob();
        }
        // The quotes keep `d` from being a part of a name before it, which would leave a pattern
        // for the machine's root.
        const GLOBS: &[&str] = &[
            "*",
            "a*",
            "?.txt",
            "*.txt",
            "[ab]*",
            "\"d\"/*",
            ".*",
            "nomatch*",
            "*\\ *",
            "*/",
            "\"d\"*/*",
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
            "[[:upper:]]*",
            "**",
            "**/*",
            ".h*",
            "\"d\"/.*",
            "*' '*",
            "$g",
            "[.]*",
            "*.t[x]t",
            "\"d\"//*",
            "[a]*",
            "lib[.]sh",
            "[a-b].txt",
            "+([a-z]).txt",
            "*[",
            "a.txt*",
            "${x}*",
            "'a'*",
        ];
        self.pick(GLOBS).to_owned()
    }
}
