//! `pr`: lays files out in pages and columns.

mod settings;
mod sheet;
mod source;

use std::io;

use codepod_datetime::{Moment, Zone};
use codepod_tool::{Arguments, Output, complain, complain_of};

use crate::system;
use crate::text_input::finish;
use settings::{Layout, Settings};
use sheet::Sheet;
use source::{Event, Source};

/// Lines of a page's header, and of its trailer.
const FRAME: u64 = 5;

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings::read(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut print = Print {
        tool,
        settings: &settings,
        sheet: Sheet::new(&settings),
        status: 0,
    };
    if settings.layout == Layout::Merge {
        print.merge();
    } else {
        for name in &settings.files {
            print.file(name);
        }
    }
    let status = print.status;
    finish(tool, &mut print.sheet.out, status)
}

/// What the pages of a file or of several have at their top.
struct Title {
    date: Vec<u8>,
    text: Vec<u8>,
}

/// Where the pages and lines of a file are counted.
struct Count {
    title: Title,
    page: u64,
    line: i64,
}

struct Print<'a> {
    tool: &'a str,
    settings: &'a Settings,
    sheet: Sheet<'a>,
    status: i32,
}

impl Print<'_> {
    /// Opens a file. Complains where that fails, unless it should not.
    fn open(&mut self, name: &[u8]) -> Option<Source> {
        match Source::open(name) {
            Ok(source) => Some(source),
            Err(error) => {
                self.status = 1;
                if self.settings.warnings {
                    self.complain_of(name, &error);
                }
                None
            }
        }
    }

    fn complain_of(&mut self, name: &[u8], error: &io::Error) {
        self.status = 1;
        self.sheet.out.write_out();
        complain_of(self.tool, name, &system::io_message(error));
    }

    /// Begins to count pages and lines.
    fn count(&self, name: Option<&[u8]>) -> Count {
        let named = name.filter(|name| *name != b"-");
        let stat = named.and_then(|name| system::stat(name, system::Links::Follow).ok());
        let time = match stat {
            Some(stat) => Moment::from_nanoseconds(stat.mtime),
            None => system::now(),
        };
        let zone = Zone::from_environment();
        let text = match (&self.settings.header, named) {
            (Some(text), _) => text.clone(),
            (None, Some(name)) => name.to_vec(),
            (None, None) => Vec::new(),
        };
        Count {
            title: Title {
                date: codepod_datetime::format(&self.settings.date, time, &zone),
                text,
            },
            page: 0,
            line: 1,
        }
    }

    /// How many rows a page has.
    fn rows(&self) -> usize {
        let settings = self.settings;
        let frame = if settings.headers { 2 * FRAME } else { 0 };
        let lines = settings.length - frame;
        let rows = if settings.double { lines / 2 } else { lines };
        usize::try_from(rows).unwrap_or(usize::MAX)
    }

    /// Whether the page that is counted is printed. The numbers of lines may start with the first
    /// that is.
    fn begins_page(&self, count: &mut Count) -> bool {
        count.page += 1;
        if count.page == self.settings.first_page
            && let Some(number) = self.settings.first_number
        {
            count.line = number;
        }
        count.page >= self.settings.first_page
    }

    /// Prints the pages of a file.
    fn file(&mut self, name: &[u8]) {
        let Some(mut source) = self.open(name) else {
            return;
        };
        let mut count = self.count(Some(name));
        let rows = self.rows();
        let capacity = rows.saturating_mul(self.settings.columns);
        while capacity > 0
            && !self.sheet.out.is_broken()
            && count.page < self.settings.last_page
            && source.has_more()
        {
            let printed = self.begins_page(&mut count);
            if printed {
                self.header(&count);
            }
            let used = if self.settings.columns == 1 {
                self.single(&mut source, rows, printed, &mut count)
            } else {
                let part = match self.settings.layout {
                    Layout::Down => rows,
                    _ => capacity,
                };
                let width = self.text_width();
                let lines = source.lines(capacity, part, |line| {
                    part == capacity || !self.sheet.leaves_out(line, width)
                });
                let ended = source.line_ended();
                self.columns(&lines, ended, printed, &mut count)
            };
            let fed = source.ends_page(used.full);
            if printed {
                self.trailer(used.lines, fed);
            }
        }
        if let Some(error) = source.failure.take() {
            self.complain_of(name, &error);
        }
        self.check_pages(&count);
    }

    fn check_pages(&mut self, count: &Count) {
        let first = self.settings.first_page;
        if count.page < first && first > 1 {
            self.sheet.out.write_out();
            let message = format!(
                "starting page number {first} exceeds page count {}",
                count.page.max(1)
            );
            complain(self.tool, message);
        }
    }

    fn header(&mut self, count: &Count) {
        if !self.settings.headers {
            return;
        }
        let title = &count.title;
        let page = format!("Page {}", count.page);
        let width = |text: &[u8]| String::from_utf8_lossy(text).chars().count() as u64;
        let taken = width(&title.date) + width(&title.text) + page.len() as u64;
        let free = self.settings.page_width.saturating_sub(taken);
        let (before, behind) = (free / 2, free - free / 2);
        self.sheet.margin();
        let out = &mut self.sheet.out;
        out.put(b"\n\n");
        put_blanks(out, self.settings.indent);
        out.put(&title.date);
        put_blanks(out, before.max(1));
        out.put(&title.text);
        put_blanks(out, behind.max(1));
        out.put(page.as_bytes());
        out.put(b"\n\n\n");
    }

    /// Ends a page that has some lines.
    fn trailer(&mut self, lines: u64, fed: bool) {
        let out = &mut self.sheet.out;
        if !self.settings.headers {
            if fed && self.settings.form_feeds {
                out.put_byte(12);
            }
        } else if self.settings.form_feed {
            // A page without lines has an empty one.
            if lines == 0 {
                out.put_byte(b'\n');
            }
            out.put_byte(12);
        } else {
            for _ in (FRAME + lines)..self.settings.length {
                out.put_byte(b'\n');
            }
        }
    }

    /// Prints a page of one column, line by line.
    fn single(
        &mut self,
        source: &mut Source,
        rows: usize,
        printed: bool,
        count: &mut Count,
    ) -> Used {
        let mut used = Used::default();
        let mut line = Vec::new();
        for _ in 0..rows {
            if self.sheet.out.is_broken() || source.line(&mut line) != Event::Line {
                return used;
            }
            if self.sheet.leaves_out(&line, self.text_width()) {
                continue;
            }
            if printed {
                self.sheet.start_line();
                self.cell(Some(count.line), &line);
                used.lines += self.end_row(source.line_ended());
            }
            count.line += 1;
        }
        used.full = true;
        used
    }

    /// Prints a page of several columns.
    fn columns(
        &mut self,
        lines: &[Vec<u8>],
        ended: bool,
        printed: bool,
        count: &mut Count,
    ) -> Used {
        let columns = self.settings.columns;
        let full = lines.len() == self.rows().saturating_mul(columns);
        let mut used = Used { lines: 0, full };
        let first = count.line;
        count.line += lines.len() as i64;
        if !printed {
            return used;
        }
        let height = lines.len().div_ceil(columns);
        for row in 0..height {
            self.sheet.start_line();
            for column in 0..columns {
                let place = match self.settings.layout {
                    Layout::Across => row * columns + column,
                    _ => match place_down(row, column, lines.len(), columns) {
                        Some(place) => place,
                        None => break,
                    },
                };
                let Some(line) = lines.get(place) else { break };
                if column > 0 {
                    self.next_column(column, 0);
                }
                self.cell(Some(first + place as i64), line);
            }
            // Where the input ends, no empty line follows the last row of columns that go down,
            // nor one across that is not complete.
            let across = self.settings.layout == Layout::Across;
            let complete = full || across && lines.len().is_multiple_of(columns);
            used.lines += self.end_row(row + 1 < height || complete && ended);
        }
        used
    }

    /// How wide the text of a line may be.
    fn text_width(&self) -> Option<u64> {
        let numbers = self.settings.numbers;
        let numbers = numbers.filter(|_| self.settings.layout != Layout::Merge);
        let taken = numbers.map_or(0, |numbers| numbers.width());
        let width = self.settings.column_width?;
        Some(width.saturating_sub(taken).max(1))
    }

    /// Prints the number of a line, if lines have numbers, and its text.
    fn cell(&mut self, number: Option<i64>, line: &[u8]) {
        if let (Some(numbers), Some(number)) = (self.settings.numbers, number) {
            self.sheet.number(number, numbers);
        }
        // A number before the text counts for its tabs where columns are stored.
        let numbers = self.settings.numbers;
        let numbers =
            numbers.filter(|_| self.settings.columns > 1 && self.settings.layout != Layout::Merge);
        let offset = numbers.map_or(0, |numbers| numbers.width());
        self.sheet.text(line, offset, self.text_width());
    }

    fn next_column(&mut self, column: usize, before: u64) {
        let width = self.settings.column_width.unwrap_or(0);
        let step = width + self.settings.separator.len() as u64;
        self.sheet.next_column(before + column as u64 * step);
    }

    /// Ends a row, and returns how many lines it took.
    fn end_row(&mut self, followed: bool) -> u64 {
        self.sheet.end_line();
        if self.settings.double && followed {
            self.sheet.out.put_byte(b'\n');
            return 2;
        }
        1
    }

    /// Prints all files side by side.
    fn merge(&mut self) {
        let mut sources = Vec::new();
        for name in &self.settings.files {
            if let Some(source) = self.open(name) {
                sources.push((name, source));
            }
        }
        let mut count = self.count(None);
        let rows = self.rows();
        while rows > 0
            && !self.sheet.out.is_broken()
            && count.page < self.settings.last_page
            && sources.iter_mut().any(|(_, source)| source.has_more())
        {
            let printed = self.begins_page(&mut count);
            if printed {
                self.header(&count);
            }
            let (mut used, mut done) = (0, 0);
            while done < rows && self.merge_row(&mut sources, printed, &mut count, &mut used) {
                done += 1;
            }
            let mut fed = false;
            for (_, source) in &mut sources {
                fed |= source.ends_page(done == rows);
            }
            if printed {
                self.trailer(used, fed);
            }
        }
        for (name, source) in &mut sources {
            if let Some(error) = source.failure.take() {
                self.complain_of(name, &error);
            }
        }
        self.check_pages(&count);
    }

    /// Prints a row of all files; whether any of them had a line.
    fn merge_row(
        &mut self,
        sources: &mut [(&Vec<u8>, Source)],
        printed: bool,
        count: &mut Count,
        used: &mut u64,
    ) -> bool {
        if !sources.iter().any(|(_, source)| source.is_open()) {
            return false;
        }
        let mut lines = Vec::with_capacity(sources.len());
        let mut any = false;
        for (_, source) in sources.iter_mut() {
            let mut line = Vec::new();
            any |= source.line(&mut line) == Event::Line;
            lines.push(line);
        }
        if !any {
            return false;
        }
        if printed {
            self.sheet.start_line();
            let before = self.settings.numbers.map_or(0, |numbers| numbers.width());
            // Nothing stands behind the last line of a page that a form feed or the end cuts off.
            let open = sources.iter().any(|(_, source)| source.is_open());
            let filled = lines.iter().rposition(|line| !line.is_empty());
            let shown = if open {
                lines.len()
            } else {
                filled.map_or(1, |last| last + 1)
            };
            for (column, line) in lines.iter().take(shown).enumerate() {
                let number = (column == 0).then_some(count.line);
                if column > 0 {
                    self.next_column(column, before);
                }
                self.cell(number, line);
            }
            *used += self.end_row(true);
        }
        count.line += 1;
        true
    }
}

/// How much of a page is used.
#[derive(Default)]
struct Used {
    lines: u64,
    /// Whether there is no room for another row.
    full: bool,
}

/// The line at a row of a column where lines go down: the first columns may be longer by one.
fn place_down(row: usize, column: usize, count: usize, columns: usize) -> Option<usize> {
    let (short, longer) = (count / columns, count % columns);
    let height = short + usize::from(column < longer);
    (row < height).then(|| column * short + column.min(longer) + row)
}

/// Prints blanks, of which there may be very many.
fn put_blanks(out: &mut Output, count: u64) {
    let mut left = count;
    while left > 0 && !out.is_broken() {
        out.put_byte(b' ');
        left -= 1;
    }
}
