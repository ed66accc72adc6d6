//! `codepod doctor`: what this machine has for codepod, and what it lacks.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use clap::Args;
use codepod::jail::{self, Layers};
use codepod::{Options, Part, PartError, Sandbox, StateDirectory};

use crate::failure::Failure;
use crate::progress::{self, Progress};
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
    advice: Option<String>,
}

fn good(what: &'static str, found: impl Into<String>) -> Finding {
    Finding {
        what,
        how: How::Good,
        found: found.into(),
        advice: None,
    }
}

fn other(
    what: &'static str,
    how: How,
    found: impl Into<String>,
    advice: impl Into<String>,
) -> Finding {
    Finding {
        what,
        how,
        found: found.into(),
        advice: Some(advice.into()),
    }
}

impl Doctor {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        progress::open_parts();
        let mut findings = vec![processor(), memory(), cache()];
        findings.extend(parts());
        findings.extend([states(), terminal()]);
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
            if let Some(advice) = &finding.advice {
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
        let features = [
            ("sse3", std::arch::is_x86_feature_detected!("sse3")),
            ("ssse3", std::arch::is_x86_feature_detected!("ssse3")),
            ("sse4.1", std::arch::is_x86_feature_detected!("sse4.1")),
            ("sse4.2", std::arch::is_x86_feature_detected!("sse4.2")),
            ("popcnt", std::arch::is_x86_feature_detected!("popcnt")),
        ];
        let named = |there: bool| {
            let names = features.iter().filter(|(_, has)| *has == there);
            names.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
        };
        if features.iter().any(|(_, has)| !has) {
            let found = format!("{about}, without {}", named(false));
            let advice = "the code of tools needs x86-64-v2, which processors have since 2009; an \
                emulator may have to be told: `qemu -cpu max`";
            return other("processor", How::Bad, found, advice);
        }
        good("processor", format!("{about}; {}", named(true)))
    }
    #[cfg(not(target_arch = "x86_64"))]
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
    let path = codepod::cache_directory();
    let shown = path.as_deref().and_then(Path::parent);
    let shown = shown.map(|path| path.display().to_string());
    let shown = shown.unwrap_or_default();
    let found = match (path, codepod::cache_trouble()) {
        (None, _) => "none of CODEPOD_CACHE_DIR, XDG_CACHE_HOME and HOME is set".to_owned(),
        (Some(_), Some(why)) => format!("`{shown}`: {why}"),
        (Some(path), None) if !writable(&path) => format!("`{shown}` cannot be written"),
        (Some(_), None) => return good("cache", shown),
    };
    let lost = match codepod::GUESTS_EMBEDDED {
        true => "what is packed is unpacked into memory at each start",
        false => "what is not compiled yet is compiled at each start",
    };
    let advice =
        format!("works; {lost}: set CODEPOD_CACHE_DIR to a directory of yours with 500 MB of room");
    other("cache", How::Note, found, advice)
}

/// The parts of this release; nothing where it has none.
fn parts() -> Option<Finding> {
    let parts = codepod::parts();
    let (there, missing): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| part.is_there());
    let names = |parts: &[&Part]| {
        let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
        names.join(", ")
    };
    // One that is there and cannot be used says more than one that is not there.
    let unusable = missing.iter().find_map(|part| match part.opened().err()? {
        PartError::Missing | PartError::Needs(_) => None,
        error => Some(format!("{}: {error}", part.name)),
    });
    Some(match (&*missing, unusable) {
        _ if parts.is_empty() => return None,
        ([], _) => good("parts", names(&there)),
        (_, Some(why)) => other(
            "parts",
            How::Note,
            why,
            "install the one of this release: `codepod parts`",
        ),
        (missing, None) => other(
            "parts",
            How::Note,
            format!("{}; not installed: {}", names(&there), names(missing)),
            "`codepod parts` says what they have, and how to install them",
        ),
    })
}

fn states() -> Finding {
    let unusable = |found: String| {
        let advice = "only `--state` needs it: set CODEPOD_STATES to a directory of yours";
        other("states", How::Note, found, advice)
    };
    let states = match StateDirectory::of_user() {
        Ok(states) => states,
        Err(error) => return unusable(error.to_string()),
    };
    let path = states.path();
    // It is made when the first state is kept: what counts is the nearest directory that is there.
    let nearest = path.ancestors().find(|path| path.is_dir());
    if !nearest.is_some_and(writable) {
        return unusable(format!("`{}` cannot be written", path.display()));
    }
    match states.names() {
        Ok(names) => good(
            "states",
            format!("{}, {} kept", path.display(), names.len()),
        ),
        Err(error) => unusable(error.to_string()),
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
    let advice = "change what the message names, and try again";
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
    if !runtime.engine().keeps_sessions() {
        let found = "Python keeps no variables between calls: there is no `memfd_create`";
        let advice = "allow it in the seccomp profile of the container; scripts run without";
        findings.push(other("sessions", How::Note, found, advice));
    }
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
