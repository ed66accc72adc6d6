//! Names of users and groups, from `/etc/passwd` and `/etc/group`.

use std::collections::HashMap;

/// The names of one of the two files.
#[derive(Debug, Default)]
pub struct Names {
    by_number: HashMap<u32, Vec<u8>>,
    by_name: HashMap<Vec<u8>, u32>,
}

impl Names {
    /// The users of this system.
    pub fn users() -> Names {
        Names::read("/etc/passwd")
    }

    /// The groups of this system.
    pub fn groups() -> Names {
        Names::read("/etc/group")
    }

    fn read(file: &str) -> Names {
        // Without the file every number stays a number.
        Names::parse(&std::fs::read(file).unwrap_or_default())
    }

    fn parse(text: &[u8]) -> Names {
        let mut names = Names::default();
        for line in text.split(|byte| *byte == b'\n') {
            let mut fields = line.split(|byte| *byte == b':');
            let (Some(name), Some(_), Some(number)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let number = std::str::from_utf8(number)
                .ok()
                .and_then(|text| text.parse().ok());
            if let (Some(number), false) = (number, name.is_empty()) {
                names
                    .by_number
                    .entry(number)
                    .or_insert_with(|| name.to_vec());
                names.by_name.entry(name.to_vec()).or_insert(number);
            }
        }
        names
    }

    /// The name of a number, if it has one.
    pub fn name(&self, number: u32) -> Option<&[u8]> {
        self.by_number.get(&number).map(Vec::as_slice)
    }

    /// The number of a name.
    pub fn number(&self, name: &[u8]) -> Option<u32> {
        self.by_name.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_number_or_name_counts() {
        let names = Names::parse(b"root:x:0:0::/:\nroot:x:7:\ntoor:x:0:0\nbad\nworse:x:y\n");
        assert_eq!(names.name(0), Some(&b"root"[..]));
        assert_eq!(names.number(b"root"), Some(0));
        assert_eq!(names.number(b"toor"), Some(0));
        assert_eq!(names.name(7), Some(&b"root"[..]));
        assert_eq!(names.number(b"worse"), None);
    }
}
