//! A tree as shell again, the way `declare -f` writes it.
//!
//! bash has two layouts. Inside a function, commands stand on lines of their own; elsewhere
//! (`jobs`, `BASH_COMMAND`, `$(…)`) they are joined by `; `, though compound commands still take
//! several lines. Bodies of here-documents come after the line their operator is on, as far as that
//! is one: behind `|`, `&&` or `;`.

mod command;
mod cond;
mod redirect;
mod word;

use crate::tree::{
    Assign, BinaryTest, Brace, Command, CommandKind, Function, HereDoc, Item, List, Pipeline, Word,
};

/// A list on lines of its own, indented by `indent` columns.
pub fn list(list: &List, indent: usize) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.functions = 1;
    printer.indentation = indent;
    printer.list(list);
    printer.out
}

/// A command on one line where possible, as `jobs` and `BASH_COMMAND` show it.
pub fn command(command: &Command) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.command(command, None);
    printer.out
}

/// A pipeline, as `jobs` shows it.
pub fn pipeline(pipeline: &Pipeline) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.pipeline(pipeline);
    printer.out
}

/// An and-or list without `&`, as `jobs` shows it.
pub fn item(item: &Item) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.item(item);
    printer.out
}

/// The start of a compound command, as `BASH_COMMAND` and `set -x` show it: `for x in a b`, `case x
/// in `, `[[ … ]]`.
pub fn head(command: &Command) -> Vec<u8> {
    let mut printer = Printer::new();
    match &command.kind {
        CommandKind::For(node) => printer.for_head(b"for ", node),
        CommandKind::Select(node) => printer.for_head(b"select ", node),
        CommandKind::Case(node) => {
            printer.put(b"case ");
            printer.word(&node.word);
            printer.put(b" in ");
        }
        _ => printer.command(command, None),
    }
    printer.out
}

/// A function as `declare -f` prints it.
pub fn function(function: &Function) -> Vec<u8> {
    let mut printer = Printer::new();
    if crate::parser::is_reserved(&function.name) {
        printer.put(b"function ");
    }
    printer.put(&function.name);
    printer.put(b" () \n");
    printer.function_body(function);
    printer.out
}

/// A function as it stands in the environment after `export -f`.
pub fn exported(function: &Function) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.step = 0;
    printer.indentation = 1;
    printer.put(b"() ");
    printer.function_body(function);
    printer.out
}

/// A binary operator of `[[`, with a blank on either side.
pub fn test(operator: BinaryTest) -> &'static [u8] {
    cond::operator(operator)
}

/// A word as it was meant: parsing it again gives the same.
pub fn word(word: &Word) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.word(word);
    printer.out
}

/// An assignment.
pub(crate) fn assign(assign: &Assign) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.assign(assign);
    printer.out
}

/// A brace expansion.
pub(crate) fn brace_text(brace: &Brace) -> Vec<u8> {
    let mut printer = Printer::new();
    printer.brace(brace);
    printer.out
}

/// How far lines are indented at most: without it, many `elif` would take time by the square of
/// their number.
const MAX_COLUMNS: usize = 1000;

/// Writes.
struct Printer<'t> {
    out: Vec<u8>,
    /// Columns.
    indentation: usize,
    /// Columns more for each level.
    step: usize,
    /// In how many functions we are: commands stand on lines of their own.
    functions: u32,
    /// In how many substitutions we are: newlines between commands stay.
    substitutions: u32,
    /// In how many connections (`;`, `&&`, `|`) we are: bodies of here-documents wait for the
    /// next.
    connections: u32,
    /// How many commands to come need no indentation.
    skip: u32,
    /// Here-documents whose bodies have not been written yet.
    waiting: Vec<&'t HereDoc>,
    /// The last thing was a body, so that no `;` may follow.
    was_body: bool,
}

impl<'t> Printer<'t> {
    fn new() -> Printer<'t> {
        Printer {
            out: Vec::new(),
            indentation: 0,
            step: 4,
            functions: 0,
            substitutions: 0,
            connections: 0,
            skip: 0,
            waiting: Vec::new(),
            was_body: false,
        }
    }

    fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    fn number(&mut self, number: u32) {
        self.put(number.to_string().as_bytes());
    }

    fn indent(&mut self) {
        let columns = self.indentation.min(MAX_COLUMNS);
        self.out.resize(self.out.len() + columns, b' ');
    }

    /// A command starts: on a new line it is indented.
    fn start(&mut self) {
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            self.indent();
        }
    }

    fn newline(&mut self, text: &[u8]) {
        self.out.push(b'\n');
        self.indent();
        self.put(text);
    }

    /// A semicolon, unless something that ends a command is there already.
    fn semicolon(&mut self) {
        if !matches!(self.out.last(), Some(b'&' | b'\n')) {
            self.out.push(b';');
        }
    }

    /// Writes the bodies that wait, behind `connector`.
    fn bodies(&mut self, connector: &[u8]) {
        let shown = !connector.is_empty() && connector != b";";
        if shown {
            self.put(connector);
        }
        if !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            self.write_bodies(&waiting);
            if shown {
                self.out.push(b' ');
            }
        }
    }

    fn write_bodies(&mut self, documents: &[&'t HereDoc]) {
        self.out.push(b'\n');
        for document in documents {
            self.here_body(document);
            self.put(&document.delimiter);
            self.out.push(b'\n');
        }
        self.was_body = true;
    }

    /// `{`, the body, `}` and redirections.
    fn function_body(&mut self, function: &'t Function) {
        let multiline = self.step > 0;
        let before = self.indentation;
        if multiline {
            self.indent();
            self.put(b"{ \n");
            self.indentation += self.step;
        } else {
            self.put(b"{ ");
        }
        self.functions += 1;
        let body = &function.body;
        let (redirects, connections) = (&body.redirects, self.connections);
        self.connections = 0;
        if let CommandKind::Group(list) = &body.kind {
            self.list(list);
        } else {
            self.command(body, None);
        }
        self.bodies(b"");
        self.was_body = false;
        self.connections = connections;
        self.functions -= 1;
        self.indentation = if multiline { before } else { 0 };
        self.newline(b"}");
        if matches!(body.kind, CommandKind::Group(_)) && !redirects.is_empty() {
            self.out.push(b' ');
            self.redirects(redirects);
        }
        self.indentation = before;
    }
}
