use std::rc::Rc;

use super::*;
use crate::exec;
use crate::fds::{Capture, Open};
use crate::state::State;

/// A shell that has run a script, and what it writes.
fn after(script: &str) -> (Shell, Rc<Capture>) {
    let mut shell = Shell::new(State {
        zero: Text::from("bash"),
        line: 1,
        ..State::default()
    });
    // Without a locale, bash counts bytes.
    crate::special::initial(&mut shell, &[b"LC_ALL=C.UTF-8".to_vec()]);
    let output = Rc::new(Capture::default());
    for number in [1, 2] {
        shell.fds.set(number, Open::Capture(Rc::clone(&output)));
    }
    exec::text(&mut shell, script.as_bytes(), 1).expect("it runs");
    (shell, output)
}

/// The fields of a word after a script.
fn fields_of(script: &str, word: &str) -> Vec<String> {
    let (mut shell, _) = after(script);
    let word = codepod_shell_syntax::word(word.as_bytes(), syntax(&shell)).expect("it is a word");
    let mut all = Vec::new();
    fields(&mut shell, &word, &mut all).expect("it can be expanded");
    all.iter()
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect()
}

#[test]
fn white_space_and_other_delimiters_split_differently() {
    for (ifs, value, wanted) in [
        (" \t\n", "  a b  c ", &["a", "b", "c"][..]),
        (":", "a:b::c:", &["a", "b", "", "c"]),
        (":", ":a", &["", "a"]),
        (": ", " a : b : : c ::", &["a", "b", "", "c", ""]),
        ("", "a b", &["a b"]),
        ("é", "aébéc", &["a", "b", "c"]),
        (":", "", &[]),
    ] {
        let script = format!("IFS='{ifs}' x='{value}'");
        assert_eq!(fields_of(&script, "$x"), wanted, "{ifs:?} {value:?}");
    }
}

#[test]
fn only_expansions_are_split() {
    assert_eq!(fields_of("IFS=x", "axb"), ["axb"]);
    assert_eq!(fields_of("IFS=x", "${y:-axb}"), ["a", "b"]);
    assert_eq!(fields_of("IFS=x", "${y:-\"axb\"}"), ["axb"]);
    assert_eq!(fields_of("x=' a '", "b$x\"c\""), ["b", "a", "c"]);
}

#[test]
fn quoted_lists_keep_their_elements() {
    let script = "set -- 'a b' '' c; a=(1 '2 3')";
    assert_eq!(fields_of(script, "\"$@\""), ["a b", "", "c"]);
    assert_eq!(fields_of(script, "\"x$@y\""), ["xa b", "", "cy"]);
    assert_eq!(fields_of(script, "\"$*\""), ["a b  c"]);
    assert_eq!(fields_of(script, "$@"), ["a", "b", "c"]);
    assert_eq!(fields_of(script, "\"${a[@]/2/x}\""), ["1", "x 3"]);
    assert_eq!(fields_of(script, "\"${@:2}\""), ["", "c"]);
}

#[test]
fn a_list_without_elements_is_no_field() {
    assert!(fields_of("a=()", "\"${a[@]}\"").is_empty());
    assert!(fields_of("", "\"$@$x\"").is_empty());
    assert_eq!(fields_of("", "\"${x:-$@}\""), [""]);
    assert_eq!(fields_of("", "\"\"$@"), [""]);
}

#[test]
fn slices_count_characters_from_either_end() {
    for (word, wanted) in [
        ("${x:1:2}", "él"),
        ("${x: -3}", "llo"),
        ("${x:1:-1}", "éll"),
        ("${x:9}", ""),
        ("${x: -9}", ""),
        ("${#x}", "5"),
    ] {
        assert_eq!(
            fields_of("x=héllo", &format!("\"{word}\"")),
            [wanted],
            "{word}"
        );
    }
    assert_eq!(fields_of("a=([2]=x [5]=y [9]=z)", "${a[@]:3}"), ["y", "z"]);
    assert_eq!(fields_of("set -- a b c", "${@: -2}"), ["b", "c"]);
    assert_eq!(fields_of("set -- a b c", "${@:0:2}"), ["bash", "a"]);
}

#[test]
fn replacing_knows_the_match() {
    let script = "x=aabbaa r='<&>'";
    for (word, wanted) in [
        ("${x/a/X}", "Xabbaa"),
        ("${x//a/X}", "XXbbXX"),
        ("${x/#a/X}", "Xabbaa"),
        ("${x/%a/X}", "aabbaX"),
        ("${x//[ab]/&&}", "aaaabbbbaaaa"),
        ("${x//a/\\&}", "&&bb&&"),
        ("${x//b/$r}", "aa<b><b>aa"),
        ("${x//b/\"$r\"}", "aa<&><&>aa"),
        ("${x//}", "aabbaa"),
    ] {
        assert_eq!(fields_of(script, word), [wanted], "{word}");
    }
}

/// The arguments that a command gets.
fn arguments(script: &str, words: &str) -> Vec<String> {
    let (shell, _) = after(&format!("{script}; set -- {words}"));
    let all = shell.state.positional.iter();
    all.map(|text| String::from_utf8_lossy(text).into_owned())
        .collect()
}

#[test]
fn braces_come_before_everything_else() {
    assert_eq!(
        arguments(":", "{a,b}{1..3}"),
        ["a1", "a2", "a3", "b1", "b2", "b3"]
    );
    assert_eq!(arguments("ab=X ac=Y", "$a{b,c}"), ["X", "Y"]);
    assert_eq!(arguments(":", "{08..11}"), ["08", "09", "10", "11"]);
    assert_eq!(arguments(":", "x{,y}"), ["x", "xy"]);
    assert_eq!(
        arguments("HOME=/h", "~{/a,nosuchuser} {~,x}/b"),
        ["/h/a", "~nosuchuser", "/h/b", "x/b"]
    );
}

#[test]
fn brace_bombs_end_with_an_error() {
    let (_, output) = after("set -- {1..99999999}{1..99999999}; echo not reached\necho next");
    let wanted = b"bash: line 1: brace expansion: cannot allocate memory for the result\n".to_vec();
    assert!(output.take().starts_with(&wanted));
}

#[test]
fn namerefs_lead_to_variables_and_elements() {
    let script = "declare -n r=x e='a[1]'; x=1; a=(p q); r=2; e=z";
    assert_eq!(fields_of(script, "$x-$r-${!r}-${a[1]}-$e"), ["2-2-x-z-z"]);
}

#[test]
fn what_is_unset_ends_the_shell_where_that_was_asked_for() {
    let (mut shell, output) = after("set -u");
    let word = codepod_shell_syntax::word(b"$nothing", syntax(&shell)).expect("it is a word");
    assert_eq!(fields(&mut shell, &word, &mut Vec::new()), Err(Stop::Exit));
    assert_eq!(output.take(), b"bash: line 1: nothing: unbound variable\n");
}
