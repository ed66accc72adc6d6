// Keys as JSON Web Keys (RFC 7517), and as the bare bytes of a point or a number.
'use strict';

const { codeError, der } = shared;
const CURVES = { '__proto__': null, 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1', 'secp256k1': 'secp256k1' };
const OKP = { __proto__: null, Ed25519: 'ed25519', X25519: 'x25519' };
const RSA_PARTS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

const invalid = (what) => codeError(TypeError, 'ERR_CRYPTO_INVALID_JWK', what);
const text = (bytes) => host.decode(bytes, 'base64url');
const bytes = (value, what) => {
  if (typeof value !== 'string') throw invalid(what);
  return host.encode(value, 'base64url');
};

shared.readSecretJwk = (jwk) => {
  if (jwk.kty !== 'oct') throw invalid('Invalid JWK secret key format');
  return bytes(jwk.k, 'Invalid JWK secret key format');
};

shared.readJwk = (jwk) => {
  const { kty } = jwk;
  if (typeof kty !== 'string') throw invalid('Invalid JWK data');
  if (kty === 'RSA') {
    const key = { kind: 'rsa' };
    for (const part of jwk.d === undefined ? ['n', 'e'] : RSA_PARTS) key[part] = der.trimmed(bytes(jwk[part], 'Invalid JWK RSA key'));
    return key;
  }
  if (kty === 'EC') {
    const curve = CURVES[jwk.crv] ?? (shared.curveNumber(jwk.crv) === undefined ? undefined : jwk.crv);
    if (curve === undefined) throw codeError(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
    const size = shared.curveSize(curve), wrong = 'Invalid JWK EC key';
    const padded = (value) => {
      const number = der.trimmed(bytes(value, wrong));
      if (number.length > size) throw invalid(wrong);
      return der.join(new Uint8Array(size - number.length), number);
    };
    const point = shared.pointOn(curve, der.join(Uint8Array.of(4), padded(jwk.x), padded(jwk.y)));
    if (point === undefined) throw invalid(wrong);
    return jwk.d === undefined ? { kind: 'ec', curve, point } : { kind: 'ec', curve, point, d: padded(jwk.d) };
  }
  if (kty === 'OKP') {
    const kind = OKP[jwk.crv], wrong = 'Invalid JWK OKP key';
    if (kind === undefined) throw codeError(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid JWK OKP curve');
    const part = bytes(jwk.d ?? jwk.x, wrong);
    bytes(jwk.x, wrong);
    if (part.length !== 32) throw invalid(wrong);
    return jwk.d === undefined ? { kind, point: part } : shared.okpPair(kind, part);
  }
  throw invalid(`${kty} is not a supported JWK key type`);
};

shared.writeJwk = (key, isPrivate, result) => {
  if (key.kind === 'rsa') {
    result.kty = 'RSA';
    for (const part of isPrivate ? RSA_PARTS : ['n', 'e']) result[part] = text(key[part]);
    return result;
  }
  if (key.kind === 'ec') {
    const name = Object.keys(CURVES).find((crv) => CURVES[crv] === key.curve);
    if (name === undefined) throw codeError(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_CURVE', `Unsupported JWK EC curve: ${key.curve}.`);
    const size = shared.curveSize(key.curve);
    Object.assign(result, { kty: 'EC', x: text(key.point.subarray(1, 1 + size)), y: text(key.point.subarray(1 + size)), crv: name });
    if (isPrivate) result.d = text(key.d);
    return result;
  }
  const crv = Object.keys(OKP).find((name) => OKP[name] === key.kind);
  if (crv === undefined) throw codeError(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE', 'Unsupported JWK Key Type.');
  result.crv = crv;
  if (isPrivate) result.d = text(key.d);
  result.x = text(key.point);
  result.kty = 'OKP';
  return result;
};

shared.readRaw = (data, format, name, curve) => {
  const kind = String(name).toLowerCase(), isPublic = format === crypto.kKeyFormatRawPublic;
  const wrong = () => codeError(TypeError, 'ERR_INVALID_ARG_VALUE', 'Invalid key data');
  if (kind === 'ec') {
    const known = CURVES[curve] ?? curve;
    if (shared.curveNumber(known) === undefined) throw codeError(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
    if (!isPublic) return shared.ecPair(known, data);
    const point = shared.pointOn(known, data);
    if (point === undefined) throw wrong();
    return { kind, curve: known, point };
  }
  if (kind !== 'ed25519' && kind !== 'x25519') throw shared.incompatible(isPublic ? 'raw-public' : 'raw-private', kind);
  if (data.length !== 32) throw wrong();
  return isPublic ? { kind, point: data.slice() } : shared.okpPair(kind, data);
};
