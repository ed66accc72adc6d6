//! What is done to an archive, before anything is done.

use std::io;

use codepod_datetime::{Civil, Zone};

use super::gather::{self, Candidate};
use super::settings::{Action, Settings};
use super::{Failure, Messages, Old, display};

/// What happens to an entry.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    /// It is copied as it is.
    Keep,
    /// It goes away.
    Delete,
    /// A file takes its place.
    Replace(Candidate),
}

/// What happens to the entries that are there, and which files are new.
pub(super) struct Plan {
    /// One for each entry.
    pub(super) fates: Vec<Fate>,
    /// Files without an entry.
    pub(super) new: Vec<Candidate>,
}

/// What a plan is made from.
pub(super) struct Planner<'a> {
    pub(super) settings: &'a Settings,
    /// The archive's name.
    pub(super) name: &'a [u8],
    pub(super) old: &'a Old,
    pub(super) zone: &'a Zone,
    pub(super) out: &'a mut Messages,
}

impl Planner<'_> {
    /// Makes the plan. Fails where there is nothing to do.
    pub(super) fn plan(mut self) -> Result<Plan, Failure> {
        if self.old.entries.is_empty() && self.settings.action != Action::Add {
            self.out
                .warn("", &[self.name, b" not found or empty"].concat());
        }
        if self.settings.action == Action::Delete {
            return self.deletions();
        }
        let (found, missing) = self.gather()?;
        let (plan, current) = self.additions(found);
        let idle = plan.new.is_empty() && plan.fates.iter().all(|fate| matches!(fate, Fate::Keep));
        match idle
            && !self.settings.show_files
            && !changes_only_the_archive(self.settings, self.old)
        {
            true => Err(self.nothing(current, missing)),
            false => Ok(plan),
        }
    }

    /// `-d`: entries that match go away.
    fn deletions(&mut self) -> Result<Plan, Failure> {
        let (settings, old) = (self.settings, self.old);
        let mut fates = vec![Fate::Keep; old.entries.len()];
        let mut any = false;
        let patterns = settings.files.iter();
        for pattern in patterns.filter(|_| !old.entries.is_empty()) {
            let mut hit = false;
            for (entry, fate) in old.entries.iter().zip(&mut fates) {
                let same = crate::zipfile::matches(pattern, &entry.name, settings.ignore_case);
                if same && gather::passes(settings, &entry.name) {
                    *fate = Fate::Delete;
                    hit = true;
                }
            }
            if !hit {
                self.out.warn("name not matched: ", pattern);
            }
            any |= hit;
        }
        match any || settings.show_files {
            true => Ok(Plan {
                fates,
                new: Vec::new(),
            }),
            false => Err(Failure::nothing(self.name)),
        }
    }

    /// The files that are named, and the last name that nothing matched.
    fn gather(&mut self) -> Result<(Vec<Candidate>, Option<Vec<u8>>), Failure> {
        let settings = self.settings;
        let mut gatherer = gather::Gatherer::new(settings, self.old, self.out);
        let files = match settings.recurse_patterns {
            true => vec![b".".to_vec()],
            false => settings.files.clone(),
        };
        let mut missing = None;
        for file in files {
            if gatherer.take(&file)? {
                continue;
            }
            gatherer.out.warn("name not matched: ", &file);
            if settings.must_match {
                let error = io::Error::from_raw_os_error(rustix::io::Errno::NOENT.raw_os_error());
                return Err(Failure::open(&error, &file));
            }
            missing = Some(file);
        }
        Ok((gatherer.finish()?, missing))
    }

    /// What becomes of the files, and how many of them the archive has already.
    fn additions(&self, found: Vec<Candidate>) -> (Plan, usize) {
        let (settings, old) = (self.settings, self.old);
        // With `-FS` an entry without a file goes away.
        let without_file = match settings.sync {
            true => Fate::Delete,
            false => Fate::Keep,
        };
        let mut plan = Plan {
            fates: vec![without_file; old.entries.len()],
            new: Vec::new(),
        };
        let mut current = 0;
        for candidate in found {
            if !in_dates(settings, &candidate, self.zone) {
                continue;
            }
            let mut entries = old.entries.iter();
            match entries.position(|entry| entry.name == candidate.name) {
                Some(index) if self.replaces(&candidate, index) => {
                    plan.fates[index] = Fate::Replace(candidate);
                }
                Some(index) => {
                    plan.fates[index] = Fate::Keep;
                    current += 1;
                }
                None if settings.action == Action::Freshen => {}
                None => plan.new.push(candidate),
            }
        }
        (plan, current)
    }

    /// Whether a file takes the place of its entry.
    fn replaces(&self, candidate: &Candidate, index: usize) -> bool {
        let entry = &self.old.entries[index];
        let newer = candidate.is_newer(entry, self.zone);
        let changed = newer
            || candidate
                .meta
                .is_none_or(|meta| !meta.is_directory() && meta.size != entry.plain);
        match self.settings.action {
            Action::Add if self.settings.sync => changed,
            Action::Add => true,
            _ => newer,
        }
    }

    /// How zip ends that has nothing to do.
    fn nothing(self, current: usize, missing: Option<Vec<u8>>) -> Failure {
        let settings = self.settings;
        if settings.sync && current > 0 {
            self.out.say(b"Archive is current\n");
            return Failure::silent(0);
        }
        if current > 0 || matches!(settings.action, Action::Freshen | Action::Update) {
            return Failure::silent(12);
        }
        match (settings.recurse, missing) {
            (true, Some(file)) if self.old.entries.is_empty() => {
                Failure::nothing([b"try: zip -r ", self.name, b" . -i ", &file[..]].concat())
            }
            _ => Failure::nothing(self.name),
        }
    }
}

/// Whether there is something to do although no file changes.
fn changes_only_the_archive(settings: &Settings, old: &Old) -> bool {
    !old.entries.is_empty()
        && settings.files.is_empty()
        && (settings.comment || settings.test || settings.latest)
}

fn in_dates(settings: &Settings, candidate: &Candidate, zone: &Zone) -> bool {
    let start = |date: (i64, i64, i64)| {
        let civil = Civil {
            year: date.0,
            month: date.1,
            day: date.2,
            ..Civil::from_seconds(0)
        };
        zone.moment(civil).unwrap_or(0)
    };
    let Some(meta) = candidate.meta else {
        return true;
    };
    let modified = meta.modified.seconds;
    settings.from.is_none_or(|date| modified >= start(date))
        && settings.before.is_none_or(|date| modified < start(date))
}

/// `-sf`: what would be done, or what is there.
pub(super) fn show(settings: &Settings, old: &Old, plan: &Plan, out: &mut Messages) {
    let touched = plan.fates.iter().any(|fate| !matches!(fate, Fate::Keep)) || !plan.new.is_empty();
    let heading = match (settings.action, touched) {
        (Action::Delete, true) => "Would Delete:\n",
        (Action::Freshen, true) => "Would Freshen:\n",
        (_, true) => "Would Add/Update:\n",
        _ => "Archive contains:\n",
    };
    out.say(heading.as_bytes());
    let (mut count, mut bytes) = (0_u64, 0_u64);
    let mut line = |name: &[u8], size: u64| {
        out.say(&[b"  ", &display(name)[..], b"\n"].concat());
        count += 1;
        bytes = bytes.wrapping_add(size);
    };
    for (entry, fate) in old.entries.iter().zip(&plan.fates) {
        if !touched || !matches!(fate, Fate::Keep) {
            line(&entry.name, entry.plain);
        }
    }
    for candidate in &plan.new {
        let size = candidate
            .meta
            .map_or(0, |meta| if meta.is_directory() { 0 } else { meta.size });
        line(&candidate.name, size);
    }
    out.say(format!("Total {count} entries ({bytes} bytes)\n").as_bytes());
}
