//! `provenance`: from what, by what and how the files of a release were made, as an in-toto
//! statement with SLSA's predicate.
//!
//! The statement is not signed: it says what to check, and the workflow has it attested. It has no
//! times and no numbers of runs, so that the same commit gives the same bytes.

use std::path::Path;

use serde_json::{Value, json};

use crate::Command;
use crate::cache;
use crate::digest::sha256_of;
use crate::failure::{Failure, Outcome, flag_and_names};
use crate::guests;
use crate::process;
use crate::sizes::NOT_SHIPPED;
use crate::versions::VERSION;

pub(crate) const COMMAND: Command = Command {
    name: "provenance",
    arguments: "[PLATFORM…]",
    about: "say how the files of dist were made (in-toto statement, SLSA provenance)",
    more: "The platforms are those that `cargo xtask dist` was called with, which writes the statement as well, as\n\
        codepod-VERSION.provenance.json.",
    run,
};

/// The digests of all files, which cannot be among what they are of.
pub(crate) const SUMS: &str = "SHA256SUMS";

/// Our own files that decide what is built.
const MATERIALS: [&str; 3] = ["Cargo.lock", "guests/Cargo.lock", "rust-toolchain.toml"];

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

fn run(arguments: &[String]) -> Outcome {
    let (_, platforms) = flag_and_names(arguments, "", "provenance")?;
    write(&cache::in_root("dist"), &platforms)
}

fn file_name() -> String {
    format!("codepod-{VERSION}.provenance.json")
}

/// Writes the statement about the files of a directory, which are for these platforms, into it.
pub(crate) fn write(directory: &Path, platforms: &[&str]) -> Outcome {
    let own = file_name();
    let is_subject = |path: &Path| {
        path.file_name()
            .is_none_or(|name| name != SUMS && *name != *own)
    };
    let files = cache::files(directory, &is_subject)?;
    if files.is_empty() {
        return Err(
            Failure::new(format!("`{}` has no files", directory.display()))
                .hint("`cargo xtask dist` makes them"),
        );
    }
    let subjects = files.iter().map(|file| subject(directory, file));
    let subjects = subjects.collect::<Outcome<Vec<_>>>()?;
    let dist = format!("cargo xtask dist {}", platforms.join(" "));
    let statement = statement(
        &subjects,
        &Commit::here()?,
        dist.trim_end(),
        &builder(variable),
        &materials()?,
    );
    let file = directory.join(own);
    let text = serde_json::to_string_pretty(&statement)
        .map_err(|error| Failure::file("write", &file, error))?;
    println!("provenance: {}", file.display());
    cache::write(&file, format!("{text}\n").as_bytes())
}

fn subject(directory: &Path, file: &Path) -> Outcome<Value> {
    let name = file.strip_prefix(directory).unwrap_or(file);
    Ok(json!({ "name": name.display().to_string(), "digest": { "sha256": sha256_of(file)? } }))
}

/// The commit that is built.
struct Commit {
    hash: String,
    /// Whether files differ from it.
    is_changed: bool,
}

impl Commit {
    fn here() -> Outcome<Commit> {
        let git = |arguments: &[&str]| {
            let git = process::program("git").args(arguments);
            git.hint("a release is built from a checkout of the repository")
                .output()
        };
        let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
        if !changed.is_empty() {
            eprintln!(
                "provenance: the checkout has uncommitted changes, and the statement says so"
            );
        }
        Ok(Commit {
            hash: git(&["rev-parse", "HEAD"])?.trim().to_owned(),
            is_changed: !changed.is_empty(),
        })
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Who builds: a workflow by its file and tag, or a person, by the page that says how.
fn builder(variable: impl Fn(&str) -> Option<String>) -> String {
    match (
        variable("GITHUB_SERVER_URL"),
        variable("GITHUB_WORKFLOW_REF"),
    ) {
        (Some(server), Some(workflow)) => format!("{server}/{workflow}"),
        _ => format!("{REPOSITORY}/blob/main/docs/releasing.md#by-hand"),
    }
}

/// What decides the result beside the commit: files of ours by their digests, and the archives that
/// guests are built from.
fn materials() -> Outcome<Vec<Value>> {
    let material = |uri: &str, sha256: &str| json!({ "uri": uri, "digest": { "sha256": sha256 } });
    let mut all = Vec::new();
    for file in MATERIALS {
        all.push(material(file, &sha256_of(&cache::in_root(file))?));
    }
    let guests = guests::shipped(&NOT_SHIPPED)?;
    let sources = guests.iter().flat_map(|guest| &guest.sources);
    let mut archives: Vec<_> = sources.flat_map(|source| source.archives()).collect();
    archives.sort();
    archives.dedup();
    all.extend(archives.iter().map(|(uri, sha256)| material(uri, sha256)));
    Ok(all)
}

fn statement(
    subjects: &[Value],
    commit: &Commit,
    dist: &str,
    builder: &str,
    materials: &[Value],
) -> Value {
    let mut source = json!({
        "uri": format!("git+{REPOSITORY}"),
        "digest": { "gitCommit": commit.hash },
    });
    if commit.is_changed {
        source["annotations"] = json!({ "uncommittedChanges": true });
    }
    let dependencies: Vec<&Value> = std::iter::once(&source).chain(materials).collect();
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": format!("{REPOSITORY}/blob/main/docs/releasing.md#what-is-built"),
                "externalParameters": {
                    "source": format!("git+{REPOSITORY}@{}", commit.hash),
                    "commands": ["cargo xtask setup", "cargo xtask guests", dist],
                },
                "resolvedDependencies": dependencies,
            },
            "runDetails": { "builder": { "id": builder } },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflow_is_named_by_its_file_and_tag() {
        let of = |name: &str| match name {
            "GITHUB_SERVER_URL" => Some("https://example.org".to_owned()),
            "GITHUB_WORKFLOW_REF" => Some("a/b/.github/workflows/release.yml@refs/tags/v1".into()),
            _ => None,
        };
        let workflow = "https://example.org/a/b/.github/workflows/release.yml@refs/tags/v1";
        assert_eq!(builder(of), workflow);
        assert!(builder(|_| None).ends_with("#by-hand"));
    }

    #[test]
    fn uncommitted_changes_are_told() {
        let of = |is_changed| {
            let commit = Commit {
                hash: "aa".into(),
                is_changed,
            };
            statement(&[], &commit, "cargo xtask dist", "b", &[]).to_string()
        };
        assert!(of(true).contains("uncommittedChanges"));
        assert!(!of(false).contains("uncommittedChanges"));
        assert!(of(false).contains("\"gitCommit\":\"aa\""));
    }

    #[test]
    fn a_directory_has_a_statement_about_its_files_and_not_about_itself() {
        let directory = std::env::temp_dir().join(format!("codepod-slsa-{}", std::process::id()));
        cache::write(&directory.join("a"), b"abc").unwrap();
        cache::write(&directory.join(SUMS), b"").unwrap();
        write(&directory, &["linux-x64"]).unwrap();
        let statement = directory.join(file_name());
        let first = cache::read(&statement).unwrap();
        write(&directory, &["linux-x64"]).unwrap();
        assert_eq!(cache::read(&statement).unwrap(), first);
        let parsed: Value = serde_json::from_str(&first).unwrap();
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let subject = json!([{ "name": "a", "digest": { "sha256": digest } }]);
        assert_eq!(parsed["subject"], subject);
        assert!(first.contains("cargo xtask dist linux-x64"));
        assert!(first.contains("pkg:pypi/numpy@") && first.contains("guests/Cargo.lock"));
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn an_empty_directory_is_refused() {
        let failure = write(Path::new("/nonexistent"), &[])
            .unwrap_err()
            .to_string();
        assert!(failure.contains("has no files"), "{failure}");
    }
}
