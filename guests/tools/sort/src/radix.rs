//! Sorting whole lines by their bytes, eight at a time.
//!
//! A comparison of two lines costs two visits to memory far apart. So the next eight bytes of each
//! line stand beside it as a number: numbers are sorted, and only lines with the same number are
//! looked at again, for their next eight bytes.

/// A line in a text, and eight of its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// The bytes that are compared now, the first one highest, padded with zeros.
    pub(crate) bytes: u64,
    pub(crate) start: u32,
    pub(crate) length: u32,
}

impl Line {
    /// The line's text.
    pub(crate) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..][..self.length as usize]
    }
}

/// How many bytes are compared at once.
const WIDTH: usize = 8;
/// With fewer lines than this, comparing them directly is quicker.
const FEW: usize = 6;

/// The bytes of a line from `depth` on, as a number.
pub(crate) fn bytes_at(line: &[u8], depth: usize) -> u64 {
    let rest = line.get(depth..).unwrap_or_default();
    match rest.first_chunk::<WIDTH>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; WIDTH];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
    }
}

/// Sorts lines whose `bytes` are their first eight.
pub(crate) fn sort(lines: &mut [Line], text: &[u8]) {
    // Groups of lines that agree up to a depth, as work to do: recursion would go as deep as lines
    // are long.
    let mut groups: Vec<(usize, usize, usize)> = vec![(0, lines.len(), 0)];
    while let Some((from, to, depth)) = groups.pop() {
        let group = &mut lines[from..to];
        if group.len() < FEW {
            group.sort_unstable_by(|a, b| {
                let tail = |line: &Line| line.of(text).get(depth..).unwrap_or_default();
                a.bytes.cmp(&b.bytes).then_with(|| tail(a).cmp(tail(b)))
            });
            continue;
        }
        group.sort_unstable_by_key(|line| line.bytes);
        let mut start = 0;
        for end in 1..=group.len() {
            if end < group.len() && group[end].bytes == group[start].bytes {
                continue;
            }
            if end - start > 1 {
                let longer = next_bytes(&mut group[start..end], text, depth + WIDTH);
                if longer > 1 {
                    groups.push((from + end - longer, from + end, depth + WIDTH));
                }
            }
            start = end;
        }
    }
}

/// Puts those of the lines first that end before `depth`, by length, and gives the others their
/// next bytes. Returns how many others there are.
fn next_bytes(group: &mut [Line], text: &[u8], depth: usize) -> usize {
    let mut ended = 0;
    for at in 0..group.len() {
        if group[at].length as usize <= depth {
            group.swap(at, ended);
            ended += 1;
        }
    }
    // All their bytes are the same as far as they go, so the shorter one is the beginning of the
    // longer.
    group[..ended].sort_unstable_by_key(|line| line.length);
    for line in &mut group[ended..] {
        line.bytes = bytes_at(line.of(text), depth);
    }
    group.len() - ended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(lines: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut text = Vec::new();
        let mut entries = Vec::new();
        for line in lines {
            let start = text.len() as u32;
            text.extend_from_slice(line);
            text.push(b'\n');
            entries.push(Line {
                bytes: bytes_at(line, 0),
                start,
                length: line.len() as u32,
            });
        }
        sort(&mut entries, &text);
        entries.iter().map(|line| line.of(&text).to_vec()).collect()
    }

    #[test]
    fn it_sorts_as_bytes_compare() {
        let mut state = 1u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..300 {
            let count = random(200);
            let lines: Vec<Vec<u8>> = (0..count)
                .map(|_| {
                    let length = random(if round % 2 == 0 { 5 } else { 40 });
                    (0..length)
                        .map(|_| {
                            [0, b'a', b'b', 0xff]
                                [random(if round % 3 == 0 { 2 } else { 4 }) as usize]
                        })
                        .collect()
                })
                .collect();
            let mut expected = lines.clone();
            expected.sort();
            let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            assert_eq!(sorted(&lines), expected);
        }
    }

    #[test]
    fn a_line_is_before_the_same_line_with_zeros_behind() {
        let lines: [&[u8]; 7] = [
            b"a\0\0\0\0\0\0\0\0x",
            b"a\0",
            b"a",
            b"",
            b"a\0\0\0\0\0\0\0",
            b"a\0\0\0\0\0\0\0\0",
            b"\0",
        ];
        let mut expected: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
        expected.sort();
        assert_eq!(sorted(&lines), expected);
    }
}
