//! Options of `unzip` and `zipinfo`: letters in any number behind a dash, taken back by a second
//! dash.

use std::iter::Peekable;

use codepod_tool::Arguments;

use super::console::Console;
use super::{OK, PARAMETERS};

/// What the arguments ask for.
pub(crate) enum Asked {
    /// To run.
    Run(Settings),
    /// Nothing more.
    Done(i32),
}

/// How zipinfo lists.
pub(crate) struct Info {
    /// 0 nothing, 1 and 2 names, 3 short, 4 with ratios, 5 with sizes.
    pub(crate) format: i32,
    /// Whether the archive is named before.
    pub(crate) header: bool,
    /// Whether totals follow.
    pub(crate) totals: bool,
    /// Times as one number.
    pub(crate) decimal: bool,
}

/// The options.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) text: i32,
    pub(crate) backup: bool,
    pub(crate) pipe: bool,
    pub(crate) ignore_case: bool,
    pub(crate) directory: Option<Vec<u8>>,
    pub(crate) no_times: i32,
    pub(crate) freshen: bool,
    pub(crate) update: bool,
    pub(crate) junk: bool,
    pub(crate) keep_bits: bool,
    /// 1 for `-l`, 2 for `-v`.
    pub(crate) list: i32,
    pub(crate) lower: i32,
    pub(crate) never: bool,
    pub(crate) always: bool,
    pub(crate) password: Option<Vec<u8>>,
    pub(crate) quiet: i32,
    pub(crate) test: bool,
    pub(crate) stamp: bool,
    pub(crate) versions: bool,
    pub(crate) owners: bool,
    pub(crate) comment: i32,
    pub(crate) parents: bool,
    pub(crate) control: bool,
    pub(crate) info: Option<Info>,
    pub(crate) archive: Vec<u8>,
    pub(crate) files: Vec<Vec<u8>>,
    pub(crate) excluded: Vec<Vec<u8>>,
}

impl Settings {
    /// Whether only times of archives are set.
    pub(crate) fn stamps(&self) -> bool {
        self.stamp && self.info.is_none()
    }

    /// Whether names of this system become lower case: those of systems without it, or all of them.
    pub(crate) fn is_lowered(&self, host: u8) -> bool {
        self.info.is_none()
            && (self.lower > 1 || self.lower == 1 && matches!(host, 0 | 2 | 4 | 9 | 10 | 15))
    }
}

const HELP: &str = "\
Usage: unzip [-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]
  Extracts the files of list, without those of xlist, to exdir; without a list all of them.
  file[.zip] and the names in list may be patterns.  -Z lists as zipinfo does.

  -p  to standard output, without messages   -l  list
  -c  to standard output, with names         -v  list with methods and checksums
  -f  only files that are there and older    -t  test
  -u  the same and new files                 -z  show the comment of the archive
  -x  without the files that follow          -d  into this directory
  -T  give the archive the time of its newest entry
modifiers:
  -n  never overwrite                        -o  always overwrite
  -q  quiet (-qq quieter)                    -j  without directories
  -a  convert text files (-aa all files)     -B  keep a backup of files
  -C  names in upper or lower case           -L  names of DOS in lower case (-LL all)
  -D  no times of directories (-DD of files) -K  keep setuid, setgid and sticky bits
  -P  password                               -X  restore owners
  -V  keep version numbers of VMS            -:  names may lead out of the directory
  -^  names may have control characters      -M  accepted; there is no pager
Not supported: -U, -W and the environment variables UNZIP and ZIPINFO.
";

const INFO_HELP: &str = "\
Usage: zipinfo [-12smlhtTzC] file[.zip] [list...] [-x xlist...]
  -1  names only                             -2  names; -h, -t and -z add to it
  -s  short (the usual form)                 -m  with ratios
  -l  with packed sizes                      -h  header
  -t  totals                                 -T  times as one number
  -z  comment of the archive                 -C  names in upper or lower case
  -x  without the files that follow          -M  accepted; there is no pager
Not supported: -v, -U and -W.
";

const DIRECTORY_MISSING: &str =
    "error:  must specify directory to which to extract with -d option\n";
const DIRECTORY_TWICE: &str = "error:  -d option used more than once (only one exdir allowed)\n";
const PASSWORD_MISSING: &str = "error:  must give decryption password with -P option\n";

/// Reads the arguments of either tool.
pub(crate) fn read(tool: &str, arguments: Arguments, console: &mut Console) -> Asked {
    let info = tool == "zipinfo"
        || arguments
            .first()
            .is_some_and(|first| first.starts_with(b"-Z"));
    let read = if info {
        read_info(arguments, console)
    } else {
        read_unzip(arguments, console)
    };
    read.map_or_else(Asked::Done, Asked::Run)
}

/// An option that is there, but not here.
fn refuse(console: &mut Console, tool: &str, letter: u8) -> i32 {
    console.error(format!(
        "{tool}:  option -{} is not supported\n",
        char::from(letter)
    ));
    PARAMETERS
}

fn read_unzip(arguments: Arguments, console: &mut Console) -> Result<Settings, i32> {
    let no_arguments = arguments.is_empty();
    let mut letters = Letters {
        settings: Settings::default(),
        rest: arguments.into_iter().peekable(),
        wrong: false,
        help: false,
    };
    letters.read(console)?;
    letters.check(console)?;
    let Letters {
        mut settings,
        mut rest,
        ..
    } = letters;
    let Some(archive) = rest.next() else {
        if settings.list >= 2 {
            console.out(b"UnZip 6.00 (codepod)\n");
            return Err(OK);
        }
        if no_arguments {
            console.out(HELP.as_bytes());
            return Err(OK);
        }
        console.error(HELP);
        return Err(PARAMETERS);
    };
    settings.archive = archive;
    operands(&mut settings, rest, console)?;
    Ok(settings)
}

/// The options of unzip, as they are read.
struct Letters {
    settings: Settings,
    rest: Peekable<std::vec::IntoIter<Vec<u8>>>,
    /// Some of it makes no sense.
    wrong: bool,
    help: bool,
}

impl Letters {
    /// Reads the arguments that start with a dash.
    fn read(&mut self, console: &mut Console) -> Result<(), i32> {
        while let Some(argument) = self
            .rest
            .next_if(|argument| argument.first() == Some(&b'-'))
        {
            let mut negative = 0;
            let mut letters = &argument[1..];
            while let Some((&letter, after)) = letters.split_first() {
                letters = after;
                match letter {
                    b'-' => {
                        negative += 1;
                        continue;
                    }
                    b'd' | b'P' => {
                        let attached = std::mem::take(&mut letters);
                        self.value(letter, attached, negative == 0, console)?;
                    }
                    b'U' | b'W' => return Err(refuse(console, "unzip", letter)),
                    b'Z' => {
                        console.error("error:  -Z must be first option for ZipInfo mode (check UNZIP variable?)\n");
                        self.wrong = true;
                    }
                    _ => self.letter(letter, negative),
                }
                negative = 0;
            }
        }
        Ok(())
    }

    /// An option with a value, which may be attached: `-d` and `-P`.
    fn value(
        &mut self,
        letter: u8,
        attached: &[u8],
        on: bool,
        console: &mut Console,
    ) -> Result<(), i32> {
        let is_directory = letter == b'd';
        if is_directory && self.settings.directory.is_some() {
            console.error(DIRECTORY_TWICE);
            return Err(PARAMETERS);
        }
        let value = match attached.is_empty() {
            false => Some(attached.to_vec()),
            true => self
                .rest
                .next()
                .filter(|value| value.first() != Some(&b'-')),
        };
        let Some(value) = value.filter(|_| on) else {
            console.error(match is_directory {
                true => DIRECTORY_MISSING,
                false => PASSWORD_MISSING,
            });
            return Err(PARAMETERS);
        };
        match is_directory {
            true => self.settings.directory = Some(value),
            // The first one counts.
            false => {
                self.settings.password.get_or_insert(value);
            }
        }
        Ok(())
    }

    /// An option without a value, with this many dashes that take it back.
    fn letter(&mut self, letter: u8, negative: i32) {
        let settings = &mut self.settings;
        let on = negative == 0;
        let count = |value: &mut i32| {
            *value = if on {
                *value + 1
            } else {
                (*value - negative).max(0)
            }
        };
        match letter {
            b'a' => count(&mut settings.text),
            b'b' => settings.text = if on { 0 } else { settings.text },
            b'B' => settings.backup = on,
            b'c' => settings.pipe = on,
            b'C' => settings.ignore_case = on,
            b'D' => count(&mut settings.no_times),
            b'e' | b'x' | b'M' => {}
            b'f' => (settings.freshen, settings.update) = (on, on),
            b'h' => self.help = true,
            b'j' => settings.junk = on,
            b'K' => settings.keep_bits = on,
            b'l' => count(&mut settings.list),
            b'v' if on => settings.list = 2,
            b'v' => count(&mut settings.list),
            b'L' => count(&mut settings.lower),
            b'n' => settings.never = on,
            b'o' => settings.always = on,
            b'p' => {
                settings.pipe = on;
                settings.quiet = if on {
                    settings.quiet + 999
                } else {
                    (settings.quiet - 999).max(0)
                };
            }
            b'q' => count(&mut settings.quiet),
            b't' => settings.test = on,
            b'T' => settings.stamp = on,
            b'u' => settings.update = on,
            b'V' => settings.versions = on,
            b'X' => settings.owners = on,
            b'z' => count(&mut settings.comment),
            b':' => settings.parents = on,
            b'^' => settings.control = on,
            _ => self.wrong = true,
        }
    }

    /// Whether the options go together; with `-h` nothing else counts.
    fn check(&mut self, console: &mut Console) -> Result<(), i32> {
        if self.help {
            console.out(HELP.as_bytes());
            return Err(OK);
        }
        let settings = &mut self.settings;
        let mixed = settings.pipe && (settings.test || settings.update)
            || settings.test && settings.update
            || settings.freshen && settings.never;
        if mixed {
            console.error(
                "error:  -fn or any combination of -c, -l, -p, -t, -u and -v options invalid\n",
            );
            self.wrong = true;
        }
        if settings.always && settings.never {
            console.error("caution:  both -n and -o specified; ignoring -o\n");
            settings.always = false;
        }
        if self.wrong {
            console.error(HELP);
            return Err(PARAMETERS);
        }
        Ok(())
    }
}

/// The names behind the archive: `list -x xlist -d directory`.
fn operands(
    settings: &mut Settings,
    rest: impl Iterator<Item = Vec<u8>>,
    console: &mut Console,
) -> Result<(), i32> {
    let mut rest = rest.peekable();
    let mut excluding = false;
    while let Some(argument) = rest.next() {
        if settings.info.is_none() && argument.starts_with(b"-d") {
            if settings.directory.is_some() {
                console.error(DIRECTORY_TWICE);
                return Err(PARAMETERS);
            }
            let value = match argument.len() {
                2 => rest.next().filter(|value| value.first() != Some(&b'-')),
                _ => Some(argument[2..].to_vec()),
            };
            let Some(value) = value else {
                console.error(DIRECTORY_MISSING);
                return Err(PARAMETERS);
            };
            settings.directory = Some(value);
        } else if argument == b"-x" && !excluding {
            excluding = true;
        } else if excluding {
            settings.excluded.push(argument);
        } else {
            settings.files.push(argument);
        }
    }
    Ok(())
}

fn read_info(arguments: Arguments, console: &mut Console) -> Result<Settings, i32> {
    let mut settings = Settings::default();
    let (mut format, mut decimal) = (-1, false);
    // What -h and -t are by themselves: for the long forms and for the names only.
    let (mut header, mut header_names, mut asked_header) = (true, false, false);
    let (mut totals, mut totals_names, mut asked_totals) = (true, false, false);
    let mut wrong = false;
    let mut rest = arguments.into_iter().peekable();
    while let Some(argument) = rest.next_if(|argument| argument.first() == Some(&b'-')) {
        let mut negative = false;
        for &letter in &argument[1..] {
            if letter == b'-' {
                negative = true;
                continue;
            }
            let mut form = |value| format = if negative { -2 } else { value };
            match letter {
                b'1' => form(1),
                b'2' => form(2),
                b's' => form(3),
                b'm' => form(4),
                b'l' => form(5),
                b'C' => settings.ignore_case = !negative,
                b'h' | b't' => {
                    let (long, names, asked) = match letter {
                        b'h' => (&mut header, &mut header_names, &mut asked_header),
                        _ => (&mut totals, &mut totals_names, &mut asked_totals),
                    };
                    (*long, *names) = (!negative, !negative);
                    if !negative {
                        *asked = true;
                        if format == -1 {
                            format = 0;
                        }
                    }
                }
                b'M' | b'Z' => {}
                b'T' => decimal = !negative,
                b'z' => settings.comment = i32::from(!negative),
                b'v' | b'U' | b'W' => return Err(refuse(console, "zipinfo", letter)),
                _ => wrong = true,
            }
            negative = false;
        }
    }
    let archive = rest.next();
    let (false, Some(archive)) = (wrong, archive) else {
        return Err(match wrong {
            true => {
                console.error(INFO_HELP);
                PARAMETERS
            }
            false => {
                console.out(INFO_HELP.as_bytes());
                OK
            }
        });
    };
    settings.archive = archive;
    let more = rest.peek().is_some();
    if format < 0 || more && format == 0 {
        format = 3;
    }
    let (header, totals) = match format {
        0 | 2 => (header_names, totals_names),
        1 => {
            settings.comment = 0;
            (false, false)
        }
        _ => (
            header && (!more || asked_header),
            totals && (!more || asked_totals),
        ),
    };
    settings.info = Some(Info {
        format,
        header,
        totals,
        decimal,
    });
    operands(&mut settings, rest, console)?;
    Ok(settings)
}
