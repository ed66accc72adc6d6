//! The lines that `log --graph` draws beside commits.
//!
//! Every branch that is still open has a column. A commit takes the place of its column, its
//! parents take columns after it, and the lines between one commit and the next move columns to the
//! left until none is left out.

use std::collections::HashSet;

use crate::object::Commit;
use crate::oid::Oid;
use crate::out::put;

/// What the next line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing to do: columns go straight on.
    Padding,
    /// The last commit was left before its lines were done.
    Skip,
    /// Columns make room for a merge of many.
    Before,
    /// The commit itself.
    Commit,
    /// The lines from a merge to its parents.
    Merge,
    /// Columns move to the left.
    Collapse,
}

/// A column: the commit that comes next in it, and its colour.
#[derive(Debug, Clone, Copy)]
struct Column {
    commit: Oid,
    color: usize,
}

const COLORS: [&str; 12] = [
    "\x1b[31m",
    "\x1b[32m",
    "\x1b[33m",
    "\x1b[34m",
    "\x1b[35m",
    "\x1b[36m",
    "\x1b[1;31m",
    "\x1b[1;32m",
    "\x1b[1;33m",
    "\x1b[1;34m",
    "\x1b[1;35m",
    "\x1b[1;36m",
];

/// The graph as far as it is drawn.
pub(crate) struct Graph {
    colored: bool,
    /// Commits that are not shown because a range leaves them out.
    hidden: HashSet<Oid>,
    commit: Oid,
    parents: Vec<Oid>,
    columns: Vec<Column>,
    new_columns: Vec<Column>,
    /// Where the line at a place leads: a column, or none.
    mapping: Vec<Option<usize>>,
    old_mapping: Vec<Option<usize>>,
    width: usize,
    row: usize,
    state: State,
    last_state: State,
    at: usize,
    last_at: usize,
    /// 0 when the first parent goes to the left, 1 when straight down; none when there is no
    /// merge.
    layout: Option<usize>,
    edges: isize,
    last_edges: isize,
    color: usize,
}

/// A line that is being drawn, with its width on the screen.
#[derive(Default)]
struct Line {
    text: Vec<u8>,
    width: usize,
}

impl Graph {
    /// An empty graph.
    pub(crate) fn new(colored: bool, hidden: HashSet<Oid>) -> Graph {
        Graph {
            colored,
            hidden,
            commit: Oid::NULL,
            parents: Vec::new(),
            columns: Vec::new(),
            new_columns: Vec::new(),
            mapping: Vec::new(),
            old_mapping: Vec::new(),
            width: 0,
            row: 0,
            state: State::Padding,
            last_state: State::Padding,
            at: 0,
            last_at: 0,
            layout: None,
            edges: 0,
            last_edges: 0,
            color: COLORS.len() - 1,
        }
    }

    fn set(&mut self, state: State) {
        self.last_state = self.state;
        self.state = state;
    }

    /// Goes on to the next commit.
    pub(crate) fn start(&mut self, commit: &Commit) {
        self.commit = commit.oid;
        self.parents = commit
            .parents
            .iter()
            .copied()
            .filter(|parent| !self.hidden.contains(parent))
            .collect();
        self.last_at = self.at;
        self.update_columns();
        self.row = 0;
        let next = match () {
            () if self.state != State::Padding => State::Skip,
            () if self.needs_room() => State::Before,
            () => State::Commit,
        };
        self.state = next;
    }

    fn needs_room(&self) -> bool {
        self.parents.len() >= 3 && self.at + 1 < self.columns.len() && self.row < self.dashed() * 2
    }

    fn dashed(&self) -> usize {
        (self.parents.len() + self.layout.unwrap_or(0)).saturating_sub(3)
    }

    fn find(&self, commit: &Oid) -> Option<usize> {
        self.new_columns
            .iter()
            .position(|column| column.commit == *commit)
    }

    fn update_columns(&mut self) {
        self.columns = std::mem::take(&mut self.new_columns);
        let most = self.columns.len() + self.parents.len() + 1;
        self.mapping = vec![None; most * 2 + 2];
        self.old_mapping.resize(self.mapping.len(), None);
        self.width = 0;
        self.last_edges = self.edges;
        self.edges = 0;
        let mut seen = false;
        let mut known = true;
        for at in 0..=self.columns.len() {
            let commit = match self.columns.get(at) {
                Some(column) => column.commit,
                None if seen => break,
                None => {
                    known = false;
                    self.commit
                }
            };
            if commit != self.commit {
                self.insert(commit, None);
                continue;
            }
            seen = true;
            self.at = at;
            self.layout = None;
            for parent in self.parents.clone() {
                if self.parents.len() > 1 || !known {
                    self.color = (self.color + 1) % COLORS.len();
                }
                self.insert(parent, Some(at));
            }
            if self.parents.is_empty() {
                self.width += 2;
            }
        }
        while self.mapping.len() > 1 && self.mapping.last() == Some(&None) {
            self.mapping.pop();
        }
    }

    fn insert(&mut self, commit: Oid, from: Option<usize>) {
        let to = match self.find(&commit) {
            Some(to) => to,
            None => {
                let old = self.columns.iter().find(|column| column.commit == commit);
                let color = old.map_or(self.color, |column| column.color);
                self.new_columns.push(Column { commit, color });
                self.new_columns.len() - 1
            }
        };
        let place = match from {
            Some(from) if self.parents.len() > 1 && self.layout.is_none() => {
                let distance = from as isize - to as isize;
                let shift = if distance > 1 { 2 * distance - 3 } else { 1 };
                let layout = usize::from(distance <= 0);
                self.layout = Some(layout);
                self.edges = (self.parents.len() + layout) as isize - 2;
                let place = self.width as isize + (layout as isize - 1) * shift;
                self.width += 2 * layout;
                place.max(0) as usize
            }
            _ if self.edges > 0 && self.width >= 2 && self.mapping[self.width - 2] == Some(to) => {
                self.edges = -1;
                self.width - 2
            }
            _ => {
                self.width += 2;
                self.width - 2
            }
        };
        if place < self.mapping.len() {
            self.mapping[place] = Some(to);
        }
    }

    fn is_settled(&self) -> bool {
        self.mapping
            .iter()
            .enumerate()
            .all(|(at, to)| to.is_none_or(|to| to == at / 2))
    }

    fn draw(&self, line: &mut Line, column: Option<&Column>, sign: char) {
        match column.filter(|_| self.colored) {
            Some(column) => {
                line.text
                    .extend(COLORS[column.color % COLORS.len()].bytes());
                line.text.push(sign as u8);
                line.text.extend(b"\x1b[m");
            }
            None => line.text.push(sign as u8),
        }
        line.width += 1;
    }

    fn space(line: &mut Line) {
        line.text.push(b' ');
        line.width += 1;
    }

    /// Draws the next line; whether it is the one with the commit.
    fn next(&mut self) -> (Vec<u8>, bool) {
        let mut line = Line::default();
        let mut is_commit = false;
        match self.state {
            State::Padding => {
                for column in self.new_columns.clone() {
                    self.draw(&mut line, Some(&column), '|');
                    Graph::space(&mut line);
                }
            }
            State::Skip => {
                line.text.extend(b"...");
                line.width += 3;
                let next = if self.needs_room() {
                    State::Before
                } else {
                    State::Commit
                };
                self.set(next);
            }
            State::Before => self.before(&mut line),
            State::Commit => {
                is_commit = true;
                self.commit_line(&mut line);
            }
            State::Merge => self.merge_line(&mut line),
            State::Collapse => self.collapse(&mut line),
        }
        while line.width < self.width {
            Graph::space(&mut line);
        }
        (line.text, is_commit)
    }

    fn before(&mut self, line: &mut Line) {
        let mut seen = false;
        for at in 0..self.columns.len() {
            let column = self.columns[at];
            if column.commit == self.commit {
                seen = true;
                self.draw(line, Some(&column), '|');
                for _ in 0..self.row {
                    Graph::space(line);
                }
            } else if seen && self.row == 0 {
                let moved = self.last_state == State::Merge && self.last_at < at;
                self.draw(line, Some(&column), if moved { '\\' } else { '|' });
            } else if seen {
                self.draw(line, Some(&column), '\\');
            } else {
                self.draw(line, Some(&column), '|');
            }
            Graph::space(line);
        }
        self.row += 1;
        if !self.needs_room() {
            self.set(State::Commit);
        }
    }

    fn commit_line(&mut self, line: &mut Line) {
        let mut seen = false;
        for at in 0..=self.columns.len() {
            let column = self.columns.get(at).copied();
            let commit = match column {
                Some(column) => column.commit,
                None if seen => break,
                None => self.commit,
            };
            if commit == self.commit {
                seen = true;
                line.text.push(b'*');
                line.width += 1;
                if self.parents.len() > 2 {
                    self.octopus(line);
                }
            } else if seen && self.edges > 1 {
                self.draw(line, column.as_ref(), '\\');
            } else if seen && self.edges == 1 {
                let moved =
                    self.last_state == State::Merge && self.last_edges > 0 && self.last_at < at;
                self.draw(line, column.as_ref(), if moved { '\\' } else { '|' });
            } else if self.last_state == State::Collapse
                && self.old_mapping.get(2 * at + 1).copied().flatten() == Some(at)
                && self
                    .mapping
                    .get(2 * at)
                    .copied()
                    .flatten()
                    .is_some_and(|to| to < at)
            {
                self.draw(line, column.as_ref(), '/');
            } else {
                self.draw(line, column.as_ref(), '|');
            }
            Graph::space(line);
        }
        let next = match () {
            () if self.parents.len() > 1 => State::Merge,
            () if self.is_settled() => State::Padding,
            () => State::Collapse,
        };
        self.set(next);
    }

    fn octopus(&self, line: &mut Line) {
        let dashed = self.dashed();
        for number in 0..dashed {
            let to = self
                .mapping
                .get((self.at + number + 2) * 2)
                .copied()
                .flatten();
            let column = to.and_then(|to| self.new_columns.get(to));
            self.draw(line, column, '-');
            self.draw(line, column, if number + 1 == dashed { '.' } else { '-' });
        }
    }

    fn merge_line(&mut self, line: &mut Line) {
        const SIGNS: [char; 3] = ['/', '|', '\\'];
        let first = self.parents.first().copied();
        let mut seen = false;
        let mut over: Option<Column> = None;
        for at in 0..=self.columns.len() {
            let column = self.columns.get(at).copied();
            let commit = match column {
                Some(column) => column.commit,
                None if seen => break,
                None => self.commit,
            };
            if commit == self.commit {
                seen = true;
                let mut sign = self.layout.unwrap_or(1);
                for (number, parent) in self.parents.iter().enumerate() {
                    let to = self.find(parent).and_then(|to| self.new_columns.get(to));
                    self.draw(line, to, SIGNS[sign]);
                    if sign == 2 {
                        if self.edges > 0 || number + 1 < self.parents.len() {
                            Graph::space(line);
                        }
                    } else {
                        sign += 1;
                    }
                }
                if self.edges == 0 {
                    Graph::space(line);
                }
            } else if seen {
                self.draw(
                    line,
                    column.as_ref(),
                    if self.edges > 0 { '\\' } else { '|' },
                );
                Graph::space(line);
            } else {
                self.draw(line, column.as_ref(), '|');
                if self.layout != Some(0) || at + 1 != self.at {
                    match over {
                        Some(column) => self.draw(line, Some(&column), '_'),
                        None => Graph::space(line),
                    }
                }
            }
            if Some(commit) == first {
                over = column;
            }
        }
        let next = if self.is_settled() {
            State::Padding
        } else {
            State::Collapse
        };
        self.set(next);
    }

    fn collapse(&mut self, line: &mut Line) {
        let size = self.mapping.len();
        let old = std::mem::replace(&mut self.mapping, vec![None; size]);
        let mut edge: Option<usize> = None;
        let mut edge_to = None;
        for at in 0..size {
            let Some(to) = old[at] else {
                continue;
            };
            if to * 2 == at {
                self.mapping[at] = Some(to);
                continue;
            }
            if at == 0 {
                continue;
            }
            let start = match self.mapping[at - 1] {
                None => {
                    self.mapping[at - 1] = Some(to);
                    at
                }
                Some(other) if other == to => continue,
                Some(_) => {
                    if at >= 2 {
                        self.mapping[at - 2] = Some(to);
                    }
                    at - 1
                }
            };
            if edge.is_none() {
                edge = Some(start);
                edge_to = Some(to);
                let mut place = to * 2 + 3;
                while place + 2 < at {
                    self.mapping[place] = Some(to);
                    place += 2;
                }
            }
        }
        self.old_mapping = self.mapping.clone();
        self.old_mapping.resize(size + 2, None);
        if self.mapping.last() == Some(&None) {
            self.mapping.pop();
        }
        let mut used = false;
        for at in 0..self.mapping.len() {
            let Some(to) = self.mapping[at] else {
                Graph::space(line);
                continue;
            };
            let column = self.new_columns.get(to).copied();
            if to * 2 == at {
                self.draw(line, column.as_ref(), '|');
            } else if edge_to == Some(to) && edge.is_some_and(|edge| at + 1 != edge) {
                if at != to * 2 + 3 {
                    self.mapping[at] = None;
                }
                used = true;
                self.draw(line, column.as_ref(), '_');
            } else {
                if used && edge.is_some_and(|edge| at < edge) {
                    self.mapping[at] = None;
                }
                self.draw(line, column.as_ref(), '/');
            }
        }
        if self.is_settled() {
            self.set(State::Padding);
        }
    }

    /// What stands before a line of text that is not the commit's first.
    pub(crate) fn prefix(&mut self) -> Vec<u8> {
        if self.state != State::Commit {
            return self.next().0;
        }
        let mut line = Line::default();
        for column in self.columns.clone() {
            self.draw(&mut line, Some(&column), '|');
            if column.commit == self.commit && self.parents.len() > 2 {
                for _ in 0..(self.parents.len() - 2) * 2 {
                    Graph::space(&mut line);
                }
            } else {
                Graph::space(&mut line);
            }
        }
        while line.width < self.width {
            Graph::space(&mut line);
        }
        self.last_state = State::Padding;
        line.text
    }

    /// The blank line between two commits.
    pub(crate) fn padding(&mut self) {
        put(&self.prefix());
        put(b"\n");
    }

    fn is_done(&self) -> bool {
        self.state == State::Padding
    }

    /// Prints a commit's text with the graph beside it, and the lines that are left. `ended` says
    /// that the text ends with a newline.
    pub(crate) fn commit_lines(&mut self, text: &[u8], ended: bool) {
        loop {
            let (line, is_commit) = self.next();
            put(&line);
            if is_commit {
                break;
            }
            put(b"\n");
        }
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                put(b"\n");
                put(&self.prefix());
            }
            put(line);
        }
        let _ = ended;
        put(b"\n");
        while !self.is_done() {
            put(&self.next().0);
            put(b"\n");
        }
    }

    /// Prints the lines that are left.
    pub(crate) fn finish(&mut self) {
        while !self.is_done() {
            put(&self.next().0);
            put(b"\n");
        }
    }
}
