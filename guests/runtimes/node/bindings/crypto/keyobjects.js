// Keys as Node's library holds them: KeyObjectHandle, and the classes below KeyObject and CryptoKey.
//
// What a handle holds never changes: { kind: 'secret', bytes }, or numbers of a key pair as big-endian bytes:
// { kind: 'rsa', n, e, and d, p, q, dp, dq, qi of a private one }, { kind: 'ec', curve, point, d }, { kind: 'ed25519' or 'x25519',
// point, d }.
'use strict';

const [SECRET, PUBLIC, PRIVATE] = [0, 1, 2];
Object.assign(crypto, {
  kKeyTypeSecret: SECRET, kKeyTypePublic: PUBLIC, kKeyTypePrivate: PRIVATE,
  kKeyFormatDER: 0, kKeyFormatPEM: 1, kKeyFormatJWK: 2, kKeyFormatRawPublic: 3, kKeyFormatRawPrivate: 4, kKeyFormatRawSeed: 5, kKeyFormatStore: 6,
  kKeyEncodingPKCS1: 0, kKeyEncodingPKCS8: 1, kKeyEncodingSPKI: 2, kKeyEncodingSEC1: 3,
  kWebCryptoKeyFormatRaw: 0, kWebCryptoKeyFormatPKCS8: 1, kWebCryptoKeyFormatSPKI: 2, kWebCryptoKeyFormatJWK: 3,
  kSigEncDER: 0, kSigEncP1363: 1, kSignJobModeSign: 0, kSignJobModeVerify: 1,
});
const { kKeyFormatJWK, kKeyFormatRawPublic, kKeyFormatRawPrivate, kKeyFormatRawSeed } = crypto;

const sameBytes = (a, b) => a.length === b.length && native.equalInConstantTime(a, b);
const outOfCurve = (bytes) => host.toBuffer(bytes.slice());
const wrongKey = () => shared.codeError(Error, 'ERR_CRYPTO_INVALID_KEYTYPE', 'Invalid key type');

let typeOf;
let keyOf;
class KeyObjectHandle {
  #type;
  #key;
  static {
    typeOf = (handle) => handle.#type;
    keyOf = (handle) => handle.#key;
    shared.isHandle = (value) => value !== null && typeof value === 'object' && #type in value;
    shared.handleOf = (type, key) => {
      const made = new KeyObjectHandle();
      made.#type = type;
      made.#key = key;
      return made;
    };
  }
  init(type, data, format, encoding, passphrase, curve) {
    if (type === SECRET) {
      this.#key = { kind: 'secret', bytes: format === kKeyFormatJWK ? shared.readSecretJwk(data) : host.bytesOf(data).slice() };
      this.#type = SECRET;
      return undefined;
    }
    let read;
    if (shared.isHandle(data)) read = keyOf(data);
    else if (format === kKeyFormatJWK) read = shared.readJwk(data);
    else if (format === kKeyFormatRawPublic || format === kKeyFormatRawPrivate || format === kKeyFormatRawSeed) {
      read = shared.readRaw(host.bytesOf(data), format, encoding, curve);
    } else if (type === PRIVATE) read = shared.readPrivate(data, format, encoding, passphrase);
    else read = shared.readPublic(data, format, encoding, passphrase);
    const isPrivate = read.d !== undefined;
    if (type === PRIVATE && !isPrivate) throw shared.codeError(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'JWK does not contain private key material');
    this.#type = type;
    this.#key = type === PUBLIC && isPrivate ? shared.publicPart(read) : read;
    return format === kKeyFormatJWK ? type : undefined;
  }
  getKeyType() { return this.#type; }
  getSymmetricKeySize() { return this.#key.bytes.length; }
  getAsymmetricKeyType() { return this.#key.kind; }
  checkEcKeyData() { return shared.isOnCurve(this.#key); }
  export(format, encoding, cipher, passphrase) {
    if (this.#type === SECRET) return host.toBuffer(this.#key.bytes.slice());
    return shared.writeKey(this.#key, this.#type === PRIVATE, format, encoding, cipher, passphrase);
  }
  exportJwk(result, handlesPss) {
    if (this.#type === SECRET) return Object.assign(result, { kty: 'oct', k: host.decode(this.#key.bytes, 'base64url') });
    return shared.writeJwk(this.#key, this.#type === PRIVATE, result, handlesPss);
  }
  rawPublicKey() {
    if (this.#key.kind !== 'ed25519' && this.#key.kind !== 'x25519') throw shared.incompatible('raw-public', this.#key.kind);
    return outOfCurve(this.#key.point);
  }
  rawPrivateKey() {
    if (this.#key.kind !== 'ed25519' && this.#key.kind !== 'x25519') throw shared.incompatible('raw-private', this.#key.kind);
    return outOfCurve(this.#key.d);
  }
  rawSeed() { throw shared.incompatible('raw-seed', this.#key.kind); }
  exportECPublicRaw(form) {
    if (this.#key.kind !== 'ec') throw wrongKey();
    return host.toBuffer(shared.pointAs(this.#key, form));
  }
  exportECPrivateRaw() { return outOfCurve(this.#key.d); }
  keyDetail(result) { return Object.assign(result, shared.details(this.#key)); }
  equals(other) {
    const [mine, others] = [this.#key, keyOf(other)];
    if (this.#type !== typeOf(other) || mine.kind !== others.kind || mine.curve !== others.curve) return false;
    return ['bytes', 'n', 'e', 'point'].every((part) => (mine[part] === undefined ? others[part] === undefined : sameBytes(mine[part], others[part])));
  }
}
KeyObjectHandle.prototype[host.SHARED] = true;
crypto.KeyObjectHandle = KeyObjectHandle;
shared.typeOfHandle = (handle) => typeOf(handle);
shared.keyOfHandle = (handle) => keyOf(handle);
shared.incompatible = (format, kind) => shared.codeError(
  Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${format} does not support ${kind} keys.`);

// The bytes of a secret: of a handle, or given as bytes.
shared.keyBytes = (value, isLater) => (shared.isHandle(value) ? keyOf(value).bytes : shared.copied(value, isLater));

const unknown = (name) => shared.codeError(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`);

// Node's library takes the functions that read slots before it makes the classes that have them.
let keySlots;
crypto.getKeyObjectSlots = (key) => keySlots(key);
crypto.createNativeKeyObjectClass = (callback) => callback(class NativeKeyObject {
  #handle;
  constructor(handle) { this.#handle = handle; }
  static {
    keySlots = (key) => {
      if (!(#handle in key)) throw unknown('KeyObject');
      return [typeOf(key.#handle), key.#handle];
    };
  }
});

let webSlots;
let WebKey;
crypto.getCryptoKeySlots = (key) => webSlots(key);
crypto.createCryptoKeyClass = (callback) => {
  const made = callback(class NativeCryptoKey {
    #slots;
    constructor(handle, algorithm, usages, isExtractable) { this.#slots = [handle, algorithm, usages, isExtractable]; }
    static {
      webSlots = (key) => {
        if (!(#slots in key)) throw unknown('CryptoKey');
        const [handle, algorithm, usages, isExtractable] = key.#slots;
        return [typeOf(handle), isExtractable, algorithm, usages, handle];
      };
    }
  });
  WebKey = made[1];
  return made;
};
// A CryptoKey of a new key.
shared.webKey = (type, key, algorithm, usages, isExtractable) => {
  host.requireBuiltin('internal/crypto/keys');
  return new WebKey(shared.handleOf(type, key), algorithm, usages, isExtractable);
};
