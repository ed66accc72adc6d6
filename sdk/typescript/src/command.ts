/** Host commands: functions of yours as commands of a sandbox. */

import { decode, encode, utf8, type Data } from "./bytes.js";
import type { CommandCall, CommandReply } from "./generated/api.js";
import type { Sandbox } from "./sandbox.js";
import type { Scope } from "./scope.js";
import type { Answer } from "./transport.js";

/** How a host command is shown. */
export interface CommandOptions {
  /** Further names. */
  aliases?: string[] | undefined;
  /** What it does, for `help`. */
  description?: string | undefined;
  /** How it is called, for `help`. */
  usage?: string | undefined;
}

/** What a command may give back: its output, or more. Nothing is an empty output and status 0. */
export type CommandResult =
  | Data
  | void
  | {
      /** Its status; 0 if nothing is said. */
      exitCode?: number;
      /** What it prints. */
      stdout?: Data;
      /** What it complains about. */
      stderr?: string;
    };

/** A host command. What it throws becomes its complaint, and its status is 1. */
export type CommandHandler = (call: HostCall) => CommandResult | Promise<CommandResult>;

/** A call of a host command. */
export class HostCall {
  readonly #call: CommandCall;
  #stdinBytes: Uint8Array | undefined;
  /** The sandbox that calls: its files can be read and written meanwhile. */
  readonly sandbox: Sandbox;

  /** @internal */
  constructor(sandbox: Sandbox, call: CommandCall) {
    this.sandbox = sandbox;
    this.#call = call;
  }

  /** The command's name, or its alias if it was called by one. */
  get name(): string {
    return this.#call.name;
  }

  /** Its arguments, without the name. */
  get args(): string[] {
    return this.#call.arguments;
  }

  /** The working directory. */
  get cwd(): string {
    return this.#call.cwd;
  }

  /** The environment. */
  get env(): Record<string, string> {
    return this.#call.env;
  }

  /** What it reads, as text; what is not UTF-8 is replaced. */
  get stdin(): string {
    return this.#call.stdin ?? utf8(this.stdinBytes);
  }

  /** What it reads, to the byte. */
  get stdinBytes(): Uint8Array {
    return (this.#stdinBytes ??= decode({ text: this.#call.stdin, base64: this.#call.stdinBase64 }));
  }

  /** The absolute path that a path means in the working directory. Links are not followed. */
  resolvePath(path: string): string {
    const parts: string[] = [];
    for (const part of (path.startsWith("/") ? path : `${this.cwd}/${path}`).split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return `/${parts.join("/")}`;
  }
}

/** `sandbox.commands`. */
export class Commands {
  readonly #scope: Scope;
  readonly #sandbox: Sandbox;
  readonly #registered = new Map<string, [CommandHandler, CommandOptions]>();

  /** @internal */
  constructor(scope: Scope, sandbox: Sandbox) {
    this.#scope = scope;
    this.#sandbox = sandbox;
  }

  /** Lists the commands of the sandbox. */
  async list(): Promise<string[]> {
    return (await this.#scope.call("commands.list", {})).commands;
  }

  /** Adds a command that a function of yours answers: the same as `sandbox.command`. */
  async register(name: string, handler: CommandHandler, options: CommandOptions = {}): Promise<void> {
    const { transport, sandboxId } = this.#scope;
    const answer = answering(this.#sandbox, handler);
    for (const each of [name, ...(options.aliases ?? [])]) transport.answer(sandboxId, each, answer);
    await this.#scope.call("commands.register", { name, ...options });
    this.#registered.set(name, [handler, options]);
  }

  /** @internal Registers the commands of the sandbox that this one was forked from, so that calls say who calls. */
  async inherit(parent: Commands): Promise<void> {
    const all = [...parent.#registered].map(([name, [handler, options]]) => this.register(name, handler, options));
    await Promise.all(all);
  }
}

/** Makes an answer for the server of a handler. */
function answering(sandbox: Sandbox, handler: CommandHandler): Answer {
  return async (call) => {
    try {
      return reply(await handler(new HostCall(sandbox, call)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { exitCode: 1, stderr: `${call.name}: ${message}\n` };
    }
  };
}

function reply(result: CommandResult): CommandReply {
  if (result === undefined || result === null) return { exitCode: 0 };
  if (typeof result === "string" || result instanceof Uint8Array) return { exitCode: 0, ...printed(result) };
  const { exitCode = 0, stdout = "", stderr = "" } = result;
  return { exitCode, ...printed(stdout), stderr };
}

function printed(stdout: Data): { stdout: string } | { stdoutBase64: string } {
  const { text = "", base64 } = encode(stdout);
  return base64 === undefined ? { stdout: text } : { stdoutBase64: base64 };
}
