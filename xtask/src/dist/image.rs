//! `image`: a container image with nothing in it but the program, as an archive of an OCI layout.
//!
//! It is put together here, without a daemon and without root. There is no time in it, so the same
//! program gives the same bytes. The program has to be static, because the image has no libraries;
//! it runs as nobody, and needs neither a home nor a place to write.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::tar;
use crate::Command;
use crate::cache;
use crate::digest::sha256_of;
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::process;
use crate::versions::VERSION;

pub(crate) const COMMAND: Command = Command {
    name: "image",
    arguments: "PROGRAM [DIRECTORY]",
    about: "put a static program into a container image (OCI archive), without a daemon",
    more: "Without DIRECTORY it goes to dist, as codepod-VERSION-PLATFORM.oci.tar. `cargo xtask dist` makes it for\n\
        platforms with musl.",
    run,
};

/// The user and group that nobody is.
const USER: &str = "65534:65534";

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

fn run(arguments: &[String]) -> Outcome {
    if let Some(option) = arguments.iter().find(|it| it.starts_with('-')) {
        return Err(unknown_argument(option, "image"));
    }
    let (program, out) = match arguments {
        [program] => (program, "dist"),
        [program, out] => (program, out.as_str()),
        [_, _, other, ..] => return Err(unknown_argument(other, "image")),
        [] => {
            return Err(Failure::usage(
                "`image` needs a program",
                "name a static build of codepod",
            ));
        }
    };
    write(&cache::in_root(program), &cache::in_root(out)).map(drop)
}

/// Makes the image of a program; its file.
pub(crate) fn write(program: &Path, out: &Path) -> Outcome<PathBuf> {
    let bytes = std::fs::read(program).map_err(|error| Failure::file("read", program, error))?;
    let machine = Machine::of(&bytes).map_err(|why| Failure::file("use", program, why))?;
    cache::make_directory(out)?;
    let file = out.join(format!("codepod-{VERSION}-linux-{}.oci.tar", machine.ours));
    let work = out.join(format!("image.{}.tmp", std::process::id()));
    let _ = std::fs::remove_dir_all(&work);
    let made = pack(&bytes, &machine, &work, &file);
    let _ = std::fs::remove_dir_all(&work);
    made?;
    println!("image: {}", file.display());
    Ok(file)
}

/// A processor: what we call it, and what images call it.
struct Machine {
    ours: &'static str,
    images: &'static str,
}

impl Machine {
    /// The processor of a static program for Linux; or why it is none.
    fn of(program: &[u8]) -> Result<Machine, &'static str> {
        let number = |at: usize| {
            let bytes = program.get(at..at + 2)?;
            Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
        };
        let cut = "it is cut off";
        // 64 bits, little-endian.
        if !program.starts_with(b"\x7fELF\x02\x01") {
            return Err("not a program for Linux of 64 bits");
        }
        let machine = match number(18).ok_or(cut)? {
            0x3e => Machine {
                ours: "x64",
                images: "amd64",
            },
            0xb7 => Machine {
                ours: "arm64",
                images: "arm64",
            },
            _ => return Err("it is for a processor that there are no images for"),
        };
        let headers = program.get(32..40).ok_or(cut)?;
        let headers = u64::from_le_bytes(headers.try_into().map_err(|_| cut)?);
        let headers = usize::try_from(headers).map_err(|_| cut)?;
        let (size, count) = (number(54).ok_or(cut)?, number(56).ok_or(cut)?);
        for index in 0..count {
            let at = headers.checked_add(index * size).ok_or(cut)?;
            // A segment of type 3 names the loader, which the image does not have.
            if number(at.min(program.len())).ok_or(cut)? == 3 {
                return Err(
                    "it needs shared libraries, which the image does not have: build it for a target with musl",
                );
            }
        }
        Ok(machine)
    }
}

fn pack(program: &[u8], machine: &Machine, work: &Path, file: &Path) -> Outcome {
    let root = work.join("root");
    cache::write(&root.join("codepod"), program)?;
    let layer = work.join("layer.tar");
    tar(
        &root,
        &["--format=ustar", "--mode=0755"],
        &["codepod"],
        &layer,
    )?;
    let unpacked = sha256_of(&layer)?;
    process::program("gzip")
        .args(["--no-name", "-9"])
        .arg(&layer)
        .run()?;
    let layout = work.join("layout");
    let layer = blob(&layout, &layer.with_extension("tar.gz"), LAYER)?;
    let config = written_blob(&layout, &config(machine, &unpacked), CONFIG)?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": config,
        "layers": [layer],
        "annotations": labels(),
    });
    let mut manifest = written_blob(&layout, &manifest, MANIFEST)?;
    manifest["platform"] = json!({ "os": "linux", "architecture": machine.images });
    manifest["annotations"] = json!({ "org.opencontainers.image.ref.name": VERSION });
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest] });
    cache::write(&layout.join("index.json"), index.to_string().as_bytes())?;
    let version = json!({ "imageLayoutVersion": "1.0.0" });
    cache::write(&layout.join("oci-layout"), version.to_string().as_bytes())?;
    tar(
        &layout,
        &["--format=ustar", "--mode=u=rwX,go=rX"],
        &["oci-layout", "index.json", "blobs"],
        file,
    )
}

/// How the program is started.
fn config(machine: &Machine, layer: &str) -> Value {
    json!({
        "architecture": machine.images,
        "os": "linux",
        "config": {
            "User": USER,
            "Entrypoint": ["/codepod"],
            "WorkingDir": "/",
            "Labels": labels(),
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer}")] },
        "history": [{ "created_by": "cargo xtask image" }],
    })
}

fn labels() -> Value {
    json!({
        "org.opencontainers.image.title": "codepod",
        "org.opencontainers.image.version": VERSION,
        "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
        "org.opencontainers.image.source": env!("CARGO_PKG_REPOSITORY"),
    })
}

/// Moves a file into a layout under its digest; what names it there.
fn blob(layout: &Path, file: &Path, kind: &str) -> Outcome<Value> {
    let digest = sha256_of(file)?;
    let size = file
        .metadata()
        .map_err(|error| Failure::file("read", file, error))?;
    let place = layout.join("blobs/sha256").join(&digest);
    cache::make_directory(&layout.join("blobs/sha256"))?;
    std::fs::rename(file, &place).map_err(|error| Failure::file("create", &place, error))?;
    Ok(json!({ "mediaType": kind, "digest": format!("sha256:{digest}"), "size": size.len() }))
}

/// Writes JSON into a layout under its digest; what names it there.
fn written_blob(layout: &Path, content: &Value, kind: &str) -> Outcome<Value> {
    let file = layout.join("blob.json");
    cache::write(&file, content.to_string().as_bytes())?;
    blob(layout, &file, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a program with one segment.
    fn program(machine: u8, segment: u8) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18] = machine;
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = segment;
        bytes
    }

    fn refusal(bytes: &[u8]) -> &'static str {
        Machine::of(bytes).err().unwrap_or_default()
    }

    #[test]
    fn the_processor_is_that_of_the_program() {
        assert_eq!(Machine::of(&program(0x3e, 1)).unwrap().images, "amd64");
        assert_eq!(Machine::of(&program(0xb7, 1)).unwrap().ours, "arm64");
        assert!(refusal(&program(0x28, 1)).contains("processor"));
    }

    #[test]
    fn what_is_not_static_or_no_program_is_refused() {
        assert!(refusal(&program(0x3e, 3)).contains("musl"));
        assert!(refusal(b"#!/bin/sh").contains("not a program"));
        assert!(refusal(&program(0x3e, 1)[..40]).contains("cut off"));
        let mut far = program(0x3e, 1);
        far[32..40].fill(0xff);
        assert!(refusal(&far).contains("cut off"));
    }

    #[test]
    fn an_image_is_the_same_each_time_and_its_blobs_have_their_digests() {
        let work = std::env::temp_dir().join(format!("codepod-image-{}", std::process::id()));
        let static_program = work.join("program");
        cache::write(&static_program, &program(0x3e, 1)).unwrap();
        let first = write(&static_program, &work.join("a")).unwrap();
        let second = write(&static_program, &work.join("b")).unwrap();
        assert_eq!(sha256_of(&first).unwrap(), sha256_of(&second).unwrap());
        let layout = work.join("layout");
        cache::make_directory(&layout).unwrap();
        let unpack = process::program("tar").arg("-xf").arg(&first).arg("-C");
        unpack.arg(&layout).run().unwrap();
        let blobs = cache::files(&layout.join("blobs/sha256"), &|_| true).unwrap();
        assert_eq!(blobs.len(), 3);
        for blob in blobs {
            let name = blob.file_name().unwrap().to_str().unwrap();
            assert_eq!(sha256_of(&blob).unwrap(), name);
        }
        let index = cache::read(&layout.join("index.json")).unwrap();
        assert!(index.contains("\"architecture\":\"amd64\""), "{index}");
        std::fs::remove_dir_all(work).unwrap();
    }
}
