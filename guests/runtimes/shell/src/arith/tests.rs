use std::rc::Rc;

use codepod_shell_syntax::Name;

use super::*;
use crate::fds::{Capture, Open};
use crate::state::State;

fn shell() -> (Shell, Rc<Capture>) {
    let mut shell = Shell::new(State {
        zero: Text::from("bash"),
        line: 1,
        ..State::default()
    });
    let errors = Rc::new(Capture::default());
    shell.fds.set(2, Open::Capture(Rc::clone(&errors)));
    (shell, errors)
}

fn value(text: &str) -> i64 {
    eval_text(&mut shell().0, text.as_bytes()).expect("it has a value")
}

fn error(text: &str) -> String {
    let (mut shell, errors) = shell();
    assert_eq!(eval_text(&mut shell, text.as_bytes()), Err(Stop::Discard));
    String::from_utf8(errors.take()).expect("it is text")
}

#[test]
fn operators_have_the_values_that_they_have_in_bash() {
    for (text, wanted) in [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("-2**2", 4),
        ("2**3**2", 512),
        ("7/2", 3),
        ("-7/2", -3),
        ("-7%3", -1),
        ("1<<4|1", 17),
        ("~0", -1),
        ("!5", 0),
        ("5>3 && 2>1", 1),
        ("0 || 0", 0),
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 0 ? 4 : 5", 5),
        ("1,2,3", 3),
        ("x=5, x+=2, x*x", 49),
        ("x=5, x++ + ++x", 12),
        ("0x1f + 010 + 2#101 + 36#z", 31 + 8 + 5 + 35),
        ("9223372036854775807 + 1", i64::MIN),
        ("-9223372036854775808 / -1", i64::MIN),
        ("1 << 65", 2),
        ("", 0),
    ] {
        assert_eq!(value(text), wanted, "{text}");
    }
}

#[test]
fn what_is_not_needed_is_not_done() {
    let (mut shell, _) = shell();
    assert_eq!(
        eval_text(&mut shell, b"0 && (x=1), 1 || (x=1), 1 ? 2 : (x=1)"),
        Ok(2)
    );
    assert!(!shell.state.variables.get(Name::new(b"x")).exists());
    assert_eq!(eval_text(&mut shell, b"1 || 1/0"), Ok(1));
}

#[test]
fn values_that_are_expressions_are_evaluated() {
    let (mut shell, _) = shell();
    for (name, text) in [("x", "y+1"), ("y", "z*2"), ("z", " 5 ")] {
        *shell.state.variables.get_mut(Name::new(name.as_bytes())) =
            crate::variables::Variable::text(text);
    }
    assert_eq!(eval_text(&mut shell, b"x"), Ok(11));
}

#[test]
fn errors_name_the_token_that_bash_names() {
    assert_eq!(
        error("1/0"),
        "bash: line 1: 1/0: division by 0 (error token is \"0\")\n"
    );
    assert_eq!(
        error(" 4 % ( 2 - 2 ) + 1"),
        "bash: line 1: 4 % ( 2 - 2 ) + 1: division by 0 (error token is \"( 2 - 2 ) + 1\")\n"
    );
    assert_eq!(
        error("1/1 + 6/2/0"),
        "bash: line 1: 1/1 + 6/2/0: division by 0 (error token is \"0\")\n"
    );
    assert_eq!(
        error("2**-1+3"),
        "bash: line 1: 2**-1+3: exponent less than 0 (error token is \"+3\")\n"
    );
    assert_eq!(
        error("2**-1"),
        "bash: line 1: 2**-1: exponent less than 0 (error token is \"1\")\n"
    );
    assert_eq!(
        error("1+"),
        "bash: line 1: 1+: syntax error: operand expected (error token is \"+\")\n"
    );
}

#[test]
fn variables_that_mean_each_other_end() {
    // Frames are larger than in the sandbox.
    let large = std::thread::Builder::new().stack_size(64 << 20);
    large.spawn(mean_each_other).unwrap().join().unwrap();
}

fn mean_each_other() {
    let (mut shell, errors) = shell();
    for (name, text) in [("a", "b"), ("b", "a")] {
        *shell.state.variables.get_mut(Name::new(name.as_bytes())) =
            crate::variables::Variable::text(text);
    }
    assert_eq!(eval_text(&mut shell, b"a"), Err(Stop::Discard));
    assert_eq!(
        errors.take(),
        b"bash: line 1: a: expression recursion level exceeded (error token is \"a\")\n"
    );
}

#[test]
fn only_plain_numbers_are_plain() {
    for (text, wanted) in [
        ("0", Some(0)),
        ("-5", Some(-5)),
        ("123456789012345678", Some(123_456_789_012_345_678)),
        ("08", None),
        ("", None),
        ("-", None),
        ("1x", None),
        ("9999999999999999999", None),
        (" 1", None),
    ] {
        assert_eq!(plain_number(text.as_bytes()), wanted, "{text}");
    }
}
