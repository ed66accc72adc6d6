/** Processes of a sandbox. */

import type { Job } from "./generated/api.js";
import type { Scope } from "./scope.js";

/** `sandbox.jobs`. */
export class Jobs {
  readonly #scope: Scope;

  /** @internal */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Lists the processes. */
  async list(): Promise<Job[]> {
    return (await this.#scope.call("jobs.list", {})).jobs;
  }

  /** Sends a signal to a process, by its name with or without SIG; TERM if not given. */
  async signal(pid: number, signal?: string): Promise<void> {
    await this.#scope.call("jobs.signal", { pid, signal });
  }
}
