/** Files of a sandbox. Paths are absolute, or relative to the working directory that the sandbox was made with. */

import { decode, utf8 } from "./bytes.js";
import type { Entry } from "./generated/api.js";
import { FilesMethods } from "./generated/callers.js";

/** Which part of a file. */
export interface ReadOptions {
  /** The first byte; the beginning if not given. */
  offset?: number | undefined;
  /** How many bytes at most; to the end if not given. */
  length?: number | undefined;
  /** The first line, from 1; instead of `offset`. */
  line?: number | undefined;
  /** How many lines at most. */
  lines?: number | undefined;
  /** Whether every line begins with its number and a tab, as `cat -n` prints it. */
  numbers?: boolean | undefined;
}

/** `sandbox.files`. */
export class Files extends FilesMethods {
  /** Reads a file as text; what is not UTF-8 is replaced. */
  async read(path: string, options: ReadOptions = {}): Promise<string> {
    const { text, base64 } = await this.scope.call("files.read", { path, ...options });
    return base64 === undefined ? (text ?? "") : utf8(decode({ base64 }));
  }

  /** Reads a file, or a part of it, to the byte. */
  async readBytes(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return decode(await this.scope.call("files.read", { path, ...options }));
  }

  /** Lists a directory, sorted by name; the working directory that the sandbox was made with if none is given. */
  override list(path = "."): Promise<Entry[]> {
    return super.list(path);
  }
}
