//! The module of awk.

use codepod_awk::awk;

codepod_tool::tools! {
    "awk": awk, "scan patterns and process text";
    "gawk": awk, "scan patterns and process text";
}
