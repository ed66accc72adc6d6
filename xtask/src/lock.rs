//! What a package is built from, according to a `Cargo.lock`.

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use crate::cache;
use crate::failure::{Failure, Outcome};

/// A package in a lock file.
#[derive(Debug)]
struct Locked {
    name: String,
    version: String,
    /// Where it comes from; none for a package of the workspace or of a path.
    source: Option<String>,
    checksum: Option<String>,
    /// `NAME`, `NAME VERSION` or `NAME VERSION (SOURCE)`.
    dependencies: Vec<String>,
}

/// A lock file.
#[derive(Debug)]
pub(crate) struct Lock {
    packages: BTreeMap<String, Vec<Locked>>,
}

/// A package and all that it depends on, in a fixed order.
#[derive(Debug, Default)]
pub(crate) struct Closure {
    /// Packages without a source: those whose files lie in the checkout.
    pub(crate) local: Vec<String>,
    /// The others, each as a line that names its content.
    pub(crate) foreign: Vec<String>,
}

impl Lock {
    /// Reads a lock file.
    pub(crate) fn read(file: &Path) -> Outcome<Lock> {
        Lock::parse(&cache::read(file)?)
            .ok_or_else(|| Failure::file("use", file, "not a lock file that xtask knows"))
    }

    /// The SHA-256 of a package of a registry.
    pub(crate) fn checksum(&self, name: &str, version: &str) -> Option<&str> {
        self.find(&format!("{name} {version}"))?.checksum.as_deref()
    }

    /// Reads a lock file's text; none when it has another form than cargo writes.
    fn parse(text: &str) -> Option<Lock> {
        let table: Table = text.parse().ok()?;
        let mut packages: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
        for value in table.get("package")?.as_array()? {
            let package = locked(value)?;
            packages
                .entry(package.name.clone())
                .or_default()
                .push(package);
        }
        Some(Lock { packages })
    }

    /// Everything that a package of the workspace is built from, itself included.
    pub(crate) fn closure(&self, package: &str) -> Closure {
        let mut seen: BTreeMap<(&str, &str), &Locked> = BTreeMap::new();
        let mut waiting: Vec<&Locked> = self.find(package).into_iter().collect();
        while let Some(package) = waiting.pop() {
            if seen
                .insert((&package.name, &package.version), package)
                .is_none()
            {
                let dependencies = package.dependencies.iter();
                waiting.extend(dependencies.filter_map(|named| self.find(named)));
            }
        }
        let mut closure = Closure::default();
        for package in seen.into_values() {
            match &package.source {
                None => closure.local.push(package.name.clone()),
                Some(source) => closure.foreign.push(format!(
                    "{} {} {source} {}",
                    package.name,
                    package.version,
                    package.checksum.as_deref().unwrap_or("-")
                )),
            }
        }
        closure
    }

    fn find(&self, named: &str) -> Option<&Locked> {
        let mut parts = named.split(' ');
        let candidates = self.packages.get(parts.next()?)?;
        match parts.next() {
            None => candidates.first(),
            Some(version) => candidates.iter().find(|package| package.version == version),
        }
    }
}

fn locked(value: &Value) -> Option<Locked> {
    let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let dependencies = match value.get("dependencies") {
        Some(list) => list
            .as_array()?
            .iter()
            .map(|item| Some(item.as_str()?.to_owned()))
            .collect::<Option<_>>()?,
        None => Vec::new(),
    };
    Some(Locked {
        name: text("name")?,
        version: text("version")?,
        source: text("source"),
        checksum: text("checksum"),
        dependencies,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
        [[package]]
        name = "tool"
        version = "0.1.0"
        dependencies = ["lib", "twice 2.0.0"]
        [[package]]
        name = "lib"
        version = "0.1.0"
        dependencies = ["tool"]
        [[package]]
        name = "twice"
        version = "1.0.0"
        source = "registry"
        checksum = "aa"
        [[package]]
        name = "twice"
        version = "2.0.0"
        source = "registry"
        checksum = "bb"
        [[package]]
        name = "unrelated"
        version = "1.0.0"
        source = "registry"
    "#;

    #[test]
    fn a_closure_has_what_is_reached_and_nothing_else() {
        let closure = Lock::parse(LOCK).unwrap().closure("tool");
        assert_eq!(closure.local, ["lib", "tool"]);
        assert_eq!(closure.foreign, ["twice 2.0.0 registry bb"]);
    }

    #[test]
    fn a_checksum_is_that_of_the_version() {
        let lock = Lock::parse(LOCK).unwrap();
        assert_eq!(lock.checksum("twice", "2.0.0"), Some("bb"));
        assert_eq!(lock.checksum("tool", "0.1.0"), None);
    }

    #[test]
    fn a_package_that_is_not_there_has_an_empty_closure() {
        let closure = Lock::parse(LOCK).unwrap().closure("nobody");
        assert!(closure.local.is_empty() && closure.foreign.is_empty());
    }
}
