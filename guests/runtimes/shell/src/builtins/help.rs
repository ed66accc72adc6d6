//! `help`.

use super::{Getopt, TABLE, find, print};
use crate::exec;
use crate::flow::Run;
use crate::pattern::{Options as PatternOptions, Pattern, is_pattern};
use crate::shell::Shell;
use crate::text::Text;

/// One sentence on each builtin, sorted as the table of builtins is.
const ABOUT: &[(&str, &str)] = &[
    (".", "Run the commands of a file in this shell."),
    (":", "Do nothing, successfully."),
    (
        "[",
        "Evaluate an expression; the last argument must be `]'.",
    ),
    ("alias", "Define or show aliases."),
    ("bg", "Let stopped jobs go on in the background."),
    (
        "bind",
        "Set keys of the line editor, which the sandbox does not have.",
    ),
    ("break", "Leave loops."),
    ("builtin", "Run a builtin, even if a function has its name."),
    ("caller", "Show where the running function was called."),
    ("cd", "Change the working directory."),
    (
        "command",
        "Run a command, passing over functions, or tell what it is.",
    ),
    ("compgen", "Show the words that a completion would give."),
    ("complete", "Say how arguments of commands are completed."),
    ("compopt", "Change the options of a completion."),
    ("continue", "Go on with the next turn of a loop."),
    ("declare", "Set or show values and attributes of variables."),
    ("dirs", "Show the stack of directories."),
    ("disown", "Forget jobs."),
    ("echo", "Print arguments."),
    ("enable", "Switch builtins on and off."),
    ("eval", "Run arguments as a command."),
    (
        "exec",
        "Replace the shell by a program, or change its descriptors.",
    ),
    ("exit", "End the shell."),
    ("export", "Put variables into the environment of programs."),
    ("false", "Do nothing, without success."),
    ("fc", "Show or run again commands of the history."),
    ("fg", "Bring a job to the foreground."),
    ("getopts", "Take options from the arguments, one by one."),
    ("hash", "Remember or show where programs are."),
    ("help", "Tell about builtins."),
    ("history", "Show or change the history."),
    ("jobs", "Show jobs."),
    ("kill", "Send a signal to processes or jobs."),
    ("let", "Evaluate arithmetic."),
    ("local", "Make variables of a function."),
    ("logout", "End a login shell."),
    ("mapfile", "Read lines into an array."),
    ("popd", "Go back to a directory of the stack."),
    ("printf", "Print arguments as a format says."),
    ("pushd", "Put a directory onto the stack and go there."),
    ("pwd", "Print the working directory."),
    ("read", "Read a line into variables."),
    ("readarray", "Read lines into an array."),
    ("readonly", "Make variables that cannot be changed."),
    ("return", "Leave a function or a sourced file."),
    ("set", "Set options and positional parameters."),
    ("shift", "Shift positional parameters."),
    ("shopt", "Set or show options of the shell."),
    ("source", "Run the commands of a file in this shell."),
    ("suspend", "Stop the shell until it gets SIGCONT."),
    ("test", "Evaluate an expression."),
    ("times", "Print the time used so far."),
    ("trap", "Say what happens on signals and other events."),
    ("true", "Do nothing, successfully."),
    ("type", "Tell what a name means as a command."),
    ("typeset", "Set or show values and attributes of variables."),
    ("ulimit", "Show limits."),
    (
        "umask",
        "Set or show which permissions new files do not get.",
    ),
    ("unalias", "Remove aliases."),
    ("unset", "Remove variables and functions."),
    ("wait", "Wait for children to end."),
];

/// The words of the grammar: name, usage, one sentence.
const GRAMMAR: &[(&str, &str, &str)] = &[
    (
        "job_spec",
        "job_spec [&]",
        "Bring a job to the foreground, or let it go on in the background.",
    ),
    (
        "(( ... ))",
        "(( expression ))",
        "Evaluate arithmetic; it succeeds unless the value is 0.",
    ),
    ("[[ ... ]]", "[[ expression ]]", "Evaluate a condition."),
    (
        "case",
        "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
        "Run the commands of the first pattern that matches.",
    ),
    (
        "coproc",
        "coproc [NAME] command [redirections]",
        "Start a command with pipes to and from it.",
    ),
    (
        "for",
        "for NAME [in WORDS ... ] ; do COMMANDS; done",
        "Run commands for each word.",
    ),
    (
        "for ((",
        "for (( exp1; exp2; exp3 )); do COMMANDS; done",
        "Run commands as long as arithmetic holds.",
    ),
    (
        "function",
        "function name { COMMANDS ; } or name () { COMMANDS ; }",
        "Define a function.",
    ),
    (
        "if",
        "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
        "Run commands if others succeed.",
    ),
    (
        "select",
        "select NAME [in WORDS ... ;] do COMMANDS; done",
        "Ask which of some words to run commands for.",
    ),
    (
        "time",
        "time [-p] pipeline",
        "Run a pipeline and tell how long it took.",
    ),
    (
        "until",
        "until COMMANDS; do COMMANDS-2; done",
        "Run commands until others succeed.",
    ),
    (
        "variables",
        "variables - Names and meanings of some shell variables",
        "Variables that mean something to the shell are described in the manual of bash.",
    ),
    (
        "while",
        "while COMMANDS; do COMMANDS-2; done",
        "Run commands as long as others succeed.",
    ),
    ("{ ... }", "{ COMMANDS ; }", "Run commands as one."),
];

/// A topic: name, usage, one sentence.
type Topic = (&'static str, &'static str, &'static str);

/// All topics, those of the grammar first.
fn all() -> impl Iterator<Item = Topic> {
    let grammar = GRAMMAR.iter().copied();
    let builtins = TABLE
        .iter()
        .map(|entry| (entry.name, entry.usage, about(entry.name)));
    grammar.chain(builtins)
}

fn about(name: &str) -> &'static str {
    ABOUT
        .binary_search_by_key(&name, |(known, _)| known)
        .map_or("", |at| ABOUT[at].1)
}

/// The names of all topics.
pub(crate) fn topics() -> impl Iterator<Item = &'static str> {
    all().map(|(name, ..)| name)
}

/// Where help on what is no builtin is.
const ELSEWHERE: &str = "`/usr/bin/help` lists the commands of the sandbox, \
    `help --support NAME` tells which options of one work, `help --absent` what is not here";

/// Options of the program `help`, which the builtin does not have and hands over.
const OF_THE_PROGRAM: [&[u8]; 2] = [b"--absent", b"--support"];

/// How a topic is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Full,
    /// `-d`
    Short,
    /// `-s`
    Usage,
    /// `-m`
    Manual,
}

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(first) = arguments.get(1)
        && OF_THE_PROGRAM.contains(&&first[..])
    {
        return exec::run_program(shell, arguments);
    }
    let mut form = Form::Full;
    let mut options = Getopt::new(arguments, "dms");
    loop {
        match options.next(shell) {
            Ok(None) => break,
            Ok(Some(option)) => {
                form = match option.letter {
                    b'd' => Form::Short,
                    b's' => Form::Usage,
                    _ => Form::Manual,
                }
            }
            Err(status) => {
                shell.hint(ELSEWHERE);
                return Ok(status);
            }
        }
    }
    let mut out = Vec::new();
    if options.operands().is_empty() {
        shell.hint(ELSEWHERE);
        out.extend_from_slice(
            b"These commands are part of the shell. `help NAME' tells more about one of them.\n\n",
        );
        for (_, usage, _) in all() {
            out.push(b' ');
            out.extend_from_slice(usage.as_bytes());
            out.push(b'\n');
        }
        return Ok(print(shell, b"help", &out));
    }
    let mut status = 0;
    for wanted in options.operands() {
        if !matching(wanted, form, &mut out) {
            let message = [
                b"no help topics match `",
                &wanted[..],
                b"'.  Try `help help' or `man -k ",
                &wanted[..],
                b"' or `info ",
                &wanted[..],
                b"'.",
            ];
            shell.builtin_error(b"help", message.concat());
            shell.hint(ELSEWHERE);
            status = 1;
        }
    }
    Ok(status.max(print(shell, b"help", &out)))
}

/// Prints what there is to say on a builtin, for its option `--help`. Returns the status of that,
/// 2.
pub(super) fn page(shell: &Shell, command: &[u8]) -> i32 {
    let mut out = Vec::new();
    matching(command, Form::Full, &mut out);
    print(shell, command, &out);
    2
}

/// Appends the topics that a name, the start of one or a pattern means; false when there are none.
fn matching(wanted: &[u8], form: Form, out: &mut Vec<u8>) -> bool {
    let glob = is_pattern(wanted, false);
    if glob {
        out.extend_from_slice(b"Shell commands matching keyword `");
        out.extend_from_slice(wanted);
        out.extend_from_slice(b"'\n\n");
    }
    let pattern = Pattern::new(wanted, PatternOptions::default());
    let exact = find(wanted).is_some() || all().any(|(name, ..)| name.as_bytes() == wanted);
    let mut any = false;
    for topic in all() {
        let name = topic.0.as_bytes();
        let fits = if exact {
            name == wanted
        } else if glob {
            pattern.matches(name)
        } else {
            name.starts_with(wanted)
        };
        if fits {
            push(topic, form, out);
            any = true;
        }
    }
    any
}

fn push((name, usage, about): Topic, form: Form, out: &mut Vec<u8>) {
    let text = match form {
        Form::Full => format!("{name}: {usage}\n    {about}\n"),
        Form::Short => format!("{name} - {about}\n"),
        Form::Usage => format!("{name}: {usage}\n"),
        Form::Manual => format!(
            "NAME\n    {name} - {about}\n\nSYNOPSIS\n    {usage}\n\nDESCRIPTION\n    {about}\n\nSEE ALSO\n    bash(1)\n\n"
        ),
    };
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_has_a_sentence() {
        assert!(ABOUT.is_sorted_by_key(|(name, _)| *name));
        let names: Vec<_> = TABLE.iter().map(|entry| entry.name).collect();
        let told: Vec<_> = ABOUT.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, told);
    }
}
