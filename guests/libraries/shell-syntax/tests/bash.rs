//! The same as bash: errors, printing and braces against the `bash` that is installed. Without bash
//! 5.2 these tests fail, unless `CODEPOD_MAY_MISS=bash` says that it may be missing.

use std::io::Write;
use std::process::{Command, Stdio};

use codepod_shell_syntax::tree::{Argument, Brace, CommandKind, Part, Word};
use codepod_shell_syntax::{Options, Parser, print};

/// What bash writes when it reads this on standard input; none without bash 5.2.
fn bash(arguments: &[&str], input: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let version = Command::new("bash")
        .args(["-c", "echo $BASH_VERSION"])
        .output()
        .ok()?;
    if !version.stdout.starts_with(b"5.2") {
        return None;
    }
    let mut child = Command::new("bash")
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().ok()?;
    drop(writer.join());
    Some((output.stdout, output.stderr))
}

/// Fails, unless bash may be missing: what is not compared has not been shown.
fn no_bash(what: &str) {
    let may_miss = std::env::var("CODEPOD_MAY_MISS").unwrap_or_default();
    assert!(
        may_miss.split(',').any(|each| each == "bash"),
        "no bash 5.2 here, so {what} cannot be compared: install it, or set CODEPOD_MAY_MISS=bash"
    );
    eprintln!("no bash 5.2 here: {what} not compared");
}

/// All errors and warnings of a script up to the first error, as `bash -n` prints them.
fn complaints(text: &[u8]) -> String {
    let mut parser = Parser::new(text, Options::default());
    let mut out = String::new();
    loop {
        let result = parser.next(&());
        for warning in parser.take_warnings() {
            let message = String::from_utf8_lossy(&warning.message).into_owned();
            out += &format!("bash: line {}: warning: {message}\n", warning.line);
        }
        match result {
            Ok(Some(_)) => {}
            Ok(None) => return out,
            Err(error) => {
                for line in error.lines() {
                    let line = String::from_utf8_lossy(&line).into_owned();
                    out += &format!("bash: line {}: {line}\n", error.line);
                }
                return out;
            }
        }
    }
}

/// Left out: `[[ ]]` and `[[ a && ]]`, after which bash ends without a word.
const BROKEN: &[&str] = &[
    "fi",
    "if",
    "if true",
    "if true; then",
    "if true; then a",
    "if true; then a; else",
    "if true; then a; elif",
    "if; then a; fi",
    "if true; then; fi",
    "if true; do",
    "then",
    "else",
    "elif x",
    "do",
    "done",
    "esac",
    "in x",
    "}",
    "{",
    "{ a",
    "{ a;",
    "{ }",
    "(",
    "()",
    "( a",
    "( )",
    ")",
    "a )",
    "a (",
    "a ( b )",
    "a b ( c )",
    "a()",
    "a() b",
    "a() { b",
    "function",
    "function a",
    "function a b",
    "function a()",
    "for",
    "for x",
    "for x in",
    "for x in a",
    "for x in a; b",
    "for x in a; do",
    "for x in a; do done",
    "for x in a; do b; fi",
    "for x; in a; do b; done",
    "for x in a & do b; done",
    "for ((i=0; i<3)); do a; done",
    "for ((;;;)); do a; done",
    "for ((;;)) a",
    "while",
    "while a",
    "while a; b; done",
    "until a; do b; od",
    "case",
    "case x",
    "case x in",
    "case x in a",
    "case x in a)",
    "case x in a) b",
    "case x in a) b;;",
    "case x in a) b;; c",
    "case x in a b) c;; esac",
    "case x in a|) c;; esac",
    "case x in |a) c;; esac",
    "case x in ) c;; esac",
    "case x on a) ;; esac",
    "case x in a) ;; ;; esac",
    "select",
    "select x in a; do",
    "a;;",
    "a ;; b",
    "a ;& b",
    "; a",
    ";",
    ";;",
    "& a",
    "&& a",
    "| a",
    "|| a",
    "a &&",
    "a ||",
    "a |",
    "a | | b",
    "a || || b",
    "a && && b",
    "a & & b",
    "a ; ; b",
    "a &; b",
    "a |& | b",
    "! ! |",
    "time |",
    "a >",
    "a <",
    "a > > b",
    "a >;",
    "a >& |",
    "a <<",
    "a <<<",
    "a << ;",
    "a 2>",
    "a &>",
    "a > (b)",
    "< (",
    "echo 'a",
    "echo \"a",
    "echo `a",
    "echo $'a",
    "echo $(a",
    "echo $((a",
    "echo $((a)",
    "echo $((a))) b",
    "echo ${a",
    "echo ${a:-",
    "echo ${a:-\"}",
    "echo ${a:-'}",
    "echo \"${a:-'}\"",
    "echo \"$(a",
    "echo \"$(a\"",
    "echo \"${a\"",
    "echo $[a",
    "echo <(a",
    "echo $(fi)",
    "echo $(a;;)",
    "echo $(if)",
    "echo $(a\n(\n",
    "echo $(\n\n)\n)",
    "a=(",
    "a=(b",
    "a=(b c\nd",
    "a=(b & c)",
    "a=(b;c)",
    "a=(()",
    "a[",
    "a[1",
    "a[1]=(",
    "command declare a=(1)",
    "x a=(1)",
    "[[",
    "[[ a",
    "[[ a ]",
    "[[ a b ]]",
    "[[ a b c ]]",
    "[[ -f ]]",
    "[[ -f && a ]]",
    "[[ -f a b ]]",
    "[[ a == ]]",
    "[[ a == b c ]]",
    "[[ a == b",
    "[[ && a ]]",
    "[[ ( a ]]",
    "[[ ( a b ) ]]",
    "[[ a ) ]]",
    "[[ a =~ ( ]]",
    "[[ a -eq ]]",
    "[[ a -xx b ]]",
    "[[ a ; b ]]",
    "[[ a | b ]]",
    "[[ a\n]]",
    "[[ a == b\n\n",
    "[[ a < ]]",
    "[[ a > > b ]]",
    "((",
    "((1",
    "((1)) a",
    "coproc",
    "coproc x (",
    "cat <<E",
    "cat <<E\na",
    "cat <<E\na\nE\n)",
    "cat <<'E F'\na\n",
    "cat <<-E\n\ta\n\tb",
    "cat <<E <<F\na\nE\nb",
    "$(cat <<E)\na\nE\n)",
    "$(cat <<E\na\n)",
    "a\nb\nc)\nd",
    "a \\\nb \\\n)",
    "a; b; if c; then d; fi fi",
    "if a; then b; fi c",
    "{ a; } b",
    "( a ) b",
    "f() { a; } b",
    "while a; do b; done c",
    "case a in b) c;; esac d",
    "\"a\n\nb\" )",
    "a 'b\nc' (",
    "a[b",
    "a[b; c",
    "x=1 a[b [c] d",
    "a[b c] )",
    "a[b 'c]",
    "a[\n\nb] )",
    "echo a[b c] )",
    "echo a\\",
    "echo a\n\n\n(",
    "echo \u{e9} )",
    "echo ) \u{e9}",
    "\t)\n",
    "   fi   ",
    "a \x01b(",
];

#[test]
fn errors_are_worded_as_bash_words_them() {
    let mut wrong = Vec::new();
    for script in BROKEN {
        let Some((_, stderr)) = bash(&["-n"], script.as_bytes()) else {
            return no_bash("errors");
        };
        let theirs = String::from_utf8_lossy(&stderr).into_owned();
        let ours = complaints(script.as_bytes());
        // After an error that a script survives, bash goes on.
        if theirs != ours && !(theirs.starts_with(&ours) && !ours.is_empty()) {
            wrong.push(format!("{script:?}\n--- bash\n{theirs}--- ours\n{ours}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The function `f` of a script, as `declare -f` prints it.
fn printed(script: &str) -> Option<String> {
    let mut parser = Parser::new(script.as_bytes(), Options::default());
    let list = parser.next(&()).ok()??;
    let CommandKind::Function(function) = &list.items.first()?.first.stages.first()?.kind else {
        return None;
    };
    Some(String::from_utf8_lossy(&print::function(function)).into_owned())
}

#[test]
fn functions_are_printed_as_bash_prints_them() {
    let bodies = include_str!("printed.txt");
    let mut wrong = Vec::new();
    for body in bodies.split("\n----\n") {
        let script = format!("f() {{\n{body}\n}}\n");
        let Some((stdout, stderr)) = bash(&[], format!("{script}declare -f f\n").as_bytes()) else {
            return no_bash("printing");
        };
        assert!(
            stderr.is_empty(),
            "{script}{}",
            String::from_utf8_lossy(&stderr)
        );
        let theirs = String::from_utf8_lossy(&stdout).into_owned();
        let ours = printed(&script).map_or_else(String::new, |text| text + "\n");
        if theirs != ours {
            wrong.push(format!("{body}\n--- bash\n{theirs}--- ours\n{ours}"));
        }
        // What bash prints of some here-documents and of `coproc` cannot be read again.
        if !body.contains("coproc")
            && let Some(again) = printed(&ours)
        {
            assert_eq!(again + "\n", ours, "printing what was printed");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a word with braces gives, as far as it has only literal text.
fn expand(parts: &[Part]) -> Vec<String> {
    let mut words = vec![String::new()];
    for part in parts {
        let ends: Vec<String> = match part {
            Part::Literal(text) | Part::Quoted(text, _) => {
                vec![String::from_utf8_lossy(text).into_owned()]
            }
            Part::Double(parts) => vec![expand(parts).concat()],
            Part::Brace(brace) => match &**brace {
                Brace::List(words) => words.iter().flat_map(|word| expand(&word.parts)).collect(),
                Brace::Numbers {
                    from, to, width, ..
                } => {
                    let width = *width as usize;
                    let mut numbers: Vec<i64> = (*from.min(to)..=*from.max(to)).collect();
                    if from > to {
                        numbers.reverse();
                    }
                    numbers
                        .iter()
                        .map(|number| format!("{number:0width$}"))
                        .collect()
                }
                Brace::Letters { from, to, .. } => {
                    let mut letters: Vec<u8> = (*from.min(to)..=*from.max(to)).collect();
                    if from > to {
                        letters.reverse();
                    }
                    letters
                        .iter()
                        .map(|letter| char::from(*letter).to_string())
                        .collect()
                }
            },
            _ => return Vec::new(),
        };
        words = words
            .iter()
            .flat_map(|word| ends.iter().map(move |end| format!("{word}{end}")))
            .collect();
    }
    words
}

fn arguments(script: &str) -> Option<Vec<Word>> {
    let list = Parser::new(script.as_bytes(), Options::default())
        .next(&())
        .ok()??;
    let CommandKind::Simple(simple) = &list.items.first()?.first.stages.first()?.kind else {
        return None;
    };
    Some(
        simple
            .words
            .iter()
            .filter_map(|argument| match argument {
                Argument::Word(word) => Some(word.clone()),
                Argument::Assign(_) => None,
            })
            .collect(),
    )
}

#[test]
fn braces_are_expanded_as_in_bash() {
    // All words of up to seven of these, as far as they have both braces.
    let pieces = ["{", "}", ",", "a", "..", "1", "\\,", "\"}\""];
    let mut words = Vec::new();
    let mut seed = 12345u64;
    for _ in 0..4000 {
        let mut word = String::new();
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let mut bits = seed >> 20;
        for _ in 0..4 + bits % 9 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(99991);
            word += pieces[(bits >> 33) as usize % pieces.len()];
        }
        if word.contains('{') && word.contains('}') {
            words.push(word);
        }
    }
    let script: String = words
        .iter()
        .map(|word| format!("printf '<%s>' : {word}; echo\n"))
        .collect();
    let Some((stdout, _)) = bash(&[], script.as_bytes()) else {
        return no_bash("braces");
    };
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    for (word, theirs) in words.iter().zip(stdout.lines()) {
        let parsed = arguments(&format!(": {word}")).expect(word);
        let ours: String = parsed
            .iter()
            .flat_map(|word| expand(&word.parts))
            .map(|word| format!("<{word}>"))
            .collect();
        // bash drops words that are empty and unquoted.
        let theirs = theirs.replace("<>", "");
        assert_eq!(ours.replace("<>", ""), theirs, "{word}");
    }
}
