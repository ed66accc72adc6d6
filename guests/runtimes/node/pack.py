"""Packs Node's library and our bindings into one file (src/library.c says how it looks).

usage: pack.py RESULT ROOT…    each source has its path below its ROOT as its name
"""
import pathlib
import sys

result, *roots = sys.argv[1:]
sources = {}
for root in map(pathlib.Path, roots):
    for path in sorted(root.rglob("*")):
        if path.suffix in (".js", ".json", ".txt") and path.is_file():
            sources[path.relative_to(root).as_posix()] = path.read_bytes()
index, offset = [], 0
for name, data in sources.items():
    index.append(f"{offset} {len(data)} {name}\n")
    offset += len(data)
with open(result, "wb") as file:
    file.write("".join(index).encode() + b"\n")
    for data in sources.values():
        file.write(data)
