// contextify: scripts, functions, and `vm` contexts.
'use strict';

const { isObject, wrap } = host;
const contexts = new WeakSet();
const REALM = native.privateSymbol('realm');
const COMMONJS = ['exports', 'require', 'module', '__filename', '__dirname'];

const symbols = () => host.binding('util').privateSymbols;
const hide = (object, symbol, value) => Object.defineProperty(object, symbol, { __proto__: null, value, configurable: true });

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

// Code is not kept: what stands for it says only from which source it would be.
const CACHE = [0x6e, 0x6f, 0x64, 0x65, 0x71, 0x6a, 0x73, 0x31];
host.cacheOf = (source) => {
  const bytes = host.encode(source, 'utf8');
  const marks = new Uint32Array([bytes.length, native.crc32(bytes, 0)]);
  return host.toBuffer(new Uint8Array([...CACHE, ...new Uint8Array(marks.buffer)]));
};
host.isCacheOf = (source, data) => native.compareBytes(host.bytesOf(data), host.cacheOf(source)) === 0;

const withoutHashbang = (source) => (source.startsWith('#!') ? `//${source}` : source);
const sourceMapOf = (source) => /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(source)?.[1];

// The realm of a context, as the C half knows it; undefined for the program's own.
const realmOf = (context) => (context === null || context === undefined ? undefined : context[REALM]);
host.realmOf = realmOf;

function runIn(source, file, line, column, context, timeout, breaks) {
  const value = native.realmRun(realmOf(context), source, file, line, timeout, column, breaks);
  if (native.isBroken()) {
    throw host.codeError(Error, 'ERR_SCRIPT_EXECUTION_INTERRUPTED', 'Script execution was interrupted by `SIGINT`');
  }
  if (native.isLate()) {
    throw host.codeError(Error, 'ERR_SCRIPT_EXECUTION_TIMEOUT', `Script execution timed out after ${timeout}ms`);
  }
  return value;
}

// SIGINT, while somebody waits for it or a script may be ended by it.
const SIGINT = 2;
let watching = 0;
function watchInterrupts() {
  if (watching++ === 0) native.catchSignal(SIGINT, true);
  return true;
}
function leaveInterrupts() {
  if (--watching === 0 && !host.loop.handlesSignal(SIGINT)) native.catchSignal(SIGINT, false);
}

class ContextifyScript {
  #whole;
  #source;
  #file;
  #line;
  #column;
  constructor(source, file, line, column, cachedData, producesCache, context, hostDefined) {
    hide(this, symbols().host_defined_option_symbol, typeof hostDefined === 'symbol' ? hostDefined : Symbol(file));
    this.#whole = source;
    this.#source = withoutHashbang(source);
    this.#file = file;
    this.#line = line ?? 0;
    this.#column = column ?? 0;
    try {
      native.checkScript(this.#source, file, this.#line, this.#column);
    } catch (error) {
      throw host.decorateSyntax(error, file);
    }
    this.sourceMapURL = sourceMapOf(source);
    if (cachedData !== undefined) this.cachedDataRejected = !host.isCacheOf(source, cachedData);
    if (producesCache) {
      this.cachedDataProduced = true;
      this.cachedData = host.cacheOf(source);
    }
    host.referrers.set(file, this[symbols().host_defined_option_symbol]);
    if (!file.startsWith('/')) host.evaluated.set(file, source);
    if (this.#line !== 0 || this.#column !== 0) host.offsets.set(file, [this.#line, this.#column]);
  }
  runInContext(context, timeout, displaysErrors, breaks) {
    if (breaks) watchInterrupts();
    try {
      return runIn(this.#source, this.#file, this.#line, this.#column, context, Math.max(timeout, 0), breaks);
    } catch (error) {
      if (breaks && error?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') native.takeSignal(SIGINT); // it has had its effect
      throw displaysErrors ? host.decorate(error) : error;
    } finally {
      if (breaks) leaveInterrupts();
    }
  }
  createCachedData() { return host.cacheOf(this.#whole); }
}

// What is wrong with a source: as a script it says so without the function around it.
function syntaxError(error, source, file) {
  const decorated = host.decorateSyntax(error, file);
  try {
    native.checkScript(withoutHashbang(source), file, 0, 0);
  } catch (asScript) {
    if (!/return/.test(asScript.message)) return host.decorateSyntax(asScript, file);
  }
  return decorated;
}

// A source that ends the function around it and begins another would also be one that ends a method.
function checkBody(source, parameters, file) {
  const inside = `(${parameters.join(', ')}) {\n${source}\n}`;
  native.checkScript(`(function ${inside})`, file, -1, 0);
  try {
    native.checkScript(`({ f${inside} })`, file, -1, 0);
  } catch {
    throw new SyntaxError("Unexpected token '}'");
  }
}

// Who asks for import(), by the name that a source has: the symbol of its loader.
host.referrers = new Map();

host.define('contextify', (contextify) => {
  contextify.ContextifyScript = ContextifyScript;
  contextify.makeContext = (object, name, origin, strings = true) => {
    const isVanilla = object === host.binding('symbols').vm_context_no_contextify;
    const realm = native.realmMake(isVanilla ? undefined : object, strings);
    const context = isVanilla ? native.realmGlobal(realm) : object;
    hide(context, REALM, realm);
    host.installStacksIn(native.realmRun(realm, 'Error', 'bindings/contexts.js', 0, 0));
    hide(context, symbols().contextify_context_private_symbol, context);
    hide(context, symbols().host_defined_option_symbol, Symbol('context'));
    contexts.add(context);
    return context;
  };
  contextify.isContext = (object) => contexts.has(object);
  contextify.compileFunction = (source, file, line, column, cachedData, producesCache, context, extensions, parameters, hostDefined) => {
    let made;
    try {
      checkBody(source, parameters ?? [], file);
      made = wrap(source, parameters ?? [], file, realmOf(context), extensions);
    } catch (error) {
      throw host.decorateSyntax(error, file);
    }
    const symbol = typeof hostDefined === 'symbol' ? hostDefined : Symbol(file);
    hide(made, symbols().host_defined_option_symbol, symbol);
    host.referrers.set(file, symbol);
    const result = { function: made, sourceMapURL: sourceMapOf(source) };
    if (cachedData !== undefined) result.cachedDataRejected = !host.isCacheOf(source, cachedData);
    if (producesCache) Object.assign(result, { cachedDataProduced: true, cachedData: host.cacheOf(source) });
    return result;
  };
  contextify.compileFunctionForCJSLoader = (source, file, isMain, detects) => {
    let made;
    let canParseAsESM = false;
    try {
      made = wrap(withoutHashbang(source), COMMONJS, file);
      host.named('Object.<anonymous>', made); // as V8 calls it in stacks
    } catch (error) {
      host.decorateSyntax(error, file);
      canParseAsESM = host.isModuleSource(withoutHashbang(source), file);
      if (!detects || !canParseAsESM) throw syntaxError(error, source, file);
    }
    host.referrers.set(file, symbols().vm_dynamic_import_default_internal);
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
  contextify.startSigintWatchdog = watchInterrupts;
  contextify.stopSigintWatchdog = () => {
    const hasArrived = native.takeSignal(SIGINT);
    leaveInterrupts();
    return hasArrived;
  };
  contextify.watchdogHasPendingSigint = () => native.hasSignal(SIGINT);
  contextify.measureMemory = () => { throw host.unavailable('vm.measureMemory'); };
});
