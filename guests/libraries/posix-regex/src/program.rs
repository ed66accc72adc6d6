//! The machine of an expression: a graph whose edges go first where glibc goes first.

use crate::Error;
use crate::ast::{Anchor, Ast, Id, Node};
use crate::back::Back;
use crate::chars;
use crate::class::Class;

/// A step's number.
pub(crate) type At = u32;

/// The most steps a machine may have.
const MOST: usize = 1 << 19;

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Takes this character.
    Char(u32, At),
    /// Takes any character.
    Any(At),
    /// Takes a character of a class.
    Class(u32, At),
    /// Takes what a group took.
    Reference(u32, At),
    /// Goes on where the anchor holds.
    Anchor(Anchor, At),
    /// A group starts.
    Open(u32, At),
    /// A group ends. It is optional where its whole body is repeated and may be left out.
    Close {
        group: u32,
        optional: bool,
        next: At,
    },
    /// Goes on at the first, or else at the second.
    Split(At, At),
    /// The end.
    Match,
}

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) start: At,
    pub(crate) groups: usize,
    /// Whether characters are compared in upper case.
    pub(crate) icase: bool,
    /// Whether it can only match at the start of the text.
    pub(crate) anchored: bool,
    /// The bytes a match can start with; none where it can be empty.
    pub(crate) first: Option<Box<[bool; 256]>>,
    pub(crate) classes: Vec<Class>,
    /// The edges backwards.
    pub(crate) back: Back,
}

impl Program {
    pub(crate) fn new(ast: &Ast, icase: bool) -> Result<Program, Error> {
        let mut builder = Builder {
            ast,
            steps: vec![Step::Match],
        };
        let start = builder.emit(ast.root, 0, Instance::ORIGINAL)?;
        let back = Back::new(&builder.steps);
        let mut program = Program {
            steps: builder.steps,
            back,
            start,
            groups: ast.groups,
            icase,
            anchored: is_anchored(ast),
            first: None,
            classes: ast.classes.clone(),
        };
        program.first = program.first_bytes();
        Ok(program)
    }

    /// A character of the text as it is compared.
    #[inline]
    pub(crate) fn fold(&self, code: u32) -> u32 {
        if self.icase { chars::upper(code) } else { code }
    }

    /// Where a step goes on with a character (folded), if it takes it.
    #[inline]
    pub(crate) fn takes(&self, step: Step, code: u32) -> Option<At> {
        match step {
            Step::Char(own, next) if own == code => Some(next),
            Step::Any(next) if chars::char(code).is_some() => Some(next),
            Step::Class(class, next) if self.classes[class as usize].has(code) => Some(next),
            _ => None,
        }
    }

    /// The bytes that can come first; none where a match may be empty or start with anything.
    fn first_bytes(&self) -> Option<Box<[bool; 256]>> {
        let mut bytes = Box::new([false; 256]);
        let mut seen = vec![false; self.steps.len()];
        let mut open = vec![self.start];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            match self.steps[at as usize] {
                Step::Match | Step::Reference(..) => return None,
                Step::Split(first, second) => open.extend([first, second]),
                Step::Anchor(_, next) | Step::Open(_, next) | Step::Close { next, .. } => {
                    open.push(next);
                }
                step => {
                    for byte in 0..128u8 {
                        bytes[usize::from(byte)] |=
                            self.takes(step, self.fold(byte.into())).is_some();
                    }
                    // Other characters are looked at when they come.
                    let wide = match step {
                        Step::Char(code, _) => code > 127 || self.icase,
                        _ => true,
                    };
                    if wide {
                        bytes[128..].fill(true);
                    }
                }
            }
        }
        Some(bytes)
    }
}

/// Whether every way starts with `^`.
fn is_anchored(ast: &Ast) -> bool {
    let mut open = vec![ast.root];
    while let Some(id) = open.pop() {
        match &ast.nodes[id as usize] {
            Node::Anchor(Anchor::Start) => {}
            Node::Concat(parts) => match parts.first() {
                Some(first) => open.push(*first),
                None => return false,
            },
            Node::Alt(left, right) => open.extend([*left, *right]),
            Node::Group(_, inside) => open.push(*inside),
            _ => return false,
        }
    }
    true
}

/// Which copy of a node is being made. glibc marks groups that may be left out, and forgets the
/// marks in copies.
#[derive(Debug, Clone, Copy)]
struct Instance {
    /// Not a copy: marks inside count.
    original: bool,
    /// The node itself is marked, if it is a group.
    marked: bool,
}

impl Instance {
    const ORIGINAL: Instance = Instance {
        original: true,
        marked: false,
    };
    const FURTHER: Instance = Instance {
        original: false,
        marked: false,
    };

    /// The instance for what lies inside.
    fn inside(self) -> Instance {
        Instance {
            marked: false,
            ..self
        }
    }
}

struct Builder<'a> {
    ast: &'a Ast,
    steps: Vec<Step>,
}

impl Builder<'_> {
    fn add(&mut self, step: Step) -> Result<At, Error> {
        if self.steps.len() >= MOST {
            return Err(Error::Space);
        }
        self.steps.push(step);
        Ok((self.steps.len() - 1) as At)
    }

    /// Adds the steps of a node, which go on at `next`, and returns the first.
    fn emit(&mut self, id: Id, next: At, copy: Instance) -> Result<At, Error> {
        let ast = self.ast;
        match &ast.nodes[id as usize] {
            Node::Empty => Ok(next),
            Node::Char(code) => self.add(Step::Char(*code, next)),
            Node::Any => self.add(Step::Any(next)),
            Node::Class(class) => self.add(Step::Class(*class, next)),
            Node::Reference(group) => self.add(Step::Reference(*group, next)),
            Node::Anchor(anchor) => self.add(Step::Anchor(*anchor, next)),
            Node::Concat(parts) => {
                let mut next = next;
                for part in parts.iter().rev() {
                    next = self.emit(*part, next, copy.inside())?;
                }
                Ok(next)
            }
            Node::Alt(left, right) => self.alternatives(*left, *right, next, copy.inside()),
            Node::Group(group, inside) => {
                let close = self.add(Step::Close {
                    group: *group,
                    optional: copy.marked,
                    next,
                })?;
                let inside = self.emit(*inside, close, copy.inside())?;
                self.add(Step::Open(*group, inside))
            }
            Node::Repeat(body, least, most) => {
                self.repeat(*body, (*least, *most), next, copy.original)
            }
        }
    }

    fn alternatives(&mut self, left: Id, right: Id, next: At, copy: Instance) -> Result<At, Error> {
        // A chain of alternatives leans to the left: it is walked, so that its length is no depth.
        let mut rights = vec![right];
        let mut first = left;
        while let Node::Alt(left, right) = self.ast.nodes[first as usize] {
            rights.push(right);
            first = left;
        }
        let mut left_empty = self.is_empty(first);
        let mut entry = self.emit(first, next, copy)?;
        for right in rights.into_iter().rev() {
            let other = self.emit(right, next, copy)?;
            // glibc goes where the lower number is: an empty alternative comes after one that is
            // not.
            entry = if left_empty && !self.is_empty(right) {
                self.add(Step::Split(other, entry))?
            } else {
                self.add(Step::Split(entry, other))?
            };
            left_empty = false;
        }
        Ok(entry)
    }

    fn is_empty(&self, id: Id) -> bool {
        self.ast.nodes[id as usize] == Node::Empty
    }

    fn repeat(
        &mut self,
        body: Id,
        (least, most): (u32, Option<u32>),
        next: At,
        original: bool,
    ) -> Result<At, Error> {
        let marked = Instance {
            original: original && least == 0,
            marked: original,
        };
        let mut next = match most {
            None => self.star(body, next, marked)?,
            Some(most) => self.optional(body, most - least, next, marked)?,
        };
        for number in (0..least).rev() {
            let copy = Instance {
                original: original && number == 0,
                marked: false,
            };
            next = self.emit(body, next, copy)?;
        }
        Ok(next)
    }

    fn star(&mut self, body: Id, next: At, copy: Instance) -> Result<At, Error> {
        let split = self.add(Step::Split(0, next))?;
        let first = self.emit(body, split, copy)?;
        self.steps[split as usize] = Step::Split(first, next);
        Ok(split)
    }

    /// Up to `count` times, as `((x)?x)?`: the way glibc nests them.
    fn optional(&mut self, body: Id, count: u32, next: At, copy: Instance) -> Result<At, Error> {
        if count == 0 {
            return Ok(next);
        }
        let mut nexts = vec![next];
        for _ in 1..count {
            let last = nexts[nexts.len() - 1];
            nexts.push(self.emit(body, last, Instance::FURTHER)?);
        }
        let mut entry = None;
        for next in nexts.into_iter().rev() {
            let first = match entry {
                Some(entry) => entry,
                None => self.emit(body, next, copy)?,
            };
            entry = Some(self.add(Step::Split(first, next))?);
        }
        Ok(entry.unwrap_or(next))
    }
}
