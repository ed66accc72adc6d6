// Errors of crypto: OpenSSL's, in its form and with its words, and Node's own.
'use strict';

const { codeError } = host;

// The libraries of OpenSSL 3 whose errors Node's users see: number and name.
const LIBRARIES = {
  __proto__: null,
  rsa: ['02', 'rsa routines', 'RSA_'],
  evp: ['03', 'digital envelope routines', 'EVP_'],
  bignum: ['01', 'bignum routines', 'BN_'],
  asn1: ['06', 'asn1 encoding routines', 'ASN1_'],
  ec: ['08', 'elliptic curve routines', 'EC_'],
  pem: ['09', 'PEM routines', 'PEM_'],
  provider: ['1C', 'Provider routines', ''],
  decoder: ['1E', 'DECODER routines', ''],
  common: ['07', 'common libcrypto routines', 'CRYPTO_'],
};

// `reason` is its number in hexadecimal and its words. A code in front of the library is part of most names.
shared.openssl = (library, number, words, stack) => {
  const [prefix, name, inCode] = LIBRARIES[library];
  const message = `error:${prefix}${number}:${name}::${words}`;
  const error = new Error(message);
  if (stack) error.opensslErrorStack = stack === true ? [message] : stack;
  error.library = name;
  error.reason = words;
  error.code = `ERR_OSSL_${inCode}${words.replaceAll(' ', '_').toUpperCase()}`;
  return error;
};

// What a job says when OpenSSL gives no more than its words.
shared.plain = (library, number, words) => new Error(shared.openssl(library, number, words).message);

shared.invalidDigest = (name) => codeError(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', name === undefined ? 'Invalid digest' : `Invalid digest: ${name}`);
shared.outOfRange = (message) => codeError(RangeError, 'ERR_OUT_OF_RANGE', message);
shared.codeError = codeError;
