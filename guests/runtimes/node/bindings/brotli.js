// Brotli's streams (src/brotli.c).
'use strict';

const FINISH = 2; // BROTLI_OPERATION_FINISH
const [DECODER_ERROR, NEEDS_INPUT] = [0, 2];
const Z_BUF_ERROR = -5;

class Brotli extends host.Compression {
  #mode;
  #parameters;
  #dictionary;
  constructor(mode) {
    super();
    this.#mode = mode;
  }
  get #compresses() { return this.#mode === host.binding('constants').zlib.BROTLI_ENCODE; }
  #open() {
    const made = native.brotliOpen(this.#compresses, this.#parameters, this.#dictionary);
    if (typeof made === 'number') throw host.codeError(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
    return made;
  }
  init(parameters, state, written, dictionary) {
    this.#parameters = parameters.slice();
    this.#dictionary = dictionary === undefined ? undefined : host.copyOf(host.bytesOf(dictionary));
    this.begin(this.#open(), state, written);
  }
  params() {}
  resetStream() {
    native.brotliClose(this.stream);
    this.stream = this.#open();
  }
  closeStream() { native.brotliClose(this.stream); }
  step(operation, input, inputOffset, inputLength, output, outputOffset, outputLength) {
    const ranges = [inputOffset, inputLength, outputOffset, outputLength];
    const [status, outputLeft, inputLeft, name, number] = native.brotliStep(this.stream, operation, input, ranges, output);
    this.left(outputLeft, inputLeft);
    if (this.#compresses) return status !== 0 || this.fail('Compression failed', -1, 'ERR_BROTLI_COMPRESSION_FAILED');
    if (status === DECODER_ERROR) return this.fail('Decompression failed', number, `ERR_${name}`);
    if (operation === FINISH && status === NEEDS_INPUT) return this.fail('unexpected end of file', Z_BUF_ERROR, 'Z_BUF_ERROR');
    return true;
  }
}

host.extend('zlib', (zlib) => {
  zlib.BrotliEncoder = class BrotliEncoder extends Brotli {};
  zlib.BrotliDecoder = class BrotliDecoder extends Brotli {};
});
