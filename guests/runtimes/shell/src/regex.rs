//! The expressions of `[[ =~ ]]`: those of `regcomp`, the last few of them compiled.

use std::cell::RefCell;
use std::rc::Rc;

use codepod_posix_regex::{Config, Syntax};

pub use codepod_posix_regex::{Error, Regex};

use crate::pattern::chars;

/// How many compiled expressions are remembered.
const CACHED: usize = 16;
/// Expressions up to this size are.
const CACHED_STEPS: usize = 4096;

/// An expression and what changes how it is read.
#[derive(PartialEq, Eq)]
struct Key {
    pattern: Vec<u8>,
    icase: bool,
    /// Whether bytes are characters.
    bytes: bool,
}

thread_local! {
    static CACHE: RefCell<Vec<(Key, Rc<Regex>)>> = const { RefCell::new(Vec::new()) };
}

/// Compiles an expression, or takes it from those that were compiled lately. With `icase` the case
/// of letters does not matter.
pub fn compiled(pattern: &[u8], icase: bool) -> Result<Rc<Regex>, Error> {
    let key = Key {
        pattern: pattern.to_vec(),
        icase,
        bytes: chars::is_bytes(),
    };
    CACHE.with_borrow_mut(|cache| {
        if let Some(at) = cache.iter().position(|(known, _)| *known == key) {
            if at > 0 {
                cache.swap(at, at - 1);
            }
            return Ok(Rc::clone(&cache[at.saturating_sub(1)].1));
        }
        let config = Config {
            icase,
            ..Config::new(Syntax::REGCOMP_EXTENDED)
        };
        let regex = Rc::new(Regex::new(pattern, &config)?);
        if regex.steps()? <= CACHED_STEPS {
            cache.truncate(CACHED - 1);
            cache.push((key, Rc::clone(&regex)));
        }
        Ok(regex)
    })
}
