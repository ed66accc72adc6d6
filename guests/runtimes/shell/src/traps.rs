//! What `trap` has set, and running it: at the end, after failures, around commands and when
//! signals come.
//!
//! A signal with a trap is caught: the kernel remembers it and waits fail with `Intr`. [`collect`]
//! fetches what came; [`check`] runs the traps between commands.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use codepod_sys::Signal;
use codepod_sys::signal::{self, Action, SignalSet};
use serde::{Deserialize, Serialize};

use crate::exec;
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::state::State;
use crate::text::Text;

/// What a trap is for: a signal's number, or one of the shell's own events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Event {
    /// The end of the shell.
    Exit,
    /// A signal by its number.
    Signal(u32),
    /// Before each simple command.
    Debug,
    /// A command failed where `set -e` would end the shell.
    Err,
    /// The end of a function or a sourced file.
    Return,
}

/// All traps. Changed by [`set`] only, so that the kernel knows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Traps {
    /// The command of each event; empty means that the signal is ignored.
    pub commands: BTreeMap<Event, Text>,
    /// Traps of the parent shell, which a subshell lists until it sets one of its own.
    pub inherited: BTreeMap<Event, Text>,
    /// Signals that were ignored when the shell started: they cannot be trapped.
    pub ignored: Vec<u32>,
    /// Signals to look for between commands, as bits.
    watched: u64,
    /// Signals that this shell drops, but not the programs it starts: what the keyboard sends to a
    /// job in the background.
    dropped: u64,
    /// Events to look for, as bits of [`Traps::DEBUG`] and so on.
    events: u8,
}

/// Signals that end a shell with an EXIT trap only after that has run.
const ENDING: [Signal; 8] = [
    Signal::Hup,
    Signal::Int,
    Signal::Usr1,
    Signal::Usr2,
    Signal::Alrm,
    Signal::Term,
    Signal::Xcpu,
    Signal::Vtalrm,
];

impl Traps {
    const DEBUG: u8 = 1;
    const ERR: u8 = 2;
    const RETURN: u8 = 4;
    const EXIT: u8 = 8;

    /// The command of an event.
    pub fn get(&self, event: Event) -> Option<&Text> {
        self.commands.get(&event)
    }

    /// Whether anything is to be done between commands.
    #[inline]
    fn has(&self, event: u8) -> bool {
        self.events & event != 0
    }

    /// Whether commands must be announced to a DEBUG trap.
    #[inline]
    pub fn debugs(&self) -> bool {
        self.has(Traps::DEBUG)
    }

    /// Whether the end of functions must be announced to a RETURN trap.
    #[inline]
    pub fn returns(&self) -> bool {
        self.has(Traps::RETURN)
    }

    /// Whether there is an ERR trap.
    #[inline]
    pub fn errs(&self) -> bool {
        self.has(Traps::ERR)
    }

    /// What is derived from the commands.
    fn derive(&mut self) {
        self.watched = 0;
        self.events = 0;
        for (event, command) in &self.commands {
            if command.is_empty() {
                continue;
            }
            match event {
                Event::Exit => self.events |= Traps::EXIT,
                Event::Debug => self.events |= Traps::DEBUG,
                Event::Err => self.events |= Traps::ERR,
                Event::Return => self.events |= Traps::RETURN,
                Event::Signal(number) => self.watched |= bit(*number),
            }
        }
        if self.has(Traps::EXIT) {
            for signal in ENDING {
                if !self.commands.contains_key(&Event::Signal(signal.raw())) {
                    self.watched |= signal.bit();
                }
            }
        }
    }

    /// What a signal does in the kernel.
    fn action(&self, number: u32) -> Action {
        match self.commands.get(&Event::Signal(number)) {
            Some(command) if command.is_empty() => Action::Ignore,
            Some(_) => Action::Catch,
            None if (self.watched | self.dropped) & bit(number) != 0 => Action::Catch,
            // Writing to a pipe that nobody reads must not end the shell with its subshells.
            None if number == Signal::Pipe.raw() => Action::Catch,
            None => Action::Default,
        }
    }
}

fn bit(number: u32) -> u64 {
    1u64.checked_shl(number).unwrap_or(0)
}

thread_local! {
    /// Signals that came and whose traps have not run.
    static PENDING: Cell<u64> = const { Cell::new(0) };
    /// Whether the program has looked for signals that were ignored when it started.
    static LEARNED: Cell<bool> = const { Cell::new(false) };
    /// Traps being run, so that none runs inside itself.
    static RUNNING: Cell<u8> = const { Cell::new(0) };
}

/// Fetches the signals that came, so that calls do not fail with `Intr` again. To be called after
/// each `Intr`.
pub fn collect() {
    if let Ok(taken) = signal::take(SignalSet::ALL) {
        let mut bits = 0;
        for signal in taken.iter() {
            bits |= signal.bit();
        }
        PENDING.set(PENDING.get() | bits);
    }
}

/// Notes a signal as if it had come: `kill` of a subshell that runs inside the shell.
pub fn note(signal: Signal) {
    PENDING.set(PENDING.get() | signal.bit());
}

/// Whether a signal has come that this shell has a trap for, or that ends it. `wait` and `read`
/// stop for it.
pub fn is_due(shell: &Shell) -> Option<Signal> {
    let due = PENDING.get() & shell.state.traps.watched;
    Signal::ALL
        .iter()
        .copied()
        .find(|signal| due & signal.bit() != 0)
}

/// Lets the kernel know what the signals of this process do, at the start.
pub fn start(state: &State) {
    let _ = signal::set_action(Signal::Pipe, Action::Catch);
    for event in state.traps.commands.keys() {
        if let Event::Signal(number) = event {
            apply(&state.traps, *number);
        }
    }
    if state.traps.dropped != 0 {
        for signal in KEYBOARD {
            apply(&state.traps, signal.raw());
        }
    }
}

/// Learns which signals were ignored when the program started: those cannot be trapped, and `trap`
/// lists them. Asked for when `trap` first runs, so that a shell without it starts sooner.
pub fn learn_ignored(shell: &mut Shell) {
    if LEARNED.replace(true) {
        return;
    }
    let traps = Rc::make_mut(&mut shell.state.traps);
    for signal in Signal::ALL.iter().filter(|signal| signal.is_catchable()) {
        let number = signal.raw();
        let event = Event::Signal(number);
        if traps.commands.contains_key(&event) || traps.action(number) != Action::Default {
            continue;
        }
        if signal::set_action(*signal, Action::Default) == Ok(Action::Ignore) {
            let _ = signal::set_action(*signal, Action::Ignore);
            traps.ignored.push(number);
            traps.commands.insert(event, Text::EMPTY);
        }
    }
}

fn apply(traps: &Traps, number: u32) {
    if let Some(signal) = Signal::from_raw(number) {
        let _ = signal::set_action(signal, traps.action(number));
    }
}

/// Sets (`Some`; an empty text ignores the signal) or removes a trap.
pub fn set(shell: &mut Shell, event: Event, command: Option<Text>) {
    let traps = Rc::make_mut(&mut shell.state.traps);
    if let Event::Signal(number) = event
        && traps.ignored.contains(&number)
    {
        return;
    }
    traps.inherited.clear();
    if let Event::Signal(number) = event {
        traps.dropped &= !bit(number);
    }
    match command {
        Some(command) => drop(traps.commands.insert(event, command)),
        None => drop(traps.commands.remove(&event)),
    }
    traps.derive();
    match event {
        Event::Signal(number) => apply(traps, number),
        Event::Exit => {
            for signal in ENDING {
                apply(traps, signal.raw());
            }
        }
        _ => {}
    }
}

/// What the keyboard sends: jobs in the background do not get it.
const KEYBOARD: [Signal; 2] = [Signal::Int, Signal::Quit];

/// What [`ignore_keyboard`] has changed.
#[derive(Debug)]
pub struct Keyboard {
    actions: [Option<Action>; 2],
    traps: Rc<Traps>,
}

/// Has the processes that are started next ignore what the keyboard sends, as jobs in the
/// background do without job control. A child shell ignores it as well, but not the programs that
/// it starts. [`heed_keyboard`] ends that.
pub fn ignore_keyboard(state: &mut State) -> Keyboard {
    let traps = Rc::clone(&state.traps);
    for signal in KEYBOARD {
        Rc::make_mut(&mut state.traps).dropped |= signal.bit();
    }
    let actions = KEYBOARD.map(|signal| signal::set_action(signal, Action::Ignore).ok());
    Keyboard { actions, traps }
}

/// Ends what [`ignore_keyboard`] began.
pub fn heed_keyboard(state: &mut State, saved: Keyboard) {
    state.traps = saved.traps;
    for (signal, action) in KEYBOARD.into_iter().zip(saved.actions) {
        let _ = signal::set_action(signal, action.unwrap_or(Action::Default));
    }
}

/// Puts the kernel's actions back after a subshell that ran inside the shell has changed them from
/// `state` to something else.
pub fn put_back(changed: &Rc<Traps>, traps: &Rc<Traps>) {
    if Rc::ptr_eq(changed, traps) {
        return;
    }
    for signal in Signal::ALL.iter().filter(|signal| signal.is_catchable()) {
        let number = signal.raw();
        if changed.action(number) != traps.action(number) {
            let _ = signal::set_action(*signal, traps.action(number));
        }
    }
}

/// What a subshell keeps of the traps: ignored signals, and what `set -E` and `set -T` let it
/// inherit. The kernel's actions stay: a signal that comes meanwhile waits for the shell it was
/// sent to.
pub fn enter_subshell(state: &mut State) {
    if state.traps.commands.is_empty() && state.traps.inherited.is_empty() {
        return;
    }
    let set = state.set;
    let traps = Rc::make_mut(&mut state.traps);
    let keeps = |event: Event| match event {
        Event::Debug | Event::Return => set.has(SetOptions::FUNCTRACE),
        Event::Err => set.has(SetOptions::ERRTRACE),
        Event::Exit | Event::Signal(_) => false,
    };
    traps.inherited = traps.commands.clone();
    traps
        .commands
        .retain(|event, command| command.is_empty() || keeps(*event));
    traps.derive();
}

/// Traps that a function does not see: DEBUG and RETURN without `set -T`, ERR without `set -E`.
#[derive(Debug, Default)]
pub struct Hidden(Vec<(Event, Text)>);

/// Takes away the traps that a function does not inherit. `traced` is `declare -ft`.
#[inline]
pub fn enter_function(shell: &mut Shell, traced: bool) -> Hidden {
    if shell.state.traps.events & (Traps::DEBUG | Traps::RETURN | Traps::ERR) == 0 {
        return Hidden::default();
    }
    hide(shell, traced)
}

#[cold]
fn hide(shell: &mut Shell, traced: bool) -> Hidden {
    let set = shell.state.set;
    let mut hidden = Vec::new();
    let traps = Rc::make_mut(&mut shell.state.traps);
    for (event, kept) in [
        (Event::Debug, traced || set.has(SetOptions::FUNCTRACE)),
        (Event::Return, traced || set.has(SetOptions::FUNCTRACE)),
        (Event::Err, set.has(SetOptions::ERRTRACE)),
    ] {
        if !kept && let Some(command) = traps.commands.remove(&event) {
            hidden.push((event, command));
        }
    }
    traps.derive();
    Hidden(hidden)
}

/// Puts them back, except where the function has set its own.
#[inline]
pub fn leave_function(shell: &mut Shell, hidden: Hidden) {
    if hidden.0.is_empty() {
        return;
    }
    let traps = Rc::make_mut(&mut shell.state.traps);
    for (event, command) in hidden.0 {
        traps.commands.entry(event).or_insert(command);
    }
    traps.derive();
}

/// Takes away the traps of the shell's own events, so that a script starts without them.
pub fn enter_script(shell: &mut Shell) -> Hidden {
    if shell.state.traps.events == 0 {
        return Hidden::default();
    }
    let traps = Rc::make_mut(&mut shell.state.traps);
    let hidden = OWN_EVENTS
        .into_iter()
        .filter_map(|event| Some((event, traps.commands.remove(&event)?)));
    let hidden = Hidden(hidden.collect());
    derive_and_apply(traps);
    hidden
}

/// Forgets the traps that the script has set for the shell's own events, and puts back those from
/// before. Whether there was an ERR, a DEBUG or a RETURN trap to forget.
pub fn leave_script(shell: &mut Shell, hidden: Hidden) -> bool {
    let left = shell.state.traps.events;
    if left == 0 && hidden.0.is_empty() {
        return false;
    }
    let traps = Rc::make_mut(&mut shell.state.traps);
    for event in OWN_EVENTS {
        traps.commands.remove(&event);
    }
    traps.commands.extend(hidden.0);
    derive_and_apply(traps);
    left & !Traps::EXIT != 0
}

/// What [`enter_script`] and [`leave_script`] are about.
const OWN_EVENTS: [Event; 4] = [Event::Exit, Event::Debug, Event::Err, Event::Return];

/// Derives what follows from the commands; the kernel learns what that means for the signals that
/// an EXIT trap catches.
fn derive_and_apply(traps: &mut Traps) {
    traps.derive();
    for signal in ENDING {
        apply(traps, signal.raw());
    }
}

/// Runs the traps of signals that have come. Called between commands.
#[inline]
pub fn check(shell: &mut Shell) -> Run {
    if shell.state.traps.watched == 0 {
        return Ok(());
    }
    check_now(shell)
}

#[cold]
#[inline(never)]
fn check_now(shell: &mut Shell) -> Run {
    collect();
    while let Some(signal) = is_due(shell) {
        PENDING.set(PENDING.get() & !signal.bit());
        let command = shell.state.traps.get(Event::Signal(signal.raw())).cloned();
        match command {
            Some(command) => run(shell, &command, 0, 1)?,
            None => return Err(Stop::Killed(signal.raw())),
        }
    }
    Ok(())
}

/// Runs the ERR trap, if there is one.
#[cold]
pub fn err(shell: &mut Shell) -> Run {
    event(shell, Event::Err, Traps::ERR)
}

/// Runs the DEBUG trap, if there is one. False when it says (with extdebug) that the command is to
/// be skipped.
#[cold]
pub fn debug(shell: &mut Shell) -> Run<bool> {
    let Some(command) = shell.state.traps.get(Event::Debug).cloned() else {
        return Ok(true);
    };
    if RUNNING.get() & Traps::DEBUG != 0 {
        return Ok(true);
    }
    let saved = shell.state.status;
    let line = shell.state.line;
    let pipe_status = shell.state.pipe_status.clone();
    guarded(shell, &command, Traps::DEBUG, line)?;
    let result = std::mem::replace(&mut shell.state.status, saved);
    shell.state.pipe_status = pipe_status;
    if shell
        .state
        .shopt
        .has(crate::options::ShellOptions::EXTDEBUG)
    {
        if result == 2 && !shell.state.frames.is_empty() {
            shell.state.status = 2;
            return Err(Stop::Return);
        }
        return Ok(result == 0);
    }
    Ok(true)
}

/// Runs the RETURN trap, if there is one.
#[cold]
pub fn ret(shell: &mut Shell) -> Run {
    event(shell, Event::Return, Traps::RETURN)
}

fn event(shell: &mut Shell, event: Event, flag: u8) -> Run {
    match shell.state.traps.get(event).cloned() {
        Some(command) if RUNNING.get() & flag == 0 => {
            let line = shell.state.line;
            run(shell, &command, flag, line)
        }
        _ => Ok(()),
    }
}

/// Whether a trap of the shell's own events is being run.
pub fn is_running() -> bool {
    RUNNING.get() != 0
}

/// Takes the EXIT trap away.
pub fn forget_exit(shell: &mut Shell) {
    if shell.state.traps.has(Traps::EXIT) {
        let traps = Rc::make_mut(&mut shell.state.traps);
        traps.commands.remove(&Event::Exit);
        traps.derive();
    }
}

/// Runs the EXIT trap, once. The status that the shell ends with is in the state, before and after.
pub fn exit(shell: &mut Shell) {
    if !shell.state.traps.has(Traps::EXIT) {
        return;
    }
    let traps = Rc::make_mut(&mut shell.state.traps);
    let Some(command) = traps.commands.remove(&Event::Exit) else {
        return;
    };
    traps.derive();
    let saved = shell.state.status;
    shell.state.condition = 0;
    let running = RUNNING.replace(RUNNING.get() | Traps::EXIT);
    let result = exec::labelled(shell, &command, 1, "exit trap");
    RUNNING.set(running);
    match result {
        // `exit N` inside it decides.
        Err(Stop::Exit) => {}
        Err(Stop::Killed(signal)) => shell.state.status = 128 + signal.cast_signed(),
        _ => shell.state.status = saved,
    }
}

/// Runs a trap's command, whose first line has this number, and puts the status back.
fn run(shell: &mut Shell, command: &Text, flag: u8, line: u32) -> Run {
    let saved = shell.state.status;
    let pipe_status = shell.state.pipe_status.clone();
    guarded(shell, command, flag, line)?;
    shell.state.status = saved;
    shell.state.pipe_status = pipe_status;
    Ok(())
}

/// Runs a trap's command, but never inside itself.
fn guarded(shell: &mut Shell, command: &Text, flag: u8, first: u32) -> Run {
    let running = RUNNING.replace(RUNNING.get() | flag);
    let (line, argument) = (shell.state.line, shell.state.last_argument.clone());
    let result = exec::labelled(shell, command, first.max(1), "trap");
    shell.state.line = line;
    shell.state.last_argument = argument;
    RUNNING.set(running);
    result
}
