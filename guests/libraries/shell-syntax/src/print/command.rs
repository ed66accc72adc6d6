//! Commands.

use super::Printer;
use crate::tree::{
    AndOr, Argument, Assign, AssignValue, CaseEnd, Command, CommandKind, For, If, Item, List,
    Pipeline, Simple, Time, While,
};

impl<'t> Printer<'t> {
    /// Commands one after another.
    pub(super) fn list(&mut self, list: &'t List) {
        let connected = list.items.len() > 1 || list.items.iter().any(|item| item.background);
        self.start();
        self.skip += 1;
        self.connections += u32::from(connected);
        let count = list.items.len();
        for (index, item) in list.items.iter().enumerate() {
            let last = index + 1 == count;
            self.item(item);
            if index > 0 && !item.background {
                self.bodies(b"");
            }
            if item.background {
                self.bodies(b" &");
                if !last {
                    self.out.push(b' ');
                    self.skip += 1;
                }
            } else if !last {
                self.separator(item.newline);
            }
        }
        if connected {
            self.bodies(b"");
            self.connections -= 1;
        }
        if count == 0 {
            self.skip -= 1;
        }
    }

    /// Between two commands.
    fn separator(&mut self, newline: bool) {
        if newline && self.substitutions > 0 && self.functions == 0 {
            self.bodies(b"");
            self.was_body = false;
            self.out.push(b'\n');
            self.skip += 1;
            return;
        }
        if !self.waiting.is_empty() {
            self.bodies(b"");
        } else if self.was_body {
            self.was_body = false;
        } else {
            self.out.push(b';');
        }
        if self.functions > 0 {
            self.out.push(b'\n');
        } else {
            self.out.push(b' ');
            self.skip += 1;
        }
    }

    /// An and-or list, without the `&` behind it.
    pub(super) fn item(&mut self, item: &'t Item) {
        if item.rest.is_empty() {
            return self.pipeline(&item.first);
        }
        self.start();
        self.skip += 1;
        self.connections += 1;
        self.pipeline(&item.first);
        for (index, (operator, pipeline)) in item.rest.iter().enumerate() {
            if index > 0 {
                self.bodies(b"");
            }
            self.bodies(match operator {
                AndOr::And => b" && ",
                AndOr::Or => b" || ",
            });
            self.skip += 1;
            self.pipeline(pipeline);
        }
        self.bodies(b"");
        self.connections -= 1;
    }

    pub(super) fn pipeline(&mut self, pipeline: &'t Pipeline) {
        let prefix = Some((pipeline.time, pipeline.negated));
        match pipeline.stages.as_slice() {
            [] => {
                self.start();
                self.prefix(prefix);
            }
            [command] => self.command(command, prefix),
            [first, rest @ ..] => {
                self.start();
                self.prefix(prefix);
                self.skip += 1;
                self.connections += 1;
                self.command(first, None);
                for (index, command) in rest.iter().enumerate() {
                    if index > 0 {
                        self.bodies(b"");
                    }
                    self.bodies(b" |");
                    self.out.push(b' ');
                    self.skip += 1;
                    self.command(command, None);
                }
                self.bodies(b"");
                self.connections -= 1;
            }
        }
    }

    fn prefix(&mut self, prefix: Option<(Option<Time>, bool)>) {
        let Some((time, negated)) = prefix else {
            return;
        };
        if let Some(time) = time {
            self.put(if time.posix { b"time -p " } else { b"time " });
        }
        if negated {
            self.put(b"! ");
        }
    }

    /// A command, with what stands before its pipeline.
    pub(super) fn command(&mut self, command: &'t Command, prefix: Option<(Option<Time>, bool)>) {
        self.start();
        self.prefix(prefix);
        match &command.kind {
            CommandKind::Simple(simple) => {
                self.simple(simple);
                if !command.redirects.is_empty() {
                    if !simple.words.is_empty() || !simple.assigns.is_empty() {
                        self.out.push(b' ');
                    }
                    self.redirects(&command.redirects);
                }
                return;
            }
            kind => self.compound(kind),
        }
        if !command.redirects.is_empty() {
            self.out.push(b' ');
            self.redirects(&command.redirects);
        }
    }

    fn simple(&mut self, simple: &'t Simple) {
        let mut first = true;
        for assign in &simple.assigns {
            if !std::mem::take(&mut first) {
                self.out.push(b' ');
            }
            self.assign(assign);
        }
        for argument in &simple.words {
            if !std::mem::take(&mut first) {
                self.out.push(b' ');
            }
            match argument {
                Argument::Word(word) => self.word(word),
                Argument::Assign(assign) => self.assign(assign),
            }
        }
    }

    pub(super) fn assign(&mut self, assign: &'t Assign) {
        self.put(&assign.name.bytes());
        if let Some(subscript) = &assign.subscript {
            self.subscript(subscript);
        }
        self.put(if assign.append { b"+=" } else { b"=" });
        match &assign.value {
            AssignValue::Word(word) => self.word(word),
            AssignValue::Array(elements) => {
                self.out.push(b'(');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        self.out.push(b' ');
                    }
                    if let Some(subscript) = &element.subscript {
                        self.subscript(subscript);
                        self.put(if element.append { b"+=" } else { b"=" });
                    }
                    self.word(&element.value);
                }
                self.out.push(b')');
            }
        }
    }

    fn compound(&mut self, kind: &'t CommandKind) {
        match kind {
            CommandKind::Simple(simple) => self.simple(simple),
            CommandKind::Group(list) => self.group(list),
            CommandKind::Subshell(list) => {
                self.put(b"( ");
                self.skip += 1;
                self.list(list);
                self.bodies(b"");
                self.put(b" )");
            }
            CommandKind::If(node) => self.if_node(node),
            CommandKind::While(node) => self.while_node(node),
            CommandKind::For(node) => self.for_node(b"for ", node),
            CommandKind::Select(node) => self.for_node(b"select ", node),
            CommandKind::ArithFor(node) => {
                self.put(b"for ((");
                for (index, arith) in [&node.first, &node.condition, &node.step]
                    .into_iter()
                    .enumerate()
                {
                    if index > 0 {
                        self.put(b"; ");
                    }
                    match arith {
                        Some(arith) => self.parts(&arith.word.parts),
                        None => self.put(b"1"),
                    }
                }
                self.put(b"))");
                self.do_done(&node.body);
            }
            CommandKind::Case(node) => self.case_node(node),
            CommandKind::Cond(cond) => {
                self.put(b"[[ ");
                self.cond(cond);
                self.put(b" ]]");
            }
            CommandKind::Arith(arith) => {
                self.put(b"((");
                self.parts(&arith.word.parts);
                self.put(b"))");
            }
            CommandKind::Function(function) => {
                self.put(b"function ");
                self.put(&function.name);
                self.put(b" () \n");
                self.function_body(function);
            }
            CommandKind::Coproc(coproc) => {
                self.put(b"coproc ");
                self.put(&coproc.name);
                self.out.push(b' ');
                self.skip += 1;
                self.command(&coproc.command, None);
            }
        }
    }

    fn group(&mut self, list: &'t List) {
        self.put(b"{ ");
        if self.functions == 0 {
            self.skip += 1;
        } else {
            self.out.push(b'\n');
            self.indentation += self.step;
        }
        self.list(list);
        self.bodies(b"");
        if self.functions == 0 {
            self.semicolon();
            self.out.push(b' ');
        } else {
            self.out.push(b'\n');
            self.indentation -= self.step;
            self.indent();
        }
        self.out.push(b'}');
    }

    /// A list that is indented one level more.
    fn indented(&mut self, list: &'t List) {
        self.indentation += self.step;
        self.list(list);
        self.bodies(b"");
        self.indentation -= self.step;
    }

    /// `elif` is an `if` inside `else`.
    fn if_node(&mut self, node: &'t If) {
        let before = self.indentation;
        for (index, (condition, body)) in node.branches.iter().enumerate() {
            if index > 0 {
                self.semicolon();
                self.newline(b"else\n");
                self.indentation += self.step;
                self.start();
            }
            self.put(b"if ");
            self.skip += 1;
            self.list(condition);
            self.semicolon();
            self.put(b" then\n");
            self.indented(body);
        }
        if let Some(otherwise) = &node.otherwise {
            self.semicolon();
            self.newline(b"else\n");
            self.indented(otherwise);
        }
        for index in (0..node.branches.len()).rev() {
            self.indentation = before + index * self.step;
            self.semicolon();
            self.newline(b"fi");
        }
    }

    fn while_node(&mut self, node: &'t While) {
        self.put(if node.until { b"until " } else { b"while " });
        self.skip += 1;
        self.list(&node.condition);
        self.bodies(b"");
        self.semicolon();
        self.put(b" do\n");
        self.indented(&node.body);
        self.semicolon();
        self.newline(b"done");
    }

    pub(super) fn for_head(&mut self, keyword: &[u8], node: &'t For) {
        self.put(keyword);
        self.put(&node.variable);
        self.put(b" in ");
        match &node.words {
            None => self.put(b"\"$@\""),
            Some(words) => {
                for (index, word) in words.iter().enumerate() {
                    if index > 0 {
                        self.out.push(b' ');
                    }
                    self.word(word);
                }
            }
        }
    }

    fn for_node(&mut self, keyword: &[u8], node: &'t For) {
        self.for_head(keyword, node);
        self.out.push(b';');
        self.do_done(&node.body);
    }

    fn do_done(&mut self, body: &'t List) {
        self.newline(b"do\n");
        self.indented(body);
        self.semicolon();
        self.newline(b"done");
    }

    fn case_node(&mut self, node: &'t crate::tree::Case) {
        self.put(b"case ");
        self.word(&node.word);
        self.put(b" in ");
        self.indentation += self.step;
        for clause in &node.clauses {
            self.newline(b"");
            for (index, pattern) in clause.patterns.iter().enumerate() {
                if index > 0 {
                    self.put(b" | ");
                }
                self.word(pattern);
            }
            self.put(b")\n");
            if clause.body.items.is_empty() {
                self.bodies(b"");
            } else {
                self.indented(&clause.body);
            }
            self.newline(match clause.end {
                CaseEnd::Break => b";;",
                CaseEnd::FallThrough => b";&",
                CaseEnd::Continue => b";;&",
            });
        }
        self.indentation -= self.step;
        self.newline(b"esac");
    }
}
