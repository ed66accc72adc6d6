// The command line and NODE_OPTIONS, by native node's own table of options.
'use strict';

const { options: ofNative, aliases: aliasesOfNative, defaults } = host.shapes.options;
// There is no inspector, and so no option of its, as in a build of Node without one.
const known = ofNative.filter(([name]) => !/^--(inspect|experimental-.*inspect)/.test(name));
const aliases = aliasesOfNative.filter((alias) => !/--inspect/.test(alias.join()));
const table = new Map(known);
const aliasOf = new Map(aliases);
// Of enum OptionType.
const [NOTHING, V8, BOOLEAN, INTEGER, UNSIGNED, STRING, HOST, LIST] = [0, 1, 2, 3, 4, 5, 6, 7];

// V8's own, of which Node's table has few: how fast it is and what it takes, which means nothing here.
const tuning = new Set([
  'stack-size', 'opt', 'lazy', 'max-lazy', 'lite-mode', 'single-threaded', 'optimize-for-size', 'initial-heap-size', 'initial-old-space-size',
  'min-semi-space-size', 'gc-interval', 'gc-global', 'random-seed', 'predictable', 'sparkplug', 'always-sparkplug', 'maglev', 'turbofan',
  'always-turbofan', 'flush-bytecode', 'concurrent-recompilation', 'stress-compaction', 'max-inlined-bytecode-size', 'stack-trace-limit',
  'harmony-import-attributes', // which is the default
]);

// What Node would do for these is not there, and a program must not think that it is.
const ABSENT = /^--(permission|allow-(?!natives)|(cpu|heap|perf)-|prof|heapsnapshot-|build-snapshot|snapshot-blob|experimental-sea|experimental-report|report-|trace-event)/;

// What an option sets beside itself.
const IMPLIED = {
  __proto__: null,
  '--eval': '[has_eval_string]',
  '--test-random-seed': '[has_test_random_seed]',
  '--watch-path': '--watch',
  '--trace-env-js-stack': '--trace-env',
  '--trace-env-native-stack': '--trace-env',
};

class Usage {
  constructor(message) { this.message = message; }
}

function valueOf(kind, text, name) {
  if (kind !== INTEGER && kind !== UNSIGNED) return text;
  if (!/^-?\d+$/.test(text)) throw new Usage(`${name} must be an integer`);
  return Number(text);
}

// Takes options off a list of words: what they set, and the words behind them.
function take(words, isEnvironment) {
  const values = { __proto__: null };
  const taken = [];
  const rest = [...words];
  let asGiven; // the word that an alias stood for
  while (rest.length > 0 && rest[0].startsWith('-') && rest[0] !== '-') {
    const word = rest.shift();
    if (word === '--') break;
    taken.push(word);
    const [, given, text] = /^([^=]*)(?:=([^]*))?$/.exec(word);
    let name = given.startsWith('--') ? given.replaceAll('_', '-') : given;
    const isNegated = name.startsWith('--no-') && !table.has(name);
    if (isNegated) name = `--${name.slice(5)}`;
    const hasArgument = rest.length > 0 && !rest[0].startsWith('-');
    const alias = (hasArgument && aliasOf.get(`${name} <arg>`)) || aliasOf.get(text === undefined ? name : `${name}=`) || aliasOf.get(name);
    if (alias !== undefined && alias[0] !== name) {
      const last = isNegated ? alias.at(-1).replace(/^--/, '--no-') : alias.at(-1);
      rest.unshift(...alias.slice(0, -1), text === undefined ? last : `${last}=${text}`);
      taken.pop();
      asGiven = given;
      continue;
    }
    if (alias !== undefined) rest.unshift(...alias.slice(1));
    const option = table.get(name);
    if (option === undefined && tuning.has(name.slice(2))) {
      // Of these, the limit of stacks is one that programs see.
      if (name === '--stack-trace-limit' && /^\d+$/.test(text)) values[name] = Number(text);
      continue;
    }
    if (option === undefined || ABSENT.test(name)) throw new Usage(`bad option: ${word}`);
    if (isEnvironment && option.envVarSettings !== 0) throw new Usage(`${word} is not allowed in NODE_OPTIONS`);
    if (name === '--expose-gc') values[name] = !isNegated;
    if (option.type === NOTHING || option.type === V8) continue;
    if (option.type === BOOLEAN) {
      if (text !== undefined) throw new Usage(`${given} is a boolean option; it takes no argument`);
      values[name] = !isNegated;
      if (name === '--experimental-require-module') values['--require-module'] = !isNegated;
      if (name in IMPLIED && !isNegated) values[IMPLIED[name]] = true;
      continue;
    }
    let argument = text;
    if (argument === undefined) {
      const isMissing = rest.length === 0 || (rest[0].startsWith('-') && rest[0] !== '-' && name !== '--eval');
      if (isMissing) throw new Usage(`${asGiven ?? given} requires an argument`);
      argument = rest.shift();
      taken.push(argument);
    } else if (argument === '') {
      throw new Usage(`${given} requires an argument`);
    }
    const value = valueOf(option.type, argument, given);
    values[name] = option.type === LIST ? [...(values[name] ?? []), value] : value;
    if (name in IMPLIED) values[IMPLIED[name]] = true;
    asGiven = undefined;
  }
  return { values, taken, rest };
}

// NODE_OPTIONS: words between spaces; quotes and backslashes keep what is in them.
function split(text) {
  const words = [];
  for (const [word] of text.matchAll(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g)) {
    words.push(word.replace(/"((?:[^"\\]|\\.)*)"/g, (quoted, inner) => inner.replace(/\\(.)/g, '$1')));
  }
  return words;
}

// What all processes begin with; each has an object of its own above it.
const byDefault = Object.assign(Object.create(null), host.fromShape(defaults, 'options'));
for (const name of Object.keys(byDefault)) setOpposite(byDefault, name);
let current = byDefault;

// The table has both `--name` and `--no-name`.
function setOpposite(values, name) {
  const opposite = `--no-${name.slice(2)}`;
  if (typeof values[name] === 'boolean' && opposite in byDefault) values[opposite] = !values[name];
}

// Options that have a variable of their own.
function variablesOf(environment) {
  const values = {};
  if (environment.NODE_PENDING_DEPRECATION === '1') values['--pending-deprecation'] = true;
  if (environment.NODE_PRESERVE_SYMLINKS === '1') values['--preserve-symlinks'] = true;
  if (environment.NODE_PRESERVE_SYMLINKS_MAIN === '1') values['--preserve-symlinks-main'] = true;
  if (environment.NODE_USE_ENV_PROXY === '1') values['--use-env-proxy'] = true;
  if (environment.NODE_REDIRECT_WARNINGS) values['--redirect-warnings'] = environment.NODE_REDIRECT_WARNINGS;
  return values;
}

// Reads the arguments of a process (without the program's name); an option that is wrong ends it.
host.readCommandLine = (words, environment) => {
  try {
    const variable = environment.NODE_OPTIONS;
    const fromEnvironment = variable ? take(split(variable), true).values : {};
    const given = take(words, false);
    current = Object.assign(Object.create(byDefault), variablesOf(environment), fromEnvironment);
    for (const name of Object.keys(given.values)) {
      const before = fromEnvironment[name];
      current[name] = Array.isArray(before) ? [...before, ...given.values[name]] : given.values[name];
    }
    for (const name of Object.keys(current)) setOpposite(current, name);
    const hasEval = current['[has_eval_string]'];
    if (hasEval && current['--check']) throw new Usage('either --check or --eval can be used, not both');
    if (current['--print'] && !hasEval && given.rest.length > 0) {
      current['--eval'] = given.rest.shift();
      current['[has_eval_string]'] = true;
    }
    if (current['--check'] && given.rest.length === 0 && !current['--interactive']) current['[checks_stdin]'] = true;
    return { values: current, set: Object.keys(current), execArgv: given.taken, rest: given.rest };
  } catch (error) {
    if (!(error instanceof Usage)) throw error;
    host.printError(`node: ${error.message}\n`);
    return native.exit(9);
  }
};

host.optionValues = () => current;

host.define('options', (options) => {
  options.getCLIOptionsValues = () => current;
  options.getCLIOptionsInfo = () => ({ options: new Map(known), aliases: new Map(aliases) });
  options.getOptionsAsFlags = () => host.process.execArgv;
  options.getEmbedderOptions = () => ({
    shouldNotRegisterESMLoader: false,
    noGlobalSearchPaths: false,
    noBrowserGlobals: false,
    hasEmbedderPreload: false,
  });
});
