//! Messages about arithmetic, with the part of the text that bash calls the error token.

use codepod_shell_syntax::tree::{ArithOp, Expr};

use super::Problem;
use crate::flow::Stop;
use crate::shell::Shell;

/// Reports `TEXT: MESSAGE (error token is "TOKEN")` and discards the command.
#[cold]
#[inline(never)]
pub(super) fn report(shell: &mut Shell, text: &[u8], message: &str, token: &[u8]) -> Stop {
    let mut line = Vec::new();
    if !shell.about.is_empty() {
        line.extend_from_slice(&shell.about);
        line.extend_from_slice(b": ");
    } else if !shell.running.is_empty() {
        line.extend_from_slice(shell.running.as_bytes());
        line.extend_from_slice(b": ");
    }
    line.extend_from_slice(text.trim_ascii_start());
    line.extend_from_slice(b": ");
    line.extend_from_slice(message.as_bytes());
    line.extend_from_slice(b" (error token is \"");
    line.extend_from_slice(token);
    line.extend_from_slice(b"\")");
    shell.error(line);
    shell.state.status = 1;
    Stop::Discard
}

/// Reports a problem at an operator of an expression with this text.
#[cold]
#[inline(never)]
pub(super) fn report_problem(
    shell: &mut Shell,
    text: &[u8],
    root: &Expr,
    problem: Problem,
) -> Stop {
    let (message, at) = match problem {
        Problem::Zero(expr) => (
            "division by 0",
            after_operator(text, root, expr, is_division),
        ),
        Problem::Exponent(expr) => {
            let operand = after_operator(text, root, expr, |op| op == ArithOp::Power);
            ("exponent less than 0", after_operand(text, operand))
        }
    };
    let token = text[at..].trim_ascii_start().to_vec();
    report(shell, text, message, &token)
}

fn is_division(op: ArithOp) -> bool {
    matches!(op, ArithOp::Divide | ArithOp::Remainder)
}

/// Where the text goes on behind the operator of `wanted`: operators of its kind stand in the text
/// in the order in which they stand in the tree.
fn after_operator(
    text: &[u8],
    root: &Expr,
    wanted: *const Expr,
    kind: fn(ArithOp) -> bool,
) -> usize {
    let mut before = 0;
    count(root, wanted, kind, &mut before);
    let mut scan = Scan { text, at: 0 };
    while let Some(token) = scan.token() {
        let op = match token {
            b"/" | b"/=" => Some(ArithOp::Divide),
            b"%" | b"%=" => Some(ArithOp::Remainder),
            b"**" => Some(ArithOp::Power),
            _ => None,
        };
        if op.is_some_and(kind) {
            if before == 0 {
                return scan.at;
            }
            before -= 1;
        }
    }
    0
}

/// Counts operators of a kind that stand before `wanted`; says whether that was found.
fn count(expr: &Expr, wanted: *const Expr, kind: fn(ArithOp) -> bool, before: &mut usize) -> bool {
    let mut operator = |op: ArithOp| {
        if std::ptr::eq(expr, wanted) {
            return true;
        }
        *before += usize::from(kind(op));
        false
    };
    match expr {
        Expr::Number(_) | Expr::Variable(_) | Expr::Dollar(_) | Expr::Step { .. } => false,
        Expr::Unary(_, operand) => count(operand, wanted, kind, before),
        Expr::Assign(_, op, value) => {
            op.is_some_and(&mut operator) || count(value, wanted, kind, before)
        }
        Expr::Binary(op, left, right) => {
            if count(left, wanted, kind, before) {
                return true;
            }
            if std::ptr::eq(expr, wanted) {
                return true;
            }
            *before += usize::from(kind(*op));
            count(right, wanted, kind, before)
        }
        Expr::Logic(_, left, right) | Expr::Comma(left, right) => {
            count(left, wanted, kind, before) || count(right, wanted, kind, before)
        }
        Expr::Ternary(a, b, c) => {
            count(a, wanted, kind, before)
                || count(b, wanted, kind, before)
                || count(c, wanted, kind, before)
        }
    }
}

/// The last token that bash has read when it has read the operand that starts at `at`: the one
/// behind it, or its own last one.
fn after_operand(text: &[u8], at: usize) -> usize {
    let mut scan = Scan { text, at };
    let mut last = at;
    loop {
        // Signs, then an operand, then perhaps another power.
        let start = loop {
            let Some(token) = scan.token() else {
                return last;
            };
            last = scan.at - token.len();
            if !matches!(token, b"+" | b"-" | b"!" | b"~" | b"++" | b"--") {
                break token;
            }
        };
        if start == b"(" {
            let mut depth = 1;
            while depth > 0 {
                let Some(token) = scan.token() else {
                    return last;
                };
                last = scan.at - token.len();
                match token {
                    b"(" => depth += 1,
                    b")" => depth -= 1,
                    _ => {}
                }
            }
        }
        let mut next = scan.token();
        if matches!(next, Some(b"++" | b"--")) {
            next = scan.token();
        }
        match next {
            Some(b"**") => {}
            Some(token) => return scan.at - token.len(),
            None => return last,
        }
    }
}

/// Tokens of arithmetic, as far as their ends matter. A subscript belongs to its name.
struct Scan<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Scan<'t> {
    fn token(&mut self) -> Option<&'t [u8]> {
        while self.text.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        let start = self.at;
        let is_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'@');
        if is_word(&self.text[start]) {
            while self.text.get(self.at).is_some_and(is_word) {
                self.at += 1;
            }
            if self.text.get(self.at) == Some(&b'[') {
                self.subscript();
            }
            return Some(&self.text[start..self.at]);
        }
        let rest = &self.text[start..];
        let length = if [&b"<<="[..], b">>="].iter().any(|op| rest.starts_with(op)) {
            3
        } else if [
            "**", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=",
            "+=", "-=", "&=", "^=", "|=",
        ]
        .iter()
        .any(|op| rest.starts_with(op.as_bytes()))
        {
            2
        } else {
            1
        };
        self.at += length;
        Some(&rest[..length])
    }

    fn subscript(&mut self) {
        let mut depth = 0;
        while let Some(byte) = self.text.get(self.at) {
            self.at += 1;
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }
}
