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
    // The walk is depth first: what is below a directory comes right behind it.
    let mut pruned: Option<PathBuf> = None;
    for entry in builder(settings, &roots)?.build() {
        let (path, depth, kind) = match entry {
            Ok(entry) => (entry.path().to_owned(), entry.depth(), entry.file_type()),
            Err(error) => match broken_link(&error) {
                Some(found) => found,
                None => {
                    if settings.show_errors {
                        crate::say(&format!("[fd error]: {error}"));
                    }
                    continue;
                }
            },
        };
        let below = pruned.as_ref().is_some_and(|top| path.starts_with(top));
        if depth == 0 || below || depth < settings.min_depth {
            continue;
        }
        if !settings.filter.fits(&path, || absolute(&path), kind) {
            continue;
        }
        let directory = kind.is_some_and(|kind| kind.is_dir());
        if !results.add(&path, directory) {
            break;
        }
        if settings.prune && directory {
            pruned = Some(path);
        }
    }
    Ok(results.finish())
}

/// With `-L` a link that leads nowhere is an error of the walk; it is an entry like others.
fn broken_link(error: &ignore::Error) -> Option<(PathBuf, usize, Option<std::fs::FileType>)> {
    let (mut error, mut depth, mut found) = (error, 0, None);
    loop {
        error = match error {
            ignore::Error::WithDepth { depth: at, err } => {
                depth = *at;
                err
            }
            ignore::Error::WithPath { path, err } => {
                found = Some(path.clone());
                err
            }
            _ => break,
        };
    }
    let path = found?;
    let kind = std::fs::symlink_metadata(&path).ok()?.file_type();
    kind.is_symlink().then_some((path, depth, Some(kind)))
}

fn builder(settings: &Settings, roots: &[PathBuf]) -> Result<WalkBuilder, String> {
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
        .follow_links(settings.follow)
        .same_file_system(settings.one_file_system)
        .max_depth(settings.max_depth);
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
                paths
                    .iter()
                    .fold(true, |all, path| template.run(path) && all)
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
