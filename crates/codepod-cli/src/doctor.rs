//! `codepod doctor`: what this machine has for codepod, and what it lacks.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use clap::Args;
use codepod::jail::{self, Layers};
use codepod::{Options, Sandbox, StateDirectory};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::wall;

const EXAMPLES: &str = "\
Examples:
  codepod doctor                 a line for each thing; status 1 when something needed is missing
  codepod doctor --json | jq '.[] | select(.result != \"ok\")'";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Good,
    /// Works, but slower or without something.
    Note,
    /// Has to be changed.
    Bad,
}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    how: How,
    found: String,
    advice: Option<&'static str>,
}

fn good(what: &'static str, found: impl Into<String>) -> Finding {
    Finding {
        what,
        how: How::Good,
        found: found.into(),
        advice: None,
    }
}

fn other(what: &'static str, how: How, found: impl Into<String>, advice: &'static str) -> Finding {
    Finding {
        what,
        how,
        found: found.into(),
        advice: Some(advice),
    }
}

impl Doctor {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let mut findings = vec![processor(), memory(), cache(), states(), terminal()];
        findings.extend(engine());
        let bad = findings.iter().any(|finding| finding.how == How::Bad);
        let mut out = std::io::stdout().lock();
        if self.json {
            let values = findings.iter().map(|finding| {
                serde_json::json!({
                    "what": finding.what,
                    "result": word(finding.how),
                    "found": finding.found,
                    "advice": finding.advice,
                })
            });
            let _ = writeln!(
                out,
                "{}",
                serde_json::Value::from(values.collect::<Vec<_>>())
            );
            return Ok(bad.into());
        }
        let _ = writeln!(out, "codepod {}", env!("CARGO_PKG_VERSION"));
        for finding in &findings {
            let _ = writeln!(
                out,
                "{:<7}  {:<10}  {}",
                word(finding.how),
                finding.what,
                finding.found
            );
            if let Some(advice) = finding.advice {
                let _ = writeln!(out, "{:<7}  {:<10}  → {advice}", "", "");
            }
        }
        Ok(bad.into())
    }
}

fn word(how: How) -> &'static str {
    match how {
        How::Good => "ok",
        How::Note => "note",
        How::Bad => "missing",
    }
}

fn processor() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let about = format!("{} with {cores} cores", std::env::consts::ARCH);
    #[cfg(target_arch = "x86_64")]
    {
        let has = [
            ("sse4.2", std::arch::is_x86_feature_detected!("sse4.2")),
            ("popcnt", std::arch::is_x86_feature_detected!("popcnt")),
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ];
        let missing: Vec<&str> = has
            .iter()
            .filter(|(_, has)| !has)
            .map(|(name, _)| *name)
            .collect();
        if !missing.is_empty() {
            let found = format!("{about}, without {}", missing.join(", "));
            let advice = "works; some tools are slower, and code is compiled anew for this machine";
            return other("processor", How::Note, found, advice);
        }
    }
    good("processor", about)
}

/// Each process reserves address space for its memory, of which it uses what it needs.
#[cfg(unix)]
fn memory() -> Finding {
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
    let limit = getrlimit(Resource::RLIMIT_AS).map(|(now, _)| now);
    match limit {
        Err(_) | Ok(RLIM_INFINITY) => good("memory", "address space is not limited"),
        Ok(bytes) => {
            let found = format!(
                "address space is limited to {} MB (`ulimit -v`)",
                bytes >> 20
            );
            let advice =
                "raise it: `ulimit -v unlimited`; the engine reserves much and uses little";
            // Whether that is enough is what the engine says below.
            other("memory", How::Note, found, advice)
        }
    }
}

/// Address space has no limit of its own here.
#[cfg(not(unix))]
fn memory() -> Finding {
    good("memory", "address space is not limited")
}

fn cache() -> Finding {
    let Some(path) = codepod::cache_directory() else {
        let found = "there is no directory for compiled code: each start compiles what it runs";
        let advice = "set CODEPOD_CACHE_DIR to a directory that is yours alone";
        return other("cache", How::Note, found, advice);
    };
    if writable(&path) {
        return good("cache", path.display().to_string());
    }
    let found = format!("`{}` cannot be written", path.display());
    let advice = "make it writable, or set CODEPOD_CACHE_DIR to a directory that is";
    other("cache", How::Bad, found, advice)
}

fn states() -> Finding {
    let states = match StateDirectory::of_user() {
        Ok(states) => states,
        Err(error) => {
            return other(
                "states",
                How::Note,
                error.to_string(),
                "only `--state` needs it",
            );
        }
    };
    let path = states.path();
    // It is made when the first state is kept: what counts is the nearest directory that is there.
    let nearest = path.ancestors().find(|path| path.is_dir());
    if !nearest.is_some_and(writable) {
        let found = format!("`{}` cannot be written", path.display());
        let advice = "make it writable, or set CODEPOD_STATES to a directory that is";
        return other("states", How::Bad, found, advice);
    }
    match states.names() {
        Ok(names) => good(
            "states",
            format!("{}, {} kept", path.display(), names.len()),
        ),
        Err(error) => other(
            "states",
            How::Bad,
            error.to_string(),
            "make the directory readable",
        ),
    }
}

fn writable(path: &Path) -> bool {
    let probe = path.join(format!(".codepod-doctor-{}", std::process::id()));
    let made = std::fs::create_dir_all(path).and_then(|()| std::fs::File::create_new(&probe));
    let _ = std::fs::remove_file(&probe);
    made.is_ok()
}

fn terminal() -> Finding {
    let term = std::env::var("TERM").unwrap_or_default();
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return other(
            "terminal",
            How::Note,
            "standard input or output is none",
            "`codepod shell` needs one",
        );
    }
    match &*term {
        "" | "dumb" => other(
            "terminal",
            How::Note,
            "it cannot move its cursor",
            "set TERM for `codepod shell`",
        ),
        term => good("terminal", crate::terminal_text::shown(term)),
    }
}

/// What stands between this program and the host, should something get out of a sandbox.
fn second_wall(layers: Layers) -> Finding {
    let found = match &*layers.names() {
        [] => "nothing but WebAssembly".to_owned(),
        names => names.join(", "),
    };
    let advice = match layers {
        Layers { filter: false, .. } => {
            "system calls are filtered on Linux (x86-64, ARM; GNU C library), unless CODEPOD_JAIL is `off` or `log`"
        }
        Layers {
            no_new_code: false, ..
        } => "works; a program that carries its guests does without compiling them",
        Layers {
            landlock: false, ..
        } => {
            "works; with Landlock (Linux 5.19) no file would be in reach beside those that are mounted"
        }
        _ => return good("wall", found),
    };
    other("wall", How::Note, found, advice)
}

/// Whether an engine can be set up, has guests, and runs a script.
fn engine() -> Vec<Finding> {
    let advice = "`ulimit -v unlimited`, and look at what the message says";
    let options = Options::default();
    let runtime = wall::needs(&options, None)
        .and_then(|needs| wall::closed_around(needs, &options, || Ok(())));
    let runtime = match runtime {
        Ok((runtime, ())) => runtime,
        Err(failure) => return vec![other("engine", How::Bad, failure.to_string(), advice)],
    };
    let guests = match runtime.guests() {
        Ok(guests) if !guests.is_empty() => guests,
        _ => {
            return vec![other(
                "guests",
                How::Bad,
                "none are built into this program",
                "build them: `cargo xtask guests` (`--only shell,toolbox` takes minutes), then this program again",
            )];
        }
    };
    let where_from = if codepod::GUESTS_EMBEDDED {
        "in this program"
    } else {
        "in files"
    };
    let tools = codepod::commands().len();
    let mut findings = vec![
        second_wall(jail::layers()),
        good(
            "guests",
            format!("{} with {tools} tools, {where_from}", guests.len()),
        ),
    ];
    let cold: Vec<&str> = guests
        .iter()
        .filter(|(_, ready)| !ready)
        .map(|(name, _)| *name)
        .collect();
    findings.push(match cold.is_empty() {
        true => good("code", "compiled for this machine"),
        false => other(
            "code",
            How::Note,
            format!(
                "{} of {} guests are not compiled yet",
                cold.len(),
                guests.len()
            ),
            "each is compiled when it is used first, once",
        ),
    });
    let _progress = Progress::of("running a first script");
    let ran = Sandbox::create_on(&runtime, Options::default())
        .and_then(|sandbox| sandbox.run_blocking("echo hello | tr a-z A-Z"));
    findings.push(match ran {
        Ok(result) if result.stdout == b"HELLO\n" => {
            let time = result.execution_time.as_secs_f64() * 1000.0;
            good("run", format!("a script with a pipe in {time:.1} ms"))
        }
        Ok(result) => other(
            "run",
            How::Bad,
            format!("a script ended with {}", result.exit_code),
            "please report it",
        ),
        Err(error) => other("run", How::Bad, error.to_string(), advice),
    });
    findings
}
