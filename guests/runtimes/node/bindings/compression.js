// What the streams of zlib, Brotli and Zstandard have in common, as Node's CompressionStream.
//
// A class has `step`, which says whether it went well, `resetStream` and `closeStream`.
'use strict';

host.Compression = class Compression extends host.Handle {
  stream = undefined; // of the C half
  #state; // [bytes of output left, bytes of input left], for Node's JavaScript
  #written;
  #isBusy = false;
  begin(stream, state, written) {
    this.stream = stream;
    this.#state = state;
    this.#written = written;
  }
  left(output, input) {
    this.#state[0] = output;
    this.#state[1] = input;
    return true;
  }
  fail(message, number, code) {
    this.onerror(message, number, code);
    return false;
  }
  #run(given) {
    try {
      return this.step(...given);
    } catch (error) {
      if (error instanceof RangeError) error.code ??= 'ERR_OUT_OF_RANGE';
      throw error;
    }
  }
  writeSync(...given) { this.#run(given); }
  // Done in the next turn.
  write(...given) {
    this.#isBusy = true;
    host.loop.later(() => {
      this.#isBusy = false;
      if (this.isClosed) return this.#end();
      host.within(this, () => { if (this.#run(given)) this.#written.call(this); });
      return undefined;
    });
  }
  reset() {
    if (this.#isBusy) throw new Error('Cannot reset zlib stream while a write is in progress');
    this.resetStream();
  }
  #end() { if (this.stream !== undefined) this.closeStream(); }
  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    host.handles.delete(this);
    if (!this.#isBusy) this.#end();
  }
};
