//! Makefiles: lines, conditionals, assignments, rules.

use std::str::Split;

use crate::Make;
use crate::expand::{Origin, Variable};
use crate::text::{decode, encode, glob};

/// How deep makefiles may include each other.
const INCLUDES: usize = 100;

/// A rule.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// Its targets; of a pattern rule the patterns.
    pub targets: Vec<String>,
    /// For a static pattern rule: the pattern that gives the stem.
    pub static_pattern: Option<String>,
    /// What it needs.
    pub needs: Vec<String>,
    /// What has to be there first.
    pub order_only: Vec<String>,
    /// Lines of its recipe and their numbers.
    pub recipe: Vec<(usize, String)>,
    /// Whether it has a recipe, be it empty.
    pub has_recipe: bool,
    /// The file it stands in.
    pub file: String,
    /// `::`
    pub double: bool,
}

/// `NAME = value` as it stands.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The name, not expanded yet.
    pub name: String,
    /// `= := ?= += !=`
    pub operator: &'static str,
    /// The value as it stands.
    pub value: String,
    /// `override`
    pub forced: bool,
    /// `export`
    pub exported: bool,
}

/// The lines of a makefile.
struct Lines<'a> {
    rest: Split<'a, char>,
    /// The number of the next line.
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, first: usize) -> Self {
        Self {
            rest: text.split('\n'),
            number: first,
        }
    }

    /// The next line as it stands.
    fn line(&mut self) -> Option<&'a str> {
        let line = self.rest.next()?;
        self.number += 1;
        Some(line)
    }

    /// The next line with those that continue it, and its number.
    fn logical(&mut self) -> Option<(usize, String)> {
        let number = self.number;
        let mut whole = self.line()?.to_owned();
        while ends_continued(&whole)
            && let Some(next) = self.line()
        {
            whole.push('\n');
            whole.push_str(next);
        }
        Some((number, whole))
    }

    /// The text up to the `endef` of a `define`; none where there is no `endef`.
    fn definition(&mut self) -> Option<String> {
        let mut body = Vec::new();
        let mut level = 1;
        while let Some(line) = self.line() {
            let start = line.trim_ascii_start();
            if start.starts_with("define ") {
                level += 1;
            } else if start == "endef" || start.starts_with("endef ") || start.starts_with("endef#")
            {
                level -= 1;
                if level == 0 {
                    return Some(body.join("\n"));
                }
            }
            body.push(line);
        }
        None
    }
}

impl Make {
    /// Reads a makefile; one that has to be there is an error when it is not.
    pub(crate) fn read_file(&mut self, name: &str, needed: bool) -> Result<(), String> {
        let bytes = match name {
            "-" => {
                let mut bytes = Vec::new();
                let _ = std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes);
                bytes
            }
            name => match std::fs::read(codepod_tool::path(&encode(name))) {
                Ok(bytes) => bytes,
                Err(_) if !needed => return Ok(()),
                Err(error) => {
                    let why = codepod_tool::io_text(&error);
                    let first = match self.file.is_empty() {
                        true => format!("{}: {name}: {why}", self.name),
                        false => format!("{}: {name}: {why}", self.place()),
                    };
                    self.tell(&first);
                    return Err(format!(
                        "{}: *** No rule to make target '{name}'.  Stop.",
                        self.name
                    ));
                }
            },
        };
        let bytes = without_nul(bytes);
        self.including += 1;
        if self.including > INCLUDES {
            return Err(format!(
                "{}: *** makefiles include each other too deeply.  Stop.",
                self.place()
            ));
        }
        let list = self
            .variables
            .get("MAKEFILE_LIST")
            .map(|variable| variable.value.clone())
            .unwrap_or_default();
        let variable = Variable {
            value: format!("{list} {name}"),
            recursive: false,
            origin: Origin::File,
            exported: false,
        };
        self.variables.insert("MAKEFILE_LIST".into(), variable);
        let saved = (
            std::mem::replace(&mut self.file, name.to_owned()),
            self.line,
        );
        let result = self.read_text(&decode(&bytes), 1);
        if result.is_ok() {
            (self.file, self.line) = saved;
        }
        self.including -= 1;
        result
    }

    /// Reads what `$(eval …)` gives.
    pub(crate) fn evaluate(&mut self, text: &str) -> Result<(), String> {
        let line = self.line;
        let result = self.read_text(text, line.max(1));
        self.line = line;
        result
    }

    fn failure(&self, message: &str) -> String {
        format!("{}: *** {message}  Stop.", self.place())
    }

    fn expanded(&mut self, text: &str) -> Result<String, String> {
        self.expand(text).map_err(|message| {
            match message.starts_with(&self.file) && message.contains(": ***") {
                true => message,
                false => self.failure(&message),
            }
        })
    }

    fn read_text(&mut self, text: &str, first: usize) -> Result<(), String> {
        let mut lines = Lines::new(text, first);
        // For each `if`: whether its branch is read, and whether one was already.
        let mut conditions: Vec<(bool, bool)> = Vec::new();
        // The rules whose recipe the next lines are.
        let mut rules: Vec<usize> = Vec::new();
        while let Some((number, whole)) = lines.logical() {
            self.line = number;
            let reading = conditions.iter().all(|(reads, _)| *reads);
            if let Some(recipe) = whole.strip_prefix('\t')
                && !rules.is_empty()
            {
                if reading {
                    self.add_recipe(&rules, number, recipe);
                }
                continue;
            }
            let joined = join(&whole);
            let plain = without_comment(&joined);
            let trimmed = plain.trim_ascii();
            if trimmed.is_empty() {
                continue;
            }
            let (word, rest) = trimmed
                .split_once([' ', '\t', '('])
                .map_or((trimmed, ""), |(word, _)| {
                    (word, trimmed[word.len()..].trim_ascii())
                });
            if self.conditional(word, rest, &mut conditions)? || !reading {
                continue;
            }
            if self.name_directive(word, rest)? {
                continue;
            }
            if self.text_directive(word, rest, &mut lines)? {
                rules.clear();
                continue;
            }
            if let Some(found) = assignment(plain.trim_ascii_start()) {
                self.assign(&found)?;
                rules.clear();
                continue;
            }
            if whole.starts_with('\t') && rules.is_empty() && !trimmed.contains(':') {
                return Err(self.failure("recipe commences before first target."));
            }
            rules = self.rule(&joined, number)?;
        }
        if !conditions.is_empty() {
            self.line += 1;
            return Err(self.failure("missing 'endif'."));
        }
        Ok(())
    }

    /// Adds a line to the recipe of rules.
    fn add_recipe(&mut self, rules: &[usize], number: usize, line: &str) {
        // Continued lines lose their tab.
        let line = line.replace("\\\n\t", "\\\n");
        for rule in rules {
            self.rules[*rule].recipe.push((number, line.clone()));
            self.rules[*rule].has_recipe = true;
        }
    }

    /// Handles `define` and `include`, which bring further text; says whether the line was one.
    fn text_directive(
        &mut self,
        word: &str,
        rest: &str,
        lines: &mut Lines<'_>,
    ) -> Result<bool, String> {
        match word {
            "define" => {
                let Some(value) = lines.definition() else {
                    return Err(self.failure("missing 'endef', unterminated 'define'."));
                };
                self.define(rest, value)?;
            }
            "include" | "-include" | "sinclude" => self.include(rest, word == "include")?,
            "vpath" | "load" => {
                return Err(self.failure(&format!("'{word}' is not supported.")));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn include(&mut self, rest: &str, needed: bool) -> Result<(), String> {
        let names = self.expanded(rest)?;
        for name in names.split_ascii_whitespace() {
            let found = glob(name);
            let all = if found.is_empty() {
                vec![name.to_owned()]
            } else {
                found
            };
            for file in all {
                self.read_file(&file, needed)?;
            }
        }
        Ok(())
    }

    /// Handles `export`, `unexport` and `undefine` of variables; says whether the line was one.
    fn name_directive(&mut self, word: &str, rest: &str) -> Result<bool, String> {
        match word {
            "unexport" | "undefine" => {}
            "export" if assignment(rest).is_none() => self.export_all |= rest.is_empty(),
            _ => return Ok(false),
        }
        let names = self.expanded(rest)?;
        for name in names.split_ascii_whitespace() {
            match word {
                "undefine" => {
                    self.variables.remove(name);
                }
                "unexport" => {
                    if let Some(variable) = self.variables.get_mut(name) {
                        variable.exported = false;
                    }
                }
                _ => {
                    let unset = Variable {
                        value: String::new(),
                        recursive: false,
                        origin: Origin::File,
                        exported: true,
                    };
                    self.variables
                        .entry(name.to_owned())
                        .or_insert(unset)
                        .exported = true;
                }
            }
        }
        Ok(true)
    }

    /// Handles a line of a condition; says whether it was one.
    fn conditional(
        &mut self,
        word: &str,
        rest: &str,
        conditions: &mut Vec<(bool, bool)>,
    ) -> Result<bool, String> {
        match word {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                let outer = conditions.iter().all(|(reads, _)| *reads);
                let holds = outer && self.holds(word, rest)?;
                conditions.push((holds, holds));
            }
            "else" => {
                let outer = conditions.len() < 2
                    || conditions[..conditions.len() - 1]
                        .iter()
                        .all(|(reads, _)| *reads);
                let Some((_, done)) = conditions.last().copied() else {
                    return Err(self.failure("extraneous 'else'."));
                };
                let holds = match rest.split_once([' ', '\t', '(']) {
                    Some((next, _)) if !done && outer => {
                        self.holds(next, rest[next.len()..].trim_ascii())?
                    }
                    Some(_) => false,
                    None => !done && rest.is_empty(),
                };
                if let Some(last) = conditions.last_mut() {
                    *last = (holds && !done, done || holds);
                }
            }
            "endif" => {
                if conditions.pop().is_none() {
                    return Err(self.failure("extraneous 'endif'."));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn holds(&mut self, word: &str, rest: &str) -> Result<bool, String> {
        match word {
            "ifdef" | "ifndef" => {
                let name = self.expanded(rest)?;
                let set = self
                    .variables
                    .get(name.trim_ascii())
                    .is_some_and(|variable| !variable.value.is_empty());
                Ok(set == (word == "ifdef"))
            }
            "ifeq" | "ifneq" => {
                let Some((left, right)) = sides(rest) else {
                    return Err(self.failure("invalid syntax in conditional."));
                };
                let left = self.expanded(&left)?;
                let right = self.expanded(&right)?;
                Ok((left == right) == (word == "ifeq"))
            }
            _ => Err(self.failure("invalid syntax in conditional.")),
        }
    }

    fn define(&mut self, head: &str, value: String) -> Result<(), String> {
        let head = head.trim_ascii();
        let (name, operator) = match assignment(&format!("{head} ")).filter(|_| head.ends_with('='))
        {
            Some(found) => (found.name, found.operator),
            None => (head.to_owned(), "="),
        };
        self.assign(&Assignment {
            name,
            operator,
            value,
            forced: false,
            exported: false,
        })
    }

    /// Assigns to a global variable.
    pub(crate) fn assign(&mut self, assignment: &Assignment) -> Result<(), String> {
        let name = self.expanded(&assignment.name)?.trim_ascii().to_owned();
        if name.is_empty() {
            return Err(self.failure("empty variable name."));
        }
        let origin = if assignment.forced {
            Origin::Override
        } else {
            Origin::File
        };
        let old = self.variables.get(&name).cloned();
        if let Some(old) = &old
            && old.origin > origin
            && old.origin != Origin::Automatic
        {
            return Ok(());
        }
        if let Some(variable) = self.assigned(assignment, old, origin)? {
            self.variables.insert(name, variable);
        }
        Ok(())
    }

    /// The variable that an assignment makes; none where it changes nothing.
    pub(crate) fn assigned(
        &mut self,
        assignment: &Assignment,
        old: Option<Variable>,
        origin: Origin,
    ) -> Result<Option<Variable>, String> {
        let exported = assignment.exported || old.as_ref().is_some_and(|old| old.exported);
        let make = |value: String, recursive: bool| {
            Some(Variable {
                value,
                recursive,
                origin,
                exported,
            })
        };
        Ok(match (assignment.operator, old) {
            ("?=", Some(_)) => None,
            ("=" | "?=", _) => make(assignment.value.clone(), true),
            (":=", _) => {
                let value = self.expanded(&assignment.value)?;
                make(value, false)
            }
            ("!=", _) => {
                let text = self.expanded(&assignment.value)?;
                let value = self.shell(&text)?;
                make(value, false)
            }
            (_, None) => make(assignment.value.clone(), true),
            (_, Some(old)) => {
                let more = if old.recursive {
                    assignment.value.clone()
                } else {
                    self.expanded(&assignment.value)?
                };
                let blank = if old.value.is_empty() { "" } else { " " };
                make(format!("{}{blank}{more}", old.value), old.recursive)
            }
        })
    }

    /// A rule, or a variable of targets. Returns the rules that a recipe belongs to.
    fn rule(&mut self, joined: &str, number: usize) -> Result<Vec<usize>, String> {
        // A recipe on the same line keeps its `#`.
        let (head, inline) = match split_outside(joined, ';') {
            Some((head, recipe)) => (head.to_owned(), Some(recipe.trim_ascii_start().to_owned())),
            None => (without_comment(joined).to_owned(), None),
        };
        let Some((left, right)) = split_outside(&head, ':') else {
            let shown = self.expanded(&head)?;
            if shown.trim_ascii().is_empty() {
                return Ok(Vec::new());
            }
            return match split_outside(&shown, ':') {
                Some(_) => self.rule(&shown, number),
                None => Err(self.failure("missing separator.")),
            };
        };
        let left = self.expanded(left)?;
        let (double, right) = match right.strip_prefix(':') {
            Some(right) => (true, right),
            None => (false, right),
        };
        let targets = names(&left);
        let whole_right = match &inline {
            Some(recipe) if assignment(right.trim_ascii()).is_some() => format!("{right};{recipe}"),
            _ => right.to_owned(),
        };
        if let Some(found) = assignment(whole_right.trim_ascii()) {
            for target in targets {
                self.target_variables.push((target, found.clone()));
            }
            return Ok(Vec::new());
        }
        let right = self.expanded(right)?;
        let (static_pattern, right) = match split_outside(&right, ':') {
            Some((pattern, rest)) => (Some(pattern.trim_ascii().to_owned()), rest.to_owned()),
            None => (None, right),
        };
        let (needs, order_only) = match right.split_once('|') {
            Some((needs, order)) => (needs.to_owned(), order.to_owned()),
            None => (right, String::new()),
        };
        let words = |text: &str| -> Vec<String> {
            let mut all = Vec::new();
            for word in &names(text) {
                let word = word.strip_prefix("./").unwrap_or(word);
                let found = if word.contains(['*', '?', '[']) {
                    glob(word)
                } else {
                    Vec::new()
                };
                if found.is_empty() {
                    all.push(word.to_owned())
                } else {
                    all.extend(found)
                }
            }
            all
        };
        let mut rule = Rule {
            targets: targets
                .iter()
                .map(|target| target.strip_prefix("./").unwrap_or(target).to_owned())
                .collect(),
            static_pattern,
            needs: words(&needs),
            order_only: words(&order_only),
            recipe: Vec::new(),
            has_recipe: inline.is_some(),
            file: self.file.clone(),
            double,
        };
        if let Some(recipe) = inline.filter(|recipe| !recipe.is_empty()) {
            rule.recipe.push((number, recipe));
        }
        self.special(&rule);
        let index = self.rules.len();
        if rule.static_pattern.is_none() && rule.targets.iter().any(|target| target.contains('%')) {
            self.patterns.push(index);
        } else {
            for target in &rule.targets {
                self.by_target
                    .entry(target.clone())
                    .or_default()
                    .push(index);
                let plain = !target.starts_with('.') || target.contains('/');
                if plain && self.default_goal.is_none() {
                    self.default_goal = Some(target.clone());
                }
            }
        }
        self.rules.push(rule);
        Ok(vec![index])
    }

    /// Targets that mean something to make itself.
    fn special(&mut self, rule: &Rule) {
        for target in &rule.targets {
            match target.as_str() {
                ".PHONY" => self.phony.extend(rule.needs.iter().cloned()),
                ".ONESHELL" => self.one_shell = true,
                ".SILENT" => {
                    if rule.needs.is_empty() {
                        self.settings.silent = true;
                    }
                    self.silent_targets.extend(rule.needs.iter().cloned());
                }
                ".DELETE_ON_ERROR" => self.delete_on_error = true,
                ".EXPORT_ALL_VARIABLES" => self.export_all = true,
                ".SUFFIXES" => match rule.needs.is_empty() {
                    true => self.suffixes.clear(),
                    false => self.suffixes.extend(rule.needs.iter().cloned()),
                },
                ".IGNORE" if rule.needs.is_empty() => self.settings.ignore_errors = true,
                _ => {}
            }
        }
    }
}

fn ends_continued(line: &str) -> bool {
    line.chars()
        .rev()
        .take_while(|letter| *letter == '\\')
        .count()
        % 2
        == 1
}

/// Continued lines as one, with a blank between.
fn join(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let kept = out.trim_ascii_end().len();
        out.truncate(kept);
        out.push(' ');
        out.push_str(part.trim_ascii_start());
    }
    out.trim_end_matches('\r').to_owned()
}

/// A text whose lines end before a NUL.
fn without_nul(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.contains(&0) {
        return bytes;
    }
    let mut kept = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.iter().position(|byte| *byte == 0) {
            Some(end) => {
                kept.extend_from_slice(&line[..end]);
                kept.push(b'\n');
            }
            None => kept.extend_from_slice(line),
        }
    }
    kept
}

/// The words of a list of names, in which a blank behind a backslash belongs to the name.
fn names(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters
                .peek()
                .is_some_and(|next| matches!(next, ' ' | '\t')) =>
            {
                word.extend(letters.next());
            }
            _ if letter.is_ascii_whitespace() => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(letter),
        }
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

/// The line up to a `#` that is not escaped and not inside of a reference.
fn without_comment(line: &str) -> &str {
    let mut level = 0;
    let mut escaped = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '(' | '{' => level += 1,
            ')' | '}' => level -= 1,
            '#' if !escaped && level <= 0 => return &line[..at],
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    line
}

/// The parts around a sign that stands outside of references.
fn split_outside(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut level = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => level += 1,
            ')' | '}' => level -= 1,
            '#' if level == 0 => return None,
            letter if letter == sign && level == 0 => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

/// An assignment, if the line is one.
fn assignment(line: &str) -> Option<Assignment> {
    let mut rest = line.trim_ascii_start();
    let (mut forced, mut exported) = (false, false);
    loop {
        if let Some(after) = rest.strip_prefix("override ") {
            forced = true;
            rest = after.trim_ascii_start();
        } else if let Some(after) = rest.strip_prefix("export ") {
            exported = true;
            rest = after.trim_ascii_start();
        } else if let Some(after) = rest.strip_prefix("private ") {
            rest = after.trim_ascii_start();
        } else {
            break;
        }
    }
    let mut level = 0;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '{' => level += 1,
            ')' | '}' => level -= 1,
            '#' if level == 0 => return None,
            '=' if level == 0 => {
                let before = &rest[..at];
                let (name, operator) = match before.chars().last() {
                    Some('?') => (&before[..at - 1], "?="),
                    Some('+') => (&before[..at - 1], "+="),
                    Some('!') => (&before[..at - 1], "!="),
                    Some(':') => (before.trim_end_matches(':'), ":="),
                    _ => (before, "="),
                };
                let name = name.trim_ascii();
                if name.is_empty()
                    || (name.contains(|letter: char| letter.is_ascii_whitespace())
                        && !name.contains('$'))
                    || name.contains(':')
                {
                    return None;
                }
                let value = rest[at + 1..].trim_ascii_start().to_owned();
                return Some(Assignment {
                    name: name.to_owned(),
                    operator,
                    value,
                    forced,
                    exported,
                });
            }
            // A colon that starts no `:=` makes it a rule.
            ':' if level == 0 => {
                let next = rest[at + 1..].trim_start_matches(':');
                if !next.starts_with('=') {
                    return None;
                }
            }
            _ => {}
        }
    }
    None
}

/// The two sides of `ifeq`: `(a,b)`, `"a" "b"`, `'a' 'b'`.
fn sides(rest: &str) -> Option<(String, String)> {
    let rest = rest.trim_ascii();
    if let Some(inner) = rest.strip_prefix('(') {
        let inner = inner.strip_suffix(')')?;
        let (left, right) = split_outside(inner, ',')?;
        return Some((
            left.trim_ascii_end().to_owned(),
            right.trim_ascii_start().to_owned(),
        ));
    }
    let quote = rest
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''))?;
    let (left, after) = rest[1..].split_once(quote)?;
    let after = after.trim_ascii_start();
    let quote = after
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''))?;
    let (right, _) = after[1..].split_once(quote)?;
    Some((left.to_owned(), right.to_owned()))
}
