/** Previews: a run in a throw-away copy, to be looked at, then kept or dropped. */

import type { PathChange, PreviewOutput } from "./generated/api.js";
import { givenInput, runParams, RunResult, type RunOptions } from "./run.js";
import type { Data } from "./bytes.js";
import type { Scope } from "./scope.js";

/** What a previewed command may be given. */
export type PreviewOptions = Omit<RunOptions, "onStdout" | "onStderr" | "idempotencyKey" | "stdin"> & {
  /** What it reads. */
  stdin?: Data | undefined;
};

/** What a command would do. Nothing of it has happened until {@link Preview.commit}. */
export class Preview {
  readonly #scope: Scope;
  #isOver = false;
  /** Its id. */
  readonly id: string;
  /** The command's result. */
  readonly result: RunResult;
  /** What it changed. */
  readonly changes: PathChange[];
  /** A unified diff of it. */
  readonly diff: string;

  /** @internal */
  constructor(scope: Scope, output: PreviewOutput) {
    this.#scope = scope;
    this.id = output.previewId;
    this.result = new RunResult(output.result);
    this.changes = output.changes;
    this.diff = output.diff;
  }

  /** Makes it happen, in constant time, if the sandbox has not changed since. */
  async commit(): Promise<RunResult> {
    const output = await this.#scope.call("preview.commit", { previewId: this.id });
    this.#isOver = true;
    return new RunResult(output);
  }

  /** Drops it: nothing of it has happened. */
  async drop(): Promise<void> {
    await this.#scope.call("preview.drop", { previewId: this.id });
    this.#isOver = true;
  }

  /** Drops it unless it was committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) await this.drop();
  }
}

/** Runs a command in a throw-away copy. */
export async function preview(scope: Scope, command: string, options: PreviewOptions = {}): Promise<Preview> {
  const { stdin, signal } = options;
  const params = { ...runParams(command, options), ...givenInput(stdin) };
  return new Preview(scope, await scope.call("preview.run", params, { signal }));
}
