//! Native references.

use std::process::{Command, Stdio};
use std::time::Duration;

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

/// A shell pipeline in native bash, and the CPU time that it took, to the millisecond, as bash
/// measures it.
pub(crate) fn bash_cpu(
    script: &str,
    directory: &std::path::Path,
) -> std::io::Result<(Duration, Vec<u8>)> {
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!("TIMEFORMAT='%3U %3S'; time {{ {script}; }}"))
        .current_dir(directory)
        .env("LC_ALL", "C")
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mut seconds = said.split_whitespace().map(str::parse::<f64>);
    let (Some(Ok(user)), Some(Ok(system)), None) = (seconds.next(), seconds.next(), seconds.next())
    else {
        return Err(std::io::Error::other(format!("`{script}`: {said}")));
    };
    Ok((Duration::from_secs_f64(user + system), output.stdout))
}
