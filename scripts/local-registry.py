"""Serves crates as a registry of cargo, on this machine, for as long as it runs.

usage: local-registry.py DIRECTORY [PORT]

DIRECTORY has files NAME-VERSION.crate. What they need of each other comes from here, everything else
from crates.io. Prints the address for `[registries.local] index = …` of cargo's configuration.
"""
import hashlib
import http.server
import json
import pathlib
import sys
import tarfile
import tomllib

# What cargo calls its own registry in the index of another one.
CRATES_IO = "https://github.com/rust-lang/crates.io-index"


def manifest(archive):
    """The manifest that cargo has written into a crate."""
    with tarfile.open(archive) as crate:
        name = next(name for name in crate.getnames() if name.count("/") == 1 and name.endswith("/Cargo.toml"))
        return tomllib.loads(crate.extractfile(name).read().decode())


def dependencies(table, own, target=None):
    """The entries of the index for the dependencies in a manifest, or below one of its targets."""
    kinds = {"dependencies": "normal", "dev-dependencies": "dev", "build-dependencies": "build"}
    for key, kind in kinds.items():
        for name, wanted in table.get(key, {}).items():
            wanted = {"version": wanted} if isinstance(wanted, str) else wanted
            package = wanted.get("package", name)
            yield {
                "name": name,
                "req": wanted["version"],
                "features": wanted.get("features", []),
                "optional": wanted.get("optional", False),
                "default_features": wanted.get("default-features", True),
                "target": target,
                "kind": kind,
                "registry": None if package in own else CRATES_IO,
                **({"package": package} if package != name else {}),
            }
    if target is None:
        for target, below in table.get("target", {}).items():
            yield from dependencies(below, own, target)


def line(archive, said, own):
    """What the index says of a crate."""
    package = said["package"]
    return {
        "name": package["name"],
        "vers": package["version"],
        "deps": list(dependencies(said, own)),
        "cksum": hashlib.sha256(archive.read_bytes()).hexdigest(),
        "features": {},
        "features2": said.get("features", {}),
        "links": package.get("links"),
        "yanked": False,
        "v": 2,
    }


def place(name):
    """Where an index has a crate; names here are longer than three letters."""
    return f"/{name[:2]}/{name[2:4]}/{name}"


def answers(directory, address):
    """Everything that cargo may ask for, by path: bytes, or a file."""
    crates = {archive: manifest(archive) for archive in sorted(directory.glob("*.crate"))}
    if not crates:
        sys.exit(f"local-registry.py: {directory} has no crates: `cargo xtask dist` makes them")
    own = {said["package"]["name"] for said in crates.values()}
    found = {"/config.json": json.dumps({"dl": address + "/crates"}).encode()}
    for archive, said in crates.items():
        package = said["package"]
        found[place(package["name"])] = json.dumps(line(archive, said, own)).encode()
        found[f"/crates/{package['name']}/{package['version']}/download"] = archive
    return found


def main(directory, port="0"):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            answer = found.get(self.path)
            content = answer.read_bytes() if isinstance(answer, pathlib.Path) else answer
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    found = answers(pathlib.Path(directory), address)
    print(f"sparse+{address}/", flush=True)
    server.serve_forever()


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
main(*sys.argv[1:])
