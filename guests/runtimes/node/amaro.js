// The interface of `amaro` for lib/internal/modules/typescript.js: the types are removed by the
// program strip-types (guests/tools/strip-types), of which one runs for each file.
'use strict';

const { JSONParse, StringPrototypeToWellFormed } = primordials;
const { Buffer } = require('buffer');
const { spawn } = internalBinding('spawn_sync');

const PROGRAM = internalBinding('amaro').program;

// An object as swc's, of which the loader makes the error.
function failure(code, message, filename) {
  return { __proto__: null, code, message, filename: filename ?? '<anon>', startLine: 1, snippet: '' };
}

function transformSync(source, options) {
  const { mode, filename } = options;
  if (mode !== 'strip-only') {
    throw failure('UnsupportedSyntax', 'Transformation of TypeScript is not available on this platform: ' +
      'types can be stripped, so use none of enum, namespace and parameter properties', filename);
  }
  const input = Buffer.from(StringPrototypeToWellFormed(`${source}`));
  const output = { type: 'pipe', readable: false, writable: true };
  const result = spawn({
    file: PROGRAM,
    args: filename === undefined ? ['strip-types'] : ['strip-types', `${filename}`],
    envPairs: [],
    stdio: [{ type: 'pipe', readable: true, writable: false, input }, output, { ...output }],
  });
  if (result.status === 0) return { __proto__: null, code: result.output[1].utf8Slice() };
  let error;
  try {
    error = JSONParse(result.output[2].utf8Slice());
  } catch {
    throw failure(undefined, `${PROGRAM} could not be run to strip types (${result.error ?? result.signal ?? result.status})`, filename);
  }
  throw error;
}

module.exports = { transformSync };
