//! file itself, from its own sources.
#![expect(unsafe_code, reason = "file is written in C")]

use std::ffi::{CString, c_char, c_int, c_void};

use codepod_tool::{Arguments, complain};

/// The magic in its binary form, as build.rs has it made.
static MAGIC: Magic<[u8; include_bytes!(concat!(env!("OUT_DIR"), "/magic.mgc")).len()]> =
    Magic(*include_bytes!(concat!(env!("OUT_DIR"), "/magic.mgc")));

/// Bytes where C may read numbers from.
#[repr(align(16))]
struct Magic<T>(T);

unsafe extern "C" {
    /// file's own `main`.
    fn file_main(count: c_int, arguments: *mut *mut c_char) -> c_int;
    /// The library's function for magic in files.
    fn magic_load(cookie: *mut c_void, path: *const c_char) -> c_int;
    /// The library's function for magic in memory, which it only reads.
    fn magic_load_buffers(
        cookie: *mut c_void,
        buffers: *mut *mut c_void,
        sizes: *mut usize,
        count: usize,
    ) -> c_int;
}

codepod_tool::tools! {
    "file": file, "tell what kind files are of";
}

/// `file`.
fn file(tool: &str, arguments: Arguments) -> i32 {
    if let Some(option) = refused(&arguments) {
        complain(tool, format!("option {option} is not supported here"));
        return 1;
    }
    let all = [vec![tool.as_bytes().to_vec()], arguments].concat();
    let owned: Result<Vec<CString>, _> = all.into_iter().map(CString::new).collect();
    let Ok(owned) = owned else {
        complain(tool, "an argument holds a zero byte");
        return 2;
    };
    let mut pointers: Vec<*mut c_char> =
        owned.iter().map(|text| text.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    let count = c_int::try_from(owned.len()).unwrap_or(c_int::MAX);
    // SAFETY: it gets as many strings as it is told, which live and end with a null pointer, as
    // `main` does; it changes their order at most.
    unsafe { file_main(count, pointers.as_mut_ptr()) }
}

/// The first option that cannot be: to start programs that unpack (`-z`, `-Z`), to set times
/// (`-p`), or to do without a filter of system calls that is not there (`-S`).
fn refused(arguments: &Arguments) -> Option<String> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(letters) = argument
            .strip_prefix(b"-")
            .filter(|letters| !letters.is_empty())
        else {
            continue;
        };
        if letters == b"-" {
            return None;
        }
        let long: [&[u8]; 3] = [b"-unc", b"-no-s", b"-pres"];
        if long.iter().any(|start| letters.starts_with(start)) {
            return Some(String::from_utf8_lossy(argument).into_owned());
        }
        for (at, letter) in letters.iter().enumerate() {
            match letter {
                b'-' if at == 0 => break,
                b'z' | b'Z' | b'p' | b'S' => return Some(format!("-{}", char::from(*letter))),
                b'e' | b'f' | b'F' | b'm' | b'P' => {
                    if at + 1 == letters.len() {
                        rest.next();
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

/// What file's program calls for its magic: ours, unless `-m` names another.
#[unsafe(no_mangle)]
extern "C" fn codepod_magic_load(cookie: *mut c_void, path: *const c_char) -> c_int {
    if !path.is_null() {
        // SAFETY: both come from the program, which calls the library like this itself.
        return unsafe { magic_load(cookie, path) };
    }
    let mut buffer: *mut c_void = MAGIC.0.as_ptr().cast_mut().cast();
    let mut size = MAGIC.0.len();
    // SAFETY: one buffer of this size, which lives as long as the program; the library does not
    // change it.
    unsafe { magic_load_buffers(cookie, &raw mut buffer, &raw mut size, 1) }
}

/// The mode of a path or a descriptor, for file's C. Returns 0, or -1 where there is none.
#[cfg(target_os = "wasi")]
#[unsafe(no_mangle)]
extern "C" fn codepod_mode(
    path: *const c_char,
    descriptor: c_int,
    follow: c_int,
    mode: *mut u32,
) -> c_int {
    use codepod_sys::file::{Links, stat_open, stat_path};
    let stat = if path.is_null() {
        stat_open(codepod_sys::Fd(
            u32::try_from(descriptor).unwrap_or(u32::MAX),
        ))
    } else {
        // SAFETY: the C code passes a string that ends with a zero byte.
        let path = unsafe { std::ffi::CStr::from_ptr(path) };
        let links = if follow != 0 {
            Links::Follow
        } else {
            Links::Keep
        };
        stat_path(path.to_bytes(), links)
    };
    let Ok(stat) = stat else {
        return -1;
    };
    // SAFETY: the C code passes the address of a variable of its own.
    unsafe { *mode = stat.mode };
    0
}
