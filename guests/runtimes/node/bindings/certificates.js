// Certificates: what Node says of one, read out of its DER. Whether to trust it is the gateway's affair.
'use strict';

// The parts of DER that a certificate has: [tag, content, whole] of the value at an offset.
function read(bytes, at) {
  const bad = () => new RangeError('the certificate is not valid DER');
  if (at + 2 > bytes.length) throw bad();
  let length = bytes[at + 1], start = at + 2;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4 || start + count > bytes.length) throw bad();
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + bytes[start++];
  }
  if (start + length > bytes.length) throw bad();
  return { tag: bytes[at], content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length), end: start + length };
}

function children(bytes) {
  const list = [];
  for (let at = 0; at < bytes.length;) {
    const item = read(bytes, at);
    list.push(item);
    at = item.end;
  }
  return list;
}

function objectId(bytes) {
  const numbers = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const first = Math.min(2, Math.floor(numbers[0] / 40));
  return [first, numbers[0] - first * 40, ...numbers.slice(1)].join('.');
}

const UTF8 = 12, BMP = 30;
const text = ({ tag, content }) => {
  if (tag !== BMP) return host.decode(content, tag === UTF8 ? 'utf8' : 'latin1');
  return host.decode(content.slice().reverse(), 'ucs2').split('').reverse().join('');
};
const ATTRIBUTES = {
  '2.5.4.3': 'CN', '2.5.4.4': 'SN', '2.5.4.5': 'serialNumber', '2.5.4.6': 'C', '2.5.4.7': 'L', '2.5.4.8': 'ST', '2.5.4.9': 'street',
  '2.5.4.10': 'O', '2.5.4.11': 'OU', '2.5.4.12': 'title', '2.5.4.15': 'businessCategory', '2.5.4.17': 'postalCode', '2.5.4.42': 'GN',
  '2.5.4.97': 'organizationIdentifier', '1.2.840.113549.1.9.1': 'emailAddress', '0.9.2342.19200300.100.1.25': 'DC',
  '1.3.6.1.4.1.311.60.2.1.3': 'jurisdictionC', '1.3.6.1.4.1.311.60.2.1.2': 'jurisdictionST',
};

// A name with its parts; one that comes twice is a list.
function nameOf({ content }) {
  const name = { __proto__: null };
  for (const set of children(content)) {
    for (const pair of children(set.content)) {
      const [id, value] = children(pair.content);
      const key = ATTRIBUTES[objectId(id.content)] ?? objectId(id.content);
      const said = text(value);
      name[key] = key in name ? [name[key], said].flat() : said;
    }
  }
  return name;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const UTC_TIME = 23;

// As OpenSSL prints it: `Nov  9 23:19:57 2026 GMT`.
function timeOf({ tag, content }) {
  let digits = host.decode(content, 'latin1');
  if (tag === UTC_TIME) digits = (Number(digits.slice(0, 2)) < 50 ? '20' : '19') + digits;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(digits) ?? [];
  return `${MONTHS[month - 1]} ${String(Number(day)).padStart(2)} ${hour}:${minute}:${second} ${year} GMT`;
}

const NAMES = { 1: 'email', 2: 'DNS', 6: 'URI', 7: 'IP Address' };

// Names behind a comma, as OpenSSL prints them; one with a character that could be taken for two names is quoted.
function alternativeNames(bytes) {
  const list = [];
  for (const { tag, content } of children(read(bytes, 0).content)) {
    const kind = NAMES[tag & 31];
    if (kind === undefined) continue;
    const said = kind === 'IP Address' ? (native.addressText(content) ?? '<invalid>').toUpperCase() : host.decode(content, 'latin1');
    list.push(`${kind}:${/^[\x20-\x7e]*$/.test(said) && !/[",\\']/.test(said) ? said : JSON.stringify(said)}`);
  }
  return list.join(', ');
}

const hex = (bytes) => host.decode(bytes, 'hex').toUpperCase();
const SUBJECT_ALT_NAME = '2.5.29.17', BASIC_CONSTRAINTS = '2.5.29.19', KEY_USAGES = '2.5.29.37';
const BOOLEAN = 1, OCTETS = 4, VERSION = 0xa0, EXTENSIONS = 0xa3;

function extensionsOf(list) {
  const found = { __proto__: null };
  const extensions = list.find(({ tag }) => tag === EXTENSIONS);
  for (const { content } of extensions === undefined ? [] : children(read(extensions.content, 0).content)) {
    const parts = children(content);
    const value = parts.find(({ tag }) => tag === OCTETS);
    if (value !== undefined) found[objectId(parts[0].content)] = value.content;
  }
  return found;
}

// What `getPeerCertificate` gives for a certificate.
host.readCertificate = (der) => {
  const list = children(read(read(der, 0).content, 0).content);
  if (list[0].tag === VERSION) list.shift();
  const [serial, , issuer, validity, subject] = list;
  const extensions = extensionsOf(list);
  const constraints = extensions[BASIC_CONSTRAINTS] && children(read(extensions[BASIC_CONSTRAINTS], 0).content);
  const [from, to] = children(validity.content);
  const digest = (algorithm) => {
    const { createHash } = host.requireBuiltin('crypto');
    return hex(createHash(algorithm).update(der).digest()).replace(/(?<=.)..(?=(..)*$)/g, ':$&').replace(/^:/, '');
  };
  const names = extensions[SUBJECT_ALT_NAME];
  const usages = extensions[KEY_USAGES];
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    ...(names === undefined ? {} : { subjectaltname: alternativeNames(names) }),
    ca: constraints?.[0]?.tag === BOOLEAN && constraints[0].content[0] !== 0,
    valid_from: timeOf(from),
    valid_to: timeOf(to),
    fingerprint: digest('sha1'),
    fingerprint256: digest('sha256'),
    fingerprint512: digest('sha512'),
    ...(usages === undefined ? {} : { ext_key_usage: children(read(usages, 0).content).map(({ content }) => objectId(content)) }),
    serialNumber: hex(serial.content[0] === 0 ? serial.content.subarray(1) : serial.content),
    raw: host.toBuffer(der),
  };
};

// The DER of each block of PEM with such a label.
host.pemToDer = (pem, label) => {
  const source = typeof pem === 'string' ? pem : host.decode(host.bytesOf(pem), 'latin1');
  const blocks = source.matchAll(new RegExp(`-----BEGIN (?:${label})-----([^-]*)-----END (?:${label})-----`, 'g'));
  return [...blocks].map(([, digits]) => host.encode(digits.replaceAll(/\s/g, ''), 'base64'));
};
