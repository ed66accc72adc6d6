// fs: the calls of the system (src/files.c), each in the ways that requests.js knows.
'use strict';

const { check, bytesOf, codeError, loop, request, SystemFailure, systemError, pathText } = host;

const DIRECTORY = 0o040000, KIND = 0o170000, ENOENT = -2, EEXIST = -17, ENOTDIR = -20, EISDIR = -21, ENOTEMPTY = -39, ENOTSUP = -95;
const STAT_FIELDS = 18;

// A path that the C half takes: a string, or bytes.
const pathOf = (path) => (typeof path === 'string' ? path : bytesOf(path));

// A name of the system's as the program wants it. One that is not UTF-8 comes as an ArrayBuffer.
function nameFor(name, encoding) {
  const bytes = typeof name === 'string' ? undefined : new Uint8Array(name);
  if (encoding === 'buffer') return host.toBuffer(bytes ?? host.encode(name, 'utf8'));
  if (encoding === undefined || encoding === null || host.encodingNumber(encoding) === host.encodings.utf8) {
    return bytes === undefined ? name : host.decode(bytes, 'utf8');
  }
  return host.decode(bytes ?? host.encode(name, 'utf8'), encoding);
}

// Descriptors and modes are checked here, as Node's C++ does it; all else its JavaScript has checked.
const checkDescriptor = (fd) => void host.requireBuiltin('internal/fs/utils').getValidatedFd(fd);

const MOST_MODE = 7; // of access: R_OK, W_OK, X_OK; of copyFile: its three flags

function modeOf(mode) {
  if (mode === undefined || mode === null) return 0;
  if (typeof mode !== 'number') throw codeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'mode must be int32 or null/undefined');
  if (!Number.isFinite(mode)) throw codeError(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range');
  const number = Math.trunc(mode);
  if (number < 0 || number > MOST_MODE) {
    throw codeError(RangeError, 'ERR_OUT_OF_RANGE', `mode is out of range: >= 0 && <= ${MOST_MODE}`);
  }
  return number;
}

const CLONE_OR_FAIL = 4; // COPYFILE_FICLONE_FORCE: this file system does not share blocks

const positionOf = (position) => (position === null || position === undefined ? -1 : Number(position));

// Reading and writing wait where a descriptor is a pipe, a socket or a terminal.
function waitFor(fd, events) {
  const kind = native.descriptorKind(fd);
  return kind === 'PIPE' || kind === 'TTY' ? [fd, events] : undefined;
}

function readInto(fd, buffer, offset, length, position) {
  return check(native.read(fd, bytesOf(buffer), offset, length, positionOf(position)));
}

function writeAll(fd, bytes, position) {
  for (let at = 0; at < bytes.length;) {
    at += check(native.write(fd, bytes, at, bytes.length - at, position < 0 ? -1 : position + at));
  }
  return bytes.length;
}

// Several buffers one behind another, until one is not filled.
function transferAll(transfer, buffers, position) {
  let at = positionOf(position);
  let total = 0;
  for (const buffer of buffers) {
    const bytes = bytesOf(buffer);
    const count = check(transfer(bytes, at));
    total += count;
    if (at >= 0) at += count;
    if (count < bytes.length) break;
  }
  return total;
}

function statOf(call, wantsBig) {
  const fields = new Float64Array(STAT_FIELDS);
  check(call(fields));
  return wantsBig ? BigInt64Array.from(fields, BigInt) : fields;
}

const parentOf = (path) => path.replace(/\/+[^/]*$/, '') || '/';

// mkdir -p: the first directory that was made.
function makeDirectories(path, mode) {
  const made = native.mkdir(path, mode);
  if (made >= 0) return path;
  if (made === EEXIST) {
    const kind = native.kind(path);
    if (kind !== 1) throw new SystemFailure(EEXIST);
    return undefined;
  }
  const parent = parentOf(path);
  if (made !== ENOENT || parent === path) throw new SystemFailure(made);
  if (native.kind(parent) === 0) throw new SystemFailure(ENOTDIR);
  const first = makeDirectories(parent, mode);
  const second = native.mkdir(path, mode);
  // `a/b/..` is there once `a/b` is.
  if (second !== EEXIST || native.kind(path) !== 1) check(second);
  return first ?? path;
}

// [names, kinds] in the order of names: the kernel's own order is nobody's.
function listDirectory(path, encoding) {
  const found = check(native.readDirectory(pathOf(path)));
  const entries = [];
  for (let at = 0; at < found.length; at += 2) entries.push([nameFor(found[at], encoding), found[at + 1]]);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return [entries.map(([name]) => name), entries.map(([, kind]) => kind)];
}

function removeTree(path, isRecursive) {
  const fields = new Float64Array(STAT_FIELDS);
  check(native.lstat(path, fields));
  if ((fields[1] & KIND) !== DIRECTORY) return void check(native.unlink(path));
  if (!isRecursive) throw new SystemFailure(EISDIR);
  for (const [at, name] of check(native.readDirectory(path)).entries()) {
    if (at % 2 === 0) removeTree(`${path}/${nameFor(name)}`, true);
  }
  check(native.rmdir(path));
}

// [name, arguments, name of the call in errors, how many of the arguments are paths, work, what is done
// to the last argument]. Where there is no path, the first is a descriptor.
const calls = [
  ['access', 2, 'access', 1, (path, mode) => void check(native.access(pathOf(path), mode)), modeOf],
  ['open', 3, 'open', 1, (path, flags, mode) => check(native.open(pathOf(path), flags, mode))],
  ['close', 1, 'close', 0, (fd) => void check(native.close(fd))],
  ['rename', 2, 'rename', 2, (from, to) => void check(native.rename(pathOf(from), pathOf(to)))],
  ['link', 2, 'link', 2, (from, to) => void check(native.link(pathOf(from), pathOf(to)))],
  ['symlink', 3, 'symlink', 2, (from, to) => void check(native.symlink(pathOf(from), pathOf(to)))],
  ['unlink', 1, 'unlink', 1, (path) => void check(native.unlink(pathOf(path)))],
  ['rmdir', 1, 'rmdir', 1, (path) => void check(native.rmdir(pathOf(path)))],
  ['ftruncate', 2, 'ftruncate', 0, (fd, length) => void check(native.ftruncate(fd, length))],
  ['fsync', 1, 'fsync', 0, (fd) => void check(native.fsync(fd))],
  ['fdatasync', 1, 'fdatasync', 0, (fd) => void check(native.fsync(fd))],
  ['chmod', 2, 'chmod', 1, (path, mode) => void check(native.chmod(pathOf(path), mode))],
  ['fchmod', 2, 'fchmod', 0, (fd, mode) => void check(native.fchmod(fd, mode))],
  ['chown', 3, 'chown', 1, (path, uid, gid) => void check(native.chown(pathOf(path), uid, gid))],
  ['lchown', 3, 'lchown', 1, (path, uid, gid) => void check(native.lchown(pathOf(path), uid, gid))],
  ['fchown', 3, 'fchown', 0, (fd, uid, gid) => void check(native.fchown(fd, uid, gid))],
  ['utimes', 3, 'utime', 1, (path, access, change) => void check(native.utimes(pathOf(path), access, change, false))],
  ['lutimes', 3, 'lutime', 1, (path, access, change) => void check(native.utimes(pathOf(path), access, change, true))],
  ['futimes', 3, 'futime', 0, (fd, access, change) => void check(native.futimes(fd, access, change))],
  ['readlink', 2, 'readlink', 1, (path, encoding) => nameFor(check(native.readlink(pathOf(path))), encoding)],
  ['realpath', 2, 'realpath', 1, (path, encoding) => nameFor(check(native.realpath(pathOf(path))), encoding)],
  ['copyFile', 3, 'copyfile', 2, (from, to, flags) => {
    if (flags & CLONE_OR_FAIL) throw new SystemFailure(ENOTSUP);
    check(native.copyFile(pathOf(from), pathOf(to), flags));
  }, modeOf],
  ['mkdir', 3, 'mkdir', 1, (path, mode, isRecursive) => {
    if (!isRecursive) return void check(native.mkdir(pathOf(path), mode));
    return makeDirectories(pathText(path).replace(/(.)\/+$/, '$1'), mode);
  }],
  ['readdir', 3, 'scandir', 1, (path, encoding, withKinds) => {
    const [names, kinds] = listDirectory(path, encoding);
    return withKinds ? [names, kinds] : names;
  }],
];

function defineCalls(fs) {
  for (const [name, count, call, paths, work, checkLast] of calls) {
    fs[name] = host.named(name, (...given) => {
      if (paths === 0) checkDescriptor(given[0]);
      const named = given.slice(0, count);
      if (checkLast !== undefined) named[count - 1] = checkLast(given[count - 1]);
      return request({ call, paths: given.slice(0, paths) }, given[count], () => work(...named));
    });
  }
}

function defineStats(fs) {
  fs.statValues = new Float64Array(2 * STAT_FIELDS);
  fs.bigintStatValues = new BigInt64Array(2 * STAT_FIELDS);
  for (const name of ['stat', 'lstat']) {
    // `throws` is false where the program does not want an error for what is not there.
    fs[name] = host.named(name, (path, wantsBig, req, throws) => {
      const work = () => {
        try {
          return statOf((fields) => native[name](pathOf(path), fields), wantsBig);
        } catch (failure) {
          const isMissing = failure.number === ENOENT || failure.number === ENOTDIR;
          if (throws === false && failure instanceof SystemFailure && isMissing) return undefined;
          throw failure;
        }
      };
      return request({ call: name, paths: [path] }, req, work);
    });
  }
  fs.fstat = (fd, wantsBig, req, returnsNothing) => {
    checkDescriptor(fd);
    const work = () => statOf((fields) => native.fstat(fd, fields), wantsBig);
    try {
      return request({ call: 'fstat', paths: [] }, req, work);
    } catch (error) {
      if (returnsNothing === true) return undefined;
      throw error;
    }
  };
  fs.StatWatcher = host.StatWatcher;
  fs.statfs = (path, wantsBig, req) => request({ call: 'statfs', paths: [path] }, req, () => {
    const fields = check(native.statfs(pathOf(path)));
    return wantsBig ? BigInt64Array.from(fields, BigInt) : Float64Array.from(fields);
  });
}

function defineTransfers(fs) {
  fs.read = (fd, buffer, offset, length, position, req) => request(
    { call: 'read', paths: [] }, req, () => readInto(fd, buffer, offset, length, position),
    req === undefined ? undefined : waitFor(fd, loop.READABLE));
  fs.readBuffers = (fd, buffers, position, req) => request(
    { call: 'read', paths: [] }, req,
    () => transferAll((bytes, at) => native.read(fd, bytes, 0, bytes.length, at), buffers, position),
    req === undefined ? undefined : waitFor(fd, loop.READABLE));
  fs.writeBuffer = (fd, buffer, offset, length, position, req) => request({ call: 'write', paths: [] }, req, () => check(
    native.write(fd, bytesOf(buffer), offset ?? 0, length ?? buffer.byteLength - (offset ?? 0), positionOf(position))));
  fs.writeBuffers = (fd, buffers, position, req) => request({ call: 'write', paths: [] }, req,
    () => transferAll((bytes, at) => native.write(fd, bytes, 0, bytes.length, at), buffers, position));
  fs.writeString = (fd, text, position, encoding, req) => request({ call: 'write', paths: [] }, req, () => {
    const bytes = host.encode(text, encoding);
    return check(native.write(fd, bytes, 0, bytes.length, positionOf(position)));
  });
  fs.readFileUtf8 = (path, flags) => {
    if (typeof path !== 'number' && (flags & 3) !== 0) {
      // Opened for more than reading: it may have to be made.
      const fd = request({ call: 'open', paths: [path] }, undefined, () => check(native.open(pathOf(path), flags, 0o666)));
      native.close(fd);
    }
    const text = native.readText(typeof path === 'number' ? path : pathOf(path));
    if (typeof text === 'string') return text;
    throw typeof path === 'number' || text === EISDIR ? systemError(text, 'read') : systemError(text, 'open', pathText(path));
  };
  fs.writeFileUtf8 = (path, text, flags, mode) => {
    const opens = typeof path !== 'number';
    const fd = opens ? request({ call: 'open', paths: [path] }, undefined, () => check(native.open(pathOf(path), flags, mode))) : path;
    try {
      request({ call: 'write', paths: [] }, undefined, () => writeAll(fd, host.encode(text, 'utf8'), -1));
    } finally {
      if (opens) native.close(fd);
    }
  };
}

// A file as `fs/promises` has it.
class FileHandle {
  isFileHandle = true;
  #fd;
  constructor(fd) { this.#fd = fd; }
  get fd() { return this.#fd; }
  getAsyncId() { return 0; }
  close() {
    const fd = this.releaseFD();
    return request({ call: 'close', paths: [] }, host.binding('symbols').fs_use_promises_symbol, () => void check(native.close(fd)));
  }
  releaseFD() {
    const fd = this.#fd;
    this.#fd = -1;
    return fd;
  }
  onread() {}
}

function removeError(number, path) {
  if (number !== EISDIR) return systemError(number, 'rm', path);
  const error = host.codeError(Error, 'ERR_FS_EISDIR', `Path is a directory: rm returned EISDIR (is a directory) ${path}`);
  error.path = path;
  error.errno = 21;
  error.syscall = 'rm';
  return error;
}

// What resolving modules asks for.
function defineForModules(fs) {
  const ends = ['', '.js', '.json', '.node', '/index.js', '/index.json', '/index.node'];
  fs.internalModuleStat = (...given) => native.kind(given.find((it) => typeof it === 'string'));
  fs.legacyMainResolve = (packageUrl, main, base) => {
    const directory = pathText(packageUrl).replace(/^file:\/\//, '').replace(/[^/]*$/, '');
    if (main) {
      const found = ends.findIndex((end) => native.kind(directory + main + end) === 0);
      if (found >= 0) return found;
    }
    const found = ['index.js', 'index.json', 'index.node'].findIndex((name) => native.kind(directory + name) === 0);
    if (found >= 0) return ends.length + found;
    throw host.codeError(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find package '${packageUrl}'${base ? ` imported from ${base}` : ''}`);
  };
  fs.getFormatOfExtensionlessFile = (path) => {
    const bytes = new Uint8Array(4);
    const fd = native.open(path, 0, 0);
    if (fd < 0) return 0;
    const count = native.read(fd, bytes, 0, 4, 0);
    native.close(fd);
    const isWasm = count === 4 && bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
    return isWasm ? 1 : 0;
  };
}

host.define('fs', (fs) => {
  fs.kUsePromises = host.binding('symbols').fs_use_promises_symbol;
  fs.kFsStatsFieldsNumber = STAT_FIELDS;
  fs.FSReqCallback = class FSReqCallback {
    constructor(wantsBig) { this.wantsBig = wantsBig; }
  };
  fs.FileHandle = FileHandle;
  defineCalls(fs);
  defineStats(fs);
  defineTransfers(fs);
  defineForModules(fs);
  host.addCopies(fs);
  fs.mkdtemp = (prefix, encoding, req) => request({ call: 'mkdtemp', paths: [`${pathText(prefix)}XXXXXX`] }, req,
    () => nameFor(check(native.mkdtemp(pathOf(prefix))), encoding));
  fs.existsSync = (path) => native.access(pathOf(path), 0) >= 0;
  fs.openFileHandle = (path, flags, mode, req) => request({ call: 'open', paths: [path] }, req,
    () => new FileHandle(check(native.open(pathOf(path), flags, mode))));
  fs.rmSync = (path, retries, isRecursive) => {
    const text = pathText(path);
    try {
      removeTree(text, isRecursive);
    } catch (failure) {
      if (!(failure instanceof SystemFailure)) throw failure;
      if (failure.number === ENOENT) return; // Node's JavaScript has looked, where that is an error
      throw removeError(failure.number, text);
    }
  };
});

// opendir: the names are read when it is opened.
class DirectoryHandle {
  #names;
  #kinds;
  #at = 0;
  constructor(path) { [this.#names, this.#kinds] = listDirectory(path); }
  read(encoding, most, req) {
    return request({ call: 'scandir', paths: [] }, req, () => {
      const found = [];
      for (; this.#at < this.#names.length && found.length < 2 * most; this.#at++) {
        found.push(nameFor(this.#names[this.#at], encoding), this.#kinds[this.#at]);
      }
      return found.length > 0 ? found : null;
    });
  }
  close(req) { return request({ call: 'closedir', paths: [] }, req, () => undefined); }
}

host.define('fs_dir', (directories) => {
  const open = (path, encoding, req) => request({ call: 'opendir', paths: [path] }, req, () => new DirectoryHandle(path));
  directories.opendir = open;
  directories.opendirSync = (path) => request({ call: 'opendir', paths: [] }, undefined, () => new DirectoryHandle(path));
});
