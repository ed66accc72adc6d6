//! Shortcuts before the walks: text that every match contains, and automata.

use std::cell::{Cell, OnceCell};

use memchr::memmem::Finder;

use crate::ast::Ast;
use crate::fast::Fast;
use crate::literal::{self, Required};
use crate::syntax::Config;
use crate::{Regex, Span, hir};

/// The shortcuts of an expression. The automata are made when they are first needed.
#[derive(Debug)]
pub(crate) struct Quick {
    /// Text that every match contains.
    pub(crate) finder: Option<Finder<'static>>,
    /// Every match is the finder's text.
    pub(crate) exact: bool,
    fast: OnceCell<Option<Fast>>,
    /// The automata with all classes listed, made when text beyond ASCII was met.
    wide: OnceCell<Option<Fast>>,
    /// How often the finder's text was in a line that did not match, less how often it was in one
    /// that did.
    pub(crate) misses: Cell<i32>,
}

impl Quick {
    pub(crate) fn new(ast: &Ast, config: &Config) -> Quick {
        let Required { text, exact } = literal::required(ast, config.icase);
        // Text with the end of a line in it is in no line.
        let finder = (!text.is_empty()).then(|| Finder::new(&text).into_owned());
        let exact =
            exact && finder.is_some() && config.line.is_none_or(|line| !text.contains(&line));
        Quick {
            finder,
            exact,
            fast: OnceCell::new(),
            wide: OnceCell::new(),
            misses: Cell::new(0),
        }
    }

    /// Whether the text that every match contains is not there.
    pub(crate) fn lacks_required(&self, text: &[u8]) -> bool {
        let finder = self.finder.as_ref();
        finder.is_some_and(|finder| finder.find(text).is_none())
    }
}

impl Regex {
    /// Whether there is a match at or after `from`; none where only a walk can tell.
    pub(crate) fn quick_is_match(&self, text: &[u8], from: usize) -> Option<bool> {
        if let Some(finder) = &self.quick.finder {
            match finder.find(&text[from..]) {
                None => return Some(false),
                Some(_) if self.quick.exact => return Some(true),
                Some(_) => {}
            }
        }
        if self.ast.references {
            return None;
        }
        let found = match self.fast()?.end(text, from, text.len()) {
            Ok(found) => found,
            Err(_) => self.wide()?.end(text, from, text.len()).ok()?,
        };
        Some(found.is_some())
    }

    /// The first match at or after `from`; none where only a walk can tell.
    pub(crate) fn quick_find(&self, text: &[u8], from: usize) -> Option<Option<Span>> {
        if let Some(finder) = &self.quick.finder {
            match finder.find(&text[from..]) {
                None => return Some(None),
                Some(at) if self.quick.exact => {
                    return Some(Some((from + at, from + at + finder.needle().len())));
                }
                Some(_) => {}
            }
        }
        if self.ast.references {
            return None;
        }
        let found = self.fast().and_then(|fast| fast.find(text, from).ok());
        found.or_else(|| self.wide()?.find(text, from).ok())
    }

    /// The automata, which may know ASCII only; none where there cannot be any.
    pub(crate) fn fast(&self) -> Option<&Fast> {
        let build = || {
            let translated = hir::translate(&self.ast, &self.config, false)?;
            Fast::new(translated.hir, self.config.line, translated.ascii_only)
        };
        self.quick.fast.get_or_init(build).as_ref()
    }

    /// The automata for all text; none where there cannot be any.
    pub(crate) fn wide(&self) -> Option<&Fast> {
        let build = || {
            let translated = hir::translate(&self.ast, &self.config, true)?;
            if !translated.can_be_wide {
                return None;
            }
            Fast::new(translated.hir, self.config.line, false)
        };
        self.quick.wide.get_or_init(build).as_ref()
    }

    /// The automata that get furthest: those for all text, once they are there.
    pub(crate) fn furthest(&self) -> Option<&Fast> {
        let wide = self.quick.wide.get().and_then(Option::as_ref);
        wide.or_else(|| self.fast())
    }
}
