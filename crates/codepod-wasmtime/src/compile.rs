//! Compiling modules from outside: one at a time, by turns among shares, off the threads that run
//! processes, and only what is within limits. Cranelift cannot be interrupted, so what it is given
//! is looked at first.

use std::sync::Arc;

use wasmtime::Module;

use crate::error::{EngineError, EngineResult};
use crate::host_lacks;
use crate::places::{Place, Places, Waiting};

/// Limits of a module from outside. A real program of this size (a language interpreter) passes.
struct ModuleLimits;

impl ModuleLimits {
    const FUNCTIONS: u32 = 100_000;
    /// Bytes of one function's body: register allocation is worse than linear in it.
    const BODY_BYTES: usize = 1 << 20;
    /// Locals of one function.
    const LOCALS: u64 = 10_000;
    /// Blocks within blocks: Cranelift's time is quadratic in it (150,000 take minutes, 1,000 loops
    /// 0.4 s). A large `switch` in C has one for each of its cases.
    const NESTING: u64 = 1_000;
    const GLOBALS: u32 = 10_000;
    const IMPORTS: u32 = 1_000;
    const EXPORTS: u32 = 10_000;
    const TYPES: u32 = 10_000;
}

/// Compiles foreign modules.
pub(crate) struct Compiler {
    engine: wasmtime::Engine,
    turns: Places,
}

impl Compiler {
    pub(crate) fn new(engine: wasmtime::Engine) -> Compiler {
        Compiler {
            engine,
            turns: Places::new(1),
        }
    }

    /// Waits until it is the turn of a share to have a module compiled.
    pub(crate) fn turn(&self, share: u64) -> Waiting {
        self.turns.take(share)
    }

    /// Compiles on a thread of its own. Dropping the future leaves the thread to finish alone; the
    /// next module waits for it.
    pub(crate) async fn compile(&self, bytes: Arc<[u8]>, turn: Place) -> EngineResult<Module> {
        let engine = self.engine.clone();
        let (send, receive) = async_channel::bounded(1);
        std::thread::Builder::new()
            .name("codepod-compile".into())
            .spawn(move || {
                let module = Module::new(&engine, &bytes);
                // The thread has the turn, not the future: whoever gives up must not let the next
                // one in.
                drop(turn);
                let _ = send.send_blocking(module);
            })
            .map_err(|error| host_lacks::threads(&error))?;
        receive
            .recv()
            .await
            .map_err(|_| EngineError::InvalidModule("the compiler gave up".into()))?
            .map_err(|error| EngineError::InvalidModule(format!("{error:#}")))
    }
}

/// Compiles on a thread of its own and waits for it: Cranelift needs more stack than the caller's
/// thread may have.
pub(crate) fn with_stack<R: Send>(
    compile: impl FnOnce() -> wasmtime::Result<R> + Send,
) -> EngineResult<R> {
    let invalid = |why: String| EngineError::InvalidModule(why);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("codepod-compile".into());
        let thread = thread.spawn_scoped(scope, compile);
        let compiled = thread.map_err(|error| host_lacks::threads(&error))?.join();
        let compiled = compiled.map_err(|_| invalid("the compiler gave up".into()))?;
        compiled.map_err(|error| invalid(format!("{error:#}")))
    })
}

/// Refuses what could keep the compiler busy for long.
pub(crate) fn check(bytes: &[u8]) -> EngineResult<()> {
    let invalid = |why: String| EngineError::InvalidModule(why);
    let within = |what: &str, count: u64, limit: u64| {
        if count > limit {
            Err(EngineError::InvalidModule(format!(
                "{count} {what}, and {limit} are allowed"
            )))
        } else {
            Ok(())
        }
    };
    for payload in wasmparser::Parser::new(0).parse_all(bytes) {
        use wasmparser::Payload;
        match payload.map_err(|error| invalid(error.to_string()))? {
            Payload::Version {
                encoding: wasmparser::Encoding::Component,
                ..
            } => {
                return Err(invalid(
                    "it is a component; codepod runs core modules for WASI Preview 1".into(),
                ));
            }
            Payload::TypeSection(section) => {
                within("types", section.count().into(), ModuleLimits::TYPES.into())?
            }
            Payload::ImportSection(section) => within(
                "imports",
                section.count().into(),
                ModuleLimits::IMPORTS.into(),
            )?,
            Payload::ExportSection(section) => within(
                "exports",
                section.count().into(),
                ModuleLimits::EXPORTS.into(),
            )?,
            Payload::GlobalSection(section) => within(
                "globals",
                section.count().into(),
                ModuleLimits::GLOBALS.into(),
            )?,
            Payload::FunctionSection(section) => {
                within(
                    "functions",
                    section.count().into(),
                    ModuleLimits::FUNCTIONS.into(),
                )?;
            }
            Payload::CodeSectionEntry(body) => {
                within(
                    "bytes in one function",
                    body.range().end - body.range().start,
                    ModuleLimits::BODY_BYTES as u64,
                )?;
                let mut locals = 0;
                for group in body
                    .get_locals_reader()
                    .map_err(|error| invalid(error.to_string()))?
                {
                    locals += u64::from(group.map_err(|error| invalid(error.to_string()))?.0);
                    within("locals in one function", locals, ModuleLimits::LOCALS)?;
                }
                within(
                    "blocks within each other",
                    nesting(&body).map_err(|error| invalid(error.to_string()))?,
                    ModuleLimits::NESTING,
                )?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The most blocks within each other of a function.
fn nesting(body: &wasmparser::FunctionBody<'_>) -> wasmparser::Result<u64> {
    use wasmparser::Operator;
    let (mut depth, mut most) = (0u64, 0);
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::TryTable { .. } => {
                depth += 1;
                most = most.max(depth);
            }
            Operator::End => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(most)
}
