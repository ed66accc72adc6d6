// Hash, Hmac, and their jobs.
'use strict';

const { openssl, plain, invalidDigest, codeError } = shared;

// Names of OpenSSL to numbers of src/crypto.h; the first is the one that it shows. Those of UNLISTED are taken, too.
const NAMES = [
  [0, 'md5', 'RSA-MD5', 'md5WithRSAEncryption', 'ssl3-md5'],
  [1, 'ripemd160', 'RSA-RIPEMD160', 'ripemd', 'ripemd160WithRSA', 'rmd160'],
  [2, 'sha1', 'RSA-SHA1', 'RSA-SHA1-2', 'sha1WithRSAEncryption', 'ssl3-sha1'],
  [3, 'sha224', 'RSA-SHA224', 'sha224WithRSAEncryption'],
  [4, 'sha256', 'RSA-SHA256', 'sha256WithRSAEncryption'],
  [5, 'sha384', 'RSA-SHA384', 'sha384WithRSAEncryption'],
  [6, 'sha512', 'RSA-SHA512', 'sha512WithRSAEncryption'],
  [7, 'sha512-224', 'RSA-SHA512/224', 'sha512-224WithRSAEncryption'],
  [8, 'sha512-256', 'RSA-SHA512/256', 'sha512-256WithRSAEncryption'],
  [9, 'sha3-224', 'RSA-SHA3-224', 'id-rsassa-pkcs1-v1_5-with-sha3-224'],
  [10, 'sha3-256', 'RSA-SHA3-256', 'id-rsassa-pkcs1-v1_5-with-sha3-256'],
  [11, 'sha3-384', 'RSA-SHA3-384', 'id-rsassa-pkcs1-v1_5-with-sha3-384'],
  [12, 'sha3-512', 'RSA-SHA3-512', 'id-rsassa-pkcs1-v1_5-with-sha3-512'],
  [13, 'shake128'],
  [14, 'shake256'],
  [15, 'blake2b512'],
  [16, 'md5-sha1'],
];
const UNLISTED = [[2, 'sha-1', 'dss1'], [3, 'sha-224', 'sha2-224'], [4, 'sha-256', 'sha2-256'], [5, 'sha-384', 'sha2-384'], [6, 'sha-512', 'sha2-512'],
  [7, 'sha512/224', 'sha-512/224', 'sha2-512/224'], [8, 'sha512/256', 'sha-512/256', 'sha2-512/256'], [13, 'shake-128'], [14, 'shake-256'],
  [15, 'blake2b-512']];
const SIZES = [16, 20, 20, 28, 32, 48, 64, 28, 32, 28, 32, 48, 64, 16, 32, 64, 36];
const isExtendable = (number) => number === 13 || number === 14;

const numbers = new Map([...NAMES, ...UNLISTED].flatMap(([number, ...names]) => names.map((name) => [name.toLowerCase(), number])));
const numberOf = (name) => numbers.get(String(name).toLowerCase());
shared.hashNumber = numberOf;
shared.hashName = (number) => NAMES[number][1];
shared.hashSize = (number) => SIZES[number];
shared.isExtendable = isExtendable;
// The number of a hash that an argument names, or Node's error.
shared.needHash = (name) => {
  const number = numberOf(name);
  if (number === undefined) throw invalidDigest(name);
  return number;
};
shared.digest = (number, ...pieces) => {
  const hash = native.hashOpen(number);
  for (const piece of pieces) native.hashUpdate(hash, piece);
  return new Uint8Array(native.hashFinish(hash, SIZES[number]));
};
shared.hmac = (number, key, ...pieces) => {
  if (isExtendable(number)) throw plain('provider', '8000B7', 'xof digests not allowed');
  const hash = native.hashOpen(number, key);
  for (const piece of pieces) native.hashUpdate(hash, piece);
  return new Uint8Array(native.hashFinish(hash));
};

// Text or a view as bytes.
const dataOf = (data, encoding) => (typeof data === 'string' ? host.encode(data, encoding === 'buffer' ? 'utf8' : encoding ?? 'utf8') : host.bytesOf(data));
shared.dataOf = dataOf;

// As Node's ParseEncoding: a Buffer for what is no encoding.
const encodingNames = /^(hex|utf-?8|base64(url)?|ascii|latin1|binary|ucs-?2|utf-?16le)$/i;
function encoded(buffer, encoding) {
  const bytes = new Uint8Array(buffer);
  return encodingNames.test(encoding ?? 'buffer') ? host.decode(bytes, encoding) : host.toBuffer(bytes);
}

crypto.Hash = class Hash {
  #hash;
  #length;
  #digest;
  constructor(algorithm, length) {
    let number;
    if (typeof algorithm === 'object') {
      number = algorithm.#number;
      this.#hash = native.hashCopy(algorithm.#hash);
    } else {
      number = numberOf(algorithm);
      if (number === undefined) throw new Error('Digest method not supported');
      this.#hash = native.hashOpen(number);
    }
    this.#number = number;
    this.#length = length ?? SIZES[number];
    // A length of 0 is served without asking OpenSSL, which refuses only others.
    if (!isExtendable(number) && this.#length !== SIZES[number] && this.#length !== 0) {
      throw openssl('evp', '0000B2', 'not XOF or invalid length');
    }
  }
  #number;
  update(data, encoding) {
    native.hashUpdate(this.#hash, dataOf(data, encoding));
    return true;
  }
  // A stream's end asks for it again after digest() has been called.
  digest(encoding) {
    if (this.#length === 0) this.#digest ??= new ArrayBuffer(0);
    this.#digest ??= native.hashFinish(this.#hash, this.#length);
    return encoded(this.#digest, encoding);
  }
};

crypto.Hmac = class Hmac {
  #hmac;
  init(name, key) {
    const number = shared.needHash(name);
    if (isExtendable(number)) throw new Error('error:00000000:lib(0)::reason(0)');
    this.#hmac = native.hashOpen(number, shared.keyBytes(key));
  }
  update(data, encoding) {
    if (this.#hmac === undefined) return false;
    native.hashUpdate(this.#hmac, dataOf(data, encoding));
    return true;
  }
  digest(encoding) {
    const digest = this.#hmac === undefined ? new ArrayBuffer(0) : native.hashFinish(this.#hmac);
    this.#hmac = undefined;
    return encoded(digest, encoding);
  }
};

crypto.getHashes = () => NAMES.flatMap(([, ...names]) => names).sort((a, b) => (a < b ? -1 : 1));
crypto.getCachedAliases = () => ({ __proto__: null });

crypto.oneShotDigest = (algorithm, id, cache, input, encoding, encodingNumber, length) => {
  const number = numberOf(algorithm);
  if (number === undefined) throw new Error(`Digest method ${algorithm} is not supported`);
  if (!isExtendable(number) && length !== undefined && length !== SIZES[number]) {
    throw new Error(`Output length ${length} is invalid for ${algorithm}, which does not support XOF`);
  }
  const hash = native.hashOpen(number);
  native.hashUpdate(hash, dataOf(input));
  return encoded(native.hashFinish(hash, length ?? SIZES[number]), encoding);
};

shared.job('HashJob', (isLater, isWeb, name, data, bits) => {
  const number = shared.needHash(name);
  const length = bits === undefined ? SIZES[number] : Math.floor(bits / 8);
  if (!isExtendable(number) && length !== SIZES[number]) throw codeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Unsupported length');
  const bytes = shared.copied(data, isLater);
  return () => {
    const hash = native.hashOpen(number);
    native.hashUpdate(hash, bytes);
    return native.hashFinish(hash, length);
  };
});

shared.job('HmacJob', (isLater, isWeb, mode, name, key, data, signature) => {
  const number = shared.needHash(name);
  const bytes = shared.copied(data, isLater);
  const expected = signature === undefined ? undefined : shared.copied(signature, isLater);
  const secret = shared.keyBytes(key);
  return () => {
    const made = shared.hmac(number, secret, bytes);
    return mode === crypto.kSignJobModeSign ? made.buffer : expected !== undefined && native.equalInConstantTime(made, expected);
  };
});

crypto.timingSafeEqual = (a, b) => {
  const check = (value, name) => {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return;
    throw codeError(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  };
  check(a, 'buf1');
  check(b, 'buf2');
  if (a.byteLength !== b.byteLength) {
    throw codeError(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  }
  return native.equalInConstantTime(host.bytesOf(a), host.bytesOf(b));
};
