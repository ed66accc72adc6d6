//! The base image: what a new sandbox finds on its disk. It is built once and shared by all.

use std::collections::BTreeMap;

use codepod_guests::Guest;
use codepod_vfs::Tree;

use crate::absent;
use crate::sessions::LANGUAGES;

const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh
user:x:1000:1000:user:/home/user:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
";
const GROUP: &str = "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n";
const OS_RELEASE: &str = "NAME=\"codepod\"\nID=codepod\nPRETTY_NAME=\"codepod\"\n";

/// What commands do, a line each, for `help`.
pub(crate) const COMMANDS: &str = "/usr/share/codepod/commands";

/// The tree with the commands of `guests` in `/usr/bin`.
pub(crate) fn base_image<'a>(guests: impl Iterator<Item = &'a Guest>, now: u64) -> Tree {
    let mut builder = Tree::builder().time(now).owner(0, 0);
    for path in [
        "/dev",
        "/etc",
        "/home",
        "/mnt",
        "/opt",
        "/proc",
        "/usr/bin",
        "/usr/lib",
        "/usr/local/bin",
        "/usr/sbin",
        "/usr/share/codepod",
        "/var/log",
    ] {
        builder = builder.dir(path.as_bytes(), 0o755);
    }
    builder = builder
        .dir(b"/root", 0o700)
        .dir(b"/tmp", 0o1777)
        .dir(b"/var/tmp", 0o1777)
        .symlink(b"/bin", b"usr/bin")
        .symlink(b"/lib", b"usr/lib")
        .symlink(b"/sbin", b"usr/sbin")
        .file(b"/etc/passwd", 0o644, PASSWD.as_bytes())
        .file(b"/etc/group", 0o644, GROUP.as_bytes())
        .file(b"/etc/hostname", 0o644, b"sandbox\n")
        .file(
            b"/etc/hosts",
            0o644,
            b"127.0.0.1 localhost\n127.0.1.1 sandbox\n",
        )
        .file(b"/etc/os-release", 0o644, OS_RELEASE.as_bytes());
    for language in LANGUAGES {
        builder = builder.dir(language.directory.as_bytes(), 0o1777);
    }
    let mut about = BTreeMap::new();
    for guest in guests {
        about.extend(guest.about.iter().copied());
        #[cfg(not(target_family = "wasm"))]
        for (path, bytes) in guest.files() {
            builder = builder.carried(path, 0o644, bytes);
        }
        for command in guest.commands {
            let path = format!("/usr/bin/{command}");
            // A tool is a small file that names its module: `ls`, `find`, copies and snapshots
            // treat it as what it is.
            let text = format!("#!codepod {} {command}\n", guest.name);
            builder = builder.file(path.as_bytes(), 0o755, text.as_bytes());
        }
    }
    let lines = about
        .iter()
        .map(|(command, what)| format!("{command}\t{what}\n"));
    let text = lines.collect::<String>();
    builder = builder
        .file(COMMANDS.as_bytes(), 0o644, text.as_bytes())
        .file(absent::PATH.as_bytes(), 0o644, absent::text().as_bytes());
    builder.owner(1000, 1000).dir(b"/home/user", 0o755).build()
}
