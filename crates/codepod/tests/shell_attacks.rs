//! The shell under attack: SH-01 to SH-22 of `docs/security.md`. Where bash itself says what is
//! right, the installed bash is asked.

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use codepod::{RunResult, Sandbox};
use support::machine::{Stopwatch, Times};
use support::{Oracle, alone, missing, resident, sandbox, sandbox_with, within};

/// How long an attack may take before it is ended.
const PATIENCE: Duration = Duration::from_secs(10);

fn attack(sandbox: &Sandbox, script: impl AsRef<[u8]>) -> RunResult {
    let script = sandbox.script(script).timeout(PATIENCE);
    script.run_blocking().unwrap()
}

/// Runs what is to be loaded before: a machine that has no compiled modules yet takes its time.
fn load(sandbox: &Sandbox, script: &str) -> RunResult {
    let script = sandbox.script(script).timeout(Duration::from_secs(120));
    script.run_blocking().unwrap()
}

/// Starts the oracle. Shell and tools are loaded before memory is measured.
fn begin() -> Oracle {
    let sandbox = sandbox();
    let result = load(
        &sandbox,
        "seq 3 | sort | { read x; echo $x $(head -n 1 /etc/hostname); } & wait",
    );
    assert_eq!(result.stdout_text(), "1 sandbox\n", "{result:?}");
    drop(sandbox);
    Oracle::begin()
}

/// Starts the oracle after a script has loaded more tools by using them.
fn begin_with(tools: &str) -> Oracle {
    let sandbox = sandbox();
    let result = load(&sandbox, tools);
    assert_eq!(result.exit_code, 0, "{result:?}");
    drop(sandbox);
    begin()
}

/// The next script works as if nothing had been.
#[track_caller]
fn assert_answers(sandbox: &Sandbox) {
    let result = sandbox.run_blocking("echo alive $((6*7))").unwrap();
    assert_eq!(
        (result.exit_code, &*result.stdout_text()),
        (0, "alive 42\n"),
        "{result:?}"
    );
}

/// What the installed bash prints for a script, and its status; none where there is no bash 5.2 and
/// that may be so.
fn bash(script: &[u8]) -> Option<(Vec<u8>, i32)> {
    let version = Command::new("bash")
        .args(["-c", "echo $BASH_VERSION"])
        .output();
    if !version.is_ok_and(|version| version.stdout.starts_with(b"5.2")) {
        let why = "there is no bash 5.2; CODEPOD_MAY_MISS=bash says that it may be missing";
        assert!(missing::may_miss("bash"), "not compared: {why}");
        let _ = writeln!(std::io::stderr(), "not compared: {why}");
        return None;
    }
    let mut child = Command::new("bash")
        .args(["--norc", "--noprofile"])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("bash is installed");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(script).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Some((output.stdout, output.status.code().unwrap_or(-1)))
}

/// Lines that bash and ours answer alike. Each runs in a subshell, so that none ends the others.
#[track_caller]
fn assert_as_bash(sandbox: &Sandbox, lines: &[String]) {
    let script = |line: &String| format!("( {line}\n) 2>/dev/null; echo \"status $?\"\n");
    let script: String = lines.iter().map(script).collect();
    let Some((expected, _)) = bash(script.as_bytes()) else {
        return;
    };
    let result = attack(sandbox, &script);
    if result.stdout == expected {
        return;
    }
    // One by one, to say which.
    let mut differ = Vec::new();
    for line in lines {
        let alone = format!("( {line}\n) 2>/dev/null; echo \"status $?\"\n");
        let (expected, _) = bash(alone.as_bytes()).expect("it was there before");
        let got = attack(sandbox, &alone).stdout;
        if got != expected {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            differ.push(format!(
                "{line}\n  bash {:?}\n  ours {:?}",
                text(&expected),
                text(&got)
            ));
        }
    }
    panic!(
        "{} of {} differ:\n{}",
        differ.len(),
        lines.len(),
        differ.join("\n")
    );
}

/// A small generator, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's constants for a linear congruential generator.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

#[test]
fn sh_01_deep_nests_of_any_kind_end() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox();
    let kinds = [
        ("(", ")", ":"),
        ("{ ", "; }", ":"),
        ("$(", ")", ":"),
        ("$((", "))", "1"),
        ("((", "))", "1"),
        ("[[ ( ", " ) ]]", "1"),
        ("case x in x) ", ";; esac", ":"),
        ("if :; then ", "; fi", ":"),
        ("while false; do ", "; done", ":"),
        ("echo \"$(", ")\"", ":"),
        ("echo ${x:-", "}", "1"),
        ("f() { ", "; }", ":"),
        ("! ", "", ":"),
        ("`", "`", ":"),
        ("echo $'", "'", "1"),
    ];
    for (open, close, body) in kinds {
        for depth in [10, 100, 1000, 10_000, 50_000] {
            let script = open.repeat(depth) + body + &close.repeat(depth);
            let result = attack(&sandbox, &script);
            assert!(!result.timed_out, "{depth} times {open:?}");
            assert_answers(&sandbox);
        }
    }
    drop(sandbox);
    oracle.end();
}

#[test]
fn sh_02_brace_bombs_stay_in_the_sandboxs_memory() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox();
    let result = attack(&sandbox, "echo {1..1000000} | wc -w");
    assert_eq!(result.stdout_text().trim(), "1000000", "{result:?}");
    for bomb in [
        "echo {1..999999999}",
        "echo {a..z}{a..z}{a..z}{a..z}{a..z}{a..z}{a..z}",
        "x={1..999999999}; echo ${#x}",
        "echo {1..9223372036854775807}",
        "echo {{{{{{a,b},c},d},e},f},g}{1..99999}{1..99999}",
        "for i in {1..999999999}; do :; done",
    ] {
        let result = attack(&sandbox, bomb);
        // Only the assignment, which expands no braces, can succeed.
        assert!(result.exit_code != 0 || bomb.starts_with("x="), "{bomb}");
        assert_answers(&sandbox);
    }
    drop(sandbox);
    oracle.end();
}

#[test]
fn sh_03_recursion_of_any_kind_ends() {
    let _alone = alone();
    let oracle = begin();
    for recursion in [
        "f() { f; }; f",
        "f() { { { { f; }; }; }; }; f",
        "f() { for i in 1; do while :; do case a in a) f;; esac; done; done; }; f",
        "f() { time f; }; f",
        "f() { x=$(f); }; f",
        "f() { : \"${x:-$(f)}\"; }; f",
        "f() { [[ -v a[$(f)] ]]; }; f",
        "x='----------------------------------------------------------------x'; f() { : $((x)); f; }; f",
        "f() { g; }; g() { f; }; f",
        "x='eval \"$x\"'; eval \"$x\"",
        ". ./self",
        "bash ./script",
        "shopt -s expand_aliases; alias a='a a'; a",
        "f() { trap f DEBUG; :; }; trap f DEBUG; :",
        "f() { kill -USR1 $$; }; trap f USR1; f; f",
        "PS4='$(echo x; set -x)'; set -x; :",
        "f() { f | f; }; f",
        "f() { $(f); }; f",
        "command_not_found_handle() { nope; }; nope",
        "declare -n a=b; declare -n b=a; echo $a",
        "x='a[$x]'; echo $((x))",
        "trap 'exit' EXIT; exit",
        "trap 'false' ERR; set -E; f() { f; false; }; f",
        "f() { compgen -F f x; }; f",
        "f() { eval f; }; f",
        "f() { ! f; }; f",
        "f() { true && { if ! false; then for i in 1; do x=1 f; done; fi; }; }; f",
    ] {
        // Little output: what malloc keeps of large results is not what is measured.
        let sandbox = sandbox_with(|options| options.limits.output_bytes = 100 << 10);
        sandbox.write_file("self", ". ./self\n").unwrap();
        sandbox.write_file("script", "bash ./script\n").unwrap();
        let result = attack(&sandbox, recursion);
        assert!(!result.crashed, "{recursion}");
        sandbox.kill_all().unwrap();
        let after = attack(&sandbox, "trap - DEBUG USR1; set +x");
        assert!(!after.crashed, "{recursion}");
        assert_answers(&sandbox);
    }
    oracle.end();
}

#[test]
fn sh_04_arithmetic_at_its_edges_is_bashs() {
    let sandbox = sandbox();
    let mut lines: Vec<String> = [
        "-9223372036854775808 / -1",
        "-9223372036854775808 % -1",
        "-9223372036854775808 * -1",
        "9223372036854775807 + 1",
        "9223372036854775808",
        "99999999999999999999",
        "1 << 200",
        "1 >> 200",
        "1 << -1",
        "-1 >> 1",
        "2 ** 63",
        "2 ** 64",
        "2 ** -1",
        "0 ** 0",
        "1 / 0",
        "1 % 0",
        "0x7fffffffffffffff",
        "64#_",
        "65#1",
        "1#0",
        "2#2",
        "08",
        "0x",
        "1 ? 2",
        "1 ? 2 : 3 ? 4 : 5",
        "5 = 6",
        "++5",
        "- - 5",
        "!-1",
        "1,2,3",
        "(1",
        "1)",
        "",
        "a[",
        "'1'",
    ]
    .map(|expression| format!("echo $(({expression}))"))
    .into();
    lines.extend(
        [
            "x=x; echo $((x))",
            "a=b; b=a; echo $((a))",
            "a=1+1; echo $((a*2))",
            "a='b=7'; echo $((a)) $b",
            "let x=1<<2; echo $x",
            "declare -i x=08; echo $x",
            "x=; echo $((x+1))",
            "x='1 2'; echo $((x))",
        ]
        .map(String::from),
    );
    let mut random = Random(4);
    let operators = [
        "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "<", ">", "<=", ">=", "==",
        "!=", ",",
    ];
    let operands = [
        "0",
        "1",
        "-1",
        "2",
        "7",
        "010",
        "0xff",
        "36#zz",
        "9223372036854775807",
        "n",
        "m",
        "u",
        "~3",
        "!5",
        "(2+3)",
        "n++",
        "--m",
    ];
    for _ in 0..2000 {
        let mut expression = random.pick(&operands).to_owned();
        for _ in 0..1 + random.below(5) {
            expression += &format!(" {} {}", random.pick(&operators), random.pick(&operands));
        }
        lines.push(format!("n=5 m=-3; echo $(({expression})) $n $m"));
    }
    for chunk in lines.chunks(500) {
        assert_as_bash(&sandbox, chunk);
    }
    let long = "1+".repeat(1_000_000) + "1";
    let result = attack(&sandbox, format!("echo $(({long}))"));
    assert_eq!(result.stdout, b"1000001\n", "{}", result.stderr_text());
}

#[test]
fn sh_05_strings_that_double_meet_the_limit_and_are_never_cut() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox_with(|options| {
        options.limits.memory_bytes = 96 << 20;
        options.limits.output_bytes = 1 << 20;
    });
    for bomb in [
        "x=xxxxxxxx; while :; do x=$x$x; done",
        "x=aaaaaaaa; while :; do x=${x//a/aaaa}; done",
        "printf %2000000000d 1",
        "printf -v x %2000000000d 1; echo ${#x}",
        "x=$(yes); echo ${#x}",
        "mapfile a < <(yes); echo ${#a[@]}",
        "a=(x); while :; do a=(\"${a[@]}\" \"${a[@]}\"); done",
        "read -N 2000000000 x < /dev/zero; echo ${#x}",
    ] {
        let result = attack(&sandbox, bomb);
        let said = result.exit_code != 0 || result.truncated || !result.stderr.is_empty();
        assert!(said, "{bomb}: {result:?}");
        assert_answers(&sandbox);
    }
    // Below the limit everything is exact.
    let result = attack(
        &sandbox,
        "x=aaaa; for i in {1..20}; do x=$x$x; done; echo ${#x}; y=${x//a/bb}; echo ${#y}; printf %4000000d 1 | wc -c",
    );
    assert_eq!(
        result.stdout_text(),
        "4194304\n8388608\n4000000\n",
        "{}",
        result.stderr_text()
    );
    drop(sandbox);
    oracle.end();
}

/// How long this thread has run. It runs the shell itself, and other load on the machine does not
/// count.
fn thread_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds = stat.split(' ').next().unwrap().parse().unwrap();
    Duration::from_nanos(nanoseconds)
}

/// The best time of a script with a subject of `n` bytes.
fn time_with(sandbox: &Sandbox, script: &str, n: usize) -> Duration {
    let subject = "a".repeat(n);
    let time = |_| {
        let began = thread_time();
        let result = sandbox
            .script(script)
            .arguments(["bash", &subject])
            .timeout(PATIENCE)
            .run_blocking()
            .unwrap();
        assert!(
            !result.timed_out && !result.crashed,
            "{script} with {n} bytes: {result:?}"
        );
        thread_time() - began
    };
    (0..3).map(time).min().unwrap()
}

/// Twice the subject must not take much more than twice the time, and 10 kB less than a second.
#[track_caller]
fn assert_linear(sandbox: &Sandbox, script: &str) {
    let one = time_with(sandbox, script, 10_000);
    assert!(one < Duration::from_secs(1), "{script}: {one:?} for 10 kB");
    let (n, base) = if one < Duration::from_millis(2) {
        (80_000, time_with(sandbox, script, 80_000))
    } else {
        (10_000, one)
    };
    let double = time_with(sandbox, script, 2 * n);
    let slack = Duration::from_millis(5);
    assert!(
        double < 3 * base + slack,
        "{script}: {base:?} for {n}, then {double:?}"
    );
}

#[test]
fn sh_06_patterns_do_not_explode() {
    let _alone = alone();
    let sandbox = sandbox();
    attack(&sandbox, "shopt -s extglob globstar");
    for pattern in [
        "*(a|aa)b",
        "+(a|b|ab)c",
        "*a*a*a*b",
        "*a*a*a*a*a*a*a*b",
        "?(a)?(a)?(a)*b",
        "!(*b)",
        "@(*a|*aa)b",
        "*([a-b])[!a]",
    ] {
        assert_linear(&sandbox, &format!("[[ $1 == {pattern} ]]; :"));
    }
    assert_linear(&sandbox, "case $1 in *a*a*a*b) ;; esac");
    assert_linear(&sandbox, "x=${1%%*a*a*b}; x=${1##*b}; x=${1/*a*b/}");
    let result = attack(
        &sandbox,
        "mkdir -p d/d/d/d/d/d/d/d; echo **/**/**/**/**/x; echo d/**/*/** | wc -w",
    );
    assert!(!result.timed_out, "{result:?}");
}

// SH-02, SH-05, SH-06, SH-08, SH-10: four times as much of anything that is expanded takes about
// four times as long.
#[test]
fn sh_06_expansions_take_time_in_proportion() {
    let _alone = alone();
    let sandbox = sandbox();
    let repeated = |piece: &str, count: usize| piece.repeat(count);
    let bombs: &[(&str, &dyn Fn(usize) -> String)] = &[
        ("braces", &|n| format!(": {{1..{n}}}")),
        ("a list in braces", &|n| {
            format!(": {{a{}}}", repeated(",b", n))
        }),
        ("quotes", &|n| format!("y=\"{}\"", repeated("\\\"", n))),
        ("quoting", &|_| {
            "y=${x@Q}; printf -v y %q \"$x\"; y=${x@P}".into()
        }),
        ("a here-document", &|n| {
            format!(
                "cat > /dev/null <<E\n{}E\n",
                repeated("$z ${z#a} $((1+1))\n", n / 20)
            )
        }),
        ("substitutions", &|n| {
            format!(": {}", repeated("$(:) ", n / 20))
        }),
        ("arithmetic", &|n| format!(": $((1{}))", repeated("+1", n))),
        ("parameters", &|n| {
            format!(": {}", repeated("${z:-a} ", n / 4))
        }),
        ("replacing", &|_| {
            "y=${x//a/b}; y=${x//a}; y=${x/%a/b}".into()
        }),
        ("trimming", &|_| {
            "y=${x##*b}; y=${x%%b*}; y=${x#*a*a*b}; y=${x%a*a*b}; y=${x%%*(a)b}; y=${x##*(a|aa)b}"
                .into()
        }),
        ("replacing what is nowhere", &|_| {
            "y=${x//+(a)b/}; y=${x//@(a|aa)b/c}; y=${x//a*b/}".into()
        }),
        ("replacing everywhere", &|_| {
            "y=${x//@(a)/b}; y=${x//?(b)a/c}".into()
        }),
        ("splitting", &|_| {
            "set -- $w; IFS=:; set -- $k; unset IFS; set --".into()
        }),
        ("arrays", &|_| {
            "r=($w); q=(\"${r[@]/w/y}\"); y=\"${q[*]}\"; y=\"${!q[*]}\"".into()
        }),
        ("characters", &|n| {
            format!("y=${{u:{}:9}}; y=${{#u}}; y=${{u//é/e}}; y=${{u^^}}", n / 2)
        }),
        ("reading", &|_| {
            "mapfile -d ' ' -t r <<< \"$w\"; read -ra r <<< \"$w\"".into()
        }),
    ];
    for (name, bomb) in bombs {
        let time = |n: usize| {
            let script = format!(
                "shopt -s extglob; printf -v x '%{n}s' ''; x=${{x// /a}}; w=${{x//a/w }} k=${{x//a/w:}} u=${{x//a/é}}\n\
                 t=${{EPOCHREALTIME/./}}\n{}\necho $((${{EPOCHREALTIME/./}} - t))",
                bomb(n)
            );
            let result = attack(&sandbox, &script);
            assert!(!result.timed_out, "{name} {n}: {result:?}");
            let text = result.stdout_text();
            Duration::from_micros(
                text.trim()
                    .parse()
                    .unwrap_or_else(|_| panic!("{name}: {result:?}")),
            )
        };
        // The best of a few: others use this machine, too.
        let (mut short, mut long) = (Duration::MAX, Duration::MAX);
        let is_linear = (0..5).any(|_| {
            short = short.min(time(5_000));
            long = long.min(time(20_000));
            long < 8 * short + Duration::from_millis(20)
        });
        assert!(
            is_linear,
            "{name}: {short:?} for 5,000, then {long:?} for 20,000"
        );
    }
}

#[test]
fn sh_07_regular_expressions_do_not_explode() {
    let _alone = alone();
    let sandbox = sandbox();
    for regex in [
        "(a+)+$b",
        "(a|a)*b",
        "(a|aa)+c",
        "(.*a){12}b",
        "^(([a-z])+.)+[A-Z]$",
        "(a*)*b",
        "a{1,50}a{1,50}b",
    ] {
        assert_linear(&sandbox, &format!("r='{regex}'; [[ $1 =~ $r ]]; :"));
    }
    // What is too large is refused, not built.
    let result = attack(
        &sandbox,
        "r='((a{1,255}){1,255}){1,255}'; [[ a =~ $r ]]; echo $?",
    );
    assert!(!result.timed_out, "{result:?}");
    assert_answers(&sandbox);
}

#[test]
fn sh_08_here_documents_in_any_number_and_size() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox();
    let mut many = String::from("cat");
    for i in 0..5000 {
        many += &format!(" <<E{i}");
    }
    for i in 0..5000 {
        many += &format!("\ntext {i}\nE{i}");
    }
    let result = attack(&sandbox, &many);
    // Each is a pipe while its command starts: bash's answer, or the limit of pipes.
    let limited = result.stderr_text().contains("here-document");
    assert!(result.stdout == b"text 4999\n" || limited, "{result:?}");
    let large = format!("wc -c <<E\n{}\nE", "x".repeat(20 << 20));
    let result = attack(&sandbox, &large);
    assert_eq!(
        result.stdout_text().trim(),
        ((20 << 20) + 1).to_string(),
        "{}",
        result.stderr_text()
    );
    let result = attack(&sandbox, "cat <<E\nno end");
    assert_eq!(result.stdout_text(), "no end\n");
    assert!(
        result.stderr_text().contains("delimited by end-of-file"),
        "{}",
        result.stderr_text()
    );
    drop(sandbox);
    // Memory is not asked for: the scripts themselves are larger than what may stay.
    oracle.end_without_memory();
}

#[test]
fn sh_09_arrays_at_their_edges_are_bashs() {
    let _alone = alone();
    let sandbox = sandbox();
    let lines = [
        "a[9223372036854775807]=1; echo ${!a[@]} ${#a[@]}",
        "a[9223372036854775808]=1; echo ${!a[@]}",
        "a[-1]=1; echo ${!a[@]}",
        "a=(1 2 3); a[-1]=9; a[-3]=7; echo ${a[@]}",
        "a=(1 2 3); a[-4]=1; echo ${a[@]}",
        "a=(1 2 3); echo ${a[-4]}",
        "a=(1 2 3); unset 'a[-1]'; echo ${a[@]}",
        "a=(1 2 3); unset 'a[9]'; echo ${a[@]}",
        "a[1]=x; a[1000000]=y; echo ${#a[@]} ${a[@]:0:5}",
        "a=([5]=a [3]=b c); echo ${!a[@]} ${a[@]}",
        "a[1+1]=x; a[a[2]]=y; echo ${!a[@]}",
        "a=(); echo ${#a[@]} ${a[0]-none}",
        "declare -A m; m[]=x; echo ${#m[@]}",
        "declare -A m=([a]=1 ['b c']=2); echo ${#m[@]} \"${m[b c]}\"",
        "a=(1 2 3 4 5); echo ${a[@]: -2} ${a[@]:1:2} ${a[@]:9}",
    ];
    assert_as_bash(&sandbox, &lines.map(String::from));
    let result = attack(
        &sandbox,
        "a[1000000]=x; for ((i=0;i<1000000;i++)); do a[i]=$i; done; echo ${#a[@]} ${a[999999]}",
    );
    assert_eq!(
        result.stdout_text(),
        "1000001 999999\n",
        "{}",
        result.stderr_text()
    );
}

#[test]
fn sh_10_scripts_of_any_size_and_bytes() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox();
    let line = format!("x={}; echo ${{#x}}", "y".repeat(16 << 20));
    let result = attack(&sandbox, &line);
    assert_eq!(
        result.stdout_text(),
        format!("{}\n", 16 << 20),
        "{}",
        result.stderr_text()
    );
    for statements in [":\n".repeat(1_000_000), ":;".repeat(100_000)] {
        let result = attack(&sandbox, statements + "echo end");
        assert_eq!(result.stdout_text(), "end\n", "{}", result.stderr_text());
    }
    for script in [
        &b"echo \xff\xfe\x80 \xc0\xaf"[..],
        b"\xef\xbb\xbfecho bom",
        b"echo crlf\r\n",
        b"x=\xff; echo ${#x} \"$x\"",
        b"echo '\xe2\x82' \xe2\x82\xac",
        b"\x01\x02\x03\n",
        b"echo a\\\nb",
        b"echo \x0b\x0c x",
    ] {
        let Some((expected, status)) = bash(&[script, b"\n"].concat()) else {
            continue;
        };
        let result = attack(&sandbox, script);
        assert_eq!(
            (&result.stdout, result.exit_code),
            (&expected, status),
            "{}",
            script.escape_ascii()
        );
    }
    // A NUL cannot be in an argument; whatever is made of it, the shell lives.
    attack(&sandbox, b"echo a\0b\n\0");
    assert_answers(&sandbox);
    // Twice as many statements take about twice as long.
    let time = |n: usize| {
        let script = "if false; then x=$((1+2)) \"$y\"; fi\n".repeat(n);
        let time = |_| {
            let began = thread_time();
            attack(&sandbox, &script);
            thread_time() - began
        };
        (0..3).map(time).min().unwrap()
    };
    let (one, two) = (time(20_000), time(40_000));
    assert!(
        two < 3 * one + Duration::from_millis(10),
        "{one:?}, then {two:?}"
    );
    drop(sandbox);
    // Memory is not asked for: the scripts themselves are larger than what may stay.
    oracle.end_without_memory();
}

#[test]
fn sh_11_variables_from_outside_are_data() {
    for (name, value) in [
        ("x", "() { :; }; echo vulnerable"),
        ("x", "() { (a)=>\\"),
        (
            "BASH_FUNC_echo%%",
            "() { builtin echo vulnerable; }; builtin echo vulnerable",
        ),
        ("BASH_FUNC_x()", "() { :; }; echo vulnerable"),
        ("BASH_FUNC_x%%", "() { :; } <<A <<B <<C <<D <<E"),
        ("ENV", "/home/user/evil"),
        ("PROMPT_COMMAND", "echo vulnerable"),
        ("PS4", "$(echo vulnerable >&2)"),
        ("PS1", "$(echo vulnerable >&2)"),
        ("IFS", "e"),
        ("LD_PRELOAD", "/home/user/evil"),
        ("a[$(echo vulnerable >&2)]", "1"),
        ("HISTFILE", "/home/user/history"),
        ("OPTIND", "$(echo vulnerable >&2)"),
        ("RANDOM", "a[$(echo vulnerable >&2)]"),
        ("SECONDS", "a[$(echo vulnerable >&2)]"),
        ("BASH_XTRACEFD", "1"),
    ] {
        let sandbox = sandbox_with(|options| options.env = vec![(name.into(), value.into())]);
        sandbox.write_file("evil", "echo vulnerable\n").unwrap();
        let script = "x=hello; echo $x; : $RANDOM $SECONDS; bash -c 'echo $0' child; sh -c ':'";
        let result = attack(&sandbox, script);
        assert_eq!(
            (
                &*result.stdout_text(),
                result.stderr_text().contains("vulnerable")
            ),
            ("hello\nchild\n", false),
            "{name}={value}: {result:?}"
        );
    }
}

#[test]
fn sh_12_names_of_files_are_never_parsed_again() {
    let sandbox = sandbox();
    let names: Vec<Vec<u8>> = [
        &b"-rf"[..],
        b"--help",
        b"-",
        b"--",
        b" ",
        b"  two  ",
        b"a\nb",
        b"\n",
        b"\t",
        b"$(touch pwned)",
        b"`touch pwned`",
        b";touch pwned",
        b"|touch pwned",
        b"&& touch pwned",
        b"*",
        b"?",
        b"[a-z]",
        b"{a,b}",
        b"~",
        b"~root",
        b"$HOME",
        b"${x}",
        b"'",
        b"\"",
        b"\\",
        b"\\n",
        b"#",
        b"!",
        b"=",
        b"a=b",
        b"\xff\xfe",
        b"\xe2\x82\xac",
        b"\x1b[31m",
        b"\x07",
        b"%s%n",
        b">out",
        b"<in",
        b"(",
        b"if",
        b"a[0]",
    ]
    .map(<[u8]>::to_vec)
    .into();
    sandbox.mkdir("names").unwrap();
    for name in &names {
        let path = [b"names/", &name[..]].concat();
        sandbox
            .write_file(&path, [&name[..], b"\0"].concat())
            .unwrap();
    }
    let mut sorted: Vec<Vec<u8>> = names
        .iter()
        .map(|name| [&name[..], b"\0"].concat())
        .collect();
    sorted.sort();
    let expected = sorted.concat();
    for script in [
        "cd names; LC_ALL=C; for f in *; do cat \"./$f\"; done",
        "cd ~/names; LC_ALL=C; cat ./*",
        "cd ~/names; LC_ALL=C; a=(*); for f in \"${a[@]}\"; do cat < \"./$f\"; done",
        "cd ~/names; LC_ALL=C; for f in *; do eval \"cat ./${f@Q}\"; done",
        "cd ~/names; LC_ALL=C; for f in *; do eval \"cat ./$(printf %q \"$f\")\"; done",
        "cd ~/names; LC_ALL=C; declare -A m; for f in *; do m[$f]=$f; done; for f in *; do printf '%s\\0' \"${m[$f]}\"; done",
        "cd ~/names; LC_ALL=C; f() { printf '%s\\0' \"$@\"; }; f *",
        "cd ~/names; LC_ALL=C; ls | cat > /dev/null; wc ./* > /dev/null; sort ./* > /dev/null; printf '%s\\0' *",
    ] {
        let result = attack(&sandbox, script);
        assert_eq!(
            result.stdout.escape_ascii().to_string(),
            expected.escape_ascii().to_string(),
            "{script}: {}",
            result.stderr_text()
        );
    }
    let result = attack(&sandbox, "cd ~; rm -r -- names; ls -a");
    assert_eq!(result.stdout_text(), ".\n..\n", "{}", result.stderr_text());
}

#[test]
fn sh_13_bombs_of_processes_end_at_the_limit() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox();
    for bomb in [
        ":(){ :|:& };:".to_owned(),
        "f() { f & f & }; f".to_owned(),
        "while :; do sleep 100 & done".to_owned(),
        "for ((i=0;i<100000;i++)); do : & done; wait".to_owned(),
        ": | ".repeat(10_000) + ":",
        "cat | ".repeat(10_000) + "cat",
        "while :; do cat <(sleep 100) & done".to_owned(),
        "while :; do coproc sleep 100; done".to_owned(),
        "bash -c '$0 -c \"$1\" $0 \"$1\"' bash 'bash -c \"$1\" $0 \"$1\" & bash -c \"$1\" $0 \"$1\"'".to_owned(),
    ] {
        let result = sandbox
            .script(&bomb)
            .timeout(Duration::from_secs(3))
            .run_blocking()
            .unwrap();
        sandbox.kill_all().unwrap();
        let ended = within(Duration::from_secs(5), || sandbox.stats().unwrap().processes == 0);
        let start = &bomb[..bomb.len().min(60)];
        assert!(ended, "{start}: {:?} {:?}", result.exit_code, sandbox.stats().unwrap());
        assert_answers(&sandbox);
    }
    drop(sandbox);
    oracle.end();
}

#[test]
fn sh_14_signals_stay_in_the_sandbox() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox();
    let host = std::process::id();
    for script in [
        "kill -9 -1".to_owned(),
        "kill -9 0".to_owned(),
        format!("kill -9 {host}"),
        "for ((i=1;i<40000;i++)); do kill -9 $i; done 2>/dev/null".to_owned(),
        "kill -STOP $$".to_owned(),
        "trap 'kill -USR1 $$' USR1; kill -USR1 $$; for i in {1..1000}; do :; done".to_owned(),
        "trap '' TERM INT; kill -TERM $$; kill -INT $$; echo here".to_owned(),
        "for i in {1..2000}; do kill -CHLD $$; done".to_owned(),
        "kill -99 $$".to_owned(),
        "kill -9 -$$".to_owned(),
    ] {
        let result = sandbox
            .script(&script)
            .timeout(Duration::from_secs(2))
            .run_blocking()
            .unwrap();
        assert!(result.exit_code < 256, "{script}: {result:?}");
        assert_answers(&sandbox);
    }
    drop(sandbox);
    oracle.end();
}

/// Descriptors of this host process.
fn host_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn sh_15_descriptors_have_a_limit_and_cost_the_host_none() {
    let _alone = alone();
    let sandbox = sandbox();
    assert_answers(&sandbox);
    let before = host_descriptors();
    for script in [
        "for ((i=10;i<100000;i++)); do eval \"exec $i>/dev/null\" || break; done; echo $i",
        "while exec {fd}>/dev/null; do :; done; echo $fd",
        "exec 9>&1; for ((i=0;i<100000;i++)); do exec 9>&9; done; echo ok",
        "while exec {fd}< <(:); do :; done",
        "while exec {fd}<&0; do :; done",
        "exec 0<&- 1>&- 2>&-; echo lost; read x; ls",
        "exec 3<>/dev/fd/3; cat /dev/fd/99; echo x > /dev/fd/98",
        "cat /proc/self/fd/* < /dev/null | head -c 100 > /dev/null",
        "exec 1023>/dev/null; exec 1024>/dev/null",
    ] {
        let result = attack(&sandbox, script);
        assert!(!result.timed_out, "{script}: {result:?}");
        let during = host_descriptors();
        assert!(
            during <= before + 2,
            "{script}: {before} before, {during} now"
        );
        sandbox.kill_all().unwrap();
        assert_answers(&sandbox);
    }
}

#[test]
fn sh_16_endless_output_is_held_back_or_cut() {
    let _alone = alone();
    let oracle = begin();
    let sandbox = sandbox_with(|options| options.limits.output_bytes = 1 << 20);
    for script in [
        "yes",
        "tr x y < /dev/zero",
        "while :; do echo y; done",
        "yes >&2",
    ] {
        let result = attack(&sandbox, script);
        assert!(
            result.truncated && !result.timed_out,
            "{script}: {:?} {}",
            result.exit_code,
            result.stderr_text()
        );
        let told = b"codepod: output beyond the limit of 1 MB a stream is lost";
        let mut places = result.stderr.windows(told.len());
        let told = places.position(|window| window == told);
        let told = told.expect("the limit is told");
        assert_eq!(result.stdout.len().max(told), 1 << 20, "{script}");
        assert_answers(&sandbox);
    }
    // A reader that sleeps, inside and outside.
    let before = resident();
    let result = attack(&sandbox, "yes | { sleep 1; head -n 1; }");
    assert_eq!(result.stdout, b"y\n");
    let mut running = sandbox
        .script("tr x y < /dev/zero")
        .timeout(PATIENCE)
        .start()
        .unwrap();
    let stdout = running.stdout.take().unwrap();
    let canceller = running.canceller();
    let sleeper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        let during = resident();
        drop(stdout);
        canceller.cancel();
        during
    });
    running.wait_blocking().unwrap();
    let during = sleeper.join().unwrap();
    assert!(
        during < before + (32 << 20),
        "{before} before, {during} then"
    );
    drop(sandbox);
    oracle.end();
}

#[test]
fn sh_17_waiting_for_ever_can_be_cancelled_at_once() {
    let _alone = alone();
    let sandbox = sandbox();
    for script in [
        "read x",
        "cat",
        "sleep 1000000000",
        "sleep 1000 & wait",
        "wait $$; read x",
        "read -t 100000 x",
        "select x in a b; do :; done",
        "coproc cat; read x <&${COPROC[0]}",
        "mapfile x",
        "sleep 1000 | cat",
        "cat <(sleep 1000)",
    ] {
        let cancel = || {
            let mut running = sandbox.script(script).start().unwrap();
            // Input that never ends.
            let stdin = running.stdin.take();
            let canceller = running.canceller();
            let thread = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                canceller.cancel();
                Stopwatch::start()
            });
            let result = running.wait_blocking().unwrap();
            let ended = Stopwatch::start();
            drop(stdin);
            assert!(result.cancelled, "{script} does not wait");
            thread.join().unwrap().until(ended)
        };
        let times: Times = (0..3).map(|_| cancel()).collect();
        times.assert(script, 100, Duration::from_millis(100));
        assert_answers(&sandbox);
    }
}

#[test]
fn sh_18_no_path_is_a_socket_of_the_host() {
    let _alone = alone();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let sandbox = sandbox();
    assert_answers(&sandbox);
    let before = host_descriptors();
    for script in [
        format!("exec 5<>/dev/tcp/127.0.0.1/{port}; echo hello >&5"),
        format!("echo hello > /dev/tcp/localhost/{port}"),
        format!("cat < /dev/tcp/127.0.0.1/{port}"),
        format!("echo hello > /dev/udp/127.0.0.1/{port}"),
        "exec 5<>/dev/tcp/169.254.169.254/80".to_owned(),
    ] {
        let result = attack(&sandbox, &script);
        // A datagram to nobody is lost, which nobody is told.
        assert_eq!(result.exit_code == 0, script.contains("/udp/"), "{script}");
        assert!(host_descriptors() <= before + 2, "{script}");
        assert!(listener.accept().is_err(), "{script}: somebody came");
    }
    assert_answers(&sandbox);
}

#[test]
fn sh_19_characters_and_bytes_are_bashs() {
    let sandbox = sandbox();
    let subjects = [
        "abc",
        "äöü",
        "€uro",
        "日本語",
        "e\u{301}",
        "👩\u{200d}👧",
        "\u{feff}x",
        "a\u{0}b",
        "ß",
    ];
    let mut lines = Vec::new();
    for subject in subjects.iter().filter(|subject| !subject.contains('\0')) {
        for form in [
            "echo ${#x}",
            "echo \"${x:1:1}\"",
            "echo \"${x: -1}\"",
            "printf '%.1s|' \"$x\"; echo",
            "printf '%5s|' \"$x\"; echo",
            "printf '%q\\n' \"$x\"",
            "echo \"${x^^}\" \"${x,,}\" \"${x^}\"",
            "echo \"${x/?/_}\" \"${x//[a-z]/.}\"",
            "[[ $x == ??? ]]; echo $?",
            "[[ $x =~ ^.(.) ]]; echo \"${BASH_REMATCH[1]}\"",
            "printf '%d ' \"'$x\"; echo",
            "IFS=; read -n 1 y <<< \"$x\"; echo \"$y\"",
            "echo \"${x@Q}\"",
        ] {
            lines.push(format!("x='{subject}'; {form}"));
        }
    }
    for bytes in ["\\xff", "\\xc3", "\\xe2\\x82", "a\\xffb", "\\xed\\xa0\\x80"] {
        for form in [
            "echo ${#x}",
            "printf %s \"${x:0:1}\" | od -An -tx1",
            "printf %s \"${x/?/_}\" | od -An -tx1",
            "printf '%q\\n' \"$x\"",
            "[[ $x == ? ]]; echo $?",
        ] {
            lines.push(format!("x=$'{bytes}'; {form}"));
        }
    }
    assert_as_bash(&sandbox, &lines);
}

#[test]
fn sh_20_what_is_unpacked_sorted_and_compared_streams_or_ends() {
    let _alone = alone();
    let oracle = begin_with(
        "for f in gzip bzip2 xz zstd; do echo | $f | $f -d; done; echo | sort; echo > a; diff a a; zip -q z a; unzip -qo z",
    );
    let sandbox = sandbox_with(|options| {
        options.limits.memory_bytes = 128 << 20;
        options.fs_limits.file_bytes = 64 << 20;
    });
    // Some kilobytes that are 100 MB, through a pipe: more than a file may have, and nearly all
    // that a process may.
    for tool in ["gzip", "bzip2", "zstd"] {
        let script =
            format!("head -c 100000000 /dev/zero | {tool} > bomb; {tool} -dc < bomb | wc -c");
        let result = attack(&sandbox, script);
        assert_eq!(result.stdout_text(), "100000000\n", "{tool}: {result:?}");
        // As a file it ends at the limit, and the tool says so.
        let result = attack(
            &sandbox,
            format!("{tool} -dc < bomb > all; echo $?; wc -c < all"),
        );
        let text = result.stdout_text();
        let mut lines = text.lines();
        assert_ne!(lines.next(), Some("0"), "{tool}: {result:?}");
        let size: u64 = lines.next().unwrap().parse().unwrap();
        assert!(size <= 64 << 20, "{tool}: {result:?}");
        assert_answers(&sandbox);
    }
    let script = "head -c 60000000 /dev/zero > zeros; zip -q bomb.zip zeros zeros; rm zeros; \
        unzip -p bomb.zip | wc -c; ls -s bomb.zip | cut -d ' ' -f 1";
    let result = attack(&sandbox, script);
    assert!(!result.timed_out, "{result:?}");
    assert_answers(&sandbox);
    // More lines than fit into the process's memory: in order, or refused with a message.
    let result = attack(
        &sandbox,
        "seq 20000000 -1 1 | sort -n | head -n 1; echo ${PIPESTATUS[1]}",
    );
    let right = result.stdout_text().starts_with("1\n");
    assert!(
        right || result.timed_out || !result.stderr.is_empty(),
        "{result:?}"
    );
    assert_answers(&sandbox);
    let script = "head -c 50000000 /dev/urandom > a; head -c 50000000 /dev/urandom > b; diff a b; diff -a a b | wc -c";
    let result = attack(&sandbox, script);
    assert!(
        result
            .stdout_text()
            .starts_with("Binary files a and b differ\n"),
        "{result:?}"
    );
    assert_answers(&sandbox);
    drop(sandbox);
    oracle.end();
}

#[test]
fn sh_21_lists_show_only_what_is_bashs() {
    let sandbox = sandbox();
    let names = "BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND \
        BASH_EXECUTION_STRING BASH_LINENO BASH_LOADABLES_PATH BASH_MONOSECONDS BASH_REMATCH BASH_SOURCE BASH_SUBSHELL \
        BASH_TRAPSIG BASH_VERSINFO BASH_VERSION COLUMNS COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME \
        GROUPS HISTCMD HOME HOSTNAME HOSTTYPE IFS LANG LINENO LINES MACHTYPE OLDPWD OPTERR OPTIND OSTYPE PATH \
        PIPESTATUS POSIXLY_CORRECT PPID PS4 PWD RANDOM SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM UID USER _";
    let known: Vec<&str> = names.split_whitespace().collect();
    let result = attack(
        &sandbox,
        "compgen -v; echo --; set; echo --; declare -p; echo --; history; echo --; declare -F; trap -p; alias",
    );
    let text = result.stdout_text();
    let mut parts = text.split("--\n");
    for name in parts.next().unwrap().lines() {
        assert!(known.contains(&name), "{name} is not bash's");
    }
    // Nothing of the host or of how the shell is served.
    let host = [
        std::env::var("HOSTNAME").unwrap_or_default(),
        std::env::current_dir().unwrap().display().to_string(),
        "codepod-session".into(),
        "wasm".into(),
        "wasi".into(),
    ];
    for word in host.iter().filter(|word| !word.is_empty()) {
        assert!(!text.contains(word.as_str()), "{word} in\n{text}");
    }
    assert_eq!(parts.last().unwrap(), "", "functions, traps or aliases");
}

#[test]
fn sh_22_loops_and_depths_of_awk_jq_sed_and_yq_end() {
    let _alone = alone();
    let oracle =
        begin_with("awk 'BEGIN { print 1 }'; sed p /etc/hostname; jq -n 1; echo 'a: 1' | yq .");
    let sandbox = sandbox();
    let loops = [
        "awk 'BEGIN { while (1) ; }'",
        "awk 'function f() { f() } BEGIN { f() }'",
        "awk 'BEGIN { for (x = \"a\"; ; x = x x) ; }'",
        "awk 'BEGIN { while (1) a[n++] = n }'",
        "echo x | sed ':a;ba'",
        "echo x | sed ':a;s/x/xx/g;ba'",
        "jq -n 'def f: f; f'",
        "jq -n 'def f: 1 + f; f'",
        "jq -n '[range(1e12)] | length'",
        "jq -n 'reduce range(1e9) as $i (\"a\"; . + .)'",
        "jq -n 'repeat(1)' > /dev/null",
    ];
    for script in loops {
        let result = sandbox
            .script(script)
            .timeout(Duration::from_secs(2))
            .run_blocking()
            .unwrap();
        assert!(
            result.timed_out || result.exit_code != 0,
            "{script}: {result:?}"
        );
        assert_answers(&sandbox);
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("- ", ""), ("[", "")] {
        let nested = format!("{}1{}", open.repeat(1_000_000), close.repeat(1_000_000));
        sandbox.write_file("/tmp/deep", &nested).unwrap();
        for tool in ["jq .", "yq ."] {
            let result = attack(&sandbox, format!("{tool} /tmp/deep > /dev/null"));
            assert!(
                !result.timed_out && result.exit_code != 0,
                "{tool} of {open:?}: {result:?}"
            );
            assert!(!result.stderr.is_empty(), "{tool} of {open:?}: {result:?}");
            assert_answers(&sandbox);
        }
    }
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned()
        + &('b'..='j')
            .map(|name| {
                let before = char::from(name as u8 - 1);
                format!(
                    "{name}: &{name} [{}]\n",
                    vec![format!("*{before}"); 10].join(",")
                )
            })
            .collect::<String>();
    sandbox.write_file("/tmp/bomb", &bomb).unwrap();
    let result = attack(&sandbox, "yq . /tmp/bomb > /dev/null");
    assert!(!result.timed_out && result.exit_code != 0, "{result:?}");
    assert_answers(&sandbox);
    drop(sandbox);
    oracle.end();
}
