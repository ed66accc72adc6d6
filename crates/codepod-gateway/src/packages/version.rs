//! Versions of packages, as far as it takes to know two spellings of one (PEP 440).

/// The form in which all spellings of a version are the same. What is no version stays as it is.
pub fn canonical(version: &str) -> String {
    let version = version.trim().to_ascii_lowercase();
    read(&version).unwrap_or(version)
}

fn read(version: &str) -> Option<String> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let (public, local) = match version.split_once('+') {
        Some((public, local)) => (public, Some(local)),
        None => (version, None),
    };
    let (epoch, public) = match public.split_once('!') {
        Some((epoch, public)) => (number(epoch)?, public),
        None => ("0", public),
    };
    let is_release = |c: char| c.is_ascii_digit() || c == '.';
    let end = public.find(|c| !is_release(c)).unwrap_or(public.len());
    let (release, mut rest) = public.split_at(end);
    // `1.0.dev1`: the dot belongs to what follows.
    let release = match rest.is_empty() {
        true => release,
        false => release.strip_suffix('.').unwrap_or(release),
    };
    let mut release: Vec<&str> = release.split('.').map(number).collect::<Option<_>>()?;
    while release.len() > 1 && release.last() == Some(&"0") {
        release.pop();
    }
    let mut out = release.join(".");
    if epoch != "0" {
        out.insert_str(0, &format!("{epoch}!"));
    }
    while !rest.is_empty() {
        let implicit = rest
            .strip_prefix('-')
            .filter(|rest| starts_with_digit(rest));
        rest = rest.strip_prefix(['-', '_', '.']).unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphabetic());
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        let word = match word {
            "" if implicit.is_some() => ".post",
            "a" | "alpha" => "a",
            "b" | "beta" => "b",
            "c" | "rc" | "pre" | "preview" => "rc",
            "post" | "rev" | "r" => ".post",
            "dev" => ".dev",
            _ => return None,
        };
        let digits = after.strip_prefix(['-', '_', '.']).unwrap_or(after);
        let end = digits.find(|c: char| !c.is_ascii_digit());
        let (digits, after_digits) = digits.split_at(end.unwrap_or(digits.len()));
        out.push_str(word);
        if digits.is_empty() {
            out.push('0');
            rest = after;
        } else {
            out.push_str(number(digits)?);
            rest = after_digits;
        }
    }
    if let Some(local) = local {
        let parts = local
            .split(['-', '_', '.'])
            .map(|part| number(part).unwrap_or(part));
        out.push('+');
        out.push_str(&parts.collect::<Vec<_>>().join("."));
    }
    Some(out)
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A number without zeros before it.
fn number(digits: &str) -> Option<&str> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let rest = digits.trim_start_matches('0');
    is_number.then_some(if rest.is_empty() { "0" } else { rest })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_a_version_are_the_same() {
        for (spelled, expected) in [
            ("1.0", "1"),
            ("1", "1"),
            ("0.0", "0"),
            ("v2024.08.30", "2024.8.30"),
            ("1.10.0", "1.10"),
            ("1!2.0", "1!2"),
            ("1.0RC1", "1rc1"),
            ("1.0-rc.1", "1rc1"),
            ("1.0.alpha", "1a0"),
            ("1.0-1", "1.post1"),
            ("1.0.post01", "1.post1"),
            ("1.0a1.dev2", "1a1.dev2"),
            ("1.0.dev3", "1.dev3"),
            ("1.0+Ubuntu_01", "1+ubuntu.1"),
            ("strange", "strange"),
            ("1..0", "1..0"),
            ("1.x", "1.x"),
            ("", ""),
            ("-", "-"),
        ] {
            assert_eq!(canonical(spelled), expected, "{spelled}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic_and_what_was_read_stays(text in "[0-9a-z.!+_é-]{0,20}") {
            let once = canonical(&text);
            prop_assert_eq!(canonical(&once), once);
        }
    }
}
