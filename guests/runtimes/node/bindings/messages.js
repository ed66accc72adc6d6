// structuredClone, and channels within one process.
'use strict';

const { className } = native;
const viewTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

// Sources of Node's that want their own few arguments.
function perContext(id) {
  const exports = {};
  host.compileBuiltin(id)(exports, host.primordials, host.binding('util').privateSymbols, host.binding('symbols'));
  return exports;
}
let exceptions;
const domException = () => (exceptions ??= perContext('internal/per_context/domexception')).DOMException;
let ports;
const emitMessage = () => (ports ??= perContext('internal/per_context/messageport')).emitMessage;

function refuse(value) {
  const shown = typeof value === 'function' || typeof value === 'symbol' ? String(value) : `#<${className(value) ?? 'Object'}>`;
  const DOMException = domException();
  throw new DOMException(`${shown} could not be cloned.`, 'DataCloneError');
}

const errorKinds = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

// A copy as the HTML standard's StructuredSerialize and its counterpart make it.
function cloner(transferred) {
  const seen = new Map();
  const keep = (value, copy) => {
    seen.set(value, copy);
    return copy;
  };
  const properties = (value, copy) => {
    for (const key of Object.keys(value)) copy[key] = clone(value[key]);
    return copy;
  };
  function cloneError(value) {
    const copy = keep(value, new (errorKinds[value.name] ?? Error)(value.message));
    const put = (key, item) => Object.defineProperty(copy, key, { value: item, writable: true, configurable: true });
    put('stack', value.stack);
    if ('cause' in value) put('cause', clone(value.cause));
    return copy;
  }
  function cloneView(value, kind) {
    const buffer = clone(value.buffer);
    if (kind === 'DataView') return keep(value, new DataView(buffer, value.byteOffset, value.byteLength));
    return keep(value, new globalThis[viewTag.call(value)](buffer, value.byteOffset, value.length));
  }
  function clone(value) {
    if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
    if (!host.isObject(value)) return value;
    if (seen.has(value)) return seen.get(value);
    const kind = className(value);
    if (ArrayBuffer.isView(value)) return cloneView(value, kind);
    switch (kind) {
      case 'Date': return keep(value, new Date(Number(value)));
      case 'RegExp': return keep(value, new RegExp(value.source, value.flags));
      case 'Boolean': case 'Number': case 'String': case 'BigInt': return keep(value, Object(value.valueOf()));
      case 'ArrayBuffer': return keep(value, transferred.includes(value) ? value.transfer() : value.slice(0));
      case 'SharedArrayBuffer': return keep(value, value);
      case 'Error': return cloneError(value);
      case 'Array': return properties(value, keep(value, new Array(value.length)));
      case 'Map': {
        const copy = keep(value, new Map());
        for (const [key, item] of [...value]) copy.set(clone(key), clone(item));
        return copy;
      }
      case 'Set': {
        const copy = keep(value, new Set());
        for (const item of [...value]) copy.add(clone(item));
        return copy;
      }
      case 'Object': case 'Arguments': case 'MappedArguments': {
        if (transferred.includes(value)) return keep(value, value);
        return properties(value, keep(value, {}));
      }
    }
    if (transferred.includes(value)) return keep(value, value);
    return refuse(value);
  }
  return clone;
}

function structuredClone(value, options) {
  return cloner([...(options?.transfer ?? [])])(value);
}

class MessagePort {
  other = undefined;
  #isClosed = false;
  #isStarted = false;
  #isReferenced = false;
  #waiting = [];
  constructor() { this[host.binding('symbols').oninit]?.(); } // as Node's own class does it
  postMessage(message, options) {
    if (this.#isClosed || this.other === undefined) return;
    const transfer = Array.isArray(options) ? options : [...(options?.transfer ?? [])];
    this.other.#receive(cloner(transfer)(message));
  }
  #receive(message) {
    if (this.#isClosed) return;
    this.#waiting.push(message);
    if (this.#isStarted) host.loop.later(() => this.drain());
  }
  take() { return this.#waiting.length > 0 ? this.#waiting.shift() : host.binding('symbols').no_message_symbol; }
  start() {
    this.#isStarted = true;
    if (this.#waiting.length > 0) host.loop.later(() => this.drain());
  }
  stop() { this.#isStarted = false; }
  drain() {
    while (this.#isStarted && this.#waiting.length > 0) emitMessage().call(this, this.#waiting.shift(), [], 'message');
  }
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isReferenced) this.unref();
    const { other } = this;
    host.loop.close(() => this[host.binding('symbols').handle_onclose]?.());
    other?.close();
  }
  ref() {
    if (!this.#isReferenced) host.loop.keepForSignals(1);
    this.#isReferenced = true;
  }
  unref() {
    if (this.#isReferenced) host.loop.keepForSignals(-1);
    this.#isReferenced = false;
  }
  hasRef() { return this.#isReferenced; }
}

host.define('messaging', (messaging) => {
  messaging.MessagePort = MessagePort;
  messaging.MessageChannel = class MessageChannel {
    constructor() {
      this.port1 = new MessagePort();
      this.port2 = new MessagePort();
      this.port1.other = this.port2;
      this.port2.other = this.port1;
    }
  };
  Object.defineProperty(messaging, 'DOMException', { get: domException, configurable: true, enumerable: true });
  messaging.structuredClone = structuredClone;
  messaging.setDeserializerCreateObjectFunction = () => {};
  messaging.stopMessagePort = (port) => port.stop();
  messaging.checkMessagePort = (port) => port instanceof MessagePort;
  messaging.drainMessagePort = (port) => port.drain();
  messaging.receiveMessageOnPort = (port) => port.take();
  messaging.exposeLazyDOMExceptionProperty = (target) => {
    let value;
    Object.defineProperty(target, 'DOMException', {
      get() { return value ??= domException(); },
      set(given) { value = given; },
      configurable: true,
      enumerable: false,
    });
  };
});
