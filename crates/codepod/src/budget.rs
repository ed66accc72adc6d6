//! Output budgets: of a long output the result holds its beginning and its end, and tells where all
//! of it is.

use crate::error::Error;
use crate::result::{Cut, RunResult};
use crate::sandbox::Sandbox;

impl Sandbox {
    /// Cuts the output in a result to so many bytes of each stream, its beginning and its end. All
    /// of it is in `/proc/runs` then, as long as the sandbox keeps it, and the result says
    /// where.
    pub fn cut_output(&self, result: &mut RunResult, budget: usize) -> Result<(), Error> {
        if result.stdout_cut.is_none() && result.stderr_cut.is_none() {
            return cut(self, result, Some(budget), [false; 2]);
        }
        // All of it is there already: only more of it is left out here.
        let path = |stream: &str| format!("/proc/runs/{}/{stream}", result.run);
        let (stdout_path, stderr_path) = (path("stdout"), path("stderr"));
        let (stdout, stderr) = (&mut result.stdout, &mut result.stderr);
        cut_again(stdout, &mut result.stdout_cut, budget, stdout_path);
        cut_again(stderr, &mut result.stderr_cut, budget, stderr_path);
        Ok(())
    }
}

/// Cuts a stream that may have been cut before: what is missing then goes around what was missing
/// already.
fn cut_again(stream: &mut Vec<u8>, cut: &mut Option<Cut>, budget: usize, path: String) {
    if stream.len() <= budget {
        return;
    }
    let half = budget / 2;
    let (mut head, mut tail) = (half, stream.len() - (budget - half));
    let (mut missing, mut lost) = (0, false);
    if let Some(before) = cut {
        head = head.min(before.head);
        tail = tail.max(before.head);
        (missing, lost) = (before.omitted, before.lost);
    }
    *cut = Some(Cut {
        head,
        omitted: missing + (tail - head) as u64,
        path,
        lost,
    });
    stream.drain(head..tail);
    stream.shrink_to_fit();
}

/// Keeps the whole output of a run in the sandbox and cuts the result's, where a stream is longer
/// than the budget or has lost its end.
pub(crate) fn cut(
    sandbox: &Sandbox,
    result: &mut RunResult,
    budget: Option<usize>,
    [stdout_lost, stderr_lost]: [bool; 2],
) -> Result<(), Error> {
    let budget = budget.unwrap_or(usize::MAX);
    let fits = result.stdout.len() <= budget && result.stderr.len() <= budget;
    if fits && !stdout_lost && !stderr_lost {
        return Ok(());
    }
    let path = |stream: &str| format!("/proc/runs/{}/{stream}", result.run);
    let (stdout_path, stderr_path) = (path("stdout"), path("stderr"));
    let (stdout, stdout_cut) = cut_stream(&result.stdout, budget, stdout_lost, stdout_path);
    let (stderr, stderr_cut) = cut_stream(&result.stderr, budget, stderr_lost, stderr_path);
    (result.stdout_cut, result.stderr_cut) = (stdout_cut, stderr_cut);
    let whole_stdout = std::mem::replace(&mut result.stdout, stdout);
    let whole_stderr = std::mem::replace(&mut result.stderr, stderr);
    sandbox
        .kernel()?
        .keep_output(result.run, whole_stdout, whole_stderr);
    Ok(())
}

/// The first and the last half of the budget, whole lines where there are some, and what is missing
/// between them.
fn cut_stream(stream: &[u8], budget: usize, lost: bool, path: String) -> (Vec<u8>, Option<Cut>) {
    if stream.len() <= budget {
        let (head, omitted) = (stream.len(), 0);
        let cut = Cut {
            head,
            omitted,
            path,
            lost,
        };
        return (stream.to_vec(), lost.then_some(cut));
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
        lost,
    };
    ([&stream[..head], &stream[tail..]].concat(), Some(cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, budget: usize) -> (String, Option<(usize, u64)>) {
        let (stream, cut) = cut_stream(text.as_bytes(), budget, false, String::new());
        let text = String::from_utf8(stream).unwrap();
        (text, cut.map(|cut| (cut.head, cut.omitted)))
    }

    #[test]
    fn what_was_cut_is_cut_again_around_the_same_place() {
        let whole: Vec<u8> = (0..100).collect();
        let at = |head, omitted| {
            let path = String::new();
            Some(Cut {
                head,
                omitted,
                path,
                lost: false,
            })
        };
        let cases = [
            (20, None, (10, 80)),
            (20, at(50, 7), (10, 87)),
            (20, at(3, 7), (3, 87 + 7)),
            (20, at(97, 7), (10, 7 + 87)),
            (0, at(50, 7), (0, 107)),
        ];
        for (budget, before, (head, omitted)) in cases {
            let (mut stream, mut cut) = (whole.clone(), before.clone());
            cut_again(&mut stream, &mut cut, budget, String::new());
            let cut = cut.unwrap();
            assert_eq!((cut.head, cut.omitted), (head, omitted), "{before:?}");
            let missing = before.map_or(0, |before| before.omitted);
            assert_eq!(stream.len() as u64 + cut.omitted, 100 + missing);
            assert_eq!(stream[..head], whole[..head]);
        }
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
