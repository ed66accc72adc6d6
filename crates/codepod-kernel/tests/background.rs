//! Who is in the background: what a run has left, with all that it starts, and nobody else.

mod support;

use std::task::Poll;
use std::time::Duration;

use codepod_abi::table::Call;
use codepod_abi::wire::GROUP_NEW;
use codepod_kernel::{ExitStatus, Pid, Stdio, syscalls};
use support::{BYTES, Got, Machine, OUT};

/// A shell that serves the host.
fn shell(machine: &mut Machine) -> Pid {
    let shell = machine.start();
    machine.kernel.serve(shell).unwrap();
    shell
}

fn begin_run(machine: &mut Machine, shell: Pid) {
    machine
        .kernel
        .request(shell, 1, b"run".to_vec(), [Stdio::Null; 3])
        .unwrap();
    let taken = machine.poll(shell, Call::session_next, |call| {
        syscalls::session_next(call, BYTES, 100, OUT)
    });
    assert_eq!(taken, Poll::Ready(Got::Fine));
}

fn end_run(machine: &mut Machine, shell: Pid) {
    let done = machine.ready(shell, Call::session_done, |call| {
        syscalls::session_done(call, 0, 0, 0)
    });
    assert_eq!(done, Got::Fine);
    machine.kernel.take_answer(shell).unwrap();
}

/// Lets a process run for so long and end.
fn works_and_ends(machine: &mut Machine, parent: Pid, seconds: u64) {
    let child = machine.child(parent);
    machine.controls[&child].add_cpu(Duration::from_secs(seconds));
    machine.ends(child, 0);
}

#[test]
fn what_a_run_leaves_is_in_the_background_when_the_run_has_ended() {
    let mut machine = Machine::new();
    let shell = shell(&mut machine);
    begin_run(&mut machine, shell);
    let job = machine.spawn(shell, GROUP_NEW).unwrap();
    assert!(machine.kernel.background().is_empty());
    end_run(&mut machine, shell);
    assert_eq!(machine.kernel.background().len(), 1);
    // A later run is not, while it goes on; what it leaves is another family.
    begin_run(&mut machine, shell);
    let later = machine.child(shell);
    assert_eq!(machine.kernel.background().len(), 1);
    end_run(&mut machine, shell);
    let families = machine.kernel.background();
    assert_eq!(families.len(), 2);
    // A child is of its parent's family, also when that has ended.
    let child = machine.child(job);
    machine.ends(job, 0);
    let now = machine.kernel.background();
    assert!(now.len() == 2 && families.iter().all(|family| now.contains(family)));
    assert!(machine.kernel.kill_family(families[0]));
    assert!(!machine.kernel.kill_family(families[0]), "it ends already");
    assert!(machine.kernel.is_ending(child) != machine.kernel.is_ending(later));
    assert!(machine.kernel.kill_family(families[1]));
    assert!(machine.kernel.is_ending(child) && machine.kernel.is_ending(later));
    assert!(!machine.kernel.is_ending(shell));
}

#[test]
fn a_shell_that_never_comes_to_its_request_complains_in_the_streams_of_that() {
    let mut machine = Machine::new();
    let shell = shell(&mut machine);
    let errors = machine.kernel.new_sink(100);
    let stdio = [Stdio::Null, Stdio::Null, Stdio::Sink(errors)];
    machine
        .kernel
        .request(shell, 1, b"run".to_vec(), stdio)
        .unwrap();
    machine.kernel.complain(shell, "no module");
    let said = machine.kernel.take_sink(errors).0;
    assert_eq!(said, b"codepod: no module\n");
}

#[test]
fn a_command_is_in_the_foreground_as_long_as_the_host_waits_for_it() {
    let mut machine = Machine::new();
    let command = machine.start();
    let child = machine.child(command);
    assert!(machine.kernel.background().is_empty());
    machine.ends(command, 0);
    assert_eq!(machine.kernel.background().len(), 1);
    machine.kernel.reap(command);
    let families = machine.kernel.background();
    machine.kernel.kill_family(families[0]);
    assert!(machine.kernel.is_ending(child));
}

#[test]
fn processor_time_counts_of_those_that_live_and_of_those_that_ended_in_the_background() {
    let mut machine = Machine::new();
    let shell = shell(&mut machine);
    begin_run(&mut machine, shell);
    works_and_ends(&mut machine, shell, 100);
    let job = machine.child(shell);
    machine.controls[&job].add_cpu(Duration::from_secs(1));
    assert_eq!(machine.kernel.background_cpu_ns(), 0);
    end_run(&mut machine, shell);
    assert_eq!(machine.kernel.background_cpu_ns(), 1_000_000_000);
    works_and_ends(&mut machine, job, 5);
    assert_eq!(machine.kernel.background_cpu_ns(), 6_000_000_000);
    machine.kernel.exit(job, ExitStatus::Exited(0));
    assert_eq!(machine.kernel.background_cpu_ns(), 6_000_000_000);
    machine.kernel.forget_background_cpu();
    assert_eq!(machine.kernel.background_cpu_ns(), 0);
}
