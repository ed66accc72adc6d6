//! Node.js for the sandbox. It is C and JavaScript: `build.sh` builds it. See README.md.
