//! The module of bc and dc.

use codepod_calc::{bc, dc};

codepod_tool::tools! {
    "bc": bc::main, "calculate with any precision, as a language";
    "dc": dc::main, "calculate with any precision, in reverse Polish notation";
}
