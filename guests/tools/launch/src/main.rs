//! Tools that start other programs, send signals or choose what signals do.

mod chroot;
mod env;
mod flock;
mod kill;
mod nice;
mod nohup;
mod pgrep;
mod pidof;
mod program;
mod setsid;
mod signals;
mod stdbuf;
mod tee;
mod time;
mod timeout;
mod watch;

codepod_tool::tools! {
    "chroot": chroot::main, "refused: a sandbox has one root";
    "env": env::main, "run a program in another environment";
    "flock": flock::main, "lock a file while a program runs";
    "kill": kill::main, "send signals to processes";
    "nice": nice::main, "run a program with another priority";
    "nohup": nohup::main, "run a program that hangups do not end";
    "pgrep": pgrep::main, "find processes by name";
    "pidof": pidof::main, "print the numbers of a program's processes";
    "pkill": pgrep::main, "send signals to processes by name";
    "setsid": setsid::main, "run a program in a new session";
    "stdbuf": stdbuf::main, "run a program with other buffers";
    "tee": tee::main, "copy stdin to stdout and to files";
    "time": time::main, "run a program and tell how long it took";
    "timeout": timeout::main, "run a program for a limited time";
    "watch": watch::main, "run a program again and again until something changes";
}

/// Prints how a tool is called. Returns its status.
fn help(usage: &str) -> i32 {
    let mut out = codepod_tool::Output::new();
    out.put(usage.as_bytes());
    i32::from(out.finish().is_err())
}

/// Prints which version a tool is of. Returns its status.
fn version(tool: &str) -> i32 {
    help(&format!("{tool} (codepod) {}\n", env!("CARGO_PKG_VERSION")))
}
