// A process: its arguments, its program, the loop, its end.
'use strict';

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

function environment() {
  const list = native.environment();
  const variables = {};
  for (let at = 0; at < list.length; at += 2) variables[list[at]] = list[at + 1];
  return variables;
}

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

function printVersion() {
  const bytes = host.encode(`${host.process.version}\n`, 'utf8');
  native.write(1, bytes, 0, bytes.length, -1);
  return 0;
}

host.start = (words) => {
  const { process, loop } = host;
  loop.begin();
  const variables = environment();
  process.env = host.environmentOf(variables);
  const asked = host.readCommandLine(words.slice(1), variables);
  readEnvironmentFiles(asked.values);
  if (asked.values['--version']) return printVersion();
  if (asked.values['--run'] !== '') return host.runScript(asked.values['--run'], asked.rest);
  host.started = {
    argv: [host.EXECUTABLE, ...asked.rest],
    argv0: words[0],
    execArgv: asked.execArgv,
  };
  if (asked.values['[has_eval_string]']) host.evaluated.set('[eval]', asked.values['--eval']);
  try {
    if (asked.values['--help']) host.runMain('print_help');
    else host.runMain(mainOf(asked));
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
    // Node also says the line, which the engine does not know.
    host.printError('Warning: Detected unsettled top-level await\n');
    return UNSETTLED_TOP_LEVEL_AWAIT;
  }
  return process.exitCode ?? 0;
}
