// What is said of the machine: os, configuration, performance.
'use strict';

const named = (text) => /^([^:]*):[^:]*:(\d+):(\d+):[^:]*:([^:]*):([^:]*)$/.exec(text);

// The line of /etc/passwd for a user.
function userOf(uid) {
  const text = native.readText('/etc/passwd');
  const lines = typeof text === 'string' ? text.split('\n').map(named).filter(Boolean) : [];
  const found = lines.find((line) => Number(line[2]) === uid);
  return found && { username: found[1], uid, gid: Number(found[3]), homedir: found[4], shell: found[5] };
}

const readLine = (path) => {
  const text = native.readText(path);
  return typeof text === 'string' ? text.split('\n')[0] : undefined;
};

host.define('os', (os) => {
  os.isBigEndian = false;
  os.getHostname = () => readLine('/etc/hostname') ?? native.hostname();
  os.getOSInformation = () => ['Linux', '#1 SMP', '6.1.0', 'x86_64'];
  os.getHomeDirectory = () => host.process.env.HOME ?? userOf(native.ids()[2])?.homedir ?? '/';
  os.getUptime = () => native.now() / 1e9;
  os.getTotalMem = () => 4 * 2 ** 30;
  os.getFreeMem = () => 4 * 2 ** 30 - native.memorySize();
  os.getLoadAvg = (averages) => averages.fill(0);
  os.getCPUs = () => ['cpu', 0, 0, 0, 0, 0, 0];
  os.getAvailableParallelism = () => 1;
  os.getInterfaceAddresses = () => ['lo', '127.0.0.1', '255.0.0.0', 'IPv4', '00:00:00:00:00:00', true, -1];
  os.getUserInfo = (options, context) => {
    const [, , uid] = native.ids();
    const user = userOf(uid);
    if (user === undefined) {
      Object.assign(context, { syscall: 'uv_os_get_passwd', code: 'ENOENT', message: 'no such file or directory', errno: -2 });
      return undefined;
    }
    if (options?.encoding !== 'buffer') return user;
    for (const key of ['username', 'homedir', 'shell']) user[key] = host.toBuffer(host.encode(user[key], 'utf8'));
    return user;
  };
  os.getPriority = () => 0;
});

host.define('config', (config) => Object.assign(config, {
  hasInspector: false,
  hasOpenSSL: host.process.versions.openssl !== undefined,
  hasIntl: false,
  hasSmallICU: false,
  fipsMode: false,
  hasTracing: false,
  hasNodeOptions: true,
  noBrowserGlobals: false,
  isDebugBuild: false,
  bits: 64,
  getDefaultLocale: () => 'en-US',
}));

host.define('performance', (performance) => {
  performance.milestones = new Float64Array(10);
  performance.observerCounts = new Uint32Array(10);
  performance.now = () => (native.now() - host.loop.startedAt()) / 1e6;
  performance.loopIdleTime = () => 0;
  performance.setupObservers = () => {};
  performance.installGarbageCollectionTracking = () => {};
  performance.removeGarbageCollectionTracking = () => {};
  performance.notify = () => {};
  performance.markBootstrapComplete = () => {};
});
