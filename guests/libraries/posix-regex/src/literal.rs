//! Text that every match contains.

use crate::ast::{Ast, Id, Node};
use crate::chars;

/// What an expression needs.
pub(crate) struct Required {
    /// The longest text that is in every match; it may be empty.
    pub(crate) text: Vec<u8>,
    /// The expression is this text and nothing else.
    pub(crate) exact: bool,
}

/// Finds it. Without case only what has no case counts.
pub(crate) fn required(ast: &Ast, icase: bool) -> Required {
    let mut finder = Finder {
        ast,
        icase,
        run: Vec::new(),
        best: Vec::new(),
        exact: true,
    };
    finder.node(ast.root);
    finder.end();
    Required {
        text: finder.best,
        exact: finder.exact,
    }
}

struct Finder<'a> {
    ast: &'a Ast,
    icase: bool,
    run: Vec<u8>,
    best: Vec<u8>,
    exact: bool,
}

impl Finder<'_> {
    fn node(&mut self, id: Id) {
        match &self.ast.nodes[id as usize] {
            Node::Empty => {}
            Node::Char(code) => {
                if self.icase && (*code >= 0x80 || (*code as u8).is_ascii_alphabetic()) {
                    self.other();
                    return;
                }
                chars::push(*code, &mut self.run);
            }
            Node::Concat(parts) => parts.iter().for_each(|part| self.node(*part)),
            Node::Group(_, inside) => self.node(*inside),
            Node::Repeat(body, least, _) if *least > 0 => {
                self.exact = false;
                self.end();
                self.node(*body);
                self.end();
            }
            Node::Anchor(_) => self.exact = false,
            _ => self.other(),
        }
    }

    fn other(&mut self) {
        self.exact = false;
        self.end();
    }

    fn end(&mut self) {
        if self.run.len() > self.best.len() {
            self.best = std::mem::take(&mut self.run);
        }
        self.run.clear();
    }
}
