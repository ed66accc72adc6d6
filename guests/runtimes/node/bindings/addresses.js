// Addresses and lists of them that are blocked (`block_list`): net.SocketAddress, net.BlockList.
'use strict';

const AF_INET = 2, AF_INET6 = 10;
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]; // what an address of IPv4 has before it in IPv6

// Two addresses of one length: less than 0, 0 or more.
function compare(one, other) {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return one[at] - other[at];
  return 0;
}

// The bytes of IPv4 that an address of IPv6 stands for.
const inner = (bytes) => (bytes.length === 16 && compare(bytes.subarray(0, 12), MAPPED) === 0 ? bytes.subarray(12) : undefined);

// Bytes of two addresses that can be compared; undefined for those of two families.
function alike(one, other) {
  if (one.length === other.length) return [one, other];
  const [left, right] = [one.length === 4 ? one : inner(one), other.length === 4 ? other : inner(other)];
  return left === undefined || right === undefined ? undefined : [left, right];
}

function isWithin(bytes, network, prefix) {
  const pair = alike(bytes, network);
  if (pair === undefined) return false;
  // A prefix of IPv6 also counts the part that a mapped address has before it.
  let left = network.length === 16 && pair[1].length === 4 ? Math.max(0, prefix - 96) : prefix;
  for (let at = 0; at < pair[0].length && left > 0; at++, left -= 8) {
    const mask = left >= 8 ? 255 : 0xff00 >> left & 255;
    if ((pair[0][at] & mask) !== (pair[1][at] & mask)) return false;
  }
  return true;
}

host.define('block_list', (binding) => {
  class SocketAddress {
    #bytes;
    #port;
    #label;
    constructor(address, port, family, label) {
      const found = native.addressBytes(String(address));
      if (found === undefined || (found[0] === 4) !== (family === AF_INET)) {
        throw host.codeError(TypeError, 'ERR_INVALID_ADDRESS', 'Invalid address');
      }
      this.#bytes = new Uint8Array(found[1]);
      this.#port = port;
      this.#label = label ?? 0;
    }
    get bytes() { return this.#bytes; }
    static has(value) { return #bytes in value; }
    get text() { return native.addressText(this.#bytes); }
    get family() { return this.#bytes.length === 4 ? AF_INET : AF_INET6; }
    detail(result) {
      return Object.assign(result, { address: this.text, port: this.#port, family: this.family, flowlabel: this.#label });
    }
    legacyDetail() {
      const isSix = this.family === AF_INET6;
      return { address: this.text, family: isSix ? 'IPv6' : 'IPv4', port: this.#port };
    }
    flowlabel() { return this.#label; }
  }
  const familyOf = (bytes) => (bytes.length === 4 ? 'IPv4' : 'IPv6');
  class BlockList {
    #addresses = [];
    #subnets = [];
    #ranges = [];
    addAddress(address) {
      if (!this.#addresses.some((one) => this.#isSame(one, address.bytes))) this.#addresses.push(address.bytes);
      return true;
    }
    addAddresses(addresses) {
      for (const address of addresses) this.addAddress(address);
      return true;
    }
    addRange(start, end) {
      const pair = alike(start.bytes, end.bytes);
      if (pair === undefined || compare(...pair) > 0) return false;
      this.#ranges.unshift([start.bytes, end.bytes]);
      return true;
    }
    addSubnet(address, prefix) {
      this.#subnets.unshift([address.bytes, prefix]);
      return true;
    }
    #isSame(one, other) {
      const pair = alike(one, other);
      return pair !== undefined && compare(...pair) === 0;
    }
    removeAddress(address) { this.#addresses = this.#addresses.filter((one) => !this.#isSame(one, address.bytes)); }
    removeRange(start, end) {
      const at = this.#ranges.findIndex(([from, to]) => this.#isSame(from, start.bytes) && this.#isSame(to, end.bytes));
      if (at >= 0) this.#ranges.splice(at, 1);
    }
    removeSubnet(address, prefix) {
      const at = this.#subnets.findIndex(([network, bits]) => bits === prefix && this.#isSame(network, address.bytes));
      if (at >= 0) this.#subnets.splice(at, 1);
    }
    #blocks(bytes) {
      const between = ([from, to]) => {
        const [low, high] = [alike(bytes, from), alike(bytes, to)];
        return low !== undefined && high !== undefined && compare(...low) >= 0 && compare(...high) <= 0;
      };
      return this.#addresses.some((one) => this.#isSame(one, bytes)) || this.#ranges.some(between) ||
        this.#subnets.some(([network, prefix]) => isWithin(bytes, network, prefix));
    }
    check(address) { return this.#blocks(address.bytes); }
    checkString(text, family) {
      const found = native.addressBytes(String(text));
      return found !== undefined && (found[0] === 4) === (family === AF_INET) && this.#blocks(new Uint8Array(found[1]));
    }
    getRules() {
      return [
        ...this.#addresses.map((bytes) => `Address: ${familyOf(bytes)} ${native.addressText(bytes)}`),
        ...this.#subnets.map(([bytes, prefix]) => `Subnet: ${familyOf(bytes)} ${native.addressText(bytes)}/${prefix}`),
        ...this.#ranges.map(([from, to]) => `Range: ${familyOf(from)} ${native.addressText(from)}-${native.addressText(to)}`),
      ];
    }
    getSize() { return this.#addresses.length + this.#subnets.length + this.#ranges.length; }
    clear() { this.#addresses = this.#subnets = this.#ranges = []; }
  }
  binding.SocketAddress = SocketAddress;
  binding.BlockList = BlockList;
});
