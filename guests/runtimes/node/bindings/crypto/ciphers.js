// Ciphers: Cipheriv and Decipheriv, and WebCrypto's jobs.
'use strict';

const { codeError, openssl, keyBytes } = shared;

Object.assign(crypto, { kWebCryptoCipherEncrypt: 0, kWebCryptoCipherDecrypt: 1 });

// mode as Node says it, mode of src/crypto_ciphers.c, length of a block and of the initialization vector.
const MODES = {
  __proto__: null,
  ecb: [0, 16, 0], cbc: [1, 16, 16], ctr: [2, 1, 16], cfb: [3, 1, 16], cfb8: [4, 1, 16], ofb: [5, 1, 16], gcm: [6, 1, 12], ccm: [undefined, 1, 12],
  wrap: [undefined, 8, 8],
};
const NIDS = {
  __proto__: null, ecb: [418, 422, 426], cbc: [419, 423, 427], ofb: [420, 424, 428], cfb: [421, 425, 429], cfb8: [653, 654, 655],
  gcm: [895, 898, 901], ccm: [896, 899, 902], ctr: [904, 905, 906], wrap: [788, 789, 790],
};
const ciphers = new Map();
const listed = [];
for (const [at, bits] of [128, 192, 256].entries()) {
  for (const mode of Object.keys(MODES)) {
    const [number, block, iv] = MODES[mode];
    const own = mode === 'gcm' || mode === 'ccm' || mode === 'wrap' ? `id-aes${bits}-${mode}` : `aes-${bits}-${mode}`;
    const cipher = { mode: mode === 'cfb8' ? 'cfb' : mode, name: own, number, nid: NIDS[mode][at], block, iv, key: bits / 8 };
    const names = mode === 'wrap' ? [`aes${bits}-wrap`, `id-aes${bits}-wrap`] : [`aes-${bits}-${mode}`];
    if (mode === 'cbc') names.push(`aes${bits}`);
    if (mode === 'gcm' || mode === 'ccm') names.push(`id-aes${bits}-${mode.toUpperCase()}`);
    for (const name of names) {
      listed.push(name);
      ciphers.set(name.toLowerCase(), cipher);
    }
    ciphers.set(cipher.nid, cipher);
  }
}
for (const cipher of [{ mode: 'stream', name: 'chacha20-poly1305', number: 7, nid: 1018, block: 0, iv: 12, key: 32, isAuthenticated: true },
                      { mode: 'stream', name: 'chacha20', number: 8, nid: 1019, block: 0, iv: 16, key: 32 }]) {
  listed.push(cipher.name);
  ciphers.set(cipher.name, cipher);
  ciphers.set(cipher.nid, cipher);
}
for (const cipher of ciphers.values()) cipher.isAuthenticated ??= cipher.mode === 'gcm' || cipher.mode === 'ccm';
shared.cipherNamed = (name) => ciphers.get(typeof name === 'string' ? name.toLowerCase() : name);

crypto.getCiphers = () => [...listed].sort((a, b) => (a < b ? -1 : 1));
crypto.getCipherInfo = (info, name, keyLength, ivLength) => {
  const cipher = shared.cipherNamed(name);
  if (cipher === undefined || keyLength !== undefined && keyLength !== cipher.key) return undefined;
  if (ivLength !== undefined) {
    const fits = cipher.mode === 'ccm' ? ivLength >= 7 && ivLength <= 13 : cipher.mode === 'gcm' ? ivLength > 0 :
      cipher.isAuthenticated ? ivLength > 0 && ivLength <= 12 : ivLength === cipher.iv;
    if (!fits) return undefined;
  }
  Object.assign(info, { mode: cipher.mode, name: cipher.name, nid: cipher.nid });
  if (cipher.block !== 0) info.blockSize = cipher.block;
  if (cipher.iv !== 0) info.ivLength = cipher.iv;
  info.keyLength = cipher.key;
  return info;
};

// RFC 3394, on single blocks. Undefined for what was not wrapped with this key.
const WRAP_IV = new Uint8Array(8).fill(0xa6);
function wrapKey(encrypts, key, data, iv = WRAP_IV) {
  const count = encrypts ? data.length / 8 : data.length / 8 - 1;
  if (!Number.isInteger(count) || count < 2) return undefined;
  const cipher = native.cipherOpen(0, key, new Uint8Array(0), encrypts);
  native.cipherSetPadding(cipher, false);
  const all = encrypts ? new Uint8Array(data.length + 8) : data.slice();
  if (encrypts) {
    all.set(iv);
    all.set(data, 8);
  }
  const block = new Uint8Array(16);
  const steps = 6 * count;
  for (let step = 0; step < steps; step++) {
    const turn = encrypts ? step + 1 : steps - step;
    const at = 8 + (turn - 1) % count * 8;
    const number = () => { for (let i = 0, left = turn; left > 0; i++, left = Math.floor(left / 256)) block[7 - i] ^= left % 256; };
    block.set(all.subarray(0, 8));
    block.set(all.subarray(at, at + 8), 8);
    if (!encrypts) number();
    block.set(new Uint8Array(native.cipherUpdate(cipher, block)));
    if (encrypts) number();
    all.set(block.subarray(0, 8));
    all.set(block.subarray(8), at);
  }
  if (encrypts) return all;
  return native.equalInConstantTime(all.subarray(0, 8), iv) ? all.slice(8) : undefined;
}

const invalidTag = (length) => codeError(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${length}`);
const invalidIv = () => codeError(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
const invalidState = () => codeError(Error, 'ERR_CRYPTO_INVALID_STATE', 'Invalid state');
const invalidLength = () => codeError(RangeError, 'ERR_CRYPTO_INVALID_MESSAGELEN', 'Invalid message length');
const unauthentic = () => new Error('Unsupported state or unable to authenticate data');
const isGcmTag = (length) => length === 4 || length === 8 || length >= 12 && length <= 16;
const isCcmTag = (length) => length >= 4 && length <= 16 && length % 2 === 0;

let hasWarnedOfShortTags = false;
function warnOfShortTag() {
  if (hasWarnedOfShortTags) return;
  hasWarnedOfShortTags = true;
  host.process.emitWarning('Using AES-GCM authentication tags of less than 128 bits without specifying the authTagLength option ' +
    'when initializing decryption is deprecated.', 'DeprecationWarning', 'DEP0182');
}

const EMPTY = new Uint8Array(0);
crypto.CipherBase = class CipherBase {
  #encrypts; #cipher; #state; #key; #iv;
  #tagLength; // undefined until it is known
  #tag; // made, or expected
  #told = EMPTY; // what CCM authenticates besides
  #plainLength;
  #isDone = false; // of CCM and key wrapping, which take everything in one piece
  #hasFailed = false;
  #isFinal = false;
  constructor(encrypts, name, credential, iv, tagLength) {
    const cipher = shared.cipherNamed(name);
    if (cipher === undefined) throw codeError(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
    const [key, start] = [keyBytes(credential), iv === null ? undefined : host.bytesOf(iv)];
    const length = start?.length ?? 0;
    if (start === undefined && cipher.iv !== 0) throw invalidIv();
    if (!cipher.isAuthenticated && start !== undefined && length !== cipher.iv) throw invalidIv();
    if (cipher.isAuthenticated && length === 0 || cipher.number === 7 && length > 12) throw invalidIv();
    if (key.length !== cipher.key) throw codeError(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    this.#encrypts = encrypts;
    this.#cipher = cipher;
    if (cipher.isAuthenticated) this.#checkTagLength(name, tagLength, length);
    this.#key = key;
    this.#iv = start ?? EMPTY;
    if (cipher.number === undefined) {
      [this.#key, this.#iv] = [key.slice(), this.#iv.slice()];
      return;
    }
    this.#state = native.cipherOpen(cipher.number, key, this.#iv, encrypts);
    if (this.#state === undefined) throw invalidIv();
  }
  #checkTagLength(name, length, ivLength) {
    const { mode } = this.#cipher;
    if (mode === 'gcm') {
      if (length === -1) return;
      if (!isGcmTag(length)) throw invalidTag(length);
    } else if (mode === 'ccm') {
      if (length === -1) throw codeError(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `authTagLength required for ${name}`);
      if (!isCcmTag(length)) throw invalidTag(length);
      if (ivLength < 7 || ivLength > 13) throw invalidIv();
    } else if (length === -1) length = 16;
    else if (length < 1 || length > 16) throw invalidTag(length);
    this.#tagLength = length;
  }
  #mostBytes() { return this.#iv.length === 13 ? 65535 : this.#iv.length === 12 ? 16777215 : 2 ** 31 - 1; }
  setAAD(data, plainLength) {
    if (this.#isFinal || !this.#cipher.isAuthenticated || this.#isDone) return false;
    const bytes = host.bytesOf(data);
    if (this.#cipher.mode !== 'ccm') return native.cipherAuthenticate(this.#state, bytes);
    if (plainLength === -1) throw codeError(TypeError, 'ERR_MISSING_ARGS', 'options.plaintextLength required for CCM mode with AAD');
    if (plainLength > this.#mostBytes()) throw invalidLength();
    this.#told = bytes.slice();
    this.#plainLength = plainLength;
    return true;
  }
  setAuthTag(data) {
    if (!this.#cipher.isAuthenticated || this.#encrypts || this.#isFinal || this.#tag !== undefined) return false;
    const tag = host.bytesOf(data);
    const { mode } = this.#cipher;
    const isValid = mode === 'gcm' ? (this.#tagLength === undefined || tag.length === this.#tagLength) && isGcmTag(tag.length) : tag.length === this.#tagLength;
    if (!isValid) throw invalidTag(tag.length);
    if (mode === 'gcm' && this.#tagLength === undefined && tag.length !== 16) warnOfShortTag();
    this.#tag = tag.slice();
    return true;
  }
  getAuthTag() {
    return this.#isFinal && this.#encrypts && this.#tag !== undefined ? host.toBuffer(this.#tag.slice()) : undefined;
  }
  setAutoPadding(isOn) {
    if (this.#isFinal) return false;
    if (this.#state !== undefined) native.cipherSetPadding(this.#state, isOn);
    return true;
  }
  update(data, encoding) {
    if (this.#isFinal) throw new Error('Trying to add data in unsupported state');
    const bytes = shared.dataOf(data, encoding);
    if (bytes.length > 0x7fffffff) throw shared.outOfRange('data is too long');
    if (this.#cipher.mode === 'ccm') return host.toBuffer(this.#ccm(bytes));
    if (this.#cipher.mode === 'wrap') return host.toBuffer(this.#wrap(bytes));
    const made = native.cipherUpdate(this.#state, bytes);
    if (made === undefined) throw new Error('Trying to add data in unsupported state');
    if (bytes.length > 0) this.#isDone = true;
    return host.toBuffer(new Uint8Array(made));
  }
  #ccm(bytes) {
    if (this.#isDone) throw new Error('Trying to add data in unsupported state');
    if (bytes.length > this.#mostBytes()) throw invalidLength();
    if (this.#plainLength !== undefined && this.#plainLength !== bytes.length) throw new Error('Trying to add data in unsupported state');
    this.#isDone = true;
    const last = this.#encrypts ? this.#tagLength : this.#tag;
    const made = last === undefined ? undefined : native.cipherCcm(this.#encrypts, this.#key, this.#iv, this.#told, bytes, last);
    if (made === undefined) {
      this.#hasFailed = true;
      return new Uint8Array(0);
    }
    const out = new Uint8Array(made);
    if (!this.#encrypts) return out;
    this.#tag = out.slice(bytes.length);
    return out.subarray(0, bytes.length);
  }
  #wrap(bytes) {
    const made = this.#isDone ? undefined : wrapKey(this.#encrypts, this.#key, bytes, this.#iv);
    this.#isDone = true;
    if (made === undefined) throw new Error('Trying to add data in unsupported state');
    return made;
  }
  final() {
    if (this.#isFinal) throw invalidState();
    this.#isFinal = true;
    if (this.#cipher.mode === 'wrap') return host.toBuffer(new Uint8Array(0));
    if (this.#cipher.mode === 'ccm') {
      if (!this.#isDone) this.#ccm(EMPTY);
      if (this.#hasFailed) throw unauthentic();
      return host.toBuffer(new Uint8Array(0));
    }
    const made = native.cipherFinish(this.#state);
    if (made === -1) throw openssl('provider', '80006B', 'wrong final block length', true);
    if (made === -2) throw openssl('provider', '800064', 'bad decrypt', true);
    if (!this.#cipher.isAuthenticated) return host.toBuffer(new Uint8Array(made));
    const tag = new Uint8Array(made);
    if (this.#encrypts) this.#tag = tag.slice(0, this.#tagLength ?? 16);
    else if (this.#tag === undefined || !native.equalInConstantTime(tag.subarray(0, this.#tag.length), this.#tag)) throw unauthentic();
    return host.toBuffer(new Uint8Array(0));
  }
};

// One piece. What cannot be decrypted is one error: WebCrypto says no more.
const failed = () => codeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Cipher job failed');
function inOne(number, encrypts, key, iv, data) {
  const cipher = native.cipherOpen(number, key, iv, encrypts);
  if (cipher === undefined) throw failed();
  const [first, last] = [native.cipherUpdate(cipher, data), native.cipherFinish(cipher)];
  if (first === undefined || typeof last === 'number') throw failed();
  const all = new Uint8Array(first.byteLength + last.byteLength);
  all.set(new Uint8Array(first));
  all.set(new Uint8Array(last), first.byteLength);
  return all;
}
shared.encryptCbc = (key, iv, data) => inOne(1, true, key, iv, data);
// Undefined for what was not encrypted so.
shared.decryptCbc = (key, iv, data) => {
  const cipher = native.cipherOpen(1, key, iv, false);
  const [first, last] = [native.cipherUpdate(cipher, data), native.cipherFinish(cipher)];
  return typeof last === 'number' ? undefined : Uint8Array.of(...new Uint8Array(first), ...new Uint8Array(last));
};

function authenticated(number, encrypts, key, data, iv, tagLength, told) {
  const cipher = native.cipherOpen(number, key, iv, encrypts);
  if (cipher === undefined || !encrypts && data.length < tagLength) throw failed();
  if (told !== undefined && told.length > 0) native.cipherAuthenticate(cipher, told);
  const length = encrypts ? data.length : data.length - tagLength;
  const made = new Uint8Array(native.cipherUpdate(cipher, data.subarray(0, length)));
  const tag = new Uint8Array(native.cipherFinish(cipher)).subarray(0, tagLength);
  if (!encrypts) {
    if (!native.equalInConstantTime(tag, data.subarray(length))) throw failed();
    return made.buffer;
  }
  const all = new Uint8Array(length + tagLength);
  all.set(made);
  all.set(tag, length);
  return all.buffer;
}

// WebCrypto's counter is only the last bits of the block, and begins again at 0 when they are used up.
function counted(key, data, counter, bits) {
  const blocks = BigInt(Math.ceil(data.length / 16)), most = 1n << BigInt(bits);
  if (blocks > most) throw failed();
  const whole = counter.reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
  const left = most - (whole & (most - 1n));
  if (blocks <= left) return inOne(2, true, key, counter, data).buffer;
  const cut = Number(left) * 16;
  const again = host.encode((whole & ~(most - 1n)).toString(16).padStart(32, '0'), 'hex');
  const all = new Uint8Array(data.length);
  all.set(inOne(2, true, key, counter, data.subarray(0, cut)));
  all.set(inOne(2, true, key, again, data.subarray(cut)), cut);
  return all.buffer;
}

const VARIANTS = ['CTR', 'CBC', 'GCM', 'KW'];
for (const [at, mode] of VARIANTS.entries()) {
  for (const [which, bits] of [128, 192, 256].entries()) crypto[`kKeyVariantAES_${mode}_${bits}`] = 3 * at + which;
}

shared.job('AESCipherJob', (isLater, isWeb, mode, handle, data, variant, iv, option, told) => {
  const encrypts = mode === crypto.kWebCryptoCipherEncrypt, key = keyBytes(handle), bytes = shared.copied(data, isLater);
  const start = iv === undefined ? undefined : shared.copied(iv, isLater), besides = told === undefined ? undefined : shared.copied(told, isLater);
  switch (VARIANTS[Math.floor(variant / 3)]) {
    case 'CTR': return () => counted(key, bytes, start, option);
    case 'CBC': return () => inOne(1, encrypts, key, start, bytes).buffer;
    case 'GCM': return () => authenticated(6, encrypts, key, bytes, start, option, besides);
    default: return () => {
      const made = wrapKey(encrypts, key, bytes);
      if (made === undefined) throw failed();
      return made.buffer;
    };
  }
});

shared.job('ChaCha20Poly1305CipherJob', (isLater, isWeb, mode, handle, data, iv, told) => {
  const encrypts = mode === crypto.kWebCryptoCipherEncrypt, bytes = shared.copied(data, isLater), start = shared.copied(iv, isLater);
  if (start.length !== 12) throw invalidIv();
  const besides = told === undefined ? undefined : shared.copied(told, isLater), key = keyBytes(handle);
  return () => authenticated(7, encrypts, key, bytes, start, 16, besides);
});
