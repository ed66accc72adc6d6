//! Scripts in the shell of a sandbox, each in a sandbox of its own.

use std::collections::BTreeMap;

use codepod::{FileKind, Options, Sandbox};

use crate::failure::{Failure, Result};
use crate::job::{CASE_DIRECTORY, Job, Left, Outcome, Place, is_executable};
use crate::missing;

/// Sandboxes that start alike.
#[derive(Debug)]
pub(crate) struct Sandboxes {
    /// What each is forked from.
    first: Sandbox,
    /// Where programs are looked for; nothing for the usual.
    path: Option<&'static str>,
}

/// Where the programs of [`Sandboxes::with_tools`] are.
const TOOLS_DIRECTORY: &str = "/tmp/tools";

impl Sandboxes {
    /// Sandboxes with the usual guests and those of `groups`, and with further files, all
    /// executable.
    pub(crate) fn new(groups: &[&str], files: &BTreeMap<String, Vec<u8>>) -> Result<Sandboxes> {
        let mut options = Options::default();
        options.cwd = CASE_DIRECTORY.into();
        options.guest_groups = groups.iter().map(|&group| group.into()).collect();
        let first = Sandbox::create(options)?;
        let root = first.as_root();
        for (path, content) in files {
            if let Some((directory, _)) = path.rsplit_once('/') {
                root.mkdir(directory)?;
            }
            root.write_file(path, content)?;
            root.set_mode(path, 0o755)?;
        }
        first.mkdir(CASE_DIRECTORY)?;
        Ok(Sandboxes { first, path: None })
    }

    /// Sandboxes with nothing but these programs on `PATH`.
    pub(crate) fn with_tools(names: &[&str]) -> Result<Sandboxes> {
        let sandboxes = Sandboxes::new(&[], &BTreeMap::new())?;
        sandboxes.first.mkdir(TOOLS_DIRECTORY)?;
        let mut link = vec!["ln".to_owned(), "-s".to_owned()];
        link.extend(names.iter().map(|name| format!("/usr/bin/{name}")));
        link.push(TOOLS_DIRECTORY.to_owned());
        let linked = sandboxes.first.command(link).run_blocking()?;
        if linked.exit_code != 0 {
            return Err(Failure::new(format!(
                "`ln` failed in the sandbox: {}",
                String::from_utf8_lossy(&linked.stderr).trim_end()
            )));
        }
        Ok(Sandboxes {
            path: Some(TOOLS_DIRECTORY),
            ..sandboxes
        })
    }

    /// Whether they have no shell, and that may be so: then nothing is compared. Fails when they
    /// must have one.
    pub(crate) fn lack_shell(&self) -> Result<bool> {
        match (self.first.stat("/bin/bash"), missing::may_miss("shell")) {
            (Ok(_), _) => Ok(false),
            (Err(_), true) => Ok(true),
            (Err(_), false) => Err(Failure::new("the sandbox has no shell").hint(format!(
                "`cargo xtask guests` builds it; {}=shell says that it may be missing",
                missing::VARIABLE
            ))),
        }
    }

    /// The names of their commands.
    pub(crate) fn commands(&self) -> Result<Vec<String>> {
        let entries = self.first.list_dir("/usr/bin")?;
        let names = entries.into_iter();
        Ok(names
            .map(|entry| String::from_utf8_lossy(&entry.name).into_owned())
            .collect())
    }
}

impl Place for Sandboxes {
    fn run(&self, job: &Job) -> Result<Outcome> {
        let sandbox = self.first.fork()?;
        for (name, content) in &job.files {
            if let Some((directory, _)) = name.rsplit_once('/') {
                sandbox.mkdir(directory)?;
            }
            if !name.ends_with('/') {
                sandbox.write_file(name, content)?;
                if is_executable(content) {
                    sandbox.set_mode(name, 0o755)?;
                }
            }
        }
        let mut command = sandbox.command(job.argv()).timeout(job.timeout);
        for (name, value) in &job.env {
            command = command.env(name, value);
        }
        if let Some(path) = self.path {
            command = command.env("PATH", path);
        }
        if !job.input().is_empty() {
            command = command.stdin(job.input());
        }
        let result = command.run_blocking()?;
        let files = if job.wants_files {
            // What outlives the shell would change them while they are read.
            sandbox.kill_all()?;
            left(&sandbox)?
        } else {
            BTreeMap::new()
        };
        Ok(Outcome {
            stdout: result.stdout,
            stderr: result.stderr,
            status: result.exit_code,
            timed_out: result.timed_out,
            files,
            time: result.execution_time,
        })
    }
}

/// Everything in the working directory, by its path.
fn left(sandbox: &Sandbox) -> Result<BTreeMap<String, Left>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![String::new()];
    while let Some(prefix) = pending.pop() {
        for entry in sandbox.list_dir(format!("{CASE_DIRECTORY}/{prefix}"))? {
            let name = format!("{prefix}{}", String::from_utf8_lossy(&entry.name));
            let what = match entry.kind {
                FileKind::Directory => {
                    pending.push(format!("{name}/"));
                    Left::Directory
                }
                FileKind::File => Left::File(sandbox.as_root().read_file(&name)?),
                _ => Left::Other,
            };
            found.insert(name, what);
        }
    }
    Ok(found)
}
