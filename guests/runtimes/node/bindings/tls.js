// TLS: asked of the gateway, which ends it outside of the sandbox (src/tls.c, decision 41).
//
// A wrapped connection begins with a hello and goes on in records; what is in them is plain text.
// The gateway checks the server's certificate and its name, and nothing that is set here turns that
// off: `rejectUnauthorized: false` connects to nothing that would be refused otherwise. Servers of
// TLS cannot be inside, as there is nobody to end it for them.
'use strict';

const { StreamHandle, Request, unavailable } = host;

// Of cptls.h.
const [DONE, WANT, CLOSED] = [0, 1, 2];
const [TLS1_2, TLS1_3] = [0x303, 0x304];
const EOF = -4095, ECANCELED = -125, EBADF = -9, EPROTO = -71;

// What is wrong with a certificate, by OpenSSL's numbers: Node's codes and OpenSSL's words.
const PROBLEMS = {
  2: ['UNABLE_TO_GET_ISSUER_CERT', 'unable to get issuer certificate'],
  7: ['CERT_SIGNATURE_FAILURE', 'certificate signature failure'],
  9: ['CERT_NOT_YET_VALID', 'certificate is not yet valid'],
  10: ['CERT_HAS_EXPIRED', 'certificate has expired'],
  18: ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
  19: ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'],
  20: ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unable to get local issuer certificate'],
  21: ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'],
  22: ['CERT_CHAIN_TOO_LONG', 'certificate chain too long'],
  23: ['CERT_REVOKED', 'certificate revoked'],
  25: ['PATH_LENGTH_EXCEEDED', 'path length constraint exceeded'],
  26: ['INVALID_PURPOSE', 'unsuitable certificate purpose'],
  27: ['CERT_UNTRUSTED', 'certificate not trusted'],
  28: ['CERT_REJECTED', 'certificate rejected'],
  79: ['INVALID_CA', 'invalid CA certificate'],
};
const NAME_MISMATCHES = [62, 64]; // of a host's name and of an address

// TLS's alerts, in OpenSSL's words.
const ALERTS = {
  40: 'SSLV3_ALERT_HANDSHAKE_FAILURE', 42: 'SSLV3_ALERT_BAD_CERTIFICATE', 45: 'SSLV3_ALERT_CERTIFICATE_EXPIRED',
  46: 'SSLV3_ALERT_CERTIFICATE_UNKNOWN', 47: 'SSLV3_ALERT_ILLEGAL_PARAMETER', 48: 'TLSV1_ALERT_UNKNOWN_CA',
  49: 'TLSV1_ALERT_ACCESS_DENIED', 50: 'TLSV1_ALERT_DECODE_ERROR', 70: 'TLSV1_ALERT_PROTOCOL_VERSION',
  71: 'TLSV1_ALERT_INSUFFICIENT_SECURITY', 80: 'TLSV1_ALERT_INTERNAL_ERROR', 112: 'TLSV1_UNRECOGNIZED_NAME',
  116: 'TLSV13_ALERT_CERTIFICATE_REQUIRED', 120: 'TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
};

// Why a connection is over: an error with Node's code.
function errorOf(failure, name) {
  const make = (message, code, more = {}) => Object.assign(new Error(message), { code, ...more });
  if (!Array.isArray(failure)) {
    // An answer that is none of the gateway's: a server inside, which gets no TLS.
    return make(`wrong version number: what is connected to is not outside of the sandbox, where TLS ends (${failure ?? 'no reply'})`,
      'ERR_SSL_WRONG_VERSION_NUMBER', { library: 'SSL routines', reason: 'wrong version number' });
  }
  const [alert, verify, text] = failure;
  if (NAME_MISMATCHES.includes(verify)) {
    return make(`Hostname/IP does not match certificate's altnames: ${text}`, 'ERR_TLS_CERT_ALTNAME_INVALID', { reason: text, host: name });
  }
  if (verify !== 0) {
    const [code, words] = PROBLEMS[verify] ?? ['UNSPECIFIED', text];
    return make(words, code);
  }
  if (alert >= 0) {
    const known = ALERTS[alert] ?? `ALERT_${alert}`;
    return make(`${known.toLowerCase().replaceAll('_', ' ')}: ${text}`, `ERR_SSL_${known}`, { library: 'SSL routines', reason: text });
  }
  return make(text, 'EPROTO', { errno: EPROTO });
}

// What a program sets for its connections.
class SecureContext {
  lowest = TLS1_2;
  highest = TLS1_3;
  roots = [];
  chain = [];
  key;
  init(protocol, lowest, highest) {
    this.lowest = lowest || TLS1_2;
    this.highest = highest || TLS1_3;
    if (this.highest < TLS1_2) throw unavailable('tls: versions before TLS 1.2');
    this.lowest = Math.max(this.lowest, TLS1_2);
  }
  getMinProto() { return this.lowest; }
  getMaxProto() { return this.highest; }
  setMinProto(version) { this.lowest = version; }
  setMaxProto(version) { this.highest = version; }
  #certificates(pem) {
    const found = host.pemToDer(pem, 'CERTIFICATE|X509 CERTIFICATE|TRUSTED CERTIFICATE');
    if (found.length === 0) {
      throw Object.assign(new Error('error:0480006C:PEM routines::no start line'), { code: 'ERR_OSSL_PEM_NO_START_LINE' });
    }
    return found;
  }
  addCACert(pem) { this.roots.push(...this.#certificates(pem)); }
  addRootCerts() {} // the gateway's own, always
  setCert(pem) { this.chain.push(...this.#certificates(pem)); }
  setKey(pem, passphrase) {
    const [key] = host.pemToDer(pem, 'PRIVATE KEY|RSA PRIVATE KEY|EC PRIVATE KEY');
    if (key === undefined) {
      if (passphrase !== undefined) throw unavailable('tls: keys with a passphrase');
      throw Object.assign(new Error('error:0480006C:PEM routines::no start line'), { code: 'ERR_OSSL_PEM_NO_START_LINE' });
    }
    this.key = key;
  }
  // Ciphers, groups and the like are the gateway's choice, of which all are safe.
  setCiphers() {}
  setCipherSuites() {}
  setECDHCurve() {}
  setSigalgs() {}
  setOptions() {}
  setAllowPartialTrustChain() {}
  setSessionTimeout() {}
  setSessionIdContext() { throw unavailable('a server of TLS: TLS ends outside of the sandbox, which'); }
  setTicketKeys() { throw unavailable('tls: keys of tickets'); }
  getTicketKeys() { throw unavailable('tls: keys of tickets'); }
  setDHParam() { throw unavailable('tls: parameters for Diffie-Hellman'); }
  addCRL() { throw unavailable('tls: lists of revoked certificates'); }
  setCertificateCompression() { throw unavailable('tls: compressed certificates'); }
  loadPKCS12() { throw unavailable('tls: PKCS #12'); }
  setEngineKey() { throw unavailable('tls: engines'); }
  setClientCertEngine() { throw unavailable('tls: engines'); }
  close() {}
}

class TLSWrap extends StreamHandle {
  #context;
  #parent;
  #name;
  #protocols;
  #tls;
  #reply;
  #queued = []; // [request, bytes] before the handshake is done
  #unsent = 0; // records that the connection has not taken yet
  #waiting = []; // requests that are done when it has
  #isOver = false;
  constructor(parent, context) {
    super();
    this.#parent = parent;
    this.#context = context;
  }
  get fd() { return this.#parent?.fd ?? -1; }
  set fd(value) { void value; }
  setVerifyMode() {}
  setServername(name) { this.#name = String(name); }
  getServername() { return this.#name ?? false; }
  setALPNProtocols(protocols) { this.#protocols = host.copyOf(host.bytesOf(protocols)); }
  start() {
    const made = native.tlsOpen(this.#name, this.#protocols, [this.#context.lowest, this.#context.highest], this.#context.roots,
      this.#context.chain, this.#context.key);
    if (typeof made === 'string') {
      host.loop.later(() => this.#fail(Object.assign(new Error(made), { code: 'EPROTO' })));
      return;
    }
    this.#tls = made;
    this.#parent.consumer = (bytes) => this.#receive(bytes);
    this.#parent.consumerEnd = (status) => this.#end(status);
    this.#flush();
    this.#parent.readStart();
  }
  #fail(error) {
    if (this.#isOver) return;
    this.#isOver = true;
    host.within(this, () => this.onerror(error));
  }
  // Gives the connection what is to be sent. Less than 0: an error.
  #flush() {
    for (let bytes = native.tlsOutput(this.#tls); bytes !== undefined; bytes = native.tlsOutput(this.#tls)) {
      const request = new Request();
      request.oncomplete = (status) => {
        this.#unsent--;
        if (this.#unsent === 0 || status < 0) for (const waiting of this.#waiting.splice(0)) waiting.complete(status, this, undefined);
      };
      const failed = this.#parent.writeBytes(request, new Uint8Array(bytes));
      if (failed < 0) return failed;
      const { streamBaseState, kLastWriteWasAsync } = host.binding('stream_wrap');
      if (streamBaseState[kLastWriteWasAsync] !== 0) this.#unsent++;
    }
    return 0;
  }
  #receive(bytes) {
    for (let at = 0; at < bytes.length && !this.#isOver && !this.isClosed;) {
      const taken = native.tlsInput(this.#tls, bytes, at);
      at += taken;
      if (!this.#advance() || taken === 0) return;
    }
  }
  // Goes on with what has arrived: whether there may be more.
  #advance() {
    if (this.#reply === undefined) {
      const status = native.tlsHandshake(this.#tls);
      if (status === WANT) return true;
      if (status !== DONE) {
        this.#fail(errorOf(native.tlsFailure(this.#tls), this.#name));
        return false;
      }
      this.#reply = native.tlsReply(this.#tls);
      host.runCallback(() => host.within(this, () => this.onhandshakedone()));
      for (const [request, text] of this.#queued.splice(0)) {
        const failed = this.#encode(text);
        if (failed < 0 || this.#unsent === 0) host.loop.later(() => request.complete(failed, this, undefined));
        else this.#waiting.push(request);
      }
    }
    while (!this.#isOver && !this.isClosed) {
      const text = native.tlsRead(this.#tls);
      if (text === WANT) return true;
      if (text === CLOSED) {
        this.#end(EOF);
        return false;
      }
      if (typeof text === 'number') {
        this.#fail(errorOf(native.tlsFailure(this.#tls), this.#name));
        return false;
      }
      this.bytesRead += text.byteLength;
      host.runCallback(() => this.hand(text.byteLength, text));
    }
    return false;
  }
  #end(status) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.hand(status, undefined);
  }
  #encode(text) {
    for (let at = 0; at < text.length;) {
      const count = native.tlsWrite(this.#tls, text, at);
      if (count < 0 && count !== -WANT) return EPROTO;
      if (count > 0) at += count;
      const failed = this.#flush();
      if (failed < 0) return failed;
    }
    return 0;
  }
  writeBytes(request, bytes) {
    const { streamBaseState, kBytesWritten, kLastWriteWasAsync } = host.binding('stream_wrap');
    if (this.isClosed || this.#isOver && this.#tls === undefined) return EBADF;
    this.bytesWritten += bytes.length;
    let failed = 0, isAsync = true;
    if (this.#reply === undefined) {
      this.#queued.push([request, host.copyOf(bytes)]);
    } else {
      failed = this.#encode(bytes);
      isAsync = this.#unsent > 0;
      if (isAsync && failed === 0) this.#waiting.push(request);
    }
    streamBaseState[kBytesWritten] = bytes.length;
    streamBaseState[kLastWriteWasAsync] = isAsync ? 1 : 0;
    return failed;
  }
  readStart() { return this.#parent.readStart(); }
  readStop() { return this.#parent.readStop(); }
  shutdown(request) {
    if (this.#tls !== undefined && this.#reply !== undefined) {
      native.tlsClose(this.#tls);
      this.#flush();
    }
    return this.#parent.shutdown(request);
  }
  get writeQueueSize() { return this.#parent.writeQueueSize; }
  destroySSL() {
    this.#isOver = true;
    if (this.#parent !== undefined) this.#parent.consumer = this.#parent.consumerEnd = undefined;
    for (const [request] of this.#queued.splice(0)) host.loop.close(() => request.complete(ECANCELED, this, undefined));
    for (const request of this.#waiting.splice(0)) host.loop.close(() => request.complete(ECANCELED, this, undefined));
  }
  verifyError() { return null; } // what is not verified is not connected
  isSessionReused() { return false; }
  getSession() { return undefined; }
  setSession() {}
  getTLSTicket() { return undefined; }
  getALPNNegotiatedProtocol() { return this.#reply?.[2] || false; }
  getProtocol() { return this.#reply === undefined ? 'unknown' : this.#reply[0] === TLS1_3 ? 'TLSv1.3' : 'TLSv1.2'; }
  getCipher() {
    if (this.#reply === undefined) return undefined;
    const [version, standardName] = this.#reply;
    const name = version === TLS1_3 ? standardName :
      standardName.replace(/^TLS_/, '').replace('_WITH_', '_').replace(/AES_(\d+)/, 'AES$1').replace(/CHACHA20_POLY1305_SHA256$/, 'CHACHA20_POLY1305').replaceAll('_', '-');
    return { name, standardName, version: version === TLS1_3 ? 'TLSv1.3' : 'TLSv1.2' };
  }
  getEphemeralKeyInfo() { return {}; }
  getSharedSigalgs() { return []; }
  getFinished() { return undefined; }
  getPeerFinished() { return undefined; }
  getCertificate() { return this.#context.chain.length === 0 ? undefined : host.readCertificate(this.#context.chain[0]); }
  getX509Certificate() { return undefined; }
  getPeerCertificate(isDetailed) {
    const [leaf, ...above] = (this.#reply?.[3] ?? []).map((der) => new Uint8Array(der));
    if (leaf === undefined) return undefined;
    const certificate = host.readCertificate(leaf);
    if (isDetailed) {
      let below = certificate;
      for (const der of above) {
        below.issuerCertificate = host.readCertificate(der);
        below = below.issuerCertificate;
      }
      if (JSON.stringify(below.subject) === JSON.stringify(below.issuer)) below.issuerCertificate = below;
    }
    return certificate;
  }
  getPeerX509Certificate() {
    const leaf = this.#reply?.[3][0];
    return leaf === undefined ? undefined : host.binding('crypto').parseX509(host.toBuffer(new Uint8Array(leaf)));
  }
  exportKeyingMaterial() { throw unavailable('tls: exported keys'); }
  setMaxSendFragment() { return 1; }
  renegotiate() { throw unavailable('tls: renegotiation'); }
  setKeyCert() { throw unavailable('tls: another certificate on an open connection'); }
  requestOCSP() {}
  enableTrace() {}
  enableKeylogCallback() {}
  enableSessionCallbacks() {}
  endParser() {}
  newSessionDone() {}
  loadSession() {}
  release() { this.destroySSL(); }
}

host.define('tls_wrap', (binding) => {
  binding.TLSWrap = TLSWrap;
  binding.HAVE_SSL_TRACE = false;
  binding.wrap = (parent, context, isServer) => {
    if (isServer) throw unavailable('a server of TLS: TLS ends outside of the sandbox, which');
    return new TLSWrap(parent, context);
  };
});

host.extend('crypto', (crypto) => {
  const suites = ['tls_aes_256_gcm_sha384', 'tls_chacha20_poly1305_sha256', 'tls_aes_128_gcm_sha256'];
  for (const key of ['ecdsa', 'rsa']) {
    for (const cipher of ['aes256-gcm-sha384', 'aes128-gcm-sha256', 'chacha20-poly1305']) suites.push(`ecdhe-${key}-${cipher}`);
  }
  crypto.SecureContext = SecureContext;
  crypto.getSSLCiphers = () => [...suites];
  crypto.getCertificateCompressionAlgorithms ??= () => [];
  crypto.startLoadingCertificatesOffThread = () => {};
  const unknown = () => { throw unavailable('tls: the list of root certificates, which is the gateway\'s'); };
  for (const name of ['getSystemCACertificates', 'resetRootCertStore']) crypto[name] = unknown;
  // Whoever imports the module reads it.
  crypto.getBundledRootCertificates = () => [];
  crypto.getExtraCACertificates = crypto.getUserRootCertificates = () => [];
});
