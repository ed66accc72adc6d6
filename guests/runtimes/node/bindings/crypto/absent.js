// Parts of OpenSSL that are not here. Names that Node's library extends or constructs exist and refuse.
'use strict';

const refusing = (name, ...methods) => {
  const made = { [name]: class { constructor() { throw host.unavailable(`crypto.${name}`); } } }[name];
  for (const method of methods) made.prototype[method] = function() { throw host.unavailable(`crypto.${name}#${method}`); };
  crypto[name] ??= made;
};
const refuse = (name) => { crypto[name] ??= host.named(name, () => { throw host.unavailable(`crypto.${name}`); }); };

for (const name of ['DhKeyPairGenJob', 'DHKeyExportJob', 'DsaKeyPairGenJob', 'KEMEncapsulateJob', 'KEMDecapsulateJob', 'TurboShakeJob',
                    'KangarooTwelveJob', 'DiffieHellman', 'DiffieHellmanGroup']) refusing(name);
refusing('SecureContext', 'init', 'setKey', 'setCert', 'addCACert', 'setAllowPartialTrustChain', 'addCRL', 'addRootCerts', 'setCipherSuites',
         'setCiphers', 'setSigalgs', 'setECDHCurve', 'setDHParam', 'setMaxProto', 'setMinProto', 'getMaxProto', 'getMinProto', 'setOptions',
         'setSessionIdContext', 'setSessionTimeout', 'close', 'loadPKCS12', 'setTicketKeys', 'enableTicketKeyCallback', 'getTicketKeys',
         'getCertificate', 'getIssuer', 'setEngineKey', 'setClientCertEngine');
for (const name of ['certVerifySpkac', 'certExportPublicKey', 'certExportChallenge', 'getBundledRootCertificates', 'getSystemCACertificates',
                    'getExtraCACertificates', 'resetRootCertStore', 'getUserRootCertificates', 'setFipsCrypto']) refuse(name);

crypto.getSSLCiphers = () => [];
crypto.getCertificateCompressionAlgorithms = () => [];
crypto.startLoadingCertificatesOffThread = () => {};
crypto.getFipsCrypto = () => 0;
crypto.testFipsCrypto = () => false;
// The level of OpenSSL's default.
crypto.getOpenSSLSecLevelCrypto = () => 1;
crypto.kKEMEncapsulate = 0;
crypto.kKEMDecapsulate = 1;
