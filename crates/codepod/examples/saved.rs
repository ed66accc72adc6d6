//! A sandbox that outlives its process: kept in a directory, exported as a file.

use codepod::{Error, Options, Persistence, Persistent, Sandbox};

fn main() -> Result<(), Error> {
    let directory = std::env::temp_dir().join("codepod-example-saved");
    let mut options = Options::default();
    options.persistence = Persistence::Persistent(Persistent::new(&directory, "agent-7"));
    let sandbox = Sandbox::create(options.clone())?;
    sandbox.run_blocking("count=$((count + 1)); echo run $count >> log")?;
    // It saves itself within a second; this waits until it is on disk.
    sandbox.save()?;
    drop(sandbox);

    let later = Sandbox::create(options)?;
    let result = later.run_blocking("tail -n 1 log; echo this is $count")?;
    std::io::Write::write_all(&mut std::io::stdout(), &result.stdout).ok();

    let mut blob = Vec::new();
    let saved = later.export_state(&mut blob, None)?;
    let copy = Sandbox::create(Options::default())?;
    assert_eq!(copy.import_state(&blob[..], None)?.hash, saved.hash);
    drop(later);
    std::fs::remove_dir_all(directory).ok();
    Ok(())
}
