// What the bytes of a run mean: values that are made and kept, functions of the C half that are
// called with them, and what a hostile program does meanwhile.
(function (natives, detach, file, input) {
  'use strict';
  const MOST_STEPS = 64, MOST_VALUES = 24;

  // What would act on the host, wait, or run programs: the engine has fuzzers of its own.
  const LEFT_OUT = /^(abort|exit|sleep|spawn|wait|kill|poll|pipe|chdir|changeId|umask|catchSignal|takeSignals|setNonblocking|openStandard|runScript|runJobs|collect|keepGlobals|exchangeGlobals|module.*|onImport|onRejection|waitingModule|setZone|runTurn|isTurn|stopTurn|isStopped|readLibrary|closeLibrary|name(Lookup|Of)|socket.*)$/;
  const ON_FILES = /^(open|close|readText|stat|lstat|statfs|kind|readDirectory|mkdir|rmdir|unlink|access|chmod|chown|lchown|rename|link|symlink|fchmod|fchown|ftruncate|fsync|mkdtemp|readlink|realpath|cwd|utimes|futimes|copyFile)$/;
  // What takes as long as its numbers say.
  const COSTLY = /^(pbkdf2|scrypt|argon2|rsaGenerate|primeMake|primeCheck)$/;
  const names = Object.keys(natives).filter((name) => !LEFT_OUT.test(name) && !ON_FILES.test(name));

  let at = 0;
  const byte = () => (at < input.length ? input[at++] : 0);
  const word = () => byte() | byte() << 8 | byte() << 16 | byte() << 24;
  const values = [];
  const keep = (value) => {
    if (values.length >= MOST_VALUES) values.shift();
    values.push(value);
    return value;
  };
  const kept = () => values[byte() % (values.length || 1)];

  const EDGES = [-1, 0, 1, 2, 3, 4, 7, 8, 12, 15, 16, 31, 32, 47, 48, 63, 64, 255, 256, 65535, 65536, 2 ** 31 - 1, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, 2 ** 53,
    2 ** 63, -(2 ** 63), NaN, Infinity, -Infinity, 0.5];
  const bufferOf = (value) => (ArrayBuffer.isView(value) ? value.buffer : value);

  // What can happen to bytes while a function looks at them.
  function spoil() {
    const buffer = bufferOf(kept());
    if (!(buffer instanceof ArrayBuffer)) return;
    if (buffer.resizable && byte() & 1) buffer.resize(byte() % (buffer.maxByteLength + 1));
    else detach(buffer);
  }

  const some = (most) => input.slice(at, at += byte() % most);
  const text = (bytes) => String.fromCharCode(...bytes);
  const makers = [
    () => byte() - 128,
    () => word(),
    () => EDGES[byte() % EDGES.length],
    () => BigInt(EDGES[byte() % 28] | 0) * 2n ** BigInt(byte() & 63),
    () => [undefined, null, true, false, Symbol('s'), ''][byte() % 6],
    () => text(some(64)),
    () => text(some(64)).replace(/[\x80-\xff]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) * 257)),
    () => text(some(8)).repeat(byte() * 40),
    () => new Uint8Array(some(200)),
    () => new Uint8Array(byte() * byte()),
    () => Uint32Array.from({ length: byte() & 15 }, byte() & 1 ? () => byte() : word),
    () => new Uint8Array(new ArrayBuffer(byte(), { maxByteLength: 255 + byte() }), byte() & 7),
    () => new DataView(new ArrayBuffer(byte(), { maxByteLength: 255 })),
    () => new Uint8Array(new SharedArrayBuffer(byte())),
    () => new ArrayBuffer(byte()),
    () => Array.from({ length: byte() & 7 }, kept),
    () => Array.from({ length: 4 }, () => EDGES[byte() % EDGES.length]),
    () => Object.defineProperty([kept(), kept()], byte() & 1, { get() { spoil(); return kept(); } }),
    () => new Proxy([kept(), kept(), kept(), kept()], { get(list, name) { spoil(); return list[name]; } }),
    () => { const value = EDGES[byte() % EDGES.length]; return { valueOf() { spoil(); return value; }, toString() { spoil(); return 'x'; } }; },
    () => function () { spoil(); return kept(); },
    () => Object.defineProperty(new DataView(new ArrayBuffer(64)), 'buffer', { get() { spoil(); return new ArrayBuffer(1); } }),
    () => kept()?.subarray?.(byte() & 15, byte()),
    () => text(some(200)) + '\r\n\r\n',
    () => `http://${text(some(40))}/${text(some(20))}`,
  ];

  const small = (value) => (typeof value === 'number' ? Math.abs(value) % 64 | 0 : value instanceof Uint32Array ? value.map((each) => each % 64) : value);
  function call() {
    const name = names[byte() % names.length];
    let given = Array.from({ length: byte() % 7 }, () => (byte() & 1 ? kept() : keep(makers[byte() % makers.length]())));
    if (name === 'read' || name === 'write') given[0] = file;
    if (COSTLY.test(name)) given = given.map((value) => (value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) ? 1 : small(value)));
    keep(natives[name](...given));
  }

  const step = () => {
    switch (byte() & 15) {
      case 0: return spoil();
      case 1: return Object.defineProperty(Array.prototype, byte() & 3, { set() { spoil(); }, get() { spoil(); return kept(); }, configurable: true });
      case 2: return natives.collect();
      case 3: case 4: case 5: return keep(makers[byte() % makers.length]());
      default: return call();
    }
  };
  for (let steps = 0; steps < MOST_STEPS && at < input.length; steps++) {
    try { step(); } catch { /* an answer, too */ }
  }
  for (let index = 0; index < 4; index++) delete Array.prototype[index];
});
