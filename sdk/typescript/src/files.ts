/** Files of a sandbox. Paths are absolute, or relative to the working directory that the sandbox was made with. */

import { decode, encode, utf8, type Data } from "./bytes.js";
import type { Entry, Stat } from "./generated/api.js";
import type { Scope } from "./scope.js";

/** Which part of a file. */
export interface ReadOptions {
  /** The first byte; the beginning if not given. */
  offset?: number | undefined;
  /** How many bytes; to the end if not given. */
  length?: number | undefined;
}

/** `sandbox.files`. */
export class Files {
  readonly #scope: Scope;

  /** @internal */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Reads a file as text; what is not UTF-8 is replaced. */
  async read(path: string, options: ReadOptions = {}): Promise<string> {
    const { text, base64 } = await this.#scope.call("files.read", { path, ...options });
    return base64 === undefined ? (text ?? "") : utf8(decode({ base64 }));
  }

  /** Reads a file, or a part of it, to the byte. */
  async readBytes(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return decode(await this.#scope.call("files.read", { path, ...options }));
  }

  /** Writes a file: makes it or replaces what it holds. With `parents`, directories above it are made. */
  async write(path: string, data: Data, options: { parents?: boolean | undefined } = {}): Promise<void> {
    await this.#scope.call("files.write", { path, ...encode(data), ...options });
  }

  /** Lists a directory, sorted by name. */
  async list(path = "."): Promise<Entry[]> {
    return (await this.#scope.call("files.list", { path })).entries;
  }

  /** Says what a path is. A symbolic link at its end is followed. */
  stat(path: string): Promise<Stat> {
    return this.#scope.call("files.stat", { path });
  }

  /** Makes a directory, and those above it that are missing. */
  async mkdir(path: string): Promise<void> {
    await this.#scope.call("files.mkdir", { path });
  }

  /** Removes a file, or a directory with all that is in it. */
  async remove(path: string): Promise<void> {
    await this.#scope.call("files.remove", { path });
  }

  /** Gives a file or a directory another name; what has that name is replaced. */
  async rename(path: string, to: string): Promise<void> {
    await this.#scope.call("files.rename", { path, to });
  }

  /** Sets the mode bits of a path: `0o755`. */
  async chmod(path: string, mode: number): Promise<void> {
    await this.#scope.call("files.chmod", { path, mode });
  }

  /** Puts single paths back to what they were at a moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`. */
  async restore(from: string, paths: string[]): Promise<void> {
    await this.#scope.call("files.restore", { from, paths });
  }
}
