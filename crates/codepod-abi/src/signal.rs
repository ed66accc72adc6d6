//! Signals: numbers, names and default actions, as on Linux for x86-64.
//!
//! WASI numbers signals differently from 16 on; [`Signal::from_wasi`] translates.

/// What a signal does to a process that neither ignores nor catches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultAction {
    /// The process ends; its status is 128 plus the number.
    Terminate,
    /// Nothing happens.
    Ignore,
    /// The process stops until it is continued.
    Stop,
    /// A stopped process goes on.
    Continue,
}

macro_rules! signals {
    ($($name:ident = $number:literal, $text:literal, $action:ident;)*) => {
        /// A signal, numbered as on Linux.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Signal {
            $(#[doc = $text] $name = $number,)*
        }

        impl Signal {
            /// Every signal, in the order of their numbers.
            pub const ALL: &'static [Signal] = &[$(Signal::$name,)*];

            /// The signal of a number; `None` for 0 and for numbers that Linux does not have.
            pub const fn from_raw(number: u32) -> Option<Signal> {
                match number { $($number => Some(Signal::$name),)* _ => None }
            }

            /// The name with its prefix, such as `SIGPIPE`.
            pub const fn name(self) -> &'static str {
                match self { $(Signal::$name => $text,)* }
            }

            /// What happens where a process says nothing else.
            pub const fn default_action(self) -> DefaultAction {
                match self { $(Signal::$name => DefaultAction::$action,)* }
            }
        }
    };
}

signals! {
    Hup = 1, "SIGHUP", Terminate;
    Int = 2, "SIGINT", Terminate;
    Quit = 3, "SIGQUIT", Terminate;
    Ill = 4, "SIGILL", Terminate;
    Trap = 5, "SIGTRAP", Terminate;
    Abrt = 6, "SIGABRT", Terminate;
    Bus = 7, "SIGBUS", Terminate;
    Fpe = 8, "SIGFPE", Terminate;
    Kill = 9, "SIGKILL", Terminate;
    Usr1 = 10, "SIGUSR1", Terminate;
    Segv = 11, "SIGSEGV", Terminate;
    Usr2 = 12, "SIGUSR2", Terminate;
    Pipe = 13, "SIGPIPE", Terminate;
    Alrm = 14, "SIGALRM", Terminate;
    Term = 15, "SIGTERM", Terminate;
    StkFlt = 16, "SIGSTKFLT", Terminate;
    Chld = 17, "SIGCHLD", Ignore;
    Cont = 18, "SIGCONT", Continue;
    Stop = 19, "SIGSTOP", Stop;
    Tstp = 20, "SIGTSTP", Stop;
    Ttin = 21, "SIGTTIN", Stop;
    Ttou = 22, "SIGTTOU", Stop;
    Urg = 23, "SIGURG", Ignore;
    Xcpu = 24, "SIGXCPU", Terminate;
    Xfsz = 25, "SIGXFSZ", Terminate;
    Vtalrm = 26, "SIGVTALRM", Terminate;
    Prof = 27, "SIGPROF", Terminate;
    Winch = 28, "SIGWINCH", Ignore;
    Poll = 29, "SIGPOLL", Terminate;
    Pwr = 30, "SIGPWR", Terminate;
    Sys = 31, "SIGSYS", Terminate;
}

impl Signal {
    /// The number as Linux has it.
    pub const fn raw(self) -> u32 {
        self as u32
    }

    /// The bit that stands for the signal in a set.
    pub const fn bit(self) -> u64 {
        1 << (self as u32)
    }

    /// Whether a process may ignore or catch it.
    pub const fn is_catchable(self) -> bool {
        !matches!(self, Signal::Kill | Signal::Stop)
    }

    /// The signal that WASI Preview 1 means by a number: it has no `SIGSTKFLT`.
    pub const fn from_wasi(number: u32) -> Option<Signal> {
        match number {
            0..=15 => Signal::from_raw(number),
            16..=30 => Signal::from_raw(number + 1),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_survives_the_wire() {
        for signal in Signal::ALL {
            assert_eq!(Signal::from_raw(signal.raw()), Some(*signal));
        }
        assert_eq!(Signal::from_raw(0), None);
        assert_eq!(Signal::from_raw(32), None);
    }

    #[test]
    fn wasi_has_its_own_numbers_from_sixteen_on() {
        assert_eq!(Signal::from_wasi(15), Some(Signal::Term));
        assert_eq!(Signal::from_wasi(16), Some(Signal::Chld));
        assert_eq!(Signal::from_wasi(30), Some(Signal::Sys));
        assert_eq!(Signal::from_wasi(31), None);
    }
}
