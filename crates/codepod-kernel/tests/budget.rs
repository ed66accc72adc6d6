//! What sandboxes may have together: every place and every byte comes from the budget and goes back
//! to it.

mod support;

use std::task::Poll;

use codepod_abi::wire::GROUP_INHERIT;
use codepod_abi::{Errno, Signal};
use codepod_kernel::{ExitStatus, Limits, Pid, Stdio, syscalls};
use codepod_vfs::{Budget, BudgetLimits};
use support::{Got, Machine};

const MB: u64 = 1 << 20;

fn machine(budget: &Budget) -> Machine {
    Machine::within(Limits::default(), 1, None, budget.clone())
}

#[test]
fn sandboxes_have_so_many_processes_together() {
    let budget = Budget::new(BudgetLimits::new(3, 100 * MB));
    let (mut one, mut other) = (machine(&budget), machine(&budget));
    let parent = one.start();
    let child = one.child(parent);
    let apart = other.start();
    assert_eq!(
        other.spawn(apart, GROUP_INHERIT),
        Err(Got::Fails(Errno::Again))
    );
    one.ends(child, 0);
    assert_eq!(budget.used().processes, 3, "it is not waited for yet");
    assert!(one.wait(parent, -1, 0).is_ready());
    other.child(apart);
    drop(one);
    assert_eq!(budget.used().processes, 2);
    drop(other);
    assert_eq!(budget.used(), Default::default());
}

#[test]
fn arguments_pipes_and_memory_come_from_the_budget() {
    let budget = Budget::new(BudgetLimits::new(10, 8 * MB));
    let mut machine = machine(&budget);
    let parent = machine.start();
    let at_rest = budget.used().memory_bytes;
    let child = machine.child(parent);
    let control = machine.controls[&child].clone();
    assert!(control.grow_memory(6 << 20) && !control.grow_memory(9 << 20));
    let mut pipes = 0;
    let refused = loop {
        match machine.pipe(parent) {
            Ok(_) => pipes += 1,
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused, Got::Fails(Errno::Nfile));
    assert!((15..32).contains(&pipes), "{pipes} pipes of 64 KiB");
    for fd in 4..4 + 2 * pipes {
        assert_eq!(machine.close(parent, fd), Got::Fine);
    }
    machine
        .kernel
        .exit(child, ExitStatus::Signaled(Signal::Kill));
    assert!(machine.wait(parent, -1, 0).is_ready());
    machine.controls.clear();
    drop(control);
    assert_eq!(budget.used().memory_bytes, at_rest);
    drop(machine);
    assert_eq!(budget.used(), Default::default());
}

/// A process that serves the host takes a request, and answers it with a state.
fn serve(machine: &mut Machine, shell: Pid, state: &[u8]) -> Got {
    let request = b"request".to_vec();
    machine
        .kernel
        .request(shell, 1, request, [Stdio::Null; 3])
        .unwrap();
    let taken = machine.poll(shell, codepod_abi::table::Call::session_next, |call| {
        syscalls::session_next(call, 0, 64, 100)
    });
    assert_eq!(taken, Poll::Ready(Got::Fine));
    machine.memory(shell)[..state.len()].copy_from_slice(state);
    let len = state.len() as u32;
    machine.ready(shell, codepod_abi::table::Call::session_done, |call| {
        syscalls::session_done(call, 0, 0, len)
    })
}

#[test]
fn a_shell_that_waits_for_its_host_needs_no_place() {
    let budget = Budget::new(BudgetLimits::new(1, 100 * MB));
    let (mut one, mut other) = (machine(&budget), machine(&budget));
    let shell = one.start();
    one.kernel.serve(shell).unwrap();
    assert_eq!(budget.used().processes, 1);
    assert_eq!(serve(&mut one, shell, b"state"), Got::Fine);
    assert_eq!(budget.used().processes, 0);
    let answer = one.kernel.take_answer(shell).unwrap();
    let before = budget.used().memory_bytes;
    assert_eq!(
        answer.state.as_deref().map(Vec::as_slice),
        Some(&b"state"[..])
    );
    drop(answer);
    assert_eq!(budget.used().memory_bytes, before - 5);

    let apart = other.start();
    let refused = one.kernel.request(shell, 1, Vec::new(), [Stdio::Null; 3]);
    assert_eq!(refused, Err(Errno::Again));
    other.ends(apart, 0);
    other.kernel.reap(apart);
    assert_eq!(serve(&mut one, shell, b""), Got::Fine);
}

#[test]
fn a_shell_with_open_files_keeps_its_place() {
    let budget = Budget::new(BudgetLimits::new(1, 100 * MB));
    let mut machine = machine(&budget);
    let shell = machine.start();
    machine.kernel.serve(shell).unwrap();
    machine.pipe(shell).unwrap();
    assert_eq!(serve(&mut machine, shell, b""), Got::Fine);
    assert_eq!(budget.used().processes, 1, "it cannot be ended just so");
}

#[test]
fn a_state_that_there_is_no_memory_for_is_too_big() {
    let budget = Budget::new(BudgetLimits::new(1, MB));
    let mut machine = machine(&budget);
    let shell = machine.start();
    machine.kernel.serve(shell).unwrap();
    let rest = budget.memory(MB - budget.used().memory_bytes - 10).unwrap();
    assert_eq!(
        serve(&mut machine, shell, &[1; 100]),
        Got::Fails(Errno::TooBig)
    );
    drop(rest);
}
