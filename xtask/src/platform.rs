//! The platforms that codepod is published for, and what each registry calls them.

use crate::failure::{Failure, Outcome};
use crate::parts::calls::Processor;

/// A platform.
#[derive(Debug)]
pub(crate) struct Platform {
    /// Its name in npm packages and archives.
    pub(crate) name: &'static str,
    /// What Rust calls it.
    pub(crate) target: &'static str,
    /// The oldest C library that the program runs with, where it does not bring its own.
    pub(crate) libc: Option<&'static str>,
    /// What names of wheels call it.
    pub(crate) wheel: &'static str,
}

pub(crate) const PLATFORMS: &[Platform] = &[
    Platform {
        name: "linux-x64",
        target: "x86_64-unknown-linux-gnu",
        libc: Some("2.28"),
        wheel: "manylinux_2_28_x86_64",
    },
    Platform {
        name: "linux-arm64",
        target: "aarch64-unknown-linux-gnu",
        libc: Some("2.28"),
        wheel: "manylinux_2_28_aarch64",
    },
    Platform {
        name: "linux-x64-musl",
        target: "x86_64-unknown-linux-musl",
        libc: None,
        wheel: "musllinux_1_2_x86_64",
    },
    Platform {
        name: "linux-arm64-musl",
        target: "aarch64-unknown-linux-musl",
        libc: None,
        wheel: "musllinux_1_2_aarch64",
    },
    Platform {
        name: "darwin-arm64",
        target: "aarch64-apple-darwin",
        libc: None,
        wheel: "macosx_11_0_arm64",
    },
    Platform {
        name: "darwin-x64",
        target: "x86_64-apple-darwin",
        libc: None,
        wheel: "macosx_10_12_x86_64",
    },
    Platform {
        name: "win32-x64",
        target: "x86_64-pc-windows-gnu",
        libc: None,
        wheel: "win_amd64",
    },
];

impl Platform {
    /// The platform of this machine.
    pub(crate) fn host() -> Outcome<&'static Platform> {
        let mut platforms = PLATFORMS.iter();
        platforms.find(|it| it.is_host()).ok_or_else(|| {
            Failure::new("codepod is not published for this machine's platform")
                .hint("xtask/src/platform.rs has the list")
        })
    }

    /// The platform with a name.
    pub(crate) fn named(name: &str) -> Outcome<&'static Platform> {
        let mut platforms = PLATFORMS.iter();
        platforms.find(|it| it.name == name).ok_or_else(|| {
            let known: Vec<&str> = PLATFORMS.iter().map(|it| it.name).collect();
            Failure::new(format!("there is no platform `{name}`"))
                .hint(format!("there are {}", known.join(", ")))
        })
    }

    /// Whether it is this machine's. A program for musl is never taken for it.
    pub(crate) fn is_host(&self) -> bool {
        let system = match std::env::consts::OS {
            "macos" => "apple-darwin",
            "windows" => "pc-windows-gnu",
            _ => "unknown-linux-gnu",
        };
        self.target == format!("{}-{system}", std::env::consts::ARCH)
    }

    /// The name of the platform whose parts it has: machine code does not know the C library.
    pub(crate) fn of_parts(&self) -> &'static str {
        self.name.strip_suffix("-musl").unwrap_or(self.name)
    }

    /// Its processor.
    pub(crate) fn processor(&self) -> Processor {
        match self.target.starts_with("aarch64") {
            true => Processor::Arm64,
            false => Processor::X86,
        }
    }

    /// How xz packs its archive. Every xz knows the filter for x86; the one for arm64 came in 5.4,
    /// which systems in use do not have.
    pub(crate) fn xz_options(&self) -> &'static str {
        match self.processor() {
            Processor::X86 => "--x86 --lzma2=preset=9e",
            Processor::Arm64 => "--lzma2=preset=9e",
        }
    }

    /// What a dependency of cargo for it depends on.
    pub(crate) fn condition(&self) -> String {
        let architecture = self.target.split('-').next().unwrap_or_default();
        let system = match self.name.split('-').next() {
            Some("darwin") => "macos",
            Some("win32") => "windows",
            _ => "linux",
        };
        format!("cfg(all(target_os = \"{system}\", target_arch = \"{architecture}\"))")
    }

    /// What Cranelift calls it.
    pub(crate) fn code_target(&self) -> String {
        self.target.replace("-musl", "-gnu")
    }

    /// The name of its program's file.
    pub(crate) fn program(&self) -> &'static str {
        match self.target.contains("windows") {
            true => "codepod.exe",
            false => "codepod",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_unknown_ones_are_refused() {
        assert_eq!(
            Platform::named("win32-x64").unwrap().program(),
            "codepod.exe"
        );
        let refused = Platform::named("plan9").unwrap_err().to_string();
        assert!(refused.contains("plan9"), "{refused}");
        let static_one = Platform::named("linux-arm64-musl").unwrap();
        assert_eq!(static_one.of_parts(), "linux-arm64");
        assert_eq!(static_one.code_target(), "aarch64-unknown-linux-gnu");
        assert_eq!(
            static_one.condition(),
            r#"cfg(all(target_os = "linux", target_arch = "aarch64"))"#
        );
        assert!(PLATFORMS.iter().filter(|it| it.is_host()).count() <= 1);
    }
}
