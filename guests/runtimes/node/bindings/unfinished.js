// What is not over at the end of a session's call: timers, ticks, promises' jobs, handles. A call
// ends when nothing is left to do, so what is left then is what does not keep a process alive; or it
// has ended before, by `process.exit` or an error. None of it is done in the next call.
'use strict';

const { loop } = host;
const rejected = new Set(); // promises of whose rejection Node has been told

host.watchUnfinished = () => {
  host.noteRejection = (isHandled, promise) => { rejected[isHandled ? 'delete' : 'add'](promise); };
  const { immediateQueue } = host.requireBuiltin('internal/timers');
  host.firstImmediate = () => immediateQueue.head;
};

function dropRejections() {
  const { kPromiseHandlerAddedAfterReject } = host.binding('task_queue').promiseRejectEvents;
  for (const promise of rejected) host.tellRejection(kPromiseHandlerAddedAfterReject, promise);
  rejected.clear();
}

// Node keeps its queues of ticks and of late handlers to itself: each is emptied when Node looks into it.
function dropTicks() {
  const { prototype } = host.requireBuiltin('internal/fixed_queue');
  const { shift, isEmpty } = prototype;
  prototype.shift = function() {
    while (shift.call(this) !== null);
    return null;
  };
  prototype.isEmpty = function() {
    this.shift();
    return true;
  };
  try {
    host.tick();
  } finally {
    Object.assign(prototype, { shift, isEmpty });
  }
}

function dropTimers() {
  const { timerListMap, timerListQueue, immediateQueue } = host.requireBuiltin('internal/timers');
  const { clearTimeout, clearImmediate } = host.requireBuiltin('timers');
  const list = host.requireBuiltin('internal/linkedlist');
  for (const [duration, timers] of Object.entries(timerListMap)) {
    for (let timer = list.peek(timers); timer !== null; timer = list.peek(timers)) {
      clearTimeout(timer);
      list.remove(timer); // one without a function
    }
    // Node keeps the lists of timers that do not keep a process alive.
    if (timerListMap[duration] === timers) {
      timerListQueue.removeAt(timers.priorityQueuePosition);
      delete timerListMap[duration];
    }
  }
  while (immediateQueue.head !== null) clearImmediate(immediateQueue.head);
  loop.dropTimers();
}

// Connections that are kept for the next request would be found dead by it. They are closed as if
// their other end had gone, so that those who keep them know. Listeners of signals go on.
function dropHandles() {
  const { owner_symbol: owner } = host.binding('symbols');
  const { Signal } = host.binding('signal_wrap');
  const goesOn = (handle) => handle instanceof Signal || handle.fd >= 0 && handle.fd <= 2;
  const left = [...host.handles].filter((handle) => !goesOn(handle));
  for (const handle of left) {
    try {
      handle[owner]?.destroy?.();
      handle.close?.();
    } catch {
      // it is gone in any case
    }
    host.handles.delete(handle);
  }
  if (left.length === 0) return;
  loop.runClosing();
  host.drain();
}

host.dropUnfinished = () => {
  native.setContinuation(undefined);
  host.binding('async_wrap').clearAsyncIdStack();
  dropRejections();
  dropTicks();
  dropHandles();
  dropRejections();
  dropTicks();
  dropTimers();
  host.requests.clear();
  host.forgetChildren();
  loop.drop();
};
