//! `robots.txt`: which paths robots keep off.

/// The longest file that is read.
const LONGEST: usize = 512 * 1024;

/// The rules of one host.
#[derive(Debug, Default, Clone)]
pub(crate) struct Robots(Vec<(bool, String)>);

impl Robots {
    /// Reads the rules for `wget`, or where there are none for it, those for all.
    pub(crate) fn parse(text: &[u8]) -> Robots {
        let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST)]);
        let (mut own, mut all) = (Vec::new(), Vec::new());
        let (mut names, mut is_open, mut has_own) = (Vec::new(), false, false);
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((field, value)) = line.split_once(':') else {
                continue;
            };
            let (field, value) = (field.trim().to_ascii_lowercase(), value.trim());
            let rule = match field.as_str() {
                "user-agent" => {
                    if !is_open {
                        names.clear();
                    }
                    is_open = true;
                    has_own |= value.eq_ignore_ascii_case("wget");
                    names.push(value.to_ascii_lowercase());
                    continue;
                }
                "allow" => (true, value.to_owned()),
                "disallow" => (false, value.to_owned()),
                _ => continue,
            };
            is_open = false;
            if names.iter().any(|name| name == "wget") {
                own.push(rule.clone());
            }
            if names.iter().any(|name| name == "*") {
                all.push(rule);
            }
        }
        Robots(if has_own { own } else { all })
    }

    /// Whether robots may have a path: the first rule that fits says so.
    pub(crate) fn allow(&self, path: &str) -> bool {
        let mut rules = self.0.iter().filter(|(_, start)| !start.is_empty());
        rules
            .find(|(_, start)| path.starts_with(&start[..]))
            .is_none_or(|(allows, _)| *allows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_for_whom_they_name() {
        let text = "User-agent: *\nDisallow: /a # no\nUser-agent: x\nUser-agent: Wget\nAllow: /b/c\nDisallow: /b\n";
        let robots = Robots::parse(text.as_bytes());
        for (path, is_allowed) in [("/a", true), ("/b", false), ("/b/c", true), ("/", true)] {
            assert_eq!(robots.allow(path), is_allowed, "{path}");
        }
        let robots = Robots::parse(b"User-agent: *\nDisallow: /\n");
        assert!(!robots.allow("/x"));
        assert!(Robots::parse(b"Disallow: /\n\xff").allow("/x"));
    }
}
