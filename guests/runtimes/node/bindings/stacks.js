// Stacks as V8 writes them. The engine makes call sites; the text is made when it is read first, so
// that it has the message of then.
'use strict';

const engineHook = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');

function firstLine(error) {
  try {
    // Node's own errors have their code there, but not in their name.
    const { kIsNodeError } = host.requireBuiltin('internal/errors');
    if (kIsNodeError in error) return `${error.name} [${error.code}]: ${error.message}`;
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function place(site) {
  const file = site.getFileName();
  if (file === null || file === undefined || file === '' || file === 'native') return 'native';
  return `${file}:${site.getLineNumber()}:${site.getColumnNumber()}`;
}

// Not shown: our own frames, which are C++ in Node, and calls from C.
const isShown = (site) => {
  const file = site.getFileName() ?? '';
  return !file.startsWith('bindings/') && file !== '' && file !== 'native' && file !== 'loader' || site.getPromiseIndex() !== null;
};

// The engine's own names for what V8 has no name for.
const NAMELESS = ['', '<anonymous>', '<eval>', '<module>'];

host.nameOf = (site) => {
  const name = site.getFunctionName() ?? '';
  return NAMELESS.includes(name) ? '' : name;
};

function frame(site) {
  const name = host.nameOf(site);
  const kind = site.isAsync() ? 'async ' : site.isConstructor() ? 'new ' : '';
  if (site.getPromiseIndex() !== null) return `    at async Promise.all (index ${site.getPromiseIndex()})`;
  if (kind === 'new ') return `    at new ${name || '<anonymous>'} (${place(site)})`;
  return name !== '' ? `    at ${kind}${name} (${place(site)})` : `    at ${kind}${place(site)}`;
}

host.frame = frame;

// Errors whose stack Node's library makes itself: those that the REPL shows.
const overrides = () => host.requireBuiltin('internal/errors').overrideStackTrace;

// Errors that come from nowhere have the frames of who waits for a promise.
host.addAsyncFrames = (error, promise) => {
  error.stack = [error.stack, ...native.asyncFrames(promise).filter(isShown).map(frame)].join('\n');
};

// The text is made when it is read first, by what `hookOf` says then.
const prepare = (hookOf) => (error, sites) => {
  const shown = sites.filter(isShown);
  const hook = hookOf();
  if (typeof hook === 'function') return hook(error, shown);
  const lines = shown.map(frame);
  return () => {
    const override = overrides().get(error);
    const text = override !== undefined ? override(error, shown) : [firstLine(error), ...lines].join('\n');
    Object.defineProperty(error, 'stack', { __proto__: null, value: text, writable: true, configurable: true, enumerable: false });
    return text;
  };
};

// What V8's call sites have and the engine's have not. As for functions in strict mode, `this` is not said.
function completeCallSites() {
  let prototype;
  engineHook.set.call(Error, (error, sites) => { prototype = Object.getPrototypeOf(sites[0]); });
  void new Error().stack;
  // For functions without a name, and what is not in a function, V8 has no name.
  const ofEngine = prototype.getFunctionName;
  Object.defineProperty(prototype, 'getFunctionName', {
    __proto__: null,
    value: { getFunctionName() { const name = ofEngine.call(this); return NAMELESS.includes(name) ? null : name; } }.getFunctionName,
    writable: true,
    configurable: true,
  });
  const missing = {
    isEval() { return false; },
    getEvalOrigin() { return undefined; },
    isToplevel() { return true; },
    isPromiseAll() { return this.getPromiseIndex() !== null; },
    getThis() { return undefined; },
    getTypeName() { return null; },
    getMethodName() { return null; },
    getFunction() { return undefined; },
    getScriptNameOrSourceURL() { return this.getFileName(); },
    toString() { return frame(this).slice('    at '.length); },
  };
  for (const [name, value] of Object.entries(missing)) {
    if (!Object.hasOwn(prototype, name)) Object.defineProperty(prototype, name, { __proto__: null, value, writable: true, configurable: true });
  }
}

// After Node's library has set its own hook, which is for source maps and `vm` and asks the engine's.
host.installStacks = () => {
  const byDefault = Error.prepareStackTrace;
  completeCallSites();
  let hook = byDefault;
  engineHook.set.call(Error, prepare(() => (typeof hook === 'function' && hook !== byDefault ? (error, sites) => hook.call(Error, error, sites) : undefined)));
  Object.defineProperty(Error, 'prepareStackTrace', {
    __proto__: null,
    get() { return hook; },
    set(value) { hook = value; },
    enumerable: false,
    configurable: true,
  });
};

// A realm of its own has an Error of its own, and may have a hook of its own.
host.installStacksIn = (RealmError) => {
  const { set } = Object.getOwnPropertyDescriptor(RealmError, 'prepareStackTrace');
  let hook;
  set.call(RealmError, prepare(() => (typeof hook === 'function' ? (error, sites) => hook.call(RealmError, error, sites) : undefined)));
  Object.defineProperty(RealmError, 'prepareStackTrace', {
    __proto__: null,
    get() { return hook; },
    set(value) { hook = value; },
    enumerable: false,
    configurable: true,
  });
};
