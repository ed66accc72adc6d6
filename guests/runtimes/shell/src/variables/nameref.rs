//! Namerefs: which variable is meant.

use codepod_shell_syntax::Name;

use super::{Attributes, Value, Variables};
use crate::text::Text;

/// How many namerefs are followed.
const DEPTH: u32 = 8;

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A variable that is no nameref.
    Variable(Name),
    /// An element of it, by the text of its subscript.
    Element(Name, Text),
    /// A nameref that refers to nothing yet.
    Unset(Name),
    /// A circle.
    Circle,
}

/// Follows namerefs.
pub fn resolve(variables: &Variables, name: Name) -> Target {
    let mut at = name;
    for _ in 0..DEPTH {
        let variable = variables.get(at);
        if !variable.attributes.has(Attributes::NAMEREF) {
            return Target::Variable(at);
        }
        let Value::Text(target) = &variable.value else {
            return Target::Unset(at);
        };
        if target.is_empty() {
            return Target::Unset(at);
        }
        if let Some(bracket) = target.iter().position(|byte| *byte == b'[')
            && target.ends_with(b"]")
        {
            let array = Name::new(&target[..bracket]);
            return Target::Element(array, Text::new(&target[bracket + 1..target.len() - 1]));
        }
        let next = Name::new(target);
        if next == at {
            return Target::Circle;
        }
        at = next;
    }
    Target::Circle
}

#[cfg(test)]
mod tests {
    use super::super::Variable;
    use super::*;

    fn reference(variables: &mut Variables, name: &[u8], target: &str) {
        let variable = variables.get_mut(Name::new(name));
        *variable = Variable::text(target);
        variable.attributes = Attributes::NAMEREF;
    }

    #[test]
    fn references_are_followed_to_the_variable_or_element() {
        let mut variables = Variables::default();
        reference(&mut variables, b"a", "b");
        reference(&mut variables, b"b", "c");
        reference(&mut variables, b"e", "m[x y]");
        assert_eq!(
            resolve(&variables, Name::new(b"a")),
            Target::Variable(Name::new(b"c"))
        );
        assert_eq!(
            resolve(&variables, Name::new(b"e")),
            Target::Element(Name::new(b"m"), Text::from("x y"))
        );
    }

    #[test]
    fn a_circle_is_found() {
        let mut variables = Variables::default();
        reference(&mut variables, b"a", "b");
        reference(&mut variables, b"b", "a");
        assert_eq!(resolve(&variables, Name::new(b"a")), Target::Circle);
    }
}
