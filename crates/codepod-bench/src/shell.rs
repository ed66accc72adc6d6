//! The shell beside native bash: the scripts with which peers were measured (W3, W4, W9), and what
//! agents write.

use std::path::Path;
use std::time::Duration;

use codepod::{Options, Sandbox};

use crate::report::{Goal, Report};
use crate::timing::{median, show, time};
use crate::{create, native};

/// Name, script, and the most that ours may take in bash's times.
const SCRIPTS: &[(&str, &str, Option<f64>)] = &[
    (
        "100,000 turns of while [ … ] with $((…))",
        "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo $i",
        Some(0.5),
    ),
    (
        "recursive function, fib 18",
        "fib() { local n=$1 a; if [ $n -lt 2 ]; then r=$n; return; fi; fib $((n-1)); a=$r; fib $((n-2)); r=$((a+r)); }
         fib 18; echo $r",
        Some(0.4),
    ),
    (
        "a string of 1 MB by appending",
        "s=; for ((i=0; i<100000; i++)); do s+=0123456789; done; echo ${#s}",
        Some(0.3),
    ),
    (
        "a string by interpolation, replaced and cut",
        "s=; for ((i=1; i<=4000; i++)); do s=\"${s}x$i\"; done; t=${s//x/yy}; u=${s:1000:5000}; echo ${#s} ${#t} ${u:0:20}",
        None,
    ),
    (
        "array fill and sum",
        "a=(); for ((i=1; i<=20000; i++)); do a+=($i); done; s=0; for v in \"${a[@]}\"; do s=$((s+v)); done
         declare -A m; for v in \"${a[@]}\"; do m[k$((v%97))]=$v; done; echo ${#a[@]} $s ${#m[@]} ${m[k13]} ${a[19999]}",
        Some(0.7),
    ),
    (
        "${var//a/b} over 1 MB",
        "s=abcdefghij; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do s+=$s; done; t=${s//a/b}; echo ${#t}",
        Some(1.0),
    ),
    (
        "read -r over the lines of 10 MB",
        "n=0; while read -r line; do n=$((n+${#line})); done < lines; echo $n",
        Some(1.0),
    ),
    (
        "1,000 programs",
        "n=0; for ((i=0; i<1000; i++)); do /bin/true && n=$((n+1)); done; echo $n",
        Some(0.08),
    ),
    (
        "10,000 command substitutions",
        "for ((i=0; i<10000; i++)); do x=$(echo x); done; echo $x",
        Some(0.1),
    ),
    (
        "200 substitutions of a pipeline of two tools",
        "n=0; for ((i=0; i<200; i++)); do x=$(cat small | wc -c); n=$((n+x)); done; echo $n",
        None,
    ),
    (
        "fib 12 through command substitution",
        "fib() { if [ $1 -lt 2 ]; then echo $1; else echo $(( $(fib $(($1-1))) + $(fib $(($1-2))) )); fi; }
         fib 12",
        None,
    ),
    ("yes | head -n 1", "yes | head -n 1", None),
];

const ROUNDS: usize = 5;

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = create::sandbox(Options::default())?;
    let directory = std::env::temp_dir().join(format!("codepod-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let mut lines = Vec::new();
    for number in 0..200_000 {
        lines.extend_from_slice(
            format!("line {number} of the file, with some words in it\n").as_bytes(),
        );
    }
    lines.truncate(10_000_000);
    for (name, content) in [("lines", &lines[..]), ("small", b"a hostname\n")] {
        std::fs::write(directory.join(name), content)?;
        sandbox.write_file(name, content)?;
    }
    for (name, script, goal) in SCRIPTS {
        compare(report, &sandbox, &directory, name, script, *goal)?;
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

fn compare(
    report: &mut Report,
    sandbox: &Sandbox,
    directory: &Path,
    name: &str,
    script: &str,
    goal: Option<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut ours, mut reference): (Vec<Duration>, Vec<Duration>) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (took, result) = time(|| sandbox.command(["bash", "-c", script]).run_blocking());
        let result = result?;
        ours.push(took);
        let (took, expected) = time(|| native::bash(script, directory));
        reference.push(took);
        if result.stdout != expected? {
            let stderr = String::from_utf8_lossy(&result.stderr);
            report.note(
                name,
                "WRONG ANSWER",
                stderr.lines().next().unwrap_or_default(),
            );
            return Ok(());
        }
    }
    let (ours, native) = (median(&mut ours), median(&mut reference));
    let ratio = ours.as_secs_f64() / native.as_secs_f64();
    let reference = format!("bash {}", show(native));
    match goal {
        Some(goal) => report.ratio(name, show(ours), reference, ratio, Goal::AtMost(goal)),
        None => report.note(name, show(ours), format!("{reference} ×{ratio:.2}")),
    }
    Ok(())
}
