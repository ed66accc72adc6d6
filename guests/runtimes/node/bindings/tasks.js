// Ticks and microtasks: what runs after each callback, and what belongs to a chain of asynchronous calls.
'use strict';

let tick = () => {};
const MOST_ERRORS = 1000;

// What Node does with its ticks (unfinished.js).
host.tick = () => tick.call(host.process);

// Runs ticks and microtasks until there are none, or until the call of a session has ended.
host.drain = () => {
  const info = host.binding('task_queue').tickInfo; // [there are ticks, there are rejections]
  for (let errors = 0; errors < MOST_ERRORS;) {
    try {
      if (info[0] === 0) native.runJobs();
      if (info[0] === 0 && info[1] === 0 || native.isStopped()) return;
      tick.call(host.process);
    } catch (error) {
      errors++;
      host.fatal(error);
    }
  }
};

// A callback from the loop, as MakeCallback does it: where it throws, ticks wait for the next one, which
// whoever handles the error sees to.
host.runCallback = (callback) => {
  try {
    callback();
  } catch (error) {
    host.fatal(error);
    return;
  }
  host.drain();
};

host.define('task_queue', (queue) => {
  queue.tickInfo = new Int32Array(2);
  queue.setTickCallback = (callback) => { tick = callback; };
  queue.runMicrotasks = () => native.runJobs();
  const resolved = Promise.resolve();
  queue.enqueueMicrotask = (callback) => { resolved.then(callback); };
  queue.setPromiseRejectCallback = (callback) => {
    const { kPromiseHandlerAddedAfterReject, kPromiseRejectWithNoHandler } = queue.promiseRejectEvents;
    host.tellRejection = callback;
    native.onRejection((isHandled, promise, reason) => {
      host.noteRejection?.(isHandled, promise);
      callback(isHandled ? kPromiseHandlerAddedAfterReject : kPromiseRejectWithNoHandler, promise, reason);
    });
  };
});

host.define('async_context_frame', (frame) => {
  frame.getContinuationPreservedEmbedderData = native.getContinuation;
  frame.setContinuationPreservedEmbedderData = native.setContinuation;
});

host.define('async_wrap', (wrap) => {
  const stack = [];
  const [EXECUTION, TRIGGER, COUNTER] = [wrap.constants.kExecutionAsyncId, wrap.constants.kTriggerAsyncId, wrap.constants.kAsyncIdCounter];
  wrap.async_hook_fields = new Uint32Array(9);
  wrap.async_id_fields = new Float64Array(4);
  wrap.async_ids_stack = new Float64Array(32);
  wrap.execution_async_resources = [];
  wrap.async_id_fields[COUNTER] = 1;
  wrap.setupHooks = () => {};
  wrap.setCallbackTrampoline = () => {};
  wrap.registerDestroyHook = () => {};
  wrap.queueDestroyAsyncId = () => {};
  wrap.executionAsyncResource = () => undefined;
  // async_hooks see callbacks and resources, but not promises: the engine has no such hooks.
  wrap.setPromiseHooks = () => {};
  wrap.getPromiseHooks = () => [undefined, undefined, undefined, undefined];
  wrap.pushAsyncContext = (id, trigger) => {
    stack.push([wrap.async_id_fields[EXECUTION], wrap.async_id_fields[TRIGGER]]);
    wrap.async_id_fields[EXECUTION] = id;
    wrap.async_id_fields[TRIGGER] = trigger;
  };
  wrap.popAsyncContext = () => {
    const before = stack.pop();
    if (before !== undefined) [wrap.async_id_fields[EXECUTION], wrap.async_id_fields[TRIGGER]] = before;
    return stack.length > 0;
  };
  wrap.clearAsyncIdStack = () => {
    stack.length = 0;
    wrap.async_hook_fields[wrap.constants.kStackLength] = 0;
    wrap.async_id_fields[EXECUTION] = wrap.async_id_fields[TRIGGER] = 0;
  };
});
