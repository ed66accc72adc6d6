// TypeScript: the program that removes types is beside node itself (guests/tools/strip-types), and
// ../amaro.js starts it.
'use strict';

host.define('amaro', (binding) => {
  binding.program = host.EXECUTABLE.replace(/[^/]*$/, 'strip-types');
});

// Node asks for WebAssembly, in which its `amaro` is; ours is a program.
host.stripTypesWithoutWebAssembly = () => { host.requireBuiltin('internal/util').assertTypeScript = () => {}; };
