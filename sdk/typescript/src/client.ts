/** A client: its own server over stdio, or a running one over HTTP. */

import { traced } from "./errors.js";
import type { CreateParams, SavedState, Methods, SandboxInfo, ServerInfoOutput } from "./generated/api.js";
import { HttpTransport, type HttpOptions } from "./http.js";
import { Sandbox } from "./sandbox.js";
import type { Params } from "./scope.js";
import { StdioTransport, type StdioOptions } from "./stdio.js";
import type { CallOptions, MethodName, Transport } from "./transport.js";

/** Which server: one at `url`, or one that is started. */
export type ClientOptions = HttpOptions | (StdioOptions & { url?: undefined }) | { transport: Transport; url?: undefined };

/** Calls a server. Without options it starts one, with its first call. */
export class Client {
  /** The way to the server. */
  readonly transport: Transport;

  constructor(options: ClientOptions = {}) {
    if ("transport" in options) this.transport = options.transport;
    else if (options.url !== undefined) this.transport = new HttpTransport(options);
    else this.transport = new StdioTransport(options);
  }

  /** Makes a sandbox. */
  async create(options: CreateParams = {}): Promise<Sandbox> {
    const { sandboxId } = await this.call("sandbox.create", options);
    return new Sandbox(this, sandboxId, options.outputBudget);
  }

  /** A sandbox that is there, by its id. */
  sandbox(id: string): Sandbox {
    return new Sandbox(this, id);
  }

  /** Lists the sandboxes that are alive, in the order in which they were made. */
  async list(): Promise<SandboxInfo[]> {
    return (await this.call("sandbox.list", {})).sandboxes;
  }

  /** Lists the states that are kept for persistent sandboxes, by namespace. */
  async listStates(): Promise<SavedState[]> {
    return (await this.call("states.list", {})).states;
  }

  /** Removes the states of a namespace for good. Refused while a sandbox has it. */
  async removeStates(namespace: string): Promise<void> {
    await this.call("states.remove", { namespace });
  }

  /** Says which version the server is and which methods it has. */
  info(): Promise<ServerInfoOutput> {
    return this.call("server.info", {});
  }

  /** Calls any method by its name; those of a sandbox need its id as `sandboxId`. */
  call<M extends MethodName>(
    method: M,
    params: Params<M> & { sandboxId?: string },
    options?: CallOptions,
  ): Promise<Methods[M]["output"]> {
    return traced(this.transport.call(method, params, options) as Promise<Methods[M]["output"]>);
  }

  /** Ends the connection. A server that was started ends with it, and so do its sandboxes. */
  async close(): Promise<void> {
    await this.transport.close();
  }

  /** `await using client = new Client()` closes it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

let shared: { client: Client; transport: StdioTransport } | undefined;

/** The client that all share who name none. It is a new one when the server of the last is gone. */
export function sharedClient(): Client {
  if (shared === undefined || shared.transport.failed) {
    const transport = new StdioTransport();
    shared = { transport, client: new Client({ transport }) };
  }
  return shared.client;
}
