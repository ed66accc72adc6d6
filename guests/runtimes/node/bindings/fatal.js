// Errors that nobody has caught: process 'uncaughtException', then the message and the end.
'use strict';

const NO_HANDLER = 6; // the program has taken Node's away

// [file, line, column] of the frame in which an error was made.
function siteOf(error) {
  const site = /^ {4}at (?:.*\()?((?:file:\/\/)?\/[^\n]*?|\[(?:eval|stdin|turn \d+)\][^\n:]*|node:[^\n:]*|[^\s():]+):(\d+):(\d+)\)?$/m.exec(error?.stack ?? '');
  return site === null ? undefined : [site[1], Number(site[2]), Number(site[3])];
}

// A line of a source with a mark below, as Node shows it before an error: `length` characters from `column`.
host.arrow = (file, line, text, column, length) =>
  `${file}:${line}\n${text}\n${text.slice(0, column - 1).replace(/[^\t]/g, ' ')}${'^'.repeat(length)}\n`;

// Where a value was thrown last, if by a statement: ends of `finally` pass it on.
function throwSite(error) {
  const places = native.throwPlaces(error) ?? [];
  for (let at = 0; at < places.length; at += 3) {
    const file = places[at], line = places[at + 1], column = places[at + 2];
    if (file === 'bindings/contexts.js') continue; // it passes on what a script has thrown
    if (file.startsWith('bindings/') || file === 'loader') return undefined; // C++ in Node
    const [text, shift] = lineOf(file, line);
    if (text?.startsWith('throw', column - 1 - shift)) return [file, line, column];
  }
  return undefined;
}

// What V8 says of the place of an error: where it was thrown, or where a source is wrong.
function arrowOf(error, isFromPromise) {
  const syntax = native.syntaxPlace(error);
  if (syntax !== undefined) {
    const [line, column, length, text, isJson] = syntax;
    return host.arrow('<anonymous_script>', line, text, column, isJson ? Math.min(length, 1) : length);
  }
  const site = (isFromPromise ? undefined : throwSite(error)) ?? siteOf(error);
  if (site === undefined) return '';
  const [file, line, column] = site;
  const [text, shift] = lineOf(file, line);
  if (text === undefined) return `${file}:${line}\n`;
  // Node's own mark on a line that throws an error with a snippet of its own.
  const isMarked = (it) => it?.includes('node-do-not-add-exception-line');
  if (file.startsWith('node:') && (isMarked(text) || isMarked(lineOf(file, line + 1)[0]))) return '';
  return host.arrow(file, line, text, column - shift, 1);
}

// DecorateErrorStack: the line of the source becomes part of the stack.
host.decorate = (error, arrow = arrowOf(error, false)) => {
  if (!host.types.isNativeError(error)) return error;
  const { arrow_message_private_symbol: message, decorated_private_symbol: decorated } = host.binding('util').privateSymbols;
  if (error[decorated] || arrow === '' || typeof error.stack !== 'string') return error;
  const hide = (key, value) => Object.defineProperty(error, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  hide(message, arrow);
  hide(decorated, true);
  hide('stack', `${arrow}\n${error.stack}`);
  return error;
};

// What is wrong with a source that `file` names: SyntaxErrors get its line.
host.decorateSyntax = (error, file) => {
  const syntax = native.syntaxPlace(error);
  if (syntax === undefined) return error;
  const [line, column, length, text] = syntax;
  return host.decorate(error, host.arrow(file, line, text, column, length));
};

function sourceOf(file) {
  if (host.evaluated.has(file)) return host.evaluated.get(file);
  if (file.startsWith('node:')) return host.library.index[`lib/${file.slice(5)}.js`] && host.library.read(`lib/${file.slice(5)}.js`);
  const path = file.startsWith('file://') ? decodeURIComponent(file.slice(7)) : file;
  const text = native.readText(path);
  return typeof text === 'string' ? text : undefined;
}

host.sourceOf = sourceOf;

// Scripts of `vm` that say in which line and column of a larger text they begin.
host.offsets = new Map();

// A line of a source, and how far its columns are from those in stacks.
function lineOf(file, line) {
  const [lines, columns] = host.offsets.get(file) ?? [0, 0];
  return [sourceOf(file)?.split('\n')[line - 1 - lines], line - 1 === lines ? columns : 0];
}

// Sources that are in no file, by the names that they have in stacks.
host.evaluated = new Map();

const TRACE_HINT = '(Use `node --trace-uncaught ...` to show where the exception was thrown)';

// `place` is its arrow, which has to be asked for before anything else is thrown.
function describe(error, place) {
  const { inspect } = host.requireBuiltin('internal/util/inspect');
  const { arrow_message_private_symbol: message, decorated_private_symbol: decorated } = host.binding('util').privateSymbols;
  if (host.isObject(error) || typeof error === 'function') {
    if (host.types.isNativeError(error) && error[decorated]) return `${inspect(error)}\n`;
    const arrow = error[message] ?? place;
    return `${arrow === '' ? 'Uncaught:' : arrow}\n${inspect(error)}\n`;
  }
  const arrow = place;
  const text = typeof error === 'symbol' ? '' : String(error);
  return `${arrow === '' ? 'Uncaught:\n' : `\n${arrow}`}${text}\n${TRACE_HINT}\n`;
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
  if (host.isEndingTurn) return;
  if (typeof process._fatalException !== 'function') {
    print(describe(error, arrowOf(error, isFromPromise)));
    native.exit(NO_HANDLER);
  }
  const place = arrowOf(error, isFromPromise);
  let isHandled = false;
  try {
    isHandled = process._fatalException(error, isFromPromise);
  } catch (second) {
    print(`${describe(second, arrowOf(second, false))}\n`);
    native.exit(7);
  }
  if (isHandled) return;
  print(`${describe(error, place)}\nNode.js ${process.version}\n`);
  host.endProcess();
};

// Ends with the status that `process` has, 1 if it has none; its 'exit' has been emitted.
host.endProcess = () => {
  const { constants, privateSymbols } = host.binding('util');
  const { kHasExitCode, kExitCode } = constants;
  const fields = host.process[privateSymbols.exit_info_private_symbol];
  native.exit(fields[kHasExitCode] === 1 ? fields[kExitCode] : 1);
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
    const [sourceLine, shift] = lineOf(file, line);
    return { sourceLine, scriptResourceName: file, lineNumber: line, startColumn: column - 1 - shift };
  };
});
