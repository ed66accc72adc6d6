//! `tar`, as GNU's in daily use. Compression is done in process.

mod compare;
mod create;
mod dates;
mod extract;
mod header;
mod list;
mod names;
mod options;
mod pattern;
mod reader;
mod safe;
mod settings;
mod source;
mod transform;
mod update;
mod values;

use codepod_tool::{Arguments, complain};

use settings::{Early, Operation, Settings};

const HELP: &str = "\
Usage: tar [OPTION...] [FILE]...
GNU 'tar' saves many files together into a single archive, and can restore
individual files from it. This one is codepod's.

Operation:
  -A, --catenate         append tar files to an archive
  -c, --create           create a new archive
  -d, --diff             find differences between archive and file system
      --delete           delete from the archive
  -r, --append           append files to the end of an archive
  -t, --list             list the contents of an archive
  -u, --update           only append files newer than copy in archive
  -x, --extract          extract files from an archive

Archive:
  -f, --file=ARCHIVE     use this archive; - is standard input or output
  -z --gzip  -j --bzip2  -J --xz  --lzma  --zstd   filter through it
  -a, --auto-compress    use archive suffix to determine the compression
  -I, --use-compress-program=PROG   gzip, bzip2, xz, lzma or zstd with a level
  -H, --format=FORMAT    gnu, oldgnu, pax, posix, ustar, v7
  -b, --blocking-factor=BLOCKS  --record-size=N  -i, --ignore-zeros  -V, --label=TEXT

Names:
  -C, --directory=DIR    change to directory DIR
  -T, --files-from=FILE  get names from FILE;  --null  --add-file=FILE
      --exclude=PATTERN  -X, --exclude-from=FILE  --exclude-vcs
      --wildcards --no-wildcards --anchored --no-anchored --ignore-case
      --no-wildcards-match-slash --no-recursion --occurrence[=N]
      --strip-components=N  --transform=EXPRESSION  --one-top-level[=DIR]
  -P, --absolute-names   don't strip leading '/'s from file names
  -h, --dereference  --hard-dereference  --sort=none|name  -N, --newer=DATE

Files:
  -k, --keep-old-files  --skip-old-files  --keep-newer-files  --overwrite
  -U, --unlink-first  --recursive-unlink  --no-overwrite-dir  --remove-files
  -O, --to-stdout        extract files to standard output
  -m, --touch  -p, --preserve-permissions  --no-same-permissions
      --same-owner  -o, --no-same-owner  --numeric-owner
      --owner=NAME[:UID]  --group=NAME[:GID]  --mode=CHANGES
      --mtime=DATE  --clamp-mtime  --ignore-failed-read

Output:
  -v, --verbose  --full-time  --totals  --show-transformed-names
      --warning=KEYWORD  --help  --version
";

/// `tar`.
pub(crate) fn main(_tool: &str, arguments: Arguments) -> i32 {
    let settings = match Settings::read(arguments) {
        Ok(settings) => settings,
        Err(early) => return end_early(early),
    };
    let Some(operation) = settings.operation else {
        return end_early(Early::Usage(
            b"You must specify one of the '-Acdtrux', '--delete' or '--test-label' options"
                .to_vec(),
        ));
    };
    let mut run = Run::default();
    let done = match operation {
        Operation::Create => create::run(settings, &mut run),
        Operation::Extract => extract::run(settings, &mut run),
        Operation::List => list::run(settings, &mut run),
        Operation::Compare => compare::run(settings, &mut run),
        Operation::Append | Operation::Update | Operation::Concatenate | Operation::Delete => {
            update::run(settings, operation, &mut run)
        }
    };
    match done {
        Ok(()) => {
            if run.status == 2 {
                complain("tar", "Exiting with failure status due to previous errors");
            }
            run.status
        }
        Err(Fatal::Told) => {
            complain("tar", "Error is not recoverable: exiting now");
            2
        }
        Err(Fatal::Usage(message)) => end_early(Early::Usage(message.into_bytes())),
        Err(Fatal::Output(message)) => {
            complain("tar", message);
            complain("tar", "Error is not recoverable: exiting now");
            2
        }
    }
}

fn end_early(early: Early) -> i32 {
    match early {
        Early::Usage(message) => {
            complain("tar", message);
            eprintln!("Try 'tar --help' or 'tar --usage' for more information.");
            2
        }
        Early::Getopt(message) => {
            complain("tar", message);
            eprintln!("Try 'tar --help' or 'tar --usage' for more information.");
            64
        }
        Early::Fatal(message) => {
            match message.strip_suffix('\0') {
                Some(message) => {
                    complain("tar", message);
                    complain("tar", "Error is not recoverable: exiting now");
                }
                None => complain("tar", message),
            }
            2
        }
        Early::Help => {
            print!("{HELP}");
            0
        }
        Early::Version => {
            println!("tar (GNU tar) 1.34\nThis is codepod's tar, which behaves as GNU's.");
            0
        }
    }
}

/// Why an operation cannot go on.
#[derive(Debug)]
pub(crate) enum Fatal {
    /// It was told.
    Told,
    /// The arguments do not fit together.
    Usage(String),
    /// This has to be told.
    Output(String),
}

/// What an operation has come to.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// 1 when files differ or changed, 2 when something went wrong.
    pub(crate) status: i32,
    /// Which prefixes were told to be removed.
    told: Vec<(Vec<u8>, bool)>,
}

impl Run {
    /// Says that something went wrong, and goes on.
    pub(crate) fn error(&mut self, message: impl AsRef<[u8]>) {
        complain("tar", message);
        self.status = 2;
    }

    /// Says something that changes nothing.
    pub(crate) fn warn(&mut self, message: impl AsRef<[u8]>) {
        complain("tar", message);
    }
}

/// A name as messages and lists show it: bytes that do not print are escaped.
pub(crate) fn shown(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\t' => out.extend_from_slice(b"\\t"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\u{7}' => out.extend_from_slice(b"\\a"),
                '\u{8}' => out.extend_from_slice(b"\\b"),
                '\u{b}' => out.extend_from_slice(b"\\v"),
                '\u{c}' => out.extend_from_slice(b"\\f"),
                letter if posix_regex::is_printable(letter) => {
                    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                letter => {
                    for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                        out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                    }
                }
            }
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
        }
    }
    out
}

/// A message about a name: `NAME: TEXT`.
pub(crate) fn about(name: &[u8], text: impl AsRef<str>) -> Vec<u8> {
    [&shown(name)[..], b": ", text.as_ref().as_bytes()].concat()
}
