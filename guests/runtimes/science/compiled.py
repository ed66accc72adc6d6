"""What a build by meson gives to the interpreter.

usage: compiled.py targets BUILD               prints the modules that are wanted
       compiled.py collect BUILD SOURCE OUT    makes OUT:
           modules.h    a line for each module: its name and the function that starts it
           objects      the files to link, libraries behind objects
           packages     what an installer would put into `site-packages`, without what is compiled
"""
import json
import os
import re
import shutil
import sys

# Modules that only the package's own tests use.
LEFT_OUT = re.compile(r"_tests?$|^_simd$")


def described(build, what):
    with open(f"{build}/meson-info/intro-{what}.json") as file:
        return json.load(file)


def inside(path):
    """The path below `site-packages`."""
    return path.partition("/site-packages/")[2]


def modules(build):
    """The compiled modules: their names, and the files that they would be."""
    for target in described(build, "targets"):
        if target["type"] == "shared module" and target["installed"]:
            path = inside(target["install_filename"][0])
            name = path.partition(".")[0].replace("/", ".")
            if not LEFT_OUT.search(name.rpartition(".")[2]):
                yield name, target["filename"][0]


def objects(build):
    """The objects of the modules, one for each source: modules may be built of the same. Then the libraries that were built for them."""
    seen = set()
    for _, path in modules(build):
        for directory, below, names in os.walk(path + ".p"):
            below.sort()
            for name in sorted(names):
                place = (os.path.dirname(path), os.path.relpath(os.path.join(directory, name), path + ".p"))
                if name.endswith(".o") and place not in seen:
                    seen.add(place)
                    yield os.path.join(directory, name)
    for target in described(build, "targets"):
        if target["type"] == "static library" and os.path.exists(target["filename"][0]):
            yield target["filename"][0]


def files(build):
    """What is installed that is not compiled: where it is, and its path below `site-packages`."""
    for source, destination in described(build, "installed").items():
        if not (path := inside(destination)):
            continue
        if os.path.isfile(source):
            yield source, path
        for directory, _, names in os.walk(source):
            for name in names:
                found = os.path.join(directory, name)
                yield found, os.path.join(path, os.path.relpath(found, source))


def collect(build, source, out):
    os.makedirs(out)
    with open(f"{out}/modules.h", "w") as file:
        file.writelines(f'MODULE("{name}", PyInit_{name.rpartition(".")[2]})\n' for name, _ in modules(build))
    with open(f"{out}/objects", "w") as file:
        file.writelines(f"{path}\n" for path in objects(build))
    for path, name in files(build):
        if not name.endswith((".so", ".a", ".pyi")) and "tests" not in name.split("/"):
            target = f"{out}/packages/{name}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(path, target)
    information = f"{out}/packages/{os.path.basename(source.rstrip('/'))}.dist-info"
    os.makedirs(information)
    shutil.copyfile(f"{source}/PKG-INFO", f"{information}/METADATA")


match sys.argv[1:]:
    case ["targets", build]:
        for _, path in modules(build):
            print(os.path.relpath(path, build))
    case ["collect", build, source, out]:
        collect(build, source, out)
    case _:
        sys.exit(__doc__)
