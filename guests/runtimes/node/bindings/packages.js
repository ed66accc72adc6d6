// package.json: what the loaders want to know of it.
'use strict';

const read = new Map();
// A session's next call finds what has been installed since.
host.forgetPackages = () => read.clear();

const stringOf = (value) => (typeof value === 'string' ? value : undefined);
// As the loaders parse it: strings stay what they are.
const jsonOf = (value) => (value === undefined || typeof value === 'string' ? value : JSON.stringify(value));

function parse(path, text, base) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    // As below.
  }
  if (!host.isObject(content) || Array.isArray(content)) {
    throw host.codeError(Error, 'ERR_INVALID_PACKAGE_CONFIG', `Invalid package config ${path}.${base ? ` while importing ${base}.` : ''}`);
  }
  // A program may have added to the prototype of objects.
  const { name, main, type, imports, exports } = { __proto__: null, ...content };
  return [stringOf(name), stringOf(main), type === 'module' || type === 'commonjs' ? type : 'none', jsonOf(imports), jsonOf(exports), path];
}

function packageAt(path, base) {
  if (!read.has(path)) {
    const text = native.readText(path);
    read.set(path, typeof text === 'string' ? parse(path, text, base) : undefined);
  }
  return read.get(path);
}

function nearest(path) {
  for (let directory = path; directory !== '';) {
    directory = directory.slice(0, directory.lastIndexOf('/'));
    if (directory.endsWith('/node_modules')) continue;
    const found = packageAt(`${directory}/package.json`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const pathOf = (url) => (url.startsWith('file://') ? decodeURIComponent(url.slice(7)) : url);

host.define('modules', (modules) => {
  modules.readPackageJSON = (path, isEsm, base) => packageAt(path, base);
  modules.getNearestParentPackageJSON = nearest;
  modules.getNearestParentPackageJSONType = (path) => nearest(path)?.[2] ?? 'none';
  modules.getPackageScopeConfig = (url) => nearest(pathOf(url)) ?? '/package.json';
  modules.getPackageType = (url) => {
    const type = nearest(pathOf(url))?.[2];
    return type === 'none' ? undefined : type;
  };
  // import.meta.dirname and filename, which V8's lazy data properties are.
  modules.setLazyPathHelpers = (meta, url) => {
    const { fileURLToPath } = host.requireBuiltin('internal/url');
    const { dirname } = host.requireBuiltin('path');
    const filename = fileURLToPath(url);
    meta.dirname = dirname(filename);
    meta.filename = filename;
  };
  // There is no cache of compiled code: [status DISABLED].
  modules.enableCompileCache = () => [3];
  modules.getCompileCacheDir = () => undefined;
  modules.flushCompileCache = () => {};
  modules.getCompileCacheEntry = () => undefined;
  modules.saveCompileCacheEntry = () => {};
});
