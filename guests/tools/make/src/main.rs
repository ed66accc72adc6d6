//! The module of make.

codepod_tool::tools! {
    "make": codepod_make::main, "bring files up to date by rules";
    "gmake": codepod_make::main, "bring files up to date by rules";
}
