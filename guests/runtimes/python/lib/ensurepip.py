"""pip comes with Python and needs no installing; this says so to those who ask for it."""
import sys


def version():
    from importlib import metadata

    return metadata.version("pip")


def bootstrap(*, root=None, upgrade=False, user=False, altinstall=False, default_pip=False, verbosity=0):
    pass


if __name__ == "__main__":
    if "--version" in sys.argv[1:]:
        print(f"pip {version()}")
    else:
        print(f"Requirement already satisfied: pip in /usr/lib/python3.14/packages.zip ({version()})")
