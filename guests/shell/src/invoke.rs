//! The command line of `bash`, and the modes it runs in.

/// Runs the shell as its arguments say.
pub fn main() -> ! {
    todo!()
}
