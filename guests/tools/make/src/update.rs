//! What is out of date, and the recipes that change that.

use std::collections::HashMap;
use std::time::SystemTime;

use codepod_tool::{Command, Ended, Ends};

use crate::Make;
use crate::expand::Origin;
use crate::read::Rule;
use crate::text::{encode, fill, stem};

/// How deep targets may need each other.
const DEPTH: usize = 300;

/// What is known of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is being looked at.
    Working,
    /// It is as it should be; its time, and whether it was made now.
    Done(Option<SystemTime>, bool),
    /// It could not be made.
    Failed,
}

/// What a target is made by.
#[derive(Debug, Clone, Default)]
struct Plan {
    needs: Vec<String>,
    order_only: Vec<String>,
    recipe: Vec<(usize, String)>,
    has_recipe: bool,
    file: String,
    stem: String,
    found: bool,
    first_need: Option<String>,
    also: Vec<String>,
}

impl Make {
    /// Makes goals and returns the status.
    pub(crate) fn goals(&mut self, goals: &[String]) -> Result<i32, String> {
        let mut status = 0;
        for goal in goals {
            let goal = goal.strip_prefix("./").unwrap_or(goal).to_owned();
            let ran_before = self.ran();
            match self.update(&goal, None, 0) {
                Ok(State::Failed) => {
                    status = 2;
                    let text = format!(
                        "{}: Target '{goal}' not remade because of errors.",
                        self.name
                    );
                    self.tell(&text);
                }
                Ok(state) => {
                    if self.settings.question {
                        if matches!(state, State::Done(_, true)) {
                            return Ok(1);
                        }
                        continue;
                    }
                    if self.ran() == ran_before && !self.settings.silent {
                        let plan = self.plan(&goal, 0)?;
                        let phony = self.phony.contains(&goal);
                        let text = match plan.has_recipe && !plan.recipe.is_empty() && !phony {
                            true => format!("{}: '{goal}' is up to date.\n", self.name),
                            false => format!("{}: Nothing to be done for '{goal}'.\n", self.name),
                        };
                        self.print(&text);
                    }
                }
                Err(message) => return Err(message),
            }
        }
        self.remove_intermediate();
        Ok(if self.failed { 2 } else { status })
    }

    /// Removes files that were made on the way only, and says so.
    fn remove_intermediate(&mut self) {
        let names: Vec<String> = std::mem::take(&mut self.intermediate);
        let there: Vec<String> = names
            .into_iter()
            .filter(|name| self.settings.dry_run || self.time(name).is_some())
            .collect();
        if there.is_empty() {
            return;
        }
        if !self.settings.silent {
            let text = format!("rm {}\n", there.join(" "));
            self.print(&text);
        }
        if !self.settings.dry_run {
            for name in &there {
                // What is gone already needs no removing.
                let _ = std::fs::remove_file(codepod_tool::path(&encode(name)));
            }
        }
    }

    fn ran(&self) -> usize {
        self.states
            .values()
            .filter(|state| matches!(state, State::Done(_, true)))
            .count()
    }

    fn time(&self, name: &str) -> Option<SystemTime> {
        if self.settings.new_files.iter().any(|new| new == name) {
            return Some(SystemTime::now() + std::time::Duration::from_secs(3600));
        }
        std::fs::metadata(codepod_tool::path(&encode(name)))
            .and_then(|metadata| metadata.modified())
            .ok()
    }

    /// How a target is made: its rules put together, or a pattern rule.
    fn plan(&mut self, target: &str, depth: usize) -> Result<Plan, String> {
        let mut plan = Plan::default();
        let explicit: Vec<Rule> = self
            .by_target
            .get(target)
            .map(|places| places.iter().map(|at| self.rules[*at].clone()).collect())
            .unwrap_or_default();
        let mut overridden = false;
        for rule in &explicit {
            plan.found = true;
            let mut part = String::new();
            if let Some(pattern) = &rule.static_pattern {
                part = stem(pattern, target).unwrap_or("").to_owned();
            }
            let filled = |words: &[String]| -> Vec<String> {
                words
                    .iter()
                    .map(|word| {
                        if rule.static_pattern.is_some() {
                            fill(word, &part)
                        } else {
                            word.clone()
                        }
                    })
                    .collect()
            };
            let needs = filled(&rule.needs);
            if rule.has_recipe {
                if plan.has_recipe && !rule.double && !overridden {
                    let line = rule.recipe.first().map_or(0, |(line, _)| *line);
                    let first = plan.recipe.first().map_or(0, |(line, _)| *line);
                    let text = format!(
                        "{}:{line}: warning: overriding recipe for target '{target}'",
                        rule.file
                    );
                    self.tell(&text);
                    let text = format!(
                        "{}:{first}: warning: ignoring old recipe for target '{target}'",
                        plan.file
                    );
                    self.tell(&text);
                    overridden = true;
                }
                if rule.double && plan.has_recipe {
                    plan.recipe.extend(rule.recipe.iter().cloned());
                } else {
                    plan.recipe.clone_from(&rule.recipe);
                }
                plan.has_recipe = true;
                plan.file.clone_from(&rule.file);
                plan.stem.clone_from(&part);
                // The first of its own needs is `$<`.
                let mut all = needs.clone();
                all.append(&mut plan.needs);
                plan.needs = all;
            } else {
                plan.needs.extend(needs);
            }
            plan.order_only.extend(filled(&rule.order_only));
        }
        plan.first_need = plan.needs.first().cloned();
        if !plan.has_recipe
            && !self.phony.iter().any(|name| name == target)
            && let Some((rule, part)) = self.implicit(target, depth)
        {
            let mut needs: Vec<String> = rule.needs.iter().map(|word| fill(word, &part)).collect();
            plan.first_need = needs.first().cloned().or(plan.first_need);
            needs.append(&mut plan.needs);
            plan.needs = needs;
            plan.order_only
                .extend(rule.order_only.iter().map(|word| fill(word, &part)));
            plan.also = rule
                .targets
                .iter()
                .map(|pattern| fill(pattern, &part))
                .filter(|other| other != target)
                .collect();
            plan.recipe = rule.recipe;
            plan.has_recipe = true;
            plan.file = rule.file;
            plan.stem = part;
            plan.found = true;
        }
        Ok(plan)
    }

    /// A pattern rule whose needs are there or can be made.
    fn implicit(&mut self, target: &str, depth: usize) -> Option<(Rule, String)> {
        if depth > 8 {
            return None;
        }
        let mut candidates: Vec<(usize, usize, String)> = Vec::new();
        for (order, at) in self.patterns.iter().enumerate() {
            let rule = &self.rules[*at];
            if !rule.has_recipe {
                continue;
            }
            for pattern in &rule.targets {
                // A pattern without a slash looks at the name only.
                let (directory, name) = match (pattern.contains('/'), target.rfind('/')) {
                    (false, Some(slash)) => target.split_at(slash + 1),
                    _ => ("", target),
                };
                if let Some(part) = stem(pattern, name).filter(|part| !part.is_empty()) {
                    candidates.push((part.len(), order, format!("{directory}{part}")));
                }
            }
        }
        // The shortest stem fits best.
        candidates.sort();
        for (_, order, part) in candidates {
            let rule = self.rules[self.patterns[order]].clone();
            let needs: Vec<String> = rule
                .needs
                .iter()
                .chain(&rule.order_only)
                .map(|word| fill(word, &part))
                .collect();
            let available = needs.iter().all(|need| {
                self.by_target.contains_key(need)
                    || std::fs::metadata(codepod_tool::path(&encode(need))).is_ok()
                    || (need != target && self.implicit(need, depth + 1).is_some())
            });
            if available {
                return Some((rule, part));
            }
        }
        None
    }

    /// Brings a target up to date.
    fn update(
        &mut self,
        target: &str,
        needed_by: Option<&str>,
        depth: usize,
    ) -> Result<State, String> {
        match self.states.get(target) {
            Some(State::Working) => {
                let by = needed_by.unwrap_or(target);
                let text = format!(
                    "{}: Circular {by} <- {target} dependency dropped.",
                    self.name
                );
                self.tell(&text);
                return Ok(State::Done(self.time(target), false));
            }
            Some(state) => return Ok(*state),
            None => {}
        }
        if depth > DEPTH {
            return Err(format!(
                "{}: *** targets need each other too deeply.  Stop.",
                self.name
            ));
        }
        let plan = self.plan(target, 0)?;
        let phony = self.phony.iter().any(|name| name == target);
        let own_time = self.time(target);
        if !plan.found && !phony {
            if own_time.is_some() {
                let state = State::Done(own_time, false);
                self.states.insert(target.to_owned(), state);
                return Ok(state);
            }
            let why = match needed_by {
                Some(by) => format!("No rule to make target '{target}', needed by '{by}'."),
                None => format!("No rule to make target '{target}'."),
            };
            if self.settings.keep_going {
                let text = format!("{}: *** {why}", self.name);
                self.tell(&text);
                self.states.insert(target.to_owned(), State::Failed);
                self.failed = true;
                return Ok(State::Failed);
            }
            return Err(format!("{}: *** {why}  Stop.", self.name));
        }
        self.states.insert(target.to_owned(), State::Working);
        let variables = self.enter_target(target)?;
        let result = self.update_planned(target, &plan, phony, own_time, depth);
        self.locals.truncate(variables);
        let state = result?;
        self.states.insert(target.to_owned(), state);
        if let State::Done(_, true) = state {
            // What only a chain of patterns asked for goes at the end.
            let mentioned = self.by_target.contains_key(target)
                || self
                    .rules
                    .iter()
                    .any(|rule| rule.needs.iter().any(|need| need == target));
            if needed_by.is_some() && own_time.is_none() && !phony && !mentioned {
                self.intermediate.push(target.to_owned());
            }
            for other in &plan.also {
                let time = self.time(other);
                self.states.insert(other.clone(), State::Done(time, false));
            }
        }
        Ok(state)
    }

    /// Sets the variables of a target, and returns how many scopes there were.
    fn enter_target(&mut self, target: &str) -> Result<usize, String> {
        let before = self.locals.len();
        let own: Vec<_> = self
            .target_variables
            .iter()
            .filter(|(name, _)| stem(name, target).is_some())
            .map(|(_, assignment)| assignment.clone())
            .collect();
        if own.is_empty() {
            return Ok(before);
        }
        self.locals.push(HashMap::new());
        for assignment in own {
            let name = self.expand(&assignment.name)?;
            if self
                .variables
                .get(&name)
                .is_some_and(|variable| variable.origin == Origin::CommandLine)
                && !assignment.forced
            {
                continue;
            }
            let old = self
                .locals
                .iter()
                .rev()
                .find_map(|scope| scope.get(&name))
                .or_else(|| self.variables.get(&name))
                .cloned();
            if let Some(variable) = self.assigned(&assignment, old, Origin::File)?
                && let Some(scope) = self.locals.last_mut()
            {
                scope.insert(name, variable);
            }
        }
        Ok(before)
    }

    fn update_planned(
        &mut self,
        target: &str,
        plan: &Plan,
        phony: bool,
        own_time: Option<SystemTime>,
        depth: usize,
    ) -> Result<State, String> {
        let mut newer = Vec::new();
        let mut failed = false;
        let mut made = false;
        for (order_only, list) in [(false, &plan.needs), (true, &plan.order_only)] {
            for need in list {
                if need == target {
                    let text = format!(
                        "{}: Circular {target} <- {target} dependency dropped.",
                        self.name
                    );
                    self.tell(&text);
                    continue;
                }
                match self.update(need, Some(target), depth + 1)? {
                    State::Failed => failed = true,
                    State::Done(time, remade) if !order_only => {
                        let is_newer = match (time, own_time) {
                            (Some(time), Some(own)) => time > own,
                            _ => true,
                        };
                        made |= remade;
                        if remade || is_newer {
                            newer.push(need.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        if failed {
            self.failed = true;
            return Ok(State::Failed);
        }
        let stale = phony || own_time.is_none() || !newer.is_empty() || self.settings.always;
        if !stale {
            return Ok(State::Done(own_time, false));
        }
        if plan.recipe.is_empty() {
            // Nothing to run: it counts as made when something it needs was.
            return Ok(State::Done(
                own_time.or_else(|| Some(SystemTime::now())),
                made,
            ));
        }
        if self.settings.question {
            return Ok(State::Done(None, true));
        }
        if self.settings.touch && !phony {
            let text = format!("touch {target}\n");
            self.print(&text);
            let opened = std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(codepod_tool::path(&encode(target)));
            if let Ok(file) = opened {
                // Where its time cannot be set it stays old, and is made the next time.
                let _ = file.set_modified(SystemTime::now());
            }
            return Ok(State::Done(self.time(target), true));
        }
        match self.recipe(target, plan, &newer)? {
            true => Ok(State::Done(
                self.time(target).or_else(|| Some(SystemTime::now())),
                true,
            )),
            false => Ok(State::Failed),
        }
    }

    /// Runs a recipe; false when it failed and make goes on.
    fn recipe(&mut self, target: &str, plan: &Plan, newer: &[String]) -> Result<bool, String> {
        let mut once: Vec<&str> = Vec::new();
        for need in &plan.needs {
            if !once.contains(&need.as_str()) {
                once.push(need);
            }
        }
        let mut new_once: Vec<&str> = Vec::new();
        for need in newer {
            if !new_once.contains(&need.as_str()) {
                new_once.push(need);
            }
        }
        let automatic: HashMap<char, String> = [
            ('@', target.to_owned()),
            ('<', plan.first_need.clone().unwrap_or_default()),
            ('^', once.join(" ")),
            ('+', plan.needs.join(" ")),
            ('?', new_once.join(" ")),
            ('*', plan.stem.clone()),
            ('|', plan.order_only.join(" ")),
            ('%', String::new()),
        ]
        .into();
        let saved = self.current.replace(automatic);
        let result = self.recipe_lines(target, plan);
        self.current = saved;
        result
    }

    fn recipe_lines(&mut self, target: &str, plan: &Plan) -> Result<bool, String> {
        let mut lines = Vec::new();
        for (number, raw) in &plan.recipe {
            self.file.clone_from(&plan.file);
            self.line = *number;
            let recursive = raw.contains("$(MAKE)") || raw.contains("${MAKE}");
            let text = self
                .expand(raw)
                .map_err(|message| format!("{}: *** {message}  Stop.", self.place()))?;
            // A variable of several lines is several commands.
            let mut parts: Vec<String> = Vec::new();
            for part in text.split('\n') {
                match parts.last_mut() {
                    Some(last)
                        if last
                            .chars()
                            .rev()
                            .take_while(|letter| *letter == '\\')
                            .count()
                            % 2
                            == 1 =>
                    {
                        last.push('\n');
                        last.push_str(part);
                    }
                    _ => parts.push(part.to_owned()),
                }
            }
            lines.extend(parts.into_iter().map(|part| (*number, part, recursive)));
        }
        if self.one_shell && !lines.is_empty() {
            let (number, first, _) = lines[0].clone();
            let rest: Vec<String> = lines[1..].iter().map(|(_, line, _)| line.clone()).collect();
            let whole = std::iter::once(first)
                .chain(rest)
                .collect::<Vec<_>>()
                .join("\n");
            lines = vec![(number, whole, false)];
        }
        for (number, line, recursive) in lines {
            let mut rest = line.trim_ascii_start();
            let (mut silent, mut ignore, mut always) =
                (self.settings.silent, self.settings.ignore_errors, recursive);
            silent |= self.silent_targets.iter().any(|name| name == target);
            loop {
                match rest.chars().next() {
                    Some('@') => silent = true,
                    Some('-') => ignore = true,
                    Some('+') => always = true,
                    _ => break,
                }
                rest = rest[1..].trim_ascii_start();
            }
            if rest.is_empty() {
                continue;
            }
            if !silent || self.settings.dry_run {
                let text = format!("{rest}\n");
                self.print(&text);
            }
            if self.settings.dry_run && !always {
                continue;
            }
            let ended = self.command(rest)?;
            let why = match ended {
                Ended::Exited(0) => continue,
                Ended::Exited(status) => format!("Error {status}"),
                Ended::Signaled(signal) => signal_name(signal),
            };
            let place = format!("[{}:{number}: {target}] {why}", plan.file);
            if ignore {
                let text = format!("{}: {place} (ignored)", self.name);
                self.tell(&text);
                continue;
            }
            let text = format!("{}: *** {place}", self.name);
            if self.delete_on_error
                && std::fs::remove_file(codepod_tool::path(&encode(target))).is_ok()
            {
                self.tell(&text);
                let deleting = format!("{}: *** Deleting file '{target}'", self.name);
                if self.settings.keep_going {
                    self.tell(&deleting);
                    self.failed = true;
                    return Ok(false);
                }
                return Err(deleting);
            }
            if self.settings.keep_going {
                self.tell(&text);
                self.failed = true;
                return Ok(false);
            }
            return Err(text);
        }
        Ok(true)
    }

    fn command(&mut self, text: &str) -> Result<Ended, String> {
        self.flush();
        let fatal =
            |make: &Make, message: String| format!("{}: *** {message}  Stop.", make.place());
        let shell = self
            .value("SHELL")
            .map_err(|message| fatal(self, message))?;
        let flags = self
            .value(".SHELLFLAGS")
            .map_err(|message| fatal(self, message))?;
        let flags = if flags.is_empty() {
            "-c".to_owned()
        } else {
            flags
        };
        let environment = self.environment().map_err(|message| fatal(self, message))?;
        let mut words = vec![encode(&shell)];
        words.extend(flags.split_ascii_whitespace().map(encode));
        words.push(encode(text));
        let arguments: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let program = if shell.contains('/') {
            shell.clone()
        } else {
            format!("/bin/{shell}")
        };
        let started = Command::start_with(&encode(&program), &arguments, &environment, Ends::None);
        match started.and_then(Command::wait) {
            Ok(ended) => Ok(ended),
            Err(error) => {
                let text = format!("{}: {shell}: {}", self.name, codepod_tool::io_text(&error));
                self.tell(&text);
                Ok(Ended::Exited(127))
            }
        }
    }
}

fn signal_name(signal: i32) -> String {
    match signal {
        1 => "Hangup".into(),
        2 => "Interrupt".into(),
        6 => "Aborted".into(),
        9 => "Killed".into(),
        11 => "Segmentation fault".into(),
        13 => "Broken pipe".into(),
        15 => "Terminated".into(),
        other => format!("signal {other}"),
    }
}
