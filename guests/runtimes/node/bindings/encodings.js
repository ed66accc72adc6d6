// Text and bytes in Node's encodings, on the C half (src/bytes.c), whose numbers these are.
'use strict';

const numbers = { ascii: 0, latin1: 1, utf8: 2, ucs2: 3, hex: 4, base64: 5, base64url: 6 };
const names = {
  '__proto__': null, ...numbers, 'utf-8': 2, 'binary': 1, 'ucs-2': 3, 'utf16le': 3, 'utf-16le': 3,
};
// Node's own numbers, of enum encoding.
const byNode = ['ascii', 'utf8', 'base64', 'ucs2', 'latin1', 'hex', 'buffer', 'base64url'];

host.encodings = numbers;
// UTF-8 for what is none, as ParseEncoding does.
host.encodingNumber = (encoding) => {
  const name = typeof encoding === 'number' ? byNode[encoding] : encoding;
  return names[name] ?? names[String(name).toLowerCase()] ?? numbers.utf8;
};

// The getters of a class of views: a view may have properties of its own with their names.
const { apply } = Reflect;
function readerOf(prototype) {
  const [buffer, offset, length] = ['buffer', 'byteOffset', 'byteLength'].map((name) => Object.getOwnPropertyDescriptor(prototype, name).get);
  return (view) => new Uint8Array(apply(buffer, view, []), apply(offset, view, []), apply(length, view, []));
}
const arrays = Object.getPrototypeOf(Uint8Array.prototype);
const nameOfArray = Object.getOwnPropertyDescriptor(arrays, Symbol.toStringTag).get;
const bytesOfArray = readerOf(arrays), bytesOfDataView = readerOf(DataView.prototype);
const bytesOfView = (view) => (apply(nameOfArray, view, []) === undefined ? bytesOfDataView : bytesOfArray)(view);

// The bytes of a view or a buffer.
host.bytesOf = (value) => {
  if (value instanceof Uint8Array) return value;
  return ArrayBuffer.isView(value) ? bytesOfView(value) : new Uint8Array(value);
};

// A copy of some bytes. `slice` of a Buffer is a view.
host.copyOf = (bytes, from = 0, to = bytes.length) => new Uint8Array(bytes.subarray(from, to));

host.encode = (text, encoding) => {
  const number = host.encodingNumber(encoding);
  const room = new Uint8Array(number === numbers.utf8 ? native.utf8Length(text) : text.length * 2);
  const count = native.textToBytes(room, text, number, 0, room.length);
  return count === room.length ? room : room.subarray(0, count);
};

host.decode = (bytes, encoding) => native.bytesToText(bytes, host.encodingNumber(encoding), 0, undefined);

// Node's Buffer: its prototype is set when the module buffer has been loaded.
let bufferPrototype = Uint8Array.prototype;
host.setBufferPrototype = (prototype) => { bufferPrototype = prototype; };
host.toBuffer = (bytes) => Object.setPrototypeOf(bytes, bufferPrototype);

host.define('encoding_binding', (binding) => {
  binding.encodeUtf8String = (text) => host.encode(text, 'utf8');
  binding.encodeInto = (text, into) => {
    native.textToBytes(into, text, numbers.utf8, 0, into.length, binding.encodeIntoResults);
  };
  binding.decodeUTF8 = (value, ignoreBom, fatal) => {
    if ((value.buffer ?? value).detached) return ''; // there are no bytes
    let bytes = host.bytesOf(value);
    if (fatal && !native.isUtf8(bytes)) {
      throw host.codeError(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', 'The encoded data was not valid for encoding utf-8');
    }
    if (!ignoreBom && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    return host.decode(bytes, 'utf8');
  };
  binding.decodeLatin1 = (value) => host.decode(host.bytesOf(value), 'latin1');
  binding.toASCII = (text) => native.idna(text, false);
  binding.toUnicode = (text) => native.idna(text, true);
});
