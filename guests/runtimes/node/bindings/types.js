// Kinds of values: util.types, and what util.inspect asks the engine for.
'use strict';

const { className } = native;
const isOf = (...names) => (value) => names.includes(className(value));
const tagOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const isObject = (value) => typeof value === 'object' && value !== null;

const types = {
  isExternal: () => false,
  isDate: isOf('Date'),
  isArgumentsObject: isOf('Arguments', 'MappedArguments'),
  isBigIntObject: isOf('BigInt'),
  isBooleanObject: isOf('Boolean'),
  isNumberObject: isOf('Number'),
  isStringObject: isOf('String'),
  isSymbolObject: isOf('Symbol'),
  isBoxedPrimitive: isOf('BigInt', 'Boolean', 'Number', 'String', 'Symbol'),
  isNativeError: isOf('Error'),
  isRegExp: isOf('RegExp'),
  isAsyncFunction: isOf('AsyncFunction', 'AsyncGeneratorFunction'),
  isGeneratorFunction: isOf('GeneratorFunction', 'AsyncGeneratorFunction'),
  isGeneratorObject: isOf('Generator', 'AsyncGenerator'),
  isPromise: isOf('Promise'),
  isMap: isOf('Map'),
  isSet: isOf('Set'),
  isMapIterator: isOf('Map Iterator'),
  isSetIterator: isOf('Set Iterator'),
  isWeakMap: isOf('WeakMap'),
  isWeakSet: isOf('WeakSet'),
  isArrayBuffer: isOf('ArrayBuffer'),
  isDataView: isOf('DataView'),
  isSharedArrayBuffer: isOf('SharedArrayBuffer'),
  isAnyArrayBuffer: isOf('ArrayBuffer', 'SharedArrayBuffer'),
  isModuleNamespaceObject: isOf('Module'),
  isProxy: (value) => native.proxyParts(value) !== undefined,
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isTypedArray: (value) => tagOf.call(value) !== undefined,
  // Of modules that are not there: nothing is one.
  isCryptoKey: () => false,
  isKeyObject: () => false,
  isEventTarget: () => false,
};
for (const kind of ['Uint8', 'Uint8Clamped', 'Uint16', 'Uint32', 'Int8', 'Int16', 'Int32', 'Float16', 'Float32', 'Float64', 'BigInt64', 'BigUint64']) {
  types[`is${kind}Array`] = (value) => isObject(value) && tagOf.call(value) === `${kind}Array`;
}
host.types = types;
host.isObject = isObject;

host.define('types', (binding) => {
  for (const name of Object.keys(types)) binding[name] = host.named(name, types[name]);
});

const isIndex = (key) => {
  const number = key >>> 0;
  return String(number) === key && number !== 4294967295;
};

function constructorName(object) {
  for (let at = object; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, 'constructor');
    if (typeof found?.value === 'function' && found.value.name !== '') return found.value.name;
  }
  return native.className(object) ?? ''; // as V8 calls an object without a prototype
}

// Frames as V8's StackTrace gives them: first that of Node's function which asks its binding.
const OURS = 20; // at most so many frames are of the bindings, and are not shown
function callSites(count) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = count + OURS;
  Error.prepareStackTrace = (error, sites) => sites;
  const sites = new Error().stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  return Array.isArray(sites) ? sites.slice(0, count) : [];
}

function isInsideNodeModules(count = 10) {
  for (const site of callSites(count)) {
    const file = site.getFileName() ?? '';
    if (file !== '' && !file.startsWith('node:')) return /[/\\]node_modules[/\\]/.test(file);
  }
  return false;
}

function parseEnv(text) {
  const variables = {};
  const line = /^\s*(?:export\s+)?([\w.-]+)\s*=[^\S\n]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|([^#\n\r]*))?/gm;
  for (const [, name, double, single, ticks, plain] of text.matchAll(line)) {
    variables[name] = double !== undefined ? double.replaceAll('\\n', '\n') : single ?? ticks ?? (plain ?? '').trim();
  }
  return variables;
}

// As V8's lazy data properties: a getter that looks like one until it is used.
function defineLazyProperties(target, id, keys, enumerable = true) {
  for (const key of keys) {
    let value;
    let isThere = false;
    const get = host.named(key, () => {
      if (!isThere) {
        value = host.requireBuiltin(id)[key];
        isThere = true;
      }
      return value;
    });
    const set = host.named(key, (given) => {
      Object.defineProperty(target, key, { __proto__: null, value: given, writable: true, enumerable, configurable: true });
    });
    Object.defineProperty(target, key, { __proto__: null, enumerable, configurable: true, get, set });
  }
}

host.define('util', (util) => {
  for (const name of Object.keys(types)) if (name in util) util[name] = host.named(name, types[name]);
  for (const name of Object.keys(util.privateSymbols)) util.privateSymbols[name] = native.privateSymbol(`node:${name}`);
  util.getPromiseDetails = native.promiseState;
  util.markPromiseAsHandled = native.markHandled;
  util.getProxyDetails = (value, both = true) => {
    const parts = native.proxyParts(value);
    return parts === undefined || both ? parts : parts[0];
  };
  util.previewEntries = (value, isIterator) => {
    const found = native.entries(value);
    return found === undefined || isIterator ? found : found[0];
  };
  const { ONLY_ENUMERABLE, SKIP_SYMBOLS } = util.constants;
  util.getOwnNonIndexProperties = (object, filter) => Reflect.ownKeys(object).filter((key) =>
    (typeof key === 'symbol' ? (filter & SKIP_SYMBOLS) === 0 : !isIndex(key)) &&
    ((filter & ONLY_ENUMERABLE) === 0 || Object.getOwnPropertyDescriptor(object, key)?.enumerable));
  util.getConstructorName = constructorName;
  util.getCallerLocation = () => {
    const site = callSites(2)[1];
    return site && [site.getLineNumber(), site.getColumnNumber(), site.getFileName() ?? ''];
  };
  util.getCallSites = (count) => callSites(count + 1).slice(1).map((site) => ({
    __proto__: null,
    functionName: host.nameOf(site),
    scriptId: '0',
    scriptName: site.getFileName() ?? '',
    lineNumber: site.getLineNumber(),
    columnNumber: site.getColumnNumber(),
    column: site.getColumnNumber(),
  }));
  util.isInsideNodeModules = isInsideNodeModules;
  util.isConstructor = (value) => {
    try {
      Reflect.construct(Object, [], value);
      return true;
    } catch {
      return false;
    }
  };
  util.sleep = (milliseconds) => native.sleep(milliseconds);
  const kinds = ['TCP', 'TTY', 'UDP', 'FILE', 'PIPE', 'UNKNOWN', 'INVALID'];
  util.guessHandleType = (fd) => {
    const kind = native.descriptorKind(fd);
    return kinds.indexOf(kind);
  };
  util.arrayBufferViewHasBuffer = () => true;
  util.constructSharedArrayBuffer = (length) => new SharedArrayBuffer(length);
  util.toUSVString = (value) => String(value).toWellFormed();
  util.defineLazyProperties = defineLazyProperties;
  util.parseEnv = parseEnv;
  util.shouldAbortOnUncaughtToggle = new Uint32Array(1);
  // Strong while something counts on it, weak otherwise.
  util.WeakReference = class WeakReference {
    #weak;
    #strong = undefined;
    #count = 0;
    constructor(object) { this.#weak = new WeakRef(object); }
    get() { return this.#weak.deref(); }
    incRef() { if (this.#count++ === 0) this.#strong = this.#weak.deref(); }
    decRef() { if (--this.#count === 0) this.#strong = undefined; }
  };
});

host.define('symbols', (symbols) => {
  for (const name of Object.keys(symbols)) symbols[name] = Symbol(name);
});
