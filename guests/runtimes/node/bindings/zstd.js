// Zstandard's streams (src/zstd.c).
'use strict';

const END = 2; // ZSTD_e_end
const Z_BUF_ERROR = -5, SRC_SIZE_WRONG = 72;
const errors = {
  0: 'no_error', 10: 'prefix_unknown', 12: 'version_unsupported', 14: 'frameParameter_unsupported', 16: 'frameParameter_windowTooLarge',
  20: 'corruption_detected', 22: 'checksum_wrong', 24: 'literals_headerWrong', 30: 'dictionary_corrupted', 32: 'dictionary_wrong',
  34: 'dictionaryCreation_failed', 40: 'parameter_unsupported', 41: 'parameter_combination_unsupported', 42: 'parameter_outOfBound',
  44: 'tableLog_tooLarge', 46: 'maxSymbolValue_tooLarge', 48: 'maxSymbolValue_tooSmall', 50: 'stabilityCondition_notRespected',
  60: 'stage_wrong', 62: 'init_missing', 64: 'memory_allocation', 66: 'workSpace_tooSmall', 70: 'dstSize_tooSmall', 72: 'srcSize_wrong',
  74: 'dstBuffer_null', 80: 'noForwardProgress_destFull', 82: 'noForwardProgress_inputEmpty',
};

const invalid = (Class, code, message) => host.codeError(Class, code, message);

function checkSize(size) {
  if (typeof size !== 'number') throw invalid(TypeError, 'ERR_INVALID_ARG_TYPE', 'pledgedSrcSize must be a number');
  if (!Number.isSafeInteger(size)) throw invalid(RangeError, 'ERR_OUT_OF_RANGE', 'pledgedSrcSize must be a safe integer');
  if (size < 0) throw invalid(RangeError, 'ERR_OUT_OF_RANGE', 'pledgedSrcSize must be non-negative');
}

class Zstd extends host.Compression {
  #size; // of what will come, if that was said
  #taken = 0;
  #isComplete = false;
  open(parameters, dictionary) {
    const made = native.zstdOpen(this.compresses, parameters, this.#size, dictionary);
    if (typeof made === 'string') throw host.codeError(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', made);
    this.#taken = 0;
    this.#isComplete = false;
    return made;
  }
  init(parameters, size, state, written, dictionary) {
    if (size !== undefined) checkSize(size);
    this.#size = size;
    this.begin(this.open(parameters, dictionary), state, written);
  }
  params() {}
  // As in Node, which forgets the parameters and the dictionary.
  resetStream() {
    native.zstdClose(this.stream);
    this.stream = this.open(new Uint32Array(0), undefined);
  }
  closeStream() { native.zstdClose(this.stream); }
  step(operation, input, inputOffset, inputLength, output, outputOffset, outputLength) {
    // What is asked for again because the output was full is not the beginning of a frame.
    if (!this.compresses && this.#isComplete && inputLength === 0) return this.left(outputLength, 0);
    const ranges = [inputOffset, inputLength, outputOffset, outputLength];
    const [isDone, outputLeft, inputLeft, error, message] = native.zstdStep(this.stream, operation, input, ranges, output);
    this.left(outputLeft, inputLeft);
    this.#taken += inputLength - inputLeft;
    this.#isComplete = isDone && error === 0;
    if (error !== 0) return this.fail(message, error, `ZSTD_error_${errors[error] ?? 'GENERIC'}`);
    if (this.compresses) {
      const isWrong = operation === END && isDone && this.#size !== undefined && this.#taken !== this.#size;
      if (operation === END && isDone) this.#size = undefined;
      return !isWrong || this.fail('Src size is incorrect', SRC_SIZE_WRONG, 'ZSTD_error_srcSize_wrong');
    }
    if (operation === END && !this.#isComplete && inputLeft === 0 && outputLeft > 0) return this.fail('unexpected end of file', Z_BUF_ERROR, 'Z_BUF_ERROR');
    return true;
  }
}

host.extend('zlib', (zlib) => {
  zlib.ZstdCompress = class ZstdCompress extends Zstd { compresses = true; };
  zlib.ZstdDecompress = class ZstdDecompress extends Zstd { compresses = false; };
});
