// Node's own bootstrap, in the order of its C++ (src/node_realm.cc, src/node.cc), then what programs
// use most, so that the image has it.
'use strict';

const BUILT_IN = [
  'fs', 'util', 'path', 'events', 'stream', 'assert', 'os', 'url', 'querystring', 'string_decoder', 'readline', 'timers/promises',
  'fs/promises', 'stream/promises', 'child_process', 'module', 'vm', 'internal/modules/cjs/loader', 'internal/modules/esm/loader',
  'internal/modules/esm/resolve', 'internal/modules/esm/load', 'internal/modules/esm/translators', 'internal/modules/esm/get_format',
  'internal/modules/package_json_reader', 'internal/modules/run_main', 'internal/process/execution', 'internal/process/pre_execution',
  'internal/process/signal', 'internal/fs/sync_write_stream', 'internal/console/global', 'internal/util/colors',
  'internal/util/inspect', 'internal/util/debuglog', 'internal/vm', 'internal/vm/module', 'internal/dns/utils', 'net',
];

host.mains = {};

host.bootstrap = () => {
  const { process } = host;
  const { privateSymbols } = host.binding('util');
  const primordials = {};
  host.primordials = primordials;
  const getInternalBinding = host.binding;
  const getLinkedBinding = (name) => { throw host.codeError(Error, 'ERR_INVALID_MODULE', `No such binding: ${name}`); };
  host.compileBuiltin('internal/per_context/primordials')({}, primordials, privateSymbols, host.binding('symbols'));
  host.compileBuiltin('internal/bootstrap/realm')(process, getLinkedBinding, getInternalBinding, primordials);
  host.installStacks();
  host.stripTypesWithoutWebAssembly();
  const run = (id) => host.compileBuiltin(id)(process, host.requireBuiltin, getInternalBinding, primordials);
  run('internal/bootstrap/node');
  run('internal/bootstrap/web/exposed-wildcard');
  run('internal/bootstrap/web/exposed-window-or-worker');
  run('internal/bootstrap/switches/is_main_thread');
  run('internal/bootstrap/switches/does_own_process_state');
  for (const name of ['run_main_module', 'eval_string', 'eval_stdin', 'check_syntax']) {
    host.mains[name] = host.compileBuiltin(`internal/main/${name}`);
  }
  for (const id of BUILT_IN) host.requireBuiltin(id);
  host.requireBuiltin('internal/util/inspect').inspect({ a: [1, 'x'] });
  host.runMain = (name, require) => (host.mains[name] ??= host.compileBuiltin(`internal/main/${name}`))(
    process, require, getInternalBinding, primordials);
  host.prepare();
  native.runJobs();
};
