"""Inspects the programs in the archives of `dist`: what each needs of its system, and what it must not have.

Usage: scripts/inspect-programs.py [DIRECTORY]

Prints a line for each and fails if one needs more than docs/reference/platforms.md says: a newer C library, a library
that the system does not bring, an unsigned program where the system refuses those, a signature that is not that of
the program's bytes, or if it names a path of this machine. Needs `lief` (PyPI).
"""

import hashlib
import os
import pathlib
import re
import struct
import sys
import tarfile

import lief

# The oldest systems, as in docs/reference/platforms.md.
GLIBC = (2, 28)
MACOS = {"darwin-arm64": (11, 0), "darwin-x64": (10, 12)}
# What a system brings.
ELF_LIBRARIES = re.compile(r"(libc|libm|libpthread|libdl|librt|libutil|ld-linux-[a-z0-9-]+)\.so\.\d+")
MACHO_LIBRARIES = re.compile(r"/usr/lib/lib(System|iconv|resolv)\S*|/System/Library/Frameworks/\S+")
# Windows 10's own; api-ms-win-* stand for those.
DLLS = {
    "advapi32.dll", "bcrypt.dll", "bcryptprimitives.dll", "crypt32.dll", "kernel32.dll", "msvcrt.dll", "ntdll.dll",
    "ole32.dll", "oleaut32.dll", "secur32.dll", "shell32.dll", "user32.dll", "userenv.dll", "ws2_32.dll", "psapi.dll",
    "dbghelp.dll", "ucrtbase.dll",
}


def elf(program, platform, _content):
    faults = []
    needed = [str(library) for library in program.libraries]
    faults += [f"needs {library}" for library in needed if not ELF_LIBRARIES.fullmatch(library)]
    static = platform.endswith("-musl")
    if static and (needed or program.has_interpreter):
        faults.append("is not static")
    versions = set()
    for requirement in program.symbols_version_requirement:
        for symbol in requirement.get_auxiliary_symbols():
            found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", symbol.name)
            if found:
                versions.add(tuple(map(int, found.groups())))
    newest = max(versions, default=None)
    if newest and newest > GLIBC:
        faults.append(f"needs glibc {newest}")
    if not program.is_pie:
        faults.append("is not position-independent")
    if not program.has_nx:
        faults.append("has an executable stack")
    tags = {entry.tag for entry in program.dynamic_entries}
    if tags & {lief.ELF.DynamicEntry.TAG.RPATH, lief.ELF.DynamicEntry.TAG.RUNPATH}:
        faults.append("has a path for libraries")
    return ("static" if static else f"glibc {newest[0]}.{newest[1]}"), faults


# Magic numbers of a signature in a program of macOS, and flags of the directory of its pages.
SIGNATURE, DIRECTORY, ENTITLEMENTS = 0xFADE0CC0, 0xFADE0C02, 0xFADE7171
AD_HOC, HARDENED = 0x2, 0x10000
SHA256 = 2


def signature(content, offset, size):
    """What a signature says, and what is wrong with it: macOS kills a program whose page has another digest."""
    signed = content[offset : offset + size]
    try:
        magic, _, count = struct.unpack_from(">3I", signed)
        if magic != SIGNATURE:
            return None, ["has a signature of another kind"]
        begins = [struct.unpack_from(">2I", signed, 12 + 8 * index)[1] for index in range(count)]
        blobs = {struct.unpack_from(">I", signed, begin)[0]: begin for begin in begins}
        begin = blobs[DIRECTORY]
        fields = struct.unpack_from(">9I4B", signed, begin)
        _, _, _, flags, digests, _, _, pages, limit, digest_bytes, kind, _, page_bits = fields
        faults = []
        if kind != SHA256 or digest_bytes != 32:
            return None, [f"has digests of kind {kind}, not SHA-256"]
        if not flags & AD_HOC:
            faults.append("is not signed ad hoc, and we have no key")
        # Code in memory that is not signed, which is what guests are, would need entitlements then.
        if flags & HARDENED:
            faults.append("has the hardened runtime, in which guests cannot run")
        if ENTITLEMENTS in blobs:
            faults.append("has entitlements, and needs none")
        if limit != offset or offset + size != len(content):
            faults.append(f"is signed up to {limit}; its signature is at {offset}, and its end at {len(content)}")
        page_bytes = 1 << page_bits
        if pages != -(-limit // page_bytes):
            faults.append(f"has digests of {pages} pages, not of all")
        wrong = 0
        for page in range(pages):
            there = hashlib.sha256(content[page * page_bytes : min((page + 1) * page_bytes, limit)]).digest()
            wrong += there != signed[begin + digests + page * 32 :][:32]
        if wrong:
            faults.append(f"has {wrong} of {pages} pages that are not those that were signed")
        return f"signed ad hoc, {pages} pages as signed" if not faults else "wrongly signed", faults
    except (struct.error, KeyError):
        return None, ["has a signature that is cut off"]


def macho(program, platform, content):
    faults = []
    libraries = [library.name for library in program.libraries]
    faults += [f"needs {name}" for name in libraries if not MACHO_LIBRARIES.fullmatch(name)]
    version = program.build_version.minos if program.has_build_version else program.version_min.version
    oldest = tuple(version[:2])
    if oldest > MACOS[platform]:
        faults.append(f"needs macOS {oldest}")
    if not program.is_pie:
        faults.append("is not position-independent")
    if platform == "darwin-arm64" and not program.has_code_signature:
        faults.append("is not signed, and macOS on arm64 starts nothing unsigned")
    if any(isinstance(command, lief.MachO.RPathCommand) for command in program.commands):
        faults.append("has a path for libraries")
    signed = "unsigned"
    if program.has_code_signature:
        place = program.code_signature
        signed, wrong = signature(content, place.data_offset, place.data_size)
        faults += wrong
    return f"macOS {oldest[0]}.{oldest[1]}, {signed}, {len(libraries)} libraries", faults


def pe(program, _platform, _content):
    libraries = sorted(entry.name.lower() for entry in program.imports)
    faults = [f"needs {name}" for name in libraries if name not in DLLS and not name.startswith("api-ms-win-")]
    wanted = lief.PE.OptionalHeader.DLL_CHARACTERISTICS
    for characteristic in (wanted.NX_COMPAT, wanted.DYNAMIC_BASE):
        if characteristic not in program.optional_header.dll_characteristics_lists:
            faults.append(f"is without {characteristic.name}")
    return f"{len(libraries)} DLLs", faults


KINDS = {lief.ELF.Binary: elf, lief.MachO.Binary: macho, lief.PE.Binary: pe}


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "dist"
    archives = sorted(directory.glob("codepod-*.tar.xz"))
    if not archives:
        sys.exit(f"error: there is no archive in {directory}: run `cargo xtask dist`")
    own = {os.fsencode(path) for path in (here, pathlib.Path.home())}
    failed = False
    for archive in archives:
        platform = re.fullmatch(r"codepod-[\d.]+-(.*)\.tar\.xz", archive.name)[1]
        with tarfile.open(archive) as files:
            member = next(it for it in files if re.search(r"/bin/codepod(\.exe)?$", it.name))
            content = files.extractfile(member).read()
        program = lief.parse(content)
        if isinstance(program, lief.MachO.FatBinary):
            program = program.at(0)
        about, faults = KINDS[type(program)](program, platform, content)
        faults += [f"names {path.decode()}" for path in own if path in content]
        sizes = f"{archive.stat().st_size / 1e6:.1f} MB packed, {len(content) / 1e6:.1f} MB"
        print(f"{platform:18} {sizes}, {about}")
        for fault in faults:
            print(f"  error: {fault}")
        failed = failed or bool(faults)
    sys.exit(failed)


if __name__ == "__main__":
    main()
