"""Joins CommonJS packages into one source, as Node's own archive has them bundled.

usage: bundle.py RESULT NAME=DIRECTORY…    the first package is what the source exports
"""
import json
import pathlib
import sys

result, *packages = sys.argv[1:]
packages = dict(package.split("=", 1) for package in packages)
entry = next(iter(packages))

HEAD = """'use strict';
const sources = {
__proto__: null,
"""
TAIL = """};
const loaded = { __proto__: null };
function load(name, asked) {
  const path = asked.startsWith('.') ? new URL(asked, `file:///${name}`).pathname.slice(1) : mains[asked];
  if (loaded[path] === undefined) {
    loaded[path] = { exports: {} };
    sources[path](loaded[path].exports, (next) => load(path, next), loaded[path]);
  }
  return loaded[path].exports;
}
"""

with open(result, "w") as file:
    file.write(HEAD)
    mains = {}
    for name, directory in packages.items():
        root = pathlib.Path(directory)
        main = json.loads((root / "package.json").read_text())["main"].removeprefix("./")
        mains[name] = f"{name}/{main}"
        for path in sorted((root / main).parent.glob("*.js")):
            key = f"{name}/{path.relative_to(root).as_posix()}"
            file.write(f"{json.dumps(key)}(exports, require, module) {{\n{path.read_text()}\n}},\n")
    file.write(TAIL)
    file.write(f"const mains = {json.dumps(mains)};\n")
    file.write(f"module.exports = load('', {json.dumps(entry)});\n")
