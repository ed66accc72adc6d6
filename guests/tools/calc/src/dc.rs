//! dc: a calculator in reverse Polish notation.

mod source;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::Read as _;

use codepod_tool::{Arguments, Found, Opt, Options, Output, complain, flag, io_text, value};
use num_bigint::{BigInt, Sign};

use crate::number::Number;
use source::Source;

/// How deep macros may call each other, not counting last calls.
const DEPTH: usize = 2000;

#[derive(Debug, Clone, Copy)]
enum Key {
    Expression,
    File,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Expression, b'e', "expression"),
    value(Key::File, b'f', "file"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

const HELP: &str = "\
Usage: dc [OPTION] [file ...]
  -e, --expression=EXPR    evaluate expression
  -f, --file=FILE          evaluate contents of file
  -h, --help               display this help and exit
  -V, --version            output version information and exit
";

/// What is on the stack.
#[derive(Debug, Clone)]
enum Value {
    Number(Number),
    Text(Vec<u8>),
}

/// A register: a stack of values, each with an array.
type Register = Vec<(Option<Value>, HashMap<i64, Value>)>;

/// How a text ended.
enum End {
    Normal,
    /// `q` or `Q`: how many levels are left, this one included.
    Leave(i64),
}

/// What follows a command.
enum Next {
    /// The next command of the text.
    Command,
    /// A macro.
    Call(Vec<u8>),
    /// Nothing: the command's own text ended too early.
    Stop,
    /// `q` or `Q`, as in [`End::Leave`].
    Leave(i64),
}

struct Machine {
    name: String,
    out: Output,
    stack: Vec<Value>,
    registers: HashMap<u8, Register>,
    scale: usize,
    ibase: u32,
    obase: BigInt,
}

/// dc as a tool.
pub fn main(name: &str, arguments: Arguments) -> i32 {
    let mut machine = Machine {
        name: name.to_owned(),
        out: Output::new(),
        stack: Vec::new(),
        registers: HashMap::new(),
        scale: 0,
        ibase: 10,
        obase: BigInt::from(10),
    };
    let mut options = Options::new(TABLE, arguments);
    let mut ran = false;
    loop {
        let text = match options.next() {
            Ok(Some(Found::Option(Key::Expression, text))) => text.unwrap_or_default(),
            Ok(Some(Found::Option(Key::File, file))) => {
                match machine.file(&file.unwrap_or_default()) {
                    Some(text) => text,
                    None => {
                        ran = true;
                        continue;
                    }
                }
            }
            Ok(Some(Found::Operand(file))) => match machine.file(&file) {
                Some(text) => text,
                None => {
                    ran = true;
                    continue;
                }
            },
            Ok(Some(Found::Option(Key::Help, _))) => return print(HELP),
            Ok(Some(Found::Option(Key::Version, _))) => {
                return print("dc (codepod) 0.1.0, with the language of GNU dc 1.4.1\n");
            }
            Ok(None) => break,
            Err(usage) => {
                complain(name, &usage.message);
                let _ = std::io::Write::write_all(&mut std::io::stderr(), HELP.as_bytes());
                return 1;
            }
        };
        ran = true;
        if let End::Leave(_) = machine.run(&text, 0) {
            return machine.finish();
        }
    }
    if !ran {
        let mut text = Vec::new();
        if let Err(error) = std::io::stdin().read_to_end(&mut text) {
            complain(name, io_text(&error));
            return 1;
        }
        machine.run(&text, 0);
    }
    machine.finish()
}

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    i32::from(out.finish().is_err())
}

/// A line of standard input, without its newline.
fn input_line() -> Vec<u8> {
    let mut line = Vec::new();
    let mut one = [0u8];
    while let Ok(1) = std::io::stdin().read(&mut one) {
        if one[0] == b'\n' {
            break;
        }
        line.push(one[0]);
    }
    line
}

impl Machine {
    fn finish(&mut self) -> i32 {
        i32::from(self.out.finish().is_err())
    }

    fn file(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        if path == b"-" {
            let mut text = Vec::new();
            let _ = std::io::stdin().read_to_end(&mut text);
            return Some(text);
        }
        match std::fs::read(codepod_tool::path(path)) {
            Ok(text) => Some(text),
            Err(_) => {
                self.out.write_out();
                let shown = String::from_utf8_lossy(path).into_owned();
                complain(&self.name, format!("Could not open file {shown}"));
                None
            }
        }
    }

    fn complain(&mut self, message: &str) {
        self.out.write_out();
        complain(&self.name.clone(), message);
    }

    fn pop(&mut self) -> Option<Value> {
        let value = self.stack.pop();
        if value.is_none() {
            self.complain("stack empty");
        }
        value
    }

    /// The number on top; what is none stays and is told.
    fn pop_number(&mut self) -> Option<Number> {
        match self.pop()? {
            Value::Number(number) => Some(number),
            text => {
                self.stack.push(text);
                self.complain("non-numeric value");
                None
            }
        }
    }

    fn push(&mut self, number: Number) {
        self.stack.push(Value::Number(number));
    }

    fn text_of(&self, number: &Number) -> Vec<u8> {
        let text = number.text(&self.obase, false);
        // Lines are broken as bc breaks them.
        let length = match std::env::var("DC_LINE_LENGTH")
            .ok()
            .and_then(|text| text.parse::<usize>().ok())
        {
            Some(0 | 1) => usize::MAX,
            Some(length) => length,
            None => 70,
        };
        let mut out = Vec::new();
        let mut column = 0;
        for byte in text.bytes() {
            column += 1;
            if column >= length {
                out.extend_from_slice(b"\\\n");
                column = 1;
            }
            out.push(byte);
        }
        out
    }

    fn show(&mut self, value: &Value) {
        let text = match value {
            Value::Number(number) => self.text_of(number),
            Value::Text(text) => text.clone(),
        };
        self.out.put(&text);
    }

    /// Two numbers; put back where there are not two.
    fn two(&mut self) -> Option<(Number, Number)> {
        if self.stack.len() < 2 {
            self.complain("stack empty");
            return None;
        }
        let both = (self.stack.len() - 2, self.stack.len() - 1);
        match (&self.stack[both.0], &self.stack[both.1]) {
            (Value::Number(left), Value::Number(right)) => {
                let pair = (left.clone(), right.clone());
                self.stack.truncate(both.0);
                Some(pair)
            }
            _ => {
                self.complain("non-numeric value");
                None
            }
        }
    }

    fn arithmetic(&mut self, operator: u8) {
        let Some((left, right)) = self.two() else {
            return;
        };
        let scale = self.scale;
        let zero = right.is_zero();
        let result = match operator {
            b'+' => Some(left.plus(&right)),
            b'-' => Some(left.minus(&right)),
            b'*' => Some(left.times(&right, scale)),
            b'/' => left.divided(&right, scale),
            b'%' => left.rest(&right, scale),
            b'~' => {
                if !zero
                    && let (Some(quotient), Some(rest)) =
                        (left.divided(&right, scale), left.rest(&right, scale))
                {
                    self.push(quotient);
                    self.push(rest);
                    return;
                }
                None
            }
            _ => {
                if right.scale() > 0 {
                    self.complain("warning: non-zero scale in exponent");
                }
                left.power(&right, scale)
            }
        };
        match result {
            Some(result) => self.push(result),
            None => {
                let message = match operator {
                    b'%' => "remainder by zero",
                    _ => "divide by zero",
                };
                self.push(left);
                self.push(right);
                self.complain(message);
            }
        }
    }

    fn register(&mut self, name: u8) -> &mut (Option<Value>, HashMap<i64, Value>) {
        let register = self.registers.entry(name).or_default();
        if register.is_empty() {
            register.push((None, HashMap::new()));
        }
        let last = register.len() - 1;
        &mut register[last]
    }

    /// Runs a text.
    fn run(&mut self, text: &[u8], depth: usize) -> End {
        if depth > DEPTH {
            self.complain("macros call each other too deeply");
            return End::Normal;
        }
        let mut source = Source::new(text.to_vec());
        while let Some(command) = source.byte() {
            match self.command(command, &mut source) {
                Next::Command => {}
                // The last call of a text takes its place.
                Next::Call(body) if depth > 0 && source.is_done() => source = Source::new(body),
                Next::Call(body) => {
                    if let End::Leave(levels @ 1..) = self.run(&body, depth + 1) {
                        return End::Leave(levels - 1);
                    }
                }
                Next::Stop => break,
                Next::Leave(levels) => return End::Leave(levels),
            }
        }
        End::Normal
    }

    /// Carries out a command, which may have more of itself in the source.
    fn command(&mut self, command: u8, source: &mut Source) -> Next {
        match command {
            b' ' | b'\t' | b'\n' | b'\r' | 11 | 12 => {}
            b'#' => source.skip_line(),
            b'0'..=b'9' | b'A'..=b'F' | b'.' => {
                let number = Number::parse(source.digits(false), self.ibase);
                self.push(number);
            }
            b'_' => {
                let number = Number::parse(source.digits(true), self.ibase);
                self.push(number.negated());
            }
            b'[' => self.stack.push(Value::Text(source.bracketed())),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'~' => self.arithmetic(command),
            b'|' => self.modular(),
            b'v' => self.root(),
            b'p' | b'n' | b'P' | b'f' => self.print(command),
            b'c' | b'd' | b'r' | b'R' => self.arrange(command),
            b'k' | b'i' | b'o' => self.set_base(command),
            b'K' => self.push(Number::integer(self.scale as i64)),
            b'I' => self.push(Number::integer(self.ibase.into())),
            b'O' => self.push(Number::from_integer(self.obase.clone())),
            b'z' => self.push(Number::integer(self.stack.len() as i64)),
            b'Z' | b'X' | b'a' => self.convert(command),
            b's' | b'l' | b'S' | b'L' | b':' | b';' => match source.byte() {
                Some(name) => self.registers(command, name),
                None => {
                    self.complain("unexpected end of input");
                    return Next::Stop;
                }
            },
            b'x' => {
                if let Some(value) = self.pop() {
                    return self.execute(value);
                }
            }
            b'<' | b'>' | b'=' => return self.call_if(command, true, source),
            b'!' => match source.one_of(b"<>=") {
                Some(operator) => return self.call_if(operator, false, source),
                None => {
                    source.skip_line();
                    self.complain("commands of the system are not supported");
                }
            },
            b'?' => return Next::Call(input_line()),
            b'q' => return Next::Leave(1),
            b'Q' => return self.leave(),
            other => self.unimplemented(other),
        }
        Next::Command
    }

    /// `v`
    fn root(&mut self) {
        let Some(number) = self.pop_number() else {
            return;
        };
        match number.root(self.scale) {
            Some(root) => self.push(root),
            None => {
                self.push(number);
                self.complain("square root of negative number");
            }
        }
    }

    /// `p`, `n`, `P` and `f`
    fn print(&mut self, command: u8) {
        match command {
            b'p' => match self.stack.last().cloned() {
                Some(value) => {
                    self.show(&value);
                    self.out.put_byte(b'\n');
                }
                None => self.complain("stack empty"),
            },
            b'n' => {
                if let Some(value) = self.pop() {
                    self.show(&value);
                }
            }
            b'P' => match self.pop() {
                Some(Value::Text(text)) => self.out.put(&text),
                Some(Value::Number(number)) => {
                    let (sign, bytes) = number.to_integer().to_bytes_be();
                    if sign != Sign::NoSign {
                        self.out.put(&bytes);
                    }
                }
                None => {}
            },
            _ => {
                for value in self.stack.clone().iter().rev() {
                    self.show(value);
                    self.out.put_byte(b'\n');
                }
            }
        }
    }

    /// `c`, `d`, `r` and `R`: what is where on the stack.
    fn arrange(&mut self, command: u8) {
        let length = self.stack.len();
        match command {
            b'c' => self.stack.clear(),
            b'd' => match self.stack.last().cloned() {
                Some(value) => self.stack.push(value),
                None => self.complain("stack empty"),
            },
            b'r' if length < 2 => self.complain("stack empty"),
            b'r' => self.stack.swap(length - 1, length - 2),
            _ => self.rotate(),
        }
    }

    /// `Z`, `X` and `a`: the top's length, its scale, its first character.
    fn convert(&mut self, command: u8) {
        let Some(value) = self.pop() else {
            return;
        };
        let result = match (command, value) {
            (b'Z', Value::Number(number)) => Value::Number(Number::integer(number.length() as i64)),
            (b'Z', Value::Text(text)) => Value::Number(Number::integer(text.len() as i64)),
            (b'X', Value::Number(number)) => Value::Number(Number::integer(number.scale() as i64)),
            (b'X', Value::Text(_)) => Value::Number(Number::zero()),
            (_, Value::Number(number)) => {
                let (_, bytes) = number.to_integer().to_bytes_le();
                Value::Text(vec![bytes[0]])
            }
            (_, Value::Text(text)) => Value::Text(text.into_iter().take(1).collect()),
        };
        self.stack.push(result);
    }

    /// Runs a text; a number only goes onto the stack.
    fn execute(&mut self, value: Value) -> Next {
        match value {
            Value::Text(text) => Next::Call(text),
            number => {
                self.stack.push(number);
                Next::Command
            }
        }
    }

    /// `<r`, `>r` and `=r`: runs the register when the comparison is as wanted.
    fn call_if(&mut self, operator: u8, wanted: bool, source: &mut Source) -> Next {
        let Some(name) = source.byte() else {
            return Next::Stop;
        };
        let Some((left, right)) = self.two() else {
            return Next::Command;
        };
        // The top is compared with what is below.
        let order = right.compare(&left);
        let holds = match operator {
            b'<' => order == Ordering::Less,
            b'>' => order == Ordering::Greater,
            _ => order == Ordering::Equal,
        };
        if holds != wanted {
            return Next::Command;
        }
        match self.register(name).0.clone() {
            Some(value) => self.execute(value),
            None => {
                self.empty_register(name);
                Next::Command
            }
        }
    }

    /// `Q`
    fn leave(&mut self) -> Next {
        let Some(number) = self.pop_number() else {
            return Next::Command;
        };
        match number.to_i64().unwrap_or(i64::MAX) {
            levels @ 1.. => Next::Leave(levels - 1),
            _ => {
                self.complain("Q command requires a number >= 1");
                Next::Command
            }
        }
    }

    fn unimplemented(&mut self, command: u8) {
        let shown = match command {
            b'!'..=b'~' => {
                format!("'{}' ({:#04o})", char::from(command), command).replace("0o", "0")
            }
            0 => "0".to_owned(),
            other => format!("0{other:o}"),
        };
        // GNU's writes its name to standard error and the rest to standard output.
        self.out.write_out();
        let start = format!("{}: ", self.name);
        let _ = std::io::Write::write_all(&mut std::io::stderr(), start.as_bytes());
        self.out.put(format!("{shown} unimplemented\n").as_bytes());
    }

    fn empty_register(&mut self, name: u8) {
        let shown =
            format!("register '{}' ({:#04o}) is empty", char::from(name), name).replace("0o", "0");
        self.complain(&shown);
    }

    fn registers(&mut self, command: u8, name: u8) {
        match command {
            b's' => {
                if let Some(value) = self.pop() {
                    self.register(name).0 = Some(value);
                }
            }
            b'l' => match self.register(name).0.clone() {
                Some(value) => self.stack.push(value),
                None => self.empty_register(name),
            },
            b'S' => {
                if let Some(value) = self.pop() {
                    self.registers
                        .entry(name)
                        .or_default()
                        .push((Some(value), HashMap::new()));
                }
            }
            b'L' => {
                let popped = self.registers.entry(name).or_default().pop();
                match popped {
                    Some((Some(value), _)) => self.stack.push(value),
                    _ => {
                        let shown = format!(
                            "stack register '{}' ({:#04o}) is empty",
                            char::from(name),
                            name
                        )
                        .replace("0o", "0");
                        self.complain(&shown);
                    }
                }
            }
            b':' => {
                let Some(index) = self.pop_number() else {
                    return;
                };
                let Some(value) = self.pop() else {
                    return;
                };
                match index.to_i64().filter(|index| *index >= 0) {
                    Some(index) => {
                        self.register(name).1.insert(index, value);
                    }
                    None => self.complain("array index must be a nonnegative integer"),
                }
            }
            _ => {
                let Some(index) = self.pop_number() else {
                    return;
                };
                match index.to_i64().filter(|index| *index >= 0) {
                    Some(index) => {
                        let value = self.register(name).1.get(&index).cloned();
                        self.stack
                            .push(value.unwrap_or_else(|| Value::Number(Number::zero())));
                    }
                    None => self.complain("array index must be a nonnegative integer"),
                }
            }
        }
    }

    fn set_base(&mut self, command: u8) {
        let Some(number) = self.pop_number() else {
            return;
        };
        let wanted = number.to_i64();
        match command {
            b'k' => match wanted {
                Some(scale @ 0..=1_048_576) => self.scale = scale as usize,
                _ => self.complain("scale must be a nonnegative integer"),
            },
            b'i' => match wanted {
                Some(base @ 2..=16) => self.ibase = base as u32,
                _ => self.complain("input base must be a number between 2 and 16 (inclusive)"),
            },
            _ => match wanted {
                Some(base) if base > 1 => self.obase = BigInt::from(base),
                _ => self.complain("output base must be a number greater than 1"),
            },
        }
    }

    fn rotate(&mut self) {
        let Some(number) = self.pop_number() else {
            return;
        };
        let count = number.to_i64().unwrap_or(0);
        let span = usize::try_from(count.unsigned_abs())
            .unwrap_or(usize::MAX)
            .min(self.stack.len());
        if span < 2 {
            return;
        }
        let start = self.stack.len() - span;
        match count > 0 {
            true => self.stack[start..].rotate_left(1),
            false => self.stack[start..].rotate_right(1),
        }
    }

    /// `|`: a power, modulo.
    fn modular(&mut self) {
        if self.stack.len() < 3 {
            return self.complain("stack empty");
        }
        let (Some(modulus), Some(exponent), Some(base)) =
            (self.pop_number(), self.pop_number(), self.pop_number())
        else {
            return;
        };
        if modulus.is_zero() {
            return self.complain("remainder by zero");
        }
        if exponent.is_negative() {
            return self.complain("negative exponent");
        }
        let result = base
            .to_integer()
            .modpow(&exponent.to_integer(), &modulus.to_integer());
        self.push(Number::from_integer(result));
    }
}
