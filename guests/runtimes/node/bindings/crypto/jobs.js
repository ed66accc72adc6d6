// Jobs: one operation in the three ways in which Node's library asks for it. At once; or with `ondone` or a promise, whose
// outcome the loop hands out. There are no threads: also the latter are done in one piece, but after what is running now.
'use strict';

const [ASYNC, SYNC, WEB] = [0, 1, 2];
Object.assign(crypto, { kCryptoJobAsync: ASYNC, kCryptoJobSync: SYNC, kCryptoJobWebCrypto: WEB });

const operationError = (cause) => new (host.requireBuiltin('internal/util').lazyDOMExceptionClass())(
  'The operation failed for an operation-specific reason', { name: 'OperationError', cause });

// A web job's result: a buffer instead of its view.
const forWeb = (value) => (ArrayBuffer.isView(value) ? value.buffer : value);

// Promises look for `then` in what they are resolved with; a program may have put one on a prototype.
function resolveWith(resolve, value) {
  const guard = value !== null && typeof value === 'object' && !Object.hasOwn(value, 'then');
  if (guard) Object.defineProperty(value, 'then', { __proto__: null, value: undefined, configurable: true });
  try {
    resolve(value);
  } finally {
    if (guard) delete value.then;
  }
}

// `prepare` has the arguments after the mode: it throws for what is wrong with them, and returns the function that does the work.
shared.job = (name, prepare) => {
  const made = class {
    #mode;
    #work;
    constructor(mode, ...given) {
      this.#mode = mode;
      this.#work = prepare(mode !== SYNC, mode === WEB, ...given);
    }
    #outcome() {
      try {
        return [undefined, this.#work()];
      } catch (error) {
        return [error, undefined];
      }
    }
    run() {
      if (this.#mode === SYNC) return this.#outcome();
      if (this.#mode === ASYNC) {
        this.#begin((error, value) => (error === undefined ? this.ondone(undefined, value) : this.ondone(error)));
        return undefined;
      }
      const { promise, resolve, reject } = Promise.withResolvers();
      this.#begin((error, value) => (error === undefined ? resolveWith(resolve, forWeb(value)) : reject(operationError(error))));
      return promise;
    }
    #begin(done) {
      const { AsyncResource } = host.requireBuiltin('async_hooks');
      const resource = new AsyncResource(name);
      host.loop.later(() => {
        const outcome = this.#outcome();
        resource.runInAsyncScope(() => {
          try {
            done(...outcome);
          } catch (error) {
            host.fatal(error); // while the domain of the resource is the current one
          }
        });
      });
    }
  };
  crypto[name] = host.named(name, made);
};

// Bytes of an argument as they are now, for a job that is done later.
shared.copied = (value, isLater) => (isLater ? host.bytesOf(value).slice() : host.bytesOf(value));

// Lengths beyond an int, which OpenSSL does not take.
shared.checkSize = (value, name) => {
  if (value.byteLength > 0x7fffffff) throw shared.outOfRange(`${name} is too big`);
};
