// Keys as PEM and DER: PKCS #1, PKCS #8 with and without a passphrase, SPKI, SEC 1.
'use strict';

const { der, codeError, openssl } = shared;
const [DER, PEM] = [0, 1];
const [PKCS1, PKCS8, SPKI, SEC1] = [0, 1, 2, 3];

const RSA = '1.2.840.113549.1.1.1', RSA_PSS = '1.2.840.113549.1.1.10', EC = '1.2.840.10045.2.1';
const OKP = { __proto__: null, '1.3.101.112': 'ed25519', '1.3.101.110': 'x25519' };
const PBES2 = '1.2.840.113549.1.5.13', PBKDF2 = '1.2.840.113549.1.5.12';
const CBC = { __proto__: null, '2.16.840.1.101.3.4.1.2': 16, '2.16.840.1.101.3.4.1.22': 24, '2.16.840.1.101.3.4.1.42': 32 };
const HMACS = { __proto__: null, '1.2.840.113549.2.7': 'sha1', '1.2.840.113549.2.8': 'sha224', '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384', '1.2.840.113549.2.11': 'sha512' };
const nameOf = (table, name) => Object.keys(table).find((oid) => table[oid] === name);

const unsupported = () => openssl('decoder', '08010C', 'unsupported', true);
const noPassphrase = () => openssl('common', '880109', 'interrupted or cancelled', true);
const badDecrypt = () => openssl('provider', '800064', 'bad decrypt', true);

// PEM: { label, headers, body }, the first block whose label is one of those that are asked for.
function readPem(bytes, labels) {
  const text = host.decode(bytes, 'latin1');
  for (const [, label, inside] of text.matchAll(/-----BEGIN ([^\n-]+)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----/g)) {
    if (!labels.test(label)) continue;
    const [, headers = '', body] = /^((?:[A-Za-z-]+:[^\n]*\n)+\r?\n)?([\s\S]*)$/.exec(inside);
    return { label, headers, body: host.encode(body.replace(/\s+/g, ''), 'base64') };
  }
  throw unsupported();
}

function writePem(label, bytes, headers = '') {
  const lines = host.decode(bytes, 'base64').match(/.{1,64}/g).join('\n');
  return `-----BEGIN ${label}-----\n${headers}${lines}\n-----END ${label}-----\n`;
}

function algorithm(reader) {
  const parts = reader.sequence();
  const oid = parts.oid();
  return { oid, parameters: parts };
}

const readRsaPublic = (kind, reader, rest) => ({ kind, n: reader.number(), e: reader.number(), ...rest });

function readRsaPrivate(kind, reader, rest) {
  if (reader.small() !== 0) throw unsupported();
  const key = { kind };
  for (const part of ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi']) key[part] = reader.number();
  return { ...key, ...rest };
}

// The limits of RSA-PSS keys, where there are some.
const PSS_DEFAULT = { hash: 'sha1', mgf: 'sha1', salt: 20 };
function readPss(parameters) {
  if (parameters.isDone || parameters.tag !== der.SEQUENCE) return {};
  const reader = parameters.sequence();
  const pss = { ...PSS_DEFAULT };
  while (!reader.isDone) {
    const { tag } = reader;
    const inside = reader.sequence(tag);
    if (tag === 0xa0) pss.hash = shared.hashOfOid(algorithm(inside).oid);
    else if (tag === 0xa1) pss.mgf = shared.hashOfOid(algorithm(algorithm(inside).parameters).oid);
    else if (tag === 0xa2) pss.salt = inside.small();
    else if (tag !== 0xa3) throw der.malformed();
  }
  return { pss };
}

function curveOf(parameters) {
  if (parameters.tag !== der.OID) throw unsupported();
  const curve = shared.curveOfOid(parameters.oid());
  if (curve === undefined) throw unsupported();
  return curve;
}

function ecPublic(curve, bytes) {
  const point = shared.pointOn(curve, bytes);
  if (point === undefined) throw openssl('ec', '00006B', 'point is not on curve', true);
  return { kind: 'ec', curve, point };
}

function readSec1(reader, known) {
  if (reader.small() !== 1) throw unsupported();
  const secret = reader.octets();
  let curve = known;
  if (reader.tag === 0xa0) curve = curveOf(reader.sequence(0xa0));
  if (curve === undefined) throw unsupported();
  return shared.ecPair(curve, secret);
}

function readSpki(bytes) {
  const reader = der.read(bytes).sequence();
  const { oid, parameters } = algorithm(reader);
  const inside = reader.bits();
  if (oid === RSA) return readRsaPublic('rsa', der.read(inside).sequence());
  if (oid === RSA_PSS) return readRsaPublic('rsa-pss', der.read(inside).sequence(), readPss(parameters));
  if (oid === EC) return ecPublic(curveOf(parameters), inside);
  if (OKP[oid] === undefined || inside.length !== 32) throw unsupported();
  return { kind: OKP[oid], point: inside };
}

function readPkcs8(bytes) {
  const reader = der.read(bytes).sequence();
  if (reader.small() > 1) throw unsupported();
  const { oid, parameters } = algorithm(reader);
  const inside = reader.octets();
  if (oid === RSA) return readRsaPrivate('rsa', der.read(inside).sequence());
  if (oid === RSA_PSS) return readRsaPrivate('rsa-pss', der.read(inside).sequence(), readPss(parameters));
  if (oid === EC) return readSec1(der.read(inside).sequence(), curveOf(parameters));
  if (OKP[oid] === undefined) throw unsupported();
  return shared.okpPair(OKP[oid], der.read(inside).octets());
}

function decrypted(bytes, passphrase) {
  if (passphrase === undefined || passphrase === null) throw noPassphrase();
  const reader = der.read(bytes).sequence();
  const { oid, parameters } = algorithm(reader);
  if (oid !== PBES2) throw unsupported();
  const scheme = parameters.sequence();
  const derivation = algorithm(scheme), cipher = algorithm(scheme);
  if (derivation.oid !== PBKDF2 || CBC[cipher.oid] === undefined) throw unsupported();
  const counts = derivation.parameters.sequence();
  const salt = counts.octets(), iterations = counts.small();
  if (counts.tag === der.INTEGER) counts.small();
  const hash = counts.isDone ? 'sha1' : HMACS[algorithm(counts).oid];
  const iv = cipher.parameters.octets();
  if (hash === undefined || iterations < 1 || iterations > 0x7fffffff || iv.length !== 16) throw unsupported();
  const key = native.pbkdf2(shared.hashNumber(hash), host.bytesOf(passphrase), salt, iterations, CBC[cipher.oid]);
  const plain = shared.decryptCbc(new Uint8Array(key), iv, reader.octets());
  if (plain === undefined) throw badDecrypt();
  return plain;
}

function encrypted(bytes, name, passphrase) {
  const cipher = shared.cipherNamed(name);
  if (cipher === undefined) throw codeError(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
  if (cipher.mode !== 'cbc') throw host.unavailable(`encryption of keys with ${name}`);
  const salt = shared.random(16), iv = shared.random(16);
  const key = native.pbkdf2(shared.hashNumber('sha256'), host.bytesOf(passphrase), salt, 2048, cipher.key);
  const counts = der.sequence(der.octets(salt), der.number(Uint8Array.of(8, 0)), der.sequence(der.oid(nameOf(HMACS, 'sha256')), der.none));
  const scheme = der.sequence(der.sequence(der.oid(PBKDF2), counts), der.sequence(der.oid(nameOf(CBC, cipher.key)), der.octets(iv)));
  return der.sequence(der.sequence(der.oid(PBES2), scheme), der.octets(shared.encryptCbc(new Uint8Array(key), iv, bytes)));
}

// The older form: a key of MD5 from the passphrase and the beginning of the initialization vector.
function legacyKey(passphrase, salt, length) {
  let all = new Uint8Array(0), last = all;
  while (all.length < length) {
    last = shared.digest(0, last, host.bytesOf(passphrase), salt);
    all = der.join(all, last);
  }
  return all.subarray(0, length);
}

function legacyDecrypted(headers, body, passphrase) {
  const found = /DEK-Info: *(AES-(?:128|192|256)-CBC),([0-9A-Fa-f]{32})/.exec(headers);
  if (found === null) throw unsupported();
  if (passphrase === undefined || passphrase === null) throw noPassphrase();
  const iv = host.encode(found[2], 'hex');
  const plain = shared.decryptCbc(legacyKey(passphrase, iv.subarray(0, 8), shared.cipherNamed(found[1]).key), iv, body);
  if (plain === undefined) throw badDecrypt();
  return plain;
}

const PRIVATE_LABELS = /^(RSA |EC |ENCRYPTED )?PRIVATE KEY$/;
function readPrivatePem(bytes, passphrase) {
  const { label, headers, body } = readPem(bytes, PRIVATE_LABELS);
  const plain = headers.includes('ENCRYPTED') ? legacyDecrypted(headers, body, passphrase) : body;
  if (label === 'RSA PRIVATE KEY') return readRsaPrivate('rsa', der.read(plain).sequence());
  if (label === 'EC PRIVATE KEY') return readSec1(der.read(plain).sequence());
  return readPkcs8(label === 'ENCRYPTED PRIVATE KEY' ? decrypted(plain, passphrase) : plain);
}

shared.readPrivate = (data, format, encoding, passphrase) => {
  const bytes = host.bytesOf(data);
  if (format === PEM) return readPrivatePem(bytes, passphrase);
  if (format !== DER) throw host.unavailable('keys in a store');
  if (encoding === PKCS1) return readRsaPrivate('rsa', der.read(bytes).sequence());
  if (encoding === SEC1) return readSec1(der.read(bytes).sequence());
  // An encrypted one begins with the algorithm, another with its version.
  const isEncrypted = der.read(bytes).sequence().tag === der.SEQUENCE;
  return readPkcs8(isEncrypted ? decrypted(bytes, passphrase) : bytes);
};

shared.readPublic = (data, format, encoding, passphrase) => {
  const bytes = host.bytesOf(data);
  if (format === DER) {
    if (encoding === PKCS1) return readRsaPublic('rsa', der.read(bytes).sequence());
    return encoding === SPKI ? readSpki(bytes) : shared.readPrivate(data, format, encoding, passphrase);
  }
  const { label, body } = readPem(bytes, /^(PUBLIC KEY|RSA PUBLIC KEY|(X509 |TRUSTED )?CERTIFICATE|(RSA |EC |ENCRYPTED )?PRIVATE KEY)$/);
  if (label === 'PUBLIC KEY') return readSpki(body);
  if (label === 'RSA PUBLIC KEY') return readRsaPublic('rsa', der.read(body).sequence());
  if (label.endsWith('PRIVATE KEY')) return readPrivatePem(bytes, passphrase);
  return readSpki(shared.certificateKey(body));
};
shared.readSpki = readSpki;
shared.readPem = readPem;
shared.writePem = writePem;

// The key's algorithm as it stands in SPKI and PKCS #8.
function identifier(key) {
  if (key.kind === 'rsa') return der.sequence(der.oid(RSA), der.none);
  if (key.kind === 'rsa-pss') return der.sequence(der.oid(RSA_PSS), ...(key.pss === undefined ? [] : [pssParameters(key.pss)]));
  if (key.kind === 'ec') return der.sequence(der.oid(EC), der.oid(shared.oidOfCurve(key.curve)));
  return der.sequence(der.oid(nameOf(OKP, key.kind)));
}

const hashIdentifier = (name) => der.sequence(der.oid(shared.oidOfHash(name)), der.none);
function pssParameters({ hash, mgf, salt }) {
  const pieces = [];
  if (hash !== 'sha1') pieces.push(der.wrap(0xa0, hashIdentifier(hash)));
  if (mgf !== 'sha1') pieces.push(der.wrap(0xa1, der.sequence(der.oid('1.2.840.113549.1.1.8'), hashIdentifier(mgf))));
  if (salt !== 20) pieces.push(der.wrap(0xa2, der.number(Uint8Array.of(salt >> 8, salt & 255))));
  return der.sequence(...pieces);
}

const isRsa = (key) => key.kind === 'rsa' || key.kind === 'rsa-pss';
const pkcs1Public = (key) => der.sequence(der.number(key.n), der.number(key.e));
const pkcs1Private = (key) => der.sequence(der.small(0), ...['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'].map((part) => der.number(key[part])));
const sec1 = (key, hasCurve) => der.sequence(der.small(1), der.octets(key.d),
                                             ...(hasCurve ? [der.wrap(0xa0, der.oid(shared.oidOfCurve(key.curve)))] : []),
                                             der.wrap(0xa1, der.bits(key.point)));
const spki = (key) => der.sequence(identifier(key), der.bits(isRsa(key) ? pkcs1Public(key) : key.point));
const pkcs8 = (key) => der.sequence(der.small(0), identifier(key),
                                    der.octets(isRsa(key) ? pkcs1Private(key) : key.kind === 'ec' ? sec1(key, false) : der.octets(key.d)));
shared.spki = spki;

shared.writeKey = (key, isPrivate, format, encoding, cipher, passphrase) => {
  let label, bytes, headers;
  if (!isPrivate) {
    [label, bytes] = encoding === PKCS1 ? ['RSA PUBLIC KEY', pkcs1Public(key)] : ['PUBLIC KEY', spki(key)];
  } else if (encoding === PKCS8) {
    [label, bytes] = ['PRIVATE KEY', pkcs8(key)];
    if (cipher !== undefined && cipher !== null) [label, bytes] = ['ENCRYPTED PRIVATE KEY', encrypted(bytes, cipher, passphrase)];
  } else {
    [label, bytes] = encoding === PKCS1 ? ['RSA PRIVATE KEY', pkcs1Private(key)] : ['EC PRIVATE KEY', sec1(key, true)];
    if (cipher !== undefined && cipher !== null) {
      const chosen = shared.cipherNamed(cipher);
      if (chosen === undefined) throw codeError(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
      if (chosen.mode !== 'cbc') throw host.unavailable(`encryption of keys with ${cipher}`);
      const iv = shared.random(16);
      bytes = shared.encryptCbc(legacyKey(passphrase, iv.subarray(0, 8), chosen.key), iv, bytes);
      headers = `Proc-Type: 4,ENCRYPTED\nDEK-Info: ${chosen.name.toUpperCase()},${host.decode(iv, 'hex').toUpperCase()}\n\n`;
    }
  }
  return format === PEM ? writePem(label, bytes, headers) : host.toBuffer(bytes);
};
