//! `tsort`: puts words into an order in which each stands before those that need it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, io_text, long, path,
    quoted_if_needed, quoted_text,
};

use crate::arguments::{help, version};
use crate::output::finish;

#[derive(Clone, Copy)]
enum Key {
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match file(tool, arguments).and_then(|name| Ok((read(&name)?, name))) {
        Ok((text, name)) => run(tool, &name, &text),
        Err(stop) => stop.report(tool, 1),
    }
}

/// The name of the file to read.
fn file(tool: &str, arguments: Arguments) -> Result<Vec<u8>, Stop> {
    let files = Options::new(TABLE, arguments).each(|key, _| -> Result<(), Stop> {
        Err(Stop::Status(match key {
            Key::Help => help(
                tool,
                "[OPTION] [FILE]",
                "Write totally ordered list consistent with the partial ordering in FILE.",
                TABLE,
            ),
            Key::Version => version(tool),
        }))
    })?;
    if let Some(extra) = files.get(1) {
        let message = [b"extra operand ", &quoted_text(extra)[..]].concat();
        return Err(Usage::new(message).into());
    }
    Ok(files.into_iter().next().unwrap_or_else(|| b"-".to_vec()))
}

fn read(name: &[u8]) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    // GNU's takes what cannot be read, such as a directory, for the end of the file.
    if name == b"-" {
        let _ = io::stdin().lock().read_to_end(&mut text);
        return Ok(text);
    }
    let mut file = File::open(path(name)).map_err(|error| {
        let name = quoted_if_needed(name);
        Stop::failed([&name[..], b": ", io_text(&error).as_bytes()].concat())
    })?;
    let _ = file.read_to_end(&mut text);
    Ok(text)
}

fn run(tool: &str, name: &[u8], text: &[u8]) -> i32 {
    let name = quoted_if_needed(name);
    let Some(mut graph) = Graph::read(text) else {
        let message = [&name[..], b": input contains an odd number of tokens"].concat();
        complain(tool, message);
        return 1;
    };
    let mut out = Output::new();
    let mut status = 0;
    loop {
        graph.print_free(&mut out);
        if graph.left == 0 || out.is_broken() {
            break;
        }
        out.write_out();
        complain(tool, [&name[..], b": input contains a loop:"].concat());
        for word in graph.break_loop() {
            complain(tool, graph.nodes[word].word);
        }
        status = 1;
    }
    finish(tool, &mut out, status, 1)
}

/// A word.
struct Node<'a> {
    word: &'a [u8],
    /// How many words have to be printed before it.
    needs: usize,
    /// The words that wait for it, in the order in which they were read.
    followers: Vec<usize>,
    printed: bool,
}

/// The words, and which stand before which.
struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    /// The words in the order of their bytes.
    sorted: Vec<usize>,
    /// How many were not printed yet.
    left: usize,
}

impl Graph<'_> {
    /// Reads pairs of words. None if the last word has no other.
    fn read(text: &[u8]) -> Option<Graph<'_>> {
        let mut places = HashMap::new();
        let mut nodes: Vec<Node<'_>> = Vec::new();
        let mut first = None;
        let words = text.split(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
        for word in words.filter(|word| !word.is_empty()) {
            // Words end for C at a NUL.
            let word = &word[..memchr::memchr(0, word).unwrap_or(word.len())];
            let place = *places.entry(word).or_insert_with(|| {
                nodes.push(Node {
                    word,
                    needs: 0,
                    followers: Vec::new(),
                    printed: false,
                });
                nodes.len() - 1
            });
            match first.take() {
                None => first = Some(place),
                Some(before) if before != place => {
                    nodes[before].followers.push(place);
                    nodes[place].needs += 1;
                }
                Some(_) => {}
            }
        }
        let mut sorted: Vec<usize> = (0..nodes.len()).collect();
        sorted.sort_unstable_by_key(|place| nodes[*place].word);
        let left = nodes.len();
        first.is_none().then_some(Graph {
            nodes,
            sorted,
            left,
        })
    }

    /// Prints the words that need no others, and those that then need none any more.
    fn print_free(&mut self, out: &mut Output) {
        let free = |place: &usize| self.nodes[*place].needs == 0 && !self.nodes[*place].printed;
        let mut queue: Vec<usize> = self.sorted.iter().copied().filter(free).collect();
        let mut at = 0;
        while let Some(&place) = queue.get(at) {
            at += 1;
            out.put(self.nodes[place].word);
            out.put_byte(b'\n');
            self.nodes[place].printed = true;
            self.left -= 1;
            // The last that was read comes first.
            for follower in std::mem::take(&mut self.nodes[place].followers)
                .into_iter()
                .rev()
            {
                let node = &mut self.nodes[follower];
                node.needs -= 1;
                if node.needs == 0 {
                    queue.push(follower);
                }
            }
        }
    }

    /// Finds a loop, takes one of its relations away, and returns its words.
    ///
    /// It goes from a word to one before it, again and again, each time through the words in their
    /// order, until it comes to a word for the second time.
    fn break_loop(&mut self) -> Vec<usize> {
        let waiting = |place: &usize| self.nodes[*place].needs > 0;
        let waiting: Vec<usize> = self.sorted.iter().copied().filter(waiting).collect();
        let mut trail: Vec<usize> = Vec::new();
        let mut on_trail = vec![false; self.nodes.len()];
        for &place in waiting.iter().cycle() {
            let Some(&head) = trail.last() else {
                trail.push(place);
                continue;
            };
            let followers = &self.nodes[place].followers;
            let Some(relation) = followers.iter().rposition(|follower| *follower == head) else {
                continue;
            };
            // The first word of the trail counts as seen only once it was reached.
            if !on_trail[place] {
                on_trail[place] = true;
                trail.push(place);
                continue;
            }
            self.nodes[place].followers.remove(relation);
            self.nodes[head].needs -= 1;
            let start = trail.iter().rposition(|word| *word == place).unwrap_or(0);
            return trail[start..].iter().rev().copied().collect();
        }
        Vec::new()
    }
}
