"""`python -m codepod`: the program that came with this package, with the same arguments."""

from __future__ import annotations

import os
import subprocess
import sys

from ._binary import find_binary
from ._errors import BinaryNotFoundError


def main() -> int:
    """Becomes the program, where the system can do that."""
    try:
        binary = find_binary()
    except BinaryNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 127
    command = [binary, *sys.argv[1:]]
    if os.name == "posix":
        os.execv(binary, command)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
