/** Runs in the background: what they print, what they read, their end. */

import { encode, type Data } from "./bytes.js";
import { CodepodError } from "./errors.js";
import type { SinceOutput, StartParams } from "./generated/api.js";
import type { Scope } from "./scope.js";

/** What a background run may be given. */
export type StartOptions = Omit<StartParams, "command">;

/** Which output. */
export interface SinceOptions {
  /** The first byte, of both streams together; where the last call ended if not given. */
  since?: number | undefined;
  /** How long to wait for output or its end, in milliseconds, 60000 at most; not at all if not given. */
  waitMs?: number | undefined;
  /** How many bytes at most; all that is kept if not given. */
  length?: number | undefined;
}

/** How long one call waits for output, in milliseconds. */
const PATIENCE = 20_000;

/** A run in the background. */
export class BackgroundRun {
  readonly #scope: Scope;
  /** Its name. */
  readonly runId: string;

  /** @internal */
  constructor(scope: Scope, runId: string) {
    this.#scope = scope;
    this.runId = runId;
  }

  /** What it printed since the last call, or since a place; the last MiB is kept. */
  output(options: SinceOptions = {}): Promise<SinceOutput> {
    return this.#scope.call("run.output", { runId: this.runId, ...options });
  }

  /** Gives it more to read. */
  async write(data: Data): Promise<void> {
    await this.#scope.call("run.stdin", { runId: this.runId, ...encode(data) });
  }

  /** There is no more to read. */
  async end(): Promise<void> {
    await this.#scope.call("run.stdin", { runId: this.runId, end: true });
  }

  /** Ends it and all that it started; without effect on one that has ended. */
  async kill(): Promise<void> {
    try {
      await this.#scope.call("run.cancel", { runId: this.runId });
    } catch (error) {
      if (!(error instanceof CodepodError && error.kind === "not_found")) throw error;
      // Its name is free once it has ended.
      await this.output({ since: 0, length: 0 });
    }
  }

  /** Waits for its end; what it printed since the last call. */
  async wait(): Promise<SinceOutput> {
    let [stdout, stderr] = ["", ""];
    for (;;) {
      const output = await this.output({ waitMs: PATIENCE });
      stdout += output.stdout;
      stderr += output.stderr;
      if (!output.running) return { ...output, stdout, stderr };
    }
  }
}

/** Starts a script in the background. */
export async function start(scope: Scope, command: string, options: StartOptions = {}): Promise<BackgroundRun> {
  const { runId } = await scope.call("run.start", { command, ...options });
  return new BackgroundRun(scope, runId);
}
