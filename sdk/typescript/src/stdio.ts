/**
 * The way to a server of our own: a process `codepod rpc`, spoken to in lines of JSON.
 *
 * The process is started with the first call and ends when its standard input does, so at the latest with this process, however
 * that ends. It keeps Node alive only while a call waits for its answer.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";

import { findBinary, withParts } from "./binary.js";
import { toJson } from "./bytes.js";
import { clientClosed, CodepodError, serverGone } from "./errors.js";
import type {
  ApiError,
  CommandCall,
  CommandReply,
  NetworkReply,
  NetworkRequest,
  OutputEvent,
  StreamingMethod,
} from "./generated/api.js";
import { Gates, type Gate } from "./gate.js";
import { Lines } from "./lines.js";
import type { Answer, CallOptions, Decider, MethodName, Sent, Started, Transport } from "./transport.js";

/** How a server is started. */
export interface StdioOptions {
  /** The program; found by itself if not given. */
  binary?: string | undefined;
  /** Arguments after `rpc`. */
  arguments?: readonly string[] | undefined;
  /** Whether its sandboxes may be given a network. */
  network?: boolean | undefined;
  /** Environment of the server; that of this process if not given. Nothing of it reaches a sandbox. */
  env?: Record<string, string | undefined> | undefined;
}

/** A call without an answer yet. */
interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  gate: Gate | undefined;
  signals: AbortSignal[];
  onAbort: () => void;
  /** What the call is rejected with when its caller has given it up. */
  signal: AbortSignal | undefined;
}

/** A frame that came: an answer, a notification or a request. */
interface Frame {
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: ApiError;
}

/** The longest message that the server reads, in bytes. */
const LONGEST_MESSAGE = 64 << 20;

/** How long a cancelled call may go on until it is cancelled again. */
const CANCEL_AGAIN_MS = 50;

/** How much of what the server says on standard error is kept, to tell why it ended. */
const KEPT_COMPLAINT = 2_000;

/** Calls methods over the standard input and output of `codepod rpc`. */
export class StdioTransport implements Transport {
  readonly #options: StdioOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #outputs = new Map<string, (output: OutputEvent) => void>();
  readonly #answers = new Map<string, Map<string, Answer>>();
  readonly #deciders = new Map<string, Decider>();
  readonly #gates = new Gates();
  #child: ChildProcess | undefined;
  #stdin: Writable | undefined;
  #failure: CodepodError | undefined;
  #ended: Promise<void> = Promise.resolve();
  #complaint = "";
  #lastId = 0;
  #lastWord = 0;

  constructor(options: StdioOptions = {}) {
    this.#options = options;
  }

  /** The server's process id, once it is started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Whether the server is gone, so that no call can succeed any more. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  call(method: MethodName, params: Sent, options: CallOptions = {}): Promise<unknown> {
    const { signal, cancel } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stdin = this.#start();
      const id = ++this.#lastId;
      const signals = [signal, cancel].filter((each) => each !== undefined);
      let isSent = false;
      const onAbort = () => {
        // The answer is awaited all the same: when the call is settled, nothing of it runs any more.
        if (isSent) this.#cancel(id);
        else if (signal?.aborted === true) reject(signal.reason);
      };
      for (const each of signals) each.addEventListener("abort", onAbort, { once: true });
      const gate = this.#gates.of(method);
      this.#pending.set(id, { resolve, reject, gate, signals, onAbort, signal });
      if (this.#pending.size === 1) this.#keepAlive(true);
      const send = () => {
        isSent = true;
        if (signal?.aborted === true) {
          this.#settle(id)?.reject(signal.reason);
          return;
        }
        const message = toJson({ jsonrpc: "2.0", id, method, params });
        if (isTooLong(message)) this.#settle(id)?.reject(tooLong(method));
        else stdin.write(`${message}\n`);
        if (cancel?.aborted === true) onAbort();
      };
      if (gate === undefined) send();
      else gate.enter(send);
    });
  }

  async stream(
    method: StreamingMethod,
    params: Started,
    onOutput: (output: OutputEvent) => void,
    options: CallOptions = {},
  ): Promise<unknown> {
    this.#outputs.set(params.runId, onOutput);
    try {
      return await this.call(method, { ...params, stream: true }, options);
    } finally {
      this.#outputs.delete(params.runId);
    }
  }

  answer(sandboxId: string, name: string, answer: Answer): void {
    let answers = this.#answers.get(sandboxId);
    if (answers === undefined) this.#answers.set(sandboxId, (answers = new Map()));
    answers.set(name, answer);
  }

  forget(sandboxId: string): void {
    this.#answers.delete(sandboxId);
  }

  decide(decider: Decider): string {
    this.#lastWord += 1;
    const word = `function ${this.#lastWord}`;
    this.#deciders.set(word, decider);
    return word;
  }

  decideNoMore(word: string): void {
    this.#deciders.delete(word);
  }

  async close(): Promise<void> {
    this.#fail(clientClosed());
    this.#stdin?.end();
    this.#keepAlive(true);
    await this.#ended;
  }

  #start(): Writable {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#stdin !== undefined) return this.#stdin;
    const binary = this.#options.binary ?? findBinary();
    const network = this.#options.network === true ? ["--network"] : [];
    const child = spawn(binary, ["rpc", ...network, ...(this.#options.arguments ?? [])], {
      stdio: ["pipe", "pipe", "pipe"],
      env: withParts(this.#options.env ?? process.env),
      windowsHide: true,
    });
    this.#child = child;
    this.#stdin = child.stdin;
    // What is written to a server that is gone fails here; `close` tells of it.
    child.stdin.on("error", () => {});
    const lines = new Lines((line) => this.#receive(line));
    child.stdout.on("data", (bytes: Buffer) => {
      try {
        lines.push(bytes);
      } catch (error) {
        // Node has no strings of half a gigabyte.
        this.#breakOff(`the codepod server sent what cannot be read: ${String(error)}`, error);
      }
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-KEPT_COMPLAINT);
    });
    this.#ended = new Promise((resolve) => {
      child.on("error", (error) => {
        this.#fail(serverGone(`\`${binary}\` did not start: ${error.message}`, "`codepod doctor` says what is missing", error));
        resolve();
      });
      child.on("close", (status, signal) => {
        this.#fail(this.#ending(status, signal));
        resolve();
      });
    });
    (child.stdin as unknown as Socket).unref();
    this.#keepAlive(false);
    return child.stdin;
  }

  /** Whether Node waits for the server: for what it says, and for its end. */
  #keepAlive(isAwaited: boolean): void {
    const child = this.#child;
    for (const each of [child, child?.stdout, child?.stderr] as (Pick<Socket, "ref" | "unref"> | undefined)[]) {
      if (isAwaited) each?.ref();
      else each?.unref();
    }
  }

  #ending(status: number | null, signal: NodeJS.Signals | null): CodepodError {
    const how = signal === null ? `with status ${status}` : `by ${signal}`;
    const complaint = this.#complaint.trim();
    const message = `the codepod server ended ${how}${complaint === "" ? "" : `: ${complaint}`}`;
    return serverGone(message, "its sandboxes are gone: make a new one, which starts a new server");
  }

  #fail(failure: CodepodError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(failure);
  }

  /** Gives a call up. Messages are taken up in parallel: one that overtakes the call it means is lost, so it is said again. */
  #cancel(id: number): void {
    if (!this.#pending.has(id)) return;
    this.#stdin?.write(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":${id}}}\n`);
    setTimeout(() => this.#cancel(id), CANCEL_AGAIN_MS).unref();
  }

  /** Takes a call out of those that wait. */
  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    for (const signal of pending.signals) signal.removeEventListener("abort", pending.onAbort);
    pending.gate?.leave();
    if (this.#pending.size === 0) this.#keepAlive(false);
    return pending;
  }

  #receive(line: string): void {
    let frame: Frame;
    try {
      frame = JSON.parse(line) as Frame;
    } catch (error) {
      this.#breakOff(`the codepod server sent what is not JSON: ${line.slice(0, 100)}`, error);
      return;
    }
    if (frame.method === "run.output") {
      const output = frame.params as OutputEvent;
      this.#outputs.get(output.runId)?.(output);
    } else if (frame.method === "command.call") {
      void this.#command(frame.id ?? null, frame.params as CommandCall);
    } else if (frame.method === "network.request") {
      void this.#decide(frame.id ?? null, frame.params as NetworkRequest);
    } else if (frame.method === undefined && typeof frame.id === "number") {
      const pending = this.#settle(frame.id);
      if (pending === undefined) return;
      if (pending.signal?.aborted === true) pending.reject(pending.signal.reason);
      else if (frame.error === undefined) pending.resolve(frame.result);
      else pending.reject(CodepodError.from(frame.error));
    } else if (frame.error !== undefined) {
      // An error that names no call: the two sides do not speak the same protocol, and a caller waits in vain.
      this.#breakOff(`the codepod server could not read a call: ${frame.error.message}`);
    }
  }

  #breakOff(message: string, cause?: unknown): void {
    this.#fail(serverGone(message, "program and package must be of the same version", cause));
    this.#stdin?.end();
  }

  async #command(id: number | string | null, call: CommandCall): Promise<void> {
    const answer = this.#answers.get(call.sandboxId)?.get(call.name);
    const missing: CommandReply = { exitCode: 127, stderr: `${call.name}: this command is no longer answered\n` };
    this.#reply(id, answer === undefined ? missing : await answer(call));
  }

  async #decide(id: number | string | null, request: NetworkRequest): Promise<void> {
    const decider = this.#deciders.get(request.ask);
    const missing: NetworkReply = { decision: "deny", reason: "nobody decides about it any more" };
    this.#reply(id, decider === undefined ? missing : await decider(request));
  }

  #reply(id: number | string | null, result: CommandReply | NetworkReply): void {
    this.#stdin?.write(`${toJson({ jsonrpc: "2.0", id, result })}\n`);
  }
}

/** Whether a message has more bytes than the server reads. A character has one to three. */
function isTooLong(message: string): boolean {
  return message.length > LONGEST_MESSAGE / 3 && Buffer.byteLength(message) > LONGEST_MESSAGE;
}

function tooLong(method: MethodName): CodepodError {
  return new CodepodError("too_large", `a call of \`${method}\` has at most ${LONGEST_MESSAGE} bytes`, {
    hint: "send less at a time; `run(\"cat > FILE\", { stdin })` takes any amount",
  });
}
