// A process: its arguments, its program, the loop, its end.
'use strict';

const SIGPIPE = 13, DEFAULT_ATTEMPT_TIMEOUT = 250;

// Which of Node's main scripts it is, as StartExecution decides it.
function mainOf({ values, rest }) {
  if (values['--test']) return 'test_runner';
  if (values['--watch']) return 'watch_mode';
  if (values['--check']) return 'check_syntax';
  if (values['[has_eval_string]'] && !values['--interactive']) return 'eval_string';
  if (values['--interactive']) return 'repl';
  if (rest.length > 0 && rest[0] !== '-') return 'run_main_module';
  return native.descriptorKind(0) === 'TTY' ? 'repl' : 'eval_stdin';
}

host.environment = () => {
  const list = native.environment();
  const variables = {};
  for (let at = 0; at < list.length; at += 2) variables[list[at]] = list[at + 1];
  return variables;
};

// --env-file: what is set already stays.
function readEnvironmentFiles(values) {
  const read = (path, isOptional) => {
    const text = native.readText(path);
    if (typeof text === 'string') {
      const variables = host.binding('util').parseEnv(text);
      for (const name of Object.keys(variables)) host.process.env[name] ??= variables[name];
    } else if (!isOptional) {
      host.printError(`node: ${path}: not found\n`);
      native.exit(9);
    }
  };
  for (const path of values['--env-file']) read(path, false);
  for (const path of values['--env-file-if-exists']) read(path, true);
}

// --expose-gc: `gc()`, or `await gc({ execution: 'async' })`.
function exposeCollector() {
  const gc = host.named('gc', (options) => {
    if (options?.execution !== 'async') return native.collect();
    return Promise.resolve().then(() => native.collect());
  });
  Object.defineProperty(globalThis, 'gc', { __proto__: null, value: gc, writable: true, configurable: true });
}

function printVersion() {
  const bytes = host.encode(`${host.process.version}\n`, 'utf8');
  native.write(1, bytes, 0, bytes.length, -1);
  return 0;
}

// What Node's modules have read from the command line when the image was made.
function applyOptions({ values }) {
  const net = () => host.requireBuiltin('net');
  const timeout = values['--network-family-autoselection-attempt-timeout'];
  if (!values['--network-family-autoselection']) net().setDefaultAutoSelectFamily(false);
  if (timeout !== DEFAULT_ATTEMPT_TIMEOUT) net().setDefaultAutoSelectFamilyAttemptTimeout(timeout);
}

host.start = (words) => {
  const { process, loop } = host;
  loop.begin();
  native.openStandard();
  // Writing where nobody reads is an error, not the end. Caught and not ignored, which children would inherit.
  native.catchSignal(SIGPIPE, true);
  const variables = host.environment();
  process.env = host.environmentOf(variables);
  if (variables.TZ) host.timeZoneChanged(variables.TZ);
  const asked = host.readCommandLine(words.slice(1), variables);
  // The test runner asks for options before Node's own preparation has them read again.
  host.requireBuiltin('internal/options').refreshOptions();
  readEnvironmentFiles(asked.values);
  if (asked.values['--version']) return printVersion();
  if (asked.values['--run'] !== '') return host.runScript(asked.values['--run'], asked.rest);
  host.started = {
    argv: [words[0], ...asked.rest],
    argv0: words[0],
    title: asked.values['--title'],
    execArgv: asked.execArgv,
  };
  if (asked.values['--expose-gc']) exposeCollector();
  if (asked.values['--stack-trace-limit'] >= 0) Error.stackTraceLimit = asked.values['--stack-trace-limit'];
  applyOptions(asked);
  if (asked.values['[has_eval_string]']) host.evaluated.set('[eval]', asked.values['--eval']);
  try {
    host.runMain(asked.values['--help'] ? 'print_help' : mainOf(asked), host.requireOf(asked, variables));
  } catch (error) {
    host.fatal(error);
  }
  host.drain();
  loop.run();
  return end();
};

const UNSETTLED_TOP_LEVEL_AWAIT = 13;

// Whether the program is a module that waits for what will never come.
function isUnsettled() {
  const promise = globalThis[host.binding('util').privateSymbols.entry_point_promise_private_symbol];
  return promise !== undefined && native.promiseState(promise)?.[0] === 0;
}

// EmitProcessExit.
function end() {
  const { process } = host;
  const { constants, privateSymbols } = host.binding('util');
  if (process[privateSymbols.exit_info_private_symbol][constants.kExiting] === 0) {
    process._exiting = true;
    try {
      process.emit('exit', process.exitCode ?? 0);
    } catch (error) {
      host.fatal(error);
    }
  }
  if (process.exitCode === undefined && isUnsettled()) {
    host.printError(host.unsettledWarning());
    return UNSETTLED_TOP_LEVEL_AWAIT;
  }
  return process.exitCode ?? 0;
}
