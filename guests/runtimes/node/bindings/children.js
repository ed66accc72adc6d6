// child_process: programs that the kernel starts, their pipes and their ends.
'use strict';

const { loop, Handle, StreamHandle } = host;

const SIGCHLD = 17, SIGKILL = 9, ENOENT = -2, EACCES = -13, ENOTSUP = -95, EINVAL = -22, ETIMEDOUT = -110, ENOBUFS = -105;

// Where a program is: as execvp looks for it in the PATH of the child.
function findProgram(file, environment) {
  if (file.includes('/')) return [file];
  const path = environment.find((entry) => entry.startsWith('PATH='))?.slice(5) ?? '/usr/local/bin:/usr/bin:/bin';
  return path.split(':').map((directory) => `${directory || '.'}/${file}`);
}

// The pid, or an error.
function spawn(options, descriptors) {
  const environment = options.envPairs ?? Object.entries(host.process.env).map(([name, value]) => `${name}=${value}`);
  let error = ENOENT;
  if (options.uid >= 0 || options.gid >= 0) return ENOTSUP;
  for (const path of findProgram(options.file, environment)) {
    const pid = native.spawn(path, options.args ?? [options.file], environment, options.cwd || undefined, descriptors, options.detached === true);
    if (pid >= 0) return pid;
    if (pid !== ENOENT && pid !== -20) error = pid;
    if (pid !== ENOENT && pid !== -20 && pid !== EACCES) return pid;
  }
  return error;
}

const signalNames = () => Object.entries(host.binding('constants').os.signals);
const signalName = (number) => (number === 0 ? '' : signalNames().find(([, value]) => value === number)?.[0] ?? '');

const running = new Map(); // pid → what to do with [status, signal]
host.forgetChildren = () => running.clear();

function reap() {
  for (const [pid, ended] of [...running]) {
    const result = native.wait(pid, false);
    if (result === undefined) continue;
    running.delete(pid);
    // After the next poll, so that what it has said before its end has been read.
    loop.later(() => loop.close(() => ended(typeof result === 'number' ? [0, 0] : result)));
  }
  if (running.size === 0) loop.onSignal(SIGCHLD, undefined);
}

function whenEnded(pid, ended) {
  if (running.size === 0) loop.onSignal(SIGCHLD, reap);
  running.set(pid, ended);
  loop.later(reap); // it may have ended before its signal was caught
}

// What the child has as each descriptor, and our ends of the pipes that were made.
function descriptorsFor(stdio) {
  const given = [], theirs = [], ours = [];
  for (const [at, entry] of stdio.entries()) {
    switch (entry.type) {
      case 'ignore': {
        const fd = native.open('/dev/null', 2, 0);
        theirs.push(fd);
        given.push(fd);
        break;
      }
      case 'fd': case 'inherit': given.push(entry.fd ?? at); break;
      case 'wrap': given.push(entry.handle?.fd ?? -1); break;
      case 'pipe': case 'overlapped': {
        if (entry.ipc || at > 2) {
          const [mine, its] = native.socketPair();
          given.push(its);
          theirs.push(its);
          ours.push([entry, mine, at]);
          break;
        }
        const [read, write] = native.pipe();
        // Only the standard input of a child is written to by its parent.
        const isInput = at === 0 || entry.readable === true && entry.writable !== true;
        given.push(isInput ? read : write);
        theirs.push(isInput ? read : write);
        ours.push([entry, isInput ? write : read, at]);
        break;
      }
      default: return undefined;
    }
  }
  // What we read and write without waiting, a child need not expect to be so.
  for (const [at, entry] of stdio.entries()) {
    if (at <= 2 && given[at] >= 0 && ['fd', 'inherit', 'wrap'].includes(entry.type)) native.setNonblocking(given[at], false);
  }
  return { given, theirs, ours };
}

const closeAll = (descriptors) => { for (const fd of descriptors) if (fd >= 0) native.close(fd); };

host.define('process_wrap', (binding) => {
  binding.Process = class Process extends Handle {
    pid = undefined;
    #isRunning = false;
    spawn(file, args, cwd, envPairs, stdioEntries, flags, uid, gid) {
      const detached = (flags & binding.constants.kProcessFlagDetached) !== 0;
      const options = { file, args, cwd, envPairs, stdio: stdioEntries, detached, uid, gid };
      const stdio = descriptorsFor(options.stdio ?? []);
      if (stdio === undefined) return ENOTSUP;
      const pid = spawn(options, stdio.given);
      closeAll(stdio.theirs);
      // Also where it has not started: what is read there ends at once.
      for (const [entry, fd] of stdio.ours) entry.handle.open(fd);
      if (pid < 0) return pid;
      this.pid = pid;
      this.#isRunning = true;
      if (this.isReferenced) loop.keepForChildren(1);
      whenEnded(pid, ([status, signal]) => {
        this.#isRunning = false;
        if (this.isReferenced) loop.keepForChildren(-1);
        this.onexit?.(status, signalName(signal));
      });
      return 0;
    }
    kill(signal) { return this.#isRunning ? native.kill(this.pid, signal) : -3; }
    ref() {
      if (!this.isReferenced && this.#isRunning) loop.keepForChildren(1);
      this.isReferenced = true;
    }
    unref() {
      if (this.isReferenced && this.#isRunning) loop.keepForChildren(-1);
      this.isReferenced = false;
    }
  };
});

// Waits for a child and its pipes, and does nothing else meanwhile.
class Synchronous {
  constructor(options) {
    this.options = options;
    this.error = 0;
    this.outputs = []; // { fd, at, chunks, size }
    this.input = undefined; // { fd, bytes, at }
    this.ended = undefined;
    this.deadline = options.timeout > 0 ? native.now() / 1e6 + options.timeout : Infinity;
  }
  run() {
    const { options } = this;
    const stdio = descriptorsFor(options.stdio ?? []);
    if (stdio === undefined) return { error: ENOTSUP, pid: 0, status: null, signal: null, output: null };
    const pid = spawn(options, stdio.given);
    closeAll(stdio.theirs);
    if (pid < 0) {
      closeAll(stdio.ours.map(([, fd]) => fd));
      return { error: pid, pid: 0, status: null, signal: null, output: null };
    }
    this.pid = pid;
    for (const [entry, fd, at] of stdio.ours) {
      native.setNonblocking(fd, true);
      if (at === 0) this.input = { fd, bytes: entry.input === undefined || entry.input === null ? new Uint8Array(0) : host.bytesOf(entry.input), at: 0 };
      else this.outputs.push({ fd, at, chunks: [], size: 0 });
    }
    loop.onSignal(SIGCHLD, () => {});
    while (this.#isOpen()) this.#turn();
    while (this.ended === undefined) this.#waitForEnd();
    if (running.size > 0) loop.onSignal(SIGCHLD, reap);
    else loop.onSignal(SIGCHLD, undefined);
    const [status, signal] = this.ended;
    const output = (options.stdio ?? []).map((entry, at) => {
      const found = this.outputs.find((it) => it.at === at);
      if (found === undefined) return null;
      const whole = new Uint8Array(found.size);
      let offset = 0;
      for (const chunk of found.chunks) {
        whole.set(chunk, offset);
        offset += chunk.length;
      }
      return host.toBuffer(whole);
    });
    const result = { pid, status: signal === 0 ? status : null, signal: signal === 0 ? null : signalName(signal), output };
    if (this.error !== 0) result.error = this.error;
    return result;
  }
  #isOpen() { return this.input !== undefined || this.outputs.some((output) => output.fd >= 0); }
  #kill(error) {
    if (this.error === 0) {
      this.error = error;
      native.kill(this.pid, this.options.killSignal || 15);
    }
  }
  #left() {
    if (this.deadline === Infinity) return -1;
    const left = this.deadline - native.now() / 1e6;
    if (left > 0) return Math.ceil(left);
    this.#kill(ETIMEDOUT);
    this.deadline = Infinity;
    return -1;
  }
  #turn() {
    const open = this.outputs.filter((output) => output.fd >= 0);
    const pairs = new Int32Array(2 * (open.length + (this.input === undefined ? 0 : 1)));
    open.forEach((output, at) => pairs.set([output.fd, loop.READABLE], 2 * at));
    if (this.input !== undefined) pairs.set([this.input.fd, loop.WRITABLE], 2 * open.length);
    native.poll(pairs, this.#left());
    open.forEach((output, at) => { if (pairs[2 * at + 1] !== 0) this.#read(output); });
    if (this.input !== undefined && pairs[2 * open.length + 1] !== 0) this.#write();
  }
  #read(output) {
    const room = new Uint8Array(65536);
    const count = native.read(output.fd, room, 0, room.length, -1);
    if (count === -11) return;
    if (count <= 0) {
      native.close(output.fd);
      output.fd = -1;
      return;
    }
    const most = this.options.maxBuffer > 0 ? this.options.maxBuffer : Infinity;
    output.chunks.push(room.subarray(0, count));
    output.size += count;
    if (output.size > most) this.#kill(ENOBUFS);
  }
  #write() {
    const { fd, bytes, at } = this.input;
    const count = at < bytes.length ? native.write(fd, bytes, at, bytes.length - at, -1) : 0;
    if (count === -11) return;
    if (count > 0) this.input.at += count;
    if (count <= 0 || this.input.at === bytes.length) {
      native.close(fd);
      this.input = undefined;
    }
  }
  #waitForEnd() {
    const result = native.wait(this.pid, this.deadline === Infinity);
    if (result !== undefined) this.ended = typeof result === 'number' ? [0, 0] : result;
    else if (this.deadline !== Infinity) native.poll(new Int32Array(0), Math.min(this.#left(), 20));
  }
}

host.define('spawn_sync', (binding) => {
  binding.spawn = (options) => new Synchronous(options).run();
});
