//! Lets a program start once, ahead of time, and writes a module that goes on from there.
//!
//! The program runs as a process of a kernel of its own, with a directory of the host as its files,
//! and writes its linear memory to `/memory` before it ends. The new module holds that memory, and
//! starts at another of its functions. A build step: see `guests/runtimes/python/build.sh`.

#![expect(clippy::print_stderr, reason = "a command-line program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use codepod_abi::Grant;
use codepod_kernel::{Fd, Group, Kernel, KernelOptions, Limits, Policy, SpawnSpec, Stdio, Strings};
use codepod_vfs::{Budget, FsLimits, Memory, OpenOptions, Tree, Vfs};
use codepod_wasmtime::{
    Code, Engine, EngineOptions, GuestModule, KernelHandle, ModuleCache, Share,
};
use futures_lite::future::block_on;
use wasmparser::{ConstExpr, Operator, Parser, Payload};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

/// Where the program writes its memory.
const MEMORY: &str = "/memory";
/// The function that the new module starts at.
const RESUME: &str = "codepod-resume";
/// The program's path in its own files.
const PROGRAM: &str = "/program";
/// The most that the program may print.
const OUTPUT: usize = 1 << 20;

type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [option, module, root, result, words @ ..] if option == "--run" => {
            only_run(module.as_ref(), root.as_ref(), result.as_ref(), words)
        }
        [module, root, result, data, words @ ..] if !module.starts_with('-') => {
            let out = (result.as_ref(), data.as_ref());
            preinitialise(module.as_ref(), root.as_ref(), out, words)
        }
        _ => {
            eprintln!(
                "usage: codepod-preinit MODULE ROOT RESULT DATA ARGUMENT…\n\
                runs MODULE with the files below ROOT and these arguments; writes the new module to RESULT, and what the\n\
                linker had put into memory to DATA\n\
                usage: codepod-preinit --run MODULE ROOT RESULT ARGUMENT…\n\
                only runs it, and writes to RESULT what it left in `{MEMORY}`"
            );
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}: {error}", arguments.join(" "));
            ExitCode::FAILURE
        }
    }
}

fn only_run(module: &Path, root: &Path, result: &Path, words: &[String]) -> Result<(), Failure> {
    let left = run(&std::fs::read(module)?, root, words)?;
    Ok(std::fs::write(result, left)?)
}

fn preinitialise(
    module: &Path,
    root: &Path,
    (new_module, data): (&Path, &Path),
    words: &[String],
) -> Result<(), Failure> {
    let wasm = std::fs::read(module)?;
    let memory = run(&wasm, root, words)?;
    let mut wizer = Wizer::new();
    wizer.init_func("_start").func_rename("_start", RESUME);
    let (context, _) = wizer.instrument(&wasm).map_err(|error| error.to_string())?;
    let mut state = Written {
        memory,
        globals: globals(&wasm)?,
    };
    let result =
        block_on(wizer.snapshot(&context, &mut state)).map_err(|error| error.to_string())?;
    std::fs::write(new_module, result)?;
    Ok(std::fs::write(data, pristine(&wasm)?)?)
}

/// Runs the program and returns what it wrote.
fn run(wasm: &[u8], root: &Path, words: &[String]) -> Result<Vec<u8>, Failure> {
    // What is made is run for each image, and compiled when it is shipped.
    let cache = ModuleCache::of_user()?;
    if let Some(cache) = &cache {
        // With all cores: an engine that runs programs compiles with one.
        Engine::precompile(cache, wasm, None)?;
    }
    let engine = Engine::new(EngineOptions {
        slots: 4,
        cache,
        ..EngineOptions::default()
    })?;
    engine.register(GuestModule {
        name: "program".to_owned(),
        code: Code::Wasm(wasm.to_vec().into()),
        compiled: None,
        grants: Grant::ALL.to_vec(),
        images: Vec::new(),
    });
    let mut files = Tree::builder()
        .file(PROGRAM, 0o755, b"#!codepod program\n")
        .dir(b"/tmp", 0o777);
    for (path, bytes) in files_below(root, "")? {
        files = files.file(path.as_bytes(), 0o644, bytes);
    }
    let tree = files.build().with_limits(FsLimits::UNLIMITED);
    let mut kernel = Kernel::new(KernelOptions {
        id: 1,
        host: engine.host(),
        vfs: Vfs::new(Box::new(Memory::new(tree))),
        limits: Arc::new(Limits::default()),
        budget: Budget::default(),
        policy: Policy::default(),
        uid: 0,
        gid: 0,
        trace: None,
    });
    let sink = kernel.new_sink(OUTPUT);
    let argv: Vec<&str> = std::iter::once(PROGRAM)
        .chain(words.iter().map(String::as_str))
        .collect();
    let stdio = [Stdio::Null, Stdio::Sink(sink), Stdio::Sink(sink)];
    let spec = SpawnSpec {
        path: PROGRAM.into(),
        argv: Strings::new(argv).ok_or("an argument holds a NUL byte")?,
        env: Strings::new(["PATH=/usr/bin", "LC_ALL=C.UTF-8"]).ok_or("no environment")?,
        cwd: Some(b"/".to_vec()),
        fds: stdio.into_iter().zip([Fd(0), Fd(1), Fd(2)]).collect(),
        group: Group::Inherit,
    };
    let program = kernel
        .spawn(None, spec)
        .map_err(|errno| errno.to_string())?;
    let kernel = KernelHandle::new(kernel, &Share::default());
    block_on(engine.run(kernel.clone(), program));
    let mut kernel = kernel.lock().map_err(|_| "the kernel panicked")?;
    let (output, _) = kernel.take_sink(sink);
    eprint!("{}", String::from_utf8_lossy(&output));
    let (vfs, caller) = kernel.files();
    let root = vfs.root();
    let opened = vfs.open(&caller, root, MEMORY.as_bytes(), &OpenOptions::READ);
    let node = opened.map_err(|errno| format!("the program left no `{MEMORY}`: {errno}"))?;
    let size = vfs
        .stat(&caller, node)
        .map_err(|errno| errno.to_string())?
        .size;
    let mut memory = vec![0; usize::try_from(size)?];
    let mut done = 0;
    while done < memory.len() {
        let read = vfs.read_at(&caller, node, done as u64, &mut memory[done..]);
        match read.map_err(|errno| errno.to_string())? {
            0 => return Err("the memory ends early".into()),
            count => done += count,
        }
    }
    Ok(memory)
}

/// The files below a directory of the host, by their paths in the sandbox.
fn files_below(directory: &Path, at: &str) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{at}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            files.extend(files_below(&entry.path(), &name)?);
        } else {
            files.insert(name, std::fs::read(entry.path())?);
        }
    }
    Ok(files)
}

/// A program's state: the memory that it wrote, and its globals as they were at its start. A
/// program keeps nothing else in globals than where its stack is, and starts again with an empty
/// one.
struct Written {
    memory: Vec<u8>,
    globals: Vec<i32>,
}

impl InstanceState for Written {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let index = name
            .rsplit('_')
            .next()
            .and_then(|index| index.parse::<usize>().ok());
        let value = index.and_then(|index| self.globals.get(index));
        SnapshotVal::I32(value.copied().unwrap_or_default())
    }

    async fn memory_contents(&mut self, _: &str, contents: impl FnOnce(&[u8]) + Send) {
        contents(&self.memory);
    }
}

/// The value of an expression that is one constant.
fn constant(expression: &ConstExpr<'_>) -> Result<i32, Failure> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value),
        other => Err(format!("{other:?} where a constant was expected").into()),
    }
}

/// The values that globals start with.
fn globals(wasm: &[u8]) -> Result<Vec<i32>, Failure> {
    let mut values = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::GlobalSection(section) = payload? {
            for global in section {
                values.push(constant(&global?.init_expr)?);
            }
        }
    }
    Ok(values)
}

/// What the linker put into memory, from the first byte that is not on the stack.
fn pristine(wasm: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut pieces = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::DataSection(section) = payload? {
            for data in section {
                let data = data?;
                let wasmparser::DataKind::Active { offset_expr, .. } = &data.kind else {
                    return Err("a data segment that is not put into memory at the start".into());
                };
                pieces.push((usize::try_from(constant(offset_expr)?)?, data.data));
            }
        }
    }
    let Some(start) = pieces.iter().map(|(at, _)| *at).min() else {
        return Err("there is no data".into());
    };
    let mut bytes = Vec::new();
    for (at, data) in pieces {
        let end = at - start + data.len();
        bytes.resize(bytes.len().max(end), 0);
        bytes[at - start..end].copy_from_slice(data);
    }
    Ok(bytes)
}
