"""Runs a WASI preview 1 command under the wasmtime package as CPython's Tools/wasm/wasi runs `wasmtime run`.

usage: run.py [--dir HOST::GUEST]... [--env NAME=VALUE]... [--argv0 NAME] MODULE.wasm [ARGUMENT]...

The wasm stack is 16 MiB; the compiled module is kept beside the module as MODULE.cwasm. The command's exit status is passed on; a trap is 134,
as with the command-line tool.
"""
import os
import pathlib
import sys
import threading

import wasmtime
from wasmtime._bindings import wasmtime_config_async_stack_size_set


def load(engine, path):
    compiled = path.with_suffix(".cwasm")
    if not compiled.exists() or compiled.stat().st_mtime < path.stat().st_mtime:
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(wasmtime.Module.from_file(engine, str(path)).serialize())
        part.replace(compiled)
    return wasmtime.Module.deserialize_file(engine, str(compiled))


def run(arguments):
    directories, environment, argv0 = [], [], None
    while arguments[0].startswith("--"):
        option, value, *arguments = arguments
        match option:
            case "--dir":
                directories.append(value.split("::"))
            case "--env":
                environment.append(value.split("=", 1))
            case "--argv0":
                argv0 = value
            case _:
                sys.exit(f"unknown option {option}")
    path = pathlib.Path(arguments[0])

    settings = wasmtime.Config()
    # The size of the stacks that asynchronous calls would have, which only the C interface sets; it must not be less than the next.
    wasmtime_config_async_stack_size_set(settings.ptr(), 32 << 20)
    settings.max_wasm_stack = 16 << 20
    engine = wasmtime.Engine(settings)
    wasi = wasmtime.WasiConfig()
    wasi.argv = [argv0 or arguments[0], *arguments[1:]]
    wasi.env = environment
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    for host, guest in directories:
        wasi.preopen_dir(host, guest)

    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    try:
        instance = linker.instantiate(store, load(engine, path))
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        return end.code
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        print(error, file=sys.stderr)
        return 134
    return 0


def main():
    status = 1

    def work():
        nonlocal status
        status = run(sys.argv[1:])

    # wasm runs on the stack of the thread that calls it: one with room for the 16 MiB and what the host's own calls take.
    threading.stack_size(64 << 20)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    sys.stdout.flush()
    os._exit(status)


main()
