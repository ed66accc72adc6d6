// The object `process`, and what its functions ask for.
'use strict';

const { codeError, systemError, shapes } = host;

// Node's JavaScript gives this prototype that of EventEmitter.
const constructor = function process() {};
Object.defineProperty(constructor.prototype, 'constructor', { __proto__: null, value: constructor, writable: true, enumerable: false, configurable: true });
const process = new constructor();
process[host.binding('util').privateSymbols.exit_info_private_symbol] = new Int32Array(4);
host.process = process;

const fixed = (name, value) => Object.defineProperty(process, name, { __proto__: null, value, enumerable: true, writable: false, configurable: true });
fixed('version', `v${shapes.versions.node}`);
// `openssl` is how Node's library and programs find out that there is crypto: see crypto.js.
const crypto = { mbedtls: '3.6.7', monocypher: '4.0.2', openssl: '3.0.0+mbedtls' };
const { node, ...others } = { ...shapes.versions, ...crypto };
fixed('versions', Object.freeze({ node, ...Object.fromEntries(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))) }));
fixed('arch', 'x64');
fixed('platform', 'linux');
fixed('release', shapes.release);
process._rawDebug = (text) => host.printError(`${text}\n`);
process.env = {};

const invalid = (message) => codeError(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', message);
const symbolError = () => new TypeError('Cannot convert a Symbol value to a string');

// Variables: what is set becomes text, and names are such as the system has.
const isName = (key) => key !== '' && !key.includes('=');
const isPlain = (value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
let hasWarned = false;

function warnOfConversion() {
  const { getOptionValue } = host.requireBuiltin('internal/options');
  if (hasWarned || !getOptionValue('--pending-deprecation')) return;
  hasWarned = true;
  process.emitWarning(
    'Assigning any value other than a string, number, or boolean to a process.env property is deprecated. Please make sure to ' +
    'convert the value to a string before setting process.env with it.', 'DeprecationWarning', 'DEP0104');
}

host.environmentOf = (variables) => new Proxy(variables, {
  __proto__: null, // or a trap that a program gives to Object.prototype would be one of these
  set(target, key, value) {
    if (typeof key === 'symbol' || typeof value === 'symbol') throw symbolError();
    if (!isPlain(value)) warnOfConversion();
    const text = String(value);
    if (!isName(key)) return true;
    // Not by assignment: a name may be one that objects have from their prototype.
    Object.defineProperty(target, key, { __proto__: null, value: text, writable: true, enumerable: true, configurable: true });
    if (key === 'TZ') host.timeZoneChanged?.(text);
    return true;
  },
  deleteProperty(target, key) {
    const isDone = Reflect.deleteProperty(target, key);
    if (key === 'TZ') host.timeZoneChanged(undefined);
    return isDone;
  },
  defineProperty(target, key, descriptor) {
    if ('value' in descriptor) {
      if (!(descriptor.configurable && descriptor.writable && descriptor.enumerable)) {
        throw invalid("'process.env' only accepts a configurable, writable, and enumerable data descriptor");
      }
      return Reflect.defineProperty(target, key, { ...descriptor, value: String(descriptor.value) });
    }
    if ('get' in descriptor || 'set' in descriptor) {
      throw invalid("'process.env' does not accept an accessor(getter/setter) descriptor");
    }
    throw invalid("'process.env' only accepts a configurable, writable, and enumerable data descriptor");
  },
});

// What is not over yet, by the names of the classes in Node's C++.
const infoOf = (handle) => {
  const { name } = handle.constructor;
  if (name === 'TCP') return handle.isServer ? 'TCPServerWrap' : 'TCPSocketWrap';
  return name === 'StatWatcher' || name === 'MessagePort' ? name : `${name}Wrap`;
};
const activeHandles = () => [...host.handles].filter((handle) => handle.hasRef());

host.define('process_methods', (methods) => {
  const parts = new Uint32Array(6);
  const whole = new BigUint64Array(parts.buffer, 0, 1);
  methods.hrtimeBuffer = parts;
  methods.hrtime = () => {
    const time = BigInt(Math.floor(native.now()));
    const seconds = time / 1000000000n;
    parts[0] = Number(seconds >> 32n);
    parts[1] = Number(seconds & 0xffffffffn);
    parts[2] = Number(time % 1000000000n);
  };
  methods.hrtimeBigInt = () => { whole[0] = BigInt(Math.floor(native.now())); };
  methods.cwd = () => {
    const path = native.cwd();
    if (typeof path === 'number') throw systemError(path, 'uv_cwd');
    return path;
  };
  methods.chdir = (path) => {
    const result = native.chdir(path);
    if (result < 0) throw systemError(result, 'chdir', native.cwd(), path);
  };
  methods.umask = (mask) => native.umask(mask);
  methods.rss = () => native.memorySize();
  methods.memoryUsage = (fields) => {
    const size = native.memorySize();
    fields.set([size, size, native.heapSize(), 0, 0]);
  };
  methods.uptime = () => (native.now() - host.loop.startedAt()) / 1e9;
  methods.cpuUsage = methods.threadCpuUsage = (fields) => fields.set(native.cpuTimes());
  methods.resourceUsage = (fields) => {
    fields.fill(0);
    fields.set(native.cpuTimes());
    fields[2] = native.memorySize() / 1024;
  };
  methods.availableMemory = () => 4 * 2 ** 30 - native.memorySize();
  methods.constrainedMemory = () => 4 * 2 ** 30;
  methods.reallyExit = (status) => native.exit(status ?? 0);
  methods.abort = () => native.abort();
  methods.causeSegfault = () => native.abort();
  methods._kill = (pid, signal) => native.kill(pid, signal);
  methods._rawDebug = process._rawDebug;
  methods._getActiveRequests = () => [...host.requests];
  methods._getActiveHandles = () => activeHandles().map((handle) => handle[host.binding('symbols').owner_symbol] ?? handle);
  methods.getActiveResourcesInfo = () => {
    const immediates = host.binding('timers').immediateInfo[1];
    return [
      ...[...host.requests].map((request) => (request.constructor === Promise ? 'FSReqPromise' : request.constructor.name)),
      ...activeHandles().map(infoOf),
      ...new Array(host.binding('timers').timeoutInfo[0]).fill('Timeout'),
      ...new Array(immediates).fill('Immediate'),
    ];
  };
  methods.setEmitWarningSync = () => {};
  methods.loadEnvFile = (path = '.env') => {
    const text = native.readText(path);
    if (typeof text === 'number') throw systemError(text, 'open', path);
    const variables = host.binding('util').parseEnv(text);
    for (const name of Object.keys(variables)) process.env[name] ??= variables[name];
  };
  // Native addons are for another machine; what is said of them is what a loader says that finds none.
  methods.dlopen = (...given) => {
    if (given.length < 2) throw codeError(TypeError, 'ERR_MISSING_ARGS', 'process.dlopen needs at least 2 arguments');
    const path = String(given[1]);
    const text = native.readText(path);
    const why = typeof text === 'string' && text.length < 64 ? 'file too short' : typeof text === 'string' && !text.startsWith('\x7fELF') ? 'invalid ELF header' :
      native.kind(path) === 0 ? 'native addons cannot be loaded here' :
      'cannot open shared object file: No such file or directory';
    throw codeError(Error, 'ERR_DLOPEN_FAILED', `${path}: ${why}`);
  };
  methods.patchProcessObject = (object) => {
    const [pid, parent] = native.ids();
    object.title = host.started?.title || (host.started?.argv0 ?? 'node');
    object.argv = host.started?.argv ?? ['node'];
    object.execArgv = host.started?.execArgv ?? [];
    object.pid = pid;
    object.ppid = parent;
    object.execPath = host.EXECUTABLE;
    object.debugPort = 9229;
    object.argv0 = host.started?.argv0 ?? 'node';
  };
});

host.EXECUTABLE = native.executable();

host.define('credentials', (credentials) => {
  credentials.implementsPosixCredentials = true;
  credentials.safeGetenv = (name) => process.env[name];
  credentials.getTempDir = () => process.env.TMPDIR ?? process.env.TMP ?? process.env.TEMP ?? '/tmp';
  ['getuid', 'geteuid', 'getgid', 'getegid'].forEach((name, at) => {
    credentials[name] = host.named(name, () => native.ids()[2 + at]);
  });
  credentials.getgroups = () => [native.ids()[4]];
  defineSetters(credentials);
});

// The number behind a name in a file such as /etc/passwd, or the number that was given.
function idOf(given, path) {
  if (typeof given === 'number') return given;
  const text = native.readText(path);
  const found = typeof text === 'string' ? text.split('\n').map((line) => line.split(':')).find(([name]) => name === given) : undefined;
  return found === undefined ? undefined : Number(found[2]);
}

function refused(number, call) {
  const [name, text] = host.binding('uv').getErrorMap().get(number);
  const error = new Error(`${name}, ${text[0].toUpperCase()}${text.slice(1)}`);
  return Object.assign(error, { errno: -number, code: name, syscall: call });
}

// 0, or 1 where there is no such name.
function defineSetters(credentials) {
  const EPERM = -1;
  ['setuid', 'seteuid', 'setgid', 'setegid'].forEach((name, which) => {
    credentials[name] = host.named(name, (given) => {
      const id = idOf(given, which < 2 ? '/etc/passwd' : '/etc/group');
      if (id === undefined) return 1;
      const result = native.changeId(which, id);
      if (result < 0) throw refused(result, name);
      return 0;
    });
  });
  // A process has one group here, and cannot get others.
  credentials.setgroups = (groups) => {
    const ids = groups.map((group) => idOf(group, '/etc/group'));
    if (ids.includes(undefined)) return ids.indexOf(undefined) + 1;
    if (ids.length !== 1 || ids[0] !== native.ids()[4]) throw refused(EPERM, 'setgroups');
    return 0;
  };
  credentials.initgroups = (user, group) => {
    const id = idOf(group, '/etc/group');
    if (id === undefined) return 2;
    if (idOf(user, '/etc/passwd') === undefined) return 1;
    throw refused(EPERM, 'initgroups');
  };
}
