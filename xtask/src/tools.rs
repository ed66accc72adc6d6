//! Cargo tools: which ones, in which version, and how they get here.

use crate::cache;
use crate::failure::Outcome;
use crate::process;

/// A cargo subcommand that is a program of its own.
pub(crate) struct Tool {
    /// The crate, which is also the program.
    pub(crate) name: &'static str,
    /// The version that is installed when the machine has none.
    version: &'static str,
    pub(crate) purpose: &'static str,
}

pub(crate) const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    version: "0.9.151",
    purpose: "runs the tests",
};

pub(crate) const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
    purpose: "checks licences and sources of dependencies",
};

pub(crate) const FUZZ: Tool = Tool {
    name: "cargo-fuzz",
    version: "0.13.2",
    purpose: "builds and runs fuzz targets",
};

pub(crate) const SEMVER_CHECKS: Tool = Tool {
    name: "cargo-semver-checks",
    version: "0.51.0",
    purpose: "compares the library's interface with that of a release",
};

impl Tool {
    /// Whether the machine or the cache has it, in any version.
    pub(crate) fn is_there(&self) -> bool {
        process::program(self.name).arg("--version").succeeds()
            // cargo-nextest wants to be called as cargo would call it.
            || process::cargo()
                .args([self.name.trim_start_matches("cargo-"), "--version"])
                .succeeds()
    }

    /// Installs the pinned version into the cache when there is none.
    pub(crate) fn ensure(&self) -> Outcome {
        if self.is_there() {
            return Ok(());
        }
        let tools = cache::tools()?;
        // Without a target directory cargo builds it in a temporary one and leaves nothing behind.
        process::cargo()
            .args([
                "install",
                "--quiet",
                "--locked",
                self.name,
                "--version",
                self.version,
            ])
            .arg("--root")
            .arg(&tools)
            .env_remove("CARGO_TARGET_DIR")
            // It is used for seconds: building it quickly matters more than its speed.
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .hint(format!(
                "install it by hand: `cargo install --locked {}`",
                self.name
            ))
            .run()
    }
}
