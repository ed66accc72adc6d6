//! Which file of an index to take: the wheel that runs anywhere.

use super::index_page::Link;
use super::lock_file::{Entry, Files};
use super::version::canonical;
use super::{hexadecimal, normal_name};

/// What the name of a wheel says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WheelName {
    /// The project, in normal form.
    pub name: String,
    /// The version, in canonical form.
    pub version: String,
    /// The number of the build, and what follows that.
    pub build: (u64, String),
    /// Whether it is for Python 3 on any machine: nothing of it was compiled.
    pub is_pure: bool,
}

impl WheelName {
    /// Reads the name of a file; `None` when that is no wheel.
    pub fn parse(file_name: &str) -> Option<WheelName> {
        let parts: Vec<&str> = file_name.strip_suffix(".whl")?.split('-').collect();
        let (name, version, build, tags) = match parts[..] {
            [name, version, python, abi, platform] => (name, version, "", [python, abi, platform]),
            [name, version, build, python, abi, platform] => {
                (name, version, build, [python, abi, platform])
            }
            _ => return None,
        };
        let end = build.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = build.split_at(end.unwrap_or(build.len()));
        let has = |tags: &str, tag: &str| tags.split('.').any(|own| own == tag);
        let [python, abi, platform] = tags;
        Some(WheelName {
            name: normal_name(name),
            version: canonical(version),
            build: (number.parse().unwrap_or(0), rest.to_owned()),
            is_pure: has(python, "py3") && has(abi, "none") && has(platform, "any"),
        })
    }
}

/// Whether a file is a wheel that could be taken for a package.
pub fn could_be(file_name: &str, entry: &Entry) -> bool {
    WheelName::parse(file_name).is_some_and(|wheel| {
        wheel.is_pure && wheel.name == entry.name && wheel.version == canonical(&entry.version)
    })
}

/// Why there is nothing to take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoWheel {
    /// There is no wheel that runs anywhere.
    #[error("there is no pure wheel (py3-none-any) of this version")]
    NotPure,
    /// The index names other digests than the lock file.
    #[error("the index names {file} by sha256 {found}, which is not in the lock file")]
    OtherDigest {
        /// The wheel.
        file: String,
        /// Its digest, as the index says.
        found: String,
    },
}

/// The wheel to take: of those with the highest build whose digest may be right, the first.
///
/// Fails when none is pure, and when the lock file names digests and none of the index's is among
/// them.
pub fn choose(links: impl IntoIterator<Item = Link>, entry: &Entry) -> Result<Link, NoWheel> {
    let digests = match &entry.files {
        Files::NotPure => return Err(NoWheel::NotPure),
        Files::Any => &[][..],
        Files::These(digests) => digests,
    };
    let version = canonical(&entry.version);
    let mut best: Option<((u64, String), Link)> = None;
    let mut other = None;
    for link in links {
        let Some(wheel) = WheelName::parse(&link.file_name()) else {
            continue;
        };
        if !wheel.is_pure || wheel.name != entry.name || wheel.version != version {
            continue;
        }
        match link.sha256 {
            Some(found) if !digests.is_empty() && !digests.contains(&found) => {
                other.get_or_insert_with(|| NoWheel::OtherDigest {
                    file: link.file_name(),
                    found: hexadecimal(&found),
                });
            }
            _ if best
                .as_ref()
                .is_some_and(|(build, _)| *build >= wheel.build) => {}
            _ => best = Some((wheel.build, link)),
        }
    }
    best.map(|(_, link)| link)
        .ok_or_else(|| other.unwrap_or(NoWheel::NotPure))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(file: &str, digest: Option<u8>) -> Link {
        Link {
            url: url::Url::parse(&format!("https://files.test/a/{file}")).unwrap(),
            sha256: digest.map(|byte| [byte; 32]),
        }
    }

    fn entry(files: Files) -> Entry {
        Entry {
            name: "one-two".into(),
            version: "1.0".into(),
            files,
            marker: None,
        }
    }

    #[test]
    fn only_what_runs_anywhere_is_taken() {
        let page = || {
            vec![
                link("one_two-1.0.tar.gz", None),
                link("one_two-1.0-cp313-cp313-manylinux_2_17_x86_64.whl", None),
                link("one_two-1.0-py2-none-any.whl", None),
                link("one_two-1.0-py3-none-win32.whl", None),
                link("one_two-1.1-py3-none-any.whl", None),
                link("other-1.0-py3-none-any.whl", None),
                link("one_two-1.0-py3-none-any.whl.metadata", None),
            ]
        };
        let taken = |more: &[&str]| {
            let more = more.iter().map(|file| link(file, None));
            let chosen = choose(page().into_iter().chain(more), &entry(Files::Any));
            chosen.map(|link| link.file_name())
        };
        assert_eq!(taken(&[]), Err(NoWheel::NotPure));
        for file in [
            "one_two-1.0-py3-none-any.whl",
            "One.Two-1-py2.py3-none-any.whl",
            "one_two-1.0.0-5-py3-none-any.whl",
        ] {
            assert_eq!(taken(&[file]).as_deref(), Ok(file));
        }
        let builds = ["", "-2", "-10b", "-10", "-9"];
        let builds = builds.map(|build| format!("one_two-1.0{build}-py3-none-any.whl"));
        let builds: Vec<&str> = builds.iter().map(String::as_str).collect();
        assert_eq!(
            taken(&builds).as_deref(),
            Ok("one_two-1.0-10b-py3-none-any.whl")
        );
        for file in [
            "",
            ".whl",
            "a-b.whl",
            "a-b-c-d-e-f-g.whl",
            "é-1-py3-none-any.wh",
        ] {
            assert_eq!(WheelName::parse(file), None, "{file}");
        }
    }

    // PK-02
    #[test]
    fn pk_02_a_wheel_that_the_lock_file_does_not_name_is_not_taken() {
        let file = "one_two-1.0-py3-none-any.whl";
        let of = |digests: &[u8]| {
            let these = digests.iter().map(|byte| [*byte; 32]).collect();
            entry(Files::These(these))
        };
        assert!(choose([link(file, Some(1))], &of(&[2, 1])).is_ok());
        assert!(
            choose([link(file, None)], &of(&[2])).is_ok(),
            "it is compared later"
        );
        assert_eq!(
            choose([link(file, Some(1))], &of(&[2])),
            Err(NoWheel::OtherDigest {
                file: file.into(),
                found: "01".repeat(32)
            })
        );
        let real = link("one_two-1.0-0-py3-none-any.whl", Some(2));
        assert_eq!(
            choose([link(file, Some(1)), real.clone()], &of(&[2])),
            Ok(real)
        );
        assert_eq!(
            choose([link(file, None)], &entry(Files::NotPure)),
            Err(NoWheel::NotPure)
        );
    }
}
