//! The host's own table of names, `/etc/hosts`.
//!
//! Names are looked up as absolute ones, with a dot at their end, so that search lists do not
//! apply. C libraries find no such name in the table: so it is read here, before they are asked.

use std::net::IpAddr;

/// The addresses that the table has for a name, in its order; none where there is no table.
pub(super) fn addresses(name: &str) -> Vec<IpAddr> {
    if !cfg!(unix) {
        return Vec::new();
    }
    let table = std::fs::read("/etc/hosts").unwrap_or_default();
    listed(&String::from_utf8_lossy(&table), name)
}

/// The addresses of a name in the text of a table.
fn listed(table: &str, name: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    // An address is no name, whatever the table calls so.
    if name.parse::<IpAddr>().is_ok() {
        return found;
    }
    for line in table.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let Some(Ok(address)) = words.next().map(str::parse::<IpAddr>) else {
            continue;
        };
        let is_named = words.any(|own| own.trim_end_matches('.').eq_ignore_ascii_case(name));
        if is_named && !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_addresses_of_all_its_lines() {
        let table = "# 9.9.9.9 api.test\n\
            127.0.0.1\tlocalhost\n\
            10.1.2.3 db.test api.test # the first\n\
            \n\
            no-address api.test\n\
            fe80::1%lo0 api.test\n\
            10.1.2.4 API.test. 10.1.2.5\n\
            10.1.2.3 api.test\n\
            ::1 localhost\n\
            10.1.2.6 api.test.other api";
        let shown = |name: &str| -> Vec<String> {
            let found = listed(table, name);
            found.iter().map(IpAddr::to_string).collect()
        };
        assert_eq!(shown("api.test"), ["10.1.2.3", "10.1.2.4"]);
        assert_eq!(shown("db.test"), ["10.1.2.3"]);
        assert_eq!(shown("localhost"), ["127.0.0.1", "::1"]);
        for absent in ["test", "10.1.2.5", "", "first", "api.test.oth"] {
            assert_eq!(shown(absent), [""; 0], "{absent}");
        }
    }
}
