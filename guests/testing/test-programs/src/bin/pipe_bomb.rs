//! Makes pipes until there may be no more, fills each, and prints how many that were and what
//! stopped it.

use codepod_sys::descriptor::{close, set_nonblocking, write};
use codepod_sys::pipe::pipe;

fn main() {
    let mut pipes = Vec::new();
    let stopped = loop {
        match pipe() {
            Ok((reading, writing)) => {
                let _ = set_nonblocking(writing, true);
                while write(writing, &[b'x'; 4096]).is_ok() {}
                pipes.push((reading, writing));
            }
            Err(errno) => break errno,
        }
    };
    println!("{} {}", pipes.len(), stopped.name());
    for (reading, writing) in pipes {
        let _ = close(reading);
        let _ = close(writing);
    }
    if pipe().is_err() {
        println!("closing did not give them back");
        std::process::exit(1);
    }
}
