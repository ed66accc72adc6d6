//! `generate`: files that are made from tables in the code, and the check that they are current.

mod callers;
mod calls;
mod decisions;
mod guest_map;
mod handlers;
mod header;
mod model;
mod openapi;
mod page;
mod python;
mod schemas;
mod typescript;
mod unasync;

use crate::Command;
use crate::absent;
use crate::cache;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};
use crate::support;
use crate::threats;

pub(crate) const COMMAND: Command = Command {
    name: "generate",
    arguments: "[--check]",
    about: "write the files that are made from tables in the code",
    more: "The results are committed. --check writes nothing and fails when one is out of date.",
    run,
};

/// A generated file: its path and how its text is made.
struct Generated {
    path: &'static str,
    text: fn() -> Outcome<String>,
}

/// A module of the Python package's blocking half, made from the asynchronous one of the same name.
macro_rules! blocking {
    ($name:literal) => {
        Generated {
            path: concat!("sdk/python/src/codepod/_sync/", $name, ".py"),
            text: || {
                let source = concat!("sdk/python/src/codepod/_async/", $name, ".py");
                let text = cache::read(&cache::in_root(source))?;
                let head = format!(
                    "# Made by `cargo xtask generate` from {source}. Changes here are lost.\n"
                );
                Ok(head + &unasync::blocking(&text))
            },
        }
    };
}

const FILES: &[Generated] = &[
    Generated {
        path: "docs/reference/calls.md",
        text: || Ok(calls::calls()),
    },
    Generated {
        path: "crates/codepod-kernel/src/syscalls.rs",
        text: handlers::handlers,
    },
    Generated {
        path: "guests/runtimes/python/posix/calls.h",
        text: || Ok(header::header()),
    },
    Generated {
        path: "docs/reference/methods.md",
        text: page::methods,
    },
    Generated {
        path: "docs/reference/api/methods.schema.json",
        text: schemas::methods,
    },
    Generated {
        path: "docs/reference/api/mcp-tools.json",
        text: schemas::tools,
    },
    Generated {
        path: "docs/reference/api/openapi.json",
        text: openapi::document,
    },
    Generated {
        path: "sdk/typescript/src/generated/api.ts",
        text: typescript::api,
    },
    Generated {
        path: "sdk/typescript/src/generated/callers.ts",
        text: callers::callers,
    },
    Generated {
        path: "sdk/python/src/codepod/_generated/types.py",
        text: python::types,
    },
    Generated {
        path: "sdk/python/src/codepod/_generated/errors.py",
        text: python::errors,
    },
    Generated {
        path: "sdk/python/src/codepod/_generated/routes.py",
        text: python::routes,
    },
    Generated {
        path: "sdk/python/src/codepod/_generated/version.py",
        text: python::version,
    },
    Generated {
        path: "sdk/python/src/codepod/_generated/tools.py",
        text: python::tools,
    },
    Generated {
        path: "sdk/python/src/codepod/_generated/async_methods.py",
        text: python::methods,
    },
    Generated {
        path: "sdk/python/src/codepod/_generated/sync_methods.py",
        text: || Ok(unasync::blocking(&python::methods()?)),
    },
    blocking!("__init__"),
    blocking!("background"),
    blocking!("client"),
    blocking!("command"),
    blocking!("files"),
    blocking!("network"),
    blocking!("preview"),
    blocking!("sandbox"),
    blocking!("stream"),
    blocking!("tools"),
    Generated {
        path: "docs/reference/tools.md",
        text: support::page,
    },
    Generated {
        path: "guests/tools/help/support.txt",
        text: support::text,
    },
    Generated {
        path: "docs/reference/absent.md",
        text: absent::page,
    },
    Generated {
        path: "crates/codepod/src/absent.txt",
        text: absent::text,
    },
    Generated {
        path: "guests/README.md",
        text: guest_map::page,
    },
    Generated {
        path: "docs/adr/README.md",
        text: decisions::index,
    },
    Generated {
        path: threats::DOCUMENT,
        text: threats::with_tests,
    },
];

fn run(arguments: &[String]) -> Outcome {
    let (only_check, rest) = flag_and_names(arguments, "--check", "generate")?;
    if let Some(name) = rest.first() {
        return Err(unknown_argument(name, "generate"));
    }
    if only_check {
        println!("{}", check()?);
        return Ok(());
    }
    for Generated { path, text } in FILES {
        cache::write(&cache::in_root(path), text()?.as_bytes())?;
        println!("generate: {path}");
    }
    Ok(())
}

/// Fails when a generated file is not what its table says.
pub(crate) fn check() -> Outcome<String> {
    for Generated { path, text } in FILES {
        let current = std::fs::read_to_string(cache::in_root(path)).unwrap_or_default();
        if current != text()? {
            return Err(Failure::new(format!("`{path}` is out of date"))
                .hint("`cargo xtask generate` renews it; commit the result"));
        }
    }
    Ok(format!("generated files: {} current", FILES.len()))
}
