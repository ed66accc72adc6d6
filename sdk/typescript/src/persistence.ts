/** States that outlive their sandbox. */

import { fromBase64, toBase64 } from "./bytes.js";
import type { SavedOutput, VersionOutput } from "./generated/api.js";
import type { Scope } from "./scope.js";

/** `sandbox.persistence`. */
export class Persistence {
  readonly #scope: Scope;

  /** @internal */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Saves a persistent sandbox now, instead of within its autosave time. */
  save(): Promise<SavedOutput> {
    return this.#scope.call("persistence.save", {});
  }

  /** Puts a persistent sandbox back to what was saved last. */
  load(): Promise<VersionOutput> {
    return this.#scope.call("persistence.load", {});
  }

  /** Gives the whole state as bytes that `import` takes, here or elsewhere; encrypted with a `key` of 32 bytes. */
  async export(options: { key?: Uint8Array | undefined } = {}): Promise<Uint8Array> {
    return fromBase64((await this.#scope.call("persistence.export", keyOf(options))).base64);
  }

  /** Makes the sandbox what an exported state says. What is broken, too large or hostile is refused without effect. */
  import(state: Uint8Array, options: { key?: Uint8Array | undefined } = {}): Promise<VersionOutput> {
    return this.#scope.call("persistence.import", { base64: toBase64(state), ...keyOf(options) });
  }

  /** Gives a number of the state, in hexadecimal: equal for equal files and shells. */
  async hash(): Promise<string> {
    return (await this.#scope.call("persistence.hash", {})).hash;
  }
}

function keyOf(options: { key?: Uint8Array | undefined }): { key: string | undefined } {
  return { key: options.key && toBase64(options.key) };
}
