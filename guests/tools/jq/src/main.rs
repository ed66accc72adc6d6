//! jq itself, from its own sources.

use std::ffi::{CString, c_char, c_int};

use codepod_tool::{Arguments, complain};
// Its library is linked for jq's sources.
use onig_sys as _;

#[expect(unsafe_code, reason = "jq is written in C")]
unsafe extern "C" {
    /// jq's own `main`.
    fn jq_main(count: c_int, arguments: *mut *mut c_char) -> c_int;
}

codepod_tool::tools! {
    "jq": jq, "filter and change JSON";
}

/// `jq`.
fn jq(tool: &str, arguments: Arguments) -> i32 {
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
    #[expect(unsafe_code, reason = "jq is written in C")]
    // SAFETY: it gets as many strings as it is told, which live and end with a null pointer, as
    // `main` does; it changes none.
    unsafe {
        jq_main(count, pointers.as_mut_ptr())
    }
}
