// `dns.resolve` and its like: questions to servers of names over UDP, as c-ares asks them.
//
// A sandbox has no server of names. The one that is asked without `setServers` is at 127.0.0.1, as for
// native Node without a resolv.conf, and unless something answers there it is ECONNREFUSED.
'use strict';

const { loop, Request } = host;

const EAGAIN = -11, EINVAL = -22, EOF = 0;
const [TIMEOUT, TRIES] = [2000, 3];
const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, NAPTR: 35, TLSA: 52, CAA: 257, ANY: 255 };
const NAMES = Object.fromEntries(Object.entries(TYPES).map(([name, number]) => [number, name]));
const CODES = ['', 'EFORMERR', 'ESERVFAIL', 'ENOTFOUND', 'ENOTIMP', 'EREFUSED'];
const HEAD = 12, MOST_JUMPS = 64, LONGEST_LABEL = 63, LONGEST_NAME = 253;

// A question as bytes; undefined for a name that there cannot be.
function question(id, name, type) {
  const labels = name.replace(/\.$/, '').split('.');
  const isWrong = (label) => label.length === 0 || label.length > LONGEST_LABEL;
  if (name.length > LONGEST_NAME || name !== '' && name !== '.' && labels.some(isWrong)) return undefined;
  const bytes = [id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
  if (name !== '' && name !== '.') for (const label of labels) bytes.push(label.length, ...host.encode(label, 'latin1'));
  return new Uint8Array([...bytes, 0, type >> 8, type & 255, 0, 1]);
}

class Malformed extends Error {}

// Reads a reply, within its bytes.
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }
  take(count) {
    if (this.at + count > this.end) throw new Malformed('too short');
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
  number(count) { return this.take(count).reduce((sum, byte) => sum * 256 + byte, 0); }
  text() { return host.decode(this.take(this.number(1)), 'latin1'); }
  // A name, parts of which may be elsewhere in the reply.
  name() {
    const labels = [];
    let { at } = this, isElsewhere = false;
    for (let jumps = 0; jumps < MOST_JUMPS;) {
      const length = this.bytes[at];
      if (length === undefined) break;
      if (length >= 0xc0) {
        if (!isElsewhere) this.at = at + 2;
        isElsewhere = true;
        jumps++;
        at = (length & 0x3f) << 8 | this.bytes[at + 1];
      } else if (length === 0) {
        if (!isElsewhere) this.at = at + 1;
        if (this.at > this.end) break;
        return labels.join('.');
      } else {
        if (at + 1 + length > this.bytes.length || labels.length > 127) break;
        labels.push(host.decode(this.bytes.subarray(at + 1, at + 1 + length), 'latin1'));
        at += 1 + length;
      }
    }
    throw new Malformed('a name does not end');
  }
}

const texts = (data) => {
  const list = [];
  while (data.at < data.end) list.push(data.text());
  return list;
};
// What each type has, in Node's words.
const readers = {
  A: (data) => native.addressText(data.take(4)),
  AAAA: (data) => native.addressText(data.take(16)),
  NS: (data) => data.name(),
  CNAME: (data) => data.name(),
  PTR: (data) => data.name(),
  MX: (data) => ({ priority: data.number(2), exchange: data.name() }),
  TXT: texts,
  SRV: (data) => {
    const [priority, weight, port] = [data.number(2), data.number(2), data.number(2)];
    return { name: data.name(), port, priority, weight };
  },
  SOA: (data) => ({
    nsname: data.name(), hostmaster: data.name(), serial: data.number(4), refresh: data.number(4), retry: data.number(4),
    expire: data.number(4), minttl: data.number(4),
  }),
  NAPTR: (data) => {
    const [order, preference] = [data.number(2), data.number(2)];
    return { flags: data.text(), service: data.text(), regexp: data.text(), replacement: data.name(), order, preference };
  },
  CAA: (data) => {
    const critical = data.number(1), tag = data.text();
    return { critical, [tag]: host.decode(data.take(data.end - data.at), 'latin1') };
  },
  TLSA: (data) => ({
    certUsage: data.number(1), selector: data.number(1), match: data.number(1), data: host.copyOf(data.take(data.end - data.at)).buffer,
  }),
};

// The records of a reply: [code, records of { type, ttl, value }].
function parse(bytes) {
  const reader = new Reader(bytes);
  reader.take(2);
  const [flags, questions, answers] = [reader.number(2), reader.number(2), reader.number(2)];
  reader.take(4);
  const code = flags & 15;
  if (code !== 0) return [CODES[code] ?? 'ESERVFAIL', []];
  for (let i = 0; i < questions; i++) {
    reader.name();
    reader.take(4);
  }
  const records = [];
  for (let i = 0; i < answers; i++) {
    reader.name();
    const type = NAMES[reader.number(2)];
    reader.take(2);
    const ttl = reader.number(4), length = reader.number(2), start = reader.at;
    reader.take(length);
    if (readers[type] !== undefined) records.push({ type, ttl: ttl > 0x7fffffff ? 0 : ttl, value: readers[type](new Reader(bytes, start, start + length)) });
  }
  return ['', records];
}

// One record of an answer to ANY.
const described = ({ type, ttl, value }) => {
  if (type === 'A' || type === 'AAAA') return { address: value, ttl, type };
  if (type === 'TXT') return { entries: value, type };
  return typeof value === 'string' ? { value, type } : { ...value, type };
};

// What a request gets of the records for a question: [code] or ['', result, times to live].
function answer(wanted, records) {
  if (wanted === 'ANY') return records.length === 0 ? ['ENODATA'] : ['', records.map(described)];
  const found = records.filter(({ type }) => type === wanted);
  if (found.length === 0) return ['ENODATA'];
  if (wanted === 'SOA') return ['', found[0].value];
  return ['', found.map(({ value }) => value), wanted === 'A' || wanted === 'AAAA' ? found.map(({ ttl }) => ttl) : undefined];
}

// One question, until there is an answer or no server is left to ask.
class Query {
  #left; // [server, patience] of the tries that are left
  #stop = () => {};
  constructor(channel, bytes, wanted, done) {
    this.bytes = bytes;
    this.wanted = wanted;
    this.done = (...outcome) => {
      this.#stop();
      channel.queries.delete(this);
      done(...outcome);
    };
    this.#left = [];
    for (let round = 0; round < channel.tries; round++) {
      const patience = Math.min(channel.timeout * 2 ** round, channel.mostTimeout || Infinity);
      for (const server of channel.servers) this.#left.push([server, patience]);
    }
    this.next('ECONNREFUSED');
  }
  next(failure) {
    this.#stop();
    const [[server, patience] = []] = this.#left.splice(0, 1);
    if (server === undefined) {
      loop.later(() => this.done(failure));
      return;
    }
    const [address, port] = server;
    const fd = native.socketOpen(address.includes(':') ? 6 : 4, true);
    const isSent = fd >= 0 && native.socketConnect(fd, address, port) >= 0 && native.socketSend(fd, this.bytes, undefined, 0) >= 0;
    if (!isSent) {
      if (fd >= 0) native.close(fd);
      this.#stop = () => {};
      this.next('ECONNREFUSED');
      return;
    }
    const { setTimeout, clearTimeout } = host.requireBuiltin('timers');
    const timer = setTimeout(() => this.next('ETIMEOUT'), patience);
    const watcher = loop.watch(fd, loop.READABLE, () => this.#receive(fd));
    this.#stop = () => {
      this.#stop = () => {};
      clearTimeout(timer);
      watcher.stop();
      native.close(fd);
    };
  }
  #receive(fd) {
    const found = native.socketReceive(fd);
    if (found === EAGAIN) return;
    if (typeof found === 'number') {
      this.next('ECONNREFUSED');
      return;
    }
    const bytes = new Uint8Array(found[0]);
    // What does not answer this question is somebody else's.
    if (bytes.length < HEAD || bytes[0] !== this.bytes[0] || bytes[1] !== this.bytes[1] || (bytes[2] & 0x80) === EOF) return;
    let outcome;
    try {
      const [code, records] = parse(bytes);
      outcome = code === '' ? answer(this.wanted, records) : [code];
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      outcome = ['EBADRESP'];
    }
    if (outcome[0] === 'ESERVFAIL' || outcome[0] === 'ENOTIMP' || outcome[0] === 'EREFUSED') this.next(outcome[0]);
    else this.done(...outcome);
  }
}

class ChannelWrap extends Request {
  queries = new Set();
  servers = [['127.0.0.1', 53]];
  constructor(timeout, tries, mostTimeout) {
    super();
    this.timeout = timeout > 0 ? timeout : TIMEOUT;
    this.tries = tries > 0 ? tries : TRIES;
    this.mostTimeout = mostTimeout;
  }
  getServers() { return this.servers.map((server) => [...server]); }
  setServers(servers) {
    if (this.queries.size > 0) return -1000; // DNS_ESETSRVPENDING
    this.servers = servers.map(([, address, port]) => [address, port]);
    return 0;
  }
  // Queries leave from the sandbox's own address, whatever is chosen; what is no address is refused.
  setLocalAddress(first, second) {
    const { isIP } = host.requireBuiltin('internal/net');
    const families = [first, second].filter((address) => address !== undefined).map((address) => isIP(address));
    if (families.length === 0 || families.includes(0)) throw host.codeError(Error, 'ERR_INVALID_ARG_VALUE', 'Invalid IP address.');
    if (families.length === 2 && families[0] === families[1]) {
      throw host.codeError(Error, 'ERR_INVALID_ARG_VALUE', `Cannot specify two IPv${families[0]} addresses.`);
    }
  }
  cancel() { for (const query of [...this.queries]) loop.later(() => this.queries.has(query) && query.done('ECANCELLED')); }
  ask(request, name, wanted) {
    const id = new Uint8Array(2);
    native.random(id);
    const bytes = question(id[0] << 8 | id[1], host.binding('encoding_binding').toASCII(String(name)), TYPES[wanted]);
    const done = (code, result, ttls) => host.runCallback(() => request.complete(...(code === '' ? [null, result, ttls] : [code])));
    if (bytes === undefined) {
      loop.later(() => done('EBADNAME'));
      return 0;
    }
    this.queries.add(new Query(this, bytes, wanted, done));
    return 0;
  }
  getHostByAddr(request, address) {
    const found = native.addressBytes(String(address));
    if (found === undefined) return EINVAL;
    const bytes = [...new Uint8Array(found[1])].reverse();
    const name = found[0] === 4 ? `${bytes.join('.')}.in-addr.arpa` :
      `${bytes.map((byte) => `${(byte & 15).toString(16)}.${(byte >> 4).toString(16)}`).join('.')}.ip6.arpa`;
    return this.ask(request, name, 'PTR');
  }
}
for (const type of Object.keys(TYPES)) {
  const method = `query${type[0]}${type.slice(1).toLowerCase()}`;
  ChannelWrap.prototype[method] = host.named(method, function(request, name) { return this.ask(request, name, type); });
}

// c-ares' own texts of its errors, by number; the last one is Node's.
const errorTexts = [
  'Successful completion', 'DNS server returned answer with no data', 'DNS server claims query was misformatted',
  'DNS server returned general failure', 'Domain name not found', 'DNS server does not implement requested operation',
  'DNS server refused query', 'Misformatted DNS query', 'Misformatted domain name', 'Unsupported address family', 'Misformatted DNS reply',
  'Could not contact DNS servers', 'Timeout while contacting DNS servers', 'End of file', 'Error reading file', 'Out of memory',
  'Channel is being destroyed', 'Misformatted string', 'Illegal flags specified', 'Given hostname is not numeric',
  'Illegal hints flags specified', 'c-ares library initialization not yet performed',
];
const PENDING = -1000;

host.extend('cares_wrap', (cares) => {
  cares.ChannelWrap = ChannelWrap;
  cares.strerror = (code) => (code === PENDING ? 'There are pending queries.' : errorTexts[code] ?? 'unknown');
});
