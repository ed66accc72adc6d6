//! npm for the sandbox. It is JavaScript and a little C: `build.sh` packs it. See README.md.
