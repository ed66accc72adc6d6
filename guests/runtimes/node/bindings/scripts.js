// Sources to functions: Node's own modules from the library, and what a program compiles.
'use strict';

const parametersOf = (id) => {
  if (id.startsWith('internal/bootstrap/realm')) return ['process', 'getLinkedBinding', 'getInternalBinding', 'primordials'];
  if (id.startsWith('internal/per_context/')) return ['exports', 'primordials', 'privateSymbols', 'perIsolateSymbols'];
  if (id.startsWith('internal/bootstrap/') || id.startsWith('internal/main/')) return ['process', 'require', 'internalBinding', 'primordials'];
  return ['exports', 'require', 'module', 'process', 'internalBinding', 'primordials'];
};

host.compileBuiltin = (id) => {
  if (host.library.index[`lib/${id}.js`] === undefined) throw new Error(`No such built-in module: ${id}`);
  const compiled = host.library.compile(`lib/${id}.js`, parametersOf(id), `node:${id}`);
  return id === 'internal/crypto/random' ? host.withKnownRandom(compiled) : compiled;
};

// A function around a source. Its head is on a line of its own, the one before the first.
host.wrap = (source, parameters, file, realm, scopes = []) => {
  const made = `(function (${parameters.join(', ')}) {\n${source}\n})`;
  if (scopes.length === 0) return native.realmRun(realm, made, file, -1, 0);
  // Objects whose properties the function sees as variables.
  const names = scopes.map((scope, at) => `__scope${at}`);
  const around = names.map((name) => `with (${name}) `).join('');
  return native.realmRun(realm, `(function (${names.join(', ')}) { ${around}return ${made} })`, file, -1, 0)(...scopes);
};

host.define('builtins', (builtins) => {
  const ids = Object.keys(host.library.index).filter((name) => name.startsWith('lib/')).map((name) => name.slice(4, -3));
  builtins.builtinIds = ids;
  builtins.natives = {};
  builtins.config = JSON.stringify(host.shapes.config);
  builtins.builtinCategories = { canBeRequired: ids, cannotBeRequired: [] };
  builtins.hasCachedBuiltins = () => true;
  builtins.compileFunction = host.compileBuiltin;
  builtins.setInternalLoaders = (internalBinding, require) => { host.requireBuiltin = require; };
});
