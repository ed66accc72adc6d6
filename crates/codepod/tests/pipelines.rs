//! Pipelines: bytes from one process to the next, at speed, in order, in bounded memory.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codepod::{Pipeline, Running, Sandbox};
use support::{Peak, alone, assert_idle, assert_works, expect, run, sandbox, sandbox_with};

/// A command's words, connected to the next by pipes.
fn pipeline(sandbox: &Sandbox, stages: &[&[&str]]) -> Pipeline {
    let mut commands = stages.iter().map(|argv| sandbox.command(*argv));
    let first = commands.next().unwrap();
    let second = commands.next().unwrap();
    commands.fold(first.pipe(second), Pipeline::pipe)
}

#[test]
fn eight_processes_pass_a_gibibyte_in_bounded_memory() {
    let _alone = alone();
    let sandbox = sandbox_with(|options| options.timeout = Duration::from_secs(120));
    let total = (1u64 << 30).to_string();
    let stages: &[&[&str]] = &[
        &["pipe_source", &total],
        &["copy_input"],
        &["copy_input"],
        &["copy_input"],
        &["copy_input"],
        &["copy_input"],
        &["copy_input"],
        &["pipe_sink"],
    ];
    // Engine and modules are loaded once; that is not what is measured.
    let small: Vec<&[&str]> = std::iter::once(&["pipe_source", "1000"][..])
        .chain(stages[1..].iter().copied())
        .collect();
    assert_eq!(
        pipeline(&sandbox, &small).run_blocking().unwrap().stdout,
        b"1000\n"
    );
    let peak = Peak::watch();
    let result = pipeline(&sandbox, stages).run_blocking().unwrap();
    let growth = peak.growth();
    assert_eq!(
        (result.exit_code, &*result.stdout_text()),
        (0, &*format!("{total}\n")),
        "{result:?}"
    );
    assert!(growth < 64 << 20, "memory grew by {} MiB", growth >> 20);
    assert_works(&sandbox);
}

#[test]
fn the_toolbox_reads_files_and_pipes_beside_the_test_programs() {
    let sandbox = sandbox();
    sandbox.write_file("log.txt", "a\nb\nc\n").unwrap();
    let stages: &[&[&str]] = &[&["cat", "log.txt"], &["cat"], &["wc", "-l"]];
    let result = pipeline(&sandbox, stages).run_blocking().unwrap();
    assert_eq!(
        (result.exit_code, &*result.stdout_text()),
        (0, "3\n"),
        "{result:?}"
    );
}

#[test]
fn every_byte_arrives_in_order_through_many_processes() {
    let sandbox = sandbox();
    let stages: &[&[&str]] = &[
        &["pipe_source", "20000000"],
        &["copy_input"],
        &["copy_input"],
        &["pipe_sink", "check"],
    ];
    let result = pipeline(&sandbox, stages).run_blocking().unwrap();
    assert_eq!(result.stdout_text(), "20000000\n", "{result:?}");
    assert_idle(&sandbox);
}

#[test]
fn a_writer_whose_reader_left_ends_with_141() {
    let sandbox = sandbox();
    // Its parent sees SIGPIPE, and one that ignores it sees the error.
    expect(&sandbox, ["sigpipe"], 0, "");
    // The host as the reader: it takes a little and leaves.
    let mut running = sandbox.command(["output_bomb"]).start().unwrap();
    let mut stdout = running.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 100];
        stdout.read_blocking(&mut buffer).unwrap()
    });
    let status = running.wait_blocking().unwrap();
    assert_eq!((reader.join().unwrap(), status.code()), (100, 141));
    drop(running);
    // The next stage as the reader: it leaves without reading, and the endless writer does not
    // stay.
    let result = pipeline(&sandbox, &[&["output_bomb"], &["true_tiny"]])
        .run_blocking()
        .unwrap();
    assert_eq!(
        (result.exit_code, result.timed_out),
        (0, false),
        "{result:?}"
    );
    assert_works(&sandbox);
}

#[test]
fn output_past_its_limit_ends_the_writer_with_141() {
    let sandbox = sandbox_with(|options| options.limits.output_bytes = 100_000);
    let result = run(&sandbox, ["output_bomb"]);
    assert_eq!(
        (result.exit_code, result.stdout.len(), result.truncated),
        (141, 100_000, true)
    );
    assert_works(&sandbox);
}

#[test]
fn a_slow_reader_holds_its_writer_back() {
    let sandbox = sandbox();
    let total = 4 << 20;
    let mut running = sandbox
        .command(["pipe_source", &total.to_string()])
        .start()
        .unwrap();
    let mut stdout = running.stdout.take().unwrap();
    // How much the writer has handed over is what we have read and what the pipe holds.
    let read = Arc::new(Mutex::new(0));
    let counted = read.clone();
    let reader = std::thread::spawn(move || {
        let mut buffer = vec![0; 8 << 10];
        let mut expected = 0usize;
        loop {
            if expected < 256 << 10 {
                std::thread::sleep(Duration::from_millis(5));
            }
            let taken = stdout.read_blocking(&mut buffer).unwrap();
            if taken == 0 {
                return expected;
            }
            for byte in &buffer[..taken] {
                assert_eq!(usize::from(*byte), expected % 251);
                expected += 1;
            }
            *counted.lock().unwrap() = expected;
        }
    });
    let waiter = std::thread::spawn(move || {
        let status = running.wait_blocking().unwrap();
        (status.code(), running)
    });
    std::thread::sleep(Duration::from_millis(60));
    assert!(
        !waiter.is_finished(),
        "4 MiB went into a pipe of 64 KiB, of which {} were read",
        read.lock().unwrap()
    );
    let (code, running) = waiter.join().unwrap();
    assert_eq!((code, reader.join().unwrap()), (0, total));
    drop(running);
    assert_works(&sandbox);
}

#[test]
fn small_writes_of_two_writers_do_not_mix() {
    let sandbox = sandbox();
    for (lines, bytes) in [(2000, 80), (300, 4096), (200, 3001)] {
        let result = pipeline(
            &sandbox,
            &[
                &["line_writers", &lines.to_string(), &bytes.to_string()],
                &["copy_input"],
            ],
        )
        .run_blocking()
        .unwrap();
        assert_eq!(result.exit_code, 0, "{}", result.stderr_text());
        let mut seen = [0, 0];
        for line in result.stdout.split_inclusive(|byte| *byte == b'\n') {
            assert_eq!(line.len(), bytes, "{}", String::from_utf8_lossy(line));
            let letter = line[0];
            assert!(
                line[..bytes - 1].iter().all(|byte| *byte == letter),
                "mixed: {}",
                String::from_utf8_lossy(line)
            );
            seen[usize::from(letter - b'a')] += 1;
        }
        assert_eq!(seen, [lines, lines]);
    }
    assert_works(&sandbox);
}

#[test]
fn input_of_any_bytes_arrives_as_it_is() {
    let sandbox = sandbox();
    // More than a pipe holds, every byte value, no final newline.
    let input: Vec<u8> = (0..1_000_003u32).map(|i| (i * 7 % 256) as u8).collect();
    let result = sandbox
        .command(["copy_input"])
        .stdin(input.clone())
        .pipe(sandbox.command(["copy_input"]))
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 0);
    assert!(result.stdout == input, "{} bytes", result.stdout.len());
    let result = sandbox
        .command(["copy_input"])
        .stdin("")
        .run_blocking()
        .unwrap();
    assert_eq!((result.exit_code, result.stdout.len()), (0, 0));
    // Input that nobody reads is not waited for.
    let result = sandbox
        .command(["true_tiny"])
        .stdin(input)
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 0);
    assert_works(&sandbox);
}

#[test]
fn input_can_be_written_while_the_command_runs() {
    let sandbox = sandbox();
    let mut running = sandbox.command(["copy_input"]).start().unwrap();
    let (mut stdin, mut stdout) = (
        running.stdin.take().unwrap(),
        running.stdout.take().unwrap(),
    );
    let waiter = std::thread::spawn(move || running.wait_blocking().unwrap().code());
    let mut buffer = [0; 16];
    for word in [&b"one"[..], b"\0\xff\xfe", b"three"] {
        assert!(stdin.write_all_blocking(word).unwrap());
        let read = stdout.read_blocking(&mut buffer).unwrap();
        assert_eq!(&buffer[..read], word);
    }
    drop(stdin);
    assert_eq!(stdout.read_blocking(&mut buffer).unwrap(), 0);
    assert_eq!(waiter.join().unwrap(), 0);
    drop(stdout);
    assert_works(&sandbox);
}

#[test]
fn the_status_is_the_last_ones_and_errors_are_everybodys() {
    let sandbox = sandbox();
    let result = pipeline(&sandbox, &[&["panic"], &["exit_with", "7"]])
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 7);
    assert!(result.stderr_text().contains("on purpose"), "{result:?}");
    assert_eq!(result.command, "panic | exit_with 7");
    let result = pipeline(&sandbox, &[&["exit_with", "7"], &["nope"], &["copy_input"]])
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 127);
    assert_works(&sandbox);
}

#[test]
fn a_pipeline_that_cannot_be_made_leaves_nothing_behind() {
    let sandbox = sandbox_with(|options| options.limits.pipes = 3);
    let six: &[&[&str]] = &[&["copy_input"][..]; 6];
    let error = pipeline(&sandbox, six).run_blocking().unwrap_err();
    assert!(error.to_string().contains("cannot start"), "{error}");
    assert_idle(&sandbox);
    // Three streams fit once, and half of them leave nothing.
    let running = sandbox.command(["copy_input"]).start().unwrap();
    assert!(sandbox.command(["copy_input"]).start().is_err());
    drop(running);
    assert_idle(&sandbox);
    assert!(Running::start_on_terminal(sandbox.command(["nope"]), 24, 80).is_err());
    assert_idle(&sandbox);
    // One that was started and never waited for is gone when it is dropped.
    drop(sandbox.command(["spin"]).start().unwrap());
    assert_idle(&sandbox);
    let sandbox = sandbox_with(|options| options.limits.pipes = 1);
    assert!(sandbox.command(["copy_input"]).start().is_err());
    assert!(Running::start_on_terminal(sandbox.command(["copy_input"]), 24, 80).is_err());
    assert_works(&sandbox);
}
