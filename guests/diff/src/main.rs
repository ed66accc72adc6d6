//! diff, cmp and patch, as GNU diffutils 3.8 and GNU patch 2.7 have them.

mod arguments;
mod cmp;
mod compare;
mod files;
mod hunks;
mod lines;
mod patch;
mod print;
mod side;

codepod_tool::tools! {
    "cmp": cmp::main, "compare two files byte by byte";
    "diff": files::main, "compare files line by line";
    "patch": patch::main, "apply a diff to files";
}
