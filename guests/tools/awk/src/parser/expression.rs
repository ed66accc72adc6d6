//! Expressions, from the loosest operator to the tightest.

use std::rc::Rc;

use super::{Parser, Result};
use crate::lexer::{Mistake, Token};
use crate::regex::Re;
use crate::text::Str;
use crate::tree::{ArrayRef, Compare, Expr, Op, Place, Source, Var};

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.deeper()?;
        let condition = self.or()?;
        if !self.is("?") {
            self.depth -= 1;
            return Ok(condition);
        }
        self.advance()?;
        self.newlines()?;
        let yes = self.expression()?;
        self.newlines()?;
        self.expect(":")?;
        self.newlines()?;
        let no = self.expression()?;
        self.depth -= 1;
        Ok(Expr::Choose(
            Box::new(condition),
            Box::new(yes),
            Box::new(no),
        ))
    }

    fn or(&mut self) -> Result<Expr> {
        let mut left = self.and()?;
        while self.accept("||")? {
            self.newlines()?;
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr> {
        let mut left = self.membership()?;
        while self.accept("&&")? {
            self.newlines()?;
            left = Expr::And(Box::new(left), Box::new(self.membership()?));
        }
        Ok(left)
    }

    fn membership(&mut self) -> Result<Expr> {
        let mut left = self.matching()?;
        while !self.no_in && self.is_word("in") {
            self.advance()?;
            let array = self.array_name()?;
            let keys = match left {
                Expr::Group(keys) => {
                    self.groups -= 1;
                    keys
                }
                key => vec![key],
            };
            left = Expr::In(keys, array);
        }
        Ok(left)
    }

    fn array_name(&mut self) -> Result<ArrayRef> {
        let Token::Name(name) = self.token.clone() else {
            return Err(self.syntax_error());
        };
        let var = self.variable(&name)?;
        self.uses_array(var);
        self.advance()?;
        let mut array = ArrayRef::Var(var);
        while self.is("[") {
            array = ArrayRef::Element(Box::new(array), self.subscript()?);
        }
        Ok(array)
    }

    fn matching(&mut self) -> Result<Expr> {
        let mut left = self.comparison()?;
        while let Token::Sign(sign @ ("~" | "!~")) = self.token {
            self.advance()?;
            let right = self.comparison()?;
            left = Expr::Match(sign == "!~", Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expr> {
        let left = self.concatenation()?;
        let Some(compare) = self.comparing() else {
            return Ok(left);
        };
        self.advance()?;
        let right = self.concatenation()?;
        if self.comparing().is_some() {
            return Err(self.syntax_error());
        }
        Ok(Expr::Compare(compare, Box::new(left), Box::new(right)))
    }

    fn comparing(&self) -> Option<Compare> {
        let Token::Sign(sign) = self.token else {
            return None;
        };
        Some(match sign {
            "<" => Compare::Less,
            "<=" => Compare::LessEqual,
            "==" => Compare::Equal,
            "!=" => Compare::NotEqual,
            ">=" => Compare::GreaterEqual,
            ">" if !self.no_greater => Compare::Greater,
            _ => return None,
        })
    }

    /// Operands beside each other, and commands in front of `| getline`.
    pub(super) fn concatenation(&mut self) -> Result<Expr> {
        self.assignable = self.start;
        let first = self.additive()?;
        let mut parts = vec![first];
        loop {
            if self.starts_operand() {
                parts.push(self.additive()?);
                continue;
            }
            let Token::Sign(sign @ ("|" | "|&")) = self.token else {
                break;
            };
            let (back, start) = (self.lexer.position(), self.start);
            self.advance()?;
            if !self.is_word("getline") {
                self.lexer.seek(back);
                self.token = Token::Sign(sign);
                self.start = start;
                break;
            }
            self.advance()?;
            let command = Box::new(joined(std::mem::take(&mut parts)));
            let place = self.optional_place()?;
            let source = match sign {
                "|" => Source::Command(command),
                _ => Source::Both(command),
            };
            parts.push(Expr::Getline(source, place));
        }
        Ok(joined(parts))
    }

    fn starts_operand(&self) -> bool {
        match &self.token {
            Token::Number(_)
            | Token::String(_)
            | Token::Name(_)
            | Token::FunctionName(_)
            | Token::Builtin(_) => true,
            Token::Sign(sign) => matches!(*sign, "$" | "!" | "(" | "++" | "--"),
            _ => false,
        }
    }

    fn additive(&mut self) -> Result<Expr> {
        let mut left = self.multiplicative()?;
        while let Token::Sign(sign @ ("+" | "-")) = self.token {
            self.advance()?;
            let right = self.multiplicative()?;
            let op = if sign == "+" { Op::Add } else { Op::Sub };
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn multiplicative(&mut self) -> Result<Expr> {
        let mut left = self.unary()?;
        while let Token::Sign(sign @ ("*" | "/" | "%")) = self.token {
            let at = self.start;
            self.advance()?;
            let right = self.unary()?;
            let op = match sign {
                "*" => Op::Mul,
                "/" => Op::Div,
                _ => Op::Mod,
            };
            if matches!((&left, &right), (Expr::Num(_), Expr::Num(0.0))) && op != Op::Mul {
                let place = if op == Op::Mod { " in `%'" } else { "" };
                return Err(Mistake::plain(
                    "error: ",
                    format!("division by zero attempted{place}"),
                    at,
                ));
            }
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// An operand with `!`, `-` and `+` in front.
    pub(super) fn unary(&mut self) -> Result<Expr> {
        self.deeper()?;
        let result = match self.token {
            Token::Sign("!") => {
                self.advance()?;
                Expr::Not(Box::new(self.unary()?))
            }
            Token::Sign("-") => {
                self.advance()?;
                match self.unary()? {
                    Expr::Num(number) if number != 0.0 => Expr::Num(-number),
                    operand => Expr::Minus(Box::new(operand)),
                }
            }
            Token::Sign("+") => {
                self.advance()?;
                Expr::Plus(Box::new(self.unary()?))
            }
            _ => self.power()?,
        };
        self.depth -= 1;
        Ok(result)
    }

    fn power(&mut self) -> Result<Expr> {
        let base = self.postfix()?;
        if !self.accept("^")? {
            return Ok(base);
        }
        // Right to left, and a sign may stand in front of the exponent.
        let exponent = self.unary()?;
        Ok(Expr::Binary(Op::Pow, Box::new(base), Box::new(exponent)))
    }

    /// An operand with `++` and `--` around it, or assigned to.
    fn postfix(&mut self) -> Result<Expr> {
        if let Token::Sign(sign @ ("++" | "--")) = self.token {
            self.advance()?;
            let at = self.start;
            let operand = self.primary()?;
            let Some(place) = place_of(operand) else {
                return Err(Mistake::caret("syntax error", at));
            };
            return Ok(Expr::Step(
                place,
                if sign == "++" { 1.0 } else { -1.0 },
                false,
            ));
        }
        // `x = 1` may be compared or matched, but not negated, added or joined: `!x = 1` is a
        // mistake.
        let assignable = self.start == self.assignable;
        let operand = self.primary()?;
        let Token::Sign(sign) = self.token else {
            return Ok(operand);
        };
        match sign {
            "++" | "--" => {
                let step = if sign == "++" { 1.0 } else { -1.0 };
                match place_of(operand.clone()) {
                    Some(place) => {
                        self.advance()?;
                        Ok(Expr::Step(place, step, true))
                    }
                    // `x = 1 ++y` joins 1 and ++y.
                    None => Ok(operand),
                }
            }
            "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=" => {
                let Some(place) = place_of(operand).filter(|_| assignable) else {
                    return Err(self.syntax_error());
                };
                self.advance()?;
                self.newlines()?;
                let value = self.expression()?;
                let op = match sign {
                    "=" => return Ok(assignment(place, value)),
                    "+=" => Op::Add,
                    "-=" => Op::Sub,
                    "*=" => Op::Mul,
                    "/=" => Op::Div,
                    "%=" => Op::Mod,
                    _ => Op::Pow,
                };
                Ok(Expr::Update(op, place, Box::new(value)))
            }
            _ => Ok(operand),
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.token.clone() {
            Token::Number(number) => {
                self.advance()?;
                Ok(Expr::Num(number))
            }
            Token::String(string) => {
                self.advance()?;
                Ok(Expr::Str(Str::from(string)))
            }
            Token::Sign("/" | "/=") => Ok(Expr::Regex(self.regex()?)),
            Token::Sign("@") => self.at_sign(),
            Token::Sign("(") => self.parenthesis(),
            Token::Sign("$") => self.field(),
            Token::Name(name) => self.named(&name),
            Token::FunctionName(name) => {
                let at = self.start;
                let index = self.function(&name);
                if self.locals.contains(&name) {
                    let message = format!(
                        "attempt to use non-function `{}' in function call",
                        String::from_utf8_lossy(&name)
                    );
                    return Err(Mistake::plain("fatal: ", message, at));
                }
                self.advance()?;
                let arguments = self.arguments()?;
                self.pass(index, &arguments);
                Ok(Expr::Call(index, arguments))
            }
            Token::Builtin(name) => self.builtin(name),
            Token::Word("getline") => {
                self.advance()?;
                let place = self.optional_place()?;
                if self.is("<") {
                    self.advance()?;
                    let file = self.file_operand()?;
                    return Ok(Expr::Getline(Source::File(Box::new(file)), place));
                }
                Ok(Expr::Getline(Source::Main, place))
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// What follows `getline <`: an operand, so that `getline < "a" "b"` joins afterwards.
    fn file_operand(&mut self) -> Result<Expr> {
        let operand = self.primary()?;
        Ok(operand)
    }

    fn regex(&mut self) -> Result<Rc<Re>> {
        let at = self.start;
        self.lexer.seek(at + 1);
        let pattern = self.lexer.regex()?;
        let regex = Re::new(&pattern);
        if let Err(message) = regex.check() {
            let shown = String::from_utf8_lossy(&pattern).into_owned();
            return Err(Mistake::plain(
                "error: ",
                format!("{message}: /{shown}/"),
                at,
            ));
        }
        self.advance()?;
        Ok(Rc::new(regex))
    }

    /// `@/re/` or `@f(x)`.
    fn at_sign(&mut self) -> Result<Expr> {
        self.advance()?;
        match self.token.clone() {
            Token::Sign("/" | "/=") => Ok(Expr::TypedRegex(self.regex()?)),
            Token::FunctionName(name) => {
                let var = self.variable(&name)?;
                self.advance()?;
                Ok(Expr::Indirect(var, self.arguments()?))
            }
            _ => Err(self.syntax_error()),
        }
    }

    fn parenthesis(&mut self) -> Result<Expr> {
        self.deeper()?;
        self.advance()?;
        let greater = std::mem::replace(&mut self.no_greater, false);
        let in_head = std::mem::replace(&mut self.no_in, false);
        let first = self.expression()?;
        let result = if self.is(",") {
            let mut all = vec![first];
            while self.accept(",")? {
                self.newlines()?;
                all.push(self.expression()?);
            }
            self.groups += 1;
            Expr::Group(all)
        } else {
            // Parentheses keep a concatenation or a comparison from joining what is around.
            first
        };
        self.no_greater = greater;
        self.no_in = in_head;
        self.expect(")")?;
        self.depth -= 1;
        Ok(match result {
            Expr::Var(_) | Expr::FieldAt(_) | Expr::Field(_) | Expr::Element(..) => {
                Expr::Plain(Box::new(result))
            }
            other => other,
        })
    }

    /// `$` and its operand.
    fn field(&mut self) -> Result<Expr> {
        self.deeper()?;
        self.advance()?;
        let operand = match self.token {
            Token::Sign(sign @ ("++" | "--")) => {
                self.advance()?;
                let at = self.start;
                let Some(place) = place_of(self.primary()?) else {
                    return Err(Mistake::caret("syntax error", at));
                };
                Expr::Step(place, if sign == "++" { 1.0 } else { -1.0 }, false)
            }
            Token::Sign("-") => {
                self.advance()?;
                Expr::Minus(Box::new(self.primary()?))
            }
            Token::Sign("+") => {
                self.advance()?;
                Expr::Plus(Box::new(self.primary()?))
            }
            Token::Sign("!") => {
                self.advance()?;
                Expr::Not(Box::new(self.primary()?))
            }
            _ => self.primary()?,
        };
        self.depth -= 1;
        Ok(match operand {
            Expr::Num(number) if (0.0..1e6).contains(&number) => Expr::FieldAt(number as usize),
            operand => Expr::Field(Box::new(operand)),
        })
    }

    /// A variable, or an element.
    fn named(&mut self, name: &[u8]) -> Result<Expr> {
        let var = self.variable(name)?;
        self.advance()?;
        if !self.is("[") {
            return Ok(Expr::Var(var));
        }
        self.uses_array(var);
        let mut array = ArrayRef::Var(var);
        loop {
            let subscript = self.subscript()?;
            if !self.is("[") {
                return Ok(Expr::Element(array, subscript));
            }
            array = ArrayRef::Element(Box::new(array), subscript);
        }
    }

    /// `[ … ]`
    pub(super) fn subscript(&mut self) -> Result<Vec<Expr>> {
        self.expect("[")?;
        let all = self.list("]")?;
        match all.is_empty() {
            true => Err(self.syntax_error()),
            false => Ok(all),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>> {
        self.expect("(")?;
        self.list(")")
    }

    /// Expressions with commas between, up to and with `end`.
    fn list(&mut self, end: &str) -> Result<Vec<Expr>> {
        self.list_until(end, &mut 0)
    }

    /// A list of expressions up to `end`; `at` becomes the place of `end`.
    fn list_until(&mut self, end: &str, at: &mut usize) -> Result<Vec<Expr>> {
        self.deeper()?;
        let greater = std::mem::replace(&mut self.no_greater, false);
        let in_head = std::mem::replace(&mut self.no_in, false);
        let mut all = Vec::new();
        if !self.is(end) {
            loop {
                all.push(self.expression()?);
                if !self.accept(",")? {
                    break;
                }
                self.newlines()?;
            }
        }
        self.no_greater = greater;
        self.no_in = in_head;
        self.depth -= 1;
        *at = self.start;
        self.expect(end)?;
        Ok(all)
    }

    fn optional_place(&mut self) -> Result<Option<Place>> {
        if !matches!(self.token, Token::Name(_) | Token::Sign("$")) {
            return Ok(None);
        }
        let operand = self.primary()?;
        Ok(place_of(operand))
    }

    fn builtin(&mut self, name: &'static str) -> Result<Expr> {
        let mut at = self.start;
        self.advance()?;
        if name == "length" && !self.is("(") {
            return Ok(Expr::Builtin(name, Vec::new()));
        }
        self.expect("(")?;
        let arguments = self.list_until(")", &mut at)?;
        let (least, most) = match name {
            "rand" | "systime" => (0, 0),
            "length" | "srand" | "fflush" => (0, 1),
            "and" | "or" | "xor" => (2, usize::MAX),
            "asort" | "asorti" => (1, 3),
            "atan2" | "index" | "lshift" | "rshift" => (2, 2),
            "close" | "mktime" => (1, 2),
            "gensub" => (3, 4),
            "sub" | "gsub" | "match" | "substr" => (2, 3),
            "split" | "patsplit" => (2, 4),
            "sprintf" => (1, usize::MAX),
            "strftime" => (0, 3),
            "bindtextdomain" | "dcgettext" | "dcngettext" => {
                return Err(Mistake::plain(
                    "fatal: ",
                    format!("`{name}' is not supported"),
                    at,
                ));
            }
            _ => (1, 1),
        };
        if arguments.len() < least || arguments.len() > most {
            let count = arguments.len();
            let message = format!("{count} is invalid as number of arguments for {name}");
            return Err(Mistake::caret(message, at));
        }
        self.array_arguments(name, &arguments);
        if matches!(name, "sub" | "gsub") {
            let Some(target) = arguments.get(2) else {
                return Ok(Expr::Builtin(name, arguments));
            };
            let inner = match target {
                Expr::Plain(inner) => inner,
                other => other,
            };
            // What is done to a string constant is thrown away.
            if place_of(inner.clone()).is_none() && !matches!(inner, Expr::Str(_)) {
                let message = format!("{name} third parameter is not a changeable object");
                return Err(Mistake::caret(message, at));
            }
        }
        Ok(Expr::Builtin(name, arguments))
    }

    /// Notes which arguments of a built-in function are arrays.
    fn array_arguments(&mut self, name: &str, arguments: &[Expr]) {
        let positions: &[usize] = match name {
            "asort" | "asorti" => &[0, 1],
            "split" | "patsplit" => &[1, 3],
            "match" => &[2],
            _ => &[],
        };
        for position in positions {
            if let Some(Expr::Var(var @ Var::Local(_))) = arguments.get(*position) {
                self.uses_array(*var);
            }
        }
    }
}

/// Where an operand's value is stored, if it is stored.
pub fn place_of(operand: Expr) -> Option<Place> {
    match operand {
        Expr::Var(var) => Some(Place::Var(var)),
        Expr::FieldAt(number) => Some(Place::Field(Box::new(Expr::Num(number as f64)))),
        Expr::Field(number) => Some(Place::Field(number)),
        Expr::Element(array, subscript) => Some(Place::Element(array, subscript)),
        Expr::Plain(operand) => place_of(*operand),
        _ => None,
    }
}

/// `x = y`, or `x = x y` as an append.
fn assignment(place: Place, value: Expr) -> Expr {
    if let (Place::Var(var), Expr::Concat(parts)) = (&place, &value)
        && let Some(Expr::Var(first)) = parts.first()
        && first == var
        && !parts[1..].iter().any(|part| !is_pure(part))
    {
        let rest = joined(parts[1..].to_vec());
        return Expr::Append(*var, Box::new(rest));
    }
    Expr::Assign(place, Box::new(value))
}

/// Whether an expression changes no variable, so that the order around it does not matter.
fn is_pure(expr: &Expr) -> bool {
    match expr {
        Expr::Num(_) | Expr::Str(_) | Expr::Var(_) | Expr::FieldAt(_) | Expr::Regex(_) => true,
        Expr::Field(inner)
        | Expr::Plain(inner)
        | Expr::Minus(inner)
        | Expr::Plus(inner)
        | Expr::Not(inner) => is_pure(inner),
        Expr::Element(ArrayRef::Var(_), keys) => keys.iter().all(is_pure),
        Expr::Binary(_, left, right) | Expr::Compare(_, left, right) => {
            is_pure(left) && is_pure(right)
        }
        Expr::Concat(parts) => parts.iter().all(is_pure),
        Expr::Choose(a, b, c) => is_pure(a) && is_pure(b) && is_pure(c),
        Expr::Builtin(
            "substr" | "sprintf" | "toupper" | "tolower" | "length" | "index" | "int",
            arguments,
        ) => arguments.iter().all(is_pure),
        _ => false,
    }
}

fn joined(mut parts: Vec<Expr>) -> Expr {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    // Concatenations of concatenations are one, evaluated from left to right.
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Expr::Concat(inner) if flat.is_empty() => flat.extend(inner),
            other => flat.push(other),
        }
    }
    Expr::Concat(flat)
}
