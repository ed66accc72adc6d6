//! A list of allowed commands, as files claim to be them: a tool counts with its own module only.

use std::sync::Arc;

use codepod_abi::Errno;
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    Allowed, Fd, Group, Kernel, KernelOptions, Limits, ModuleSource, Policy, SpawnSpec, Stdio,
    Strings,
};
use codepod_vfs::{Budget, Memory, Tree, Vfs};

/// Modules and what they have, as the guests' table has them.
const TABLE: [(&str, &[&str]); 4] = [
    ("shell", &["bash", "sh"]),
    ("toolbox", &["cat", "rm"]),
    ("python", &["python3"]),
    ("git", &["git", "git-shell"]),
];

fn kernel(files: &[(&str, &str)], allowed: &[&str]) -> Kernel {
    let mut tree = Tree::builder();
    for (path, text) in files {
        tree = tree.file(path.as_bytes(), 0o755, text.as_bytes());
    }
    let module = |name: &str| {
        let owner = TABLE.iter().find(|(_, tools)| tools.contains(&name));
        owner.map(|(module, _)| Arc::from(*module))
    };
    let allowed = allowed
        .iter()
        .map(|name| ((*name).to_owned(), module(name)));
    Kernel::new(KernelOptions {
        id: 1,
        host: Arc::new(VirtualHost::new(1)),
        vfs: Vfs::new(Box::new(Memory::new(tree.build()))),
        limits: Arc::new(Limits::default()),
        budget: Budget::default(),
        policy: Policy {
            allowed: Some(Arc::new(Allowed::new(allowed))),
            ..Policy::default()
        },
        uid: 1000,
        gid: 1000,
        trace: None,
    })
}

fn spec(path: &str, name: &str) -> SpawnSpec {
    SpawnSpec {
        path: path.into(),
        argv: Strings::new([name, "-c", "x"]).unwrap(),
        env: Strings::new([""; 0]).unwrap(),
        cwd: None,
        fds: (0..3).map(|fd| (Stdio::Null, Fd(fd))).collect(),
        group: Group::Inherit,
    }
}

/// What starts, and by which name.
fn started(kernel: &mut Kernel, path: &str, name: &str) -> Result<(String, Vec<u8>), Errno> {
    let program = kernel.spawn(None, spec(path, name))?;
    let ModuleSource::Named(module) = &program.module else {
        panic!("{path} is no module of the engine");
    };
    let processes = kernel.live_processes();
    let (_, info) = processes
        .iter()
        .find(|(pid, _)| *pid == program.pid)
        .unwrap();
    let name = info.argv.split(|byte| *byte == 0).next().unwrap();
    Ok((module.to_string(), name.to_vec()))
}

#[test]
fn an_allowed_tool_starts_with_its_own_module_only() {
    let tools: Vec<&str> = TABLE
        .iter()
        .flat_map(|(_, tools)| *tools)
        .copied()
        .collect();
    let modules = TABLE.iter().map(|(module, _)| *module);
    for module in modules.chain(["unknown"]) {
        for tool in &tools {
            let text = format!("#!codepod {module} {tool}\n");
            let mut kernel = kernel(&[("/x", &text)], &tools);
            let owns = TABLE
                .iter()
                .any(|(name, its)| *name == module && its.contains(tool));
            let found = started(&mut kernel, "/x", tool);
            if owns {
                assert_eq!(found.unwrap().0, module, "{text}");
            } else {
                assert_eq!(found, Err(Errno::Perm), "{text}");
            }
        }
    }
}

#[test]
fn a_file_without_a_tool_does_not_let_its_caller_choose_one() {
    let files = [("/git", "#!codepod git\n"), ("/box", "#!codepod toolbox\n")];
    let mut kernel = kernel(&files, &["git", "cat", "toolbox"]);
    let found = started(&mut kernel, "/git", "git-shell");
    assert_eq!(found, Ok(("git".to_owned(), b"git".to_vec())));
    assert_eq!(started(&mut kernel, "/box", "cat"), Err(Errno::Perm));
}

#[test]
fn the_host_starts_a_tool_without_asking_the_files() {
    let mut kernel = kernel(
        &[("/bin/bash", "#!codepod toolbox cat\n")],
        &["bash", "cat"],
    );
    let program = kernel.spawn_tool("shell", "bash", spec("/bin/bash", "bash"));
    assert_eq!(program.unwrap().module, ModuleSource::Named("shell".into()));
    // The list counts for the host, too.
    let refused = kernel.spawn_tool("toolbox", "rm", spec("/bin/rm", "rm"));
    assert_eq!(refused.map(|program| program.pid), Err(Errno::Perm));
}
