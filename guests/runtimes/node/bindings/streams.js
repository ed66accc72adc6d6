// Handles of pipes and terminals for `net.Socket` and `tty`: reading and writing on the loop.
'use strict';

const { loop, bytesOf } = host;

const CHUNK = 65536, EOF = -4095, EAGAIN = -11, EBADF = -9, ECANCELED = -125, EINVAL = -22, ENOTCONN = -107, ENOTSOCK = -88;

const streamBase = () => host.binding('stream_wrap').streamBaseState;
const fields = () => host.binding('stream_wrap');

host.handles = new Set(); // those that are not closed

// What a callback of a handle or a request belongs to: the chain of asynchronous calls that made it.
host.within = (owner, callback) => {
  const before = native.getContinuation();
  native.setContinuation(owner.continuation);
  try {
    return callback();
  } finally {
    native.setContinuation(before);
  }
};
const newAsyncId = () => {
  const { async_id_fields: ids, constants } = host.binding('async_wrap');
  return ++ids[constants.kAsyncIdCounter];
};

class Owner {
  #asyncId;
  constructor() {
    Object.defineProperty(this, 'continuation', { __proto__: null, value: native.getContinuation(), writable: true, configurable: true });
  }
  getAsyncId() { return this.#asyncId ??= newAsyncId(); }
}

class Request extends Owner {
  complete(...given) { host.within(this, () => this.oncomplete?.(...given)); }
}
host.Owner = Owner;
host.Request = Request;

class Handle extends Owner {
  isReferenced = true;
  isClosed = false;
  constructor() {
    super();
    host.handles.add(this);
  }
  getProviderType() { return 0; }
  hasRef() { return this.isReferenced && !this.isClosed; }
  ref() {
    this.isReferenced = true;
    this.referenceChanged();
  }
  unref() {
    this.isReferenced = false;
    this.referenceChanged();
  }
  referenceChanged() {}
  close(callback) {
    if (this.isClosed) return;
    this.isClosed = true;
    host.handles.delete(this);
    this.release();
    loop.close(() => host.within(this, () => {
      callback?.call(this);
    }));
  }
  release() {}
}
host.Handle = Handle;

// A stream over one descriptor to read and one to write, which may be the same.
class StreamHandle extends Handle {
  fd = -1;
  bytesRead = 0;
  bytesWritten = 0;
  isStreamBase = true;
  #reader;
  #writer;
  #queue = []; // [request, bytes that are left]
  open(fd) {
    this.fd = fd;
    const failed = native.setNonblocking(fd, true);
    return failed < 0 ? failed : 0;
  }
  readStart() {
    if (this.fd < 0) return this.isClosed ? EBADF : ENOTCONN;
    this.#reader ??= loop.watch(this.fd, loop.READABLE, () => this.#read());
    this.#reader.isReferenced = this.isReferenced;
    this.#reader.start();
    return 0;
  }
  readStop() {
    this.#reader?.stop();
    return 0;
  }
  // What takes the bytes in place of `onread`: a parser of HTTP, TLS. Ends and errors go to `onread`, or to `consumerEnd`.
  consumer;
  consumerEnd;
  #userBuffer;
  useUserBuffer(buffer) { this.#userBuffer = buffer; }
  #read() {
    const room = this.#userBuffer === undefined ? new Uint8Array(CHUNK) : bytesOf(this.#userBuffer);
    const count = native.read(this.fd, room, 0, room.length, -1);
    if (count === EAGAIN) return;
    if (count <= 0) this.#reader.stop();
    else this.bytesRead += count;
    host.within(this, () => {
      if (count > 0 && this.consumer !== undefined) this.consumer(room.subarray(0, count));
      else if (count <= 0 && this.consumerEnd !== undefined) this.consumerEnd(count === 0 ? EOF : count);
      else this.hand(count === 0 ? EOF : count, count > 0 && this.#userBuffer === undefined ? room.buffer.slice(0, count) : undefined);
    });
  }
  // Hands bytes, or an error, to Node's JavaScript.
  hand(count, buffer) {
    const state = streamBase();
    const { kReadBytesOrError, kArrayBufferOffset } = fields();
    state[kReadBytesOrError] = count;
    state[kArrayBufferOffset] = 0;
    const next = this.onread(buffer);
    if (next !== undefined && this.#userBuffer !== undefined) this.#userBuffer = next;
  }
  // Writes what can be written now; the rest goes when there is room, and then the request is done.
  writeBytes(request, bytes) {
    const state = streamBase();
    const { kBytesWritten, kLastWriteWasAsync } = fields();
    state[kBytesWritten] = bytes.length;
    state[kLastWriteWasAsync] = 0;
    if (this.fd < 0) return EBADF;
    this.bytesWritten += bytes.length;
    let at = 0;
    if (this.#queue.length === 0) {
      while (at < bytes.length) {
        const count = native.write(this.fd, bytes, at, bytes.length - at, -1);
        if (count === EAGAIN) break;
        if (count < 0) return count;
        at += count;
      }
    }
    if (at === bytes.length) return 0;
    state[kLastWriteWasAsync] = 1;
    this.#queue.push([request, bytes.slice(at)]);
    if (this.isWaiting) return 0;
    this.#writer ??= loop.watch(this.fd, loop.WRITABLE, () => this.#flush());
    this.#writer.start();
    return 0;
  }
  #flush() {
    while (this.#queue.length > 0) {
      const [request, bytes] = this.#queue[0];
      const count = native.write(this.fd, bytes, 0, bytes.length, -1);
      if (count === EAGAIN) return;
      if (count >= 0 && count < bytes.length) {
        this.#queue[0][1] = bytes.subarray(count);
        continue;
      }
      this.#queue.shift();
      host.runCallback(() => request.complete(count < 0 ? count : 0, this, undefined));
      if (this.isClosed) return;
    }
    this.#writer.stop();
    this.#shutDown?.();
  }
  #shutDown;
  shutdown(request) {
    if (this.fd < 0) return ENOTCONN;
    const finish = () => {
      this.#shutDown = undefined;
      const status = this.endWriting() ?? 0;
      loop.later(() => request.complete(this.isClosed ? ECANCELED : status));
    };
    if (this.#queue.length === 0 && !this.isWaiting) finish();
    else this.#shutDown = finish;
    return 0;
  }
  // While a connection is being made, what is written waits.
  isWaiting = false;
  goOn() {
    this.isWaiting = false;
    if (this.#queue.length > 0) {
      this.#writer ??= loop.watch(this.fd, loop.WRITABLE, () => this.#flush());
      this.#writer.start();
    } else {
      this.#shutDown?.();
    }
  }
  // A pipe's end to write says that it is over by being closed.
  endWriting() {
    const status = native.socketShutdown(this.fd);
    if (status !== ENOTSOCK) return status;
    if (this.#reader === undefined) {
      native.close(this.fd);
      this.fd = -1;
    }
    return 0;
  }
  writeBuffer(request, buffer) { return this.writeBytes(request, bytesOf(buffer)); }
  writev(request, chunks, areBuffers) {
    const parts = [];
    for (let at = 0; at < chunks.length; at += areBuffers ? 1 : 2) {
      parts.push(areBuffers || typeof chunks[at] !== 'string' ? bytesOf(chunks[at]) : host.encode(chunks[at], chunks[at + 1]));
    }
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return this.writeBytes(request, whole);
  }
  writeUtf8String(request, text) { return this.writeBytes(request, host.encode(text, 'utf8')); }
  writeAsciiString(request, text) { return this.writeBytes(request, host.encode(text, 'latin1')); }
  writeLatin1String(request, text) { return this.writeBytes(request, host.encode(text, 'latin1')); }
  writeUcs2String(request, text) { return this.writeBytes(request, host.encode(text, 'ucs2')); }
  setBlocking() { return 0; }
  get writeQueueSize() { return this.#queue.reduce((sum, [, bytes]) => sum + bytes.length, 0); }
  referenceChanged() { if (this.#reader !== undefined) this.#reader.isReferenced = this.isReferenced; }
  release() {
    this.#reader?.stop();
    this.#writer?.stop();
    for (const [request] of this.#queue.splice(0)) loop.close(() => request.complete(ECANCELED, this, undefined));
    if (this.#shutDown !== undefined) loop.close(this.#shutDown);
    if (this.fd > 2) native.close(this.fd);
    this.fd = -1;
  }
}
host.StreamHandle = StreamHandle;

host.define('stream_wrap', (binding) => {
  binding.streamBaseState = new Int32Array(5);
  binding.LibuvStreamWrap = StreamHandle;
  binding.WriteWrap = class WriteWrap extends Request {};
  binding.ShutdownWrap = class ShutdownWrap extends Request {};
});

host.define('tty_wrap', (binding) => {
  binding.isTTY = (fd) => native.descriptorKind(fd) === 'TTY';
  binding.TTY = class TTY extends StreamHandle {
    constructor(fd, context) {
      super();
      this.fd = fd;
      if (binding.isTTY(fd)) return;
      Object.assign(context, { errno: EINVAL, code: 'EINVAL', message: 'invalid argument', syscall: 'uv_tty_init' });
    }
    open() { return 0; }
    getWindowSize(size) {
      const found = native.windowSize(this.fd);
      if (typeof found === 'number') return found;
      [size[0], size[1]] = found;
      return 0;
    }
    setRawMode(mode) { return native.setRawMode(this.fd, mode !== 0 && mode !== false); }
    endWriting() { return 0; }
  };
});
