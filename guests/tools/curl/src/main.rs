//! curl itself, from its own sources.

use std::ffi::{CString, c_char, c_int};

use codepod_tool::{Arguments, complain};

#[expect(unsafe_code, reason = "curl is written in C")]
unsafe extern "C" {
    /// curl's own `main`.
    fn curl_main(count: c_int, arguments: *mut *mut c_char) -> c_int;
}

codepod_tool::tools! {
    "curl": curl, "transfer data from or to a server";
}

/// `curl`.
fn curl(tool: &str, arguments: Arguments) -> i32 {
    let all = [vec![tool.as_bytes().to_vec()], arguments].concat();
    let owned: Result<Vec<CString>, _> = all.into_iter().map(CString::new).collect();
    let Ok(owned) = owned else {
        complain(tool, "an argument holds a zero byte");
        return 2;
    };
    // curl overwrites passwords in its arguments, so they are its own.
    let mut pointers: Vec<*mut c_char> = owned.into_iter().map(CString::into_raw).collect();
    pointers.push(std::ptr::null_mut());
    let count = c_int::try_from(pointers.len() - 1).unwrap_or(c_int::MAX);
    #[expect(unsafe_code, reason = "curl is written in C")]
    // SAFETY: it gets as many strings as it is told, which stay to the end of the program and end
    // with a null pointer, as `main` does; it changes bytes of them and no length.
    unsafe {
        curl_main(count, pointers.as_mut_ptr())
    }
}
