//! One command line on the terminal, while it runs.
//!
//! The command has a terminal of the sandbox's kernel, which passes bytes on; lines, echo and
//! signals are done by the host's own, set as the command wants them. Keys are read only while
//! somebody in the sandbox waits for them: what is typed ahead stays for the next prompt. An
//! interrupt (Ctrl-C) goes to programs that handle it, such as Python. Where there is none, and
//! after Ctrl-\, the command ends: the shell goes on with the variables that it had before the
//! line, and files stay as they are.
//!
//! What is not there: one end of input (Ctrl-D) ends it for the whole line, and nothing can be
//! stopped and continued.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codepod::{Canceller, PipeWriter, Sandbox, TerminalHandle};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGINT, SIGQUIT};

use crate::failure::Failure;
use crate::streams::{Shown, show};

/// How long a key may have to wait until somebody looks.
const STEP: Duration = Duration::from_millis(10);

/// Runs command lines on our terminal.
pub(super) struct Foreground {
    sandbox: Sandbox,
    timeout: Duration,
    pressed: Pressed,
}

/// Which keys were pressed that become signals.
#[derive(Clone, Default)]
pub(super) struct Pressed {
    /// Ctrl-C.
    interrupt: Arc<AtomicBool>,
    /// Ctrl-\.
    quit: Arc<AtomicBool>,
}

impl Foreground {
    /// Catches interrupts from now on: what they set.
    pub(super) fn interrupts() -> Result<Pressed, Failure> {
        let pressed = Pressed::default();
        for (signal, flag) in [(SIGINT, &pressed.interrupt), (SIGQUIT, &pressed.quit)] {
            signal_hook::flag::register(signal, flag.clone()).map_err(|error| {
                let why = format!("interrupts cannot be caught: {error}");
                Failure::new(why, "`codepod run` does without")
            })?;
        }
        Ok(pressed)
    }

    pub(super) fn new(sandbox: &Sandbox, timeout: Duration, pressed: Pressed) -> Foreground {
        Foreground {
            sandbox: sandbox.clone(),
            timeout,
            pressed,
        }
    }

    /// Runs a line to its end on a terminal of a size; its status.
    pub(super) fn run(&mut self, line: &str, (rows, columns): (u32, u32)) -> Result<u8, Failure> {
        let script = self.sandbox.script(line).timeout(self.timeout);
        let mut running = script.start_on_terminal(rows, columns)?;
        self.pressed.interrupt.store(false, Ordering::Relaxed);
        self.pressed.quit.store(false, Ordering::Relaxed);
        let over = Arc::new(AtomicBool::new(false));
        let keys = Keys {
            terminal: running.terminal(),
            writer: running.stdin.take(),
            canceller: running.canceller(),
            pressed: self.pressed.clone(),
            over: over.clone(),
        };
        let keys = std::thread::spawn(move || keys.pass());
        let output = running.stdout.take();
        let output = std::thread::spawn(move || {
            let Some(mut output) = output else { return };
            let mut shown = Shown::full_screen(std::io::stdout());
            let mut buffer = vec![0; 64 << 10];
            while let Ok(read @ 1..) = output.read_blocking(&mut buffer) {
                if shown.write(&buffer[..read]).is_err() {
                    return;
                }
            }
            let _ = shown.finish();
        });
        let result = running.wait_blocking();
        over.store(true, Ordering::Relaxed);
        let _ = (output.join(), keys.join());
        let result = result?;
        show(std::io::stderr(), &result.stderr);
        if result.cancelled {
            show(std::io::stderr(), b"\n");
        }
        Ok(result.exit_code as u8)
    }
}

/// The keyboard while a command runs.
struct Keys {
    terminal: Option<TerminalHandle>,
    /// `None` once the input has ended.
    writer: Option<PipeWriter>,
    canceller: Canceller,
    pressed: Pressed,
    over: Arc<AtomicBool>,
}

impl Keys {
    fn pass(mut self) {
        let own = tcgetattr(std::io::stdin()).ok();
        let mut set = None;
        while !self.over.load(Ordering::Relaxed) {
            if self.pressed.quit.swap(false, Ordering::Relaxed)
                || self.pressed.interrupt.swap(false, Ordering::Relaxed) && !self.interrupt()
            {
                self.canceller.cancel();
            }
            let modes = self.terminal.as_ref().and_then(TerminalHandle::modes);
            if let (Some(modes), Some(own)) = (modes, &own) {
                let wanted = (modes.lines, modes.echo, modes.signals);
                if set != Some(wanted) {
                    set_modes(own.clone(), wanted);
                    set = Some(wanted);
                }
            }
            let wanted = modes.is_some_and(|modes| modes.input_wanted);
            if wanted && self.writer.is_some() {
                self.read();
            } else {
                std::thread::sleep(STEP);
            }
        }
        if let (Some(own), Some(_)) = (own, set) {
            let _ = tcsetattr(std::io::stdin(), SetArg::TCSADRAIN, &own);
        }
    }

    /// Interrupts programs that handle that; false if none does.
    fn interrupt(&self) -> bool {
        self.terminal
            .as_ref()
            .is_some_and(TerminalHandle::interrupt)
    }

    /// Passes keys on, if there are some.
    fn read(&mut self) {
        let stdin = std::io::stdin();
        let mut polled = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        let wait = PollTimeout::from(STEP.as_millis() as u8);
        // An interrupt ends the wait: who comes next looks why.
        if !matches!(poll(&mut polled, wait), Ok(1..)) {
            return;
        }
        let mut buffer = [0; 4096];
        // Past the standard library's buffer, which would keep what the next prompt wants.
        match nix::unistd::read(&stdin, &mut buffer) {
            Ok(0) => self.writer = None,
            Ok(read) => {
                if let Some(writer) = &mut self.writer
                    && !writer.write_all_blocking(&buffer[..read]).unwrap_or(false)
                {
                    self.writer = None;
                }
            }
            Err(_) => {}
        }
    }
}

fn set_modes(mut state: Termios, (lines, echo, signals): (bool, bool, bool)) {
    for (mode, wanted) in [
        (LocalFlags::ICANON, lines),
        (LocalFlags::ECHO, echo),
        (LocalFlags::ISIG, signals),
    ] {
        state.local_flags.set(mode, wanted);
    }
    let _ = tcsetattr(std::io::stdin(), SetArg::TCSADRAIN, &state);
}
