//! Try a command, look at what it would do, then let it happen or not.

use codepod::{Options, Sandbox};

fn main() -> Result<(), codepod::Error> {
    let sandbox = Sandbox::create(Options::default())?;
    sandbox.run_blocking("seq 3 > a; seq 5 > b; mkdir keep; touch keep/me")?;

    let preview = sandbox.script("rm -r *").preview_blocking()?;
    let removed = preview.changes()?.len();
    assert_eq!(removed, 4, "that is more than we wanted");
    drop(preview);

    let preview = sandbox.script("rm a").preview_blocking()?;
    assert_eq!(preview.changes()?.len(), 1);
    preview.commit()?;
    assert_eq!(sandbox.run_blocking("ls")?.stdout, b"b\nkeep\n");
    Ok(())
}
