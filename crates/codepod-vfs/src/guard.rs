//! Guarded paths: files of a project that programs of the host run or obey, so that changing one is
//! as good as leaving the sandbox with the user's help: git's hooks and settings, what editors,
//! agents and shells read when they start.
//!
//! A mount that is written to refuses to change them; an overlay takes changes and hands them down
//! only if that is asked for by name. Links that lead out of the mounted directory are refused in
//! both.
//!
//! Names are compared as forgiving file systems do: without regard to case, to characters that some
//! leave out and to dots and blanks at the end. Where that is too much, a harmless file is guarded;
//! the host can turn guarding off.

/// What of a host directory is guarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guard {
    /// What programs of the host are known to run or obey, and links that lead out of the
    /// directory.
    #[default]
    Usual,
    /// Nothing.
    None,
}

/// Names that are guarded wherever they are, with all that is below them. `*` stands for any
/// beginning.
pub const GUARDED: [&str; 42] = [
    // Hooks that git is often told to use.
    ".githooks",
    ".husky",
    // Settings of git.
    ".gitconfig",
    // What runs when a directory is entered.
    ".envrc",
    // Editors: tasks and settings that name programs.
    ".vscode",
    "*.code-workspace",
    ".idea",
    ".zed",
    ".devcontainer",
    ".devcontainer.json",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".vimrc",
    // Agents: their permissions, hooks and servers.
    ".mcp.json",
    ".claude",
    ".claude.json",
    ".codex",
    ".cursor",
    ".gemini",
    ".windsurf",
    // Shells and sessions.
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    "config.fish",
    ".xprofile",
    ".xsessionrc",
    ".ssh",
    // Debuggers and Python run these as they start.
    ".gdbinit",
    ".lldbinit",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
];

/// Directories in `.git` with what commits are made of: names in them are git's own or those of
/// branches.
const DATA_OF_GIT: [&str; 4] = ["lfs", "logs", "objects", "refs"];

impl Guard {
    /// Whether a path from the mounted directory's root is guarded: it, or a directory that it lies
    /// in.
    pub fn covers(self, path: &[u8]) -> bool {
        self == Guard::Usual && matches!(look(path), Place::Guarded)
    }

    /// Whether a directory that is put there could bring guarded paths along: below `.git`, where
    /// names mean something.
    #[cfg(unix)]
    pub(crate) fn covers_directory(self, path: &[u8]) -> bool {
        self == Guard::Usual && matches!(look(path), Place::Guarded | Place::Git)
    }

    /// Whether a link at a path leads, or may lead, out of the mounted directory. An absolute
    /// target does: on the host it is the host's. A relative one may climb at its beginning,
    /// and no further than to the root.
    pub fn leads_out(self, path: &[u8], target: &[u8]) -> bool {
        if self == Guard::None {
            return false;
        }
        let mut room = names(path).count().saturating_sub(1);
        let mut down = false;
        for name in names(target).filter(|name| *name != b".") {
            if name != b".." {
                down = true;
            } else if down || room == 0 {
                // After a name, `..` is wherever that name leads.
                return true;
            } else {
                room -= 1;
            }
        }
        target.starts_with(b"/")
    }
}

/// Where a path is.
enum Place {
    Anywhere,
    /// Below `.git`, where some names are guarded.
    Git,
    Guarded,
}

fn look(path: &[u8]) -> Place {
    let mut names = names(path).map(plain);
    while let Some(name) = names.next() {
        if is_guarded(&name) {
            return Place::Guarded;
        }
        if matches!(&*name, ".git" | "git~1") {
            return look_below_git(names);
        }
    }
    Place::Anywhere
}

/// In `.git` and in what it holds of submodules and work trees.
fn look_below_git(mut names: impl Iterator<Item = String>) -> Place {
    let Some(first) = names.next() else {
        // Itself: a file or a link there, or another directory, is another repository.
        return Place::Guarded;
    };
    if DATA_OF_GIT.contains(&&*first) {
        return Place::Anywhere;
    }
    let mut before = String::new();
    for name in std::iter::once(first).chain(names) {
        let settings = name.starts_with("config") || name == "commondir" || name == "gitdir";
        let attributes = before == "info" && name.starts_with("attributes");
        if name == "hooks" || settings || attributes || is_guarded(&name) {
            return Place::Guarded;
        }
        before = name;
    }
    Place::Git
}

fn is_guarded(name: &str) -> bool {
    GUARDED
        .iter()
        .any(|guarded| match guarded.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == *guarded,
        })
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty())
}

/// A name as the most forgiving file system would take it.
fn plain(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    // A colon begins the name of a stream of the file.
    let text = text.split(':').next().unwrap_or_default();
    let mut plain = String::new();
    for character in text.chars() {
        match character {
            // Left out when names are compared.
            '\u{200c}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{206a}'..='\u{206f}'
            | '\u{feff}' => {}
            // Other letters whose small or capital form is a plain one.
            'ſ' => plain.push('s'),
            '\u{212a}' => plain.push('k'),
            other => plain.push(other.to_ascii_lowercase()),
        }
    }
    let length = plain.trim_end_matches(['.', ' ']).len();
    plain.truncate(length);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_runs_or_obeys_is_guarded_however_it_is_spelled() {
        for path in [
            ".git",
            ".git/hooks",
            ".git/hooks/pre-commit",
            ".git/config",
            ".git/config.lock",
            ".git/config.worktree",
            ".git/commondir",
            ".git/info/attributes",
            ".git/modules/lib/config",
            ".git/modules/a/b/hooks/post-checkout",
            ".git/modules/refs/heads/hooks/x",
            ".git/worktrees/w/config.worktree",
            ".git/worktrees/w/gitdir",
            "deep/down/.git",
            "deep/down/.git/hooks/x",
            ".GIT/hooks/x",
            ".git/HOOKS/x",
            ".Git./Config",
            ".git . ./config",
            ".gi\u{200c}t/config",
            ".git\u{feff}/hooks/x",
            "GIT~1/hooks/x",
            ".git::$INDEX_ALLOCATION/config",
            ".git/hoo\u{212a}s/x",
            ".v\u{17f}code/tasks.json",
            ".vscode/tasks.json",
            "sub/.idea/workspace.xml",
            ".envrc",
            "sub/.ENVRC",
            ".mcp.json",
            ".claude/settings.json",
            ".bashrc",
            "home/.zshrc",
            "x.pth",
            "lib/site-packages/evil.PTH",
            "a.code-workspace",
            ".husky/pre-commit",
        ] {
            assert!(Guard::Usual.covers(path.as_bytes()), "{path}");
            assert!(!Guard::None.covers(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn ordinary_files_and_what_commits_are_made_of_are_not_guarded() {
        for path in [
            "",
            "main.c",
            "config",
            "hooks/pre-commit",
            "src/.gitignore",
            ".gitattributes",
            ".gitmodules",
            ".github/workflows/ci.yml",
            ".git/HEAD",
            ".git/HEAD.lock",
            ".git/index",
            ".git/index.lock",
            ".git/COMMIT_EDITMSG",
            ".git/packed-refs.lock",
            ".git/objects/ab/cdef",
            ".git/objects/pack/tmp_pack_x",
            ".git/refs/heads/config-fix",
            ".git/refs/heads/hooks/new",
            ".git/logs/refs/heads/config-fix",
            ".git/logs/HEAD",
            ".git/modules/lib/HEAD",
            ".git/rebase-merge/git-rebase-todo",
            "profile",
            "bashrc",
            "path",
            ".envrc.example",
            "vscode/x",
        ] {
            assert!(!Guard::Usual.covers(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn links_lead_out_by_an_absolute_target_or_by_climbing_too_far() {
        for (path, target) in [
            ("l", "/etc/passwd"),
            ("l", "/"),
            ("l", ".."),
            ("l", "../x"),
            ("l", "./../x"),
            ("a/l", "../../x"),
            ("a/b/l", "../../../x"),
            ("l", "a/../../x"),
            // `up` may be a link to the root.
            ("a/b/l", "up/../x"),
        ] {
            let out = Guard::Usual.leads_out(path.as_bytes(), target.as_bytes());
            assert!(out, "{path} -> {target}");
            let free = Guard::None.leads_out(path.as_bytes(), target.as_bytes());
            assert!(!free);
        }
        for (path, target) in [
            ("l", "x"),
            ("l", "a/b/c"),
            ("l", "."),
            ("a/l", "../x"),
            ("a/b/l", "../../x"),
            ("node_modules/.bin/tool", "../tool/bin.js"),
            ("l", "..x/y"),
        ] {
            let out = Guard::Usual.leads_out(path.as_bytes(), target.as_bytes());
            assert!(!out, "{path} -> {target}");
        }
    }
}
