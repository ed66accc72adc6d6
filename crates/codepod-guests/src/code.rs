//! The code of guests and their files in the base image: where they lie, and how an engine gets
//! them. Not on WebAssembly, where the crate lists guests without their code.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use codepod_abi::Grant;
use codepod_wasmtime::{Carried, Code, GuestModule, ImageSource, map_for_good};

use crate::Guest;
use crate::part::Part;

/// Where code or a file lies.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::allow_attributes,
    dead_code,
    reason = "which of them there are depends on what was built, and how"
)]
pub(crate) enum StaticCode {
    Bytes(&'static [u8]),
    /// The compiled module, and the portable one, compressed.
    Compiled(&'static [u8], &'static [u8]),
    /// Only the compiled module.
    Carried(Carried),
    Path(&'static str),
    /// A piece of a part: where it begins and how long it is.
    InPart {
        at: usize,
        bytes: usize,
    },
}

/// Starts at a page, so that the engine can run compiled code where it lies.
#[cfg(feature = "embed")]
#[allow(
    clippy::allow_attributes,
    dead_code,
    reason = "what is in parts is packed"
)]
#[repr(C, align(4096))]
struct AtPage<T: ?Sized>(T);

/// Bytes of a file, in this program.
#[cfg(feature = "embed")]
#[allow(
    clippy::allow_attributes,
    unused_macros,
    reason = "without built guests the table is empty"
)]
macro_rules! module {
    ($path:literal) => {
        StaticCode::Bytes(include_bytes!($path))
    };
    ($path:literal, compiled $compiled:literal, portable $portable:literal) => {
        StaticCode::Compiled(
            {
                const COMPILED: &AtPage<[u8]> = &AtPage(*include_bytes!($compiled));
                &COMPILED.0
            },
            include_bytes!($portable),
        )
    };
}

#[cfg(not(feature = "embed"))]
#[allow(
    clippy::allow_attributes,
    unused_macros,
    reason = "without built guests the table is empty"
)]
macro_rules! module {
    ($path:literal $($how:tt)*) => {
        StaticCode::Path($path)
    };
}

include!(concat!(env!("OUT_DIR"), "/guests.rs"));

impl Guest {
    /// Its files in the base image: their paths there, and their bytes. One that cannot be read is
    /// left out.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        self.files.iter().filter_map(|(path, file)| {
            let bytes = match *file {
                StaticCode::Bytes(bytes) => bytes,
                StaticCode::Compiled(..) | StaticCode::Carried(_) | StaticCode::InPart { .. } => {
                    return None;
                }
                StaticCode::Path(file) => read_once(file)?,
            };
            Some((*path, bytes))
        })
    }

    /// Memory in which it has imported large packages; the fullest first.
    fn images(&self) -> Vec<ImageSource> {
        let is_image = |path: &str| path.ends_with(IMAGE);
        if !self.files.iter().any(|(path, _)| is_image(path)) {
            return Vec::new();
        }
        let files = self.files().filter(|(path, _)| is_image(path));
        let images = files.filter_map(|(path, bytes)| {
            let (_, name) = path.rsplit_once('/')?;
            let package = name.strip_suffix(IMAGE)?;
            Some(ImageSource { package, bytes })
        });
        let mut images: Vec<ImageSource> = images.collect();
        images.sort_by_key(|image| std::cmp::Reverse(image.bytes.len()));
        images
    }

    /// The guest for an engine.
    pub fn module(&self) -> GuestModule {
        let (code, compiled) = match self.code {
            StaticCode::Bytes(bytes) => (Code::Wasm(bytes.into()), None),
            StaticCode::Compiled(compiled, portable) => {
                (Code::Packed(portable), Some(Carried::Here(compiled)))
            }
            StaticCode::Carried(carried) => (Code::Elsewhere, Some(carried)),
            StaticCode::Path(path) => (Code::File(path.into()), None),
            StaticCode::InPart { .. } => (Code::Elsewhere, None),
        };
        GuestModule {
            name: self.name.to_owned(),
            code,
            compiled,
            grants: self
                .grants
                .iter()
                .filter_map(|name| Grant::from_name(name))
                .collect(),
            images: self.images(),
        }
    }
}

/// The ends of the names of files with prepared memory.
const IMAGE: &str = ".image";

/// A file's bytes, mapped once: a base image is there as long as the program.
fn read_once(path: &'static str) -> Option<&'static [u8]> {
    static READ: Mutex<BTreeMap<&str, &[u8]>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = read.get(path) {
        return Some(bytes);
    }
    let file = std::fs::File::open(path).ok()?;
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let bytes = map_for_good(&file, length).ok()?;
    read.insert(path, bytes);
    Some(bytes)
}
