"""Makes a wheel that has one part of codepod in it, and nothing else.

usage: part-wheel.py NAME VERSION TAG FILE ABOUT NEEDS OUT

The wheel `codepod-NAME` puts FILE to `lib/codepod` of the environment, where the program of the wheel
`codepod` looks for parts. TAG is the platform's, as in the names of wheels. NEEDS is another part whose
wheel it needs, or empty. The same input gives the same bytes.
"""
import base64
import hashlib
import os
import sys
import zipfile

name, version, tag, file, about, needs, out = sys.argv[1:]
stem = f"codepod_{name}-{version}"
metadata = f"""Metadata-Version: 2.4
Name: codepod-{name}
Version: {version}
Summary: A part of codepod: {about}
License-Expression: MIT OR Apache-2.0
Requires-Dist: codepod=={version}
"""
if needs:
    metadata += f"Requires-Dist: codepod-{needs}=={version}\n"
metadata += "\nSee `THIRD-PARTY-NOTICES` of codepod (`codepod licenses`) for what is in it.\n"
wheel = f"Wheel-Version: 1.0\nGenerator: codepod\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
with open(file, "rb") as part:
    files = {f"{stem}.data/data/lib/codepod/{os.path.basename(file)}": part.read()}
files[f"{stem}.dist-info/METADATA"] = metadata.encode()
files[f"{stem}.dist-info/WHEEL"] = wheel.encode()
record = ""
for path, data in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record += f"{path},sha256={digest},{len(data)}\n"
files[f"{stem}.dist-info/RECORD"] = f"{record}{stem}.dist-info/RECORD,,\n".encode()
path = os.path.join(out, f"{stem}-py3-none-{tag}.whl")
with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
    for inside, data in files.items():
        info = zipfile.ZipInfo(inside, (1980, 1, 1, 0, 0, 0))
        info.external_attr = 0o100644 << 16
        archive.writestr(info, data)
print(path)
