/** Lets so many calls through at a time: a server refuses more than 256 of one client. */

import { WORK } from "./generated/api.js";
import type { MethodName } from "./transport.js";

/** A gate: callers that come when it is full wait for their turn. */
export class Gate {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Calls `go` when it is its turn: now, or when another has left. Each caller that enters must leave. */
  enter(go: () => void): void {
    if (this.#inside < this.#most) {
      this.#inside += 1;
      go();
    } else {
      this.#waiting.push(go);
    }
  }

  /** Makes room for the next. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inside -= 1;
    else next();
  }
}

/**
 * The gates of a client. Calls that can wait for a long time have gates of their own, so that they never hold up the rest.
 * Cancelling never waits.
 */
export class Gates {
  readonly #runs = new Gate(128);
  readonly #inputs = new Gate(32);
  readonly #others = new Gate(64);

  /** The gate that a call goes through; `undefined` if it does not wait. */
  of(method: MethodName): Gate | undefined {
    const work: Partial<Record<MethodName, string>> = WORK;
    switch (work[method]) {
      case "runs":
      case "streams":
        return this.#runs;
      case "feeds":
        return this.#inputs;
      case "cancels":
        return undefined;
      default:
        return this.#others;
    }
  }
}
