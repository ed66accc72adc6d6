//! Making a script smaller while it still shows what it showed: lines first, then words.

/// How often a script is tried at most.
const MOST_TRIES: usize = 500;

/// The smallest script found that `shows`; every candidate is a part of `script`.
pub(super) fn minimise(script: &[u8], mut shows: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut tries = 0;
    let mut shows = |candidate: &[u8]| {
        tries += 1;
        tries < MOST_TRIES && is_harmless(candidate) && shows(candidate)
    };
    let mut lines = pieces(script, b'\n');
    loop {
        let before = lines.len();
        lines = fewer(lines, &mut |lines| shows(&lines.concat()));
        if lines.len() == before {
            break;
        }
    }
    let words = pieces(&lines.concat(), b' ');
    fewer(words, &mut |words| shows(&words.concat())).concat()
}

/// Whether a part of a script does no harm: what sends a signal stands alone on its line, and is
/// whole.
fn is_harmless(script: &[u8]) -> bool {
    let mut lines = script.split(|byte| *byte == b'\n');
    lines.all(|line| line == b"kill -USR1 $BASHPID" || !line.windows(4).any(|word| word == b"kill"))
}

/// A script in pieces, each with the byte that ends it.
fn pieces(script: &[u8], end: u8) -> Vec<Vec<u8>> {
    script
        .split_inclusive(|byte| *byte == end)
        .map(<[u8]>::to_vec)
        .collect()
}

/// Takes pieces away, half of them first and single ones last, as long as the rest `shows`.
fn fewer(mut pieces: Vec<Vec<u8>>, shows: &mut dyn FnMut(&[Vec<u8>]) -> bool) -> Vec<Vec<u8>> {
    let mut size = pieces.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < pieces.len() && pieces.len() > 1 {
            let mut rest = pieces.clone();
            rest.drain(at..(at + size).min(pieces.len()));
            if !rest.is_empty() && shows(&rest) {
                pieces = rest;
            } else {
                at += size;
            }
        }
        if size == 1 {
            return pieces;
        }
        size = size.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::minimise;

    #[test]
    fn only_what_is_needed_stays() {
        let script = b"a\nb one two three\nc\nd\ne four five\nf\n";
        let has = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|part| part == word);
        let small = minimise(script, |text| has(text, b"two") && has(text, b"five"));
        assert_eq!(small, b"two five\n");
    }

    #[test]
    fn what_cannot_be_smaller_stays_as_it_is() {
        assert_eq!(
            minimise(b"x y\nz\n", |text| text == b"x y\nz\n"),
            b"x y\nz\n"
        );
    }

    #[test]
    fn a_command_that_sends_a_signal_stays_whole() {
        let small = minimise(b"x\nkill -USR1 $BASHPID\n", |text| text.starts_with(b"x"));
        assert_eq!(small, b"x\n");
        let small = minimise(b"x y\nkill -USR1 $BASHPID\n", |text| {
            text.windows(4).any(|word| word == b"kill")
        });
        assert_eq!(small, b"kill -USR1 $BASHPID\n");
    }
}
