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
  return !file.startsWith('bindings/') && file !== '' && file !== 'native' && file !== 'loader';
};

// The engine's own names for what V8 has no name for.
const NAMELESS = ['', '<anonymous>', '<eval>', '<module>'];

function frame(site) {
  const name = site.getFunctionName() ?? '';
  return !NAMELESS.includes(name) ? `    at ${name} (${place(site)})` : `    at ${place(site)}`;
}

host.frame = frame;

// After Node's library has set its own hook, which is for source maps and `vm` and asks the engine's.
host.installStacks = () => {
  const byDefault = Error.prepareStackTrace;
  let hook = byDefault;
  engineHook.set.call(Error, (error, sites) => {
    const shown = sites.filter(isShown);
    if (typeof hook === 'function' && hook !== byDefault) return hook.call(Error, error, shown);
    const lines = shown.map(frame);
    return () => {
      const text = [firstLine(error), ...lines].join('\n');
      Object.defineProperty(error, 'stack', { value: text, writable: true, configurable: true, enumerable: false });
      return text;
    };
  });
  Object.defineProperty(Error, 'prepareStackTrace', {
    get() { return hook; },
    set(value) { hook = value; },
    enumerable: false,
    configurable: true,
  });
};
