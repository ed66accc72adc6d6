// Errors with a code: Node's own that its C++ throws, and those of the system.
'use strict';

host.codeError = (Kind, code, message) => {
  const error = new Kind(message);
  error.code = code;
  return error;
};

const systemErrors = new Map(host.shapes.errors.map(([number, name, text]) => [number, [name, text]]));
const describe = (number) => systemErrors.get(number) ?? [`Unknown system error ${number}`, `Unknown system error ${number}`];

// As libuv's UVException: `number` is negative.
host.systemError = (number, call, path, destination) => {
  const [code, text] = describe(number);
  let message = `${code}: ${text}, ${call}`;
  if (path !== undefined) message += ` '${path}'`;
  if (destination !== undefined) message += ` -> '${destination}'`;
  const error = new Error(message);
  error.errno = number;
  error.code = code;
  error.syscall = call;
  if (path !== undefined) error.path = path;
  if (destination !== undefined) error.dest = destination;
  return error;
};

// A number that a call of the C half returned; who knows paths and names makes an error of it.
host.SystemFailure = class SystemFailure {
  constructor(number) { this.number = number; }
};

// What a call returned, or a SystemFailure is thrown.
host.check = (result) => {
  if (typeof result === 'number' && result < 0) throw new host.SystemFailure(result);
  return result;
};

// Constants have no prototype, so that a name is either one of them or nothing.
host.define('constants', (constants) => {
  const fix = (object, key, value) => Object.defineProperty(object, key, { __proto__: null, value, enumerable: true });
  const bare = (object) => {
    for (const [key, value] of Object.entries(object)) {
      if (typeof value === 'object') continue;
      delete object[key];
      fix(object, key, value);
    }
    Object.setPrototypeOf(object, null);
    for (const value of Object.values(object)) if (typeof value === 'object') bare(value);
  };
  constants.crypto.OPENSSL_VERSION_NUMBER = 0x30000000; // as `process.versions.openssl`, in process.js
  bare(constants);
});

host.define('uv', (uv) => {
  uv.getErrorMap = () => new Map(systemErrors);
  uv.errname = (number) => describe(number)[0];
  uv.getErrorMessage = (number) => describe(number)[1];
});
