//! Modules made by hand: what no compiler would make.

#![allow(
    clippy::allow_attributes,
    dead_code,
    reason = "each test uses its own part"
)]

use codepod::Sandbox;
use wasm_encoder::{
    CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    GlobalSection, GlobalType, ImportSection, Instruction, MemorySection, MemoryType, Module,
    RefType, TableSection, TableType, TypeSection, ValType,
};

/// A WASI command, to be changed where a test wants it.
pub(crate) struct Made {
    pub(crate) memory: MemoryType,
    /// Elements of a table of functions.
    pub(crate) table: Option<TableType>,
    /// Globals, all 0 at first.
    pub(crate) globals: u32,
    pub(crate) locals: Vec<(u32, ValType)>,
    /// The body of `_start`, without its end. See [`EXIT`], [`RANDOM`] and [`READ`].
    pub(crate) body: Vec<Instruction<'static>>,
    /// Further functions that do nothing.
    pub(crate) more: u32,
    /// Run `_start` as the module's own start function too.
    pub(crate) starts: bool,
    /// The address that it exports as that of its interrupt word's description.
    pub(crate) interrupt: Option<i32>,
}

impl Default for Made {
    fn default() -> Made {
        Made {
            memory: memory(1),
            table: None,
            globals: 0,
            locals: Vec::new(),
            body: Vec::new(),
            more: 0,
            starts: false,
            interrupt: None,
        }
    }
}

/// A memory of so many pages.
pub(crate) fn memory(minimum: u64) -> MemoryType {
    MemoryType {
        minimum,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    }
}

/// A table of so many functions.
pub(crate) fn table(minimum: u64) -> TableType {
    TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum,
        maximum: None,
        shared: false,
    }
}

/// Fills memory (address, length) with random bytes; leaves the error number.
pub(crate) const RANDOM: Instruction<'static> = Instruction::Call(1);

/// Reads: descriptor, buffers, their number, where the count goes; leaves the error number.
pub(crate) const READ: Instruction<'static> = Instruction::Call(2);

/// Ends the program with what is on the stack.
pub(crate) const EXIT: Instruction<'static> = Instruction::Call(0);

/// Repeats instructions.
pub(crate) fn repeat(
    instructions: &[Instruction<'static>],
    times: usize,
) -> Vec<Instruction<'static>> {
    let all = instructions.iter().cycle().cloned();
    all.take(instructions.len() * times).collect()
}

impl Made {
    /// The module's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        types.ty().function([ValType::I32], []);
        types
            .ty()
            .function([ValType::I32, ValType::I32], [ValType::I32]);
        types.ty().function([ValType::I32; 4], [ValType::I32]);
        let mut imports = ImportSection::new();
        imports.import(
            "wasi_snapshot_preview1",
            "proc_exit",
            EntityType::Function(1),
        );
        imports.import(
            "wasi_snapshot_preview1",
            "random_get",
            EntityType::Function(2),
        );
        imports.import("wasi_snapshot_preview1", "fd_read", EntityType::Function(3));
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        functions.function(0);
        let mut start = Function::new(self.locals.iter().copied());
        for instruction in &self.body {
            start.instruction(instruction);
        }
        start.instruction(&Instruction::End);
        code.function(&start);
        let mut nothing = Function::new([]);
        nothing.instruction(&Instruction::End);
        for _ in 0..self.more {
            functions.function(0);
            code.function(&nothing);
        }
        let mut tables = TableSection::new();
        if let Some(table) = self.table {
            tables.table(table);
        }
        let mut memories = MemorySection::new();
        memories.memory(self.memory);
        let mut globals = GlobalSection::new();
        let mutable = GlobalType {
            val_type: ValType::I64,
            mutable: true,
            shared: false,
        };
        for _ in 0..self.globals {
            globals.global(mutable, &ConstExpr::i64_const(0));
        }
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0);
        exports.export("_start", ExportKind::Func, 3);
        if let Some(address) = self.interrupt {
            let constant = GlobalType {
                val_type: ValType::I32,
                mutable: false,
                shared: false,
            };
            globals.global(constant, &ConstExpr::i32_const(address));
            exports.export("codepod_interrupt", ExportKind::Global, self.globals);
        }
        let mut module = Module::new();
        module
            .section(&types)
            .section(&imports)
            .section(&functions)
            .section(&tables)
            .section(&memories)
            .section(&globals)
            .section(&exports);
        if self.starts {
            module.section(&wasm_encoder::StartSection { function_index: 3 });
        }
        module.section(&code);
        module.finish()
    }
}

/// Puts a program into the sandbox that its user can run as `./NAME`.
pub(crate) fn install(sandbox: &Sandbox, name: &str, bytes: &[u8]) {
    sandbox.write_file(name, bytes).unwrap();
    sandbox.set_mode(name, 0o755).unwrap();
}
