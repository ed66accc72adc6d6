//! The environment: what a shell exports to the commands that it starts.

use std::time::Duration;

use futures_lite::future::block_on;

use crate::complete::quoted;
use crate::error::{Error, ErrorKind};
use crate::sandbox::Sandbox;
use crate::shell::Shell;

/// The longest wait for a shell's answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Prints names and values, each ended by a NUL.
const PRINT: &str =
    "while IFS= read -r n; do printf '%s\\0%s\\0' \"$n\" \"${!n}\"; done < <(compgen -e)";

impl Shell {
    /// The variables that it exports, by name. Asked in a fork, so that nothing changes.
    pub async fn env(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let fork = self.sandbox.fork()?;
        let script = fork.shell(self.name()).script(PRINT).timeout(TIMEOUT);
        let result = script.run().await?;
        let mut parts = result.stdout.split(|byte| *byte == 0);
        let mut variables = Vec::new();
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            let name = String::from_utf8_lossy(name).into_owned();
            if name != "_" && name != "n" {
                variables.push((name, value.to_vec()));
            }
        }
        Ok(variables)
    }

    /// Blocking form of [`Self::env`], for callers without an async runtime.
    pub fn env_blocking(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        block_on(self.env())
    }

    /// Exports a variable for all that it runs from now on. It can be undone as a run can.
    pub async fn set_env(&self, name: &str, value: &str) -> Result<(), Error> {
        let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !starts || !name.bytes().all(plain) || value.contains('\0') {
            let why = format!(
                "`{name}` cannot be exported: a name has letters, digits and `_`, a value no NUL"
            );
            return Err(ErrorKind::InvalidArgument(why).into());
        }
        let result = self.run(format!("export {name}={}", quoted(value))).await?;
        match result.success() {
            true => Ok(()),
            false => {
                let why = String::from_utf8_lossy(&result.stderr)
                    .trim_end()
                    .to_owned();
                Err(ErrorKind::InvalidArgument(why).into())
            }
        }
    }

    /// Blocking form of [`Self::set_env`], for callers without an async runtime.
    pub fn set_env_blocking(&self, name: &str, value: &str) -> Result<(), Error> {
        block_on(self.set_env(name, value))
    }
}

impl Sandbox {
    /// The names of the shells that have run something, sorted; the main shell's is empty.
    pub fn shells(&self) -> Vec<String> {
        self.inner.shells.names()
    }
}
