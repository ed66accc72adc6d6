"""Virtual environments: how one is made, and how a program that is started in one finds itself there.

An environment has all packages that come with Python, behind its own: nothing could fetch them into it. They count as part
of the standard library, so `include-system-site-packages = false` still hides what the user has installed elsewhere.
"""
import os
import sys

import _tools

SYSTEM = "/usr/lib/python3.14/site-packages"


def enter():
    """If this program was started through an environment's `bin/python`, goes into that. Returns whether packages of the user's home are seen."""
    try:
        executable = os.readlink("/proc/self/exe")
    except OSError:
        return True
    if executable.startswith("/usr/bin/"):
        return True
    executable = os.path.abspath(executable)
    directory = os.path.dirname(executable)
    prefix = os.path.dirname(directory)
    if not any(os.path.isfile(f"{place}/pyvenv.cfg") for place in (directory, prefix)):
        return True
    sys.executable = executable
    sys.prefix = sys.exec_prefix = prefix
    if sys.flags.no_site:
        return False
    # With `-S` a program does not have it.
    import site

    site.PREFIXES = [prefix, prefix]
    home = site.USER_SITE if site.ENABLE_USER_SITE else None
    before, site.ENABLE_USER_SITE = site.ENABLE_USER_SITE, True
    archives = [path for path in sys.path if path.startswith("/usr/lib/python3.14/") and path.endswith(".zip")]
    sys.path[:] = [path for path in sys.path if path not in (SYSTEM, home, *archives)]
    site.venv(None)
    sees_system, site.ENABLE_USER_SITE = site.ENABLE_USER_SITE, before
    if sees_system:
        sys.path += [path for path in (home, SYSTEM) if path is not None]
    else:
        site.ENABLE_USER_SITE = False
    sys.path += archives
    return sees_system


def builder(module):
    """pip need not be installed into an environment: a command is all it lacks, as the other packages' do."""
    from importlib import resources

    def setup_scripts(self, context):
        with resources.as_file(resources.files("venv") / "scripts") as path:
            self.install_scripts(context, os.fspath(path))

    def setup_pip(self, context):
        for name in _tools.TOOLS:
            path = os.path.join(context.bin_path, name)
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(_tools.script(name, context.env_exe))
            os.chmod(path, 0o755)

    module.EnvBuilder.setup_scripts = setup_scripts
    module.EnvBuilder._setup_pip = setup_pip
