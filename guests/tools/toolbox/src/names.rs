//! Names of users and groups: `/etc/passwd` and `/etc/group`.

use std::collections::BTreeMap;

/// Both files, read when they are asked for.
#[derive(Default)]
pub(crate) struct Names {
    users: Option<Vec<User>>,
    groups: Option<Vec<Group>>,
    shown_users: BTreeMap<u32, String>,
    shown_groups: BTreeMap<u32, String>,
}

/// A user.
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// A group.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) gid: u32,
    pub(crate) members: Vec<String>,
}

impl Names {
    /// All users.
    pub(crate) fn users(&mut self) -> &[User] {
        self.users.get_or_insert_with(|| {
            let text = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
            let user = |line: &str| {
                let mut fields = line.split(':');
                let name = fields.next()?.to_owned();
                let uid = fields.nth(1)?.parse().ok()?;
                Some(User {
                    name,
                    uid,
                    gid: fields.next()?.parse().ok()?,
                })
            };
            text.lines().filter_map(user).collect()
        })
    }

    /// All groups.
    pub(crate) fn groups(&mut self) -> &[Group] {
        self.groups.get_or_insert_with(|| {
            let text = std::fs::read_to_string("/etc/group").unwrap_or_default();
            let group = |line: &str| {
                let mut fields = line.split(':');
                let name = fields.next()?.to_owned();
                let gid = fields.nth(1)?.parse().ok()?;
                let members = fields.next().unwrap_or_default().split(',');
                let members = members
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect();
                Some(Group { name, gid, members })
            };
            text.lines().filter_map(group).collect()
        })
    }

    /// The user of a name or, if `numbers` may be, of a number.
    pub(crate) fn user(&mut self, name: &str) -> Option<&User> {
        self.users().iter().find(|user| user.name == name)
    }

    /// A user's name, or the number.
    pub(crate) fn user_name(&mut self, uid: u32) -> String {
        if let Some(name) = self.shown_users.get(&uid) {
            return name.clone();
        }
        let found = self.users().iter().find(|user| user.uid == uid);
        let name = found.map_or_else(|| uid.to_string(), |user| user.name.clone());
        self.shown_users.insert(uid, name.clone());
        name
    }

    /// A group's name, or the number.
    pub(crate) fn group_name(&mut self, gid: u32) -> String {
        if let Some(name) = self.shown_groups.get(&gid) {
            return name.clone();
        }
        let found = self.groups().iter().find(|group| group.gid == gid);
        let name = found.map_or_else(|| gid.to_string(), |group| group.name.clone());
        self.shown_groups.insert(gid, name.clone());
        name
    }

    /// The number of a user by name or number.
    pub(crate) fn uid(&mut self, text: &str) -> Option<u32> {
        self.user(text)
            .map(|user| user.uid)
            .or_else(|| number(text))
    }

    /// The number of a group by name or number.
    pub(crate) fn gid(&mut self, text: &str) -> Option<u32> {
        let found = self
            .groups()
            .iter()
            .find(|group| group.name == text)
            .map(|group| group.gid);
        found.or_else(|| number(text))
    }
}

fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    digits
        .parse()
        .ok()
        .filter(|number| *number != u32::MAX && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
