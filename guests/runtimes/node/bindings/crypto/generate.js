// New keys.
'use strict';

const { codeError } = shared;
const [SECRET, PUBLIC, PRIVATE] = [0, 1, 2];

shared.job('SecretKeyGenJob', (isLater, isWeb, bits, algorithm, usages, isExtractable) => {
  const length = Math.floor(bits / 8);
  return () => {
    const bytes = shared.random(isWeb ? Math.ceil(bits / 8) : length);
    if (isWeb && bits % 8 !== 0) bytes[bytes.length - 1] &= 0xff << (8 - bits % 8);
    const key = { kind: 'secret', bytes };
    return isWeb ? shared.webKey(SECRET, key, algorithm, usages, isExtractable) : shared.handleOf(SECRET, key);
  };
});

// Pairs are handed out as handles, or as what `publicKeyEncoding` and `privateKeyEncoding` ask for.
function written(key, isPrivate, format, encoding, cipher, passphrase) {
  if (format === undefined) return shared.handleOf(isPrivate ? PRIVATE : PUBLIC, isPrivate ? key : shared.publicPart(key));
  if (format === crypto.kKeyFormatJWK) return shared.writeJwk(key, isPrivate, {});
  if (format === crypto.kKeyFormatRawPublic) return host.toBuffer(key.kind === 'ec' ? shared.pointAs(key, encoding) : key.point.slice());
  if (format === crypto.kKeyFormatRawPrivate) return host.toBuffer(key.d.slice());
  return shared.writeKey(key, isPrivate, format, encoding, cipher, passphrase);
}

// `prepare` takes the arguments that say what kind of key it is, and returns how many those were and the function that makes one.
const pairJob = (name, prepare) => shared.job(name, (isLater, isWeb, ...given) => {
  const [count, make] = prepare(...given);
  const rest = given.slice(count);
  return () => {
    const key = make();
    if (isWeb) {
      const [algorithm, publicUsages, privateUsages, isExtractable] = rest;
      return {
        publicKey: shared.webKey(PUBLIC, shared.publicPart(key), algorithm, publicUsages, true),
        privateKey: shared.webKey(PRIVATE, key, algorithm, privateUsages, isExtractable),
      };
    }
    const [publicFormat, publicType, ...secret] = rest;
    return [written(key, false, publicFormat, publicType), written(key, true, ...secret)];
  };
});

pairJob('RsaKeyPairGenJob', (variant, bits, exponent, hash, mgf, salt) => {
  if (variant !== crypto.kKeyVariantRSA_PSS) return [3, () => shared.rsaGenerate(bits, exponent, 'rsa')];
  const isLimited = hash !== undefined || mgf !== undefined || salt !== undefined;
  const named = (name) => shared.hashName(shared.needHash(name));
  const pss = isLimited ? { hash: named(hash ?? 'sha1'), mgf: named(mgf ?? hash ?? 'sha1') } : undefined;
  if (isLimited) pss.salt = salt ?? shared.hashSize(shared.hashNumber(pss.hash));
  return [6, () => shared.rsaGenerate(bits, exponent, 'rsa-pss', pss)];
});

pairJob('EcKeyPairGenJob', (name, encoding) => {
  if (encoding === crypto.OPENSSL_EC_EXPLICIT_CURVE) throw host.unavailable('an explicit paramEncoding');
  const curve = shared.curveName(name);
  if (curve === undefined) throw codeError(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
  return [2, () => {
    const [d, point] = native.ecGenerate(shared.curveNumber(curve)).map((buffer) => new Uint8Array(buffer));
    return { kind: 'ec', curve, point, d };
  }];
});

pairJob('NidKeyPairGenJob', (nid) => {
  const kind = { [crypto.EVP_PKEY_ED25519]: 'ed25519', [crypto.EVP_PKEY_X25519]: 'x25519' }[nid];
  if (kind === undefined) throw host.unavailable('Ed448 and X448');
  return [1, () => shared.okpPair(kind, shared.random(32))];
});
