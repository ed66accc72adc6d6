//! The command line.

use codepod_posix_regex::{Config, Regex, Syntax};
use codepod_sys::file::Links;
use codepod_tool::{Arguments, Names, complain, io_text, quoted};

use crate::expression::{Bits, Exec, Follow, Node, Parsed, Primary, Than, Time};
use crate::format::Format;
use crate::stat::stat;
use crate::{moment, perm};

/// How deep parentheses may nest.
const DEEPEST: usize = 200;

/// Why nothing is done: the status, with everything said.
type Ended = i32;

fn trouble<T>(message: impl AsRef<[u8]>) -> Result<T, Ended> {
    complain("find", message);
    Err(1)
}

/// Reads the command line.
pub(crate) fn parse(arguments: Arguments) -> Result<Parsed, Ended> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos() as i128);
    let mut parser = Parser {
        arguments,
        at: 0,
        parsed: Parsed {
            paths: Vec::new(),
            expression: Node::Primary(Primary::True),
            follow: Follow::Never,
            min_depth: 0,
            max_depth: usize::MAX,
            depth_first: false,
            one_device: false,
            outputs: vec![b"/dev/stdout".to_vec()],
            commands: 0,
            now,
            day_start: None,
        },
        acts: false,
        syntax: Syntax::EMACS,
        depth: 0,
    };
    parser.leading()?;
    let expression = if parser.at < parser.arguments.len() {
        let expression = parser.list()?;
        if let Some(argument) = parser.peek() {
            let argument = argument.to_vec();
            return match &argument[..] {
                b")" => trouble("you have too many ')'"),
                _ => trouble([b"paths must precede expression: `", &argument[..], b"'"].concat()),
            };
        }
        expression
    } else {
        Node::Primary(Primary::True)
    };
    let mut parsed = parser.parsed;
    parsed.expression = if parser.acts {
        expression
    } else {
        Node::And(vec![expression, Node::Primary(Primary::Print(0, b'\n'))])
    };
    if parsed.paths.is_empty() {
        parsed.paths.push(b".".to_vec());
    }
    Ok(parsed)
}

struct Parser {
    arguments: Arguments,
    at: usize,
    parsed: Parsed,
    /// There is an action, so nothing is printed by itself.
    acts: bool,
    syntax: Syntax,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&[u8]> {
        self.arguments.get(self.at).map(Vec::as_slice)
    }

    /// Options that come first, and paths.
    fn leading(&mut self) -> Result<(), Ended> {
        while let Some(argument) = self.peek() {
            match argument {
                b"-H" => self.parsed.follow = Follow::Named,
                b"-L" => self.parsed.follow = Follow::Always,
                b"-P" => self.parsed.follow = Follow::Never,
                b"--" => {
                    self.at += 1;
                    break;
                }
                b"-D" => return trouble("-D is not supported"),
                _ if argument.starts_with(b"-O") && argument.len() > 2 => {}
                _ => break,
            }
            self.at += 1;
        }
        while let Some(argument) = self.peek() {
            if (argument.starts_with(b"-") && argument.len() > 1) || matches!(argument, b"(" | b"!")
            {
                break;
            }
            self.parsed.paths.push(argument.to_vec());
            self.at += 1;
        }
        Ok(())
    }

    fn list(&mut self) -> Result<Node, Ended> {
        let mut all = vec![self.or()?];
        while self.peek() == Some(b",") {
            self.at += 1;
            all.push(self.or()?);
        }
        Ok(single(all, Node::List))
    }

    fn or(&mut self) -> Result<Node, Ended> {
        let mut all = vec![self.and()?];
        while matches!(self.peek(), Some(b"-o" | b"-or")) {
            let operator = self.take();
            if self.peek().is_none() {
                return trouble([b"expected an expression after '", &operator[..], b"'"].concat());
            }
            all.push(self.and()?);
        }
        Ok(single(all, Node::Or))
    }

    fn and(&mut self) -> Result<Node, Ended> {
        if let Some(operator @ (b"-o" | b"-or" | b"-a" | b"-and" | b",")) = self.peek() {
            let message = [
                b"invalid expression; you have used a binary operator '",
                operator,
                b"' with nothing before it.",
            ];
            return trouble(message.concat());
        }
        let mut all = vec![self.not()?];
        loop {
            match self.peek() {
                None | Some(b"-o" | b"-or" | b"," | b")") => break,
                Some(b"-a" | b"-and") => {
                    let operator = self.take();
                    if self.peek().is_none() {
                        return trouble(
                            [b"expected an expression after '", &operator[..], b"'"].concat(),
                        );
                    }
                }
                Some(_) => {}
            }
            all.push(self.not()?);
        }
        Ok(single(all, Node::And))
    }

    fn take(&mut self) -> Vec<u8> {
        let argument = self.arguments.get(self.at).cloned().unwrap_or_default();
        self.at += 1;
        argument
    }

    fn not(&mut self) -> Result<Node, Ended> {
        let mut negated = false;
        while matches!(self.peek(), Some(b"!" | b"-not")) {
            let operator = self.take();
            negated = !negated;
            if self.peek().is_none() {
                return trouble([b"expected an expression after '", &operator[..], b"'"].concat());
            }
        }
        let node = if self.peek() == Some(b"(") {
            self.at += 1;
            self.depth += 1;
            if self.depth > DEEPEST {
                return trouble("parentheses are nested too deeply");
            }
            let unclosed = "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('";
            match self.peek() {
                None => return trouble(unclosed),
                Some(b")") => {
                    return trouble("invalid expression; empty parentheses are not allowed.");
                }
                Some(_) => {}
            }
            let inside = self.list()?;
            if self.peek() != Some(b")") {
                return trouble(
                    "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
                );
            }
            self.at += 1;
            self.depth -= 1;
            inside
        } else {
            Node::Primary(self.primary()?)
        };
        Ok(if negated {
            Node::Not(Box::new(node))
        } else {
            node
        })
    }

    /// The argument of a primary.
    fn argument(&mut self, name: &[u8]) -> Result<Vec<u8>, Ended> {
        if self.at >= self.arguments.len() {
            return trouble([b"missing argument to `", name, b"'"].concat());
        }
        Ok(self.take())
    }

    fn primary(&mut self) -> Result<Primary, Ended> {
        let name = self.take();
        let options = self.option(&name)?;
        if let Some(primary) = options {
            return Ok(primary);
        }
        let argument_free = match &name[..] {
            b"-print" => Some(Primary::Print(0, b'\n')),
            b"-print0" => Some(Primary::Print(0, 0)),
            b"-ls" => Some(Primary::List(0)),
            b"-delete" => {
                self.parsed.depth_first = true;
                Some(Primary::Delete)
            }
            _ => None,
        };
        if let Some(primary) = argument_free {
            self.acts = true;
            return Ok(primary);
        }
        Ok(match &name[..] {
            b"-true" => Primary::True,
            b"-false" => Primary::False,
            b"-empty" => Primary::Empty,
            b"-prune" => Primary::Prune,
            b"-quit" => Primary::Quit,
            b"-nouser" => Primary::NoUser,
            b"-nogroup" => Primary::NoGroup,
            b"-readable" => Primary::Access(4),
            b"-writable" => Primary::Access(2),
            b"-executable" => Primary::Access(1),
            b"-name" => Primary::Name(self.argument(&name)?, false),
            b"-iname" => Primary::Name(self.argument(&name)?, true),
            b"-path" | b"-wholename" => Primary::Path(self.argument(&name)?, false),
            b"-ipath" | b"-iwholename" => Primary::Path(self.argument(&name)?, true),
            b"-lname" => Primary::LinkName(self.argument(&name)?, false),
            b"-ilname" => Primary::LinkName(self.argument(&name)?, true),
            b"-regex" => self.regex(&name, false)?,
            b"-iregex" => self.regex(&name, true)?,
            b"-type" => Primary::Type(self.types(&name)?),
            b"-xtype" => Primary::XType(self.types(&name)?),
            b"-size" => self.size(&name)?,
            b"-perm" => self.perm(&name)?,
            b"-user" => self.user(&name)?,
            b"-group" => self.group(&name)?,
            b"-uid" => self.number(&name, Primary::Uid)?,
            b"-gid" => self.number(&name, Primary::Gid)?,
            b"-links" => self.number(&name, Primary::Links)?,
            b"-inum" => self.number(&name, Primary::Inode)?,
            b"-used" => self.number(&name, Primary::Used)?,
            b"-samefile" => {
                let (_, stat) = self.file(&name)?;
                Primary::SameFile(stat.dev, stat.ino)
            }
            b"-newer" => self.newer(&name, Time::Modification)?,
            b"-anewer" => self.newer(&name, Time::Access)?,
            b"-cnewer" => self.newer(&name, Time::Change)?,
            b"-mtime" => self.age(&name, Time::Modification, 86_400)?,
            b"-atime" => self.age(&name, Time::Access, 86_400)?,
            b"-ctime" => self.age(&name, Time::Change, 86_400)?,
            b"-mmin" => self.age(&name, Time::Modification, 60)?,
            b"-amin" => self.age(&name, Time::Access, 60)?,
            b"-cmin" => self.age(&name, Time::Change, 60)?,
            b"-printf" => {
                let text = self.argument(&name)?;
                self.acts = true;
                Primary::Printf(0, Box::new(Format::parse(&text)))
            }
            b"-fprint" | b"-fprint0" | b"-fls" | b"-fprintf" => {
                let file = self.argument(&name)?;
                let output = self.output(file);
                self.acts = true;
                match &name[..] {
                    b"-fprint" => Primary::Print(output, b'\n'),
                    b"-fprint0" => Primary::Print(output, 0),
                    b"-fls" => Primary::List(output),
                    _ => {
                        let text = self.argument(&name)?;
                        Primary::Printf(output, Box::new(Format::parse(&text)))
                    }
                }
            }
            b"-exec" | b"-execdir" | b"-ok" | b"-okdir" => self.exec(&name)?,
            b"-context" => return trouble("invalid predicate -context: SELinux is not enabled."),
            b"-fstype" => return trouble("-fstype is not supported"),
            [b'-', b'n', b'e', b'w', b'e', b'r', field, than] => {
                self.newer_than(&name, *field, *than)?
            }
            [b'-', ..] => return trouble([b"unknown predicate `", &name[..], b"'"].concat()),
            _ => return trouble([b"paths must precede expression: `", &name[..], b"'"].concat()),
        })
    }

    /// Primaries that are options: always true.
    fn option(&mut self, name: &[u8]) -> Result<Option<Primary>, Ended> {
        match name {
            b"-depth" | b"-d" => self.parsed.depth_first = true,
            b"-xdev" | b"-mount" => self.parsed.one_device = true,
            b"-follow" => self.parsed.follow = Follow::Always,
            b"-daystart" => {
                let day = 86_400_000_000_000;
                self.parsed.day_start = Some((self.parsed.now.div_euclid(day) + 1) * day);
            }
            b"-noleaf"
            | b"-warn"
            | b"-nowarn"
            | b"-ignore_readdir_race"
            | b"-noignore_readdir_race" => {}
            b"-maxdepth" | b"-mindepth" => {
                let text = self.argument(name)?;
                let Some(depth) = digits(&text) else {
                    let message = [
                        b"Expected a positive decimal integer argument to ",
                        name,
                        b", but got ",
                        &quoted(&text),
                    ]
                    .concat();
                    return trouble(message);
                };
                let depth = usize::try_from(depth).unwrap_or(usize::MAX);
                if name == b"-maxdepth" {
                    self.parsed.max_depth = depth;
                } else {
                    self.parsed.min_depth = depth;
                }
            }
            b"-regextype" => {
                let text = self.argument(name)?;
                self.syntax = syntax(&text)?;
            }
            b"-files0-from" => {
                let file = self.argument(name)?;
                self.files_from(&file)?;
            }
            b"-help" | b"--help" => {
                let text = include_str!("help.txt");
                let written = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
                return Err(i32::from(written.is_err()));
            }
            b"-version" | b"--version" => {
                let text = b"find (codepod), as GNU findutils 4.9.0\n";
                let written = std::io::Write::write_all(&mut std::io::stdout(), text);
                return Err(i32::from(written.is_err()));
            }
            _ => return Ok(None),
        }
        Ok(Some(Primary::True))
    }

    fn files_from(&mut self, file: &[u8]) -> Result<(), Ended> {
        if let [first, ..] = &self.parsed.paths[..] {
            let first = first.clone();
            complain("find", [b"extra operand ", &quoted(&first)[..]].concat());
            return trouble("file operands cannot be combined with -files0-from");
        }
        let mut text = Vec::new();
        let result = match file {
            b"-" => std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut text).map(|_| ()),
            _ => std::fs::read(codepod_tool::path(file)).map(|read| text = read),
        };
        if let Err(error) = result {
            return trouble(
                [
                    b"cannot open ",
                    &quoted(file)[..],
                    b" for reading: ",
                    io_text(&error).as_bytes(),
                ]
                .concat(),
            );
        }
        self.parsed.paths = text
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        Ok(())
    }

    fn output(&mut self, file: Vec<u8>) -> usize {
        let outputs = &mut self.parsed.outputs;
        match outputs.iter().position(|known| *known == file) {
            Some(at) => at,
            None => {
                outputs.push(file);
                outputs.len() - 1
            }
        }
    }

    fn regex(&mut self, name: &[u8], icase: bool) -> Result<Primary, Ended> {
        let text = self.argument(name)?;
        let config = Config {
            icase,
            whole: true,
            ..Config::new(self.syntax)
        };
        match Regex::new(&text, &config) {
            Ok(regex) => Ok(Primary::Regex(Box::new(regex))),
            Err(error) => trouble(
                [
                    b"failed to compile regular expression '",
                    &text[..],
                    b"': ",
                    error.message().as_bytes(),
                ]
                .concat(),
            ),
        }
    }

    fn types(&mut self, name: &[u8]) -> Result<Vec<u8>, Ended> {
        let text = self.argument(name)?;
        let mut types = Vec::new();
        for part in text.split(|byte| *byte == b',') {
            match part {
                [letter] if b"bcdpflsD".contains(letter) => types.push(*letter),
                [] => {
                    return trouble(
                        [
                            b"Last file type in list argument to ",
                            name,
                            b" is missing, i.e., list is ending on: ','",
                        ]
                        .concat(),
                    );
                }
                [letter] => {
                    return trouble([b"Unknown argument to ", name, b": ", &[*letter]].concat());
                }
                _ => {
                    return trouble(
                        [
                            b"Must separate multiple arguments to ",
                            name,
                            b" using: ','",
                        ]
                        .concat(),
                    );
                }
            }
        }
        Ok(types)
    }

    fn size(&mut self, name: &[u8]) -> Result<Primary, Ended> {
        let text = self.argument(name)?;
        let (number, unit) = match text.last() {
            Some(b'b') => (&text[..text.len() - 1], 512),
            Some(b'c') => (&text[..text.len() - 1], 1),
            Some(b'w') => (&text[..text.len() - 1], 2),
            Some(b'k') => (&text[..text.len() - 1], 1 << 10),
            Some(b'M') => (&text[..text.len() - 1], 1 << 20),
            Some(b'G') => (&text[..text.len() - 1], 1 << 30),
            Some(digit) if digit.is_ascii_digit() => (&text[..], 512),
            Some(letter) => {
                return trouble([b"invalid -size type `", &[*letter][..], b"'"].concat());
            }
            None => return trouble("invalid null argument to -size"),
        };
        match compared(number) {
            Some((than, number)) => Ok(Primary::Size(than, number, unit)),
            None => trouble([b"Invalid argument `", &text[..], b"' to -size"].concat()),
        }
    }

    fn perm(&mut self, name: &[u8]) -> Result<Primary, Ended> {
        let text = self.argument(name)?;
        let (bits, mode) = match text.first() {
            Some(b'-') => (Bits::All, &text[1..]),
            Some(b'/') => (Bits::Any, &text[1..]),
            _ => (Bits::Exactly, &text[..]),
        };
        // `+755` meant `/755` once, and is refused since.
        let is_old = matches!(text[..], [b'+', b'0'..=b'7', ..]);
        match perm::parse(mode) {
            Some((file, directory)) if !is_old => Ok(Primary::Perm(bits, file, directory)),
            _ => trouble([b"invalid mode ", &quoted(&text)[..]].concat()),
        }
    }

    fn user(&mut self, name: &[u8]) -> Result<Primary, Ended> {
        let text = self.argument(name)?;
        match number(&Names::users(), &text) {
            Some(number) => Ok(Primary::Uid(Than::Exactly, number.into())),
            None if text.is_empty() => trouble("The argument to -user should not be empty"),
            None => trouble([&quoted(&text)[..], b" is not the name of a known user"].concat()),
        }
    }

    fn group(&mut self, name: &[u8]) -> Result<Primary, Ended> {
        let text = self.argument(name)?;
        match number(&Names::groups(), &text) {
            Some(number) => Ok(Primary::Gid(Than::Exactly, number.into())),
            None if text.is_empty() => {
                trouble("argument to -group is empty, but should be a group name")
            }
            None => {
                trouble([&quoted(&text)[..], b" is not the name of an existing group"].concat())
            }
        }
    }

    fn number(&mut self, name: &[u8], make: fn(Than, u64) -> Primary) -> Result<Primary, Ended> {
        let text = self.argument(name)?;
        match compared(&text) {
            Some((than, number)) => Ok(make(than, number)),
            None => trouble([b"invalid argument `", &text[..], b"' to `", name, b"'"].concat()),
        }
    }

    fn file(&mut self, name: &[u8]) -> Result<(Vec<u8>, codepod_sys::file::Stat), Ended> {
        let file = self.argument(name)?;
        let links = if self.parsed.follow == Follow::Never {
            Links::Keep
        } else {
            Links::Follow
        };
        match stat(&file, links) {
            Ok(stat) => Ok((file, stat)),
            Err(error) => trouble([&quoted(&file)[..], b": ", io_text(&error).as_bytes()].concat()),
        }
    }

    fn newer(&mut self, name: &[u8], time: Time) -> Result<Primary, Ended> {
        let (_, stat) = self.file(name)?;
        Ok(Primary::Newer(time, i128::from(stat.mtime)))
    }

    /// `-newerXY`
    fn newer_than(&mut self, name: &[u8], field: u8, than: u8) -> Result<Primary, Ended> {
        let time = |letter: u8| match letter {
            b'a' => Some(Time::Access),
            b'c' => Some(Time::Change),
            b'm' => Some(Time::Modification),
            _ => None,
        };
        if field == b'B' || than == b'B' {
            return trouble([name, b" is not supported: files have no time of birth"].concat());
        }
        let Some(field) = time(field) else {
            return trouble([b"invalid predicate `", name, b"'"].concat());
        };
        if than == b't' {
            let text = self.argument(name)?;
            return match moment::parse(&String::from_utf8_lossy(&text), self.parsed.now) {
                Some(moment) => Ok(Primary::Newer(field, moment)),
                None => trouble(
                    [
                        b"I cannot figure out how to interpret ",
                        &quoted(&text)[..],
                        b" as a date or time",
                    ]
                    .concat(),
                ),
            };
        }
        let Some(than) = time(than) else {
            return trouble([b"invalid predicate `", name, b"'"].concat());
        };
        let (_, stat) = self.file(name)?;
        let reference = match than {
            Time::Access => stat.atime,
            Time::Change => stat.ctime,
            Time::Modification => stat.mtime,
        };
        Ok(Primary::Newer(field, i128::from(reference)))
    }

    fn age(&mut self, name: &[u8], time: Time, unit: u64) -> Result<Primary, Ended> {
        let text = self.argument(name)?;
        let (than, number) = sign(&text);
        let number = std::str::from_utf8(number)
            .ok()
            .and_then(|number| number.parse::<f64>().ok());
        match number.filter(|number| number.is_finite() && *number >= 0.0) {
            Some(number) => Ok(Primary::Age(time, than, number, unit)),
            None => trouble([b"invalid argument `", &text[..], b"' to `", name, b"'"].concat()),
        }
    }

    fn exec(&mut self, name: &[u8]) -> Result<Primary, Ended> {
        let missing = [b"missing argument to `", name, b"'"].concat();
        let mut argv: Vec<Vec<u8>> = Vec::new();
        let ask = name.starts_with(b"-ok");
        let many = loop {
            let Some(argument) = self.arguments.get(self.at).cloned() else {
                return trouble(missing);
            };
            self.at += 1;
            if argument == b";" {
                break false;
            }
            if argument == b"+" && !ask && argv.last().is_some_and(|last| last == b"{}") {
                argv.pop();
                break true;
            }
            argv.push(argument);
        };
        if argv.is_empty() {
            return trouble(missing);
        }
        if many
            && argv
                .iter()
                .any(|argument| argument.windows(2).any(|pair| pair == b"{}"))
        {
            return trouble(
                [
                    b"Only one instance of {} is supported with ",
                    name,
                    b" ... +",
                ]
                .concat(),
            );
        }
        self.acts = true;
        let number = self.parsed.commands;
        self.parsed.commands += usize::from(many);
        Ok(Primary::Exec(Box::new(Exec {
            argv,
            many,
            in_directory: name.ends_with(b"dir"),
            ask,
            number,
        })))
    }
}

fn single(mut all: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Node {
    match all.len() {
        1 => all.remove(0),
        _ => join(all),
    }
}

fn sign(text: &[u8]) -> (Than, &[u8]) {
    match text.first() {
        Some(b'+') => (Than::More, &text[1..]),
        Some(b'-') => (Than::Less, &text[1..]),
        _ => (Than::Exactly, text),
    }
}

fn compared(text: &[u8]) -> Option<(Than, u64)> {
    let (than, number) = sign(text);
    Some((than, digits(number)?))
}

fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn syntax(name: &[u8]) -> Result<Syntax, Ended> {
    const VALID: [&str; 13] = [
        "findutils-default",
        "ed",
        "emacs",
        "gnu-awk",
        "grep",
        "posix-awk",
        "awk",
        "posix-basic",
        "posix-egrep",
        "egrep",
        "posix-extended",
        "posix-minimal-basic",
        "sed",
    ];
    Ok(match name {
        b"findutils-default" | b"emacs" => Syntax::EMACS,
        b"ed" | b"sed" | b"posix-basic" => Syntax::BASIC,
        b"grep" => Syntax::GREP,
        b"posix-egrep" | b"egrep" => Syntax::EGREP,
        b"posix-extended" => Syntax::EXTENDED,
        b"gnu-awk" | b"posix-awk" | b"awk" => Syntax::AWK,
        b"posix-minimal-basic" => {
            return trouble("the regular expression type 'posix-minimal-basic' is not supported");
        }
        _ => {
            let list: Vec<String> = VALID.iter().map(|name| format!("'{name}'")).collect();
            let message = format!("; valid types are {}.", list.join(", "));
            return trouble(
                [
                    b"Unknown regular expression type ",
                    &quoted(name)[..],
                    message.as_bytes(),
                ]
                .concat(),
            );
        }
    })
}

/// The number of a name, or of a number in digits.
fn number(names: &Names, text: &[u8]) -> Option<u32> {
    let digits = || std::str::from_utf8(text).ok()?.parse().ok();
    names.number(text).or_else(digits)
}
