//! A directory of yours: the agent works on a copy that costs nothing, and you decide what is taken
//! over.

use codepod::{Mount, MountAccess, Options, Sandbox, Selection};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = std::env::temp_dir().join(format!("codepod-example-{}", std::process::id()));
    std::fs::create_dir_all(&project)?;
    std::fs::write(project.join("main.c"), "int main() { return 1; }\n")?;
    std::fs::write(project.join("notes"), "mine\n")?;

    let mut options = Options::default();
    options.mounts = vec![Mount::host(&project, "/work", MountAccess::Overlay)];
    let sandbox = Sandbox::create(options)?;
    sandbox.run_blocking("cd /work; sed -i s/1/0/ main.c; rm notes; echo junk > tmp")?;
    assert_eq!(
        sandbox
            .mount_changes("/work", &Selection::default())?
            .changes
            .len(),
        3,
        "and nothing has happened yet"
    );

    let applied = sandbox.apply("/work", ["/work/main.c"])?;
    assert!(
        applied.refused.is_empty(),
        "nobody else has edited it meanwhile"
    );
    sandbox.discard("/work", [""; 0])?;

    assert_eq!(
        std::fs::read_to_string(project.join("main.c"))?,
        "int main() { return 0; }\n"
    );
    assert_eq!(std::fs::read_dir(&project)?.count(), 2);
    std::fs::remove_dir_all(project)?;
    Ok(())
}
