// Blob: parts that are bytes or stretches of a file, which is read when the blob is.
'use strict';

const { bytesOf } = host;

const END = 0, MORE = 1; // what a reader says, as enum bob::Status
const CHUNK = 65536;
const EIO = -5, EACCES = -13;
const SIZE = 8, SECONDS = 12, NANOSECONDS = 13; // of the fields of stat

// One part: `from` and `to` are offsets in `bytes`, or in the file `path`.
const length = ({ from, to }) => to - from;

function statOf(path) {
  const fields = new Float64Array(18);
  const result = native.stat(path, fields);
  return result < 0 ? undefined : fields;
}

// The bytes of a part from an offset in it, at most CHUNK of a file; a number is an error.
function read(part, at) {
  if (part.bytes !== undefined) return part.bytes.slice(part.from + at, part.to);
  const now = statOf(part.path);
  // A file that is not what it was when the blob was made cannot be read any more.
  if (now === undefined || [SIZE, SECONDS, NANOSECONDS].some((field) => now[field] !== part.fields[field])) return EACCES;
  const fd = native.open(part.path, 0, 0);
  if (fd < 0) return fd;
  const room = new Uint8Array(Math.min(CHUNK, length(part) - at));
  const count = native.read(fd, room, 0, room.length, part.from + at);
  native.close(fd);
  if (count <= 0) return count < 0 ? count : EIO;
  return room.slice(0, count);
}

class Reader {
  #parts;
  #part = 0;
  #at = 0;
  constructor(parts) { this.#parts = parts; }
  pull(done) {
    while (this.#part < this.#parts.length) {
      const part = this.#parts[this.#part];
      if (this.#at < length(part)) {
        const bytes = read(part, this.#at);
        if (typeof bytes === 'number') return done(bytes, undefined);
        this.#at += bytes.length;
        return done(MORE, bytes.buffer);
      }
      this.#part++;
      this.#at = 0;
    }
    return done(END, undefined);
  }
  setWakeup() {} // a pull has always its answer
}

class BlobHandle {
  #parts;
  constructor(parts) { this.#parts = parts; }
  static partsOf(handle) { return handle.#parts; }
  getReader() { return new Reader(this.#parts); }
  slice(start, end) {
    const found = [];
    let at = 0;
    for (const part of this.#parts) {
      const from = Math.max(start - at, 0), to = Math.min(end - at, length(part));
      if (from < to) found.push({ ...part, from: part.from + from, to: part.from + to });
      at += length(part);
    }
    return new BlobHandle(found);
  }
}

const stored = new Map(); // id → [handle, length, type], for URL.createObjectURL

BlobHandle.prototype[host.SHARED] = true;

host.define('blob', (blob) => {
  blob.createBlob = (sources) => new BlobHandle(sources.flatMap((source) => {
    if (source instanceof BlobHandle) return BlobHandle.partsOf(source);
    const bytes = bytesOf(source);
    return bytes.length === 0 ? [] : [{ bytes, from: 0, to: bytes.length }];
  }));
  blob.createBlobFromFilePath = (path) => {
    const fields = statOf(path);
    if (fields === undefined || native.kind(path) !== 0) return undefined;
    return [new BlobHandle([{ path, fields, from: 0, to: fields[SIZE] }]), fields[SIZE]];
  };
  blob.concat = (buffers) => {
    const views = buffers.map(bytesOf);
    const whole = new Uint8Array(views.reduce((sum, view) => sum + view.length, 0));
    let at = 0;
    for (const view of views) {
      whole.set(view, at);
      at += view.length;
    }
    return whole.buffer;
  };
  blob.storeDataObject = (id, handle, size, type) => void stored.set(id, [handle, size, type]);
  blob.getDataObject = (id) => stored.get(id);
  blob.revokeObjectURL = (url) => {
    const id = /^blob:nodedata:([^:?#]+)$/.exec(url)?.[1];
    if (id !== undefined) stored.delete(id);
  };
});
