//! Output budgets: of a long output the result holds its beginning and its end, and tells where all of it is.

use crate::error::Error;
use crate::result::{Cut, RunResult};
use crate::sandbox::Sandbox;

/// Keeps the whole output of a run in the sandbox and cuts the result's, where a stream is longer than the budget.
pub(crate) fn cut(
    sandbox: &Sandbox,
    result: &mut RunResult,
    budget: Option<usize>,
) -> Result<(), Error> {
    let Some(budget) = budget else {
        return Ok(());
    };
    if result.stdout.len() <= budget && result.stderr.len() <= budget {
        return Ok(());
    }
    let path = |stream: &str| format!("/proc/runs/{}/{stream}", result.run);
    let (stdout_path, stderr_path) = (path("stdout"), path("stderr"));
    let (stdout, stdout_cut) = cut_stream(&result.stdout, budget, stdout_path);
    let (stderr, stderr_cut) = cut_stream(&result.stderr, budget, stderr_path);
    (result.stdout_cut, result.stderr_cut) = (stdout_cut, stderr_cut);
    let whole_stdout = std::mem::replace(&mut result.stdout, stdout);
    let whole_stderr = std::mem::replace(&mut result.stderr, stderr);
    sandbox
        .kernel()?
        .keep_output(result.run, whole_stdout, whole_stderr);
    Ok(())
}

/// The first and the last half of the budget, whole lines where there are some, and what is missing between them.
fn cut_stream(stream: &[u8], budget: usize, path: String) -> (Vec<u8>, Option<Cut>) {
    if stream.len() <= budget {
        return (stream.to_vec(), None);
    }
    let half = budget / 2;
    let newline = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte == b'\n');
    let head = newline(&stream[..half]).map_or(half, |at| at + 1);
    let start = stream.len() - (budget - half);
    let first_line = stream[start..].iter().position(|byte| *byte == b'\n');
    let tail = match first_line {
        Some(at) if start + at + 1 < stream.len() => start + at + 1,
        _ => start,
    };
    let cut = Cut {
        head,
        omitted: (tail - head) as u64,
        path,
    };
    ([&stream[..head], &stream[tail..]].concat(), Some(cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, budget: usize) -> (String, Option<(usize, u64)>) {
        let (stream, cut) = cut_stream(text.as_bytes(), budget, String::new());
        let text = String::from_utf8(stream).unwrap();
        (text, cut.map(|cut| (cut.head, cut.omitted)))
    }

    #[test]
    fn whole_lines_stay_where_there_are_some() {
        assert_eq!(cut("a\nb\n", 4), ("a\nb\n".into(), None));
        assert_eq!(
            cut("11\n22\n33\n44\n", 8),
            ("11\n44\n".into(), Some((3, 6)))
        );
        assert_eq!(cut("0123456789", 4), ("0189".into(), Some((2, 6))));
        assert_eq!(cut("0123456789", 0), (String::new(), Some((0, 10))));
        assert_eq!(cut("01234567\n", 4), ("017\n".into(), Some((2, 5))));
    }
}
