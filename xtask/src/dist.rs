//! `dist`: what is published, for one platform or more: the program in an archive, the wheels, the
//! npm packages, and their digests.

mod crates;
pub(crate) mod cross;
pub(crate) mod image;
mod installer;
mod machine_code;
mod program;
pub(crate) mod provenance;
pub(crate) mod sbom;

use std::path::Path;

use self::crates::Workspace;
use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};
use crate::parts;
use crate::platform::{PLATFORMS, Platform};
use crate::process;
use crate::sdk;
use crate::versions::VERSION;

pub(crate) const COMMAND: Command = Command {
    name: "dist",
    arguments: "[--all | PLATFORM…]",
    about: "make what is published, in dist: archives, wheels, npm packages, crates, their digests and origins",
    more: "The guests have to be built (`cargo xtask guests`). Without a name it is for this machine's platform; the\n\
        others are linked with zig, and their machine code is compiled here. A platform takes a quarter of an hour.",
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
    let (all, names) = flag_and_names(arguments, "--all", "dist")?;
    let platforms: Vec<&Platform> = match names[..] {
        [] if all => PLATFORMS.iter().collect(),
        [first, ..] if all => return Err(unknown_argument(first, "dist")),
        [] => vec![Platform::host()?],
        _ => names
            .into_iter()
            .map(Platform::named)
            .collect::<Outcome<_>>()?,
    };
    let out = cache::in_root("dist");
    let _ = std::fs::remove_dir_all(&out);
    cache::make_directory(&out)?;
    let mut workspace = Workspace::begin()?;
    for platform in &platforms {
        println!("\n== {}", platform.name);
        publish(platform, &mut workspace, &out)?;
    }
    workspace.pack(&out)?;
    publish_portable(&out)?;
    installer::write(&out)?;
    sbom::write(&out.join(sbom::file_name()))?;
    let named: Vec<&str> = platforms.iter().map(|platform| platform.name).collect();
    provenance::write(&out, &named)?;
    write_digests(&out)
}

/// Makes everything for a platform.
fn publish(platform: &Platform, workspace: &mut Workspace, out: &Path) -> Outcome {
    let guests = machine_code::bring(platform)?;
    let mut parts = parts::pack(&guests, true, platform)?;
    workspace.add(platform, &guests, &parts)?;
    parts.retain(|part| !part.is_carried);
    let program = program::build(platform, &guests)?;
    archive(platform, &program, out)?;
    if platform.target.contains("musl") {
        image::write(&program, out)?;
    }
    sdk::python::release_wheels(platform, &program, &parts, out)?;
    sdk::typescript::release_tarballs(platform, &program, &parts, out)?;
    for part in &parts {
        let name = format!("{}-{VERSION}-{}.part.zst", part.name, platform.of_parts());
        copy(&part.packed(), &out.join(name))?;
    }
    Ok(())
}

/// The parts without machine code, for platforms that there is none for, and for browsers.
fn publish_portable(out: &Path) -> Outcome {
    let dist = cache::in_root("guests/dist");
    for (part, files) in parts::portable(&dist)? {
        let mut names = vec!["guests.toml"];
        names.extend(files.iter().map(String::as_str));
        let file = out.join(format!("{part}-{VERSION}-wasm.tar.zst"));
        let zstd = format!("zstd --ultra {} -T0 --long=27", parts::LEVEL);
        let zstd = format!("--use-compress-program={zstd}");
        tar(&dist, &["--mode=u+w,go-w,a+rX", &zstd], &names, &file)?;
    }
    Ok(())
}

/// Packs the program with its completions, manual pages and documents, as it would lie in
/// `/usr/local`.
fn archive(platform: &Platform, program: &Path, out: &Path) -> Outcome {
    let name = format!("codepod-{VERSION}-{}", platform.name);
    let tree = out.join(&name);
    copy(program, &tree.join("bin").join(platform.program()))?;
    for (shell, file) in COMPLETIONS {
        let text = program_here().args(["completions", shell]).output()?;
        cache::write(&tree.join(file), text.as_bytes())?;
    }
    program_here()
        .arg("manual")
        .arg(tree.join("share/man/man1"))
        .run()?;
    for document in DOCUMENTS {
        let to = tree.join("share/doc/codepod").join(document);
        copy(&cache::in_root(document), &to)?;
    }
    let file = out.join(format!("{name}.tar.xz"));
    let xz = format!("--use-compress-program=xz {}", platform.xz_options());
    tar(out, &["--mode=u+w,go-w,a+rX", &xz], &[&name], &file)?;
    std::fs::remove_dir_all(&tree).map_err(|error| Failure::file("remove", &tree, error))
}

/// Packs files of a directory, with nothing of this machine.
fn tar(directory: &Path, options: &[&str], names: &[&str], file: &Path) -> Outcome {
    process::program("tar")
        .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .arg("--mtime=@0")
        .args(options)
        .arg("-cf")
        .arg(file)
        .arg("-C")
        .arg(directory)
        .args(names)
        .run()
}

/// The program as it runs here: that of another platform does not.
fn program_here() -> process::Process {
    process::cargo().args(["run", "--quiet", "--bin", "codepod", "--"])
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
        .filter_map(|file| Some(file.strip_prefix(out).ok()?.to_str()?.to_owned()))
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
