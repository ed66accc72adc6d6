// ES modules: ModuleWrap, on modules that the engine compiles, links and runs one by one (src/engine.c).
'use strict';

let importDynamically;
let initializeMeta;
const symbols = () => host.binding('symbols');
const hostDefined = () => host.binding('util').privateSymbols.host_defined_option_symbol;

const attributesOf = (attributes) => ({ __proto__: null, ...attributes });

function classFor(binding) {
  return class ModuleWrap {
    #record;
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
      this.#record = native.moduleCompile(source, url);
      this.sourceMapURL = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(source)?.[1];
      host.referrers.set(url, this[hostDefined()]);
      if (!url.startsWith('file:')) host.evaluated.set(url, source);
      const found = native.moduleRequests(this.#record);
      for (let at = 0; at < found.length; at += 2) {
        this.#requests.push({ __proto__: null, specifier: found[at], attributes: attributesOf(found[at + 1]), phase: binding.kEvaluationPhase });
      }
      this.hasTopLevelAwait = native.moduleHasTopLevelAwait(this.#record);
      this.#asked = typeof asked === 'symbol' ? asked : symbols().source_text_module_default_hdo;
    }
    // import.meta, which V8 asks for when a module reads it first: here before any of a graph runs.
    #initializeMeta() {
      if (this.#asked === undefined) return;
      const asked = this.#asked;
      this.#asked = undefined;
      initializeMeta?.(asked, native.moduleMeta(this.#record), this);
      for (const module of this.#linked) module.#initializeMeta();
    }
    get record() { return this.#record; }
    getModuleRequests() { return this.#requests; }
    link(modules) {
      this.#linked = modules;
      native.moduleLink(this.#record, modules.map((module) => module.record));
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
      const [, name, module] = missing;
      const asked = this.#requests.find(({ specifier }, at) => this.#linked[at]?.url === module)?.specifier ?? module;
      error.message = `The requested module '${asked}' does not provide an export named '${name}'`;
      return error;
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
    createCachedData() { return host.toBuffer(new Uint8Array(0)); }
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
