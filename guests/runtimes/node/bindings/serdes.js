// v8.Serializer and Deserializer: V8's own wire format, version 15, which `node --test` and programs
// that call v8.serialize() expect of each other.
'use strict';

const VERSION = 15;
const { className } = native;
const tag = (letter) => letter.charCodeAt(0);
const viewTags = {
  Int8Array: 'b', Uint8Array: 'B', Uint8ClampedArray: 'C', Int16Array: 'w', Uint16Array: 'W', Int32Array: 'd', Uint32Array: 'D',
  Float32Array: 'f', Float64Array: 'F', BigInt64Array: 'q', BigUint64Array: 'Q', DataView: '?',
};
const viewClasses = Object.fromEntries(Object.entries(viewTags).map(([name, letter]) => [letter, name]));
const errorTags = { EvalError: 'E', RangeError: 'R', ReferenceError: 'F', SyntaxError: 'S', TypeError: 'T', URIError: 'U' };
const errorClasses = Object.fromEntries(Object.entries(errorTags).map(([name, letter]) => [letter, name]));
const regExpFlags = 'gimyuds';
const viewName = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

class Serializer {
  #bytes = new Uint8Array(256);
  #length = 0;
  #ids = new Map(); // object → number
  #transferred = new Map(); // buffer → number
  #viewsAreHosts = false;
  #room(count) {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
  #byte(value) {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }
  #tag(letter) { this.#byte(tag(letter)); }
  #varint(value) {
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 128)) this.#byte(left % 128 | 0x80);
    this.#byte(left);
  }
  #double(value) {
    this.#room(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }
  #raw(bytes) {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }
  writeHeader() {
    this.#byte(0xff);
    this.#byte(VERSION);
  }
  writeUint32(value) { this.#varint(value >>> 0); }
  writeUint64(high, low) { this.#varint(high * 2 ** 32 + low); }
  writeDouble(value) { this.#double(value); }
  writeRawBytes(bytes) { this.#raw(host.bytesOf(bytes)); }
  releaseBuffer() {
    const bytes = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return host.toBuffer(bytes);
  }
  transferArrayBuffer(id, buffer) { this.#transferred.set(buffer, id); }
  _setTreatArrayBufferViewsAsHostObjects(value) { this.#viewsAreHosts = value; }
  writeValue(value) {
    this.#value(value);
    return true;
  }
  #value(value) {
    switch (typeof value) {
      case 'undefined': return this.#tag('_');
      case 'boolean': return this.#tag(value ? 'T' : 'F');
      case 'number': return this.#number(value);
      case 'bigint': this.#tag('Z'); return this.#bigint(value);
      case 'string': return this.#string(value);
      case 'object': return value === null ? this.#tag('0') : this.#reference(value);
    }
    return this.#refuse(value);
  }
  #refuse(value) {
    const ErrorClass = this._getDataCloneError ?? Error;
    const shown = typeof value === 'object' ? `#<${className(value)}>` : String(value);
    throw new ErrorClass(`${shown} could not be cloned.`);
  }
  #number(value) {
    if (Number.isInteger(value) && value >= -(2 ** 30) && value < 2 ** 30 && !Object.is(value, -0)) {
      this.#tag('I');
      this.#varint(value >= 0 ? 2 * value : -2 * value - 1);
    } else {
      this.#tag('N');
      this.#double(value);
    }
  }
  #bigint(value) {
    let digits = (value < 0n ? -value : value).toString(16);
    digits = digits === '0' ? '' : digits.padStart(Math.ceil(digits.length / 16) * 16, '0');
    this.#varint(digits.length | (value < 0n ? 1 : 0)); // bytes times two, and the sign
    for (let at = digits.length; at > 0; at -= 2) this.#byte(parseInt(digits.slice(at - 2, at), 16));
  }
  #string(value) {
    let isLatin = true;
    for (let at = 0; at < value.length && isLatin; at++) isLatin = value.charCodeAt(at) < 256;
    const bytes = host.encode(value, isLatin ? 'latin1' : 'ucs2');
    if (!isLatin) {
      const sizes = bytes.length < 0x80 ? 1 : bytes.length < 0x4000 ? 2 : bytes.length < 0x200000 ? 3 : 4;
      if ((this.#length + 1 + sizes) % 2 !== 0) this.#byte(0); // its units are at even places
    }
    this.#tag(isLatin ? '"' : 'c');
    this.#varint(bytes.length);
    this.#raw(bytes);
  }
  #reference(value) {
    if (this.#ids.has(value)) {
      this.#tag('^');
      this.#varint(this.#ids.get(value));
      return;
    }
    if (ArrayBuffer.isView(value) && !this.#viewsAreHosts && !this.#ids.has(value.buffer)) this.#reference(value.buffer);
    this.#ids.set(value, this.#ids.size);
    this.#object(value);
  }
  #object(value) {
    if (ArrayBuffer.isView(value)) return this.#viewsAreHosts ? this.#hostObject(value) : this.#view(value);
    switch (className(value)) {
      case 'Date': this.#tag('D'); return this.#double(value.getTime());
      case 'Boolean': return this.#tag(value.valueOf() ? 'y' : 'x');
      case 'Number': this.#tag('n'); return this.#double(value.valueOf());
      case 'BigInt': this.#tag('z'); return this.#bigint(value.valueOf());
      case 'String': this.#tag('s'); return this.#string(value.valueOf());
      case 'RegExp': {
        this.#tag('R');
        this.#string(value.source);
        return this.#varint([...value.flags].reduce((bits, flag) => bits | 1 << regExpFlags.indexOf(flag), 0));
      }
      case 'ArrayBuffer': return this.#buffer(value);
      case 'Array': return this.#array(value);
      case 'Map': return this.#entries(';', ':', [...value].flat(1), value.size * 2);
      case 'Set': return this.#entries("'", ',', [...value], value.size);
      case 'Error': return this.#error(value);
      case 'Object': case 'Arguments': case 'MappedArguments': {
        this.#tag('o');
        const count = this.#properties(value, Object.keys(value));
        this.#tag('{');
        return this.#varint(count);
      }
    }
    return this.#refuse(value);
  }
  #properties(value, keys) {
    let count = 0;
    for (const key of keys) {
      if (!Object.hasOwn(value, key)) continue;
      const index = Number(key);
      this.#value(String(index >>> 0) === key ? index : key);
      this.#value(value[key]);
      count++;
    }
    return count;
  }
  #array(value) {
    const keys = Object.keys(value);
    const isIndex = (key) => String(key >>> 0) === key;
    const { length } = value;
    const isDense = keys.filter(isIndex).length === length;
    this.#tag(isDense ? 'A' : 'a');
    this.#varint(length);
    if (isDense) for (let at = 0; at < length; at++) this.#value(value[at]);
    const count = this.#properties(value, isDense ? keys.filter((key) => !isIndex(key)) : keys);
    this.#tag(isDense ? '$' : '@');
    this.#varint(count);
    this.#varint(length);
  }
  #entries(begin, finish, values, count) {
    this.#tag(begin);
    for (const value of values) this.#value(value);
    this.#tag(finish);
    this.#varint(count);
  }
  #buffer(value) {
    if (this.#transferred.has(value)) {
      this.#tag('t');
      return this.#varint(this.#transferred.get(value));
    }
    this.#tag('B');
    this.#varint(value.byteLength);
    return this.#raw(new Uint8Array(value));
  }
  #view(value) {
    this.#tag('V');
    this.#tag(viewTags[viewName.call(value) ?? 'DataView']);
    this.#varint(value.byteOffset);
    this.#varint(value.byteLength);
    this.#varint(0);
  }
  #hostObject(value) {
    this.#tag('\\');
    if (this._writeHostObject === undefined) return this.#refuse(value);
    return this._writeHostObject(value);
  }
  #error(value) {
    this.#tag('r');
    if (errorTags[value.name] !== undefined) this.#tag(errorTags[value.name]);
    const put = (letter, text) => {
      this.#tag(letter);
      this.#string(text);
    };
    if (value.message !== '') put('m', String(value.message));
    if (Object.hasOwn(value, 'cause')) {
      this.#tag('c');
      this.#value(value.cause);
    }
    if (typeof value.stack === 'string') put('s', value.stack);
    this.#tag('.');
  }
}

class Deserializer {
  #bytes;
  #at = 0;
  #objects = [];
  #transferred = new Map();
  constructor(buffer) {
    if (!ArrayBuffer.isView(buffer)) {
      throw host.codeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'buffer must be a TypedArray or a DataView');
    }
    this.buffer = buffer;
    this.#bytes = host.bytesOf(buffer);
  }
  #fail() { throw new Error('Unable to deserialize cloned data.'); }
  #byte() {
    if (this.#at >= this.#bytes.length) this.#fail();
    return this.#bytes[this.#at++];
  }
  #varint() {
    let value = 0;
    let scale = 1;
    for (let byte = 0x80; byte >= 0x80; scale *= 128) {
      byte = this.#byte();
      value += (byte & 0x7f) * scale;
    }
    return value;
  }
  #raw(count) {
    if (count > this.#bytes.length - this.#at) this.#fail();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
  #double() {
    const bytes = this.#raw(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }
  readHeader() {
    if (this.#byte() !== 0xff || this.#varint() > VERSION) this.#fail();
    return true;
  }
  getWireFormatVersion() { return VERSION; }
  readUint32() { return this.#varint() >>> 0; }
  readUint64() {
    const value = this.#varint();
    return [Math.floor(value / 2 ** 32), value >>> 0];
  }
  readDouble() { return this.#double(); }
  _readRawBytes(count) {
    this.#raw(count);
    return this.#at - count;
  }
  readRawBytes(count) { return host.toBuffer(this.#raw(count).slice()); }
  transferArrayBuffer(id, buffer) { this.#transferred.set(id, buffer); }
  readValue() { return this.#value(); }
  #keep(object) {
    this.#objects.push(object);
    return object;
  }
  #peek() { return String.fromCharCode(this.#bytes[this.#at]); }
  #value() {
    let letter;
    do letter = String.fromCharCode(this.#byte()); while (letter === '\0');
    switch (letter) {
      case '_': return undefined;
      case '0': return null;
      case 'T': return true;
      case 'F': return false;
      case 'I': {
        const value = this.#varint();
        return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      }
      case 'U': return this.#varint();
      case 'N': return this.#double();
      case 'Z': return this.#bigint();
      case '"': return host.decode(this.#raw(this.#varint()), 'latin1');
      case 'c': return host.decode(this.#raw(this.#varint()), 'ucs2');
      case 'S': return host.decode(this.#raw(this.#varint()), 'utf8');
      case '^': {
        const id = this.#varint();
        return id < this.#objects.length ? this.#objects[id] : this.#fail();
      }
      case 'D': return this.#keep(new Date(this.#double()));
      case 'y': return this.#keep(Object(true));
      case 'x': return this.#keep(Object(false));
      case 'n': return this.#keep(Object(this.#double()));
      case 'z': return this.#keep(Object(this.#bigint()));
      case 's': return this.#keep(Object(this.#value()));
      case 'R': return this.#regExp();
      case 'B': return this.#buffer();
      case 't': return this.#keep(this.#transferred.get(this.#varint()) ?? this.#fail());
      case 'A': return this.#array('$', true);
      case 'a': return this.#array('@', false);
      case ';': return this.#map();
      case "'": return this.#set();
      case 'r': return this.#error();
      case 'o': {
        const object = this.#keep({});
        this.#properties(object, '{');
        this.#varint();
        return object;
      }
      case '\\': {
        const id = this.#objects.length;
        this.#objects.push(undefined);
        return this.#objects[id] = this._readHostObject();
      }
    }
    return this.#fail();
  }
  #bigint() {
    const field = this.#varint();
    const bytes = this.#raw(field >> 1);
    let value = 0n;
    for (let at = bytes.length - 1; at >= 0; at--) value = value << 8n | BigInt(bytes[at]);
    return field & 1 ? -value : value;
  }
  #regExp() {
    const id = this.#objects.push(undefined) - 1;
    const source = this.#value();
    const bits = this.#varint();
    return this.#objects[id] = new RegExp(source, [...regExpFlags].filter((flag, at) => bits & 1 << at).join(''));
  }
  // A view follows the buffer that it looks into.
  #buffer() {
    const buffer = this.#keep(this.#raw(this.#varint()).slice().buffer);
    if (this.#peek() !== 'V') return buffer;
    this.#byte();
    const name = viewClasses[String.fromCharCode(this.#byte())] ?? this.#fail();
    const [offset, length] = [this.#varint(), this.#varint()];
    this.#varint();
    const View = globalThis[name];
    return this.#keep(new View(buffer, offset, length / (View.BYTES_PER_ELEMENT ?? 1)));
  }
  // Until a tag that is its end, which is taken.
  #until(finish) {
    if (this.#peek() !== finish) return true;
    this.#byte();
    return false;
  }
  #properties(object, finish) {
    while (this.#until(finish)) {
      const key = this.#value();
      Object.defineProperty(object, key, { __proto__: null, value: this.#value(), writable: true, enumerable: true, configurable: true });
    }
  }
  #array(finish, isDense) {
    const length = this.#varint();
    if (isDense && length > this.#bytes.length) this.#fail();
    const array = this.#keep(new Array(length));
    for (let at = 0; isDense && at < length; at++) array[at] = this.#value();
    this.#properties(array, finish);
    this.#varint();
    this.#varint();
    return array;
  }
  #map() {
    const map = this.#keep(new Map());
    while (this.#until(':')) {
      const key = this.#value();
      map.set(key, this.#value());
    }
    this.#varint();
    return map;
  }
  #set() {
    const set = this.#keep(new Set());
    while (this.#until(',')) set.add(this.#value());
    this.#varint();
    return set;
  }
  #error() {
    const id = this.#objects.push(undefined) - 1;
    const fields = {};
    let name = 'Error';
    for (;;) {
      const letter = String.fromCharCode(this.#byte());
      if (letter === '.') break;
      if (letter === 'm') fields.message = this.#value();
      else if (letter === 's') fields.stack = this.#value();
      else if (letter === 'c') fields.cause = this.#value();
      else name = errorClasses[letter] ?? this.#fail();
    }
    const error = this.#objects[id] = new globalThis[name](fields.message ?? '');
    for (const key of ['stack', 'cause']) {
      if (key in fields) Object.defineProperty(error, key, { __proto__: null, value: fields[key], writable: true, configurable: true });
    }
    return error;
  }
}

host.define('serdes', (serdes) => {
  serdes.Serializer = Serializer;
  serdes.Deserializer = Deserializer;
});
