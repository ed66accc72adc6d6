//! Package URLs: what scanners know packages by.

/// The URL of a version of a package; `kind` is its registry, or `generic`.
pub(crate) fn of(kind: &str, name: &str, version: &str) -> String {
    let version = version.replace('+', "%2B");
    format!("pkg:{kind}/{name}@{version}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_plus_is_written_as_the_form_asks() {
        let purl = super::of("cargo", "bzip2-sys", "0.1.13+1.0.8");
        assert_eq!(purl, "pkg:cargo/bzip2-sys@0.1.13%2B1.0.8");
    }
}
