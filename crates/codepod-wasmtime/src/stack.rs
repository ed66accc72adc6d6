//! How deep the stack of a process goes: what it has touched of it is the host's memory, as its
//! linear memory is.
//!
//! It is looked at where the host's code runs on it anyway: when the process's first function
//! begins, which is taken for its top, at every call, and at the end of every time slice. Between
//! two looks a process can go deeper and come back unseen, by as much as it can touch in a
//! slice; what it stays in, it is charged for.

use codepod_kernel::Control;

/// What is charged at once. Most processes never use so much.
const STEP: usize = 64 << 10;

/// A difference beyond this is not one of two places on one stack.
const LARGEST: usize = 64 << 20;

/// How deep a stack was seen.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    /// An address near its top; 0 until one is known.
    top: usize,
    /// What was charged.
    charged: usize,
}

impl Stack {
    /// The code that runs next has another stack. What the one before has touched stays charged.
    pub(crate) fn renew(&mut self) {
        self.top = 0;
    }

    /// Whether its top is known.
    pub(crate) fn is_known(&self) -> bool {
        self.top != 0
    }

    /// Looks at the stack that this runs on. False when there is no memory for what it has become.
    #[inline(never)]
    pub(crate) fn look(&mut self, control: &Control) -> bool {
        let here = 0u8;
        self.look_from(std::ptr::from_ref(&here).addr(), control)
    }

    fn look_from(&mut self, here: usize, control: &Control) -> bool {
        if self.top == 0 {
            self.top = here;
        }
        let depth = self.top.saturating_sub(here);
        if depth < self.charged + STEP || depth > LARGEST {
            return true;
        }
        let deepest = depth - depth % STEP;
        let grown = control.grow_stack(deepest);
        if grown {
            self.charged = deepest;
        }
        grown
    }
}
