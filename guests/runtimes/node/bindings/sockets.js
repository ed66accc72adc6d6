// Sockets that are streams: over IP (`tcp_wrap`) and between UNIX sockets (`pipe_wrap`).
//
// A handle gets its descriptor when it is bound or connects first. As in libuv, some errors are told
// later: an address in use when it is listened on, a refused connection by the request.
'use strict';

const { loop, StreamHandle, Request } = host;

const EINPROGRESS = -115, EADDRINUSE = -98, EAGAIN = -11, ECONNABORTED = -103, EBADF = -9, EINVAL = -22, ENOENT = -2, EACCES = -13,
  ECANCELED = -125, ENOTSUP = -95, ENAMETOOLONG = -36, EOF = -4095, ENOPROTOOPT = -92;
// Of src/sockets.c.
const OPTION = {
  reuseAddress: 0, reusePort: 1, keepAlive: 2, noDelay: 3, keepIdle: 4, keepInterval: 5, keepCount: 6, broadcast: 7, receiveBuffer: 8,
  sendBuffer: 9, timeToLive: 10, multicastTimeToLive: 11, multicastLoopback: 12, only6: 13, typeOfService: 14,
};
host.socketOption = OPTION;
const [UNIX, IPV4, IPV6] = [1, 4, 6];
const LOCAL = -1; // in place of a port: the address is a path

// What Node's JavaScript gets for an address.
host.describeAddress = ([address, port, family], result) => Object.assign(result, { address, family: family === IPV6 ? 'IPv6' : 'IPv4', port });

class SocketHandle extends StreamHandle {
  #delayed = 0; // an error that is told later
  #listener;
  #connecting; // { request, watcher }
  // A descriptor for a family: 0, or an error.
  make(family) {
    if (this.isClosed) return EBADF;
    if (this.fd >= 0) return 0;
    const fd = native.socketOpen(family, false);
    if (fd < 0) return fd;
    this.fd = fd;
    return 0;
  }
  open(fd) {
    this.fd = fd;
    return native.setNonblocking(fd);
  }
  bindTo(host_, port) {
    const failed = native.socketBind(this.fd, host_, port);
    if (failed === EADDRINUSE) this.#delayed = failed;
    return failed < 0 && failed !== EADDRINUSE ? failed : 0;
  }
  get delayedError() { return this.#delayed; }
  listen(backlog) {
    if (this.#delayed !== 0) return this.#delayed;
    if (this.fd < 0) return this.isClosed ? EBADF : EINVAL;
    const failed = native.socketListen(this.fd, backlog);
    if (failed < 0) return failed;
    this.#listener = loop.watch(this.fd, loop.READABLE, () => this.#accept());
    this.#listener.isReferenced = this.isReferenced;
    return 0;
  }
  #accept() {
    while (!this.isClosed) {
      const fd = native.socketAccept(this.fd);
      if (fd === EAGAIN) return;
      if (fd === ECONNABORTED) continue;
      if (fd < 0) {
        host.runCallback(() => host.within(this, () => this.onconnection(fd, undefined)));
        return;
      }
      const client = new this.constructor(0);
      client.fd = fd;
      host.runCallback(() => host.within(this, () => this.onconnection(0, client)));
    }
  }
  connectTo(request, host_, port) {
    let failed = this.#delayed !== 0 ? this.#delayed : native.socketConnect(this.fd, host_, port);
    // Whatever else goes wrong is a mistake of the caller and told at once.
    const isLate = failed === 0 || failed === EINPROGRESS || this.#delayed !== 0 || (port === LOCAL && failed !== ENAMETOOLONG) || this.isRefusal(failed);
    if (!isLate) return failed;
    this.isWaiting = true;
    this.#connecting = { request, watcher: undefined };
    const finish = () => {
      if (this.#connecting?.request !== request) return;
      if (failed === EINPROGRESS) {
        failed = native.socketError(this.fd);
        if (failed === EINPROGRESS) return;
      }
      this.#connecting.watcher?.stop();
      this.#connecting = undefined;
      request.complete(failed, this, request, true, true);
      if (failed === 0 && !this.isClosed) this.goOn();
      else this.isWaiting = false;
    };
    if (failed === EINPROGRESS) this.#connecting.watcher = loop.watch(this.fd, loop.WRITABLE, finish);
    else loop.later(finish);
    return 0;
  }
  isRefusal(failed) { return failed === -111; }
  referenceChanged() {
    super.referenceChanged();
    if (this.#listener !== undefined) this.#listener.isReferenced = this.isReferenced;
  }
  release() {
    this.#listener?.stop();
    if (this.#connecting !== undefined) {
      const { request, watcher } = this.#connecting;
      this.#connecting = undefined;
      watcher?.stop();
      loop.close(() => request.complete(ECANCELED, this, request, true, true));
    }
    super.release();
  }
}

host.define('tcp_wrap', (binding) => {
  const { SOCKET, SERVER, UV_TCP_REUSEPORT, UV_TCP_IPV6ONLY } = binding.constants;
  class TCP extends SocketHandle {
    constructor(type) {
      if (type !== SOCKET && type !== SERVER) throw new TypeError('a TCP handle is a SOCKET or a SERVER');
      super();
      this.isServer = type === SERVER;
    }
    #bind(family, address, port, flags) {
      let failed = this.make(family);
      if (failed !== 0) return failed;
      native.socketOption(this.fd, OPTION.reuseAddress, 1);
      if (flags & UV_TCP_REUSEPORT) failed = native.socketOption(this.fd, OPTION.reusePort, 1);
      if (failed < 0) return failed;
      if (family === IPV6) native.socketOption(this.fd, OPTION.only6, flags & UV_TCP_IPV6ONLY ? 1 : 0);
      return this.bindTo(String(address), port);
    }
    bind(address, port, flags) { return this.#bind(IPV4, address, port, flags ?? 0); }
    bind6(address, port, flags) { return this.#bind(IPV6, address, port, flags ?? 0); }
    listen(backlog) {
      // One that was not bound listens on any port.
      if (this.fd < 0 && !this.isClosed) {
        const failed = this.make(IPV4);
        if (failed !== 0) return failed;
      }
      return super.listen(backlog);
    }
    #connect(family, request, address, port) {
      const failed = this.make(family);
      return failed !== 0 ? failed : this.connectTo(request, String(address), port);
    }
    connect(request, address, port) { return this.#connect(IPV4, request, address, port); }
    connect6(request, address, port) { return this.#connect(IPV6, request, address, port); }
    #name(result, isPeer) {
      if (this.fd < 0) return EBADF;
      if (this.delayedError !== 0) return this.delayedError;
      const name = native.socketName(this.fd, isPeer);
      if (typeof name === 'number') return name;
      if (typeof name === 'string') return EINVAL;
      host.describeAddress(name, result);
      return 0;
    }
    getsockname(result) { return this.#name(result, false); }
    getpeername(result) { return this.#name(result, true); }
    // Before there is a descriptor, options have nothing to be set on: libuv keeps them, and so does this.
    #early = [];
    make(family) {
      const isNew = this.fd < 0;
      const failed = super.make(family);
      if (isNew && failed === 0) for (const [option, value] of this.#early.splice(0)) native.socketOption(this.fd, option, value);
      return failed;
    }
    #set(option, value) {
      if (this.fd >= 0) return native.socketOption(this.fd, option, value);
      if (this.isClosed) return EBADF;
      this.#early.push([option, value]);
      return 0;
    }
    setNoDelay(isOn) { return this.#set(OPTION.noDelay, isOn ? 1 : 0); }
    setKeepAlive(isOn, seconds) {
      if (isOn && seconds < 1) return EINVAL;
      let failed = this.#set(OPTION.keepAlive, isOn ? 1 : 0);
      if (failed < 0 || !isOn) return failed;
      for (const [option, value] of [[OPTION.keepIdle, seconds], [OPTION.keepInterval, 1], [OPTION.keepCount, 10]]) {
        failed = this.#set(option, value);
        if (failed < 0) return failed;
      }
      return 0;
    }
    // The sandbox's kernel has no types of service but 0, which undici sets on each connection.
    setTypeOfService(value) {
      if (this.fd < 0) return EBADF;
      const result = native.socketOption(this.fd, OPTION.typeOfService, value);
      return result === ENOPROTOOPT && value === 0 ? 0 : result;
    }
    getTypeOfService() {
      if (this.fd < 0) return EBADF;
      const result = native.socketOption(this.fd, OPTION.typeOfService, undefined);
      return result === ENOPROTOOPT ? 0 : result;
    }
    reset(callback) {
      if (this.isClosed) return 0;
      const failed = this.fd < 0 ? 0 : native.socketReset(this.fd);
      if (failed < 0) return failed;
      this.close(callback);
      return 0;
    }
  }
  binding.TCP = TCP;
  binding.TCPConnectWrap = class TCPConnectWrap extends Request {};
});

host.define('pipe_wrap', (binding) => {
  const { UV_READABLE, UV_WRITABLE, SOCKET, IPC } = binding.constants;
  class Pipe extends SocketHandle {
    #path; // what it has made in the file system
    constructor(type) {
      if (!(type >= SOCKET && type <= IPC)) throw new TypeError('a pipe is a SOCKET, a SERVER or for IPC');
      super();
    }
    bind(path) {
      if (this.fd >= 0) return EINVAL;
      if (path === '') return EINVAL;
      let failed = this.make(UNIX);
      if (failed !== 0) return failed;
      failed = native.socketBind(this.fd, path, LOCAL);
      if (failed < 0) {
        native.close(this.fd);
        this.fd = -1;
        return failed === ENOENT ? EACCES : failed === ENAMETOOLONG ? EINVAL : failed;
      }
      if (!path.startsWith('\0')) this.#path = path;
      return 0;
    }
    connect(request, path) {
      if (path === '') return EINVAL;
      const failed = this.make(UNIX);
      if (failed !== 0) return failed;
      const result = this.connectTo(request, path, LOCAL);
      return result === ENAMETOOLONG ? EINVAL : result;
    }
    fchmod(mode) {
      if (this.fd < 0) return EBADF;
      if (mode !== UV_READABLE && mode !== UV_WRITABLE && mode !== (UV_READABLE | UV_WRITABLE)) return EINVAL;
      if (this.#path === undefined) return ENOTSUP;
      const found = native.chmod(this.#path, 0o600 | (mode & UV_READABLE ? 0o444 : 0) | (mode & UV_WRITABLE ? 0o222 : 0));
      return typeof found === 'number' ? found : 0;
    }
    release() {
      super.release();
      if (this.#path !== undefined) native.unlink(this.#path);
      this.#path = undefined;
    }
  }
  binding.Pipe = Pipe;
  binding.PipeConnectWrap = class PipeConnectWrap extends Request {};
});

// A stream that JavaScript makes, as a handle: what a Duplex needs below TLS.
host.define('js_stream', (binding) => {
  binding.JSStream = class JSStream extends StreamHandle {
    readStart() { return this.onreadstart(); }
    readStop() { return this.onreadstop(); }
    shutdown(request) { return this.onshutdown(request); }
    writeBytes(request, bytes) {
      const { streamBaseState, kBytesWritten, kLastWriteWasAsync } = host.binding('stream_wrap');
      this.bytesWritten += bytes.length;
      const failed = this.onwrite(request, [host.toBuffer(host.copyOf(bytes))]);
      streamBaseState[kBytesWritten] = bytes.length;
      streamBaseState[kLastWriteWasAsync] = 1;
      return failed;
    }
    finishWrite(request, status) { request.complete(status, this, undefined); }
    finishShutdown(request, status) { request.complete(status); }
    readBuffer(chunk) {
      const bytes = host.copyOf(host.bytesOf(chunk));
      this.bytesRead += bytes.length;
      if (this.consumer !== undefined) this.consumer(bytes);
      else this.hand(bytes.length, bytes.buffer);
    }
    emitEOF() {
      if (this.consumerEnd !== undefined) this.consumerEnd(EOF);
      else this.hand(EOF, undefined);
    }
  };
});
