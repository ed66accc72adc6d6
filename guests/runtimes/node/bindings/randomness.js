// Random bytes that Node's library fetches before it needs them. A session has them in its memory, and so
// has every fork of it: they are fetched anew when a call begins.
'use strict';

const known = [];
host.knownRandom = (buffer) => {
  known.push(buffer);
  return buffer;
};
host.refillRandom = () => { for (const buffer of known) native.random(host.bytesOf(buffer)); };

// internal/crypto/random has a buffer for `randomInt`, which it makes when it is loaded; those that it
// makes later are a program's.
host.withKnownRandom = (compiled) => (exports, require, ...others) => {
  let isLoading = true;
  const noting = (id) => {
    const found = require(id);
    if (id !== 'internal/buffer') return found;
    const { FastBuffer } = found;
    function Noted(...given) {
      const made = new FastBuffer(...given);
      return isLoading ? host.knownRandom(made) : made;
    }
    return { ...found, FastBuffer: Noted };
  };
  compiled(exports, noting, ...others);
  isLoading = false;
};
