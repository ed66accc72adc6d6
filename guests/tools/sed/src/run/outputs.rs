//! Where a script prints and writes.

use std::fs::File;

use codepod_tool::{complain, io_text, path};

use super::Fatal;
use super::edited::Edited;
use crate::output::Sink;

/// Everything that lines go to.
pub(super) struct Outputs {
    /// Standard output first, then the files of the script.
    sinks: Vec<Sink>,
    /// Which sink each output of the script is.
    sink_of: Vec<usize>,
    /// The file whose new form takes the place of standard output.
    pub(super) edited: Option<Edited>,
    /// How lines end.
    end: u8,
}

impl Outputs {
    /// Standard output alone.
    pub(super) fn new(unbuffered: bool, end: u8) -> Outputs {
        Outputs {
            sinks: vec![Sink::stdout(unbuffered)],
            sink_of: Vec::new(),
            edited: None,
            end,
        }
    }

    /// Opens the files of a script.
    pub(super) fn open(&mut self, names: &[Vec<u8>]) -> Result<(), Fatal> {
        for name in names {
            let sink = match &name[..] {
                b"/dev/stdout" => {
                    self.sink_of.push(0);
                    continue;
                }
                b"/dev/stderr" => Sink::stderr(),
                _ => match File::create(path(name)) {
                    Ok(file) => Sink::file(file),
                    Err(error) => return Err(Fatal::file("couldn't open file ", name, &error)),
                },
            };
            self.sinks.push(sink);
            self.sink_of.push(self.sinks.len() - 1);
        }
        Ok(())
    }

    /// Prints a line.
    pub(super) fn print(&mut self, (text, ended): (&[u8], bool)) {
        let end = self.end;
        self.printed().line(text, ended, end);
    }

    /// Prints text behind the line that was printed last.
    pub(super) fn put(&mut self, text: &[u8]) {
        let end = self.end;
        let sink = self.printed();
        sink.end_last(end);
        sink.put(text);
    }

    /// Writes a line to an output of the script.
    pub(super) fn write(&mut self, output: usize, (text, ended): (&[u8], bool)) {
        let sink = self.sink_of[output];
        self.sinks[sink].line(text, ended, self.end);
    }

    /// Writes what was collected for standard output.
    pub(super) fn write_out_stdout(&mut self) {
        self.sinks[0].write_out();
    }

    /// Writes what was collected for files.
    pub(super) fn write_out_files(&mut self) {
        self.sinks.iter_mut().skip(1).for_each(Sink::write_out);
    }

    /// Whether standard output has failed.
    pub(super) fn is_broken(&self) -> bool {
        self.sinks[0].is_broken()
    }

    /// Writes the rest and says whether that worked; where it did not, tells why.
    pub(super) fn finish(&mut self) -> bool {
        let mut fine = true;
        for sink in &mut self.sinks {
            if let Err(error) = sink.finish() {
                let error = io_text(&error);
                complain("sed", format!("couldn't write to output: {error}"));
                fine = false;
            }
        }
        fine
    }

    /// Where lines are printed.
    fn printed(&mut self) -> &mut Sink {
        match &mut self.edited {
            Some(edited) => &mut edited.new,
            None => &mut self.sinks[0],
        }
    }
}
