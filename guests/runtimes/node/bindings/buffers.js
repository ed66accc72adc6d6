// Buffer: reading and writing text, filling, comparing, searching.
'use strict';

const { bytesOf, encodings, encodingNumber, codeError } = host;

const outOfRange = () => codeError(RangeError, 'ERR_INDEX_OUT_OF_RANGE', 'Index out of range');

function addSlicesAndWrites(buffer) {
  for (const [name, encoding] of Object.entries(encodings)) {
    buffer[`${name}Slice`] = (self, start, end) => {
      const bytes = bytesOf(self);
      if (start < 0 || end < 0) throw outOfRange();
      const length = encoding === encodings.utf8 ? 0 : bytes.length * (encoding === encodings.hex ? 2 : 1);
      if (length > buffer.kStringMaxLength) {
        const most = `0x${buffer.kStringMaxLength.toString(16)}`;
        throw codeError(Error, 'ERR_STRING_TOO_LONG', `Cannot create a string longer than ${most} characters`);
      }
      return native.bytesToText(bytes, encoding, start, end);
    };
    const write = (self, text, offset, length) => {
      if (typeof text !== 'string') throw codeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
      const bytes = bytesOf(self);
      if (offset > bytes.length) throw codeError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds');
      return native.textToBytes(bytes, text, encoding, offset, length);
    };
    buffer[`${name}Write`] = write;
    buffer[`${name}WriteStatic`] = write;
  }
}

// -2: out of range; -1: nothing to fill with. Node's JavaScript makes errors of both.
function fill(self, value, start, end, encoding) {
  const bytes = bytesOf(self);
  if (start < 0 || end < 0) throw codeError(RangeError, 'ERR_OUT_OF_RANGE', 'Index out of range');
  if (end > bytes.length) return -2;
  if (start >= end) return undefined;
  let pattern;
  if (typeof value === 'string') pattern = host.encode(value, encoding);
  else if (ArrayBuffer.isView(value)) pattern = bytesOf(value);
  else {
    bytes.fill(value & 255, start, end);
    return undefined;
  }
  if (pattern.length === 0) return -1;
  let at = start + Math.min(pattern.length, end - start);
  bytes.set(pattern.subarray(0, at - start), start);
  while (at < end) {
    const count = Math.min(at - start, end - at);
    bytes.copyWithin(at, start, start + count);
    at += count;
  }
  return undefined;
}

const until = (value, end) => {
  const bytes = bytesOf(value);
  return end === undefined || end >= bytes.length ? bytes : bytes.subarray(0, Math.max(0, end));
};
const stepOf = (encoding) => (encodingNumber(encoding) === encodings.ucs2 ? 2 : 1);

function addSearches(buffer) {
  buffer.indexOfString = (self, text, offset, encoding, forward, end) =>
    native.findBytes(until(self, end), host.encode(text, encoding), offset, forward, stepOf(encoding));
  buffer.indexOfBuffer = (self, value, offset, encoding, forward, end) =>
    native.findBytes(until(self, end), bytesOf(value), offset, forward, stepOf(encoding));
  buffer.indexOfNumber = (self, value, offset, forward, end) =>
    native.findBytes(until(self, end), Uint8Array.of(value & 255), offset, forward, 1);
}

function swap(width) {
  return (self) => {
    const bytes = bytesOf(self);
    for (let at = 0; at + width <= bytes.length; at += width) bytes.subarray(at, at + width).reverse();
    return self;
  };
}

// What is detached has no bytes, and no wrong ones.
const isDetached = (value) => (value.buffer ?? value).detached;

// Numbers below 0 are Node's: -2 a wrong character, -1 one alone at the end.
function atob(text) {
  let digits = text.replace(/[\t\n\f\r ]/g, '');
  if (digits.length % 4 === 0) digits = digits.replace(/==?$/, '');
  if (/[^A-Za-z0-9+/]/.test(digits)) return -2;
  if (digits.length % 4 === 1) return -1;
  return host.decode(host.encode(digits, 'base64'), 'latin1');
}

function btoa(text) {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 255) return -1;
  return host.decode(host.encode(text, 'latin1'), 'base64');
}

host.define('buffer', (buffer) => {
  addSlicesAndWrites(buffer);
  addSearches(buffer);
  buffer.setBufferPrototype = host.setBufferPrototype;
  buffer.byteLengthUtf8 = (text) => native.utf8Length(text);
  buffer.copy = (source, target, targetStart, sourceStart, count) => {
    bytesOf(target).set(bytesOf(source).subarray(sourceStart, sourceStart + count), targetStart);
    return count;
  };
  buffer.copyArrayBuffer = (target, targetOffset, source, sourceOffset, count) => {
    new Uint8Array(target, targetOffset, count).set(new Uint8Array(source, sourceOffset, count));
  };
  buffer.compare = (a, b) => native.compareBytes(bytesOf(a), bytesOf(b));
  buffer.compareOffset = (source, target, targetStart, sourceStart, targetLength, sourceLength) => {
    const range = (name) => codeError(RangeError, 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range.`);
    if (sourceStart > source.byteLength) throw range('sourceStart');
    if (targetStart > target.byteLength) throw range('targetStart');
    return native.compareBytes(bytesOf(source).subarray(sourceStart, sourceStart + sourceLength),
                               bytesOf(target).subarray(targetStart, targetStart + targetLength));
  };
  buffer.fill = fill;
  buffer.swap16 = swap(2);
  buffer.swap32 = swap(4);
  buffer.swap64 = swap(8);
  buffer.isAscii = (value) => isDetached(value) || native.isAscii(bytesOf(value));
  buffer.isUtf8 = (value) => isDetached(value) || native.isUtf8(bytesOf(value));
  buffer.atob = atob;
  buffer.btoa = btoa;
  // Memory is always zero here.
  buffer.createUnsafeArrayBuffer = (length) => new ArrayBuffer(length);
  // V8 keeps such a buffer from being detached at all; here, from being transferred.
  buffer.setDetachKey = (bytes) => { host.keepAttached(bytes); };
  buffer.getZeroFillToggle = () => undefined;
});
