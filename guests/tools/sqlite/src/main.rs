//! `sqlite3`: SQLite's own shell.

use std::ffi::{CString, c_char, c_int};

use codepod_tool::{Arguments, complain};

#[expect(unsafe_code, reason = "SQLite is written in C")]
unsafe extern "C" {
    /// The shell's own `main`.
    fn sqlite3_shell_main(count: c_int, arguments: *mut *mut c_char) -> c_int;
}

codepod_tool::tools! {
    "sqlite3": sqlite3, "work with SQLite databases";
}

/// `sqlite3`.
fn sqlite3(tool: &str, arguments: Arguments) -> i32 {
    // Locks are directories, which also keep readers apart: they wait for each other.
    let first = [tool.as_bytes(), b"-cmd", b".timeout 5000"]
        .map(<[u8]>::to_vec)
        .to_vec();
    let all = [first, arguments].concat();
    let owned: Result<Vec<CString>, _> = all.into_iter().map(CString::new).collect();
    let Ok(owned) = owned else {
        complain(tool, "an argument holds a zero byte");
        return 1;
    };
    let mut pointers: Vec<*mut c_char> =
        owned.iter().map(|text| text.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    let count = c_int::try_from(owned.len()).unwrap_or(c_int::MAX);
    #[expect(unsafe_code, reason = "SQLite is written in C")]
    // SAFETY: it gets as many strings as it is told, which live and end with a null pointer, as
    // `main` does.
    unsafe {
        sqlite3_shell_main(count, pointers.as_mut_ptr())
    }
}
