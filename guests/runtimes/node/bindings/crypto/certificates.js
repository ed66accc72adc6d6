// Certificates: the key in one. The rest of X509Certificate is not there.
'use strict';

const { der } = shared;

// SubjectPublicKeyInfo of a certificate (RFC 5280, 4.1).
shared.certificateKey = (bytes) => {
  const certificate = der.read(bytes).sequence().sequence();
  if (certificate.tag === 0xa0) certificate.value();
  for (let field = 0; field < 5; field++) certificate.value();
  return certificate.value(der.SEQUENCE).whole;
};

crypto.parseX509 = () => { throw host.unavailable('crypto.X509Certificate'); };
Object.assign(crypto, {
  X509_CHECK_FLAG_ALWAYS_CHECK_SUBJECT: 1, X509_CHECK_FLAG_NO_WILDCARDS: 2, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS: 4,
  X509_CHECK_FLAG_MULTI_LABEL_WILDCARDS: 8, X509_CHECK_FLAG_SINGLE_LABEL_SUBDOMAINS: 16, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT: 32,
});
