/** Cuts a stream of bytes into lines. */

const NEWLINE = 0x0a;

/** Collects bytes until a line is whole. A line costs its length, in however many pieces it comes. */
export class Lines {
  readonly #onLine: (line: string) => void;
  #rest: Buffer[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes the next bytes, and hands over each line that they complete. */
  push(bytes: Buffer): void {
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, start);
      if (end < 0) break;
      let line: string;
      if (this.#rest.length === 0) {
        line = bytes.toString("utf8", start, end);
      } else {
        this.#rest.push(bytes.subarray(start, end));
        line = Buffer.concat(this.#rest).toString("utf8");
        this.#rest = [];
      }
      start = end + 1;
      if (line !== "") this.#onLine(line);
    }
    if (start < bytes.length) this.#rest.push(bytes.subarray(start));
  }
}
