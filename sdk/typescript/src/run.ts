/** Runs: what a command is given, what it says while it runs, what it left behind. */

import { bytesOf, concatenate, decode, encode, fromBase64, utf8, type Data } from "./bytes.js";
import { CodepodError } from "./errors.js";
import type { Cut, OutputEvent, ProcessFacts, RunOutput, RunParams, StreamingMethod, Usage } from "./generated/api.js";
import type { RunningParams, Scope } from "./scope.js";

/** What a run reads, what hears of its output, and what ends it. */
export interface RunStreams {
  /** What it reads. An async iterable is read while it runs. */
  stdin?: Data | AsyncIterable<Data> | undefined;
  /** Ends it when it is aborted; the call is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Gets standard output while it runs. The result holds all of it as well. */
  onStdout?: ((text: string, chunk: OutputChunk) => void) | undefined;
  /** Gets standard error while it runs. */
  onStderr?: ((text: string, chunk: OutputChunk) => void) | undefined;
}

/** What a run reads whose output is streamed, and what ends it. */
export interface StreamStreams extends Omit<RunStreams, "onStdout" | "onStderr"> {
  /** Whether more input comes by {@link RunStream.write}. */
  interactive?: boolean | undefined;
}

/** What a command may be given. */
export interface RunOptions extends RunStreams {
  /** The shell to run it in; the main one if not given. */
  shell?: string | undefined;
  /** The directory that it runs in; afterwards the shell is where it was. */
  cwd?: string | undefined;
  /** Variables that are exported to this command only. */
  env?: Record<string, string> | undefined;
  /** `$1`, `$2`, … for this command only. */
  arguments?: string[] | undefined;
  /** How long it may take, in milliseconds; as the sandbox says if not given. */
  timeoutMs?: number | undefined;
  /** Bytes of each output stream that the result holds; as the sandbox says if not given. */
  outputBudget?: number | undefined;
  /** A name of this attempt: another run with the same one gets the first's result and runs nothing. */
  idempotencyKey?: string | undefined;
}

/** What a streamed command may be given. */
export interface StreamOptions
  extends Omit<RunOptions, "onStdout" | "onStderr" | "outputBudget" | "idempotencyKey">, StreamStreams {}

/** What a command left behind. */
export class RunResult {
  readonly #output: RunOutput;
  #stdoutBytes: Uint8Array | undefined;
  #stderrBytes: Uint8Array | undefined;

  /** Exit status: 128 plus the number for a signal, 124 after the timeout, 130 when it was cancelled. */
  readonly exitCode: number;
  /** Whether the status is 0. */
  readonly success: boolean;
  /** What it printed; what is not UTF-8 is replaced. */
  readonly stdout: string;
  /** What it complained about; what is not UTF-8 is replaced. */
  readonly stderr: string;

  /** @internal */
  constructor(output: RunOutput, collected?: { stdout: Collected; stderr: Collected }) {
    this.#output = output;
    this.exitCode = output.exitCode;
    this.success = output.success;
    this.stdout = collected?.stdout.text() ?? output.stdout;
    this.stderr = collected?.stderr.text() ?? output.stderr;
    this.#stdoutBytes = collected?.stdout.bytes();
    this.#stderrBytes = collected?.stderr.bytes();
  }

  /** What it printed, to the byte. */
  get stdoutBytes(): Uint8Array {
    return (this.#stdoutBytes ??= decode({ text: this.stdout, base64: this.#output.stdoutBase64 }));
  }

  /** What it complained about, to the byte. */
  get stderrBytes(): Uint8Array {
    return (this.#stderrBytes ??= decode({ text: this.stderr, base64: this.#output.stderrBase64 }));
  }

  /** Its number among the runs of the sandbox, from 1. */
  get run(): number {
    return this.#output.run;
  }

  /** What is missing in the middle of `stdout`, because it was longer than its budget. */
  get stdoutCut(): Cut | undefined {
    return this.#output.stdoutCut ?? undefined;
  }

  /** What is missing in the middle of `stderr`. */
  get stderrCut(): Cut | undefined {
    return this.#output.stderrCut ?? undefined;
  }

  /** Whether output is lost because a stream reached its limit. */
  get truncated(): boolean {
    return this.#output.truncated;
  }

  /** Whether it was ended at its timeout. */
  get timedOut(): boolean {
    return this.#output.timedOut;
  }

  /** Whether it was cancelled. */
  get cancelled(): boolean {
    return this.#output.cancelled;
  }

  /** Whether the shell itself failed: files and variables are as they were before. */
  get crashed(): boolean {
    return this.#output.crashed;
  }

  /** How long it took, in milliseconds. */
  get executionTimeMs(): number {
    return this.#output.executionTimeMs;
  }

  /** What it used. */
  get usage(): Usage {
    return this.#output.usage;
  }

  /** The processes that it started and that have ended, the last few hundred. */
  get processes(): ProcessFacts[] {
    return this.#output.processes ?? [];
  }

  /** This result if the status is 0; else fails with a {@link CodepodError} of kind `command_failed`. */
  check(): this {
    if (this.success) return this;
    const complaint = this.stderr.trim().split("\n").at(-1) ?? "";
    throw new CodepodError("command_failed", `the command ended with status ${this.exitCode}${complaint && `: ${complaint}`}`, {
      hint: "`stderr` of the result says more; `sandbox.undo()` takes back what it did",
      cause: this,
    });
  }

  /** What `JSON.stringify` writes: what the server sent, with the output that was streamed. */
  toJSON(): RunOutput {
    return { ...this.#output, stdout: this.stdout, stderr: this.stderr };
  }
}

/** A piece of output. */
export class OutputChunk {
  readonly #output: OutputEvent;
  /** Which stream it is from. */
  readonly stream: "stdout" | "stderr";
  /** Its text; a character that two pieces share is in the second, and what is not UTF-8 is replaced. */
  readonly text: string;

  /** @internal */
  constructor(output: OutputEvent, text: string) {
    this.#output = output;
    this.stream = output.stream;
    this.text = text;
  }

  /** Its bytes. */
  get bytes(): Uint8Array {
    return decode(this.#output);
  }
}

/** Output as it came: text, until something came that is not. */
class Collected {
  #parts: (string | Uint8Array)[] = [];
  #isText = true;

  add(output: OutputEvent): void {
    const { base64 } = output;
    this.#isText &&= base64 === undefined;
    this.#parts.push(base64 === undefined ? (output.text ?? "") : fromBase64(base64));
  }

  bytes(): Uint8Array | undefined {
    return this.#isText ? undefined : concatenate(this.#parts.map(bytesOf));
  }

  text(): string {
    const bytes = this.bytes();
    return bytes === undefined ? this.#parts.join("") : utf8(bytes);
  }
}

/** Turns pieces of one stream into text, however characters are cut. */
class Decoder {
  #decoder: InstanceType<typeof TextDecoder> | undefined;

  push(output: OutputEvent): string {
    // Text that follows text needs no decoder.
    if (output.base64 !== undefined) this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return this.#decoder === undefined ? (output.text ?? "") : this.#decoder.decode(decode(output), { stream: true });
  }

  end(): string {
    return this.#decoder?.decode() ?? "";
  }
}

/** Turns the output of a run into pieces. */
class Chunks {
  readonly #decoders = { stdout: new Decoder(), stderr: new Decoder() };
  readonly #take: (chunk: OutputChunk) => void;

  constructor(take: (chunk: OutputChunk) => void) {
    this.#take = take;
  }

  push(output: OutputEvent): void {
    this.#take(new OutputChunk(output, this.#decoders[output.stream].push(output)));
  }

  /** Hands over what is left of characters that never became whole. */
  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const text = this.#decoders[stream].end();
      if (text !== "") this.#take(new OutputChunk({ sandboxId: "", runId: "", stream }, text));
    }
  }
}

/** What a command is sent as, without its input. */
export function runParams(command: string, options: RunOptions | StreamOptions): RunParams {
  const { stdin: _stdin, signal: _signal, onStdout: _out, onStderr: _err, ...rest } = options as RunOptions;
  return { command, ...rest } as RunParams;
}

/** Input that is there from the start. */
export function givenInput(stdin: Data | undefined): { stdin?: string; stdinBase64?: string } {
  if (stdin === undefined) return {};
  const { text, base64 } = encode(stdin);
  return text !== undefined ? { stdin: text } : base64 !== undefined ? { stdinBase64: base64 } : {};
}

/** Runs a command and waits for its end. */
export function run(scope: Scope, command: string, options: RunOptions = {}): Promise<RunResult> {
  return runMethod(scope, "run", runParams(command, options), options);
}

/** Runs a command and gives its output as it comes. */
export function stream(scope: Scope, command: string, options: StreamOptions = {}): RunStream {
  return new RunStream(scope, "run", runParams(command, options), options);
}

/** Calls a method that runs something and waits for its end. */
export async function runMethod(
  scope: Scope,
  method: StreamingMethod,
  params: RunningParams,
  streams: RunStreams,
): Promise<RunResult> {
  const { stdin, signal, onStdout, onStderr } = streams;
  const isShort = stdin === undefined || ((typeof stdin === "string" || stdin instanceof Uint8Array) && stdin.length <= SHORT);
  if (isShort && onStdout === undefined && onStderr === undefined) {
    return new RunResult(await scope.call(method, { ...params, ...givenInput(stdin) }, { signal }));
  }
  // A callback that fails ends the run, and the call fails as the callback did.
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const collected = { stdout: new Collected(), stderr: new Collected() };
  const chunks = new Chunks((chunk) => {
    if (failed.signal.aborted) return;
    try {
      (chunk.stream === "stdout" ? onStdout : onStderr)?.(chunk.text, chunk);
    } catch (error) {
      failed.abort(error);
    }
  });
  const { output } = begin(scope, method, params, { stdin, signal: either }, (piece) => {
    collected[piece.stream].add(piece);
    chunks.push(piece);
  });
  const result = await output;
  chunks.end();
  failed.signal.throwIfAborted();
  return new RunResult(result, collected);
}

/** Starts a streamed run; all of its input is sent while it runs. */
function begin(
  scope: Scope,
  method: StreamingMethod,
  params: RunningParams,
  streams: StreamStreams,
  onOutput: (output: OutputEvent) => void,
  cancel?: AbortSignal,
): { input: Input; output: Promise<RunOutput> } {
  const runId = crypto.randomUUID();
  const { stdin, signal } = streams;
  const interactive = stdin !== undefined || streams.interactive;
  const output = scope.stream(method, { ...params, runId, stream: true, interactive }, onOutput, { signal, cancel });
  const input = new Input(scope, runId, output);
  if (stdin !== undefined) input.pump(stdin);
  return { input, output };
}

/** The input of a run. */
class Input {
  readonly #scope: Scope;
  readonly #runId: string;
  #last: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(scope: Scope, runId: string, output: Promise<unknown>) {
    this.#scope = scope;
    this.#runId = runId;
    const end = () => void (this.#ended = true);
    output.then(end, end);
  }

  /** Sends more, after what was sent before. */
  send(params: { text?: string; base64?: string; end?: boolean }): Promise<void> {
    const sent = this.#last.then(() => this.#deliver(params));
    this.#last = sent.catch(() => {});
    return sent;
  }

  /** Sends all that there is, and then that it was all. */
  pump(stdin: Data | AsyncIterable<Data>): void {
    const all = async () => {
      if (typeof stdin === "string" || stdin instanceof Uint8Array) {
        for (const piece of pieces(stdin)) await this.send(encode(piece));
      } else {
        for await (const data of stdin) {
          if (this.#ended) return;
          await this.send(encode(data));
        }
      }
    };
    // Whether the source failed or the run would not read on: its input is at its end.
    const end = () => this.send({ end: true }).catch(() => {});
    all().then(end, end);
  }

  async #deliver(params: { text?: string; base64?: string; end?: boolean }): Promise<void> {
    for (let delay = 1; ; delay = Math.min(delay * 2, 100)) {
      if (this.#ended) throw new CodepodError("not_found", "the run has ended", { hint: "its `result` says how" });
      try {
        await this.#scope.call("run.stdin", { runId: this.#runId, ...params });
        return;
      } catch (error) {
        // Calls are answered in parallel: the run may not have begun yet.
        if (this.#ended || !(error instanceof CodepodError && error.kind === "not_found")) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}

/** How much input goes along with a run; more is sent while it runs. In bytes or in characters. */
const SHORT = 8 << 20;

/** How much input one call carries, in bytes or in characters. */
const PIECE = 1 << 20;

/** Text or bytes in pieces; a pair of surrogates is not cut. */
function* pieces(data: Data): Generator<Data, void, undefined> {
  for (let start = 0; start < data.length; ) {
    let end = start + PIECE;
    if (typeof data === "string" && isHighSurrogate(data.charCodeAt(end - 1))) end += 1;
    yield data.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/**
 * Something that runs: an async iterable of its output, with its result at the end. What it prints waits in memory until it is
 * read.
 */
export class RunStream implements AsyncIterable<OutputChunk> {
  readonly #input: Input;
  readonly #cancel = new AbortController();
  #chunks: OutputChunk[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  /** What it left behind, once it has ended. `stdout` and `stderr` are empty: they were streamed. */
  readonly result: Promise<RunResult>;

  /** @internal */
  constructor(scope: Scope, method: StreamingMethod, params: RunningParams, streams: StreamStreams) {
    const chunks = new Chunks((chunk) => {
      this.#chunks.push(chunk);
      this.#wake?.();
    });
    const { input, output } = begin(scope, method, params, streams, (piece) => chunks.push(piece), this.#cancel.signal);
    this.#input = input;
    const end = () => {
      chunks.end();
      this.#ended = true;
      this.#wake?.();
    };
    output.then(end, end);
    this.result = output.then((result) => new RunResult(result));
    // The iterator reports the failure.
    this.result.catch(() => {});
  }

  /** The output as it comes. Leaving the loop early ends the run. */
  async *[Symbol.asyncIterator](): AsyncGenerator<OutputChunk, void, undefined> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        this.#chunks = [];
        yield* chunks;
        if (this.#chunks.length > 0) continue;
        if (this.#ended) break;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      await this.result;
    } finally {
      if (!this.#ended) await this.cancel();
    }
  }

  /** Gives it more to read; it must have been started with `interactive`. */
  write(data: Data): Promise<void> {
    return this.#input.send(encode(data));
  }

  /** Says that there is no more to read. */
  end(): Promise<void> {
    return this.#input.send({ end: true });
  }

  /** Ends it and waits until it has ended. Its result tells what it did so far, with status 130. */
  async cancel(): Promise<void> {
    this.#cancel.abort();
    await this.result.catch(() => {});
  }
}
