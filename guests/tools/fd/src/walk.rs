//! The walk: every entry that no rule leaves out, in order, to the screen or to commands.

use std::path::{Path, PathBuf};

use codepod_tool::Output;
use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;

use crate::settings::{Action, Settings};

/// So many results are sorted before the first is printed; with more they come as they are found.
const SORTED: usize = 1000;

/// Runs a search. Returns the status, or what is wrong with what was asked for.
pub(crate) fn run(settings: &Settings) -> Result<i32, String> {
    if let Some(base) = &settings.base {
        let shown = String::from_utf8_lossy(base);
        std::env::set_current_dir(codepod_tool::path(base))
            .map_err(|_| format!("The '--base-directory' path '{shown}' is not a directory."))?;
    }
    let mut roots = Vec::new();
    for path in &settings.paths {
        let root = codepod_tool::path(path);
        match root.is_dir() {
            true => roots.push(root.to_owned()),
            false => crate::say(&format!(
                "[fd error]: Search path '{}' is not a directory.",
                String::from_utf8_lossy(path)
            )),
        }
    }
    if roots.is_empty() && !settings.paths.is_empty() {
        return Err("No valid search paths given.".to_owned());
    }
    let here = settings.paths.is_empty();
    if here {
        roots.push(PathBuf::from("."));
    }
    let mut results = Results::new(settings, here);
    // Directories behind links are walked like roots, further down.
    let mut waiting: Vec<(PathBuf, usize)> = vec![];
    if walk(settings, &roots, 0, &mut results, &mut waiting)? {
        while let Some((root, depth)) = waiting.pop() {
            if !walk(settings, &[root], depth, &mut results, &mut waiting)? {
                break;
            }
        }
    }
    Ok(results.finish())
}

/// Walks directories that are `above` others; false when no more results are wanted.
fn walk(
    settings: &Settings,
    roots: &[PathBuf],
    above: usize,
    results: &mut Results<'_>,
    waiting: &mut Vec<(PathBuf, usize)>,
) -> Result<bool, String> {
    // The walk is depth first: what is below a directory comes right behind it.
    let mut pruned: Option<PathBuf> = None;
    for entry in builder(settings, roots, above)?.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                if settings.show_errors {
                    crate::say(&format!("[fd error]: {error}"));
                }
                continue;
            }
        };
        let (path, depth) = (entry.path(), entry.depth() + above);
        let below = pruned.as_ref().is_some_and(|top| path.starts_with(top));
        if entry.depth() == 0 || below {
            continue;
        }
        let mut kind = entry.file_type();
        if settings.follow
            && kind.is_some_and(|kind| kind.is_symlink())
            && let Ok(found) = std::fs::metadata(path)
        {
            // The engine's walk cannot follow: its crate knows no inodes on this target.
            kind = Some(found.file_type());
            if found.is_dir() {
                if leads_back(path) {
                    continue;
                }
                if settings.max_depth.is_none_or(|most| depth < most) {
                    waiting.push((path.to_owned(), depth));
                }
            }
        }
        if depth < settings.min_depth || !settings.filter.fits(path, || absolute(path), kind) {
            continue;
        }
        let directory = kind.is_some_and(|kind| kind.is_dir());
        if !results.add(path, directory) {
            return Ok(false);
        }
        if settings.prune && directory {
            pruned = Some(path.to_owned());
            waiting.retain(|(waits, _)| waits != path);
        }
    }
    Ok(true)
}

/// Whether a link leads to a directory that it is in, or is behind too many others.
fn leads_back(link: &Path) -> bool {
    let Some(target) = identity(link) else {
        return true;
    };
    let mut above =
        link.ancestors()
            .skip(1)
            .map(|directory| match directory.as_os_str().is_empty() {
                true => Path::new("."),
                false => directory,
            });
    above.any(|directory| identity(directory) == Some(target))
}

/// What a file is, whatever it is called: its device and its number there.
fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(target_os = "wasi")]
    {
        let bytes = path.as_os_str().as_encoded_bytes();
        let stat = codepod_sys::file::stat_path(bytes, codepod_sys::file::Links::Follow).ok()?;
        Some((stat.dev, stat.ino))
    }
    #[cfg(not(target_os = "wasi"))]
    {
        use std::os::unix::fs::MetadataExt as _;
        let found = std::fs::metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    }
}

fn builder(settings: &Settings, roots: &[PathBuf], above: usize) -> Result<WalkBuilder, String> {
    let mut builder = WalkBuilder::new(&roots[0]);
    for root in &roots[1..] {
        builder.add(root);
    }
    let vcs = settings.ignore && settings.ignore_vcs;
    builder
        .hidden(!settings.hidden)
        .ignore(settings.ignore)
        .parents(settings.ignore_parent && settings.ignore)
        .git_ignore(vcs)
        .git_global(vcs)
        .git_exclude(vcs)
        .same_file_system(settings.one_file_system)
        .max_depth(settings.max_depth.map(|most| most.saturating_sub(above)));
    if settings.ignore {
        builder.add_custom_ignore_filename(".fdignore");
    }
    let mut exclude = OverrideBuilder::new(".");
    for pattern in &settings.exclude {
        let added = exclude.add(&format!("!{pattern}"));
        added.map_err(|error| format!("Malformed exclude pattern: {error}"))?;
    }
    let exclude = exclude.build();
    builder.overrides(exclude.map_err(|_| "Mismatch in exclude patterns".to_owned())?);
    for file in &settings.ignore_files {
        let path = codepod_tool::path(file);
        if let Some(error) = builder.add_ignore(path) {
            crate::say(&format!(
                "[fd error]: Malformed pattern in custom ignore file: {error}."
            ));
        }
    }
    Ok(builder)
}

/// What was found.
struct Results<'a> {
    settings: &'a Settings,
    /// Whether the current directory is searched because no other was named.
    here: bool,
    kept: Vec<(PathBuf, bool)>,
    count: usize,
    streaming: bool,
    out: Output,
}

impl<'a> Results<'a> {
    fn new(settings: &'a Settings, here: bool) -> Results<'a> {
        Results {
            settings,
            here,
            kept: Vec::new(),
            count: 0,
            streaming: false,
            out: Output::new(),
        }
    }

    /// Takes a result; false when no more are wanted.
    fn add(&mut self, path: &Path, directory: bool) -> bool {
        self.count += 1;
        if self.settings.quiet {
            return false;
        }
        let prints = matches!(self.settings.action, Action::Print);
        match prints && self.streaming {
            true => self.print(path, directory),
            false => self.kept.push((path.to_owned(), directory)),
        }
        if prints && !self.streaming && self.kept.len() > SORTED {
            self.flush();
            self.streaming = true;
        }
        self.count < self.settings.most && !self.out.is_broken()
    }

    /// A result as it is shown.
    fn shown(&self, path: &Path) -> PathBuf {
        let settings = self.settings;
        if settings.absolute {
            return absolute(path);
        }
        let prints = matches!(settings.action, Action::Print) && !settings.print0;
        match self.here && (prints || settings.strip_prefix) {
            true => path.strip_prefix("./").unwrap_or(path).to_owned(),
            false => path.to_owned(),
        }
    }

    fn print(&mut self, path: &Path, directory: bool) {
        let shown = self.shown(path);
        self.out.put(shown.as_os_str().as_encoded_bytes());
        if directory {
            self.out.put(b"/");
        }
        let end = if self.settings.print0 { 0 } else { b'\n' };
        self.out.put_byte(end);
    }

    fn flush(&mut self) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort();
        for (path, directory) in kept {
            self.print(&path, directory);
        }
    }

    /// Shows or runs what is left. Returns the status.
    fn finish(mut self) -> i32 {
        if self.settings.quiet {
            return i32::from(self.count == 0);
        }
        let well = match &self.settings.action {
            Action::Print => {
                self.flush();
                self.out.finish().is_ok()
            }
            Action::Each(template) => {
                let paths = self.paths();
                paths.iter().filter(|path| !template.run(path)).count() == 0
            }
            Action::Batch(template, most) => {
                let paths = self.paths();
                paths.is_empty() || template.run_all(&paths, *most)
            }
        };
        i32::from(!well)
    }

    fn paths(&mut self) -> Vec<Vec<u8>> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort();
        let paths = kept.iter().map(|(path, _)| self.shown(path));
        paths
            .map(|path| path.into_os_string().into_encoded_bytes())
            .collect()
    }
}

/// A path from the root, without looking where links lead.
fn absolute(path: &Path) -> PathBuf {
    let path = path.strip_prefix("./").unwrap_or(path);
    match std::env::current_dir() {
        Ok(here) if path.as_os_str() == "." => here,
        Ok(here) => here.join(path),
        Err(_) => path.to_owned(),
    }
}
