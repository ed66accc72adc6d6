//! Children, zombies, orphans, signals, alarms: the rules of POSIX, call by call.

mod support;

use std::task::Poll;

use codepod_abi::table::Call;
use codepod_abi::wire::{
    GROUP_INHERIT, GROUP_NEW, SIGNAL_CATCH, SIGNAL_DEFAULT, SIGNAL_IGNORE, WAIT_CONTINUED,
    WAIT_NOHANG, WAIT_STOPPED, WaitResult,
};
use codepod_abi::{Errno, Signal};
use codepod_kernel::{ExitStatus, Limits, Pid, syscalls};
use support::{Got, Machine, OUT};

fn exited(pid: Pid, code: u32) -> Poll<Result<WaitResult, Got>> {
    changed(pid, WaitResult::EXITED, code)
}

fn changed(pid: Pid, kind: u32, code: u32) -> Poll<Result<WaitResult, Got>> {
    Poll::Ready(Ok(WaitResult {
        pid: pid.0,
        kind,
        code,
    }))
}

fn fails<T>(errno: Errno) -> Poll<Result<T, Got>> {
    Poll::Ready(Err(Got::Fails(errno)))
}

#[test]
fn a_child_is_a_zombie_until_it_is_waited_for() {
    let mut machine = Machine::new();
    let parent = machine.start();
    let child = machine.child(parent);
    assert_eq!(machine.kernel.process_count(), 2);
    machine.ends(child, 9);
    assert_eq!(machine.kernel.process_count(), 2);
    // It can still be asked for, and a signal to it is no error.
    let selector = child.0.cast_signed();
    assert_eq!(machine.kill(parent, selector, Signal::Term), Got::Fine);
    assert_eq!(machine.wait(parent, -1, 0), exited(child, 9));
    assert_eq!(machine.kernel.process_count(), 1);
    assert_eq!(
        machine.kill(parent, selector, Signal::Term),
        Got::Fails(Errno::Srch)
    );
    assert_eq!(machine.wait(parent, -1, 0), fails(Errno::Child));
}

#[test]
fn waiting_goes_on_when_a_child_ends() {
    let mut machine = Machine::new();
    let parent = machine.start();
    let child = machine.child(parent);
    assert!(machine.wait(parent, -1, 0).is_pending());
    assert_eq!(machine.bell.rung(), 0);
    assert_eq!(
        machine.wait(parent, -1, WAIT_NOHANG),
        Poll::Ready(Ok(WaitResult::default()))
    );
    assert!(machine.wait(parent, -1, 0).is_pending());
    machine.ends(child, 3);
    assert!(machine.bell.rung() > 0);
    assert_eq!(machine.wait(parent, -1, 0), exited(child, 3));
    // Who waits for the last child must learn when it has gone otherwise.
    let child = machine.child(parent);
    assert!(machine.wait(parent, -1, 0).is_pending());
    let rung = machine.bell.rung();
    machine.action(parent, Signal::Chld, SIGNAL_IGNORE);
    machine.ends(child, 0);
    assert!(machine.bell.rung() > rung);
    assert_eq!(machine.wait(parent, -1, 0), fails(Errno::Child));
}

#[test]
fn a_selector_means_one_child_or_a_group() {
    let mut machine = Machine::new();
    let parent = machine.start();
    let own = machine.spawn(parent, GROUP_INHERIT).unwrap();
    let leader = machine.spawn(parent, GROUP_NEW).unwrap();
    let member = machine.spawn(parent, leader.0).unwrap();
    for (i, pid) in [own, leader, member].into_iter().enumerate() {
        machine.ends(pid, i as u8);
    }
    let number = |pid: Pid| pid.0.cast_signed();
    assert_eq!(machine.wait(parent, 4444, 0), fails(Errno::Child));
    assert_eq!(machine.wait(parent, -4444, 0), fails(Errno::Child));
    assert_eq!(machine.wait(parent, number(member), 0), exited(member, 2));
    assert_eq!(machine.wait(parent, -number(leader), 0), exited(leader, 1));
    assert_eq!(machine.wait(parent, 0, 0), exited(own, 0));
    assert_eq!(machine.wait(parent, -1, 8), fails(Errno::Inval));
    assert_eq!(
        machine.spawn(parent, 4444),
        Err(Got::Fails(Errno::Perm)),
        "a group that is not there"
    );
}

#[test]
fn an_orphan_belongs_to_process_1_and_leaves_no_zombie() {
    let mut machine = Machine::new();
    let first = machine.start();
    let parent = machine.child(first);
    let (running, ended) = (machine.child(parent), machine.child(parent));
    machine.ends(ended, 1);
    machine.ends(parent, 0);
    // The zombie went with its parent; the one that runs has a new one.
    assert_eq!(machine.kernel.process_count(), 3);
    machine.ready(running, Call::proc_ids, |call| {
        syscalls::proc_ids(call, OUT)
    });
    assert_eq!(machine.word(running, OUT + 4), 1);
    machine.ends(running, 0);
    assert_eq!(machine.kernel.process_count(), 2);
    assert_eq!(machine.wait(first, -1, 0), exited(parent, 0));
    machine.ends(first, 0);
    assert_eq!(machine.kernel.reap(first), Some(ExitStatus::Exited(0)));
    assert_eq!(
        (machine.kernel.process_count(), machine.kernel.open_count()),
        (0, 0)
    );
}

#[test]
fn what_was_decided_first_is_how_a_process_ended() {
    let mut machine = Machine::new();
    let parent = machine.start();
    let child = machine.child(parent);
    machine.kill(parent, child.0.cast_signed(), Signal::Term);
    // Its next call ends it, and what it says itself no longer counts.
    assert_eq!(machine.close(child, 0), Got::Ends);
    machine.ends(child, 0);
    assert_eq!(
        machine.wait(parent, -1, 0),
        changed(child, WaitResult::SIGNALED, Signal::Term.raw())
    );
    let child = machine.child(parent);
    let got = machine.ready(child, Call::proc_exit, |call| {
        syscalls::proc_exit(call, 300)
    });
    assert_eq!(got, Got::Ends);
    machine.kill(parent, child.0.cast_signed(), Signal::Kill);
    machine.ends(child, 0);
    assert_eq!(machine.wait(parent, -1, 0), exited(child, 44));
}

#[test]
fn a_parent_hears_of_stops_and_continuations_if_it_asks() {
    let mut machine = Machine::new();
    let parent = machine.start();
    let child = machine.child(parent);
    let selector = child.0.cast_signed();
    let all = WAIT_STOPPED | WAIT_CONTINUED | WAIT_NOHANG;
    machine.kill(parent, selector, Signal::Stop);
    // A stopped process makes no progress in a call that may wait.
    assert!(machine.read(child, 0, 1).is_pending());
    assert_eq!(
        machine.wait(parent, -1, WAIT_NOHANG),
        Poll::Ready(Ok(WaitResult::default()))
    );
    assert_eq!(
        machine.wait(parent, -1, all),
        changed(child, WaitResult::STOPPED, Signal::Stop.raw())
    );
    assert_eq!(
        machine.wait(parent, -1, all),
        Poll::Ready(Ok(WaitResult::default())),
        "told once"
    );
    let rung = machine.bell.rung();
    machine.kill(parent, selector, Signal::Cont);
    assert!(machine.bell.rung() > rung);
    assert_eq!(
        machine.wait(parent, -1, all),
        changed(child, WaitResult::CONTINUED, 0)
    );
    assert_eq!(machine.read(child, 0, 1), Poll::Ready(Ok(Vec::new())));
    // SIGKILL reaches one that is stopped.
    machine.kill(parent, selector, Signal::Stop);
    machine.kill(parent, selector, Signal::Kill);
    assert_eq!(machine.read(child, 0, 1), Poll::Ready(Err(Got::Ends)));
}

#[test]
fn a_caught_signal_interrupts_what_waits_until_it_is_taken() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let (read, write) = machine.pipe(pid).unwrap();
    assert_eq!(machine.action(pid, Signal::Usr1, SIGNAL_CATCH), Got::Fine);
    assert!(machine.read(pid, read, 1).is_pending());
    let rung = machine.bell.rung();
    machine.kernel.signal(pid, Signal::Usr1).unwrap();
    assert!(machine.bell.rung() > rung, "who waits is woken");
    assert_eq!(machine.read(pid, read, 1), fails(Errno::Intr));
    // It stays pending, so the next wait fails too; what need not wait does not.
    assert_eq!(machine.read(pid, read, 1), fails(Errno::Intr));
    assert_eq!(machine.write(pid, write, b"x"), Poll::Ready(Ok(1)));
    assert_eq!(machine.read(pid, read, 1), Poll::Ready(Ok(b"x".to_vec())));
    assert_eq!(machine.take(pid), Signal::Usr1.bit());
    assert_eq!(machine.take(pid), 0);
    assert!(machine.read(pid, read, 1).is_pending());
}

#[test]
fn an_ignored_signal_does_nothing_and_is_inherited_but_a_caught_one_is_not() {
    let mut machine = Machine::new();
    let parent = machine.start();
    machine.action(parent, Signal::Term, SIGNAL_IGNORE);
    machine.action(parent, Signal::Int, SIGNAL_CATCH);
    let child = machine.child(parent);
    let selector = child.0.cast_signed();
    machine.kill(parent, selector, Signal::Term);
    assert_eq!(machine.close(child, 0), Got::Fine);
    machine.kill(parent, selector, Signal::Int);
    assert_eq!(machine.close(child, 1), Got::Ends);
    // What cannot be caught cannot be ignored either.
    for signal in [Signal::Kill, Signal::Stop] {
        for action in [SIGNAL_IGNORE, SIGNAL_CATCH] {
            assert_eq!(
                machine.action(parent, signal, action),
                Got::Fails(Errno::Inval)
            );
        }
    }
    assert_eq!(
        machine.action(parent, Signal::Int, 3),
        Got::Fails(Errno::Inval)
    );
    // A pending signal that is no longer caught is forgotten.
    machine.kernel.signal(parent, Signal::Int).unwrap();
    machine.action(parent, Signal::Int, SIGNAL_DEFAULT);
    assert_eq!(machine.take(parent), 0);
}

#[test]
fn a_signal_to_a_group_reaches_its_living_members() {
    let mut machine = Machine::new();
    let parent = machine.start();
    let leader = machine.spawn(parent, GROUP_NEW).unwrap();
    let member = machine.spawn(parent, leader.0).unwrap();
    let outsider = machine.child(parent);
    let group = -leader.0.cast_signed();
    assert_eq!(machine.kill(parent, group, Signal::Term), Got::Fine);
    assert_eq!(machine.close(leader, 0), Got::Ends);
    assert_eq!(machine.close(member, 0), Got::Ends);
    assert_eq!(machine.close(outsider, 0), Got::Fine);
    machine.ends(leader, 0);
    machine.ends(member, 0);
    assert_eq!(
        machine.kill(parent, group, Signal::Term),
        Got::Fails(Errno::Srch)
    );
    // -1 is everybody but the one who sends.
    assert_eq!(machine.kill(parent, -1, Signal::Term), Got::Fine);
    assert_eq!(machine.close(outsider, 1), Got::Ends);
    assert_eq!(machine.close(parent, 0), Got::Fine);
}

#[test]
fn an_alarm_comes_when_it_is_due_and_not_before() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let (read, _) = machine.pipe(pid).unwrap();
    let alarm = |machine: &mut Machine, after: u64| {
        let got = machine.ready(pid, Call::proc_alarm, |call| {
            syscalls::proc_alarm(call, after, OUT)
        });
        assert_eq!(got, Got::Fine);
        machine.long(pid, OUT)
    };
    machine.action(pid, Signal::Alrm, SIGNAL_CATCH);
    assert_eq!(alarm(&mut machine, 1000), 0);
    assert_eq!(alarm(&mut machine, 5000), 1000);
    assert!(machine.read(pid, read, 1).is_pending());
    assert_eq!(machine.host.next_timer(), Some(5000));
    machine.host.advance(4999);
    assert_eq!(machine.bell.rung(), 0);
    assert!(machine.read(pid, read, 1).is_pending());
    machine.host.advance(1);
    assert_eq!(machine.bell.rung(), 1);
    assert_eq!(machine.read(pid, read, 1), fails(Errno::Intr));
    assert_eq!(machine.take(pid), Signal::Alrm.bit());
    // Taken back in time, it never comes.
    alarm(&mut machine, 1000);
    assert_eq!(alarm(&mut machine, 0), 1000);
    machine.host.advance(10_000);
    assert_eq!(machine.take(pid), 0);
    // Nobody catches it: it ends the process, and its timer goes with it.
    machine.action(pid, Signal::Alrm, SIGNAL_DEFAULT);
    alarm(&mut machine, 1000);
    assert!(machine.read(pid, read, 1).is_pending());
    machine.host.advance(1000);
    assert_eq!(machine.read(pid, read, 1), Poll::Ready(Err(Got::Ends)));
    machine.ends(pid, 0);
    assert_eq!(machine.host.timers(), 0);
    assert_eq!(
        machine.kernel.reap(pid),
        Some(ExitStatus::Signaled(Signal::Alrm))
    );
}

#[test]
fn processes_end_at_their_limit_and_come_back() {
    let limits = Limits {
        processes: 4,
        ..Limits::default()
    };
    let mut machine = Machine::with(limits, 1, None);
    let parent = machine.start();
    let children: Vec<Pid> = (0..3).map(|_| machine.child(parent)).collect();
    assert_eq!(
        machine.spawn(parent, GROUP_INHERIT),
        Err(Got::Fails(Errno::Again))
    );
    // A zombie still counts; waiting for it gives the place back.
    machine.ends(children[0], 0);
    assert_eq!(
        machine.spawn(parent, GROUP_INHERIT),
        Err(Got::Fails(Errno::Again))
    );
    assert_eq!(machine.wait(parent, -1, 0), exited(children[0], 0));
    let new = machine.child(parent);
    assert!(!children.contains(&new), "a pid is not used again at once");
}
