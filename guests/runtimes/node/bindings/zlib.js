// zlib's streams (src/zlib.c).
'use strict';

const [Z_OK, Z_STREAM_END, Z_NEED_DICT, Z_BUF_ERROR, Z_FINISH] = [0, 1, 2, -5, 4];
const codes = {
  '1': 'Z_STREAM_END', '2': 'Z_NEED_DICT', '-1': 'Z_ERRNO', '-2': 'Z_STREAM_ERROR', '-3': 'Z_DATA_ERROR', '-4': 'Z_MEM_ERROR',
  '-5': 'Z_BUF_ERROR', '-6': 'Z_VERSION_ERROR',
};

class Zlib extends host.Compression {
  #mode;
  #hasDictionary = false;
  constructor(mode) {
    super();
    this.#mode = mode;
  }
  init(windowBits, level, memoryLevel, strategy, state, written, dictionary, refusesGarbage) {
    this.#hasDictionary = dictionary !== undefined && dictionary !== null;
    // A window of 0 is that of the data's header; zlib itself has no window of 8 for deflating without a header.
    const made = native.zlibOpen(this.#mode, windowBits, level, memoryLevel, strategy, dictionary ?? undefined, refusesGarbage === true);
    if (typeof made === 'number') throw host.codeError(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
    this.begin(made, state, written);
  }
  #fail(status, message) { return this.fail(message, status, codes[status] ?? 'Z_STREAM_ERROR'); }
  step(flush, input, inputOffset, inputLength, output, outputOffset, outputLength) {
    const ranges = [inputOffset, inputLength, outputOffset, outputLength];
    const [status, outputLeft, inputLeft, message] = native.zlibStep(this.stream, flush, input, ranges, output);
    this.left(outputLeft, inputLeft);
    if (status === Z_STREAM_END || status === Z_OK && !(outputLeft !== 0 && flush === Z_FINISH)) return true;
    if (status === Z_OK || status === Z_BUF_ERROR) {
      return outputLeft === 0 || flush !== Z_FINISH || this.#fail(Z_BUF_ERROR, 'unexpected end of file');
    }
    if (status === Z_NEED_DICT) return this.#fail(status, this.#hasDictionary ? 'Bad dictionary' : 'Missing dictionary');
    return this.#fail(status, message ?? 'Zlib error');
  }
  params(level, strategy) {
    const status = native.zlibParams(this.stream, level, strategy);
    if (status !== Z_OK && status !== Z_BUF_ERROR) this.#fail(status, 'Failed to set parameters');
  }
  resetStream() {
    const status = native.zlibReset(this.stream);
    if (status !== Z_OK) this.#fail(status, 'Failed to reset stream');
  }
  closeStream() { native.zlibClose(this.stream); }
}

host.define('zlib', (zlib) => {
  zlib.Zlib = Zlib;
  zlib.crc32 = (data, value) => native.crc32(typeof data === 'string' ? host.encode(data, 'utf8') : host.bytesOf(data), value);
});
