//! Undo any run, and see what it changed.

#![expect(clippy::print_stdout, reason = "an example prints")]

use codepod::{Moment, Options, Sandbox};

fn main() -> Result<(), codepod::Error> {
    let sandbox = Sandbox::create(Options::default())?;
    sandbox.run_blocking("printf 'one\\ntwo\\n' > list; echo keep > other")?;
    let result = sandbox.run_blocking("sed -i s/two/2/ list; rm other; echo x > new")?;

    let mut changes = sandbox.changes(Moment::Before(result.run), Moment::Now)?;
    for change in changes.iter() {
        println!("{change}"); // M /home/user/list, A /home/user/new, D /home/user/other
    }
    print!("{}", String::from_utf8_lossy(&changes.unified_diff()));

    // One file back, or everything.
    sandbox.restore_paths(Moment::Before(result.run), ["other"])?;
    assert_eq!(sandbox.read_file("other")?, b"keep\n");
    sandbox.undo(1)?;
    assert_eq!(sandbox.read_file("list")?, b"one\ntwo\n");
    sandbox.redo(1)?;
    assert_eq!(sandbox.read_file("list")?, b"one\n2\n");
    Ok(())
}
