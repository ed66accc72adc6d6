//! Several candidates at once; keep one, or take files from another.

use codepod::{Options, Sandbox};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::create(Options::default())?;
    sandbox.run_blocking("echo 0 > score; echo draft > notes")?;
    let base = sandbox.snapshot()?;

    let forks = sandbox.forks(3)?;
    std::thread::scope(|scope| {
        for (n, fork) in forks.iter().enumerate() {
            scope.spawn(move || {
                fork.run_blocking(format!("echo {n} > score; echo by {n} > from-{n}"))
            });
        }
    });

    // The best becomes the sandbox; of another we take what does not collide.
    sandbox.adopt(&forks[2])?;
    let merged = sandbox.merge(&base, &forks[1])?;
    assert_eq!(merged.taken[0].path_text(), "/home/user/from-1");
    assert_eq!(merged.conflicts[0].path, b"/home/user/score");
    assert_eq!(
        sandbox.run_blocking("cat score; ls")?.stdout,
        b"2\nfrom-1\nfrom-2\nnotes\nscore\n"
    );
    Ok(())
}
