/** Named shells, their environment, history and completion. */

import type { CompleteOutput } from "./generated/api.js";
import { ShellHistoryMethods } from "./generated/callers.js";
import { run, stream, type RunOptions, type RunResult, type RunStream, type StreamOptions } from "./run.js";
import type { Scope } from "./scope.js";

/** Exported variables of a shell. */
export class Env {
  readonly #scope: Scope;
  readonly #shell: string | undefined;

  /** @internal */
  constructor(scope: Scope, shell?: string) {
    this.#scope = scope;
    this.#shell = shell;
  }

  /** The exported variables by name. */
  async get(): Promise<Record<string, string>> {
    return (await this.#scope.call("env.get", { shell: this.#shell })).env;
  }

  /** Exports variables, for all that the shell runs from now on. */
  async set(env: Record<string, string>): Promise<void> {
    await this.#scope.call("env.set", { env, shell: this.#shell });
  }
}

/** A shell with variables and a working directory of its own. */
export class Shell {
  readonly #scope: Scope;
  /** Its name. */
  readonly name: string;
  /** Its exported variables. */
  readonly env: Env;

  /** @internal */
  constructor(scope: Scope, name: string) {
    this.#scope = scope;
    this.name = name;
    this.env = new Env(scope, name);
  }

  /** Runs a command in this shell and waits for its end. */
  run(command: string, options: Omit<RunOptions, "shell"> = {}): Promise<RunResult> {
    return run(this.#scope, command, { ...options, shell: this.name });
  }

  /** Runs a command in this shell and gives its output as it comes. */
  stream(command: string, options: Omit<StreamOptions, "shell"> = {}): RunStream {
    return stream(this.#scope, command, { ...options, shell: this.name });
  }

  /** Ends the shell: its EXIT trap runs, its variables are gone. */
  async close(): Promise<void> {
    await this.#scope.call("shell.close", { shell: this.name });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** `sandbox.shell`. */
export class Shells {
  readonly #scope: Scope;
  /** The runs that are kept. */
  readonly history: ShellHistoryMethods;

  /** @internal */
  constructor(scope: Scope) {
    this.#scope = scope;
    this.history = new ShellHistoryMethods(scope);
  }

  /** Makes a shell; a name is made up if none is given. */
  async create(name?: string): Promise<Shell> {
    const { shell } = await this.#scope.call("shell.create", { shell: name });
    return new Shell(this.#scope, shell);
  }

  /** A shell by its name; it starts with its first run. */
  get(name: string): Shell {
    return new Shell(this.#scope, name);
  }

  /** Lists the shells that have run something; the main shell's name is empty. */
  async list(): Promise<string[]> {
    return (await this.#scope.call("shell.list", {})).shells;
  }

  /** Ends a shell: its EXIT trap runs, its variables are gone. */
  async close(name: string): Promise<void> {
    await this.#scope.call("shell.close", { shell: name });
  }

  /** Says what could stand at a place in a command line; at its end if no `cursor` (in bytes) is given. */
  complete(line: string, options: { cursor?: number; shell?: string } = {}): Promise<CompleteOutput> {
    return this.#scope.call("shell.complete", { line, ...options });
  }
}
