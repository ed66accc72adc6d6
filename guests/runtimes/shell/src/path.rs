//! Finding programs along `PATH`.

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_sys::file::{self, Links, mode};

use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::text::Text;

/// What `command -p` searches.
pub const STANDARD: &[u8] = b"/bin:/usr/bin:/sbin:/usr/sbin:/etc:/usr/etc";

/// Whether a path leads to a file that is no directory.
pub fn is_file(path: &[u8]) -> bool {
    file::stat_path(path, Links::Follow)
        .is_ok_and(|stat| stat.mode & mode::TYPE_MASK != mode::DIRECTORY)
}

/// Whether a path leads to a directory.
pub fn is_directory(path: &[u8]) -> bool {
    file::stat_path(path, Links::Follow)
        .is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::DIRECTORY)
}

/// Whether a path leads to a file that can be executed.
pub fn is_program(path: &[u8]) -> bool {
    is_file(path) && file::access(path, Links::Follow, file::EXECUTE).is_ok()
}

/// The value of `PATH`.
pub fn variable(shell: &Shell) -> Option<Text> {
    let path = shell.state.variables.get(Name::PATH);
    path.scalar().cloned()
}

/// Each place in a list of directories (`a:b:c`) where a file of that name could be.
pub fn candidates<'a>(list: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = Vec<u8>> + 'a {
    list.split(|byte| *byte == b':').map(move |directory| {
        let directory = if directory.is_empty() {
            b"."
        } else {
            directory
        };
        let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
        [directory, slash, name].concat()
    })
}

/// The first program of that name in a list of directories; where there is none, the first file
/// that cannot be executed, so that running it says why.
pub fn search(list: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut other = None;
    for path in candidates(list, name) {
        if is_program(&path) {
            return Some(path);
        }
        if other.is_none() && is_file(&path) {
            other = Some(path);
        }
    }
    other
}

/// Where the program of a command is: the word itself if it has a slash, what is remembered
/// (`hash`), or what is found along `PATH`, which is remembered then. Counts a hit.
pub fn find(shell: &mut Shell, name: &[u8]) -> Option<Text> {
    if name.contains(&b'/') {
        return Some(Text::new(name));
    }
    if shell.state.hash.contains_key(name) {
        let checks = shell.state.shopt.has(ShellOptions::CHECKHASH)
            || shell.state.set.has(SetOptions::POSIX);
        let known = Rc::make_mut(&mut shell.state.hash);
        if let Some((path, hits)) = known.get_mut(name) {
            if !checks || is_program(path) {
                *hits = hits.saturating_add(1);
                return Some(path.clone());
            }
            known.remove(name);
        }
    }
    let path = Text::from(search(&variable(shell)?, name)?);
    if shell.state.set.has(SetOptions::HASHALL)
        && !shell
            .state
            .scopes
            .is_temporary(Name::PATH, &shell.state.variables)
    {
        Rc::make_mut(&mut shell.state.hash).insert(Text::new(name), (path.clone(), 1));
    }
    Some(path)
}

/// Counts that what is remembered was asked for.
pub fn count_hit(shell: &mut Shell, name: &[u8]) {
    if shell.state.hash.contains_key(name)
        && let Some((_, hits)) = Rc::make_mut(&mut shell.state.hash).get_mut(name)
    {
        *hits = hits.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_directory_is_the_current_one() {
        let all: Vec<_> = candidates(b"/bin::/opt/:x", b"ls").collect();
        assert_eq!(all, [&b"/bin/ls"[..], b"./ls", b"/opt/ls", b"x/ls"]);
    }
}
