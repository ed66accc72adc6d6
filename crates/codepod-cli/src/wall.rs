//! The second wall around this program: commands that run what others have written lock themselves
//! in before anything of it runs.

use codepod::jail::{self, Needs};
use codepod::{Options, Runtime, Sandbox, StateDirectory};

use crate::failure::Failure;
use crate::lookup;
use crate::options::{Place, runtime_with};
use crate::progress;

/// What a command needs of the host that makes a sandbox with these options, or goes on from a
/// state.
pub(crate) fn needs(options: &Options, state: Option<&str>) -> Result<Needs, Failure> {
    let mut needs = jail::needs(options);
    if let Some(name) = state {
        jail::add_state(&mut needs, &StateDirectory::of_user()?, name)?;
    }
    Ok(needs)
}

/// An engine behind the wall, with just the places that a sandbox needs. `prepare` does what has to
/// be done before the wall is closed.
pub(crate) fn closed_around<T>(
    needs: Needs,
    options: &Options,
    prepare: impl FnOnce() -> Result<T, Failure>,
) -> Result<(Runtime, T), Failure> {
    // Its thread has ended when the wall is begun.
    progress::open_parts();
    let lookups = lookup::beside(options)?;
    let wall = jail::begin(needs)?;
    let runtime = runtime_with(options, lookups)?;
    let prepared = prepare()?;
    wall.close(&runtime)?;
    Ok((runtime, prepared))
}

/// A new sandbox behind the wall, or one that goes on from a state.
pub(crate) fn open(options: Options, state: Option<&str>) -> Result<Place, Failure> {
    let needs = needs(&options, state)?;
    let (runtime, ()) = closed_around(needs, &options, || Ok(()))?;
    Place::open(&runtime, options, state)
}

/// A new sandbox behind the wall.
pub(crate) fn create(options: Options) -> Result<Sandbox, Failure> {
    Ok(open(options, None)?.sandbox().clone())
}
