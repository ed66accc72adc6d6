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

function cannotClone(message) {
  const DOMException = domException();
  throw new DOMException(message, 'DataCloneError');
}

function refuse(value) {
  const shown = typeof value === 'function' || typeof value === 'symbol' ? String(value) : `#<${className(value) ?? 'Object'}>`;
  cannotClone(`${shown} could not be cloned.`);
}

const UNSUPPORTED = 'Cannot clone object of unsupported type.';
const NEEDS_TRANSFER = 'Object that needs transfer was found in message but not listed in transferList';

// On the prototype of handles that never change: a copy has the handle itself.
host.SHARED = Symbol('shared');

// Buffers that V8 would not detach without a key: those that Buffer takes pieces of.
const kept = new WeakSet();
host.keepAttached = (buffer) => kept.add(buffer);

const modeOf = (value) => value[host.binding('util').privateSymbols.transfer_mode_private_symbol];

// What a list of what is to be transferred may have in it.
function checkTransfer(list, source) {
  const { privateSymbols, constants } = host.binding('util');
  const seen = new Set();
  for (const entry of list) {
    const isBuffer = className(entry) === 'ArrayBuffer';
    if (!host.isObject(entry) && typeof entry !== 'function') cannotClone('Found invalid value in transferList.');
    if (entry[privateSymbols.untransferable_object_private_symbol] !== undefined || isBuffer && (entry.detached || kept.has(entry))) {
      cannotClone('Cannot transfer object of unsupported type.');
    }
    if (entry === source) cannotClone('Transfer list contains source port');
    if (entry instanceof MessagePort && entry.isClosed) cannotClone('MessagePort in transfer list is already detached');
    if (seen.has(entry)) cannotClone(`Transfer list contains duplicate ${isBuffer ? 'ArrayBuffer' : entry.constructor.name}`);
    seen.add(entry);
    if (!isBuffer && !(entry instanceof MessagePort) && (modeOf(entry) & constants.kTransferable) === 0) cannotClone('Found invalid value in transferList.');
  }
  return [...list];
}

let createObject; // of what an object of Node's says of itself

// Objects of Node's classes say themselves what a copy is made of, or what goes to the other side.
function describe(value, transferred) {
  const { kTransferable, kCloneable } = host.binding('util').constants;
  const { messaging_clone_symbol: clone, messaging_transfer_symbol: transfer, messaging_transfer_list_symbol: list } = host.binding('symbols');
  const mode = modeOf(value);
  const goes = transferred.includes(value) && (mode & kTransferable) !== 0;
  if (!goes && (mode & kCloneable) === 0) cannotClone((mode & kTransferable) !== 0 ? NEEDS_TRANSFER : UNSUPPORTED);
  if (goes && typeof value[list] === 'function') transferred.push(...value[list]());
  const method = value[goes ? transfer : clone];
  const described = typeof method === 'function' ? method.call(value) : undefined;
  if (!host.isObject(described)) cannotClone(UNSUPPORTED);
  return described;
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
    const put = (key, item) => Object.defineProperty(copy, key, { __proto__: null, value: item, writable: true, configurable: true });
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
    if (value[host.SHARED]) return value;
    if (modeOf(value) !== undefined) {
      const { data, deserializeInfo } = describe(value, transferred);
      const copy = keep(value, createObject(deserializeInfo));
      copy[host.binding('symbols').messaging_deserialize_symbol](clone(data));
      return copy;
    }
    if (value instanceof MessagePort && !transferred.includes(value)) cannotClone(NEEDS_TRANSFER);
    if (value instanceof host.Owner) cannotClone(UNSUPPORTED);
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
  return cloner(checkTransfer(options?.transfer ?? []))(value);
}

class MessagePort {
  other = undefined;
  #isClosed = false;
  #isStarted = false;
  #isReferenced = false;
  #waiting = [];
  constructor() { this[host.binding('symbols').oninit]?.(); } // as Node's own class does it
  postMessage(message, options) {
    const transfer = checkTransfer(Array.isArray(options) ? options : options?.transfer ?? [], this);
    if (this.#isClosed || this.other === undefined) return;
    this.other.#receive(cloner(transfer)(message));
  }
  #receive(message) {
    if (this.#isClosed) return;
    this.#waiting.push(message);
    if (this.#isStarted) host.loop.later(() => this.drain());
  }
  get isClosed() { return this.#isClosed; }
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
  Object.defineProperty(messaging, 'DOMException', { __proto__: null, get: domException, configurable: true, enumerable: true });
  messaging.structuredClone = structuredClone;
  messaging.setDeserializerCreateObjectFunction = (create) => { createObject = create; };
  messaging.stopMessagePort = (port) => port.stop();
  messaging.checkMessagePort = (port) => port instanceof MessagePort;
  messaging.drainMessagePort = (port) => port.drain();
  messaging.receiveMessageOnPort = (port) => port.take();
  messaging.exposeLazyDOMExceptionProperty = (target) => {
    let value;
    Object.defineProperty(target, 'DOMException', {
      __proto__: null,
      get() { return value ??= domException(); },
      set(given) { value = given; },
      configurable: true,
      enumerable: false,
    });
  };
});
