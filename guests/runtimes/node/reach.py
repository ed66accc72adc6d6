"""Copies the files of a package that an entry of it requires, one by one.

usage: reach.py RESULT PACKAGE ENTRY [WITHOUT…]

WITHOUT are files that are left out, with what only they require.
"""
import pathlib
import re
import shutil
import sys

result, package, entry, *without = sys.argv[1:]
root = pathlib.Path(package).resolve()
found, todo = set(), [entry]
while todo:
    path = todo.pop()
    if path in found or path in without:
        continue
    found.add(path)
    for asked in re.findall(r"""require\(\s*['"](\.[^'"]*)['"]\s*\)""", (root / path).read_text()):
        target = (root / path).parent.joinpath(asked).resolve()
        if target.is_dir():
            target /= "index.js"
        elif target.suffix != ".js":
            target = target.with_name(target.name + ".js")
        todo.append(target.relative_to(root).as_posix())
for path in sorted(found):
    target = pathlib.Path(result, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / path, target)
