// Keys from passwords and from other keys: PBKDF2, scrypt, HKDF, Argon2.
'use strict';

const { codeError } = shared;

shared.job('PBKDF2Job', (isLater, isWeb, password, salt, iterations, length, name) => {
  const secret = shared.keyBytes(password, isLater);
  const salted = shared.copied(salt, isLater);
  const number = shared.needHash(name);
  return () => {
    if (shared.isExtendable(number)) throw shared.plain('provider', '8000B7', 'xof digests not allowed');
    return native.pbkdf2(number, secret, salted, iterations, length);
  };
});

// OpenSSL's conditions.
function checkScrypt(N, r, p, memory) {
  const refuse = (why) => codeError(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', why === undefined ? 'Invalid scrypt params' : `Invalid scrypt params: ${why}`);
  if (r === 0 || p === 0 || N < 2 || (N & (N - 1)) !== 0) throw refuse();
  const limit = refuse('error:030000AC:digital envelope routines::memory limit exceeded');
  if (p > 0x3fffffff / r || 16 * r <= 63 && N >= 2 ** (16 * r)) throw limit;
  if (128 * r * p + 32 * r * (N + 2) * 4 > (memory === 0 ? 32 * 2 ** 20 : memory)) throw limit;
}

shared.job('ScryptJob', (isLater, isWeb, password, salt, N, r, p, memory, length) => {
  const secret = shared.copied(password, isLater);
  const salted = shared.copied(salt, isLater);
  checkScrypt(N, r, p, memory);
  return () => (length === 0 ? new ArrayBuffer(0) : native.scrypt(secret, salted, N, r, p, length));
});

// RFC 5869.
function hkdf(number, key, salt, info, length) {
  const size = shared.hashSize(number);
  const secret = shared.hmac(number, salt, key);
  const out = new Uint8Array(length);
  let block = new Uint8Array(0);
  for (let at = 0, count = 1; at < length; at += size, count++) {
    block = shared.hmac(number, secret, block, info, Uint8Array.of(count));
    out.set(block.subarray(0, length - at), at);
  }
  return out.buffer;
}

shared.job('HKDFJob', (isLater, isWeb, name, key, salt, info, length) => {
  const number = shared.needHash(name);
  const secret = shared.keyBytes(key, isLater);
  const [salted, told] = [shared.copied(salt, isLater), shared.copied(info, isLater)];
  if (length > 255 * shared.hashSize(number)) throw codeError(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
  return () => hkdf(number, secret, salted, told, length);
});

Object.assign(crypto, { kTypeArgon2d: 0, kTypeArgon2i: 1, kTypeArgon2id: 2 });
shared.job('Argon2Job', (isLater, isWeb, message, nonce, lanes, length, memory, passes, secret, data, type) => {
  const given = [shared.keyBytes(message, isLater), ...[nonce, secret, data].map((value) => shared.copied(value, isLater))];
  return () => native.argon2(Uint32Array.of(type, memory, passes, lanes, length), ...given);
});
