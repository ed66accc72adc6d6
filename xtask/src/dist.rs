//! `dist`: what is published, for this machine's platform: the program in an archive, the wheels,
//! the npm packages, and their digests.

pub(crate) mod image;
mod installer;
pub(crate) mod platform;
pub(crate) mod provenance;
pub(crate) mod sbom;

use std::path::{Path, PathBuf};

use self::platform::Platform;
use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, no_arguments};
use crate::parts;
use crate::process;
use crate::sdk;
use crate::versions::VERSION;

pub(crate) const COMMAND: Command = Command {
    name: "dist",
    arguments: "",
    about: "make what is published, in dist: the archive, wheels, npm packages, their digests and origins",
    more: "The guests have to be built (`cargo xtask guests`). It takes a quarter of an hour, most of it linking.",
    run,
};

/// Files of the checkout that every archive has.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "THIRD-PARTY-NOTICES",
];

/// Shells that completions are made for, and the names of their files.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/codepod"),
    ("zsh", "share/zsh/site-functions/_codepod"),
    ("fish", "share/fish/vendor_completions.d/codepod.fish"),
];

fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments, "dist")?;
    let out = cache::in_root("dist");
    let _ = std::fs::remove_dir_all(&out);
    cache::make_directory(&out)?;
    let platform = platform::host()?;
    let parts = parts::pack(true)?;
    let program = build_program()?;
    archive(platform, &program, &out)?;
    sdk::python::release_wheels(platform, &program, &parts, &out)?;
    sdk::typescript::release_tarballs(platform, &program, &parts, &out)?;
    for part in &parts {
        copy(&part.packed(), &out.join(part.file_name()))?;
    }
    if platform.target.contains("musl") {
        image::write(&program, &out)?;
    }
    installer::write(&out)?;
    sbom::write(&out.join(sbom::file_name()))?;
    provenance::write(&out)?;
    write_digests(&out)
}

/// The program as it is shipped, with the core in it.
fn build_program() -> Outcome<PathBuf> {
    process::cargo()
        .args(["build", "--profile", "dist", "--bin", "codepod"])
        .args(["--features", "codepod-cli/embed"])
        .args(["--config", "profile.dist.strip='symbols'"])
        .run()?;
    Ok(cache::target().join("dist/codepod"))
}

/// Packs the program with its completions, manual pages and documents, as it would lie in
/// `/usr/local`.
fn archive(platform: &Platform, program: &Path, out: &Path) -> Outcome {
    let name = format!("codepod-{VERSION}-{}", platform.name);
    let tree = out.join(&name);
    copy(program, &tree.join("bin/codepod"))?;
    for (shell, file) in COMPLETIONS {
        let text = process::program(program)
            .args(["completions", shell])
            .output()?;
        cache::write(&tree.join(file), text.as_bytes())?;
    }
    process::program(program)
        .arg("manual")
        .arg(tree.join("share/man/man1"))
        .run()?;
    for document in DOCUMENTS {
        let to = tree.join("share/doc/codepod").join(document);
        copy(&cache::in_root(document), &to)?;
    }
    process::program("tar")
        .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .args(["--mtime=@0", "--mode=u+w,go-w,a+rX", "--xz", "-cf"])
        .arg(out.join(format!("{name}.tar.xz")))
        .arg("-C")
        .args([out, Path::new(&name)])
        .run()?;
    std::fs::remove_dir_all(&tree).map_err(|error| Failure::file("remove", &tree, error))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    if let Some(above) = to.parent() {
        cache::make_directory(above)?;
    }
    std::fs::copy(from, to)
        .map(drop)
        .map_err(|error| Failure::file("copy", from, error))
}

/// `SHA256SUMS`, and the sizes for the person who looks.
fn write_digests(out: &Path) -> Outcome {
    let mut files: Vec<String> = cache::files(out, &|_| true)?
        .iter()
        .filter_map(|file| Some(file.file_name()?.to_str()?.to_owned()))
        .collect();
    files.sort();
    for name in &files {
        let bytes = out.join(name).metadata().map_or(0, |it| it.len());
        println!("{:>8} KB  {name}", bytes / 1000);
    }
    let sums = process::program("sha256sum")
        .args(&files)
        .directory(out)
        .output()?;
    cache::write(&out.join(provenance::SUMS), sums.as_bytes())
}
