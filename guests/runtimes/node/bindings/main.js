// The JavaScript half of Node's bindings. Called once, when the image is made, with the functions
// of the C half and the library; its value has the functions that a process begins with (src/context.c).
//
// Each file below adds to `host`, which they share: `host.define(name, fill)` says how a binding is
// made when Node's library asks for it first, `host.binding(name)` has it. A name on `host` is
// defined by the file that the comment behind it says.
'use strict';

const host = { library };
const files = [
  'shapes', // binding, define, extend, unavailable, shapes
  'errors', // codeError, systemError, SystemFailure, check
  'types',
  'encodings', // bytesOf, copyOf, encode, decode, encodingNumber
  'buffers',
  'decoder',
  'urls',
  'loop', // loop
  'tasks', // drain, runCallback
  'stacks', // installStacks, installStacksIn, frame, nameOf, addAsyncFrames
  'fatal', // fatal
  'requests', // request
  'copies', // addCopies
  'files',
  'randomness', // knownRandom, withKnownRandom, refillRandom
  'scripts', // compileBuiltin
  'contexts',
  'packages',
  'modules',
  'options', // readCommandLine, optionValues
  'process', // process
  'system',
  'messages', // SHARED, keepAttached
  'serdes',
  'streams', // within, Owner, Request, Handle, StreamHandle
  'watchers', // StatWatcher
  'blobs',
  'channels',
  'sockets',
  'datagrams',
  'addresses',
  'names',
  'resolver',
  'http', // httpEvents
  'undici',
  'certificates', // readCertificate, pemToDer
  'tls',
  'children',
  'compression', // Compression
  'zlib',
  'brotli',
  'zstd',
  'crypto',
  'intl',
  'typescript', // stripTypesWithoutWebAssembly
  'report',
  'absent',
  'bootstrap', // bootstrap
  'prepared', // prepare, requireOf
  'run', // runScript
  'start', // start, environment
  'unfinished', // dropUnfinished
  'session', // turn, endTurn
];
for (const name of files) library.compile(`bindings/${name}.js`, ['native', 'host'])(native, host);
host.bootstrap();
native.closeLibrary();
return { start: host.start, turn: host.turn, endTurn: host.endTurn };
