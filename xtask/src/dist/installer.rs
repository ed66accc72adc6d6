//! The installer, which is published beside the archives: `scripts/install.sh`.

use std::path::Path;

use super::copy;
use crate::cache;
use crate::failure::Outcome;

/// Its file in the checkout.
const SCRIPT: &str = "scripts/install.sh";

/// Puts it among what is published.
pub(crate) fn write(out: &Path) -> Outcome {
    copy(&cache::in_root(SCRIPT), &out.join("install.sh"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::process::{Command, Stdio};
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::process;

    /// Shells that the script has to run in.
    const SHELLS: [&[&str]; 3] = [&["dash"], &["bash", "--posix"], &["busybox", "sh"]];

    /// A release with archives for two platforms, in which the program is a script.
    struct Release {
        directory: PathBuf,
    }

    impl Release {
        fn new(platforms: &[&str]) -> Release {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("codepod-install-{}-{number}", std::process::id());
            let release = Release {
                directory: std::env::temp_dir().join(name),
            };
            for platform in platforms {
                release.archive(&format!("codepod-1.2.3-{platform}"), platform);
            }
            release.sum();
            release
        }

        fn path(&self, name: &str) -> PathBuf {
            self.directory.join(name)
        }

        fn archive(&self, name: &str, platform: &str) {
            let tree = self.path(name);
            let program = format!("#!/bin/sh\necho codepod 1.2.3 {platform}\n");
            cache::write(&tree.join("bin/codepod"), program.as_bytes()).unwrap();
            cache::write(&tree.join("share/man/man1/codepod.1"), b".TH\n").unwrap();
            process::program("chmod")
                .arg("755")
                .arg(tree.join("bin/codepod"))
                .run()
                .unwrap();
            process::program("tar")
                .args(["-cJf", &format!("{name}.tar.xz"), name])
                .directory(&self.directory)
                .run()
                .unwrap();
            std::fs::remove_dir_all(tree).unwrap();
        }

        /// Adds a part for a platform.
        fn part(&self, name: &str, platform: &str) {
            let file = self.path(&format!("{name}-1.2.3-{platform}.part.zst"));
            cache::write(&file, name.as_bytes()).unwrap();
            self.sum();
        }

        fn installed(&self, path: &str) -> bool {
            self.path("home/.local").join(path).exists()
        }

        fn sum(&self) {
            let sums = "find . -maxdepth 1 -name 'co*.xz' -o -name '*.zst' | sed s:./:: | xargs sha256sum > SHA256SUMS";
            let sum = process::program("sh").args(["-c", sums]);
            sum.directory(&self.directory).run().unwrap();
        }

        /// Makes `uname` tell of another machine.
        fn on(&self, system: &str, processor: &str) {
            let script = format!("#!/bin/sh\n[ $1 = -s ] && echo {system} || echo {processor}\n");
            cache::write(&self.path("stubs/uname"), script.as_bytes()).unwrap();
            let stub = self.path("stubs/uname");
            process::program("chmod")
                .arg("755")
                .arg(stub)
                .run()
                .unwrap();
        }

        /// Runs the script from the release's directory; its status, output and messages.
        fn install(&self, shell: &[&str], arguments: &[&str]) -> (Option<i32>, String, String) {
            let path = std::env::var("PATH").unwrap_or_default();
            let output = Command::new(shell[0])
                .args(&shell[1..])
                .arg(cache::in_root(SCRIPT))
                .args(arguments)
                .current_dir(&self.directory)
                .env("PATH", format!("{}:{path}", self.path("stubs").display()))
                .env("HOME", self.path("home"))
                .env_remove("PREFIX")
                .stdin(Stdio::null())
                .output()
                .unwrap_or_else(|error| panic!("`{}` (setup brings it): {error}", shell[0]));
            let text = |bytes| String::from_utf8(bytes).unwrap();
            (
                output.status.code(),
                text(output.stdout),
                text(output.stderr),
            )
        }

        #[track_caller]
        fn refuses(&self, arguments: &[&str], status: i32, what: &str) {
            for shell in SHELLS {
                let (found, _, stderr) = self.install(shell, arguments);
                assert_eq!(found, Some(status), "{shell:?} {arguments:?}: {stderr}");
                let is_told = stderr.contains(what) && stderr.contains("\nhint: ");
                assert!(is_told, "{shell:?} {arguments:?}: {stderr}");
                assert!(
                    !self.path("home/.local").exists(),
                    "{shell:?} {arguments:?}"
                );
            }
        }
    }

    impl Drop for Release {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }

    #[test]
    fn every_shell_installs_from_a_directory() {
        let release = Release::new(&["linux-x64", "linux-arm64", "darwin-arm64"]);
        release.on("Darwin", "arm64");
        for shell in SHELLS {
            let (status, stdout, stderr) = release.install(shell, &["."]);
            assert_eq!((status, stderr.as_str()), (Some(0), ""), "{shell:?}");
            assert!(
                stdout.starts_with("installed codepod 1.2.3 darwin-arm64 in "),
                "{stdout}"
            );
            assert!(
                release
                    .path("home/.local/share/man/man1/codepod.1")
                    .exists()
            );
            std::fs::remove_dir_all(release.path("home")).unwrap();
        }
        let (status, _, stderr) = release.install(SHELLS[0], &["--prefix", "a b", "."]);
        assert_eq!(status, Some(0), "{stderr}");
        assert!(release.path("a b/bin/codepod").exists());
    }

    #[test]
    fn parts_that_lie_beside_the_archive_are_installed_or_those_that_are_named() {
        let release = Release::new(&["linux-x64-musl", "darwin-x64"]);
        for (part, platform) in [
            ("python", "linux-x64"),
            ("science", "linux-x64"),
            ("python", "darwin-x64"),
        ] {
            release.part(part, platform);
        }
        release.on("Linux", "x86_64");
        let python = "lib/codepod/python.part.zst";
        let science = "lib/codepod/science.part.zst";
        for shell in SHELLS {
            let (_, stdout, stderr) = release.install(shell, &["."]);
            assert!(stdout.contains("parts in"), "{shell:?} {stdout}{stderr}");
            assert!(release.installed(python) && release.installed(science));
            // What is not wanted any more is of another release, and goes.
            let (_, stdout, _) = release.install(shell, &["--parts", "python", "."]);
            assert!(
                stdout.contains("not installed: science"),
                "{shell:?} {stdout}"
            );
            assert!(release.installed(python) && !release.installed(science));
            let (_, stdout, _) = release.install(shell, &["--parts=none", "."]);
            assert!(stdout.contains("not installed: python,science"), "{stdout}");
            assert!(!release.installed(python) && !release.installed(science));
            let (_, stdout, _) = release.install(shell, &["--parts", "all", "."]);
            assert!(!stdout.contains("not installed"), "{stdout}");
            assert!(release.installed(python) && release.installed(science));
            std::fs::remove_dir_all(release.path("home")).unwrap();
        }
    }

    #[test]
    fn a_part_that_is_damaged_or_not_there_is_refused_and_nothing_is_left() {
        let release = Release::new(&["linux-x64"]);
        release.part("python", "linux-x64");
        release.on("Linux", "x86_64");
        release.refuses(&["--parts", "science", "."], 1, "no part `science`");
        release.refuses(&["--parts", ".*", "."], 1, "no part `.*`");
        release.refuses(&["--parts"], 2, "needs names");
        cache::write(&release.path("python-1.2.3-linux-x64.part.zst"), b"x").unwrap();
        release.refuses(&["."], 1, "is damaged");
        std::fs::remove_file(release.path("python-1.2.3-linux-x64.part.zst")).unwrap();
        release.refuses(&["--parts", "python", "."], 1, "cannot be had");
    }

    #[test]
    fn a_static_program_is_taken_where_there_is_no_other() {
        let release = Release::new(&["linux-x64-musl", "linux-arm64-musl"]);
        release.on("Linux", "aarch64");
        let (_, stdout, stderr) = release.install(SHELLS[0], &["."]);
        assert!(
            stdout.contains("1.2.3 linux-arm64-musl"),
            "{stdout}{stderr}"
        );
    }

    #[test]
    fn what_cannot_be_installed_is_refused_and_nothing_is_left() {
        let release = Release::new(&["linux-x64"]);
        release.on("Linux", "x86_64");
        release.refuses(&[], 2, "not said where");
        release.refuses(&["--nonsense", "."], 2, "`--nonsense`");
        release.refuses(&["a", "b"], 2, "`b` is a second place");
        release.refuses(&["http://example.org/x"], 1, "not an address that is safe");
        release.refuses(&["nowhere"], 1, "`nowhere` has no SHA256SUMS");
        release.refuses(
            &["--prefix", "/proc/no", "."],
            1,
            "`/proc/no` cannot be written to",
        );
        release.on("Darwin", "arm64");
        release.refuses(&["."], 1, "no archive for darwin-arm64");
        release.on("Plan9", "mips");
        release.refuses(&["."], 1, "no codepod for Plan9 on mips");
        release.on("Linux", "aarch64");
        release.refuses(&["."], 1, "linux-arm64-musl");
    }

    #[test]
    fn a_damaged_archive_and_two_releases_are_refused() {
        let release = Release::new(&["linux-x64"]);
        release.on("Linux", "x86_64");
        release.archive("codepod-1.2.4-linux-x64", "other");
        release.sum();
        release.refuses(&["."], 1, "several releases");
        std::fs::remove_file(release.path("codepod-1.2.4-linux-x64.tar.xz")).unwrap();
        release.sum();
        cache::write(&release.path("codepod-1.2.3-linux-x64.tar.xz"), b"x").unwrap();
        release.refuses(&["."], 1, "is damaged");
    }
}
