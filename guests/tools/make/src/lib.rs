//! make: POSIX's and the GNU parts in daily use.
//!
//! `read` takes makefiles apart, `expand` resolves variables and functions, `update` decides what
//! is out of date and runs recipes. Text is handled with a character per byte (`text`). There are
//! no built-in rules. `-j` is taken, and recipes run one by one.

pub mod expand;
mod functions;
pub mod options;
pub mod read;
pub mod text;
pub mod update;

use std::collections::HashMap;

use codepod_tool::{Arguments, Output};

use expand::{Origin, Variable};
use options::Settings;
use read::Rule;
use text::{decode, encode};
use update::State;

/// Names and values for a command.
type Environment = Vec<(Vec<u8>, Vec<u8>)>;

/// make's state.
#[derive(Debug)]
pub struct Make {
    out: Output,
    settings: Settings,
    /// `make` or `make[1]`.
    name: String,
    variables: HashMap<String, Variable>,
    /// Variables of functions and of targets.
    locals: Vec<HashMap<String, Variable>>,
    /// Variables that are being expanded.
    expanding: Vec<String>,
    depth: usize,
    /// `$@` and its kin while a recipe runs.
    current: Option<HashMap<char, String>>,
    directory: String,
    /// File and line that are read, or whose recipe runs.
    file: String,
    line: usize,
    rules: Vec<Rule>,
    /// Places in `rules` by target.
    by_target: HashMap<String, Vec<usize>>,
    /// Pattern rules in order.
    patterns: Vec<usize>,
    /// Variables of targets.
    target_variables: Vec<(String, read::Assignment)>,
    phony: Vec<String>,
    default_goal: Option<String>,
    one_shell: bool,
    export_all: bool,
    silent_targets: Vec<String>,
    delete_on_error: bool,
    suffixes: Vec<String>,
    states: HashMap<String, State>,
    failed: bool,
    /// Files that were made on the way only.
    intermediate: Vec<String>,
    including: usize,
}

/// make as a tool.
pub fn main(name: &str, arguments: Arguments) -> i32 {
    let settings = match options::read(name, arguments) {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    let level: usize = std::env::var("MAKELEVEL")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let shown = if level == 0 {
        "make".to_owned()
    } else {
        format!("make[{level}]")
    };
    let directory = std::env::current_dir()
        .map(|path| decode(path.as_os_str().as_encoded_bytes()))
        .unwrap_or_default();
    let mut make = Make {
        out: Output::new(),
        settings,
        name: shown,
        variables: HashMap::new(),
        locals: Vec::new(),
        expanding: Vec::new(),
        depth: 0,
        current: None,
        directory,
        file: String::new(),
        line: 0,
        rules: Vec::new(),
        by_target: HashMap::new(),
        patterns: Vec::new(),
        target_variables: Vec::new(),
        phony: Vec::new(),
        default_goal: None,
        one_shell: false,
        export_all: false,
        silent_targets: Vec::new(),
        delete_on_error: false,
        suffixes: Vec::new(),
        states: HashMap::new(),
        failed: false,
        intermediate: Vec::new(),
        including: 0,
    };
    let status = make.run(level);
    match make.out.finish() {
        Ok(()) => status,
        Err(_) => 1,
    }
}

impl Make {
    fn run(&mut self, level: usize) -> i32 {
        let entered = self.settings.directory.clone();
        if let Some(directory) = &entered {
            let shown = decode(directory);
            if let Err(error) = change_directory(directory) {
                let text = format!("{}: *** {shown}: {error}.  Stop.", self.name);
                self.tell(&text);
                return 2;
            }
            self.directory = if shown.starts_with('/') {
                shown
            } else {
                format!("{}/{shown}", self.directory)
            };
            self.directory = self.directory.trim_end_matches('/').to_owned();
            if let Ok(path) = std::env::current_dir() {
                let found = decode(path.as_os_str().as_encoded_bytes());
                if found != "/" {
                    self.directory = found;
                }
            }
        }
        let announces = (entered.is_some() || level > 0)
            && !self.settings.no_print_directory
            && !self.settings.silent;
        if announces {
            let text = format!("{}: Entering directory '{}'\n", self.name, self.directory);
            self.print(&text);
        }
        let status = match self.work(level) {
            Ok(status) => status,
            Err(message) => {
                self.tell(&message);
                2
            }
        };
        if announces {
            let text = format!("{}: Leaving directory '{}'\n", self.name, self.directory);
            self.print(&text);
        }
        status
    }

    /// Reads everything and makes the goals. Fails with the whole message.
    fn work(&mut self, level: usize) -> Result<i32, String> {
        self.initial(level);
        let files = match self.settings.files.is_empty() {
            false => self.settings.files.clone(),
            true => {
                let usual = ["GNUmakefile", "makefile", "Makefile"];
                let found = usual.iter().find(|name| std::fs::metadata(name).is_ok());
                found
                    .map(|name| vec![name.as_bytes().to_vec()])
                    .unwrap_or_default()
            }
        };
        for file in &files {
            self.read_file(&decode(file), true)?;
        }
        let mut goals: Vec<String> = self
            .settings
            .goals
            .iter()
            .map(|goal| decode(goal))
            .collect();
        if goals.is_empty() {
            let chosen = self
                .variables
                .get(".DEFAULT_GOAL")
                .map(|variable| variable.value.clone())
                .filter(|goal| !goal.is_empty());
            match chosen.or_else(|| self.default_goal.clone()) {
                Some(goal) => goals.push(goal),
                None if files.is_empty() => {
                    return Err(format!(
                        "{}: *** No targets specified and no makefile found.  Stop.",
                        self.name
                    ));
                }
                None => return Err(format!("{}: *** No targets.  Stop.", self.name)),
            }
        }
        self.goals(&goals)
    }

    fn initial(&mut self, level: usize) {
        let mut set =
            |name: &str, value: String, recursive: bool, origin: Origin, exported: bool| {
                self.variables.insert(
                    name.to_owned(),
                    Variable {
                        value,
                        recursive,
                        origin,
                        exported,
                    },
                );
            };
        for (name, value) in [
            ("CC", "cc"),
            ("CXX", "g++"),
            ("AR", "ar"),
            ("ARFLAGS", "rv"),
            ("AS", "as"),
            ("LD", "ld"),
            ("RM", "rm -f"),
            ("LEX", "lex"),
            ("YACC", "yacc"),
            ("CPP", "$(CC) -E"),
            ("FC", "f77"),
            ("MAKE_VERSION", "4.3"),
            ("MAKEFILES", ""),
            ("SUFFIXES", ""),
        ] {
            set(name, value.to_owned(), true, Origin::Default, false);
        }
        for variable in
            codepod_sys::environment::variables().unwrap_or_else(|_| native_environment())
        {
            let text = decode(&variable);
            if let Some((name, value)) = text.split_once('=') {
                set(name, value.to_owned(), false, Origin::Environment, true);
            }
        }
        set("SHELL", "/bin/sh".into(), false, Origin::File, false);
        set("MAKE", "make".into(), false, Origin::Default, false);
        set("CURDIR", self.directory.clone(), false, Origin::File, false);
        set(
            "MAKELEVEL",
            level.to_string(),
            false,
            Origin::Environment,
            false,
        );
        set("MAKE_COMMAND", "make".into(), false, Origin::Default, false);
        let goals: Vec<String> = self
            .settings
            .goals
            .iter()
            .map(|goal| decode(goal))
            .collect();
        set("MAKECMDGOALS", goals.join(" "), false, Origin::File, false);
        set(
            "MAKEFLAGS",
            self.settings.flags(),
            false,
            Origin::File,
            true,
        );
        for (name, recursive, value) in self.settings.assignments.clone() {
            set(&name, value, recursive, Origin::CommandLine, true);
        }
    }

    /// `file:line`, or nothing where no file is read.
    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    fn print(&mut self, text: &str) {
        self.out.put(&encode(text));
    }

    fn flush(&mut self) {
        self.out.write_out();
    }

    /// Writes a line to standard error, after what was printed.
    fn tell(&mut self, text: &str) {
        self.flush();
        let mut line = encode(text);
        line.push(b'\n');
        // Where standard error is gone there is nobody to tell.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), &line);
    }

    /// The environment of commands.
    fn environment(&mut self) -> Result<Environment, String> {
        let mut names: Vec<String> = self
            .variables
            .iter()
            .filter(|(name, variable)| {
                let plain = name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
                variable.exported || (self.export_all && plain && variable.origin >= Origin::File)
            })
            .map(|(name, _)| name.clone())
            .collect();
        for scope in &self.locals {
            names.extend(
                scope
                    .iter()
                    .filter(|(_, variable)| variable.exported)
                    .map(|(name, _)| name.clone()),
            );
        }
        names.sort();
        names.dedup();
        let mut all = Vec::with_capacity(names.len() + 1);
        for name in names {
            if matches!(name.as_str(), "MAKELEVEL" | "SHELL") {
                continue;
            }
            let value = self.value(&name)?;
            all.push((encode(&name), encode(&value)));
        }
        let level: usize = self
            .variables
            .get("MAKELEVEL")
            .and_then(|variable| variable.value.parse().ok())
            .unwrap_or(0);
        all.push((b"MAKELEVEL".to_vec(), (level + 1).to_string().into_bytes()));
        if let Some(shell) = std::env::var_os("SHELL") {
            all.push((b"SHELL".to_vec(), shell.as_encoded_bytes().to_vec()));
        }
        Ok(all)
    }
}

fn native_environment() -> Vec<Vec<u8>> {
    let pair = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        [name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat()
    };
    std::env::vars_os().map(pair).collect()
}

#[cfg(target_os = "wasi")]
fn change_directory(path: &[u8]) -> Result<(), String> {
    codepod_sys::cwd::change(path).map_err(|errno| errno.message().to_owned())?;
    codepod_sys::cwd::follow().map_err(|errno| errno.message().to_owned())
}

#[cfg(not(target_os = "wasi"))]
fn change_directory(path: &[u8]) -> Result<(), String> {
    std::env::set_current_dir(codepod_tool::path(path))
        .map_err(|error| codepod_tool::io_text(&error))
}
