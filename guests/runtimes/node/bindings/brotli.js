// Brotli's streams (src/brotli.c), with the rules of zlib's: `write` is done in the next turn.
'use strict';

const FINISH = 2; // BROTLI_OPERATION_FINISH
const [DECODER_ERROR, NEEDS_INPUT] = [0, 2];
const Z_BUF_ERROR = -5;

class Brotli extends host.Handle {
  #mode;
  #parameters;
  #dictionary;
  #stream;
  #state; // [bytes of output left, bytes of input left], for Node's JavaScript
  #written;
  #isBusy = false;
  constructor(mode) {
    super();
    this.#mode = mode;
  }
  get #compresses() { return this.#mode === host.binding('constants').zlib.BROTLI_ENCODE; }
  #open() {
    const made = native.brotliOpen(this.#compresses, this.#parameters, this.#dictionary);
    if (typeof made === 'number') throw host.codeError(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
    this.#stream = made;
  }
  init(parameters, state, written, dictionary) {
    this.#parameters = parameters.slice();
    this.#state = state;
    this.#written = written;
    this.#dictionary = dictionary === undefined ? undefined : host.copyOf(host.bytesOf(dictionary));
    this.#open();
  }
  params() {}
  reset() {
    native.brotliClose(this.#stream);
    this.#open();
  }
  // Whether it went well.
  #step(operation, input, inputOffset, inputLength, output, outputOffset, outputLength) {
    const ranges = [inputOffset, inputLength, outputOffset, outputLength];
    const [status, outputLeft, inputLeft, name, number] = native.brotliStep(this.#stream, operation, input, ranges, output);
    this.#state[0] = outputLeft;
    this.#state[1] = inputLeft;
    const fail = (message, code, errno) => {
      this.onerror(message, errno, code);
      return false;
    };
    if (this.#compresses) return status !== 0 || fail('Compression failed', 'ERR_BROTLI_COMPRESSION_FAILED', -1);
    if (status === DECODER_ERROR) return fail('Decompression failed', `ERR_${name}`, number);
    if (operation === FINISH && status === NEEDS_INPUT) return fail('unexpected end of file', 'Z_BUF_ERROR', Z_BUF_ERROR);
    return true;
  }
  writeSync(...given) { this.#step(...given); }
  write(...given) {
    this.#isBusy = true;
    host.loop.later(() => {
      this.#isBusy = false;
      if (this.isClosed) return this.#end();
      if (this.#step(...given)) host.within(this, () => this.#written.call(this));
      return undefined;
    });
  }
  #end() { if (this.#stream !== undefined) native.brotliClose(this.#stream); }
  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    if (!this.#isBusy) this.#end();
  }
}

host.extend('zlib', (zlib) => {
  zlib.BrotliEncoder = class BrotliEncoder extends Brotli {};
  zlib.BrotliDecoder = class BrotliDecoder extends Brotli {};
});
