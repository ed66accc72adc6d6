//! The namespaces in a directory: which there are, and how much each takes.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::directory::{NAME, lock, make, note_name};
use crate::error::StoreError;
use crate::namespace::folder;

/// A namespace in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// Bytes that it takes.
    pub bytes: u64,
    /// When something was saved in it last.
    pub changed: SystemTime,
}

/// The namespaces in a directory, by name. None where the directory is not there. What is no
/// namespace is passed over, and so are those of older versions that nobody has opened since: their
/// names are not known.
pub fn namespaces(root: &Path) -> Result<Vec<Namespace>, StoreError> {
    let listed = match fs::read_dir(root) {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("list namespaces")(error)),
    };
    let mut found = Vec::new();
    for entry in listed {
        let entry = entry.map_err(StoreError::io("list namespaces"))?;
        let path = entry.path();
        let Ok(name) = fs::read_to_string(path.join(NAME)) else {
            continue;
        };
        // Only its own name is believed.
        if folder(&name).is_ok_and(|folder| *folder == *entry.file_name()) {
            let changed = fs::metadata(path.join("m")).and_then(|metadata| metadata.modified());
            found.push(Namespace {
                name,
                bytes: size(&path),
                changed: changed.unwrap_or(SystemTime::UNIX_EPOCH),
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Makes an empty namespace in a directory, unless it is there or `most` others are: whether it is
/// there now.
pub fn make_namespace(root: &Path, name: &str, most: usize) -> Result<bool, StoreError> {
    let path = root.join(folder(name)?);
    if path.is_dir() {
        return Ok(true);
    }
    make(root)?;
    let listed = fs::read_dir(root).map_err(StoreError::io("list namespaces"))?;
    let others = listed
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    if others.count() >= most {
        return Ok(false);
    }
    make(&path)?;
    note_name(&path, name)?;
    Ok(true)
}

/// Removes a namespace with all of its states; whether there was one. Fails with
/// [`StoreError::Locked`] while somebody has it.
pub fn remove_namespace(root: &Path, name: &str) -> Result<bool, StoreError> {
    let path = root.join(folder(name)?);
    if !path.is_dir() {
        return Ok(false);
    }
    let lock = lock(&path, name)?;
    // Under another name first: who opens it from now on finds nothing, not a half of it.
    let gone = root.join(format!("removed-{}", std::process::id()));
    let _ = fs::remove_dir_all(&gone);
    fs::rename(&path, &gone).map_err(StoreError::io("remove a namespace"))?;
    drop(lock);
    fs::remove_dir_all(&gone).map_err(StoreError::io("remove a namespace"))?;
    Ok(true)
}

/// Bytes of all files below a directory.
fn size(path: &Path) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions};

    #[test]
    fn namespaces_are_listed_counted_and_removed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().join("deep/states");
        assert_eq!(namespaces(&root).unwrap(), []);
        assert!(make_namespace(&root, "a/b", 2).unwrap());
        let store = Store::open(&root, "Other", StoreOptions::default()).unwrap();
        assert!(!make_namespace(&root, "third", 2).unwrap());
        assert!(make_namespace(&root, "a/b", 2).unwrap(), "it is there");
        let names = || -> Vec<String> {
            let found = namespaces(&root).unwrap();
            found.into_iter().map(|found| found.name).collect()
        };
        assert_eq!(names(), ["Other", "a/b"]);
        assert!(matches!(
            remove_namespace(&root, "Other"),
            Err(StoreError::Locked { .. })
        ));
        drop(store);
        assert!(remove_namespace(&root, "Other").unwrap());
        assert!(!remove_namespace(&root, "Other").unwrap());
        assert!(remove_namespace(&root, "../x").is_ok_and(|removed| !removed));
        assert_eq!(names(), ["a/b"]);
        // A folder that claims to be another is none.
        let folder = root.join(folder("a/b").unwrap());
        fs::write(folder.join(NAME), "victim").unwrap();
        assert_eq!(names(), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look_into_a_namespace() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let root = root.path().join("states");
        let path = root.join(folder("n").unwrap());
        // One that was open to others is closed.
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let store = Store::open(&root, "n", StoreOptions::default()).unwrap();
        let tree = codepod_vfs::Tree::builder()
            .file(b"/f", 0o644, b"text")
            .build();
        let state = crate::State {
            mounts: vec![crate::MountState {
                at: b"/",
                tree: &tree,
                base: None,
                overlay: false,
                seen: codepod_vfs::Seen::default(),
            }],
            shells: Vec::new(),
            image: [7; 32],
            now: 1,
        };
        store.save(&state).unwrap();
        let mut files = 0;
        let mut look = vec![path];
        while let Some(path) = look.pop() {
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            if path.is_dir() {
                assert_eq!(mode, 0o700, "{}", path.display());
                look.extend(
                    fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
            } else {
                assert_eq!(mode, 0o600, "{}", path.display());
                files += 1;
            }
        }
        assert!(files >= 4, "{files}");
    }
}
