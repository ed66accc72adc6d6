/*!
codepod: what the crate `same-file` is for on other systems.

It knows no WASI, so the walker can neither follow symbolic links nor leave out
the file that standard output goes to. Both are done here, by device and number
of a file.
*/

use std::path::Path;

use crate::flags::HiArgs;

/// How many links may be followed on the way to a file.
const DEEPEST: usize = 40;

/// Device and number of what a path leads to.
#[cfg(target_os = "wasi")]
fn id(path: &Path) -> Option<(u64, u64)> {
    use std::os::wasi::ffi::OsStrExt;

    let bytes = path.as_os_str().as_bytes();
    let follow = codepod_sys::file::Links::Follow;
    let stat = codepod_sys::file::stat_path(bytes, follow).ok()?;
    Some((stat.dev, stat.ino))
}

/// Device and number of what a path leads to.
#[cfg(not(target_os = "wasi"))]
fn id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    let meta = std::fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

/// The file that standard output goes to, if it is one.
pub(crate) struct OwnOutput(Option<(u64, u64)>);

impl OwnOutput {
    /// Looks at standard output.
    pub(crate) fn new() -> OwnOutput {
        #[cfg(target_os = "wasi")]
        {
            let stat = codepod_sys::file::stat_open(codepod_sys::Fd::STDOUT);
            let stat = stat.ok().filter(|stat| stat.mode >> 12 == 0o10);
            OwnOutput(stat.map(|stat| (stat.dev, stat.ino)))
        }
        // Elsewhere the walker itself leaves it out.
        #[cfg(not(target_os = "wasi"))]
        OwnOutput(None)
    }

    /// Whether a path leads to it.
    pub(crate) fn is(&self, path: &Path) -> bool {
        self.0.is_some() && self.0 == id(path)
    }
}

/// Walks the paths that were asked for, and through links where that was
/// asked for, too.
pub(crate) struct Walk<'a> {
    args: &'a HiArgs,
    /// The walkers on the way; the last one goes on.
    open: Vec<Walker>,
}

struct Walker {
    walk: ignore::Walk,
    /// How deep its root is.
    depth: usize,
}

impl<'a> Walk<'a> {
    /// Begins. Fails with what the arguments make impossible.
    pub(crate) fn new(args: &'a HiArgs) -> anyhow::Result<Walk<'a>> {
        let walk = args.walk_builder()?.build();
        let first = Walker { walk, depth: 0 };
        Ok(Walk {
            args,
            open: vec![first],
        })
    }

    /// Goes through a link; the entry itself where it leads to no directory.
    fn enter(&mut self, path: &Path, depth: usize) -> Option<ignore::Error> {
        let target = id(path)?;
        if path.is_dir() {
            for above in path.ancestors().skip(1) {
                let above = match above.as_os_str().is_empty() {
                    true => Path::new("."),
                    false => above,
                };
                if id(above) == Some(target) {
                    return Some(ignore::Error::Loop {
                        ancestor: above.to_path_buf(),
                        child: path.to_path_buf(),
                    });
                }
            }
        }
        if self.open.len() > DEEPEST {
            return None;
        }
        match self.args.walk_builder_at(path, depth) {
            Ok(Some(builder)) => {
                let walk = builder.build();
                self.open.push(Walker { walk, depth });
                None
            }
            Ok(None) | Err(_) => None,
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<ignore::DirEntry, ignore::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let walker = self.open.last_mut()?;
            let outer = walker.depth;
            let Some(next) = walker.walk.next() else {
                self.open.pop();
                continue;
            };
            let Ok(entry) = next else { return Some(next) };
            let link = entry.file_type().is_some_and(|kind| kind.is_symlink());
            let root = entry.depth() == 0;
            if self.args.follows() && link && !root {
                let path = entry.path().to_path_buf();
                let depth = outer + entry.depth();
                if let Some(error) = self.enter(&path, depth) {
                    return Some(Err(error));
                }
                continue;
            }
            return Some(Ok(entry));
        }
    }
}
