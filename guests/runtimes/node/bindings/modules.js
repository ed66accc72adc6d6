// ES modules: ModuleWrap, on modules that the engine compiles, links and runs one by one (src/engine.c).
'use strict';

let importDynamically;
let initializeMeta;
const symbols = () => host.binding('symbols');
const hostDefined = () => host.binding('util').privateSymbols.host_defined_option_symbol;

const attributesOf = (attributes) => ({ __proto__: null, ...attributes });

// The line of an error, which Node's loader puts before its stack.
function withArrow(error, arrow) {
  if (arrow === undefined || !host.types.isNativeError(error)) return error;
  const symbol = host.binding('util').privateSymbols.arrow_message_private_symbol;
  return Object.defineProperty(error, symbol, { __proto__: null, value: arrow, writable: true, configurable: true });
}

function syntaxArrow(error, url) {
  const place = native.syntaxPlace(error);
  return place && host.arrow(url, place[0], place[3], place[1], place[2]);
}

// Where a source imports a name, or exports that of another module.
function importArrow(url, source, name, specifier) {
  for (const found of source.matchAll(/\b(?:import|export)\b([^;'"]*?)\bfrom\s*(['"])(.*?)\2/g)) {
    if (found[3] !== specifier) continue;
    const names = name === 'default' ? /^\s*([\w$]+)|\bdefault(?:\s+as\s+[\w$]+)?/ : new RegExp(`(?<=[{,]\\s*)${RegExp.escape(name)}\\b(?:\\s+as\\s+[\\w$]+)?`);
    const inside = names.exec(found[1]);
    if (inside === null) continue;
    const text = inside[1] ?? inside[0];
    const at = found.index + found[0].indexOf(found[1]) + inside.index + inside[0].indexOf(text);
    const lines = source.slice(0, at).split('\n');
    const column = lines.at(-1).length + 1;
    const shown = found[0].startsWith('import') ? text.replace(/\s+as\s.*/, '') : text;
    return host.arrow(url, lines.length, source.split('\n')[lines.length - 1], column, shown.length);
  }
  return undefined;
}

// What Node says at the end of a program that waits for what will never come.
host.unsettledWarning = () => {
  const place = native.waitingModule();
  if (place === undefined) return 'Warning: Detected unsettled top-level await\n';
  const [file, line, column] = place;
  const text = host.sourceOf(file)?.split('\n')[line - 1] ?? '';
  return `Warning: Detected unsettled top-level await at ${host.arrow(file, line, text, column, 1)}\n\n\n`;
};

function classFor(binding) {
  const NOBODY = Symbol('nobody'); // is asked for the import.meta of a module that does not use it
  return class ModuleWrap {
    #record;
    #source;
    #requests = [];
    #linked = [];
    #asked; // whom to ask for import.meta, until it has been asked
    // url, context, then for a source: source, line, column, whom to ask for import();
    // for a synthetic one: names of exports, the function that sets them.
    constructor(url, context, source, second, column, asked) {
      this.url = url;
      this[hostDefined()] = typeof asked === 'symbol' ? asked : Symbol(url);
      if (typeof second === 'function') {
        this.synthetic = true;
        this.#record = native.moduleSynthetic(url, source, () => { second.call(this); });
        this.hasTopLevelAwait = false;
        return;
      }
      this.#source = source;
      try {
        this.#record = native.moduleCompile(source, url, host.realmOf(context));
      } catch (error) {
        throw withArrow(error, syntaxArrow(error, url));
      }
      this.sourceMapURL = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(source)?.[1];
      host.referrers.set(url, this[hostDefined()]);
      if (!url.startsWith('file:')) host.evaluated.set(url, source);
      const found = native.moduleRequests(this.#record);
      for (let at = 0; at < found.length; at += 2) {
        this.#requests.push({ __proto__: null, specifier: found[at], attributes: attributesOf(found[at + 1]), phase: binding.kEvaluationPhase });
      }
      this.hasTopLevelAwait = native.moduleHasTopLevelAwait(this.#record);
      // Node's own modules that do not use it are in no registry.
      this.#asked = /\bmeta\b/.test(source) ? this[hostDefined()] : NOBODY;
      if (asked !== undefined && typeof asked !== 'symbol' && !host.isCacheOf(source, asked)) {
        throw host.codeError(Error, 'ERR_VM_MODULE_CACHED_DATA_REJECTED', 'cachedData buffer was rejected');
      }
    }
    // import.meta, which V8 asks for when a module reads it first: here before any of a graph runs.
    #initializeMeta() {
      if (this.#asked === undefined) return;
      const asked = this.#asked;
      this.#asked = undefined;
      if (asked !== NOBODY) initializeMeta?.(asked, native.moduleMeta(this.#record), this);
      for (const module of this.#linked) module.#initializeMeta();
    }
    createCachedData() { return host.cacheOf(this.#source); }
    get record() { return this.#record; }
    getModuleRequests() { return this.#requests; }
    link(modules) {
      this.#linked = Array.from(modules);
      native.moduleLink(this.#record, this.#linked.map((module) => module.record));
    }
    instantiate() {
      if (this.getStatus() >= binding.kInstantiated) return;
      this.#initializeMeta();
      try {
        native.moduleInstantiate(this.#record);
      } catch (error) {
        throw this.#withV8sWords(error);
      }
    }
    // Node's loader looks for these words to explain an export that a CommonJS module lacks.
    #withV8sWords(error) {
      const missing = /^Could not find export '([^']*)' in module '([^']*)'/.exec(error?.message);
      if (missing === null) return error;
      const [, name, url] = missing;
      const found = this.#asking(name, url, new Set());
      error.message = `The requested module '${found?.specifier ?? url}' does not provide an export named '${name}'`;
      return withArrow(error, found?.arrow);
    }
    // Which module of the graph asks another for a name, and where in its source.
    #asking(name, url, seen) {
      if (seen.has(this)) return undefined;
      seen.add(this);
      for (const [at, { specifier }] of this.#requests.entries()) {
        const arrow = this.#linked[at]?.url === url ? importArrow(this.url, this.#source ?? '', name, specifier) : undefined;
        if (arrow !== undefined) return { specifier, arrow };
      }
      for (const module of this.#linked) {
        const found = module.#asking(name, url, seen);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    instantiateSync() { this.instantiate(); }
    isGraphAsync() { return this.hasAsyncGraph; }
    get hasAsyncGraph() {
      const seen = new Set();
      const isAsync = (module) => {
        if (seen.has(module)) return false;
        seen.add(module);
        return module.hasTopLevelAwait || module.#linked.some(isAsync);
      };
      return isAsync(this);
    }
    evaluate() { return native.moduleEvaluate(this.#record); }
    evaluateSync() {
      const promise = this.evaluate();
      const [state, reason] = native.promiseState(promise);
      native.markHandled(promise);
      if (state === 2) throw reason;
      if (state === 0) throw host.codeError(Error, 'ERR_REQUIRE_ASYNC_MODULE', 'require() cannot be used on an ESM graph with top-level await. Use import() instead. To see where the top-level await comes from, use --experimental-print-required-tla.');
      return this.getNamespace();
    }
    getNamespaceSync() { return this.getNamespace(); }
    getNamespace() { return native.moduleNamespace(this.#record); }
    getStatus() {
      const { kUninstantiated, kInstantiating, kInstantiated, kEvaluating, kEvaluated, kErrored } = binding;
      const [status] = native.moduleStatus(this.#record);
      return [kUninstantiated, kInstantiating, kInstantiated, kEvaluating, kEvaluated, kErrored][status];
    }
    getError() { return native.moduleStatus(this.#record)[1]; }
    setExport(name, value) { native.moduleSetExport(this.#record, name, value); }
    getStaticDependencySpecifiers() { return this.#requests.map((request) => request.specifier); }
  };
}

host.define('module_wrap', (binding) => {
  binding.ModuleWrap = classFor(binding);
  binding.setImportModuleDynamicallyCallback = (callback) => { importDynamically = callback; };
  binding.setInitializeImportMetaObjectCallback = (callback) => { initializeMeta = callback; };
  // What require() of an ES module gives: its namespace with `__esModule`.
  binding.createRequiredModuleFacade = (module) => {
    const source = "export * from 'original'; export { default } from 'original'; export const __esModule = true;";
    const facade = new binding.ModuleWrap('node:internal/require_module_default_facade', undefined, source, 0, 0);
    facade.link([module, module].slice(0, facade.getModuleRequests().length));
    facade.instantiate();
    return facade.evaluateSync();
  };
  binding.throwIfPromiseRejected = (promise) => {
    const [state, reason] = native.promiseState(promise);
    if (state === 2) throw reason;
  };
  native.onImport((referrer, specifier, options) => {
    try {
      if (host.isTurn(referrer)) return host.importInTurn(String(specifier), attributesOf(options?.with));
      const asked = host.referrers.get(referrer) ?? symbols().vm_dynamic_import_default_internal;
      return importDynamically(asked, String(specifier), binding.kEvaluationPhase, attributesOf(options?.with), referrer);
    } catch (error) {
      return Promise.reject(error);
    }
  });
});

host.define('cjs_lexer', (lexer) => {
  lexer.parse = (source) => {
    const found = native.commonjsExports(source);
    if (found === null) throw new Error('Parse error');
    return [new Set(found[0]), found[1]];
  };
});
