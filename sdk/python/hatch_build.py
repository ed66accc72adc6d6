"""Puts the `codepod` program into the wheel, and its platform into the wheel's name.

CODEPOD_PROGRAM names the program, CODEPOD_PLATFORM the platform's tag. An editable installation needs
neither: it is used with `CODEPOD_BIN`, or with a program on the `PATH`.
"""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return
        program, platform = os.environ.get("CODEPOD_PROGRAM"), os.environ.get("CODEPOD_PLATFORM")
        if not program or not platform:
            raise SystemExit(
                "error: the wheel needs the program that it carries\n"
                "hint: `cargo xtask dist` builds both; it sets CODEPOD_PROGRAM and CODEPOD_PLATFORM"
            )
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"] = {program: os.path.basename(program)}
