// The object `process`, and what its functions ask for.
'use strict';

const { codeError, systemError, shapes } = host;

const process = Object.create(Object.create(Object.prototype, {
  constructor: { value: function process() {}, writable: true, configurable: true },
}));
process[host.binding('util').privateSymbols.exit_info_private_symbol] = new Int32Array(4);
host.process = process;

const fixed = (name, value) => Object.defineProperty(process, name, { value, enumerable: true, writable: false, configurable: true });
fixed('version', `v${shapes.versions.node}`);
fixed('versions', Object.freeze({ ...shapes.versions }));
fixed('arch', 'x64');
fixed('platform', 'linux');
fixed('release', shapes.release);
process._rawDebug = (text) => host.printError(`${text}\n`);
process.env = {};

const invalid = (message) => codeError(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', message);
const symbolError = () => new TypeError('Cannot convert a Symbol value to a string');

// Variables: what is set becomes text.
host.environmentOf = (variables) => new Proxy(variables, {
  set(target, key, value) {
    if (typeof key === 'symbol' || typeof value === 'symbol') throw symbolError();
    target[key] = String(value);
    if (key === 'TZ') host.timeZoneChanged?.(target.TZ);
    return true;
  },
  defineProperty(target, key, descriptor) {
    if (!('value' in descriptor)) throw invalid("'process.env' does not accept an accessor(getter/setter) descriptor");
    if (!(descriptor.configurable && descriptor.writable && descriptor.enumerable)) {
      throw invalid("'process.env' only accepts a configurable, writable, and enumerable data descriptor");
    }
    return Reflect.defineProperty(target, key, { ...descriptor, value: String(descriptor.value) });
  },
});

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
  methods._getActiveRequests = () => [];
  methods._getActiveHandles = () => [];
  methods.getActiveResourcesInfo = () => [];
  methods.setEmitWarningSync = () => {};
  methods.loadEnvFile = (path) => {
    const text = native.readText(path);
    if (typeof text === 'number') throw systemError(text, 'open', path);
    const variables = host.binding('util').parseEnv(text);
    for (const name of Object.keys(variables)) process.env[name] ??= variables[name];
  };
  methods.patchProcessObject = (object) => {
    const [pid, parent] = native.ids();
    object.title = 'node';
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
});
