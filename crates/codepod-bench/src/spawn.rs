//! Starting a process: `hello` through the whole stack, on bare wasmtime, and `/bin/true` natively.

use codepod::Options;

use crate::bare::{Bare, Pool};
use crate::report::{Goal, Report};
use crate::timing::{median, show, time};
use crate::{create, native};

const ROUNDS: usize = 3000;

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = create::sandbox(Options::default())?;
    let wasm = create::wasm("hello")?;
    let bare = Bare::new(&wasm, Pool::Default)?;
    let tuned = Bare::new(&wasm, Pool::AsOurs)?;
    let mut ours = Vec::new();
    let mut reference = Vec::new();
    let mut tuned_reference = Vec::new();
    let mut tiny = Vec::new();
    let mut native_times = Vec::new();
    for round in 0..ROUNDS {
        let (took, result) = time(|| sandbox.command(["hello"]).run_blocking());
        let result = result?;
        if result.stdout != b"hello, world\n" || result.exit_code != 0 {
            return Err(format!("hello went wrong: {result:?}").into());
        }
        ours.push(took);
        let (took, result) = time(|| bare.run());
        if result? != b"hello, world\n" {
            return Err("bare hello went wrong".into());
        }
        reference.push(took);
        tuned_reference.push(time(|| tuned.run()).0);
        tiny.push(time(|| sandbox.command(["true_tiny"]).run_blocking()).0);
        if round % 10 == 0 {
            let (took, result) = time(native::spawn_true);
            result?;
            native_times.push(took);
        }
    }
    let (hello, bare, native) = (
        median(&mut ours),
        median(&mut reference),
        median(&mut native_times),
    );
    report.ratio(
        "spawn, output, exit, reap of hello",
        show(hello),
        format!("bare wasmtime {}", show(bare)),
        hello.as_secs_f64() / bare.as_secs_f64(),
        Goal::AtMost(1.6),
    );
    let tuned = median(&mut tuned_reference);
    report.note(
        "  the same on bare wasmtime with our pool",
        format!("×{:.2}", hello.as_secs_f64() / tuned.as_secs_f64()),
        format!("bare, our pool {}", show(tuned)),
    );
    report.ratio(
        "native /bin/true against it",
        show(hello),
        format!("fork+exec+wait {}", show(native)),
        native.as_secs_f64() / hello.as_secs_f64(),
        Goal::AtLeast(15.0),
    );
    report.note(
        "a program without std (true_tiny)",
        show(median(&mut tiny)),
        "",
    );
    Ok(())
}
