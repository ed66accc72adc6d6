//! Limits by a profile, and an audit of what happens as lines of JSON.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::sync::Arc;

use codepod::{Options, Profile, Sandbox};

fn main() -> Result<(), codepod::Error> {
    let mut options = Options::with_profile(Profile::Small);
    options.limits.processes = 8;
    options.events = Some(Arc::new(|event| println!("{}", event.to_json())));
    let sandbox = Sandbox::create(options)?;

    // A fork bomb ends at the limit, and the sandbox goes on.
    sandbox.run_blocking("f() { f | f & }; f 2>/dev/null; sleep 0.1; kill %1 2>/dev/null; true")?;
    sandbox.kill_all()?;
    let result = sandbox.run_blocking("echo still here")?;
    assert_eq!(result.stdout, b"still here\n");
    println!("{:?}", sandbox.stats()?.usage);
    Ok(())
}
