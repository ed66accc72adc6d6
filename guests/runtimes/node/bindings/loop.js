// The event loop, in libuv's order: timers, finished requests, descriptors, immediates, closing.
//
// Calls on files are done when they are asked for and handed out in the next turn. Waiting is one
// poll of the kernel over all descriptors that something watches, until the next timer.
'use strict';

const FOREVER = -1;

let startedAt = native.now();
const finished = []; // what is handed out in this turn or the next
const closing = [];
const watchers = new Set();
const repeats = new Set();
const signalHandlers = new Map(); // number → function
let timerAt = Infinity;
let timerIsReferenced = false; // until a timer that is says so
let handOutTimers = () => 0;
let handOutImmediates = () => {};
let firstImmediate; // of those that are handed out, in a session
let children = 0; // that something waits for, and so SIGCHLD
let referencedSignals = 0;

const now = () => Math.floor((native.now() - startedAt) / 1e6);

class Watcher {
  constructor(fd, events, ready) {
    this.fd = fd;
    this.events = events;
    this.ready = ready;
    this.isReferenced = true;
  }
  start() { watchers.add(this); }
  stop() { watchers.delete(this); }
}

// What the bindings do again and again: looking at what is watched.
class Repeat {
  constructor(interval, call) {
    this.interval = interval;
    this.call = call;
    this.isReferenced = true;
    this.dueAt = now() + interval;
    repeats.add(this);
  }
  stop() { repeats.delete(this); }
}

function nextRepeat() {
  let next = Infinity;
  for (const repeat of repeats) next = Math.min(next, repeat.dueAt);
  return next;
}

function runRepeats() {
  for (const repeat of [...repeats]) {
    if (repeat.dueAt > now() || !repeats.has(repeat)) continue;
    repeat.call();
    repeat.dueAt = now() + repeat.interval;
  }
}

const immediates = () => host.binding('timers').immediateInfo; // [count, referenced, outstanding]

function isAlive() {
  if (finished.length > 0 || closing.length > 0 || children > 0 || referencedSignals > 0) return true;
  if (timerAt !== Infinity && timerIsReferenced) return true;
  if (immediates()[1] > 0) return true;
  for (const watcher of watchers) if (watcher.isReferenced) return true;
  for (const repeat of repeats) if (repeat.isReferenced) return true;
  return false;
}

function runTimers() {
  while (timerAt <= now()) {
    timerAt = Infinity;
    let next;
    host.runCallback(() => { next = handOutTimers(now()); });
    // Negative: the next timer does not keep the process alive. Undefined: a timer has thrown, and
    // those behind it are still due.
    if (next === undefined) timerAt = Math.min(timerAt, now());
    else if (next !== 0) {
      timerAt = Math.max(Math.abs(next), now() + 1);
      timerIsReferenced = next > 0;
    }
  }
}

function deliverSignals() {
  const arrived = signalHandlers.size > 0 ? native.takeSignals() : undefined;
  for (const number of arrived ?? []) host.runCallback(() => signalHandlers.get(number)?.(number));
}

function pollDescriptors(timeout) {
  deliverSignals();
  if (finished.length > 0 || closing.length > 0) timeout = 0;
  const polled = [...watchers];
  if (polled.length === 0 && timeout === 0) return;
  if (polled.length === 0 && timeout === FOREVER && signalHandlers.size === 0) return;
  const pairs = new Int32Array(2 * polled.length);
  const wait = (most) => {
    polled.forEach((watcher, index) => pairs.set([watcher.fd, watcher.events], 2 * index));
    return native.poll(pairs, most);
  };
  // A signal ends the wait. What is ready by then comes first: what a child has said before its end.
  if (wait(timeout) === 0 && timeout !== 0) wait(0);
  polled.forEach((watcher, index) => {
    const events = pairs[2 * index + 1] & watcher.events;
    if (events !== 0 && watchers.has(watcher)) host.runCallback(() => watcher.ready(events));
  });
  deliverSignals();
}

// Those behind one that has thrown are handed out next. They are made to do nothing.
function dropImmediates() {
  for (let immediate = firstImmediate; immediate; immediate = immediate._idleNext) {
    immediate._onImmediate = () => {};
    immediate._argv = undefined;
  }
  firstImmediate = undefined;
  if (immediates()[2] > 0) handOutImmediates();
  immediates().fill(0);
}

function turn() {
  runTimers();
  if (repeats.size > 0) runRepeats();
  for (const handOut of finished.splice(0)) host.runCallback(handOut);
  const [count, , outstanding] = immediates();
  const timeout = count > 0 || outstanding > 0 || finished.length > 0 || !isAlive() ? 0 :
    Math.min(timerAt, nextRepeat()) === Infinity ? FOREVER : Math.max(0, Math.ceil(Math.min(timerAt, nextRepeat()) - now()));
  pollDescriptors(timeout);
  if (immediates()[0] > 0 || immediates()[2] > 0) {
    firstImmediate = host.firstImmediate?.();
    // Again where one has thrown and others are outstanding.
    do host.runCallback(() => handOutImmediates()); while (immediates()[2] > 0 && !native.isStopped());
  }
  for (const close of closing.splice(0)) host.runCallback(close);
  runTimers();
}

host.loop = {
  now,
  // What a request has found out is handed out in the next turn.
  later(handOut) { finished.push(handOut); },
  close(callback) { closing.push(callback); },
  watch(fd, events, ready) {
    const watcher = new Watcher(fd, events, ready);
    watcher.start();
    return watcher;
  },
  // Calls it each so many milliseconds until it is stopped.
  every: (interval, call) => new Repeat(interval, call),
  READABLE: 1,
  WRITABLE: 2,
  onSignal(number, handler) {
    const failed = native.catchSignal(number, handler !== undefined);
    if (failed < 0) return failed;
    if (handler === undefined) signalHandlers.delete(number);
    else signalHandlers.set(number, handler);
    return 0;
  },
  handlesSignal: (number) => signalHandlers.has(number),
  keepForSignals(change) { referencedSignals += change; },
  keepForChildren(change) { children += change; },
  begin() {
    startedAt = native.now();
    const { constants, milestones } = host.binding('performance');
    milestones[constants.NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN_TIMESTAMP] = Date.now() * 1e3;
  },
  startedAt: () => startedAt,
  runClosing() { for (const close of closing.splice(0)) host.runCallback(close); },
  // Timers that Node has forgotten (unfinished.js).
  dropTimers() {
    dropImmediates();
    handOutTimers(now());
    timerAt = Infinity;
    timerIsReferenced = false;
    host.binding('timers').timeoutInfo.fill(0);
  },
  // All that is waited for, but for signals: their handlers go on.
  drop() {
    finished.length = closing.length = 0;
    watchers.clear();
    repeats.clear();
    children = 0;
  },
  // Until there is nothing to do, or the call of a session has ended.
  run() {
    for (;;) {
      while (isAlive() && !native.isStopped()) turn();
      if (native.isStopped()) return;
      host.runCallback(() => host.process.emit('beforeExit', host.process.exitCode ?? 0));
      if (!isAlive()) return;
    }
  },
};

host.define('timers', (timers) => {
  timers.immediateInfo = new Uint32Array(3);
  timers.timeoutInfo = new Int32Array(1);
  timers.setupTimers = (immediate, timer) => {
    handOutImmediates = immediate;
    handOutTimers = timer;
  };
  timers.getLibuvNow = now;
  timers.scheduleTimer = (milliseconds) => { timerAt = now() + Math.max(1, milliseconds); };
  timers.toggleTimerRef = (isReferenced) => { timerIsReferenced = isReferenced; };
  timers.toggleImmediateRef = () => {}; // `immediateInfo` has the count that the loop looks at
});
