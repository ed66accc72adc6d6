// Handles of pipes and terminals for `net.Socket` and `tty`: reading and writing on the loop.
'use strict';

const { loop, bytesOf } = host;

const CHUNK = 65536, EOF = -4095, EAGAIN = -11, EBADF = -9, ECANCELED = -125, EINVAL = -22;

const streamBase = () => host.binding('stream_wrap').streamBaseState;
const fields = () => host.binding('stream_wrap');

class Handle {
  isReferenced = true;
  isClosed = false;
  getAsyncId() { return 0; }
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
    this.release();
    loop.close(() => {
      callback?.call(this);
      this[host.binding('symbols').handle_onclose_symbol]?.();
    });
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
    const failed = native.setNonblocking(fd);
    return failed < 0 ? failed : 0;
  }
  readStart() {
    if (this.fd < 0) return EBADF;
    this.#reader ??= loop.watch(this.fd, loop.READABLE, () => this.#read());
    this.#reader.isReferenced = this.isReferenced;
    this.#reader.start();
    return 0;
  }
  readStop() {
    this.#reader?.stop();
    return 0;
  }
  #read() {
    const room = new Uint8Array(CHUNK);
    const count = native.read(this.fd, room, 0, CHUNK, -1);
    if (count === EAGAIN) return;
    const state = streamBase();
    const { kReadBytesOrError, kArrayBufferOffset } = fields();
    state[kReadBytesOrError] = count === 0 ? EOF : count;
    state[kArrayBufferOffset] = 0;
    if (count <= 0) this.#reader.stop();
    else this.bytesRead += count;
    this.onread(count > 0 ? room.buffer.slice(0, count) : undefined);
  }
  // Writes what can be written now; the rest goes when there is room, and then the request is done.
  #write(request, bytes) {
    const state = streamBase();
    const { kBytesWritten, kLastWriteWasAsync } = fields();
    state[kBytesWritten] = bytes.length;
    state[kLastWriteWasAsync] = 0;
    if (this.fd < 0) return EBADF;
    let at = 0;
    if (this.#queue.length === 0) {
      while (at < bytes.length) {
        const count = native.write(this.fd, bytes, at, bytes.length - at, -1);
        if (count === EAGAIN) break;
        if (count < 0) return count;
        at += count;
        this.bytesWritten += count;
      }
    }
    if (at === bytes.length) return 0;
    state[kLastWriteWasAsync] = 1;
    this.#queue.push([request, bytes.slice(at)]);
    this.#writer ??= loop.watch(this.fd, loop.WRITABLE, () => this.#flush());
    this.#writer.start();
    return 0;
  }
  #flush() {
    while (this.#queue.length > 0) {
      const [request, bytes] = this.#queue[0];
      const count = native.write(this.fd, bytes, 0, bytes.length, -1);
      if (count === EAGAIN) return;
      if (count > 0) this.bytesWritten += count;
      if (count >= 0 && count < bytes.length) {
        this.#queue[0][1] = bytes.subarray(count);
        continue;
      }
      this.#queue.shift();
      request.oncomplete?.(count < 0 ? count : 0, this, undefined);
    }
    this.#writer.stop();
    this.#shutDown?.();
  }
  #shutDown;
  shutdown(request) {
    const finish = () => {
      this.#shutDown = undefined;
      this.endWriting();
      loop.later(() => request.oncomplete(0));
    };
    if (this.#queue.length === 0) finish();
    else this.#shutDown = finish;
    return 0;
  }
  // A pipe's end to write says that it is over by being closed.
  endWriting() {
    if (this.fd < 0 || this.#reader !== undefined) return;
    native.close(this.fd);
    this.fd = -1;
  }
  writeBuffer(request, buffer) { return this.#write(request, bytesOf(buffer)); }
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
    return this.#write(request, whole);
  }
  writeUtf8String(request, text) { return this.#write(request, host.encode(text, 'utf8')); }
  writeAsciiString(request, text) { return this.#write(request, host.encode(text, 'latin1')); }
  writeLatin1String(request, text) { return this.#write(request, host.encode(text, 'latin1')); }
  writeUcs2String(request, text) { return this.#write(request, host.encode(text, 'ucs2')); }
  useUserBuffer() { throw host.unavailable('net.Socket with `onread`'); }
  setBlocking() { return 0; }
  get writeQueueSize() { return this.#queue.reduce((sum, [, bytes]) => sum + bytes.length, 0); }
  referenceChanged() { if (this.#reader !== undefined) this.#reader.isReferenced = this.isReferenced; }
  release() {
    this.#reader?.stop();
    this.#writer?.stop();
    for (const [request] of this.#queue.splice(0)) loop.later(() => request.oncomplete?.(ECANCELED, this, undefined));
    if (this.fd > 2) native.close(this.fd);
    this.fd = -1;
  }
}
host.StreamHandle = StreamHandle;

class Request {}

host.define('stream_wrap', (binding) => {
  binding.streamBaseState = new Int32Array(5);
  binding.LibuvStreamWrap = StreamHandle;
  binding.WriteWrap = class WriteWrap extends Request {};
  binding.ShutdownWrap = class ShutdownWrap extends Request {};
});

host.define('pipe_wrap', (binding) => {
  binding.Pipe = class Pipe extends StreamHandle {
    bind() { return EINVAL; }
    listen() { return EINVAL; }
    connect() { throw host.unavailable('net: sockets'); }
    fchmod() { return EINVAL; }
  };
  binding.PipeConnectWrap = class PipeConnectWrap extends Request {};
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
    setRawMode() { throw host.unavailable('tty.ReadStream.setRawMode'); }
    endWriting() {}
  };
});
