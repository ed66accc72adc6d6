// Elliptic curves and their keys (src/crypto_curves.c).
'use strict';

const { codeError, openssl, der } = shared;
const CURVES = [
  ['prime256v1', '1.2.840.10045.3.1.7', 32], ['secp384r1', '1.3.132.0.34', 48], ['secp521r1', '1.3.132.0.35', 66], ['secp256k1', '1.3.132.0.10', 32],
];
const ALIASES = { '__proto__': null, 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };
const find = (name) => CURVES.findIndex(([own]) => own === (ALIASES[name] ?? name));
shared.curveName = (name) => CURVES[find(name)]?.[0];
shared.curveNumber = (name) => (find(name) < 0 ? undefined : find(name));
shared.curveSize = (name) => CURVES[find(name)][2];
shared.oidOfCurve = (name) => CURVES[find(name)][1];
shared.curveOfOid = (oid) => CURVES.find(([, own]) => own === oid)?.[0];
crypto.getCurves = () => CURVES.map(([name]) => name).sort();
Object.assign(crypto, { OPENSSL_EC_NAMED_CURVE: 1, OPENSSL_EC_EXPLICIT_CURVE: 0, EVP_PKEY_ED25519: 1087, EVP_PKEY_ED448: 1088, EVP_PKEY_X25519: 1034, EVP_PKEY_X448: 1035 });

const view = (buffer) => (buffer === undefined ? undefined : new Uint8Array(buffer));
// A point that is on its curve, in the long form.
shared.pointOn = (curve, bytes) => view(native.ecPoint(find(curve), bytes, false));
shared.isOnCurve = (key) => key.kind === 'ec' && shared.pointOn(key.curve, key.point) !== undefined &&
  (key.d === undefined || native.equalInConstantTime(view(native.ecPublic(find(key.curve), key.d)) ?? new Uint8Array(0), key.point));
const COMPRESSED = 2, HYBRID = 6;
function pointAs(key, form) {
  if (form === COMPRESSED) return view(native.ecPoint(find(key.curve), key.point, true));
  const bytes = key.point.slice();
  if (form === HYBRID) bytes[0] = 6 | bytes[bytes.length - 1] & 1;
  return bytes;
}
shared.pointAs = pointAs;
const invalidKey = () => openssl('ec', '00007B', 'invalid private key', true);
shared.ecPair = (curve, secret) => {
  const size = shared.curveSize(curve), number = der.trimmed(secret.length === 0 ? Uint8Array.of(0) : secret);
  const point = view(native.ecPublic(find(curve), number));
  if (point === undefined) throw invalidKey();
  return { kind: 'ec', curve, point, d: der.join(new Uint8Array(size - number.length), number) };
};
shared.okpPair = (kind, secret) => {
  if (secret.length !== 32) throw openssl('decoder', '08010C', 'unsupported', true);
  const d = secret.slice();
  return { kind, point: view(kind === 'ed25519' ? native.ed25519Public(d) : native.x25519(d)), d };
};
shared.publicPart = ({ kind, n, e, pss, curve, point }) => ({ kind, n, e, pss, curve, point });

shared.details = (key) => {
  if (key.kind === 'ec') return { namedCurve: key.curve };
  if (key.kind !== 'rsa' && key.kind !== 'rsa-pss') return {};
  const bits = key.n.length * 8 - Math.clz32(key.n[0]) + 24;
  const details = { modulusLength: bits, publicExponent: key.e.slice().buffer };
  if (key.pss !== undefined) Object.assign(details, { hashAlgorithm: key.pss.hash, mgf1HashAlgorithm: key.pss.mgf, saltLength: key.pss.salt });
  return details;
};

// What two keys have in common.
shared.agree = (mine, others) => {
  if (mine.kind !== others.kind || mine.curve !== others.curve) throw openssl('evp', '000099', 'different parameters');
  if (mine.kind === 'ec') return native.ecShared(find(mine.curve), mine.d, others.point);
  const made = native.x25519(mine.d, others.point);
  // A point of small order: nothing of the private key is in it.
  if (new Uint8Array(made).every((byte) => byte === 0)) throw openssl('provider', '80007D', 'failed during derivation');
  return made;
};

const curveError = () => codeError(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
const failedTo = (what) => codeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', what);

crypto.ECDH = class ECDH {
  #curve; #secret; #point;
  constructor(name) {
    this.#curve = shared.curveName(name);
    if (this.#curve === undefined) throw curveError();
  }
  generateKeys() {
    const [secret, point] = native.ecGenerate(find(this.#curve)).map(view);
    [this.#secret, this.#point] = [secret, point];
  }
  computeSecret(other) {
    const point = shared.pointOn(this.#curve, host.bytesOf(other));
    if (this.#secret === undefined || point === undefined) {
      // Node's library makes an error of a text.
      if (point === undefined) return 'invalid public key';
      throw codeError(Error, 'ERR_CRYPTO_ECDH_INVALID_KEY_PAIR', 'Invalid key pair');
    }
    return host.toBuffer(view(native.ecShared(find(this.#curve), this.#secret, point)));
  }
  getPublicKey(form) {
    if (this.#point === undefined) throw failedTo('Failed to get ECDH public key');
    return host.toBuffer(pointAs({ curve: this.#curve, point: this.#point }, form));
  }
  getPrivateKey() {
    if (this.#secret === undefined) throw failedTo('Failed to get ECDH private key');
    return host.toBuffer(der.trimmed(this.#secret).slice());
  }
  setPrivateKey(bytes) {
    const secret = host.bytesOf(bytes).slice();
    const point = view(native.ecPublic(find(this.#curve), secret));
    if (point === undefined) throw codeError(Error, 'ERR_CRYPTO_INVALID_KEYTYPE', 'Private key is not valid for specified curve.');
    [this.#secret, this.#point] = [secret, point];
  }
  setPublicKey(bytes) {
    const point = shared.pointOn(this.#curve, host.bytesOf(bytes));
    if (point === undefined) throw failedTo('Failed to convert Buffer to EC_POINT');
    this.#point = point;
  }
};
crypto.ECDHConvertKey = (key, name, form) => {
  const curve = shared.curveName(name);
  if (curve === undefined) throw curveError();
  const point = shared.pointOn(curve, host.bytesOf(key));
  if (point === undefined) throw failedTo('Failed to convert Buffer to EC_POINT');
  return host.toBuffer(pointAs({ curve, point }, form));
};
