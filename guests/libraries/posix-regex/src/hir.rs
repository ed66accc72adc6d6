//! The tree of an expression in the form that the automata are built from.

use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look, Repetition,
};

use crate::ast::{Anchor, Ast, Id, Node};
use crate::chars;
use crate::syntax::Config;

/// The most copies that intervals may ask for; what needs more is left to the slow path.
const MOST: u32 = 1000;

/// A translated expression.
pub(crate) struct Translated {
    /// The expression. It may match more than the original where that has back references.
    pub(crate) hir: Hir,
    /// It is right for ASCII only: bytes beyond it must stop the search.
    pub(crate) ascii_only: bool,
    /// It would be right for all text if all classes were listed.
    pub(crate) can_be_wide: bool,
}

/// Translates. With `wide`, classes are listed beyond ASCII even where that takes long. None where
/// the automata are not for it.
pub(crate) fn translate(ast: &Ast, config: &Config, wide: bool) -> Option<Translated> {
    let mut translator = Translator {
        ast,
        config,
        wide,
        ascii_only: false,
        boundaries: false,
        copies: 1,
    };
    let hir = translator.node(ast.root)?;
    let bytes = chars::is_bytes();
    Some(Translated {
        hir,
        ascii_only: (translator.ascii_only || translator.boundaries) && !bytes,
        can_be_wide: !translator.boundaries || bytes,
    })
}

struct Translator<'a> {
    ast: &'a Ast,
    config: &'a Config,
    wide: bool,
    ascii_only: bool,
    boundaries: bool,
    /// How many copies of the current node there will be.
    copies: u32,
}

impl Translator<'_> {
    fn node(&mut self, id: Id) -> Option<Hir> {
        let ast = self.ast;
        Some(match &ast.nodes[id as usize] {
            Node::Empty => Hir::empty(),
            Node::Char(code) => self.char(*code),
            Node::Any => self.any(),
            Node::Class(class) => {
                let class = &ast.classes[*class as usize];
                if !self.wide && class.is_vast(self.config.icase) && !chars::is_bytes() {
                    self.ascii_only = true;
                    let ascii = (0..128).filter(|code| class.has(self.fold(*code)));
                    self.set(ascii.map(|code| (code, code)).collect())
                } else {
                    self.set(class.list(self.config.icase))
                }
            }
            // Anything at all: the slow path looks again.
            Node::Reference(_) => {
                let any = self.set(vec![(0, 0x10_ffff)]);
                repeated(any, 0, None)
            }
            Node::Anchor(anchor) => Hir::look(self.look(*anchor)),
            Node::Concat(parts) => {
                let parts: Option<Vec<Hir>> = parts.iter().map(|part| self.node(*part)).collect();
                Hir::concat(parts?)
            }
            Node::Alt(..) => self.alternatives(id)?,
            Node::Group(_, inside) => self.node(*inside)?,
            Node::Repeat(body, least, most) => {
                let before = self.copies;
                self.copies = before.saturating_mul(most.unwrap_or(*least).max(1));
                if self.copies > MOST {
                    return None;
                }
                let body = self.node(*body)?;
                self.copies = before;
                repeated(body, *least, *most)
            }
        })
    }

    /// A chain of alternatives leans to the left: it is walked, so that its length is no depth.
    fn alternatives(&mut self, id: Id) -> Option<Hir> {
        let mut all = Vec::new();
        let mut at = id;
        while let Node::Alt(left, right) = self.ast.nodes[at as usize] {
            all.push(right);
            at = left;
        }
        all.push(at);
        let all: Option<Vec<Hir>> = all.iter().rev().map(|id| self.node(*id)).collect();
        Some(Hir::alternation(all?))
    }

    fn fold(&self, code: u32) -> u32 {
        if self.config.icase {
            chars::upper(code)
        } else {
            code
        }
    }

    fn char(&mut self, code: u32) -> Hir {
        if !self.config.icase || chars::char(code).is_none() {
            if self.config.line.is_some_and(|line| u32::from(line) == code) {
                return Hir::fail();
            }
            let mut bytes = Vec::new();
            chars::push(code, &mut bytes);
            return Hir::literal(bytes);
        }
        // All that have this upper case. Few have one that is not their neighbour's, and those are
        // listed.
        let mut set = vec![(code, code)];
        let lower = chars::lower(code);
        set.push((lower, lower));
        if code >= 0x80 {
            // Titles, variants: all that are folded to the same.
            set.extend(
                (0x80..0x2200)
                    .filter(|other| chars::upper(*other) == code)
                    .map(|other| (other, other)),
            );
        } else if !chars::is_bytes() {
            set.extend(
                [0x131, 0x17f]
                    .iter()
                    .filter(|other| chars::upper(**other) == code)
                    .map(|other| (*other, *other)),
            );
        }
        self.set(set)
    }

    fn any(&mut self) -> Hir {
        self.set(vec![(0, if chars::is_bytes() { 0xff } else { 0x10_ffff })])
    }

    /// A set of characters, without the end of lines.
    fn set(&self, ranges: Vec<(u32, u32)>) -> Hir {
        if chars::is_bytes() {
            let mut class = ClassBytes::new(ranges.iter().map(|(first, last)| {
                ClassBytesRange::new((*first).min(255) as u8, (*last).min(255) as u8)
            }));
            if let Some(line) = self.config.line {
                class.difference(&ClassBytes::new([ClassBytesRange::new(line, line)]));
            }
            return Hir::class(Class::Bytes(class));
        }
        let ranges = ranges.iter().filter_map(|(first, last)| {
            // Codes between are no characters.
            let first = char::from_u32(*first).unwrap_or('\u{e000}');
            let last = char::from_u32(*last).unwrap_or('\u{d7ff}');
            (first <= last).then(|| ClassUnicodeRange::new(first, last))
        });
        let mut class = ClassUnicode::new(ranges);
        if let Some(line) = self.config.line {
            let line = char::from(line);
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new(line, line)]));
        }
        Hir::class(Class::Unicode(class))
    }

    fn look(&mut self, anchor: Anchor) -> Look {
        let lines = self.config.line.is_some();
        let is_boundary = !matches!(
            anchor,
            Anchor::Start | Anchor::End | Anchor::LineStart | Anchor::LineEnd
        );
        self.boundaries |= is_boundary;
        match anchor {
            Anchor::Start if lines => Look::StartLF,
            Anchor::End if lines => Look::EndLF,
            Anchor::Start => Look::Start,
            Anchor::End => Look::End,
            Anchor::LineStart => Look::StartLF,
            Anchor::LineEnd => Look::EndLF,
            Anchor::Boundary => Look::WordAscii,
            Anchor::NoBoundary => Look::WordAsciiNegate,
            Anchor::WordStart => Look::WordStartAscii,
            Anchor::WordEnd => Look::WordEndAscii,
            Anchor::NotInWordBefore => Look::WordStartHalfAscii,
            Anchor::NotInWordAfter => Look::WordEndHalfAscii,
        }
    }
}

fn repeated(body: Hir, least: u32, most: Option<u32>) -> Hir {
    Hir::repetition(Repetition {
        min: least,
        max: most,
        greedy: true,
        sub: Box::new(body),
    })
}
