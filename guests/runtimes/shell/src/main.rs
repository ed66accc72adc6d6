//! The program `bash`.

fn main() {
    codepod_shell::invoke::main()
}

/// The names for the build, which makes an entry in `/bin` for each: a section of the module, not
/// of its memory.
#[cfg(target_family = "wasm")]
#[expect(
    unsafe_code,
    reason = "naming a section counts as such; nothing else has this one"
)]
#[used]
#[unsafe(link_section = "codepod.commands")]
static COMMANDS: [u8; NAMES.len()] = {
    let mut names = [0; NAMES.len()];
    names.copy_from_slice(NAMES.as_bytes());
    names
};

#[cfg(target_family = "wasm")]
const NAMES: &str = "bash\nsh\n";
