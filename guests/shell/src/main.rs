//! The program `bash`.

fn main() {
    codepod_shell::invoke::main()
}
