// What Node does before any program, done when the image is made: its own pre-execution
// (lib/internal/process/pre_execution.js), with the options that all processes begin with and no
// environment. That is two thirds of a start.
//
// A process goes on from there if it has nothing that pre-execution would take notice of, and does
// only the rest. Any other does all of it again, which Node's code allows for, because Node's own
// snapshots do the same.
'use strict';

// Options that pre-execution does not look at, or that are done here.
const UNNOTICED = ['--eval', '--print', '[has_eval_string]', '--input-type', '--import', '--check', '--env-file', '--env-file-if-exists']
  .flatMap((name) => [name, `--no-${name.slice(2)}`]);
const unnoticed = new Set(UNNOTICED);
// Variables that it looks at.
const NOTICED_VARIABLES = ['NODE_CHANNEL_FD', 'NODE_DEBUG', 'NODE_NO_WARNINGS', 'NODE_UNIQUE_ID', 'NODE_V8_COVERAGE'];

// The directory of users in a sandbox: where CommonJS looks for modules last depends on it.
const HOME = '/home/user';

const alias = (name, value) =>
  Object.defineProperty(host.process, name, { __proto__: null, value, writable: false, configurable: true, enumerable: true });

const removed = {}; // globals that pre-execution has removed

// What a module is for programs is made when it is required first.
const REQUIRED_MOST = ['fs', 'path', 'util', 'os', 'events', 'child_process', 'assert', 'url', 'stream', 'fs/promises', 'readline'];

// Things that programs ask for first, so that what they make for later is in the image.
function warm() {
  const { BuiltinModule } = host.requireBuiltin('internal/bootstrap/realm');
  for (const id of REQUIRED_MOST) BuiltinModule.map.get(id).compileForPublicLoader();
  const { pathToFileURL } = host.requireBuiltin('internal/url');
  void pathToFileURL('/a/b').href;
}

host.prepare = () => {
  const { process } = host;
  const before = Object.getOwnPropertyDescriptors(globalThis);
  host.process.env.HOME = HOME;
  // As for a snapshot of Node's: what is set here can be set again.
  const building = host.binding('mksnapshot').isBuildingSnapshotBuffer;
  building[0] = 1;
  host.requireBuiltin('internal/process/pre_execution').prepareMainThreadExecution();
  building[0] = 0;
  for (const name of Object.keys(before)) if (!Object.hasOwn(globalThis, name)) removed[name] = before[name];
  warm();
  // `-e` and `-p` have the built-in modules as globals. They are set here, and put aside. Node itself
  // reads `module` then.
  native.keepGlobals();
  host.requireBuiltin('internal/modules/helpers').addBuiltinLibsToObject(globalThis, '<eval>');
  // Not by its getter: that loads it as a program would, and Node then asks whether it runs under --watch.
  const lib = host.requireBuiltin('internal/bootstrap/realm').BuiltinModule.map.get('module').compileForPublicLoader();
  const set = (value) => Object.defineProperty(globalThis, 'module', { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  Object.defineProperty(globalThis, 'module', { __proto__: null, get: () => lib, set, configurable: true, enumerable: false });
  native.exchangeGlobals();
};

// Whether pre-execution would do something else for this process than it has done.
const isNoticed = ({ set }, variables) =>
  set.some((name) => !unnoticed.has(name)) || NOTICED_VARIABLES.some((name) => variables[name] !== undefined);

// What pre-execution does that is another thing in each process.
function prepareTheRest(expandArgv1 = false) {
  const { process } = host;
  host.requireBuiltin('internal/options').refreshOptions();
  host.binding('process_methods').patchProcessObject(process);
  Object.defineProperty(process, 'argv0', { __proto__: null, value: process.argv0, enumerable: true, configurable: false, writable: false });
  process.argv[0] = process.execPath;
  const { '--eval': code, '--print': isPrinted } = host.optionValues();
  if (code) alias('_eval', code);
  if (isPrinted) alias('_print_eval', true);
  if (host.optionValues()['--check']) alias('_syntax_check_only', true);
  const { HOME: home, NODE_PATH: path } = process.env;
  if (home !== HOME || path) host.requireBuiltin('internal/modules/cjs/loader').Module._initPaths();
  if (!expandArgv1 || !process.argv[1] || process.argv[1][0] === '-') return undefined;
  try {
    process.argv[1] = host.requireBuiltin('path').resolve(process.argv[1]);
  } catch {
    return undefined; // there is no working directory
  }
  return process.argv[1];
}

const rest = {
  prepareMainThreadExecution: prepareTheRest,
  markBootstrapComplete() { host.binding('performance').markBootstrapComplete(); },
};
const helpers = { addBuiltinLibsToObject() { native.exchangeGlobals(); } };

function requireForMain(id) {
  if (id === 'internal/process/pre_execution') return rest;
  if (id === 'internal/modules/helpers') return helpers;
  return host.requireBuiltin(id);
}

// What a main script of Node's gets as `require` in this process.
host.requireOf = (asked, variables) => {
  if (!isNoticed(asked, variables)) return requireForMain;
  host.process.removeAllListeners('warning');
  Object.defineProperties(globalThis, removed);
  return host.requireBuiltin;
};
