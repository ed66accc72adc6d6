/** Host directories: what was changed in an overlay, and what becomes of it. */

import type { AppliedOutput, MountChange, MountInfo } from "./generated/api.js";
import type { Scope } from "./scope.js";

/** `sandbox.mounts`. A mount is named by its place in the sandbox. */
export class Mounts {
  readonly #scope: Scope;

  /** @internal */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Lists the host directories of the sandbox. */
  async list(): Promise<MountInfo[]> {
    return (await this.#scope.call("mounts.list", {})).mounts;
  }

  /** Lists what was changed in an overlay and is not on the host. */
  async changes(at: string): Promise<MountChange[]> {
    return (await this.#scope.call("mounts.changes", { at })).changes;
  }

  /**
   * Makes changes of an overlay on the host: those of `paths`, or all. What the host changed meanwhile is refused, and so are
   * guarded paths, which programs of the host run or obey, unless `allowGuarded`.
   */
  apply(at: string, paths?: string[], { allowGuarded }: { allowGuarded?: boolean } = {}): Promise<AppliedOutput> {
    return this.#scope.call("mounts.apply", { at, paths, allowGuarded });
  }

  /** Forgets changes of an overlay: those of `paths`, or all. */
  async discard(at: string, paths?: string[]): Promise<MountChange[]> {
    return (await this.#scope.call("mounts.discard", { at, paths })).changes;
  }
}
