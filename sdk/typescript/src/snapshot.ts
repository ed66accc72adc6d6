/** Snapshots: states of a sandbox by name. */

import type { SnapshotInfo } from "./generated/api.js";
import type { Scope } from "./scope.js";

/** A snapshot, or its id. */
export type SnapshotLike = SnapshotInfo | string;

/** `sandbox.snapshots`. */
export class Snapshots {
  readonly #scope: Scope;

  /** @internal */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Keeps the files and shells as they are now, in microseconds. */
  create(): Promise<SnapshotInfo> {
    return this.#scope.call("snapshot.create", {});
  }

  /** Puts files and shells back to a snapshot; it can be used again. */
  async restore(snapshot: SnapshotLike): Promise<void> {
    await this.#scope.call("snapshot.restore", { id: snapshotId(snapshot) });
  }

  /** Lists the snapshots, the oldest first. */
  async list(): Promise<SnapshotInfo[]> {
    return (await this.#scope.call("snapshot.list", {})).snapshots;
  }

  /** Forgets a snapshot. */
  async remove(snapshot: SnapshotLike): Promise<void> {
    await this.#scope.call("snapshot.remove", { id: snapshotId(snapshot) });
  }
}

/** The id of a snapshot. */
export function snapshotId(snapshot: SnapshotLike): string {
  return typeof snapshot === "string" ? snapshot : snapshot.id;
}
