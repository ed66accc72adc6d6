//! Hostile scripts: every one gives a tree or an error, in time that grows with its length, on a
//! small stack.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codepod_shell_syntax::{Options, Parser, arithmetic, print};

/// What the shell has in WebAssembly. Unoptimised code needs several times as much.
const STACK: usize = if cfg!(debug_assertions) {
    16 << 20
} else {
    1 << 20
};

/// How long each script is.
const LENGTH: usize = if cfg!(debug_assertions) {
    100_000
} else {
    1_000_000
};

/// The processor time this thread has used, where the system tells; the time otherwise.
fn now() -> Duration {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok());
    match used {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    }
}

/// Parses all of a script, prints and drops the trees, on a stack of [`STACK`] bytes.
fn run(text: Vec<u8>, options: Options) -> Duration {
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let start = now();
            let mut parser = Parser::new(&text, options);
            loop {
                match parser.next(&()) {
                    Ok(Some(list)) => drop(print::list(&list, 0)),
                    Ok(None) => break,
                    Err(error) => {
                        drop(error.lines());
                        break;
                    }
                }
            }
            now().saturating_sub(start)
        })
        .expect("a thread")
        .join()
        .expect("no panic and no overflow")
}

/// Scripts by what they repeat, and what comes before and after it.
const BOMBS: &[(&str, &str, &str)] = &[
    ("", "(", ""),
    ("", "( ", ""),
    ("", "{ ", ""),
    ("", "$(", ""),
    ("echo ", "$(", ""),
    ("echo ", "$((", ""),
    ("echo ", "$(((", "))"),
    ("echo $((", "(", "))"),
    ("a=$((", "(", ""),
    ("((", "(", ""),
    ("((", "(", "))"),
    ("", "((", "))"),
    ("", "((a)", ")"),
    ("echo ", "$((a) ", ")"),
    ("echo ", "\"", ""),
    ("echo ", "\"$(", ""),
    ("echo ", "\"${a:-", ""),
    ("echo ", "${a:-", ""),
    ("echo ", "${a[", ""),
    ("echo ", "${a[$(", ""),
    ("echo ", "${a[${b[", "}}"),
    ("echo ", "${a[ }", ""),
    ("echo ", "${a#", ""),
    ("echo ", "${a/b/", ""),
    ("echo ", "${a:", ""),
    ("echo ", "${a:b?", ""),
    ("echo ", "$[", ""),
    ("", "`", ""),
    ("", "\\`", ""),
    ("echo `", "\\", "`"),
    ("echo \"`", "\\\"", "`\""),
    ("cat ", "<<a ", "\n"),
    ("", "cat <<a\n", ""),
    ("", "cat <<a\na\n", ""),
    ("", "$(cat <<a)", "\n"),
    ("echo ", "{a,", ""),
    ("echo ", "{", ""),
    ("echo ", "{a", "}"),
    ("echo ", "{a..", ""),
    ("echo ", "{a}", ",b}"),
    ("echo ", "{1..2}", ""),
    ("echo {a", ",b", "}"),
    ("echo ", "}", ""),
    ("[[ ", "! ", "a ]]"),
    ("[[ ", "( ", "a ]]"),
    ("[[ ", "a && ", "a ]]"),
    ("[[ ", "a || ", "a ]]"),
    ("[[ a =~ ", "(", "a ]]"),
    ("[[ a == ", "@(", "a ]]"),
    ("[[ a == ", "@(a|", "a ]]"),
    ("echo ", "@(", ""),
    ("echo $((", "1+", "1))"),
    ("echo $((", "1-", "1))"),
    ("echo $((", "1/", "1))"),
    ("echo $((", "1**", "1))"),
    ("echo $((", "-", "1))"),
    ("echo $((", "a=", "1))"),
    ("echo $((", "1?", "1))"),
    ("echo $((", "1?1:", "1))"),
    ("echo $((", "1,", "1))"),
    ("echo $((", "a[", "1))"),
    ("echo $((", "1&&", "1))"),
    ("", "a[", ""),
    ("a[1]", "[", ""),
    ("", "a[b ", ""),
    ("", "a[b & ]", ""),
    ("", "a[$(", ""),
    ("", "a[b]\n", ""),
    ("", "a=(", ""),
    ("a=(", "[b]=", ")"),
    ("a=(", "b ", ")"),
    ("", "! ", ""),
    ("", "time ", ""),
    ("", "coproc ", ""),
    ("", "if ", ""),
    ("", "if a; then ", ""),
    ("if a; then b; ", "elif a; then b; ", "fi"),
    ("", "while ", ""),
    ("", "case a in b) ", ""),
    ("", "f() ", ""),
    ("", "function f ", ""),
    ("", "f() { ", ""),
    ("", "for a in b; do ", ""),
    ("", "for ((;;)); do ", ""),
    ("", "a | ", "b"),
    ("", "a && ", "b"),
    ("", "a & ", ""),
    ("", ";", ""),
    ("", "a;", ""),
    ("", "a\n", ""),
    ("", "\n", ""),
    ("", "#\n", ""),
    ("", "\\\n", ""),
    ("echo ", "\\\n", ""),
    ("", "$\\\na", ""),
    ("", "a\\\n", ""),
    ("", "i\\\nf ", ""),
    ("", "a &\\\n& ", ""),
    ("", ">", ""),
    ("", "> a ", ""),
    ("", "2>&1 ", ""),
    ("", "{a}<b ", ""),
    ("", "<(", ""),
    ("", "~", ""),
    ("", "~:", ""),
    ("a=", "~:", ""),
    ("echo ", "a=~:", ""),
    ("", "'", ""),
    ("", "$'", ""),
    ("", "$'\\", ""),
    ("", "$\"", ""),
    ("", "$", ""),
    ("", "${", ""),
    ("", "${a}", ""),
    ("", "a=", ""),
    ("", "a+=", ""),
    ("declare ", "a={ ", ""),
    ("declare ", "a={b,c} ", ""),
    ("declare ", "a=(", ""),
    ("let ", "a=(b) ", ""),
    ("let ", "a=b ", ""),
    ("", "\u{e9}", ""),
    ("", "\\\u{e9}", ""),
    ("", "\0", ""),
    ("", "\0a\n", ""),
    ("for ((", ";", "))"),
    ("", "1", ""),
    ("", "1a", ""),
    ("echo ", "1 ", ""),
];

#[test]
fn no_script_takes_more_than_linear_time() {
    let mut slow = Vec::new();
    for (before, repeated, after) in BOMBS {
        for extglob in [false, true] {
            let options = Options {
                extglob,
                ..Options::default()
            };
            let text = |length: usize| {
                let count = length / repeated.len() + 1;
                [
                    before.as_bytes(),
                    &repeated.as_bytes().repeat(count),
                    after.as_bytes(),
                ]
                .concat()
            };
            // The best of several: others use this machine too.
            let mut ratio = (Duration::MAX, Duration::ZERO);
            for _ in 0..4 {
                let short = run(text(LENGTH / 8), options);
                let long = run(text(LENGTH), options);
                ratio = (
                    ratio.0.min(short),
                    if ratio.1.is_zero() {
                        long
                    } else {
                        ratio.1.min(long)
                    },
                );
                let (short, long) = ratio;
                if long < Duration::from_millis(500)
                    || (long < short * 14 && long < Duration::from_secs(3))
                {
                    break;
                }
            }
            let (short, long) = ratio;
            if long > Duration::from_millis(500)
                && (long > short * 14 || long > Duration::from_secs(3))
            {
                slow.push((repeated, extglob, short, long));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
fn both_sides_of_a_deep_nesting_are_parsed_or_refused() {
    for (open, inner, close) in [
        ("( ", "a", " )"),
        ("{ ", "a", "; }"),
        ("if ", "a", "; then a; fi"),
        ("while ", "a", "; do a; done"),
        ("f() { ", "a", "; }"),
        ("echo $(", "a", ")"),
        ("echo \"$(", "a", ")\""),
        ("echo \"${a:-", "a", "}\""),
        ("echo $((", "1", "))"),
        ("echo ${a:-", "a", "}"),
        ("case a in a) ", "a", ";; esac"),
        ("for a in a; do ", "a", "; done"),
        ("echo {a,", "b", "}"),
        ("[[ ( ", "a", " ) ]]"),
    ] {
        for depth in [10, 50, 200, 2000] {
            let text = [open.repeat(depth), inner.to_owned(), close.repeat(depth)].concat();
            run(text.into_bytes(), Options::default());
        }
    }
}

#[test]
fn compound_commands_nest_200_deep_and_substitutions_50() {
    for (open, close, depth) in [
        ("{ ", "; }", 200),
        ("( ", " )", 200),
        ("if a; then ", "; fi", 200),
        ("while a; do ", "; done", 200),
        ("case a in a) ", ";; esac", 200),
        ("f() { ", "; }", 100),
        ("echo $(", ")", 50),
        ("echo \"$(", ")\"", 50),
        ("echo <(", ")", 50),
    ] {
        let text = [open.repeat(depth), "a".into(), close.repeat(depth)].concat();
        let done = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                Parser::new(text.as_bytes(), Options::default())
                    .next(&())
                    .is_ok()
            })
            .expect("a thread")
            .join()
            .expect("no overflow");
        assert!(done, "{open}");
    }
}

#[test]
fn many_lines_are_many_commands() {
    let text = "x=$((x + 1)); echo \"line $x\" >> file\n".repeat(100_000);
    let mut parser = Parser::new(text.as_bytes(), Options::default());
    let mut commands = 0;
    while let Ok(Some(list)) = parser.next(&()) {
        commands += list.items.len();
    }
    assert_eq!(commands, 200_000);
}

#[test]
fn a_sum_of_many_numbers_is_no_deep_expression() {
    let text = (1..100_000)
        .map(|number: u32| number.to_string())
        .collect::<Vec<_>>()
        .join("+");
    assert!(arithmetic(text.as_bytes()).is_ok());
    let text = "1-2+".repeat(50_000) + "3";
    assert!(arithmetic(text.as_bytes()).is_ok());
    let text = "1||".repeat(50_000) + "3";
    assert!(arithmetic(text.as_bytes()).is_ok());
}
