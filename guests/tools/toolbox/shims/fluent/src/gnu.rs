//! Messages that uutils words differently from GNU, in GNU's words.

/// The message of an id, if it is one of those.
pub(crate) fn message(id: &str) -> Option<&'static str> {
    Some(match id {
        "mkdir-error-file-exists" => "cannot create directory '{ $path }': File exists",
        "od-error-radix-invalid" => {
            "invalid output address radix '{ $radix }'; it must be one character from [doxn]"
        }
        "od-error-unexpected-char" => "invalid character '{ $char }' in type string { $spec }",
        "realpath-invalid-empty-operand" => "'': No such file or directory",
        "touch-error-unable-to-parse-date" => "invalid date format '{ $date }'",
        _ => return None,
    })
}
