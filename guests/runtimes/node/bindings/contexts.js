// contextify: scripts, functions, and `vm` contexts.
'use strict';

const { isObject, wrap } = host;
const contexts = new WeakSet();
// A name that a script in a context cannot mean.
const SOURCE = '__source_of_a_script_in_a_context';
const COMMONJS = ['exports', 'require', 'module', '__filename', '__dirname'];

const symbols = () => host.binding('util').privateSymbols;
const hide = (object, symbol, value) => Object.defineProperty(object, symbol, { value, configurable: true });

// Whether a source is an ES module and nothing else.
host.isModuleSource = (source, file) => {
  if (!/\b(?:import|export|await)\b/.test(source)) return false;
  try {
    native.moduleCompile(source, file);
    return true;
  } catch {
    return false;
  }
};

const withoutHashbang = (source) => (source.startsWith('#!') ? `//${source}` : source);
const sourceMapOf = (source) => /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(source)?.[1];

// Where the names of a script in a context are looked up: its object first, then what every realm has.
// It is this process's realm: a context shares Array and the like with the program (README.md).
function scopeOf(context) {
  const shared = new Set(['Object', 'Function', 'Array', 'Number', 'parseFloat', 'parseInt', 'Infinity', 'NaN', 'undefined',
    'Boolean', 'String', 'Symbol', 'Date', 'Promise', 'RegExp', 'Error', 'AggregateError', 'EvalError', 'RangeError',
    'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'JSON', 'Math', 'ArrayBuffer', 'Atomics', 'Uint8Array', 'Int8Array',
    'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'Float32Array', 'Float64Array', 'Uint8ClampedArray',
    'BigUint64Array', 'BigInt64Array', 'DataView', 'Map', 'BigInt', 'Set', 'Iterator', 'WeakMap', 'WeakSet', 'WeakRef', 'Proxy',
    'Reflect', 'eval', 'FinalizationRegistry', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape',
    'unescape', 'SharedArrayBuffer']);
  return new Proxy(context, {
    has: (target, key) => key !== SOURCE,
    get(target, key) {
      if (key === Symbol.unscopables) return undefined;
      if (key === 'globalThis') return target;
      if (key in target) return target[key];
      if (shared.has(key)) return globalThis[key];
      throw new ReferenceError(`${String(key)} is not defined`);
    },
  });
}

function runIn(source, file, context) {
  if (context === null || context === undefined) return native.runScript(source, file, 0);
  // `var` and functions at the top become properties of the context, as of a global object.
  const run = native.runScript(`(function (scope, ${SOURCE}) { with (scope) { return eval(${SOURCE}); } })`, file, 0);
  for (const [, name] of source.matchAll(/^(?:var|(?:async\s+)?function\*?)\s+([\w$]+)/gm)) if (!(name in context)) context[name] = undefined;
  const promoted = source
    .replace(/^var\s+([\w$]+)\s*=/gm, '$1 =')
    .replace(/^((?:async\s+)?function\*?)\s+([\w$]+)/gm, '$2 = $1 $2');
  return run(scopeOf(context), promoted);
}

class ContextifyScript {
  #source;
  #file;
  constructor(source, file, line, column, cachedData, producesCache, context, hostDefined) {
    hide(this, symbols().host_defined_option_symbol, typeof hostDefined === 'symbol' ? hostDefined : Symbol(file));
    this.#source = withoutHashbang(source);
    this.#file = file;
    native.checkScript(this.#source, file);
    this.sourceMapURL = sourceMapOf(source);
    if (cachedData !== undefined) this.cachedDataRejected = true;
    host.referrers.set(file, this[symbols().host_defined_option_symbol]);
    if (!file.startsWith('/')) host.evaluated.set(file, source);
  }
  runInContext(context) { return runIn(this.#source, this.#file, context); }
  createCachedData() { return host.toBuffer(new Uint8Array(0)); }
}

// What is wrong with a source: as a script it says so without the function around it.
function syntaxError(error, source, file) {
  try {
    native.checkScript(withoutHashbang(source), file);
  } catch (asScript) {
    if (!/return/.test(asScript.message)) return asScript;
  }
  return error;
}

// Who asks for import(), by the name that a source has: the symbol of its loader.
host.referrers = new Map();

host.define('contextify', (contextify) => {
  contextify.ContextifyScript = ContextifyScript;
  contextify.makeContext = (object) => {
    const context = isObject(object) || typeof object === 'function' ? object : {};
    hide(context, symbols().contextify_context_private_symbol, context);
    hide(context, symbols().host_defined_option_symbol, Symbol('context'));
    contexts.add(context);
    return context;
  };
  contextify.isContext = (object) => contexts.has(object);
  contextify.compileFunction = (source, file, line, column, cachedData, producesCache, context, extensions, parameters, hostDefined) => {
    const made = wrap(source, parameters ?? [], file);
    const symbol = typeof hostDefined === 'symbol' ? hostDefined : Symbol(file);
    hide(made, symbols().host_defined_option_symbol, symbol);
    host.referrers.set(file, symbol);
    return { function: made, sourceMapURL: sourceMapOf(source) };
  };
  contextify.compileFunctionForCJSLoader = (source, file, isMain, detects) => {
    let made;
    let canParseAsESM = false;
    try {
      made = wrap(withoutHashbang(source), COMMONJS, file);
      host.named('Object.<anonymous>', made); // as V8 calls it in stacks
    } catch (error) {
      canParseAsESM = host.isModuleSource(withoutHashbang(source), file);
      if (!detects || !canParseAsESM) throw syntaxError(error, source, file);
    }
    host.referrers.set(file, host.binding('symbols').vm_dynamic_import_main_context_default ?? host.binding('symbols').vm_dynamic_import_default_internal);
    return { __proto__: null, cachedDataRejected: false, sourceMapURL: sourceMapOf(source), canParseAsESM, function: made };
  };
  contextify.containsModuleSyntax = (source, file = 'module') => {
    try {
      wrap(withoutHashbang(source), COMMONJS, file);
      return false;
    } catch {
      return host.isModuleSource(withoutHashbang(source), file);
    }
  };
  contextify.shouldRetryAsESM = (source, file = 'module') => host.isModuleSource(withoutHashbang(source), file);
  contextify.startSigintWatchdog = () => {};
  contextify.stopSigintWatchdog = () => false;
  contextify.watchdogHasPendingSigint = () => false;
  contextify.measureMemory = () => { throw host.unavailable('vm.measureMemory'); };
});
