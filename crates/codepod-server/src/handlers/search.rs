//! Searching files: `rg` inside the sandbox does it, with its user's rights and limits.

mod pattern;

use std::time::{Duration, Instant};

use codepod_api::methods::files::{
    FilesGlob, FilesGrep, GlobOutput, GlobParams, GrepMatch, GrepOutput, GrepParams,
};
use codepod_api::{ApiError, Kind};

use crate::call::Call;
use crate::convert::text;
use crate::dispatch::Handle;
use crate::failure::failure;
use pattern::Pattern;

/// How long paths are compared with a pattern.
const LONGEST_LOOK: Duration = Duration::from_secs(5);
/// How long a search may take.
const LONGEST: Duration = Duration::from_secs(20);
/// Lines of a search, if nothing is said, and at most.
const MATCHES: (u64, u64) = (200, 5000);
/// Paths of a list, if nothing is said, and at most.
const PATHS: (u64, u64) = (1000, 10_000);
/// Bytes of a line.
const LINE: usize = 500;
/// As long as a pattern may be.
const LONGEST_PATTERN: usize = 16 << 10;

impl Handle for FilesGrep {
    fn handle(call: &Call<'_>, params: GrepParams) -> Result<GrepOutput, ApiError> {
        let limit = limit(params.limit, MATCHES);
        let mut words = vec!["--line-number", "--with-filename", "--no-heading"];
        let columns = LINE.to_string();
        words.extend(["--max-columns", &columns, "--max-columns-preview"]);
        if params.ignore_case.unwrap_or(false) {
            words.push("--ignore-case");
        }
        if params.fixed.unwrap_or(false) {
            words.push("--fixed-strings");
        }
        let mut wanted = Wanted::new(params.glob.as_deref(), params.path.as_deref())?;
        words.extend(["--regexp", &params.pattern]);
        let all = params.all.unwrap_or(false);
        let (printed, is_cut) = search(call, words, params.path.as_deref(), all)?;
        let mut matches: Vec<GrepMatch> = printed
            .split(|byte| *byte == b'\n')
            .filter_map(matched)
            .filter(|found| wanted.has(&found.path))
            .take(limit + 1)
            .collect();
        wanted.check()?;
        let more = is_cut || matches.len() > limit;
        matches.truncate(limit);
        Ok(GrepOutput { matches, more })
    }
}

impl Handle for FilesGlob {
    fn handle(call: &Call<'_>, params: GlobParams) -> Result<GlobOutput, ApiError> {
        let limit = limit(params.limit, PATHS);
        let mut wanted = Wanted::new(Some(&params.pattern), params.path.as_deref())?;
        let words = vec!["--files"];
        let all = params.all.unwrap_or(false);
        let (printed, is_cut) = search(call, words, params.path.as_deref(), all)?;
        let mut paths: Vec<String> = printed
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(shown_path)
            .filter(|path| wanted.has(path))
            .take(limit + 1)
            .collect();
        wanted.check()?;
        let more = is_cut || paths.len() > limit;
        paths.truncate(limit);
        Ok(GlobOutput { paths, more })
    }
}

fn limit(asked: Option<u64>, (usual, most): (u64, u64)) -> usize {
    asked.unwrap_or(usual).clamp(1, most) as usize
}

/// Which paths are wanted, and how long that has been looked at.
struct Wanted {
    pattern: Option<Pattern>,
    /// The directory of the search as `rg` writes it before each path.
    below: String,
    began: Instant,
    is_over: bool,
}

impl Wanted {
    fn new(pattern: Option<&str>, below: Option<&str>) -> Result<Wanted, ApiError> {
        let below = below.unwrap_or(".").trim_end_matches('/');
        Ok(Wanted {
            pattern: pattern.map(Pattern::new).transpose()?,
            below: format!("{}/", below.trim_start_matches("./")),
            began: Instant::now(),
            is_over: false,
        })
    }

    fn has(&mut self, path: &str) -> bool {
        let Some(pattern) = &self.pattern else {
            return true;
        };
        self.is_over |= self.began.elapsed() > LONGEST_LOOK + LONGEST;
        let path = path.strip_prefix(&self.below).unwrap_or(path);
        !self.is_over && pattern.matches(path)
    }

    fn check(&self) -> Result<(), ApiError> {
        match self.is_over {
            true => Err(too_long()),
            false => Ok(()),
        }
    }
}

fn too_long() -> ApiError {
    let message = format!("the search took longer than {} s", LONGEST.as_secs());
    ApiError::new(Kind::Limit, message).hint("name a smaller `path`, or a simpler pattern")
}

/// What `rg` prints for these words, and whether that is not all.
fn search(
    call: &Call<'_>,
    words: Vec<&str>,
    path: Option<&str>,
    all: bool,
) -> Result<(Vec<u8>, bool), ApiError> {
    let bad = |message: String| ApiError::new(Kind::InvalidParams, message);
    if words.iter().any(|word| word.len() > LONGEST_PATTERN) {
        let message = format!("a pattern has at most {LONGEST_PATTERN} bytes");
        return Err(ApiError::new(Kind::TooLarge, message));
    }
    let sandbox = &call.live()?.sandbox;
    let path = path.unwrap_or(".");
    // A path that is not there is the caller's mistake, not a search without a result.
    sandbox.stat(path).map_err(failure)?;
    let mut argv = vec![
        "rg",
        "--no-config",
        "--color",
        "never",
        "--null",
        "--hidden",
    ];
    argv.extend(["--sort", "path", "--no-messages"]);
    if all {
        argv.push("--no-ignore");
    }
    argv.extend(words);
    argv.extend(["--glob", "!.git", "--", path]);
    let result = sandbox
        .command(argv)
        .unrecorded()
        .timeout(LONGEST)
        .cancelled_by(&call.canceller)
        .run_blocking()
        .map_err(failure)?;
    if result.timed_out {
        return Err(too_long());
    }
    // 1 says that nothing was found, 2 that something failed; beyond a stream's limit it is ended.
    match result.exit_code {
        0 | 1 => {}
        126 | 127 if result.stdout.is_empty() => {
            let error = ApiError::new(Kind::Denied, "this sandbox does not allow `rg`");
            return Err(error.hint("add `rg` to the allowed commands, or search with those"));
        }
        _ if result.truncated => {}
        _ if !result.stdout.is_empty() => {}
        _ => {
            let why = text(&result.stderr);
            let why = why.trim().trim_start_matches("rg: ");
            return Err(bad(match why {
                "" => "the search failed".to_owned(),
                why => why.to_owned(),
            }));
        }
    }
    Ok((result.stdout, result.truncated))
}

/// A line as `rg` prints it: path, NUL, number, colon, text.
fn matched(line: &[u8]) -> Option<GrepMatch> {
    let nul = line.iter().position(|byte| *byte == 0)?;
    let (path, rest) = (&line[..nul], &line[nul + 1..]);
    let colon = rest.iter().position(|byte| *byte == b':')?;
    let number = std::str::from_utf8(&rest[..colon]).ok()?;
    let found = &rest[colon + 1..];
    let found = found.strip_suffix(b"\r").unwrap_or(found);
    Some(GrepMatch {
        path: shown_path(path),
        line: number.parse().ok()?,
        content: text(found),
    })
}

/// A path without the dot of the working directory.
fn shown_path(path: &[u8]) -> String {
    text(path.strip_prefix(b"./").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let found = matched(b"./a:1\0\x31\x32:x:y\r").unwrap();
        assert_eq!(
            (&*found.path, found.line, &*found.content),
            ("a:1", 12, "x:y")
        );
        for odd in [&b""[..], b"a", b"a\0", b"a\0x:y", b"a\0:"] {
            assert!(matched(odd).is_none(), "{odd:?}");
        }
    }

    #[test]
    fn limits_are_within_bounds() {
        assert_eq!(limit(None, MATCHES), 200);
        assert_eq!(limit(Some(0), MATCHES), 1);
        assert_eq!(limit(Some(u64::MAX), MATCHES), 5000);
    }
}
