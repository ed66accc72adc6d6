//! Names and numbers of signals.

/// Names in the order of Linux's numbers, from 1.
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// Descriptions, as `strsignal` has them.
const ABOUT: [&str; 31] = [
    "Hangup",
    "Interrupt",
    "Quit",
    "Illegal instruction",
    "Trace/breakpoint trap",
    "Aborted",
    "Bus error",
    "Floating point exception",
    "Killed",
    "User defined signal 1",
    "Segmentation fault",
    "User defined signal 2",
    "Broken pipe",
    "Alarm clock",
    "Terminated",
    "Stack fault",
    "Child exited",
    "Continued",
    "Stopped (signal)",
    "Stopped",
    "Stopped (tty input)",
    "Stopped (tty output)",
    "Urgent I/O condition",
    "CPU time limit exceeded",
    "File size limit exceeded",
    "Virtual timer expired",
    "Profiling timer expired",
    "Window changed",
    "I/O possible",
    "Power failure",
    "Bad system call",
];

/// The number of a signal by name, with or without `SIG`, or by number.
pub(crate) fn number(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(number) = text.parse::<u32>() {
        // As a shell shows the status of what a signal ended.
        let number = if number > 128 { number & 0x7f } else { number };
        return (number <= 64).then_some(number);
    }
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    match name {
        "EXIT" => return Some(0),
        "CLD" => return Some(17),
        "POLL" => return Some(29),
        "IOT" => return Some(6),
        "RTMIN" => return Some(34),
        "RTMAX" => return Some(64),
        _ => {}
    }
    if let Some(rest) = name.strip_prefix("RTMIN+") {
        return rest
            .parse::<u32>()
            .ok()
            .filter(|plus| *plus <= 30)
            .map(|plus| 34 + plus);
    }
    if let Some(rest) = name.strip_prefix("RTMAX-") {
        return rest
            .parse::<u32>()
            .ok()
            .filter(|minus| *minus <= 30)
            .map(|minus| 64 - minus);
    }
    NAMES
        .iter()
        .position(|known| *known == name)
        .map(|at| at as u32 + 1)
}

/// The name of a number.
pub(crate) fn name(number: u32) -> Option<String> {
    match number {
        0 => Some("EXIT".into()),
        1..=31 => Some(NAMES[number as usize - 1].into()),
        34 => Some("RTMIN".into()),
        35..=49 => Some(format!("RTMIN+{}", number - 34)),
        50..=63 => Some(format!("RTMAX-{}", 64 - number)),
        64 => Some("RTMAX".into()),
        _ => None,
    }
}

/// What a signal is for.
pub(crate) fn about(number: u32) -> String {
    match number {
        1..=31 => ABOUT[number as usize - 1].into(),
        _ => format!("Real-time signal {}", number.saturating_sub(34)),
    }
}
