//! Native references.

use std::process::{Command, Stdio};

/// `fork` + `exec` + `wait` of `/bin/true`, as cheaply as the standard library does it.
pub(crate) fn spawn_true() -> std::io::Result<()> {
    let status = Command::new("/bin/true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(std::io::Error::other("/bin/true failed"))
    }
}

/// A shell pipeline in native bash; returns its output.
pub(crate) fn bash(script: &str, directory: &std::path::Path) -> std::io::Result<Vec<u8>> {
    let output = Command::new("bash")
        .arg("-c")
        .arg(script)
        .current_dir(directory)
        .env("LC_ALL", "C")
        .output()?;
    Ok(output.stdout)
}
