//! `zip`, as Info-ZIP's 3.0.

mod gather;
mod options;
mod plan;
mod settings;
mod write;

use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Seek as _, SeekFrom, Write as _};

use codepod_datetime::Zone;
use codepod_tool::{Arguments, io_text, path};

use crate::system::{self, Meta};
use crate::zipfile::{CENTRAL, Entry, find_end, shown};
use plan::Planner;
use settings::{Action, Asked, Settings};

const HELP: &str = "\
zip [-options] [-b path] [-t mmddyyyy] [-n suffixes] [zipfile list] [-xi list]
  Adds files to an archive or replaces them there.  - is standard input or output.
  -f   only files that have changed            -u   changed and new files
  -d   delete entries                          -m   delete the files that were added
  -r   with what directories hold              -R   the same from here, by patterns
  -j   without directories in names            -D   without entries for directories
  -0   store only                              -1..-9  faster to better
  -q   quiet                                   -v   verbose
  -x   without files that match                -i   only files that match
  -y   symbolic links as such                  -X   without extra fields
  -T   test the archive                        -z   comment from standard input
  -@   names from standard input               -o   archive as old as its newest entry
  -n   endings of files that are stored        -P   password
  -t   files from a date                       -tt  files before a date
  -FS  make the archive like the files         -sf  only show the files
  -O   other name for the new archive          -Z   store, deflate or bzip2
  -MM  every name must be there                -FI  read fifos
Not supported: -A -c -db -dc -dd -dg -DF -e -F -FF -fz -J -k -l -ll -lf -s -so -TT -U -UN -ws.
";

/// Why zip ends.
#[derive(Debug)]
pub(crate) struct Failure {
    status: i32,
    /// Lines before the message.
    before: Vec<u8>,
    what: &'static str,
    detail: Vec<u8>,
    /// Whether zip itself would go on.
    refused: bool,
}

impl Failure {
    fn new(status: i32, what: &'static str, detail: impl Into<Vec<u8>>) -> Failure {
        Failure {
            status,
            before: b"\n".to_vec(),
            what,
            detail: detail.into(),
            refused: false,
        }
    }

    /// Arguments that make no sense.
    pub(crate) fn parameters(detail: impl Into<String>) -> Failure {
        Failure::new(16, "Invalid command arguments", detail.into())
    }

    /// An option that zip has and this has not.
    pub(crate) fn refused(detail: String) -> Failure {
        Failure {
            refused: true,
            ..Failure::parameters(detail)
        }
    }

    /// A method that is not known.
    pub(crate) fn method(name: &[u8]) -> Failure {
        let mut failure = Failure::parameters("Option -Z (--compression-method):  unknown method");
        let mut before = b"\tzip warning: valid compression methods are:  store, deflate, bzip2\n\tzip warning: \
                           unknown compression method found:  "
            .to_vec();
        before.extend(name);
        before.extend(b"\n\n");
        failure.before = before;
        failure
    }

    /// A file that cannot be read.
    pub(crate) fn open(error: &io::Error, name: &[u8]) -> Failure {
        Failure::io(18, "File not found or no read permission", error, name)
    }

    fn io(status: i32, what: &'static str, error: &io::Error, name: &[u8]) -> Failure {
        let mut failure = Failure::new(status, what, name);
        failure.before = format!("zip I/O error: {}\n", io_text(error)).into_bytes();
        failure
    }

    fn nothing(detail: impl Into<Vec<u8>>) -> Failure {
        Failure::new(12, "Nothing to do!", detail)
    }

    /// Ends without a message.
    fn silent(status: i32) -> Failure {
        Failure {
            status,
            before: Vec::new(),
            what: "",
            detail: Vec::new(),
            refused: false,
        }
    }
}

/// `zip`.
pub(crate) fn main(_: &str, arguments: Arguments) -> i32 {
    let filter = arguments.is_empty();
    let mut out = Messages {
        to_stderr: false,
        line_started: false,
    };
    let result = match settings::read(arguments) {
        Ok(Asked::Help) => {
            print!("{HELP}");
            Ok(0)
        }
        Ok(Asked::Version) => {
            println!("This is Zip 3.0 (codepod)");
            Ok(0)
        }
        Ok(Asked::Run(settings)) => run(*settings, filter, &mut out),
        Err(failure) => Err(failure),
    };
    let status = result.unwrap_or_else(|failure| {
        if failure.refused {
            // Not a message of zip's: it goes where messages go.
            out.to_stderr = true;
        }
        if !failure.what.is_empty() {
            if out.line_started {
                out.say(b"\n");
            }
            let text = [
                &failure.before[..],
                b"zip error: ",
                failure.what.as_bytes(),
                b" (",
                &failure.detail,
                b")\n",
            ];
            out.say(&text.concat());
        }
        failure.status
    });
    match io::stdout().flush() {
        Ok(()) => status,
        Err(_) if status == 0 => 14,
        Err(_) => status,
    }
}

/// What zip says: on standard output, or on standard error where the archive goes to standard
/// output.
pub(crate) struct Messages {
    to_stderr: bool,
    line_started: bool,
}

impl Messages {
    /// Says something.
    pub(crate) fn say(&mut self, text: &[u8]) {
        // The status tells enough where nothing can be written.
        let _ = match self.to_stderr {
            true => io::stderr().write_all(text),
            false => io::stdout().write_all(text),
        };
        if let Some(last) = text.last() {
            self.line_started = *last != b'\n';
        }
    }

    /// Warns.
    pub(crate) fn warn(&mut self, text: &str, name: &[u8]) {
        if self.line_started {
            self.say(b"\n");
        }
        self.say(&[b"\tzip warning: ", text.as_bytes(), name, b"\n"].concat());
    }
}

/// An archive that is there.
#[derive(Default)]
struct Old {
    file: Option<File>,
    entries: Vec<Entry>,
    comment: Vec<u8>,
    /// Bytes before the first entry that belong to something else.
    prefix: u64,
    /// Bytes to add to the offsets of entries.
    shift: u64,
    meta: Option<Meta>,
}

fn run(mut settings: Settings, filter: bool, out: &mut Messages) -> Result<i32, Failure> {
    let to_stdout = filter || settings.archive.as_deref() == Some(b"-");
    out.to_stderr = to_stdout;
    if filter {
        if io::stdout().is_terminal() {
            print!("{HELP}");
            return Ok(0);
        }
        settings.files.push(b"-".to_vec());
    }
    let Some(mut name) = settings
        .archive
        .take()
        .or_else(|| filter.then(|| b"-".to_vec()))
    else {
        if settings.verbose {
            println!("This is Zip 3.0 (codepod)");
            return Ok(0);
        }
        return Err(Failure::parameters("nothing to select from"));
    };
    if to_stdout && io::stdout().is_terminal() {
        return Err(Failure::parameters("cannot write zip file to terminal"));
    }
    if settings.files.is_empty() && !settings.include.is_empty() {
        return Err(Failure::parameters("nothing to select from"));
    }
    name = with_suffix(name, to_stdout);
    let old = if to_stdout {
        Old::default()
    } else {
        read_old(&name, out)?
    };
    if settings.names_stdin {
        let mut text = Vec::new();
        io::stdin()
            .read_to_end(&mut text)
            .map_err(|error| Failure::open(&error, b"stdin"))?;
        let lines = text
            .split(|byte| *byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        settings
            .files
            .extend(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec));
    }
    if settings.action == Action::Freshen && settings.files.is_empty() {
        settings.files = old.entries.iter().map(|entry| entry.name.clone()).collect();
    }
    let zone = Zone::from_environment();
    let planner = Planner {
        settings: &settings,
        name: &name,
        old: &old,
        zone: &zone,
        out,
    };
    let plan = planner.plan()?;
    if settings.show_files {
        plan::show(&settings, &old, &plan, out);
        return Ok(0);
    }
    let target = match settings.output.take() {
        Some(output) => with_suffix(output, to_stdout),
        None => name.clone(),
    };
    let mut work = write::Work {
        settings: &settings,
        out,
        zone: &zone,
        bad: (0, 0),
        read: (0, 0),
    };
    let written = work.write(&name, &target, &old, plan, to_stdout)?;
    if settings.remove {
        remove(&written, &settings);
    }
    Ok(if work.bad.0 > 0 { 18 } else { 0 })
}

/// An archive's name, with `.zip` where its last part has no ending.
fn with_suffix(name: Vec<u8>, to_stdout: bool) -> Vec<u8> {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or(&name);
    match last.contains(&b'.') || to_stdout {
        true => name,
        false => [&name[..], b".zip"].concat(),
    }
}

/// Reads the archive that is to be changed; one that is not there is empty.
fn read_old(name: &[u8], out: &mut Messages) -> Result<Old, Failure> {
    let Ok(meta) = system::stat(name, true) else {
        return Ok(Old::default());
    };
    if meta.is_directory() {
        return Err(Failure::new(15, "Could not create output file", name));
    }
    let broken = |_| Failure::new(3, "Zip file structure invalid", name);
    let mut file = system::open(name).map_err(|error| Failure::open(&error, name))?;
    let Some(end) = find_end(&mut file, meta.size, meta.size).map_err(broken)? else {
        out.warn(
            "missing end signature--probably not a zip file (did you",
            b"",
        );
        out.warn("remember to use binary mode when you transferred it?)", b"");
        out.warn("(if you are trying to read a damaged archive try -F)", b"");
        return Err(Failure::new(3, "Zip file structure invalid", name));
    };
    let Some(shift) = end.real().checked_sub(end.expected()) else {
        return Err(Failure::new(3, "Zip file structure invalid", name));
    };
    let mut directory = Vec::new();
    file.seek(SeekFrom::Start(end.offset + shift))
        .map_err(broken)?;
    (&file)
        .take(end.size)
        .read_to_end(&mut directory)
        .map_err(broken)?;
    let mut rest = &directory[..];
    let mut entries = Vec::new();
    while rest.starts_with(&CENTRAL) {
        let Some((entry, length)) = Entry::parse(rest) else {
            break;
        };
        if entry.packed > u64::from(u32::MAX) || entry.plain > u64::from(u32::MAX) {
            return Err(Failure::new(
                20,
                "Attempt to read unsupported Zip64 archive",
                name,
            ));
        }
        rest = &rest[length..];
        entries.push(entry);
    }
    if entries.len() as u64 != end.entries || !rest.is_empty() {
        return Err(Failure::new(3, "Zip file structure invalid", name));
    }
    let first = entries.iter().map(|entry| entry.offset).min().unwrap_or(0);
    Ok(Old {
        file: Some(file),
        entries,
        comment: end.comment,
        prefix: first + shift,
        shift,
        meta: Some(meta),
    })
}

/// `-m`: files that are in the archive now go away, directories when they are empty.
fn remove(written: &[(Vec<u8>, bool)], settings: &Settings) {
    for (name, is_directory) in written.iter().rev() {
        // What is still in use stays, as with zip.
        let _ = match is_directory {
            true if settings.recurse => std::fs::remove_dir(path(name)),
            true => Ok(()),
            false => std::fs::remove_file(path(name)),
        };
    }
}

/// A name as zip shows it.
fn display(name: &[u8]) -> Vec<u8> {
    shown(name)
}
