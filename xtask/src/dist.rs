//! `dist`: what is published, for one platform or more: the program in an archive, the wheels, the
//! npm packages, and their digests.

mod crates;
pub(crate) mod cross;
pub(crate) mod image;
mod installer;
mod kept;
mod machine_code;
mod program;
pub(crate) mod provenance;
pub(crate) mod sbom;

use std::path::{Path, PathBuf};

use self::crates::Workspace;
use self::kept::Step;
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
        others are linked with zig, and their machine code is compiled here. A platform takes a quarter of an hour;\n\
        what has not changed since an earlier call is taken from the cache.",
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
    let program = program::bring(platform, &guests, &parts)?;
    parts.retain(|part| !part.is_carried);
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
        let name = format!("{part}-{VERSION}-wasm.tar.zst");
        let mut step = Step::new(format!("portable-{part}"), include_str!("dist.rs"));
        for name in &names {
            step = step.file(&dist.join(name))?;
        }
        let kept = step.once(|into| {
            let zstd = format!("zstd --ultra {} -T0 --long=27", parts::LEVEL);
            let zstd = format!("--use-compress-program={zstd}");
            let options = ["--mode=u+w,go-w,a+rX", &zstd];
            tar(&dist, &options, &names, &into.join(&name))
        })?;
        copy(&kept.join(&name), &out.join(&name))?;
    }
    Ok(())
}

/// Packs the program with its completions, manual pages and documents, as it would lie in
/// `/usr/local`.
fn archive(platform: &Platform, program: &Path, out: &Path) -> Outcome {
    let name = format!("codepod-{VERSION}-{}", platform.name);
    let described = descriptions()?;
    let mut step = Step::new(
        format!("archive-{}", platform.name),
        include_str!("dist.rs"),
    )
    .text("name", &name)
    .text("xz", platform.xz_options())
    .file(program)?;
    let mut files = vec![(
        program.to_owned(),
        Path::new("bin").join(platform.program()),
    )];
    for file in cache::files(&described, &|_| true)? {
        step = step.file(&file)?;
        let to = file.strip_prefix(&described).unwrap_or(&file).to_owned();
        files.push((file, to));
    }
    for document in DOCUMENTS {
        let file = cache::in_root(document);
        step = step.file(&file)?;
        files.push((file, Path::new("share/doc/codepod").join(document)));
    }
    let archive = format!("{name}.tar.xz");
    let kept = step.once(|into| {
        let tree = into.join(&name);
        for (file, to) in &files {
            copy(file, &tree.join(to))?;
        }
        let xz = format!("--use-compress-program=xz {}", platform.xz_options());
        let options = ["--mode=u+w,go-w,a+rX", &xz];
        tar(into, &options, &[&name], &into.join(&archive))?;
        std::fs::remove_dir_all(&tree).map_err(|error| Failure::file("remove", &tree, error))
    })?;
    copy(&kept.join(&archive), &out.join(&archive))
}

/// Completions and manual pages, as they lie in `/usr/local`. They are the same on every platform,
/// and the program for this machine's writes them.
fn descriptions() -> Outcome<PathBuf> {
    let step = Step::new("descriptions".into(), include_str!("dist.rs"));
    step.sources("codepod-cli")?.once(|into| {
        let host = Platform::host()?;
        let guests = machine_code::bring(host)?;
        let program = program::bring(host, &guests, &parts::pack(&guests, true, host)?)?;
        for (shell, file) in COMPLETIONS {
            let program = process::program(&program);
            let text = program.args(["completions", shell]).output()?;
            cache::write(&into.join(file), text.as_bytes())?;
        }
        let pages = into.join("share/man/man1");
        process::program(program).arg("manual").arg(pages).run()
    })
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
