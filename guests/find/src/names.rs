//! Names of users and groups.

use std::collections::HashMap;

/// The names that `/etc/passwd` or `/etc/group` has.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_number: HashMap<u32, String>,
    by_name: HashMap<String, u32>,
}

impl Names {
    /// Users.
    pub(crate) fn users() -> Names {
        Names::read("/etc/passwd")
    }

    /// Groups.
    pub(crate) fn groups() -> Names {
        Names::read("/etc/group")
    }

    fn read(file: &str) -> Names {
        let mut names = Names::default();
        // Without the file there are only numbers.
        let text = std::fs::read(file).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            let mut fields = line.split(':');
            let (Some(name), Some(_), Some(number)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            if let Ok(number) = number.parse() {
                names
                    .by_number
                    .entry(number)
                    .or_insert_with(|| name.to_owned());
                names.by_name.entry(name.to_owned()).or_insert(number);
            }
        }
        names
    }

    /// The name of a number; the number where it has none.
    pub(crate) fn name(&self, number: u32) -> String {
        self.by_number
            .get(&number)
            .cloned()
            .unwrap_or_else(|| number.to_string())
    }

    /// Whether a number has a name.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.by_number.contains_key(&number)
    }

    /// The number of a name, or of a number in digits.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.by_name
            .get(name)
            .copied()
            .or_else(|| name.parse().ok())
    }
}
