// fs.cpSync: the checks and steps of it that Node has in C++. Called by files.js for its binding.
'use strict';

const { codeError, systemError } = host;

const KIND = 0o170000, DIRECTORY = 0o040000, SOCKET = 0o140000, FIFO = 0o010000;

// { kind, device, inode }, or undefined for what is not there.
function look(call, path, name) {
  const fields = new Float64Array(18);
  const result = native[call](path, fields);
  if (result < 0 && result !== -2) throw systemError(result, name ?? call, path);
  return result < 0 ? undefined : { kind: fields[1] & KIND, device: fields[0], inode: fields[7] };
}

const isSame = (a, b) => a !== undefined && b !== undefined && a.device === b.device && a.inode === b.inode;

function checkPaths(from, to, dereference, isRecursive) {
  const refuse = (code, message) => { throw codeError(Error, code, message); };
  const source = look(dereference ? 'stat' : 'lstat', from);
  if (source === undefined) throw systemError(-2, dereference ? 'stat' : 'lstat', from);
  const target = look(dereference ? 'stat' : 'lstat', to);
  const isDirectory = source.kind === DIRECTORY;
  if (target !== undefined) {
    if (isSame(source, target)) refuse('ERR_FS_CP_EINVAL', `src and dest cannot be the same ${to}`);
    if (isDirectory && target.kind !== DIRECTORY) {
      refuse('ERR_FS_CP_DIR_TO_NON_DIR', `Cannot overwrite non-directory ${to} with directory ${from}`);
    }
    if (!isDirectory && target.kind === DIRECTORY) {
      refuse('ERR_FS_CP_NON_DIR_TO_DIR', `Cannot overwrite directory ${to} with non-directory ${from}`);
    }
  }
  const beneath = from.endsWith('/') ? from : `${from}/`;
  if (isDirectory && to.startsWith(beneath)) {
    refuse('ERR_FS_CP_EINVAL', `Cannot copy ${beneath} to a subdirectory of self ${to}`);
  }
  const { dirname } = host.requireBuiltin('path');
  for (let parent = dirname(to); isDirectory && parent !== dirname(parent); parent = dirname(parent)) {
    if (isSame(source, look('stat', parent))) refuse('ERR_FS_CP_EINVAL', `Cannot copy ${from} to a subdirectory of self ${to}`);
  }
  if (isDirectory && !isRecursive) {
    refuse('ERR_FS_EISDIR', `Recursive option not enabled, cannot copy a directory: ${beneath}`);
  }
  if (source.kind === SOCKET) refuse('ERR_FS_CP_SOCKET', `Cannot copy a socket file: ${to}`);
  if (source.kind === FIFO) refuse('ERR_FS_CP_FIFO_PIPE', `Cannot copy a FIFO pipe: ${to}`);
  const parent = dirname(to);
  if (look('stat', parent) === undefined) host.binding('fs').mkdir(parent, 0o777, true);
}

host.addCopies = (fs) => {
  fs.cpSyncCheckPaths = (from, to, dereference, isRecursive) =>
    checkPaths(host.pathText(from), host.pathText(to), dereference, isRecursive);
  fs.cpSyncOverrideFile = (from, to, mode, keepsTimes) => {
    const { unlinkSync, copyFileSync, statSync, utimesSync } = host.requireBuiltin('fs');
    unlinkSync(to);
    copyFileSync(from, to, mode);
    if (!keepsTimes) return;
    const { atime, mtime } = statSync(from);
    utimesSync(to, atime, mtime);
  };
  // Node's own steps in JavaScript, which it takes where there is a filter.
  fs.cpSyncCopyDir = (from, to, force, dereference, errorOnExist, verbatimSymlinks, preserveTimestamps) => {
    const { cpSyncFn } = host.requireBuiltin('internal/fs/cp/cp-sync');
    const options = { force, dereference, errorOnExist, verbatimSymlinks, preserveTimestamps, recursive: true, filter: () => true };
    cpSyncFn(from, to, { ...options, mode: 0 });
  };
};
