/** A client: its own server over stdio, or a running one over HTTP. */

import { traced } from "./errors.js";
import type { SavedState, Methods, SandboxInfo, ServerInfoOutput } from "./generated/api.js";
import { HttpTransport, type HttpOptions } from "./http.js";
import { ask, named } from "./network.js";
import { Sandbox, type SandboxOptions } from "./sandbox.js";
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
  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const { onRequest, network, ...params } = options;
    if (network === undefined) {
      if (onRequest !== undefined) throw new TypeError("`onRequest` decides about the requests of a network: give `network` as well");
      const { sandboxId } = await this.call("sandbox.create", params);
      return new Sandbox(this, sandboxId, options.outputBudget);
    }
    const asked = ask(this.transport, onRequest);
    try {
      const { sandboxId } = await this.call("sandbox.create", { ...params, network: named(network, asked) });
      return new Sandbox(this, sandboxId, options.outputBudget, asked);
    } finally {
      asked?.release();
    }
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

const shared = new Map<boolean, { client: Client; transport: StdioTransport }>();

/**
 * The client that all share who name none: one for sandboxes without a network, and one for those with. It is a new one when the
 * server of the last is gone.
 */
export function sharedClient(network = false): Client {
  const last = shared.get(network);
  if (last !== undefined && !last.transport.failed) return last.client;
  const transport = new StdioTransport({ network });
  const client = new Client({ transport });
  shared.set(network, { transport, client });
  return client;
}
