// Sockets for datagrams (`udp_wrap`).
'use strict';

const { loop, Handle, Request, socketOption: OPTION } = host;

const EAGAIN = -11, EBADF = -9, EINVAL = -22, ECANCELED = -125;
const MOST_AT_ONCE = 32;
const [IPV4, IPV6] = [4, 6];

host.define('udp_wrap', (binding) => {
  const { UV_UDP_IPV6ONLY, UV_UDP_REUSEADDR, UV_UDP_REUSEPORT } = binding.constants;
  class UDP extends Handle {
    #fd = -1;
    #reader;
    #writer;
    #queue = []; // [request, bytes, address, port]
    get fd() { return this.#fd; }
    #make(family) {
      if (this.isClosed) return EBADF;
      if (this.#fd >= 0) return 0;
      const fd = native.socketOpen(family, true);
      if (fd < 0) return fd;
      this.#fd = fd;
      return 0;
    }
    open(fd) {
      this.#fd = fd;
      return native.setNonblocking(fd);
    }
    #bind(family, address, port, flags) {
      let failed = this.#make(family);
      if (failed !== 0) return failed;
      if (flags & UV_UDP_REUSEADDR) failed = native.socketOption(this.#fd, OPTION.reuseAddress, 1);
      if (failed === 0 && flags & UV_UDP_REUSEPORT) failed = native.socketOption(this.#fd, OPTION.reusePort, 1);
      if (failed === 0 && flags & UV_UDP_IPV6ONLY) {
        if (family !== IPV6) return EINVAL;
        failed = native.socketOption(this.#fd, OPTION.only6, 1);
      }
      return failed < 0 ? failed : native.socketBind(this.#fd, String(address), port);
    }
    bind(address, port, flags) { return this.#bind(IPV4, address, port, flags); }
    bind6(address, port, flags) { return this.#bind(IPV6, address, port, flags); }
    #connect(family, address, port) {
      const failed = this.#make(family);
      return failed !== 0 ? failed : native.socketConnect(this.#fd, String(address), port);
    }
    connect(address, port) { return this.#connect(IPV4, address, port); }
    connect6(address, port) { return this.#connect(IPV6, address, port); }
    disconnect() { return this.#fd < 0 ? EBADF : native.socketConnect(this.#fd, undefined, 0); }
    #name(result, isPeer) {
      if (this.#fd < 0) return EBADF;
      const name = native.socketName(this.#fd, isPeer);
      if (!Array.isArray(name)) return typeof name === 'number' ? name : EINVAL;
      host.describeAddress(name, result);
      return 0;
    }
    getsockname(result) { return this.#name(result, false); }
    getpeername(result) { return this.#name(result, true); }
    // Sends at once, and then returns the length and one; or 0, and tells the request later.
    #send(family, request, list, count, ...rest) {
      const [port, address] = rest.length === 3 ? rest : [0, undefined];
      if (this.isClosed) return EBADF;
      const failed = this.#make(family);
      if (failed !== 0) return failed;
      const parts = Array.from(list).slice(0, count).map(host.bytesOf);
      const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      const item = [request, whole, address === undefined ? undefined : String(address), port];
      if (this.#queue.length === 0) {
        const sent = native.socketSend(this.#fd, whole, item[2], port);
        if (sent !== EAGAIN) return sent < 0 ? sent : whole.length + 1;
      }
      this.#queue.push(item);
      this.#writer ??= loop.watch(this.#fd, loop.WRITABLE, () => this.#flush());
      this.#writer.start();
      return 0;
    }
    send(...given) { return this.#send(IPV4, ...given); }
    send6(...given) { return this.#send(IPV6, ...given); }
    #flush() {
      while (this.#queue.length > 0) {
        const [request, bytes, address, port] = this.#queue[0];
        const sent = native.socketSend(this.#fd, bytes, address, port);
        if (sent === EAGAIN) return;
        this.#queue.shift();
        host.runCallback(() => request.complete(sent < 0 ? sent : 0, bytes.length));
        if (this.isClosed) return;
      }
      this.#writer.stop();
    }
    recvStart() {
      if (this.#fd < 0) return EBADF;
      this.#reader ??= loop.watch(this.#fd, loop.READABLE, () => this.#receive());
      this.#reader.isReferenced = this.isReferenced;
      this.#reader.start();
      return 0;
    }
    recvStop() {
      if (this.#fd < 0) return EBADF;
      this.#reader?.stop();
      return 0;
    }
    #receive() {
      for (let count = 0; count < MOST_AT_ONCE && !this.isClosed; count++) {
        const found = native.socketReceive(this.#fd);
        if (found === EAGAIN) return;
        if (typeof found === 'number') {
          host.within(this, () => this.onmessage(found, this, undefined, undefined));
          return;
        }
        const [buffer, from] = found;
        const sender = Array.isArray(from) ? host.describeAddress(from, {}) : {};
        host.runCallback(() => host.within(this, () =>
          this.onmessage(buffer.byteLength, this, host.toBuffer(new Uint8Array(buffer)), sender)));
      }
    }
    #set(option, value, most) {
      if (this.#fd < 0) return EBADF;
      if (!(value >= (most === 255 ? 1 : 0) && value <= most)) return EINVAL;
      return native.socketOption(this.#fd, option, value);
    }
    setBroadcast(isOn) { return this.#set(OPTION.broadcast, isOn ? 1 : 0, 1); }
    setTTL(value) { return this.#set(OPTION.timeToLive, value, 255); }
    setMulticastTTL(value) { return this.#set(OPTION.multicastTimeToLive, value, 255); }
    setMulticastLoopback(isOn) { return this.#set(OPTION.multicastLoopback, isOn ? 1 : 0, 1); }
    setMulticastInterface(address) { return this.#fd < 0 ? EBADF : native.socketMulticastInterface(this.#fd, String(address)); }
    #member(joins, group, card, source) {
      if (this.#fd < 0) return EBADF;
      return native.socketMembership(this.#fd, joins, String(group), card ?? undefined, source);
    }
    addMembership(group, card) { return this.#member(true, group, card); }
    dropMembership(group, card) { return this.#member(false, group, card); }
    addSourceSpecificMembership(source, group, card) { return this.#member(true, group, card, source); }
    dropSourceSpecificMembership(source, group, card) { return this.#member(false, group, card, source); }
    bufferSize(size, isReceive, context) {
      const fail = (errno) => {
        const [code, message] = host.binding('uv').getErrorMap().get(errno) ?? ['UNKNOWN', 'unknown error'];
        Object.assign(context, { errno, code, message, syscall: isReceive ? 'uv_recv_buffer_size' : 'uv_send_buffer_size' });
        return undefined;
      };
      if (size > 2 ** 31 - 1) return fail(EINVAL);
      if (this.#fd < 0) return fail(EBADF);
      const option = isReceive ? OPTION.receiveBuffer : OPTION.sendBuffer;
      const result = native.socketOption(this.#fd, option, size === 0 ? undefined : size);
      return result < 0 ? fail(result) : size === 0 ? result : size;
    }
    getSendQueueSize() { return this.#queue.reduce((sum, [, bytes]) => sum + bytes.length, 0); }
    getSendQueueCount() { return this.#queue.length; }
    referenceChanged() { if (this.#reader !== undefined) this.#reader.isReferenced = this.isReferenced; }
    release() {
      this.#reader?.stop();
      this.#writer?.stop();
      for (const [request] of this.#queue.splice(0)) loop.close(() => request.complete(ECANCELED));
      if (this.#fd >= 0) native.close(this.#fd);
      this.#fd = -1;
    }
  }
  binding.UDP = UDP;
  binding.SendWrap = class SendWrap extends Request {};
});
