//! `codepod cache …`: what sandboxes of a server share of what they download.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args, Subcommand};
use codepod::network::lock_file::{LockFile, MAX_LOCK_FILE};
use codepod::network::{PullError, PullSpec};
use codepod_server::http::Config;

use crate::failure::Failure;
use crate::progress::{self, Progress};
use crate::terminal_text::shown;

const EXAMPLES: &str = "\
Examples:
  codepod cache pull --config codepod.toml --index-url https://packages.example.com/simple requirements.txt

Reads a lock file (requirements.txt with one version each, pylock.toml or uv.lock), and fetches the
pure wheel of each package, its metadata and the page of the index into the directory that
`[network.downloads]` of the configuration names. A server with `offline = true` gives them to its
sandboxes then. Wheels are compared with the digests of the lock file and of the index; nothing is
unpacked or run. The status is 1 where something is missing.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cache {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fetch what a lock file names, for sandboxes that are offline
    #[command(after_help = EXAMPLES)]
    Pull(Pull),
}

#[derive(Args)]
struct Pull {
    /// The lock file: requirements.txt, pylock.toml or uv.lock
    lock_file: PathBuf,
    /// The index, as pip is told; one of the servers in `from` of `[network.downloads]`
    #[arg(long, value_name = "URL")]
    index_url: String,
    /// Configuration file (TOML) of the server whose downloads they are
    #[arg(long, value_name = "FILE", env = "CODEPOD_CONFIG")]
    config: PathBuf,
}

impl Cache {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        match self.command {
            Command::Pull(pull) => pull.run(),
        }
    }
}

impl Pull {
    fn run(self) -> Result<u8, Failure> {
        let locked = lock_file(&self.lock_file)?;
        let config = configuration(&self.config)?;
        let wrong = |why: String| {
            Failure::new(
                format!("`{}`: {why}", self.config.display()),
                "the guide of the network tells what stands in `[network.downloads]`",
            )
        };
        let mut network = config.network.unwrap_or_default();
        if let Some(downloads) = &mut network.downloads {
            // What is offline for sandboxes is not for this.
            downloads.offline = false;
        }
        let opened = network.open_downloads();
        let Some(downloads) = opened.map_err(|error| wrong(error.to_string()))? else {
            return Err(wrong("there is no `[network.downloads]`".into()));
        };

        let all = locked.entries.len();
        let mut spec = PullSpec::new(self.index_url, locked.entries);
        spec.hosts = network.hosts;
        let done = Arc::new(AtomicUsize::new(0));
        let seen = done.clone();
        let progress = Progress::watching(move || {
            let done = seen.load(Ordering::Relaxed);
            Some(format!("{done} of {all} packages"))
        });
        let pulled = downloads.pull(spec, move |pulled| {
            done.fetch_add(1, Ordering::Relaxed);
            progress::clear();
            // A reader that has seen enough, such as `head`, is no error.
            let _ = writeln!(std::io::stdout(), "{}", shown(&pulled.to_string()));
        });
        drop(progress);
        let pulled = pulled.map_err(|error| Failure::new(error.to_string(), hint(&error)))?;

        let missing: Vec<String> = pulled
            .iter()
            .filter(|pulled| pulled.is_missing())
            .map(ToString::to_string)
            .chain(locked.elsewhere.iter().map(|name| {
                format!("none    {name}: it is not from an index, but from a URL or a repository")
            }))
            .collect();
        let kept = pulled.iter().filter(|pulled| pulled.is_kept()).count();
        let _ = writeln!(
            std::io::stdout(),
            "{kept} of {} packages are kept",
            all + locked.elsewhere.len()
        );
        if missing.is_empty() {
            return Ok(0);
        }
        eprintln!("codepod: missing for sandboxes that are offline:");
        for line in &missing {
            eprintln!("  {}", shown(line));
        }
        Ok(1)
    }
}

fn lock_file(path: &Path) -> Result<LockFile, Failure> {
    let wrong = |why: String| {
        Failure::new(
            format!("`{}`: {why}", path.display()),
            "name a requirements.txt with one version each, as `pip-compile` writes it, a \
             pylock.toml or a uv.lock",
        )
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| wrong("the name is not text".into()))?;
    let mut text = String::new();
    std::fs::File::open(path)
        // One byte more, so that a longer file is refused and not cut.
        .and_then(|file| file.take(MAX_LOCK_FILE + 1).read_to_string(&mut text))
        .map_err(|error| wrong(error.to_string()))?;
    LockFile::parse(name, &text).map_err(|error| wrong(error.to_string()))
}

fn configuration(path: &Path) -> Result<Config, Failure> {
    let wrong = |why: String| {
        Failure::new(
            format!("`{}`: {why}", path.display()),
            "name the configuration that `codepod serve` is started with",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Config::parse(&text).map_err(|error| wrong(error.to_string()))
}

fn hint(error: &PullError) -> &'static str {
    match error {
        PullError::Index(_) => "give the URL that pip is given: `--index-url https://HOST/simple`",
        PullError::NotShared(_) => {
            "add it to `from` of `[network.downloads]`, with its files' host"
        }
        PullError::Policy(_) => "check `hosts` of `[network]`",
        _ => "`codepod doctor` says what this machine lacks",
    }
}
