// RSA: padding of signatures (RFC 8017), and encryption. Numbers are src/crypto_rsa.c's.
'use strict';

const { codeError, openssl, der } = shared;
const [PKCS1, NONE, OAEP, PSS] = [1, 3, 4, 6];
const HASH_OIDS = {
  '__proto__': null, 'md5': '1.2.840.113549.2.5', 'ripemd160': '1.3.36.3.2.1', 'sha1': '1.3.14.3.2.26', 'sha224': '2.16.840.1.101.3.4.2.4',
  'sha256': '2.16.840.1.101.3.4.2.1', 'sha384': '2.16.840.1.101.3.4.2.2', 'sha512': '2.16.840.1.101.3.4.2.3',
  'sha512-224': '2.16.840.1.101.3.4.2.5', 'sha512-256': '2.16.840.1.101.3.4.2.6', 'sha3-224': '2.16.840.1.101.3.4.2.7',
  'sha3-256': '2.16.840.1.101.3.4.2.8', 'sha3-384': '2.16.840.1.101.3.4.2.9', 'sha3-512': '2.16.840.1.101.3.4.2.10',
};
shared.oidOfHash = (name) => HASH_OIDS[name];
shared.hashOfOid = (oid) => Object.keys(HASH_OIDS).find((name) => HASH_OIDS[name] === oid);

const listOf = (key) => (key.d === undefined ? [key.n, key.e] : [key.n, key.e, key.d, key.p, key.q]);
const publicOf = (key) => [key.n, key.e];
const bitsOf = (key) => key.n.length * 8 - Math.clz32(key.n[0]) + 24;
const internal = () => openssl('rsa', '0C0103', 'internal error', true);

function raw(list, block) {
  const made = native.rsaRaw(list, block);
  if (typeof made === 'number') throw internal();
  return new Uint8Array(made);
}

// EMSA-PKCS1-v1_5, or undefined if the modulus is too short.
function padPkcs1(length, number, digest) {
  const oid = HASH_OIDS[shared.hashName(number)];
  // The two hashes of TLS before 1.2 stand alone.
  const info = oid === undefined ? digest : der.sequence(der.sequence(der.oid(oid), der.none), der.octets(digest));
  if (info.length + 11 > length) return undefined;
  return der.join(Uint8Array.of(0, 1), new Uint8Array(length - info.length - 3).fill(0xff), Uint8Array.of(0), info);
}

function mask(number, seed, length) {
  const pieces = [];
  for (let count = 0, made = 0; made < length; count++, made += shared.hashSize(number)) {
    pieces.push(shared.digest(number, seed, Uint8Array.of(count >> 24, count >> 16, count >> 8, count)));
  }
  return der.join(...pieces).subarray(0, length);
}

const EIGHT = new Uint8Array(8);
function padPss(bits, number, mgf, digest, salt) {
  const length = Math.ceil(bits / 8), size = digest.length;
  const hash = shared.digest(number, EIGHT, digest, salt);
  const data = new Uint8Array(length - size - 1);
  data[data.length - salt.length - 1] = 1;
  data.set(salt, data.length - salt.length);
  const cover = mask(mgf, hash, data.length);
  for (let at = 0; at < data.length; at++) data[at] ^= cover[at];
  data[0] &= 0xff >> (8 * length - bits);
  return der.join(data, hash, Uint8Array.of(0xbc));
}

function checkPss(bits, number, mgf, digest, block, saltLength) {
  const length = Math.ceil(bits / 8), size = digest.length;
  if (length < size + 2 || block[length - 1] !== 0xbc) return false;
  const data = block.slice(0, length - size - 1), hash = block.subarray(length - size - 1, length - 1);
  if (data[0] & ~(0xff >> (8 * length - bits))) return false;
  const cover = mask(mgf, hash, data.length);
  for (let at = 0; at < data.length; at++) data[at] ^= cover[at];
  data[0] &= 0xff >> (8 * length - bits);
  const start = data.findIndex((byte) => byte !== 0);
  if (start < 0 || data[start] !== 1) return false;
  const salt = data.subarray(start + 1);
  if (saltLength >= 0 && salt.length !== saltLength) return false;
  return native.equalInConstantTime(shared.digest(number, EIGHT, digest, salt), hash);
}

// RSA_PSS_SALTLEN_DIGEST is -1, MAX_SIGN and AUTO -2.
function settings(key, padding, saltLength, number) {
  const mode = padding ?? (key.kind === 'rsa-pss' ? PSS : PKCS1);
  if (key.kind === 'rsa-pss' && mode !== PSS) throw openssl('provider', '8000A5', 'illegal or unsupported padding mode');
  if (mode !== PKCS1 && mode !== PSS) throw openssl('provider', '8000A5', 'illegal or unsupported padding mode');
  const bits = bitsOf(key) - 1;
  const most = Math.ceil(bits / 8) - shared.hashSize(number) - 2;
  const mgf = key.pss === undefined ? number : shared.hashNumber(key.pss.mgf);
  if (key.pss !== undefined && mode === PSS && shared.hashNumber(key.pss.hash) !== number) throw openssl('provider', '8000A0', 'digest not allowed');
  const salt = saltLength === undefined ? (key.pss === undefined ? -2 : key.pss.salt) : saltLength;
  if (key.pss !== undefined && salt >= 0 && salt < key.pss.salt) throw openssl('provider', '8000AB', 'pss saltlen too small');
  return { mode, bits, most, mgf, salt: salt === -1 ? shared.hashSize(number) : salt };
}

const fill = (length, block) => der.join(new Uint8Array(length - block.length), block);

shared.rsaSign = (key, number, digest, padding, saltLength) => {
  const length = key.n.length, { mode, bits, most, mgf, salt } = settings(key, padding, saltLength, number);
  if (mode === PKCS1) {
    const block = padPkcs1(length, number, digest);
    if (block === undefined) throw openssl('rsa', '000070', 'digest too big for rsa key', true);
    return raw(listOf(key), block);
  }
  const count = salt < 0 ? most : salt;
  if (count < 0 || count > most) throw openssl('rsa', '00006E', 'data too large for key size', true);
  return raw(listOf(key), fill(length, padPss(bits, number, mgf, digest, shared.random(count))));
};

shared.rsaVerify = (key, number, digest, signature, padding, saltLength) => {
  const length = key.n.length, { mode, bits, mgf, salt } = settings(key, padding, saltLength, number);
  if (signature.length !== length) return false;
  const made = native.rsaRaw(publicOf(key), signature);
  if (typeof made === 'number') return false;
  const block = new Uint8Array(made);
  if (mode === PKCS1) {
    const expected = padPkcs1(length, number, digest);
    return expected !== undefined && native.equalInConstantTime(expected, block);
  }
  const size = Math.ceil(bits / 8);
  if (size < length && block[0] !== 0) return false;
  return checkPss(bits, number, mgf, digest, block.subarray(length - size), salt);
};

const tooLarge = () => openssl('rsa', '00006E', 'data too large for key size');
const NO_LABEL = new Uint8Array(0);

function encrypt(key, data, padding, number, label) {
  const length = key.n.length;
  if (padding === NONE) {
    if (data.length !== length) throw data.length > length ? tooLarge() : openssl('rsa', '00007A', 'data too small for key size');
    return raw(publicOf(key), data);
  }
  if (padding !== PKCS1 && padding !== OAEP) throw openssl('rsa', '000090', 'illegal or unsupported padding mode');
  if (data.length > length - (padding === PKCS1 ? 11 : 2 * shared.hashSize(number) + 2)) throw tooLarge();
  const made = native.rsaCrypt(publicOf(key), data, padding === OAEP ? number : undefined, label, true);
  if (typeof made === 'number') throw internal();
  return new Uint8Array(made);
}

// What stands for a message that was not encrypted with PKCS #1 1.5: it says nothing of what was wrong, and is the same each
// time (as OpenSSL 3.2 has it, which takes another function for it).
function instead(key, data) {
  const secret = shared.hmac(4, shared.digest(4, key.d), data);
  const length = (secret[0] << 8 | secret[1]) % Math.max(1, key.n.length - 11);
  return mask(4, secret, length);
}

function decrypt(key, data, padding, number, label) {
  const length = key.n.length;
  if (padding === NONE) return raw(listOf(key), data);
  if (padding === PKCS1) {
    const other = instead(key, data);
    const made = data.length === length ? native.rsaCrypt(listOf(key), data, undefined, label, false) : 0;
    return typeof made === 'number' ? other : new Uint8Array(made);
  }
  if (padding !== OAEP) throw openssl('rsa', '000090', 'illegal or unsupported padding mode');
  const made = data.length === length ? native.rsaCrypt(listOf(key), data, number, label, false) : 0;
  if (typeof made === 'number') throw openssl('rsa', '000079', 'oaep decoding error');
  return new Uint8Array(made);
}

function needRsa(key) {
  if (key.kind === 'rsa') return key;
  throw openssl('evp', '000096', 'operation not supported for this keytype');
}

const operation = (read, work) => (data, format, encoding, passphrase, curve, buffer, padding, hash, label) => {
  const key = needRsa(read(data, format, encoding, passphrase, curve));
  const number = hash === undefined ? shared.hashNumber('sha1') : shared.needHash(hash);
  return host.toBuffer(work(key, host.bytesOf(buffer), padding, number, label === undefined ? NO_LABEL : host.bytesOf(label)));
};
const either = (...given) => shared.keyFrom(false, ...given);
const secret = (...given) => shared.keyFrom(true, ...given);
crypto.publicEncrypt = operation(either, encrypt);
crypto.privateDecrypt = operation(secret, decrypt);
crypto.privateEncrypt = operation(secret, (key, data, padding) => {
  const length = key.n.length;
  if (padding === NONE) return encrypt(key, data, NONE) && raw(listOf(key), data);
  if (padding !== PKCS1) throw openssl('rsa', '000090', 'illegal or unsupported padding mode');
  if (data.length > length - 11) throw tooLarge();
  return raw(listOf(key), der.join(Uint8Array.of(0, 1), new Uint8Array(length - data.length - 3).fill(0xff), Uint8Array.of(0), data));
});
crypto.publicDecrypt = operation(either, (key, data, padding) => {
  if (data.length !== key.n.length) throw openssl('rsa', '00006C', 'data greater than mod len', true);
  const block = raw(publicOf(key), data);
  if (padding === NONE) return block;
  if (padding !== PKCS1) throw openssl('rsa', '000090', 'illegal or unsupported padding mode');
  const end = block.findIndex((byte, at) => at >= 2 && byte !== 0xff);
  if (block[0] !== 0 || block[1] !== 1 || end < 10 || block[end] !== 0) throw openssl('rsa', '00006A', 'block type is not 01', true);
  return block.slice(end + 1);
});

crypto.RSA_PKCS1_PSS_PADDING = PSS;
Object.assign(crypto, { kKeyVariantRSA_SSA_PKCS1_v1_5: 0, kKeyVariantRSA_PSS: 1, kKeyVariantRSA_OAEP: 2 });
shared.job('RSACipherJob', (isLater, isWeb, mode, handle, data, variant, hash, label) => {
  const key = needRsa(shared.keyOfHandle(handle)), number = shared.needHash(hash), bytes = shared.copied(data, isLater);
  const told = label === undefined ? NO_LABEL : shared.copied(label, isLater);
  return () => (mode === crypto.kWebCryptoCipherEncrypt ? encrypt : decrypt)(key, bytes, OAEP, number, told);
});

shared.rsaGenerate = (bits, exponent, kind, pss) => {
  const made = native.rsaGenerate(bits, exponent);
  if (typeof made === 'number') throw codeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Key generation job failed');
  const [n, e, d, p, q, dp, dq, qi] = made.map((buffer) => new Uint8Array(buffer));
  return { kind, n, e, d, p, q, dp, dq, qi, ...(pss === undefined ? {} : { pss }) };
};
