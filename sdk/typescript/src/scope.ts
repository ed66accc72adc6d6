/** Calls of one sandbox: what every part of {@link Sandbox} is made of. */

import { traced } from "./errors.js";
import type { Methods, OutputEvent, RunOutput, StreamingMethod } from "./generated/api.js";
import type { CallOptions, MethodName, Transport } from "./transport.js";

/** Parameters of a method; what is undefined is as if it were not given. */
export type Params<M extends MethodName> = { [K in keyof Methods[M]["params"]]: Methods[M]["params"][K] | undefined };

/** Parameters of a method that runs something. */
export type RunningParams = { [M in StreamingMethod]: Params<M> }[StreamingMethod];

/** A sandbox of a server. */
export class Scope {
  readonly transport: Transport;
  readonly sandboxId: string;

  constructor(transport: Transport, sandboxId: string) {
    this.transport = transport;
    this.sandboxId = sandboxId;
  }

  /** Calls a method of the sandbox. */
  call<M extends MethodName>(method: M, params: Params<M>, options?: CallOptions): Promise<Methods[M]["output"]> {
    const sent = { sandboxId: this.sandboxId, ...params };
    return traced(this.transport.call(method, sent, options) as Promise<Methods[M]["output"]>);
  }

  /** Calls a method that runs something and hands its output over while it runs. */
  stream(
    method: StreamingMethod,
    params: RunningParams & { runId: string },
    onOutput: (output: OutputEvent) => void,
    options?: CallOptions,
  ): Promise<RunOutput> {
    const sent = { sandboxId: this.sandboxId, ...params };
    return traced(this.transport.stream(method, sent, onOutput, options) as Promise<RunOutput>);
  }
}

/** Methods of one sandbox. */
export class OfSandbox {
  /** @internal */
  protected readonly scope: Scope;

  /** @internal */
  constructor(scope: Scope) {
    this.scope = scope;
  }
}
