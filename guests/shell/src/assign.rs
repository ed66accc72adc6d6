//! Assigning and unsetting variables, with all that attributes, namerefs and readonly variables imply.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::Assign;

use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Where in a variable a value goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The variable itself (element 0 of an array).
    Whole,
    /// An element of an indexed array (negative: from the end), already evaluated.
    Index(i64),
    /// An element of an associative array.
    Key(Text),
}

/// Runs an assignment of the script.
pub fn assign(shell: &mut Shell, assign: &Assign) -> Run {
    let _ = (shell, assign);
    todo!()
}

/// Sets a variable to a string, as `read` or `for` do: follows namerefs, applies attributes, refuses readonly ones (with
/// bash's message; then the result is `Ok(false)`).
pub fn set(shell: &mut Shell, name: Name, place: Place, value: Text, append: bool) -> Run<bool> {
    let _ = (shell, name, place, value, append);
    todo!()
}

/// Sets a variable by text that may have a subscript: `a`, `a[3]`, `m[key]`, as `read a[1]` and `printf -v` get it.
pub fn set_by_text(shell: &mut Shell, target: &[u8], value: Text) -> Run<bool> {
    let _ = (shell, target, value);
    todo!()
}

/// The value of a variable as a scalar, namerefs followed and dynamic ones computed.
pub fn get(shell: &mut Shell, name: Name) -> Option<Text> {
    let _ = (shell, name);
    todo!()
}

/// The same by its name's bytes.
pub fn get_named(shell: &mut Shell, name: &str) -> Option<Text> {
    get(shell, Name::new(name.as_bytes()))
}
