// Errors that nobody has caught: process 'uncaughtException', then the message and the end.
'use strict';

// [file, line, column] of the frame in which an error was made.
function siteOf(error) {
  const site = /^ {4}at (?:.*\()?((?:file:\/\/)?\/[^\n]*?|\[(?:eval|stdin)\][^\n:]*|node:[^\n:]*):(\d+):(\d+)\)?$/m.exec(error?.stack ?? '');
  return site === null ? undefined : [site[1], Number(site[2]), Number(site[3])];
}

// Before what the error says, Node shows the line that has thrown it.
function sourceLine(error) {
  const site = siteOf(error);
  if (site === undefined) return '';
  const [file, line, column] = site;
  const text = sourceOf(file)?.split('\n')[line - 1];
  if (text === undefined) return `${file}:${line}\n\n`;
  return show(file, line, text, column - 1);
}

// The engine knows where an error was made, and Node shows where it was thrown: nearly always the same
// line, or one behind it where Node's own code first adds to what it throws.
function show(file, line, text, column) {
  let at = text.lastIndexOf('throw ', column);
  if (at < 0 && file.startsWith('node:')) {
    const later = sourceOf(file).split('\n').slice(line, line + 20);
    const found = later.findIndex((it) => /^\s*throw \w+;/.test(it));
    if (found >= 0) return show(file, line + 1 + found, later[found], later[found].length);
  }
  if (at < 0) at = column;
  return `${file}:${line}\n${text}\n${text.slice(0, at).replace(/[^\t]/g, ' ')}^\n\n`;
}

function sourceOf(file) {
  if (host.evaluated.has(file)) return host.evaluated.get(file);
  if (file.startsWith('node:')) return host.library.index[`lib/${file.slice(5)}.js`] && host.library.read(`lib/${file.slice(5)}.js`);
  const path = file.startsWith('file://') ? decodeURIComponent(file.slice(7)) : file;
  const text = native.readText(path);
  return typeof text === 'string' ? text : undefined;
}

// Sources that are in no file, by the names that they have in stacks.
host.evaluated = new Map();

function describe(error) {
  const { inspect } = host.requireBuiltin('internal/util/inspect');
  const arrow = host.isObject(error) ? error[host.binding('util').privateSymbols.arrow_message_private_symbol] : undefined;
  if (host.types.isNativeError(error)) return `${arrow !== undefined ? `${arrow}\n\n` : sourceLine(error)}${inspect(error)}\n`;
  // The engine does not say where a value that is no error was thrown, which Node shows before it.
  if (host.isObject(error) || typeof error === 'function') return `Uncaught:\n${inspect(error)}\n`;
  return `Uncaught:\n${String(error)}\n(Use \`node --trace-uncaught ...\` to show where the exception was thrown)\n`;
}

const print = (text) => {
  const bytes = host.encode(text, 'utf8');
  for (let at = 0; at < bytes.length;) {
    const count = native.write(2, bytes, at, bytes.length - at, -1);
    if (count <= 0) return;
    at += count;
  }
};
host.printError = print;

host.fatal = (error, isFromPromise = false) => {
  const { process } = host;
  let isHandled = false;
  try {
    isHandled = process._fatalException(error, isFromPromise);
  } catch (second) {
    print(`${describe(second)}\n`);
    native.exit(7);
  }
  if (isHandled) return;
  print(`\n${describe(error)}\nNode.js ${process.version}\n`.replace(/^\n/, ''));
  host.endProcess();
};

// Ends with the status that `process` has, 1 if it has none; its 'exit' has been emitted.
host.endProcess = () => {
  const { constants, privateSymbols } = host.binding('util');
  const { kHasExitCode, kExitCode } = constants;
  const fields = host.process[privateSymbols.exit_info_private_symbol];
  native.exit(fields[kHasExitCode] === 1 && fields[kExitCode] !== 0 ? fields[kExitCode] : 1);
};

host.define('errors', (errors) => {
  errors.setPrepareStackTraceCallback = () => {}; // stacks.js makes the text that this hook would
  errors.setGetSourceMapErrorSource = () => {};
  errors.setSourceMapsEnabled = () => {};
  errors.setMaybeCacheGeneratedSourceMap = () => {};
  errors.setEnhanceStackForFatalException = () => {}; // `describe` does what these two do
  errors.triggerUncaughtException = (error, isFromPromise) => host.fatal(error, isFromPromise);
  errors.noSideEffectsToString = (value) => {
    try {
      return String(value);
    } catch {
      return '[object]';
    }
  };
  errors.getErrorSourcePositions = (error) => {
    const site = siteOf(error);
    if (site === undefined) return {};
    const [file, line, column] = site;
    return { sourceLine: sourceOf(file)?.split('\n')[line - 1], scriptResourceName: file, lineNumber: line, startColumn: column - 1 };
  };
});
