// string_decoder: text from bytes that come in pieces. The state is Node's Buffer: up to four bytes
// of a character that is not complete, then how many are missing, how many are there, the encoding.
'use strict';

const { bytesOf, encodings, encodingNumber } = host;

// [bytes at the end that begin a character, bytes that it still needs]
function incompleteUtf8(bytes) {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const first = bytes[bytes.length - back];
    if ((first & 0xc0) === 0x80) continue;
    const width = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xc2 && first < 0xe0 ? 2 : 1;
    if (width <= back) return [0, 0];
    const second = bytes[bytes.length - back + 1];
    const isWrong = back >= 2 && (
      (first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f) ||
      (first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f));
    return isWrong ? [0, 0] : [back, width - back];
  }
  return [0, 0];
}

// `held`: bytes of it that an earlier piece has left.
function incompleteUcs2(bytes, held) {
  if (bytes.length === 3 && held >= 2) return [3, 1];
  if (bytes.length & 1) return [1, 1];
  const endsHigh = bytes.length >= 2 && (bytes[bytes.length - 1] & 0xfc) === 0xd8;
  return endsHigh ? [2, 2] : [0, 0];
}

function incompleteBase64(bytes) {
  const rest = bytes.length % 3;
  return [rest, rest === 0 ? 0 : 3 - rest];
}

host.define('string_decoder', (binding) => {
  const { kMissingBytes, kBufferedBytes, kEncodingField } = binding;
  binding.decode = (state, chunk) => {
    if (typeof chunk === 'string') return chunk;
    if (!ArrayBuffer.isView(chunk)) {
      throw host.codeError(TypeError, 'ERR_INVALID_ARG_TYPE',
                           'The "buf" argument must be an instance of Buffer, TypedArray, or DataView.');
    }
    let bytes = bytesOf(chunk);
    const encoding = encodingNumber(state[kEncodingField]);
    if ([encodings.ascii, encodings.latin1, encodings.hex].includes(encoding)) return native.bytesToText(bytes, encoding, 0, undefined);
    const most = host.binding('buffer').kStringMaxLength;
    if (bytes.length > most * (encoding === encodings.ucs2 ? 2 : 1)) {
      throw host.codeError(Error, 'ERR_STRING_TOO_LONG', `Cannot create a string longer than 0x${most.toString(16)} characters`);
    }
    const held = state[kBufferedBytes];
    if (held > 0) {
      const joined = new Uint8Array(held + bytes.length);
      joined.set(state.subarray(0, held));
      joined.set(bytes, held);
      bytes = joined;
    }
    const [kept, missing] = encoding === encodings.utf8 ? incompleteUtf8(bytes) :
      encoding === encodings.ucs2 ? incompleteUcs2(bytes, held) : incompleteBase64(bytes);
    const complete = bytes.length - kept;
    state.fill(0, 0, 4);
    state.set(bytes.subarray(complete), 0);
    state[kBufferedBytes] = kept;
    state[kMissingBytes] = missing;
    return native.bytesToText(bytes, encoding, 0, complete);
  };
  binding.flush = (state) => {
    const encoding = encodingNumber(state[kEncodingField]);
    let count = state[kBufferedBytes];
    state[kBufferedBytes] = state[kMissingBytes] = 0;
    if (encoding === encodings.ucs2) count &= ~1;
    return count === 0 ? '' : native.bytesToText(state, encoding, 0, count);
  };
});
