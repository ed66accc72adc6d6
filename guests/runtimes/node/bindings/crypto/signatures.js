// Signatures: Sign, Verify and SignJob.
'use strict';

const { codeError, openssl, der } = shared;
const P1363 = 1;

// The key of the five arguments that describe one. A private one serves where a public one is asked for.
shared.keyFrom = (isPrivate, data, format, encoding, passphrase, curve) => {
  if (shared.isHandle(data)) return shared.keyOfHandle(data);
  if (format === crypto.kKeyFormatJWK) {
    const key = shared.readJwk(data);
    if (isPrivate && key.d === undefined) throw codeError(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'JWK does not contain private key material');
    return key;
  }
  if (format >= crypto.kKeyFormatRawPublic && format <= crypto.kKeyFormatRawSeed) return shared.readRaw(host.bytesOf(data), format, encoding, curve);
  return isPrivate ? shared.readPrivate(data, format, encoding, passphrase) : shared.readPublic(data, format, encoding, passphrase);
};

// ECDSA's two numbers: as a DER sequence, or one behind the other.
function toDer(signature) {
  const half = signature.length / 2;
  return der.sequence(der.number(signature.subarray(0, half)), der.number(signature.subarray(half)));
}
function fromDer(signature, size) {
  try {
    const whole = der.valueAt(signature, 0);
    if (whole.end !== signature.length) return undefined;
    const reader = der.read(signature).sequence();
    const numbers = [reader.number(), reader.number()];
    if (!reader.isDone || numbers.some((number) => number.length > size)) return undefined;
    // Only one spelling of a signature is one.
    if (der.sequence(...numbers.map(der.number)).length !== signature.length) return undefined;
    return der.join(...numbers.flatMap((number) => [new Uint8Array(size - number.length), number]));
  } catch {
    return undefined;
  }
}

function signDigest(key, number, digest, padding, salt, encoding) {
  if (key.kind === 'rsa' || key.kind === 'rsa-pss') return shared.rsaSign(key, number, digest, padding, salt);
  const made = native.ecSign(shared.curveNumber(key.curve), key.d, digest);
  if (made === undefined) throw openssl('ec', '00007B', 'invalid private key');
  return encoding === P1363 ? new Uint8Array(made) : toDer(new Uint8Array(made));
}

function verifyDigest(key, number, digest, signature, padding, salt, encoding) {
  if (key.kind === 'rsa' || key.kind === 'rsa-pss') return shared.rsaVerify(key, number, digest, signature, padding, salt);
  const plain = encoding === P1363 ? signature : fromDer(signature, shared.curveSize(key.curve));
  return plain !== undefined && native.ecVerify(shared.curveNumber(key.curve), key.point, digest, plain);
}

const signsDigests = (key) => key.kind === 'rsa' || key.kind === 'rsa-pss' || key.kind === 'ec';
const unsupported = () => codeError(Error, 'ERR_CRYPTO_UNSUPPORTED_OPERATION', 'Unsupported crypto operation');

class Running {
  #number; #hash;
  init(name) {
    this.#number = shared.hashNumber(name);
    if (this.#number === undefined || shared.isExtendable(this.#number)) throw shared.invalidDigest();
    this.#hash = native.hashOpen(this.#number);
  }
  update(data, encoding) {
    if (this.#hash === undefined) throw codeError(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    native.hashUpdate(this.#hash, shared.dataOf(data, encoding));
  }
  finish() {
    if (this.#hash === undefined) throw codeError(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    const digest = new Uint8Array(native.hashFinish(this.#hash));
    this.#hash = undefined;
    return [this.#number, digest];
  }
}

crypto.Sign = class Sign extends Running {
  sign(data, format, type, passphrase, curve, padding, salt, encoding) {
    const key = shared.keyFrom(true, data, format, type, passphrase, curve);
    if (!signsDigests(key)) throw unsupported();
    return host.toBuffer(signDigest(key, ...this.finish(), padding, salt, encoding));
  }
};
crypto.Verify = class Verify extends Running {
  verify(data, format, type, passphrase, curve, signature, padding, salt, encoding) {
    const key = shared.keyFrom(false, data, format, type, passphrase, curve);
    if (!signsDigests(key)) throw unsupported();
    const [number, digest] = this.finish();
    return verifyDigest(key, number, digest, host.bytesOf(signature), padding, salt, encoding);
  }
};

shared.job('SignJob', (isLater, isWeb, mode, keyData, format, type, passphrase, curve, data, name, salt, padding, encoding, context, signature) => {
  const isSigning = mode === crypto.kSignJobModeSign;
  const key = shared.keyFrom(isSigning, keyData, format, type, passphrase, curve);
  const bytes = shared.copied(data, isLater), given = signature === undefined ? undefined : shared.copied(signature, isLater);
  if (key.kind === 'x25519') throw openssl('evp', '000096', 'operation not supported for this keytype');
  if (key.kind === 'ed25519') {
    if (name !== undefined && name !== null) {
      shared.needHash(name);
      throw openssl('provider', '80007A', 'invalid digest');
    }
    if (context !== undefined && context.byteLength > 0) throw codeError(Error, 'ERR_CRYPTO_UNSUPPORTED_OPERATION', 'Context parameter is unsupported');
    return () => (isSigning ? native.ed25519Sign(key.d, bytes) : native.ed25519Verify(key.point, bytes, given));
  }
  const number = name === undefined || name === null ? shared.hashNumber(key.pss?.hash ?? 'sha256') : shared.needHash(name);
  return () => {
    const digest = shared.digest(number, bytes);
    if (!isSigning) return verifyDigest(key, number, digest, given, padding, salt, encoding);
    return signDigest(key, number, digest, padding, salt, encoding).buffer;
  };
});

shared.job('DHBitsJob', (isLater, isWeb, ...given) => {
  const others = shared.keyFrom(false, ...given.slice(0, 5)), mine = shared.keyFrom(true, ...given.slice(5));
  return () => shared.agree(mine, others);
});
