// Sessions: code that goes on where an earlier call has ended. The memory is kept between two calls
// (src/main.c), so variables, modules and Node's own state are there; what belongs to a process is
// made anew. Code runs as at the prompt of Node's REPL: its declarations are global and may be made
// again, `await` works outside of functions, and what the last statement gives is shown.
'use strict';

const { process, loop } = host;

const SIGPIPE = 13, UNSETTLED = 13;
// Sources of earlier calls that are kept for the lines that errors show.
const MOST_SOURCES = 100;

let turns = 0;
let place; // the working directory at the end of the last call
let zone;
let session; // the module whose `require` the code has

const nameOf = (turn) => `[turn ${turn}]`;
host.isTurn = (name) => /^\[turn \d+\]$/.test(name);

const loader = () => host.requireBuiltin('internal/modules/cjs/loader').Module;

// As the REPL: specifiers are looked up from the working directory.
host.importInTurn = (specifier, attributes) => {
  const { pathToFileURL } = host.requireBuiltin('internal/url');
  const parent = pathToFileURL(host.requireBuiltin('path').join(process.cwd(), 'repl')).href;
  return host.requireBuiltin('internal/modules/esm/loader').getOrInitializeCascadedLoader().import(specifier, parent, attributes);
};

// What is new in each process, whether its session is or not.
function beginProcess() {
  loop.begin();
  native.openStandard();
  native.catchSignal(SIGPIPE, true);
  const variables = host.environment();
  process.env = host.environmentOf(variables);
  if (variables.TZ !== zone) host.timeZoneChanged(variables.TZ);
  zone = variables.TZ;
  return variables;
}

function begin() {
  sizeAtBeginning = native.heapSize();
  const variables = beginProcess();
  const asked = host.readCommandLine([], variables);
  host.requireBuiltin('internal/options').refreshOptions();
  host.started = { argv: ['node'], argv0: 'node', title: asked.values['--title'], execArgv: asked.execArgv };
  const require = host.requireOf(asked, variables);
  require('internal/process/pre_execution').prepareMainThreadExecution();
  require('internal/modules/helpers').addBuiltinLibsToObject(globalThis, '<REPL>');
  require('internal/process/pre_execution').markBootstrapComplete();
  const Module = loader();
  session = new Module('<session>');
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  define('require', host.requireBuiltin('internal/modules/helpers').makeRequireFunction(session));
  define('module', session);
  define('exports', session.exports);
  shareCrypto();
  shareStandardStreams();
}

// As for `-e`, `crypto` is the module until code makes it something else.
function shareCrypto() {
  const set = (value) => Object.defineProperty(globalThis, 'crypto', { value, writable: true, configurable: true, enumerable: true });
  const get = () => session.require('node:crypto');
  Object.defineProperty(globalThis, 'crypto', { get, set, configurable: true, enumerable: true });
}

function goOn() {
  beginProcess();
  const [pid, parent] = native.ids();
  Object.assign(process, { pid, ppid: parent, argv: [process.execPath] });
  host.refillRandom();
  host.forgetPackages();
  renewStandardStreams();
  try {
    process.chdir(place);
  } catch {
    process.chdir(native.cwd()); // it is gone; Node remembers where it was
  }
}

// Where `require` looks, which the working directory decides.
function settle() {
  const Module = loader();
  session.filename = host.requireBuiltin('path').join(process.cwd(), '<session>');
  session.paths = Module._nodeModulePaths(process.cwd());
}

// `import` statements as the expressions that the REPL tells people to write. A module's bindings
// follow what it changes; these do not.
function withoutImports(code) {
  if (!/^\s*import\b\s*[\w$*{'"]/m.test(code)) return code;
  let program;
  try {
    const { Parser } = host.requireBuiltin('internal/deps/acorn/acorn/dist/acorn');
    program = Parser.parse(code, { sourceType: 'module', ecmaVersion: 'latest', allowHashBang: true });
  } catch {
    return code; // the engine says what is wrong
  }
  let result = '', at = 0;
  for (const node of program.body) {
    if (node.type !== 'ImportDeclaration') continue;
    const lines = code.slice(node.start, node.end).replace(/[^\n]/g, '');
    result += code.slice(at, node.start) + asExpression(node) + lines;
    at = node.end;
  }
  return result + code.slice(at);
}

function asExpression({ source, specifiers, attributes = [] }) {
  const words = attributes.map(({ key, value }) => `${JSON.stringify(key.name ?? key.value)}: ${value.raw}`);
  const options = words.length > 0 ? `, { with: { ${words.join(', ')} } }` : '';
  const imported = `await import(${source.raw}${options})`;
  const all = specifiers.find(({ type }) => type === 'ImportNamespaceSpecifier');
  const names = specifiers.filter((it) => it !== all).map(({ imported: name, local }) =>
    `${name === undefined ? 'default' : JSON.stringify(name.name ?? name.value)}: ${local.name}`);
  const parts = [];
  if (all !== undefined) parts.push(`${all.local.name} = ${imported}`);
  if (names.length > 0) parts.push(`{ ${names.join(', ')} } = ${all === undefined ? imported : all.local.name}`);
  return parts.length > 0 ? `const ${parts.join(', ')};` : `${imported}; void 0;`;
}

// An object literal is one, and not a block, as at the prompt (internal/repl/utils.js).
function withoutBlock(code, name, awaits) {
  if (!/^\s*\{/.test(code) || /;\s*$/.test(code)) return code;
  const wrapped = `(${code.trim()}\n)`;
  return native.isTurn(wrapped, name, awaits) ? wrapped : code;
}

function show(value) {
  if (value === undefined) return;
  const { inspect } = host.requireBuiltin('internal/util/inspect');
  process.stdout.write(`${inspect(value, { ...inspect.defaultOptions, showProxy: true })}\n`);
}

// Sources of functions are needed for their lines; others are not kept.
function keepSource(name, code) {
  for (const known of host.evaluated.keys()) {
    if (host.isTurn(known) && !/=>|\bfunction\b|\bclass\b|\)\s*\{/.test(host.evaluated.get(known))) host.evaluated.delete(known);
  }
  const kept = [...host.evaluated.keys()].filter(host.isTurn);
  if (kept.length >= MOST_SOURCES) host.evaluated.delete(kept[0]);
  host.evaluated.set(name, code);
}

// What is wrong with the code, with its line.
function withPlace(error, name) {
  const place = native.syntaxPlace(error);
  if (place === undefined || error.stack.includes('\n    at ')) return error;
  error.stack += `\n    at ${name}:${place[0]}:${place[1]}`;
  return host.decorateSyntax(error, name);
}

function run(code) {
  const name = nameOf(++turns);
  keepSource(name, code);
  let promise;
  try {
    const source = withoutImports(code.startsWith('#!') ? `//${code}` : code);
    const awaits = /\bawait\b/.test(source);
    const value = native.runTurn(withoutBlock(source, name, awaits), name, awaits);
    if (awaits) promise = value;
    else if (!native.isStopped()) show(value);
  } catch (error) {
    host.fatal(withPlace(error, name));
  }
  promise?.then(({ value }) => show(value), (error) => host.fatal(error));
  host.drain();
  loop.run();
  if (native.isStopped()) return 0; // the C half has the status
  if (promise !== undefined && native.promiseState(promise)[0] === 0) {
    host.printError(host.unsettledWarning());
    return UNSETTLED;
  }
  return process.exitCode ?? 0;
}

// The status of a call. `process.exit` and an error that nobody catches end it by an exception that
// no code sees.
host.turn = (code, goesOn) => {
  native.exit = native.stopTurn;
  host.watchUnfinished();
  if (goesOn) goOn();
  else begin();
  settle();
  return run(code);
};

// What a call leaves, however it has ended.
host.endTurn = () => {
  const { constants, privateSymbols } = host.binding('util');
  native.exit = () => {};
  host.isEndingTurn = true;
  host.dropUnfinished();
  host.isEndingTurn = false;
  process._exiting = false;
  process.exitCode = undefined;
  process[privateSymbols.exit_info_private_symbol][constants.kExiting] = 0;
  place = native.cwd();
  native.closeLibrary();
  collectSometimes();
};

const COLLECT_AFTER = 1 << 20;
let sizeAtBeginning = 0, sizeAfterCollection = 0;

// The collector writes to every object, and so to every page that is kept. It runs when there is
// much that may be garbage.
function collectSometimes() {
  const size = () => native.heapSize() - sizeAtBeginning;
  if (size() < sizeAfterCollection * 1.5 + COLLECT_AFTER) return;
  native.collect();
  sizeAfterCollection = size();
}

// Streams of the standard descriptors: made when they are asked for first, and again when the
// descriptor is of another kind in this process, or the stream is over.
const standard = { __proto__: null };

function shareStandardStreams() {
  for (const [fd, name] of ['stdin', 'stdout', 'stderr'].entries()) {
    const descriptor = Object.getOwnPropertyDescriptor(process, name);
    const make = descriptor.get;
    if (make === undefined) continue;
    const get = () => {
      standard[name] ??= { stream: make.call(process), kind: native.descriptorKind(fd) };
      return standard[name].stream;
    };
    Object.defineProperty(process, name, { ...descriptor, get });
  }
}

function goesOn(fd, { stream, kind }) {
  if (stream.destroyed || stream.errored || stream.writableEnded || stream.writableLength > 0) return false;
  if (kind !== native.descriptorKind(fd)) return false;
  if (stream._handle !== undefined && stream._handle !== null) native.setNonblocking(fd, true);
  return true;
}

function renewStandardStreams() {
  const { console } = globalThis;
  host.binding('process_methods').resetStdioForTesting();
  delete standard.stdin;
  for (const [fd, name] of [[1, 'stdout'], [2, 'stderr']]) {
    if (standard[name] === undefined || goesOn(fd, standard[name])) continue;
    host.handles.delete(standard[name].stream._handle);
    delete standard[name];
    // The console has it, too.
    const own = Object.getOwnPropertyDescriptor(console ?? {}, `_${name}`);
    if (own?.set !== undefined) console[`_${name}`] = undefined;
  }
}
