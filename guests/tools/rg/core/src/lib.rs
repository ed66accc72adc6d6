//! ripgrep's own program as a library: its sources with `../rg.patch`, and what that patch calls.

mod follow;
mod perl;

include!(env!("RIPGREP"));
