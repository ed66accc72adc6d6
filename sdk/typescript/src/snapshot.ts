/** Snapshots: states of a sandbox by name. */

import type { SnapshotInfo } from "./generated/api.js";
import { SnapshotMethods } from "./generated/callers.js";

/** A snapshot, or its id. */
export type SnapshotLike = SnapshotInfo | string;

/** `sandbox.snapshots`. */
export class Snapshots extends SnapshotMethods {
  /** Puts files and shells back to a snapshot; it can be used again. */
  override restore(snapshot: SnapshotLike): Promise<void> {
    return super.restore(snapshotId(snapshot));
  }

  /** Forgets a snapshot. */
  override remove(snapshot: SnapshotLike): Promise<void> {
    return super.remove(snapshotId(snapshot));
  }
}

/** The id of a snapshot. */
export function snapshotId(snapshot: SnapshotLike): string {
  return typeof snapshot === "string" ? snapshot : snapshot.id;
}
