/** What a sandbox may reach, and functions of yours that decide about it. */

import { resolve } from "node:path";

import { encode, type Data } from "./bytes.js";
import type { Network, NetworkReply, NetworkRequest } from "./generated/api.js";
import { NetworkMethods } from "./generated/callers.js";
import type { Scope } from "./scope.js";
import type { Transport } from "./transport.js";

/** An answer to a request of a sandbox, which then does not leave this machine. */
export interface NetworkResponse {
  /** Its status, from 200 to 599; 200 if not given. */
  status?: number | undefined;
  /** Its header fields. The length of the body is added. */
  headers?: Record<string, string> | undefined;
  /** Its body. */
  body?: Data | undefined;
}

/** What a function decides: `true` lets a request go on, `false` or a reason denies it, an object answers it. */
export type Decided = boolean | string | NetworkResponse;

/** Decides about a request. One that fails denies. */
export type OnRequest = (request: NetworkRequest) => Decided | Promise<Decided>;

/** What may be given with a network. */
export interface ReachOptions {
  /** Decides about each request that the network allows; none if not given, whatever was before. */
  onRequest?: OnRequest | undefined;
}

/** `sandbox.network`. */
export class Reach extends NetworkMethods {
  #asked: Asked | undefined;

  /** @internal */
  constructor(scope: Scope, asked: Asked | undefined) {
    super(scope);
    this.#asked = asked?.hold();
  }

  /**
   * Sets what the sandbox may reach, and its secrets. What is under way ends as it was allowed; the next request of an open
   * connection is decided anew. What was used stays counted.
   */
  override async set(network: Network, options: ReachOptions = {}): Promise<void> {
    const asked = ask(this.scope.transport, options.onRequest);
    try {
      await super.set(named(network, asked));
    } catch (error) {
      asked?.release();
      throw error;
    }
    this.release();
    this.#asked = asked;
  }

  /** @internal By what this side is asked, for a fork, which asks by the same. */
  get asked(): Asked | undefined {
    return this.#asked;
  }

  /** @internal The sandbox is gone, and asks no more. */
  release(): void {
    this.#asked?.release();
    this.#asked = undefined;
  }
}

/** @internal A word by which the server asks, until the last who holds it is gone. */
export class Asked {
  readonly #transport: Transport;
  readonly word: string;
  #holders = 1;

  constructor(transport: Transport, word: string) {
    this.#transport = transport;
    this.word = word;
  }

  hold(): this {
    this.#holders += 1;
    return this;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#transport.decideNoMore(this.word);
  }
}

/** @internal Has a function asked about requests. */
export function ask(transport: Transport, onRequest: OnRequest | undefined): Asked | undefined {
  if (onRequest === undefined) return undefined;
  const word = transport.decide(async (request) => {
    try {
      return reply(await onRequest(request));
    } catch (error) {
      // Why is told here and not inside: it may hold what is no business of the sandbox.
      console.error(`codepod: onRequest failed for ${request.url}:`, error);
      return { decision: "deny", reason: "the function of the host that decides failed" };
    }
  });
  return new Asked(transport, word);
}

/** @internal A network as it travels: with whole paths, and the word by which requests are asked about, if any. */
export function named(network: Network, asked: Asked | undefined): Network {
  const { record, replay } = network;
  return {
    ...network,
    ...(typeof record === "string" && { record: resolve(record) }),
    ...(typeof replay === "string" && { replay: resolve(replay) }),
    ...(asked !== undefined && { ask: asked.word }),
  };
}

function reply(decided: Decided): NetworkReply {
  if (decided === true) return { decision: "allow" };
  if (decided === false) return { decision: "deny" };
  if (typeof decided === "string") return { decision: "deny", reason: decided };
  if (typeof decided !== "object" || decided === null) {
    throw new TypeError(`it gave ${String(decided)}: it gives true, false, a reason to deny, or an answer`);
  }
  const { text, base64 } = encode(decided.body ?? "");
  return {
    decision: "respond",
    status: decided.status ?? 200,
    headers: Object.entries(decided.headers ?? {}).map(([name, value]) => ({ name, value })),
    ...(base64 === undefined ? { body: text ?? "" } : { bodyBase64: base64 }),
  };
}
