//! Every call of the table with any arguments: pointers outside memory, lengths that wrap, huge
//! counts, lists that overlap themselves, from several processes that wait for each other.
//!
//! There is no model of what calls should do, only of what must never happen:
//!
//! * a panic; a number that is no [`Errno`]; a byte outside the guest's memory written;
//! * an allocation that the limits do not cover ([`Watch`]);
//! * a call that waits, is not woken, and could go on: nobody would ever look again;
//! * a process that is to end and whose engine is not told ([`Control`](codepod_kernel::Control));
//! * anything open, any process, timer or deleted file left when all processes have ended.

mod argument;
mod dispatch;
mod world;

use std::sync::Arc;
use std::task::{Poll, Waker};

use arbitrary::{Arbitrary, Result, Unstructured};
use codepod_abi::table::Call;
use codepod_abi::{Errno, Signal};
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    ExitStatus, GuestMemory, Kernel, Limits, Outcome, Pid, PipeEnd, Program, RunState, SinkId,
    Syscall,
};

use self::argument::{Argument, Maker};
use crate::allocation::Watch;
use crate::guest::{GuardedMemory, Woken};

/// What the sandbox is like, and what happens in it.
#[derive(Debug)]
pub struct Input {
    setting: Setting,
    steps: Vec<Step>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Input> {
        Ok(Input {
            setting: u.arbitrary()?,
            steps: crate::as_many_as_there_are(u, 96)?,
        })
    }
}

/// What the sandbox is like.
#[derive(Arbitrary, Debug)]
struct Setting {
    memory: u8,
    descriptors: u8,
    stdio: [u8; 3],
    roomy: bool,
    foreign_modules: bool,
    user: bool,
    /// Whether the first process has as large an environment as it may.
    large_environment: bool,
    /// Whether it has one of everything open.
    prepared: bool,
}

#[derive(Debug)]
enum Step {
    Call {
        who: u8,
        call: Call,
        arguments: Vec<Argument>,
    },
    /// Polls a call that waits, woken or not.
    Poll { who: u8 },
    /// Moves the clock by a power of two.
    Advance(u8),
    /// A process ends without having asked to, as by a trap.
    Exit { who: u8, status: u8 },
    /// A guest changes its memory.
    Poke { who: u8, at: u16, word: u32 },
    /// The host does something.
    Host { what: u8, with: u8 },
}

impl<'a> Arbitrary<'a> for Step {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Step> {
        let (kind, who) = (u.arbitrary::<u8>()?, u.arbitrary()?);
        Ok(match kind % 32 {
            0..=1 => Step::Poll { who },
            2 => Step::Advance(who),
            3 => Step::Exit {
                who,
                status: u.arbitrary()?,
            },
            4..=5 => Step::Poke {
                who,
                at: u.arbitrary()?,
                word: u.arbitrary()?,
            },
            6..=7 => Step::Host {
                what: who,
                with: u.arbitrary()?,
            },
            _ => {
                let call = dispatch::choose(u.arbitrary()?);
                let arguments = Argument::list(u, call.info().params.len())?;
                Step::Call {
                    who,
                    call,
                    arguments,
                }
            }
        })
    }
}

/// Runs one input; panics when something happens that must not.
pub fn run(input: &Input) {
    let watch = Watch::new();
    let mut world = World::new(&input.setting);
    for step in &input.steps {
        world.step(step);
        world.check();
        watch.check();
    }
    world.end();
    watch.check();
}

/// A process, with what an engine would keep for it.
struct Guest {
    program: Program,
    memory: GuardedMemory,
    /// Where the next structure goes.
    cursor: u32,
    /// The call that waits, and its arguments.
    pending: Option<(Call, Vec<u64>)>,
    woken: Arc<Woken>,
    waker: Waker,
}

impl Guest {
    /// Checks that a call has not moved more bytes than one call may.
    fn check_count(&mut self, call: Call, arguments: &[u64]) {
        let names = call.info().params.iter().map(|(name, _)| *name);
        for (name, at) in names.zip(arguments) {
            if matches!(name, "nread" | "nwritten") {
                let count = self.memory.memory().read_u32(*at as u32);
                let count = count.expect("it was written");
                assert!(
                    u64::from(count) <= Limits::CALL_BYTES,
                    "{call:?} moved {count} bytes"
                );
            }
        }
    }
}

struct World {
    kernel: Kernel,
    host: Arc<VirtualHost>,
    guests: Vec<Guest>,
    /// Processes that the host started and has not reaped.
    held: Vec<Pid>,
    ends: Vec<PipeEnd>,
    sinks: Vec<SinkId>,
    memory: usize,
    /// Whether a descriptor's flags were set: a read or write that waits may then fail without
    /// being woken.
    flags_set: bool,
}

impl World {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Call {
                who,
                call,
                arguments,
            } => {
                let Some(index) = self.index(*who) else {
                    return;
                };
                let guest = &mut self.guests[index];
                if guest.pending.is_none() {
                    self.flags_set |= *call == Call::fd_fdstat_set_flags;
                    let pid = guest.program.pid.0;
                    let mut maker = Maker::new(&mut guest.memory, &mut guest.cursor, pid);
                    let numbers = maker.make(call.info(), arguments);
                    guest.pending = Some((*call, numbers));
                }
                self.poll(index);
            }
            Step::Poll { who } => {
                if let Some(index) = self.index(*who) {
                    self.poll(index);
                }
            }
            Step::Advance(power) => {
                self.host.advance(1 << (power % 40));
                for guest in &self.guests {
                    self.kernel.fire_alarm(guest.program.pid);
                }
            }
            Step::Exit { who, status } => {
                if let Some(index) = self.index(*who) {
                    let status = match Signal::from_raw((*status).into()) {
                        Some(signal) => ExitStatus::Signaled(signal),
                        None => ExitStatus::Exited(*status),
                    };
                    self.exit(index, status);
                }
            }
            Step::Poke { who, at, word } => {
                if let Some(index) = self.index(*who)
                    && self.guests[index].pending.is_none()
                {
                    let memory = &mut self.guests[index].memory;
                    let at = u64::from(*at) * memory.size() as u64 / (1 << 16);
                    memory.poke(at as u32, &word.to_le_bytes());
                }
            }
            Step::Host { what, with } => self.host_does(*what, *with),
        }
        for program in self.kernel.take_started() {
            self.add(program, 4096);
        }
    }

    fn index(&self, who: u8) -> Option<usize> {
        usize::from(who).checked_rem(self.guests.len())
    }

    /// Polls the call that a guest waits in, if it does.
    fn poll(&mut self, index: usize) {
        let guest = &mut self.guests[index];
        let Some((call, arguments)) = guest.pending.take() else {
            return;
        };
        guest.woken.take();
        let mut syscall = Syscall {
            kernel: &mut self.kernel,
            pid: guest.program.pid,
            memory: &mut guest.memory.memory(),
            waker: &guest.waker,
        };
        let outcome = dispatch::make(&mut syscall, call, &arguments);
        guest.memory.check_guards();
        match outcome {
            Poll::Pending => guest.pending = Some((call, arguments)),
            Poll::Ready(Outcome::Return(number)) => {
                assert!(
                    number == 0 || Errno::from_raw(number).is_some(),
                    "{call:?} returned {number}"
                );
                if number == 0 {
                    guest.check_count(call, &arguments);
                }
            }
            Poll::Ready(Outcome::End) => self.exit(index, ExitStatus::Exited(0)),
        }
    }

    /// Ends a process, as an engine does when the code no longer runs.
    fn exit(&mut self, index: usize, status: ExitStatus) {
        let guest = self.guests.swap_remove(index);
        self.kernel.exit(guest.program.pid, status);
    }

    /// What always holds.
    fn check(&mut self) {
        for guest in &self.guests {
            let pid = guest.program.pid;
            assert_eq!(
                self.kernel.is_ending(pid),
                guest.program.control.state() == RunState::End,
                "process {pid} is to end, and its engine does not know, or the other way round"
            );
        }
        let limits = self.kernel.limits();
        assert!(self.kernel.process_count() <= limits.processes);
        self.check_wakeups();
    }

    /// Looks again at every call that waits without having been woken: it must still wait.
    fn check_wakeups(&mut self) {
        let mut index = 0;
        while index < self.guests.len() {
            let guest = &self.guests[index];
            let pid = guest.program.pid;
            if let Some((call, arguments)) = guest.pending.clone()
                && !guest.woken.is_set()
                && !self.may_go_on_silently(call, &arguments)
            {
                self.poll(index);
                let waits = self
                    .guests
                    .get(index)
                    .is_some_and(|guest| guest.program.pid == pid && guest.pending.is_some());
                assert!(waits, "{call:?} could go on, and {pid} was not woken");
            }
            index += 1;
        }
    }

    /// Whether a wait may end without anybody being woken, as on Linux: a descriptor becomes
    /// non-blocking, a child changes its group.
    fn may_go_on_silently(&self, call: Call, arguments: &[u64]) -> bool {
        match call {
            Call::fd_read | Call::fd_write | Call::sock_recv | Call::sock_send => self.flags_set,
            Call::proc_wait => arguments
                .first()
                .is_some_and(|pid| !matches!(*pid as i32, -1 | 1..)),
            _ => false,
        }
    }
}
