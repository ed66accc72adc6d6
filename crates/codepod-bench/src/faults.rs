//! Page faults: what a process that starts from a snapshot pays for.

/// The pages that this host process has touched for the first time so far, and that were in memory
/// already.
pub(crate) fn so_far() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may hold anything but ends with the last parenthesis: the eighth word.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    rest.split_whitespace()
        .nth(7)
        .and_then(|word| word.parse().ok())
        .unwrap_or(0)
}
