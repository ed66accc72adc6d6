//! What a sandbox may do beyond computing, as its owner has decided. Nothing inside changes it.

use std::collections::BTreeMap;
use std::sync::Arc;

/// What a sandbox may do beyond computing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Whether a file that holds a WebAssembly module may be run. Off: compiling hostile code is
    /// work for the host that no limit inside the guest covers.
    pub foreign_modules: bool,
    /// The only tools and host commands that may be started; `None` for all.
    pub allowed: Option<Arc<Allowed>>,
}

/// A list of commands that may be started. A name is what the program itself says that it is, so a
/// copy or a link under another name is the same; and a tool is one only together with its module,
/// as a module with one program does not look at the name that it is started by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allowed {
    /// The names, each with the module that has a tool of that name. Fixed when the sandbox is
    /// made.
    names: BTreeMap<String, Option<Arc<str>>>,
}

impl Allowed {
    /// A list of names, each with its tool's module; `None` where only a host command can have it.
    pub fn new(names: impl IntoIterator<Item = (String, Option<Arc<str>>)>) -> Allowed {
        Allowed {
            names: names.into_iter().collect(),
        }
    }
}

impl Policy {
    /// Whether a tool of a module may be started.
    pub(crate) fn allows_tool(&self, module: &str, tool: &[u8]) -> bool {
        let Some(allowed) = &self.allowed else {
            return true;
        };
        let named = std::str::from_utf8(tool).ok();
        let owner = named.and_then(|tool| allowed.names.get(tool)?.as_deref());
        owner == Some(module)
    }

    /// Whether a host command may be started.
    pub(crate) fn allows_host_command(&self, name: &str) -> bool {
        let allowed = self.allowed.as_ref();
        allowed.is_none_or(|allowed| allowed.names.contains_key(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_allowed_with_its_own_module_only() {
        let names = [("cat", Some("toolbox")), ("deploy", None)];
        let names = names.map(|(name, module)| (name.to_owned(), module.map(Arc::from)));
        let policy = Policy {
            allowed: Some(Arc::new(Allowed::new(names))),
            ..Policy::default()
        };
        assert!(policy.allows_tool("toolbox", b"cat"));
        for (module, tool) in [
            ("python", &b"cat"[..]),
            ("toolbox", b"rm"),
            ("toolbox", b"toolbox"),
            ("deploy", b"deploy"),
            ("", b"deploy"),
            ("toolbox", b"cat\xff"),
        ] {
            assert!(!policy.allows_tool(module, tool), "{module} {tool:?}");
        }
        assert!(policy.allows_host_command("deploy"));
        assert!(!policy.allows_host_command("other"));
        assert!(Policy::default().allows_tool("python", b"cat"));
    }
}
