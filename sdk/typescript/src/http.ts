/** The transport to a running `codepod serve`, by `fetch`. */

import { toJson } from "./bytes.js";
import { clientClosed, CodepodError, serverGone } from "./errors.js";
import { Gates } from "./gate.js";
import { ROUTES, type ApiError, type OutputEvent, type StreamingMethod } from "./generated/api.js";
import { readEvents } from "./sse.js";
import type { Answer, CallOptions, Decider, MethodName, Sent, Started, Transport } from "./transport.js";

/** Which server, and who asks. */
export interface HttpOptions {
  /** Where the server is: `http://127.0.0.1:8080`. */
  url: string | URL;
  /** A key of the server. */
  apiKey?: string | undefined;
  /** Another `fetch`, for a proxy or a test. */
  fetch?: typeof fetch | undefined;
}

/** Calls methods over HTTP. */
export class HttpTransport implements Transport {
  readonly #base: string;
  readonly #apiKey: string | undefined;
  readonly #fetch: typeof fetch;
  readonly #closed = new AbortController();
  readonly #gates = new Gates();

  constructor(options: HttpOptions) {
    this.#base = String(options.url).replace(/\/+$/, "");
    this.#apiKey = options.apiKey;
    this.#fetch = options.fetch ?? fetch;
  }

  async call(method: MethodName, params: Sent, options: CallOptions = {}): Promise<unknown> {
    return await this.#inTurn(method, async () => {
      const response = await this.#request(method, params, "application/json", options.signal);
      return await this.#body(response, options.signal);
    });
  }

  async stream(
    method: StreamingMethod,
    params: Started,
    onOutput: (output: OutputEvent) => void,
    options: CallOptions = {},
  ): Promise<unknown> {
    const { signal, cancel } = options;
    let isOver = false;
    // A cancel is a request of its own; the run's answer comes as usual.
    const onCancel = () => void this.#cancel(params, () => isOver);
    cancel?.addEventListener("abort", onCancel, { once: true });
    if (cancel?.aborted === true) onCancel();
    try {
      return await this.#inTurn(method, async () => {
        const response = await this.#request(method, { ...params, stream: true }, "text/event-stream", signal);
        return await this.#events(response, onOutput, signal);
      });
    } finally {
      isOver = true;
      cancel?.removeEventListener("abort", onCancel);
    }
  }

  /** Does something when it is a call's turn. */
  async #inTurn<T>(method: MethodName, go: () => Promise<T>): Promise<T> {
    const gate = this.#gates.of(method);
    if (gate !== undefined) await new Promise<void>((resolve) => gate.enter(resolve));
    try {
      return await go();
    } finally {
      gate?.leave();
    }
  }

  /** Reads the events of a run up to its result. */
  async #events(response: Response, onOutput: (output: OutputEvent) => void, signal: AbortSignal | undefined): Promise<unknown> {
    if (response.body === null || !(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
      return await this.#body(response, signal);
    }
    try {
      for await (const event of readEvents(response.body)) {
        if (event.name === "output") onOutput(JSON.parse(event.data) as OutputEvent);
        else if (event.name === "result") return JSON.parse(event.data) as unknown;
        else if (event.name === "error") throw CodepodError.from(JSON.parse(event.data) as ApiError);
      }
    } catch (error) {
      throw this.#explain(error, signal);
    }
    throw serverGone("the server ended the answer before its result", "try again; the server's log says why");
  }

  answer(_sandboxId: string, name: string, _answer: Answer): void {
    throw new CodepodError("unsupported", `the command \`${name}\` cannot be answered over HTTP`, {
      hint: "a request cannot be called back: use a client that starts its own server",
    });
  }

  forget(_sandboxId: string): void {}

  decide(_decider: Decider): string {
    throw new CodepodError("unsupported", "`onRequest` cannot be asked over HTTP", {
      hint: "leave `url` out: the server that is started then can ask; or decide by `allowedHosts` and `hosts`",
    });
  }

  decideNoMore(_word: string): void {}

  close(): Promise<void> {
    this.#closed.abort(clientClosed());
    return Promise.resolve();
  }

  /** Ends a run, as soon as it has begun. */
  async #cancel(params: Started, isOver: () => boolean): Promise<void> {
    const { runId, sandboxId } = params;
    for (let delay = 1; !isOver(); delay = Math.min(delay * 2, 100)) {
      try {
        await this.call("run.cancel", { runId, sandboxId });
        return;
      } catch (error) {
        if (!(error instanceof CodepodError && error.kind === "not_found")) return;
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }

  async #request(method: MethodName, params: Sent, accept: string, signal: AbortSignal | undefined): Promise<Response> {
    const route = ROUTES[method];
    const { sandboxId, ...rest } = params as { sandboxId?: string };
    let url = this.#base + route.path.replace("{sandbox}", encodeURIComponent(sandboxId ?? ""));
    const headers: Record<string, string> = { accept };
    if (this.#apiKey !== undefined) headers["authorization"] = `Bearer ${this.#apiKey}`;
    const init: RequestInit = { method: route.verb, headers, signal: this.#signal(signal) };
    if (route.verb === "GET" || route.verb === "DELETE") {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
      if (query.size > 0) url += `?${query}`;
    } else {
      headers["content-type"] = "application/json";
      init.body = toJson(rest);
    }
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      throw this.#explain(error, signal);
    }
  }

  async #body(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
    let text: string;
    try {
      text = await response.text();
    } catch (error) {
      throw this.#explain(error, signal);
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      const hint = "check that the address is that of a codepod server";
      throw serverGone(`${response.url} answered ${response.status} and not JSON`, hint, error);
    }
    if (!response.ok) throw CodepodError.from(value as ApiError);
    return value;
  }

  #signal(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
  }

  /** What a call that got no answer fails with. */
  #explain(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted === true) return signal.reason;
    if (this.#closed.signal.aborted) return this.#closed.signal.reason;
    if (error instanceof CodepodError) return error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return serverGone(`${this.#base} cannot be reached: ${cause}`, "check the address, and that the server runs", error);
  }
}
