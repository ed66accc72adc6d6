//! A sandbox is a value: keep a state, go back to it, go two ways from it.

use codepod::{Options, Sandbox};

fn main() -> Result<(), codepod::Error> {
    let sandbox = Sandbox::create(Options::default())?;
    sandbox.run_blocking("echo draft > plan.txt; export STAGE=one; cd /tmp")?;
    let snapshot = sandbox.snapshot()?;

    // A fork goes its own way: files, variables and the working directory are a copy.
    let fork = sandbox.fork()?;
    fork.run_blocking("STAGE=two; echo final > ~/plan.txt")?;

    // Back to the snapshot, as often as you like.
    sandbox.run_blocking("rm -rf ~/*; unset STAGE")?;
    sandbox.restore(&snapshot)?;

    let script = "cat ~/plan.txt; echo $STAGE $PWD";
    assert_eq!(sandbox.run_blocking(script)?.stdout, b"draft\none /tmp\n");
    assert_eq!(fork.run_blocking(script)?.stdout, b"final\ntwo /tmp\n");
    Ok(())
}
