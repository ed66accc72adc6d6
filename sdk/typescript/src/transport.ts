/** What a client needs of the way to a server; {@link StdioTransport} and {@link HttpTransport} have it. */

import type {
  CommandCall,
  CommandReply,
  Methods,
  NetworkReply,
  NetworkRequest,
  OutputEvent,
  StreamingMethod,
} from "./generated/api.js";

/** The name of a method. */
export type MethodName = keyof Methods;

/** What a call may be given beside its parameters. */
export interface CallOptions {
  /** Gives the call up when it is aborted: what runs for it is ended, and the call is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Ends what runs for the call when it is aborted; the call still gives its result. */
  cancel?: AbortSignal | undefined;
}

/** Parameters on their way: those of the method, and the sandbox beside them. */
export type Sent = object;

/** Parameters of a run on their way. */
export type Started = Sent & { runId: string; sandboxId?: string };

/** Answers a call of a host command. */
export type Answer = (call: CommandCall) => Promise<CommandReply>;

/** Decides about a request to the network. */
export type Decider = (request: NetworkRequest) => Promise<NetworkReply>;

/** A way to a server. */
export interface Transport {
  /** Calls a method and gives its result. Fails with a {@link CodepodError}. */
  call(method: MethodName, params: Sent, options?: CallOptions): Promise<unknown>;
  /** Calls a method that runs something and hands its output over while it runs. */
  stream(
    method: StreamingMethod,
    params: Started,
    onOutput: (output: OutputEvent) => void,
    options?: CallOptions,
  ): Promise<unknown>;
  /** Answers calls of a sandbox's host command from now on. */
  answer(sandboxId: string, name: string, answer: Answer): void;
  /** Forgets the host commands of a sandbox. */
  forget(sandboxId: string): void;
  /** Decides about requests of networks that name the word that this gives. */
  decide(decider: Decider): string;
  /** Decides no more: what still asks by the word is denied. */
  decideNoMore(word: string): void;
  /** Ends the connection; calls that have no answer yet fail. */
  close(): Promise<void>;
}
