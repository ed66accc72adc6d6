//! diff, diff3, sdiff, cmp and patch, as GNU diffutils 3.8 and GNU patch 2.7 have them.

mod arguments;
mod cmp;
mod compare;
mod diff3;
mod files;
mod hunks;
mod lines;
mod patch;
mod print;
mod sdiff;
mod side;

codepod_tool::tools! {
    "cmp": cmp::main, "compare two files byte by byte";
    "diff": files::main, "compare files line by line";
    "diff3": diff3::main, "compare three files and merge them";
    "patch": patch::main, "apply a diff to files";
    "sdiff": sdiff::main, "compare files side by side";
}
