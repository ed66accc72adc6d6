//! Built-in functions.

use codepod_tool::{Command, Ends};

use super::{Awk, Eval, fatal, time};
use crate::lexer::BUILTINS;
use crate::output;
use crate::record::{self, Splitter};
use crate::text;
use crate::text::Str;
use crate::tree::{Expr, Special, Var};
use crate::value::Value;

impl Awk {
    /// Calls a built-in function.
    pub(super) fn builtin(&mut self, name: &'static str, arguments: &[Expr]) -> Eval<Value> {
        debug_assert!(BUILTINS.contains(&name));
        Ok(Value::Num(match name {
            "length" => self.length(arguments)?,
            "substr" => return self.substr(arguments),
            "index" => self.index(arguments)?,
            "split" => self.split(arguments)?,
            "patsplit" => self.patsplit(arguments)?,
            "sub" => self.sub(false, arguments)?,
            "gsub" => self.sub(true, arguments)?,
            "gensub" => return self.gensub(arguments),
            "match" => self.matching(arguments)?,
            "sprintf" => {
                let mut out = Vec::new();
                self.sprintf(arguments, &mut out)?;
                return Ok(Value::Str(Str::from(out)));
            }
            "tolower" => return self.changed_case(false, &arguments[0]),
            "toupper" => return self.changed_case(true, &arguments[0]),
            "int" => self.eval_num(&arguments[0])?.trunc(),
            "sqrt" => self.sqrt(&arguments[0])?,
            "log" => self.log(&arguments[0])?,
            "exp" => self.exp(&arguments[0])?,
            "sin" => self.eval_num(&arguments[0])?.sin(),
            "cos" => self.eval_num(&arguments[0])?.cos(),
            "atan2" => {
                let y = self.eval_num(&arguments[0])?;
                let x = self.eval_num(&arguments[1])?;
                y.atan2(x)
            }
            "rand" => self.random.fraction(),
            "srand" => self.srand(arguments)?,
            "and" | "or" | "xor" | "lshift" | "rshift" | "compl" => self.bits(name, arguments)?,
            "strtonum" => self.strtonum(&arguments[0])?,
            "systime" => time::now() as f64,
            "mktime" => self.mktime(arguments)?,
            "strftime" => return self.strftime(arguments),
            "system" => self.system(&arguments[0])?,
            "close" => self.close_named(arguments)?,
            "fflush" => self.flush_named(arguments.first())?,
            "asort" => self.asort(false, arguments)?,
            "asorti" => self.asort(true, arguments)?,
            "isarray" => f64::from(u8::from(self.type_of(&arguments[0])? == "array")),
            "typeof" => {
                return Ok(Value::Str(Str::new(
                    self.type_of(&arguments[0])?.as_bytes(),
                )));
            }
            name => return fatal(format!("`{name}' is not supported")),
        }))
    }

    fn changed_case(&mut self, upper: bool, subject: &Expr) -> Eval<Value> {
        let subject = self.text(subject)?;
        let changed = changed_case(subject.as_bytes(), upper, self.bytes);
        Ok(Value::Str(Str::from(changed)))
    }

    fn sqrt(&mut self, number: &Expr) -> Eval<f64> {
        let number = self.eval_num(number)?;
        if number < 0.0 {
            self.warn_number("sqrt: called with negative argument", number);
            return Ok(f64::NAN.copysign(-1.0));
        }
        Ok(number.sqrt())
    }

    fn log(&mut self, number: &Expr) -> Eval<f64> {
        let number = self.eval_num(number)?;
        if number < 0.0 {
            self.warn_number("log: received negative argument", number);
            return Ok(f64::NAN.copysign(-1.0));
        }
        Ok(number.ln())
    }

    fn exp(&mut self, number: &Expr) -> Eval<f64> {
        let number = self.eval_num(number)?;
        let result = number.exp();
        if result.is_infinite() && number.is_finite() {
            let mut shown = Vec::new();
            crate::number::append(number, b"%.6g", &mut shown);
            let shown = String::from_utf8_lossy(&shown).into_owned();
            self.warn(&format!("exp: argument {shown} is out of range"));
        }
        Ok(result)
    }

    fn mktime(&mut self, arguments: &[Expr]) -> Eval<f64> {
        let moment = self.text(&arguments[0])?;
        let utc = match arguments.get(1) {
            Some(utc) => self.eval_bool(utc)?,
            None => false,
        };
        Ok(time::moment(moment.as_bytes(), utc) as f64)
    }

    /// `close`, which may say which end of a coprocess is meant.
    fn close_named(&mut self, arguments: &[Expr]) -> Eval<f64> {
        let name = self.text(&arguments[0])?;
        let how = match arguments.get(1) {
            Some(how) => Some(self.text(how)?),
            None => None,
        };
        self.close(name.as_bytes(), how.as_ref().map(Str::as_bytes))
    }

    /// `fflush` of one output, or of all of them.
    fn flush_named(&mut self, name: Option<&Expr>) -> Eval<f64> {
        let Some(name) = name else {
            self.flush_all()?;
            return Ok(0.0);
        };
        let name = self.text(name)?;
        self.flush_one(name.as_bytes())
    }

    fn warn_number(&mut self, message: &str, number: f64) {
        let mut shown = Vec::new();
        crate::number::append(number, b"%g", &mut shown);
        let shown = String::from_utf8_lossy(&shown).into_owned();
        self.warn(&format!("{message} {shown}"));
    }

    fn characters(&mut self, bytes: &[u8]) -> usize {
        if !self.bytes
            && !self.warned_invalid
            && !bytes.is_ascii()
            && std::str::from_utf8(bytes).is_err()
        {
            self.warned_invalid = true;
            self.warn("Invalid multibyte data detected. There may be a mismatch between your data and your locale");
        }
        if self.bytes {
            bytes.len()
        } else {
            text::length(bytes)
        }
    }

    fn length(&mut self, arguments: &[Expr]) -> Eval<f64> {
        let Some(argument) = arguments.first() else {
            let record = self.record.text(&self.ofs, &self.convfmt).to_vec();
            return Ok(self.characters(&record) as f64);
        };
        if let Expr::Var(var) = argument
            && !matches!(var, Var::Global(0..=2))
            && let Value::Array(array) = self.slot(*var)
        {
            return Ok(array.borrow().len() as f64);
        }
        if let Expr::Element(array, keys) = argument {
            let array = self.array(array)?;
            let key = self.key(keys)?;
            let inner = array.borrow_mut().get_or_make(&key).clone();
            self.scratch = key;
            if let Value::Array(inner) = inner {
                return Ok(inner.borrow().len() as f64);
            }
            let subject = inner.str(&self.convfmt);
            return Ok(self.characters(subject.as_bytes()) as f64);
        }
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        self.eval_str(argument, &mut out)?;
        let length = self.characters(&out);
        self.scratch = out;
        Ok(length as f64)
    }

    fn substr(&mut self, arguments: &[Expr]) -> Eval<Value> {
        let subject = self.text(&arguments[0])?;
        let subject = subject.as_bytes();
        let start = self.eval_num(&arguments[1])?;
        let length = match arguments.get(2) {
            Some(length) => self.eval_num(length)?,
            None => f64::INFINITY,
        };
        // gawk cuts both to integers, and takes a start before the first character as the first.
        let start = start.trunc();
        let length = length.trunc();
        if start.is_nan() || length.is_nan() || length < 1.0 {
            return Ok(Value::Str(Str::EMPTY));
        }
        let first = if start < 1.0 {
            0
        } else {
            (start - 1.0).min(1e15) as usize
        };
        let count = length.min(1e15) as usize;
        if self.bytes || subject.is_ascii() {
            let from = first.min(subject.len());
            let to = first.saturating_add(count).min(subject.len());
            return Ok(Value::Str(Str::new(&subject[from..to])));
        }
        let from = text::offset(subject, first);
        let to = from + text::offset(&subject[from..], count);
        Ok(Value::Str(Str::new(&subject[from..to])))
    }

    fn index(&mut self, arguments: &[Expr]) -> Eval<f64> {
        if let Expr::Regex(_) | Expr::TypedRegex(_) = arguments[1] {
            return fatal("index: regexp constant as second argument is not allowed");
        }
        let subject = self.text(&arguments[0])?;
        let wanted = self.text(&arguments[1])?;
        let (subject, wanted) = (subject.as_bytes(), wanted.as_bytes());
        let found = match self.icase {
            true => {
                let (subject, wanted) = (
                    super::evaluate::fold(subject),
                    super::evaluate::fold(wanted),
                );
                memchr::memmem::find(&subject, &wanted)
            }
            false => memchr::memmem::find(subject, wanted),
        };
        Ok(match found {
            Some(at) => self.characters(&subject[..at.min(subject.len())]) as f64 + 1.0,
            None => 0.0,
        })
    }

    fn split(&mut self, arguments: &[Expr]) -> Eval<f64> {
        let subject = self.text(&arguments[0])?;
        let splitter = match arguments.get(2) {
            None => match &self.splitter {
                Splitter::Content(_) | Splitter::Widths(_) => {
                    let fs = self.globals[Special::FS as usize].str(&self.convfmt);
                    self.splitter_from(fs.as_bytes())?
                }
                other => other.clone(),
            },
            Some(Expr::Regex(regex) | Expr::TypedRegex(regex)) => Splitter::Regex(regex.clone()),
            Some(separator) => match self.eval(separator)? {
                Value::Regex(regex) => Splitter::Regex(regex),
                value => {
                    let separator = value.str(&self.convfmt);
                    self.splitter_from(separator.as_bytes())?
                }
            },
        };
        let splitter = match splitter {
            Splitter::Regex(regex) if regex.source().is_empty() => Splitter::Characters,
            other => other,
        };
        self.split_into(subject.as_bytes(), &splitter, arguments, "split")
    }

    fn patsplit(&mut self, arguments: &[Expr]) -> Eval<f64> {
        let subject = self.text(&arguments[0])?;
        let regex = match arguments.get(2) {
            Some(regex) => self.regex(regex)?,
            None => {
                let pattern = self.globals[Special::FPAT as usize].str(&self.convfmt);
                self.regex_from(pattern.as_bytes())?
            }
        };
        self.split_into(
            subject.as_bytes(),
            &Splitter::Content(regex),
            arguments,
            "patsplit",
        )
    }

    /// Fills the arrays of `split` and `patsplit`.
    fn split_into(
        &mut self,
        subject: &[u8],
        splitter: &Splitter,
        arguments: &[Expr],
        name: &str,
    ) -> Eval<f64> {
        let array = self.array_argument(&arguments[1], name)?;
        let separators = match arguments.get(3) {
            Some(separators) => Some(self.array_argument(separators, name)?),
            None => None,
        };
        let mut fields: Vec<(usize, usize)> = Vec::new();
        let mut between: Vec<(usize, (usize, usize))> = Vec::new();
        let count = std::cell::Cell::new(0);
        record::split(
            subject,
            splitter,
            self.icase,
            |start, end| {
                fields.push((start, end));
                count.set(fields.len());
            },
            |start, end| between.push((count.get(), (start, end))),
        )
        .or_else(fatal)?;
        let mut filled = array.borrow_mut();
        filled.clear();
        let mut key = Vec::new();
        for (number, (start, end)) in fields.iter().enumerate() {
            key.clear();
            crate::number::integer(number as i64 + 1, &mut key);
            filled.set(&key, Value::Input(Str::new(&subject[*start..*end])));
        }
        drop(filled);
        if let Some(separators) = separators {
            let mut filled = separators.borrow_mut();
            filled.clear();
            for (number, (start, end)) in between {
                filled.set(
                    number.to_string().as_bytes(),
                    Value::Str(Str::new(&subject[start..end])),
                );
            }
        }
        Ok(fields.len() as f64)
    }

    fn srand(&mut self, arguments: &[Expr]) -> Eval<f64> {
        let seed = match arguments.first() {
            Some(seed) => self.eval_num(seed)?,
            None => time::now() as f64,
        };
        let old = std::mem::replace(&mut self.seed, seed);
        self.random = super::random::Random::new((seed as i64).cast_unsigned());
        Ok(old)
    }

    fn bits(&mut self, name: &str, arguments: &[Expr]) -> Eval<f64> {
        let mut numbers = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let number = self.eval_num(argument)?;
            if number < 0.0 {
                let mut shown = Vec::new();
                crate::number::append(number, b"%g", &mut shown);
                let shown = String::from_utf8_lossy(&shown).into_owned();
                return match name {
                    "compl" => fatal(format!("compl({shown}): negative value is not allowed")),
                    "lshift" | "rshift" => fatal(format!(
                        "{name}({shown}, …): negative values are not allowed"
                    )),
                    _ => fatal(format!(
                        "{name}: argument {} negative value {shown} is not allowed",
                        numbers.len() + 1
                    )),
                };
            }
            numbers.push(number as u64);
        }
        let first = numbers[0];
        let result = match name {
            "and" => numbers.iter().fold(u64::MAX, |all, number| all & number),
            "or" => numbers.iter().fold(0, |all, number| all | number),
            "xor" => numbers.iter().fold(0, |all, number| all ^ number),
            "lshift" => first.checked_shl(numbers[1] as u32).unwrap_or(0),
            "rshift" => first.checked_shr(numbers[1] as u32).unwrap_or(0),
            _ => !first & ((1 << 53) - 1),
        };
        // What a double cannot hold loses its low bits, not its high ones.
        Ok(result as f64)
    }

    fn strtonum(&mut self, argument: &Expr) -> Eval<f64> {
        let value = self.eval(argument)?;
        if let Value::Num(number) = value {
            return Ok(number);
        }
        let subject = value.str(&self.convfmt);
        let bytes = subject.as_bytes().trim_ascii_start();
        let (negative, digits) = match bytes.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, bytes.strip_prefix(b"+").unwrap_or(bytes)),
        };
        let radix = match digits {
            [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => 16,
            [b'0', digit, ..] if digit.is_ascii_digit() => 8,
            _ => return Ok(crate::number::leading(subject.as_bytes())),
        };
        let digits = if radix == 16 { &digits[2..] } else { digits };
        if radix == 8 {
            let run = digits
                .iter()
                .take_while(|digit| digit.is_ascii_digit())
                .count();
            let more = digits.get(run);
            if digits[..run].iter().any(|digit| *digit > b'7')
                || matches!(more, Some(b'.' | b'e' | b'E'))
            {
                return Ok(crate::number::leading(subject.as_bytes()));
            }
        }
        let value = digits
            .iter()
            .map_while(|digit| char::from(*digit).to_digit(radix))
            .fold(0.0, |value, digit| {
                value * f64::from(radix) + f64::from(digit)
            });
        Ok(if negative { -value } else { value })
    }

    fn strftime(&mut self, arguments: &[Expr]) -> Eval<Value> {
        let form = match arguments.first() {
            Some(form) => self.text(form)?,
            None => {
                let procinfo = self.global_array(Special::PROCINFO);
                let form = procinfo
                    .borrow()
                    .get(b"strftime")
                    .map(|value| value.str(&self.convfmt));
                form.unwrap_or_else(|| Str::new(b"%a %b %e %H:%M:%S %Z %Y"))
            }
        };
        let seconds = match arguments.get(1) {
            Some(seconds) => self.eval_num(seconds)?.floor() as i64,
            None => time::now(),
        };
        let utc = match arguments.get(2) {
            Some(utc) => self.eval_bool(utc)?,
            None => false,
        };
        Ok(Value::Str(Str::from(time::format(
            form.as_bytes(),
            seconds,
            utc,
        ))))
    }

    fn system(&mut self, command: &Expr) -> Eval<f64> {
        let command = self.text(command)?;
        self.flush_all()?;
        match Command::shell(command.as_bytes(), Ends::None).and_then(Command::wait) {
            Ok(ended) => Ok(f64::from(output::status(ended))),
            Err(error) => fatal(format!(
                "system: cannot start a shell: {}",
                codepod_tool::io_text(&error)
            )),
        }
    }

    fn type_of(&mut self, argument: &Expr) -> Eval<&'static str> {
        let value = match argument {
            Expr::Var(var) if !matches!(var, Var::Global(0..=2)) => self.slot(*var).clone(),
            Expr::Element(array, keys) => {
                let array = self.array(array)?;
                let key = self.key(keys)?;
                let value = array.borrow().get(&key).cloned();
                self.scratch = key;
                return Ok(match value {
                    Some(value) => kind(&value, "unassigned"),
                    None => "untyped",
                });
            }
            Expr::FieldAt(number) if *number > self.count_fields()? => return Ok("unassigned"),
            Expr::Field(_) | Expr::FieldAt(_) => {
                let value = self.eval(argument)?;
                return Ok(kind(&value, "unassigned"));
            }
            other => self.eval(other)?,
        };
        Ok(kind(&value, "untyped"))
    }
}

fn kind(value: &Value, unset: &'static str) -> &'static str {
    match value {
        Value::Unset => unset,
        Value::Num(_) => "number",
        Value::Str(_) => "string",
        Value::Input(_) if value.numeric().is_some() => "strnum",
        Value::Input(_) => "string",
        Value::Regex(_) => "regexp",
        Value::Array(_) => "array",
    }
}

/// A text in upper or lower case, character by character.
fn changed_case(subject: &[u8], upper: bool, bytes: bool) -> Vec<u8> {
    let ascii = |subject: &[u8]| {
        if upper {
            subject.to_ascii_uppercase()
        } else {
            subject.to_ascii_lowercase()
        }
    };
    if bytes || subject.is_ascii() {
        return ascii(subject);
    }
    let mut out = Vec::with_capacity(subject.len());
    for chunk in subject.utf8_chunks() {
        for letter in chunk.valid().chars() {
            // Letters that become several stay, as in C.
            let mut other = if upper {
                letter.to_uppercase().collect::<Vec<_>>()
            } else {
                letter.to_lowercase().collect()
            };
            if other.len() != 1 {
                other = vec![letter];
            }
            out.extend_from_slice(other[0].encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    out
}
