// fs.watch and fs.watchFile. The kernel does not report changes, so both look: fs.watchFile as often
// as it is told to, and fs.watch ten times a second, or less often where a look takes long.
//
// What changes twice between two looks is reported once, and what is undone between them not at all.
'use strict';

const { loop, bytesOf, pathText } = host;

const INTERVAL = 100; // milliseconds
const SHARE = 20; // at most one part in so many of the time goes into looking

const ENOENT = -2, ENOTDIR = -20, EINVAL = -22;
const STAT_FIELDS = 18;
const MODE = 1, INODE = 7, SIZE = 8;
const KIND = 0o170000, DIRECTORY = 0o040000;
// Mode, owner, size, and when content and inode were changed: what libuv compares, too.
const COMPARED = [0, 1, 2, 3, 4, 7, 8, 12, 13, 14, 15];

const pathOf = (path) => (typeof path === 'string' ? path : bytesOf(path));

// The fields, or the error.
function look(call, path) {
  const fields = new Float64Array(STAT_FIELDS);
  const result = native[call](path, fields);
  return result < 0 ? result : fields;
}

const isSame = (a, b) => COMPARED.every((at) => a[at] === b[at]);
const isDirectory = (fields) => (fields[MODE] & KIND) === DIRECTORY;

// What is in a directory: name → fields.
function contents(path) {
  const found = new Map();
  const names = native.readDirectory(path);
  if (typeof names === 'number') return found;
  for (let at = 0; at < names.length; at += 2) {
    const name = typeof names[at] === 'string' ? names[at] : host.decode(new Uint8Array(names[at]), 'latin1');
    const fields = look('lstat', `${path}/${name}`);
    if (typeof fields !== 'number') found.set(name, fields);
  }
  return found;
}

// All that fs.watch watches; one look at all of it when it is due.
const watched = new Set();
let timer;

function lookAtAll() {
  const began = native.now();
  for (const watcher of [...watched]) watcher.look();
  if (timer !== undefined) timer.interval = Math.max(INTERVAL, SHARE * (native.now() - began) / 1e6);
}

function watchersChanged() {
  if (watched.size === 0) {
    timer?.stop();
    timer = undefined;
    return;
  }
  timer ??= loop.every(INTERVAL, lookAtAll);
  timer.isReferenced = [...watched].some((watcher) => watcher.isReferenced);
}

host.define('fs_event_wrap', (binding) => {
  binding.FSEvent = class FSEvent extends host.Handle {
    #path;
    #encoding;
    #before; // fields of what is watched; undefined when it is gone
    #names; // what was in it, if it is a directory
    get initialized() { return watched.has(this); }
    start(path, isPersistent, isRecursive, encoding) {
      const fields = look('stat', pathOf(path));
      if (typeof fields === 'number') return fields;
      this.#path = pathText(path);
      this.#encoding = encoding;
      this.#before = fields;
      this.#names = isDirectory(fields) ? contents(this.#path) : undefined;
      if (!isPersistent) this.isReferenced = false;
      watched.add(this);
      watchersChanged();
      return 0;
    }
    look() {
      if (this.#before === undefined) return;
      const fields = look('stat', this.#path);
      if (typeof fields === 'number' || fields[INODE] !== this.#before[INODE]) {
        // Linux watches the inode and not the path: nothing more comes from it.
        this.#before = undefined;
        this.#compareNames(new Map());
        const own = this.#path.replace(/(.)\/+$/, '$1').replace(/^.*\/(?=.)/, '');
        if (this.#names === undefined) this.#say('change', own);
        this.#say('rename', own);
        return;
      }
      if (this.#names !== undefined) this.#compareNames(contents(this.#path));
      else if (!isSame(fields, this.#before)) this.#say('change', this.#path.replace(/^.*\//, ''));
      this.#before = fields;
    }
    #compareNames(now) {
      const before = this.#names;
      if (before === undefined) return;
      this.#names = now;
      for (const name of before.keys()) if (!now.has(name)) this.#say('rename', name);
      for (const [name, fields] of now) {
        const old = before.get(name);
        if (old?.[INODE] !== fields[INODE]) {
          this.#say('rename', name);
          if (!isDirectory(fields) && fields[SIZE] > 0) this.#say('change', name);
        } else if (!isSame(old, fields) && !isDirectory(fields)) {
          this.#say('change', name);
        }
      }
    }
    #say(kind, name) {
      const isBuffer = this.#encoding === 'buffer';
      const bytes = host.encode(name, 'utf8');
      const shown = isBuffer ? host.toBuffer(bytes) : host.decode(bytes, this.#encoding ?? 'utf8');
      if (!this.isClosed) host.runCallback(() => this.onchange(0, kind, shown));
    }
    referenceChanged() { watchersChanged(); }
    release() {
      watched.delete(this);
      watchersChanged();
    }
  };
});

// fs.watchFile: what there is now and what there was, when they differ; zeros for what is not there.
host.StatWatcher = class StatWatcher extends host.Handle {
  #timer;
  #path;
  #wantsBig;
  #before = new Float64Array(STAT_FIELDS);
  #status = 0;
  #hasLooked = false;
  constructor(wantsBig) {
    super();
    this.#wantsBig = wantsBig;
  }
  start(path, interval) {
    if (this.#timer !== undefined) return EINVAL;
    this.#path = pathOf(path);
    const first = look('stat', this.#path);
    if (typeof first !== 'number') this.#before = first;
    else loop.later(() => { if (!this.#hasLooked) this.#report(first, new Float64Array(STAT_FIELDS)); });
    this.#timer = loop.every(Math.max(1, interval), () => this.#look());
    this.#timer.isReferenced = this.isReferenced;
    return 0;
  }
  #look() {
    this.#hasLooked = true;
    const found = look('stat', this.#path);
    if (typeof found === 'number') {
      if (this.#status !== found) this.#report(found, new Float64Array(STAT_FIELDS));
    } else if (this.#status < 0 || !isSame(found, this.#before)) {
      this.#report(0, found);
    }
  }
  #report(status, now) {
    if (this.isClosed) return;
    const binding = host.binding('fs');
    const fields = this.#wantsBig ? binding.bigintStatValues : binding.statValues;
    const put = (from, at) => fields.set(this.#wantsBig ? BigInt64Array.from(from, BigInt) : from, at);
    put(now, 0);
    put(this.#before, STAT_FIELDS);
    this.#before = now;
    this.#status = status;
    host.runCallback(() => this.onchange(status, fields));
  }
  referenceChanged() { if (this.#timer !== undefined) this.#timer.isReferenced = this.isReferenced; }
  release() { this.#timer?.stop(); }
};
