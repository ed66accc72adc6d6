//! Statements, and the run from BEGIN to END.

use std::rc::Rc;

use super::{Awk, Eval, Halt, fatal};
use crate::format;
use crate::text::Str;
use crate::tree::{ArrayRef, Compare, Expr, Kind, Label, Pattern, Place, Special, Stmt, Target};
use crate::value::Value;

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The next one follows.
    Normal,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return,
}

impl Awk {
    /// Runs the whole program and returns its status.
    pub fn run(&mut self) -> i32 {
        let program = Rc::clone(&self.program);
        for (line, byte) in warned_once(&program.meaningless) {
            let (place, shown) = (self.line_place(line), char::from(byte));
            let message =
                format!("{place}warning: escape sequence `\\{shown}' treated as plain `{shown}'");
            codepod_tool::complain(&self.name, message);
        }
        let mut result = self.block(&program.begin).map(|_| ());
        let reads = !program.rules.is_empty()
            || program.has_end
            || !program.begin_file.is_empty()
            || !program.end_file.is_empty();
        if result.is_ok() && reads {
            result = self.records();
        }
        let exits = matches!(
            result.as_ref().map_err(|halt| &**halt),
            Ok(()) | Err(Halt::Exit)
        );
        if exits && program.has_end {
            // `exit` goes on with END; within it, it ends.
            self.in_end = true;
            self.line = 0;
            let ended = self.block(&program.end).map(|_| ());
            if ended.is_err() {
                result = ended;
            }
        }
        let mut failed = self.report(result);
        failed |= !self.close_all();
        if failed && self.status == 0 {
            2
        } else {
            self.status
        }
    }

    /// Says what ended the program; true when that was an error.
    fn report(&mut self, result: Eval<()>) -> bool {
        let Err(halt) = result else {
            return false;
        };
        let Halt::Fatal(message) = *halt else {
            return false;
        };
        // What was printed before comes before.
        let _ = self.stdout.flush();
        let place = self.place();
        codepod_tool::complain(&self.name, format!("{place}fatal: {message}"));
        self.status = 2;
        true
    }

    fn records(&mut self) -> Eval<()> {
        let program = Rc::clone(&self.program);
        while self.next_record()? {
            for rule in &program.rules {
                let applies = match &rule.pattern {
                    Pattern::Always => true,
                    Pattern::When(condition) => {
                        self.line = rule.line;
                        match self.eval_bool(condition) {
                            Ok(applies) => applies,
                            Err(halt) => {
                                if self.skips(*halt)? {
                                    break;
                                }
                                false
                            }
                        }
                    }
                    Pattern::Range(first, last, number) => {
                        self.line = rule.line;
                        self.range(first, last, *number)?
                    }
                };
                if !applies {
                    continue;
                }
                let done = match &rule.action {
                    None => {
                        self.line = rule.line;
                        self.print(&[], &Target::Stdout)
                    }
                    Some(action) => self.block(action).map(|_| ()),
                };
                if let Err(halt) = done {
                    self.skips(*halt)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// `next` and `nextfile`: go on with the next record. What is neither is passed on.
    fn skips(&mut self, halt: Halt) -> Eval<bool> {
        // What was left of calls is gone.
        self.stack.clear();
        self.base = 0;
        self.depth = 0;
        self.running = None;
        match halt {
            Halt::Next => Ok(true),
            Halt::NextFile => {
                self.end_file()?;
                Ok(true)
            }
            other => Err(Box::new(other)),
        }
    }

    fn range(&mut self, first: &Expr, last: &Expr, number: usize) -> Eval<bool> {
        if !self.ranges[number] {
            if !self.eval_bool(first)? {
                return Ok(false);
            }
            self.ranges[number] = true;
        }
        if self.eval_bool(last)? {
            self.ranges[number] = false;
        }
        Ok(true)
    }

    /// Runs statements one after the other.
    pub(super) fn block(&mut self, body: &[Stmt]) -> Eval<Flow> {
        for statement in body {
            let flow = self.statement(statement)?;
            if flow != Flow::Normal {
                return Ok(flow);
            }
        }
        Ok(Flow::Normal)
    }

    /// Runs a statement. Recursive functions come through here, so loops have frames of their own.
    fn statement(&mut self, statement: &Stmt) -> Eval<Flow> {
        self.line = statement.line;
        match &statement.kind {
            Kind::Expr(Expr::Append(var, value)) => self.append(*var, value)?,
            Kind::Expr(expr @ (Expr::Update(..) | Expr::Step(..))) => {
                self.eval_num(expr)?;
            }
            Kind::Expr(expr) => {
                self.eval(expr)?;
            }
            Kind::Print(values, target) => self.print(values, target)?,
            Kind::Printf(values, target) => self.printf(values, target)?,
            Kind::If(condition, then, otherwise) => {
                let body = if self.eval_bool(condition)? {
                    then
                } else {
                    otherwise
                };
                return self.block(body);
            }
            Kind::While(condition, body) => {
                while self.eval_bool(condition)? {
                    match self.block(body)? {
                        Flow::Break => break,
                        Flow::Return => return Ok(Flow::Return),
                        _ => {}
                    }
                    self.line = statement.line;
                }
            }
            Kind::Do(body, condition) => loop {
                match self.block(body)? {
                    Flow::Break => break,
                    Flow::Return => return Ok(Flow::Return),
                    _ => {}
                }
                if !self.eval_bool(condition)? {
                    break;
                }
            },
            Kind::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.statement(first)?;
                }
                return self.for_loop(statement.line, condition.as_ref(), step.as_deref(), body);
            }
            Kind::ForIn(place, array, body) => return self.for_in(place, array, body),
            Kind::Switch(value, cases) => return self.switch(value, cases),
            Kind::Break => return Ok(Flow::Break),
            Kind::Continue => return Ok(Flow::Continue),
            Kind::Next | Kind::NextFile if self.in_end => {
                return fatal("`next' cannot be called from an END rule");
            }
            Kind::Next => return Err(Box::new(Halt::Next)),
            Kind::NextFile => return Err(Box::new(Halt::NextFile)),
            Kind::Exit(status) => return self.exit(status.as_ref()),
            Kind::Return(value) => {
                self.returned = match value {
                    Some(value) => self.eval(value)?,
                    None => Value::Unset,
                };
                return Ok(Flow::Return);
            }
            Kind::Delete(array, keys) => {
                let array = self.array(array)?;
                let key = self.key(keys)?;
                array.borrow_mut().remove(&key);
                self.scratch = key;
            }
            Kind::Clear(array) => {
                let array = self.array(array)?;
                array.borrow_mut().clear();
            }
            Kind::Block(body) => return self.block(body),
        }
        Ok(Flow::Normal)
    }

    /// `for` behind its first statement; `line` is where it stands.
    #[inline(never)]
    fn for_loop(
        &mut self,
        line: u32,
        condition: Option<&Expr>,
        step: Option<&Stmt>,
        body: &[Stmt],
    ) -> Eval<Flow> {
        loop {
            if let Some(condition) = condition
                && !self.eval_bool(condition)?
            {
                break;
            }
            match self.block(body)? {
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
                _ => {}
            }
            self.line = line;
            if let Some(step) = step {
                self.statement(step)?;
            }
        }
        Ok(Flow::Normal)
    }

    #[inline(never)]
    fn for_in(&mut self, place: &Place, array: &ArrayRef, body: &[Stmt]) -> Eval<Flow> {
        let array = self.array(array)?;
        for key in self.ordered_keys(&array)? {
            self.assign(place, Value::Input(key))?;
            match self.block(body)? {
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
                _ => {}
            }
        }
        Ok(Flow::Normal)
    }

    /// Ends the program, with the status that was set before unless one is given.
    fn exit(&mut self, status: Option<&Expr>) -> Eval<Flow> {
        if let Some(status) = status {
            self.status = (self.eval_num(status)? as i64 & 0xff) as i32;
        }
        Err(Box::new(Halt::Exit))
    }

    fn switch(&mut self, value: &Expr, cases: &[(Label, Vec<Stmt>)]) -> Eval<Flow> {
        let value = self.eval(value)?;
        let mut start = None;
        for (number, (label, _)) in cases.iter().enumerate() {
            let matches = match label {
                Label::Regex(regex) => {
                    let text = value.str(&self.convfmt);
                    regex.is_match(text.as_bytes(), self.icase).or_else(fatal)?
                }
                Label::Value(Expr::TypedRegex(regex)) => {
                    let text = value.str(&self.convfmt);
                    regex.is_match(text.as_bytes(), self.icase).or_else(fatal)?
                }
                Label::Value(expr) => {
                    let label = self.eval(expr)?;
                    self.compare_values(Compare::Equal, &value, &label)
                }
                Label::Default => false,
            };
            if matches {
                start = Some(number);
                break;
            }
        }
        let start = start.or_else(|| {
            cases
                .iter()
                .position(|(label, _)| matches!(label, Label::Default))
        });
        let Some(start) = start else {
            return Ok(Flow::Normal);
        };
        for (_, body) in &cases[start..] {
            match self.block(body)? {
                Flow::Normal => {}
                Flow::Break => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Normal)
    }

    /// `print`; without values it is the record.
    fn print(&mut self, values: &[Expr], target: &Target) -> Eval<()> {
        // Straight into the buffer of standard output, which nothing else touches meanwhile unless
        // a call prints.
        if let Target::Stdout = target
            && values.iter().all(is_quiet)
        {
            let mut out = std::mem::take(self.stdout.buffer());
            let start = out.len();
            let result = self.print_to(values, &mut out);
            if result.is_err() {
                out.truncate(start);
            }
            *self.stdout.buffer() = out;
            result?;
            return self.stdout_written();
        }
        let mut out = Vec::new();
        self.print_to(values, &mut out)?;
        self.write(&out, target)
    }

    fn print_to(&mut self, values: &[Expr], out: &mut Vec<u8>) -> Eval<()> {
        if values.is_empty() {
            out.extend_from_slice(self.record.text(&self.ofs, &self.convfmt));
        }
        for (number, value) in values.iter().enumerate() {
            if number > 0 {
                out.extend_from_slice(&self.ofs);
            }
            match value {
                Expr::Str(_) | Expr::FieldAt(_) | Expr::Concat(_) => self.eval_str(value, out)?,
                value => self.eval(value)?.append(&self.ofmt, out),
            }
        }
        out.extend_from_slice(&self.ors);
        Ok(())
    }

    fn printf(&mut self, values: &[Expr], target: &Target) -> Eval<()> {
        let mut out = Vec::new();
        self.sprintf(values, &mut out)?;
        self.write(&out, target)
    }

    /// Formats: the first of `values` says how.
    pub(super) fn sprintf(&mut self, values: &[Expr], out: &mut Vec<u8>) -> Eval<()> {
        let Some((form, rest)) = values.split_first() else {
            return Ok(());
        };
        let form = self.text(form)?;
        let mut all = Vec::with_capacity(rest.len());
        for value in rest {
            all.push(self.eval(value)?);
        }
        format::format(form.as_bytes(), &all, &self.convfmt, self.bytes, out).or_else(fatal)
    }

    /// Sets ERRNO.
    pub(super) fn set_errno(&mut self, text: &str) {
        self.globals[Special::ERRNO as usize] = Value::Str(Str::new(text.as_bytes()));
    }
}

/// Whether evaluating prints nothing.
fn is_quiet(expr: &Expr) -> bool {
    match expr {
        Expr::Num(_) | Expr::Str(_) | Expr::Var(_) | Expr::FieldAt(_) => true,
        Expr::Field(inner) | Expr::Plain(inner) => is_quiet(inner),
        Expr::Element(crate::tree::ArrayRef::Var(_), keys) => keys.iter().all(is_quiet),
        Expr::Concat(parts) => parts.iter().all(is_quiet),
        Expr::Binary(_, left, right) => is_quiet(left) && is_quiet(right),
        _ => false,
    }
}

/// Each character once.
fn warned_once(all: &[(u32, u8)]) -> Vec<(u32, u8)> {
    let mut seen: Vec<(u32, u8)> = Vec::new();
    for (line, byte) in all {
        if !seen.iter().any(|(_, known)| known == byte) {
            seen.push((*line, *byte));
        }
    }
    seen
}
