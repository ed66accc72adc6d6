//! Compiled modules without the names of their functions.
//!
//! A compiled module is a file in ELF, in which wasmtime gives every function a symbol
//! (`wasm[0]::function[17]`). Only debuggers and profilers of the host read those; in Python they
//! are a hundredth of what travels.

/// Where the header of the file says something: where the table of sections begins, how long an
/// entry is, how many there are, and which one has their names.
const TABLE: usize = 40;
const ENTRY_BYTES: usize = 58;
const ENTRIES: usize = 60;
const NAMES: usize = 62;

/// The length of an entry, and what it says where: the kind of a section, where it begins, its
/// length, and the section that it goes with.
const ENTRY: usize = 64;
const KIND: usize = 4;
const BEGIN: usize = 24;
const LENGTH: usize = 32;
const LINK: usize = 40;
const LOCAL_SYMBOLS: usize = 44;

/// The kind of the table of symbols.
const SYMBOLS: u32 = 2;

/// A compiled module without symbols and their names. What is not laid out as wasmtime does it
/// stays as it is.
pub(crate) fn without_names(code: Vec<u8>) -> Vec<u8> {
    shortened(&code).unwrap_or(code)
}

fn shortened(code: &[u8]) -> Option<Vec<u8>> {
    // 64 bits, little-endian.
    let is_known =
        code.starts_with(b"\x7fELF\x02\x01") && number::<2>(code, ENTRY_BYTES)? == ENTRY as u64;
    let table = index(number::<8>(code, TABLE)?)?;
    let count = index(number::<2>(code, ENTRIES)?)?;
    let end = table.checked_add(count.checked_mul(ENTRY)?)?;
    if !is_known || end > code.len() {
        return None;
    }
    let entry = |section: usize| (section < count).then_some(table + ENTRY * section);
    let names = index(number::<2>(code, NAMES)?)?;
    let kind = |section| number::<4>(code, entry(section)? + KIND);
    let symbols = (0..count).find(|&section| kind(section) == Some(SYMBOLS.into()))?;
    let strings = index(number::<4>(code, entry(symbols)? + LINK)?)?;
    let place = |section| {
        let at = entry(section)?;
        let begin = index(number::<8>(code, at + BEGIN)?)?;
        let end = begin.checked_add(index(number::<8>(code, at + LENGTH)?)?)?;
        Some(begin..end).filter(|it| it.end <= code.len())
    };
    let kept_until = place(symbols)?.start.min(place(strings)?.start);
    for section in (0..count).filter(|it| ![symbols, strings, names].contains(it)) {
        if place(section)?.end > kept_until {
            return None;
        }
    }
    let mut kept = code[..kept_until].to_vec();
    kept.extend_from_slice(&code[place(names)?]);
    kept.resize(kept.len().next_multiple_of(8), 0);
    let moved = kept.len();
    kept.extend_from_slice(&code[table..end]);
    let mut put = |at: usize, bytes: &[u8]| kept[at..at + bytes.len()].copy_from_slice(bytes);
    put(TABLE, &(moved as u64).to_le_bytes());
    for section in [symbols, strings, names] {
        let at = moved + ENTRY * section;
        put(at + BEGIN, &(kept_until as u64).to_le_bytes());
        if section != names {
            put(at + LENGTH, &[0; 8]);
        }
        if section == symbols {
            put(at + LOCAL_SYMBOLS, &[0; 4]);
        }
    }
    Some(kept)
}

/// The number of so many bytes at a place.
fn number<const BYTES: usize>(code: &[u8], at: usize) -> Option<u64> {
    let bytes: [u8; BYTES] = code.get(at..at.checked_add(BYTES)?)?.try_into().ok()?;
    let value = |value, byte: &u8| value << 8 | u64::from(*byte);
    Some(bytes.iter().rev().fold(0, value))
}

fn index(number: u64) -> Option<usize> {
    number.try_into().ok()
}

#[cfg(test)]
mod tests {
    use futures_lite::future::block_on;

    use super::*;

    fn compiled() -> (wasmtime::Engine, Vec<u8>) {
        let config = crate::config::config(1, true, None).unwrap();
        let engine = wasmtime::Engine::new(&config).unwrap();
        let text = r#"(module (memory (export "m") 1) (data (i32.const 8) "words")
            (func $add (export "add") (param i32 i32) (result i32)
                (i32.add (local.get 0) (local.get 1)))
            (func (export "fail") unreachable))"#;
        let code = engine.precompile_module(&wat::parse_str(text).unwrap());
        (engine, code.unwrap())
    }

    fn has(code: &[u8], what: &[u8]) -> bool {
        code.windows(what.len()).any(|window| window == what)
    }

    #[test]
    fn no_function_has_a_name_and_all_of_them_work() {
        let (engine, named) = compiled();
        assert!(has(&named, b"wasm[0]::function[0]"));
        let nameless = without_names(named.clone());
        assert!(nameless.len() < named.len());
        assert!(!has(&nameless, b"wasm[0]::"));
        #[expect(unsafe_code, reason = "running compiled code is unsafe by nature")]
        // SAFETY: it must be output of `precompile_module`: it is but for the names, which
        // nothing reads that runs it.
        let module = unsafe { wasmtime::Module::deserialize(&engine, &nameless) }.unwrap();
        let exports: Vec<_> = module.exports().map(|it| it.name().to_owned()).collect();
        assert_eq!(exports, ["m", "add", "fail"]);
        let mut store = wasmtime::Store::new(&engine, ());
        store.set_epoch_deadline(1);
        let started = wasmtime::Instance::new_async(&mut store, &module, &[]);
        let instance = block_on(started).unwrap();
        let add = instance.get_typed_func::<(i32, i32), i32>(&mut store, "add");
        assert_eq!(
            block_on(add.unwrap().call_async(&mut store, (2, 3))).unwrap(),
            5
        );
        let fail = instance
            .get_typed_func::<(), ()>(&mut store, "fail")
            .unwrap();
        let trap = block_on(fail.call_async(&mut store, ())).unwrap_err();
        assert_eq!(
            trap.downcast_ref::<wasmtime::Trap>(),
            Some(&wasmtime::Trap::UnreachableCodeReached)
        );
        assert_eq!(without_names(nameless.clone()), nameless);
    }

    #[test]
    fn what_is_laid_out_otherwise_stays_as_it_is() {
        let (_, named) = compiled();
        for cut in [0, 5, 40, 63, 64, 1000, named.len() / 2, named.len() - 1] {
            let cut = named[..cut].to_vec();
            assert_eq!(without_names(cut.clone()), cut);
        }
        // Every number of the header and of the table of sections as large as can be.
        let table = index(number::<8>(&named, TABLE).unwrap()).unwrap();
        for at in (TABLE..64).chain(table..named.len()) {
            let mut wrong = named.clone();
            wrong[at] = 0xff;
            let _ = without_names(wrong);
        }
    }
}
