// Requests: one operation in the three ways in which `fs` asks for it. Without a request it is done
// and its error thrown; with an FSReqCallback or for a promise its outcome is handed out by the loop.
'use strict';

const { SystemFailure, systemError, loop } = host;

host.pathText = (path) => (typeof path === 'string' ? path : host.decode(host.bytesOf(path), 'utf8'));

// How an operation came out: [error, value].
function outcome(operation, work) {
  try {
    return [null, work()];
  } catch (failure) {
    if (!(failure instanceof SystemFailure)) throw failure;
    const paths = operation.paths.map(host.pathText);
    return [systemError(failure.number, operation.call, ...paths), undefined];
  }
}

function handOut(request, error, value) {
  if (error !== null) request.oncomplete(error);
  else if (value === undefined) request.oncomplete(null);
  else request.oncomplete(null, value);
}

// What has been asked for and not been handed out, for process._getActiveRequests().
host.requests = new Set();

// `waits` says for what an operation has to wait, where it does: [descriptor, events].
host.request = (operation, request, work, waits) => {
  if (request === undefined) {
    const [error, value] = outcome(operation, work);
    if (error !== null) throw error;
    return value;
  }
  const isPromise = request === host.binding('symbols').fs_use_promises_symbol;
  const begin = (done) => {
    const finish = () => {
      const [error, value] = outcome(operation, work);
      if (error?.code === 'EAGAIN' && waits !== undefined) return wait();
      return done(error, value);
    };
    const wait = () => {
      const watcher = loop.watch(...waits, () => {
        watcher.stop();
        finish();
      });
    };
    if (waits !== undefined) {
      wait();
      return;
    }
    const [error, value] = outcome(operation, work);
    // It comes from nowhere: no frame is below it when it is handed out.
    if (error !== null) error.stack = `Error: ${error.message}`;
    loop.later(() => done(error, value));
  };
  if (isPromise) {
    const { promise, resolve, reject } = Promise.withResolvers();
    host.requests.add(promise);
    begin((error, value) => {
      host.requests.delete(promise);
      if (error !== null) host.addAsyncFrames(error, promise);
      if (error === null) resolve(value);
      else reject(error);
    });
    return promise;
  }
  host.requests.add(request);
  begin((error, value) => {
    host.requests.delete(request);
    handOut(request, error, value);
  });
  return undefined;
};
