// undici, which has fetch and what goes with it: its files are compiled one by one when they are required.
//
// It parses HTTP with llhttp compiled to WebAssembly. Here it gets the C half's parser, behind as
// much of `WebAssembly` as it uses: a module, an instance, a memory that bytes are put into.
'use strict';

const { httpEvents: { BEGIN, STATUS, FIELD, VALUE, HEADERS, BODY, END } } = host;

const TOLD = [BEGIN, STATUS, FIELD, VALUE, HEADERS, BODY, END].reduce((sum, event) => sum | 1 << event, 0);
const OK = 0;
const GO_ON = 1;
const INPUT = 4096; // where bytes are put; before it is the text of an error

// What `new WebAssembly.Instance` makes of llhttp: the same exports, on our parser.
class Instance {
  constructor(module, { env }) {
    const parsers = new Map(); // pointer → { parser, stopped }
    let last = 0;
    const memory = { buffer: new ArrayBuffer(2 * INPUT) };
    const found = (pointer) => {
      const state = parsers.get(pointer);
      if (state === undefined) throw new RangeError('there is no such parser');
      return state;
    };
    const run = (pointer, bytes) => {
      const state = found(pointer);
      const tell = (event, at, length) => {
        switch (event) {
          case BEGIN: return env.wasm_on_message_begin(pointer);
          case STATUS: return env.wasm_on_status(pointer, INPUT + at, length);
          case FIELD: return env.wasm_on_header_field(pointer, INPUT + at, length);
          case VALUE: return env.wasm_on_header_value(pointer, INPUT + at, length);
          case BODY: return env.wasm_on_body(pointer, INPUT + at, length);
          case END: return env.wasm_on_message_complete(pointer);
          case HEADERS: {
            const [, , status, , , isUpgrade, isKeptAlive] = native.httpMessage(state.parser);
            return env.wasm_on_headers_complete(pointer, status, isUpgrade, isKeptAlive);
          }
          default: return OK;
        }
      };
      const [error, count] = native.httpExecute(state.parser, bytes, tell);
      state.stopped = INPUT + count;
      return error;
    };
    this.exports = {
      memory,
      malloc(size) {
        if (memory.buffer.byteLength < INPUT + size) memory.buffer = new ArrayBuffer(INPUT + size);
        return INPUT;
      },
      free() {},
      llhttp_alloc(type) {
        parsers.set(++last, { parser: native.httpOpen(type, 0, TOLD), stopped: 0 });
        return last;
      },
      llhttp_free(pointer) { parsers.delete(pointer); },
      llhttp_execute: (pointer, at, length) => run(pointer, new Uint8Array(memory.buffer, at, length)),
      llhttp_finish: (pointer) => run(pointer, null),
      llhttp_resume(pointer) { native.httpControl(found(pointer).parser, GO_ON); },
      llhttp_get_error_pos: (pointer) => found(pointer).stopped,
      llhttp_get_error_reason(pointer) {
        const [, reason] = native.httpError(found(pointer).parser);
        new Uint8Array(memory.buffer, 1, INPUT - 1).set(host.encode(`${reason.slice(0, 1000)}\0`, 'latin1'));
        return reason === '' ? 0 : 1;
      },
    };
  }
}

// What undici would have here does not exist: HTTP/2, and the bytes of its WebAssembly.
const left = {
  '__proto__': null,
  'lib/dispatcher/client-h2.js': () => { throw host.unavailable('HTTP/2'); },
  'lib/llhttp/llhttp-wasm.js': undefined,
  'lib/llhttp/llhttp_simd-wasm.js': undefined,
};

function resolve(from, asked) {
  const parts = from.split('/').slice(0, -1);
  for (const part of asked.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const path = parts.join('/');
  const has = (name) => name in left || host.library.index[`undici/${name}`] !== undefined;
  return [path, `${path}.js`, `${path}/index.js`].find(has) ?? path;
}

host.define('undici', (binding) => {
  const loaded = { __proto__: null };
  const parameters = ['exports', 'require', 'module', 'process', 'WebAssembly', '__UNDICI_IS_NODE__'];
  binding.load = (require, entry) => {
    const load = (path) => {
      if (path in left) return left[path];
      if (loaded[path] === undefined) {
        const module = loaded[path] = { exports: {} };
        const requireFrom = (asked) => (asked.startsWith('.') ? load(resolve(path, asked)) : require(asked));
        host.library.compile(`undici/${path}`, parameters, `node:internal/deps/undici/${path.slice(0, -3)}`)(
          module.exports, requireFrom, module, host.process, { Module: class Module {}, Instance }, true);
      }
      return loaded[path].exports;
    };
    return load(entry);
  };
});
