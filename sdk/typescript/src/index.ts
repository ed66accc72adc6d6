/**
 * codepod: a sandbox for AI agents, from TypeScript.
 *
 * {@link Sandbox} is what you need; {@link Client} says which server it is on, {@link tools} gives it to a model.
 */

export { BackgroundRun, type SinceOptions, type StartOptions } from "./background.js";
export { Client, sharedClient, type ClientOptions } from "./client.js";
export type { Data } from "./bytes.js";
export { Commands, HostCall, type CommandHandler, type CommandOptions, type CommandResult } from "./command.js";
export { CodepodError, type CodepodErrorKind } from "./errors.js";
export { Files, type ReadOptions } from "./files.js";
export { HttpTransport, type HttpOptions } from "./http.js";
export { Reach, type Decided, type NetworkResponse, type OnRequest, type ReachOptions } from "./network.js";
export { Preview, type PreviewOptions } from "./preview.js";
export { OutputChunk, RunResult, RunStream, type RunOptions, type RunStreams, type StreamOptions, type StreamStreams } from "./run.js";
export { Sandbox, type CreateOptions, type SandboxOptions } from "./sandbox.js";
export { Env, Shell, Shells } from "./shell.js";
export { Snapshots, type SnapshotLike } from "./snapshot.js";
export { StdioTransport, type StdioOptions } from "./stdio.js";
export {
  callTool,
  tools,
  type AnthropicTool,
  type ExecutableTool,
  type InputSchema,
  type McpTool,
  type OpenAiResponsesTool,
  type OpenAiTool,
  type ToolOptions,
  type ToolResult,
} from "./tools.js";
export type { Answer, CallOptions, Decider, MethodName, Transport } from "./transport.js";
export * from "./generated/api.js";
export * from "./generated/callers.js";
