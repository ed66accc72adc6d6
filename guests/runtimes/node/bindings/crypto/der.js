// DER, as far as keys are written in it: reading and writing values with a tag and a length.
'use strict';

const SEQUENCE = 0x30, INTEGER = 2, BITS = 3, OCTETS = 4, NULL = 5, OID = 6;
const malformed = () => shared.openssl('asn1', '80008E', 'not enough data', true);

// One value at `at`: { tag, body, end }. Lengths are as short as they can be, and within the bytes.
function valueAt(bytes, at) {
  if (bytes.length - at < 2) throw malformed();
  const tag = bytes[at];
  let length = bytes[at + 1], start = at + 2;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count < 1 || count > 4 || bytes.length - start < count) throw malformed();
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + bytes[start + i];
    start += count;
  }
  if (length > bytes.length - start) throw malformed();
  return { tag, body: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length), end: start + length };
}

// The values in a sequence, one after the other.
class Reader {
  #bytes;
  #at = 0;
  constructor(bytes) { this.#bytes = bytes; }
  get isDone() { return this.#at >= this.#bytes.length; }
  get tag() { return this.isDone ? undefined : this.#bytes[this.#at]; }
  value(tag) {
    const value = valueAt(this.#bytes, this.#at);
    if (tag !== undefined && value.tag !== tag) throw malformed();
    this.#at = value.end;
    return value;
  }
  sequence(tag = SEQUENCE) { return new Reader(this.value(tag).body); }
  octets() { return this.value(OCTETS).body; }
  // A number that is not negative, without zeros in front.
  number() {
    const { body } = this.value(INTEGER);
    if (body.length === 0 || body[0] >= 0x80) throw malformed();
    let at = 0;
    while (at < body.length - 1 && body[at] === 0) at++;
    return body.slice(at);
  }
  small() { return this.number().reduce((sum, byte) => sum * 256 + byte, 0); }
  bits() {
    const { body } = this.value(BITS);
    if (body.length < 1 || body[0] !== 0) throw malformed();
    return body.slice(1);
  }
  oid() {
    const { body } = this.value(OID);
    const parts = [];
    let part = 0;
    for (const byte of body) {
      part = part * 128 + (byte & 0x7f);
      if (part > 2 ** 40) throw malformed();
      if (byte < 0x80) {
        parts.push(part);
        part = 0;
      }
    }
    if (parts.length === 0) throw malformed();
    const first = Math.min(2, Math.floor(parts[0] / 40));
    return [first, parts[0] - 40 * first, ...parts.slice(1)].join('.');
  }
}

function join(...pieces) {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function wrap(tag, ...pieces) {
  const body = join(...pieces);
  const length = [];
  if (body.length < 0x80) length.push(body.length);
  else {
    for (let left = body.length; left > 0; left = Math.floor(left / 256)) length.unshift(left % 256);
    length.unshift(0x80 | length.length);
  }
  return join(Uint8Array.of(tag, ...length), body);
}

function trimmed(bytes) {
  let at = 0;
  while (at < bytes.length - 1 && bytes[at] === 0) at++;
  return bytes.subarray(at);
}

function oid(text) {
  const [first, second, ...rest] = text.split('.').map(Number);
  const bytes = [];
  for (const part of [40 * first + second, ...rest]) {
    const digits = [part % 128];
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(0x80 | left % 128);
    bytes.push(...digits);
  }
  return wrap(OID, Uint8Array.from(bytes));
}

shared.der = {
  read: (bytes) => new Reader(bytes),
  malformed, join, wrap, oid, trimmed, valueAt,
  sequence: (...pieces) => wrap(SEQUENCE, ...pieces),
  number(bytes) {
    const number = trimmed(bytes.length === 0 ? Uint8Array.of(0) : bytes);
    return number[0] >= 0x80 ? wrap(INTEGER, Uint8Array.of(0), number) : wrap(INTEGER, number);
  },
  small: (number) => wrap(INTEGER, Uint8Array.of(number)),
  octets: (bytes) => wrap(OCTETS, bytes),
  bits: (bytes) => wrap(BITS, Uint8Array.of(0), bytes),
  none: wrap(NULL),
  SEQUENCE, INTEGER, BITS, OCTETS, NULL, OID,
};
