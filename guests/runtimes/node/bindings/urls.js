// URLs, by ada (src/urls.c).
'use strict';

const PROTOCOL = 0, HASH = 8, SEARCH = 7, USERNAME = 4, PASSWORD = 5;

const invalid = (input, base) => {
  const error = host.codeError(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
  error.input = input;
  if (base !== undefined) error.base = base;
  return error;
};

host.define('url', (url) => {
  const parts = url.urlComponents;
  const scratch = new Uint32Array(9);
  url.parse = (input, base, throws) => {
    const address = native.parseUrl(input, base, parts);
    if (address !== false) return address;
    if (throws) throw invalid(input, base);
    return undefined;
  };
  url.canParse = (input, base) => native.parseUrl(input, base, scratch) !== false;
  url.update = (address, action, value) => native.updateUrl(address, action, value, parts);
  url.domainToASCII = (domain) => {
    const address = native.parseUrl(`ws://${domain}`, undefined, scratch);
    return address === false ? '' : address.slice(5).replace(/\/$/, '').replace(/:\d+$/, '');
  };
  url.domainToUnicode = (domain) => native.idna(url.domainToASCII(domain), true);
  url.getOrigin = (address) => {
    native.parseUrl(address, undefined, scratch);
    const scheme = scratch[8];
    const isOpaque = scheme === 1 || scheme === 6;
    return isOpaque ? 'null' : `${address.slice(0, scratch[PROTOCOL])}//${address.slice(scratch[2], scratch[5]).replace(/^@/, '')}`;
  };
  url.pathToFileURL = (path) => {
    const escape = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    return native.parseUrl(`file://${path.replace(/[%\\\n\r\t?#]/g, escape)}`, undefined, parts);
  };
  url.format = (address, hash, unicode, search, auth) => {
    let shown = address;
    if (!hash) shown = native.updateUrl(shown, HASH, '', scratch);
    if (!search) shown = native.updateUrl(shown, SEARCH, '', scratch);
    if (!auth) {
      shown = native.updateUrl(shown, USERNAME, '', scratch) || shown;
      shown = native.updateUrl(shown, PASSWORD, '', scratch) || shown;
    }
    if (!unicode) return shown;
    native.parseUrl(shown, undefined, scratch);
    const start = scratch[2] + (shown[scratch[2]] === '@' ? 1 : 0);
    return shown.slice(0, start) + native.idna(shown.slice(start, scratch[3]), true) + shown.slice(scratch[3]);
  };
});
