// crypto: what of it there is, and that a process has it. Its parts are in bindings/crypto; they are compiled when a program
// asks for them first, so a process that does not need them pays nothing.
//
// Algorithms are those of Mbed TLS and Monocypher (src/crypto*.c), and not OpenSSL's. Node's library asks for the version of
// OpenSSL to find out whether there is crypto at all, and programs ask to find out how it behaves: it is 3.0 here, by
// something else.
'use strict';

const PARTS = [
  'errors', // openssl, plain, invalidDigest, outOfRange
  'jobs', // job, copied
  'hashes', // hashNumber, hashSize, digest, hmac, dataOf
  'random', // random
  'der', // der
  'keyobjects', // isHandle, handleOf, keyOfHandle, keyBytes, webKey
  'derive',
  'ciphers', // cipherNamed, encryptCbc, decryptCbc
  'rsa', // rsaSign, rsaVerify, rsaGenerate, oidOfHash
  'ec', // curves, ecPair, okpPair, publicPart, details, agree
  'formats', // readPublic, readPrivate, writeKey
  'jwk', // readJwk, writeJwk, readRaw
  'signatures', // keyFrom
  'generate',
  'certificates', // certificateKey
  'absent',
];

host.define('crypto', (crypto) => {
  const shared = {};
  for (const name of PARTS) {
    host.library.compile(`bindings/crypto/${name}.js`, ['native', 'host', 'crypto', 'shared'])(native, host, crypto, shared);
  }
});
