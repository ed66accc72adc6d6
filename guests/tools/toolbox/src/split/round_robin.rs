//! `-n r/N`: the lines in turn.

use codepod_tool::Stop;
use memchr::memchr;

use super::chunks::Plan;
use super::input::{BLOCK, Input};
use super::sink::{Sink, Sinks};

/// How much is collected before it is written.
const COLLECTED: usize = 4 << 20;

/// A piece, and what was not written to it yet. Its file is opened for every write, because there
/// may be many.
struct Slot {
    name: Vec<u8>,
    waiting: Vec<u8>,
}

impl Slot {
    fn new(sinks: &mut Sinks) -> Result<Slot, Stop> {
        Ok(Slot {
            name: sinks.begin()?.into_name(),
            waiting: Vec::new(),
        })
    }

    fn write(&mut self) -> Result<(), Stop> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        Sink::append(&self.name, &self.waiting)?;
        self.waiting = Vec::new();
        Ok(())
    }
}

/// Gives the lines to the pieces in turn, or prints those of one.
pub(super) fn run(plan: &Plan, input: &mut Input, sinks: &mut Sinks) -> Result<(), Stop> {
    match plan.chunks.one {
        Some(one) => print(plan, one, input, sinks),
        None => share(plan, input, sinks),
    }
}

fn print(plan: &Plan, one: u64, input: &mut Input, sinks: &mut Sinks) -> Result<(), Stop> {
    let mut place = 0;
    each_part(plan.separator, input, |part, ends| {
        if place + 1 == one {
            sinks.print(part)?;
            if plan.is_unbuffered {
                sinks.flush()?;
            }
        }
        if ends {
            place = (place + 1) % plan.chunks.count;
        }
        Ok(())
    })?;
    sinks.flush()
}

fn share(plan: &Plan, input: &mut Input, sinks: &mut Sinks) -> Result<(), Stop> {
    let mut slots: Vec<Slot> = Vec::new();
    let mut place = 0;
    let mut collected = 0;
    each_part(plan.separator, input, |part, ends| {
        if place == slots.len() {
            slots.push(Slot::new(sinks)?);
        }
        let slot = &mut slots[place];
        slot.waiting.extend_from_slice(part);
        collected += part.len();
        if plan.is_unbuffered {
            slot.write()?;
        }
        if collected > COLLECTED {
            slots.iter_mut().try_for_each(Slot::write)?;
            collected = 0;
        }
        if ends {
            place += 1;
            if place as u64 == plan.chunks.count {
                place = 0;
            }
        }
        Ok(())
    })?;
    slots.iter_mut().try_for_each(Slot::write)?;
    let made = slots.len() as u64;
    if !plan.elides {
        for _ in made..plan.chunks.count {
            sinks.put(b"")?;
            sinks.end();
        }
    }
    Ok(())
}

/// Hands the input to `take` in parts of lines, and says of each whether it ends its line.
fn each_part(
    separator: u8,
    input: &mut Input,
    mut take: impl FnMut(&[u8], bool) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut buffer = vec![0; BLOCK];
    loop {
        let mut block = input.read(&mut buffer)?;
        if block.is_empty() {
            return Ok(());
        }
        while !block.is_empty() {
            let end = memchr(separator, block).map(|found| found + 1);
            let (part, rest) = block.split_at(end.unwrap_or(block.len()));
            take(part, end.is_some())?;
            block = rest;
        }
    }
}
