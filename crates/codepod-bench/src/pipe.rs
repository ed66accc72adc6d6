//! Bytes through a pipe between two guests.

use codepod::Options;

use crate::report::{Goal, Report};
use crate::timing::{median, time};
use crate::{create, native};

const BYTES: u64 = 1 << 30;

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = create::sandbox(Options::default())?;
    let mut ours = Vec::new();
    let mut reference = Vec::new();
    for _ in 0..5 {
        let source = sandbox.command(["pipe_source".to_owned(), BYTES.to_string()]);
        let (took, result) = time(|| source.pipe(sandbox.command(["pipe_sink"])).run_blocking());
        let result = result?;
        if result.stdout_text().trim() != BYTES.to_string() {
            return Err(format!("the pipe lost something: {result:?}").into());
        }
        ours.push(took);
        let script = format!("head -c {BYTES} /dev/zero | wc -c");
        let (took, result) = time(|| native::bash(&script, std::path::Path::new("/")));
        result?;
        reference.push(took);
    }
    let rate = |seconds: f64| BYTES as f64 / seconds / 1e9;
    let (ours, reference) = (
        median(&mut ours).as_secs_f64(),
        median(&mut reference).as_secs_f64(),
    );
    report.figure(
        "pipe between two guests",
        format!("{:.2} GB/s", rate(ours)),
        rate(ours),
        Goal::AtLeast(1.0),
        "GB/s",
    );
    report.note(
        "  native head | wc -c",
        format!("{:.2} GB/s", rate(reference)),
        "",
    );
    Ok(())
}
