/// <reference lib="esnext.disposable" preserve="true" />
/** A sandbox: files, shells and processes of its own. */

import { start, type BackgroundRun, type StartOptions } from "./background.js";
import type { Client } from "./client.js";
import { Commands, type CommandHandler, type CommandOptions } from "./command.js";
import { Files } from "./files.js";
import type { CreateParams, MergeOutput, SandboxInfo, SnapshotInfo } from "./generated/api.js";
import { JobsMethods, JsMethods, MountsMethods, PersistenceMethods, PythonMethods, SandboxMethods } from "./generated/callers.js";
import { Reach, type Asked, type OnRequest } from "./network.js";
import { preview, type Preview, type PreviewOptions } from "./preview.js";
import { run, stream, type RunOptions, type RunResult, type RunStream, type StreamOptions } from "./run.js";
import { Scope } from "./scope.js";
import { Env, Shells } from "./shell.js";
import { snapshotId, Snapshots, type SnapshotLike } from "./snapshot.js";
import { sharedClient } from "./client.js";
import { CodepodError } from "./errors.js";

/** How a sandbox is made. */
export interface SandboxOptions extends CreateParams {
  /** Decides about each request that `network` allows, for the sandbox and its forks. */
  onRequest?: OnRequest | undefined;
}

/** How a sandbox is made, and by whom. */
export interface CreateOptions extends SandboxOptions {
  /** The client; one that all share if not given. */
  client?: Client;
}

/** A sandbox. Without options it has no network, no host directory and 256 MB. */
export class Sandbox extends SandboxMethods {
  #isClosed = false;

  /** The client that it is reached by. */
  readonly client: Client;
  /** Its files. */
  readonly files: Files;
  /** Exported variables of its main shell. */
  readonly env: Env;
  /** Its named shells, its history, completion. */
  readonly shell: Shells;
  /** States of it by id. */
  readonly snapshots: Snapshots;
  /** Its commands. */
  readonly commands: Commands;
  /** Its host directories. */
  readonly mounts: MountsMethods;
  /** What it may reach beyond itself. */
  readonly network: Reach;
  /** Its processes. */
  readonly jobs: JobsMethods;
  /** Sessions of Node that keep their variables. */
  readonly js: JsMethods;
  /** Interpreters of Python that keep their variables. */
  readonly python: PythonMethods;
  /** Its state beyond its life. */
  readonly persistence: PersistenceMethods;

  /** Bytes of each output stream that a result holds, if it was made with a budget here. */
  readonly outputBudget: number | undefined;

  /** A sandbox that is there; {@link Sandbox.create} makes one. */
  constructor(client: Client, id: string, outputBudget?: number, asked?: Asked) {
    const scope = new Scope(client.transport, id);
    super(scope);
    this.client = client;
    this.outputBudget = outputBudget;
    this.files = new Files(scope);
    this.env = new Env(scope);
    this.shell = new Shells(scope);
    this.snapshots = new Snapshots(scope);
    this.commands = new Commands(scope, this);
    this.mounts = new MountsMethods(scope);
    this.network = new Reach(scope, asked);
    this.jobs = new JobsMethods(scope);
    this.js = new JsMethods(scope);
    this.python = new PythonMethods(scope);
    this.persistence = new PersistenceMethods(scope);
  }

  /** Makes a sandbox. The first one starts the server, which all share. */
  static create(options: CreateOptions = {}): Promise<Sandbox> {
    const { client = sharedClient(options.network !== undefined), ...params } = options;
    return client.create(params);
  }

  /** Its id, which cannot be guessed. */
  get id(): string {
    return this.scope.sandboxId;
  }

  /**
   * Runs a bash script and waits for its end. Variables, functions and the working directory stay for the next one. A status
   * other than 0 is a result, not an error.
   */
  run(command: string, options?: RunOptions): Promise<RunResult> {
    return run(this.scope, command, options);
  }

  /** Runs a bash script and gives its output as it comes. */
  stream(command: string, options?: StreamOptions): RunStream {
    return stream(this.scope, command, options);
  }

  /**
   * Starts a bash script in the background and returns at once: a server, or whatever takes long. It runs in a shell of its own,
   * which begins as a copy of the main one, and for an hour at most if `timeoutMs` is not given.
   */
  start(command: string, options?: StartOptions): Promise<BackgroundRun> {
    return start(this.scope, command, options);
  }

  /** Runs a script in a throw-away copy and says what it would change. */
  preview(command: string, options?: PreviewOptions): Promise<Preview> {
    return preview(this.scope, command, options);
  }

  /** Keeps files and shells as they are now, in microseconds. */
  snapshot(): Promise<SnapshotInfo> {
    return this.snapshots.create();
  }

  /** Puts files and shells back to a snapshot; it can be used again. */
  restore(snapshot: SnapshotLike): Promise<void> {
    return this.snapshots.restore(snapshot);
  }

  /** Makes another sandbox with the same files, shells and limits, in microseconds. Neither sees what the other does next. */
  async fork(): Promise<Sandbox> {
    const { sandboxId } = await this.scope.call("sandbox.fork", {});
    const fork = new Sandbox(this.client, sandboxId, this.outputBudget, this.network.asked);
    await fork.commands.inherit(this.commands);
    return fork;
  }

  /** Becomes what a fork of it is, in constant time. It can be undone as a run can. */
  async adopt(fork: Sandbox | string): Promise<void> {
    await this.scope.call("sandbox.adopt", { fork: idOf(fork) });
  }

  /** Takes what a fork changed since a snapshot, file by file. Where both changed a file differently, ours stays. */
  merge(fork: Sandbox | string, base: SnapshotLike): Promise<MergeOutput> {
    return this.scope.call("sandbox.merge", { fork: idOf(fork), base: snapshotId(base) });
  }

  /** Says what it is. */
  info(): Promise<SandboxInfo> {
    return this.scope.call("sandbox.get", {});
  }

  /** Adds a command that a function of yours answers; it is in `/bin`, in `help`, in pipelines and in completion. */
  command(name: string, handler: CommandHandler, options?: CommandOptions): Promise<void> {
    return this.commands.register(name, handler, options);
  }

  /** Ends it: its processes are killed, its files are gone unless they are kept. Again, it does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.scope.call("sandbox.destroy", {});
    } catch (error) {
      // It is gone already, with its server or by another's hand.
      if (!(error instanceof CodepodError && ["not_found", "server_gone", "closed"].includes(error.kind))) throw error;
    } finally {
      this.network.release();
      this.scope.transport.forget(this.id);
    }
  }

  /** `await using sandbox = await Sandbox.create()` closes it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function idOf(sandbox: Sandbox | string): string {
  return typeof sandbox === "string" ? sandbox : sandbox.id;
}
