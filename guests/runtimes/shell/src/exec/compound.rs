//! `if`, `while`, `for`, `case`, `select`.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{
    Arith, ArithFor, Case, CaseClause, CaseEnd, Command, Cond, For, If, List, While,
};

use super::{check_status, list, set_status, trace};
use crate::assign::{self, Place};
use crate::flow::{Run, Stop};
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Value};
use crate::{arith, builtins, cond, expand, fds, options::SetOptions, traps};

/// Runs a list whose failure is an answer: `set -e` and the ERR trap do not apply.
#[inline]
fn condition(shell: &mut Shell, list: &List) -> Run<bool> {
    shell.state.condition += 1;
    let result = list::run(shell, list);
    shell.state.condition -= 1;
    result?;
    Ok(shell.state.status == 0)
}

#[inline(never)]
pub(super) fn choose(shell: &mut Shell, clause: &If) -> Run {
    for (test, body) in &clause.branches {
        if condition(shell, test)? {
            return list::run(shell, body);
        }
    }
    match &clause.otherwise {
        Some(body) => list::run(shell, body),
        None => {
            shell.state.status = 0;
            Ok(())
        }
    }
}

/// What a loop does after its body.
enum Turn {
    Next,
    Last,
}

/// Runs a loop's body once.
#[inline]
fn turn(shell: &mut Shell, body: &List) -> Run<Turn> {
    match list::run(shell, body) {
        Ok(()) => Ok(Turn::Next),
        Err(stop) => unwind(stop),
    }
}

/// Takes `break` and `continue` that are meant for this loop.
#[cold]
fn unwind(stop: Stop) -> Run<Turn> {
    match stop {
        Stop::Break(0 | 1) => Ok(Turn::Last),
        Stop::Break(levels) => Err(Stop::Break(levels - 1)),
        Stop::Continue(0 | 1) => Ok(Turn::Next),
        Stop::Continue(levels) => Err(Stop::Continue(levels - 1)),
        stop => Err(stop),
    }
}

#[inline(never)]
pub(super) fn repeat(shell: &mut Shell, clause: &While) -> Run {
    shell.state.loops += 1;
    let result = repeat_turns(shell, clause);
    shell.state.loops -= 1;
    shell.state.status = result?;
    Ok(())
}

#[inline(never)]
fn repeat_turns(shell: &mut Shell, clause: &While) -> Run<i32> {
    let mut status = 0;
    loop {
        // `break` also works in the condition.
        match condition(shell, &clause.condition) {
            Ok(holds) if holds == clause.until => return Ok(status),
            Ok(_) => {}
            Err(stop) => match unwind(stop)? {
                Turn::Last => return Ok(0),
                Turn::Next => continue,
            },
        }
        match turn(shell, &clause.body)? {
            Turn::Next => status = shell.state.status,
            Turn::Last => return Ok(shell.state.status),
        }
    }
}

/// The variable of a loop, if it can be one.
fn variable(shell: &mut Shell, name: &[u8], line: u32) -> Run<Option<Name>> {
    if builtins::is_name(name) {
        return Ok(Some(Name::new(name)));
    }
    shell.at(line);
    shell.error([b"`", name, b"': not a valid identifier"].concat());
    set_status(shell, 1);
    if shell.state.set.has(SetOptions::POSIX) {
        return Err(Stop::Exit);
    }
    check_status(shell)?;
    Ok(None)
}

/// The words of `for` and `select`; none means the positional parameters.
fn words(shell: &mut Shell, clause: &For, line: u32) -> Run<Vec<Text>> {
    shell.at(line);
    let mut fields = shell.take_fields();
    match &clause.words {
        None => fields.extend_from_slice(&shell.state.positional),
        Some(words) => {
            for word in words {
                expand::fields(shell, word, &mut fields)?;
            }
        }
    }
    Ok(fields)
}

#[inline(never)]
pub(super) fn each(shell: &mut Shell, clause: &For, line: u32) -> Run {
    let Some(name) = variable(shell, &clause.variable, line)? else {
        return Ok(());
    };
    let fields = words(shell, clause, line)?;
    shell.state.loops += 1;
    if fields.is_empty() {
        shell.state.status = 0;
    }
    let result = each_turns(shell, clause, line, name, &fields);
    shell.state.loops -= 1;
    shell.give_fields(fields);
    result
}

/// Sets the variable of a loop. Of a nameref, what it refers to is set.
#[inline]
fn loop_variable(shell: &mut Shell, name: Name, field: &Text) -> Run<bool> {
    let variable = shell.state.variables.get(name);
    if variable.attributes.has(Attributes::NAMEREF) && assign::parse_target(field).is_some() {
        shell.state.variables.get_mut(name).value = Value::Text(field.clone());
        return Ok(true);
    }
    assign::set(shell, name, Place::Whole, field.clone(), false)
}

#[inline(never)]
fn each_turns(shell: &mut Shell, clause: &For, line: u32, name: Name, fields: &[Text]) -> Run {
    for field in fields {
        if trace::is_on(shell) {
            trace::head(shell, clause, "for")?;
        }
        if shell.state.traps.debugs() {
            shell.at(line);
            if !announce_head(shell, || trace::head_text(clause, "for"))? {
                continue;
            }
        }
        if !loop_variable(shell, name, field)? {
            // A readonly variable ends the loop.
            shell.state.status = 1;
            return Ok(());
        }
        if let Turn::Last = turn(shell, &clause.body)? {
            return Ok(());
        }
    }
    Ok(())
}

#[inline(never)]
pub(super) fn count(shell: &mut Shell, clause: &ArithFor, line: u32) -> Run {
    shell.state.loops += 1;
    let result = count_turns(shell, clause, line);
    shell.state.loops -= 1;
    if !result? {
        shell.state.status = 1;
        return check_status(shell);
    }
    Ok(())
}

/// False when an expression was bad, which ends the loop but not the script.
#[inline(never)]
fn count_turns(shell: &mut Shell, clause: &ArithFor, line: u32) -> Run<bool> {
    let mut ran = false;
    if let Some(first) = &clause.first
        && step(shell, first, line)?.is_none()
    {
        return Ok(false);
    }
    loop {
        traps::check(shell)?;
        if let Some(test) = &clause.condition {
            match step(shell, test, line)? {
                Some(0) => {
                    if !ran {
                        shell.state.status = 0;
                    }
                    return Ok(true);
                }
                Some(_) => {}
                None => return Ok(false),
            }
        }
        ran = true;
        if let Turn::Last = turn(shell, &clause.body)? {
            return Ok(true);
        }
        if let Some(next) = &clause.step
            && step(shell, next, line)?.is_none()
        {
            return Ok(false);
        }
    }
}

/// An expression of `for ((…))`; none when it is bad.
#[inline]
fn step(shell: &mut Shell, expression: &Arith, line: u32) -> Run<Option<i64>> {
    shell.at(line);
    if shell.state.traps.debugs() {
        announce_head(shell, || {
            [b"((", &*print::word(&expression.word), b"))"].concat()
        })?;
    }
    trace::arith(shell, expression)?;
    match arith::named(shell, "((", |shell| arith::eval(shell, expression)) {
        Ok(value) => Ok(Some(value)),
        Err(Stop::Discard) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// `(( … ))`
#[inline(never)]
pub(super) fn arithmetic(shell: &mut Shell, command: &Command, expression: &Arith) -> Run {
    shell.at(command.line);
    trace::arith(shell, expression)?;
    if !announce(shell, command)? {
        return Ok(());
    }
    let value = match arith::named(shell, "((", |shell| arith::command(shell, expression))? {
        Ok(value) => value,
        // An error in the expression only makes the command fail.
        Err(Stop::Discard) => 0,
        Err(stop) => return Err(stop),
    };
    set_status(shell, i32::from(value == 0));
    Ok(())
}

/// `[[ … ]]`
#[inline(never)]
pub(super) fn test(shell: &mut Shell, command: &Command, expression: &Cond) -> Run {
    shell.at(command.line);
    if announce(shell, command)? {
        let status = cond::status(shell, expression)?;
        set_status(shell, status);
    }
    Ok(())
}

#[inline(never)]
pub(super) fn case(shell: &mut Shell, clause: &Case, line: u32) -> Run {
    shell.at(line);
    if trace::is_on(shell) {
        trace::case(shell, clause)?;
    }
    if shell.state.traps.debugs() && !announce_head(shell, || trace::case_text(clause))? {
        return Ok(());
    }
    let word = expand::single(shell, &clause.word)?;
    let (mut at, mut ran) = (0, false);
    while let Some(found) = matching(shell, &clause.clauses, at, &word)? {
        at = found;
        loop {
            let Some(chosen) = clause.clauses.get(at) else {
                return Ok(());
            };
            if chosen.body.items.is_empty() {
                shell.state.status = 0;
            }
            ran = true;
            list::run(shell, &chosen.body)?;
            at += 1;
            match chosen.end {
                CaseEnd::Break => return Ok(()),
                CaseEnd::FallThrough => {}
                CaseEnd::Continue => break,
            }
        }
    }
    if !ran {
        shell.state.status = 0;
    }
    Ok(())
}

/// The first clause from `at` on of which a pattern matches.
#[inline(never)]
fn matching(
    shell: &mut Shell,
    clauses: &[CaseClause],
    at: usize,
    word: &[u8],
) -> Run<Option<usize>> {
    for (index, clause) in clauses.iter().enumerate().skip(at) {
        for pattern in &clause.patterns {
            if expand::pattern(shell, pattern, false)?.matches(word) {
                return Ok(Some(index));
            }
        }
    }
    Ok(None)
}

/// Runs the DEBUG trap for the head of a command.
#[cold]
fn announce_head(shell: &mut Shell, text: impl FnOnce() -> Vec<u8>) -> Run<bool> {
    if !traps::is_running() {
        shell.state.command = Text::from(text());
    }
    traps::debug(shell)
}

/// Before `[[` and `((`: the DEBUG trap.
#[inline]
fn announce(shell: &mut Shell, command: &Command) -> Run<bool> {
    if shell.state.traps.debugs() || shell.state.names_command || shell.state.traps.errs() {
        super::simple::note_command(shell, command);
        if shell.state.traps.debugs() {
            return traps::debug(shell);
        }
    }
    Ok(true)
}

#[inline(never)]
pub(super) fn select(shell: &mut Shell, clause: &For, line: u32) -> Run {
    let Some(name) = variable(shell, &clause.variable, line)? else {
        return Ok(());
    };
    let fields = words(shell, clause, line)?;
    if fields.is_empty() {
        shell.state.status = 0;
        return Ok(());
    }
    shell.state.loops += 1;
    let result = select_turns(shell, clause, name, &fields);
    shell.state.loops -= 1;
    result
}

#[inline(never)]
fn select_turns(shell: &mut Shell, clause: &For, name: Name, fields: &[Text]) -> Run {
    let reply = Name::REPLY;
    let mut shown = false;
    loop {
        if !shown {
            let menu = menu(shell, fields);
            let _ = shell.fds.write(2, &menu);
        }
        let prompt = assign::get(shell, Name::PS3).unwrap_or_else(|| Text::from("#? "));
        let _ = shell.fds.write(2, &prompt);
        let arguments = [Text::from("read"), Text::from("-r"), Text::from("REPLY")];
        let read = match builtins::find(b"read") {
            Some(entry) => (entry.run)(shell, &arguments)?,
            None => 1,
        };
        if read != 0 {
            let _ = shell.fds.write(1, b"\n");
            shell.state.status = 1;
            return Ok(());
        }
        let answer = assign::get(shell, reply).unwrap_or_default();
        if answer.is_empty() {
            shown = false;
            continue;
        }
        let number = builtins::number(&answer).and_then(|number| usize::try_from(number).ok());
        let chosen = number.and_then(|number| fields.get(number.checked_sub(1)?));
        let chosen = chosen.cloned().unwrap_or_default();
        if !assign::set(shell, name, Place::Whole, chosen, false)? {
            shell.state.status = 1;
            return Ok(());
        }
        if let Turn::Last = turn(shell, &clause.body)? {
            return Ok(());
        }
        if fds::is_pipe_broken() {
            return Ok(());
        }
        // An empty REPLY after the body asks for the menu again.
        let answer = assign::get(shell, reply).unwrap_or_default();
        shown = !answer.is_empty();
    }
}

/// The menu of `select`: as many columns as fit, filled downwards.
#[inline(never)]
fn menu(shell: &mut Shell, fields: &[Text]) -> Vec<u8> {
    let columns = assign::get(shell, Name::COLUMNS)
        .and_then(|text| builtins::number(&text))
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| *number > 0)
        .unwrap_or(80);
    let digits = |number: usize| number.to_string().len();
    let width =
        |text: &Text| std::str::from_utf8(text).map_or(text.len(), |text| text.chars().count());
    let number_width = digits(fields.len());
    let longest = fields.iter().map(&width).max().unwrap_or(0);
    // The number, `) `, the text and two blanks.
    let cell = longest + number_width + 2 + 2;
    let per_line = (columns / cell.max(1)).max(1);
    let mut rows = fields.len().div_ceil(per_line);
    let mut per_line = fields.len().div_ceil(rows.max(1));
    if rows == 1 {
        rows = per_line;
        per_line = 1;
    }
    let mut out = Vec::new();
    for row in 0..rows {
        let mut at = row;
        for column in 0..per_line {
            let Some(field) = fields.get(at) else { break };
            let number = (at + 1).to_string();
            // The first column has no numbers beyond the rows.
            let number_width = if column == 0 {
                digits(rows)
            } else {
                number_width
            };
            out.resize(out.len() + number_width.saturating_sub(number.len()), b' ');
            out.extend_from_slice(number.as_bytes());
            out.extend_from_slice(b") ");
            out.extend_from_slice(field);
            let next = at + rows;
            if next < fields.len() {
                let used = number_width + 2 + width(field);
                tabs(&mut out, column * cell + used, (column + 1) * cell);
            }
            at = next;
        }
        out.push(b'\n');
    }
    out
}

/// Goes from one column to another as bash does, with tabs where they help.
fn tabs(out: &mut Vec<u8>, from: usize, to: usize) {
    let mut from = from;
    while from < to {
        if to / 8 > from / 8 {
            out.push(b'\t');
            from += 8 - from % 8;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}
