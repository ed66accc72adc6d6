/** Sessions of Python: interpreters that keep their variables from call to call. */

import type { Data } from "./bytes.js";
import { givenInput, RunResult } from "./run.js";
import type { Scope } from "./scope.js";

/** What code may be given. */
export interface PythonOptions {
  /** The session to run it in, which begins with its first call; `main` if not given. */
  session?: string | undefined;
  /** What it reads. */
  stdin?: Data | undefined;
  /** How long it may take, in milliseconds; as the sandbox says if not given. Code that takes longer leaves the session as it was. */
  timeoutMs?: number | undefined;
  /** Bytes of each output stream that the result holds; as the sandbox says if not given. */
  outputBudget?: number | undefined;
  /** Ends the code when it is aborted; the call is rejected with the signal's reason, and the session is as it was. */
  signal?: AbortSignal | undefined;
}

/** `sandbox.python`. */
export class Python {
  readonly #scope: Scope;

  /** @internal */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /**
   * Runs code in a session and waits for its end. Variables, functions and modules stay for the next call, and what the last line
   * gives is printed. An exception is a result, not an error.
   */
  async run(code: string, options: PythonOptions = {}): Promise<RunResult> {
    const { session, stdin, timeoutMs, outputBudget, signal } = options;
    const params = { code, session, timeoutMs, outputBudget, ...givenInput(stdin) };
    return new RunResult(await this.#scope.call("python.run", params, { signal }));
  }

  /** Resets a session: its next call starts a new interpreter. */
  async reset(session?: string): Promise<void> {
    await this.#scope.call("python.reset", { session });
  }
}
