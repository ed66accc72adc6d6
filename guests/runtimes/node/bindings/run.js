// `node --run NAME`: a script of the nearest package.json, as Node's C++ runs it.
'use strict';

const FAILED = 1;

function nearestPackage() {
  const { dirname, join } = host.requireBuiltin('path');
  for (let directory = native.cwd(); ; directory = dirname(directory)) {
    const path = join(directory, 'package.json');
    const text = native.readText(path);
    if (typeof text === 'string') return { path, directory, text };
    if (directory === dirname(directory)) return undefined;
  }
}

// The directories node_modules/.bin from a package upwards come first in the PATH of a script.
function pathFor(directory, before) {
  const { dirname, join } = host.requireBuiltin('path');
  const found = [];
  for (let at = directory; ; at = dirname(at)) {
    found.push(join(at, 'node_modules/.bin'));
    if (at === dirname(at)) break;
  }
  return [...found, before].filter(Boolean).join(':');
}

// For sh: what follows the script's own words.
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const fail = (message) => {
  host.printError(message);
  return FAILED;
};

// The status of the script: 1 for all that are not 0, as in Node.
host.runScript = (name, words) => {
  const found = nearestPackage();
  if (found === undefined) return fail(`Can't find package.json for directory ${native.cwd()}\n`);
  const { path, directory, text } = found;
  let scripts;
  try {
    ({ scripts } = JSON.parse(text));
  } catch {
    return fail(`Can't parse ${path}\n`);
  }
  if (!host.isObject(scripts)) return fail(`Can't find "scripts" field in ${path}\n`);
  if (typeof scripts[name] !== 'string') {
    const list = Object.keys(scripts).map((it) => `  ${it}: ${scripts[it]}\n`).join('');
    return fail(`Missing script: "${name}" for ${path}\n\nAvailable scripts are:\n${list}`);
  }
  const env = {
    ...host.process.env,
    PATH: pathFor(directory, host.process.env.PATH),
    NODE_RUN_SCRIPT_NAME: name,
    NODE_RUN_PACKAGE_JSON_PATH: path,
  };
  host.requireBuiltin('internal/util/debuglog').initializeDebugEnv(host.process.env.NODE_DEBUG);
  const { spawnSync } = host.requireBuiltin('child_process');
  const command = [scripts[name], ...words.map(quoted)].join(' ');
  const { status } = spawnSync('/bin/sh', ['-c', command], { cwd: directory, env, stdio: 'inherit' });
  return status === 0 ? 0 : FAILED;
};
