//! CPython for the sandbox. It is C: `build.sh` builds it. See README.md.
