// zlib's streams (src/zlib.c). Brotli and zstd are not there: their classes refuse to be made.
'use strict';

const [Z_OK, Z_STREAM_END, Z_NEED_DICT, Z_BUF_ERROR, Z_FINISH] = [0, 1, 2, -5, 4];
const codes = {
  '1': 'Z_STREAM_END', '2': 'Z_NEED_DICT', '-1': 'Z_ERRNO', '-2': 'Z_STREAM_ERROR', '-3': 'Z_DATA_ERROR', '-4': 'Z_MEM_ERROR',
  '-5': 'Z_BUF_ERROR', '-6': 'Z_VERSION_ERROR',
};

class Zlib extends host.Handle {
  #mode;
  #stream;
  #state; // [bytes of output left, bytes of input left], for Node's JavaScript
  #written;
  #hasDictionary = false;
  #isBusy = false;
  constructor(mode) {
    super();
    this.#mode = mode;
  }
  init(windowBits, level, memoryLevel, strategy, state, written, dictionary) {
    this.#state = state;
    this.#written = written;
    this.#hasDictionary = dictionary !== undefined && dictionary !== null;
    // A window of 0 is that of the data's header; zlib itself has no window of 8 for deflating without a header.
    const made = native.zlibOpen(this.#mode, windowBits, level, memoryLevel, strategy, dictionary ?? undefined);
    if (typeof made === 'number') throw host.codeError(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
    this.#stream = made;
  }
  #fail(status, message) { this.onerror(message, status, codes[status] ?? 'Z_STREAM_ERROR'); }
  // Whether it went well.
  #step(flush, input, inputOffset, inputLength, output, outputOffset, outputLength) {
    const ranges = [inputOffset, inputLength, outputOffset, outputLength];
    const [status, outputLeft, inputLeft, message] = native.zlibStep(this.#stream, flush, input, ranges, output);
    this.#state[0] = outputLeft;
    this.#state[1] = inputLeft;
    if (status === Z_STREAM_END || status === Z_OK && !(outputLeft !== 0 && flush === Z_FINISH)) return true;
    if (status === Z_OK || status === Z_BUF_ERROR) {
      if (outputLeft === 0 || flush !== Z_FINISH) return true;
      this.#fail(Z_BUF_ERROR, 'unexpected end of file');
    } else if (status === Z_NEED_DICT) {
      this.#fail(status, this.#hasDictionary ? 'Bad dictionary' : 'Missing dictionary');
    } else {
      this.#fail(status, message ?? 'Zlib error');
    }
    return false;
  }
  writeSync(...given) { this.#step(...given); }
  write(...given) {
    this.#isBusy = true;
    host.loop.later(() => {
      this.#isBusy = false;
      if (this.isClosed) return this.#end();
      if (this.#step(...given)) this.#written.call(this);
      return undefined;
    });
  }
  params(level, strategy) {
    const status = native.zlibParams(this.#stream, level, strategy);
    if (status !== Z_OK && status !== Z_BUF_ERROR) this.#fail(status, 'Failed to set parameters');
  }
  reset() {
    const status = native.zlibReset(this.#stream);
    if (status !== Z_OK) this.#fail(status, 'Failed to reset stream');
  }
  #end() {
    if (this.#stream !== undefined) native.zlibClose(this.#stream);
  }
  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    if (!this.#isBusy) this.#end();
  }
}

host.define('zlib', (zlib) => {
  zlib.Zlib = Zlib;
  zlib.crc32 = (data, value) => native.crc32(typeof data === 'string' ? host.encode(data, 'utf8') : host.bytesOf(data), value);
});
