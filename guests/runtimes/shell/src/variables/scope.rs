//! Scopes: what `local` and assignments before a command put aside, to be put back afterwards.
//!
//! The variable table always holds what is visible now. A scope remembers what its names meant
//! before.

use std::rc::Rc;

use codepod_shell_syntax::Name;
use serde::{Deserialize, Serialize};

use super::{Attributes, Variable, Variables};
use crate::options::SetOptions;

/// What was put aside by a function call or by the assignments before one command.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scope {
    /// Whether it belongs to a function call (`local` works there; assignments before the call are
    /// in it too), not to assignments before another command.
    pub function: bool,
    saved: Vec<(Name, Variable)>,
    /// `local -`: the options to put back.
    options: Option<SetOptions>,
    /// Where `getopts` was inside a word when `OPTIND` was put aside.
    getopts: Option<u32>,
}

/// All scopes, the innermost last.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scopes(Vec<Rc<Scope>>);

impl Scopes {
    /// Opens a scope.
    pub fn push(&mut self, function: bool) {
        self.0.push(Rc::new(Scope {
            function,
            saved: Vec::new(),
            options: None,
            getopts: None,
        }));
    }

    /// Closes the innermost scope and puts back what it saved. Returns the names that changed.
    pub fn pop(&mut self, variables: &mut Variables) -> Vec<Name> {
        let Some(scope) = self.0.pop() else {
            return Vec::new();
        };
        let scope = Rc::unwrap_or_clone(scope);
        let mut names = Vec::with_capacity(scope.saved.len());
        for (name, variable) in scope.saved.into_iter().rev() {
            variables.replace(name, variable);
            names.push(name);
        }
        names
    }

    /// `local -`: the innermost function's scope keeps the options, unless it already does.
    pub fn save_options(&mut self, options: SetOptions) {
        if let Some(scope) = self.0.iter_mut().rev().find(|scope| scope.function) {
            Rc::make_mut(scope).options.get_or_insert(options);
        }
    }

    /// The options that the innermost scope keeps, to be put back when it is closed.
    #[inline]
    pub fn options(&self) -> Option<SetOptions> {
        self.0.last()?.options
    }

    /// `local OPTIND`: the innermost function's scope keeps where `getopts` is inside a word,
    /// unless it already does.
    pub fn save_getopts(&mut self, inside: u32) {
        if let Some(scope) = self.0.iter_mut().rev().find(|scope| scope.function) {
            Rc::make_mut(scope).getopts.get_or_insert(inside);
        }
    }

    /// Where `getopts` was, as the innermost scope keeps it, to be put back when it is closed.
    #[inline]
    pub fn getopts(&self) -> Option<u32> {
        self.0.last()?.getopts
    }

    /// How many are open.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether a function is being called.
    pub fn in_function(&self) -> bool {
        self.0.iter().any(|scope| scope.function)
    }

    /// Puts a variable aside in the innermost scope (`function`: in that of the innermost
    /// function), unless it already is. Says whether it did.
    pub fn save(&mut self, name: Name, function: bool, variables: &Variables) -> bool {
        let scope = self
            .0
            .iter_mut()
            .rev()
            .find(|scope| !function || scope.function);
        let Some(scope) = scope else { return false };
        if scope.saved.iter().any(|(saved, _)| *saved == name) {
            return false;
        }
        Rc::make_mut(scope)
            .saved
            .push((name, variables.get(name).clone()));
        true
    }

    /// Takes what the innermost scope that has put the name aside has saved: `unset` of a caller's
    /// local shows it again.
    pub fn take(&mut self, name: Name) -> Option<Variable> {
        for scope in self.0.iter_mut().rev() {
            if let Some(at) = scope.saved.iter().position(|(saved, _)| *saved == name) {
                return Some(Rc::make_mut(scope).saved.remove(at).1);
            }
        }
        None
    }

    /// Whether the name now means what assignments before a command or a function call have set.
    pub fn is_temporary(&self, name: Name, variables: &Variables) -> bool {
        !variables.get(name).attributes.has(Attributes::LOCAL) && self.has(name)
    }

    /// Whether the running function, or assignments before a command in it, have put the name
    /// aside.
    pub fn is_own(&self, name: Name) -> bool {
        for scope in self.0.iter().rev() {
            if scope.saved.iter().any(|(saved, _)| *saved == name) {
                return true;
            }
            if scope.function {
                return false;
            }
        }
        false
    }

    /// Whether any scope has put the name aside, so that what is visible is not global.
    pub fn has(&self, name: Name) -> bool {
        self.holder(name).is_some()
    }

    /// The innermost scope that has put the name aside.
    fn holder(&self, name: Name) -> Option<&Rc<Scope>> {
        self.0
            .iter()
            .rev()
            .find(|scope| scope.saved.iter().any(|(saved, _)| *saved == name))
    }

    /// The global variable of a name that a scope hides.
    pub fn global_mut(&mut self, name: Name) -> Option<&mut Variable> {
        let scope = self
            .0
            .iter_mut()
            .find(|scope| scope.saved.iter().any(|(saved, _)| *saved == name))?;
        let saved = &mut Rc::make_mut(scope).saved;
        saved
            .iter_mut()
            .find(|(saved, _)| *saved == name)
            .map(|(_, variable)| variable)
    }

    /// The names that the innermost function has made local.
    pub fn locals(&self, variables: &Variables) -> Vec<Name> {
        let is_local = |name: &Name| variables.get(*name).attributes.has(Attributes::LOCAL);
        let scope = self.0.iter().rev().find(|scope| scope.function);
        scope.map_or_else(Vec::new, |scope| {
            let names = scope.saved.iter().map(|(name, _)| *name);
            names.filter(is_local).collect()
        })
    }
}
