// HTTPParser: messages of HTTP/1 out of the bytes of a connection, on llhttp (src/http.c).
//
// Node's rules around it are here: headers are handed out together, 32 at a time where there are
// more, and have a longest size; a parser may take the place of a socket's `onread` (`consume`).
'use strict';

const { Owner } = host;

// Events of src/http.c, and errors of llhttp.
const [BEGIN, URL, STATUS, FIELD, VALUE, HEADERS, BODY, END, EXTENSION, CHUNK_HEADER, CHUNK_COMPLETE] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const EVERY_EVENT = 0x7ff;
const [OK, PAUSED_UPGRADE, USER] = [0, 22, 24];
const [PAUSE, GO_ON, GO_ON_AFTER_UPGRADE] = [0, 1, 2];
const MOST_HEADERS = 32, MOST_EXTENSIONS = 16384;
const NOTHING = new Uint8Array(0), LATIN1 = 1;

host.httpEvents = { BEGIN, URL, STATUS, FIELD, VALUE, HEADERS, BODY, END };

class ConnectionsList {
  #all = new Set();
  #active = new Set();
  push(parser) { this.#all.add(parser); }
  pushActive(parser) { this.#active.add(parser); }
  pop(parser) {
    this.#all.delete(parser);
    this.#active.delete(parser);
  }
  popActive(parser) { this.#active.delete(parser); }
  static #sorted(parsers) { return [...parsers].sort((one, other) => one.lastMessageStart - other.lastMessageStart); }
  all() { return ConnectionsList.#sorted(this.#all); }
  idle() { return this.all().filter((parser) => parser.lastMessageStart === 0); }
  active() { return ConnectionsList.#sorted(this.#active); }
  expired(headersTimeout, requestTimeout) {
    let [headers, request] = [headersTimeout * 1e6, requestTimeout * 1e6];
    if (request > 0 && headers > request) [headers, request] = [request, headers];
    const now = native.now();
    const [headersDeadline, requestDeadline] = [headers, request].map((timeout) => (timeout > 0 && now > timeout ? now - timeout : 0));
    const isExpired = (parser) =>
      !parser.hasHeaders && headersDeadline > 0 && parser.lastMessageStart < headersDeadline ||
      requestDeadline > 0 && parser.lastMessageStart < requestDeadline;
    const found = this.active().filter(isExpired);
    for (const parser of found) this.#active.delete(parser);
    return found;
  }
}

host.define('http_parser', (binding) => {
  const { REQUEST, RESPONSE, kOnMessageBegin, kOnHeaders, kOnHeadersComplete, kOnBody, kOnMessageComplete, kOnExecute } = binding.HTTPParser;
  const constants = Object.entries(binding.HTTPParser);

  // Where a state of a parser is kept: not with the properties that programs see.
  class State {
    parser; // the C half's
    list;
    type = 0;
    bytes = NOTHING; // what is being read
    stream; // whose place it takes
    url = '';
    status = '';
    fields = [];
    values = [];
    hasFlushed = false;
    isFreed = false;
    headersSize = 0;
    mostHeadersSize = 0;
    extensionsSize = 0;
    pairs = 0;
    mostPairs = -1;
    failure; // [code, reason] of a limit
    isReading = false;
    behind = []; // what has come meanwhile
    count = 0; // how much the C half has read
    current; // what `getCurrentBuffer` gives
  }
  const states = new WeakMap();
  const stateOf = (parser) => {
    const state = states.get(parser);
    if (state === undefined) throw new TypeError('Illegal invocation');
    return state;
  };
  const trimmed = (text) => {
    let end = text.length;
    while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
    return text.slice(0, end);
  };
  const fail = (state, code, reason) => {
    state.failure = [code, reason];
    return USER;
  };
  const track = (state, length) => {
    state.headersSize += length;
    return state.headersSize >= state.mostHeadersSize ? fail(state, 'HPE_HEADER_OVERFLOW', 'Header overflow') : OK;
  };
  const trackPair = (parser, state) => {
    if (state.type !== REQUEST) return OK;
    state.pairs += 2;
    if (state.mostPairs < 0) {
      const most = parser.maxHeaderPairs;
      state.mostPairs = typeof most === 'number' && most > 0 ? most : 0;
    }
    return state.mostPairs > 0 && state.pairs > state.mostPairs ? fail(state, 'HPE_HEADER_OVERFLOW', 'Header overflow') : OK;
  };
  const headersOf = (state) => {
    const list = [];
    for (let at = 0; at < state.values.length; at++) list.push(state.fields[at], trimmed(state.values[at]));
    state.fields = [];
    state.values = [];
    return list;
  };
  // A callback of Node's; ticks run behind it where nothing of the program is below.
  const call = (parser, state, which, ...given) => {
    const callback = parser[which];
    if (typeof callback !== 'function') return undefined;
    const result = host.within(parser, () => callback.apply(parser, given));
    return { result };
  };
  const flush = (parser, state) => {
    call(parser, state, kOnHeaders, headersOf(state), state.url);
    state.url = '';
    state.hasFlushed = true;
  };
  const text = (state, at, length) => native.bytesToText(state.bytes, LATIN1, at, at + length);

  const handlers = [];
  handlers[BEGIN] = (parser, state) => {
    state.list?.pop(parser);
    state.fields = [];
    state.values = [];
    state.extensionsSize = 0;
    state.url = state.status = '';
    state.mostPairs = -1;
    parser.hasHeaders = false;
    parser.lastMessageStart = native.now();
    state.list?.push(parser);
    state.list?.pushActive(parser);
    call(parser, state, kOnMessageBegin);
    return OK;
  };
  handlers[URL] = (parser, state, at, length) => {
    state.url += text(state, at, length);
    return track(state, length);
  };
  handlers[STATUS] = (parser, state, at, length) => {
    state.status += text(state, at, length);
    return track(state, length);
  };
  handlers[FIELD] = (parser, state, at, length) => {
    let failed = track(state, length);
    if (failed !== OK) return failed;
    if (state.fields.length === state.values.length) {
      failed = trackPair(parser, state);
      if (failed !== OK) return failed;
      if (state.fields.length + 1 === MOST_HEADERS) flush(parser, state);
      state.fields.push('');
    }
    state.fields[state.fields.length - 1] += text(state, at, length);
    return OK;
  };
  handlers[VALUE] = (parser, state, at, length) => {
    const failed = track(state, length);
    if (failed !== OK) return failed;
    if (state.values.length !== state.fields.length) state.values.push('');
    state.values[state.values.length - 1] += text(state, at, length);
    return OK;
  };
  handlers[HEADERS] = (parser, state) => {
    parser.hasHeaders = true;
    state.headersSize = 0;
    if (typeof parser[kOnHeadersComplete] !== 'function') return OK;
    let headers, url;
    if (state.hasFlushed) {
      flush(parser, state);
    } else {
      headers = headersOf(state);
      if (state.type === REQUEST) url = state.url;
    }
    state.fields = [];
    state.values = [];
    state.pairs = 0;
    state.mostPairs = -1;
    const [, method, status, major, minor, isUpgrade, isKeptAlive] = native.httpMessage(state.parser);
    const isRequest = state.type === REQUEST;
    const { result } = call(parser, state, kOnHeadersComplete, major, minor, headers, isRequest ? method : undefined, url,
      isRequest ? undefined : status, isRequest ? undefined : state.status, isUpgrade !== 0, isKeptAlive !== 0);
    return Math.trunc(Number(result)) || 0;
  };
  handlers[BODY] = (parser, state, at, length) => {
    if (length === 0) return OK;
    call(parser, state, kOnBody, host.toBuffer(host.copyOf(state.bytes, at, at + length)));
    if (state.stream !== undefined) host.drain();
    return OK;
  };
  handlers[END] = (parser, state) => {
    state.list?.pop(parser);
    parser.lastMessageStart = 0;
    state.list?.push(parser);
    if (state.fields.length > 0) flush(parser, state);
    state.pairs = 0;
    call(parser, state, kOnMessageComplete);
    return OK;
  };
  handlers[EXTENSION] = (parser, state, at, length) => {
    state.extensionsSize += length;
    return state.extensionsSize > MOST_EXTENSIONS ? fail(state, 'HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow') : OK;
  };
  handlers[CHUNK_HEADER] = (parser, state) => {
    state.headersSize = 0;
    state.extensionsSize = 0;
    return OK;
  };
  handlers[CHUNK_COMPLETE] = (parser, state) => {
    state.headersSize = 0;
    return OK;
  };

  // One run of the C half: undefined, or what is wrong.
  function run(parser, state, bytes) {
    const { parser: inner } = state;
    state.bytes = bytes ?? NOTHING;
    state.current = state.bytes;
    state.failure = undefined;
    const tell = (event, at, length) => (state.isFreed || state.parser !== inner ? OK : handlers[event](parser, state, at, length));
    let error, name;
    try {
      [error, state.count, name] = native.httpExecute(inner, bytes === undefined ? null : bytes, tell);
    } finally {
      state.bytes = NOTHING;
      state.current = undefined;
    }
    const [, reason] = native.httpError(inner);
    if (error === PAUSED_UPGRADE) {
      error = OK;
      native.httpControl(inner, GO_ON_AFTER_UPGRADE);
    }
    if (error === OK || native.httpMessage(inner)[5] !== 0) return undefined;
    const failure = new Error('Parse Error');
    failure.bytesParsed = state.count;
    [failure.code, failure.reason] = error === USER && state.failure !== undefined ? state.failure : [name, reason];
    return failure;
  }
  // Reads bytes, or the end of all: how many were read, or an error; undefined at the end. What a
  // callback gives to a parser that is reading is read behind that.
  function execute(parser, state, bytes) {
    if (state.isReading) {
      state.behind.push(bytes && host.copyOf(bytes));
      return bytes?.length;
    }
    state.isReading = true;
    try {
      const failure = run(parser, state, bytes);
      if (failure !== undefined) return failure;
      const { count } = state;
      while (state.behind.length > 0) {
        const failed = run(parser, state, state.behind.shift());
        if (failed !== undefined) return failed;
      }
      return bytes === undefined ? undefined : count;
    } finally {
      state.isReading = false;
    }
  }

  class HTTPParser extends Owner {
    constructor() {
      super();
      states.set(this, new State());
      Object.defineProperty(this, 'lastMessageStart', { __proto__: null, value: 0, writable: true });
      Object.defineProperty(this, 'hasHeaders', { __proto__: null, value: false, writable: true });
    }
    initialize(type, resource, mostHeadersSize = 0, lenient = 0, list = undefined) {
      if (type !== REQUEST && type !== RESPONSE) throw new TypeError('a parser is for requests or for responses');
      const { stream } = stateOf(this);
      const state = Object.assign(new State(), { type, stream, list: list ?? undefined });
      state.parser = native.httpOpen(type, lenient, EVERY_EVENT);
      state.mostHeadersSize = mostHeadersSize > 0 ? mostHeadersSize : host.binding('options').getCLIOptionsValues()['--max-http-header-size'];
      states.set(this, state);
      this.continuation = native.getContinuation();
      this.hasHeaders = false;
      if (state.list !== undefined) {
        this.lastMessageStart = native.now();
        state.list.push(this);
        state.list.pushActive(this);
      }
    }
    close() {
      const state = states.get(this);
      state?.list?.pop(this);
      this.unconsume();
    }
    free() {}
    remove() {
      const state = stateOf(this);
      state.isFreed = true;
      state.list?.pop(this);
    }
    execute(buffer) { return execute(this, stateOf(this), host.bytesOf(buffer)); }
    finish() { return execute(this, stateOf(this), undefined); }
    pause() { if (stateOf(this).parser !== undefined) native.httpControl(stateOf(this).parser, PAUSE); }
    resume() { if (stateOf(this).parser !== undefined) native.httpControl(stateOf(this).parser, GO_ON); }
    consume(stream) {
      stateOf(this).stream = stream;
      stream.consumer = (bytes) => {
        const state = stateOf(this);
        const result = execute(this, state, bytes);
        if (typeof this[kOnExecute] !== 'function') return;
        state.current = bytes;
        try {
          host.within(this, () => this[kOnExecute](result));
        } finally {
          state.current = undefined;
        }
      };
    }
    unconsume() {
      const state = stateOf(this);
      if (state.stream !== undefined) state.stream.consumer = undefined;
      state.stream = undefined;
    }
    getCurrentBuffer() { return host.toBuffer(host.copyOf(stateOf(this).current ?? NOTHING)); }
  }
  for (const [name, value] of constants) HTTPParser[name] = value;
  binding.HTTPParser = HTTPParser;
  binding.ConnectionsList = ConnectionsList;
});
