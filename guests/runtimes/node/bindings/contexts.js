// contextify: scripts, functions, and `vm` contexts.
'use strict';

const { isObject, wrap } = host;
const contexts = new WeakSet();
const REALM = native.privateSymbol('realm');
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

// The realm of a context, as the C half knows it; undefined for the program's own.
const realmOf = (context) => (context === null || context === undefined ? undefined : context[REALM]);
host.realmOf = realmOf;

function runIn(source, file, line, context, timeout = 0) {
  const value = native.realmRun(realmOf(context), source, file, line, timeout);
  if (native.isLate()) {
    throw host.codeError(Error, 'ERR_SCRIPT_EXECUTION_TIMEOUT', `Script execution timed out after ${timeout}ms`);
  }
  return value;
}

class ContextifyScript {
  #source;
  #file;
  #line;
  constructor(source, file, line, column, cachedData, producesCache, context, hostDefined) {
    hide(this, symbols().host_defined_option_symbol, typeof hostDefined === 'symbol' ? hostDefined : Symbol(file));
    this.#source = withoutHashbang(source);
    this.#file = file;
    this.#line = line ?? 0;
    try {
      native.checkScript(this.#source, file, this.#line);
    } catch (error) {
      throw host.decorateSyntax(error, file);
    }
    this.sourceMapURL = sourceMapOf(source);
    if (cachedData !== undefined) this.cachedDataRejected = true;
    host.referrers.set(file, this[symbols().host_defined_option_symbol]);
    if (!file.startsWith('/')) host.evaluated.set(file, source);
  }
  runInContext(context, timeout, displaysErrors) {
    try {
      return runIn(this.#source, this.#file, this.#line, context, Math.max(timeout, 0));
    } catch (error) {
      throw displaysErrors ? host.decorate(error) : error;
    }
  }
  createCachedData() { return host.toBuffer(new Uint8Array(0)); }
}

// What is wrong with a source: as a script it says so without the function around it.
function syntaxError(error, source, file) {
  const decorated = host.decorateSyntax(error, file);
  try {
    native.checkScript(withoutHashbang(source), file, 0);
  } catch (asScript) {
    if (!/return/.test(asScript.message)) return host.decorateSyntax(asScript, file);
  }
  return decorated;
}

// Who asks for import(), by the name that a source has: the symbol of its loader.
host.referrers = new Map();

host.define('contextify', (contextify) => {
  contextify.ContextifyScript = ContextifyScript;
  contextify.makeContext = (object, name, origin, strings = true) => {
    const context = isObject(object) || typeof object === 'function' ? object : {};
    const realm = native.realmMake(context, strings);
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
      made = wrap(source, parameters ?? [], file, realmOf(context));
    } catch (error) {
      throw host.decorateSyntax(error, file);
    }
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
  contextify.startSigintWatchdog = () => {};
  contextify.stopSigintWatchdog = () => false;
  contextify.watchdogHasPendingSigint = () => false;
  contextify.measureMemory = () => { throw host.unavailable('vm.measureMemory'); };
});
