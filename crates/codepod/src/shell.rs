//! Shells: bash processes that keep variables, functions, the working directory and jobs from one
//! script to the next.
//!
//! A sandbox has one shell that needs no name, and as many named ones as it likes. A shell is
//! started by its first script and stays warm. Its state is taken out after every script, so that a
//! snapshot, a fork and a shell that was killed go on from there; open descriptors and background
//! jobs are the process's own and are not in the state.

mod queue;
mod serve;
mod slot;
mod warm;
mod warm_list;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codepod_abi::session::Request;
use codepod_kernel::Stdio;
use futures_lite::future::block_on;

use crate::error::Error;
use crate::result::RunResult;
use crate::sandbox::Sandbox;
use crate::script::Script;

pub(crate) use queue::{Turn, Turns};
pub(crate) use serve::{End, Job, Served, serve};
pub(crate) use slot::{Slot, State};
pub(crate) use warm_list::WarmList;

/// The states of a sandbox's shells, by name.
pub(crate) type States = BTreeMap<Arc<str>, State>;

/// The name of the shell that needs none.
const MAIN: &str = "";

/// The name of shells that nobody can name.
const DETACHED: &str = "\0";

/// The shells of a sandbox.
#[derive(Debug)]
pub(crate) struct Shells {
    main: Arc<Slot>,
    named: Mutex<BTreeMap<Arc<str>, Arc<Slot>>>,
}

impl Shells {
    /// Shells that go on from these states.
    pub(crate) fn new(states: &States) -> Shells {
        let named = |(name, state): (&Arc<str>, &State)| {
            let slot = Slot::with_state(Some(state.clone()));
            (name.clone(), Arc::new(slot))
        };
        let others = states.iter().filter(|(name, _)| &***name != MAIN);
        Shells {
            main: Arc::new(Slot::with_state(states.get(MAIN).cloned())),
            named: Mutex::new(others.map(named).collect()),
        }
    }

    /// The names of those that have a state; the main shell's is empty.
    pub(crate) fn names(&self) -> Vec<String> {
        let states = self.states();
        states.keys().map(|name| name.to_string()).collect()
    }

    /// What all of them would go on from.
    pub(crate) fn states(&self) -> States {
        let state = |name: &Arc<str>, slot: &Slot| Some((name.clone(), slot.state()?));
        let named = self.named();
        let main = state(&MAIN.into(), &self.main);
        let others = named.iter().filter_map(|(name, slot)| state(name, slot));
        main.into_iter().chain(others).collect()
    }

    /// Goes on from other states. The caller has made sure that no shell is warm.
    pub(crate) fn set_states(&self, states: &States) {
        let mut named = self.named();
        named.retain(|name, _| states.contains_key(name));
        for (name, state) in states {
            let slot = if &**name == MAIN {
                &self.main
            } else {
                named.entry(name.clone()).or_default()
            };
            slot.set_state(Some(state.clone()));
        }
        if !states.contains_key(MAIN) {
            self.main.set_state(None);
        }
    }

    /// Drops the processes of all shells that nobody uses; their states stay. Whether all of them
    /// are cold.
    pub(crate) fn cool(&self) -> bool {
        let named = self.named();
        let mut all = true;
        let mut warm = Vec::new();
        for slot in named.values().chain([&self.main]) {
            match slot.turns.try_take() {
                Some(_turn) => warm.extend(slot.take_warm()),
                None => all = false,
            }
        }
        // Ending a process takes the kernel, which others hold while they look for a shell.
        drop(named);
        drop(warm);
        all
    }

    fn slot(&self, name: &str) -> Arc<Slot> {
        if name == MAIN {
            return self.main.clone();
        }
        let mut named = self.named();
        match named.get(name) {
            Some(slot) => slot.clone(),
            None => named.entry(name.into()).or_default().clone(),
        }
    }

    fn named(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Arc<Slot>>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A shell of a sandbox. Scripts in one shell run one after the other, in the order in which they
/// came; those of different shells run at the same time.
#[derive(Debug, Clone)]
pub struct Shell {
    pub(crate) sandbox: Sandbox,
    name: Arc<str>,
    pub(crate) slot: Arc<Slot>,
}

impl Shell {
    pub(crate) fn new(sandbox: &Sandbox, name: &str) -> Shell {
        Shell {
            sandbox: sandbox.clone(),
            name: name.into(),
            slot: sandbox.inner.shells.slot(name),
        }
    }

    /// A copy of it as it was after its last script, which only the caller has: what that changes
    /// of its variables is gone with it.
    pub fn detached(&self) -> Shell {
        Shell {
            sandbox: self.sandbox.clone(),
            name: DETACHED.into(),
            slot: Arc::new(Slot::with_state(self.slot.state())),
        }
    }

    /// Its name; empty for the sandbox's main shell.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A script to run: with input, variables, a time limit of its own, or streams.
    pub fn script(&self, text: impl AsRef<[u8]>) -> Script {
        Script::new(self.clone(), text.as_ref())
    }

    /// Runs a script and waits for its end. See [`Script::run`].
    pub async fn run(&self, text: impl AsRef<[u8]>) -> Result<RunResult, Error> {
        self.script(text).run().await
    }

    /// Blocking form of [`Self::run`], for callers without an async runtime.
    pub fn run_blocking(&self, text: impl AsRef<[u8]>) -> Result<RunResult, Error> {
        self.script(text).run_blocking()
    }

    /// Runs its EXIT trap and forgets it, with its variables. A script that comes later starts
    /// anew.
    pub async fn close(self) -> Result<(), Error> {
        let _turn = self.slot.turns.take().await;
        let started = self.slot.state().is_some();
        if started {
            let mut request = Vec::new();
            Request::End.encode(&mut request);
            let job = Job {
                request,
                number: 0,
                stdio: [Stdio::Null; 3],
                feed: None,
                timeout: self.sandbox.options().timeout,
                cancel: None,
                before: Some(self.sandbox.kernel()?.snapshot()),
            };
            serve(&self.sandbox, &self.slot, job).await?;
        }
        drop(self.slot.take_warm());
        self.slot.set_state(None);
        self.sandbox.inner.shells.named().remove(&self.name);
        Ok(())
    }

    /// Blocking form of [`Self::close`], for callers without an async runtime.
    pub fn close_blocking(self) -> Result<(), Error> {
        block_on(self.close())
    }
}
