// Names of hosts (`cares_wrap`): what the system's own lookup knows. Servers of names are asked by resolver.js.
'use strict';

const { loop, Request } = host;

const EAI_NODATA = -3007, EAI_BADFLAGS = -3002;

host.define('cares_wrap', (cares) => {
  cares.GetAddrInfoReqWrap = class GetAddrInfoReqWrap extends Request {};
  cares.GetNameInfoReqWrap = class GetNameInfoReqWrap extends Request {};
  cares.QueryReqWrap = class QueryReqWrap extends Request {};
  cares.getaddrinfo = (request, hostname, family, flags, order) => {
    const name = host.binding('encoding_binding').toASCII(String(hostname));
    const found = native.nameLookup(name, family, flags ?? 0);
    loop.later(() => {
      if (typeof found === 'number') return request.complete(found, null);
      const of = (wanted) => found.filter(([, , kind]) => kind === wanted);
      const sorted = order === cares.DNS_ORDER_IPV4_FIRST ? [...of(4), ...of(6)] :
        order === cares.DNS_ORDER_IPV6_FIRST ? [...of(6), ...of(4)] : found;
      return request.complete(sorted.length === 0 ? EAI_NODATA : 0, sorted.map(([address]) => address));
    });
    return 0;
  };
  cares.getnameinfo = (request, address, port) => {
    const found = native.nameOf(String(address), port);
    if (found === -22) return EAI_BADFLAGS;
    loop.later(() => request.complete(...(typeof found === 'number' ? [found, null, null] : [0, ...found])));
    return 0;
  };
  cares.canonicalizeIP = (text) => {
    const found = native.addressBytes(String(text));
    return found === undefined ? undefined : native.addressText(new Uint8Array(found[1]));
  };
  cares.convertIpv6StringToBuffer = (text) => {
    const found = native.addressBytes(String(text));
    if (found === undefined || found[0] !== 6) throw new Error('Invalid IPv6 address');
    return host.toBuffer(new Uint8Array(found[1]));
  };
});
