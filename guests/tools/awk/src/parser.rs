//! Reads a program into its tree.
//!
//! Names are resolved here: to parameters inside of a function, to global slots otherwise. Which
//! parameters are arrays follows from how they are used, through calls, and is settled at the end.

mod expression;

mod statement;

pub use expression::place_of;

use std::collections::HashMap;
use std::rc::Rc;

use crate::lexer::{Lexer, Mistake, Token};
use crate::tree::{Expr, Function, Pattern, Program, Rule, SPECIALS, Stmt, Var};

/// How deep expressions and statements may nest.
const DEPTH: usize = 400;

type Result<T> = std::result::Result<T, Mistake>;

/// Where a `return` or `next` stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Function,
    Rule,
    /// `BEGIN`, `END` and so on.
    Special(&'static str),
}

/// An argument that is a bare name: the call's function and position, and the parameter of the
/// caller if it is one.
struct Passed {
    caller: usize,
    parameter: usize,
    callee: usize,
    position: usize,
}

struct Parser<'a> {
    text: &'a [u8],
    lexer: Lexer<'a>,
    token: Token,
    /// Where `token` starts.
    start: usize,
    /// The line of `start`, counted on from the last place it was asked for.
    line: (usize, u32),
    program: Program,
    globals: HashMap<Vec<u8>, usize>,
    /// Functions by name, with the place of the first call or definition.
    functions: HashMap<Vec<u8>, usize>,
    defined: Vec<Option<usize>>,
    building: Vec<Function>,
    /// Where each function was named first.
    named: Vec<usize>,
    locals: Vec<Vec<u8>>,
    current: Option<usize>,
    passed: Vec<Passed>,
    depth: usize,
    loops: usize,
    switches: usize,
    place: Place,
    /// In a `print`, where `>` writes.
    no_greater: bool,
    /// In the head of a `for`.
    no_in: bool,
    /// Where the operand starts that may be assigned to.
    assignable: usize,
    groups: usize,
}

/// Reads a program.
pub fn parse(text: &[u8]) -> Result<Program> {
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text),
        token: Token::Newline,
        start: 0,
        line: (0, 1),
        program: Program::default(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        defined: Vec::new(),
        building: Vec::new(),
        named: Vec::new(),
        locals: Vec::new(),
        current: None,
        passed: Vec::new(),
        depth: 0,
        loops: 0,
        switches: 0,
        place: Place::Rule,
        no_greater: false,
        assignable: 0,
        no_in: false,
        groups: 0,
    };
    for name in SPECIALS {
        parser.global(name.as_bytes());
    }
    parser.advance()?;
    parser.items()?;
    parser.finish()
}

/// The line of a byte of a text.
pub fn line_of(text: &[u8], at: usize) -> u32 {
    1 + memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count() as u32
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<()> {
        let (token, start) = self.lexer.token()?;
        if !self.lexer.meaningless.is_empty() {
            let line = self.line_at(start);
            let new = std::mem::take(&mut self.lexer.meaningless);
            self.program
                .meaningless
                .extend(new.into_iter().map(|byte| (line, byte)));
        }
        self.token = token;
        self.start = start;
        Ok(())
    }

    fn line_at(&mut self, at: usize) -> u32 {
        let (from, line) = self.line;
        let line = match at >= from {
            true => line + memchr::memchr_iter(b'\n', &self.text[from..at]).count() as u32,
            false => line_of(self.text, at),
        };
        self.line = (at, line);
        line
    }

    fn current_line(&mut self) -> u32 {
        self.line_at(self.start)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(found) if found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(found) if found == word)
    }

    fn accept(&mut self, sign: &str) -> Result<bool> {
        let found = self.is(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        match self.accept(sign)? {
            true => Ok(()),
            false => Err(self.syntax_error()),
        }
    }

    fn newlines(&mut self) -> Result<()> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    /// Newlines and semicolons.
    fn terminators(&mut self) -> Result<()> {
        while self.token == Token::Newline || self.is(";") {
            self.advance()?;
        }
        Ok(())
    }

    fn syntax_error(&self) -> Mistake {
        match self.token {
            Token::End | Token::Newline => {
                Mistake::caret("unexpected newline or end of string", self.start)
            }
            _ => Mistake::caret("syntax error", self.start),
        }
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        match self.depth > DEPTH {
            true => Err(Mistake::plain(
                "fatal: ",
                "the program nests too deeply",
                self.start,
            )),
            false => Ok(()),
        }
    }

    fn global(&mut self, name: &[u8]) -> usize {
        if let Some(slot) = self.globals.get(name) {
            return *slot;
        }
        let slot = self.program.globals.len();
        self.program.globals.push(name.to_vec());
        self.globals.insert(name.to_vec(), slot);
        slot
    }

    fn variable(&mut self, name: &[u8]) -> Result<Var> {
        if let Some(slot) = self.locals.iter().position(|local| local == name) {
            return Ok(Var::Local(slot));
        }
        if matches!(name, b"SYMTAB" | b"FUNCTAB") {
            let message = format!("`{}' is not supported", String::from_utf8_lossy(name));
            return Err(Mistake::plain("fatal: ", message, self.start));
        }
        Ok(Var::Global(self.global(name)))
    }

    fn function(&mut self, name: &[u8]) -> usize {
        if let Some(index) = self.functions.get(name) {
            return *index;
        }
        let index = self.building.len();
        self.building.push(Function {
            name: name.to_vec(),
            ..Function::default()
        });
        self.defined.push(None);
        self.named.push(self.start);
        self.functions.insert(name.to_vec(), index);
        index
    }

    /// Says that a variable is used as an array.
    fn uses_array(&mut self, var: Var) {
        if let (Var::Local(slot), Some(current)) = (var, self.current) {
            let arrays = &mut self.building[current].arrays;
            if arrays.len() <= slot {
                arrays.resize(slot + 1, false);
            }
            arrays[slot] = true;
        }
    }

    fn items(&mut self) -> Result<()> {
        loop {
            self.terminators()?;
            match &self.token {
                Token::End => return Ok(()),
                Token::Word("function") => self.definition()?,
                Token::Word(word @ ("BEGIN" | "END" | "BEGINFILE" | "ENDFILE")) => {
                    let word = *word;
                    self.advance()?;
                    if !self.is("{") {
                        let message = format!("{word} blocks must have an action part");
                        return Err(Mistake::plain("", message, self.start));
                    }
                    self.place = Place::Special(word);
                    let mut body = self.block()?;
                    self.place = Place::Rule;
                    let program = &mut self.program;
                    match word {
                        "BEGIN" => program.begin.append(&mut body),
                        "BEGINFILE" => program.begin_file.append(&mut body),
                        "ENDFILE" => program.end_file.append(&mut body),
                        _ => {
                            program.has_end = true;
                            program.end.append(&mut body);
                        }
                    }
                }
                Token::Sign("@") => {
                    let at = self.start;
                    let rest = &self.text[at..];
                    for word in ["@include", "@load", "@namespace"] {
                        if rest.starts_with(word.as_bytes()) {
                            return Err(Mistake::plain(
                                "fatal: ",
                                format!("`{word}' is not supported"),
                                at,
                            ));
                        }
                    }
                    self.rule()?;
                }
                _ => self.rule()?,
            }
            // Items end with a line, a semicolon or a brace; gawk also takes the next one right
            // away.
        }
    }

    fn rule(&mut self) -> Result<()> {
        let line = self.current_line();
        let pattern = if self.is("{") {
            Pattern::Always
        } else {
            let first = self.expression()?;
            if self.accept(",")? {
                self.newlines()?;
                let last = self.expression()?;
                self.program.ranges += 1;
                Pattern::Range(first, last, self.program.ranges - 1)
            } else {
                Pattern::When(first)
            }
        };
        let action = if self.is("{") {
            Some(self.block()?)
        } else {
            if !matches!(self.token, Token::Newline | Token::End) && !self.is(";") {
                return Err(self.syntax_error());
            }
            None
        };
        self.program.rules.push(Rule {
            line,
            pattern,
            action,
        });
        Ok(())
    }

    fn definition(&mut self) -> Result<()> {
        self.advance()?;
        let (Token::Name(name) | Token::FunctionName(name)) = self.token.clone() else {
            if let Token::Builtin(name) = self.token {
                let message = format!("`{name}' is a built-in function, it cannot be redefined");
                return Err(Mistake::caret(message, self.start));
            }
            return Err(self.syntax_error());
        };
        let index = self.function(&name);
        let shown = String::from_utf8_lossy(&name).into_owned();
        if self.defined[index].is_some() {
            let message = format!("function name `{shown}' previously defined");
            return Err(Mistake::plain("error: ", message, self.start));
        }
        self.defined[index] = Some(self.start);
        self.advance()?;
        self.expect("(")?;
        let mut parameters: Vec<Vec<u8>> = Vec::new();
        self.newlines()?;
        while !self.is(")") {
            let Token::Name(parameter) = self.token.clone() else {
                return Err(self.syntax_error());
            };
            let text = String::from_utf8_lossy(&parameter).into_owned();
            if parameter == name {
                let message =
                    format!("function `{shown}': cannot use function name as parameter name");
                return Err(Mistake::plain("error: ", message, self.start));
            }
            if SPECIALS.contains(&text.as_str()) {
                let message = format!(
                    "function `{shown}': cannot use special variable `{text}' as a function parameter"
                );
                return Err(Mistake::plain("error: ", message, self.start));
            }
            if let Some(first) = parameters.iter().position(|known| *known == parameter) {
                let number = parameters.len() + 1;
                let message = format!(
                    "function `{shown}': parameter #{number}, `{text}', duplicates parameter #{}",
                    first + 1
                );
                return Err(Mistake::plain("error: ", message, self.start));
            }
            parameters.push(parameter);
            self.advance()?;
            self.newlines()?;
            if !self.accept(",")? {
                break;
            }
            self.newlines()?;
        }
        self.expect(")")?;
        self.newlines()?;
        self.building[index].parameters.clone_from(&parameters);
        self.locals = parameters;
        self.current = Some(index);
        self.place = Place::Function;
        let body = self.block()?;
        self.place = Place::Rule;
        self.current = None;
        self.locals = Vec::new();
        self.building[index].body = body;
        Ok(())
    }

    /// `{ … }` and what ends it.
    fn block(&mut self) -> Result<Vec<Stmt>> {
        self.expect("{")?;
        let body = self.statements()?;
        self.expect("}")?;
        Ok(body)
    }

    /// Settles which parameters are arrays, and looks for functions that are not there.
    fn finish(mut self) -> Result<Program> {
        for (index, function) in self.building.iter().enumerate() {
            if self.defined[index].is_none() {
                let message = format!(
                    "function `{}' not defined",
                    String::from_utf8_lossy(&function.name)
                );
                return Err(Mistake::plain("fatal: ", message, self.named[index]));
            }
        }
        for function in &mut self.building {
            function.arrays.resize(function.parameters.len(), false);
        }
        loop {
            let mut changed = false;
            for passed in &self.passed {
                let is_array =
                    self.building[passed.callee].arrays.get(passed.position) == Some(&true);
                let known = &mut self.building[passed.caller].arrays[passed.parameter];
                if is_array && !*known {
                    *known = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        self.program.functions = self.building.into_iter().map(Rc::new).collect();
        Ok(self.program)
    }

    /// Remembers the arguments of a call that are bare names of parameters.
    fn pass(&mut self, callee: usize, arguments: &[Expr]) {
        let Some(caller) = self.current else {
            return;
        };
        for (position, argument) in arguments.iter().enumerate() {
            if let Expr::Var(Var::Local(parameter)) = argument {
                let parameter = *parameter;
                self.passed.push(Passed {
                    caller,
                    parameter,
                    callee,
                    position,
                });
            }
        }
    }
}
